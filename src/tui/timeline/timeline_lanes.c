/*
 * Arrangement of lanes: visibility, order, folding.
 */
#include "tui/timeline/timeline_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS_MAX = 20 }; /* before the name in a saved line */

/* ---- lines ---- */

static bool timeline_lanes_line_of(const struct timeline_pane *self, uint32_t lane, size_t *line)
{
	for (size_t i = 0; i < self->line_count; i++) {
		if (self->lines[i].lane == lane) {
			*line = i;
			return true;
		}
	}
	return false;
}

/* Select this lane, otherwise one of its track, otherwise the same line. */
static void keep_cursor(struct timeline_pane *self, uint32_t lane, size_t line)
{
	const struct lane *lanes = self->box->timeline->lanes->lane;
	if (timeline_lanes_line_of(self, lane, &self->line))
		return;
	self->event = NO_ROW;
	for (size_t i = 0; i < self->line_count; i++) {
		if (lanes[self->lines[i].lane].track == lanes[lane].track) {
			timeline_select_line(self, i);
			return;
		}
	}
	timeline_select_line(self, line);
}

void timeline_arrange(struct timeline_pane *self)
{
	size_t line = self->line;
	bool before = self->line_count > 0;
	uint32_t lane = before ? self->lines[line].lane : 0;
	mem_replace(self->lines,
		    timeline_lines(self->box->timeline, self->tracks, self->track_count,
				   &self->line_count, &self->fixed));
	if (before)
		keep_cursor(self, lane, line);
}

static struct timeline_track *track_of_lane(struct timeline_pane *self, uint32_t lane)
{
	for_each_mutable (track, self->tracks, self->track_count) {
		if (lane >= track->first && lane - track->first < track->count)
			return track;
	}
	return NULL;
}

void timeline_reveal(struct timeline_pane *self, uint32_t lane)
{
	struct timeline_track *track = track_of_lane(self, lane);
	if (!timeline_lanes_line_of(self, lane, &self->line) && track) {
		track->hidden = false;
		track->fold = self->box->timeline->lanes->lane[lane].kind == LANE_PYTHON
				      ? TIMELINE_ALL
				      : TIMELINE_OPEN;
		timeline_arrange(self);
		timeline_lanes_line_of(self, lane, &self->line);
	}
}

/*
 * ---- persistence: one line per track in order: "shown", "hidden" or "pinned", fold ("folded",
 * "open", "all") and name ----
 */

static const char *const fold_names[] = { "folded", "open", "all" };

static void timeline_lanes_remember(const struct timeline_pane *self, struct tui *tui)
{
	AUTO_BUFFER struct buffer text = { 0 };
	for (size_t i = 0; i < self->track_count; i++) {
		const struct timeline_track *track = &self->tracks[i];
		const char *name = timeline_track_name(self, i);
		if (strpbrk(name, "\n\r") ||
		    text.length + strlen(name) + WORDS_MAX > STATE_VALUE_MAX)
			continue;
		buffer_printf(&text, "%s %s %s\n",
			      track->hidden   ? "hidden"
			      : track->pinned ? "pinned"
					      : "shown",
			      fold_names[track->fold], name);
	}
	state_set(&tui->state, "lanes", buffer_text(&text));
}

/* Parse a line and move its track, if present, to index AT. True: present. */
static bool recall_line(struct timeline_pane *self, size_t at, const char *line, size_t length)
{
	char shown[8], fold[8];
	int used = 0;
	if (sscanf(line, "%7s %7s %n", shown, fold, &used) != 2 || (size_t)used >= length)
		return false;
	for (size_t i = at; i < self->track_count; i++) {
		const char *name = timeline_track_name(self, i);
		if (strlen(name) != length - (size_t)used ||
		    strncmp(name, line + used, length - (size_t)used) != 0)
			continue;
		struct timeline_track track = self->tracks[i];
		track.hidden = !strcmp(shown, "hidden");
		track.pinned = !strcmp(shown, "pinned");
		for (int k = 0; k < 3; k++)
			if (!strcmp(fold, fold_names[k]))
				track.fold = (enum timeline_fold)k;
		memmove(&self->tracks[at + 1], &self->tracks[at], (i - at) * sizeof *self->tracks);
		self->tracks[at] = track;
		return true;
	}
	return false;
}

/* Tracks without saved state go last. */
void timeline_recall(struct timeline_pane *self, const struct tui *tui)
{
	const char *text = state_get(&tui->state, "lanes");
	size_t at = 0;
	while (text && *text) {
		size_t length = strcspn(text, "\n");
		at += recall_line(self, at, text, length);
		text += length + (text[length] == '\n');
	}
	self->opened = at > 0;
}

static void changed(struct timeline_pane *self, struct tui *tui)
{
	timeline_lanes_remember(self, tui);
	timeline_arrange(self);
	timeline_request(self, tui);
}

/* ---- the chooser ---- */

static void chooser_changed(void *context, const struct menu *menu)
{
	struct tui *tui = context;
	struct timeline_pane *self = timeline_pane_of(tui_pane(tui));
	struct timeline_track *tracks = mem_alloc((self->track_count + 1) * sizeof *tracks);
	for (int i = 0; i < menu->count; i++) {
		tracks[i] = *track_of_lane(self, (uint32_t)strtoul(menu->items[i].id, NULL, 10));
		tracks[i].hidden = !menu->items[i].checked;
	}
	mem_free(self->tracks);
	self->tracks = tracks;
	changed(self, tui);
}

static void open_chooser(struct timeline_pane *self, struct tui *tui)
{
	struct menu *menu = &tui->menu;
	menu_open(menu, "Lanes (Space toggles, < > move)", tui);
	menu->of = self;
	menu->checks = true;
	menu->change = chooser_changed;
	for (size_t i = 0; i < self->track_count; i++) {
		const struct timeline_track *track = &self->tracks[i];
		char lane[16];
		snprintf(lane, sizeof lane, "%" PRIu32, track->first);
		struct menu_item *item = menu_add(menu, timeline_track_name(self, i), lane);
		snprintf(item->hint, sizeof item->hint, "%s", track->pinned ? "pinned" : "");
		item->checked = !track->hidden;
	}
}

/* ---- finding ---- */

bool timeline_go_lane(struct timeline_pane *self, struct tui *tui, const char *name,
		      struct error *error)
{
	AUTO_PATTERN struct pattern *pattern = *name ? pattern_new(name, error) : NULL;
	size_t found = self->track_count;
	if (!pattern)
		return *name ? false : error_usage(error, "NAME required: :lane NAME");
	for (size_t i = self->track_count; i-- > 0;) {
		const char *track = timeline_track_name(self, i);
		if (!strcmp(track, name)) {
			found = i;
			break;
		}
		if (pattern_match(pattern, track, strlen(track), NULL, NULL))
			found = i;
	}
	if (found == self->track_count && !pattern_completed(pattern, error))
		return false;
	if (found == self->track_count)
		return error_usage(error, "unknown lane '%s'", name);
	nav_record(tui);
	self->tracks[found].hidden = false;
	timeline_arrange(self);
	for (size_t i = 0; i < self->line_count; i++) {
		if (self->lines[i].track == found) {
			timeline_select_line(self, i);
			break;
		}
	}
	timeline_request(self, tui);
	return true;
}

/* ---- keys ---- */

/* Cycle folded, open, all; states without a visible difference are skipped. */
static void fold_next(struct timeline_pane *self, struct timeline_track *track)
{
	const struct lane *lanes = self->box->timeline->lanes->lane;
	bool python = lanes[track->first + track->count - 1].kind == LANE_PYTHON &&
		      lanes[track->first].kind != LANE_PYTHON;
	track->fold = track->fold == TIMELINE_FOLDED           ? TIMELINE_OPEN
		      : track->fold == TIMELINE_OPEN && python ? TIMELINE_ALL
							       : TIMELINE_FOLDED;
}

bool timeline_lanes_act(struct timeline_pane *self, struct tui *tui, enum action action)
{
	uint32_t index = self->line < self->line_count ? self->lines[self->line].track : NO_ROW;
	struct timeline_track *track = index == NO_ROW ? NULL : &self->tracks[index];
	if (!track && (action == ACTION_FOLD || action == ACTION_PIN || action == ACTION_HIDE)) {
		tui_say(tui, MESSAGE_INFO, "this lane is fixed");
		return true;
	}
	switch (action) {
	case ACTION_FOLD: fold_next(self, track); break;
	case ACTION_FOLD_ALL:
	case ACTION_UNFOLD_ALL:
		for (size_t i = 0; i < self->track_count; i++)
			self->tracks[i].fold =
				action == ACTION_FOLD_ALL ? TIMELINE_FOLDED : TIMELINE_ALL;
		break;
	case ACTION_PIN: track->pinned ^= true; break;
	case ACTION_HIDE:
		while (self->line > 0 && self->lines[self->line - 1].track == index)
			self->line--; /* the lane below takes its line */
		track->hidden = true;
		tui_say(tui, MESSAGE_INFO, "lane hidden (c shows it)");
		break;
	case ACTION_LANES: open_chooser(self, tui); return true;
	default: return false;
	}
	changed(self, tui);
	return true;
}

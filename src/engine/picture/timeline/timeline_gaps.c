/*
 * Idle time on the lane of a device: who owns it, as colour and text.
 */
#include "analysis/advice/own_code.h"
#include "base/error.h"
#include "base/number.h"
#include "model/compile_log.h"
#include "picture/plot/time_parts.h"
#include "picture/timeline/timeline_private.h"
#include "views/source_place.h"

#include <inttypes.h>

bool timeline_select_all(const struct timeline *timeline, const struct scope *scope,
			 struct scope *rows, struct selection *selection,
			 const struct progress *progress, struct error *error)
{
	scope_init(rows);
	MEMBERS(rows, scope, TAKE(rank) TAKE(ranks) TAKE(all_ranks));
	return selection_make(selection, timeline->run, rows, progress, error);
}

bool timeline_find_gaps(struct timeline *timeline, const struct scope *scope,
			const struct progress *progress, struct error *error)
{
	const struct profile *profile = timeline->rank->profile;
	AUTO(selection_free) struct selection selection = { 0 };
	AUTO(scope_clear) struct scope rows = { 0 };
	if (!profile->activities || profile->tables)
		return true;
	bool good = timeline_select_all(timeline, scope, &rows, &selection, progress, error);
	if (good)
		timeline->causes = derived_gaps(&selection, &timeline->own_causes, progress);
	return good && (timeline->causes || error_cancelled(error));
}

bool timeline_examined(const struct timeline *timeline, int64_t *from, int64_t *to)
{
	const struct causes *causes = timeline->causes;
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (size_t i = 0; causes && i < causes->device_count; i++) {
		const struct work_window *window = &causes->devices[i].window;
		if (window->end <= window->start)
			continue;
		*from = window->start < *from ? window->start : *from;
		*to = window->end > *to ? window->end : *to;
	}
	return *from < *to;
}

static const struct gaps *gaps_of_device(const struct timeline *timeline, int32_t device)
{
	const struct device_causes *causes =
		timeline->causes ? causes_of_device(timeline->causes, device) : NULL;
	return causes ? &causes->gaps : NULL;
}

const struct gap *timeline_gap_at(const struct timeline *timeline, int32_t device, int64_t time)
{
	const struct gaps *gaps = gaps_of_device(timeline, device);
	size_t at = gaps ? gaps_from(gaps, time, 0) : 0;
	return gaps && at < gaps->count && gaps->items[at].start <= time ? &gaps->items[at] : NULL;
}

const struct gap *timeline_gap_beyond(const struct timeline *timeline, int32_t device, int64_t time,
				      int64_t least, bool before)
{
	const struct gaps *gaps = gaps_of_device(timeline, device);
	const struct gap *holds = timeline_gap_at(timeline, device, time);
	size_t at = gaps ? gaps_from(gaps, time, 0) - before : SIZE_MAX;
	for (; gaps && at < gaps->count; at += before ? -1ULL : 1) {
		const struct gap *gap = &gaps->items[at];
		if (gap != holds && gap_end(gap) - gap->start >= least)
			return gap;
	}
	return NULL;
}

/* ---- text ---- */

struct cause_share {
	enum time_cause cause;
	int64_t ns;
	uint32_t span; /* of its longest part */
};

/* The owners of a gap, most time first; returns their number. */
static size_t owners_of(const struct gap *gap, struct cause_share shares[TIME_CAUSES])
{
	int64_t longest[TIME_CAUSES] = { 0 };
	size_t count = 0;
	for (int i = 0; i < TIME_CAUSES; i++)
		shares[i] = (struct cause_share){ (enum time_cause)i, 0, NO_ROW };
	for (size_t i = 0; i < gap->parts; i++) {
		const struct gap_part *part = gap_part(gap, i);
		int64_t ns = gap_part_end(gap, i) - gap_part_start(gap, i);
		shares[part->cause].ns += ns;
		if (ns > longest[part->cause]) {
			longest[part->cause] = ns;
			shares[part->cause].span = part->span;
		}
	}
	for (int i = 0; i < TIME_CAUSES; i++) {
		struct cause_share share = shares[i];
		size_t at = share.ns > 0 ? count++ : TIME_CAUSES;
		if (at == TIME_CAUSES)
			continue;
		for (; at > 0 && shares[at - 1].ns < share.ns; at--)
			shares[at] = shares[at - 1];
		shares[at] = share;
	}
	return count;
}

/* "train.py:97", where the program's own code is known around SPAN. */
static void add_code_place(const struct profile *profile, uint32_t span, const char *before,
			   struct buffer *out)
{
	struct code_frame frame = own_frame_of(profile, span);
	struct code_place place;
	if (!frame.length || !code_place_parse(frame.text, frame.length, &place))
		return;
	const char *name = place.file + place.length;
	while (name > place.file && name[-1] != '/' && name[-1] != '\\')
		name--;
	buffer_printf(out, "%s%.*s:%" PRId64, before, (int)(place.file + place.length - name), name,
		      place.line);
}

void timeline_gap_text(const struct timeline *timeline, const struct gap *gap,
		       enum timeline_gap_form form, struct buffer *out)
{
	struct cause_share shares[TIME_CAUSES];
	size_t count = owners_of(gap, shares);
	char text[NUMBER_MAX];
	int64_t length = gap_end(gap) - gap->start;
	number_duration(text, length);
	if (form == TIMELINE_GAP_TIME) {
		buffer_puts(out, text);
		return;
	}
	bool brief = form == TIMELINE_GAP_BRIEF, percent = brief || form == TIMELINE_GAP_PERCENT;
	/* rounded to nothing is not worth a word */
	while (percent && count > 1 && 200 * shares[count - 1].ns < length)
		count--;
	for (size_t i = 0; i < count; i++) {
		buffer_puts(out, i ? ", " : "");
		const struct time_part *part = &time_parts("causes")[shares[i].cause];
		buffer_puts(out,
			    brief ? part->brief ?: part->name : time_cause_name(shares[i].cause));
		if (percent && count > 1)
			buffer_printf(out, " %.0f %%",
				      100.0 * (double)shares[i].ns / (double)length);
		else
			buffer_printf(out, " %s", number_duration(text, shares[i].ns));
	}
	if (form == TIMELINE_GAP_PLACE)
		add_code_place(timeline->rank->profile, shares[0].span, " at ", out);
}

void timeline_gap_work(const struct timeline *timeline, const struct gap *gap, struct buffer *work,
		       struct buffer *place, struct buffer *why)
{
	const struct profile *profile = timeline->rank->profile;
	struct cause_share shares[TIME_CAUSES];
	owners_of(gap, shares);
	uint32_t span = gap_work(timeline->rank->derived, shares[0].span, shares[0].cause);
	if (span != NO_ROW)
		buffer_puts(work, profile_string(profile, profile->span_name[span]));
	add_code_place(profile, shares[0].span, "", place);
	const struct compile_item *item = compile_during(profile, gap->start, gap_end(gap));
	if (item)
		compile_why(profile, item, why);
}

/* ---- drawing ---- */

/* The most telling text that fits in COLUMNS cells from COLUMN on. */
static void draw_text(struct grid *grid, int row, int column, int columns,
		      const struct timeline *timeline, const struct gap *gap)
{
	enum { MARGIN = 1 };
	AUTO_BUFFER struct buffer text = { 0 };
	for (int form = 0; form < TIMELINE_GAP_FORMS; form++) {
		buffer_clear(&text);
		timeline_gap_text(timeline, gap, (enum timeline_gap_form)form, &text);
		int width = grid_width(grid, BUFFERED(&text));
		if (width + 2 * MARGIN > columns)
			continue;
		column += (columns - width) / 2;
		grid_fill(grid, row, column - MARGIN, width + 2 * MARGIN, ROLE_DIM, ' ');
		grid_put(grid, row, column, width, ROLE_DIM, text.data, text.length);
		return;
	}
}

/* The cause at TIME of the gap. */
static enum time_cause cause_at(const struct gap *gap, int64_t time)
{
	size_t count = gap->parts, part = search_first(i, 0, count, gap_part_end(gap, i) > time);
	return (enum time_cause)gap_part(gap, part < count ? part : count - 1)->cause;
}

void timeline_draw_gaps(struct grid *grid, int row, const struct timeline *timeline,
			const struct lane *lane, const struct lane_cell *cells,
			const struct timeline_window *window, bool ascii)
{
	const struct gaps *gaps = gaps_of_device(timeline, lane->device);
	int64_t begin, stop;
	int column = 0;
	bool examined = timeline_examined(timeline, &begin, &stop);
	for (size_t near = 0; gaps && column < window->columns; column++) {
		int64_t from = lane_edge(window->from, window->to, window->columns, column);
		int64_t to = lane_edge(window->from, window->to, window->columns, column + 1);
		near = cells[column].events ? near : gaps_from(gaps, from, near);
		if (examined && !cells[column].events && (to <= begin || from >= stop))
			grid_puts(grid, row, window->column + column, 1, ROLE_DIM,
				  ascii ? " " : "·");
		if (cells[column].events || near == gaps->count)
			continue;
		const struct gap *gap = &gaps->items[near];
		int end = timeline_column(window, gap_end(gap) - 1) - window->column,
		    first = column;
		if (gap->start > from)
			continue;
		for (; column <= end && !cells[column].events; column++) {
			int64_t middle =
				(lane_edge(window->from, window->to, window->columns, column) +
				 lane_edge(window->from, window->to, window->columns, column + 1)) /
				2;
			grid_puts(grid, row, window->column + column, 1,
				  time_parts("causes")[cause_at(gap, middle)].role,
				  ascii ? " " : "┄");
		}
		draw_text(grid, row, window->column + first, column - first, timeline, gap);
		column = column > first ? column - 1 : column;
	}
}

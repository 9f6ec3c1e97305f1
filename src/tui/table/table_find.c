#include "tui/core/pane_job.h"
#include "tui/table/table_pane.h"

#include <math.h>

/* "3 of 142 matches 'fix' (12.4 % of GPU time)" */
static void announce(const struct table_pane *self, struct tui *tui, size_t hit,
		     const char *wrapped)
{
	AUTO_BUFFER struct buffer share = { 0 };
	if (!isnan(self->hit_share))
		buffer_printf(&share, " (%.1f %% of %s)", self->hit_share, self->hit_share_of);
	tui_say(tui, MESSAGE_INFO, "%zu of %zu matches '%s'%s%s", hit + 1, self->hit_count,
		tui->search.text, buffer_text(&share), wrapped);
}

/* Go to match HIT; past the end, to the first. */
static void go_to_hit(struct table_pane *self, struct tui *tui, size_t hit, const char *wrapped)
{
	if (self->hit_count == 0) {
		tui_say(tui, MESSAGE_WARNING, "no match for '%s'", tui->search.text);
		return;
	}
	table_select_position(self, self->hits[hit]);
	announce(self, tui, hit, wrapped);
}

/* First match from POSITION in DIRECTION, wrapping around. */
static void go_from(struct table_pane *self, struct tui *tui, size_t position, int direction)
{
	const char *wrapped = "";
	size_t hit = search_first(i, 0, self->hit_count, self->hits[i] >= position);
	if (direction > 0 && hit == self->hit_count) {
		hit = 0;
		wrapped = position > 0 && self->hit_count > 0 ? ", wrapped to the top" : "";
	} else if (direction < 0) {
		if (hit == 0) {
			hit = self->hit_count;
			wrapped = ", wrapped to the bottom";
		}
		hit -= hit > 0;
	}
	go_to_hit(self, tui, hit, wrapped);
}

void table_find_arrived(struct table_pane *self, struct tui *tui)
{
	int direction = self->pane.seek;
	if (!direction || self->hits_serial != tui->search.serial)
		return;
	self->pane.seek = 0;
	go_from(self, tui, self->seek_from, direction);
}

/* This many rows are searched synchronously; the worker searches the rest. */
enum { LOOK_AHEAD = 2000 };

static void look_ahead(struct table_pane *self, struct tui *tui, size_t position)
{
	int columns[VIEW_COLUMNS_MAX], count = 0;
	for (int i = 0; i < self->column_count && count < VIEW_COLUMNS_MAX; i++)
		columns[count++] = self->columns[i].index;
	for (size_t i = position; i < self->order->count && i < position + LOOK_AHEAD; i++) {
		if (table_row_matches(self->box->table, self->order->rows[i], columns,
				      (size_t)count, tui->search.pattern)) {
			table_select_position(self, i);
			self->seek_from = i;
			return;
		}
	}
}

static void seek(struct table_pane *self, struct tui *tui, size_t position, int direction)
{
	self->pane.seek = direction;
	self->seek_from = position;
	if (!self->box)
		return; /* its arrival goes on */
	if (self->hits_serial == tui->search.serial) {
		table_find_arrived(self, tui);
		return;
	}
	if (!self->pane.job && direction > 0)
		look_ahead(self, tui, position);
	if (!pane_job_searches(&self->pane, tui))
		table_request(self, tui, TABLE_HITS);
}

void table_find_from(struct table_pane *self, struct tui *tui, size_t position)
{
	seek(self, tui, position, 1);
}

void table_find_move(struct table_pane *self, struct tui *tui, int direction)
{
	if (self->box && self->line_count == 0)
		return;
	size_t position = self->box ? table_line_position(self, self->cursor) : 0;
	seek(self, tui, direction > 0 ? position + 1 : position, direction);
}

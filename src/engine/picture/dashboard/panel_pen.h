/*
 * Where the lines of a panel are drawn: its row, its room and the cursor.
 */
#pragma once

#include "picture/dashboard/dashboard.h"

struct pen {
	const struct dashboard *dashboard;
	size_t index;
	const struct panel *panel;
	struct grid *grid;
	struct dashboard_rect rect;
	struct dashboard_stops *stops;
	bool framed;
	int thick;               /* rows of a stacked bar */
	int row;                 /* of the next line */
	int label, value, extra; /* columns of the widest one of the lines */
};

/* Is the cursor in this panel? */
bool pen_has_cursor(const struct pen *pen);

/* The first line to draw where ROWS of them have room. */
size_t pen_first_shown(const struct pen *pen, size_t rows);

bool pen_has_rows_left(const struct pen *pen);

/* Line LINE is drawn in the current row. */
void pen_stop_here(struct pen *pen, size_t line);

/* Text from its begin; returns the columns used. */
int pen_put(struct pen *pen, int column, int columns, int role, const char *text);

/* Text at the right end of a field; elided at its end if too long. */
void pen_put_right(struct pen *pen, int column, int columns, int role, const char *text);

/* A sentence: the end is cut, with a mark. */
void pen_put_sentence(struct pen *pen, int column, int columns, int role, const char *text);

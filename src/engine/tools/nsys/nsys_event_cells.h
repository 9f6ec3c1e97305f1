/*
 * Cells of tables with a row per event; private to nsys_events.c.
 */
#pragma once

#include "table/view.h"
#include "tools/nsys/nsys_ranges.h"

/* A row: a call, GPU work, or a kernel with its call and perhaps a range around it. */
struct nsys_event {
	int64_t start;
	uint32_t activity, call, range; /* NO_ROW: none */
	uint32_t order;                 /* of equal starts */
};

struct nsys_events {
	const struct profile *profile;
	GROWING(struct nsys_event, event, count);
	size_t cell[VIEW_COLUMNS_MAX]; /* by column: nsys_event_column */
	struct nsys_ranges ranges;
	struct value *devices;        /* by track: "NVIDIA A100 (0)" */
	struct value *grids, *blocks; /* by launch configuration */
	struct value *sources,
		*targets; /* by name: memory kinds of copies and sets; filled for them */
};

/* What computes the column with this id, and a cell of it. */
size_t nsys_event_column(const char *id);
struct value nsys_event_cell(const struct nsys_events *events, const struct nsys_event *event,
			     size_t column);

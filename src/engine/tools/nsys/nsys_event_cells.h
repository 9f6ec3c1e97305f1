/*
 * Cells of tables with a row per event; private to nsys_events.c.
 */
#ifndef STRATA_TOOLS_NSYS_EVENT_CELLS_H
#define STRATA_TOOLS_NSYS_EVENT_CELLS_H

#include "table/view.h"
#include "tools/nsys/nsys_ranges.h"

/* A row: a call, GPU work, or a kernel with its call and perhaps a range around it. */
struct nsys_event {
	int64_t start;
	uint32_t activity, call, range; /* NO_ROW: none */
	uint32_t order;                 /* of equal starts */
};

struct nsys_events;
typedef struct value nsys_event_cell(const struct nsys_events *events,
				     const struct profile *profile, const struct nsys_event *event);

struct nsys_events {
	const struct profile *profile;
	struct nsys_event *event;
	size_t count, capacity;
	nsys_event_cell *cell[VIEW_COLUMNS_MAX]; /* by column */
	struct nsys_ranges ranges;
	struct value *devices;        /* by track: "NVIDIA A100 (0)" */
	struct value *grids, *blocks; /* by launch configuration */
	struct value *sources,
		*targets; /* by name: memory kinds of copies and sets; filled for them */
};

/* What computes a column of events. */
nsys_event_cell *nsys_event_cell_of(const char *column);

#endif

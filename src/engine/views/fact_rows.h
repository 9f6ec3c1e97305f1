/*
 * Rows of the fact views (overview, info): section, metric, value, unit.
 */
#ifndef STRATA_VIEWS_FACT_ROWS_H
#define STRATA_VIEWS_FACT_ROWS_H

#include "table/view.h"

/* A missing value adds no row. SECTION, METRIC and UNIT must outlive the table. */
void fact_add(struct table *table, const char *section, const char *metric, struct value value,
	      const char *unit);

/* The same, with a row whose value is blank when it is missing: it could be expected. */
void fact_add_blank(struct table *table, const char *section, const char *metric,
		    struct value value, const char *unit);

/* The same with a drill target ABOUT. */
void fact_add_about(struct table *table, const char *section, const char *metric,
		    struct value value, const char *unit, struct ref about);

/* What the steps are from, if there are any (facts/step_source.h). */
void fact_add_steps_from(struct table *table, const char *section, const struct facts *facts);

/* Links of a profile and their coverage, under SECTION. False when cancelled. */
struct selection;
bool fact_add_links(struct table *table, const char *section, const struct selection *selection,
		    const struct progress *progress);

/* The analysis window, and what comes before and after it. False when cancelled. */
bool fact_add_window(struct table *table, const char *section, const struct selection *selection,
		     const struct progress *progress);

/* Exposed communication and idle time over several devices: worst, median and mean. */
struct causes;
void fact_add_spread(struct table *table, const char *section, const struct causes *causes);

/* The devices of a memory snapshot: peak, failed requests, what is reserved and free. */
struct snapshot;
void fact_add_snapshot(struct table *table, const struct snapshot *snapshot);

#endif

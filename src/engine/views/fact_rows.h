/*
 * Rows of views that list facts (overview, info): section, metric, value, unit.
 */
#ifndef STRATA_VIEWS_FACT_ROWS_H
#define STRATA_VIEWS_FACT_ROWS_H

#include "table/view.h"

/* Missing values add no row.  SECTION, METRIC and UNIT must outlive the table. */
void fact_add(struct table *table, const char *section, const char *metric, struct value value,
	      const char *unit);

/* The same for a fact about something one can go to. */
void fact_add_about(struct table *table, const char *section, const char *metric,
		    struct value value, const char *unit, struct ref about);

/* The links of a profile and how complete they are, under SECTION.  False when cancelled. */
struct selection;
bool fact_add_links(struct table *table, const char *section, const struct selection *selection,
		    const struct progress *progress);

#endif

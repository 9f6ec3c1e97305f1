/*
 * Rows of the fact views (overview, info): section, metric, value, unit.
 */
#pragma once

#include "table/view.h"

/* A missing value adds no row. SECTION, METRIC and UNIT must outlive the table. */
void fact_add(struct table *table, const char *section, const char *metric, struct value value,
	      const char *unit);

/* The same, with a row whose value is blank when it is missing: it could be expected. */
void fact_add_blank(struct table *table, const char *section, const char *metric,
		    struct value value, const char *unit);

/* "device 0"; "device TPU0" if the profile has devices of several kinds. Belongs to TABLE. */
const char *fact_device_section(struct table *table, const struct profile *profile, int32_t id);

/* The same with a drill target ABOUT. */
void fact_add_about(struct table *table, const char *section, const char *metric,
		    struct value value, const char *unit, struct ref about);

/* What the steps are from, if there are any (derived/step_source.h). */
void fact_add_steps_from(struct table *table, const char *section, const struct derived *derived);

/* How many activities in scope, and how much of their time, is linked to what. */
struct link_coverage {
	int64_t launched, total, launched_ns, total_ns; /* activities whose launch was recorded */
	int64_t owned, owned_ns;                        /* of these, in an operator */
	int64_t in_layer_ns;                            /* of these, in a layer */
	int64_t inferred_ns;                            /* of these, attributed by an eager run */
	int64_t replayed_ns;                            /* of these, kernels of a graph launch */
	int64_t early;                                  /* of these, that start before their call */
	/* of all, inferred from a capture of the graph, and from another rank */
	struct inferred {
		int64_t operator_ns, shapes_ns, layer_ns, line_ns;
	} capture, rank;
};

struct link_facts {
	struct link_coverage coverage;
	struct link_counts counts;
};

/* Links of a profile and their coverage. False when cancelled. */
bool link_facts_count(const struct selection *selection, struct link_facts *facts,
		      const struct progress *progress);
/* Their rows, under SECTION. */
void fact_add_links(struct table *table, const char *section, const struct selection *selection,
		    const struct link_facts *facts);

/* The analysis window, and what comes before and after it. False when cancelled. */
bool fact_add_window(struct table *table, const char *section, const struct selection *selection,
		     const struct progress *progress);

/* Exposed communication and idle time over several devices: worst, median and mean. */
struct causes;
void fact_add_spread(struct table *table, const char *section, const struct causes *causes);

/* The devices of a memory snapshot: peak, failed requests, what is reserved and free. */
void fact_add_snapshot(struct table *table, const struct snapshot *snapshot);

/* Fill the column fact: the title of the metric's column, or the metric in title case. */
void overview_say_in_words(struct table *table);

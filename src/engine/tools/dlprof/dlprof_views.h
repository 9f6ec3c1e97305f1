/*
 * The views of DLProf's reports and their helpers.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_VIEWS_H
#define STRATA_TOOLS_DLPROF_DLPROF_VIEWS_H

#include "tools/dlprof/dlprof_aggregate.h"
#include "model/tool.h"
#include "report/format.h"
#include "views/views.h"

extern const struct view view_dlprof_summary, view_dlprof_detailed, view_dlprof_iteration,
	view_dlprof_kernel, view_dlprof_tensor_core, view_dlprof_op_type, view_dlprof_group_op,
	view_dlprof_expert_systems, view_dlprof_aggregations;

extern const struct column dlprof_columns[];

/* Visit the advice of the most recent aggregation; `advice` of its tool. */
void dlprof_visit_advice(const struct profile *profile, stored_advice_visitor *visit,
			 void *context);

/*
 * Add the findings of strata that DLProf has a detector for, under its name; false when cancelled.
 */
bool dlprof_add_counterparts(struct table *table, const struct view_query *query);

format_writer dlprof_print, dlprof_print_summary, dlprof_print_json, dlprof_print_summary_json;

/* True if the profile is from PyTorch, whose ops have directions and stacks. */
bool dlprof_is_pytorch(const struct table *table);

/* ---- for the view files ---- */

struct dlprof_results {
	struct table *table;
	const struct intern *strings;
	const struct dlprof *dlprof;
	const struct dlprof_aggregation *aggregation; /* stored aggregation, or */
	struct dlprof_aggregation own;                /* the computed one */
	const struct view_query *query;
	bool derived;                    /* derived: its texts do not outlive the build */
	struct hash *spans, *activities; /* rows of the profile by time */
	const struct progress *progress;
	bool cancelled;
};

/*
 * Build function of all reports. The scope's steps are iterations; the group "key=NAME" sets the
 * key node, "aggregation=N" selects a stored aggregation, from 1. For profiles of other tools
 * DLProf's data is derived.
 */
bool dlprof_build(struct table *table, const struct view_query *query);

void dlprof_fill_summary(struct dlprof_results *results);
void dlprof_fill_detailed(struct dlprof_results *results);
void dlprof_fill_iteration(struct dlprof_results *results);
void dlprof_fill_kernel(struct dlprof_results *results);
void dlprof_fill_tensor_core(struct dlprof_results *results);
void dlprof_fill_op_type(struct dlprof_results *results);
void dlprof_fill_group_op(struct dlprof_results *results);
void dlprof_fill_expert_systems(struct dlprof_results *results);

/* Cell with a text of the results' strings, and with an interned one; "" is not missing. */
struct value dlprof_bytes(const struct dlprof_results *results, const char *text, size_t length);
struct value dlprof_text(const struct dlprof_results *results, uint32_t id);

/* The 16 time columns: CPU, GPU, overhead, idle; each total, mean, min and max. */
#define DLPROF_TIME_COLUMNS                                                                        \
	"cpu_total_ns,cpu_avg_ns,cpu_min_ns,cpu_max_ns,gpu_total_ns,gpu_avg_ns,gpu_min_ns,"        \
	"gpu_max_ns,overhead_total_ns,overhead_avg_ns,overhead_min_ns,overhead_max_ns,"            \
	"idle_total_ns,idle_avg_ns,idle_min_ns,idle_max_ns"
void dlprof_set_times(struct table *table, size_t row, const struct dlprof_times *times);

/* dlprof_events.c: rows of the profile that the results stand for. False when cancelled. */
bool dlprof_find_events(struct dlprof_results *results);
void dlprof_forget_events(struct dlprof_results *results);
/* The execution of an op (index of an instance); the GPU event of a call. */
struct ref dlprof_op_ref(const struct dlprof_results *results, size_t instance);
struct ref dlprof_call_ref(const struct dlprof_results *results, const struct dlprof_call *call);
/* By op: index of its first instance; SIZE_MAX: none. The caller frees the array. */
size_t *dlprof_first_instances(const struct dlprof *dlprof);

/* Set id, name and direction of an op. */
void dlprof_set_op(const struct dlprof_results *results, size_t row, const struct dlprof_op *op);

/* JSON shapes labelled with the letters of their format: "<N:32, C:3>; <6>". */
struct value dlprof_shapes(const struct dlprof_results *results, uint32_t format, uint32_t json);

#endif

/*
 * The views of DLProf's reports and their helpers.
 */
#pragma once

#include "tools/dlprof/dlprof_aggregate.h"
#include "model/tool.h"
#include "report/format.h"
#include "views/views.h"

struct dlprof_results;

/* A column as DLProf prints it; the view has the columns in the same order. */
struct dlprof_field {
	const char *title;
	int print;
};
enum { DLPROF_FIELDS_MAX = 32 };

/* A report of DLProf. */
struct dlprof_report {
	struct view view; /* first: dlprof_build and dlprof_print are given the view */
	const char *title;
	struct dlprof_field fields[DLPROF_FIELDS_MAX]; /* none: blocks of lines, as the summary */
	void (*fill)(struct dlprof_results *results);
};

#define DLPROF_DECLARED(id, ...)                                                                   \
	extern const struct dlprof_report dlprof_##id;                                             \
	void dlprof_fill_##id(struct dlprof_results *results);
DLPROF_REPORT_ROWS(DLPROF_DECLARED)

extern const struct view view_dlprof_aggregations;
view_builder build_dlprof_aggregations;

/* Visit the advice of the most recent aggregation; `advice` of its tool. */
void dlprof_visit_advice(const struct profile *profile, stored_advice_visitor *visit,
			 void *context);

/*
 * Add the findings of strata that DLProf has a detector for, under its name; false when cancelled.
 */
bool dlprof_add_counterparts(struct table *table, const struct view_query *query);

format_writer dlprof_print, dlprof_print_json;

/* True if the profile is from PyTorch, whose ops have directions and stacks. */
bool dlprof_is_pytorch(const struct table *table);

/* ---- for the view files ---- */

struct dlprof_results {
	struct table *table;
	const struct intern *strings;
	const struct dlprof *dlprof;
	const struct dlprof_aggregation *stored; /* whose range, shares and advice; NULL: none */
	struct dlprof_aggregation sums;
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

/* Cell with a text of the results' strings, and with an interned one; "" is not missing. */
struct value dlprof_bytes(const struct dlprof_results *results, const char *text, size_t length);
struct value dlprof_text(const struct dlprof_results *results, uint32_t id);

/* dlprof_events.c: rows of the profile that the results stand for. False when cancelled. */
bool dlprof_find_events(struct dlprof_results *results);
void dlprof_forget_events(struct dlprof_results *results);
/* The execution of an op (index of an instance); the GPU event of a call. */
struct ref dlprof_op_ref(const struct dlprof_results *results, size_t instance);
struct ref dlprof_call_ref(const struct dlprof_results *results, const struct dlprof_call *call);
/* By op: index of its first instance; SIZE_MAX: none. The caller frees the array. */
size_t *dlprof_first_instances(const struct dlprof *dlprof);

/* JSON shapes labelled with the letters of their format: "<N:32, C:3>; <6>". */
struct value dlprof_shapes(const struct dlprof_results *results, uint32_t format, uint32_t json);

/*
 * Columns of a report: a macro applies another one to the id, the title that DLProf prints, how it
 * prints the values, and the value in a row, of a struct dlprof_results RESULTS and what else the
 * macro names.
 */
enum dlprof_notation { PLAIN, QUOTED = 1, PYTORCH = 2, OTHERS = 4, HIDDEN = 8 };

#define DLPROF_SET(id, title, print, value) table_set_at(results->table, row, column++, value);
#define DLPROF_LISTED(id, title, print, value) "," #id
#define DLPROF_FIELD(id, title, print, value) { title, print },

#define DLPROF_METRIC_COLUMNS(_, id, word, time, metric)                                           \
	_(id##_total_ns, "Total " time " (ns)", PLAIN, value_int((metric).sum))                    \
	_(id##_avg_ns, word " " time " (ns)", PLAIN, value_real(moments_mean(&(metric))))          \
	_(id##_min_ns, "Min " time " (ns)", PLAIN, value_int((metric).min))                        \
	_(id##_max_ns, "Max " time " (ns)", PLAIN, value_int((metric).max))

#define DLPROF_TIME_COLUMNS(_, times)                                                              \
	DLPROF_METRIC_COLUMNS(_, cpu, "Avg.", "CPU Time", (times).of[DLPROF_CPU])                  \
	DLPROF_METRIC_COLUMNS(_, gpu, "Avg.", "GPU Time", (times).of[DLPROF_GPU])                  \
	DLPROF_METRIC_COLUMNS(_, overhead, "Avg.", "CPU Overhead", (times).of[DLPROF_OVERHEAD])    \
	DLPROF_METRIC_COLUMNS(_, idle, "Avg.", "GPU Idle", (times).of[DLPROF_IDLE])

/*
 * The reports of nsys stats (nsys_reports.txt), which are the views of the nsys presets.
 *
 * As in nsys stats, the sums are queries. They read tables (nsys_tables) of which most are traces,
 * too; ranges are nested, and kernels are joined with their calls and ranges, in C.
 */
#pragma once

#include "report/preset.h"

struct nsys_report {
	struct view view; /* first: a table's view is its report */
	const char *heading;
	/* Titles of the view's columns, separated by commas; columns without one are not printed.
	 */
	const char *titles;
	const char *empty; /* note of a table without rows */
	/* The view's columns and the column id of one event of the row, or NULL; for sums. */
	const char *sql;
};

static inline const struct nsys_report *nsys_report_of(const struct table *table)
{
	return (const struct nsys_report *)table->view;
}

/* nsys_reports.c: sums */
extern const struct nsys_report nsys_report_kernels, nsys_report_shapes, nsys_report_calls,
	nsys_report_ranges, nsys_report_pushed, nsys_report_started, nsys_report_work,
	nsys_report_work_and_calls, nsys_report_copy_times, nsys_report_copy_sizes,
	nsys_report_system_calls, nsys_report_openmp, nsys_report_openacc, nsys_report_messages,
	nsys_report_launches, nsys_report_range_kernels, nsys_report_projection,
	nsys_report_migrations, nsys_report_migration_totals, nsys_report_faults;
/* nsys_events.c: one row per event */
extern const struct nsys_report nsys_report_call_events, nsys_report_work_events,
	nsys_report_launch_events, nsys_report_message_events;
/* nsys_range_events.c: one row per range */
extern const struct nsys_report nsys_report_pushed_events, nsys_report_projection_events;

/*
 * What the queries read. Column id is the event of a row as nsys_event_id encodes it; seq, where
 * there is one, numbers names in the order of the file, which sorts rows with equal sums.
 */
/* nsys_events.c: host events, GPU work, kernels with their calls, kernels with ranges around */
extern const struct view nsys_table_spans, nsys_table_work, nsys_table_launched,
	nsys_table_range_kernels;
/* nsys_range_events.c: all ranges, and those that launched GPU work */
extern const struct view nsys_table_ranges, nsys_table_projected;

/* What builds them, as nsys_reports.txt says. */
view_builder nsys_build_sums, nsys_build_events, nsys_build_ranges, nsys_build_projected;

/* All reports, and their presets; they end in NULL and an empty one. */
extern const struct view *const nsys_report_views[];
extern const struct preset nsys_presets[];

static inline struct value nsys_event_id(enum ref_kind kind, uint32_t row)
{
	return value_int((int64_t)kind << 32 | row);
}

format_writer nsys_print, nsys_print_csv, nsys_print_json;
#define NSYS_FORMS                                                                                 \
	{                                                                                          \
		{ "table", "txt", true, nsys_print }, { "csv", "csv", true, nsys_print_csv },      \
		{                                                                                  \
			"json", "json", true, nsys_print_json                                      \
		}                                                                                  \
	}

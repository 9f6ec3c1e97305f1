/*
 * Presets: the reports of other tools, column for column.  A preset is data: a view whose rows
 * follow the tool's rules, the tool's own names of what to sort by, how many rows it prints, and
 * the form it prints them in.  Every other form (CSV, JSON…) is strata's, with the view's column
 * ids.
 */
#ifndef STRATA_REPORT_PRESET_H
#define STRATA_REPORT_PRESET_H

#include "report/format.h"

struct preset_key {
	const char *name; /* as the tool calls it, "cpu_time_total" */
	const char *sort; /* as strata does, "cpu_total_ns:desc" */
};

enum { PRESET_FORMS_MAX = 3 };

struct preset {
	const char *name;    /* "key-averages" */
	const char *summary; /* one sentence for help */
	const struct view *view;
	struct format forms[PRESET_FORMS_MAX]; /* the tool's own, the first its usual one; every
						  column is there to take from */
	const struct preset_key *keys;         /* up to one without a name; NULL: none */
	size_t limit;                          /* rows of the tool's form when none is asked for */
	struct format csv;  /* what --csv means to the tool; no writer: nothing */
	bool takes_columns; /* -c and -w mean to the tool what they mean to its form */
};

/* The options that tools share; all zero when none was given. */
struct preset_options {
	const char *sort_by; /* a key, as the tool calls it */
	bool limited;
	size_t limit; /* SIZE_MAX: all rows */
	bool by_shape;
	const char *key_node; /* the op that tells iterations apart */
	bool csv;             /* the tool's own CSV */
	const char *by_stack; /* entries of the call stack to group by, a number */
};

const struct preset *preset_find(const char *name); /* NULL when there is none */
const struct preset *preset_at(size_t index);       /* NULL past the end */

/* Was any of the options given?  They mean nothing to a view. */
bool preset_options_given(const struct preset_options *options);

/* The sort list for what the tool calls KEY; NULL with ERROR_USAGE. */
const char *preset_sort(const struct preset *preset, const char *key, struct error *error);

/* The grouping that the options ask for, appended to OUT; nothing: the view's default. */
void preset_group(const struct preset_options *options, struct buffer *out);

/* The tool's own form that FORMAT asks for (the default asks for the usual one), or NULL. */
const struct format *preset_form(const struct preset *preset, const struct format *format);

format_writer preset_write_key_averages, preset_write_dlprof, preset_write_dlprof_summary,
	preset_write_pyprof, preset_write_pyprof_csv, preset_write_nsys, preset_write_nsys_csv,
	preset_write_nsys_json, preset_write_pstats, preset_write_lprof, preset_write_mprof;

#endif

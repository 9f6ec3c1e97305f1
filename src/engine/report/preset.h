/*
 * Presets: reports that reproduce those of other tools, as each tool lists them (model/tool.h). A
 * preset is data: a view with the tool's rows, row limit and text format; sort_keys.txt has its
 * sort keys. All other formats (CSV, JSON…) are strata's, with the view's column ids.
 */
#pragma once

#include "report/format.h"

struct preset_key {
	const char *preset;
	const char *name; /* the tool's name, "cpu_time_total" */
	const char *sort; /* strata's sort list, "cpu_total_ns:desc" */
};

enum { PRESET_FORMS_MAX = 3 };

struct preset {
	const char *name;    /* "key-averages" */
	const char *summary; /* one sentence for help */
	const struct view *view;
	struct format forms[PRESET_FORMS_MAX]; /* the tool's own formats, the default first; all
						  columns are available to them */
	size_t limit;                          /* default row limit of the tool's format */
	struct format csv;                     /* the tool's --csv format; without writer: none */
	const char *csv_group;                 /* grouping of the view for it; NULL: the default */
	bool takes_columns;                    /* -c and -w apply to the tool's format */
};

/* Options shared by the tools; all zero: none given. */
struct preset_options {
	const char *sort_by; /* sort key in the tool's terms */
	bool limited;
	size_t limit; /* SIZE_MAX: all rows */
	bool by_shape;
	const char *key_node; /* op used as step boundary */
	bool csv;             /* the tool's own CSV */
	const char *by_stack; /* stack depth to group by, a number */
	double unit_s;        /* of a line profile; 0: the default */
	bool skip_zero;       /* leave out functions without a call */
};

const struct preset *preset_find(const char *name); /* '-' and '_' are equivalent; or NULL */
const struct preset *preset_at(size_t index);       /* NULL past the end */

/* True if any of the options was given; views do not accept them. */
bool preset_options_given(const struct preset_options *options);

/* The key after AT (NULL: the first); NULL past the last. */
const struct preset_key *preset_next_key(const struct preset *preset, const struct preset_key *at);

/* Sort list for a key of the tool; NULL with ERROR_USAGE. */
const char *preset_sort(const struct preset *preset, const char *key, struct error *error);

/* Append the requested grouping to OUT; nothing: the view's default. */
void preset_group(const struct preset_options *options, struct buffer *out);

/* The tool's own format for FORMAT (default: the tool's first), or NULL. */
const struct format *preset_form(const struct preset *preset, const struct format *format);

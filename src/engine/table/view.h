/*
 * Views: pure functions from run and scope to a table, and their registry. struct view has
 * everything a front end (pane, report, SQL) needs to offer a view.
 */
#pragma once

#include "table/table.h"

enum { VIEW_COLUMNS_MAX = 48, VIEW_GROUPS_MAX = 12 };

/* Arguments of a view. view_build applies the scope's filter. */
struct view_query {
	const struct run *run;
	const struct scope *scope;
	const struct selection *selection; /* of the scope's rank; see no_selection */
	const char *group;                 /* one of the view's groups; NULL: default */
	const struct progress *progress;
	struct error *error;
};

/* Fill TABLE. False with the query's error. */
typedef bool view_builder(struct table *table, const struct view_query *query);

/* Parts of a scope that a view may be unable to follow. */
enum {
	WIDE_STEPS = 1,
	WIDE_TIME = 2,
	WIDE_LANES = 4, /* devices, streams and threads */
	WIDE_ROWS = 8,  /* a layer, operator, kernel or call */
};

/* The views themselves are in views.txt, those of the tools in their folders. */
struct view {
	const char *name;            /* "operators", "memory-events" */
	const char *aliases;         /* other names, separated by blanks; NULL */
	const char *title;           /* "Operators" */
	const char *area;            /* one of view_area_at; NULL: "evidence" */
	const char *row;             /* what a row is, "an operator" */
	const char *summary;         /* one sentence for help and manual */
	const char *columns;         /* column ids, comma-separated, in the manual's order */
	const char *default_columns; /* initially shown */
	const char *default_sort;    /* "gpu_self_ns:desc"; NULL: the order of rows */
	const char *bar; /* column shown as bars if not sorted by one; NULL: the first time */
	const char *groups[VIEW_GROUPS_MAX]; /* grouping names, default first; may be empty */
	const char *folded; /* grouping with repeats folded, in which the explorer begins; NULL */
	char key;           /* digit of the explorer's tab line, or 0 */

	bool cards;           /* findings: the explorer shows rows as cards, not as a table */
	bool rows_apart;      /* rows are disjoint: their durations add up */
	bool no_selection;    /* uses all ranks, two runs, or interprets the scope itself */
	bool all_ranks;       /* compares ranks: a scope of one rank needs the others, too */
	bool by_rank;         /* lists column rank: a scope of several ranks shows rows of each */
	bool by_phase;        /* lists column phase: grouping phase shows rows of each */
	bool from_summaries;  /* uses no events of a rank that is a summary (model/summary_tables.h)
			       */
	bool keeps_selection; /* computed cells use table->selection, but not its scope */
	unsigned wide;        /* WIDE_…: its rows are not narrowed to these; a note says so */

	view_builder *build;
};

/* What views are about, in the order in which lists of views show them; NULL past the end. */
const char *view_area_at(size_t index);
bool view_is_of(const struct view *view, const char *area);

/*
 * True if GROUP (NULL: default) is one of the view's groupings. A listed name ending in "=" matches
 * bare or with a value: "stack=" is "stack" or "stack=5".
 */
bool view_has_group(const struct view *view, const char *group);

/* The index of GROUP in the groupings of VIEW; 0 of NULL, and of one that it does not have. */
int view_grouping(const struct view *view, const char *group);

/* The default order; "": the order of rows. */
const char *view_default_sort(const struct view *view);

/* The grouping in which the explorer opens VIEW; NULL: it has none. */
const char *view_first_group(const struct view *view);

/* In the manual's order; NULL past the end. */
const struct view *view_at(size_t index);
/* The same, followed by the views of the tools' reports, which are found by name only. */
const struct view *view_or_report_at(size_t index);
uint32_t view_number(const struct view *view); /* index among views and reports */
/* Are names of views, tables or presets equal? '-' and '_' are equivalent. */
bool view_same_name(const char *a, const char *b);
const struct view *view_find(const char *name);                /* view or report; NULL if unknown */
bool view_has_name(const struct view *view, const char *name); /* or alias */
/* Closest view name to a mistyped or shortened one, for DID_YOU_MEAN; NULL: none is close. */
const char *view_nearest(const char *name);

/*
 * Build the table; the caller frees it. NULL with ERROR: unknown GROUP (ERROR_USAGE), unknown
 * --under path, cancelled, out of memory. If the profile lacks the data, the table is empty and its
 * note says how to record it.
 */
struct table *view_build(const struct view *view, const struct run *run, const struct scope *scope,
			 const char *group, const struct progress *progress, struct error *error);

/* Does the profile lack what a column is computed from? */
enum lacking {
	LACKS_NOTHING,
	LACKS_PART, /* 0 would be no value */
	LACKS_ALL,  /* nor would another number */
};
enum lacking table_lacks(struct table *table, const char *column);

/*
 * How to record the data of a column that is blank in all rows because the profile lacks it;
 * otherwise NULL.
 */
const char *table_column_how(const struct table *table, size_t column);

/* The same of one rank, even if SCOPE asks for all: the chosen one, or the first. */
struct table *view_build_one(const struct view *view, const struct run *run,
			     const struct scope *scope, const char *group,
			     const struct progress *progress, struct error *error);

/*
 * Drill down: the next finer view, and the scope narrowed to the row. NEXT_SCOPE is initialized
 * here; the caller clears it if true is returned. False if there is nothing finer.
 */
bool view_drill(const struct run *run, struct ref ref, const struct scope *scope,
		const struct view **next, struct scope *next_scope);

/* A link from a row, one of several perhaps. */
struct view_link {
	struct ref from;
	const struct view *in; /* shows the row; NULL: unknown */
	/*
	 * To what follows from the row: launch → kernel, forward → backward operator, operator →
	 * its kernels, gap → the work after it, finding → its subject, collective → the next rank;
	 * else to what it comes from.
	 */
	bool forward;
	size_t nth;   /* which one, modulo their number */
	size_t count; /* their number */
	struct ref target;
	int rank;                /* of the target */
	const struct view *view; /* shows the target */
	char what[160];          /* names the link, "launched by cudaLaunchKernel, queued 12 us" */
	const char *why;         /* there is none; static */
};

/* Find the target. False if there is none or canceled. May be linear in the profile's rows. */
bool view_follow(const struct run *run, const struct scope *scope, struct view_link *link,
		 const struct progress *progress);
/*
 * What a row of IN (NULL: unknown) is likely to lead to, "Backward"; NULL: nothing. At once, for
 * hints: a rank that is not in memory has no links.
 */
const char *view_link_name(const struct run *run, const struct scope *scope, struct ref ref,
			   const struct view *in, bool forward);

/* Position of a row on the timeline. */
struct location {
	struct ref event; /* REF_CALL (any span), REF_LAUNCH, REF_STEP, REF_TRACK; REF_NONE: a time
			     range */
	int64_t from, to; /* ns; for a lane its full extent */
};

/*
 * Position of a row; of a row that stands for many events (kernel, operator, layer), the longest
 * one in SCOPE. False if the row has no time, or when cancelled.
 */
bool view_locate(const struct run *run, const struct scope *scope, struct ref ref,
		 struct location *location, const struct progress *progress);

/*
 * What is a step boundary candidate for this row, as accepted by load_options.key_node: the name of
 * the range that the row is, or the id of the op executed by the row or enclosing its first
 * execution. False if there is none, or when cancelled.
 */
bool view_key_node(const struct run *run, const struct scope *scope, struct ref ref,
		   struct buffer *id, const struct progress *progress);

/*
 * Append full details of a row as "label<TAB>text" lines (not escaped): names, shapes, types,
 * stack, launch parameters, layer, linked rows, attributes. Without a text: most rows of the kind
 * have it, this one does not.
 */
void view_detail(const struct run *run, const struct scope *scope, struct ref ref,
		 struct buffer *out);

/* The scope as breadcrumb: "run > ResNet > layer3 > step 3..5" (not escaped). */
void view_breadcrumb(const struct run *run, const struct scope *scope, struct buffer *out);

/* Title of a rank: profile name, device, versions, steps (short, not escaped). */
void view_headline(const struct run *run, const struct scope *scope, struct buffer *out);

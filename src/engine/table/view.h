/*
 * Views: pure functions of a run and a scope that yield a Table, and the one registry that lists
 * them.  What a face (pane, report, SQL) needs to offer a view is all in struct view.
 */
#ifndef STRATA_TABLE_VIEW_H
#define STRATA_TABLE_VIEW_H

#include "base/progress.h"
#include "model/run.h"
#include "model/scope.h"
#include "table/table.h"

enum { VIEW_COLUMNS_MAX = 48, VIEW_GROUPS_MAX = 8 };

/* What a view is asked.  The scope's filter is applied by view_build. */
struct view_query {
	const struct run *run;
	const struct scope *scope;
	const struct selection *selection; /* the scope on its rank, or see no_selection */
	const char *group;                 /* one of the view's groups; NULL: the default */
	const struct progress *progress;
	struct error *error;
};

/*
 * A view that computes its cells on demand lists its columns once, in a macro that applies another
 * to each id: #define CALL_COLUMNS(_) _(id) _(name)... From it come the list for struct view and
 * the array of functions, named after the ids, that compute the cells.
 */
#define COLUMN_LISTED(id) "," #id
#define COLUMN_LIST(columns) (&columns(COLUMN_LISTED)[1])

struct view {
	const char *name;            /* "operators", "memory-events" */
	const char *title;           /* "Operators" */
	const char *row;             /* what a row is, "an operator" */
	const char *summary;         /* one sentence for help and manual */
	const char *columns;         /* all column ids, comma separated, as in the manual */
	const char *default_columns; /* those a pane or table shows first */
	const char *default_sort;    /* "gpu_self_ns:desc", or "" for the view's own order */
	const char *bar; /* column whose size is drawn where none is sorted by; NULL: the first of
			    times */
	const char *groups[VIEW_GROUPS_MAX]; /* group-by names, the first is the default; may be
						empty */
	char key;                            /* digit of the explorer's tab line, or 0 */

	bool rows_apart;   /* its rows do not lie within one another: their durations add up */
	bool no_selection; /* it looks at all ranks, at two runs, or at the scope in its own way */
	bool all_ranks; /* its rows compare the ranks: a scope of one is no reason to open no other
			 */
	bool keeps_selection; /* cells computed on demand ask table->selection, but not its scope */

	/* Fill TABLE.  False with the query's error: it could not be answered. */
	bool (*build)(struct table *table, const struct view_query *query);
};

/*
 * Is GROUP (NULL: the default) one of the view's groupings?  One that ends in "=" in the list may
 * be given bare or with a value: "stack=" is "stack" or "stack=5".
 */
bool view_has_group(const struct view *view, const char *group);

/* The registry, in the order of the manual. */
const struct view *view_at(size_t index);       /* NULL past the end */
uint32_t view_number(const struct view *view);  /* its index */
const struct view *view_find(const char *name); /* '-' and '_' are the same; NULL none */
/* Where to begin when nothing else is asked for: what a profile of its kind is looked at for. */
const struct view *view_home(const struct run *run);
/* Name of the view nearest to what was typed, for "did you mean". */
const char *view_nearest(const char *name);

/*
 * Build the table.  The caller frees it.  NULL with ERROR: unknown GROUP (ERROR_USAGE), an --under
 * path that names nothing, cancelled, out of memory.  A view that the profile cannot answer yields
 * no rows and a note that says what is missing and how to record it.
 */
struct table *view_build(const struct view *view, const struct run *run, const struct scope *scope,
			 const char *group, const struct progress *progress, struct error *error);

/*
 * Drill from a row: the next finer view and the scope narrowed to the row (NEXT_SCOPE is
 * initialised here and cleared by the caller when true).  False when there is nothing finer.
 */
bool view_drill(const struct run *run, struct ref ref, const struct scope *scope,
		const struct view **next, struct scope *next_scope);

/*
 * Follow a link.  FORWARD: launch → kernel, forward operator → backward operator, operator → its
 * kernels.  Otherwise the way back.  NTH picks among several (it wraps); *COUNT receives how many
 * there are.  False when there is none: *WHY (static) says so.  *VIEW is the view that shows the
 * target ("calls" or "launches").
 */
bool view_follow(const struct run *run, const struct scope *scope, struct ref ref, bool forward,
		 size_t nth, size_t *count, const struct view **view, struct ref *target,
		 const char **why);

/* Where on the timeline a row of a view is. */
struct location {
	struct ref event; /* REF_CALL (any span), REF_LAUNCH, REF_STEP, REF_TRACK; REF_NONE: only a
			     time */
	struct ref other; /* REF_CALL: what it is linked with, for a link; else REF_NONE */
	int64_t from, to; /* ns; of a lane all there is */
};

/*
 * Of a row that stands for many events (a kernel, an operator, a layer) the longest one in SCOPE.
 * False when the row is nowhere in time, and when cancelled.
 */
bool view_locate(const struct run *run, const struct scope *scope, struct ref ref,
		 struct location *location, const struct progress *progress);

/*
 * The op, by its id, that the row is a run of or in whose first run it lies: what
 * load_options.key_node takes.  False when there is none, and when cancelled.
 */
bool view_key_node(const struct run *run, const struct scope *scope, struct ref ref,
		   struct buffer *id, const struct progress *progress);

/*
 * Everything known of a row, one "label<TAB>text" line each, appended to OUT (raw text, not made
 * safe): names in full, shapes, types, stack, launch parameters, layer, partner, attributes.
 */
void view_detail(const struct run *run, const struct scope *scope, struct ref ref,
		 struct buffer *out);

/* The scope as the breadcrumb shows it: "run > ResNet > layer3 > step 3..5" (raw text). */
void view_breadcrumb(const struct run *run, const struct scope *scope, struct buffer *out);

/* Title facts of a rank: name of the profile, device, versions, steps (raw text, short). */
void view_headline(const struct run *run, const struct scope *scope, struct buffer *out);

#endif

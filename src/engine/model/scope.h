/*
 * The Scope: what the user has narrowed to.  Every view works in every scope.
 *
 * A scope is a plain value: copy it with scope_copy, narrow the copy, drop it with scope_clear.
 * Row numbers in it (layer, call, names) belong to the rank's profile it was made for.
 */
#ifndef STRATA_MODEL_SCOPE_H
#define STRATA_MODEL_SCOPE_H

#include "model/profile.h"

enum { SCOPE_LIST_MAX = 64 };

/* No rank was chosen: all of a file that holds several, of several files the first. */
#define ANY_RANK (-1)

struct scope_list { /* ids to keep; empty: all */
	int64_t id[SCOPE_LIST_MAX];
	int count;
};

/* Does the list keep this id? */
static inline bool scope_list_has(const struct scope_list *list, int64_t id)
{
	for (int i = 0; i < list->count; i++)
		if (list->id[i] == id)
			return true;
	return list->count == 0;
}

struct scope {
	int rank;                /* number of the rank, or ANY_RANK; 0 also means the first */
	struct scope_list ranks; /* numbers, for views that compare ranks; RANK is its first */
	bool has_steps;
	int64_t step_first, step_last; /* step numbers as the profile labels them, inclusive */
	bool has_time;
	int64_t time_first, time_last; /* ns; a row belongs when it starts in [first, last) */
	struct scope_list devices;     /* ordinals; -1 is the CPU */
	struct scope_list streams;     /* stream ids */
	struct scope_list threads;     /* host thread ids */

	/* drill-down; NO_ROW when not narrowed */
	uint32_t layer;           /* node of the layer tree: its subtree */
	uint32_t operator_name;   /* interned: calls of this operator */
	uint32_t operator_shapes; /* interned: with exactly these shapes */
	uint32_t operator_stack;  /* interned: with exactly this call stack */
	uint32_t kernel_name;     /* interned: launches of this kernel */
	uint32_t call;            /* span row: what happened under this one call */
	uint32_t track;           /* one lane */

	char *under;  /* --under PATH as typed, resolved by the views; NULL none */
	char *filter; /* regular expression on the row's name; NULL none */
};

void scope_init(struct scope *scope);
void scope_copy(struct scope *to, const struct scope *from); /* TO is overwritten, not freed */
void scope_clear(struct scope *scope);                       /* frees, leaves it initialised */
bool scope_equal(const struct scope *a, const struct scope *b);
void scope_set_text(char **field, const char *text); /* frees the old, copies; NULL clears */

struct error;
/*
 * Narrow SCOPE by an option of the command line or a SQL scope column: NAME is "steps", "time",
 * "rank", "device", "stream", "thread", "under" or "filter"; VALUE as in the manual ("3..5",
 * "1.5ms..2ms", "0,1", "layer3/conv2").  A range may leave out either end.  False with ERROR_USAGE.
 */
bool scope_set(struct scope *scope, const char *name, const char *value, struct error *error);

#endif

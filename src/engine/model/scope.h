/*
 * The Scope: what the user has narrowed the views to; every view works in every scope.
 *
 * A scope is a plain value: copy with scope_copy, free with scope_clear. Row numbers (layer, call)
 * and names refer to the profile of its rank.
 */
#pragma once

#include "model/profile.h"

enum { SCOPE_LIST_MAX = 64 };

/* What an iteration of an inference server does. */
enum phase { PHASE_ROWS(LISTED) PHASES };

const char *phase_name(enum phase phase); /* "prefill"; "none" */

/* No rank chosen: all ranks of the only file, else the first file. */
#define ANY_RANK (-1)

struct scope_list { /* ids to keep; empty: all */
	int64_t id[SCOPE_LIST_MAX];
	int count;
};

static inline bool scope_list_has(const struct scope_list *list, int64_t id)
{
	for (int i = 0; i < list->count; i++)
		if (list->id[i] == id)
			return true;
	return list->count == 0;
}

struct scope {
	int rank;                /* rank number or ANY_RANK; 0 also means the first */
	struct scope_list ranks; /* rank numbers, for views that compare ranks; RANK is the first */
	bool all_ranks; /* views that list the rank of a row show all; RANK for the others */
	bool has_steps;
	int64_t step_first, step_last; /* step numbers, inclusive */
	unsigned phases;               /* bits of enum phase, of steps to keep; 0: all */
	bool has_time;
	int64_t time_first, time_last; /* ns; rows that start in [first, last) */
	struct scope_list devices;     /* ordinals; -1 is the CPU */
	struct scope_list streams;     /* stream ids */
	struct scope_list threads;     /* host thread ids */

	/* drill-down; NO_ROW when unset */
	uint32_t layer;           /* node of the layer tree, with its subtree */
	uint32_t operator_name;   /* interned: calls of this operator */
	uint32_t operator_shapes; /* interned: with these shapes */
	uint32_t operator_stack;  /* interned: with this call stack */
	uint32_t kernel_name;     /* interned: launches of this kernel */
	uint32_t call;            /* span row: everything under this call */
	uint32_t track;           /* one track */
	uint32_t function;        /* of python_stats: it with its callers and callees */

	char *under;      /* --under PATH as typed, resolved by the views; NULL: none */
	int64_t shortest; /* ns: the timeline leaves out shorter events; 0: none */
	char *filter;     /* regular expression on the row's name; NULL: none */
};

void scope_init(struct scope *scope);
void scope_copy(struct scope *to, const struct scope *from); /* overwrites TO without freeing it */
void scope_clear(struct scope *scope);                       /* frees and reinitializes */
bool scope_equal(const struct scope *a, const struct scope *b);
/* Append the phases to keep, "decode,mixed"; nothing if all. */
void scope_add_phases(struct buffer *out, const struct scope *scope);
void scope_set_text(char **field, const char *text); /* frees the old text; NULL clears */

/*
 * Narrow SCOPE by a command line option or SQL scope column: NAME is "steps", "phase", "time",
 * "rank", "device", "stream", "thread", "under" or "filter"; VALUE as in the manual ("3..5",
 * "1.5ms..2ms", "0,1", "layer3/conv2"). Either end of a range may be omitted. False with
 * ERROR_USAGE.
 */
bool scope_set(struct scope *scope, const char *name, const char *value, struct error *error);

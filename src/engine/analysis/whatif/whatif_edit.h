/*
 * Edits: what a user would change, as text and as weights of a replay.
 *
 * KIND[:NAME] [SCOPE:VALUE]... [xFACTOR], as "comm x0.5", "kernels:gemm under:layer3 x0.25",
 * "nosync:aten::item"; the kinds are whatif_kinds. NAME is a regular expression: of work, or of an
 * operator around its launch; else of a span around the call or the host time. SCOPE is as in
 * scope_set, or "family": an expression for families of kernels.
 */
#pragma once

#include "analysis/whatif/whatif_replay.h"

struct error;
struct intervals;
struct pattern;
struct scope;

enum whatif_what {
#include "whatif_kind_ids.h" /* one for each row of whatif_kinds.txt */
	WHATIF_KINDS
};

struct whatif_kind {
	const char *text;  /* the edit with its usual factor, if it takes one: "comm x0.5" */
	const char *words; /* what it changes: "how long kernels take" */
	double factor;
	unsigned touches; /* bits of enum whatif_limit */
	double less;      /* the part of the gain by which it may be less, and more */
	double more;
	bool at_most; /* only a bound of the gain is known */
	bool chosen;  /* of work that is named; not tried by default */
};
extern const struct whatif_kind whatif_kinds[WHATIF_KINDS];

struct whatif_edit {
	enum whatif_what what;
	double factor;
	struct pattern *name;         /* NULL: any */
	struct scope *scope;          /* of rows in this; NULL: of all */
	unsigned families;            /* bits of enum kernel_family; 0: any work */
	const uint8_t *rows;          /* a bit by activity, the caller's; NULL: as NAME says */
	bool messages;                /* some of ROWS are communication */
	const struct intervals *at;   /* of ROWS only what lies in these; likewise */
	const struct intervals *idle; /* time of the threads beside ROWS; the caller's; NULL */
};

enum { WHATIF_FACTOR_MAX = 10, WHATIF_EDITS_MAX = 16 };

/* What touches device work, in bits of enum whatif_limit. */
enum { WHATIF_OF_WORK = 1 << LIMIT_KERNELS | 1 << LIMIT_COMMUNICATION | 1 << LIMIT_COPIES };

/* Several at once. */
struct whatif_edits {
	struct whatif_edit item[WHATIF_EDITS_MAX];
	size_t count;
};

/* False with ERROR_USAGE. The caller frees with whatif_edit_clear either way. */
bool whatif_edit_parse(struct whatif_edit *edit, const char *text, struct error *error);
void whatif_edit_clear(struct whatif_edit *edit);
/* The same of a text with semicolons between edits. */
bool whatif_edits_parse(struct whatif_edits *edits, const char *text, struct error *error);
void whatif_edits_clear(struct whatif_edits *edits);

/*
 * The layer tree: run → module path → operator → kernel, a fold of all calls.
 */
#ifndef STRATA_FACTS_LAYERS_H
#define STRATA_FACTS_LAYERS_H

#include "base/progress.h"
#include "model/profile.h"

struct facts;
struct buffer;

enum layer_kind {
	LAYER_RUN,
	LAYER_PROCESS,
	LAYER_MODULE,
	LAYER_ANNOTATION,
	LAYER_PYTHON,
	LAYER_OPERATOR,
	LAYER_RUNTIME,
	LAYER_KERNEL,
	LAYER_MEMCPY,
	LAYER_MEMSET,
	LAYER_UNLINKED
};

enum layer_pass { PASS_FORWARD = 1, PASS_BACKWARD = 2 };

struct layer_node {
	uint32_t parent; /* node, NO_ROW for the run */
	uint32_t size;   /* nodes of the subtree, itself included */
	uint32_t name;   /* interned, without the prefixes writers add */
	uint8_t kind;    /* enum layer_kind */
	uint8_t pass;    /* enum layer_pass bits of its own calls */
	uint16_t depth;
};

/* What the tree's levels above operators were made from. */
enum layer_source { LAYERS_MODULES, LAYERS_ANNOTATIONS, LAYERS_PYTHON, LAYERS_OPERATORS };

struct layer_tree {
	struct layer_node *nodes; /* preorder, node 0 is the run */
	uint32_t count;
	enum layer_source source;
	uint32_t *span_node;     /* by span: its own node, or that of what encloses it */
	uint32_t *span_above;    /* by span: nearest enclosing span that has a node; NO_ROW */
	uint8_t *span_counts;    /* by span: 1 when it is a call of its node */
	uint32_t *activity_node; /* by activity: its leaf */
};

/* Fold the calls (fills facts->layers).  Links, owners and flags must be known.  False when
 * cancelled. */
bool layers_fold(struct facts *facts, struct intern *strings, const struct progress *progress);
void layers_free(struct layer_tree *layers);

const char *layer_kind_name(enum layer_kind kind);
/* What the levels above operators are: "nn.Module calls", "annotations"… */
const char *layers_source_name(const struct facts *facts);
const char *layer_pass_name(uint8_t pass); /* "fwd", "bwd", "both", "" */

/* Append "ResNet/layer3/conv2", the run's own name left out (name_path.h bounds it). */
void layer_path(const struct facts *facts, uint32_t node, struct buffer *out);

/* The innermost module, annotation or Python function above a node, or the run. */
uint32_t layer_enclosing(const struct facts *facts, uint32_t node);

/*
 * Mark (1 in MARKS, by node) the subtrees that PATH names: a whole path, or the end of one. Returns
 * how many subtrees there are.
 */
uint32_t layers_match(const struct facts *facts, const char *path, uint8_t *marks);

#endif

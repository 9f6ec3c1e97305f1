/*
 * The layer tree: run → module path → operator → kernel, aggregated over all calls.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

struct derived;

enum layer_kind { LAYER_KIND_ROWS(LISTED) LAYER_KINDS };

enum layer_pass { PASS_FORWARD = 1, PASS_BACKWARD = 2 };

struct layer_node {
	uint32_t parent; /* index of a node, NO_ROW for the run */
	uint32_t size;   /* nodes of the subtree, including itself */
	uint32_t name;   /* interned, without prefixes of the profiler */
	uint8_t kind;    /* enum layer_kind */
	uint8_t pass;    /* bits of enum layer_pass of its own calls */
	uint16_t depth;
};

/* Source of the levels above operators. */
enum layer_source { LAYER_SOURCE_ROWS(LISTED) LAYERS_SOURCES };

struct layer_tree {
	struct layer_node *nodes; /* in preorder; node 0 is the run */
	uint32_t count;
	enum layer_source source;
	uint32_t *span_node;     /* by span: its node, or that of the enclosing span */
	uint32_t *activity_node; /* by activity: its leaf node */
};

/* Fill derived->layers; needs links, owners and flags. False when cancelled. */
bool layers_fold(struct derived *derived, struct intern *strings, const struct progress *progress);
void layers_free(struct layer_tree *layers);

/*
 * By track: 1 for those folded last, because backward calls need the nodes of their forward calls:
 * a track that has linked backward operators but no linked forward ones. The caller frees.
 */
uint8_t *layers_late_tracks(const struct derived *derived);

/* By span: the nearest around it that is a call of its layer; NO_ROW. The caller frees. */
uint32_t *layers_calls_above(const struct derived *derived);

const char *layer_kind_name(enum layer_kind kind);
bool layer_kind_is_device(enum layer_kind kind); /* GPU work, linked or not */
/* GPU work below which nothing is: the other rows say its time again. */
static inline bool layer_is_leaf(const struct layer_node *node)
{
	return layer_kind_is_device((enum layer_kind)node->kind) && node->kind != LAYER_UNLINKED;
}
/* The source of the levels above operators: "nn.Module calls", "annotations"… */
const char *layers_source_name(const struct derived *derived);
const char *layer_pass_name(uint8_t pass); /* "fwd", "bwd", "both", "" */

/* Append "ResNet/layer3/conv2", without the run's name; length-limited by name_path.h. */
void layer_path(const struct derived *derived, uint32_t node, struct buffer *out);

/* The innermost enclosing module, annotation or Python function, or the run. */
uint32_t layer_enclosing(const struct derived *derived, uint32_t node);

/*
 * Set MARKS (by node) to 1 in the subtrees whose path equals PATH or ends with it. Returns the
 * number of subtrees.
 */
uint32_t layers_match(const struct derived *derived, const char *path, uint8_t *marks);

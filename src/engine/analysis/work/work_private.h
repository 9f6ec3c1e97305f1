/*
 * What the models of operators share.  Nobody else includes this.
 */
#ifndef STRATA_ANALYSIS_WORK_WORK_PRIVATE_H
#define STRATA_ANALYSIS_WORK_WORK_PRIVATE_H

#include "analysis/work/work.h"
#include "base/literal.h"

enum { OPERANDS_MAX = 16, DIMS_MAX = 16 };

struct operand {
	double dim[DIMS_MAX];
	size_t dims;
	double count, size; /* elements of it (of a list: of all), bytes of one */
	bool there;
};

struct arguments {
	const struct work_call *call;
	struct arena *arena;
	struct operand operand[OPERANDS_MAX];
	size_t count;
	const struct literal *concrete;
};

struct model;
/* The work of a call; false when its arguments do not say enough. */
typedef bool model_counter(const struct arguments *arguments, const struct model *model,
			   struct work *work);

struct model {
	const char *names;
	model_counter *count;
	double flops;    /* an element, of elementwise ones */
	int first;       /* index of the first operand that is meant */
	double backward; /* work of the gradient, times that of the call */
};

/* The operand at this place, or NULL: not there, no tensor. */
const struct operand *work_operand(const struct arguments *arguments, int at);

double work_bytes(const struct operand *operand); /* NaN: its type is not known */

/* What was recorded of the argument at this place, read; NULL. */
const struct literal *work_concrete(const struct arguments *arguments, size_t at);

/* A number among it, or number INNER of the list there (a list of one stands for all). */
bool work_concrete_int(const struct arguments *arguments, size_t at, size_t inner, double *value);

/* The shape of the gradient that came back to a call, into OUT; false: it is not known. */
bool work_gradient(const struct arguments *arguments, struct operand *out);

/* "mm" of "aten::mm". */
const char *work_plain_name(const char *name);

/* work_conv.c */
model_counter work_conv, work_conv_transpose, work_conv_backward, work_conv_part;
/* work_sampling.c: pooling and resizing */
model_counter work_pool, work_pool_backward, work_adaptive_pool, work_resize, work_resize_backward;
/* work_lookup.c: rows of tables, elements by their indexes, losses by class */
model_counter work_embedding, work_embedding_backward, work_index_select, work_gather, work_scatter,
	work_join, work_class_loss, work_class_loss_backward, work_cross_entropy, work_loss,
	work_recurrent;

#endif

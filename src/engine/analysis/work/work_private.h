/*
 * Helpers shared by the operator models; private to them.
 */
#ifndef STRATA_ANALYSIS_WORK_WORK_PRIVATE_H
#define STRATA_ANALYSIS_WORK_WORK_PRIVATE_H

#include "analysis/work/work.h"
#include "base/literal.h"

enum { OPERANDS_MAX = 16, DIMS_MAX = 16 };

struct operand {
	double dim[DIMS_MAX];
	size_t dims;
	double count, size; /* elements (of all tensors for a list), bytes per element */
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
/* Estimate a call; false with insufficient arguments. */
typedef bool model_counter(const struct arguments *arguments, const struct model *model,
			   struct work *work);

struct model {
	const char *names;
	model_counter *count;
	double flops;    /* per element, for elementwise models */
	int first;       /* index of the first relevant operand */
	double backward; /* work of the gradient, as a factor of the call's */
};

/* The operand at index AT, or NULL when missing or not a tensor. */
const struct operand *work_operand(const struct arguments *arguments, int at);

double work_bytes(const struct operand *operand); /* NaN: unknown type */

/* The recorded value of an argument, parsed; NULL. */
const struct literal *work_concrete(const struct arguments *arguments, size_t at);

/* A number, or number INNER of a list (a list of one applies to all). */
bool work_concrete_int(const struct arguments *arguments, size_t at, size_t inner, double *value);

/* The shape of the gradient returned to a call; false when unknown. */
bool work_gradient(const struct arguments *arguments, struct operand *out);

/* "aten::mm" without namespace: "mm". */
const char *work_plain_name(const char *name);

/* work_conv.c */
model_counter work_conv, work_conv_transpose, work_conv_backward, work_conv_part;
/* work_sampling.c: pooling and resizing */
model_counter work_pool, work_pool_backward, work_adaptive_pool, work_resize, work_resize_backward;
/* work_lookup.c: embeddings, indexing, losses */
model_counter work_embedding, work_embedding_backward, work_index_select, work_gather, work_scatter,
	work_join, work_class_loss, work_class_loss_backward, work_cross_entropy, work_loss,
	work_recurrent;

#endif

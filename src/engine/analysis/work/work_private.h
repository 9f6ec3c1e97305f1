/*
 * Helpers shared by the operator models; private to them.
 */
#pragma once

#include "analysis/work/work.h"
#include "base/literal.h"
#include "base/text.h"

enum { OPERANDS_MAX = 32, DIMS_MAX = 16 };

/* In the order of type promotion. */
enum type_class { TYPE_UNKNOWN, TYPE_BOOL, TYPE_INTEGER, TYPE_REAL, TYPE_COMPLEX };

/* A tensor, or a list of tensors. */
struct operand {
	double dim[DIMS_MAX];
	size_t dims;
	double count, size; /* elements (of all tensors for a list), bytes per element */
	double packed;      /* numbers per element: 2 for pairs of FP4, else 1 */
	enum type_class class;
	bool brain; /* bfloat16: with float16 it promotes to float32 */
	bool there;
};

struct arguments {
	const struct work_call *call;
	struct arena *arena;
	struct operand operand[OPERANDS_MAX];
	size_t count;
	struct operand out; /* out=, which is written; not among the others */
	const struct literal *types, *concrete;
};

/* What an elementwise operator returns, of the broadcast shape. */
enum result { WORK_RESULT_ROWS(_) };

struct model;
/* Estimate a call; false with insufficient arguments. */
#define MODEL_COUNTER(name)                                                                        \
	bool name(const struct arguments *arguments, const struct model *model, struct work *work)
typedef MODEL_COUNTER(model_counter);

struct model {
	const char *names;
	unsigned formula; /* of those of work_call.c */
	double flops;     /* per element, for elementwise models */
	int first;        /* index of the first relevant operand */
	double backward;  /* work of the gradient, as a factor of the call's */
	enum result result;
	const char *roles; /* of operands, for work_by_roles */
	int inputs;        /* arguments before out=, if out= must not count as read; 0: no matter */
};

/* ---- work_arguments.c ---- */

/* Tensors after the first INPUTS arguments are out=; 0: not known which. */
void work_read_arguments(struct arguments *arguments, const struct work_call *call, size_t inputs);

/* The operand at index AT, or NULL when missing or not a tensor. */
const struct operand *work_operand(const struct arguments *arguments, int at);

double work_bytes(const struct operand *operand); /* NaN: unknown type; of NULL 0 */
/* Of all tensors from argument FIRST on. */
double work_bytes_from(const struct arguments *arguments, size_t first);

/* The recorded value of an argument, parsed; NULL. */
const struct literal *work_concrete(const struct arguments *arguments, size_t at);

/* A number, or number INNER of a list (a list of one applies to all). */
bool work_concrete_int(const struct arguments *arguments, size_t at, size_t inner, double *value);

/* Is the recorded value of an argument True? */
bool work_is_true(const struct arguments *arguments, size_t at);

/* Bytes per element of a torch.dtype argument, recorded as number; OTHERWISE when not given. */
double work_dtype_size(const struct arguments *arguments, size_t at, double otherwise);

/* The shape of the gradient returned to a call; false when unknown. */
bool work_gradient(const struct arguments *arguments, struct operand *out);

/* Bytes per element of the result of an elementwise operator; NaN: unknown. */
double work_result_size(const struct arguments *arguments, int first, enum result result);

/* "aten::mm" without namespace: "mm". */
const char *work_plain_name(const char *name);

/* The first line of TABLE, an array, whose member `names` has NAME; or NULL. */
#define work_line_of(table, name)                                                                  \
	({                                                                                         \
		size_t work_at_ = 0, work_lines_ = sizeof(table) / sizeof *(table);                \
		while (work_at_ < work_lines_ && !text_is_listed((table)[work_at_].names, (name))) \
			work_at_++;                                                                \
		work_at_ < work_lines_ ? &(table)[work_at_] : NULL;                                \
	})

/* ---- models ---- */

/* work_product.c: matrix products and mixtures of experts */
model_counter work_product, work_grouped, work_matmul, work_linear, work_scaled, work_gemm_into,
	work_moe;
/* work_attention.c */
model_counter work_attention;
/* work_conv.c */
model_counter work_conv, work_conv_transpose, work_conv_backward, work_conv_part;
/* work_elements.c: elementwise operators, reductions, copies, optimizers */
model_counter work_elements, work_softmax, work_list, work_fused_step, work_reduction, work_copy,
	work_fill;
/* work_norm.c: normalizations, and kernels of inference servers by the roles of operands */
model_counter work_norm, work_norm_backward, work_by_roles, work_rotary, work_store_cache;
/* work_sampling.c: pooling and resizing */
model_counter work_pool, work_pool_backward, work_adaptive_pool, work_resize, work_resize_backward;
/* work_lookup.c: embeddings, indexing, losses */
model_counter work_embedding, work_embedding_backward, work_index_select, work_gather, work_scatter,
	work_join, work_class_loss, work_class_loss_backward, work_cross_entropy, work_loss,
	work_recurrent;

/*
 * Elementwise operators, reductions, copies and optimizers: FLOPs per element as PyProf counts
 * them, 1 for arithmetic and comparisons and 20 for transcendental functions.
 */
#include "analysis/work/work_private.h"

#include <math.h>

/* ---- elementwise ---- */

/* Elements of the broadcast of all operands; false if they do not match. */
static bool broadcast(const struct arguments *arguments, int first, double *count)
{
	double dim[DIMS_MAX] = { 0 };
	size_t dims = 0;
	bool there = false;
	for (size_t i = (size_t)first; i < arguments->count; i++) {
		const struct operand *operand = work_operand(arguments, (int)i);
		there |= operand != NULL;
		for (size_t d = 0; operand && d < operand->dims; d++) {
			double size = operand->dim[operand->dims - 1 - d];
			if (d >= dims)
				dim[dims++] = size;
			else if (dim[d] == 1)
				dim[d] = size;
			else if (size != 1 && size != dim[d])
				return false;
		}
	}
	*count = 1;
	for (size_t d = 0; d < dims; d++)
		*count *= dim[d];
	return there;
}

/* All tensors are read, and one of their common shape is written. */
MODEL_COUNTER(work_elements)
{
	double count, bytes = work_bytes_from(arguments, (size_t)model->first);
	if (!broadcast(arguments, model->first, &count))
		return false;
	enum result result = model->result;
	if (result == RESULT_REAL && arguments->count > 2) /* div(x, y, rounding_mode) */
		result = RESULT_PROMOTED;
	work->flops = model->flops * count;
	work->bytes = bytes + count * work_result_size(arguments, model->first, result);
	if (model->result == RESULT_MASKED)
		work->bytes += count;
	return true;
}

/* _softmax(x, dim, half_to_float) */
MODEL_COUNTER(work_softmax)
{
	const struct operand *x = work_operand(arguments, 0);
	if (!x)
		return false;
	bool widens = *work_plain_name(arguments->call->name) == '_' && work_is_true(arguments, 2);
	work->flops = model->flops * x->count;
	work->bytes = work_bytes(x) + x->count * (widens ? 4 : x->size);
	return true;
}

/* ---- reductions ---- */

/*
 * Elements of the result: 1 when all dimensions are reduced, or when which ones is not recorded;
 * then it is the least that is written.
 */
static double results_of(const struct arguments *arguments, const struct operand *x)
{
	const char *name = work_plain_name(arguments->call->name);
	size_t at = text_is_listed("norm linalg_vector_norm", name) ? 2 : 1;
	const struct literal *dims = work_concrete(arguments, at);
	size_t given = literal_is_sequence(dims) ? dims->count : 1;
	double results = x->count, dim;
	if (arguments->count < at + 2) /* sum(x, dtype) */
		return 1;
	for (size_t i = 0; i < given; i++) {
		if (!work_concrete_int(arguments, at, i, &dim))
			return 1;
		dim += dim < 0 ? (double)x->dims : 0;
		if (dim < 0 || dim >= (double)x->dims)
			return 1;
		results /= fmax(x->dim[(size_t)dim], 1);
	}
	return given ? fmax(results, 1) : 1;
}

static double reduced_size(const struct arguments *arguments, const struct operand *x)
{
	const char *name = work_plain_name(arguments->call->name);
	if (text_is_listed("argmax argmin", name))
		return 8;
	if (text_is_listed("any all", name))
		return 1;
	if (text_is_listed("max min", name) && arguments->count >= 3)
		return x->size + 8; /* and where it is */
	if (text_is_listed("sum prod", name) && x->class && x->class < TYPE_REAL)
		return 8;
	return text_is_listed("var_mean std_mean", name) ? 2 * x->size : x->size;
}

/* The first tensor is read. max(x, y) is elementwise. */
MODEL_COUNTER(work_reduction)
{
	const struct operand *x = work_operand(arguments, model->first);
	if (!x)
		return false;
	if (arguments->count == 2 && work_operand(arguments, 1) &&
	    text_is_listed("max min", work_plain_name(arguments->call->name)))
		return work_elements(arguments, model, work);
	work->flops = model->flops * x->count;
	work->bytes = work_bytes(x) + results_of(arguments, x) * reduced_size(arguments, x);
	return true;
}

/* ---- moves ---- */

/* The first tensor is written; what is read of the second is repeated if it is smaller. */
MODEL_COUNTER(work_copy)
{
	const struct operand *to = work_operand(arguments, 0), *from = work_operand(arguments, 1);
	if (!to)
		return false;
	double written = to->size;
	if (strcmp(work_plain_name(arguments->call->name), "_to_copy") == 0)
		written = work_dtype_size(arguments, 1, to->size);
	work->flops = 0;
	work->bytes = to->count * written +
		      (from ? fmin(from->count, to->count) * from->size : work_bytes(to));
	return true;
}

/* The first tensor, or one like it, is written. */
MODEL_COUNTER(work_fill)
{
	const struct operand *x = work_operand(arguments, model->first);
	if (!x)
		return false;
	work->flops = 0;
	work->bytes = work_bytes(x);
	return true;
}

/* ---- lists of tensors ---- */

/* All lists are read, and one like the first is written. A copy does not read the first. */
MODEL_COUNTER(work_list)
{
	const struct operand *list = work_operand(arguments, 0);
	if (!list)
		return false;
	work->flops = model->flops * list->count;
	work->bytes = work_bytes(list) +
		      work_bytes_from(arguments, strstr(arguments->call->name, "_copy") ? 1 : 0);
	return true;
}

/*
 * Optimizers (parameters, gradients, state…): all lists of the parameters' size are read, and all
 * but the gradients written.
 */
MODEL_COUNTER(work_fused_step)
{
	const struct operand *list = work_operand(arguments, 0);
	if (!list)
		return false;
	work->flops = model->flops * list->count;
	work->bytes = 0;
	for (size_t i = 0; i < arguments->count; i++) {
		const struct operand *state = work_operand(arguments, (int)i);
		if (state && state->count == list->count)
			work->bytes += work_bytes(state) * (i == 1 ? 1 : 2);
	}
	return true;
}

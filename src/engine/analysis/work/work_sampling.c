/*
 * Models of pooling and resizing: each output element is computed from a window of the input.
 */
#include "analysis/work/work_private.h"

#include <math.h>

enum { INDEX_BYTES = 8 }; /* max pooling stores the index of each maximum */

/* Pooled dimensions: 2 for "max_pool2d"; 0: unknown. */
static size_t places_of(const struct arguments *arguments)
{
	const char *at = strpbrk(arguments->call->name, "123");
	return at && at[1] == 'd' ? (size_t)(*at - '0') : 0;
}

static bool is_max(const struct arguments *arguments)
{
	return strstr(arguments->call->name, "max_pool") != NULL;
}

/* Bytes of the stored indexes, if any. */
static double index_bytes(const struct arguments *arguments, double outputs)
{
	bool kept = is_max(arguments) &&
		    (arguments->call->backward || strstr(arguments->call->name, "with_indices") ||
		     strstr(arguments->call->name, "adaptive"));
	return kept ? outputs * INDEX_BYTES : 0;
}

/* ---- pooling ---- */

enum { KERNEL = 1 }; /* kernel_size, stride, padding, [dilation,] ceil_mode */

static bool window_size(const struct arguments *arguments, size_t at, size_t places, double *size)
{
	*size = 1;
	for (size_t i = 0; i < places; i++) {
		double kernel;
		if (!work_concrete_int(arguments, at, i, &kernel) || kernel < 1)
			return false;
		*size *= kernel;
	}
	return places > 0;
}

/* Number of windows along dimension PLACE of SIZE elements; NaN: unknown. */
static double windows_along(const struct arguments *arguments, size_t place, double size)
{
	bool max = is_max(arguments);
	const struct literal *ceiling = work_concrete(arguments, max ? KERNEL + 4 : KERNEL + 3);
	double kernel, stride, padding = 0, dilation = 1;
	if (!work_concrete_int(arguments, KERNEL, place, &kernel))
		return NAN;
	if (!work_concrete_int(arguments, KERNEL + 1, place, &stride))
		stride = kernel; /* the default for an empty list */
	work_concrete_int(arguments, KERNEL + 2, place, &padding);
	if (max)
		work_concrete_int(arguments, KERNEL + 3, place, &dilation);
	if (stride < 1)
		return NAN;
	double steps = (size + 2 * padding - dilation * (kernel - 1) - 1) / stride;
	if (!ceiling || ceiling->kind != LITERAL_BOOL || !ceiling->integer)
		return floor(steps) + 1;
	steps = ceil(steps); /* no window starts in the trailing padding */
	return steps * stride >= size + padding ? steps : steps + 1;
}

MODEL_COUNTER(work_pool)
{
	const struct operand *x = work_operand(arguments, 0);
	size_t places = places_of(arguments);
	double outputs, window;
	if (!x || x->dims < places || !window_size(arguments, KERNEL, places, &window))
		return false;
	outputs = x->count;
	for (size_t i = 0; i < places; i++) {
		double size = x->dim[x->dims - places + i];
		outputs *= size ? windows_along(arguments, i, size) / size : 0;
	}
	if (!(outputs >= 0))
		return false;
	work->flops = arguments->call->backward && is_max(arguments) ? outputs : outputs * window;
	work->bytes = work_bytes(x) + outputs * x->size + index_bytes(arguments, outputs);
	return true;
}

/* (gradient, input, …): each gradient goes to the maximum or is spread over the window. */
MODEL_COUNTER(work_pool_backward)
{
	const struct operand *g = work_operand(arguments, 0), *x = work_operand(arguments, 1);
	double window = 1;
	if (!g || !x)
		return false;
	if (strstr(arguments->call->name, "adaptive_avg"))
		window = g->count ? x->count / g->count : 0;
	else if (!is_max(arguments) &&
		 !window_size(arguments, KERNEL + 1, places_of(arguments), &window))
		return false;
	work->flops = g->count * window;
	work->bytes =
		work_bytes(g) + work_bytes(x) + (is_max(arguments) ? g->count * INDEX_BYTES : 0);
	return true;
}

/* The requested output size, or the gradient's; false: unknown. */
static bool asked_outputs(const struct arguments *arguments, const struct operand *x, size_t at,
			  size_t places, double *outputs)
{
	struct operand gradient;
	*outputs = x->count;
	for (size_t i = 0; i < places; i++) {
		double size = x->dim[x->dims - places + i], wanted;
		if (!work_concrete_int(arguments, at, i, &wanted) || wanted < 0) {
			bool known = work_gradient(arguments, &gradient);
			*outputs = known ? gradient.count : 0;
			return known;
		}
		*outputs *= size ? wanted / size : 0;
	}
	return true;
}

/* The windows partition the input. */
MODEL_COUNTER(work_adaptive_pool)
{
	const struct operand *x = work_operand(arguments, 0);
	size_t places = places_of(arguments);
	double outputs;
	if (!x || !places || x->dims < places || !asked_outputs(arguments, x, 1, places, &outputs))
		return false;
	bool scatters = arguments->call->backward && is_max(arguments);
	work->flops = scatters || outputs > x->count ? outputs : x->count;
	work->bytes = work_bytes(x) + outputs * x->size + index_bytes(arguments, outputs);
	return true;
}

/* ---- resizing: the model's flops are the input elements per output element ---- */

static double mixing(const struct model *model, bool backward)
{
	double taps = model->flops;
	return taps > 1 ? (backward ? 2 * taps : 2 * taps - 1) : backward ? 1 : 0;
}

/* Without sizes, the scale factors after them give the output size. */
static bool scaled_outputs(const struct arguments *arguments, const struct operand *x,
			   size_t places, double *outputs)
{
	const struct literal *factors = work_concrete(arguments, 2);
	*outputs = x->count;
	for (size_t i = 0; i < places; i++) {
		double size = x->dim[x->dims - places + i];
		const struct literal *factor = literal_item(factors, i);
		if (!factor || factor->kind != LITERAL_REAL || !(factor->real > 0))
			return false;
		*outputs *= size ? floor(size * factor->real) / size : 0;
	}
	return true;
}

MODEL_COUNTER(work_resize)
{
	const struct operand *x = work_operand(arguments, 0);
	size_t places = places_of(arguments);
	double outputs;
	if (!x || !places || x->dims < places ||
	    (!scaled_outputs(arguments, x, places, &outputs) &&
	     !asked_outputs(arguments, x, 1, places, &outputs)))
		return false;
	work->flops = outputs * mixing(model, arguments->call->backward);
	work->bytes = (fmin(x->count, outputs * model->flops) + outputs) * x->size;
	return true;
}

/* (gradient, output_size, input_size, …) */
MODEL_COUNTER(work_resize_backward)
{
	const struct operand *g = work_operand(arguments, 0);
	double inputs = 1;
	if (!g)
		return false;
	for (size_t i = 0; i < g->dims; i++) {
		double size;
		if (!work_concrete_int(arguments, 2, i, &size) || size < 0)
			inputs = NAN;
		else
			inputs *= size;
	}
	work->flops = g->count * mixing(model, true);
	work->bytes = work_bytes(g) + inputs * g->size;
	return true;
}

/*
 * Convolutions and their gradients: two FLOPs per multiplication and addition, without the bias, as
 * torch.utils.flop_counter and PyProf count them.
 */
#include "analysis/work/work_private.h"

#include <math.h>

/* Argument positions, 0: none. Transposed convolutions have an output padding. */
static const struct work_conv_order {
	const char *names;
	uint8_t bias, stride, padding, dilation, output_padding, groups, transposed;
} orders[] = { CONVOLUTION_ROWS };

static const struct work_conv_order *order_of(const struct arguments *arguments)
{
	return work_line_of(orders, work_plain_name(arguments->call->name));
}

/* The value along dimension D of an argument; OTHERWISE where the operator has no such argument. */
static double along(const struct arguments *arguments, uint8_t at, size_t d, double otherwise)
{
	double value;
	if (!at)
		return otherwise;
	return work_concrete_int(arguments, at, d, &value) ? value : NAN;
}

/* Elements along dimension D of the output; NaN: unknown. */
static double size_along(const struct arguments *arguments, const struct work_conv_order *order,
			 double in, double filter, size_t d, bool transposed)
{
	double stride = along(arguments, order->stride, d, 1);
	double padding = along(arguments, order->padding, d, 0);
	double reach = along(arguments, order->dilation, d, 1) * (filter - 1) + 1;
	if (!(stride >= 1))
		return NAN;
	if (!transposed)
		return floor((in + 2 * padding - reach) / stride) + 1;
	return (in - 1) * stride - 2 * padding + reach +
	       along(arguments, order->output_padding, d, 0);
}

/* Elements of the output, from the arguments or else from its gradient; NaN: unknown. */
static double output_count(const struct arguments *arguments, const struct operand *x,
			   const struct operand *w, bool transposed)
{
	const struct work_conv_order *order = order_of(arguments);
	struct operand gradient;
	double channels = w->dim[0], outputs;
	if (transposed) /* weight [channels in, channels out / groups, …] */
		channels = w->dim[1] * along(arguments, order ? order->groups : 0, 0, 1);
	outputs = order ? x->dim[0] * channels : NAN;
	for (size_t d = 2; d < x->dims && !isnan(outputs); d++)
		outputs *= size_along(arguments, order, x->dim[d], w->dim[d], d - 2, transposed);
	if (isnan(outputs) && work_gradient(arguments, &gradient) && gradient.dims == x->dims &&
	    (transposed || gradient.dim[1] == w->dim[0]))
		outputs = gradient.count;
	return outputs >= 0 ? outputs : NAN;
}

/* Input, weight and bias are read and OUTPUTS written. */
static double bytes_of(const struct arguments *arguments, const struct operand *x,
		       const struct operand *w, double outputs)
{
	const struct work_conv_order *order = order_of(arguments);
	const struct operand *bias =
		order && order->bias ? work_operand(arguments, order->bias) : NULL;
	return work_bytes(x) + work_bytes(w) + work_bytes(bias) + outputs * x->size;
}

/* Products of a weight [k, c / groups, r, s…] with each of COUNT elements that face it whole. */
static double products(const struct operand *w, double count)
{
	return w->dim[0] ? 2 * count * w->count / w->dim[0] : 0;
}

/* Every input element is multiplied by the filters of its group: weight [c, k / groups, r, s…]. */
MODEL_COUNTER(work_conv_transpose)
{
	const struct operand *x = work_operand(arguments, 0), *w = work_operand(arguments, 1);
	if (!x || !w || x->dims < 3 || w->dims != x->dims || x->dim[1] != w->dim[0] || !w->dim[0])
		return false;
	work->flops = products(w, x->count);
	work->bytes = bytes_of(arguments, x, w, output_count(arguments, x, w, true));
	return true;
}

/* Each output element reads one group's channels under the filter; one channel if depthwise. */
MODEL_COUNTER(work_conv)
{
	const struct operand *x = work_operand(arguments, 0), *w = work_operand(arguments, 1);
	const struct work_conv_order *order = order_of(arguments);
	if (order && order->transposed && work_is_true(arguments, order->transposed))
		return work_conv_transpose(arguments, model, work);
	if (!x || !w || x->dims < 3 || w->dims != x->dims || !w->dim[0])
		return false;
	double outputs = output_count(arguments, x, w, false);
	work->flops = products(w, outputs);
	work->bytes = bytes_of(arguments, x, w, outputs);
	return !isnan(outputs);
}

/*
 * convolution_backward(gradient, input, weight, bias_sizes, stride, padding, dilation, transposed,
 * output_padding, groups, output_mask): the wanted gradients of input and weight have the products
 * of the forward pass each, the bias' is a sum.
 */
MODEL_COUNTER(work_conv_backward)
{
	enum { TRANSPOSED = 7, MASK = 10 };
	const struct operand *g = work_operand(arguments, 0), *x = work_operand(arguments, 1);
	const struct operand *w = work_operand(arguments, 2);
	bool wanted[3] = { true, true, false };
	if (!g || !x || !w || g->dims < 3 || x->dims != g->dims || w->dims != g->dims || !w->dim[0])
		return false;
	const struct literal *mask = work_concrete(arguments, MASK);
	for (size_t i = 0; literal_is_sequence(mask) && mask->count == 3 && i < 3; i++)
		wanted[i] = literal_item(mask, i)->integer;
	bool transposed = work_is_true(arguments, TRANSPOSED) ||
			  (x->dim[1] == w->dim[0] && g->dim[1] != w->dim[0]);
	work->flops = (wanted[0] + wanted[1]) * products(w, transposed ? x->count : g->count);
	work->bytes = work_bytes(g);
	if (wanted[0])
		work->bytes += work_bytes(w) + work_bytes(x);
	if (wanted[1])
		work->bytes += work_bytes(x) + work_bytes(w);
	if (wanted[2])
		work->bytes += g->dim[1] * g->size;
	return true;
}

/*
 * …_backward(input, gradient, weight) has both gradients (FLOPS 2), …_backward_input(sizes,
 * gradient, weight) inside it one.
 */
MODEL_COUNTER(work_conv_part)
{
	const struct operand *g = work_operand(arguments, 1), *w = work_operand(arguments, 2);
	if (!g || !w || g->dims < 3 || w->dims != g->dims || !w->dim[0] || g->dim[1] != w->dim[0])
		return false;
	work->flops = model->flops * products(w, g->count);
	work->bytes = NAN;
	return true;
}

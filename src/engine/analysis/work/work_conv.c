/*
 * Convolutions and their gradients.
 */
#include "analysis/work/work_private.h"

#include <math.h>
#include <string.h>

/*
 * Each of OUTPUTS elements reads one group's channels under the filter: weight [k, c / groups, r,
 * s…]
 */
static bool convolution(struct work *work, const struct operand *x, const struct operand *w,
			double outputs, double moved)
{
	work->flops = w->dim[0] ? 2 * outputs * w->count / w->dim[0] : 0;
	work->bytes = (moved + outputs) * x->size + work_bytes(w);
	return true;
}

/* Argument positions of stride, padding and dilation. */
static const struct {
	const char *name;
	uint8_t stride, padding, dilation;
} conv_orders[] = {
	{ "conv1d", 3, 4, 5 },
	{ "conv2d", 3, 4, 5 },
	{ "conv3d", 3, 4, 5 },
	{ "convolution", 3, 4, 5 },
	{ "_convolution", 3, 4, 5 },
	{ "cudnn_convolution", 3, 2, 4 },
	{ "miopen_convolution", 4, 3, 5 },
	{ "mkldnn_convolution", 4, 3, 5 },
};

static double output_size(const struct arguments *arguments, const char *name,
			  const struct operand *x, const struct operand *w)
{
	double outputs = x->dim[0] * w->dim[0];
	for (size_t i = 0; i < sizeof conv_orders / sizeof *conv_orders; i++) {
		if (strcmp(conv_orders[i].name, name) != 0)
			continue;
		for (size_t d = 2; d < x->dims; d++) {
			double stride, padding, dilation;
			if (!work_concrete_int(arguments, conv_orders[i].stride, d - 2, &stride) ||
			    !work_concrete_int(arguments, conv_orders[i].padding, d - 2,
					       &padding) ||
			    !work_concrete_int(arguments, conv_orders[i].dilation, d - 2,
					       &dilation) ||
			    stride < 1)
				return NAN;
			outputs *=
				floor((x->dim[d] + 2 * padding - dilation * (w->dim[d] - 1) - 1) /
				      stride) +
				1;
		}
		return outputs;
	}
	return NAN;
}

static bool is_transposed(const struct arguments *arguments)
{
	const struct literal *flag = literal_item(arguments->concrete, 6);
	return literal_is_text(flag, "True");
}

/* The output size follows from the arguments, else from the gradient. */
bool work_conv(const struct arguments *arguments, const struct model *model, struct work *work)
{
	const struct operand *x = work_operand(arguments, 0), *w = work_operand(arguments, 1);
	const char *name = work_plain_name(arguments->call->name);
	(void)model;
	if (!x || !w || x->dims < 3 || w->dims != x->dims || !w->dim[0])
		return false;
	if (strstr(name, "_convolution") == name || strcmp(name, "convolution") == 0)
		if (is_transposed(arguments))
			return false;
	double outputs = output_size(arguments, name, x, w);
	struct operand gradient;
	if (isnan(outputs) && work_gradient(arguments, &gradient) && gradient.dims == x->dims &&
	    gradient.dim[1] == w->dim[0])
		outputs = gradient.count;
	return !isnan(outputs) && outputs >= 0 && convolution(work, x, w, outputs, x->count);
}

/* Every input element is multiplied by the filters of its group. */
bool work_conv_transpose(const struct arguments *arguments, const struct model *model,
			 struct work *work)
{
	const struct operand *x = work_operand(arguments, 0), *w = work_operand(arguments, 1);
	(void)model;
	if (!x || !w || x->dims < 3 || w->dims != x->dims || x->dim[1] != w->dim[0] || !w->dim[0])
		return false;
	work->flops = 2 * x->count * w->count / w->dim[0];
	work->bytes = NAN; /* the output size is not among the arguments */
	return true;
}

/*
 * convolution_backward(gradient, input, weight, …, output_mask): input and weight gradients as
 * masked.
 */
bool work_conv_backward(const struct arguments *arguments, const struct model *model,
			struct work *work)
{
	const struct operand *g = work_operand(arguments, 0), *x = work_operand(arguments, 1);
	const struct operand *w = work_operand(arguments, 2);
	double parts = 2;
	(void)model;
	if (!g || !x || !w || g->dims < 3 || x->dims != g->dims || w->dims != g->dims || !w->dim[0])
		return false;
	const struct literal *asked = work_concrete(arguments, 10);
	if (literal_is_sequence(asked) && asked->count == 3)
		parts = (double)(literal_item(asked, 0)->integer + literal_item(asked, 1)->integer);
	bool transposed = x->dim[1] == w->dim[0] && g->dim[1] != w->dim[0];
	work->flops = parts * 2 * (transposed ? x->count : g->count) * w->count / w->dim[0];
	work->bytes = work_bytes(g) + 2 * work_bytes(x) + 2 * work_bytes(w);
	return true;
}

/*
 * …_backward_input(sizes, gradient, weight), and …_backward(input, gradient, weight) around it: the
 * rest of the latter is the weight gradient, of equal work.
 */
bool work_conv_part(const struct arguments *arguments, const struct model *model, struct work *work)
{
	const struct operand *g = work_operand(arguments, 1), *w = work_operand(arguments, 2);
	(void)model;
	if (!g || !w || g->dims < 3 || w->dims != g->dims || !w->dim[0] || g->dim[1] != w->dim[0])
		return false;
	work->flops = 2 * g->count * w->count / w->dim[0];
	work->bytes = NAN;
	return true;
}

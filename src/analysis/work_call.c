/*
 * The models of operators, in one table.
 */
#include "analysis/work.h"
#include "base/literal.h"

#include <math.h>
#include <string.h>

enum { OPERANDS_MOST = 16, DIMS_MOST = 16 };

struct operand {
	double dim[DIMS_MOST];
	size_t dims;
	double count, size; /* elements of it (of a list: of all), bytes of one */
	bool there;
};

struct arguments {
	const struct work_call *call;
	struct arena *arena;
	struct operand operand[OPERANDS_MOST];
	size_t count;
	const struct literal *concrete;
};

struct model {
	const char *names;
	bool (*count)(const struct arguments *arguments, const struct model *model,
		      struct work *work);
	double flops;    /* an element, of elementwise ones */
	int first;       /* index of the first operand that is meant */
	double backward; /* work of the gradient, times that of the call */
};

/* ---- types ---- */

static const struct {
	const char *name;
	int size;
} types[] = {
	{ "float", 4 },
	{ "double", 8 },
	{ "c10::Half", 2 },
	{ "c10::BFloat16", 2 },
	{ "int", 4 },
	{ "long int", 8 },
	{ "long", 8 },
	{ "short int", 2 },
	{ "signed char", 1 },
	{ "unsigned char", 1 },
	{ "bool", 1 },
	{ "c10::Float8_e4m3fn", 1 },
	{ "c10::Float8_e5m2", 1 },
	{ "c10::Float8_e4m3fnuz", 1 },
	{ "c10::Float8_e5m2fnuz", 1 },
	{ "c10::complex<float>", 8 },
	{ "c10::complex<double>", 16 },
	{ "float32", 4 },
	{ "float64", 8 },
	{ "float16", 2 },
	{ "half", 2 },
	{ "bfloat16", 2 },
	{ "int64", 8 },
	{ "int32", 4 },
	{ "int16", 2 },
	{ "int8", 1 },
	{ "uint8", 1 },
};

int work_type_size(const char *type)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, type) == 0)
			return types[i].size;
	return 0;
}

/* ---- arguments ---- */

static const struct literal *parse(struct arena *arena, const char *text)
{
	return text && *text ? literal_parse(arena, text, strlen(text), NULL) : NULL;
}

/* A shape, or a list of shapes whose elements add up. */
static void read_shape(struct operand *operand, const struct literal *shape)
{
	double count = 1, nested = 0;
	bool list = shape->count && literal_is_sequence(literal_item(shape, 0));
	for (size_t i = 0; i < shape->count; i++) {
		const struct literal *item = literal_item(shape, i);
		int64_t dim;
		if (list && literal_is_sequence(item)) {
			struct operand inner = { 0 };
			read_shape(&inner, item);
			nested += inner.count;
		} else if (literal_int(item, &dim) && dim >= 0) {
			count *= (double)dim;
			if (operand->dims < DIMS_MOST)
				operand->dim[operand->dims++] = (double)dim;
		}
	}
	operand->count = list ? nested : count;
	operand->there = shape->count > 0;
}

static void read_arguments(struct arguments *arguments, const struct work_call *call)
{
	const struct literal *shapes = parse(arguments->arena, call->shapes);
	const struct literal *kinds = parse(arguments->arena, call->types);
	arguments->call = call;
	arguments->concrete = parse(arguments->arena, call->concrete);
	arguments->count = literal_is_sequence(shapes) ? shapes->count : 0;
	if (arguments->count > OPERANDS_MOST)
		arguments->count = OPERANDS_MOST;
	for (size_t i = 0; i < arguments->count; i++) {
		struct operand *operand = &arguments->operand[i];
		const struct literal *kind = literal_item(kinds, i);
		if (literal_is_sequence(literal_item(shapes, i)))
			read_shape(operand, literal_item(shapes, i));
		operand->size = NAN;
		if (kind && kind->kind == LITERAL_TEXT && work_type_size(kind->text))
			operand->size = work_type_size(kind->text);
	}
}

static const struct operand *operand_at(const struct arguments *arguments, int at)
{
	bool there = at >= 0 && (size_t)at < arguments->count && arguments->operand[at].there;
	return there ? &arguments->operand[at] : NULL;
}

static double bytes_of(const struct operand *operand)
{
	return operand->count * operand->size;
}

/* Number AT of the values that were recorded as text, or of the list there. */
static bool concrete_int(const struct arguments *arguments, size_t at, size_t inner, double *value)
{
	const struct literal *text = literal_item(arguments->concrete, at);
	const struct literal *item =
		text && text->kind == LITERAL_TEXT ? parse(arguments->arena, text->text) : NULL;
	int64_t number;
	if (literal_is_sequence(item))
		item = literal_item(item, item->count == 1 ? 0 : inner);
	if (!literal_int(item, &number))
		return false;
	*value = (double)number;
	return true;
}

/* ---- matrix products ---- */

static bool product(struct work *work, double batch, double m, double n, double k,
		    const struct operand *a, const struct operand *b)
{
	work->flops = 2 * batch * m * n * k;
	work->bytes = bytes_of(a) + bytes_of(b) + batch * m * n * a->size;
	return true;
}

/* [m, k] × [k, n], with or without a batch in front: mm, addmm, bmm, baddbmm. */
static bool count_product(const struct arguments *arguments, const struct model *model,
			  struct work *work)
{
	const struct operand *a = operand_at(arguments, model->first);
	const struct operand *b = operand_at(arguments, model->first + 1);
	if (!a || !b || a->dims < 2 || a->dims > 3 || b->dims != a->dims)
		return false;
	size_t last = a->dims - 1;
	if (a->dim[last] != b->dim[last - 1] || (last == 2 && a->dim[0] != b->dim[0]))
		return false;
	return product(work, last == 2 ? a->dim[0] : 1, a->dim[last - 1], b->dim[last],
		       a->dim[last], a, b);
}

/* Rows of the first matrix are shared out among the matrices of the second. */
static bool count_grouped(const struct arguments *arguments, const struct model *model,
			  struct work *work)
{
	const struct operand *a = operand_at(arguments, model->first);
	const struct operand *b = operand_at(arguments, model->first + 1);
	if (!a || !b || a->dims != 2 || b->dims != 3 || a->dim[1] != b->dim[1])
		return false;
	return product(work, 1, a->dim[0], b->dim[2], a->dim[1], a, b);
}

/* matmul: vectors, matrices and batches that spread to each other. */
static bool count_matmul(const struct arguments *arguments, const struct model *model,
			 struct work *work)
{
	const struct operand *a = operand_at(arguments, model->first);
	const struct operand *b = operand_at(arguments, model->first + 1);
	if (!a || !b || !a->dims || !b->dims)
		return false;
	double m = a->dims > 1 ? a->dim[a->dims - 2] : 1, k = a->dim[a->dims - 1];
	double n = b->dims > 1 ? b->dim[b->dims - 1] : 1, batch = 1;
	if ((b->dims > 1 ? b->dim[b->dims - 2] : b->dim[0]) != k)
		return false;
	size_t outer_a = a->dims > 2 ? a->dims - 2 : 0, outer_b = b->dims > 2 ? b->dims - 2 : 0;
	for (size_t i = 0; i < outer_a || i < outer_b; i++) {
		double x = i < outer_a ? a->dim[outer_a - 1 - i] : 1;
		double y = i < outer_b ? b->dim[outer_b - 1 - i] : 1;
		if (x != y && x != 1 && y != 1)
			return false;
		batch *= x == 1 ? y : x;
	}
	return product(work, batch, m, n, k, a, b);
}

/* x [.., k], weight [n, k] */
static bool count_linear(const struct arguments *arguments, const struct model *model,
			 struct work *work)
{
	const struct operand *x = operand_at(arguments, 0), *w = operand_at(arguments, 1);
	(void)model;
	if (!x || !w || !x->dims || w->dims != 2 || x->dim[x->dims - 1] != w->dim[1])
		return false;
	double k = w->dim[1];
	return product(work, 1, k ? x->count / k : 0, w->dim[0], k, x, w);
}

/* ---- convolutions ---- */

/* OUTPUTS elements, each from one group's channels under the filter: weight [k, c / groups, r, s…]
 */
static bool convolution(struct work *work, const struct operand *x, const struct operand *w,
			double outputs, double moved)
{
	work->flops = w->dim[0] ? 2 * outputs * w->count / w->dim[0] : 0;
	work->bytes = (moved + outputs) * x->size + bytes_of(w);
	return true;
}

/* Where each operator has stride, padding, dilation among its arguments. */
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
			if (!concrete_int(arguments, conv_orders[i].stride, d - 2, &stride) ||
			    !concrete_int(arguments, conv_orders[i].padding, d - 2, &padding) ||
			    !concrete_int(arguments, conv_orders[i].dilation, d - 2, &dilation) ||
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

static const char *plain_name(const char *name)
{
	return strncmp(name, "aten::", 6) == 0 ? name + 6 : name;
}

static bool is_transposed(const struct arguments *arguments)
{
	const struct literal *flag = literal_item(arguments->concrete, 6);
	return literal_is_text(flag, "True");
}

/* The size of the output follows from the arguments, or is that of the gradient that came back. */
static bool count_conv(const struct arguments *arguments, const struct model *model,
		       struct work *work)
{
	const struct operand *x = operand_at(arguments, 0), *w = operand_at(arguments, 1);
	const char *name = plain_name(arguments->call->name);
	(void)model;
	if (!x || !w || x->dims < 3 || w->dims != x->dims || !w->dim[0])
		return false;
	if (strstr(name, "_convolution") == name || strcmp(name, "convolution") == 0)
		if (is_transposed(arguments))
			return false;
	double outputs = output_size(arguments, name, x, w);
	const struct literal *gradients = parse(arguments->arena, arguments->call->gradient);
	struct operand gradient = { 0 };
	if (literal_is_sequence(literal_item(gradients, 0)))
		read_shape(&gradient, literal_item(gradients, 0));
	if (isnan(outputs) && gradient.dims == x->dims && gradient.dim[1] == w->dim[0])
		outputs = gradient.count;
	return !isnan(outputs) && outputs >= 0 && convolution(work, x, w, outputs, x->count);
}

/* Every input element is multiplied with the filters of its group. */
static bool count_conv_transpose(const struct arguments *arguments, const struct model *model,
				 struct work *work)
{
	const struct operand *x = operand_at(arguments, 0), *w = operand_at(arguments, 1);
	(void)model;
	if (!x || !w || x->dims < 3 || w->dims != x->dims || x->dim[1] != w->dim[0] || !w->dim[0])
		return false;
	work->flops = 2 * x->count * w->count / w->dim[0];
	work->bytes = NAN; /* the size of the output is not among the arguments */
	return true;
}

/* convolution_backward(gradient, input, weight, …, output_mask): input and weight, each if asked.
 */
static bool count_conv_backward(const struct arguments *arguments, const struct model *model,
				struct work *work)
{
	const struct operand *g = operand_at(arguments, 0), *x = operand_at(arguments, 1);
	const struct operand *w = operand_at(arguments, 2);
	const struct literal *mask = literal_item(arguments->concrete, 10);
	double parts = 2;
	(void)model;
	if (!g || !x || !w || g->dims < 3 || x->dims != g->dims || w->dims != g->dims || !w->dim[0])
		return false;
	const struct literal *asked =
		mask && mask->kind == LITERAL_TEXT ? parse(arguments->arena, mask->text) : NULL;
	if (literal_is_sequence(asked) && asked->count == 3)
		parts = (double)(literal_item(asked, 0)->integer + literal_item(asked, 1)->integer);
	bool transposed = x->dim[1] == w->dim[0] && g->dim[1] != w->dim[0];
	work->flops = parts * 2 * (transposed ? x->count : g->count) * w->count / w->dim[0];
	work->bytes = bytes_of(g) + 2 * bytes_of(x) + 2 * bytes_of(w);
	return true;
}

/*
 * …_backward_input(sizes, gradient, weight), and …_backward(input, gradient, weight) around it:
 * what is not the input's gradient there is the weight's, which is as much.
 */
static bool count_conv_part(const struct arguments *arguments, const struct model *model,
			    struct work *work)
{
	const struct operand *g = operand_at(arguments, 1), *w = operand_at(arguments, 2);
	(void)model;
	if (!g || !w || g->dims < 3 || w->dims != g->dims || !w->dim[0] || g->dim[1] != w->dim[0])
		return false;
	work->flops = 2 * g->count * w->count / w->dim[0];
	work->bytes = NAN;
	return true;
}

/* ---- attention: two products over every pair of query and key ---- */

static bool attention(const struct arguments *arguments, const struct model *model, size_t heads,
		      size_t places, struct work *work)
{
	const struct operand *q = operand_at(arguments, model->first);
	const struct operand *k = operand_at(arguments, model->first + 1);
	const struct operand *v = operand_at(arguments, model->first + 2);
	if (!q || !k || !v || q->dims != 4 || k->dims != 4 || v->dims != 4 ||
	    q->dim[3] != k->dim[3])
		return false;
	double pairs = q->dim[0] * q->dim[heads] * q->dim[places] * k->dim[places];
	work->flops = 2 * pairs * (q->dim[3] + v->dim[3]) * model->flops;
	work->bytes = (bytes_of(q) + bytes_of(k) + bytes_of(v) +
		       q->count / (q->dim[3] ? q->dim[3] : 1) * v->dim[3] * q->size) *
		      (model->flops > 1 ? 2 : 1);
	return true;
}

/* [batch, heads, places, size] */
static bool count_attention(const struct arguments *arguments, const struct model *model,
			    struct work *work)
{
	return attention(arguments, model, 1, 2, work);
}

/* [batch, places, heads, size] */
static bool count_flash(const struct arguments *arguments, const struct model *model,
			struct work *work)
{
	return attention(arguments, model, 2, 1, work);
}

/* ---- element by element ---- */

/* All tensors are read and one like the largest is written. */
static bool count_elements(const struct arguments *arguments, const struct model *model,
			   struct work *work)
{
	const struct operand *largest = NULL;
	double bytes = 0;
	for (size_t i = (size_t)model->first; i < arguments->count; i++) {
		const struct operand *operand = operand_at(arguments, (int)i);
		if (!operand)
			continue;
		bytes += bytes_of(operand);
		if (!largest || operand->count > largest->count)
			largest = operand;
	}
	if (!largest)
		return false;
	work->flops = model->flops * largest->count;
	work->bytes = bytes + bytes_of(largest);
	return true;
}

/* The first tensor is read, next to nothing written. */
static bool count_reduction(const struct arguments *arguments, const struct model *model,
			    struct work *work)
{
	const struct operand *x = operand_at(arguments, model->first);
	if (!x)
		return false;
	work->flops = model->flops * x->count;
	work->bytes = bytes_of(x);
	return true;
}

/* The first tensor is written, of the second as much is read. */
static bool count_copy(const struct arguments *arguments, const struct model *model,
		       struct work *work)
{
	const struct operand *to = operand_at(arguments, 0), *from = operand_at(arguments, 1);
	(void)model;
	if (!to)
		return false;
	work->flops = 0;
	work->bytes = to->count * (to->size + (from ? from->size : to->size));
	return true;
}

/* table [rows, size], index: a row is read and written for each. */
static bool count_embedding(const struct arguments *arguments, const struct model *model,
			    struct work *work)
{
	const struct operand *table = operand_at(arguments, 0), *index = operand_at(arguments, 1);
	if (table && index && table->dims != 2 && index->dims == 2) {
		table = operand_at(arguments, 1); /* torch.nn.functional has them so */
		index = operand_at(arguments, 0);
	}
	if (!table || !index || table->dims != 2)
		return false;
	double elements = index->count * table->dim[1];
	work->flops = model->flops * elements;
	work->bytes = bytes_of(index) + (model->flops > 0 ? 1 : 2) * elements * table->size;
	return true;
}

/* ---- the table; the first model of a name counts ---- */

static const struct model models[] = {
	{ "mm _int_mm _scaled_mm", count_product, 0, 0, 2 },
	{ "addmm addmm_ _addmm_activation baddbmm baddbmm_", count_product, 0, 1, 2 },
	{ "bmm", count_product, 0, 0, 2 },
	{ "_grouped_mm _scaled_grouped_mm", count_grouped, 0, 0, 2 },
	{ "matmul __matmul__ mv dot vdot", count_matmul, 0, 0, 2 },
	{ "addmv addmv_", count_matmul, 0, 1, 2 },
	{ "linear", count_linear, 0, 0, 2 },
	{ "conv1d conv2d conv3d convolution _convolution cudnn_convolution miopen_convolution "
	  "mkldnn_convolution _convolution_mode",
	  count_conv, 0, 0, 2 },
	{ "conv_transpose1d conv_transpose2d conv_transpose3d cudnn_convolution_transpose "
	  "miopen_convolution_transpose",
	  count_conv_transpose, 0, 0, 2 },
	{ "convolution_backward", count_conv_backward, 0, 0, 0 },
	{ "cudnn_convolution_backward_input cudnn_convolution_backward", count_conv_part, 0, 0, 0 },
	{ "scaled_dot_product_attention _scaled_dot_product_flash_attention "
	  "_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention "
	  "_scaled_dot_product_attention_math",
	  count_attention, 1, 0, 2.5 },
	{ "_scaled_dot_product_flash_attention_backward "
	  "_scaled_dot_product_efficient_attention_backward "
	  "_scaled_dot_product_cudnn_attention_backward",
	  count_attention, 2.5, 1, 0 },
	{ "_flash_attention_forward _efficient_attention_forward", count_flash, 1, 0, 2.5 },
	{ "_flash_attention_backward _efficient_attention_backward", count_flash, 2.5, 1, 0 },
	{ "abs abs_ neg neg_ reciprocal ceil clamp clamp_ clamp_min clamp_max floor round sign trunc "
	  "add add_ sub sub_ rsub mul mul_ div div_ remainder fmod __add__ __radd__ __iadd__ __sub__ "
	  "__rsub__ __isub__ __mul__ __rmul__ __imul__ __truediv__ __rtruediv__ __itruediv__ lt gt "
	  "ge le eq ne lt_ gt_ ge_ le_ eq_ ne_ bitwise_and bitwise_or bitwise_not logical_and "
	  "logical_or logical_not where maximum minimum relu relu_ relu6 hardtanh hardtanh_ "
	  "leaky_relu leaky_relu_ threshold threshold_ masked_fill masked_fill_ threshold_backward",
	  count_elements, 1, 0, 1 },
	{ "exp exp_ log log_ log2 log10 log1p expm1 sin cos tan tanh tanh_ sigmoid sigmoid_ sqrt sqrt_ "
	  "rsqrt rsqrt_ erf erfc pow pow_ __pow__ elu gelu silu silu_ mish softplus gelu_backward "
	  "silu_backward tanh_backward sigmoid_backward",
	  count_elements, 20, 0, 1 },
	{ "addcdiv addcdiv_ addcmul addcmul_", count_elements, 3, 0, 1 },
	{ "lerp lerp_", count_elements, 3, 0, 1 },
	{ "softmax _softmax", count_elements, 40, 0, 1 },
	{ "_softmax_backward_data", count_elements, 4, 0, 1 },
	{ "log_softmax _log_softmax _log_softmax_backward_data", count_elements, 21, 0, 1 },
	{ "dropout dropout_ native_dropout _fused_dropout", count_elements, 5, 0, 1 },
	{ "native_dropout_backward", count_elements, 2, 0, 1 },
	{ "batch_norm native_batch_norm cudnn_batch_norm miopen_batch_norm _batch_norm_impl_index "
	  "layer_norm native_layer_norm group_norm native_group_norm instance_norm "
	  "native_batch_norm_backward cudnn_batch_norm_backward native_layer_norm_backward "
	  "native_group_norm_backward",
	  count_elements, 8, 0, 1.25 },
	{ "rms_norm _fused_rms_norm _fused_rms_norm_backward", count_elements, 5, 0, 1.25 },
	{ "sum mean norm linalg_vector_norm amax amin argmax argmin max min any all prod",
	  count_reduction, 1, 0, 1 },
	{ "var std var_mean std_mean", count_reduction, 4, 0, 1 },
	{ "_foreach_add_ _foreach_add _foreach_mul_ _foreach_mul _foreach_div_ _foreach_div "
	  "_foreach_sub_ _foreach_sub _foreach_neg _foreach_neg_",
	  count_elements, 1, 0, 0 },
	{ "_foreach_addcdiv_ _foreach_addcmul_ _foreach_addcdiv _foreach_addcmul _foreach_lerp_",
	  count_elements, 3, 0, 0 },
	{ "_foreach_sqrt _foreach_sqrt_ _foreach_pow", count_elements, 20, 0, 0 },
	{ "_foreach_norm", count_reduction, 2, 0, 0 },
	{ "_fused_adam_ _fused_adamw_", count_elements, 12, 0, 0 },
	{ "_fused_sgd_", count_elements, 4, 0, 0 },
	{ "copy_ _to_copy clone contiguous", count_copy, 0, 0, 1 },
	{ "zero_ fill_ zeros_like ones_like _foreach_zero_", count_reduction, 0, 0, 0 },
	{ "embedding", count_embedding, 0, 0, 1.5 },
	{ "embedding_bag _embedding_bag _embedding_bag_forward_only", count_embedding, 1, 0, 1 },
};

static bool is_listed(const char *names, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = names; (at = strstr(at, name)); at += length)
		if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static const struct model *find_model(const char *name)
{
	for (size_t i = 0; *name && i < sizeof models / sizeof *models; i++)
		if (is_listed(models[i].names, name))
			return &models[i];
	return NULL;
}

bool work_of_call(const struct work_call *call, struct work *work)
{
	struct arguments arguments = { 0 };
	const struct model *model = find_model(plain_name(call->name));
	if (!model || !call->shapes || !*call->shapes || (call->backward && !model->backward))
		return false;
	arguments.arena = arena_new();
	read_arguments(&arguments, call);
	bool known = model->count(&arguments, model, work);
	arena_free(arguments.arena);
	if (known && call->backward) {
		work->flops *= model->backward;
		work->bytes *= model->backward;
	}
	return known;
}

/*
 * Table of operator models.
 */
#include "analysis/work/work_private.h"

#include <math.h>
#include <string.h>

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

/* A shape, or a list of shapes, whose elements are added. */
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
			if (operand->dims < DIMS_MAX)
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
	if (arguments->count > OPERANDS_MAX)
		arguments->count = OPERANDS_MAX;
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

const struct operand *work_operand(const struct arguments *arguments, int at)
{
	bool there = at >= 0 && (size_t)at < arguments->count && arguments->operand[at].there;
	return there ? &arguments->operand[at] : NULL;
}

double work_bytes(const struct operand *operand)
{
	return operand->count * operand->size;
}

const struct literal *work_concrete(const struct arguments *arguments, size_t at)
{
	const struct literal *text = literal_item(arguments->concrete, at);
	return text && text->kind == LITERAL_TEXT ? parse(arguments->arena, text->text) : NULL;
}

bool work_concrete_int(const struct arguments *arguments, size_t at, size_t inner, double *value)
{
	const struct literal *item = work_concrete(arguments, at);
	int64_t number;
	if (literal_is_sequence(item))
		item = literal_item(item, item->count == 1 ? 0 : inner);
	if (!literal_int(item, &number))
		return false;
	*value = (double)number;
	return true;
}

bool work_gradient(const struct arguments *arguments, struct operand *out)
{
	const struct literal *shapes = parse(arguments->arena, arguments->call->gradient);
	*out = (struct operand){ 0 };
	if (literal_is_sequence(literal_item(shapes, 0)))
		read_shape(out, literal_item(shapes, 0));
	return out->dims > 0;
}

const char *work_plain_name(const char *name)
{
	return strncmp(name, "aten::", 6) == 0 ? name + 6 : name;
}

/* ---- matrix products ---- */

static bool product(struct work *work, double batch, double m, double n, double k,
		    const struct operand *a, const struct operand *b)
{
	work->flops = 2 * batch * m * n * k;
	work->bytes = work_bytes(a) + work_bytes(b) + batch * m * n * a->size;
	return true;
}

/* [m, k] × [k, n], optionally batched: mm, addmm, bmm, baddbmm. */
static bool count_product(const struct arguments *arguments, const struct model *model,
			  struct work *work)
{
	const struct operand *a = work_operand(arguments, model->first);
	const struct operand *b = work_operand(arguments, model->first + 1);
	if (!a || !b || a->dims < 2 || a->dims > 3 || b->dims != a->dims)
		return false;
	size_t last = a->dims - 1;
	if (a->dim[last] != b->dim[last - 1] || (last == 2 && a->dim[0] != b->dim[0]))
		return false;
	return product(work, last == 2 ? a->dim[0] : 1, a->dim[last - 1], b->dim[last],
		       a->dim[last], a, b);
}

/* The rows of the first matrix are distributed over the matrices of the second. */
static bool count_grouped(const struct arguments *arguments, const struct model *model,
			  struct work *work)
{
	const struct operand *a = work_operand(arguments, model->first);
	const struct operand *b = work_operand(arguments, model->first + 1);
	if (!a || !b || a->dims != 2 || b->dims != 3 || a->dim[1] != b->dim[1])
		return false;
	return product(work, 1, a->dim[0], b->dim[2], a->dim[1], a, b);
}

/* matmul: vectors, matrices and broadcast batches. */
static bool count_matmul(const struct arguments *arguments, const struct model *model,
			 struct work *work)
{
	const struct operand *a = work_operand(arguments, model->first);
	const struct operand *b = work_operand(arguments, model->first + 1);
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
	const struct operand *x = work_operand(arguments, 0), *w = work_operand(arguments, 1);
	(void)model;
	if (!x || !w || !x->dims || w->dims != 2 || x->dim[x->dims - 1] != w->dim[1])
		return false;
	double k = w->dim[1];
	return product(work, 1, k ? x->count / k : 0, w->dim[0], k, x, w);
}

/* ---- attention: two products per pair of query and key ---- */

static bool attention(const struct arguments *arguments, const struct model *model, size_t heads,
		      size_t places, struct work *work)
{
	const struct operand *q = work_operand(arguments, model->first);
	const struct operand *k = work_operand(arguments, model->first + 1);
	const struct operand *v = work_operand(arguments, model->first + 2);
	if (!q || !k || !v || q->dims != 4 || k->dims != 4 || v->dims != 4 ||
	    q->dim[3] != k->dim[3])
		return false;
	double pairs = q->dim[0] * q->dim[heads] * q->dim[places] * k->dim[places];
	work->flops = 2 * pairs * (q->dim[3] + v->dim[3]) * model->flops;
	work->bytes = (work_bytes(q) + work_bytes(k) + work_bytes(v) +
		       q->count / (q->dim[3] ? q->dim[3] : 1) * v->dim[3] * q->size) *
		      (model->flops > 1 ? 2 : 1);
	return true;
}

/* [batch, heads, positions, size] */
static bool count_attention(const struct arguments *arguments, const struct model *model,
			    struct work *work)
{
	return attention(arguments, model, 1, 2, work);
}

/* [batch, positions, heads, size] */
static bool count_flash(const struct arguments *arguments, const struct model *model,
			struct work *work)
{
	return attention(arguments, model, 2, 1, work);
}

/* ---- elementwise ---- */

/* All tensors are read, and one of the largest size is written. */
static bool count_elements(const struct arguments *arguments, const struct model *model,
			   struct work *work)
{
	const struct operand *largest = NULL;
	double bytes = 0;
	for (size_t i = (size_t)model->first; i < arguments->count; i++) {
		const struct operand *operand = work_operand(arguments, (int)i);
		if (!operand)
			continue;
		bytes += work_bytes(operand);
		if (!largest || operand->count > largest->count)
			largest = operand;
	}
	if (!largest)
		return false;
	work->flops = model->flops * largest->count;
	work->bytes = bytes + work_bytes(largest);
	return true;
}

/* The first tensor is read; the output is negligible. */
static bool count_reduction(const struct arguments *arguments, const struct model *model,
			    struct work *work)
{
	const struct operand *x = work_operand(arguments, model->first);
	if (!x)
		return false;
	work->flops = model->flops * x->count;
	work->bytes = work_bytes(x);
	return true;
}

/* The first tensor is written, and as much of the second is read. */
static bool count_copy(const struct arguments *arguments, const struct model *model,
		       struct work *work)
{
	const struct operand *to = work_operand(arguments, 0), *from = work_operand(arguments, 1);
	(void)model;
	if (!to)
		return false;
	work->flops = 0;
	work->bytes = to->count * (to->size + (from ? from->size : to->size));
	return true;
}

/*
 * ---- the table; the first model of a name is used ----
 *
 * Omitted: operators whose work depends on values (topk, sort, unique, nonzero, masks, index lists)
 * and views, which move nothing.
 */

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
	  work_conv, 0, 0, 2 },
	{ "conv_transpose1d conv_transpose2d conv_transpose3d cudnn_convolution_transpose "
	  "miopen_convolution_transpose",
	  work_conv_transpose, 0, 0, 2 },
	{ "convolution_backward", work_conv_backward, 0, 0, 0 },
	{ "cudnn_convolution_backward_input cudnn_convolution_backward", work_conv_part, 0, 0, 0 },
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
	{ "cumsum cumsum_ cumprod cumprod_ _prelu_kernel prelu nan_to_num square floor_divide "
	  "hardsigmoid hardsigmoid_ hardswish hardswish_ logical_xor bitwise_xor",
	  count_elements, 1, 0, 1 },
	{ "log_sigmoid log_sigmoid_forward logsumexp logaddexp", count_elements, 40, 0, 1 },
	{ "tril triu flip roll repeat", count_elements, 0, 0, 1 },
	{ "uniform_ normal_ random_ bernoulli_ exponential_", count_reduction, 0, 0, 0 },
	{ "max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices "
	  "max_pool3d_with_indices avg_pool1d avg_pool2d avg_pool3d",
	  work_pool, 0, 0, 1 },
	{ "max_pool2d_with_indices_backward max_pool3d_with_indices_backward avg_pool2d_backward "
	  "avg_pool3d_backward _adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward "
	  "adaptive_max_pool2d_backward adaptive_max_pool3d_backward",
	  work_pool_backward, 0, 0, 0 },
	{ "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d _adaptive_avg_pool2d "
	  "_adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
	  work_adaptive_pool, 0, 0, 1 },
	{ "upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d "
	  "_upsample_nearest_exact2d _upsample_nearest_exact3d",
	  work_resize, 1, 0, 1 },
	{ "upsample_linear1d", work_resize, 2, 0, 1 },
	{ "upsample_bilinear2d _upsample_bilinear2d_aa", work_resize, 4, 0, 1 },
	{ "upsample_trilinear3d", work_resize, 8, 0, 1 },
	{ "upsample_bicubic2d _upsample_bicubic2d_aa", work_resize, 16, 0, 1 },
	{ "upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward",
	  work_resize_backward, 1, 0, 0 },
	{ "upsample_linear1d_backward", work_resize_backward, 2, 0, 0 },
	{ "upsample_bilinear2d_backward", work_resize_backward, 4, 0, 0 },
	{ "upsample_trilinear3d_backward", work_resize_backward, 8, 0, 0 },
	{ "upsample_bicubic2d_backward", work_resize_backward, 16, 0, 0 },
	{ "nll_loss nll_loss_nd nll_loss2d nll_loss_forward nll_loss2d_forward", work_class_loss, 0,
	  3, 1 },
	{ "nll_loss_backward nll_loss2d_backward", work_class_loss_backward, 0, 0, 0 },
	{ "cross_entropy_loss cross_entropy", work_cross_entropy, 21, 0, 1 },
	{ "mse_loss l1_loss", work_loss, 2, 2, 1 },
	{ "smooth_l1_loss huber_loss", work_loss, 5, 2, 1 },
	{ "kl_div", work_loss, 22, 2, 1 },
	{ "soft_margin_loss", work_loss, 43, 2, 1 },
	{ "binary_cross_entropy", work_loss, 45, 3, 1 },
	{ "binary_cross_entropy_with_logits", work_loss, 45, 4, 1 },
	{ "mse_loss_backward l1_loss_backward", count_elements, 3, 0, 0 },
	{ "smooth_l1_loss_backward huber_loss_backward", count_elements, 4, 0, 0 },
	{ "binary_cross_entropy_backward", count_elements, 6, 0, 0 },
	{ "index_select", work_index_select, 0, 0, 1 },
	{ "gather", work_gather, 0, 0, 1 },
	{ "scatter scatter_", work_scatter, 0, 0, 1 },
	{ "scatter_add scatter_add_", work_scatter, 1, 0, 1 },
	{ "index_add index_add_", work_scatter, 1, 3, 1 },
	{ "cat concat stack", work_join, 0, 0, 1 },
	{ "lstm gru rnn_tanh rnn_relu", work_recurrent, 0, 2, 2 },
	{ "_cudnn_rnn miopen_rnn _cudnn_rnn_backward", work_recurrent, 0, 1, 2 },
	{ "embedding_dense_backward", work_embedding_backward, 0, 0, 0 },
	{ "embedding", work_embedding, 0, 0, 1.5 },
	{ "embedding_bag _embedding_bag _embedding_bag_forward_only", work_embedding, 1, 0, 1 },
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
	const struct model *model = find_model(work_plain_name(call->name));
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

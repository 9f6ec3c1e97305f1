#include "derived/tensor_core.h"

#include "base/any_of.h"
#include "base/pattern.h"
#include "base/pattern_literals.h"
#include "base/text_slice.h"

#include <ctype.h>
#include <string.h>

/* Where a rule looks: the whole name, or only what precedes template arguments and parameters. */
enum tensor_core_part { WHOLE, HEAD };

/* The first matching rule decides, ignoring case; without a match the use is unknown. */
static const struct {
	enum tensor_use use;
	enum tensor_core_part part;
	const char *pattern;
} kernel_rules[] = {
	/* helpers of products and of attention: partial sums, layouts, offsets, quantization */
	{ TENSOR_NO, WHOLE,
	  "splitk_?reduce|reduce_?splitk|postgsu|offsetskernel|nchwtonhwc|nhwctonchw"
	  "|kernel_helper_stage|reduce_wgrad|compute_gemm_pointers|epilogue::impl::globalkernel"
	  "|subtensorop|finalize_?matmul|finalizekernel|repack" },
	{ TENSOR_NO, WHOLE,
	  "flash_fwd_splitkv_combine|flash_bwd_(dot_do_o|convert|clear)|splitkvcombine|dotdoo"
	  "|flashattn(fwdcombine|bwdpreprocess|bwdpostprocess)|appendkv|bwd_preprocess"
	  "|paged_attention_\\w*reduce|cp_mha_gather|fmha_?(fwd|bwd)?_?(convert|reduction)" },
	{ TENSOR_NO, WHOLE, "fmha_cutlass[fb]_(\\w*_sm[56]0|f32_\\w*_sm7)" },
	/* generated elementwise and reduction kernels contain no matrix product */
	{ TENSOR_NO, HEAD, "^triton_(poi|red|per|for)_" },
	/* products on ordinary cores */
	{ TENSOR_NO, WHOLE, "(?<![a-z])(simt|ffma|dfma)(?![a-z])|_ffma|opclasssimt|universalfma" },
	{ TENSOR_NO, WHOLE, "winograd|sp3asmconv|gemv(?!er)|depthwise|grouped_direct" },
	{ TENSOR_NO, HEAD,
	  "(?<![a-z0-9])(s|h|c|z|gc)(gemm|cudnn)|(volta|turing|pascal|maxwell|kepler)_dgemm"
	  "|gemmsn_[nt][nt]|gemmk1_|^(void )?(dot|scal)_kernel|gemm_half_q_half"
	  "|(wgrad|dgrad)(2d)?_(alg[01]_)?(engine|alg1)|naive_conv|miopenconv|gcnasmconv" },
	/* instructions and tile shapes in names of cuBLAS, cuDNN, CUTLASS */
	{ TENSOR_YES, WHOLE,
	  "(?<![a-z])(bs)?tensorop(?![a-z])|opclass(bs|wmma)?tensorop|tensor[0-9]+x[0-9]+x[0-9]+"
	  "|tcgen05|nvjet_|mma_?[0-9]+x[0-9]+x[0-9]+|mainloopsm(8|9|10|12)[0-9]|tma(g|u)mma" },
	{ TENSOR_YES, WHOLE, "(?<![a-z])(h|i|b|d|q|u|w|g|wg|ut|utc|s|c)mma(?![a-z])" },
	{ TENSOR_YES, WHOLE, "(?<![a-z])m[0-9]+n[0-9]+k[0-9]+" },
	{ TENSOR_YES, WHOLE,
	  "(?<![0-9])(884|1688|16816|16832|16864|161616|8816|8832|88128|161168|168128|168256)"
	  "(?=gemm|cudnn|conv|fprop|dgrad|wgrad|bgemm|sp|_)" },
	{ TENSOR_YES, WHOLE,
	  "sm(7|8|9|10|12)[0-9]_xmma_\\w*(gemm|fprop|dgrad|wgrad|conv)"
	  "|xmma_(cudnn::)?(gemm|sparse|implicit|warp_special)|xmma_cudnn::implicit_gemm" },
	{ TENSOR_YES, WHOLE, "first_layer_wgrad_kernel|dgrad_1x1_stride_2x2|conv2d_c1_k1" },
	/* attention, quantized and grouped products */
	{ TENSOR_YES, WHOLE,
	  "flash_(fwd|bwd)|flash::|flashattn(fwd|bwd)|fmha(?!ttn)|sdpa_sm|_sdpa_|mha_(fwd|bwd)"
	  "|(batch|single)prefillwith" },
	{ TENSOR_YES, WHOLE,
	  "(?<![a-z])(attn|sage)_(fwd|bwd)(?![a-z])|^bwd_kernel_(dk_dv|dq|fuse)" },
	{ TENSOR_YES, WHOLE, "marlin|awq_gemm|deep_gemm::\\w*gemm|machete" },
	{ TENSOR_YES, HEAD, "^(bmm|gemm)_\\w*_t[0-9]+x[0-9]+x[0-9]+\\w*_sm(9|10|12)[0-9]" },
	/* AMD: matrix instructions in names of Tensile, MIOpen, Composable Kernel */
	{ TENSOR_YES, WHOLE,
	  "cijk_.*_mi[0-9]+x[0-9]+|mfma|(?<![a-z])xdl(ops)?(?![a-z])|[a-z]*xdlops|_gtcx[0-9]?_" },
	{ TENSOR_NO, WHOLE, "cijk_.*_tt[0-9]+_[0-9]+|gridwise_convolution_" },
	/* parts of frameworks without a product */
	{ TENSOR_NO, HEAD,
	  "^(void )?(at::native::|at::cuda::|at_cuda_detail::|cub::|thrust::|rocprim::|hipcub::"
	  "|cudnn::(detail|cnn|ops|gemm|winograd\\w*|engines_precompiled)::(bn_|\\w*tensor)"
	  "|cutensor\\w*::permut|fbgemm_gpu::.*(permute|offset|quantize|qparam|to_float)|apex_\\w+::)" },
	{ TENSOR_NO, HEAD, "nccl|rccl|nvshmem|all_?reduce|multi_tensor_apply|split_embedding" },
	{ TENSOR_NO, HEAD,
	  "moe_(align|sum|topk)|topk|routing|sampling|kv_?cache|cache_(flash_)?kernel" },
	{ TENSOR_NO, HEAD, "(lstm|gru)_cell|indexing|linearize|convert" },
	/* a product, convolution or attention that does not say how it is computed */
	{ TENSOR_UNKNOWN, HEAD,
	  "matmul|gemm|(?<![a-z])b?mm(?![a-z])|conv|att(entio)?n|mha|mla|moe|mlp|linear|einsum"
	  "|prefill|decode|wgrad|dgrad|fprop|lstm|gru|rnn|(?<![a-z])dot(?![a-z])|triton_(tem|mm)" },
	/* names of pointwise work, reductions, normalization, indexing, copies */
	{ TENSOR_NO, HEAD,
	  "elementwise|pointwise|vectorized|reduce|reduction|softmax|(layer|rms|batch|group|instance)_?norm"
	  "|(?<![a-z])bn_(fw|bw)|rotary|rope(?![a-z])|embedding|gather|scatter|index|copy|memcpy|memset" },
	{ TENSOR_NO, HEAD,
	  "fill|transpose|permut|sort|scan|histogram|cumsum|random|philox|dropout|(?<![a-z])adam"
	  "|pool|im2(d2)?col|col2im|(?<![a-z])fft|quant|act_and_mul|silu|gelu|swiglu|sigmoid|relu" },
	{ TENSOR_NO, HEAD,
	  "nllcriterion|cross_entropy|upsample|bounds_check|flip_filter|calc_bias|reformat|optensor"
	  "|op[1-5]d?tensor|spin_kernel|[sd]axpy|bitmatrix|kv_indices|page_indices|position_kernel"
	  "|token_ids|mult_and_sum_complex|to_dense|tensor4d|segments" },
};

/* Operators that are matrix products, convolutions or attention, forward and backward. */
static const char operator_pattern[] =
	"^(aten::)?(_?convolution(_overrideable)?|conv[123]d|conv_tbc|conv_transpose[123]d"
	"|(cudnn|miopen|mkldnn)_convolution\\w*|convolution_backward\\w*|prelu|addmm_?|addmv|addr"
	"|matmul|mm|mv|linear|linear_backward|addbmm|baddbmm_?|bmm|chain_matmul"
	"|linalg_multi_dot|_thnn_fused_(lstm|gru)_cell\\w*|(lstm|gru)_cell|rnn_(tanh|relu)_cell"
	"|lstm|gru|_cudnn_rnn\\w*|_scaled_mm|_grouped_mm|_scaled_grouped_mm|einsum"
	"|scaled_dot_product\\w*|_scaled_dot_product\\w*|_flash_attention\\w*"
	"|_efficient_attention\\w*|_addmm_activation|_int_mm)$"
	"|^(Cudnn)?(Convolution|ConvolutionTranspose)(Backward|OverrideableBackward)[0-9]*$"
	"|^(Mm|Bmm|Addmm|Addmv|Addbmm|Baddbmm|Mv|Linear|ScaledDotProduct\\w*)Backward[0-9]*$";

/* Operators, and their gradients, whose own kernels compute no matrix product. */
static const char never_pattern[] =
	"^(aten::)?_?(foreach_|fused_(adam|adamw|sgd|adagrad)|amp_|softmax|log_softmax|index|embedding"
	"|scatter|gather|cat|stack|copy|to_copy|fill|zero|pad|constant_pad|reflection_pad|local_scalar"
	"|masked|adaptive_(avg|max)|native_(layer|batch|group|dropout)|(cudnn|miopen)_batch_norm)\\w*$"
	"|^(aten::)?(add|sub|rsub|mul|div|neg|abs|pow|sqrt|rsqrt|exp2?|expm1|log(1p|2|10)?|sin|cos|tanh?"
	"|sigmoid|silu|gelu|relu6?|elu|leaky_relu|hard(tanh|swish|sigmoid)|softplus|mish|threshold|erf"
	"|clamp(_min|_max)?|clip|minimum|maximum|where|eq|ne|lt|le|gt|ge|logical_\\w+|bitwise_\\w+"
	"|floor|ceil|round|trunc|sign|reciprocal|remainder|fmod|lerp|addcmul|addcdiv|isnan|isfinite"
	"|sum|mean|prod|std|var(_mean)?|amax|amin|max|min|argmax|argmin|all|any|norm|linalg_vector_norm"
	"|cumsum|cumprod|sort|topk|unique2?|nonzero|argsort|bincount|histc|searchsorted|bucketize"
	"|(layer|group|batch|instance|rms)_norm|dropout|(max|avg)_pool[123]d\\w*|upsample_\\w+|roll"
	"|flip|repeat|repeat_interleave|arange|linspace|tril|triu|eye|ones|zeros|full|uniform|normal"
	"|bernoulli|random|randn?|randint|randperm|exponential|multinomial|nll_loss\\w*|mse_loss\\w*"
	"|cross_entropy_loss|binary_cross_entropy\\w*|smooth_l1_loss\\w*|clone|contiguous|to|resize"
	"|grid_sampler_[23]d|glu|take|take_along_dim|slice|select|split|chunk|one_hot|nan_to_num)"
	"_?(_backward(_data)?|_forward)?$"
	"|^(Add|Sub|Mul|Div|Neg|Abs|Pow|Sqrt|Rsqrt|Exp|Log|Tanh|Sigmoid|Silu|Gelu|Relu|Clamp|Where|Sum"
	"|Mean|Max|Min|Norm|Cat|Stack|Copy|ToCopy|Clone|Slice|Select|Index|Gather|Scatter|Embedding"
	"|Softmax|LogSoftmax|Native(LayerNorm|BatchNorm|GroupNorm|Dropout)|CudnnBatchNorm|NllLoss"
	"|MseLoss|MaxPool2DWithIndices|AvgPool2D|UpsampleNearest2D|Expand|Repeat|Masked\\w+)"
	"Backward[0-9]*$";

/* Devices from before tensor and matrix cores. GeForce GTX includes 16xx of Turing's generation. */
static const char never_device_pattern[] =
	"(?<![A-Za-z0-9])(K[0-9]+[mc]?|M(4|6|10|40|60)|P(4|6|40|100)|GTX|MI(6|8|25|50|60)|Radeon VII)"
	"(?![A-Za-z0-9])";

enum { KERNEL_RULES = sizeof kernel_rules / sizeof *kernel_rules };

/* Compiled when first used: most profiles need a few. */
struct rule {
	const char *text;
	struct pattern *pattern;
};

/* A rule of kernels and what names must contain for it. */
struct kernel_rule {
	struct rule rule;
	struct pattern_literals literals;
};

struct tensor_rules {
	struct kernel_rule kernels[KERNEL_RULES];
	struct rule operators, never_operators, never_devices;
};

const char *tensor_use_name(enum tensor_use use)
{
	return use == TENSOR_YES ? "yes" : use == TENSOR_NO ? "no" : NULL;
}

struct tensor_rules *tensor_rules_new(void)
{
	struct tensor_rules *rules = mem_zalloc(1, sizeof *rules);
	for (size_t i = 0; i < KERNEL_RULES; i++) {
		rules->kernels[i].rule.text = kernel_rules[i].pattern;
		pattern_literals_find(&rules->kernels[i].literals, kernel_rules[i].pattern);
	}
	rules->operators.text = operator_pattern;
	rules->never_operators.text = never_pattern;
	rules->never_devices.text = never_device_pattern;
	return rules;
}

void tensor_rules_free(struct tensor_rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < KERNEL_RULES; i++)
		pattern_free(rules->kernels[i].rule.pattern);
	pattern_free(rules->operators.pattern);
	pattern_free(rules->never_operators.pattern);
	pattern_free(rules->never_devices.pattern);
	mem_free(rules);
}

static bool tensor_core_matches(struct rule *rule, const char *text, size_t length)
{
	if (!rule->pattern)
		rule->pattern = pattern_new_rule(rule->text);
	return rule->pattern && pattern_match(rule->pattern, text, length, NULL, NULL);
}

/* ---- kernels ---- */

static size_t skip(const char *name, size_t at, size_t length, const char *prefix)
{
	size_t size = strlen(prefix);
	return length - at >= size && memcmp(name + at, prefix, size) == 0 ? at + size : at;
}

/*
 * The bytes FROM to the result are the qualified name of a demangled function: without the return
 * type of an enable_if, template arguments and parameters. A mangled name has no such end.
 */
static size_t head_of(const char *name, size_t length, size_t *from)
{
	static const char result[] = "::type ";
	const char *type = length > 3 && !memcmp(name, "std", 3)
				   ? memmem(name, length, result, sizeof result - 1)
				   : NULL;
	size_t at = *from = type ? (size_t)(type - name) + sizeof result - 1 : 0;
	while (at < length) {
		size_t next = skip(name, at, length, "(anonymous namespace)");
		next = skip(name, next, length, "<unnamed>");
		if (next == at && strchr("<(", name[at]) && name[at])
			break;
		at = next == at ? at + 1 : next;
	}
	return at;
}

/* A text that rules are tried on. */
struct tensor_core_subject {
	const char *text;
	size_t length;
	struct letter_pairs pairs;
};

static bool kernel_matches(struct kernel_rule *rule, const struct tensor_core_subject *subject)
{
	return pattern_literals_fit(&rule->literals, &subject->pairs) &&
	       tensor_core_matches(&rule->rule, subject->text, subject->length);
}

enum tensor_use tensor_use_of_kernel(struct tensor_rules *rules, const char *name, size_t length)
{
	size_t from, end = head_of(name, length, &from);
	struct tensor_core_subject whole = { .text = name, .length = length };
	struct tensor_core_subject head = { .text = name + from, .length = end - from };
	letter_pairs_of(&whole.pairs, whole.text, whole.length);
	letter_pairs_of(&head.pairs, head.text, head.length);
	for (size_t i = 0; i < KERNEL_RULES; i++)
		if (kernel_matches(&rules->kernels[i],
				   kernel_rules[i].part == HEAD ? &head : &whole))
			return kernel_rules[i].use;
	return TENSOR_UNKNOWN;
}

/* ---- operators, types, devices ---- */

bool tensor_types_fit(const char *types)
{
	static const char *const unfit[] = { "\"double\"", "\"long", "\"int\"", "\"bool\"",
					     "complex" };
	if (strcasestr(types, "half") || strcasestr(types, "bfloat16") ||
	    strcasestr(types, "float8") || strcasestr(types, "char") || strstr(types, "\"float\""))
		return true;
	return !any_of(i, sizeof unfit / sizeof *unfit, strstr(types, unfit[i]));
}

bool tensor_types_never(const char *types)
{
	static const char *const wide[] = { "long int", "long",  "int",   "short int", "short",
					    "bool",     "int64", "int32", "int16" };
	const char *at = strchr(types, '"');
	size_t length = at ? strcspn(at + 1, "\"") : 0;
	return any_of(i, sizeof wide / sizeof *wide, at && text_is(at + 1, length, wide[i]));
}

/* Both rules of operators match names of these bytes alone: most others need no expression. */
static bool is_plain_name(const char *name, size_t length)
{
	return !any_of(i, length, !isalnum((unsigned char)name[i]) && !strchr("_:\n", name[i]));
}

bool tensor_operator(struct tensor_rules *rules, const char *name, size_t length)
{
	return is_plain_name(name, length) && tensor_core_matches(&rules->operators, name, length);
}

bool tensor_judges_operator(const char *name)
{
	return strncmp(name, "aten::", 6) == 0 || strncmp(name, "autograd::", 10) == 0 ||
	       strstr(name, "Backward") || strncmp(name, "Optimizer.", 10) == 0;
}

bool tensor_never_operator(struct tensor_rules *rules, const char *name, size_t length)
{
	return is_plain_name(name, length) &&
	       tensor_core_matches(&rules->never_operators, name, length);
}

bool tensor_never_device(struct tensor_rules *rules, const char *name, int64_t major)
{
	enum { TENSOR_MAJOR = 7 }; /* Volta */
	return (major != NO_VALUE && major > 0 && major < TENSOR_MAJOR) ||
	       tensor_core_matches(&rules->never_devices, name, strlen(name));
}

#include "facts/tensor_core.h"

#include "base/pattern.h"

#include <string.h>

/* The first matching rule decides; without a match a kernel does not use tensor cores. */
static const struct {
	enum tensor_use use;
	const char *pattern; /* matched against the kernel name, ignoring case */
} kernel_rules[] = {
	/* helpers of matrix products, and products on ordinary cores */
	{ TENSOR_NO, "splitk_?reduce|reduce_?splitk|offsetskernel|nchwtonhwc|nhwctonchw" },
	{ TENSOR_NO, "(?<![a-z])(simt|ffma|dfma)(?![a-z])|_ffma|winograd|gemv" },
	/* generated elementwise and reduction kernels contain no matrix product */
	{ TENSOR_NO, "^triton_(poi|red|per)_|^_?(attn_)?bwd_preprocess" },
	{ TENSOR_UNKNOWN, "triton|_[0-9]+d[0-9]+d" },
	/* instructions and tile shapes in names of cuBLAS, cuDNN, CUTLASS */
	{ TENSOR_YES, "tensorop|tensor[0-9]+x[0-9]+x[0-9]+|tcgen05|nvjet|cutlass3x" },
	{ TENSOR_YES, "(?<![a-z])(h|i|b|d|q|u|w|g|wg|ut|utc|s|c)mma(?![a-z])" },
	{ TENSOR_YES, "(?<![0-9])(884|1688|16816|16832|16864|161616|8816|8832|88128|161168|168128)"
		      "(?![0-9])" },
	{ TENSOR_YES, "sm(7|8|9|10|12)[0-9]_xmma|xmma_(gemm|sparse|implicit|warp_special)" },
	{ TENSOR_YES, "first_layer_wgrad_kernel|dgrad_1x1_stride_2x2|conv2d_c1_k1" },
	/* attention, quantized and grouped products */
	{ TENSOR_YES, "flash_(fwd|bwd)|flash::|fmha|sdpa_sm|_sdpa_|mha_(fwd|bwd)" },
	{ TENSOR_YES, "(?<![a-z])(attn|sage)_(fwd|bwd)(?![a-z])|^bwd_kernel_(dk_dv|dq|fuse)" },
	{ TENSOR_UNKNOWN, "^_?(fwd|bwd)_kernel" }, /* some Triton kernel, usually attention */
	{ TENSOR_YES, "marlin|awq_gemm|gptq.*gemm|deep_gemm|machete" },
	{ TENSOR_YES, "^(bmm|gemm)_\\w*_t[0-9]+x[0-9]+x[0-9]+\\w*_sm(9|10|12)[0-9]" },
	/* AMD */
	{ TENSOR_YES,
	  "cijk_.*mi[0-9]+x[0-9]+|mfma|(?<![a-z])xdl(ops)?(?![a-z])|gtcx|ck_tile|wvspltk" },
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

enum { KERNEL_RULES = sizeof kernel_rules / sizeof *kernel_rules };

struct tensor_rules {
	struct pattern *kernels[KERNEL_RULES];
	struct pattern *operators;
};

const char *tensor_use_name(enum tensor_use use)
{
	return use == TENSOR_YES ? "yes" : use == TENSOR_UNKNOWN ? "unknown" : "no";
}

struct tensor_rules *tensor_rules_new(void)
{
	struct tensor_rules *rules = mem_zalloc(1, sizeof *rules);
	for (size_t i = 0; i < KERNEL_RULES; i++)
		rules->kernels[i] = pattern_new(kernel_rules[i].pattern, NULL);
	rules->operators = pattern_new(operator_pattern, NULL);
	return rules;
}

void tensor_rules_free(struct tensor_rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < KERNEL_RULES; i++)
		pattern_free(rules->kernels[i]);
	pattern_free(rules->operators);
	mem_free(rules);
}

enum tensor_use tensor_use_of_kernel(const struct tensor_rules *rules, const char *name,
				     size_t length)
{
	for (size_t i = 0; i < KERNEL_RULES; i++)
		if (rules->kernels[i] && pattern_match(rules->kernels[i], name, length, NULL, NULL))
			return kernel_rules[i].use;
	return TENSOR_NO;
}

bool tensor_types_fit(const char *types)
{
	static const char *const unfit[] = { "\"double\"", "\"long", "\"int\"", "\"bool\"",
					     "complex" };
	if (strcasestr(types, "half") || strcasestr(types, "bfloat16") ||
	    strcasestr(types, "float8") || strcasestr(types, "char") || strstr(types, "\"float\""))
		return true;
	for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
		if (strstr(types, unfit[i]))
			return false;
	return true;
}

bool tensor_operator(const struct tensor_rules *rules, const char *name, size_t length)
{
	return rules->operators && pattern_match(rules->operators, name, length, NULL, NULL);
}

#include "derived/kernel_family.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/pattern.h"

/* The first match decides; names of templates hold the names of what they are applied to. */
static const struct {
	enum kernel_family family;
	const char *pattern; /* matched against the kernel name, ignoring case */
} families[] = {
	/* generated kernels list the operators that were fused; XLA's the root of a fusion */
	{ FAMILY_COPY, "^(loop|input|wrapped)_(convert|concatenate|copy|slice)" },
	{ FAMILY_LAYOUT, "^(loop|input|wrapped)_transpose" },
	{ FAMILY_NORM, "^triton_(red|per)_.*(norm|rsqrt)" },
	{ FAMILY_SOFTMAX, "^triton_(red|per)_.*softmax" },
	{ FAMILY_REDUCE, "^triton_(red|per)_" },
	{ FAMILY_POINTWISE, "^triton_poi_" },
	{ FAMILY_COPY, "multi_tensor_apply.*copyfunctor" }, /* _foreach_copy_ */
	{ FAMILY_OPTIMIZER,
	  "multi_tensor_apply|aclnnforeach|fused_?(adam|sgd|lamb|lion)|adam_kernel|amp_update_scale"
	  "|apply_?(adam|adagrad|momentum|rmsprop|gradientdescent|lamb|ftrl)" },
	/* expressions of Eigen (TensorFlow, ONNX Runtime) name their operation */
	{ FAMILY_REDUCE, "eigen::tensorreductionop" },
	{ FAMILY_LAYOUT, "eigen::tensor(shuffling|layoutswap)op" },
	{ FAMILY_COPY, "eigen::tensor(conversion|broadcasting|padding|slicing|concatenation)op" },
	{ FAMILY_POINTWISE, "eigenmetakernel" },
	/* Ascend names the call and the operation: aclnnMuls_MulAiCore_Mul */
	{ FAMILY_COPY,
	  "aicore_(cast|tensormove|fill|ones|zeros|broadcast|slice|concat|pack|split)"
	  "|^(trans_|aclnn\\w*_)?(cast|slice|zeroslike|concatd?|tensormove)(_[0-9]+)?$" },
	{ FAMILY_POINTWISE,
	  "aicore_(add|sub|mul|div|realdiv|equal|notequal|greater|less|pow|r?sqrt|exp|log(?!softmax)|neg|abs"
	  "|sin|cos|tanh|select|maximum|minimum|logical)" },
	{ FAMILY_INDEX,
	  "reshape_and_cache|concat_and_cache|index_elementwise|indexselect|gather"
	  "|scatter|indexing_backward|index_(put|add|copy|fill)|(?<!rotary_)embedding|nonzero"
	  "|radix|(?<![a-z])sort|topk|deviceselect|linearize_index"
	  "|check_indices|pooled_emb|store_?kv_?cache|get_rows|set_rows|argsort"
	  "|bitonic|searchsorted|bucketize|grid_?sampler|to_dense|(?<![a-z])routing"
	  "|moe_(align|permute|unpermute)|count\\w*expert|permute_indices"
	  "|offsets_range|compute_grad_weight|partials?_(per_)?segment"
	  "|dispatch_layout|aclnn(inplace)?index|upsample_(nearest|bi|tri|linear)" },
	{ FAMILY_COPY, "elementwise_kernel.*(direct|float[0-9]+|float8\\w*)_?copy_kernel"
		       "|catarraybatchedcopy|opwithcasttensor|(?<![a-z])cast_?kernel"
		       "|(copy|fill)_?buffer|(?<![a-z])cpy_|convert_unary|rowwise_to_" },
	{ FAMILY_POINTWISE, "elementwise" },
	{ FAMILY_LAYOUT, "(?<![a-z])[ncdhwk]{4,5}(2|to)[ncdhwk]{4,5}|batched_transpose"
			 "|tensortransform|nhwcaddpadding|transpose_?(readwrite|kernel|aicore)"
			 "|transdata|permut(e|ation)_?(kernel|[0-9]d)" },
	{ FAMILY_POOLING, "(max|avg|average)_?pool|pooling|adaptive_(average|max)" },
	{ FAMILY_ATTENTION, "flash_(fwd|bwd|attn)|flash::|flashattn|fmha|mha_(fwd|bwd)|sdpa"
			    "|(?<![a-z])(attn|sage)_?(fwd|bwd)|attention|paged_attn"
			    "|^bwd_kernel_(dk_dv|dq|fuse)|batch(prefill|decode)with" },
	{ FAMILY_SOFTMAX, "soft_?max" },
	{ FAMILY_NORM, "(layer|batch|rms|group|instance)_?norm|normalization|(?<![a-z])bn_(fw|bw)"
		       "|rowwisemoments|computeinternalgradients|gammabetabackward"
		       "|gradgammabeta|fusedparamscuda" },
	{ FAMILY_CONV, "conv(?!er[st])|fprop|dgrad|wgrad|implicit_gemm|winograd|scudnn"
		       "|s[0-9]+cudnn|igemm_(fwd|bwd|wrw)|gtcx|im([23]d)?2col|col2im|boffsetskernel"
		       "|fft[12]d_(r2c|c2r)_|flip_filter|cask\\w*_cudnn::" },
	{ FAMILY_GEMM, "(?<!fb)gemm|gemv|cutlass|nvjet|cijk_|xmma_|matmul|split_?k"
		       "|(?<![a-z])(bmm|mm)_|mfma|marlin|awq|gptq|machete|wvspl"
		       "|(?<![a-z])(fused_moe|moe_(fused|stage))(?!\\w*(sum|sort))"
		       "|(?<![a-z])dot_kernel|matrix_?mul|mul_mat|epilogue::impl::globalkernel" },
	{ FAMILY_REDUCE,
	  "reduce|welford|lpnorm|(?<![a-z])moe_sum|^_?sum_|cumsum|((?<![a-z])|device)scan|argm(ax|in)|nll_?(loss|criterion)" },
	{ FAMILY_POINTWISE,
	  "act_and_mul|rotary|(?<![a-z])rope_|unary_(op|gated)|k_bin_bcast|gelu|silu|relu|dropout|pointwise|optensor"
	  "|op_(generic_)?tensor|subtensorop|op[1-5]dtensor|distribution|rescale"
	  "|scalepackedtensor|^(loop|wrapped)_|vec(tor)?_?add|(?<![a-z])[sd]axpy"
	  "|swiglu|geglu|(?<![a-z])(clamp|transform_kernel|triu|tril|nvfuser_(none|pointwise))"
	  "|(?<![a-z])(add|sub|mul|div|addition)(?![a-z])" },
	{ FAMILY_COPY, "quant|(?<![a-z])(cast|copy)(?![a-z])" },
	{ FAMILY_LAYOUT, "(?<![a-z])(transpose|permute|roll)(?![a-z])" },
};

#define NARROW                                                                                     \
	"(?<![a-z])(float|half|bfloat16)(?![a-z])|(?<![a-z])[shc]gemm|b?f16|f32"                   \
	"|[_](884|1688|16816)|[shi](884|1688|16816)"

static const struct {
	enum kernel_trait trait;
	const char *pattern, *unless; /* UNLESS may be NULL */
} traits[] = {
	{ KERNEL_FP32, "sgemm|scudnn|simt|ffma|f32f32_f32f32|(dgrad|wgrad)\\w*engine<float",
	  "tf32|fp16|bf16|f16|half|[dhzc]gemm|f64|(?<![0-9])(884|1688|16816)(?![0-9])" },
	/* kernels on ordinary cores are all "align1" */
	{ KERNEL_UNALIGNED, "(tensorop|mma).*align[12](?![0-9])", "simt" },
	{ KERNEL_CAST,
	  "(bfloat16|float16|float8\\w*)_?copy_kernel|opwithcasttensor"
	  "|copy_kernel.*(loadwithcast|storewithcast)",
	  NULL },
	{ KERNEL_COMPILED, "^triton_|^fused_", NULL },
	{ KERNEL_SPLIT, "split_?k|stream_?k|persistent|nvjet|gemv|cooperative|_sk_", NULL },
	{ KERNEL_RSQRT, "rsqrt_kernel", NULL },
	{ KERNEL_NATIVE_NORM, "at::native::batch_norm_(collect|transform|backward|reduce)", NULL },
	{ KERNEL_SLOW,
	  "indexing_backward|embedding_backward|compute_grad_weight"
	  "|scatter_add|index_put.*sort",
	  "split_embedding|codegen|fbgemm" },
	/* arguments of functions are often double, whatever the tensors are */
	{ KERNEL_FP64,
	  "(?<!optional)<double(?![a-z])|lambda\\(double|(?<![a-z])[dz]gemm|d884|f64f64"
	  "|^cijk_\\w*_[dz]b_",
	  NARROW "|multi_tensor|fused_?adam" },
	{ KERNEL_NARROW, NARROW, NULL },
};

/* Architecture in names of cuBLAS, cuDNN and CUTLASS; FlashAttention-2 was written for Ampere. */
static const struct {
	uint8_t generation;
	const char *pattern;
} generations[] = {
	{ 100, "sm10[0-9]|cutlass_10[0-9]|tcgen05" },
	{ 90, "sm90|cutlass_?90|nvjet|hopper|w?gmma_" },
	{ 80, "sm8[0-9]|cutlass_8[0-9]|ampere_" },
	{ 75, "sm75|cutlass_75|turing_" },
	{ 70, "sm7[0-2]|cutlass_7[0-2]|volta_" },
	{ 80, "(?<![a-z])flash::flash_(fwd_kernel|bwd_dq_dk_dv)" },
};

enum {
	FAMILY_RULES = sizeof families / sizeof *families,
	TRAIT_RULES = sizeof traits / sizeof *traits,
	GENERATION_RULES = sizeof generations / sizeof *generations
};

struct kernel_rules {
	struct pattern *family[FAMILY_RULES];
	struct pattern *trait[TRAIT_RULES], *unless[TRAIT_RULES];
	struct pattern *generation[GENERATION_RULES];
};

struct kernel_rules *kernel_rules_new(void)
{
	struct kernel_rules *rules = mem_zalloc(1, sizeof *rules);
	for (size_t i = 0; i < FAMILY_RULES; i++)
		rules->family[i] = pattern_new_rule(families[i].pattern);
	for (size_t i = 0; i < TRAIT_RULES; i++) {
		rules->trait[i] = pattern_new_rule(traits[i].pattern);
		rules->unless[i] = traits[i].unless ? pattern_new_rule(traits[i].unless) : NULL;
	}
	for (size_t i = 0; i < GENERATION_RULES; i++)
		rules->generation[i] = pattern_new_rule(generations[i].pattern);
	return rules;
}

static void free_patterns(struct pattern **patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pattern_free(patterns[i]);
}

void kernel_rules_free(struct kernel_rules *rules)
{
	if (!rules)
		return;
	free_patterns(rules->family, FAMILY_RULES);
	free_patterns(rules->trait, TRAIT_RULES);
	free_patterns(rules->unless, TRAIT_RULES);
	free_patterns(rules->generation, GENERATION_RULES);
	mem_free(rules);
}

static bool kernel_family_matches(const struct pattern *pattern, const char *name, size_t length)
{
	return pattern && pattern_match(pattern, name, length, NULL, NULL);
}

struct kernel_name kernel_name_of(const struct kernel_rules *rules, const char *name, size_t length)
{
	struct kernel_name of = { .family = FAMILY_OTHER };
	for (size_t i = 0; i < FAMILY_RULES; i++)
		if (kernel_family_matches(rules->family[i], name, length)) {
			of.family = (uint8_t)families[i].family;
			break;
		}
	for (size_t i = 0; i < TRAIT_RULES; i++)
		if (kernel_family_matches(rules->trait[i], name, length) &&
		    !kernel_family_matches(rules->unless[i], name, length))
			of.traits |= (uint16_t)traits[i].trait;
	for (size_t i = 0; i < GENERATION_RULES && !of.generation; i++)
		if (kernel_family_matches(rules->generation[i], name, length))
			of.generation = generations[i].generation;
	return of;
}

const char *kernel_family_name(enum kernel_family family)
{
	static const char *const names[KERNEL_FAMILIES] = {
		[FAMILY_OTHER] = "other",
		[FAMILY_GEMM] = "GEMM",
		[FAMILY_CONV] = "convolution",
		[FAMILY_ATTENTION] = "fused attention",
		[FAMILY_SOFTMAX] = "softmax",
		[FAMILY_NORM] = "normalization",
		[FAMILY_POINTWISE] = "pointwise",
		[FAMILY_COPY] = "cast and copy",
		[FAMILY_LAYOUT] = "layout",
		[FAMILY_POOLING] = "pooling",
		[FAMILY_INDEX] = "gather and index",
		[FAMILY_REDUCE] = "reduction",
		[FAMILY_OPTIMIZER] = "optimizer",
		[FAMILY_COMMUNICATION] = "communication",
	};
	require(family < KERNEL_FAMILIES, "family %d", (int)family);
	return names[family];
}

/*
 * Table of operator models.
 */
#include "analysis/work/work_private.h"
#include "base/mem.h"

#include <math.h>

#define WORK_MAX 1e24 /* limit: FLOPs or bytes of a call: a day of the largest machine */

/*
 * ---- the table; the first model of a name is used ----
 *
 * Omitted: operators whose work depends on values (topk, sort, unique, nonzero, masks, index lists)
 * and views, which move nothing.
 */

static const struct model models[] = {
	{ "mm bmm _int_mm", work_product, 0, 0, 2 },
	{ "addmm addmm_ _addmm_activation baddbmm baddbmm_", work_product, 0, 1, 2 },
	{ "_scaled_mm sgl_kernel::fp8_scaled_mm sgl_kernel::int8_scaled_mm", work_scaled, 0, 0, 0,
	  .inputs = 8 },
	{ "_grouped_mm _scaled_grouped_mm", work_grouped, 0, 0, 2 },
	{ "matmul __matmul__ mv dot vdot", work_matmul, 0, 0, 2 },
	{ "addmv addmv_", work_matmul, 0, 1, 2 },
	{ "linear vllm::rocm_unquantized_gemm aiter::gemm_a16w16", work_linear, 0, 0, 2 },
	{ "_C::cutlass_scaled_mm", work_gemm_into, 0, 1, 0 },
	{ "aiter::gemm_a8w8_ck aiter::gemm_a8w8_asm aiter::gemm_a8w8_bpreshuffle_ck "
	  "aiter::gemm_a8w8_blockscale_ck",
	  work_gemm_into, 0, 0, 0 },
	{ "vllm::inplace_fused_experts vllm::outplace_fused_experts vllm::rocm_aiter_fused_moe "
	  "sglang::inplace_fused_experts sglang::outplace_fused_experts aiter::fused_moe "
	  "aiter::fused_moe_",
	  work_moe, 0, 0, 0 },
	{ "conv1d conv2d conv3d convolution _convolution cudnn_convolution miopen_convolution "
	  "mkldnn_convolution _convolution_mode _conv_depthwise2d conv_depthwise3d "
	  "miopen_depthwise_convolution thnn_conv2d _slow_conv2d_forward cudnn_convolution_relu "
	  "cudnn_convolution_add_relu",
	  work_conv, 0, 0, 2 },
	{ "conv_transpose1d conv_transpose2d conv_transpose3d cudnn_convolution_transpose "
	  "miopen_convolution_transpose",
	  work_conv_transpose, 0, 0, 2 },
	{ "convolution_backward", work_conv_backward, 0, 0, 0 },
	{ "cudnn_convolution_backward miopen_convolution_backward", work_conv_part, 2, 0, 0 },
	{ "cudnn_convolution_backward_input miopen_convolution_backward_input", work_conv_part, 1,
	  0, 0 },
	{ "scaled_dot_product_attention _scaled_dot_product_flash_attention "
	  "_scaled_dot_product_flash_attention_for_cpu "
	  "_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention "
	  "_scaled_dot_product_attention_math _scaled_dot_product_fused_attention_overrideable "
	  "_flash_attention_forward _efficient_attention_forward "
	  "flash_attn::_flash_attn_forward flash_attn::_flash_attn_varlen_forward "
	  "aiter::_flash_attn_forward aiter::mha_fwd aiter::fmha_v3_fwd",
	  work_attention, 2.5, 0, 1 },
	{ "_scaled_dot_product_flash_attention_backward "
	  "_scaled_dot_product_efficient_attention_backward "
	  "_scaled_dot_product_cudnn_attention_backward "
	  "_flash_attention_backward _efficient_attention_backward "
	  "flash_attn::_flash_attn_backward flash_attn::_flash_attn_varlen_backward "
	  "aiter::_flash_attn_backward",
	  work_attention, 2.5, 0, 0 },
	{ "abs abs_ neg neg_ reciprocal ceil floor round sign trunc bitwise_not relu relu_ relu6",
	  work_elements, 1, 0, 1, .inputs = 1 },
	{ "clamp_min clamp_max mul mul_ remainder fmod __add__ __radd__ __iadd__ __sub__ "
	  "__rsub__ __isub__ __mul__ __rmul__ __imul__ lt_ gt_ ge_ le_ eq_ ne_ bitwise_and "
	  "bitwise_or bitwise_xor maximum minimum leaky_relu leaky_relu_",
	  work_elements, 1, 0, 1, .inputs = 2 },
	{ "clamp clamp_ add add_ sub sub_ rsub where hardtanh hardtanh_ threshold threshold_ "
	  "threshold_backward",
	  work_elements, 1, 0, 1, .inputs = 3 },
	{ "logical_not isnan isinf isfinite", work_elements, 1, 0, 1, RESULT_BOOL, .inputs = 1 },
	{ "lt gt ge le eq ne logical_and logical_or logical_xor", work_elements, 1, 0, 1,
	  RESULT_BOOL, .inputs = 2 },
	{ "masked_fill masked_fill_", work_elements, 1, 0, 1, RESULT_FIRST, .inputs = 3 },
	{ "div div_ __truediv__ __rtruediv__ __itruediv__", work_elements, 1, 0, 1, RESULT_REAL,
	  .inputs = 2 },
	{ "exp exp_ log log_ log2 log10 log1p expm1 sin cos tan tanh tanh_ sigmoid sigmoid_ sqrt sqrt_ "
	  "rsqrt rsqrt_ erf erfc silu silu_ mish",
	  work_elements, 20, 0, 1, RESULT_REAL, .inputs = 1 },
	{ "gelu silu_backward tanh_backward sigmoid_backward", work_elements, 20, 0, 1, RESULT_REAL,
	  .inputs = 2 },
	{ "softplus gelu_backward", work_elements, 20, 0, 1, RESULT_REAL, .inputs = 3 },
	{ "elu", work_elements, 20, 0, 1, RESULT_REAL, .inputs = 4 },
	{ "pow pow_ __pow__", work_elements, 20, 0, 1, .inputs = 2 },
	{ "addcdiv addcdiv_ addcmul addcmul_", work_elements, 3, 0, 1, .inputs = 4 },
	{ "lerp lerp_", work_elements, 3, 0, 1, .inputs = 3 },
	{ "softmax _softmax", work_softmax, 40, 0, 1 },
	{ "_softmax_backward_data", work_elements, 4, 0, 1, .inputs = 4 },
	{ "log_softmax _log_softmax", work_softmax, 21, 0, 1 },
	{ "_log_softmax_backward_data", work_elements, 21, 0, 1, .inputs = 4 },
	{ "dropout dropout_", work_elements, 5, 0, 1 },
	{ "native_dropout _fused_dropout", work_elements, 5, 0, 1, RESULT_MASKED },
	{ "native_dropout_backward", work_elements, 2, 0, 1 },
	{ "batch_norm native_batch_norm cudnn_batch_norm miopen_batch_norm _batch_norm_impl_index "
	  "layer_norm native_layer_norm group_norm native_group_norm instance_norm "
	  "aiter::_groupnorm_run",
	  work_norm, 8, 0, 1.25 },
	{ "native_batch_norm_backward cudnn_batch_norm_backward miopen_batch_norm_backward "
	  "native_layer_norm_backward native_group_norm_backward",
	  work_norm_backward, 8, 0, 0 },
	{ "rms_norm _fused_rms_norm fb::rms_norm aiter::rms_norm vllm::rocm_aiter_rms_norm",
	  work_norm, 5, 0, 1.25 },
	{ "_fused_rms_norm_backward", work_norm_backward, 5, 0, 0 },
	{ "_C::rms_norm sgl_kernel::rmsnorm sgl_kernel::gemma_rmsnorm flashinfer::rmsnorm "
	  "aiter::rmsnorm",
	  work_by_roles, 5, 1, 0, .roles = "wrr" },
	{ "_C::fused_add_rms_norm sgl_kernel::fused_add_rmsnorm sgl_kernel::gemma_fused_add_rmsnorm "
	  "flashinfer::fused_add_rmsnorm",
	  work_by_roles, 6, 0, 0, .roles = "uur" },
	{ "aiter::add_rmsnorm aiter::rmsnorm2d_fwd_with_add aiter::rmsnorm2d_fwd_with_add_ck",
	  work_by_roles, 6, 1, 0, .roles = "wrrwr" },
	{ "vllm::rocm_aiter_rmsnorm2d_fwd_with_add", work_by_roles, 6, 0, 0, .roles = "nnr" },
	{ "_C::rms_norm_static_fp8_quant", work_by_roles, 7, 1, 0, .roles = "wrrr" },
	{ "_C::fused_add_rms_norm_static_fp8_quant", work_by_roles, 8, 1, 0, .roles = "wrurr" },
	{ "_C::static_scaled_fp8_quant", work_by_roles, 2, 1, 0, .roles = "wrr" },
	{ "_C::silu_and_mul _C::gelu_and_mul _C::gelu_tanh_and_mul sgl_kernel::silu_and_mul "
	  "sgl_kernel::gelu_and_mul sgl_kernel::gelu_tanh_and_mul flashinfer::silu_and_mul "
	  "aiter::silu_and_mul aiter::gelu_and_mul aiter::gelu_tanh_and_mul",
	  work_by_roles, 21, 0, 0, .roles = "wr" },
	{ "_C::rotary_embedding sgl_kernel::rotary_embedding", work_rotary, 3, 0, 0 },
	{ "_C_cache_ops::reshape_and_cache_flash _C_cache_ops::reshape_and_cache "
	  "sglang::store_cache",
	  work_store_cache, 0, 0, 0 },
	{ "sum mean norm linalg_vector_norm amax amin argmax argmin max min any all prod",
	  work_reduction, 1, 0, 1 },
	{ "var std var_mean std_mean", work_reduction, 4, 0, 1 },
	{ "_foreach_add_ _foreach_add _foreach_mul_ _foreach_mul _foreach_div_ _foreach_div "
	  "_foreach_sub_ _foreach_sub _foreach_neg _foreach_neg_",
	  work_list, 1, 0, 0 },
	{ "_foreach_addcdiv_ _foreach_addcmul_ _foreach_addcdiv _foreach_addcmul _foreach_lerp_",
	  work_list, 3, 0, 0 },
	{ "_foreach_sqrt _foreach_sqrt_ _foreach_pow", work_list, 20, 0, 0 },
	{ "_foreach_copy_ _foreach_copy", work_list, 0, 0, 0 },
	{ "_foreach_norm", work_reduction, 2, 0, 0 },
	{ "_fused_adam_ _fused_adamw_", work_fused_step, 12, 0, 0 },
	{ "_fused_sgd_", work_fused_step, 4, 0, 0 },
	{ "copy_ _to_copy clone contiguous", work_copy, 0, 0, 1 },
	{ "zero_ fill_ zeros_like ones_like _foreach_zero_", work_fill, 0, 0, 0 },
	{ "cumsum cumsum_ cumprod cumprod_", work_elements, 1, 0, 1, RESULT_LONG, .inputs = 3 },
	{ "square hardsigmoid hardsigmoid_ hardswish hardswish_", work_elements, 1, 0, 1,
	  .inputs = 1 },
	{ "_prelu_kernel prelu floor_divide", work_elements, 1, 0, 1, .inputs = 2 },
	{ "nan_to_num", work_elements, 1, 0, 1, .inputs = 4 },
	{ "log_sigmoid log_sigmoid_forward", work_elements, 40, 0, 1, .inputs = 1 },
	{ "logaddexp", work_elements, 40, 0, 1, .inputs = 2 },
	{ "logsumexp", work_elements, 40, 0, 1, .inputs = 3 },
	{ "tril triu flip repeat", work_elements, 0, 0, 1, .inputs = 2 },
	{ "roll", work_elements, 0, 0, 1, .inputs = 3 },
	{ "uniform_ normal_ random_ bernoulli_ exponential_", work_fill, 0, 0, 0 },
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
	{ "mse_loss_backward l1_loss_backward", work_elements, 3, 0, 0, .inputs = 4 },
	{ "smooth_l1_loss_backward huber_loss_backward", work_elements, 4, 0, 0, .inputs = 5 },
	{ "binary_cross_entropy_backward", work_elements, 6, 0, 0, .inputs = 5 },
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

/* Damaged shapes must not drown the sums. */
static double plausible(double amount)
{
	return amount >= 0 && amount < WORK_MAX ? amount : NAN;
}

bool work_of_call(const struct work_call *call, struct work *work)
{
	struct arguments arguments = { 0 };
	const char *name = work_plain_name(call->name);
	const struct model *model = *name ? work_line_of(models, name) : NULL;
	if (!model || !call->shapes || !*call->shapes || (call->backward && !model->backward))
		return false;
	arguments.arena = arena_new();
	work_read_arguments(&arguments, call, model->inputs);
	bool known = model->count(&arguments, model, work);
	arena_free(arguments.arena);
	if (!known)
		return false;
	work->flops = plausible(call->backward ? work->flops * model->backward : work->flops);
	work->bytes = plausible(call->backward ? work->bytes * model->backward : work->bytes);
	return !isnan(work->flops) || !isnan(work->bytes);
}

/*
 * Formulas of FLOPs and bytes, each compared with an answer counted by hand.
 */
#include "analysis/work/work.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "file_case.h"
#include "trace_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct work count(const struct work_call *call)
{
	struct work work = { NAN, NAN };
	if (!work_of_call(call, &work))
		fail_msg("no work of %s %s", call->name, call->shapes);
	return work;
}

/* SHAPES, TYPES and VALUES are lists without their brackets. */
#define COUNT(name, shapes, types, values)                                                         \
	count(&(struct work_call){ "" name, "[" shapes "]", "[" types "]", "[" values "]" })

#define F32 "\"float\""
#define F16 "\"c10::Half\""
#define BF16 "\"c10::BFloat16\""
#define F8 "\"c10::Float8_e4m3fn\""
#define I64 "\"long int\""
#define I32 "\"int\""
#define I8 "\"signed char\""
#define NUMBER "\"Scalar\""
#define NO "\"\""

static void assert_amount(double amount, double wanted, const char *what)
{
	if (isnan(wanted) ? !isnan(amount) : amount != wanted)
		fail_msg("%s: %.17g instead of %.17g", what, amount, wanted);
}

static void assert_work(struct work work, double flops, double bytes)
{
	assert_amount(work.flops, flops, "FLOPs");
	assert_amount(work.bytes, bytes, "bytes");
}

TEST(broadcast_of_both_sides)
{
	/* [4, 1, 3] + [1, 5, 3] gives [4, 5, 3] */
	assert_work(COUNT("aten::add", "[4,1,3],[1,5,3],[]", F32 "," F32 "," NUMBER, ""), 60,
		    4 * (12 + 15 + 60));
	assert_work(COUNT("aten::mul", "[3],[4,1]", F32 "," F32, ""), 12, 4 * (3 + 4 + 12));
	/* A scale without dimensions is a tensor, too. */
	assert_work(COUNT("aten::mul", "[],[8]", F32 "," BF16, NO "," NO), 8, 4 + 2 * 16);
	assert_work(COUNT("aten::add_", "[],[],[]", I64 "," I64 "," NUMBER, NO "," NO ",\"1\""), 1,
		    24);
	struct work work;
	assert_false(work_of_call(&(struct work_call){ "aten::add", "[[3],[4]]" }, &work));
}

TEST(results_have_the_promoted_type)
{
	/* half and float give float; in place they stay half */
	assert_work(COUNT("aten::add", "[8],[8],[]", F16 "," F32 "," NUMBER, ""), 8,
		    8 * (2 + 4 + 4));
	assert_work(COUNT("aten::add_", "[8],[8],[]", F16 "," F32 "," NUMBER, ""), 8,
		    8 * (2 + 4 + 2));
	assert_work(COUNT("aten::add", "[8],[8],[]", F16 "," BF16 "," NUMBER, ""), 8,
		    8 * (2 + 2 + 4));
	assert_work(COUNT("aten::__iadd__", "[8],[8]", F16 "," F32, ""), 8, 8 * (2 + 4 + 2));
	assert_work(COUNT("aten::__add__", "[8],[8]", F16 "," F32, ""), 8, 8 * (2 + 4 + 4));
	/* integers divide into float32, and with a real number, too */
	assert_work(COUNT("aten::div", "[8],[]", I64 "," NUMBER, NO ",\"2\""), 8, 8 * (8 + 4));
	assert_work(COUNT("aten::mul", "[8],[]", I64 "," NUMBER, NO ",\"0.5\""), 8, 8 * (8 + 4));
	assert_work(COUNT("aten::mul", "[8],[]", F16 "," NUMBER, NO ",\"0.5\""), 8, 8 * (2 + 2));
	/* comparisons write a byte */
	assert_work(COUNT("aten::gt", "[8],[8]", F32 "," F32, ""), 8, 8 * (4 + 4 + 1));
	assert_work(COUNT("aten::where", "[8],[8],[8]", "\"bool\"," F16 "," F16, ""), 8,
		    8 * (1 + 2 + 2 + 2));
	assert_work(COUNT("aten::native_dropout", "[8],[],[]", F16 "," NUMBER "," NO, ""), 40,
		    8 * (2 + 2 + 1));
	assert_work(COUNT("aten::_softmax", "[8],[],[]", F16 "," NUMBER "," NUMBER,
			  NO ",\"0\",\"True\""),
		    320, 8 * (2 + 4));
	assert_work(COUNT("aten::add", "[8],[8]", F32 ",\"\"", ""), 8, NAN);
}

/* out= is the result, which is written once and read never. */
TEST(out_is_written_only)
{
	assert_work(COUNT("aten::neg", "[8],[8]", F32 "," F32, ""), 8, 8 * (4 + 4));
	assert_work(COUNT("aten::mul", "[8],[],[8]", F32 "," F32 "," F32, ""), 8, 8 * (4 + 4) + 4);
	assert_work(COUNT("aten::mul", "[8],[8],[0]", F16 "," F16 "," F32, ""), 8, 8 * (2 + 2 + 4));
	assert_work(COUNT("aten::add", "[8],[8],[],[8]", F32 "," F32 "," NUMBER "," F32, ""), 8,
		    8 * 3 * 4);
	assert_work(COUNT("aten::le", "[8],[8],[8]", F32 "," F32 ",\"bool\"", ""), 8,
		    8 * (4 + 4 + 1));
	assert_work(COUNT("aten::div", "[8],[8],[8]", I64 "," I64 "," F32, ""), 8, 8 * (8 + 8 + 4));
	/* three operands, none of them out= */
	assert_work(COUNT("aten::where", "[8],[8],[8]", "\"bool\"," F32 "," F32, ""), 8,
		    8 * (1 + 3 * 4));
	assert_work(COUNT("aten::lerp", "[8],[8],[8]", F32 "," F32 "," F32, ""), 24, 8 * 4 * 4);
}

TEST(reductions_write_their_result)
{
	const char all[] = "aten::sum";
	assert_work(count(&(struct work_call){ all, "[[4,6]]", "[\"float\"]" }), 24, 4 * 25);
	assert_work(COUNT("aten::sum", "[4,6],[],[],[]", F32 ",\"\"," NUMBER "," NO,
			  NO ",\"[-1]\",\"False\"," NO),
		    24, 4 * (24 + 4));
	assert_work(COUNT("aten::sum", "[4,6],[],[],[]", I32 ",\"\"," NUMBER "," NO,
			  NO ",\"[0, 1]\",\"False\"," NO),
		    24, 4 * 24 + 8);
	/* values and where they are */
	assert_work(
		COUNT("aten::max", "[4,6],[],[]", F32 "," NUMBER "," NUMBER, NO ",\"1\",\"False\""),
		24, 4 * 24 + 4 * (4 + 8));
	assert_work(COUNT("aten::max", "[8],[8]", F32 "," F32, ""), 8, 4 * 24);
	assert_work(COUNT("aten::mean", "[],[]", F32 "," NO, ""), 1, 4 + 4);
	/* only where they are; a truth is a byte */
	assert_work(COUNT("aten::argmax", "[4,6],[],[]", F32 "," NUMBER "," NUMBER,
			  NO ",\"1\",\"False\""),
		    24, 4 * 24 + 8 * 4);
	assert_work(
		COUNT("aten::any", "[4,6],[],[]", F32 "," NUMBER "," NUMBER, NO ",\"1\",\"False\""),
		24, 4 * 24 + 4);
}

TEST(products_of_every_type)
{
	/* int8 products are int32; complex ones have four multiplications and four additions */
	assert_work(COUNT("aten::_int_mm", "[2,3],[3,5]", I8 "," I8, ""), 60, 6 + 15 + 4 * 10);
	assert_work(COUNT("aten::mm", "[2,3],[3,5]",
			  "\"c10::complex<float>\",\"c10::complex<float>\"", ""),
		    240, 8 * (6 + 15 + 10));
	/* C is read unless beta is 0; so is a bias */
	assert_work(COUNT("aten::baddbmm", "[7,2,5],[7,2,3],[7,3,5],[],[]",
			  F16 "," F16 "," F16 "," NUMBER "," NUMBER,
			  NO "," NO "," NO ",\"1\",\"1\""),
		    420, 2 * 7 * (10 + 6 + 15 + 10));
	assert_work(COUNT("aten::baddbmm", "[7,2,5],[7,2,3],[7,3,5],[],[]",
			  F16 "," F16 "," F16 "," NUMBER "," NUMBER,
			  NO "," NO "," NO ",\"0\",\"1\""),
		    420, 2 * 7 * (6 + 15 + 10));
	assert_work(COUNT("aten::addmm", "[5],[2,3],[3,5]", F32 "," F32 "," F32, ""), 60,
		    4 * (5 + 6 + 15 + 10));
	assert_work(COUNT("aten::linear", "[2,3],[5,3],[5]", F32 "," F32 "," F32, ""), 60,
		    4 * (6 + 15 + 5 + 10));
	assert_work(COUNT("aiter::gemm_a16w16", "[2,3],[5,3],[],[]",
			  BF16 "," BF16 "," NO "," NUMBER, NO "," NO "," NO ",\"6\""),
		    60, 2 * (6 + 15) + 4 * 10);
}

TEST(scaled_products_have_their_own_result)
{
	/* (a, b, scale_a, scale_b, bias, scale_result, out_dtype 15: bfloat16) */
	assert_work(COUNT("aten::_scaled_mm", "[2,3],[3,5],[],[],[],[],[]",
			  F8 "," F8 "," F32 "," F32 "," NO "," NO "," NUMBER,
			  NO "," NO "," NO "," NO "," NO "," NO ",\"15\""),
		    60, 6 + 15 + 4 + 4 + 2 * 10);
	/* before PyTorch 2.5: (a, b, bias, out_dtype, scale_a, scale_b) */
	assert_work(COUNT("aten::_scaled_mm", "[2,3],[3,5],[],[],[],[]",
			  F8 "," F8 "," NO "," NUMBER "," F32 "," F32,
			  NO "," NO "," NO ",\"6\"," NO "," NO),
		    60, 6 + 15 + 4 + 4 + 4 * 10);
	/* FP4 numbers come in pairs */
	assert_work(COUNT("aten::_scaled_mm", "[2,8],[8,5]",
			  "\"c10::Float4_e2m1fn_x2\",\"c10::Float4_e2m1fn_x2\"", ""),
		    2 * 2 * 5 * 16, 16 + 40 + 10);
	/* (out, a, b, scales) and (a, b [n, k], scales, scales, out) */
	assert_work(COUNT("_C::cutlass_scaled_mm", "[2,5],[2,3],[3,5],[1],[1]",
			  BF16 "," F8 "," F8 "," F32 "," F32, ""),
		    60, 2 * 10 + 6 + 15 + 8);
	assert_work(COUNT("aiter::gemm_a8w8_ck", "[2,3],[5,3],[2,1],[1,5],[2,5]",
			  I8 "," I8 "," F32 "," F32 "," BF16, ""),
		    60, 6 + 15 + 8 + 20 + 2 * 10);
}

TEST(causal_attention_counts_half)
{
	double whole = 2.0 * 2 * 4 * 16 * 16 * (8 + 8), moved = 4 * 2 * (2 * 4 * 16 * 8);
#define QKV "[2,4,16,8],[2,4,16,8],[2,4,16,8]"
#define QKV16 F16 "," F16 "," F16
	assert_work(COUNT("aten::_scaled_dot_product_flash_attention", QKV, QKV16,
			  NO "," NO "," NO ",\"0.\",\"False\""),
		    whole, moved);
	assert_work(COUNT("aten::_scaled_dot_product_flash_attention", QKV, QKV16,
			  NO "," NO "," NO ",\"0.\",\"True\""),
		    whole / 2, moved);
	assert_work(COUNT("aten::scaled_dot_product_attention", QKV, QKV16,
			  NO "," NO "," NO "," NO ",\"0.\",\"True\""),
		    whole / 2, moved);
	assert_work(COUNT("aten::_scaled_dot_product_efficient_attention", QKV, QKV16,
			  NO "," NO "," NO "," NO ",\"True\",\"0.\",\"True\""),
		    whole / 2, moved);
	assert_work(COUNT("aten::_scaled_dot_product_flash_attention_backward", QKV ",[2,4,16,8]",
			  QKV16 "," F16,
			  NO "," NO "," NO "," NO "," NO "," NO "," NO "," NO "," NO "," NO "," NO
			     ",\"True\""),
		    2.5 * whole / 2, 2 * moved);
	/* places before heads */
	assert_work(COUNT("flash_attn::_flash_attn_forward", "[2,16,4,8],[2,16,4,8],[2,16,4,8]",
			  QKV16, NO "," NO "," NO ",\"0.\",\"0.35\",\"True\",\"-1\",\"-1\""),
		    whole / 2, moved);
	/* a sliding window: unknown */
	assert_work(COUNT("flash_attn::_flash_attn_forward", "[2,16,4,8],[2,16,4,8],[2,16,4,8]",
			  QKV16, NO "," NO "," NO ",\"0.\",\"0.35\",\"True\",\"4\",\"0\""),
		    NAN, moved);
	/* two packed sequences of 16; and of unknown lengths */
	assert_work(COUNT("flash_attn::_flash_attn_varlen_forward",
			  "[32,4,8],[32,4,8],[32,4,8],[3],[3]", QKV16 "," I32 "," I32,
			  NO "," NO "," NO "," NO "," NO
			     ",\"16\",\"16\",\"0.\",\"0.35\",\"False\""),
		    whole, moved);
	assert_work(COUNT("flash_attn::_flash_attn_varlen_forward",
			  "[32,4,8],[32,4,8],[32,4,8],[3],[3]", QKV16 "," I32 "," I32,
			  NO "," NO "," NO "," NO "," NO
			     ",\"20\",\"20\",\"0.\",\"0.35\",\"False\""),
		    NAN, moved);
}

/* (gradient, input, weight, bias sizes, stride, padding, dilation, transposed, …, mask) */
#define CONV_BACKWARD(transposed, mask)                                                            \
	NO "," NO "," NO "," NO "," NO "," NO "," NO ",\"" transposed "\"," NO "," NO ",\"" mask   \
	   "\""

TEST(convolutions_of_every_kind)
{
	const double g = 2 * 12 * 100, x = 2 * 8 * 100, w = 12 * 8 * 9;
#define CONV_TENSORS "[2,12,10,10],[2,8,10,10],[12,8,3,3]"
#define F32X3 F32 "," F32 "," F32
	/* at the first layer only the weight has a gradient */
	assert_work(COUNT("aten::convolution_backward", CONV_TENSORS, F32X3,
			  CONV_BACKWARD("False", "[False, True, False]")),
		    2 * g * 8 * 9, 4 * (g + x + w));
	assert_work(COUNT("aten::convolution_backward", CONV_TENSORS, F32X3,
			  CONV_BACKWARD("False", "[True, True, True]")),
		    4 * g * 8 * 9, 4 * (g + 2 * x + 2 * w + 12));
	/* depthwise: a filter of 3 × 3 for each of 8 channels; stride 2 */
	assert_work(COUNT("aten::convolution", "[2,8,10,10],[8,1,3,3],[8],[],[],[],[],[],[]", F32X3,
			  NO "," NO "," NO
			     ",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"8\""),
		    2.0 * 2 * 8 * 25 * 9, 4.0 * (2 * 800 + 72 + 8 + 2 * 8 * 25));
	/* transposed: 2 × 8 × 5 × 5 inputs meet 6 filters each; 5 becomes 4 · 2 − 2 + 2 + 1 + 1 =
	 * 10 */
	assert_work(COUNT("aten::convolution", "[2,8,5,5],[8,6,3,3],[],[],[],[],[],[],[]",
			  F32 "," F32,
			  NO "," NO "," NO
			     ",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"True\",\"[1, 1]\",\"1\""),
		    2.0 * 2 * 8 * 25 * 6 * 9, 4.0 * (400 + 432 + 2 * 6 * 100));
	assert_work(COUNT("aten::_conv_depthwise2d", "[1,4,6,6],[4,1,3,3],[],[],[],[],[]",
			  F32 "," F32,
			  NO "," NO ",\"[3, 3]\"," NO ",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\""),
		    2.0 * 4 * 16 * 9, 4.0 * (144 + 36 + 64));
}

TEST(norms_and_their_gradients)
{
	assert_work(COUNT("aiter::_groupnorm_run", "[1,8,4],[],[8],[8],[]",
			  BF16 "," NUMBER "," BF16 "," BF16 "," NUMBER,
			  NO ",\"2\"," NO "," NO ",\"1e-6\""),
		    8 * 32, 2 * (2 * 32 + 16));
	/* gradient, x, statistics and weight are read, three gradients written */
	assert_work(
		COUNT("aten::native_layer_norm_backward", "[4,6],[4,6],[],[4,1],[4,1],[6],[6],[]",
		      F32 "," F32 ",\"ScalarList\"," F32 "," F32 "," F32 "," F32 ",\"ScalarList\"",
		      NO "," NO ",\"[6]\"," NO "," NO "," NO "," NO ",\"[True, True, True]\""),
		8 * 24, 4 * (3 * 24 + 8 + 6 + 12));
	assert_work(COUNT("aten::native_layer_norm_backward", "[4,6],[4,6],[],[4,1],[4,1],[],[],[]",
			  F32 "," F32 ",\"ScalarList\"," F32 "," F32 ",\"\",\"\",\"ScalarList\"",
			  NO "," NO ",\"[6]\"," NO "," NO "," NO "," NO
			     ",\"[True, False, False]\""),
		    8 * 24, 4 * (3 * 24 + 8));
}

TEST(kernels_of_inference_servers)
{
	const struct work norm = { 5 * 24, 2 * (24 + 24 + 6) },
			  added = { 6 * 24, 2 * (4 * 24 + 6) };
#define ROWS "[4,6]"
	assert_work(COUNT("_C::rms_norm", ROWS "," ROWS ",[6],[]", BF16 "," BF16 "," BF16, ""),
		    norm.flops, norm.bytes);
	assert_work(COUNT("aiter::rms_norm", ROWS ",[6],[]", BF16 "," BF16, ""), norm.flops,
		    norm.bytes);
	assert_work(COUNT("_C::fused_add_rms_norm", ROWS "," ROWS ",[6],[]", BF16 "," BF16 "," BF16,
			  ""),
		    added.flops, added.bytes);
	assert_work(COUNT("aiter::add_rmsnorm", ROWS "," ROWS "," ROWS "," ROWS ",[6],[]",
			  BF16 "," BF16 "," BF16 "," BF16 "," BF16, ""),
		    added.flops, added.bytes);
	assert_work(COUNT("vllm::rocm_aiter_rmsnorm2d_fwd_with_add", ROWS "," ROWS ",[6],[]",
			  BF16 "," BF16 "," BF16, ""),
		    added.flops, added.bytes);
	assert_work(COUNT("sgl_kernel::silu_and_mul", "[4,6],[4,12]", BF16 "," BF16, ""), 21 * 24,
		    2 * (24 + 48));
	assert_work(COUNT("_C::static_scaled_fp8_quant", ROWS "," ROWS ",[]", F8 "," BF16 "," F32,
			  NO "," NO "," NO),
		    2 * 24, 24 + 2 * 24 + 4);
	/* 3 positions, 2 heads of 8 for queries and 1 for keys, wholly rotated */
	assert_work(COUNT("_C::rotary_embedding", "[3],[3,16],[3,8],[],[100,8],[]",
			  I64 "," BF16 "," BF16 "," NUMBER "," BF16 "," NUMBER,
			  NO "," NO "," NO ",\"8\"," NO ",\"True\""),
		    3 * 72, 3 * 8 + 2 * 3 * 8 + 2 * 2 * 72);
	assert_work(COUNT("_C_cache_ops::reshape_and_cache_flash",
			  "[3,1,8],[3,1,8],[9,16,1,8],[9,16,1,8],[3]",
			  BF16 "," BF16 ",\"unsigned char\",\"unsigned char\"," I64, ""),
		    0, 2 * 24 * (2 + 1) + 24);
	/* 3 tokens through 2 of 4 experts each: 6 → 2 · 5 → 6; which experts is unknown */
	assert_work(COUNT("vllm::outplace_fused_experts", "[3,6],[4,10,6],[4,6,5],[3,2],[3,2]",
			  BF16 "," BF16 "," BF16 "," F32 "," I32, ""),
		    2.0 * 6 * (10 * 6 + 6 * 5), NAN);
}

TEST(lists_have_the_type_of_their_kernel)
{
	struct work_call cat = { "aten::cat", "[[[4,3],[5,3]],[]]", "[\"TensorList\",\"Scalar\"]" };
	assert_work(count(&cat), 0, NAN);
	cat.kernel = "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::"
		     "(anonymous namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(…)";
	assert_work(count(&cat), 0, 2 * 2 * 27);
	cat.kernel = "CatArrayBatchedCopy<float, unsigned int, 1, 128, 1>(float*)";
	assert_work(count(&cat), 0, 2 * 4 * 27);
	/* parameters, gradients and two moments are read; all but the gradients are written */
	const struct work_call adam = {
		.name = "aten::_fused_adamw_",
		.shapes = "[[[9]],[[9]],[[9]],[[9]],[],[[]]]",
		.types = "[\"TensorList\",\"TensorList\",\"TensorList\",\"TensorList\","
			 "\"TensorList\",\"TensorList\"]",
		.kernel = "multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<4>, "
			  "FusedAdamMathFunctor<float, 4, (ADAM_MODE)1, false>>",
	};
	assert_work(count(&adam), 12 * 9, 4 * 7 * 9);
}

TEST(copies_read_what_is_there)
{
	assert_work(COUNT("aten::copy_", "[4,3],[1,3],[]", F16 "," F32, ""), 0, 12 * 2 + 3 * 4);
	assert_work(COUNT("aten::_to_copy", "[12],[]", F32 "," NUMBER, NO ",\"5\""), 0,
		    12 * (4 + 2));
	assert_work(COUNT("aten::fill_", "[],[]", I32 "," NUMBER, NO ",\"0\""), 0, 4);
}

TEST(absurd_sizes_are_unknown)
{
	struct work work;
	const struct work_call call = { "aten::mm", "[[9000000000000000000,9000000000000000000],"
						    "[9000000000000000000,9000000000000000000]]" };
	assert_false(work_of_call(&call, &work));
	/* a type of an unknown number, and a list of elements without a size */
	assert_work(
		COUNT("aten::_to_copy", "[12],[]", F32 "," NUMBER, NO ",\"9223372036854775807\""),
		0, NAN);
	const struct work_call cat = { .name = "aten::cat",
				       .shapes = "[[[4,3]],[]]",
				       .types = "[\"TensorList\",\"Scalar\"]",
				       .kernel = "CatArrayBatchedCopy<OpaqueType<x>, int>" };
	assert_work(count(&cat), 0, NAN);
}

#define CALL(name, shapes, types, values)                                                          \
	{                                                                                          \
		"" name, "[" shapes "]", "[" types "]", "[" values "]"                             \
	}

/* Each call lacks a tensor, a size or a dimension that its formula needs. */
TEST(calls_that_lack_an_argument_have_no_work)
{
	static const struct work_call calls[] = {
		CALL("_C::cutlass_scaled_mm", "[2,5],[],[3,5]", BF16 "," NO "," BF16, ""),
		CALL("_C::cutlass_scaled_mm", "[2,5],[2,3]", BF16 "," BF16, ""),
		CALL("_C::cutlass_scaled_mm", "[2,5],[2,3,1],[3,5]", BF16 "," BF16 "," BF16, ""),
		CALL("_C::cutlass_scaled_mm", "[2,5],[2,3],[3,5,1]", BF16 "," BF16 "," BF16, ""),
		CALL("_C::cutlass_scaled_mm", "[2,5],[2,3],[4,5]", BF16 "," BF16 "," BF16, ""),
		CALL("aten::_scaled_mm", "[2,3]", F8, ""),
		CALL("aten::_scaled_mm", "[],[3,5]", NO "," F8, ""),
		CALL("aten::_scaled_mm", "[2,3],[3,5,1]", F8 "," F8, ""),
		CALL("aten::_scaled_mm", "[2,3,1],[3,5]", F8 "," F8, ""),
		CALL("aten::_scaled_mm", "[2,3],[4,5]", F8 "," F8, ""),
		CALL("_C_cache_ops::reshape_and_cache_flash",
		     "[],[3,1,8],[9,16,1,8],[9,16,1,8],[3]", NO "," BF16 "," BF16 "," BF16 "," I64,
		     ""),
		CALL("_C_cache_ops::reshape_and_cache_flash", "[3,1,8],[3,1,8],[9,16,1,8],[],[3]",
		     BF16 "," BF16 "," BF16 "," NO "," I64, ""),
		CALL("_C::rotary_embedding", "[],[3,16],[3,8],[],[100,8],[]",
		     NO "," BF16 "," BF16 "," NUMBER "," BF16 "," NUMBER,
		     NO "," NO "," NO ",\"8\"," NO ",\"True\""),
		CALL("_C::rotary_embedding", "[3],[],[3,8],[],[100,8],[]",
		     I64 "," NO "," BF16 "," NUMBER "," BF16 "," NUMBER,
		     NO "," NO "," NO ",\"8\"," NO ",\"True\""),
		CALL("_C::rotary_embedding", "[3],[3,16],[3,8],[],[],[]",
		     I64 "," BF16 "," BF16 "," NUMBER "," NO "," NUMBER,
		     NO "," NO "," NO ",\"8\"," NO ",\"True\""),
		CALL("_C::rotary_embedding", "[3],[3,16],[3,8],[],[100,8,1],[]",
		     I64 "," BF16 "," BF16 "," NUMBER "," BF16 "," NUMBER,
		     NO "," NO "," NO ",\"8\"," NO ",\"True\""),
		CALL("_C::rotary_embedding", "[3],[3,16],[3,8],[],[100,8],[]",
		     I64 "," BF16 "," BF16 "," NUMBER "," BF16 "," NUMBER,
		     NO "," NO "," NO ",\"4\"," NO ",\"True\""),
		CALL("aten::upsample_nearest2d", "[]", NO, "\"\",\"[8, 8]\""),
		CALL("aten::upsample_nearest2d", "[4]", F32, "\"\",\"[8, 8]\""),
		CALL("aten::upsample_nearest2d", "[2,3,4,4]", F32, "\"\",\"\",\"[2.0, 0.0]\""),
	};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		struct work work;
		if (work_of_call(&calls[i], &work))
			fail_msg("work of %s %s", calls[i].name, calls[i].shapes);
	}
}

/* The gradient of an operator costs a multiple of it, whatever its model. */
TEST(gradients_cost_more_than_their_call)
{
	static const struct {
		struct work_call call;
		double times;
	} cases[] = {
		{ { "aten::mm", "[[2,3],[3,4]]", "[" F32 "," F32 "]", "[]" }, 2 },
		{ { "aten::addmm", "[[4],[2,3],[3,4]]", "[" F32X3 "]", "[]" }, 2 },
		{ { "aten::bmm", "[[2,2,3],[2,3,4]]", "[" F32 "," F32 "]", "[]" }, 2 },
		{ { "aten::linear", "[[2,3],[4,3],[4]]", "[" F32X3 "]", "[]" }, 2 },
		{ { "aten::_scaled_dot_product_flash_attention", "[" QKV "]", "[" QKV16 "]",
		    "[" NO "," NO "," NO ",\"0.\",\"False\"]" },
		  2.5 },
		{ { "aten::scaled_dot_product_attention", "[" QKV "]", "[" QKV16 "]",
		    "[" NO "," NO "," NO "," NO ",\"0.\",\"False\"]" },
		  2.5 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct work_call gradient = cases[i].call;
		struct work forward = count(&cases[i].call);
		gradient.backward = true;
		struct work backward = count(&gradient);
		if (backward.flops != cases[i].times * forward.flops ||
		    !(backward.bytes > forward.bytes))
			fail_msg("%s: %g of %g FLOPs, %g of %g bytes", gradient.name,
				 backward.flops, forward.flops, backward.bytes, forward.bytes);
	}
}

/* ---- what each operand must be ---- */

enum { OPERANDS = 3, DIMS = 5 };

/* Shapes end with 0; the dimensions of INNER are those over which it sums. */
struct sized_call {
	const char *name;
	int dim[OPERANDS][DIMS];
	int first; /* the first operand that must be there */
	int inner[2];
};

static const struct sized_call sized_calls[] = {
	{ "aten::mm", { { 2, 3 }, { 3, 4 } }, 0, { 1, 0 } },
	{ "aten::bmm", { { 2, 3, 4 }, { 2, 4, 5 } }, 0, { 2, 1 } },
	{ "aten::addmm", { { 4 }, { 2, 3 }, { 3, 4 } }, 1, { 1, 0 } },
	{ "aten::baddbmm", { { 2, 3, 5 }, { 2, 3, 4 }, { 2, 4, 5 } }, 1, { 2, 1 } },
	{ "aten::conv_transpose2d", { { 2, 8, 5, 5 }, { 8, 6, 3, 3 } }, 0, { 1, 0 } },
};

static bool has_work(const int dim[OPERANDS][DIMS], const char *name)
{
	struct buffer shapes = { 0 };
	struct work work;
	for (int i = 0; i < OPERANDS && (i < 2 || dim[i][0] != 0 || dim[i][1] != 0); i++) {
		buffer_puts(&shapes, i ? ",[" : "[[");
		for (int d = 0; d < DIMS && dim[i][d]; d++)
			buffer_printf(&shapes, "%s%d", d ? "," : "", dim[i][d]);
		buffer_puts(&shapes, "]");
	}
	buffer_puts(&shapes, "]");
	const struct work_call call = { name, buffer_text(&shapes), "[]", "[]" };
	bool found = work_of_call(&call, &work) && !isnan(work.flops);
	buffer_free(&shapes);
	return found;
}

static void assert_refuses(const struct sized_call *call, int dim[OPERANDS][DIMS], const char *what)
{
	if (has_work(dim, call->name))
		fail_msg("%s has work though %s", call->name, what);
}

/* A product needs each operand, of the right number of dimensions, and equal inner dimensions. */
TEST(each_operand_alone_decides)
{
	for (size_t i = 0; i < sizeof sized_calls / sizeof *sized_calls; i++) {
		const struct sized_call *call = &sized_calls[i];
		int dim[OPERANDS][DIMS];
		if (!has_work(call->dim, call->name))
			fail_msg("%s has no work", call->name);
		for (int k = call->first; k < call->first + 2; k++) {
			int last = 0;
			while (call->dim[k][last + 1])
				last++;
			memcpy(dim, call->dim, sizeof dim);
			memset(dim[k], 0, sizeof dim[k]);
			assert_refuses(call, dim, "an operand is missing");
			memcpy(dim, call->dim, sizeof dim);
			dim[k][last] = 0;
			assert_refuses(call, dim, "a dimension is missing");
			memcpy(dim, call->dim, sizeof dim);
			dim[k][last + 1] = 1;
			assert_refuses(call, dim, "there is one dimension more");
			memcpy(dim, call->dim, sizeof dim);
			dim[k][call->inner[k - call->first]]++;
			assert_refuses(call, dim, "the inner dimensions differ");
		}
	}
	int both[OPERANDS][DIMS] = { { 2, 8 }, { 8, 6 } };
	assert_refuses(&sized_calls[4], both, "both operands are matrices");
}

/* ---- any calls ---- */

static const char *any_of(uint64_t *random, const char *const *texts, size_t count)
{
	return texts[random_below(random, count)];
}
#define ANY(random, texts) any_of(random, texts, sizeof(texts) / sizeof *(texts))

/* Sizes are few, so that those that must be equal often are. */
static void add_shape(struct buffer *out, uint64_t *random, unsigned sizes, size_t dims)
{
	static const int dim[] = { 3, 2, 4, 1, 6, 0 };
	static const char *const wrong[] = { "-1", "\"x\"", "2.5", "[2]", "[]" };
	buffer_puts(out, "[");
	for (size_t i = 0; i < dims; i++) {
		buffer_puts(out, i ? "," : "");
		if (random_below(random, 100))
			buffer_printf(out, "%d", dim[random_below(random, sizes)]);
		else
			buffer_puts(out, ANY(random, wrong));
	}
	buffer_puts(out, "]");
}

/* A tensor, mostly of DIMS dimensions, a list of tensors, or none. */
static void add_operand(struct buffer *out, uint64_t *random, unsigned sizes, size_t dims)
{
	uint64_t kind = random_below(random, 20);
	if (kind < 2) {
		buffer_puts(out, "[");
		for (size_t i = 0, count = 1 + random_below(random, 4); i < count; i++) {
			buffer_puts(out, i ? "," : "");
			add_shape(out, random, sizes, dims);
		}
		buffer_puts(out, "]");
	} else if (kind < 14) {
		add_shape(out, random, sizes, kind < 10 ? dims : random_below(random, 6));
	} else {
		buffer_puts(out, "[]");
	}
}

/* The call of NAME that follows from RANDOM, with what is known of it as text. */
static void add_any_call(struct buffer *out, const char *name, uint64_t *random)
{
	static const char *const types[] = { F32,
					     F32,
					     F16,
					     BF16,
					     F8,
					     I64,
					     I32,
					     I8,
					     NUMBER,
					     NO,
					     "\"bool\"",
					     "\"double\"",
					     "\"c10::complex<float>\"",
					     "\"float16\"",
					     "\"TensorList\"",
					     "\"ScalarList\"",
					     "\"c10::Float4_e2m1fn_x2\"" };
	static const char *const values[] = { NO,        NO,         NO,           "\"0\"",
					      "\"1\"",   "\"2\"",    "\"3\"",      "\"-1\"",
					      "\"0.5\"", "\"True\"", "\"False\"",  "\"[1, 1]\"",
					      "\"[2]\"", "\"[]\"",   "\"[2, 1]\"", "\"[0, 1]\"",
					      "\"5\"",   "\"6\"",    "\"15\"",     "\"none\"" };
	static const char *const kernels[] = {
		NULL, "", "CatArrayBatchedCopy<c10::Half, unsigned int, 2>",
		"void multi_tensor_apply_kernel<TensorListMetadata<2>, AddFunctor<float, 2>>"
	};
	struct buffer text[4] = { 0 };
	size_t operands = 1 + random_below(random, 9), dims = random_below(random, 5);
	unsigned sizes = 1 + (unsigned)random_below(random, 6);
	uint64_t alike = random_below(random, 3) ? 0 : *random; /* shapes are equal */
	for (size_t i = 0; i < operands; i++) {
		for (size_t part = 0; part < 4; part++)
			buffer_puts(&text[part], i ? "," : "[");
		uint64_t same = alike;
		add_operand(&text[0], alike && random_below(random, 10) < 8 ? &same : random, sizes,
			    dims);
		buffer_puts(&text[1], random_below(random, 3) ? F32 : ANY(random, types));
		buffer_puts(&text[2], ANY(random, values));
		add_shape(&text[3], random, sizes, dims);
	}
	for (size_t part = 0; part < 4; part++)
		buffer_puts(&text[part], "]");
	const struct work_call call = { name,
					buffer_text(&text[0]),
					buffer_text(&text[1]),
					random_below(random, 5) ? buffer_text(&text[2]) : NULL,
					random_below(random, 2) ? buffer_text(&text[3]) : NULL,
					random_below(random, 4) == 0,
					ANY(random, kernels) };
	struct work work = { 0, 0 };
	bool known = work_of_call(&call, &work);
	buffer_printf(out, "%d %.9g %.9g\n", known, known ? work.flops : 0, known ? work.bytes : 0);
	for (size_t part = 0; part < 4; part++)
		buffer_free(&text[part]);
}

/* FNV-1a */
static uint32_t sum_of(const char *text)
{
	uint32_t sum = 2166136261;
	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 16777619;
	return sum;
}

/*
 * Calls of any shapes, types and values of all operators that the table names: a sum for each of
 * its lines, in data/work_sums.txt, which UPDATE_GOLDEN=1 writes.
 */
TEST(any_call_of_every_operator)
{
	enum { CALLS = 150 };
	size_t length;
	AUTO_FREE char *table =
		read_whole(source_path("src/engine/analysis/work/work_models.txt"), &length);
	struct buffer sums = { 0 };
	char *rest, *line = strtok_r(table, "\n", &rest);
	for (; line; line = strtok_r(NULL, "\n", &rest)) {
		char *names = strrchr(line, '|'), *more;
		struct buffer text = { 0 };
		if (*line == '#' || !names || strchr(names, '='))
			continue;
		for (char *name = strtok_r(names + 1, " ", &more); name;
		     name = strtok_r(NULL, " ", &more)) {
			uint64_t random = sum_of(name);
			if (!text.length)
				buffer_printf(&sums, "%s ", name);
			for (size_t i = 0; i < CALLS; i++)
				add_any_call(&text, name, &random);
		}
		if (text.length)
			buffer_printf(&sums, "%08x\n", sum_of(buffer_text(&text)));
		buffer_free(&text);
	}
	if (getenv("UPDATE_GOLDEN")) {
		FILE *file = fopen(source_path("tests/unit/data/work_sums.txt"), "w");
		assert_non_null(file);
		fputs(buffer_text(&sums), file);
		fclose(file);
	} else if (strcmp(buffer_text(&sums), data_text("work_sums.txt")) != 0) {
		fail_msg("other sums than those of work_sums.txt:\n%s", buffer_text(&sums));
	}
	buffer_free(&sums);
}

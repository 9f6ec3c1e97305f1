/*
 * Families and traits of kernels by name.
 */
#include "derived/kernel_family.h"
#include "file_case.h"
#include "trace_case.h"

static const struct {
	const char *name;
	enum kernel_family family;
	unsigned traits, generation;
} kernels[] = {
	{ "ampere_sgemm_128x64_nn", FAMILY_GEMM, KERNEL_FP32, 80 },
	{ "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", FAMILY_GEMM, 0, 70 },
	{ "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align1>", FAMILY_GEMM,
	  KERNEL_UNALIGNED, 80 },
	{ "cutlass_80_simt_sgemm_128x64_8x5_nn_align1", FAMILY_GEMM, KERNEL_FP32, 80 },
	{ "cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_tn_align16", FAMILY_GEMM, 0, 80 },
	{ "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x64x32", FAMILY_GEMM, 0, 90 },
	{ "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_ffma", FAMILY_GEMM, KERNEL_FP32,
	  80 },
	{ "nvjet_tst_192x208_64x4_1x1_h_bz_coopB_bias_TNT", FAMILY_GEMM, KERNEL_SPLIT, 90 },
	{ "Cijk_Alik_Bljk_BBS_BH_Bias_MT256x32x64_MI16x16x1_SN", FAMILY_GEMM, 0, 0 },
	{ "void splitKreduce_kernel<32, 16, int>", FAMILY_GEMM, KERNEL_SPLIT, 0 },
	{ "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc", FAMILY_CONV, 0, 80 },
	{ "volta_scudnn_128x64_relu_interior_nn_v1", FAMILY_CONV, KERNEL_FP32, 70 },
	{ "igemm_wrw_gtcx2_nhwc_bf16_bx0_ex1_bt256x128x16", FAMILY_CONV, 0, 0 },
	{ "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128> >", FAMILY_ATTENTION, 0, 80 },
	{ "attn_fwd", FAMILY_ATTENTION, 0, 0 },
	{ "chunk_gla_fwd_A_kernel_intra_sub_inter", FAMILY_LINEAR, 0, 0 },
	{ "_chunk_scan_fwd_kernel", FAMILY_LINEAR, 0, 0 },
	{ "chunk_local_cumsum_vector_kernel", FAMILY_REDUCE, 0, 0 },
	{ "void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<32> >", FAMILY_LINEAR, 0,
	  0 },
	{ "fused_recurrent_gated_delta_rule_fwd_kernel", FAMILY_LINEAR, KERNEL_COMPILED, 0 },
	{ "void flash_attn_ext_f16<(int)128, (int)1>(char const*)", FAMILY_ATTENTION, 0, 0 },
	{ "void mul_mat_q<(ggml_type)12, (int)128, (bool)0>(char const*)", FAMILY_GEMM, 0, 0 },
	{ "quantize_mmq_q8_1(float const*, void*)", FAMILY_COPY, 0, 0 },
	{ "soft_max_f32(float const*)", FAMILY_SOFTMAX, 0, 0 },
	{ "k_get_rows_float(float const*)", FAMILY_INDEX, 0, 0 },
	{ "k_bin_bcast<op_add>(float const*)", FAMILY_POINTWISE, 0, 0 },
	{ "rope_neox(float const*)", FAMILY_POINTWISE, 0, 0 },
	{ "cpy_f32_f16(char const*)", FAMILY_COPY, 0, 0 },
	{ "kernel_unified_attention_2d", FAMILY_ATTENTION, 0, 0 },
	{ "void softmax_warp_forward<c10::Half, float, 7>", FAMILY_SOFTMAX, 0, 0 },
	{ "void vectorized_layer_norm_kernel<float, float>", FAMILY_NORM, 0, 0 },
	{ "void at::native::batch_norm_backward_kernel<c10::Half>", FAMILY_NORM, KERNEL_NATIVE_NORM,
	  0 },
	{ "void cudnn::bn_fw_inf_1C11_kernel_NCHW<float>", FAMILY_NORM, 0, 0 },
	{ "void at::native::vectorized_elementwise_kernel<4, rsqrt_kernel_cuda>", FAMILY_POINTWISE,
	  KERNEL_RSQRT, 0 },
	{ "void at::native::vectorized_elementwise_kernel<4, bfloat16_copy_kernel_cuda>",
	  FAMILY_COPY, KERNEL_CAST, 0 },
	{ "void CatArrayBatchedCopy<OpaqueType<2u>, unsigned int, 3, 64, 64>", FAMILY_COPY, 0, 0 },
	{ "batched_transpose_16x64_pack_1x4_ediv_1x2_half", FAMILY_LAYOUT, 0, 0 },
	{ "void cudnn::ops::nchwToNhwcKernel<__half, __half>", FAMILY_LAYOUT, 0, 0 },
	{ "void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16>", FAMILY_INDEX, 0, 0 },
	{ "void at::native::index_elementwise_kernel<128, 4>", FAMILY_INDEX, 0, 0 },
	{ "void indexing_backward_kernel<float, 4>", FAMILY_INDEX, KERNEL_SLOW, 0 },
	{ "split_embedding_backward_codegen_rowwise_adagrad", FAMILY_INDEX, 0, 0 },
	{ "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<float> > >",
	  FAMILY_POINTWISE, 0, 0 },
	{ "void Eigen::internal::EigenMetaKernel<Eigen::TensorShufflingOp<Eigen::array<int> > >",
	  FAMILY_LAYOUT, 0, 0 },
	{ "void Eigen::internal::FullReductionKernel<Eigen::TensorReductionOp<Sum> >",
	  FAMILY_REDUCE, 0, 0 },
	{ "aclnnMuls_MulAiCore_Mul", FAMILY_POINTWISE, 0, 0 },
	{ "aclnnLogSoftmax_LogSoftmaxAiCore_LogSoftmaxV2", FAMILY_SOFTMAX, 0, 0 },
	{ "aclnnTopk_CastAiCore_Cast", FAMILY_COPY, 0, 0 },
	{ "trans_Cast_15", FAMILY_COPY, 0, 0 },
	{ "transpose_NCHW2CNHW_V2_2D_WG_off64", FAMILY_LAYOUT, 0, 0 },
	{ "__amd_rocclr_fillBufferAligned.kd", FAMILY_COPY, 0, 0 },
	{ "void at::native::bitonicSortKVInPlace<2, -1, 16, 16, float, long>", FAMILY_INDEX, 0, 0 },
	{ "void moe::dev::routing::routingIndicesHistogramKernel<int>", FAMILY_INDEX, 0, 0 },
	{ "ck_moe_stage1_kernel<BF16, 128, 128>", FAMILY_GEMM, 0, 0 },
	{ "moe_sum_kernel<BF16>", FAMILY_REDUCE, 0, 0 },
	{ "void pointwise_mult_and_sum_complex<float2, 8, 4>", FAMILY_POINTWISE, 0, 0 },
	{ "void cuda::per_channel_cast_and_transpose<256, 128>(void const*)", FAMILY_COPY, 0, 0 },
	{ "void cuda::swiglu_backward<__nv_bfloat16>(void const*)", FAMILY_POINTWISE, 0, 0 },
	{ "void forecast_kernel<static_caster>", FAMILY_OTHER, 0, 0 },
	{ "void fbgemm_gpu::permute_2D_lengths_kernel<int>(int)", FAMILY_LAYOUT, 0, 0 },
	{ "void fbgemm_gpu::bounds_check_indices_kernel<long>", FAMILY_INDEX, 0, 0 },
	{ "void at::native::reduce_kernel<512, 1, MeanOps<float> >", FAMILY_REDUCE, 0, 0 },
	{ "void multi_tensor_apply_kernel<FusedAdamMathFunctor<float> >", FAMILY_OPTIMIZER, 0, 0 },
	{ "void multi_tensor_apply_kernel<TensorListMetadata<2>, CopyFunctor<int, long, 2, 1, 1> >",
	  FAMILY_COPY, 0, 0 },
	{ "triton_poi_fused_add_mul_0", FAMILY_POINTWISE, KERNEL_COMPILED, 0 },
	{ "triton_red_fused_native_layer_norm_2", FAMILY_NORM, KERNEL_COMPILED, 0 },
	{ "void transformer_convert_weights", FAMILY_OTHER, 0, 0 },
	{ "void trampoline_kernel<wrapped_reduce_config<int>, conversion_op>(void*)", FAMILY_REDUCE,
	  0, 0 },
	{ "void at::native::max_pool_backward_nchw<float, float>(int)", FAMILY_POOLING, 0, 0 },
	{ "void at::native::adaptive_average_pool<float>(float const*)", FAMILY_POOLING, 0, 0 },
	{ "void permute_pooled_embs_kernel<float>(float const*)", FAMILY_INDEX, 0, 0 },
	{ "void linearize_index_kernel<long>(long)", FAMILY_INDEX, 0, 0 },
	{ "void store_kvcache<2048l, 4, false, long>(StoreKVCacheParams)", FAMILY_INDEX, 0, 0 },
	{ "aclnnMaxPool2dWithMask_TransDataSpecial_TransData", FAMILY_LAYOUT, 0, 0 },
	{ "aclnnForeachAddListV2_ForeachAddListV2_ForeachAddList", FAMILY_OPTIMIZER, 0, 0 },
	{ "void fft2d_r2c_16x16<float>(float2*, float const*)", FAMILY_CONV, 0, 0 },
	{ "void flip_filter<float, float>(float*)", FAMILY_CONV, 0, 0 },
	{ "void epilogue::impl::globalKernel<float, float, float, true>(int)", FAMILY_GEMM, 0, 0 },
	{ "matrix_multiply_kernel", FAMILY_GEMM, 0, 0 },
	{ "void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16>(long)", FAMILY_COPY, 0, 0 },
	{ "add_rmsnorm_quant_kernel<bfloat16_t, 256>", FAMILY_NORM, 0, 0 },
	{ "__amd_rocclr_copyBuffer", FAMILY_COPY, 0, 0 },
	{ "vector_add_kernel", FAMILY_POINTWISE, 0, 0 },
	{ "void at::native::ComputeFusedParamsCUDAKernel<float>(long)", FAMILY_NORM, 0, 0 },
	{ "void cunn_ClassNLLCriterion_updateOutput_kernel<float>(float*)", FAMILY_REDUCE, 0, 0 },
	{ "wrapped_convert.kd", FAMILY_COPY, 0, 0 },
	{ "input_transpose_fusion_1", FAMILY_LAYOUT, 0, 0 },
	{ "loop_reduce_fusion_3.kd", FAMILY_REDUCE, 0, 0 },
	{ "loop_add_fusion.7", FAMILY_POINTWISE, 0, 0 },
	{ "gemm_fusion_dot_6.kd", FAMILY_GEMM, 0, 0 },
	{ "Im3d2Col", FAMILY_CONV, 0, 0 },
	{ "", FAMILY_OTHER, 0, 0 },
};

TEST(kernels_are_classified_by_name)
{
	struct kernel_rules *rules = kernel_rules_new();
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		struct kernel_name of =
			kernel_name_of(rules, kernels[i].name, strlen(kernels[i].name));
		if (of.family != kernels[i].family ||
		    (of.traits & ~(unsigned)KERNEL_NARROW) != kernels[i].traits ||
		    of.generation != kernels[i].generation)
			fail_msg("%s: %s, traits %u, generation %u", kernels[i].name,
				 kernel_family_name((enum kernel_family)of.family), of.traits,
				 of.generation);
	}
	kernel_rules_free(rules);
}

/* Names of libraries and frameworks, each with what the kernel does, told by hand. */
TEST(names_of_libraries_have_their_family)
{
	struct kernel_rules *rules = kernel_rules_new();
	size_t count = 0;
	for (const char *line = data_text("kernel_families.tsv"); *line; count++) {
		size_t length = strcspn(line, "\n"), tab = strcspn(line, "\t");
		assert_true(tab < length);
		struct kernel_name of = kernel_name_of(rules, line + tab + 1, length - tab - 1);
		const char *family = kernel_family_name((enum kernel_family)of.family);
		if (strlen(family) != tab || strncmp(family, line, tab) != 0)
			fail_msg("%s: %.*s", family, (int)length, line);
		line += length + (line[length] == '\n');
	}
	assert_true(count >= 150);
	kernel_rules_free(rules);
}

TEST(every_family_has_a_name)
{
	for (int i = 0; i < KERNEL_FAMILIES; i++)
		assert_non_null(kernel_family_name((enum kernel_family)i));
}

TEST(types_of_32_bits_or_fewer_are_named)
{
	static const struct {
		const char *name;
		bool narrow;
	} cases[] = {
		{ "ampere_sgemm_128x64_nn", true },
		{ "volta_h884gemm_128x64_ldg8_tn", true },
		{ "void gemmk1_kernel<int, float>", true },
		{ "void softmax_warp_forward<c10::Half, float, 7>", true },
		{ "void softmax_warp_forward<double, double, 7>", false },
		{ "volta_dgemm_128x64_nn", false },
		{ "attn_fwd", false },
		{ "", false },
	};
	struct kernel_rules *rules = kernel_rules_new();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kernel_name of = kernel_name_of(rules, cases[i].name, strlen(cases[i].name));
		if (!(of.traits & KERNEL_NARROW) == cases[i].narrow)
			fail_msg("%s: traits %u", cases[i].name, of.traits);
	}
	kernel_rules_free(rules);
}

/* Tensor core use by kernel name, and eligibility of operators. */
#include "trace_case.h"

#include "derived/tensor_core.h"

static struct tensor_rules *rules;

static int make_rules(void **state)
{
	rules = tensor_rules_new();
	return 0;
}

static int free_rules(void **state)
{
	tensor_rules_free(rules);
	return 0;
}

static void check(enum tensor_use use, const char *const *names)
{
	for (; *names; names++)
		if (tensor_use_of_kernel(rules, *names, strlen(*names)) != use)
			fail_msg("not %s: %s",
				 use == TENSOR_UNKNOWN ? "unknown" : tensor_use_name(use), *names);
}

TEST(kernels_with_tensor_cores)
{
	check(TENSOR_YES,
	      (const char *const[]){
		      "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
		      "volta_h884gemm_256x64_ldg8_nt",
		      "turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_tn",
		      "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn",
		      "ampere_bf16_s1688gemm_bf16_64x64_sliced1x2_ldg8_f2f_tn",
		      "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x64x32_stage4_warpsize2x2x1",
		      "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
		      "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_64x6_tn>",
		      "cutlass3x_sm100_bstensorop_s16864gemm_block_scaled_ue4m3xe2m1",
		      "nvjet_tst_64x16_64x16_2x4_2cta_h_bz_bias_TNT",
		      "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4> >(Flash_fwd_params)",
		      "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Traits>(Params)",
		      "fmha_cutlassF_f16_aligned_64x64_rf_sm80",
		      "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128",
		      "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_sm100f",
		      "void marlin::Marlin<256, 4, 16, 4, true, 4, 8>(int4 const*, int4 const*, int4*)",
		      "_attn_fwd",
		      "attn_fwd.kd",
		      "attn_bwd_dk_dv",
		      "bwd_kernel_dq",
		      "sage_fwd",
		      "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_SN_LDSB1",
		      "_ZN2ck6device39kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_34Gridwise",
		      "igemm_fwd_gtcx3_nhwc_fp16_bx0_ex1_bt256x128x32_wt64x32x8_ws1x1",
		      "gridwise_convolution_implicit_gemm_v4r4_xdlops_nchw_kcyx_nkhw",
		      "void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16>(int*)",
		      "void at::native::(anonymous namespace)::tinygemm_m16n8k16_chunk_kernel<2>()",
		      "_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIN4cute5tupleIJiiiiEEE"
		      "NS1_10collective13CollectiveMmaINS1_34MainloopSm90TmaGmmaWarpSpecializedILi4E",
		      "_ZN7cutlass13device_kernelIN4cute31SM90_64x128x16_F32BF16BF16_SSE"
		      "MMA_64x128x16_F32BF16BF16_SS",
		      "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
		      "flash::CollectiveMainloopFwdSm90<2> > > >(Params)",
		      "void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::Traits>(Params)",
		      "cutlass_80_tensorop_d884gemm_64x64_16x4_nt_align1",
		      NULL });
}

TEST(kernels_without_tensor_cores)
{
	check(TENSOR_NO,
	      (const char *const[]){
		      "volta_sgemm_128x64_nn",
		      "ampere_sgemm_32x128_tn",
		      "volta_dgemm_64x64_nn",
		      "volta_scudnn_128x64_relu_interior_nn_v1",
		      "volta_gcgemm_32x32_nt",
		      "ampere_fp16_sgemm_fp16_128x64_tn",
		      "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>",
		      "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 2, 2>",
		      "void splitKreduce_kernel<32, 16, int, __half, __half, float, __half, true>",
		      "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>",
		      "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>",
		      "void cask_cudnn::computeOffsetsKernel<false, false>(ComputeOffsetsParams)",
		      "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >",
		      "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >",
		      "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		      "_attn_bwd_preprocess",
		      "triton_poi_fused_addmm_gelu_view_24",
		      "triton_red_fused_native_layer_norm_5",
		      "batched_transpose_32x32_half",
		      "Im2d2Col_v2",
		      "SubTensorOpWithScalar1d",
		      "SubTensorOpWithCastTensor1d",
		      "_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePass",
		      "void flash_fwd_splitkv_combine_kernel<Traits>(Flash_fwd_params)",
		      "void flash::flash_bwd_dot_do_o_kernel<true, Traits>(Flash_bwd_params)",
		      "fmha_cutlassF_f32_aligned_64x64_rf_sm75",
		      "void vllm::gptq::gemm_half_q_half_gptq_4bit_kernel<true, 1>(int*)",
		      "Cijk_Ailk_Bljk_SB_MT64x64x8_SE_K1_TT4_4_WG16_16_1",
		      "Cijk_S_GA_PostGSU4_VW4",
		      "miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1",
		      "void vllm::rms_norm_kernel<c10::BFloat16, 8, 2>(c10::BFloat16*)",
		      "void (anonymous namespace)::softmax_warp_forward<float, float>(float*)",
		      "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int>(int)",
		      "std::enable_if<true, void>::type vllm::fused_add_rms_norm_kernel<8>(int)",
		      "void cub::DeviceRadixSortOnesweepKernel<cub::Policy<gemm> >(long*)",
		      "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float> >(int)",
		      "triton_per_fused__to_copy_addmm_mean_pow_view_7",
		      "reduce_segments",
		      "fill_kernel",
		      NULL });
	/* generated or unknown code: the name says nothing about tensor cores */
	check(TENSOR_UNKNOWN,
	      (const char *const[]){
		      "triton_tem_fused_addmm_7", "triton_mm_kernel", "_fwd_kernel",
		      "matmul_kernel_0d1d2d3de4de", "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1",
		      "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu",
		      "kernel_unified_attention_2d", "fused_moe_kernel",
		      "_gemm_a8w8_kernel_BLOCK_SIZE_M_128", "void gemm_a8w8_bpreshuffle<int>(int)",
		      "_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalE",
		      "my_kernel(int, float*)", "", NULL });
}

TEST(eligible_operators)
{
	static const char *const could[] = { "aten::mm",
					     "aten::addmm",
					     "aten::convolution_backward",
					     "aten::_scaled_mm",
					     "aten::scaled_dot_product_attention",
					     "aten::_flash_attention_forward",
					     "CudnnConvolutionBackward0",
					     "AddmmBackward0",
					     NULL };
	static const char *const not [] = { "aten::add",  "aten::mm_out_of",   "aten::mul",
					    "aten::t",    "mm.cold",           "",
					    "aten::mm 7", "aten::mm/aten::mm", NULL };
	for (const char *const *name = could; *name; name++)
		assert_true(tensor_operator(rules, *name, strlen(*name)));
	for (const char *const *name = not ; *name; name++)
		assert_false(tensor_operator(rules, *name, strlen(*name)));
	assert_true(tensor_types_fit("[\"c10::Half\",\"c10::Half\"]"));
	assert_true(tensor_types_fit("[\"float\",\"float\",\"Scalar\"]"));
	assert_false(tensor_types_fit("[\"double\",\"double\"]"));
	assert_false(tensor_types_fit("[\"long int\",\"long int\"]"));
	assert_true(tensor_types_fit(""));
}

TEST_PROGRAM(make_rules, free_rules)

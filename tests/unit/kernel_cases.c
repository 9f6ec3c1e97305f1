/*
 * Kernels on which detectors fire, and kernels of the same kind on which they are silent.
 */
#include "advice_case.h"

#include "base/buffer.h"

#define GPU(name, major, minor, sms)                                                               \
	"{\"id\":0,\"name\":\"" name "\",\"computeMajor\":" #major ",\"computeMinor\":" #minor     \
	",\"numSms\":" #sms ",\"maxThreadsPerMultiprocessor\":2048,"                               \
	"\"regsPerMultiprocessor\":65536,\"sharedMemPerMultiprocessor\":167936}"
#define AMPERE GPU("NVIDIA A100-SXM4-40GB", 8, 0, 108)
#define HOPPER GPU("NVIDIA H100 80GB HBM3", 9, 0, 132)
#define VOLTA GPU("Tesla V100-SXM2-32GB", 7, 0, 80)
#define TURING GPU("Tesla T4", 7, 5, 40)
#define PASCAL GPU("Tesla P100-PCIE-16GB", 6, 0, 56)
#define AMD GPU("AMD Instinct MI300X", 9, 4, 304)

#define BMM "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_nn_align8"
#define SOFTMAX "void cunn_SoftMaxForward<8, c10::BFloat16>"
#define ADD "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >"
#define ADD_TENSORS                                                                                \
	"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "   \
	"at::detail::Array<char*, 3> >"
#define COPY_BF16                                                                                  \
	"void at::native::vectorized_elementwise_kernel<8, "                                       \
	"at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}>"
#define COPY_SAME                                                                                  \
	"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"          \
	"at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}> >"
#define FLASH "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64> >"
#define FLASH_SHAPES "[[4,16,2048,64],[4,16,2048,64],[4,16,2048,64]]"
#define SUM_100_MB "[[8388608],[8388608]]"
#define GRID(blocks)                                                                               \
	",\"grid\":[" #blocks ",1,1],\"block\":[256,1,1],\"registers per thread\":128,"            \
	"\"shared memory\":0"

const struct kernel_case kernel_cases[] = {
	/* softmax between two batched products */
	{ "plain_attention",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::bmm", NULL, NULL, 100, "" },
	    { ADD, "aten::add", NULL, NULL, 20, "" },
	    { SOFTMAX, "aten::_softmax", NULL, NULL, 200, "" },
	    { BMM, "aten::bmm", NULL, NULL, 100, "" },
	    { BMM, "aten::mm", NULL, NULL, 80, "" } },
	  1,
	  420,
	  "84.0 % of kernel time" },
	/* little softmax, but much attention */
	{ "plain_attention",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::bmm", NULL, NULL, 130, "" },
	    { SOFTMAX, "aten::_softmax", NULL, NULL, 40, "" },
	    { BMM, "aten::bmm", NULL, NULL, 130, "" },
	    { ADD, "aten::add", NULL, NULL, 700, "" } },
	  1,
	  300,
	  "(30.0 % of kernel time), softmax alone 4.0 %" },
	/* a softmax of known work is saved as a whole */
	{ "plain_attention",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::bmm", NULL, NULL, 100, "" },
	    { SOFTMAX, "aten::_softmax", "[[16777216]]", "c10::BFloat16", 200, "" },
	    { BMM, "aten::bmm", NULL, NULL, 100, "" } },
	  1,
	  400,
	  NULL },
	/* 2^31 FLOP each: 6.9 us at 312 TFLOP/s, twice that in a fused kernel */
	{ "plain_attention",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::bmm", "[[16,1024,64],[16,64,1024]]", "c10::BFloat16", 100, "" },
	    { SOFTMAX, "aten::_softmax", NULL, NULL, 200, "" },
	    { BMM, "aten::bmm", "[[16,1024,64],[16,64,1024]]", "c10::BFloat16", 100, "" } },
	  1,
	  391, /* 400 - 4 * 2.294: half of the products at 3/4 of the peak */
	  NULL },
	/* a convolution counts as a product; another FP32 kernel does not */
	{ "tf32_off",
	  "fires",
	  AMPERE,
	  { { "implicit_convolve_sgemm<float, float, 128>", "aten::cudnn_convolution", NULL, NULL,
	      100, "" } },
	  1,
	  0,
	  "100.0 %" },
	/* a name too long for a type is none: the next one says it */
	{ "unaligned_gemm",
	  "fires",
	  AMPERE,
	  { { "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_nn_align1", "aten::mm",
	      "[[4097,4097],[4097,4097],[],[]]",
	      "some::tensor_subclass_with_a_long_name\",\"c10::BFloat16", 2000, "" } },
	  1,
	  1559,
	  NULL },
	/* casts take 4 % and 6 % of kernel time */
	{ "conversions",
	  "silent",
	  AMPERE,
	  { { BMM, "aten::bmm", NULL, NULL, 96, "" },
	    { COPY_BF16, "aten::copy_", NULL, NULL, 4, "" } },
	  1,
	  0,
	  "4.0 %" },
	{ "conversions",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::bmm", NULL, NULL, 94, "" },
	    { COPY_BF16, "aten::copy_", NULL, NULL, 6, "" } },
	  1,
	  6,
	  "6.0 %" },
	{ "plain_attention",
	  "silent",
	  AMPERE, /* a router and a classifier are no attention */
	  { { BMM, "aten::mm", NULL, NULL, 100, "" },
	    { SOFTMAX, "aten::_softmax", NULL, NULL, 200, "" },
	    { BMM, "aten::mm", NULL, NULL, 100, "" } },
	  1,
	  0,
	  NULL },
	{ "plain_attention",
	  "silent",
	  AMPERE, /* experts around a router */
	  { { BMM, "aten::bmm", NULL, NULL, 500, "" },
	    { SOFTMAX, "aten::_softmax", NULL, NULL, 20, "" },
	    { BMM, "aten::bmm", NULL, NULL, 500, "" } },
	  1,
	  0,
	  NULL },
	{ "plain_attention",
	  "silent",
	  AMPERE, /* too far apart */
	  { { BMM, "aten::bmm", NULL, NULL, 100, "" },
	    { SOFTMAX, "aten::_softmax", NULL, NULL, 200, "" },
	    { ADD, "aten::add", NULL, NULL, 1, "" },
	    { ADD, "aten::add", NULL, NULL, 1, "" },
	    { ADD, "aten::add", NULL, NULL, 1, "" },
	    { ADD, "aten::add", NULL, NULL, 1, "" },
	    { ADD, "aten::add", NULL, NULL, 1, "" },
	    { ADD, "aten::add", NULL, NULL, 1, "" },
	    { BMM, "aten::bmm", NULL, NULL, 100, "" } },
	  1,
	  0,
	  NULL },

	/* 2^37 FLOP: 8.8 ms at 15.7 TFLOP/s, 1.1 ms at 125 */
	{ "tensor_cores",
	  "fires",
	  VOLTA,
	  { { "volta_sgemm_128x64_nn", "aten::mm", "[[4096,4096],[4096,4096]]", "float", 10000,
	      "" } },
	  1,
	  0,
	  "100.0 % of kernel time" },
	{ "tensor_cores",
	  "silent",
	  PASCAL,
	  { { "sgemm_128x64_nn", "aten::mm", NULL, NULL, 100, "" } },
	  1,
	  0,
	  "no Tensor Cores" },
	{ "tf32_off",
	  "fires",
	  AMPERE,
	  { { "ampere_sgemm_128x64_nn", "aten::mm", NULL, NULL, 100, "" },
	    { ADD, "aten::add", NULL, NULL, 100, "" } },
	  1,
	  88,
	  "50.0 % of kernel time" }, /* 19.5 TFLOP/s, then 156 */
	{ "tf32_off",
	  "silent",
	  AMPERE,
	  { { "cutlass_80_tensorop_s1688gemm_128x128_nn_align4", "aten::mm", NULL, NULL, 100, "" },
	    { "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n", "aten::mm", NULL, NULL, 100, "" },
	    { "cutlass_80_simt_dgemm_64x64_nn_align1", "aten::mm", NULL, NULL, 100, "" } },
	  1,
	  0,
	  NULL },

	/* 19.5 of 156 TFLOP/s, and half of the bytes */
	{ "double_precision",
	  "fires",
	  AMPERE,
	  { { "cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1", "aten::mm", NULL, NULL, 80, "" },
	    { "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<double> >",
	      "aten::add", NULL, NULL, 20, "" } },
	  1,
	  80,
	  "Kernels in FP64 take 100.00 us in 2 calls" },
	/* a GPU with 2 FP64 lanes to 64 of FP32: 65 TFLOP/s are of half precision */
	{ "double_precision",
	  "fires",
	  TURING,
	  { { "volta_dgemm_64x64_nn", "aten::mm", NULL, NULL, 320, "" } },
	  1,
	  310,
	  NULL },
	/* by the type of the operator: the name says none */
	{ "double_precision",
	  "fires",
	  AMPERE,
	  { { "triton_poi_fused_add_mul_0", "aten::add", "[[64],[64]]", "double", 100, "" } },
	  1,
	  50,
	  NULL },
	/* arguments of functions, casts of loaded data, and little */
	{ "double_precision",
	  "silent",
	  AMPERE,
	  { { "void at::native::vectorized_elementwise_kernel<4, nan_to_num_kernel_cuda("
	      "at::TensorIteratorBase&, c10::optional<double>)::{lambda(float)#1}>",
	      "aten::nan_to_num", NULL, NULL, 100, "" },
	    { "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor, double, double>",
	      "aten::_fused_adam_", NULL, NULL, 100, "" },
	    { COPY_SAME, "aten::copy_", "[[64],[64]]", "double", 100, "" },
	    { BMM, "aten::bmm", NULL, NULL, 100, "" },
	    { "ampere_dgemm_64x64_nn", "aten::mm", NULL, NULL, 20, "" } },
	  1,
	  0,
	  "4.8 % of kernel time" },

	{ "unaligned_gemm",
	  "fires",
	  AMPERE,
	  { { "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_nn_align1", "aten::mm",
	      "[[4097,4097],[4097,4097],[],[]]", "c10::BFloat16", 2000, "" } },
	  1,
	  1559, /* 2 * 4097^3 FLOP at 312 TFLOP/s take 441 us */
	  "shapes [[4097,4097],[4097,4097]]" },
	{ "unaligned_gemm",
	  "silent",
	  AMPERE, /* ordinary cores load single elements anyway */
	  { { "cutlass_80_simt_sgemm_128x64_nn_align1", "aten::mm", NULL, NULL, 100, "" },
	    { "cutlass_80_tensorop_f16_s16816gemm_f16_128x64_nn_align16", "aten::mm", NULL, NULL,
	      100, "" } },
	  1,
	  0,
	  NULL },

	{ "kernel_old_generation",
	  "fires",
	  HOPPER,
	  { { "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128> >", "aten::sdpa", NULL,
	      NULL, 300, "" } },
	  1,
	  111,
	  NULL },
	{ "kernel_old_generation",
	  "silent",
	  HOPPER, /* short, or new */
	  { { BMM, "aten::mm", NULL, NULL, 20, "" },
	    { "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", "aten::mm", NULL, NULL, 300, "" } },
	  1,
	  0,
	  NULL },
	{ "kernel_old_generation",
	  "silent",
	  AMPERE,
	  { { BMM, "aten::mm", NULL, NULL, 300, "" } },
	  1,
	  0,
	  NULL },

	/* 137.4 GFLOP in 1 ms: 137.4 of 312 TFLOP/s */
	{ "gemm_low_efficiency",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::mm", "[[4096,4096],[4096,4096]]", "c10::BFloat16", 1000, "" } },
	  1,
	  559,
	  "137.4 TFLOP/s, 44." },
	{ "gemm_low_efficiency",
	  "silent",
	  AMPERE,
	  { { BMM, "aten::mm", "[[4096,4096],[4096,4096]]", "c10::BFloat16", 600, "" } },
	  1,
	  0,
	  NULL },
	{ "gemm_low_efficiency",
	  "unknown",
	  AMPERE,
	  { { BMM, "aten::mm", NULL, NULL, 600, "" } },
	  1,
	  0,
	  NULL },

	/* 68.7 GFLOP: 220 us at the peak, 440 us in a good fused kernel */
	{ "attention_low_efficiency",
	  "fires",
	  AMPERE,
	  { { FLASH, "aten::_scaled_dot_product_flash_attention", FLASH_SHAPES, "c10::BFloat16",
	      2000, "" } },
	  1,
	  1559,
	  "34.4 TFLOP/s, 11.0 %" },
	{ "attention_low_efficiency",
	  "silent",
	  AMPERE,
	  { { FLASH, "aten::_scaled_dot_product_flash_attention", FLASH_SHAPES, "c10::BFloat16",
	      600, "" } },
	  1,
	  0,
	  NULL },
	{ "attention_low_efficiency",
	  "unknown",
	  AMPERE,
	  { { FLASH, "aten::_scaled_dot_product_flash_attention", NULL, NULL, 2000, "" } },
	  1,
	  0,
	  NULL },
	{ "attention_low_efficiency",
	  "unknown",
	  GPU("A GPU of tomorrow", 80, 0, 1000),
	  { { FLASH, "aten::_scaled_dot_product_flash_attention", FLASH_SHAPES, "c10::BFloat16",
	      2000, "" } },
	  1,
	  0,
	  NULL },

	/* 100.7 MB in 200 us: 503 of 1555 GB/s */
	{ "memory_bound_kernels",
	  "fires",
	  AMPERE,
	  { { ADD, "aten::add", SUM_100_MB, "float", 200, "" } },
	  1,
	  135,
	  "32.4 %" },
	{ "memory_bound_kernels",
	  "silent",
	  AMPERE,
	  { { ADD, "aten::add", SUM_100_MB, "float", 80, "" } },
	  1,
	  0,
	  NULL },
	{ "memory_bound_kernels",
	  "unknown",
	  AMPERE,
	  { { ADD, "aten::add", NULL, NULL, 80, "" } },
	  1,
	  0,
	  NULL },

	/* without shapes 16.8 M elements by name and blocks, at least 134 MB, at most 268 MB */
	{ "memory_bound_kernels",
	  "fires",
	  AMPERE,
	  { { COPY_SAME, "aten::copy_", NULL, NULL, 2000, GRID(32768) } },
	  1,
	  1914,
	  "8.6 %" },
	{ "memory_bound_kernels",
	  "silent",
	  AMPERE,
	  { { COPY_SAME, "aten::copy_", NULL, NULL, 250, GRID(32768) } },
	  1,
	  0,
	  NULL },
	{ "memory_bound_kernels",
	  "unknown",
	  AMPERE,
	  { { ADD, "aten::add", NULL, NULL, 2000, GRID(32768) } },
	  1,
	  0,
	  NULL },

	/* 2 blocks fit on each of 108 SMs: 270 blocks are 1.25 waves */
	{ "wave_quantization",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::mm", NULL, NULL, 1000, GRID(270) } },
	  1,
	  375,
	  NULL },
	{ "wave_quantization",
	  "silent",
	  AMPERE,
	  { { BMM, "aten::mm", NULL, NULL, 1000, GRID(432) },
	    { "gemm_stream_k", "aten::mm", NULL, NULL, 1000, GRID(270) } },
	  1,
	  0,
	  NULL },
	{ "wave_quantization",
	  "unknown",
	  AMD,
	  { { "Cijk_MT64x64x64_MI16x16x1", "aten::mm", NULL, NULL, 1000, "" } },
	  1,
	  0,
	  NULL },

	{ "few_blocks",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::mm", NULL, NULL, 1000, GRID(27) } },
	  1,
	  750,
	  NULL },
	{ "few_blocks",
	  "silent",
	  AMPERE,
	  { { "void splitKreduce_kernel<32>", "aten::mm", NULL, NULL, 1000, GRID(27) } },
	  1,
	  0,
	  NULL },
	{ "low_occupancy",
	  "fires",
	  AMPERE, /* the low bandwidth has the gain */
	  { { ADD, "aten::add", SUM_100_MB, "float", 200,
	      ",\"grid\":[999,1,1],\"block\":[128,1,1],\"registers per thread\":255,"
	      "\"shared memory\":0,\"est. achieved occupancy %\":12" } },
	  1,
	  0,
	  NULL },
	{ "low_occupancy",
	  "silent",
	  AMPERE, /* normal for tensor cores */
	  { { BMM, "aten::mm", NULL, NULL, 1000,
	      ",\"grid\":[999,1,1],\"block\":[128,1,1],\"registers per thread\":255,"
	      "\"shared memory\":0,\"est. achieved occupancy %\":12" } },
	  1,
	  0,
	  NULL },

	/* of 30, 20 and 10 us fused kernels take 30 */
	{ "pointwise",
	  "fires",
	  AMPERE,
	  { { ADD, "aten::add", NULL, NULL, 30, "" },
	    { ADD, "aten::mul", NULL, NULL, 20, "" },
	    { COPY_BF16, "aten::copy_", NULL, NULL, 10, "" },
	    { BMM, "aten::mm", NULL, NULL, 60, "" } },
	  1,
	  30,
	  "50.0 % of kernel time" },
	/* of the longest, which reads two and writes one, another may have written what it reads */
	{ "pointwise",
	  "fires",
	  AMPERE,
	  { { ADD_TENSORS, "aten::add", NULL, NULL, 30, "" },
	    { ADD, "aten::mul", NULL, NULL, 20, "" },
	    { BMM, "aten::mm", NULL, NULL, 60, "" } },
	  1,
	  30,
	  NULL },
	{ "pointwise",
	  "silent",
	  AMPERE, /* nothing to fuse with, or fused already */
	  { { ADD, "aten::add", NULL, NULL, 30, "" },
	    { BMM, "aten::mm", NULL, NULL, 30, "" },
	    { "triton_poi_fused_add_mul_0", NULL, NULL, NULL, 30, "" },
	    { "triton_poi_fused_add_mul_1", NULL, NULL, NULL, 30, "" } },
	  1,
	  0,
	  NULL },
	{ "conversions",
	  "fires",
	  AMPERE,
	  { { COPY_BF16, "aten::copy_", NULL, NULL, 10, "" },
	    { BMM, "aten::mm", NULL, NULL, 90, "" } },
	  1,
	  10,
	  "10.0 % of kernel time" },
	{ "conversions",
	  "silent",
	  AMPERE,
	  { { COPY_SAME, "aten::_to_copy", NULL, NULL, 10, "" },
	    { BMM, "aten::mm", NULL, NULL, 90, "" } },
	  1,
	  0,
	  NULL },
	{ "layouts",
	  "fires",
	  AMD,
	  { { "batched_transpose_16x64_pack_1x4_ediv_1x2_half", NULL, NULL, NULL, 10, "" },
	    { "igemm_fwd_gtcx2_nhwc_bf16", NULL, NULL, NULL, 90, "" } },
	  1,
	  10,
	  NULL },
	{ "layouts",
	  "silent",
	  AMD,
	  { { "igemm_fwd_gtcx2_nhwc_bf16", NULL, NULL, NULL, 90, "" } },
	  1,
	  0,
	  NULL },
	{ "norm_unfused",
	  "fires",
	  AMPERE,
	  { { "void vectorized_elementwise_kernel<4, pow_tensor_scalar>", "aten::pow", NULL, NULL,
	      10, "" },
	    { "void at::native::reduce_kernel<512, 1, MeanOps<float> >", "aten::mean", NULL, NULL,
	      20, "" },
	    { ADD, "aten::add", NULL, NULL, 2, "" },
	    { "void vectorized_elementwise_kernel<4, rsqrt_kernel_cuda>", "aten::rsqrt", NULL, NULL,
	      3, "" },
	    { ADD, "aten::mul", NULL, NULL, 15, "" },
	    { BMM, "aten::mm", NULL, NULL, 50, "" } },
	  1,
	  30,
	  "50.0 % of kernel time" },
	{ "norm_unfused",
	  "silent",
	  AMPERE,
	  { { "void vectorized_layer_norm_kernel<float>", "aten::native_layer_norm", NULL, NULL, 50,
	      "" },
	    { BMM, "aten::mm", NULL, NULL, 50, "" } },
	  1,
	  0,
	  NULL },
	{ "slow_kernels",
	  "fires",
	  AMPERE,
	  { { "void indexing_backward_kernel<float, 4>", "aten::_index_put_impl_", NULL, NULL, 50,
	      "" } },
	  1,
	  50,
	  NULL },
	{ "slow_kernels",
	  "silent",
	  AMPERE,
	  { { "void vectorized_gather_kernel<16, long>", "aten::index", NULL, NULL, 50, "" } },
	  1,
	  0,
	  NULL },

	{ "kernel_hotspot",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::mm", NULL, NULL, 60, "" }, { ADD, "aten::add", NULL, NULL, 40, "" } },
	  10,
	  0,
	  "_align8; then pointwise 40.0 %." },
	/* kernel time has communication in it, as that of the kernels view has */
	{ "kernel_hotspot",
	  "fires",
	  AMPERE,
	  { { BMM, "aten::mm", NULL, NULL, 40, "" },
	    { "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", NULL, NULL, NULL, 60, "" } },
	  10,
	  0,
	  "GEMM kernels take 40.0 % of kernel time (10 kernels" },
	{ "kernel_hotspot",
	  "silent",
	  AMPERE,
	  { { BMM, "aten::mm", NULL, NULL, 20, "" },
	    { "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", NULL, NULL, NULL, 80, "" } },
	  10,
	  0,
	  "GEMM takes 20.0 % of kernel time." },
	{ "kernel_hotspot",
	  "silent",
	  AMPERE, /* too few to tell */
	  { { BMM, "aten::mm", NULL, NULL, 60, "" } },
	  3,
	  0,
	  NULL },
};
const size_t kernel_case_count = sizeof kernel_cases / sizeof *kernel_cases;

static int add_launch(struct buffer *out, const struct launch *launch, int id, int at)
{
	if (launch->op)
		buffer_printf(out,
			      ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,"
			      "\"tid\":1,\"ts\":%d,\"dur\":8,\"args\":{",
			      launch->op, id * 10);
	if (launch->op && launch->shapes)
		buffer_printf(out, "\"Input Dims\":%s,\"Input type\":[\"%s\",\"%s\"]",
			      launch->shapes, launch->type, launch->type);
	if (launch->op)
		buffer_puts(out, "}}");
	buffer_printf(out,
		      ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
		      "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":2,\"args\":{\"correlation\":%d}}",
		      id * 10 + 2, id + 1);
	buffer_printf(out,
		      ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,"
		      "\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7,"
		      "\"correlation\":%d%s}}",
		      launch->kernel, at, launch->dur, id + 1, launch->more);
	return at + launch->dur;
}

/* The launches one after another, within one step. */
struct run *kernel_case_run(const struct kernel_case *expected)
{
	struct buffer events = { 0 }, text = { 0 };
	int id = 0, at = 1000;
	for (int i = 0; i < expected->repeat; i++)
		for (const struct launch *launch = expected->launches;
		     launch < expected->launches + LAUNCHES_MAX && launch->kernel; launch++)
			at = add_launch(&events, launch, id++, at);
	buffer_printf(&text,
		      "{\"schemaVersion\":1,\"deviceProperties\":[%s],\"traceEvents\":["
		      "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\","
		      "\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":%d,\"args\":{}}%s]}",
		      expected->device, at, buffer_text(&events));
	struct run *run = trace_run(buffer_text(&text));
	buffer_free(&events);
	buffer_free(&text);
	return run;
}

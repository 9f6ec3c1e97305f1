#include "tracegen/demo_operators.h"

#include <stdarg.h>
#include <string.h>

#define ADD_LONG                                                                                   \
	"void at::native::vectorized_elementwise_kernel<4, "                                       \
	"at::native::CUDAFunctorOnSelf_add<long>, std::array<char*, 2ul> >"                        \
	"(int, at::native::CUDAFunctorOnSelf_add<long>, std::array<char*, 2ul>)"
#define CLAMP_HALF                                                                                 \
	"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"    \
	"launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, "                  \
	"at::native::detail::ClampLimits)::{lambda()#1}::operator()() const::{lambda()#8}::"       \
	"operator()() const::{lambda(c10::Half)#1}, std::array<char*, 2ul> >(int)"
#define THRESHOLD_HALF                                                                             \
	"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"    \
	"threshold_kernel_impl<c10::Half>(at::TensorIteratorBase&, c10::Half, c10::Half)::"        \
	"{lambda(c10::Half, c10::Half)#1}, std::array<char*, 3ul> >(int)"
#define CAST_HALF_FLOAT                                                                             \
	"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("         \
	"at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() "   \
	"const::{lambda(float)#1}, std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned " \
	"int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, "     \
	"at::native::memory::StoreWithCast<1> >(int)"
#define REDUCE_HALF                                                                                  \
	"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::Half, "                    \
	"at::native::MeanOps<c10::Half, float, float, c10::Half>, unsigned int, c10::Half, 4> >"     \
	"(at::native::ReduceOp<c10::Half, at::native::MeanOps<c10::Half, float, float, c10::Half>, " \
	"unsigned int, c10::Half, 4>)"
#define DIVIDE_HALF                                                                                \
	"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"          \
	"at::native::BUnaryFunctor<c10::Half, c10::Half, c10::Half, at::native::binary_internal::" \
	"MulFunctor<float> > >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)"
#define REDUCE_FLOAT                                                                                 \
	"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, "                        \
	"at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>>, unsigned " \
	"int, float, 4> >(at::native::ReduceOp<float>)"

static const char text_half[] = "\"c10::Half\"";

struct kernel kernel_elementwise(const char *name, int64_t elements, int64_t bytes)
{
	int64_t blocks = (elements + 511) / 512;

	return (struct kernel){
		.name = name,
		.grid = { (int)blocks, 1, 1 },
		.block = { 128, 1, 1 },
		.registers = 24,
		.occupancy = blocks > 1700 ? 100 : (int)(blocks / 17),
		.ns = 1350 + (int64_t)((double)bytes / 1240),
	};
}

void operator_with_kernel(struct machine *machine, const char *name, const struct call *call,
			  const struct kernel *kernel)
{
	machine_operator(machine, name, call);
	machine_work(machine, 2600);
	machine_launch(machine, kernel, STREAM_COMPUTE);
	machine_close(machine);
}

/*
 * Open nested frames ("FILE(LINE): NAME", "<built-in ...>") and operators of one call, the last of
 * which a flow to the backward pass of MODULE (NULL: none) starts at; returns their number.
 */
static int dispatch(struct machine *machine, struct module *module, const struct call *call, ...)
{
	va_list names;
	int count = 0;

	va_start(names, call);
	for (const char *name; (name = va_arg(names, const char *)); count++)
		if (strchr("<t", *name))
			machine_frame(machine, name);
		else
			machine_operator(machine, name, call);
	va_end(names);
	if (module)
		module->flow = machine_flow_tail(machine);
	return count;
}

/* ---- convolution ---- */

enum conv_pass { CONV_FORWARD, CONV_DATA, CONV_WEIGHT };

static const char *conv_kernel_name(const struct module *module, enum conv_pass pass)
{
	static const char *const wide[] = {
		"sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_"
		"stage3_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn",
		"sm80_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_"
		"stage4_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn",
		"sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_"
		"tilesize128x128x64_stage3_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn",
	}, *const narrow[] = {
		"sm80_xmma_fprop_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_"
		"tilesize128x64x64_stage3_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn",
		"sm80_xmma_dgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_"
		"tilesize128x64x32_stage5_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn",
		"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_s16816wgrad_optimized_f16_128x128_"
		"32x5_nhwc_align4>(cutlass_tensorop_s16816wgrad_optimized_f16_128x128_32x5_nhwc_"
		"align4::Params)",
	}, *const square[] = {
		"void cutlass__5x_cudnn::Kernel<cutlass_80_tensorop_f16_s16816fprop_optimized_f16_"
		"256x128_32x3_nhwc_align8>(cutlass_80_tensorop_f16_s16816fprop_optimized_f16_"
		"256x128_32x3_nhwc_align8::Params)",
		"void cutlass__5x_cudnn::Kernel<cutlass_80_tensorop_f16_s16816dgrad_optimized_f16_"
		"256x64_32x4_nhwc_align8>(cutlass_80_tensorop_f16_s16816dgrad_optimized_f16_256x64_"
		"32x4_nhwc_align8::Params)",
		"void cutlass__5x_cudnn::Kernel<cutlass_80_tensorop_s16816wgrad_optimized_f16_"
		"256x128_32x3_nhwc_align8>(cutlass_80_tensorop_s16816wgrad_optimized_f16_256x128_"
		"32x3_nhwc_align8::Params)",
	};

	if (module->kernel == 1)
		return square[pass];
	return module->out_channels > 64 ? wide[pass] : narrow[pass];
}

static void launch_conv(struct machine *machine, const struct module *module, enum conv_pass pass)
{
	static const double efficiency[] = { 0.42, 0.36, 0.31 };
	int tile = module->out_channels > 64 ? 128 : 64;
	int64_t rows = (int64_t)BATCH * module->out_size * module->out_size;
	struct kernel kernel = { .name = conv_kernel_name(module, pass),
				 .grid = { (int)((rows + 127) / 128),
					   (module->out_channels + tile - 1) / tile, 1 },
				 .block = { 128, 1, 1 },
				 .registers = tile == 128 ? 234 : 168,
				 .shared_bytes = tile == 128 ? 98304 : 73728,
				 .occupancy = tile == 128 ? 13 : 19 };
	/* a thin input underuses the tensor cores */
	double use = efficiency[pass] * (module->in_channels < 8 ? 0.25 : 1);

	kernel.ns = 2600 + (int64_t)(module_flops(module) / (312e3 * use));
	machine_launch(machine, &kernel, STREAM_COMPUTE);
}

/* The arguments of aten::conv2d and aten::convolution_backward. */
struct conv_text {
	char dims[160], types[160], concrete[120];
};

static void conv_text(struct conv_text *text, const struct module *module, bool backward)
{
	char gradient[48] = "";

	if (backward)
		snprintf(gradient, sizeof gradient, "[%d, %d, %d, %d], ", BATCH,
			 module->out_channels, module->out_size, module->out_size);
	snprintf(text->dims, sizeof text->dims,
		 "[%s[%d, %d, %d, %d], [%d, %d, %d, %d], [], [], [], [], []]", gradient, BATCH,
		 module->in_channels, module->in_size, module->in_size, module->out_channels,
		 module->in_channels, module->kernel, module->kernel);
	snprintf(text->types, sizeof text->types,
		 "[%s%s, %s, \"\", \"ScalarList\", \"ScalarList\", \"ScalarList\", \"Scalar\"]",
		 backward ? "\"c10::Half\", " : "", text_half, text_half);
	snprintf(text->concrete, sizeof text->concrete,
		 "[%s\"\", \"\", \"\", \"[%d, %d]\", \"[%d, %d]\", \"[1, 1]\", \"1\"]",
		 backward ? "\"\", " : "", module->stride, module->stride, module->padding,
		 module->padding);
}

static void conv_forward(struct machine *machine, struct module *module)
{
	struct conv_text text;
	conv_text(&text, module, false);
	const struct call call = { .dims = text.dims,
				   .types = text.types,
				   .concrete = text.concrete,
				   .sequence = module->sequence };

	int open = dispatch(machine, module, &call, "torch/nn/modules/conv.py(536): _conv_forward",
			    "<built-in method conv2d of type object at 0x7f00c2d5e8a0>",
			    "aten::conv2d", "aten::convolution", "aten::_convolution",
			    "aten::cudnn_convolution", NULL);
	machine_work(machine, 9000);
	machine_allocate(machine, &module->output, module_outputs(module) * 2);
	launch_conv(machine, module, CONV_FORWARD);
	machine_close_many(machine, open);
}

static void conv_backward(struct machine *machine, struct module *module)
{
	struct conv_text text;
	conv_text(&text, module, true);
	const struct call call = { .dims = text.dims,
				   .types = text.types,
				   .concrete = text.concrete };

	machine_operator(machine, "aten::convolution_backward", &call);
	machine_work(machine, 14000);
	if (module->in_channels > 3)
		launch_conv(machine, module, CONV_DATA);
	machine_work(machine, 6000);
	machine_allocate(machine, &module->gradient, module->weights * 2);
	machine_memset(machine, module->weights * 2, STREAM_COMPUTE);
	launch_conv(machine, module, CONV_WEIGHT);
	machine_close(machine);
}

/* ---- the other layers ---- */

static const char *shape_text(char out[128], const struct module *module)
{
	snprintf(out, 128, "[[%d, %d, %d, %d], [%d], [%d], [%d], [%d], [], [], [], []]", BATCH,
		 module->in_channels, module->in_size, module->in_size, module->in_channels,
		 module->in_channels, module->in_channels, module->in_channels);
	return out;
}

static struct kernel norm_kernel(const struct module *module, bool backward)
{
	return (struct kernel){
		.name = backward
				? "void cudnn::bn_bw_1C11_kernel_new<__half, float, float2, 512, true, 1>"
				  "(float, float, float, float, cudnnTensorStruct, __half const*, "
				  "cudnnTensorStruct, __half const*, cudnnTensorStruct, __half*)"
				: "void cudnn::bn_fw_tr_1C11_kernel_NCHW<__half, float, 512, true, 1, true>"
				  "(cudnnTensorStruct, __half const*, cudnnTensorStruct, __half*, float const*)",
		.grid = { module->in_channels, 1, 1 },
		.block = { 512, 1, 1 },
		.registers = 40,
		.shared_bytes = 2128,
		.occupancy = module->in_channels > 432 ? 75 : 50,
		.ns = 2200 + (int64_t)((double)module_inputs(module) * (backward ? 6 : 4) / 1050),
	};
}

static void norm_forward(struct machine *machine, struct module *module)
{
	static const char types[] = "[\"c10::Half\", \"float\", \"float\", \"float\", \"float\", "
				    "\"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]";
	char dims[128];
	const struct call call = { .dims = shape_text(dims, module),
				   .types = types,
				   .sequence = module->sequence };
	static const struct call counter = { .dims = "[[], [], []]",
					     .types = "[\"long int\", \"Scalar\", \"Scalar\"]",
					     .concrete = "[\"\", \"1\", \"1\"]" };
	struct kernel count = kernel_elementwise(ADD_LONG, 1, 16);
	struct kernel kernel = norm_kernel(module, false);

	operator_with_kernel(machine, "aten::add_", &counter, &count);
	int open = dispatch(machine, module, &call, "torch/nn/functional.py(2785): batch_norm",
			    "<built-in method batch_norm of type object at 0x7f00c2d5e8a0>",
			    "aten::batch_norm", "aten::_batch_norm_impl_index",
			    "aten::cudnn_batch_norm", NULL);
	machine_work(machine, 8000);
	machine_allocate(machine, &module->output, module_outputs(module) * 2);
	machine_allocate(machine, &module->saved, module->in_channels * 8);
	machine_launch(machine, &kernel, STREAM_COMPUTE);
	machine_close_many(machine, open);
}

static void norm_backward(struct machine *machine, struct module *module)
{
	char dims[128];
	const struct call call = { .dims = shape_text(dims, module) };
	struct kernel kernel = norm_kernel(module, true);

	machine_operator(machine, "aten::cudnn_batch_norm_backward", &call);
	machine_work(machine, 9000);
	machine_allocate(machine, &module->gradient, module->in_channels * 8);
	machine_launch(machine, &kernel, STREAM_COMPUTE);
	machine_release(machine, &module->saved);
	machine_close(machine);
}

static const char *map_text(char out[64], const struct module *module)
{
	snprintf(out, 64, "[[%d, %d, %d, %d], []]", BATCH, module->in_channels, module->in_size,
		 module->in_size);
	return out;
}

static void relu_forward(struct machine *machine, struct module *module)
{
	char dims[64];
	const struct call call = { .dims = map_text(dims, module),
				   .types = "[\"c10::Half\", \"Scalar\"]",
				   .sequence = module->sequence };
	struct kernel kernel =
		kernel_elementwise(CLAMP_HALF, module_outputs(module), module_outputs(module) * 4);

	int open = dispatch(machine, module, &call, "torch/nn/functional.py(1701): relu",
			    "<built-in method relu_ of type object at 0x7f00c2d5e8a0>",
			    "aten::relu_", NULL);
	operator_with_kernel(machine, "aten::clamp_min_", &call, &kernel);
	machine_close_many(machine, open);
}

static void relu_backward(struct machine *machine, struct module *module)
{
	char dims[64];
	const struct call call = { .dims = map_text(dims, module),
				   .types = "[\"c10::Half\", \"c10::Half\"]" };
	struct kernel kernel = kernel_elementwise(THRESHOLD_HALF, module_outputs(module),
						  module_outputs(module) * 6);

	operator_with_kernel(machine, "aten::threshold_backward", &call, &kernel);
}

static void triton_arguments(struct trace *trace, const void *context)
{
	trace_text(trace, "kernel_backend", "triton");
	trace_text(trace, "kernel_file", context);
	trace_text(trace, "grid", "grid(xnumel,)");
	trace_number(trace, "stream", 7);
	trace_number(trace, "num_warps", 4);
	trace_number(trace, "num_stages", 1);
}

static void launch_triton(struct machine *machine, const struct module *module, const char *name,
			  const char *file)
{
	int64_t elements = module_outputs(module);
	char dims[96];
	snprintf(dims, sizeof dims, "[[%d, %d, %d, %d], [%d, %d, %d, %d], []]", BATCH,
		 module->in_channels, module->in_size, module->in_size, BATCH, module->in_channels,
		 module->in_size, module->in_size);
	const struct call call = { .dims = dims,
				   .types = "[\"c10::Half\", \"c10::Half\", \"Scalar\"]",
				   .more = triton_arguments,
				   .context = file };
	struct kernel kernel = kernel_elementwise(name, elements, elements * 6);

	kernel.grid[0] = (int)((elements + 1023) / 1024);
	kernel.driver = true;
	operator_with_kernel(machine, name, &call, &kernel);
}

static void residual_forward(struct machine *machine, struct module *module)
{
	const struct call call = { .sequence = module->sequence };

	machine_frame(machine, "torch/_dynamo/eval_frame.py(745): _fn");
	machine_annotation(machine, "Torch-Compiled Region: 0/0");
	machine_operator(machine, "CompiledFunction", &call);
	module->flow = machine_flow_tail(machine);
	machine_annotation(machine, "## Call CompiledFxGraph fgq3lmzt5v ##");
	machine_work(machine, 12000);
	machine_allocate(machine, &module->output, module_outputs(module) * 2);
	launch_triton(machine, module, "triton_poi_fused_add_relu_0", "cgq3lmzt5v.py");
	machine_close_many(machine, 4);
}

static void residual_backward(struct machine *machine, struct module *module)
{
	machine_annotation(machine, "## Call CompiledFxGraph fb7kd2yq4w ##");
	machine_work(machine, 14000);
	launch_triton(machine, module, "triton_poi_fused_add_relu_threshold_backward_0",
		      "cb7kd2yq4w.py");
	machine_close(machine);
}

static void max_pool_forward(struct machine *machine, struct module *module)
{
	char dims[64];
	const struct call call = { .dims = map_text(dims, module),
				   .types = "[\"c10::Half\", \"ScalarList\"]",
				   .sequence = module->sequence };
	struct kernel kernel = kernel_elementwise(
		"void at::native::(anonymous namespace)::max_pool_forward_nhwc<c10::Half>"
		"(c10::Half const*, int, long, long, long, int, int)",
		module_outputs(module), module_inputs(module) * 3);

	int open = dispatch(machine, module, &call, "torch/nn/functional.py(815): _max_pool2d",
			    "aten::max_pool2d", "aten::max_pool2d_with_indices", NULL);
	machine_allocate(machine, &module->output, module_outputs(module) * 2);
	machine_allocate(machine, &module->saved, module_outputs(module) * 8);
	machine_launch(machine, &kernel, STREAM_COMPUTE);
	machine_close_many(machine, open);
}

static void max_pool_backward(struct machine *machine, struct module *module)
{
	char dims[64];
	const struct call call = { .dims = map_text(dims, module) };
	struct kernel kernel = kernel_elementwise(
		"void at::native::(anonymous namespace)::max_pool_backward_nhwc<c10::Half, float>"
		"(c10::Half const*, long const*, int, long, long, long, int, int)",
		module_inputs(module), module_inputs(module) * 6);

	operator_with_kernel(machine, "aten::max_pool2d_with_indices_backward", &call, &kernel);
	machine_release(machine, &module->saved);
}

static void average_pool_forward(struct machine *machine, struct module *module)
{
	char dims[64];
	const struct call call = { .dims = map_text(dims, module),
				   .types = "[\"c10::Half\", \"ScalarList\"]",
				   .sequence = module->sequence };
	struct kernel kernel = kernel_elementwise(REDUCE_HALF, module_outputs(module) * 4,
						  module_inputs(module) * 2);

	int open = dispatch(machine, module, &call,
			    "torch/nn/functional.py(1367): adaptive_avg_pool2d",
			    "aten::adaptive_avg_pool2d", "aten::mean", NULL);
	machine_allocate(machine, &module->output, module_outputs(module) * 2);
	machine_launch(machine, &kernel, STREAM_COMPUTE);
	machine_close_many(machine, open);
}

static void average_pool_backward(struct machine *machine, struct module *module)
{
	struct kernel kernel =
		kernel_elementwise(DIVIDE_HALF, module_inputs(module), module_inputs(module) * 4);

	machine_operator(machine, "aten::expand", NULL);
	machine_close(machine);
	operator_with_kernel(machine, "aten::div", NULL, &kernel);
}

static void flatten_forward(struct machine *machine, struct module *module)
{
	char dims[64];
	const struct call call = { .dims = map_text(dims, module),
				   .types = "[\"c10::Half\", \"ScalarList\"]",
				   .sequence = module->sequence };

	machine_close_many(machine,
			   dispatch(machine, module, &call,
				    "<built-in method flatten of type object at 0x7f00c2d5e8a0>",
				    "aten::flatten", "aten::view", NULL));
}

static void flatten_backward(struct machine *machine, struct module *module)
{
	machine_operator(machine, "aten::reshape", NULL);
	machine_operator(machine, "aten::view", NULL);
	machine_close_many(machine, 2);
}

/* The head uses single precision without tensor cores: a deliberate problem. */
static void launch_gemm(struct machine *machine, const struct module *module, const char *layout)
{
	char name[40];
	snprintf(name, sizeof name, "ampere_sgemm_64x32_sliced1x4_%s", layout);
	struct kernel kernel = {
		.name = name,
		.grid = { (CLASSES + 31) / 32, 2, 1 },
		.block = { 128, 1, 1 },
		.registers = 80,
		.shared_bytes = 32768,
		.occupancy = 6,
		.ns = 3000 + (int64_t)(module_flops(module) / 7.6e3),
	};

	machine_launch(machine, &kernel, STREAM_COMPUTE);
}

static void linear_forward(struct machine *machine, struct module *module)
{
	char dims[80], input[32];
	snprintf(dims, sizeof dims, "[[%d, %d], [%d, %d], [%d]]", BATCH, module->in_channels,
		 CLASSES, module->in_channels, CLASSES);
	snprintf(input, sizeof input, "[[%d, %d], []]", BATCH, module->in_channels);
	const struct call cast = { .dims = input, .types = "[\"c10::Half\", \"Scalar\"]" };
	const struct call call = { .dims = dims,
				   .types = "[\"float\", \"float\", \"float\"]",
				   .sequence = module->sequence };
	struct kernel copy = kernel_elementwise(CAST_HALF_FLOAT, module_inputs(module),
						module_inputs(module) * 6);

	int open = dispatch(machine, NULL, &cast, "aten::to", "aten::_to_copy", NULL);
	operator_with_kernel(machine, "aten::copy_", &cast, &copy);
	machine_close_many(machine, open);
	open = dispatch(machine, module, &call, "<built-in function linear>", "aten::linear",
			"aten::addmm", NULL);
	machine_work(machine, 7000);
	machine_allocate(machine, &module->output, module_outputs(module) * 4);
	launch_gemm(machine, module, "tn");
	machine_close_many(machine, open);
}

static void linear_backward(struct machine *machine, struct module *module)
{
	char data[64], weight[64];
	snprintf(data, sizeof data, "[[%d, %d], [%d, %d]]", BATCH, CLASSES, CLASSES,
		 module->in_channels);
	snprintf(weight, sizeof weight, "[[%d, %d], [%d, %d]]", CLASSES, BATCH, BATCH,
		 module->in_channels);
	const struct call calls[] = {
		{ .dims = data, .types = "[\"float\", \"float\"]" },
		{ .dims = weight, .types = "[\"float\", \"float\"]" },
	};
	struct kernel sum =
		kernel_elementwise(REDUCE_FLOAT, CLASSES * 8, module_outputs(module) * 4);

	for (int i = 0; i < 2; i++) {
		machine_operator(machine, "aten::mm", &calls[i]);
		machine_work(machine, 5000);
		launch_gemm(machine, module, i ? "nt" : "nn");
		machine_close(machine);
	}
	machine_allocate(machine, &module->gradient, (module->weights + module->biases) * 4);
	operator_with_kernel(machine, "aten::sum", NULL, &sum);
}

/* ---- dispatch table ---- */

static const struct {
	void (*forward)(struct machine *machine, struct module *module);
	void (*backward)(struct machine *machine, struct module *module);
	const char *node; /* around the backward operators */
} layers[] = {
	[LAYER_CONV] = { conv_forward, conv_backward, EVALUATE "ConvolutionBackward0" },
	[LAYER_NORM] = { norm_forward, norm_backward, EVALUATE "CudnnBatchNormBackward0" },
	[LAYER_RELU] = { relu_forward, relu_backward, EVALUATE "ReluBackward0" },
	[LAYER_RESIDUAL] = { residual_forward, residual_backward,
			     EVALUATE "CompiledFunctionBackward" },
	[LAYER_MAX_POOL] = { max_pool_forward, max_pool_backward,
			     EVALUATE "MaxPool2DWithIndicesBackward0" },
	[LAYER_AVERAGE_POOL] = { average_pool_forward, average_pool_backward,
				 EVALUATE "MeanBackward1" },
	[LAYER_FLATTEN] = { flatten_forward, flatten_backward, EVALUATE "ViewBackward0" },
	[LAYER_LINEAR] = { linear_forward, linear_backward, EVALUATE "AddmmBackward0" },
};

void layer_forward(struct machine *machine, struct module *module)
{
	module->sequence = machine->next_sequence++;
	machine->kernel_factor = module->slow;
	layers[module->kind].forward(machine, module);
	machine->kernel_factor = 1;
}

void layer_backward(struct machine *machine, struct module *module)
{
	machine->kernel_factor = module->slow;
	backward_open(machine, layers[module->kind].node, module->sequence, module->flow);
	layers[module->kind].backward(machine, module);
	backward_close(machine);
	machine->kernel_factor = 1;
	machine_release(machine, &module->output);
}

void backward_open(struct machine *machine, const char *node, int64_t sequence, int64_t flow)
{
	const struct call call = { .sequence = sequence, .backward = true };

	machine_operator(machine, node, sequence ? &call : NULL);
	if (flow)
		machine_flow_head(machine, flow);
	machine_work(machine, 1500);
	machine_operator(machine, node + sizeof EVALUATE - 1, sequence ? &call : NULL);
}

void backward_close(struct machine *machine)
{
	machine_close_many(machine, 2);
}

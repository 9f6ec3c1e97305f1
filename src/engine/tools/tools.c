/*
 * The list of tools, and those that have no reports of their own.
 */
#include "tools/tools.h"

#include "input/readers.h"
#include "model/recording.h"

/* nvprof and the Visual Profiler: their databases, and the summary that nvprof prints. */

static const struct reader *const nvprof_readers[] = { &nvprof_reader, &nvprof_printed_reader,
						       NULL };
static const struct recording nvprof_recording = {
	.device = "Record with nvprof -o FILE, without --events and --metrics.",
	.operators = "Record inside emit_nvtx().",
	.modules = "Record with pyprof.init() and inside emit_nvtx().",
	.stacks = "Record with pyprof.init(), whose markers hold the stacks.",
	.shapes = "Record with pyprof.init(), or inside emit_nvtx(record_shapes=True).",
	.memory = "Record with nvprof --track-memory-allocations on.",
	.steps =
		"Push an NVTX range around each iteration and name it with --step-name, or choose the operator that ends a step with --key-node.",
	.warm_up =
		"Record at least three steps after warm-up: call cudaProfilerStart() there and use nvprof --profile-from-start off.",
	.lighter = "Record again without pyprof.init().",
	.nvtx_ranges = true,
};
static const struct tool tool_nvprof = { .name = "nvprof",
					 .readers = nvprof_readers,
					 .recording = &nvprof_recording };

/* AMD's profilers: rocprof, rocprofv3, rocprof-sys, rocmProfileData. */

static const struct reader *const rocm_readers[] = { &rocpd_reader,           &rpd_reader,
						     &rocprof_json_reader,    &rocprof_csv_reader,
						     &rocprof_trace_reader,   &rocprof_stats_reader,
						     &rocprof_compute_reader, NULL };
static const struct recording rocm_recording = {
	.device = "Record with rocprofv3 --kernel-trace --memory-copy-trace --hip-trace.",
	.operators = "Record inside emit_nvtx() with rocprofv3 --marker-trace.",
	.modules = "Push ROCTX ranges around modules and record with rocprofv3 --marker-trace.",
	.stacks = "Record with rocprof-sys-sample.",
	.shapes = "Record inside emit_nvtx(record_shapes=True) with rocprofv3 --marker-trace.",
	.memory = "Record with rocprofv3 --memory-allocation-trace.",
	.steps =
		"Push a ROCTX range around each iteration and name it with --step-name, or choose the operator that ends a step with --key-node.",
	.counters = "Record with rocprofv3 --pmc COUNTER.",
	.metrics = "Record with rocprofv3 --pmc COUNTER.",
	.warm_up =
		"Record at least three steps after warm-up: call roctxProfilerResume there and use rocprofv3 --selected-regions.",
	.lighter = "Record again without --hsa-trace.",
};
static const struct tool tool_rocm = { .name = "ROCm",
				       .readers = rocm_readers,
				       .recording = &rocm_recording };

/* Ascend's profilers: torch_npu and msprof. */

static const struct reader *const ascend_readers[] = { &ascend_database_reader,
						       &ascend_kernels_reader, NULL };
static const struct recording ascend_recording = {
	.device =
		"Record with torch_npu.profiler and activities=[ProfilerActivity.CPU, ProfilerActivity.NPU].",
	.operators = "Record with torch_npu.profiler and ProfilerActivity.CPU in activities.",
	.modules = "Record with with_stack=True (and with_modules=True).",
	.stacks = "Record with with_stack=True.",
	.shapes = "Record with record_shapes=True.",
	.memory = "Record with profile_memory=True.",
	.steps =
		"Call profiler.step() after each iteration, or name the step range with --step-name.",
	.warm_up =
		"Record at least three steps after warm-up: schedule(wait=1, warmup=2, active=5).",
	.lighter = "Record again without with_stack, at profiler_level=Level0.",
	.user_window = true,
};
static const struct tool tool_ascend = { .name = "Ascend",
					 .readers = ascend_readers,
					 .recording = &ascend_recording };

/* The profilers of XLA: JAX, TensorFlow, PyTorch/XLA. */

static const struct reader *const xla_readers[] = { &xplane_reader, &xla_trace_reader, NULL };
static const struct recording xla_recording = {
	.device = "Record while the device works: call block_until_ready() before the trace ends.",
	.operators = "Name operators with jax.named_scope, and open the trace of the same run.",
	.modules = "Put jax.profiler.TraceAnnotation around modules.",
	.stacks = "Record with jax.profiler.ProfileOptions().python_tracer_level = 1.",
	.shapes = "Record shapes with the PyTorch profiler; XLA's has none.",
	.memory = "Save a memory profile with jax.profiler.save_device_memory_profile.",
	.what = RECORDING_OF_XLA,
	.steps = "Put jax.profiler.StepTraceAnnotation around each iteration.",
	.warm_up = "Record at least three steps after compilation.",
	.lighter = "Record again with host_tracer_level = 1 and python_tracer_level = 0.",
};
static const struct tool tool_xla = {
	.name = "XLA",
	.readers = xla_readers,
	.recording = &xla_recording,
};

/* TensorRT: what trtexec exports. */

static const struct reader *const tensorrt_readers[] = { &tensorrt_reader, &trtexec_table_reader,
							 NULL };
static const struct recording tensorrt_recording = {
	.device =
		"Record kernels with nsys profile; TensorRT writes times of layers (:view operators).",
	.operators = "Run trtexec with --exportProfile=FILE.json.",
	.modules = "Run trtexec with --exportLayerInfo=FILE.json --profilingVerbosity=detailed.",
	.stacks = "Record with nsys profile.",
	.shapes = "Run trtexec with --exportLayerInfo=FILE.json --profilingVerbosity=detailed.",
	.memory = "Record with nsys profile --cuda-memory-usage=true.",
	.what = RECORDING_OF_TENSORRT,
	.steps = "Run trtexec with --exportTimes=FILE.json.",
	.warm_up = "Run trtexec with --warmUp=500.",
	.lighter = "Run trtexec with fewer --iterations.",
};
static const struct tool tool_tensorrt = { .name = "TensorRT",
					   .readers = tensorrt_readers,
					   .recording = &tensorrt_recording };

/* Proton, Triton's profiler. */

static const struct reader *const proton_readers[] = { &proton_reader, NULL };
static const struct recording proton_recording = {
	.device = "Record with proton.start(), which measures kernels.",
	.operators = "Record with the profiler of the framework too.",
	.modules = "Enclose parts of the program in proton.scope(NAME).",
	.stacks = "Record with proton.start(context=\"python\").",
	.shapes = "Record with hooks: proton.start(hook=\"triton\").",
	.memory = "Record with the profiler of the framework too.",
	.steps = "Enclose each iteration in proton.scope(NAME).",
	.warm_up = "Call proton.activate() after the first iterations.",
	.lighter = "Record fewer scopes.",
	.totals_only = true,
};
static const struct tool tool_proton = { .name = "Proton",
					 .readers = proton_readers,
					 .recording = &proton_recording };

/* ONNX Runtime. */

static const struct reader *const onnxruntime_readers[] = { &onnxruntime_reader, NULL };
static const struct recording onnxruntime_recording = {
	.device = "Set SessionOptions.enable_profiling in a build with CUDA profiling.",
	.operators = "Set SessionOptions.enable_profiling.",
	.modules = "Set SessionOptions.enable_profiling.",
	.stacks = "Record with a sampling profiler such as py-spy.",
	.shapes = "Set SessionOptions.enable_profiling.",
	.memory = "Record with nsys profile --cuda-memory-usage=true.",
	.steps = "Run the session several times before end_profiling().",
	.warm_up = "Run the session several times before end_profiling().",
	.lighter = "Run the session fewer times.",
	.host = "Optimize this first: larger batches, quantization, more threads (SessionOptions.intra_op_num_threads), or an execution provider for a GPU.",
};
static const struct tool tool_onnxruntime = { .name = "ONNX Runtime",
					      .readers = onnxruntime_readers,
					      .recording = &onnxruntime_recording };

const struct tool *const tools[] = {
	&tool_strata,   &tool_torch,  &tool_dlprof,      &tool_nsys,   &tool_ncu,
	&tool_nvprof,   &tool_pyprof, &tool_rocm,        &tool_ascend, &tool_xla,
	&tool_tensorrt, &tool_proton, &tool_onnxruntime, &tool_python, NULL,
};

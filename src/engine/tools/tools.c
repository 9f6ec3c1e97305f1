/*
 * The list of tools, and those that have no reports of their own.
 */
#include "tools/tools.h"

#include "input/readers.h"

/* nvprof and the Visual Profiler: their databases, and the summary that nvprof prints. */

static const struct tool tool_nvprof = { .name = "nvprof",
					 .readers = READERS(&nvprof_reader, &nvprof_trace_reader,
							    &nvprof_printed_reader),
					 .recording = { .nvtx_ranges = true } };

/* AMD's profilers: rocprof, rocprofv3, rocprof-sys, rocmProfileData. */

static const struct tool tool_rocm = {
	.name = "ROCm",
	.readers = READERS(&rocpd_reader, &rpd_reader, &rocprof_database_reader,
			   &rocprof_json_reader, &rocprof_csv_reader, &rocprof_trace_reader,
			   &rocprof_stats_reader, &rocprof_compute_reader)
};

/* Ascend's profilers: torch_npu and msprof. */

static const struct tool tool_ascend = { .name = "Ascend",
					 .readers = READERS(&ascend_database_reader,
							    &ascend_kernels_reader),
					 .recording = { .user_window = true } };

/* The profilers of XLA: JAX, TensorFlow, PyTorch/XLA. */

static const struct tool tool_xla = {
	.name = "XLA",
	.readers = READERS(&xplane_reader, &xla_trace_reader),
	.recording = { .what = RECORDING_OF_XLA },
};

/* TensorRT: what trtexec exports. */

static const struct tool tool_tensorrt = { .name = "TensorRT",
					   .readers =
						   READERS(&tensorrt_reader, &trtexec_table_reader),
					   .recording = { .what = RECORDING_OF_TENSORRT } };

/* Proton, Triton's profiler. */

static const struct tool tool_proton = { .name = "Proton",
					 .readers = READERS(&proton_reader),
					 .recording = { .totals_only = true } };

/* ONNX Runtime. */

static const struct tool tool_onnxruntime = { .name = "ONNX Runtime",
					      .readers = READERS(&onnxruntime_reader) };

const struct tool *const tools[] = {
	&tool_strata,   &tool_torch,  &tool_dlprof,      &tool_nsys,   &tool_ncu,
	&tool_nvprof,   &tool_pyprof, &tool_rocm,        &tool_ascend, &tool_xla,
	&tool_tensorrt, &tool_proton, &tool_onnxruntime, &tool_python, NULL,
};

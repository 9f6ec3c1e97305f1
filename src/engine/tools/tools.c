/*
 * The list of tools, and those that have no reports of their own.
 */
#include "tools/tools.h"

#include "input/readers.h"

/* nvprof and the Visual Profiler: their databases, and the summary that nvprof prints. */

static const struct reader *const nvprof_readers[] = { &nvprof_reader, &nvprof_printed_reader,
						       NULL };
static const struct tool tool_nvprof = { .name = "nvprof",
					 .readers = nvprof_readers,
					 .recording = { .nvtx_ranges = true } };

/* AMD's profilers: rocprof, rocprofv3, rocprof-sys, rocmProfileData. */

static const struct reader *const rocm_readers[] = { &rocpd_reader,           &rpd_reader,
						     &rocprof_json_reader,    &rocprof_csv_reader,
						     &rocprof_trace_reader,   &rocprof_stats_reader,
						     &rocprof_compute_reader, NULL };
static const struct tool tool_rocm = { .name = "ROCm", .readers = rocm_readers };

/* Ascend's profilers: torch_npu and msprof. */

static const struct reader *const ascend_readers[] = { &ascend_database_reader,
						       &ascend_kernels_reader, NULL };
static const struct tool tool_ascend = { .name = "Ascend",
					 .readers = ascend_readers,
					 .recording = { .user_window = true } };

/* The profilers of XLA: JAX, TensorFlow, PyTorch/XLA. */

static const struct reader *const xla_readers[] = { &xplane_reader, &xla_trace_reader, NULL };
static const struct tool tool_xla = {
	.name = "XLA",
	.readers = xla_readers,
	.recording = { .what = RECORDING_OF_XLA },
};

/* TensorRT: what trtexec exports. */

static const struct reader *const tensorrt_readers[] = { &tensorrt_reader, &trtexec_table_reader,
							 NULL };
static const struct tool tool_tensorrt = { .name = "TensorRT",
					   .readers = tensorrt_readers,
					   .recording = { .what = RECORDING_OF_TENSORRT } };

/* Proton, Triton's profiler. */

static const struct reader *const proton_readers[] = { &proton_reader, NULL };
static const struct tool tool_proton = { .name = "Proton",
					 .readers = proton_readers,
					 .recording = { .totals_only = true } };

/* ONNX Runtime. */

static const struct reader *const onnxruntime_readers[] = { &onnxruntime_reader, NULL };
static const struct tool tool_onnxruntime = { .name = "ONNX Runtime",
					      .readers = onnxruntime_readers };

const struct tool *const tools[] = {
	&tool_strata,   &tool_torch,  &tool_dlprof,      &tool_nsys,   &tool_ncu,
	&tool_nvprof,   &tool_pyprof, &tool_rocm,        &tool_ascend, &tool_xla,
	&tool_tensorrt, &tool_proton, &tool_onnxruntime, &tool_python, NULL,
};

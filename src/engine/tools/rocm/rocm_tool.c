/*
 * AMD's profilers: rocprof, rocprofv3, rocprof-sys, rocmProfileData.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &rocpd_reader,           &rpd_reader,
						&rocprof_json_reader,    &rocprof_csv_reader,
						&rocprof_trace_reader,   &rocprof_stats_reader,
						&rocprof_compute_reader, NULL };

static const struct recording recording = {
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

const struct tool tool_rocm = { .name = "ROCm", .readers = readers, .recording = &recording };

/*
 * nvprof and the Visual Profiler: their databases, and the summary that nvprof prints.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &nvprof_reader, &nvprof_printed_reader, NULL };

static const struct recording recording = {
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

const struct tool tool_nvprof = { .name = "nvprof", .readers = readers, .recording = &recording };

/*
 * TensorRT: what trtexec exports.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &tensorrt_reader, &trtexec_table_reader, NULL };

static const struct recording recording = {
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

const struct tool tool_tensorrt = { .name = "TensorRT",
				    .readers = readers,
				    .recording = &recording };

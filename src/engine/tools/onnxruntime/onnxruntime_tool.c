/*
 * ONNX Runtime.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &onnxruntime_reader, NULL };

static const struct recording recording = {
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

const struct tool tool_onnxruntime = { .name = "ONNX Runtime",
				       .readers = readers,
				       .recording = &recording };

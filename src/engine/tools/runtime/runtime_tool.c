/*
 * Inference runtimes that print the times of layers: TensorFlow Lite, TVM, OpenVINO.
 */
#include "input/layer_table/layer_table.h"
#include "model/recording.h"
#include "tools/tools.h"

#define PRINT                                                                                      \
	"Print the profile of the runtime, such as benchmark_model --enable_op_profiling=true or " \
	"benchmark_app -pc."

static const struct reader *const readers[] = { &layer_table_reader, NULL };

static const struct recording recording = {
	.device = PRINT,
	.operators = PRINT,
	.modules = PRINT,
	.stacks = "Record with a sampling profiler such as py-spy.",
	.shapes = PRINT,
	.memory = "Record with a profiler of memory.",
	.steps = PRINT,
	.warm_up = "Run the model several times before the measurement.",
	.lighter = "Run the model fewer times.",
	.totals_only = true,
};

const struct tool tool_runtime = { .name = "inference runtime",
				   .readers = readers,
				   .recording = &recording };

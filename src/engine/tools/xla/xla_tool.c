/*
 * The profilers of XLA: JAX, TensorFlow, PyTorch/XLA.
 */
#include "input/readers.h"
#include "model/recording.h"
#include "tools/tools.h"

static const struct reader *const readers[] = { &xplane_reader, &xla_trace_reader, NULL };

static const struct recording recording = {
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

const struct tool tool_xla = {
	.name = "XLA",
	.readers = readers,
	.recording = &recording,
};

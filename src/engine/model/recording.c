#include "model/recording.h"

#include "model/profile.h"

#define ORIGINAL "Open the database that the net.dict was made from."
#define NEVER                                                                                      \
	"Record with a PyTorch or GPU profiler; this file has only what the view python shows (:view python)."

static const struct recording recordings[RECORDERS] = {
	[RECORDER_OTHER] = {
		.device = "Record GPU events too.",
		.operators = "Record CPU events too.",
		.modules = "Record modules or annotations.",
		.stacks = "Record call stacks.",
		.shapes = "Record input shapes.",
		.memory = "Record allocations.",
		.steps = "Annotate each iteration and name the annotation with --step-name.",
		.warm_up = "Record at least three steps after warm-up.",
		.lighter = "Record fewer events.",
	},
	[RECORDER_PYTORCH] = {
		.device = "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA].",
		.operators = "Record with ProfilerActivity.CPU in activities.",
		.modules = "Record with with_stack=True (and with_modules=True).",
		.stacks = "Record with with_stack=True.",
		.shapes = "Record with record_shapes=True.",
		.memory = "Record with profile_memory=True.",
		.steps = "Call profiler.step() after each iteration, or name the step range with --step-name.",
		.warm_up = "Record at least three steps after warm-up: schedule(wait=1, warmup=2, active=5).",
		.lighter = "Record again without with_stack.",
	},
	[RECORDER_NSYS] = {
		.device = "Record with nsys profile --trace=cuda,nvtx.",
		.operators = "Record with nsys profile --pytorch=autograd-nvtx, or inside emit_nvtx().",
		.modules = "Push NVTX ranges around modules and record with nsys profile --trace=cuda,nvtx, or record with --pytorch=functions-trace.",
		.stacks = "Record with nsys profile --sample=process-tree --cudabacktrace=all.",
		.shapes = "Record with nsys profile --pytorch=autograd-shapes-nvtx, or inside "
			  "emit_nvtx(record_shapes=True).",
		.memory = "Record with nsys profile --cuda-memory-usage=true.",
		.steps = "Push an NVTX range around each iteration and name it with --step-name, or choose the operator that ends a step with --key-node.",
		.warm_up = "Record at least three steps after warm-up: call cudaProfilerStart() there and use nsys profile --capture-range=cudaProfilerApi.",
		.lighter = "Record again with --sample=none --cpuctxsw=none.",
	},
	[RECORDER_NVPROF] = {
		.device = "Record with nvprof -o FILE, without --events and --metrics.",
		.operators = "Record inside emit_nvtx().",
		.modules = "Record with pyprof.init() and inside emit_nvtx().",
		.stacks = "Record with pyprof.init(), whose markers hold the stacks.",
		.shapes = "Record with pyprof.init(), or inside emit_nvtx(record_shapes=True).",
		.memory = "Record with nvprof --track-memory-allocations on.",
		.steps = "Push an NVTX range around each iteration and name it with --step-name, or choose the operator that ends a step with --key-node.",
		.warm_up = "Record at least three steps after warm-up: call cudaProfilerStart() there and use nvprof --profile-from-start off.",
		.lighter = "Record again without pyprof.init().",
	},
	[RECORDER_DLPROF] = {
		.device = "Record with dlprof --mode=pytorch.",
		.operators = "Call nvidia_dlprof_pytorch_nvtx.init() before creating the model.",
		.modules = "Call nvidia_dlprof_pytorch_nvtx.init() before creating the model.",
		.stacks = "Call nvidia_dlprof_pytorch_nvtx.init(enable_function_stack=True).",
		.shapes = "Call nvidia_dlprof_pytorch_nvtx.init() before creating the model.",
		.memory = "Use another profiler; DLProf does not record allocations.",
		.steps = "Choose the op that ends a step with --key-node.",
		.warm_up = "Record at least three steps after warm-up: dlprof --delay SECONDS.",
		.lighter = "Record again without enable_function_stack.",
	},
	[RECORDER_PYPROF] = {
		.device = ORIGINAL, .operators = ORIGINAL, .modules = ORIGINAL, .stacks = ORIGINAL, .shapes = ORIGINAL,
		.memory = ORIGINAL, .steps = ORIGINAL, .warm_up = "Record at least three steps after warm-up.",
		.lighter = "Record again without pyprof.init().",
	},
	[RECORDER_PYTHON] = {
		.device = NEVER, .operators = NEVER, .modules = NEVER, .stacks = NEVER, .shapes = NEVER, .memory = NEVER,
		.steps = NEVER, .warm_up = "Record at least three steps after warm-up.",
		.lighter = "Record again with a sampling profiler.",
	},
};

const struct recording *profile_recording(const struct profile *profile)
{
	return &recordings[profile->recorder < RECORDERS ? profile->recorder : RECORDER_OTHER];
}

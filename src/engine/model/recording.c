#include "model/recording.h"

#include "model/profile.h"

#define SLOWED "Do not conclude on the host's speed from this capture; "
#define ORIGINAL "A net.dict has none: open the database that it was made of."
#define NEVER                                                                                          \
	"Only a profiler of PyTorch or of the device records that; what this file has is in the view " \
	"python (:view python)."

static const struct recording recordings[RECORDERS] = {
	[RECORDER_OTHER] = {
		.device = "Record what runs on the device too.",
		.operators = "Record what runs on the host too.",
		.modules = "Record modules, or annotations.",
		.stacks = "Record call stacks.",
		.shapes = "Record the shapes of arguments.",
		.memory = "Record allocations.",
		.steps = "Annotate each iteration, and name what a step is with --step-name.",
		.warm_up = "Record at least three steps after warm-up.",
		.lighter = "Record less.",
	},
	[RECORDER_PYTORCH] = {
		.device = "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA].",
		.operators = "Record with activities=[ProfilerActivity.CPU, …].",
		.modules = "Record with with_stack=True (and with_modules=True).",
		.stacks = "Record with with_stack=True.",
		.shapes = "Record with record_shapes=True.",
		.memory = "Record with profile_memory=True.",
		.steps = "Call profiler.step() after each iteration, or name what a step is with "
			 "--step-name.",
		.warm_up = "Record at least three steps after warm-up: schedule(wait=1, warmup=2, active=5).",
		.lighter = SLOWED "record again without with_stack.",
	},
	[RECORDER_NSYS] = {
		.device = "Record with nsys profile --trace=cuda,nvtx.",
		.operators = "Record with nsys profile --pytorch=autograd-nvtx, or inside emit_nvtx().",
		.modules = "Push NVTX ranges around modules and record with nsys profile --trace=cuda,nvtx, "
			   "or record with --pytorch=functions-trace.",
		.stacks = "Record with nsys profile --sample=process-tree --cudabacktrace=all.",
		.shapes = "Record with nsys profile --pytorch=autograd-shapes-nvtx, or inside "
			  "emit_nvtx(record_shapes=True).",
		.memory = "Record with nsys profile --cuda-memory-usage=true.",
		.steps = "Push an NVTX range around each iteration and name it with --step-name, or choose "
			 "the operator that ends one with --key-node.",
		.warm_up = "Record at least three steps after warm-up: nsys profile "
			   "--capture-range=cudaProfilerApi, with cudaProfilerStart() there.",
		.lighter = SLOWED "record again with --sample=none --cpuctxsw=none.",
	},
	[RECORDER_NVPROF] = {
		.device = "Record with nvprof -o FILE, without --events and --metrics.",
		.operators = "Record inside emit_nvtx().",
		.modules = "Record with pyprof.init() and inside emit_nvtx().",
		.stacks = "Record with pyprof.init(), whose markers have them.",
		.shapes = "Record with pyprof.init(), or inside emit_nvtx(record_shapes=True).",
		.memory = "Record with nvprof --track-memory-allocations on.",
		.steps = "Push an NVTX range around each iteration and name it with --step-name, or choose "
			 "the operator that ends one with --key-node.",
		.warm_up = "Record at least three steps after warm-up: nvprof --profile-from-start off, with "
			   "cudaProfilerStart() there.",
		.lighter = SLOWED "record again without pyprof.init().",
	},
	[RECORDER_DLPROF] = {
		.device = "Record with dlprof --mode=pytorch.",
		.operators = "Call nvidia_dlprof_pytorch_nvtx.init() before the model is made.",
		.modules = "Call nvidia_dlprof_pytorch_nvtx.init() before the model is made.",
		.stacks = "Call nvidia_dlprof_pytorch_nvtx.init(enable_function_stack=True).",
		.shapes = "Call nvidia_dlprof_pytorch_nvtx.init() before the model is made.",
		.memory = "DLProf does not record allocations.",
		.steps = "Choose the op that ends an iteration with --key-node.",
		.warm_up = "Record at least three steps after warm-up: dlprof --delay SECONDS.",
		.lighter = SLOWED "record again without enable_function_stack.",
	},
	[RECORDER_PYPROF] = {
		.device = ORIGINAL, .operators = ORIGINAL, .modules = ORIGINAL, .stacks = ORIGINAL, .shapes = ORIGINAL,
		.memory = ORIGINAL, .steps = ORIGINAL, .warm_up = "Record at least three steps after warm-up.",
		.lighter = SLOWED "record again without pyprof.init().",
	},
	[RECORDER_PYTHON] = {
		.device = NEVER, .operators = NEVER, .modules = NEVER, .stacks = NEVER, .shapes = NEVER, .memory = NEVER,
		.steps = NEVER, .warm_up = "Record at least three steps after warm-up.",
		.lighter = SLOWED "record again with a profiler that samples.",
	},
};

const struct recording *profile_recording(const struct profile *profile)
{
	return &recordings[profile->recorder < RECORDERS ? profile->recorder : RECORDER_OTHER];
}

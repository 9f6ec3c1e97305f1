#include "analysis/advice/actions.h"

#include "analysis/advice/judge_kernels.h"

#include <string.h>

enum fact {
	FACT_PLAIN = 1, /* no operators */
	FACT_XLA = 2,
	FACT_TENSORRT = 4,
	FACT_COUNTERS = 8, /* a profile of kernels, by Nsight Compute */
	FACT_HALF = 16,    /* most time of products and convolutions is in 16 bits or fewer */
	FACT_FSDP = 32,
	FACT_TRAINING = 64,
	FACT_INFERENCE = 128, /* operators, of which none is of a backward pass or optimizer */
	FACT_TORCH = 256,     /* operators, or kernels of PyTorch by their names */
	FACT_SERVER = 512,    /* steps are iterations of an inference server */
};

#define PREFETCH                                                                                   \
	"Prefetch input ahead of the step: tf.data with num_parallel_calls and prefetch(tf.data.AUTOTUNE), or jax.device_put of the next batch in a thread."
#define KEEP "Keep arrays on the device between calls, and copy the next batch ahead of the step."

/* clang-format off */
/* The first that fits counts. */
static const struct action_choice {
	const char *detector;
	unsigned needs, lacks; /* facts */
	const char *part;      /* of the action that it replaces; NULL: of the detector's own */
	const char *text;
} actions[] = {
	{ "launch_bound", FACT_TENSORRT, 0, NULL,
	  "Capture the execution in a CUDA graph (trtexec --useCudaGraph), or raise the batch size." },
	{ "tf32_off", FACT_TENSORRT, 0, NULL,
	  "Build the engine with TF32, FP16 or BF16 (trtexec --fp16 or --bf16, without --noTF32)." },
	{ "layouts", FACT_TENSORRT, 0, NULL,
	  "Choose formats that need no conversion (trtexec --inputIOFormats, --outputIOFormats)." },

	{ "launch_bound", FACT_SERVER, 0, NULL,
	  "Replay steps from CUDA graphs captured for the batch sizes that occur, schedule the next step while this one runs, or fuse kernels." },
	{ "low_utilisation", FACT_SERVER, 0, "raise the batch size", "Reduce launch overhead first." },
	{ "wave_quantization", FACT_SERVER, 0, NULL,
	  "Choose a tile that fills whole waves of SMs; torch.compile(mode=\"max-autotune\") tries tiles." },
	{ "kernel_hotspot", FACT_SERVER, 0, "(bfloat16, FP8)",
	  "Use FP8 or FP4 weights where the GPU has them; profile with ncu --kernel-name regex:\"gemm|nvjet|cutlass|Cijk\" --launch-count 3." },

	{ "launch_bound", FACT_XLA, 0, NULL,
	  "Put more of the program into one jax.jit (jax.lax.scan over steps; in TensorFlow jit_compile=True), or give each call more work." },
	{ "synchronisation", FACT_XLA, 0, NULL,
	  "Do not read results in each step (block_until_ready, float(), printing): let the host run ahead." },
	{ "cpu_preprocessing", FACT_XLA, 0, NULL, PREFETCH },
	{ "dataloader", FACT_XLA, 0, NULL, PREFETCH },
	{ "pageable_copies", FACT_XLA, 0, NULL, KEEP },
	{ "exposed_copies", FACT_XLA, 0, NULL, KEEP },
	{ "pointwise", FACT_XLA, 0, NULL,
	  "Put the chain into one jax.jit (in TensorFlow jit_compile=True), so that XLA fuses it." },
	{ "plain_attention", FACT_XLA, 0, NULL,
	  "Call jax.nn.dot_product_attention with implementation=\"cudnn\"." },
	{ "tf32_off", FACT_XLA, 0, NULL,
	  "Set jax.default_matmul_precision to \"tensorfloat32\" (tf.config.experimental.enable_tensor_float_32_execution), or compute in bfloat16." },
	{ "memory_capacity", FACT_XLA, 0, NULL, "Use bfloat16, jax.checkpoint or sharding." },

	{ "kernel_hotspot", FACT_COUNTERS, 0, "ncu --",
	  "Read what the rules of Nsight Compute say of its longest kernel, and its metrics in the launches view." },
	{ "kernel_hotspot", FACT_HALF, 0, "(bfloat16, FP8)",
	  "Use FP8 where the GPU has it, or a larger batch; profile with ncu --kernel-name regex:\"gemm|nvjet|cutlass|Cijk\" --launch-count 3." },
	{ "memory_capacity", FACT_INFERENCE, 0, NULL,
	  "Quantize weights, limit the batch and the KV cache, or shard the model." },
	{ "memory_capacity", FACT_HALF, 0, NULL,
	  "Use activation checkpointing or parameter sharding; the types are half precision already." },

	{ "communication", FACT_INFERENCE, 0, "FSDP",
	  "Shard over fewer GPUs, overlap products with their gathers (asynchronous tensor parallelism), or send smaller types." },
	{ "communication", FACT_INFERENCE, 0, "gradients",
	  "Shard over fewer GPUs, use one-shot or fused all-reduce kernels (symmetric memory), overlap two micro-batches, or reduce smaller types." },
	{ "communication", FACT_TRAINING, FACT_FSDP, "FSDP",
	  "Prefetch the next parameters (ZeRO: overlap_comm), overlap products with their gathers (asynchronous tensor parallelism), shard within a node, or send smaller types." },
	{ "launch_bound", FACT_PLAIN, FACT_TORCH, NULL,
	  "Reduce launch overhead: replay a CUDA graph, fuse kernels, or give each launch more work." },
	{ "host_bound", FACT_PLAIN, FACT_TORCH, "Record Python stacks",
	  "Record ranges (NVTX) or samples to name this work, and move it off the launching thread." },
	{ "synchronisation", FACT_PLAIN, FACT_TORCH, NULL,
	  "Synchronize less often: use events instead of cudaDeviceSynchronize, cudaMemcpyAsync with pinned memory instead of cudaMemcpy, and enqueue more work before waiting." },
	{ "pageable_copies", FACT_PLAIN, FACT_TORCH, NULL,
	  "Pin host memory with cudaMallocHost or cudaHostRegister, and copy with cudaMemcpyAsync." },
	{ "exposed_copies", FACT_PLAIN, FACT_TORCH, NULL,
	  "Overlap copies with computation (pinned memory, cudaMemcpyAsync in chunks on a separate stream), or copy less data." },
	{ "peer_copies", FACT_PLAIN, FACT_TORCH, NULL,
	  "Enable access with cudaDeviceEnablePeerAccess where cudaDeviceCanAccessPeer permits it." },
	{ "unused_devices", FACT_PLAIN, 0, NULL,
	  "Run one process per GPU, or hide unused GPUs with CUDA_VISIBLE_DEVICES." },
	{ "tf32_off", FACT_PLAIN, FACT_TORCH, NULL,
	  "Set the cuBLAS math mode CUBLAS_TF32_TENSOR_OP_MATH, or compute in bfloat16." },
	{ "double_precision", FACT_PLAIN, FACT_TORCH, NULL,
	  "Compute in single or mixed precision where the result permits it." },
	{ "device_copies", FACT_PLAIN, FACT_TORCH, NULL,
	  "Swap pointers instead of copying buffers, and update in place." },
	{ "allocation", FACT_PLAIN, FACT_TORCH, NULL,
	  "Allocate once before the loop, or from a pool (cudaMallocAsync)." },
	{ "out_of_memory", FACT_PLAIN, FACT_TORCH, NULL,
	  "Allocate less at once, and free before allocating again." },
	{ "small_messages", FACT_PLAIN, FACT_TORCH, NULL,
	  "Group them between ncclGroupStart and ncclGroupEnd, or send one message." },
	{ "capture_startup", FACT_PLAIN, 0, NULL,
	  "Record after warm-up: run the work once before the capture starts." },
	{ "pointwise", FACT_PLAIN, FACT_TORCH, NULL,
	  "Fuse consecutive kernels into one: each of them reads and writes all of its data." },
	{ "communication", FACT_PLAIN, FACT_TORCH, "",
	  "Overlap communication with computation on another stream, or send less." },
};
/* clang-format on */

/* By the types of the operators of products and convolutions, else by the names of the kernels. */
static bool is_half(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	int64_t all_ns = 0, half_ns = 0;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint8_t family = kernel_named(diagnosis, i).family;
		if (!counts_as_kernel(diagnosis, i) ||
		    (family != FAMILY_GEMM && family != FAMILY_CONV))
			continue;
		const char *name = profile_string(profile, profile->activity_name[i]);
		all_ns += profile->activity_dur[i];
		if (call_is_half(diagnosis, kernel_operator(diagnosis, i)) ||
		    strcasestr(name, "f16") || strcasestr(name, "half") || strstr(name, "hgemm") ||
		    strstr(name, "_BBS_") || strstr(name, "_HHS_"))
			half_ns += profile->activity_dur[i];
	}
	return 2 * half_ns > all_ns;
}

/* What names of the rows tell. */
static unsigned facts_of_names(const struct diagnosis *diagnosis)
{
	unsigned facts = 0;
	for (uint32_t i = 0; i < diagnosis->derived->names && detect_row(diagnosis, i); i++) {
		const char *name = profile_string(diagnosis->profile, i);
		if (!name_has(diagnosis, i, MARK_IN_USE))
			continue;
		if (strstr(name, "at::native"))
			facts |= FACT_TORCH;
		if (strstr(name, "FSDP") || strstr(name, "FullySharded"))
			facts |= FACT_FSDP;
		if (strstr(name, "ackward") || strstr(name, "_bwd") || strstr(name, "wgrad"))
			facts |= FACT_TRAINING;
	}
	return facts;
}

unsigned facts_of(const struct diagnosis *diagnosis)
{
	const struct recording *recording = profile_recording(diagnosis->profile);
	unsigned facts = facts_of_names(diagnosis);
	facts |= diagnosis->plain ? FACT_PLAIN : 0;
	facts |= diagnosis->serving ? FACT_SERVER : 0;
	facts |= recording->what == RECORDING_OF_XLA        ? FACT_XLA
		 : recording->what == RECORDING_OF_TENSORRT ? FACT_TENSORRT
		 : recording->what == RECORDING_OF_KERNELS  ? FACT_COUNTERS
							    : 0;
	if (diagnosis->any_roles & (NAME_BACKWARD | NAME_BACKWARD_ENGINE | NAME_OPTIMIZER))
		facts |= FACT_TRAINING;
	if (!(facts & FACT_TRAINING) && !diagnosis->plain)
		facts |= FACT_INFERENCE;
	return facts | (is_half(diagnosis) ? FACT_HALF : 0);
}

void choose_action(struct finding *finding, unsigned facts)
{
	const char *own = finding->recommendation;
	for (size_t i = 0; i < sizeof actions / sizeof *actions && own; i++) {
		const struct action_choice *action = &actions[i];
		bool fits = strcmp(action->detector, finding->detector->id) == 0 &&
			    (facts & action->needs) == action->needs && !(facts & action->lacks);
		if (fits && (action->part ? strstr(own, action->part) != NULL
					  : own == finding->detector->recommendation)) {
			finding->recommendation = action->text;
			return;
		}
	}
}

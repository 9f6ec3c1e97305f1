#include "analysis/advice/detectors.h"

#include "analysis/advice/actions.h"
#include "analysis/advice/detect.h"
#include "analysis/advice/diagnosis.h"
#include "analysis/advice/gains.h"
#include "analysis/advice/judge_kernels.h"
#include "analysis/advice/judge_snapshot.h"
#include "analysis/advice/predict.h"
#include "analysis/device_metrics.h"
#include "base/parallel.h"
#include "model/recording.h"

#include <math.h>
#include <string.h>

/* clang-format off */
const struct detector detectors[] = {
	/* the host */
	{ "launch_bound", "Launch-bound",
	  "Reduce launch overhead with torch.compile(mode=\"reduce-overhead\") or CUDA graphs (torch.cuda.graph), fused optimizers, or a larger batch.",
	  detect_launch_bound,
	  .needs_host = true,
	  .edit = "launches x0.15",
	  .condition =
		  "GPU idle while the host launches, breaks of up to 150 us between launches included, for 10 % of the window or more, and for as long if the host did not wait for the GPU before, with an empty queue at a quarter of the launches; with Python stacks, only if kernels fill less than 60 %" },
	{ "host_bound", "CPU-bound",
	  "Move this work off the launching thread, do it less often, or do it on the GPU.",
	  detect_host_bound, .needs_host = true, .needs = NEEDS_KERNELS,
	  .edit = "pauses x0",
	  .condition =
		  "GPU idle for 5 % of the window or more while the launching thread is in CPU work, or in nothing recorded, for over 150 us without launches" },
	{ "idle_unknown", "GPU idle without a recorded cause", NULL, detect_idle_unknown,
	  .needs_host = true, .needs = NEEDS_KERNELS, .least = SEVERITY_MEDIUM, .view = "gaps",
	  .condition =
		  "no launches recorded, or from a pool of threads; GPU idle for 10 % of the window or more where the launching thread has no event" },
	{ "cpu_preprocessing", "CPU preprocessing",
	  "Preprocess in a DataLoader with workers or in a thread, ahead of the step, or on the GPU (torchvision.transforms.v2, DALI).",
	  detect_preprocessing, .needs_host = true, .needs = NEEDS_KERNELS,
	  .edit = "pauses x0",
	  .condition =
		  "no data loader; before the first GPU work of the steps, GPU idle in host work for 10 % of the window or more" },
	{ "synchronisation", "Synchronization stalls",
	  "Remove .item(), .cpu(), nonzero and tensor printing from the step, copy with non_blocking=True, and find the rest with torch.cuda.set_sync_debug_mode(\"warn\").",
	  detect_synchronization,
	  .needs_host = true, .needs = NEEDS_KERNELS,
	  .edit = "nosync",
	  .condition = "GPU idle inside blocking calls, and after them for at most as long as they waited for it, for 2 % of the window or more" },
	{ "queue_full", "GPU-bound, launch queue full",
	  "Nothing to do for the launch calls: they wait for the GPU. Make the kernels faster.",
	  detect_queue_full, .needs = NEEDS_KERNELS, .view = "kernels",
	  .condition =
		  "launch calls of 1 ms or more, while the GPU works, take 5 % of the window or more" },
	{ "blocking_launches", "Blocking launches",
	  "Unset CUDA_LAUNCH_BLOCKING: it makes every launch wait for its kernel.",
	  detect_blocking_launches, .needs_host = true, .part = true,
	  .needs = NEEDS_KERNELS, .least = SEVERITY_MEDIUM,
	  .edit = "unblock",
	  .condition =
		  "20 kernels of 20 us or more with launch calls, 95 % of which return after the kernel ends" },
	{ "compilation", "Recompilation",
	  "Find recompilations with TORCH_LOGS=recompiles,guards, fix shapes or mark them with torch._dynamo.mark_dynamic, and warm up before the capture.",
	  detect_compilation, .needs_host = true,
	  .edit = "compile",
	  .condition =
		  "two marked steps or more; GPU idle in compilation or module loading for 1 % of the window or more" },
	{ "graph_breaks", "Graph breaks",
	  "Find the breaks with TORCH_LOGS=graph_breaks or torch.compile(fullgraph=True), and keep printing, .item() and unsupported calls out of compiled code.",
	  detect_graph_breaks, .needs_host = true, .part = true, .needs = NEEDS_KERNELS,
	  .condition =
		  "once per step or more, a Torch-Compiled Region is followed by one of a later frame, with GPU work launched eagerly between" },
	{ "compile_guards", "Guards of torch.compile",
	  "Compile fewer, larger regions; when shapes and types stay the same, call torch.compiler.set_stance(\"default\", skip_guard_eval_unsafe=True) after warm-up.",
	  detect_guards, .needs_host = true, .part = true, .needs = NEEDS_KERNELS,
	  .condition = "GPU idle in TorchDynamo Cache Lookup for 2 % of the window or more" },
	{ "optimizer", "Unfused optimizer",
	  "Construct the optimizer with fused=True or foreach=True.", detect_optimizer, .training = true,
	  .needs_host = true, .part = true, .view = "operators",
	  .condition =
		  "Optimizer.step takes 10 % of the window or more, with over 20 launches per call, none of them fused" },
	{ "decode_graphs", "Decode steps without CUDA graphs",
	  "Replay decode steps from CUDA graphs, captured for the batch sizes that occur (vLLM: without --enforce-eager; SGLang: without --disable-cuda-graph).",
	  detect_decode_graphs, .needs_host = true, .part = true, .needs = NEEDS_KERNELS,
	  .view = "steps",
	  .condition =
		  "graphs replay under half of the kernels in decode steps, and the GPU is idle for 10 % of these or more while the CPU launches" },
	{ "decode_gap", "Host gap in decode steps", NULL, detect_decode_gap,
	  .concern = CONCERN_HEADLINE, .needs_host = true, .needs = NEEDS_KERNELS, .view = "gaps",
	  .condition =
		  "the GPU is idle for 10 % of decode steps or more: with the largest cause (scheduler, sampling, detokenization, waiting for an all-reduce, launching or another cause of gaps)" },
	{ "mixed_steps", "Prefill in decode steps",
	  "Split prompts into smaller chunks (vLLM: --max-num-batched-tokens; SGLang: --chunked-prefill-size), or prefill on other GPUs.",
	  detect_mixed_steps, .needs_idle = true, .view = "steps",
	  .condition =
		  "steps with prompts and decode in one batch take twice a decode step or more, and 5 % of the window" },
	{ "batch_padding", "Padded decode batches",
	  "Capture graphs for the batch sizes that occur (vLLM: cudagraph_capture_sizes; SGLang: --cuda-graph-bs).",
	  detect_batch_padding, .view = "steps",
	  .condition = "a fifth of the slots in graphs of decode steps is empty" },
	{ "debug_modes", "Autograd debug mode on",
	  "Disable detect_anomaly, gradcheck, gradgradcheck and torch.autograd.profiler outside debugging.",
	  detect_debug_modes, .needs_totals = true, .least = SEVERITY_MEDIUM, .view = "operators",
	  .condition =
		  "a function of these modes was called, half of the backward functions check for NaN, or the profiler says a mode was on" },
	{ "off_cpu", "Launching threads off-CPU",
	  "Find what these threads wait for (locks, I/O, other processes) in samples and OS calls, and give them free cores: fewer workers or CPU pinning.",
	  detect_off_cpu, .needs_host = true,
	  .condition =
		  "GPU idle for 5 % of the window or more while every launching thread is off-CPU, and none waits for the GPU" },
	{ "file_io", "File I/O in a launching thread",
	  "Read and write (data, checkpoints, logs) in other threads or processes while the GPU works, or use faster storage.",
	  detect_io, .needs_host = true, .part = true, .needs = NEEDS_KERNELS,
	  .condition =
		  "GPU idle for 5 % of the window or more while a launching thread is in calls of the operating system that read, write or open" },
	{ "gil", "Launching thread waits for the GIL",
	  "Move Python work of other threads (data loading, logging) into processes, and release the lock in extensions.",
	  detect_gil, .needs_host = true, .part = true, .needs = NEEDS_KERNELS,
	  .condition =
		  "GPU idle for 5 % of the window or more in ranges or samples of a launching thread that wait for the global interpreter lock" },
	{ "gc_pauses", "Python GC pauses",
	  "Call gc.collect() and gc.freeze() after the setup, gc.disable() before the steps, and gc.collect() every N steps, on all ranks at once.",
	  detect_gc, .needs_host = true, .part = true, .needs = NEEDS_KERNELS,
	  .edit = "pauses x0",
	  .condition =
		  "GPU idle for 2 % of the window or more while a launching thread runs Python's garbage collector" },

	{ "hot_spot", "CPU hot spot",
	  "Optimize this first: larger batches, other dtypes or layouts, vectorized code, more threads (torch.set_num_threads), or a GPU.",
	  detect_hot_spot, .needs_totals = true,
	  .condition =
		  "no GPU work was launched; one operator, range or function takes 10 % of all self time or more; in Python profiles also a program that mostly waits, or a function of the user through which half of the time passes" },
	{ "slow_cpu_code", "Slow CPU algorithms", NULL, detect_slow_code, .needs_host = true,
	  .needs_totals = true, .part = true,
	  .condition =
		  "operators and functions with a faster form (convolutions without oneDNN, DataFrame.iterrows and applymap, numpy.vectorize, copy.deepcopy) take 5 % of the window or more without GPU work; in Python profiles also unfused optimizers and loading of weights from 10 %, imports from half of all time" },

	/* input */
	{ "dataloader", "Data loader bound",
	  "Raise num_workers, set pin_memory=True and persistent_workers=True, move transforms to the GPU, or use faster storage.",
	  detect_dataloader, .needs_host = true, .needs_totals = true, .least = SEVERITY_MEDIUM,
	  .training = true,
	  .edit = "loader",
	  .condition =
		  "GPU idle in the data loader for over 5 % of the window; in Python profiles, it takes 10 % of all time or more" },
	{ "pageable_copies", "Pageable copies",
	  "Set pin_memory=True in the data loader or call .pin_memory(), and copy with non_blocking=True.",
	  detect_pageable_copies,
	  .edit = "copies x0",
	  .condition =
		  "pageable copies of 64 KiB or more take over 1 % of the window, or number over 10 per step" },
	{ "exposed_copies", "Exposed copies",
	  "Overlap copies with computation (pinned memory, non_blocking=True, a prefetch stream), or copy less data.",
	  detect_exposed_copies,
	  .needs_idle = true, .needs = NEEDS_KERNELS,
	  .edit = "copies x0",
	  .condition = "copies and memsets without a kernel take 5 % of the window or more" },
	{ "small_copies", "Many small copies",
	  "Batch them into one copy, and create small tensors on the GPU.", detect_small_copies,
	  .part = true,
	  .edit = "remove:^Memcpy",
	  .condition = "over 10 copies per step under 64 KiB, which take over 1 % of the window, with the waits between those that follow each other" },
	{ "peer_copies", "No peer-to-peer copies",
	  "Check nvidia-smi topo -p2p r: join the GPUs by NVLink or one PCIe switch, and disable ACS and the IOMMU in the host's firmware.",
	  detect_peer_copies,
	  .condition =
		  "one call copies from a GPU to the host and on to another GPU; such copies take 1 % of the window or more" },

	/* devices and kernels */
	{ "low_utilisation", "Low GPU utilization", NULL, detect_low_utilization,
	  .concern = CONCERN_HEADLINE, .needs_idle = true,
	  .needs = NEEDS_DEVICES, .least = SEVERITY_MEDIUM, .view = "gaps",
	  .condition = "a GPU is busy for less than 50 %" },
	{ "unused_devices", "Unused GPUs",
	  "Use DistributedDataParallel, or hide unused GPUs with CUDA_VISIBLE_DEVICES.",
	  detect_unused_devices, .concern = CONCERN_RECORDING,
	  .view = "devices",
	  .condition = "one process, and not all GPUs run kernels" },
	{ "uneven_devices", "Uneven GPU utilization", "Balance the work across GPUs.",
	  detect_uneven_devices, .needs = NEEDS_DEVICES, .view = "devices",
	  .condition = "the busy share of two GPUs is over 20 points apart" },
	{ "plain_attention", "Eager attention",
	  "Replace product, softmax and product by F.scaled_dot_product_attention; load Hugging Face models with attn_implementation=\"sdpa\".",
	  detect_plain_attention, .needs = NEEDS_KERNELS,
	  .condition =
		  "softmax kernels, each between two batched products within 6 kernels of its stream, take over 5 % of kernel time, or a tenth of an attention that takes over 10 %, and more than fused attention; or scaled_dot_product_attention runs without a fused kernel" },
	{ "tensor_cores", "No Tensor Cores (FP32)", NULL, detect_tensor_cores,
	  .needs = NEEDS_KERNELS,
	  .condition =
		  "compute capability 7; eligible operators without Tensor Core kernels take over 10 % of kernel time" },
	{ "tf32_off", "TF32 off",
	  "Set torch.backends.fp32_precision = \"tf32\" (before PyTorch 2.9: torch.set_float32_matmul_precision(\"high\") and torch.backends.cudnn.allow_tf32 = True), or use torch.autocast with torch.bfloat16.",
	  detect_tf32_off,
	  .needs = NEEDS_KERNELS,
	  .condition =
		  "compute capability 8 or more; products and convolutions with FP32 kernel names take over 10 % of kernel time" },
	{ "double_precision", "Double precision (FP64)",
	  "Compute in float32: no .double(), torch.set_default_dtype(torch.float32), and .astype(numpy.float32) for NumPy input, which is float64 by default.",
	  detect_double_precision, .part = true,
	  .condition =
		  "kernels in FP64, by name or by the type of their operator, take over 5 % of kernel time; without a GPU, operators on double tensors take over 5 % of the window" },
	{ "unaligned_gemm", "Unaligned GEMM",
	  "Pad vocabulary, sequence (pad_to_multiple_of=8) and head size to multiples of 8 in 16 bits, 16 in 8 bits, 4 in TF32; fused attention needs no padding.",
	  detect_unaligned_gemm, .needs = NEEDS_KERNELS,
	  .condition = "Tensor Core kernels named align1 or align2 take over 5 % of kernel time" },
	{ "gemm_low_efficiency", "Low GEMM efficiency",
	  "Enlarge the smallest of M, N and K (batch, sequence), align them to 64, or autotune with torch.compile(mode=\"max-autotune\").",
	  detect_gemm_efficiency, .needs = NEEDS_KERNELS,
	  .condition =
		  "products and convolutions of 20 us or more, below half of their roofline, take over 10 % of kernel time" },
	{ "attention_low_efficiency", "Low attention efficiency",
	  "Use the attention kernel written for the GPU (FlashAttention-3 or SDPBackend.CUDNN_ATTENTION on NVIDIA, AITER on AMD), half precision, and sequences packed without padding.",
	  detect_attention_efficiency, .needs = NEEDS_KERNELS,
	  .condition =
		  "fused attention kernels of 20 us or more, below a quarter of their roofline, take over 10 % of kernel time" },
	{ "wave_quantization", "Wave quantization",
	  "Choose a batch size or tile that fills whole waves of SMs; torch.compile(mode=\"max-autotune\") tries tiles.",
	  detect_wave_quantization, .needs = NEEDS_KERNELS,
	  .condition =
		  "kernels of 1 to 4 waves of resident blocks that leave SMs idle for 20 % of their time or more take over 5 % of kernel time; not split-K, stream-K or persistent kernels" },
	{ "kernel_old_generation", "Kernels of an older GPU generation",
	  "Update PyTorch, cuBLAS and cuDNN; use FlashAttention-3 or cuDNN attention on Hopper, and shapes aligned to 16 bytes.",
	  detect_old_generation, .needs = NEEDS_KERNELS,
	  .condition =
		  "products, convolutions and attention of 50 us or more, by names of an older generation than the GPU, take over 30 % of kernel time" },
	{ "memory_bound_kernels", "Low memory bandwidth",
	  "Make tensors contiguous and aligned, use memory_format=torch.channels_last for images, and fuse with torch.compile.",
	  detect_memory_bound, .needs = NEEDS_KERNELS,
	  .condition =
		  "pointwise, copy, softmax, normalization and reduction kernels that move over 64 MiB below 60 % of the bandwidth take over 5 % of kernel time" },
	{ "few_blocks",
	  "Grid too small", "Give each launch more work: a larger batch, batched or grouped operators.", detect_few_blocks,
	  .needs = NEEDS_KERNELS,
	  .condition = "kernels with fewer blocks than SMs, and no other kernel at the same time, take over 10 % of kernel time; not split-K, stream-K or persistent kernels" },
	{ "low_occupancy", "Low occupancy",
	  "Reduce registers or shared memory per block, or use another kernel.",
	  detect_low_occupancy, .needs = NEEDS_KERNELS,
	  .condition =
		  "kernels with low memory bandwidth, below 25 % occupancy, limited by registers or shared memory, take over 5 % of kernel time" },
	{ "pointwise", "Unfused pointwise kernels",
	  "Fuse chains of pointwise operators with torch.compile or fused operators.",
	  detect_pointwise, .needs = NEEDS_KERNELS,
	  .condition =
		  "consecutive pointwise, cast and copy kernels of a stream, not generated by a compiler, take over 10 % of kernel time" },
	{ "norm_unfused", "Unfused normalization",
	  "Use nn.RMSNorm, nn.LayerNorm or torch.compile; for batch normalization, cuDNN or MIOpen with memory_format=torch.channels_last.",
	  detect_norm_unfused, .needs = NEEDS_KERNELS,
	  .condition =
		  "an inverse square root within 4 kernels of a mean, or batch normalization without cuDNN or MIOpen, take over 5 % of kernel time" },
	{ "layouts", "Layout conversions",
	  "Keep model and input in memory_format=torch.channels_last.", detect_layouts,
	  .needs = NEEDS_KERNELS,
	  .condition = "kernels that convert between NCHW and NHWC take over 3 % of kernel time" },
	{ "cudnn_benchmark", "cudnn.benchmark off",
	  "Set torch.backends.cudnn.benchmark = True if input shapes rarely change.",
	  detect_cudnn_benchmark, .needs = NEEDS_KERNELS,
	  .condition =
		  "all recorded convolutions have benchmark=False, and convolutions take over 10 % of kernel time" },
	{ "conversions", "Dtype casts",
	  "Cast weights and inputs once before the loop, create tensors in their final dtype, and keep chains of operators in one dtype under torch.autocast.",
	  detect_conversions, .needs = NEEDS_KERNELS,
	  .condition =
		  "kernels that cast, by name or below aten::to, take over 5 % of kernel time" },
	{ "slow_kernels", "Slow native kernels",
	  "Avoid gradients of indexing with duplicates: sparse=True in nn.Embedding, index_select or one-hot products instead of advanced indexing, no torch.use_deterministic_algorithms.",
	  detect_slow_kernels, .needs = NEEDS_KERNELS,
	  .condition =
		  "backward kernels of indexing, embedding and scatter take over 3 % of kernel time" },
	{ "device_copies", "Copies within the GPU",
	  "Avoid clone() and contiguous(), write into preallocated buffers instead of torch.cat, and update in place.",
	  detect_device_copies,
	  .needs = NEEDS_KERNELS,
	  .condition = "copies within a GPU take over 5 % of GPU time" },
	{ "throttling", "Kernels slow down (clock or power)",
	  "Check clocks and limits with nvidia-smi -q -d CLOCK,PERFORMANCE,POWER, then cooling and the power limit; lock clocks with nvidia-smi -lgc to compare runs.",
	  detect_throttling, .part = true, .needs = NEEDS_KERNELS,
	  .condition =
		  "three kernels or more, each with five launches of 10 us or more in the first and last third of the window, take 10 % longer in the last, and over 80 % of their time 5 % longer; or the recorded clock is below 90 % of its highest in 20 % of busy samples" },
	{ "kernel_hotspot", "Kernel hot spot", NULL, detect_kernel_hotspot, .needs_totals = true,
	  .condition =
		  "ten kernels and 100 us or more; a family of kernels takes 30 % of kernel time or more; \"GPU-bound\" if the GPU computes for 90 % of the window" },

	/* memory */
	{ "allocation", "Allocator thrash",
	  "Fix varying shapes, lower the batch size, keep empty_cache() out of the loop, unset PYTORCH_NO_CUDA_MEMORY_CACHING, or set PYTORCH_ALLOC_CONF=expandable_segments:True (before PyTorch 2.9: PYTORCH_CUDA_ALLOC_CONF).",
	  detect_allocation, .judge_snapshot = judge_snapshot_allocation,
	  .needs_host = true, .needs = NEEDS_KERNELS,
	  .edit = "alloc",
	  .condition =
		  "one allocator call per step or more after the first step, or GPU idle in allocator calls, and after them for at most as long as they waited for it, for 2 % of the window or more; in a snapshot, segments are freed three times or more, by a quarter of the peak or more, or a hundred of them, and as much is allocated again" },
	{ "memory_capacity", "GPU memory nearly full",
	  "Use mixed precision, activation checkpointing or parameter sharding.",
	  detect_memory_capacity, .needs = NEEDS_MEMORY, .least = SEVERITY_MEDIUM, .view = "memory",
	  .condition = "memory in use peaks over 90 %" },
	{ "out_of_memory", "Out of memory",
	  "Lower the batch size or sequence length, use activation checkpointing or sharding, and set PYTORCH_ALLOC_CONF=expandable_segments:True (before PyTorch 2.9: PYTORCH_CUDA_ALLOC_CONF).",
	  detect_out_of_memory, .judge_snapshot = judge_snapshot_requests,
	  .least = SEVERITY_HIGH,
	  .condition =
		  "a request in a memory snapshot failed, or an allocator call returned an error" },
	{ "unused_memory", "Batch too small", "Raise the batch size.", detect_unused_memory, .training = true,
	  .needs_host = true, .needs = NEEDS_MEMORY, .view = "memory",
	  .condition = "launch-bound, nothing else binds, and memory in use peaks under 50 %" },
	{ "fragmentation", "Memory fragmentation",
	  "Set PYTORCH_ALLOC_CONF=expandable_segments:True (before PyTorch 2.9: PYTORCH_CUDA_ALLOC_CONF) and fix varying shapes.",
	  detect_fragmentation, .judge_snapshot = judge_snapshot_fragmentation, .needs = NEEDS_MEMORY, .view = "memory",
	  .condition = "over half of the memory is reserved, and over 20 % of that not in use; in a snapshot, 20 % of what is reserved is unused at the peak of use, and 10 % was reserved while as much was unused" },
	{ "memory_growth", "Memory grows every step",
	  "Find what keeps tensors alive: losses kept without .item() or .detach(), retain_graph=True, growing lists.",
	  detect_memory_growth, .judge_snapshot = judge_snapshot_growth, .needs = NEEDS_MEMORY, .least = SEVERITY_MEDIUM, .view = "memory",
	  .condition = "three steps or more, memory in use grows in each, by over 0.1 % in all; in a snapshot, it falls four times or more by a quarter of the peak, each time to more than before, and no rise is over half of all" },
	{ "unified_memory", "Unified memory migrations",
	  "Prefetch with cudaMemPrefetchAsync, advise with cudaMemAdvise, or allocate GPU memory and copy explicitly.",
	  detect_unified_memory,
	  .condition = "migrations and faults take 1 % of the window or more" },

	/* communication */
	{ "data_parallel", "DataParallel in one process",
	  "Use DistributedDataParallel with one process per GPU.", detect_data_parallel,
	  .needs = NEEDS_KERNELS, .least = SEVERITY_MEDIUM,
	  .training = true,
	  .condition = "DataParallel.forward was called, and kernels run on two GPUs or more" },
	{ "backend", "DDP without NCCL", "Initialize the process group with backend=\"nccl\".",
	  detect_backend, .least = SEVERITY_MEDIUM,
	  .training = true,
	  .condition =
		  "DistributedDataParallel.forward was called on GPUs, and no NCCL operation" },
	{ "communication", "Exposed communication", NULL, detect_communication,
	  .needs_idle = true, .least = SEVERITY_MEDIUM, .view = "collectives",
	  .edit = "hide",
	  .condition = "communication without computation takes 5 % of the window or more" },
	{ "no_sync", "no_sync() missing",
	  "Run all but the last backward pass of a step inside model.no_sync() (FSDP2: set_requires_gradient_sync(False)).",
	  detect_no_sync, .part = true, .needs = NEEDS_KERNELS,
	  .training = true,
	  .condition =
		  "several passes of DistributedDataParallel.forward per Optimizer.step reduce gradients, half as long or longer before the last; the early ones take 2 % of the window or more" },
	{ "small_messages", "Small messages",
	  "Send fewer and larger messages: raise bucket_cap_mb in DDP, shard larger FSDP units, or flatten tensors into one.",
	  detect_small_messages, .part = true,
	  .view = "collectives",
	  .condition =
		  "most messages are under 1 MiB, ten per step or more, and their transfers exposed for 2 % of the window or more" },
	{ "bus_bandwidth", "Low bus bandwidth",
	  "Check the transport with NCCL_DEBUG=INFO and the links with nvidia-smi nvlink -s and nccl-tests; other jobs on the network slow single operations.",
	  detect_bus_bandwidth, .part = true, .of_peers = true,
	  .condition =
		  "several ranks; operations of 1 MiB or more take twice the median of their name and size for 2 % of the window, or of 16 MiB or more within a host reach less than half of the link for 5 %" },
	{ "pipeline_bubble", "Pipeline bubble",
	  "Use more microbatches, an interleaved schedule (ScheduleInterleaved1F1B, ScheduleInterleavedZeroBubble), or balance the stages.",
	  detect_pipeline_bubble, .part = true, .of_peers = true,
	  .training = true,
	  .condition =
		  "several ranks; three sends or receives or more wait beyond their transfer for 5 % of the window or more" },
	{ "sm_contention", "Communication kernels take SMs",
	  "Limit their SMs with NCCL_MAX_CTAS or pg_options.config.max_ctas, or move data with copy engines (symmetric memory).",
	  detect_sm_contention, .needs = NEEDS_KERNELS,
	  .condition =
		  "the same kernels, three launches or more on each side, take 10 % longer beside communication kernels, by 5 % of kernel time or more" },
	{ "collective-missing", "Collective not begun by all ranks",
	  "Compare what this rank does before the collective with the others: another branch, an exception, fewer batches, or a hang.",
	  detect_missing_collective, .of_run = true, .least = SEVERITY_HIGH,
	  .condition =
		  "flight recorders show a collective that a rank of the group has not begun" },
	{ "straggler", "Straggler rank",
	  "Compare this rank with the others: slower kernels, more work, data loading, CPU interference.",
	  detect_straggler, .of_run = true, .late = true, .part = true, .least = SEVERITY_MEDIUM,
	  .condition = "one rank waits least in two collectives or more, by a clear lead; of two, it is the last in both" },
	{ "comm_imbalance", "Uneven computation of ranks",
	  "Balance what ranks compute: equal batches and sequence lengths, experts, pipeline stages.",
	  detect_comm_imbalance, .of_run = true, .part = true,
	  .condition =
		  "computation per step of a rank exceeds the mean of the ranks by over 10 %" },
	{ "order_mismatch", "Collectives in different order",
	  "Make all ranks call the same collectives in the same order: no rank-dependent branches around them, and static_graph or find_unused_parameters in DDP.",
	  detect_order_mismatch, .of_run = true, .least = SEVERITY_HIGH,
	  .condition =
		  "two ranks run operations of different name, type or size with the same number in a group of all open ranks, after one that agrees" },

	/* the capture itself */
	{ "no_device_work", "No GPU records",
	  "Record with access to the performance counters and without another profiler attached.",
	  detect_no_device_work, .concern = CONCERN_TRUST, .least = SEVERITY_HIGH,
	  .condition =
		  "launch calls, calls that need a GPU or errors of the profiler were recorded, but no GPU work; or a GPU is listed, and no operator was recorded; or nothing was" },
	{ "graph_capture", "Graph capture only",
	  "Use this capture for names and shapes, and record the replays of the graph for times.",
	  detect_graph_capture, .concern = CONCERN_TRUST, .least = SEVERITY_HIGH,
	  .condition = "a graph was captured, and there are ten launch calls per kernel or more" },
	{ "capture_head", "Capture starts in queued work",
	  "Start the capture at a synchronization, or with warm-up steps (schedule(wait=1, warmup=3, active=5)).",
	  detect_capture_head, .concern = CONCERN_TRUST,
	  .condition =
		  "the window begins with a wait for work that was launched before the capture" },
	{ "capture_startup", "Cold start in the capture",
	  "Record after warm-up: schedule(wait=1, warmup=3, active=5).", detect_cold_start, .concern = CONCERN_TRUST,
	  .needs = NEEDS_KERNELS,
	  .condition = "no marked steps; one-off gaps fill 20 % of the window or more: in compilation, module loading and first launches (10 times the median later launch of the kernel), or 100 times the median gap and 10 times the second longest before work of the same name, or before the first kernel; or the time examined is less than half of the capture" },
	{ "slow_start", "Slow first step", "Exclude it with --steps, or record after warm-up.",
	  detect_slow_start, .concern = CONCERN_RECORDING,
	  .condition = "the first step takes twice the median step or more" },
	{ "uneven_steps", "Uneven step times",
	  "Inspect the slow steps separately, and measure the even ones with --steps.",
	  detect_uneven_steps, .concern = CONCERN_RECORDING,
	  .condition = "a step is an outlier of the distribution of step times" },
	{ "profiler_overhead", "Profiler overhead",
	  "Record fewer event types and a shorter time, and ignore these gaps.",
	  detect_profiler_overhead, .needs = NEEDS_KERNELS,
	  .condition = "GPU idle in the profiler's own work for 2 % of the window or more" },
	{ "stack_cost", "Python stacks inflate CPU time", NULL, detect_stack_cost,
	  .concern = CONCERN_RECORDING, .view = "spans",
	  .condition = "over 50 % of CPU events are Python functions" },
	{ "one_rank", "One rank of several open", "Open the files of all ranks together.",
	  detect_one_rank, .concern = CONCERN_RECORDING, .of_run = true, .view = "ranks",
	  .condition = "the process group has more ranks than files are open" },
	{ "unlinked_work", "Unlinked GPU work",
	  "Start the capture before the work, with warm-up steps, and record CPU events too.",
	  detect_unlinked_work, .concern = CONCERN_RECORDING, .view = "launches",
	  .condition = "over 10 % of GPU time has no launch call, and no operator by other records" },
	{ "clock", "Kernels start before their launch",
	  "Ignore the queue delays of this capture, and record again with a newer driver.",
	  detect_clock, .concern = CONCERN_RECORDING, .view = "launches",
	  .condition = "a GPU event starts before its launch call" },
	{ "no_steps", "Steps not marked", NULL, detect_no_steps, .concern = CONCERN_RECORDING,
	  .view = "steps",
	  .condition = "no step boundaries were recorded" },
	{ "few_steps", "Few complete steps", NULL, detect_few_steps, .concern = CONCERN_RECORDING,
	  .view = "steps",
	  .condition = "fewer than three complete steps" },
	{ NULL },
};
/* clang-format on */

enum { DETECTORS = sizeof detectors / sizeof *detectors - 1 };

/* ---- all of them ---- */

static const char stage[] = "running checks";

bool evidence_derive(struct evidence *evidence, size_t part, const struct progress *progress)
{
	const struct selection *selection = evidence->selection;
	if (part == 0) {
		evidence->causes = derived_causes(selection, &evidence->own_causes, progress);
		return evidence->causes != NULL;
	}
	evidence->devices = device_metrics(selection, &evidence->device_count, progress);
	return evidence->devices != NULL;
}

void evidence_free(struct evidence *evidence)
{
	causes_free(&evidence->own_causes);
	mem_free(evidence->devices);
}

struct detection {
	const struct diagnosis *diagnosis;
	struct findings *findings;
	unsigned facts; /* actions.h */
};

static bool run_detector(void *context, size_t i, const struct progress *progress)
{
	struct detection *detection = context;
	struct finding *finding = &detection->findings->items[i];
	struct diagnosis diagnosis = *detection->diagnosis;
	diagnosis.progress = progress;
	if (!progress_update(progress, stage, i, DETECTORS, 0))
		return false;
	detect_one(&diagnosis, finding);
	choose_action(finding, detection->facts);
	gains_prepare(finding, &diagnosis);
	return progress_update(progress, stage, i, DETECTORS, 0);
}

bool detect_all(struct findings *findings, const struct run *run, const struct evidence *evidence,
		const struct progress *progress)
{
	const struct selection *selection = evidence->selection;
	struct diagnosis diagnosis = { .run = run,
				       .selection = selection,
				       .causes = evidence->causes,
				       .device = critical_device(evidence->causes),
				       .devices = evidence->devices,
				       .device_count = evidence->device_count,
				       .profile = selection->profile,
				       .derived = selection->derived };
	struct detection detection = { &diagnosis, findings, 0 };
	diagnosis.rates = judged_rates(&diagnosis);
	const struct profile *profile = selection->profile;
	diagnosis.plain =
		!profile->snapshot &&
		(!profile->spans || !memchr(profile->span_kind, SPAN_OPERATOR, profile->spans));
	*findings = (struct findings){ mem_zalloc(DETECTORS, sizeof *findings->items), DETECTORS };
	for (size_t i = 0; i < DETECTORS; i++) {
		findings->items[i].detector = &detectors[i];
		findings->items[i].recommendation = detectors[i].recommendation;
		findings->items[i].cost_ns = NO_VALUE;
		findings->items[i].rank = profile->rank;
		findings->items[i].predicted_pct = NAN;
		findings->items[i].predicted_low_pct = findings->items[i].predicted_high_pct = NAN;
		findings->items[i].device = diagnosis.device->device;
	}
	bool done = diagnosis_fill(&diagnosis, progress) && diagnosis_prepare(&diagnosis, progress);
	detection.facts = done ? facts_of(&diagnosis) : 0;
	done = done && parallel_try_rows(profile_rows(profile), DETECTORS, run_detector, &detection,
					 stage, progress, NULL);
	done = done && (!evidence->predict || predict_findings(findings, &diagnosis, progress));
	diagnosis_release(&diagnosis);
	if (done)
		gains_settle(findings, &diagnosis);
	else
		findings_free(findings);
	diagnosis_empty(&diagnosis);
	return done;
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		buffer_free(&findings->items[i].evidence);
		claim_drop(&findings->items[i]);
	}
	mem_free(findings->items);
	*findings = (struct findings){ NULL, 0 };
}

const char *finding_title(const struct finding *finding)
{
	return finding->title ? finding->title : finding->detector->problem;
}

enum severity severity_of_finding(const struct finding *finding)
{
	if (finding->answer != ANSWER_FIRED)
		return finding->answer == ANSWER_SILENT ? SEVERITY_SILENT : SEVERITY_UNKNOWN;
	return finding->detector->concern == CONCERN_HEADLINE ? SEVERITY_HEADLINE
							      : finding->severity;
}

static const char *const severity_names[SEVERITIES] = { "low",    "medium",  "high",  "headline",
							"silent", "unknown", "stored" };

const char *severity_name(enum severity severity)
{
	return severity_names[severity];
}

enum severity severity_named(const char *name, size_t length)
{
	int severity = 0;
	while (severity < SEVERITIES && (strlen(severity_names[severity]) != length ||
					 memcmp(severity_names[severity], name, length) != 0))
		severity++;
	return (enum severity)severity;
}

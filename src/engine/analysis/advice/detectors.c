#include "analysis/advice/detectors.h"

#include "analysis/advice/detect.h"
#include "analysis/device_metrics.h"
#include "analysis/shared.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

static const struct detector detectors[] = {
	/* the host */
	{ "launch_bound", "Launch-bound",
	  "Reduce launch overhead with torch.compile(mode=\"reduce-overhead\") or CUDA graphs, fused optimizers, or a larger batch.",
	  detect_launch_bound,
	  "Reduce launch overhead: replay a CUDA graph, fuse kernels, or give each launch more work." },
	{ "host_bound", "CPU-bound",
	  "Move this work off the launching thread, do it less often, or do it on the GPU.",
	  detect_host_bound },
	{ "synchronisation", "Synchronization stalls",
	  "Remove .item(), .cpu(), nonzero and tensor printing from the step, copy with non_blocking=True, and find the rest with torch.cuda.set_sync_debug_mode(\"warn\").",
	  detect_synchronization,
	  "Synchronize less often: use events instead of cudaDeviceSynchronize, cudaMemcpyAsync with pinned memory instead of cudaMemcpy, and enqueue more work before waiting." },
	{ "small_kernels", "Many tiny kernels", NULL, detect_small_kernels },
	{ "compilation", "Compilation in steady state",
	  "Find recompilations with TORCH_LOGS=recompiles,guards, fix shapes or mark them dynamic, and warm up before the capture.",
	  detect_compilation },
	{ "optimizer", "Unfused optimizer",
	  "Construct the optimizer with fused=True or foreach=True.", detect_optimizer },
	{ "debug_modes", "Autograd debug mode on",
	  "Disable detect_anomaly, gradcheck and gradgradcheck outside debugging.",
	  detect_debug_modes },
	{ "off_cpu", "Launching threads off-CPU",
	  "Find what these threads wait for (locks, I/O, other processes) in samples and OS calls, and give them free cores: fewer workers or CPU pinning.",
	  detect_off_cpu },

	{ "hot_spot", "CPU hot spot",
	  "Optimize this operator first: larger batches, other dtypes or layouts, more threads (torch.set_num_threads), or a GPU.",
	  detect_hot_spot },

	/* input */
	{ "dataloader", "Data loader bound",
	  "Raise num_workers, set pin_memory=True and persistent_workers=True, move transforms to the GPU, or use faster storage.",
	  detect_dataloader },
	{ "pageable_copies", "Pageable copies",
	  "Set pin_memory=True in the data loader or call .pin_memory(), and copy with non_blocking=True.",
	  detect_pageable_copies,
	  "Pin host memory with cudaMallocHost or cudaHostRegister, and copy with cudaMemcpyAsync." },
	{ "exposed_copies", "Exposed copies",
	  "Overlap copies with computation (pinned memory, non_blocking=True, a prefetch stream), or copy less data.",
	  detect_exposed_copies,
	  "Overlap copies with computation (pinned memory, cudaMemcpyAsync in chunks on a separate stream), or copy less data." },
	{ "small_copies", "Many small copies",
	  "Batch them into one copy, and create small tensors on the GPU.", detect_small_copies },

	/* devices and kernels */
	{ "low_utilisation", "Low GPU utilization", NULL, detect_low_utilization },
	{ "unused_devices", "Unused GPUs",
	  "Use DistributedDataParallel, or hide unused GPUs with CUDA_VISIBLE_DEVICES.",
	  detect_unused_devices },
	{ "uneven_devices", "Uneven GPU utilization", "Balance the work across GPUs.",
	  detect_uneven_devices },
	{ "tensor_cores", "Tensor Cores not used", NULL, detect_tensor_cores },
	{ "few_blocks", "Grid too small",
	  "Give each launch more work: a larger batch, batched or grouped operators.",
	  detect_few_blocks },
	{ "low_occupancy", "Low occupancy",
	  "Reduce registers or shared memory per block, or use another kernel.",
	  detect_low_occupancy },
	{ "pointwise", "Unfused pointwise kernels",
	  "Fuse chains of pointwise operators with torch.compile or fused operators.",
	  detect_pointwise },
	{ "layouts", "Layout conversions",
	  "Keep model and input in memory_format=torch.channels_last.", detect_layouts },
	{ "conversions", "Dtype casts",
	  "Cast weights and inputs once before the loop, create tensors in their final dtype, and keep chains of operators in one dtype under torch.autocast.",
	  detect_conversions },
	{ "plain_attention", "Eager attention",
	  "Meet the requirements of fused scaled_dot_product_attention: half precision, a supported head size, a causal flag instead of a mask.",
	  detect_plain_attention },

	/* memory */
	{ "allocation", "Allocator thrash",
	  "Fix varying shapes, lower the batch size, keep empty_cache() out of the loop, or set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
	  detect_allocation },
	{ "memory_capacity", "GPU memory nearly full",
	  "Use mixed precision, activation checkpointing or parameter sharding.",
	  detect_memory_capacity },
	{ "unused_memory", "GPU memory underused", "Raise the batch size.", detect_unused_memory },
	{ "fragmentation", "Memory fragmentation",
	  "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True and fix varying shapes.",
	  detect_fragmentation },
	{ "memory_growth", "Memory grows every step",
	  "Find what keeps tensors alive: losses kept without .item() or .detach(), retain_graph=True, growing lists.",
	  detect_memory_growth },
	{ "unified_memory", "Unified memory migrations",
	  "Prefetch with cudaMemPrefetchAsync, advise with cudaMemAdvise, or allocate GPU memory and copy explicitly.",
	  detect_unified_memory },

	/* communication */
	{ "data_parallel", "DataParallel in one process",
	  "Use DistributedDataParallel with one process per GPU.", detect_data_parallel },
	{ "backend", "DDP without NCCL", "Initialize the process group with backend=\"nccl\".",
	  detect_backend },
	{ "communication", "Exposed communication", NULL, detect_communication },
	{ "straggler", "Straggler rank",
	  "Compare this rank with the others: slower kernels, more work, data loading, CPU interference.",
	  detect_straggler },

	/* the capture itself */
	{ "no_device_work", "No GPU records",
	  "Record with access to the performance counters and without another profiler attached.",
	  detect_no_device_work },
	{ "no_steps", "Steps not marked", NULL, detect_no_steps },
	{ "few_steps", "Few complete steps", NULL, detect_few_steps },
	{ "slow_start", "Slow first step", "Exclude it with --steps, or record after warm-up.",
	  detect_slow_start },
	{ "uneven_steps", "Uneven step times",
	  "Inspect the slow steps separately, and measure the even ones with --steps.",
	  detect_uneven_steps },
	{ "profiler_overhead", "Profiler overhead",
	  "Record fewer event types and a shorter time, and ignore these gaps.",
	  detect_profiler_overhead },
	{ "stack_cost", "Python stacks inflate CPU time", NULL, detect_stack_cost },
	{ "unlinked_work", "Unlinked GPU work",
	  "Start the capture before the work, with warm-up steps, and record CPU events too.",
	  detect_unlinked_work },
	{ "clock", "Kernels start before their launch",
	  "Ignore the queue delays of this capture, and record again with a newer driver.",
	  detect_clock },
};

enum { DETECTORS = sizeof detectors / sizeof *detectors };

/* ---- the diagnosis ---- */

static bool counts(const struct diagnosis *diagnosis, uint32_t step, bool with_slow_start)
{
	return selection_counts_step(diagnosis->selection, step) &&
	       (with_slow_start || !diagnosis->facts->steps[step].slow_start);
}

static void find_window(struct diagnosis *diagnosis)
{
	const struct scope *scope = diagnosis->selection->scope;
	const struct facts *facts = diagnosis->facts;
	struct intervals inside = { 0 };
	for (int slow = 0; slow < 2 && !diagnosis->steps; slow++)
		for (uint32_t i = 0; i < facts->step_count; i++) {
			if (!counts(diagnosis, i, slow))
				continue;
			int64_t start = facts->steps[i].start, end = facts->steps[i].end;
			if (scope->has_time && start < scope->time_first)
				start = scope->time_first;
			if (scope->has_time && end > scope->time_last)
				end = scope->time_last;
			intervals_add(&diagnosis->window, start, end);
			diagnosis->steps++;
		}
	intervals_merge(&diagnosis->window);
	intervals_subtract(&diagnosis->window, &diagnosis->device->set[CAUSE_OUTSIDE], &inside);
	intervals_free(&diagnosis->window);
	diagnosis->window = inside;
	diagnosis->dur = intervals_length(&diagnosis->window);
}

static const char stage[] = "running checks";

static bool find_idle(struct diagnosis *diagnosis, const struct progress *progress)
{
	struct intervals common = { 0 };
	bool on = true;
	for (int cause = 0; cause < TIME_CAUSES && on; cause++) {
		on = progress_update(progress, stage, 0, DETECTORS, 0);
		intervals_intersect(&diagnosis->device->set[cause], &diagnosis->window, &common);
		diagnosis->cause_ns[cause] = intervals_length(&common);
		for (size_t i = 0;
		     cause >= CAUSE_LAUNCH && cause < CAUSE_OUTSIDE && i < common.count; i++)
			intervals_add(&diagnosis->idle, common.item[i].start, common.item[i].end);
	}
	if (on)
		intervals_merge(&diagnosis->idle);
	intervals_free(&common);
	return on;
}

static void diagnosis_clear(struct diagnosis *diagnosis)
{
	intervals_free(&diagnosis->window);
	intervals_free(&diagnosis->idle);
	diagnosis_release(diagnosis);
}

/* ---- all of them ---- */

static int answer_rank(enum answer answer)
{
	return answer == ANSWER_FIRED ? 0 : answer == ANSWER_SILENT ? 1 : 2;
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	if (x->answer != y->answer)
		return answer_rank(x->answer) - answer_rank(y->answer);
	if (x->answer == ANSWER_FIRED && x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->answer == ANSWER_FIRED && x->cost_ns != y->cost_ns)
		return x->cost_ns > y->cost_ns ? -1 : 1; /* NO_VALUE is the minimum */
	return (x->detector > y->detector) - (x->detector < y->detector);
}

static void end_sentence(struct buffer *text)
{
	if (text->length && text->data[text->length - 1] != '.')
		buffer_putc(text, '.');
}

bool evidence_derive(struct evidence *evidence, size_t part, const struct progress *progress)
{
	const struct selection *selection = evidence->selection;
	if (part == 0) {
		evidence->causes = shared_causes(selection, &evidence->own_causes, progress);
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
};

static bool run_detector(void *context, size_t i, const struct progress *progress)
{
	struct detection *detection = context;
	struct finding *finding = &detection->findings->items[i];
	struct diagnosis diagnosis = *detection->diagnosis;
	diagnosis.progress = progress;
	if (!progress_update(progress, stage, i, DETECTORS, 0))
		return false;
	detectors[i].detect(&diagnosis, finding);
	end_sentence(&finding->evidence);
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
				       .facts = selection->facts };
	struct detection detection = { &diagnosis, findings };
	const struct profile *profile = selection->profile;
	bool plain = !profile->spans || !memchr(profile->span_kind, SPAN_OPERATOR, profile->spans);
	*findings = (struct findings){ mem_zalloc(DETECTORS, sizeof *findings->items), DETECTORS };
	for (size_t i = 0; i < DETECTORS; i++) {
		findings->items[i].detector = &detectors[i];
		findings->items[i].recommendation = plain && detectors[i].plain
							    ? detectors[i].plain
							    : detectors[i].recommendation;
		findings->items[i].cost_ns = NO_VALUE;
	}
	find_window(&diagnosis);
	bool done = find_idle(&diagnosis, progress) && diagnosis_prepare(&diagnosis, progress) &&
		    parallel_try(DETECTORS, run_detector, &detection, stage, progress, NULL);
	diagnosis_clear(&diagnosis);
	if (done)
		qsort(findings->items, findings->count, sizeof *findings->items, compare_findings);
	else
		findings_free(findings);
	return done;
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		buffer_free(&findings->items[i].evidence);
	mem_free(findings->items);
	*findings = (struct findings){ NULL, 0 };
}

const char *severity_name(const struct finding *finding)
{
	static const char *const names[] = { "low", "medium", "high" };
	if (finding->answer == ANSWER_FIRED)
		return names[finding->severity];
	return finding->answer == ANSWER_SILENT ? "silent" : "unknown";
}

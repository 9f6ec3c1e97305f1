#include "analysis/advice/detectors.h"

#include "analysis/advice/detect.h"
#include "analysis/device_metrics.h"
#include "analysis/shared.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

static const struct detector detectors[] = {
	/* the host */
	{ "launch_bound", "The devices are idle while the host launches work",
	  "Launch less often: CUDA graphs or torch.compile(mode=\"reduce-overhead\"), fused "
	  "operators and optimizers, a larger batch, no Python loops over small tensors.",
	  detect_launch_bound,
	  "Launch less often: replay a CUDA graph, fuse kernels, give each more work." },
	{ "host_bound", "The devices are idle while the host does other work",
	  "Move the work off the path that launches: other threads or processes, less often, or on "
	  "the device.",
	  detect_host_bound },
	{ "synchronisation", "Waiting for the device empties its queue",
	  "Take .item(), .cpu(), nonzero and printing of tensors out of the step, or do it every N "
	  "steps; find them with torch.cuda.set_sync_debug_mode(\"warn\"); copy with "
	  "non_blocking=True.",
	  detect_synchronisation,
	  "Wait less often: events instead of cudaDeviceSynchronize, cudaMemcpyAsync with pinned "
	  "memory instead of cudaMemcpy, which waits; queue the next work before waiting." },
	{ "small_kernels", "Many kernels are tiny", NULL, detect_small_kernels },
	{ "compilation", "Code is compiled or loaded in steady steps",
	  "Look for recompilation with TORCH_LOGS=recompiles,guards; keep shapes fixed or mark "
	  "them dynamic; warm up before measuring.",
	  detect_compilation },
	{ "optimizer", "The optimizer updates parameters one by one",
	  "Construct the optimizer with fused=True or foreach=True.", detect_optimizer },
	{ "debug_modes", "Debugging aids of autograd are on",
	  "Switch off detect_anomaly, gradcheck and gradgradcheck outside debugging.",
	  detect_debug_modes },
	{ "off_cpu", "The threads that launch work are without a processor",
	  "Look for what they wait for (locks, files, other processes) in the samples and calls of "
	  "the system; give them processors of their own: fewer threads and workers, pinning.",
	  detect_off_cpu },

	{ "hot_spot", "The host's time is spent in few places",
	  "Begin with that operator: larger batches of it, other types and layouts, the threads it "
	  "needs (torch.set_num_threads); or move the model and its input to a device.",
	  detect_hot_spot },

	/* input */
	{ "dataloader", "Steps wait for the data loader",
	  "Raise num_workers, set pin_memory=True and persistent_workers=True, move transforms to "
	  "the device, use faster storage.",
	  detect_dataloader },
	{ "pageable_copies", "Copies use memory that is not pinned",
	  "Set pin_memory=True in the data loader or call .pin_memory(), and copy with "
	  "non_blocking=True.",
	  detect_pageable_copies,
	  "Allocate the host's memory with cudaMallocHost, or pin it with cudaHostRegister, and copy "
	  "with cudaMemcpyAsync." },
	{ "exposed_copies", "The devices do nothing but copy",
	  "Overlap copies with computation: pinned memory, non_blocking=True, prefetch on a "
	  "stream of its own; copy less or smaller types.",
	  detect_exposed_copies,
	  "Overlap copies with computation: pinned memory, cudaMemcpyAsync on a stream of its own, "
	  "in pieces; copy less." },
	{ "small_copies", "Many small copies between host and device",
	  "Gather them into one copy, and make small tensors on the device.", detect_small_copies },

	/* devices and kernels */
	{ "low_utilisation", "A device is used less than half of the time", NULL,
	  detect_low_utilisation },
	{ "unused_devices", "Devices of the machine are not used",
	  "Use them with DistributedDataParallel, or leave them out with CUDA_VISIBLE_DEVICES.",
	  detect_unused_devices },
	{ "uneven_devices", "Devices are used unevenly", "Even out the work among the devices.",
	  detect_uneven_devices },
	{ "tensor_cores", "Tensor cores are not used by operators that could", NULL,
	  detect_tensor_cores },
	{ "few_blocks", "Kernels are too small to fill the device",
	  "Give each launch more work: a larger batch, batched or grouped operators.",
	  detect_few_blocks },
	{ "low_occupancy", "Kernels run at low occupancy",
	  "Lower what a thread needs (registers, shared memory) or use another kernel; kernels of "
	  "tensor cores are not counted here, low occupancy is normal for them.",
	  detect_low_occupancy },
	{ "pointwise", "Much device time goes to pointwise kernels",
	  "Fuse chains of pointwise operators with torch.compile or fused operators.",
	  detect_pointwise },
	{ "layouts", "Tensors are converted between memory layouts",
	  "Keep the model and its input in memory_format=torch.channels_last.", detect_layouts },
	{ "conversions", "Tensors are converted to other types again and again",
	  "Convert weights and inputs once before the loop, make tensors in the type they are used "
	  "in (dtype=...), and keep chains of operators in one type: under torch.autocast what "
	  "alternates between float32 and half types is converted at every change.",
	  detect_conversions },
	{ "plain_attention", "Attention runs as separate products and a softmax",
	  "Meet what the fused kernels of scaled_dot_product_attention need: half precision, a "
	  "head size they support, a causal flag instead of a mask.",
	  detect_plain_attention },

	/* memory */
	{ "allocation", "Memory of the device is allocated in steady steps",
	  "Fix shapes that vary, lower the batch, call empty_cache() outside the loop, or set "
	  "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
	  detect_allocation },
	{ "memory_capacity", "The memory of a device is nearly full",
	  "Use mixed precision, activation checkpointing or sharded parameters.",
	  detect_memory_capacity },
	{ "unused_memory", "The memory of a device is hardly used while the device idles",
	  "Raise the batch size.", detect_unused_memory },
	{ "fragmentation", "Reserved memory is fragmented",
	  "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, and fix shapes that vary.",
	  detect_fragmentation },
	{ "memory_growth", "Memory in use grows with every step",
	  "Look for what keeps tensors alive: losses kept without .item() or .detach(), "
	  "retain_graph=True, growing lists.",
	  detect_memory_growth },
	{ "unified_memory", "Unified memory moves between host and device by itself",
	  "Prefetch it with cudaMemPrefetchAsync, advise with cudaMemAdvise, or allocate it on the "
	  "device and copy.",
	  detect_unified_memory },

	/* communication */
	{ "data_parallel", "DataParallel drives several devices from one process",
	  "Use DistributedDataParallel, with one process a device.", detect_data_parallel },
	{ "backend", "DistributedDataParallel does not use NCCL",
	  "Initialise the process group with backend=\"nccl\", the fastest on these devices.",
	  detect_backend },
	{ "communication", "Communication is not hidden behind computation", NULL,
	  detect_communication },
	{ "straggler", "The other ranks wait for one",
	  "Compare that rank with the others: slower kernels, more work, data loading, host "
	  "interference.",
	  detect_straggler },

	/* the capture itself */
	{ "no_device_work", "No device work was recorded although devices were used",
	  "Record with rights to the performance counters and no other profiler attached.",
	  detect_no_device_work },
	{ "no_steps", "Steps are not marked", NULL, detect_no_steps },
	{ "few_steps", "Few whole steps were captured", NULL, detect_few_steps },
	{ "slow_start", "The first step is far slower than the others",
	  "Leave it out with --steps, or record after warm-up.", detect_slow_start },
	{ "uneven_steps", "Steps take unequal times",
	  "Look at the slow steps on their own; measure over the even ones with --steps.",
	  detect_uneven_steps },
	{ "profiler_overhead", "The profiler itself takes time",
	  "Record fewer kinds of events and shorter; take these gaps for the profiler's.",
	  detect_profiler_overhead },
	{ "stack_cost", "Python functions were recorded, which slows the host", NULL,
	  detect_stack_cost },
	{ "unlinked_work", "Device work without the call that launched it",
	  "Begin the capture before the work, with warm-up steps; record the host's activities "
	  "too.",
	  detect_unlinked_work },
	{ "clock", "Kernels start before they are launched",
	  "Do not trust launch delays of this capture; record again with a newer driver.",
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
	diagnosis->dur = intervals_length(&diagnosis->window);
}

static const char stage[] = "looking for advice";

static bool find_idle(struct diagnosis *diagnosis, const struct progress *progress)
{
	struct intervals common = { 0 };
	bool on = true;
	for (int cause = 0; cause < TIME_CAUSES && on; cause++) {
		on = progress_update(progress, stage, 0, DETECTORS, 0);
		intervals_intersect(&diagnosis->causes->set[cause], &diagnosis->window, &common);
		diagnosis->cause_ns[cause] = intervals_length(&common);
		for (size_t i = 0; cause >= CAUSE_LAUNCH && i < common.count; i++)
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
	diagnosis_forget(diagnosis);
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
		return x->cost_ns > y->cost_ns ? -1 : 1; /* NO_VALUE is the least */
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
	evidence->devices =
		device_metrics(selection, selection->window_start, selection->window_end,
			       &evidence->device_count, progress);
	return evidence->devices != NULL;
}

void evidence_free(struct evidence *evidence)
{
	causes_free(&evidence->own_causes);
	mem_free(evidence->devices);
}

struct asking {
	const struct diagnosis *diagnosis;
	struct findings *findings;
};

static bool ask(void *context, size_t i, const struct progress *progress)
{
	struct asking *asking = context;
	struct finding *finding = &asking->findings->items[i];
	struct diagnosis diagnosis = *asking->diagnosis;
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
				       .devices = evidence->devices,
				       .device_count = evidence->device_count,
				       .profile = selection->profile,
				       .facts = selection->facts };
	struct asking asking = { &diagnosis, findings };
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
	bool done = find_idle(&diagnosis, progress) && diagnosis_look_up(&diagnosis, progress) &&
		    parallel_try(DETECTORS, ask, &asking, stage, progress, NULL);
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

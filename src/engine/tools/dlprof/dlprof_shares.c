#include "tools/dlprof/dlprof_shares.h"

#include "tools/dlprof/dlprof_iterations.h"
#include "derived/intervals.h"

#include <math.h>
#include <strings.h>

/* Classes with intervals of their own, in order of precedence. */
enum { CLASS_TC, CLASS_NON_TC, CLASS_MEMORY, CLASS_DATALOADER, CLASS_IO, CLASS_CPU, CLASSES };

struct sharing {
	const struct dlprof *dlprof;
	const struct intern *strings;
	const struct dlprof_aggregation *aggregation;
	struct dlprof_work *work;
	struct intervals range;         /* the iterations in the range */
	struct intervals host[CLASSES]; /* of the classes without a device */
};

/* Poll for cancellation between passes over whole sets. */
static bool look(const struct sharing *sharing)
{
	return progress_update(sharing->work->progress, "summarizing", 0, 0, 0);
}

static bool is_loader(const struct sharing *sharing, const struct dlprof_op *op)
{
	return strcasecmp(intern_text(sharing->strings, op->type), "dataloader") == 0;
}

static void find_range(struct sharing *sharing)
{
	const struct dlprof_aggregation *aggregation = sharing->aggregation;
	for (size_t i = 0; i < aggregation->iteration_count; i++) {
		const struct dlprof_iteration *at = &aggregation->iteration[i];
		if (at->number >= aggregation->first && at->number <= aggregation->last)
			intervals_add(&sharing->range, at->start, at->stop);
	}
	intervals_merge(&sharing->range);
}

static bool find_host_time(struct sharing *sharing)
{
	bool ok = true;
	for (size_t i = 0; ok && i < sharing->dlprof->instance_count; i++) {
		ok = dlprof_go_on(sharing->work);
		const struct dlprof_instance *instance = &sharing->dlprof->instances[i];
		const struct dlprof_op *op = &sharing->dlprof->ops[instance->op];
		if (op->domain != sharing->aggregation->domain)
			continue;
		intervals_add(&sharing->host[is_loader(sharing, op) ? CLASS_DATALOADER : CLASS_CPU],
			      instance->start, instance->stop);
	}
	for (size_t i = 0; i < sharing->dlprof->file_call_count; i++)
		intervals_add(&sharing->host[CLASS_IO], sharing->dlprof->file_calls[i].start,
			      sharing->dlprof->file_calls[i].stop);
	for (int class = CLASS_DATALOADER; ok && class < CLASSES; class ++) {
		intervals_merge(&sharing->host[class]);
		ok = look(sharing);
	}
	return ok;
}

static bool add_device_time(const struct sharing *sharing, int32_t device,
			    struct intervals sets[CLASSES])
{
	for (size_t i = 0; i < sharing->dlprof->call_count; i++) {
		if (!dlprof_go_on(sharing->work))
			return false;
		const struct dlprof_call *call = &sharing->dlprof->calls[i];
		if (call->kind > DLPROF_MEMCPY || call->device != device ||
		    dlprof_iteration_at(sharing->aggregation, call->api_start) == SIZE_MAX)
			continue;
		int class = call->kind != DLPROF_KERNEL ? CLASS_MEMORY
			    : call->uses_tc             ? CLASS_TC
							: CLASS_NON_TC;
		intervals_add(&sets[class], call->gpu_start, call->gpu_stop);
	}
	return true;
}

/* Time of SET in the range and not in TAKEN; adds it to TAKEN. */
static int64_t dlprof_shares_take(const struct sharing *sharing, const struct intervals *set,
				  struct intervals *taken)
{
	struct intervals inside = { 0 }, left = { 0 };
	intervals_intersect(set, &sharing->range, &inside);
	intervals_subtract(&inside, taken, &left);
	int64_t length = intervals_length(&left);
	for (size_t i = 0; i < left.count; i++)
		intervals_add(taken, left.item[i].start, left.item[i].end);
	intervals_merge(taken);
	intervals_free(&inside);
	intervals_free(&left);
	return length;
}

static bool share_device(const struct sharing *sharing, int32_t device, int64_t sums[CLASSES])
{
	struct intervals sets[CLASSES] = { 0 }, taken = { 0 };
	bool ok = add_device_time(sharing, device, sets);
	for (int class = 0; ok && class < CLASSES; class ++) {
		bool host = class >= CLASS_DATALOADER;
		intervals_merge(&sets[class]);
		sums[class] += dlprof_shares_take(
			sharing, host ? &sharing->host[class] : &sets[class], &taken);
		ok = look(sharing);
	}
	for (int class = 0; class < CLASSES; class ++)
		intervals_free(&sets[class]);
	intervals_free(&taken);
	return ok;
}

/* Tensor core share of the kernel time in eligible ops. */
static double utilization(const struct sharing *sharing)
{
	int64_t all = 0, tensor = 0;
	for (size_t i = 0; i < sharing->dlprof->call_count; i++) {
		const struct dlprof_call *call = &sharing->dlprof->calls[i];
		if (call->kind != DLPROF_KERNEL || call->op == NO_ROW ||
		    !sharing->dlprof->ops[call->op].eligible ||
		    dlprof_iteration_at(sharing->aggregation, call->api_start) == SIZE_MAX)
			continue;
		all += call->gpu_stop - call->gpu_start;
		tensor += call->uses_tc ? call->gpu_stop - call->gpu_start : 0;
	}
	return all ? 100.0 * (double)tensor / (double)all : 0;
}

/* False when cancelled; so are the functions below. */
static bool share_devices(struct sharing *sharing, int64_t sums[CLASSES])
{
	const struct dlprof *dlprof = sharing->dlprof;
	bool ok = find_host_time(sharing);
	for (size_t i = 0; ok && i < dlprof->gpu_count; i++)
		ok = share_device(sharing, dlprof->gpus[i].device, sums);
	return ok && (dlprof->gpu_count || share_device(sharing, 0, sums));
}

bool dlprof_share_time(struct dlprof_work *work, struct dlprof_aggregation *aggregation)
{
	const struct dlprof *dlprof = work->dlprof;
	static const enum dlprof_share share_of[CLASSES] = {
		DLPROF_TC_SHARE,         DLPROF_NON_TC_SHARE, DLPROF_MEMORY_SHARE,
		DLPROF_DATALOADER_SHARE, DLPROF_IO_SHARE,     DLPROF_CPU_SHARE
	};
	struct sharing sharing = {
		.dlprof = dlprof, .strings = work->strings, .aggregation = aggregation, .work = work
	};
	int64_t sums[CLASSES] = { 0 };
	find_range(&sharing);
	bool ok = share_devices(&sharing, sums);
	double devices = dlprof->gpu_count ? (double)dlprof->gpu_count : 1;
	double whole = (double)aggregation->wall * devices, rest = 100;
	for (int class = 0; class < CLASSES && whole > 0; class ++) {
		double share = 100.0 * (double)sums[class] / whole;
		aggregation->share[share_of[class]] = share;
		rest -= share;
	}
	if (!dlprof->knows_files)
		aggregation->share[DLPROF_IO_SHARE] = NAN;
	aggregation->share[DLPROF_OTHER_SHARE] = rest < 0 ? 0 : rest;
	aggregation->share[DLPROF_GPU_UTILIZATION] =
		aggregation->share[DLPROF_TC_SHARE] + aggregation->share[DLPROF_NON_TC_SHARE];
	aggregation->share[DLPROF_TC_UTILIZATION] = utilization(&sharing);
	intervals_free(&sharing.range);
	for (int class = 0; class < CLASSES; class ++)
		intervals_free(&sharing.host[class]);
	return ok;
}

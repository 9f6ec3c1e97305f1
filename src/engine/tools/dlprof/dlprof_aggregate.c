#include "tools/dlprof/dlprof_aggregate.h"

#include "base/error.h"
#include "base/keyed.h"

#include <math.h>
#include <strings.h>

/* ---- shares of the seven classes in the wall time of the iterations ---- */

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

static void find_range(struct sharing *sharing)
{
	const struct dlprof_aggregation *aggregation = sharing->aggregation;
	for_each (at, aggregation->iteration, aggregation->iteration_count)
		if (at->number >= aggregation->first && at->number <= aggregation->last)
			intervals_add(&sharing->range, at->start, at->stop);
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
		bool loads = strcasecmp(intern_text(sharing->strings, op->type), "dataloader") == 0;
		intervals_add(&sharing->host[loads ? CLASS_DATALOADER : CLASS_CPU], instance->start,
			      instance->stop);
	}
	for (size_t i = 0; i < sharing->dlprof->file_call_count; i++)
		intervals_add(&sharing->host[CLASS_IO], sharing->dlprof->file_calls[i].start,
			      sharing->dlprof->file_calls[i].stop);
	for (int class = CLASS_DATALOADER; ok && class < CLASSES; class ++) {
		intervals_merge(&sharing->host[class]);
		ok = progress_update(sharing->work->progress, "summarizing", 0, 0, 0);
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
	AUTO_INTERVALS struct intervals inside = { 0 }, left = { 0 };
	intervals_intersect(set, &sharing->range, &inside);
	intervals_subtract(&inside, taken, &left);
	int64_t length = intervals_length(&left);
	for (size_t i = 0; i < left.count; i++)
		intervals_add(taken, left.item[i].start, left.item[i].end);
	intervals_merge(taken);
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
		ok = progress_update(sharing->work->progress, "summarizing", 0, 0, 0);
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
	for_each (call, sharing->dlprof->calls, sharing->dlprof->call_count) {
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

/*
 * Compute the shares of AGGREGATION from its iterations and wall time. Time that is in several
 * classes counts for the first: kernels with tensor cores, other kernels, memory, data loader, I/O
 * (unknown where no calls of the operating system were recorded), CPU, other; per device, then
 * averaged. Those of the GPU are unknown where nothing that it did was recorded. False when
 * cancelled.
 */
static bool dlprof_share_time(struct dlprof_work *work, struct dlprof_aggregation *aggregation)
{
	const struct dlprof *dlprof = work->dlprof;
	static const enum dlprof_share share_of[CLASSES] = { DLPROF_CLASS_SHARE_ROWS };
	struct sharing sharing = {
		.dlprof = dlprof, .strings = work->strings, .aggregation = aggregation, .work = work
	};
	int64_t sums[CLASSES] = { 0 };
	find_range(&sharing);
	bool ok = share_devices(&sharing, sums);
	double devices = dlprof->gpu_count ? (double)dlprof->gpu_count : 1;
	double whole = (double)aggregation->wall * devices, rest = 100;
	for (int class = 0; class < CLASSES; class ++) {
		double share = whole > 0 ? 100.0 * (double)sums[class] / whole : NAN;
		aggregation->share[share_of[class]] = share;
		rest -= share;
	}
	if (!dlprof->knows_files)
		aggregation->share[DLPROF_IO_SHARE] = NAN;
	aggregation->share[DLPROF_OTHER_SHARE] = rest < 0 ? 0 : rest; /* may be unknown */
	aggregation->share[DLPROF_GPU_UTILIZATION] =
		aggregation->share[DLPROF_TC_SHARE] + aggregation->share[DLPROF_NON_TC_SHARE];
	aggregation->share[DLPROF_TC_UTILIZATION] = utilization(&sharing);
	for (int i = 0; i <= DLPROF_MEMORY_SHARE && !dlprof->call_count; i++)
		aggregation->share[i] = NAN;
	intervals_free(&sharing.range);
	for (int class = 0; class < CLASSES; class ++)
		intervals_free(&sharing.host[class]);
	return ok;
}

/* ---- grouping ---- */

static bool index_instances(struct dlprof_work *work, const struct dlprof_aggregation *out)
{
	bool ok = true;
	const struct dlprof *dlprof = work->dlprof;
	size_t count = dlprof->instance_count;
	size_t *first = mem_zalloc(dlprof->op_count + 2, sizeof *first);
	work->instance_order = mem_alloc((count + 1) * sizeof *work->instance_order);
	work->iteration = mem_alloc((count + 1) * sizeof *work->iteration);
	for (size_t i = 0; i < count; i++)
		first[dlprof->instances[i].op + 2]++;
	for (size_t i = 2; i < dlprof->op_count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; ok && i < count; i++) {
		ok = dlprof_go_on(work);
		const struct dlprof_instance *instance = &dlprof->instances[i];
		bool counts = dlprof->ops[instance->op].domain == out->domain;
		work->instance_order[first[instance->op + 1]++] = (uint32_t)i;
		work->iteration[i] = counts ? dlprof_iteration_at(out, instance->start) : SIZE_MAX;
	}
	work->first_instance = first;
	return ok;
}

static bool index_calls(struct dlprof_work *work)
{
	bool ok = true;
	const struct dlprof *dlprof = work->dlprof;
	size_t *first = mem_zalloc(dlprof->instance_count + 2, sizeof *first);
	work->call_order = mem_alloc((dlprof->call_count + 1) * sizeof *work->call_order);
	for (size_t i = 0; i < dlprof->call_count; i++)
		if (dlprof->calls[i].instance != NO_ROW)
			first[dlprof->calls[i].instance + 2]++;
	for (size_t i = 2; i < dlprof->instance_count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; ok && i < dlprof->call_count; i++) {
		ok = dlprof_go_on(work);
		if (dlprof->calls[i].instance != NO_ROW)
			work->call_order[first[dlprof->calls[i].instance + 1]++] = (uint32_t)i;
	}
	work->first_call = first;
	return ok;
}

/* ---- ops and op types ---- */

/* Overlapping API or device time of an instance counts once; calls may outlast it. */
static void add_instance(struct dlprof_work *work, uint32_t instance, struct dlprof_times *times)
{
	const struct dlprof_instance *at = &work->dlprof->instances[instance];
	AUTO_INTERVALS struct intervals api = { 0 }, device = { 0 };
	dlprof_gather(work, instance, NULL, &api, &device);
	intervals_merge(&api);
	intervals_merge(&device);
	work->idle[instance] = intervals_gaps(&device);
	moments_add(&times->of[DLPROF_CPU], at->stop - at->start);
	moments_add(&times->of[DLPROF_GPU], intervals_length(&device));
	moments_add(&times->of[DLPROF_OVERHEAD],
		    at->stop - at->start - intervals_length_in(&api, at->start, at->stop));
	moments_add(&times->of[DLPROF_IDLE], work->idle[instance]);
}

static bool sum_ops(struct dlprof_work *work, struct dlprof_aggregation *out)
{
	const struct dlprof *dlprof = work->dlprof;
	work->idle = mem_zalloc(dlprof->instance_count + 1, sizeof *work->idle);
	for (uint32_t op = 0; op < dlprof->op_count; op++) {
		struct dlprof_op_sum sum = { .op = op, .eligible = dlprof->ops[op].eligible };
		for (size_t i = work->first_instance[op]; i < work->first_instance[op + 1]; i++) {
			uint32_t row = work->instance_order[i];
			if (!dlprof_go_on(work))
				return false;
			if (work->iteration[row] == SIZE_MAX)
				continue;
			sum.calls++;
			add_instance(work, row, &sum.times);
		}
		if (!sum.calls)
			continue;
		*mem_push(out->op_sums, out->op_count) = sum;
	}
	return true;
}

static void sum_types(const struct dlprof *dlprof, struct dlprof_aggregation *out)
{
	AUTO_KEYED struct keyed types = { 0 };
	for_each (sum, out->op_sums, out->op_count) {
		uint32_t type = dlprof->ops[sum->op].type;
		struct dlprof_type_sum *into = keyed_item(&types, out->types, &type);
		into->type = type;
		into->ops++;
		into->calls += sum->calls;
		for (int time = 0; time < DLPROF_TIMES; time++)
			moments_merge(&into->times.of[time], &sum->times.of[time]);
	}
	out->type_count = types.count;
}

/* ---- kernels ---- */

/* Plain sums: overlapping launches count separately. */
static bool sum_kernels(struct dlprof_work *work, struct dlprof_aggregation *out)
{
	const struct dlprof *dlprof = work->dlprof;
	AUTO_KEYED struct keyed kernels = { 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < dlprof->call_count; i++) {
		const struct dlprof_call *call = &dlprof->calls[i];
		size_t iteration = dlprof_iteration_at(out, call->api_start);
		ok = dlprof_go_on(work);
		if (call->kind != DLPROF_KERNEL || call->op == NO_ROW || iteration == SIZE_MAX ||
		    dlprof->ops[call->op].domain != out->domain)
			continue;
		const uint32_t key[] = { call->op, call->name };
		struct dlprof_kernel_sum *sum = keyed_item(&kernels, out->kernel_sums, &key);
		sum->op = call->op;
		sum->name = call->name;
		sum->uses_tc |= call->uses_tc;
		moments_add(&sum->gpu, call->gpu_stop - call->gpu_start);
		moments_add(&sum->api, call->api_stop - call->api_start);
		*mem_push(out->launches, out->launch_count) =
			(struct dlprof_launch){ out->iteration[iteration].number, (uint32_t)i };
	}
	out->kernel_count = kernels.count;
	return ok;
}

static void mark_tensor_ops(const struct dlprof *dlprof, struct dlprof_aggregation *out)
{
	AUTO_FREE uint8_t *uses = mem_zalloc(dlprof->op_count + 1, 1);
	for (size_t i = 0; i < out->kernel_count; i++)
		uses[out->kernel_sums[i].op] |= out->kernel_sums[i].uses_tc;
	for (size_t i = 0; i < out->op_count; i++)
		out->op_sums[i].uses_tc = uses[out->op_sums[i].op];
}

/* ---- categories of the summary ---- */

static void count_ops(struct dlprof_aggregation *out)
{
	for_each (sum, out->op_sums, out->op_count) {
		int kind = sum->uses_tc    ? DLPROF_TC_OPS
			   : sum->eligible ? DLPROF_ELIGIBLE_OPS
					   : DLPROF_OTHER_OPS;
		for (int time = 0; time < DLPROF_TIMES; time++) {
			out->ops[DLPROF_ALL_OPS].time[time] += sum->times.of[time].sum;
			out->ops[kind].time[time] += sum->times.of[time].sum;
		}
		out->ops[DLPROF_ALL_OPS].count++;
		out->ops[kind].count++;
	}
}

static void count_call(struct dlprof_category *category, struct keyed *names, uint32_t kind,
		       const struct dlprof_call *call)
{
	const uint32_t key[] = { kind, call->name };
	uint32_t known = names->count;
	category->time[DLPROF_GPU] += call->gpu_stop - call->gpu_start;
	category->time[DLPROF_CPU] += call->api_stop - call->api_start;
	category->count += keyed_add(names, key, sizeof key) == known;
}

/* Kernels and memory operations; distinct names are counted. */
static bool count_kernels(struct dlprof_work *work, struct dlprof_aggregation *out)
{
	const struct dlprof *dlprof = work->dlprof;
	AUTO_KEYED struct keyed names = { 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < dlprof->call_count; i++) {
		const struct dlprof_call *call = &dlprof->calls[i];
		ok = dlprof_go_on(work);
		if (call->kind > DLPROF_MEMCPY || call->op == NO_ROW ||
		    dlprof->ops[call->op].domain != out->domain ||
		    dlprof_iteration_at(out, call->api_start) == SIZE_MAX)
			continue;
		uint32_t kind = call->kind != DLPROF_KERNEL ? DLPROF_MEMORY
				: call->uses_tc             ? DLPROF_TC_KERNELS
							    : DLPROF_OTHER_KERNELS;
		count_call(&out->kernels[kind], &names, kind, call);
		if (call->kind == DLPROF_KERNEL)
			count_call(&out->kernels[DLPROF_ALL_KERNELS], &names, DLPROF_ALL_KERNELS,
				   call);
	}
	return ok;
}

/* ---- the whole ---- */

const struct dlprof_aggregation *dlprof_stored(const struct dlprof *dlprof,
					       const struct intern *strings,
					       const struct dlprof_range *range)
{
	for (size_t i = dlprof->aggregation_count; i-- > 0;) {
		const struct dlprof_aggregation *at = &dlprof->aggregations[i];
		if (range->number == i + 1)
			return at;
		if (range->number)
			continue;
		if (range->key && strcmp(intern_text(strings, at->key), range->key) != 0)
			continue;
		int64_t first = range->first > 0 ? range->first : 0;
		int64_t max = at->iterations - 1, last = range->last < max ? range->last : max;
		if (range->limited && (first != at->first || last != at->last))
			continue;
		return at;
	}
	return NULL;
}

bool dlprof_aggregate(const struct dlprof *dlprof, const struct intern *strings,
		      const struct dlprof_range *range, struct dlprof_aggregation *out,
		      const struct progress *progress, struct error *error)
{
	struct dlprof_work work = { .dlprof = dlprof, .strings = strings, .progress = progress };
	if (!dlprof_find_iterations(dlprof, strings, range, out, progress, error))
		return false;
	bool ok = index_instances(&work, out) && index_calls(&work) && sum_ops(&work, out);
	if (ok)
		sum_types(dlprof, out);
	ok = ok && sum_kernels(&work, out);
	if (ok)
		mark_tensor_ops(dlprof, out);
	ok = ok && dlprof_sum_groups(&work, out);
	if (ok)
		count_ops(out);
	ok = ok && count_kernels(&work, out) && (range->stored || dlprof_share_time(&work, out));
	mem_free_all(work.iteration, work.first_call, work.call_order, work.first_instance,
		     work.instance_order, work.idle);
	return ok || error_cancelled(error);
}

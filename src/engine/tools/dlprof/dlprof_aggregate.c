#include "tools/dlprof/dlprof_aggregate.h"

#include "tools/dlprof/dlprof_groups.h"
#include "tools/dlprof/dlprof_iterations.h"
#include "tools/dlprof/dlprof_shares.h"
#include "base/error.h"
#include "base/keyed.h"

#include <string.h>

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

static void free_work(struct dlprof_work *work)
{
	mem_free_all(work->iteration, work->first_call, work->call_order, work->first_instance,
		     work->instance_order, work->idle);
}

/* ---- ops and op types ---- */

/* Overlapping API or device time of an instance counts once; calls may outlast it. */
static void add_instance(struct dlprof_work *work, uint32_t instance, struct dlprof_times *times)
{
	const struct dlprof_instance *at = &work->dlprof->instances[instance];
	struct intervals api = { 0 }, device = { 0 };
	dlprof_gather(work, instance, NULL, &api, &device);
	intervals_merge(&api);
	intervals_merge(&device);
	work->idle[instance] = intervals_gaps(&device);
	moments_add(&times->of[DLPROF_CPU], at->stop - at->start);
	moments_add(&times->of[DLPROF_GPU], intervals_length(&device));
	moments_add(&times->of[DLPROF_OVERHEAD],
		    at->stop - at->start - intervals_length_in(&api, at->start, at->stop));
	moments_add(&times->of[DLPROF_IDLE], work->idle[instance]);
	intervals_free(&api);
	intervals_free(&device);
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
		*mem_push(out->op_sums, out->op_count, out->op_cap) = sum;
	}
	return true;
}

static void sum_types(const struct dlprof *dlprof, struct dlprof_aggregation *out)
{
	AUTO_KEYED struct keyed types = { 0 };
	for (size_t i = 0; i < out->op_count; i++) {
		const struct dlprof_op_sum *sum = &out->op_sums[i];
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
		*mem_push(out->launches, out->launch_count, out->launch_cap) =
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
	for (size_t i = 0; i < out->op_count; i++) {
		const struct dlprof_op_sum *sum = &out->op_sums[i];
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
	free_work(&work);
	return ok || error_set(error, ERROR_CANCELLED, "cancelled");
}

#include "tools/dlprof/dlprof_aggregate.h"

#include "base/any_of.h"
#include "base/binary_search.h"
#include "base/compare.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

uint32_t dlprof_op_named(const struct dlprof *dlprof, const struct intern *strings, const char *key)
{
	return row_where(i, 0, dlprof->op_count,
			 strcmp(intern_text(strings, dlprof->ops[i].id), key) == 0 ||
				 strcmp(intern_text(strings, dlprof->ops[i].name), key) == 0);
}

static const char stage[] = "finding iterations";

static int64_t last_time(const struct dlprof *dlprof, const struct progress *progress)
{
	int64_t last = 0;
	for (size_t i = 0;
	     i < dlprof->instance_count && progress_row(progress, stage, i, dlprof->instance_count);
	     i++)
		raise_to(last, dlprof->instances[i].stop);
	for (size_t i = 0;
	     i < dlprof->call_count && progress_row(progress, stage, i, dlprof->call_count); i++) {
		const struct dlprof_call *call = &dlprof->calls[i];
		last = call->api_stop > last ? call->api_stop : last;
		last = call->gpu_stop > last ? call->gpu_stop : last;
	}
	return last;
}

/* ---- ends of iterations ---- */

struct end {
	int64_t time;
	int32_t device;
};

COMPARE_MEMBERS(compare_ends, struct end, UP(device) UP(time))

COMPARE_MEMBERS(dlprof_iterations_compare_times, struct end, UP(time))

/* By instance: device of its first activity, -1: none. */
static int32_t *devices_of_instances(const struct dlprof *dlprof, const struct progress *progress)
{
	int32_t *device = mem_alloc((dlprof->instance_count + 1) * sizeof *device);
	for (size_t i = 0; i < dlprof->instance_count; i++)
		device[i] = -1;
	for (size_t i = dlprof->call_count;
	     i-- > 0 && progress_row(progress, stage, i, dlprof->call_count);) {
		const struct dlprof_call *call = &dlprof->calls[i];
		if (call->kind <= DLPROF_MEMCPY && call->instance != NO_ROW)
			device[call->instance] = call->device;
	}
	return device;
}

/*
 * If all devices executed the key equally often, an iteration ends when the last of them does: the
 * first COUNT ends are replaced by these. Otherwise each execution ends an iteration.
 */
static size_t join_devices(struct end *ends, size_t count)
{
	size_t each = 0;
	qsort(ends, count, sizeof *ends, compare_ends);
	for (size_t i = 0, run = 0; i < count; i++) {
		run = i && ends[i].device == ends[i - 1].device ? run + 1 : 1;
		bool closes = i + 1 == count || ends[i + 1].device != ends[i].device;
		if (closes && each && run != each)
			return count;
		if (closes)
			each = run;
	}
	for (size_t i = each; i < count; i++)
		raise_to(ends[i % each].time, ends[i].time);
	return each;
}

static void add_iteration(struct dlprof_aggregation *out, int64_t start, int64_t stop)
{
	struct dlprof_iteration made = { (int64_t)out->iteration_count, start, stop };
	*mem_push(out->iteration, out->iteration_count) = made;
}

/* N key ends delimit N + 1 iterations, from zero to the last event. */
static void split(const struct dlprof *dlprof, uint32_t key, struct dlprof_aggregation *out,
		  const struct progress *progress)
{
	AUTO_FREE struct end *ends = mem_alloc((dlprof->instance_count + 1) * sizeof *ends);
	AUTO_FREE int32_t *device = devices_of_instances(dlprof, progress);
	size_t count = 0;
	for (size_t i = 0;
	     i < dlprof->instance_count && progress_row(progress, stage, i, dlprof->instance_count);
	     i++)
		if (dlprof->instances[i].op == key)
			ends[count++] = (struct end){ dlprof->instances[i].stop, device[i] };
	if (count)
		count = join_devices(ends, count);
	qsort(ends, count, sizeof *ends, dlprof_iterations_compare_times);
	int64_t start = 0;
	for (size_t i = 0; i < count; i++) {
		if (ends[i].time <= start)
			continue;
		add_iteration(out, start, ends[i].time - 1);
		start = ends[i].time;
	}
	add_iteration(out, start, last_time(dlprof, progress));
}

/* The recorded iterations; without any, all is one. */
static void copy_iterations(const struct dlprof *dlprof, const struct dlprof_aggregation *from,
			    struct dlprof_aggregation *out, const struct progress *progress)
{
	if (!from || !from->iteration_count)
		add_iteration(out, 0, last_time(dlprof, progress));
	for (size_t i = 0; from && i < from->iteration_count; i++)
		*mem_push(out->iteration, out->iteration_count) = from->iteration[i];
}

/* The range and shares of a stored aggregation; sums are added. */
static void take_stored(const struct dlprof *dlprof, const struct dlprof_aggregation *stored,
			struct dlprof_aggregation *out, const struct progress *progress)
{
	*out = *stored;
	out->iteration = NULL;
	out->advice = NULL;
	out->iteration_count = out->advice_count = 0;
	copy_iterations(dlprof, stored, out, progress);
	if (!stored->iteration_count)
		out->iteration[0].number = out->first;
}

/* ---- the range ---- */

static void dlprof_iterations_measure(struct dlprof_aggregation *out)
{
	double squares = 0;
	for_each (at, out->iteration, out->iteration_count) {
		if (at->number < out->first || at->number > out->last)
			continue;
		out->aggregated++;
		out->wall += at->stop - at->start;
	}
	out->average_iteration = (double)out->wall / (double)out->aggregated;
	for_each (at, out->iteration, out->iteration_count) {
		double off = (double)(at->stop - at->start) - out->average_iteration;
		if (at->number >= out->first && at->number <= out->last)
			squares += off * off;
	}
	out->deviation = sqrt(squares / (double)out->aggregated);
}

static bool choose_range(const struct dlprof_range *range, struct dlprof_aggregation *out,
			 struct error *error)
{
	int64_t least = out->iteration[0].number;
	int64_t max = out->iteration[out->iteration_count - 1].number;
	out->iterations = (int64_t)out->iteration_count;
	out->first = range->limited && range->first > least ? range->first : least;
	out->last = range->limited && range->last < max ? range->last : max;
	if (out->first > out->last)
		return error_usage(error,
				   "no iteration in this range; valid iterations are %lld to %lld",
				   (long long)least, (long long)max);
	dlprof_iterations_measure(out);
	return true;
}

bool dlprof_find_iterations(const struct dlprof *dlprof, const struct intern *strings,
			    const struct dlprof_range *range, struct dlprof_aggregation *out,
			    const struct progress *progress, struct error *error)
{
	const struct dlprof_aggregation *newest =
		dlprof->aggregation_count ? &dlprof->aggregations[dlprof->aggregation_count - 1]
					  : NULL;
	*out = (struct dlprof_aggregation){ .domain =
						    dlprof->op_count ? dlprof->ops[0].domain : 0 };
	if (range->stored) {
		take_stored(dlprof, range->stored, out, progress);
		return true;
	}
	uint32_t key = range->key ? dlprof_op_named(dlprof, strings, range->key) : NO_ROW;
	if (range->key && key == NO_ROW)
		return error_usage(error, "unknown op \"%s\" (dlprof-detailed lists the ops)",
				   range->key);
	if (newest) {
		out->domain = newest->domain;
		out->key = newest->key;
	}
	if (key != NO_ROW) {
		out->key = dlprof->ops[key].id;
		out->domain = dlprof->ops[key].domain;
		split(dlprof, key, out, progress);
	} else {
		copy_iterations(dlprof, newest, out, progress);
	}
	if (!progress_update(progress, stage, 0, 0, 0))
		return error_cancelled(error);
	return choose_range(range, out, error);
}

size_t dlprof_iteration_at(const struct dlprof_aggregation *aggregation, int64_t time)
{
	size_t count = aggregation->iteration_count;
	size_t low =
		search_between(ASCENDING(aggregation->iteration, start, count), time + 1, 0, count);
	if (!low)
		return SIZE_MAX;
	const struct dlprof_iteration *at = &aggregation->iteration[low - 1];
	return time <= at->stop && at->number >= aggregation->first &&
			       at->number <= aggregation->last
		       ? low - 1
		       : SIZE_MAX;
}

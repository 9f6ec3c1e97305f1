#include "tools/dlprof/dlprof_aggregate.h"

#include "base/compare.h"
#include "base/sort.h"

void dlprof_gather(const struct dlprof_work *work, uint32_t instance, struct intervals *host,
		   struct intervals *api, struct intervals *device)
{
	const struct dlprof_instance *at = &work->dlprof->instances[instance];
	if (host)
		intervals_add(host, at->start, at->stop);
	for (size_t i = work->first_call[instance]; i < work->first_call[instance + 1]; i++) {
		const struct dlprof_call *call = &work->dlprof->calls[work->call_order[i]];
		intervals_add(api, call->api_start, call->api_stop);
		if (call->kind <= DLPROF_MEMCPY)
			intervals_add(device, call->gpu_start, call->gpu_stop);
	}
}

/* ---- nodes of the paths ---- */

/* Op sums sorted by name: the ops below a node are contiguous. */
struct dlprof_groups_place {
	const char *name;
	const struct dlprof_op_sum *sum;
};

COMPARE_MEMBERS(dlprof_groups_compare_places, struct dlprof_groups_place, UP_TEXT(name))

struct dlprof_groups_moment {
	size_t iteration;
	uint32_t instance;
};

COMPARE_MEMBERS(compare_moments, struct dlprof_groups_moment, UP(iteration) UP(instance))

/* Instances of COUNT ops in the range, sorted by iteration. */
static struct dlprof_groups_moment *list_moments(const struct dlprof_work *work,
						 const struct dlprof_groups_place *places,
						 size_t count, size_t *found)
{
	struct dlprof_groups_moment *moments = NULL;
	*found = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t op = places[i].sum->op;
		for (size_t j = work->first_instance[op]; j < work->first_instance[op + 1]; j++) {
			uint32_t row = work->instance_order[j];
			if (work->iteration[row] == SIZE_MAX)
				continue;
			*mem_push(moments, *found) =
				(struct dlprof_groups_moment){ work->iteration[row], row };
		}
	}
	sort_items(moments, *found, compare_moments);
	return moments;
}

/* One value per iteration; overlaps count once. */
static bool sum_iteration(struct dlprof_work *work, const struct dlprof_groups_moment *moments,
			  size_t count, struct dlprof_times *times)
{
	struct intervals sets[3] = { 0 }, in_calls = { 0 };
	int64_t idle = 0;
	bool ok = true;
	for (size_t i = 0; ok && i < count; i++) {
		ok = dlprof_go_on(work);
		dlprof_gather(work, moments[i].instance, &sets[0], &sets[1], &sets[2]);
		idle += work->idle[moments[i].instance];
	}
	for (int i = 0; i < 3; i++)
		intervals_merge(&sets[i]);
	moments_add(&times->of[DLPROF_CPU], intervals_length(&sets[0]));
	moments_add(&times->of[DLPROF_GPU], intervals_length(&sets[2]));
	intervals_move(&sets[0], &sets[1], &in_calls);
	moments_add(&times->of[DLPROF_OVERHEAD], intervals_length(&sets[0]));
	moments_add(&times->of[DLPROF_IDLE], idle);
	intervals_free(&in_calls);
	for (int i = 0; i < 3; i++)
		intervals_free(&sets[i]);
	return ok;
}

static bool dlprof_groups_add_group(struct dlprof_work *work,
				    const struct dlprof_groups_place *places, size_t count,
				    size_t length, struct dlprof_aggregation *out)
{
	struct dlprof_group_sum group = { .path = work->dlprof->ops[places->sum->op].name,
					  .length = (uint32_t)length };
	for (size_t i = 0; i < count; i++) {
		group.calls += places[i].sum->calls;
		group.eligible_ops += places[i].sum->eligible;
		group.tc_ops += places[i].sum->uses_tc;
	}
	size_t found;
	AUTO_FREE struct dlprof_groups_moment *moments = list_moments(work, places, count, &found);
	bool ok = true;
	for (size_t i = 0, end; ok && i < found; i = end) {
		for (end = i + 1; end < found && moments[end].iteration == moments[i].iteration;)
			end++;
		ok = sum_iteration(work, moments + i, end - i, &group.times);
	}
	*mem_push(out->groups, out->group_count) = group;
	return ok;
}

/* Number of places from FIRST on that share a prefix of LENGTH bytes. */
static size_t run_length(const struct dlprof_groups_place *places, size_t count, size_t first,
			 size_t length)
{
	size_t end = first + 1;
	while (end < count && strncmp(places[end].name, places[first].name, length) == 0)
		end++;
	return end - first;
}

bool dlprof_sum_groups(struct dlprof_work *work, struct dlprof_aggregation *out)
{
	bool ok = true;
	AUTO_FREE struct dlprof_groups_place *places =
		mem_alloc((out->op_count + 1) * sizeof *places);
	size_t count = 0;
	for (size_t i = 0; i < out->op_count; i++) {
		const struct dlprof_op *op = &work->dlprof->ops[out->op_sums[i].op];
		if (!op->unassociated)
			places[count++] =
				(struct dlprof_groups_place){ intern_text(work->strings, op->name),
							      &out->op_sums[i] };
	}
	sort_items(places, count, dlprof_groups_compare_places);
	for (size_t i = 0; ok && i < count; i++) {
		const char *name = places[i].name;
		for (const char *slash = strchr(name, '/'); ok && slash;
		     slash = strchr(slash + 1, '/')) {
			size_t length = (size_t)(slash + 1 - name);
			if (i && strncmp(places[i - 1].name, name, length) == 0)
				continue;
			ok = dlprof_groups_add_group(work, places + i,
						     run_length(places, count, i, length), length,
						     out);
		}
	}
	return ok;
}

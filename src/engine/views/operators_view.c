/*
 * The operators view: by name, shapes or call stack; and labels.
 */
#include "analysis/call_times.h"
#include "analysis/memory.h"
#include "analysis/work/work.h"
#include "base/buffer.h"
#include "base/parallel.h"
#include "base/prefix_sum.h"
#include "model/python_stats.h"
#include "views/totals_rows.h"
#include "views/views.h"

static const char stage[] = "summing calls";

enum { CALL_WEIGHT = 2, ROW_WEIGHT = 32 }; /* weights for progress_heavy_row; stacks may be long */

/* In the order of the view's groupings. */
enum operators_view_grouping { BY_NAME, BY_SHAPE, BY_STACK, BY_LABEL };

/* Sums of the calls of a row beside CPU time. */
enum operators_view_measure { MEASURE_GPU, MEASURE_OVERHEAD, MEASURE_IDLE, MEASURES };

/* A row being accumulated. */
struct operators_view_group {
	uint32_t name, shapes, stack; /* stack: interned text or chain index */
	bool chain;
	bool eligible;
	int64_t calls, cpu_total, cpu_self, gpu_total, gpu_self, tensor_self, tensor_total;
	int64_t known_self, known_total; /* kernel time of known tensor core use */
	int64_t work_self, work_total;   /* kernel time */
	int64_t host_memory, host_self_memory, device_memory, device_self_memory;
	struct moments durations;
	struct moments spread[MEASURES];
	uint32_t kernels;
	struct work_sum work, own_work; /* of the calls with and without those inside */
	uint32_t counted_until; /* end of the last call whose work counts; calls in it are inside */
};

/*
 * Launches of a span itself: their device time, that of kernels, of those of known tensor core use,
 * and of those that use them.
 */
struct operators_view_launched {
	int64_t ns, kernel_ns, known_ns, tensor_ns;
	uint32_t count;
};

struct operators_view_build {
	const struct selection *selection;
	enum operators_view_grouping grouping;
	struct keyed keys;
	struct operators_view_group *groups; /* by key */
	uint32_t *by_name;                   /* group index + 1, for grouping by name */
	struct frames frames;
	uint32_t *chain_of; /* by span: chain index, for Python functions and modules */
	struct operators_view_launched
		*launched; /* by span of WORK with an entry: sums of those before */
	bool kernels,
		tensor_known; /* there are kernels; of some the use of tensor cores is known */
	struct memory_sums memory;
	const struct work_prefixes *work;
	struct call_times times;
};

/* ---- stacks from Python frames, for operators without a stack ---- */

static bool find_chains(struct operators_view_build *build, const struct progress *progress)
{
	const struct profile *profile = build->selection->profile;
	frames_init(&build->frames);
	build->chain_of = mem_alloc(((size_t)profile->spans + 1) * sizeof *build->chain_of);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		uint32_t parent = profile->span_parent[i];
		uint32_t above = parent == NO_ROW ? NO_ROW : build->chain_of[parent];
		uint8_t kind = profile->span_kind[i];
		build->chain_of[i] =
			kind == SPAN_PYTHON || kind == SPAN_MODULE
				? frames_add(&build->frames, profile->span_name[i], above)
				: above;
	}
	return ok;
}

/* Innermost first, joined as in Kineto. */
static struct value chain_text(struct table *table, const struct operators_view_build *build,
			       uint32_t chain)
{
	struct buffer text = { 0 };
	if (chain == NO_ROW)
		return value_missing();
	for (uint32_t at = chain; at != NO_ROW; at = build->frames.frames[at].caller) {
		if (text.length)
			buffer_putc(&text, ';');
		buffer_puts(&text, profile_string(build->selection->profile,
						  build->frames.frames[at].name));
	}
	return table_take_text(table, &text);
}

/* ---- sums ---- */

static void add_launched(struct operators_view_launched *sum,
			 const struct operators_view_launched *own)
{
	MEMBERS(sum, own, PLUS(ns) PLUS(kernel_ns) PLUS(known_ns) PLUS(tensor_ns) PLUS(count));
}

/* Spans that launch work have an entry in WORK. */
static bool sum_kernels(struct operators_view_build *build, const struct progress *progress)
{
	const struct selection *selection = build->selection;
	const struct profile *profile = selection->profile;
	const struct derived *derived = selection->derived;
	const struct marks *spans = &build->work->spans;
	uint32_t count = marks_before(spans, profile->spans);
	build->launched = mem_zalloc((size_t)count + 1, sizeof *build->launched);
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t owner = derived->activity_operator[i];
		uint8_t use = derived->activity_tensor[i];
		build->kernels |= profile->activity_kind[i] == ACTIVITY_KERNEL;
		build->tensor_known |= use != TENSOR_UNKNOWN;
		if (owner == NO_ROW || !profile_is_work(profile, i) ||
		    !selection_has_activity(selection, i))
			continue;
		struct operators_view_launched *launched =
			&build->launched[marks_before(spans, owner)];
		int64_t ns = profile->activity_dur[i];
		launched->ns += ns;
		launched->count++;
		if (profile->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		launched->kernel_ns += ns;
		launched->known_ns += use != TENSOR_UNKNOWN ? ns : 0;
		launched->tensor_ns += use == TENSOR_YES ? ns : 0;
	}
	exclusive_prefix_sum(build->launched, count, add_launched);
	return ok;
}

/* By SIZE spans from FIRST on. */
static struct operators_view_launched launched_by(const struct operators_view_build *build,
						  uint32_t first, uint32_t size)
{
	const struct marks *spans = &build->work->spans;
	const struct operators_view_launched *from = &build->launched[marks_before(spans, first)];
	const struct operators_view_launched *to =
		&build->launched[marks_before(spans, first + size)];
	return (struct operators_view_launched){ to->ns - from->ns, to->kernel_ns - from->kernel_ns,
						 to->known_ns - from->known_ns,
						 to->tensor_ns - from->tensor_ns,
						 to->count - from->count };
}

static struct operators_view_group *operators_view_find_group(struct operators_view_build *build,
							      uint32_t span)
{
	const struct profile *profile = build->selection->profile;
	const struct op_info *info = profile_op_info(profile, span);
	uint32_t known = build->keys.count;
	struct operators_view_group key = { .name = profile->span_name[span],
					    .shapes = NO_ROW,
					    .stack = NO_ROW };
	if (build->by_name && build->by_name[key.name])
		return &build->groups[build->by_name[key.name] - 1];
	if (build->grouping == BY_SHAPE)
		key.shapes = info ? info->shapes : 0;
	if (build->grouping == BY_STACK) {
		key.chain = !info || !info->stack;
		key.stack = key.chain ? build->chain_of[span] : info->stack;
	}
	const uint32_t bytes[] = { key.name, key.shapes, key.stack, key.chain };
	struct operators_view_group *group = keyed_item(&build->keys, build->groups, &bytes);
	if (build->keys.count > known)
		*group = key;
	if (build->by_name)
		build->by_name[key.name] = (uint32_t)(group - build->groups) + 1;
	return group;
}

/* A folded call's self time counts for the call it is folded into, which has the same name. */
static uint32_t unfolded(const struct derived *derived, uint32_t span)
{
	while (derived->span_flags[span] & SPAN_FOLDED)
		span = derived->span_owner[span];
	return span;
}

static void add_self(struct operators_view_group *group, const struct operators_view_build *build,
		     uint32_t span)
{
	struct operators_view_launched own = launched_by(build, span, 1);
	group->gpu_self += own.ns;
	group->work_self += own.kernel_ns;
	group->known_self += own.known_ns;
	group->tensor_self += own.tensor_ns;
	work_sum_spans(&group->own_work, build->work, span, 1);
}

static void operators_view_add_total(struct operators_view_group *group,
				     const struct operators_view_launched *all)
{
	group->work_total += all->kernel_ns;
	group->known_total += all->known_ns;
	group->tensor_total += all->tensor_ns;
}

/* Work in scope of a call that is not, such as one that began in the step before. */
static void add_work_only(struct operators_view_build *build, uint32_t span)
{
	struct operators_view_launched own = launched_by(build, span, 1);
	if (!own.count)
		return;
	struct operators_view_group *group =
		operators_view_find_group(build, unfolded(build->selection->derived, span));
	add_self(group, build, span);
	operators_view_add_total(group, &own);
	group->gpu_total += own.ns;
	group->kernels += own.count;
}

static void operators_view_add_call(struct operators_view_build *build, uint32_t span)
{
	const struct selection *selection = build->selection;
	const struct profile *profile = selection->profile;
	const struct derived *derived = selection->derived;
	uint32_t size = profile->span_size[span], first = unfolded(derived, span);
	struct operators_view_group *group = operators_view_find_group(build, first);
	group->cpu_self += build->grouping == BY_LABEL ? call_self(&build->times, span)
						       : derived_self(derived, span);
	struct memory_net memory = memory_between(&build->memory, span, 1);
	add_self(group, build, span);
	group->host_self_memory += memory.host;
	group->device_self_memory += memory.device;
	if (first != span)
		return;
	group->calls++;
	group->eligible |= (derived->span_flags[span] & SPAN_ELIGIBLE) != 0;
	group->cpu_total += profile->span_dur[span];
	moments_add(&group->durations, profile->span_dur[span]);
	group->gpu_total += selection_gpu_total(selection, span);
	moments_add(&group->spread[MEASURE_GPU], selection_gpu_total(selection, span));
	moments_add(&group->spread[MEASURE_OVERHEAD], call_overhead(&build->times, span));
	moments_add(&group->spread[MEASURE_IDLE], call_idle(&build->times, span));
	struct operators_view_launched all = launched_by(build, span, size);
	operators_view_add_total(group, &all);
	memory = memory_between(&build->memory, span, size);
	group->host_memory += memory.host;
	group->device_memory += memory.device;
	group->kernels += selection_gpu_count(selection, span);
	if (span < group->counted_until)
		return; /* a call in one of the same row: autocast calls an operator again */
	group->counted_until = span + size;
	work_sum_spans(&group->work, build->work, span, size);
}

/* ---- the table ---- */

static void set_spreads(struct table *table, size_t row, const struct operators_view_group *group)
{
	static const char *const overhead[] = { "overhead_avg_ns", "overhead_min_ns",
						"overhead_max_ns" };
	static const char *const idle[] = { "idle_avg_ns", "idle_min_ns", "idle_max_ns" };
	const struct moments *spread = group->spread;
	spread_set_gpu(&spread[MEASURE_GPU], table, row);
	if (!group->calls)
		return;
	table_set(table, row, "overhead_total_ns", value_int(spread[MEASURE_OVERHEAD].sum));
	spread_set(&spread[MEASURE_OVERHEAD], table, row, overhead);
	table_set(table, row, "idle_total_ns", value_int(spread[MEASURE_IDLE].sum));
	spread_set(&spread[MEASURE_IDLE], table, row, idle);
}

static void set_times(struct table *table, size_t row, const struct operators_view_group *group)
{
	const struct profile *profile = table->selection.profile;
	table_set(table, row, "calls", value_int(group->calls));
	table_set(table, row, "cpu_total_ns", value_int(group->cpu_total));
	table_set(table, row, "cpu_self_ns", value_int(group->cpu_self));
	if (!profile_times_modeled(profile))
		call_durations_set(&group->durations, table, row);
	table_set(table, row, "gpu_total_ns", value_int(group->gpu_total));
	table_set(table, row, "tc_total_pct",
		  cell_known_share(group->tensor_total, group->known_total, group->work_total));
	table_set(table, row, "tc_known_pct", cell_share(group->known_total, group->work_total));
	table_set(table, row, "kernels", value_int(group->kernels));
	struct work work = work_sum_value(&group->work);
	table_set(table, row, "flops", cell_work(work.flops));
	table_set(table, row, "bytes", cell_work(work.bytes));
	table_set(table, row, "bytes_from", cell_bytes_from(&group->work));
}

static void set_memory(struct table *table, size_t row, const struct operators_view_group *group)
{
	table_set(table, row, "cpu_mem_bytes", value_int(group->host_memory));
	table_set(table, row, "cpu_self_mem_bytes", value_int(group->host_self_memory));
	table_set(table, row, "gpu_mem_bytes", value_int(group->device_memory));
	table_set(table, row, "gpu_self_mem_bytes", value_int(group->device_self_memory));
}

/* Unknown on a device of whose kernels none is known to use tensor cores or not: it may lack them.
 */
static void set_eligible(struct table *table, size_t row, const struct operators_view_build *build,
			 const struct operators_view_group *group)
{
	const char *name = profile_string(build->selection->profile, group->name);
	if ((build->tensor_known || !build->kernels) &&
	    (group->eligible || tensor_judges_operator(name)))
		table_set(table, row, "tc_eligible", value_int(group->eligible));
}

static void operators_view_add_group(struct table *table, const struct operators_view_build *build,
				     const struct operators_view_group *group)
{
	const struct profile *profile = build->selection->profile;
	struct ref ref = { REF_OPERATOR, group->name, group->shapes,
			   group->chain ? NO_ROW : group->stack };
	if (build->grouping == BY_LABEL)
		ref = (struct ref){ REF_EVENTS, group->name, 0, 0 };
	size_t row = table_add_row(table, ref);
	table_set(table, row, "name", cell_text(profile, group->name));
	if (build->grouping == BY_SHAPE)
		table_set(table, row, "input_shapes",
			  group->shapes ? cell_text(profile, group->shapes) : value_text("[]"));
	if (build->grouping == BY_STACK)
		table_set(table, row, "stack",
			  group->chain ? chain_text(table, build, group->stack)
				       : cell_text(profile, group->stack));
	set_times(table, row, group);
	set_eligible(table, row, build, group);
	set_spreads(table, row, group);
	if (build->grouping != BY_LABEL) { /* labels do not launch work themselves */
		struct work own = work_sum_value(&group->own_work);
		table_set(table, row, "self_flops", cell_work(own.flops));
		table_set(table, row, "self_bytes", cell_work(own.bytes));
		table_set(table, row, "gpu_self_ns", value_int(group->gpu_self));
		table_set(
			table, row, "tc_self_pct",
			cell_known_share(group->tensor_self, group->known_self, group->work_self));
	}
	if (build->memory.before)
		set_memory(table, row, group);
}

/* Compute the inputs of the sums. */
static bool gather(void *context, size_t i, const struct progress *progress)
{
	struct operators_view_build *build = context;
	if (i == 1)
		return call_times_make(&build->times, build->selection, progress);
	if (i == 2)
		return memory_sum(&build->memory, build->selection->derived, progress);
	build->work = derived_work_prefixes(build->selection->derived, progress);
	return build->work && sum_kernels(build, progress);
}

STATIC_FREE_MEMBERS(clear, struct operators_view_build,
		    OWN_IN(keyed_clear, keys) OWN(by_name) OWN(groups) OWN_IN(frames_clear, frames)
			    OWN(chain_of) OWN(launched) OWN_IN(memory_sums_free, memory)
				    OWN_IN(call_times_free, times))

/* Labels: record_function() and ranges, but not the marks of steps. */
static bool is_row(const struct operators_view_build *build, uint32_t span)
{
	const struct profile *profile = build->selection->profile;
	const struct derived *derived = build->selection->derived;
	if (build->grouping != BY_LABEL)
		return derived->span_flags[span] & SPAN_IS_OPERATOR;
	bool mark = profile->span_kind[span] == SPAN_OPERATOR && /* as older versions record them */
		    (derived->span_flags[span] & (SPAN_IN_TREE | SPAN_IS_OPERATOR)) == SPAN_IN_TREE;
	return (mark || profile_is_range(profile, span)) &&
	       !(derived->role[profile->span_name[span]] & NAME_STEP);
}

static void note_none(struct table *table, const struct operators_view_build *build)
{
	if (build->grouping == BY_LABEL)
		table_note(table,
			   "No labels here; wrap code in record_function() or an NVTX range.");
	else
		table_note(table, "No operators here.");
}

bool build_operators(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct python_stats *printed = selection->profile->python;
	enum operators_view_grouping grouping =
		(enum operators_view_grouping)view_grouping(table->view, query->group);
	if (printed && printed->operator_count)
		return add_operator_totals(table, query, grouping == BY_SHAPE);
	if (selection->profile->totals)
		return totals_add_operators(table, query, grouping == BY_SHAPE);
	struct operators_view_build build = {
		.selection = selection,
		.grouping = grouping,
	};
	if (!parallel_try_rows(profile_rows(selection->profile), 3, gather, &build, stage,
			       query->progress, query->error)) {
		clear(&build);
		return false;
	}
	if (build.grouping == BY_NAME || build.grouping == BY_LABEL)
		build.by_name =
			mem_zalloc(intern_count(selection->profile->strings), sizeof(uint32_t));
	if (build.grouping == BY_LABEL) {
		table->default_columns =
			"name,calls,gpu_total_ns,cpu_self_ns,cpu_total_ns,avg_ns,idle_total_ns,kernels";
		table->default_sort = "gpu_total_ns:desc,cpu_total_ns:desc";
	}
	bool ok = build.grouping != BY_STACK || find_chains(&build, query->progress);
	for_heavy_rows (ok, i, selection->profile->spans, query->progress, stage, CALL_WEIGHT)
		if (is_row(&build, i)) {
			if (selection_has_span(selection, i))
				operators_view_add_call(&build, i);
			else
				add_work_only(&build, i);
		}
	for_heavy_rows (ok, i, build.keys.count, query->progress, stage, ROW_WEIGHT)
		operators_view_add_group(table, &build, &build.groups[i]);
	if (!build.keys.count)
		note_none(table, &build);
	clear(&build);
	return ok;
}

/*
 * The layer tree with sums, in preorder.
 */
#include "analysis/energy.h"
#include "analysis/work/work.h"
#include "table/repeats.h"
#include "views/totals_rows.h"
#include "views/views.h"

enum { NODES_A_LOOK = 1 << 10 }; /* nodes between two polls for cancellation */

/* Sums of one node: first its own, later those of its subtree. */
struct layers_view_sums {
	int64_t calls, cpu_total, cpu_self, gpu_total, gpu_self, kernels;
	int64_t kernel_ns, known_ns, tensor_ns; /* kernels; of known tensor core use; using them */
	struct work_sum work;
	struct energy_sum energy;
	struct moments durations; /* of its own calls */
	struct moments gpu;       /* GPU time of each */
	uint8_t pass;
	bool seen; /* the subtree has something in scope */
};

/* By pass and node; both passes share an array unless shown separately. */
struct layers_view_parts {
	struct layers_view_sums *forward, *backward;
};

/* Sums a host span belongs to, or NULL. */
static struct layers_view_sums *part_of(const struct layers_view_parts *parts,
					const struct derived *derived, uint32_t span)
{
	bool backward = span != NO_ROW && derived->span_flags[span] & SPAN_BACKWARD;
	return backward ? parts->backward : parts->forward;
}

static struct layers_view_sums *part_of_activity(const struct layers_view_parts *parts,
						 const struct derived *derived, uint32_t activity)
{
	return derived_is_backward(derived, activity) ? parts->backward : parts->forward;
}

/* How far a span is covered, for derived_time_covered. */
struct covered {
	int64_t calls; /* by what has a node */
	int64_t any;   /* by these and runtime calls: not its own time */
};

/*
 * The time of a call that the enclosing call's total must not contain, because the call's node adds
 * it: the node of a backward call is its forward call's, which may be in another subtree.
 */
static int64_t counted_elsewhere(const struct derived *derived, uint32_t span, uint32_t above,
				 struct covered *covered)
{
	const struct layer_tree *layers = &derived->layers;
	int64_t left = derived_time_covered(derived, span, above, &covered[above].calls);
	bool below = layers->nodes[layers->span_node[span]].parent == layers->span_node[above];
	return below ? derived_time_inside(derived, span, above) : left;
}

/* GPU: by call; ABOVE: the call around the span. */
static void layers_view_add_span(const struct layers_view_parts *parts,
				 const struct selection *selection, uint32_t span, uint32_t above,
				 struct covered *covered, const int64_t *gpu)
{
	const struct derived *derived = selection->derived;
	const struct layer_tree *layers = &derived->layers;
	int64_t start = selection->profile->span_start[span];
	int64_t dur = selection->profile->span_dur[span];
	bool counts = derived->span_flags[span] & SPAN_IS_CALL;
	covered[span] = (struct covered){ start, start };
	if (above != NO_ROW && selection_has_span(selection, above) &&
	    (counts || selection->profile->span_kind[span] == SPAN_RUNTIME)) {
		struct layers_view_sums *outer =
			&part_of(parts, derived, above)[layers->span_node[above]];
		outer->cpu_self -= derived_time_covered(derived, span, above, &covered[above].any);
		if (counts)
			outer->cpu_total -= counted_elsewhere(derived, span, above, covered);
	}
	if (counts) {
		struct layers_view_sums *own =
			&part_of(parts, derived, span)[layers->span_node[span]];
		own->calls++;
		own->seen = true;
		own->cpu_self += dur;
		own->cpu_total += dur;
		moments_add(&own->durations, dur);
		moments_add(&own->gpu, gpu[span]);
	}
}

static void add_activity(const struct layers_view_parts *parts, const struct selection *selection,
			 uint32_t activity)
{
	const struct layer_tree *layers = &selection->derived->layers;
	const struct profile *profile = selection->profile;
	uint32_t node = layers->activity_node[activity];
	int64_t dur = profile->activity_dur[activity];
	uint32_t parent = layers->nodes[node].parent;
	if (!profile_is_work(profile, activity))
		return;
	struct layers_view_sums *sums = part_of_activity(parts, selection->derived, activity);
	struct layers_view_sums *own = &sums[node];
	own->seen = true;
	own->calls++;
	moments_add(&own->durations, dur);
	moments_add(&own->gpu, dur);
	own->gpu_self += dur;
	own->gpu_total += dur;
	if (parent != NO_ROW)
		sums[parent].gpu_self += dur;
	if (profile->activity_kind[activity] != ACTIVITY_KERNEL)
		return;
	uint8_t use = selection->derived->activity_tensor[activity];
	own->kernels++;
	own->kernel_ns += dur;
	own->known_ns += use == TENSOR_UNKNOWN ? 0 : dur;
	own->tensor_ns += use == TENSOR_YES ? dur : 0;
}

static const char stage[] = "summing layers";

static bool layers_view_add_rows(const struct layers_view_parts *parts,
				 const struct selection *selection, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	bool apart = parts->forward != parts->backward;
	AUTO_FREE uint32_t *above = layers_calls_above(selection->derived);
	AUTO_FREE int64_t *gpu = layer_call_gpu(selection, above, apart, progress);
	AUTO_FREE struct covered *covered =
		mem_alloc(((size_t)profile->spans + 1) * sizeof *covered);
	bool ok = gpu;
	for_rows (ok, i, profile->spans, progress, stage)
		if (selection_has_span(selection, i))
			layers_view_add_span(parts, selection, i, above[i], covered, gpu);
	for_rows (ok, i, profile->activities, progress, stage)
		if (selection_has_activity(selection, i))
			add_activity(parts, selection, i);
	return ok;
}

/* Work counts by kernel at its leaf; without kernels, by call. */
static bool layers_view_add_work(const struct layers_view_parts *parts,
				 const struct selection *selection, const struct work_counts *work,
				 const struct progress *progress)
{
	const struct layer_tree *layers = &selection->derived->layers;
	const struct profile *profile = selection->profile;
	bool on_device = false, ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		on_device |= profile->activity_kind[i] == ACTIVITY_KERNEL;
		if (selection_has_activity(selection, i))
			work_sum_activity(&part_of_activity(parts, selection->derived,
							    i)[layers->activity_node[i]]
						   .work,
					  work, profile, i);
	}
	for_rows (ok, i, on_device ? 0 : work->count, progress, stage) {
		const struct counted_call *call = &work->calls[i];
		if (call->counts && !call->sharers && selection_has_span(selection, call->span))
			work_sum_call(&part_of(parts, selection->derived,
					       call->span)[layers->span_node[call->span]]
					       .work,
				      call->own);
	}
	return ok;
}

struct energy_target {
	const struct layers_view_parts *parts;
	const struct selection *selection;
};

static void take_energy(void *context, uint32_t activity, const struct energy_sum *sum)
{
	const struct energy_target *target = context;
	const struct derived *derived = target->selection->derived;
	if (!selection_has_activity(target->selection, activity))
		return;
	struct energy_sum *own =
		&part_of_activity(target->parts, derived,
				  activity)[derived->layers.activity_node[activity]]
			 .energy;
	energy_sum_add(own, sum);
}

static bool layers_view_add_energy(const struct layers_view_parts *parts,
				   const struct selection *selection,
				   const struct progress *progress)
{
	struct energy_target target = { parts, selection };
	struct energy *energy = energy_new(selection->profile);
	bool ok = !energy ||
		  energy_divide(energy, selection->profile, take_energy, &target, progress);
	energy_free(energy);
	return ok;
}

static void layers_view_add_total(struct layers_view_sums *to, const struct layers_view_sums *from)
{
	MEMBERS(to, from,
		PLUS(cpu_total) PLUS(gpu_total) PLUS(kernels) PLUS(kernel_ns) PLUS(known_ns)
			PLUS(tensor_ns));
	work_sum_add(&to->work, &from->work);
	energy_sum_add(&to->energy, &from->energy);
	to->seen |= from->seen;
	to->pass |= from->pass;
}

/* Children follow their parents: walking backwards accumulates totals. ONLY: passes to sum. */
static void layers_view_add_up(struct layers_view_sums *sums, const struct layer_tree *layers,
			       uint8_t only)
{
	for (uint32_t i = layers->count; i-- > 0;) {
		uint32_t parent = layers->nodes[i].parent;
		if (sums[i].seen)
			sums[i].pass |= layers->nodes[i].pass & only;
		if (parent != NO_ROW)
			layers_view_add_total(&sums[parent], &sums[i]);
	}
}

/* Scopes of device work are no calls of the host. */
static bool is_called(const struct layer_tree *layers, const struct layers_view_sums *sums)
{
	return (layers->source != LAYERS_SCOPES && layers->source != LAYERS_GENERATED) ||
	       sums->calls > 0;
}

static void set_sums(struct table *table, size_t row, uint32_t depth,
		     const struct layers_view_sums *sums, bool on_device, bool is_called)
{
	table_set_depth(table, row, depth);
	table_set(table, row, "depth", value_int(depth));
	if (sums->pass)
		table_set(table, row, "pass", value_text(layer_pass_name(sums->pass)));
	if (is_called)
		table_set(table, row, "calls", value_int(sums->calls));
	table_set(table, row, "gpu_total_ns", value_int(sums->gpu_total));
	table_set(table, row, "gpu_self_ns", value_int(sums->gpu_self));
	if (!on_device && is_called && sums->cpu_total) { /* else no call is recorded */
		table_set(table, row, "cpu_total_ns", value_int(sums->cpu_total));
		table_set(table, row, "cpu_self_ns", value_int(sums->cpu_self));
	}
	if (on_device || !profile_times_modeled(table->selection.profile))
		call_durations_set(&sums->durations, table, row);
	spread_set_gpu(&sums->gpu, table, row);
	table_set(table, row, "kernels", value_int(sums->kernels));
	table_set(table, row, "tc_pct",
		  cell_known_share(sums->tensor_ns, sums->known_ns, sums->kernel_ns));
	table_set(table, row, "tc_known_pct", cell_share(sums->known_ns, sums->kernel_ns));
	struct work work = work_sum_value(&sums->work);
	table_set(table, row, "flops", cell_work(work.flops));
	table_set(table, row, "bytes", cell_work(work.bytes));
	table_set(table, row, "bytes_from", cell_bytes_from(&sums->work));
	set_energy(table, row, &sums->energy);
}

static void layers_view_add_row(struct table *table, const struct selection *selection,
				uint32_t index, const struct layers_view_sums *sums,
				uint32_t deeper)
{
	const struct layer_node *node = &selection->derived->layers.nodes[index];
	size_t row = table_add_row(table, (struct ref){ REF_LAYER, index, 0, 0 });
	table_set(table, row, "path", cell_layer_path(table, selection->derived, index));
	table_set(table, row, "name", cell_text(selection->profile, node->name));
	table_set(table, row, "kind", value_text(layer_kind_name((enum layer_kind)node->kind)));
	table_set(table, row, "leaf", value_int(layer_is_leaf(node)));
	set_sums(table, row, node->depth + deeper, sums, layer_kind_is_device(node->kind),
		 is_called(&selection->derived->layers, sums));
}

/* Adds nodes from FIRST on, indented by DEEPER levels. */
static bool add_nodes(struct table *table, const struct view_query *query,
		      const struct layers_view_sums *sums, uint32_t first, uint32_t deeper)
{
	const struct layer_tree *layers = &query->selection->derived->layers;
	for (uint32_t i = first; i < layers->count; i++) {
		if (i % NODES_A_LOOK == 0 &&
		    !progress_update(query->progress, stage, i, layers->count, 0))
			return false;
		if (sums[i].seen)
			layers_view_add_row(table, query->selection, i, &sums[i], deeper);
	}
	return true;
}

/* Forward and backward time as two trees below the run. */
static bool add_passes(struct table *table, const struct view_query *query,
		       const struct layers_view_parts *parts)
{
	const struct selection *selection = query->selection;
	struct layers_view_sums whole = { .calls = 1 };
	bool ok = true;
	layers_view_add_up(parts->forward, &selection->derived->layers, PASS_FORWARD);
	layers_view_add_up(parts->backward, &selection->derived->layers, PASS_BACKWARD);
	layers_view_add_total(&whole, parts->forward);
	layers_view_add_total(&whole, parts->backward);
	layers_view_add_row(table, selection, 0, &whole, 0);
	for (int backward = 0; backward < 2 && ok; backward++) {
		const struct layers_view_sums *sums = backward ? parts->backward : parts->forward;
		if (!sums->seen)
			continue;
		size_t row = table_add_row(table, NO_REF);
		table_set(table, row, "name", value_text(backward ? "backward" : "forward"));
		table_set(table, row, "kind", value_text("pass"));
		table_set(table, row, "leaf", value_int(false));
		set_sums(table, row, 1, sums, false, true);
		ok = add_nodes(table, query, sums, 1, 1);
	}
	return ok;
}

#define FOLDED_COLUMNS                                                                             \
	"name,kind,pass,calls,gpu_total_ns,repeat_mean_ns,repeat_spread_pct,outlier,gpu_self_ns,"  \
	"cpu_total_ns,cpu_self_ns,kernels,tc_pct"

struct folded {
	const struct layer_tree *layers;
	const struct layers_view_sums *sums; /* by node */
};

static void add_repeats(void *context, struct table *table, const struct repeat *repeat)
{
	const struct folded *folded = context;
	struct layers_view_sums all = { 0 };
	for (size_t i = 0; i < repeat->count; i++) {
		const struct layers_view_sums *one =
			&folded->sums[table_ref(table, repeat->members[i]).a];
		layers_view_add_total(&all, one);
		all.calls += one->calls;
		moments_merge(&all.durations, &one->durations);
		moments_merge(&all.gpu, &one->gpu);
		all.cpu_self += one->cpu_self;
		all.gpu_self += one->gpu_self;
	}
	table_set(table, repeat->row, "leaf", value_int(false));
	set_sums(table, repeat->row, table_depth(table, repeat->row), &all, false,
		 is_called(folded->layers, &all));
}

/* Fold layers of one class; the columns that describe them are shown if there are any. */
static bool fold_repeats(struct table *table, const struct layer_tree *layers,
			 const struct layers_view_sums *sums, const struct progress *progress)
{
	struct folded folded = { layers, sums };
	const struct repeat_rules rules = { .measures = { "gpu_total_ns", "cpu_total_ns" },
					    .fill = add_repeats,
					    .context = &folded };
	size_t rows = table->rows;
	if (!table_fold_repeats(table, &rules, progress))
		return false;
	if (table->rows > rows)
		table->default_columns = FOLDED_COLUMNS;
	return true;
}

bool build_layers(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	if (selection->profile->totals)
		return totals_add_layers(table, query);
	static const char *const notes[] = { LAYERS_NOTE_ROWS };
	const struct layer_tree *layers = &selection->derived->layers;
	const struct work_counts *work = derived_work(selection->derived, query->progress);
	if (!work)
		return false;
	bool apart = query->group && !strcmp(query->group, "passes");
	struct layers_view_sums *sums =
		mem_zalloc((size_t)layers->count * (apart ? 2 : 1), sizeof *sums);
	struct layers_view_parts parts = { sums, apart ? sums + layers->count : sums };
	bool ok = layers_view_add_rows(&parts, selection, query->progress) &&
		  layers_view_add_work(&parts, selection, work, query->progress) &&
		  layers_view_add_energy(&parts, selection, query->progress);
	table->is_tree = true;
	if (ok && apart) {
		ok = add_passes(table, query, &parts);
	} else if (ok) {
		layers_view_add_up(sums, layers, PASS_FORWARD | PASS_BACKWARD);
		sums[0].calls = 1;
		ok = add_nodes(table, query, sums, 0, 0);
		if (ok && query->group && !strcmp(query->group, "classes"))
			ok = fold_repeats(table, layers, sums, query->progress);
	}
	if (notes[layers->source] && table->rows)
		table_note(table, "%s %s", notes[layers->source],
			   profile_recording(selection->profile)->modules);
	mem_free(sums);
	return ok;
}

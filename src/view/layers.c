/*
 * The layer tree with its sums, in preorder.
 */
#include "analysis/shared.h"
#include "analysis/work.h"
#include "base/buffer.h"
#include "model/recording.h"
#include "view/views.h"

#include <math.h>

enum { NODES_A_LOOK = 1 << 10 };	/* between two looks whether to stop: each has many cells */

/* Sums of one node: first its own, then (totals) those of its subtree. */
struct sums {
	int64_t calls, cpu_total, cpu_self, gpu_total, gpu_self, kernels;
	int64_t kernel_ns;	/* of kernels whose names tell about tensor cores */
	int64_t tensor_ns;
	double flops, bytes;
	bool counted;		/* some of its work is known */
	uint8_t pass;
	bool seen;		/* something in scope belongs to the subtree */
};

static void add_span(struct sums *sums, const struct selection *selection, uint32_t span)
{
	const struct layer_tree *layers = &selection->facts->layers;
	const struct profile *profile = selection->profile;
	uint32_t above = layers->span_above[span];
	struct sums *outer = NULL;
	int64_t dur = profile->span_dur[span], inside = 0;
	bool in_call = selection->facts->span_flags[span] & SPAN_INSIDE_CALL;
	if (above != NO_ROW && selection_has_span(selection, above)) {
		outer = &sums[layers->span_node[above]];
		inside = facts_time_inside(selection->facts, span, above);
	}
	if (layers->span_counts[span]) {
		struct sums *own = &sums[layers->span_node[span]];
		own->calls++;
		own->seen = true;
		own->cpu_self += dur;
		own->cpu_total += dur;
		if (outer)
			outer->cpu_total -= inside;
		if (outer && !in_call)
			outer->cpu_self -= inside;
	} else if (profile->span_kind[span] == SPAN_RUNTIME && outer && !in_call) {
		outer->cpu_self -= inside;
	}
}

static void add_activity(struct sums *sums, const struct selection *selection, uint32_t activity)
{
	const struct layer_tree *layers = &selection->facts->layers;
	const struct profile *profile = selection->profile;
	uint32_t node = layers->activity_node[activity];
	int64_t dur = profile->activity_dur[activity];
	uint32_t parent = layers->nodes[node].parent;
	if (profile->activity_kind[activity] == ACTIVITY_SYNC)
		return;
	struct sums *own = &sums[node];
	own->seen = true;
	own->calls++;
	own->gpu_self += dur;
	own->gpu_total += dur;
	if (parent != NO_ROW)
		sums[parent].gpu_self += dur;
	if (profile->activity_bytes[activity] != NO_VALUE && profile->activity_bytes[activity] > 0)
		own->bytes += (double)profile->activity_bytes[activity];
	if (profile->activity_kind[activity] != ACTIVITY_KERNEL)
		return;
	uint8_t use = selection->facts->kernel_tensor[profile->activity_name[activity]];
	own->kernels++;
	own->kernel_ns += use == TENSOR_UNKNOWN ? 0 : dur;
	own->tensor_ns += use == TENSOR_YES ? dur : 0;
}

static void add_amount(struct sums *sums, struct work work)
{
	if (isnan(work.flops))
		return;
	sums->counted = true;
	sums->flops += work.flops;
	sums->bytes += isnan(work.bytes) ? 0 : work.bytes;
}

static const char stage[] = "adding up layers";

static bool add_rows(struct sums *sums, const struct selection *selection,
		     const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		if (selection_has_span(selection, i))
			add_span(sums, selection, i);
	}
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (selection_has_activity(selection, i))
			add_activity(sums, selection, i);
	}
	return true;
}

/* Where kernels ran their shares count, at their leaves; on the host alone the calls. */
static bool add_work(struct sums *sums, const struct selection *selection,
		     const struct work_counts *work, const struct progress *progress)
{
	const struct layer_tree *layers = &selection->facts->layers;
	const struct profile *profile = selection->profile;
	bool on_device = false;
	for (uint32_t i = 0; i < profile->activities; i++) {
		on_device |= profile->activity_kind[i] == ACTIVITY_KERNEL;
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (selection_has_activity(selection, i))
			add_amount(&sums[layers->activity_node[i]],
				   work_of_activity(work, profile, i));
	}
	for (uint32_t i = 0; !on_device && i < work->count; i++) {
		const struct counted_call *call = &work->calls[i];
		if (!progress_row(progress, stage, i, work->count))
			return false;
		if (call->counts && selection_has_span(selection, call->span))
			add_amount(&sums[layers->span_node[call->span]], call->work);
	}
	return true;
}

/* Children come after their parents: walking back hands the totals up. */
static void add_up(struct sums *sums, const struct layer_tree *layers)
{
	for (uint32_t i = layers->count; i-- > 0;) {
		uint32_t parent = layers->nodes[i].parent;
		if (sums[i].seen)
			sums[i].pass |= layers->nodes[i].pass;
		if (parent == NO_ROW)
			continue;
		sums[parent].cpu_total += sums[i].cpu_total;
		sums[parent].gpu_total += sums[i].gpu_total;
		sums[parent].kernels += sums[i].kernels;
		sums[parent].kernel_ns += sums[i].kernel_ns;
		sums[parent].tensor_ns += sums[i].tensor_ns;
		sums[parent].flops += sums[i].flops;
		sums[parent].bytes += sums[i].bytes;
		sums[parent].counted |= sums[i].counted;
		sums[parent].seen |= sums[i].seen;
		sums[parent].pass |= sums[i].pass;
	}
}

static bool is_device_node(const struct layer_node *node)
{
	return node->kind == LAYER_KERNEL || node->kind == LAYER_MEMCPY ||
	       node->kind == LAYER_MEMSET || node->kind == LAYER_UNLINKED;
}

static void add_row(struct table *table, const struct selection *selection, uint32_t index,
		    const struct sums *sums)
{
	const struct layer_node *node = &selection->facts->layers.nodes[index];
	size_t row = table_add_row(table, (struct ref){ REF_LAYER, index, 0, 0 });
	struct buffer path = { 0 };
	layer_path(selection->facts, index, &path);
	table_set_depth(table, row, node->depth);
	table_set(table, row, "depth", value_int(node->depth));
	table_set(table, row, "path", table_copy_text(table, buffer_text(&path), path.length));
	buffer_free(&path);
	table_set(table, row, "name", cell_text(selection->profile, node->name));
	table_set(table, row, "kind", value_text(layer_kind_name((enum layer_kind)node->kind)));
	if (sums->pass)
		table_set(table, row, "pass", value_text(layer_pass_name(sums->pass)));
	table_set(table, row, "calls", value_int(sums->calls));
	table_set(table, row, "gpu_total_ns", value_int(sums->gpu_total));
	table_set(table, row, "gpu_self_ns", value_int(sums->gpu_self));
	if (!is_device_node(node)) {
		table_set(table, row, "cpu_total_ns", value_int(sums->cpu_total));
		table_set(table, row, "cpu_self_ns", value_int(sums->cpu_self));
	}
	table_set(table, row, "kernels", value_int(sums->kernels));
	table_set(table, row, "tc_pct", cell_share(sums->tensor_ns, sums->kernel_ns));
	if (sums->counted)
		table_set(table, row, "flops", cell_work(sums->flops));
	if ((sums->counted && !(sums->flops > 0)) || sums->bytes > 0)
		table_set(table, row, "bytes", cell_work(sums->bytes));
}

static bool build_layers(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	static const char *const notes[] = {
		[LAYERS_MODULES] = NULL,
		[LAYERS_ANNOTATIONS] = "There are no nn.Module events: layers are the annotations.",
		[LAYERS_PYTHON] = "There are no nn.Module events: layers are Python functions.",
		[LAYERS_OPERATORS] = "There are no modules or annotations: layers are operators "
				     "alone.",
	};
	const struct layer_tree *layers = &selection->facts->layers;
	const struct work_counts *work = shared_work(selection->facts, query->progress);
	if (!work)
		return false;
	struct sums *sums = mem_zalloc(layers->count, sizeof *sums);
	bool on = add_rows(sums, selection, query->progress) &&
		  add_work(sums, selection, work, query->progress);
	add_up(sums, layers);
	sums[0].calls = 1;
	table->is_tree = true;
	for (uint32_t i = 0; i < layers->count && on; i++) {
		on = i % NODES_A_LOOK ||
		     progress_update(query->progress, stage, i, layers->count, 0);
		if (sums[i].seen)
			add_row(table, selection, i, &sums[i]);
	}
	if (notes[layers->source])
		table_note(table, "%s %s", notes[layers->source],
			   profile_recording(selection->profile)->modules);
	mem_free(sums);
	return on;
}

const struct view view_layers = {
	.name = "layers",
	.title = "Layers",
	.row = "a node of the layer tree",
	.summary = "The tree of layers, operators and kernels; backward work hangs under the "
		   "forward layer that caused it.",
	.columns = "depth,path,name,kind,pass,calls,gpu_total_ns,gpu_self_ns,cpu_total_ns,"
		   "cpu_self_ns,kernels,tc_pct,flops,bytes",
	.default_columns = "name,kind,pass,calls,gpu_total_ns,gpu_self_ns,cpu_total_ns,cpu_self_ns,"
			   "kernels,tc_pct",
	.default_sort = "gpu_total_ns:desc,cpu_total_ns:desc",
	.key = '2',
	.build = build_layers,
};

/*
 * Times of compared rows in each step or call, to estimate their noise.
 */
#include "base/error.h"
#include "base/hash.h"
#include "views/diff/diff.h"

/* Source and target of a side's samples. */
struct sampling {
	const struct diff_side *side;
	const struct diff_grouping *grouping;
	struct selection selection;
	bool by_step;
	uint32_t *slot;          /* by step: index among complete steps, or NO_ROW */
	uint32_t *row_of;        /* by layer node or name: row, or NO_ROW */
	struct samples *samples; /* to fill */
	const struct progress *progress;
};

static const char stage[] = "comparing";

uint32_t diff_number_steps(const struct diff_side *side, uint32_t *slot)
{
	const struct derived *derived = side->rank->derived;
	const struct scope *scope = &side->scope;
	uint32_t count = 0;
	for (uint32_t i = 0; i < derived->step_count; i++) {
		const struct step *step = &derived->steps[i];
		bool in = !step->partial && !step->slow_start && derived->steps_from_profile &&
			  scope_has_step(scope, step);
		if (slot)
			slot[i] = in ? count : NO_ROW;
		count += in;
	}
	return count;
}

/* Kernels are matched by their operator, since another kernel may take their place. */
static uint64_t diff_samples_place_key(const struct sampling *sampling, uint32_t node)
{
	const struct layer_node *nodes = sampling->selection.derived->layers.nodes;
	bool leaf = nodes[node].kind == LAYER_KERNEL && nodes[node].parent != NO_ROW;
	return sampling->side->place[leaf ? nodes[node].parent : node];
}

/* KEY identifies the row; STEP, if steps are compared, the group. NULL: not added. */
static struct sample *add_sample(struct sampling *sampling, uint32_t key, uint32_t step,
				 uint32_t place, int64_t ns)
{
	struct samples *samples = sampling->samples;
	uint32_t row = sampling->row_of[key];
	uint32_t group = !sampling->by_step ? 0 : step == NO_ROW ? NO_ROW : sampling->slot[step];
	if (row == NO_ROW || group == NO_ROW)
		return NULL;
	struct sample *sample = mem_push(samples->items, samples->count);
	*sample = (struct sample){
		row, group, ns, diff_samples_place_key(sampling, place), 0, false,
	};
	return sample;
}

/* ---- rows of nodes and names ---- */

static void find_rows(struct sampling *sampling)
{
	const struct diff_side *side = sampling->side;
	const struct derived *derived = side->rank->derived;
	bool tree = sampling->grouping->of == DIFF_OF_LAYERS;
	uint32_t keys = tree ? derived->layers.count : intern_count(derived->profile->strings);
	sampling->row_of = mem_no_rows(keys);
	for (uint32_t i = 1; i < side->count; i++) {
		struct ref ref = side->rows[i].ref;
		/* rows of totals are no sums of events: those refs are to other tables */
		if (ref.kind != REF_NONE && ref.kind != REF_TOTAL && ref.kind != REF_FUNCTION &&
		    ref.a < keys)
			sampling->row_of[ref.a] = i;
	}
}

/* ---- device time ---- */

/* Layer node or name that an activity is attributed to, or NO_ROW. */
static uint32_t key_of_activity(const struct sampling *sampling, uint32_t activity)
{
	const struct derived *derived = sampling->selection.derived;
	const struct profile *profile = derived->profile;
	uint32_t owner = derived->activity_operator[activity];
	if (!profile_is_work(profile, activity))
		return NO_ROW;
	if (sampling->grouping->of == DIFF_OF_LAYERS)
		return derived->layers.activity_node[activity];
	if (sampling->grouping->of == DIFF_OF_KERNELS)
		return profile->activity_kind[activity] == ACTIVITY_KERNEL
			       ? profile->activity_name[activity]
			       : NO_ROW;
	return owner != NO_ROW ? profile->span_name[owner] : NO_ROW;
}

static uint32_t shape_of(const struct profile *profile, uint32_t activity)
{
	const struct launch_config *config = profile_config(profile, activity);
	uint64_t key = 0;
	for (int i = 0; config && i < 3; i++)
		key = hash_pair(key,
				hash_pair((uint32_t)config->grid[i], (uint32_t)config->block[i]));
	return config ? (uint32_t)key | 1 : 0;
}

static void add_activity(struct sampling *sampling, uint32_t key, uint32_t activity)
{
	const struct derived *derived = sampling->selection.derived;
	struct sample *sample = add_sample(
		sampling, key, selection_step_of_activity(derived, activity),
		derived->layers.activity_node[activity], derived->profile->activity_dur[activity]);
	if (!sample)
		return;
	sample->shape = shape_of(derived->profile, activity);
	sample->waits = derived_is_communication(derived, activity);
}

/* Does the row of this name have totals? */
static bool is_label(const struct sampling *sampling, uint32_t name)
{
	uint32_t row = sampling->row_of[name];
	return row != NO_ROW && sampling->side->rows[row].label;
}

/* All time in calls of data loaders and optimizers. */
static bool sample_labels(struct sampling *sampling, bool device)
{
	const struct selection *selection = &sampling->selection;
	const struct profile *profile = selection->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, sampling->progress, stage)
		if (is_label(sampling, profile->span_name[i]) && selection_has_span(selection, i))
			add_sample(sampling, profile->span_name[i],
				   selection_step_of_span(selection->derived, i),
				   selection->derived->layers.span_node[i],
				   device ? selection_gpu_total(selection, i)
					  : profile->span_dur[i]);
	return ok;
}

/* False when cancelled; so are the functions below. */
static bool sample_device(struct sampling *sampling)
{
	const struct selection *selection = &sampling->selection;
	bool ok = true;
	for_rows (ok, i, selection->profile->activities, sampling->progress, stage) {
		uint32_t key = selection_has_activity(selection, i) ? key_of_activity(sampling, i)
								    : NO_ROW;
		if (key != NO_ROW)
			add_activity(sampling, key, i);
	}
	return ok && (!sampling->grouping->totals || sample_labels(sampling, true));
}

/* ---- host time ---- */

/* OWN by span: its duration less calls of layer nodes inside it. */
static bool own_times(const struct sampling *sampling, int64_t *own)
{
	const struct selection *selection = &sampling->selection;
	const struct profile *profile = selection->profile;
	AUTO_FREE uint32_t *calls_above = layers_calls_above(selection->derived);
	bool ok = true;
	for_rows (ok, i, profile->spans, sampling->progress, stage) {
		uint32_t above = calls_above[i];
		if (!(selection->derived->span_flags[i] & SPAN_IS_CALL) ||
		    !selection_has_span(selection, i))
			continue;
		own[i] += profile->span_dur[i];
		if (above != NO_ROW && selection_has_span(selection, above))
			own[above] -= derived_time_inside(selection->derived, i, above);
	}
	return ok;
}

static bool sample_layer_calls(struct sampling *sampling)
{
	const struct selection *selection = &sampling->selection;
	const struct layer_tree *layers = &selection->derived->layers;
	uint32_t spans = selection->profile->spans;
	AUTO_FREE int64_t *own = mem_zalloc((size_t)spans + 1, sizeof *own);
	bool ok = own_times(sampling, own);
	for_rows (ok, i, spans, sampling->progress, stage)
		if (own[i])
			add_sample(sampling, layers->span_node[i],
				   selection_step_of_span(selection->derived, i),
				   layers->span_node[i], own[i]);
	return ok;
}

static bool sample_operator_calls(struct sampling *sampling)
{
	const struct selection *selection = &sampling->selection;
	const struct derived *derived = selection->derived;
	bool ok = true;
	for_rows (ok, i, selection->profile->spans, sampling->progress, stage)
		if (derived->span_flags[i] & SPAN_IS_OPERATOR && selection_has_span(selection, i))
			add_sample(sampling, selection->profile->span_name[i],
				   selection_step_of_span(derived, i), derived->layers.span_node[i],
				   derived_self(derived, i));
	return ok && sample_labels(sampling, false);
}

static bool sample_host(struct sampling *sampling)
{
	if (sampling->grouping->of == DIFF_OF_LAYERS)
		return sample_layer_calls(sampling);
	return sampling->grouping->of != DIFF_OF_OPERATORS || sample_operator_calls(sampling);
}

/* ---- both ---- */

int diff_extents(const struct diff_grouping *grouping)
{
	return grouping->of == DIFF_OF_LAYERS && grouping->rows != DIFF_LAYERS ? 2 : 1;
}

/* Parents to propagate samples of totals to; none for self times and for OWN times of layers. */
static uint32_t *parents_of(const struct diff_side *side, const struct diff_grouping *grouping,
			    bool own)
{
	uint32_t *parent = mem_no_rows(side->count);
	bool totals = grouping->of == DIFF_OF_LAYERS || grouping->tree;
	for (uint32_t i = 0; totals && i < side->count; i++)
		if (!own || !side->rows[i].layer)
			parent[i] = side->rows[i].parent;
	return parent;
}

/* Times of all calls. False when cancelled. */
static bool sample(struct sampling *sampling, struct diff_side *side)
{
	sampling->slot = mem_alloc(side->rank->derived->step_count * sizeof *sampling->slot);
	uint32_t steps = diff_number_steps(side, sampling->slot);
	side->gpu_calls.groups = side->cpu_calls.groups = sampling->by_step ? steps : 1;
	find_rows(sampling);
	sampling->samples = &side->gpu_calls;
	bool done = sample_device(sampling);
	sampling->samples = &side->cpu_calls;
	done = done && sample_host(sampling);
	mem_free_all(sampling->row_of, sampling->slot);
	selection_free(&sampling->selection);
	return done;
}

/* Spreads of the sampled times. False when cancelled. */
static bool measure(struct diff_side *side, const struct diff_grouping *grouping, int extent,
		    const struct progress *progress)
{
	struct extent_times *times = &side->times[extent];
	bool own = extent == EXTENT_OWN || grouping->rows == DIFF_LAYERS;
	times->parent = parents_of(side, grouping, own);
	side->gpu_calls.parent = side->cpu_calls.parent = times->parent;
	times->gpu = spread_over_steps(&side->gpu_calls, progress);
	times->cpu = times->gpu ? spread_over_steps(&side->cpu_calls, progress) : NULL;
	return times->cpu;
}

bool diff_measure(struct diff_side *side, const struct diff_grouping *grouping, bool by_step,
		  const struct progress *progress, struct error *error)
{
	struct sampling sampling = {
		.side = side, .grouping = grouping, .by_step = by_step, .progress = progress
	};
	side->gpu_calls.rows = side->cpu_calls.rows = side->count;
	bool done = side->absent || (selection_make(&sampling.selection, side->run, &side->scope,
						    progress, error) &&
				     sample(&sampling, side));
	for (int extent = 0; done && extent < diff_extents(grouping); extent++)
		done = measure(side, grouping, extent, progress);
	return done || error_cancelled(error);
}

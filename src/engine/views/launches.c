/*
 * The launches view: single device activities, cells computed on demand.
 */
#include "derived/activity_order.h"
#include "analysis/work/peak_share.h"
#include "base/buffer.h"
#include "derived/inferences.h"
#include "model/threads.h"
#include "table/rank_rows.h"
#include "views/views.h"
#include "view_columns.h"

#include <math.h>

struct launches {
	const struct run *run;
	const struct rank *rank;
	const struct profile *profile;
	const struct derived *derived;
	const uint32_t *by_start;     /* activities */
	struct value *layer_paths;    /* by node */
	struct value *devices;        /* by track */
	struct value *grids, *blocks; /* by launch configuration */
	struct value *sources;        /* of inferences */
	const struct work_counts *work;
	const struct peak_shares *peaks;
};

/* ---- operator and layer ---- */

/* Blank: recorded by this trace. */
static struct value launch_inferred(const struct launches *launches, uint32_t activity)
{
	const struct derived *derived = launches->derived;
	const struct inference *inference = derived_inference(derived, activity);
	if (inference &&
	    (inference->operator_name || inference->shapes || inference->place != NO_ROW))
		return launches->sources[inference->source];
	return derived_layer_source(derived, activity) != activity ? value_text("eager run")
								   : value_missing();
}

/* Of the operator, or of the nearest one around it that has one. */
static struct value launch_seq(const struct derived *derived, uint32_t owner)
{
	struct value sequence = value_missing();
	for (; owner != NO_ROW && sequence.kind == VALUE_MISSING;
	     owner = derived->span_owner[owner])
		sequence = cell_sequence(derived->profile, owner);
	return sequence;
}

/* Shapes or types of the operator's arguments; the inferred ones come first. */
static struct value argument_cell(const struct launches *launches, size_t column, uint32_t activity)
{
	const struct derived *derived = launches->derived;
	bool shapes = column == LAUNCHES_input_shapes;
	const struct inference *inference = derived_inferred_arguments(derived, activity);
	if (inference)
		return cell_text(derived->profile, shapes ? inference->shapes : inference->types);
	uint32_t owner = derived->activity_operator[activity];
	if (owner == NO_ROW)
		owner = derived->activity_operator[derived_layer_source(derived, activity)];
	const struct op_info *info = owner == NO_ROW ? NULL : links_arguments(derived, owner);
	return info ? cell_text(derived->profile, shapes ? info->shapes : info->types)
		    : value_missing();
}

/* Scopes say it of work that no operator launched. */
static int64_t number_of_pass(const struct derived *derived, uint32_t row)
{
	const struct layer_tree *layers = &derived->layers;
	if (layers->source == LAYERS_SCOPES && layers->nodes[layers->activity_node[row]].pass)
		return layers->nodes[layers->activity_node[row]].pass == PASS_BACKWARD;
	return derived_knows_pass(derived, row) ? derived_is_backward(derived, row) : NO_VALUE;
}

static struct value launch_layer(const struct launches *launches, uint32_t activity)
{
	const struct derived *derived = launches->derived;
	const struct inference *inference = derived_inference(derived, activity);
	if (derived_work_row(derived, activity) == NO_ROW &&
	    (!inference || inference->place == NO_ROW))
		return value_missing();
	return launches
		->layer_paths[layer_enclosing(derived, derived->layers.activity_node[activity])];
}

/* ---- launch configuration ---- */

static struct value config_cell(const struct launches *launches, size_t column, uint32_t index)
{
	if (index == NO_ROW)
		return value_missing();
	const struct launch_config *config = &launches->profile->configs[index];
	if (column == LAUNCHES_grid)
		return launches->grids[index];
	if (column == LAUNCHES_block)
		return launches->blocks[index];
	int64_t number = column == LAUNCHES_regs_per_thread ? config->regs_per_thread
							    : config->shared_mem_bytes;
	return number < 0 ? value_missing() : value_int(number);
}

/* ---- launching call ---- */

static struct value launch_api_off_cpu_ns(const struct profile *profile, uint32_t call)
{
	int64_t start = profile->span_start[call], dur = profile->span_dur[call];
	int64_t on_cpu = thread_on_cpu(profile, profile->span_track[call], start, start + dur);
	return on_cpu == NO_VALUE ? value_missing() : value_int(dur - on_cpu);
}

/* ---- work ---- */

static struct work work_of(const struct launches *launches, uint32_t activity)
{
	return work_of_activity(launches->work, launches->profile, activity);
}

static double rate(double amount, const struct launches *launches, uint32_t activity)
{
	return amount / ((double)launches->profile->activity_dur[activity] / 1e9);
}

/* Of a copy its size, which its work reads and writes; NaN: unknown. */
static double bytes_of(const struct launches *launches, uint32_t activity)
{
	bool copy = launches->profile->activity_kind[activity] == ACTIVITY_MEMCPY;
	return work_of(launches, activity).bytes / (copy ? 2 : 1);
}

static struct value launch_bytes_from(const struct launches *launches, uint32_t activity)
{
	const struct work *measured = launches->work->measured;
	if (isnan(bytes_of(launches, activity)))
		return value_missing();
	if (measured && !isnan(measured[activity].bytes))
		return value_text("measured");
	return value_text(work_is_estimate(launches->work, activity) ? "estimated" : "recorded");
}

static struct value launch_intensity(const struct launches *launches, uint32_t activity)
{
	struct work work = work_of(launches, activity);
	return cell_real(work.flops / work.bytes);
}

static struct value launch_tensor_use(const struct derived *derived, uint32_t activity)
{
	return derived->profile->activity_kind[activity] == ACTIVITY_KERNEL
		       ? cell_tensor_use((enum tensor_use)derived->activity_tensor[activity])
		       : value_missing();
}

/* ---- cells ---- */

static struct value compute_launch(const struct table *table, size_t row, size_t column)
{
	const struct launches *launches = table->state;
	uint32_t activity = launches->by_start[row];
	const struct profile *profile = launches->profile;
	const struct derived *derived = launches->derived;
	/* a cell reads only what it shows */
	const uint32_t *owner = &derived->activity_operator[activity];
	const uint32_t *config = &profile->activity_config[activity];
	const uint32_t *call = &profile->activity_launch[activity];
	const uint32_t *track = &profile->activity_track[activity];
	switch ((enum launches_column)column) {
		LAUNCHES_CELLS(LISTED_CASE)
	default: return table_number_at(table, row, column);
	}
}

static int64_t number_of_stream(int64_t stream)
{
	return stream == -1 ? NO_VALUE : stream; /* -1: waits for all streams */
}

/* Of the launching call. */
static int64_t number_of_call(const struct profile *profile, const int64_t *numbers, uint32_t row)
{
	uint32_t call = profile->activity_launch[row];
	return call == NO_ROW ? NO_VALUE : numbers[call];
}

static int64_t number_of_duration(const struct profile *profile, uint32_t row)
{
	int64_t dur = profile->activity_dur[row];
	return dur || profile_activity_timed(profile, row) ? dur : NO_VALUE;
}

static bool compute_numbers(const struct table *table, size_t column, const uint32_t *rows,
			    size_t count, int64_t *numbers)
{
	const struct launches *launches = table->state;
	const struct profile *profile = launches->profile;
	const struct derived *derived = launches->derived;
	const uint32_t *order = launches->by_start;
	switch (column) {
		LAUNCHES_NUMBERS(CASE_NUMBERS)
	default: return false;
	}
}

static struct ref launches_compute_ref(const struct table *table, size_t row)
{
	const struct launches *launches = table->state;
	return (struct ref){ REF_LAUNCH, launches->by_start[row], 0, 0 };
}

/* ---- building ---- */

static void add_sources(struct table *table, struct launches *launches)
{
	const struct inferences *inferred = launches->derived->inferred;
	AUTO_BUFFER struct buffer text = { 0 };
	size_t count = inferred ? inferred->source_count : 0;
	launches->sources = table_values(table, count);
	for (size_t i = 0; i < count; i++) {
		buffer_clear(&text);
		inference_describe(inferred, i, &text);
		launches->sources[i] = table_printf(table, "%s", buffer_text(&text));
	}
}

static void launches_make_texts(struct launches *launches, struct table *table)
{
	const struct profile *profile = launches->profile;
	launches->layer_paths = layer_path_cells(table, launches->derived);
	launches->devices = table_values(table, profile->track_count);
	launches->grids = table_values(table, profile->config_count);
	launches->blocks = table_values(table, profile->config_count);
	for (size_t i = 0; i < profile->track_count; i++)
		launches->devices[i] = cell_device(table, profile->tracks[i].device);
	for (size_t i = 0; i < profile->config_count; i++) {
		launches->grids[i] = cell_triple(table, profile->configs[i].grid);
		launches->blocks[i] = cell_triple(table, profile->configs[i].block);
	}
	add_sources(table, launches);
}

static bool add_by_start(struct table *table, struct launches *launches,
			 const struct selection *selection, const struct progress *progress)
{
	const uint8_t *kinds = launches->profile->activity_kind;
	uint32_t activities = launches->profile->activities;
	launches->by_start = derived_by_start(launches->derived, progress);
	/* collectives are shown by their own view, here by their tasks */
	bool all = !selection->activity && !memchr(kinds, ACTIVITY_COLLECTIVE, activities);
	if (all)
		table->rows = activities;
	return launches->by_start &&
	       (all ||
		table_add_where(table, i, activities, progress, "finding launches",
				kinds[launches->by_start[i]] != ACTIVITY_COLLECTIVE &&
					selection_has_activity(selection, launches->by_start[i])));
}

bool build_launches(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	struct launches *launches = table_new_state(table, sizeof *launches, NULL);
	launches->run = query->run;
	launches->rank = table->held;
	launches->profile = selection->profile;
	launches->derived = selection->derived;
	launches->work = derived_work(launches->derived, query->progress);
	launches->peaks = derived_peak_shares(launches->derived, query->progress);
	if (!launches->work || !launches->peaks)
		return false;
	launches_make_texts(launches, table);
	if (!add_by_start(table, launches, selection, query->progress))
		return false;
	table->compute = compute_launch;
	table->compute_numbers = compute_numbers;
	table->compute_ref = launches_compute_ref;
	if (!table->rows && launches->profile->activities)
		table_note(table, "No GPU event starts here.");
	return true;
}

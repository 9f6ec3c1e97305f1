/*
 * The launches view: single device activities, cells computed on demand.
 */
#include "derived/activity_order.h"
#include "analysis/work/peak_share.h"
#include "analysis/work/work.h"
#include "base/buffer.h"
#include "derived/inferences.h"
#include "model/threads.h"
#include "table/rank_rows.h"
#include "views/views.h"

#include <stdio.h>
#include <string.h>

/* The cells are computed by launch_<id>(). */
#define LAUNCH_COLUMNS(_)                                                                          \
	_(id)                                                                                      \
	_(kind)                                                                                    \
	_(name)                                                                                    \
	_(step)                                                                                    \
	_(device)                                                                                  \
	_(stream)                                                                                  \
	_(start_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(operator)                                                                                \
	_(inferred)                                                                                \
	_(layer)                                                                                   \
	_(pass)                                                                                    \
	_(forward)                                                                                 \
	_(seq)                                                                                     \
	_(grid)                                                                                    \
	_(block)                                                                                   \
	_(regs_per_thread)                                                                         \
	_(shared_mem_bytes)                                                                        \
	_(tensor_core)                                                                             \
	_(flops)                                                                                   \
	_(bytes)                                                                                   \
	_(flops_per_s)                                                                             \
	_(bytes_per_s)                                                                             \
	_(intensity)                                                                               \
	_(peak_pct)                                                                                \
	_(peak_note)                                                                               \
	_(api_start_ns)                                                                            \
	_(api_dur_ns)                                                                              \
	_(api_off_cpu_ns)                                                                          \
	_(launch_delay_ns)                                                                         \
	_(correlation)                                                                             \
	_(input_shapes)                                                                            \
	_(input_types)                                                                             \
	_(rank)

struct launches {
	const struct run *run;
	const struct rank *rank;
	const struct profile *profile;
	const struct derived *derived;
	const uint32_t *rows;         /* activity rows, by start */
	uint32_t *own_rows;           /* owned, unless all rows are shown */
	struct value *layer_paths;    /* by node */
	struct value *devices;        /* by track */
	struct value *grids, *blocks; /* by launch configuration */
	struct value *sources;        /* of inferences */
	const struct work_counts *work;
	struct peak_shares *peaks;
};

static void free_launches(void *state)
{
	struct launches *launches = state;
	mem_free(launches->own_rows);
	mem_free(launches->layer_paths);
	mem_free(launches->devices);
	mem_free(launches->grids);
	mem_free(launches->sources);
	mem_free(launches->blocks);
	peak_shares_free(launches->peaks);
	mem_free(launches);
}

/* ---- cells ---- */

static struct value launch_id(const struct launches *launches, uint32_t activity)
{
	return value_int(profile_activity_id(launches->profile, activity));
}

static struct value launch_kind(const struct launches *launches, uint32_t activity)
{
	return value_text(
		activity_kind_name((enum activity_kind)launches->profile->activity_kind[activity]));
}

static struct value launch_name(const struct launches *launches, uint32_t activity)
{
	return cell_text(launches->profile, launches->profile->activity_name[activity]);
}

static struct value launch_step(const struct launches *launches, uint32_t activity)
{
	uint32_t step = selection_step_of_activity(launches->derived, activity);
	return step == NO_ROW ? value_missing() : value_int(launches->derived->steps[step].number);
}

static struct value launch_device(const struct launches *launches, uint32_t activity)
{
	return launches->devices[launches->profile->activity_track[activity]];
}

static struct value launch_stream(const struct launches *launches, uint32_t activity)
{
	const struct profile *profile = launches->profile;
	int64_t stream = profile->tracks[profile->activity_track[activity]].tid;
	return stream == -1 ? value_missing() : cell_int(stream); /* -1: waits for all streams */
}

static struct value launch_start_ns(const struct launches *launches, uint32_t activity)
{
	return value_int(launches->profile->activity_start[activity]);
}

static struct value launch_dur_ns(const struct launches *launches, uint32_t activity)
{
	if (!profile_activity_timed(launches->profile, activity))
		return value_missing();
	return value_int(launches->profile->activity_dur[activity]);
}

static struct value launch_correlation(const struct launches *launches, uint32_t activity)
{
	return cell_int(launches->profile->activity_correlation[activity]);
}

/* ---- operator and layer ---- */

static struct value launch_operator(const struct launches *launches, uint32_t activity)
{
	uint32_t name = derived_operator_name(launches->derived, activity);
	return name == NO_ROW ? value_missing() : cell_text(launches->profile, name);
}

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

static struct value launch_forward(const struct launches *launches, uint32_t activity)
{
	const struct profile *profile = launches->profile;
	uint32_t owner = launches->derived->activity_operator[activity];
	uint32_t forward = owner == NO_ROW ? NO_ROW : links_forward(launches->derived, owner);
	return forward == NO_ROW ? value_missing()
				 : cell_text(profile, profile->span_name[forward]);
}

static struct value launch_seq(const struct launches *launches, uint32_t activity)
{
	uint32_t owner = launches->derived->activity_operator[activity];
	return owner == NO_ROW ? value_missing() : value_sequence(launches->derived, owner);
}

/* Arguments of the operator, or NULL; of one that was inferred they are in *INFERENCE. */
static const struct op_info *arguments_of(const struct launches *launches, uint32_t activity,
					  const struct inference **inference)
{
	const struct derived *derived = launches->derived;
	uint32_t owner = derived->activity_operator[activity];
	*inference = derived_inferred_arguments(derived, activity);
	if (owner == NO_ROW)
		owner = derived->activity_operator[derived_layer_source(derived, activity)];
	return owner == NO_ROW ? NULL : links_arguments(derived, owner);
}

static struct value launch_input_shapes(const struct launches *launches, uint32_t activity)
{
	const struct inference *inference;
	const struct op_info *info = arguments_of(launches, activity, &inference);
	if (inference)
		return cell_text(launches->profile, inference->shapes);
	return info ? cell_text(launches->profile, info->shapes) : value_missing();
}

static struct value launch_input_types(const struct launches *launches, uint32_t activity)
{
	const struct inference *inference;
	const struct op_info *info = arguments_of(launches, activity, &inference);
	if (inference)
		return cell_text(launches->profile, inference->types);
	return info ? cell_text(launches->profile, info->types) : value_missing();
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

static struct value launch_pass(const struct launches *launches, uint32_t activity)
{
	const struct derived *derived = launches->derived;
	if (!derived_knows_pass(derived, activity))
		return value_missing();
	return value_text(layer_pass_name(derived_is_backward(derived, activity) ? PASS_BACKWARD
										 : PASS_FORWARD));
}

/* ---- launch configuration ---- */

static struct value launch_grid(const struct launches *launches, uint32_t activity)
{
	uint32_t config = launches->profile->activity_config[activity];
	return config == NO_ROW ? value_missing() : launches->grids[config];
}

static struct value launch_block(const struct launches *launches, uint32_t activity)
{
	uint32_t config = launches->profile->activity_config[activity];
	return config == NO_ROW ? value_missing() : launches->blocks[config];
}

static struct value launch_regs_per_thread(const struct launches *launches, uint32_t activity)
{
	const struct launch_config *config = profile_config(launches->profile, activity);
	return !config || config->regs_per_thread < 0 ? value_missing()
						      : value_int(config->regs_per_thread);
}

static struct value launch_shared_mem_bytes(const struct launches *launches, uint32_t activity)
{
	const struct launch_config *config = profile_config(launches->profile, activity);
	return !config || config->shared_mem_bytes < 0 ? value_missing()
						       : value_int(config->shared_mem_bytes);
}

static struct value launch_tensor_core(const struct launches *launches, uint32_t activity)
{
	const struct profile *profile = launches->profile;
	if (profile->activity_kind[activity] != ACTIVITY_KERNEL)
		return value_missing();
	return cell_tensor_use((enum tensor_use)launches->derived->activity_tensor[activity]);
}

/* ---- launching call ---- */

static struct value launch_api_start_ns(const struct launches *launches, uint32_t activity)
{
	uint32_t call = launches->profile->activity_launch[activity];
	return call == NO_ROW ? value_missing() : value_int(launches->profile->span_start[call]);
}

static struct value launch_api_dur_ns(const struct launches *launches, uint32_t activity)
{
	uint32_t call = launches->profile->activity_launch[activity];
	return call == NO_ROW ? value_missing() : value_int(launches->profile->span_dur[call]);
}

static struct value launch_api_off_cpu_ns(const struct launches *launches, uint32_t activity)
{
	const struct profile *profile = launches->profile;
	uint32_t call = profile->activity_launch[activity];
	if (call == NO_ROW)
		return value_missing();
	int64_t start = profile->span_start[call], dur = profile->span_dur[call];
	int64_t on_cpu = thread_on_cpu(profile, profile->span_track[call], start, start + dur);
	return on_cpu == NO_VALUE ? value_missing() : value_int(dur - on_cpu);
}

static struct value launch_launch_delay_ns(const struct launches *launches, uint32_t activity)
{
	const struct profile *profile = launches->profile;
	return cell_int(profile_launch_delay(profile, activity));
}

/* ---- work ---- */

static struct work work_of(const struct launches *launches, uint32_t activity)
{
	return work_of_activity(launches->work, launches->profile, activity);
}

static double launches_seconds_of(const struct launches *launches, uint32_t activity)
{
	return (double)launches->profile->activity_dur[activity] / 1e9;
}

static struct value launch_flops(const struct launches *launches, uint32_t activity)
{
	return cell_work(work_of(launches, activity).flops);
}

/* The size of a copy, which its work reads and writes. */
static struct value launch_bytes(const struct launches *launches, uint32_t activity)
{
	int64_t copied = launches->profile->activity_kind[activity] == ACTIVITY_MEMCPY
				 ? launches->profile->activity_bytes[activity]
				 : NO_VALUE;
	return copied == NO_VALUE ? cell_work(work_of(launches, activity).bytes)
				  : value_int(copied);
}

static struct value launch_flops_per_s(const struct launches *launches, uint32_t activity)
{
	return cell_real(work_of(launches, activity).flops /
			 launches_seconds_of(launches, activity));
}

/* A copy's rate is that of its size, though it reads and writes it. */
static struct value launch_bytes_per_s(const struct launches *launches, uint32_t activity)
{
	int64_t copied = launches->profile->activity_bytes[activity];
	double bytes = copied == NO_VALUE ? work_of(launches, activity).bytes : (double)copied;
	return cell_real(bytes / launches_seconds_of(launches, activity));
}

static struct value launch_intensity(const struct launches *launches, uint32_t activity)
{
	struct work work = work_of(launches, activity);
	return cell_real(work.flops / work.bytes);
}

static struct value launch_peak_pct(const struct launches *launches, uint32_t activity)
{
	return cell_real(peak_share_of(launches->peaks, activity).pct);
}

static struct value launch_peak_note(const struct launches *launches, uint32_t activity)
{
	const char *note = peak_share_of(launches->peaks, activity).note;
	return note ? value_text(note) : value_missing();
}

/* ---- rank ---- */

/* In a file of several ranks, that of the process. */
static struct value launch_rank(const struct launches *launches, uint32_t activity)
{
	return rank_rows_number(launches->run, launches->rank,
				launches->profile->activity_track[activity]);
}

static struct value compute_launch(const struct table *table, size_t row, size_t column)
{
	typedef struct value cell(const struct launches *, uint32_t);
#define CELL(id) launch_##id,
	static cell *const cells[] = { LAUNCH_COLUMNS(CELL) };
	const struct launches *launches = table->state;
	return cells[column](launches, launches->rows[row]);
}

static struct ref launches_compute_ref(const struct table *table, size_t row)
{
	const struct launches *launches = table->state;
	return (struct ref){ REF_LAUNCH, launches->rows[row], 0, 0 };
}

static void add_sources(struct table *table, struct launches *launches)
{
	const struct inferences *inferred = launches->derived->inferred;
	struct buffer text = { 0 };
	size_t count = inferred ? inferred->source_count : 0;
	launches->sources = mem_alloc((count + 1) * sizeof *launches->sources);
	for (size_t i = 0; i < count; i++) {
		buffer_clear(&text);
		inference_describe(inferred, i, &text);
		launches->sources[i] = table_printf(table, "%s", buffer_text(&text));
	}
	buffer_free(&text);
}

/* ---- building ---- */

static void launches_make_texts(struct launches *launches, struct table *table)
{
	const struct profile *profile = launches->profile;
	launches->layer_paths = layer_path_cells(table, launches->derived);
	launches->devices = mem_alloc((profile->track_count + 1) * sizeof(struct value));
	launches->grids = mem_alloc((profile->config_count + 1) * sizeof(struct value));
	launches->blocks = mem_alloc((profile->config_count + 1) * sizeof(struct value));
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
	const uint32_t *by_start = derived_by_start(launches->derived, progress);
	uint32_t activities = launches->profile->activities;
	if (!by_start)
		return false;
	launches->rows = by_start;
	table->rows = activities;
	/* collectives are shown by their own view, here by their tasks */
	if (!selection->activity &&
	    !memchr(launches->profile->activity_kind, ACTIVITY_COLLECTIVE, activities))
		return true;
	launches->own_rows = mem_alloc(((size_t)activities + 1) * sizeof *launches->own_rows);
	launches->rows = launches->own_rows;
	table->rows = 0;
	for (uint32_t i = 0; i < activities; i++) {
		if (!progress_row(progress, "finding launches", i, activities))
			return false;
		if (launches->profile->activity_kind[by_start[i]] != ACTIVITY_COLLECTIVE &&
		    selection_has_activity(selection, by_start[i]))
			launches->own_rows[table->rows++] = by_start[i];
	}
	return true;
}

static bool build_launches(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	struct launches *launches = mem_zalloc(1, sizeof *launches);
	table->state = launches;
	table->free_state = free_launches;
	launches->run = query->run;
	launches->rank = table->held;
	launches->profile = selection->profile;
	launches->derived = selection->derived;
	launches->work = derived_work(launches->derived, query->progress);
	if (!launches->work)
		return false;
	launches->peaks = peak_shares_new(launches->derived, launches->work, query->progress);
	if (!launches->peaks)
		return false;
	launches_make_texts(launches, table);
	if (!add_by_start(table, launches, selection, query->progress))
		return false;
	table->compute = compute_launch;
	table->compute_ref = launches_compute_ref;
	table->used = UINT64_MAX;
	if (!table->rows && launches->profile->activities)
		table_note(table, "No GPU event starts here.");
	note_no_device_work(table, selection->profile);
	return true;
}

const struct view view_launches = {
	.name = "launches",
	.rows_apart = true,
	.by_rank = true,
	.title = "Launches",
	.row = "one GPU event",
	.summary =
		"Kernels, copies, memsets and synchronizations with the calls that launched them.",
	.columns = COLUMN_LIST(LAUNCH_COLUMNS),
	.default_columns = "name,kind,step,stream,start_ns,dur_ns,launch_delay_ns,operator,pass,"
			   "grid,block,layer",
	.default_sort = "",
	.build = build_launches,
};

/*
 * The views, and helpers of the files with their build functions.
 */
#pragma once

#include "base/moments.h"
#include "table/view.h"

/* The views of views.txt, and what builds each. */
extern const struct view view_overview, view_steps, view_layers, view_modules, view_operators,
	view_calls, view_spans, view_kernels, view_launches, view_memory, view_memory_events,
	view_memory_curve, view_blocks, view_ooms, view_collectives, view_ranks, view_rank_time,
	view_rank_outliers, view_durations, view_flight, view_recordings, view_runs, view_streams,
	view_utilization, view_counters, view_metrics, view_critical_path, view_gaps, view_whatif,
	view_devices, view_links, view_advice, view_diff, view_stacks, view_python, view_compiles,
	view_breaks, view_guards, view_autotunes, view_generated, view_attributes, view_info,
	view_pstats, view_lprof, view_history, view_experts, view_requests;
extern const struct view *const listed_views[]; /* those of no tool's report; ends in NULL */
view_builder build_overview, build_steps, build_layers, build_modules, build_operators, build_calls,
	build_spans, build_kernels, build_launches, build_memory, build_memory_events,
	build_memory_curve, build_blocks, build_ooms, build_collectives, build_ranks,
	build_rank_time, build_rank_outliers, build_durations, build_flight, build_recordings,
	build_runs, build_streams, build_utilization, build_counters, build_metrics,
	build_critical_path, build_gaps, build_whatif, build_devices, build_links, build_advice,
	build_diff, build_stacks, build_python, build_compiles, build_attributes, build_info,
	build_history, build_experts, build_requests;

/* Compare the experts of the ranks of a query, too. False with its error. */
struct ranks_compared;
bool experts_compare(struct ranks_compared *all, const struct view_query *query);

/* What is shown of several runs or spans; missing if all files are ranks of one run. */
struct value cell_recordings_note(struct table *table, const struct run *run);

/* Append a sentence, and a blank, for each straggler; nothing without comparison. */
void view_stragglers_note(const struct run *run, struct buffer *out);

/* Interned text; missing if 0 or NO_ROW. */
struct value cell_text(const struct profile *profile, uint32_t id);
/* Of metadata, named KEY: with its secrets masked (base/mask.h). */
struct value cell_recorded(struct table *table, const struct profile *profile, const char *key,
			   uint32_t id);

/* A copy of a text of other strings than the profile's; missing if 0. */
struct value cell_interned(struct table *table, const struct intern *strings, uint32_t id);

/* SUM by COUNT; missing if the sum is NO_VALUE or there are none. */
struct value cell_mean(int64_t sum, int64_t count);

/* Missing if NO_VALUE. */
struct value cell_int(int64_t value);

/* Missing if NaN or infinite. */
struct value cell_real(double value);

/* FLOPs or bytes as floating point; missing if NaN. */
struct value cell_work(double amount);

/* A time of the clock, in ns since 1970: "2021-06-08 09:44:50"; missing before 2000. UTC. */
struct value cell_date(struct table *table, int64_t ns);

/* "CPU", "GPU0". */
struct value cell_device(struct table *table, int32_t device);

struct ref ref_of_rank(int64_t number); /* leads to the overview of it */

/* What the steps are from; missing if there are none (derived/step_source.h). */
struct value cell_step_source(struct table *table, const struct derived *derived);

/* The number of a step (index), the name of a span; missing if NO_ROW. */
struct value cell_step(const struct derived *derived, uint32_t step);
/* A column of a *_NUMBERS, in a compute_numbers: ORDER says of which row, unless it is NULL. */
#define CASE_NUMBERS(column, number)                                                               \
	case column:                                                                               \
		for (size_t i = 0; i < count; i++) {                                               \
			uint32_t row = order ? order[rows[i]] : rows[i];                           \
			numbers[i] = (number);                                                     \
		}                                                                                  \
		return true;
/* The compute_numbers of a table whose underlying rows are those of a NUMBERS. */
#define COMPUTE_NUMBERS(NUMBERS)                                                                   \
	static bool compute_numbers(const struct table *table, size_t column,                      \
				    const uint32_t *rows, size_t count, int64_t *numbers)          \
	{                                                                                          \
		const struct profile *profile = table->selection.profile;                          \
		const struct derived *derived = table->selection.derived;                          \
		const uint32_t *const order = NULL;                                                \
		size_t near = 0;                                                                   \
		switch (column) {                                                                  \
			NUMBERS(CASE_NUMBERS)                                                      \
		default: return false;                                                             \
		}                                                                                  \
	}
/* Numbers of cells of a text and of a step in these. */
static inline int64_t number_of_text(uint32_t id)
{
	return id == 0 || id == NO_ROW ? NO_VALUE : id;
}
static inline int64_t number_of_step(const struct derived *derived, uint32_t step)
{
	return step == NO_ROW ? NO_VALUE : derived->steps[step].number;
}
struct value cell_phase(enum phase phase); /* missing if PHASE_NONE */
struct value cell_span(const struct profile *profile, uint32_t span);

/* 100 * PART / WHOLE; missing if WHOLE is 0. */
struct value cell_share(int64_t part, int64_t whole);

/* PART of KNOWN in percent; missing when too little of WHOLE is known (analysis/coverage.h). */
struct value cell_known_share(int64_t part, int64_t known, int64_t whole);

/* "yes", "no"; missing if unknown. */
struct value cell_tensor_use(enum tensor_use use);

/* "x,y,z"; missing if x is. */
struct value cell_triple(struct table *table, const int32_t triple[3]);

/* The path of a layer, the name of a lane. */
struct value cell_layer_path(struct table *table, const struct derived *derived, uint32_t node);
struct value cell_track(struct table *table, const struct profile *profile, uint32_t track);

/* Path cells by layer node, in the table's arena. */
struct value *layer_path_cells(struct table *table, const struct derived *derived);

/* Sequence number of a call; missing if it has none. */
struct value cell_sequence(const struct profile *profile, uint32_t span);

/* "forward", "backward". */
struct value cell_pass(int64_t backward); /* NO_VALUE: unknown */

/* Is the span a call of the operator's row: of its name, and its shapes and stack if it has any? */
bool is_call_of_operator(const struct derived *derived, uint32_t span, struct ref row);

/* A lane's name: "thread 123 (python)", "GPU0 stream 7". */
void track_name(const struct profile *profile, uint32_t track, struct buffer *out);

/* The layers, or what a profile without any has. */
const struct view *view_of_layers(const struct derived *derived);

/* Require that everything the reference names exists in the profile. */
void ref_require(const struct derived *derived, struct ref ref);

/* Reference to a finding; NUMBER is unique in the table. */
struct finding;
struct ref finding_ref(const struct finding *finding, size_t number);

/* Subject of a finding in the advice view; REF_NONE if it has no drill target. */
struct ref advice_subject(struct ref finding);

/* Rows of the operators view from a printed table (python_stats), by name and section, and by shape
 * if BY_SHAPE. False when cancelled. */
bool add_operator_totals(struct table *table, const struct view_query *query, bool by_shape);
bool add_kernel_totals(struct table *table, const struct view_query *query, bool by_family);

/* Set these columns: mean, minimum, maximum; blank without calls. */
void spread_set(const struct moments *times, struct table *table, size_t row,
		const char *const ids[3]);
/* Set gpu_avg_ns, gpu_min_ns and gpu_max_ns; blank also if the profile has no GPU work at all. */
void spread_set_gpu(const struct moments *times, struct table *table, size_t row);

struct work_sum;
/* "estimated" if a part of a sum of bytes is, else "recorded"; missing without bytes. */
struct value cell_bytes_from(const struct work_sum *sum);

/* Set avg_ns, min_ns, max_ns and stddev_ns; blank without calls, the last one of a single call. */
void call_durations_set(const struct moments *durations, struct table *table, size_t row);

/*
 * By span that counts as a call of its node: time, ns, of the work in scope that its subtree of the
 * tree launched, with its backward calls unless PASSES_APART. Work of no call, such as that of a
 * replayed graph, is left out. CALLS_ABOVE: by span (layers_calls_above). NULL when cancelled; the
 * caller frees with mem_free.
 */
int64_t *layer_call_gpu(const struct selection *selection, const uint32_t *calls_above,
			bool passes_apart, const struct progress *progress);

enum { ARROWS_MAX = 64 };

/*
 * The events that arrows from SPAN lead to (FORWARD), or that those into it come from, in file
 * order: at most ARROWS_MAX. Returns their number. Linear in the flows; 0 when cancelled.
 */
size_t arrows_of(const struct profile *profile, uint32_t span, bool forward,
		 uint32_t others[ARROWS_MAX], const struct progress *progress);

/* Say of what clock the samples of telemetry are, in the profile or beside it, if there are any. */
void note_telemetry(struct table *table, const struct profile *profile);

/* Set the energy of a row and how much of its time is known. */
struct rank_device;
struct step_summary;
/* Set host, process and DEVICE of a rank, of the columns that the view lists. */
void set_rank_place(struct table *table, size_t row, const struct rank_summary *summary,
		    const struct rank_device *device);
/* Set the means per step, over COUNT of them, of the columns that the view lists. */
void set_step_means(struct table *table, size_t row, const struct step_summary *sum, int64_t count);

struct energy_sum;
void set_energy(struct table *table, size_t row, const struct energy_sum *sum);

/* Give the columns of times of a table the unit of a profile's samples. */
void python_measure(struct table *table, const struct python_stats *stats);

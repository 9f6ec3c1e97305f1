/*
 * The steps view: step time by class and by cause.
 */
#include "analysis/breakdown.h"
#include "analysis/causes.h"
#include "analysis/coverage.h"
#include "analysis/energy.h"
#include "analysis/whatif/whatif_scenario.h"
#include "analysis/work/device_peaks.h"
#include "analysis/work/work.h"
#include "base/any_of.h"
#include "base/error.h"
#include "derived/inferences.h"
#include "derived/kernel_family.h"
#include "base/parallel.h"
#include "session/load.h"
#include "views/views.h"

static bool is_shown(const struct scope *scope, const struct step *step)
{
	return scope_has_step(scope, step) &&
	       (!scope->has_time ||
		(step->start < scope->time_last && step->end > scope->time_first));
}

/* Work of a step, of kernels their time; those with and without Tensor Cores where known. */
struct steps_view_work {
	int64_t launches, kernel_ns, tensor_ns, plain_ns;
	int64_t product_ns, known_ns; /* of servers: matrix products; those of known bytes */
	double bytes;                 /* that they and attention move, where it is known */
};

struct steps_view_times {
	const struct selection *selection;
	struct breakdown *breakdown;
	const struct causes *causes;
	struct causes own;
	struct energy *energy;            /* NULL: no power was sampled */
	const struct work_counts *counts; /* of servers, whose bandwidth is a bound; NULL */
	const struct kernel_name *names;  /* likewise */
	struct steps_view_work *work;     /* by step */
	const struct rank *predicted;     /* the run under edits; NULL */
};

/* Of a product or attention; of a replayed graph by the arguments that its capture tells. */
static double bytes_of_kernel(const struct steps_view_times *times, uint32_t activity)
{
	const struct derived *derived = times->selection->derived;
	const struct profile *profile = derived->profile;
	struct work work = work_of_activity(times->counts, profile, activity);
	const struct inference *from = derived_inferred_arguments(derived, activity);
	if (isnan(work.bytes) && from)
		work_of_call(
			&(struct work_call){ .name = profile_string(profile, from->operator_name),
					     .shapes = profile_string(profile, from->shapes),
					     .types = profile_string(profile, from->types) },
			&work);
	return work.bytes;
}

/* A decode step reads all weights for few tokens: its products are bound by the memory. */
static void add_bytes(struct steps_view_work *work, const struct steps_view_times *times,
		      uint32_t activity)
{
	const struct profile *profile = times->selection->profile;
	int64_t ns = profile->activity_dur[activity];
	uint8_t family = times->names[profile->activity_name[activity]].family;
	if (family != FAMILY_GEMM && family != FAMILY_ATTENTION)
		return;
	double bytes = bytes_of_kernel(times, activity);
	work->product_ns += family == FAMILY_GEMM ? ns : 0;
	work->known_ns += family == FAMILY_GEMM && !isnan(bytes) ? ns : 0;
	work->bytes += isnan(bytes) ? 0 : bytes;
}

/* GPU work by the step that launched it, without a launch call by the one it starts in. */
static bool count_launches(struct steps_view_times *times, const struct progress *progress)
{
	const struct selection *selection = times->selection;
	const struct profile *profile = selection->profile;
	times->work = mem_zalloc(selection->derived->step_count, sizeof *times->work);
	if (any_of(i, selection->derived->step_count, selection->derived->steps[i].phase)) {
		times->counts = derived_work(selection->derived, progress);
		times->names = derived_kernel_names(selection->derived, progress);
		if (!times->counts || !times->names)
			return false;
	}
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, "counting launches") {
		uint32_t step = selection_step_of_activity(selection->derived, i);
		if (step == NO_ROW || !profile_is_work(profile, i) ||
		    !selection_has_activity(selection, i))
			continue;
		struct steps_view_work *work = &times->work[step];
		uint8_t use = selection->derived->activity_tensor[i];
		work->launches++;
		if (profile->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		if (times->counts)
			add_bytes(work, times, i);
		work->kernel_ns += profile->activity_dur[i];
		work->tensor_ns += use == TENSOR_YES ? profile->activity_dur[i] : 0;
		work->plain_ns += use == TENSOR_NO ? profile->activity_dur[i] : 0;
	}
	return ok;
}

/* Of one step, or of all of a phase. */
struct steps_view_sum {
	int64_t steps, dur;
	int64_t class_ns[TIME_CLASSES], cause_ns[TIME_CAUSES];
	struct steps_view_work work;
	struct request_batch batch; /* requests and slots: the most */
	struct energy_sum energy;
};

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void sum_batch(struct request_batch *sum, const struct request_batch *batch, bool first)
{
	*sum = first ? *batch
		     : (struct request_batch){ larger(sum->requests, batch->requests),
					       sum_known(sum->tokens_in, batch->tokens_in),
					       sum_known(sum->tokens_out, batch->tokens_out),
					       sum_known(sum->context, batch->context),
					       larger(sum->slots, batch->slots) };
}

static void sum_step(struct steps_view_sum *sum, const struct steps_view_times *times,
		     uint32_t index)
{
	const struct step *step = &times->selection->derived->steps[index];
	const int64_t *cause_ns = critical_device(times->causes)->step_ns[index];
	const struct steps_view_work *work = &times->work[index];
	sum_batch(&sum->batch, &step->batch, sum->steps++ == 0);
	sum->dur += step->end - step->start;
	for (int class = 0; class < TIME_CLASSES; class ++)
		sum->class_ns[class] += times->breakdown[index].ns[class];
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		sum->cause_ns[cause] += cause_ns[cause];
	MEMBERS(&sum->work, work,
		PLUS(launches) PLUS(kernel_ns) PLUS(tensor_ns) PLUS(plain_ns) PLUS(product_ns)
			PLUS(known_ns) PLUS(bytes));
	if (times->energy)
		energy_add(times->energy, -1, step->start, step->end, &sum->energy);
}

static void set_batch(struct table *table, size_t row, const struct steps_view_sum *sum)
{
	const struct request_batch *batch = &sum->batch;
	int64_t tokens = sum_known(batch->tokens_in, batch->tokens_out);
	BATCH_CELLS(table_set);
	if (tokens != NO_VALUE && sum->dur)
		table_set(table, row, "tokens_per_s",
			  value_int((int64_t)((double)tokens * 1e9 / (double)sum->dur)));
	if (tokens > 0)
		table_set(table, row, "token_ns", value_int(sum->dur / tokens));
}

/* The time that the device's memory takes at least for them. */
static void set_bound(struct table *table, size_t row, const struct steps_view_times *times,
		      const struct steps_view_work *work)
{
	const struct selection *selection = times->selection;
	const struct device *device =
		profile_device(selection->profile, critical_device(times->causes)->device);
	if (!coverage_suffices((double)work->known_ns, (double)work->product_ns))
		return;
	table_set(table, row, "bytes", cell_work(work->bytes));
	double rate =
		device ? device_rates_of(selection->derived->peaks, selection->profile, device)
				 .bytes
		       : NAN;
	if (isfinite(rate))
		table_set(table, row, "bound_ns", value_int((int64_t)(work->bytes / rate * 1e9)));
}

static void set_sum(struct table *table, size_t row, const struct steps_view_times *times,
		    const struct steps_view_sum *sum)
{
	const struct steps_view_work *work = &sum->work;
	table_set(table, row, "dur_ns", value_int(sum->dur));
	for (int class = 0; class < TIME_CLASSES; class ++)
		table_set(table, row, time_class_column((enum time_class) class),
			  value_int(sum->class_ns[class]));
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		table_set(table, row, time_cause_column((enum time_cause)cause),
			  value_int(sum->cause_ns[cause]));
	table_set(table, row, "gpu_util_pct",
		  cell_share(causes_busy(sum->cause_ns) - sum->cause_ns[CAUSE_COPY], sum->dur));
	table_set(table, row, "launches", value_int(work->launches));
	if (coverage_suffices((double)(work->tensor_ns + work->plain_ns),
			      (double)work->kernel_ns)) {
		table_set(table, row, "tc_ns", value_int(work->tensor_ns));
		table_set(table, row, "non_tc_ns", value_int(work->plain_ns));
	}
	set_batch(table, row, sum);
	if (times->counts)
		set_bound(table, row, times, work);
	if (times->energy)
		set_energy(table, row, &sum->energy);
}

static void steps_view_add_step(struct table *table, const struct steps_view_times *times,
				uint32_t index)
{
	const struct selection *selection = times->selection;
	const struct step *step = &selection->derived->steps[index];
	struct steps_view_sum sum = { 0 };
	size_t row = table_add_row(table, (struct ref){ REF_STEP, index, 0, 0 });
	sum_step(&sum, times, index);
	STEP_CELLS(table_set);
	if (times->predicted && index < times->predicted->derived->step_count) {
		const struct step *then = &times->predicted->derived->steps[index];
		table_set(table, row, "predicted_ns", value_int(then->end - then->start));
	}
	set_sum(table, row, times, &sum);
}

/* A row for each phase, of all its steps. */
static void steps_view_add_phases(struct table *table, const struct steps_view_times *times)
{
	const struct selection *selection = times->selection;
	struct steps_view_sum sums[PHASES] = { { 0 } };
	int64_t whole = 0;
	for (uint32_t i = 0; i < selection->derived->step_count; i++) {
		const struct step *step = &selection->derived->steps[i];
		if (!is_shown(selection->scope, step))
			continue;
		sum_step(&sums[step->phase], times, i);
		whole += step->end - step->start;
	}
	for (int phase = 0; phase < PHASES; phase++) {
		const struct steps_view_sum *sum = &sums[phase];
		if (!sum->steps)
			continue;
		size_t row = table_add_row(table, NO_REF);
		table_set(table, row, "phase", value_text(phase_name((enum phase)phase)));
		table_set(table, row, "calls", value_int(sum->steps));
		table_set(table, row, "avg_ns", cell_mean(sum->dur, sum->steps));
		table_set(table, row, "share_pct", cell_share(sum->dur, whole));
		set_sum(table, row, times, sum);
	}
	table->default_columns =
		"phase,calls,dur_ns,share_pct,avg_ns,requests,tokens_in,tokens_out,"
		"tokens_per_s,token_ns,bound_ns,bytes,gpu_util_pct,kernel_ns,communication_ns,launches";
}

static bool steps_view_measure(void *context, size_t i, const struct progress *progress)
{
	struct steps_view_times *times = context;
	if (i == 0)
		times->causes = derived_causes(times->selection, &times->own, progress);
	else if (i == 1)
		times->breakdown = breakdown_of_steps(times->selection, progress);
	else
		return count_launches(times, progress);
	return i ? times->breakdown != NULL : times->causes != NULL;
}

/* Statistics, stacks and kernels without durations have no axis of time. */
static bool has_times(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	return derived->steps_from_profile ||
	       ((profile->spans || profile->activities) &&
		profile_has_recorded(profile, RECORDED_DURATIONS) && derived->step_count &&
		derived->steps[0].end > derived->steps[0].start);
}

bool build_steps(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	struct error unread;
	AUTO_RANK struct rank *base =
		query->run->base
			? run_acquire_base(query->run, query->scope->rank, query->progress, &unread)
			: NULL;
	struct steps_view_times times = { .selection = selection };
	if (base && profile_metadata(base->profile, WHATIF_SCENARIO))
		times.predicted = base;
	bool done = parallel_try_rows(profile_rows(selection->profile), 3, steps_view_measure,
				      &times, "measuring steps", query->progress, query->error);
	bool timed = has_times(selection->derived);
	times.energy = energy_new(selection->profile);
	struct value from = cell_step_source(table, selection->derived);
	bool by_phase = query->group && strcmp(query->group, "phase") == 0;
	if (done && timed && by_phase)
		steps_view_add_phases(table, &times);
	for (uint32_t i = 0; done && timed && !by_phase && i < selection->derived->step_count; i++)
		if (is_shown(selection->scope, &selection->derived->steps[i]))
			steps_view_add_step(table, &times, i);
	if (!timed)
		table_note(table, "No times in the profile. %s",
			   profile_recording(selection->profile)->steps);
	else if (!selection->derived->steps_from_profile)
		table_note(table,
			   "No step boundaries in the profile; the whole profile is one step. %s",
			   profile_recording(selection->profile)->steps);
	if (selection->derived->key_node)
		table_note(table, "Each step ends with a run of the key node %s.",
			   profile_string(selection->profile, selection->derived->key_node));
	else if (!step_source_is_recorded(selection->derived) && from.kind == VALUE_TEXT)
		table_note(table,
			   "Steps from %s (--steps-from or :steps-from chooses another source).",
			   from.text); /* the profile does not mark steps */
	if (any_of(i, selection->derived->step_count, selection->derived->steps[i].inferred))
		table_note(table, "Phases and requests are inferred from products, attention and "
				  "graphs.");
	if (times.energy)
		note_telemetry(table, selection->profile);
	energy_free(times.energy);
	causes_free(&times.own);
	mem_free_all(times.breakdown, times.work);
	return done;
}

/*
 * The steps view: step time by class and by cause.
 */
#include "analysis/breakdown.h"
#include "analysis/causes.h"
#include "analysis/coverage.h"
#include "analysis/energy.h"
#include "base/parallel.h"
#include "model/recording.h"
#include "views/views.h"

static bool step_in_scope(const struct selection *selection, const struct step *step)
{
	const struct scope *scope = selection->scope;
	if (scope->has_steps &&
	    (step->number < scope->step_first || step->number > scope->step_last))
		return false;
	return !scope->has_time ||
	       (step->start < scope->time_last && step->end > scope->time_first);
}

/* Work of a step, of kernels their time; those with and without Tensor Cores where known. */
struct steps_view_work {
	int64_t launches, kernel_ns, tensor_ns, plain_ns;
};

struct steps_view_times {
	const struct selection *selection;
	struct breakdown *breakdown;
	const struct causes *causes;
	struct causes own;
	struct energy *energy;        /* NULL: no power was sampled */
	struct steps_view_work *work; /* by step */
};

/* GPU work by the step that launched it, without a launch call by the one it starts in. */
static bool count_launches(struct steps_view_times *times, const struct progress *progress)
{
	const struct selection *selection = times->selection;
	const struct profile *profile = selection->profile;
	times->work = mem_zalloc(selection->derived->step_count, sizeof *times->work);
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t step = selection_step_of_activity(selection->derived, i);
		if (!progress_row(progress, "counting launches", i, profile->activities))
			return false;
		if (step == NO_ROW || !profile_is_work(profile, i) ||
		    !selection_has_activity(selection, i))
			continue;
		struct steps_view_work *work = &times->work[step];
		uint8_t use = selection->derived->activity_tensor[i];
		work->launches++;
		if (profile->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		work->kernel_ns += profile->activity_dur[i];
		work->tensor_ns += use == TENSOR_YES ? profile->activity_dur[i] : 0;
		work->plain_ns += use == TENSOR_NO ? profile->activity_dur[i] : 0;
	}
	return true;
}

static void steps_view_add_step(struct table *table, const struct steps_view_times *times,
				uint32_t index)
{
	const struct selection *selection = times->selection;
	const struct breakdown *breakdown = &times->breakdown[index];
	const int64_t *cause_ns = critical_device(times->causes)->step_ns[index];
	const struct step *step = &selection->derived->steps[index];
	int64_t dur = step->end - step->start;
	size_t row = table_add_row(table, (struct ref){ REF_STEP, index, 0, 0 });
	table_set(table, row, "step", value_int(step->number));
	table_set(table, row, "name", cell_text(selection->profile, step->name));
	table_set(table, row, "start_ns", value_int(step->start));
	table_set(table, row, "dur_ns", value_int(dur));
	for (int class = 0; class < TIME_CLASSES; class ++)
		table_set(table, row, time_class_column((enum time_class) class),
			  value_int(breakdown->ns[class]));
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		table_set(table, row, time_cause_column((enum time_cause)cause),
			  value_int(cause_ns[cause]));
	table_set(table, row, "gpu_util_pct",
		  cell_share(causes_busy(cause_ns) - cause_ns[CAUSE_COPY], dur));
	const struct steps_view_work *work = &times->work[index];
	table_set(table, row, "launches", value_int(work->launches));
	if (coverage_suffices((double)(work->tensor_ns + work->plain_ns),
			      (double)work->kernel_ns)) {
		table_set(table, row, "tc_ns", value_int(work->tensor_ns));
		table_set(table, row, "non_tc_ns", value_int(work->plain_ns));
	}
	table_set(table, row, "partial", value_int(step->partial));
	if (times->energy) {
		struct energy_sum sum = { 0 };
		energy_add(times->energy, -1, step->start, step->end, &sum);
		set_energy(table, row, &sum);
	}
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

static bool build_steps(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	struct steps_view_times times = { .selection = selection };
	bool done = parallel_try(3, steps_view_measure, &times, "measuring steps", query->progress,
				 query->error);
	bool timed = has_times(selection->derived);
	times.energy = energy_new(selection->profile);
	struct value from = cell_step_source(table, selection->derived);
	for (uint32_t i = 0; done && timed && i < selection->derived->step_count; i++)
		if (step_in_scope(selection, &selection->derived->steps[i]))
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
	if (times.energy)
		note_telemetry(table, selection->profile);
	energy_free(times.energy);
	causes_free(&times.own);
	mem_free_all(times.breakdown, times.work);
	return done;
}

const struct view view_steps = {
	.name = "steps",
	.rows_apart = true,
	.title = "Steps",
	.row = "a step",
	.summary =
		"Steps with their time by class and by cause; the eight classes, and the causes from compute to idle, each sum to the step.",
	.columns = "step,name,start_ns,dur_ns,kernel_ns,memcpy_ns,memset_ns,communication_ns,"
		   "runtime_ns,dataloader_ns,cpu_exec_ns,other_ns,gpu_util_pct,launches,partial,"
		   "compute_ns,compute_overlapped_ns,exposed_communication_ns,exposed_copy_ns,"
		   "idle_launch_ns,idle_sync_ns,idle_dataloader_ns,idle_allocator_ns,"
		   "idle_compile_ns,idle_dependency_ns,idle_overhead_ns,idle_host_ns,"
		   "idle_unknown_ns,idle_outside_ns,tc_ns,non_tc_ns,energy_j,energy_known_pct",
	.default_columns =
		"step,dur_ns,kernel_ns,memcpy_ns,memset_ns,communication_ns,runtime_ns,"
		"dataloader_ns,cpu_exec_ns,other_ns,gpu_util_pct,launches,partial,energy_j,"
		"energy_known_pct",
	.key = '7',
	.build = build_steps,
};

#include "analysis/advice/diagnosis.h"

#include "base/parallel.h"
#include "derived/captures.h"

static const char stage[] = "running checks";

/* ---- causes ---- */

/* The idle time of the window; without a device that without communication. */
static bool find_idle(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct device_causes *device = diagnosis->device;
	if (device->device == NO_DEVICE)
		intervals_subtract(&diagnosis->window, &device->set[CAUSE_COMMUNICATION],
				   &diagnosis->idle);
	else
		causes_idle_in(device, &diagnosis->window, &diagnosis->idle);
	return progress_update(progress, stage, 0, 0, 0);
}

/* The time examined of the critical device, which the causes own. */
static void take_time(struct diagnosis *diagnosis)
{
	const struct analysis_window *time = &diagnosis->device->analysis_window;
	MEMBERS(diagnosis, time,
		TAKE(window) TAKE(steps) TAKE(dur) TAKE(head) TAKE(head_ns) TAKE(blocked)
			TAKE(one_off) TAKE(one_off_ns));
	memcpy(diagnosis->cause_ns, time->cause_ns, sizeof diagnosis->cause_ns);
	int64_t left = time->dur;
	for (uint32_t i = 0; i < diagnosis->derived->step_count; i++)
		if (selection_counts_step(diagnosis->selection, i))
			left -= diagnosis->derived->steps[i].end -
				diagnosis->derived->steps[i].start;
	diagnosis->whole_steps = left == 0;
}

/* ---- what the capture is ---- */

enum { STACKS_PERCENT = 50 };

enum { EXAMINE_CAPTURES, EXAMINE_IDLE, EXAMINATIONS };

static bool run_examination(void *context, size_t which, const struct progress *progress)
{
	struct diagnosis *diagnosis = context;
	return which == EXAMINE_IDLE
		       ? find_idle(diagnosis, progress)
		       : captures_prevail(diagnosis->profile, &diagnosis->capturing, progress);
}

bool diagnosis_fill(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct profile *profile = diagnosis->profile;
	take_time(diagnosis);
	for (uint32_t i = 0; i < diagnosis->derived->step_count; i++)
		diagnosis->serving |= diagnosis->derived->steps[i].batch.requests != NO_VALUE;
	diagnosis->stacks = percent_of((double)profile_all_spans(profile, SPAN_PYTHON),
				       (double)profile_all_rows(profile).spans) > STACKS_PERCENT;
	return parallel_try_rows(profile_rows(profile), EXAMINATIONS, run_examination, diagnosis,
				 stage, progress, NULL);
}

FREE_MEMBERS(diagnosis_empty, struct diagnosis, OWN_IN(intervals_free, idle))

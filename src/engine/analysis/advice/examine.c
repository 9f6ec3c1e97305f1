#include "analysis/advice/examine.h"

#include "facts/captures.h"

#include <string.h>

static const char stage[] = "running checks";

/* ---- causes ---- */

/* What the busy causes leave of the window: each instant of it has one cause. */
static bool find_idle(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct intervals *set = diagnosis->device->set;
	bool on = true;
	for (int cause = 0; cause < CAUSE_LAUNCH && on; cause++) {
		struct intervals left = { 0 };
		on = progress_update(progress, stage, 0, CAUSE_LAUNCH, 0);
		if (cause && !set[cause].count)
			continue;
		intervals_subtract(cause ? &diagnosis->idle : &diagnosis->window, &set[cause],
				   &left);
		intervals_free(&diagnosis->idle);
		diagnosis->idle = left;
	}
	return on;
}

/* The time examined of the critical device, which the causes own. */
static void take_time(struct diagnosis *diagnosis)
{
	const struct examined *time = &diagnosis->device->examined;
	diagnosis->window = time->window;
	diagnosis->steps = time->steps;
	diagnosis->dur = time->dur;
	diagnosis->head = time->head;
	diagnosis->head_ns = time->head_ns;
	diagnosis->blocked = time->blocked;
	diagnosis->one_off = time->one_off;
	diagnosis->one_off_ns = time->one_off_ns;
	memcpy(diagnosis->cause_ns, time->cause_ns, sizeof diagnosis->cause_ns);
}

/* ---- what the capture is ---- */

enum { STACKS_PERCENT = 50 };

bool examine(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct profile *profile = diagnosis->profile;
	take_time(diagnosis);
	diagnosis->stacks = percent_of((double)profile_all_spans(profile, SPAN_PYTHON),
				       (double)profile_all_rows(profile).spans) > STACKS_PERCENT;
	return captures_prevail(profile, &diagnosis->capturing, progress) &&
	       find_idle(diagnosis, progress);
}

void examine_release(struct diagnosis *diagnosis)
{
	intervals_free(&diagnosis->idle);
}

#include "analysis/advice/examine.h"

#include "facts/captures.h"

#include <string.h>

static const char stage[] = "running checks";

/* ---- causes ---- */

static bool find_idle(struct diagnosis *diagnosis, const struct progress *progress)
{
	struct intervals common = { 0 };
	bool on = true;
	for (int cause = 0; cause < TIME_CAUSES && on; cause++) {
		on = progress_update(progress, stage, 0, TIME_CAUSES, 0);
		intervals_intersect(&diagnosis->device->set[cause], &diagnosis->window, &common);
		for (size_t i = 0;
		     cause >= CAUSE_LAUNCH && cause < CAUSE_OUTSIDE && i < common.count; i++)
			intervals_add(&diagnosis->idle, common.item[i].start, common.item[i].end);
	}
	if (on)
		intervals_merge(&diagnosis->idle);
	intervals_free(&common);
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

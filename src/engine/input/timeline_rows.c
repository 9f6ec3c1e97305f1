#include "input/timeline_rows.h"

#include "model/flight.h"
#include "model/requests.h"
#include "model/python_stats.h"
#include "model/snapshot.h"
#include "model/totals.h"

#include <math.h>

static bool are_usable(unsigned rules, int64_t start, int64_t end)
{
	return start != NO_VALUE && (end != NO_VALUE || rules & TIMES_OPEN_END) &&
	       (start || !(rules & TIMES_ZERO_START)) && (start || end || !(rules & TIMES_ZEROS));
}

bool row_times(struct profile *profile, unsigned rules, int64_t start, int64_t end, int64_t *dur)
{
	bool open = rules & TIMES_OPEN_END;
	profile->events++;
	*dur = 0;
	if (!are_usable(rules, start, end) ||
	    (end >= start && __builtin_sub_overflow(end, start, dur))) {
		profile_skip(profile, open ? "row without a start" : "row without times");
		return false;
	}
	if (end == NO_VALUE)
		*dur = -1;
	else if (end < start)
		profile_damage(profile, "end before the start", "duration set to 0", UINT64_MAX);
	return true;
}

struct launch_config launch_config_unknown(void)
{
	return (struct launch_config){ .regs_per_thread = -1,
				       .occupancy_pct = NAN,
				       .shared_mem_bytes = -1,
				       .blocks_per_sm = NAN,
				       .warps_per_sm = NAN };
}

bool profile_has_rows(const struct profile *profile)
{
	return profile->spans || profile->activities || profile->memory_count ||
	       profile->counter_count || profile->sample_count || profile->run_count ||
	       (profile->totals && profile->totals->count) ||
	       (profile->flight && profile->flight->count) ||
	       (profile->requests && profile->requests->count) ||
	       (profile->snapshot && profile->snapshot->allocation_count) ||
	       (profile->python &&
		(profile->python->operator_count || profile->python->sample_count));
}

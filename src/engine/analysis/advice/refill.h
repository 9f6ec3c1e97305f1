/*
 * What a blocking call costs after it returns. While it waited for the busy device the host could
 * have launched: without the call it would be that much ahead, and the device would not idle for it
 * until this lead is used up.
 */
#ifndef STRATA_ANALYSIS_ADVICE_REFILL_H
#define STRATA_ANALYSIS_ADVICE_REFILL_H

#include "analysis/advice/detect.h"

struct refill {
	int64_t in_calls, after; /* idle time inside the calls, and that which follows from them */
};

/*
 * Claim the idle time in calls of CAUSE, and that in which the device waits for the host after
 * them: at most as long as they waited for the device before. WITHIN (merged) in the window.
 */
struct refill claim_refill(const struct diagnosis *diagnosis, struct finding *finding,
			   enum time_cause cause, const struct intervals *within);

/* ", and for 3.4 % of step time after that, until its queue is filled again" */
void tell_refill(const struct diagnosis *diagnosis, struct finding *finding,
		 const struct refill *refill);

#endif

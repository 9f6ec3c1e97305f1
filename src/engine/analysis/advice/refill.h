/*
 * What a blocking call costs after it returns. While it waited for the busy device the host could
 * have launched: without the call it would be that much ahead, and the device would not idle for it
 * until this lead is used up.
 */
#pragma once

#include "analysis/advice/detect.h"

struct refill {
	int64_t in_calls, after; /* idle time inside the calls, and that which follows from them */
};

/*
 * Add to OUT the idle time in which the device waits for the host after the runtime calls that
 * MATCH, of threads that launch: at most as long as they waited for the device before.
 * Return how many calls there are.
 */
size_t refill_after(const struct diagnosis *diagnosis, match_span *match, void *context,
		    struct intervals *out);
size_t refill_after_cause(const struct diagnosis *diagnosis, enum time_cause cause,
			  struct intervals *out);
/* Is it one wait in each marked step? A program needs it to tell its loss. */
bool refill_is_one_a_step(const struct diagnosis *diagnosis, size_t calls);

/*
 * Claim the idle time in calls of CAUSE, and that after them. WITHIN (merged) in the window.
 */
struct refill claim_refill(const struct diagnosis *diagnosis, struct finding *finding,
			   enum time_cause cause, const struct intervals *within);

/* ", and for 3.4 % of step time after that, until its queue is filled again" */
void tell_refill(const struct diagnosis *diagnosis, struct finding *finding,
		 const struct refill *refill);

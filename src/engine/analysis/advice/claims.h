/*
 * Claims: what fixing a finding saves is part of this time of the critical device; of what several
 * findings claim, the one with the highest cost gets it (advice/gains.h).
 *
 * A cause has as many intervals as there is work, so that a claim refers to it or to rows if it
 * can, and is made of intervals only while it is read.
 */
#pragma once

#include "analysis/causes.h"

struct diagnosis;
struct finding;

enum claim_kind {
	CLAIM_ITEMS, /* intervals */
	CLAIM_WORK,  /* activities of the critical device */
	CLAIM_IDLE,  /* all idle time of the window */
	CLAIM_CAUSE, /* a cause, in the window: from here on */
};

struct claim {
	enum claim_kind kind;
	struct intervals items;
	uint8_t *rows; /* of CLAIM_WORK, or of intervals made from it: a bit for each activity */
	struct intervals host; /* host time without which there would be no claim; empty: unknown */
};

/* Each replaces a claim of another kind. */
void claim_idle(struct finding *finding);
/* The whole of it, which is the cost of FINDING. */
void claim_cause(const struct diagnosis *diagnosis, struct finding *finding, enum time_cause cause);
/*
 * What of SET (freed) lies in the window and WITHIN (merged), which is the cost unless it is empty.
 * Returns its length. FINDING may be NULL: nothing is claimed.
 */
int64_t claim_common(const struct diagnosis *diagnosis, struct finding *finding,
		     struct intervals *set, const struct intervals *within);
/* The same of host time, within all idle time; the rest of SET is kept for the prediction. */
int64_t claim_host_time(const struct diagnosis *diagnosis, struct finding *finding,
			struct intervals *set);
/* Ignored unless it is critical. */
void claim_activity(const struct diagnosis *diagnosis, struct finding *finding, uint32_t activity);

/* Turn a claim into merged intervals in the window, without those of SET (merged). */
void claim_without(const struct diagnosis *diagnosis, struct finding *finding,
		   const struct intervals *set);
void claim_drop(struct finding *finding);

/* The claimed time in the window, merged; OUT is empty. */
void claim_add(const struct finding *finding, const struct diagnosis *diagnosis,
	       struct intervals *out);

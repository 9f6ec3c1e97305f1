/*
 * Gains: the time that each finding can save, and their order.
 *
 * Every nanosecond of the critical device belongs to at most one finding: the one with the highest
 * cost of those that claim it. So the gains add up to at most the time examined.
 */
#pragma once

#include "analysis/advice/detect.h"

/*
 * Withdraw what the capture cannot carry, and limit the claim to the window and the cost to the
 * claim. Of each finding apart, in any thread.
 */
void gains_prepare(struct finding *finding, const struct diagnosis *diagnosis);

/* Settle costs and order; frees the claims. */
void gains_settle(struct findings *findings, const struct diagnosis *diagnosis);

/* Leave a part of the cost to a finding, and of what is predicted of it; of 0 none. */
void finding_keep(struct finding *finding, double part);

/* Fired by concern and cost, silent, unknown. */
void findings_sort(struct findings *findings);

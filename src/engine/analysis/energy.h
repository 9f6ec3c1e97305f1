/*
 * Energy of devices: the integral over time of their sampled power (COUNTER_POWER).
 *
 * Between two samples the power changes in a straight line. Time before the first, after the last,
 * and between two much further apart than others of the device is not covered: nothing is said of
 * it.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

/* The energy of devices with work by time. NULL: no power was sampled. Free with energy_free. */
struct energy *energy_new(const struct profile *profile);
void energy_free(struct energy *energy); /* NULL is fine */

/* Zeroed: of nothing. */
struct energy_sum {
	double joules;        /* of the covered time */
	int64_t covered, all; /* ns */
};

static inline void energy_sum_add(struct energy_sum *to, const struct energy_sum *from)
{
	to->joules += from->joules;
	to->covered += from->covered;
	to->all += from->all;
}

/* Add what a device (-1: all of them) takes in [FROM, TO). */
void energy_add(const struct energy *energy, int32_t device, int64_t from, int64_t to,
		struct energy_sum *sum);

/* Passes on what is added up of an activity. */
typedef void energy_taker(void *context, uint32_t activity, const struct energy_sum *sum);

/*
 * Divide the energy of the time in which devices work among their kernels, copies and sets: of
 * those that run at once, to the one that starts first. False when cancelled.
 */
bool energy_divide(const struct energy *energy, const struct profile *profile, energy_taker *take,
		   void *context, const struct progress *progress);

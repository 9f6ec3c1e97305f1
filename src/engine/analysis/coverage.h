/*
 * Shares of what is known, and over how much of the whole they are.
 */
#pragma once

#include <math.h>
#include <stdbool.h>

/*
 * Below this share of the whole a figure is not given: what is unknown is no random sample
 * (products are generated more often than copies), and could move it by more than a fifth.
 */
#define COVERAGE_MIN 0.8

/* Are KNOWN of ALL enough to give a figure? */
static inline bool coverage_suffices(double known, double all)
{
	return all > 0 && known >= COVERAGE_MIN * all;
}

/* PART of KNOWN in percent; NaN when too little of ALL is known. */
static inline double coverage_share_pct(double part, double known, double all)
{
	return coverage_suffices(known, all) ? 100 * part / known : NAN;
}

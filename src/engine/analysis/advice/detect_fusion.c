/*
 * Detectors of kernels that could be one: chains of pointwise kernels, normalization in single
 * operators.
 */
#include "analysis/advice/judge_kernels.h"

#include <stdlib.h>

enum { NORM_REACH = 4 }; /* kernels between mean and inverse square root */

/* By activity; 0: not in a chain. */
enum { CHAIN_KEPT = 1, CHAIN_SAVED = 2 };

/* Chains end at the edge of the scope. */
static bool is_unfused(const struct diagnosis *diagnosis, uint32_t activity)
{
	struct kernel_name name = kernel_named(diagnosis, activity);
	return activity_counts(diagnosis, activity) &&
	       diagnosis->profile->activity_kind[activity] == ACTIVITY_KERNEL &&
	       (name.family == FAMILY_POINTWISE || name.family == FAMILY_COPY) &&
	       !(name.traits & KERNEL_COMPILED);
}

/* A fused kernel reads and writes at least what the longest one does: the others are saved. */
static void mark_chain(const struct profile *profile, uint8_t *part, uint32_t first, uint32_t end)
{
	uint32_t longest = first;
	for (uint32_t i = first; i < end; i++) {
		part[i] = CHAIN_SAVED;
		if (profile->activity_dur[i] > profile->activity_dur[longest])
			longest = i;
	}
	part[longest] = CHAIN_KEPT;
}

/*
 * Of the longest kernel, the operands but one, which other kernels of the chain may have written:
 * "at::detail::Array<char*, 3>" reads two and writes one.
 */
static double operands_within(const struct diagnosis *diagnosis, uint32_t activity)
{
	static const char tensors[] = "<char*, ";
	const struct profile *profile = diagnosis->profile;
	const char *at = strstr(profile_string(profile, profile->activity_name[activity]), tensors);
	long count = at ? strtol(at + sizeof tensors - 1, NULL, 10) : 0;
	return count > 2 ? (double)(count - 2) / (double)count : 0;
}

static JUDGE_KERNEL(judge_part)
{
	const uint8_t *part = context;
	double saved = part[activity] == CHAIN_SAVED  ? 1
		       : part[activity] == CHAIN_KEPT ? operands_within(diagnosis, activity)
						      : 0;
	return (struct judgment){ false, part[activity], saved };
}

/* The same kernel once more, by itself as far as is recorded: measured again, not a part. */
static bool is_measured_again(const struct profile *profile, uint32_t activity)
{
	return profile->activity_launch[activity] == NO_ROW &&
	       profile->activity_name[activity] == profile->activity_name[activity - 1];
}

static void find_pointwise(const struct diagnosis *diagnosis, const struct track *track,
			   uint8_t *part)
{
	uint32_t end = track->first_activity + track->activities, next;
	for (uint32_t i = track->first_activity; i < end; i = next) {
		for (next = i; next < end && detect_row(diagnosis, next) &&
			       is_unfused(diagnosis, next) &&
			       (next == i || !is_measured_again(diagnosis->profile, next));)
			next++;
		if (next - i > 1)
			mark_chain(diagnosis->profile, part, i, next);
		next += next == i;
	}
}

typedef void find_chains(const struct diagnosis *diagnosis, const struct track *track,
			 uint8_t *part);

static void check_chains(const struct diagnosis *diagnosis, struct finding *finding,
			 find_chains *find)
{
	const struct profile *profile = diagnosis->profile;
	AUTO_FREE uint8_t *part = mem_zalloc((size_t)profile->activities + 1, 1);
	for (uint32_t t = 0; t < profile->track_count; t++)
		if (profile->tracks[t].device >= 0)
			find(diagnosis, &profile->tracks[t], part);
	check_kernels(diagnosis, finding, &(struct kernel_check){ judge_part, NULL, part });
}

void detect_pointwise(const struct diagnosis *diagnosis, struct finding *finding)
{
	check_chains(diagnosis, finding, find_pointwise);
}

/* ---- normalization ---- */

/* The mean before the inverse square root at ACTIVITY; NO_ROW. */
static uint32_t mean_before(const struct diagnosis *diagnosis, const struct track *track,
			    uint32_t activity)
{
	for (uint32_t i = activity; i > track->first_activity && activity - i < NORM_REACH;) {
		uint8_t family = kernel_named(diagnosis, --i).family;
		if (!activity_counts(diagnosis, i))
			return NO_ROW;
		if (family == FAMILY_REDUCE)
			return i;
		if (family != FAMILY_POINTWISE && family != FAMILY_COPY)
			return NO_ROW;
	}
	return NO_ROW;
}

/* Square, mean, plus epsilon, inverse square root, product. */
static void find_norms(const struct diagnosis *diagnosis, const struct track *track, uint8_t *part)
{
	uint32_t end = track->first_activity + track->activities;
	for (uint32_t i = track->first_activity; i < end && detect_row(diagnosis, i); i++) {
		struct kernel_name name = kernel_named(diagnosis, i);
		if (diagnosis->profile->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		if (name.traits & KERNEL_NATIVE_NORM)
			part[i] = CHAIN_SAVED;
		uint32_t mean =
			name.traits & KERNEL_RSQRT ? mean_before(diagnosis, track, i) : NO_ROW;
		if (mean == NO_ROW)
			continue;
		uint32_t first = mean, last = i;
		if (first > track->first_activity && is_unfused(diagnosis, first - 1))
			first--;
		if (last + 1 < end && is_unfused(diagnosis, last + 1))
			last++;
		mark_chain(diagnosis->profile, part, first, last + 1);
	}
}

void detect_norm_unfused(const struct diagnosis *diagnosis, struct finding *finding)
{
	check_chains(diagnosis, finding, find_norms);
}

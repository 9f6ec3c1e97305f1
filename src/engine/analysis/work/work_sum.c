/*
 * Sums of work over activities and spans, with what is known of them.
 */
#include "analysis/work/work_private.h"
#include "base/check.h"
#include "base/prefix_sum.h"
#include "derived/derived.h"
#include "derived/derived_cache.h"

#include <math.h>

static const char stage[] = "adding up FLOPs";

/* ---- sums by span ---- */

static void add_work(struct work_known *sum, struct work work, bool computes, bool estimated)
{
	if (!isnan(work.flops))
		sum->flops += work.flops;
	if (!isnan(work.bytes))
		sum->bytes += work.bytes;
	sum->with_flops += !isnan(work.flops);
	sum->without_flops += isnan(work.flops) && computes;
	sum->with_bytes += !isnan(work.bytes);
	sum->without_bytes += isnan(work.bytes);
	sum->estimated_bytes += estimated && !isnan(work.bytes);
}

/* Copies and sets of recorded size compute nothing, known or not. */
static bool computes(const struct work_counts *counts, const struct profile *profile,
		     uint32_t activity)
{
	return profile->activity_kind[activity] == ACTIVITY_KERNEL ||
	       work_call_of(counts, activity) != NO_ROW;
}

static bool is_launched(const struct derived *derived, uint32_t activity)
{
	return derived->activity_operator[activity] != NO_ROW &&
	       derived->profile->activity_kind[activity] != ACTIVITY_SYNC;
}

static bool mark_entries(struct work_prefixes *prefixes, const struct work_counts *counts,
			 const struct derived *derived, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage)
		if (is_launched(derived, i))
			marks_set(&prefixes->spans, derived->activity_operator[i]);
	for_rows (ok, i, counts->on_device ? 0 : counts->count, progress, stage)
		if (counts->calls[i].counts && !counts->calls[i].sharers)
			marks_set(&prefixes->spans, counts->calls[i].span);
	return ok;
}

static bool fill_entries(struct work_prefixes *prefixes, const struct work_counts *counts,
			 const struct derived *derived, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage)
		if (is_launched(derived, i))
			add_work(&prefixes->entry[marks_before(&prefixes->spans,
							       derived->activity_operator[i])],
				 work_of_activity(counts, profile, i), computes(counts, profile, i),
				 work_is_estimate(counts, i));
	for_rows (ok, i, counts->on_device ? 0 : counts->count, progress, stage) {
		const struct counted_call *call = &counts->calls[i];
		if (call->counts && !call->sharers) /* else copies are its work */
			add_work(&prefixes->entry[marks_before(&prefixes->spans, call->span)],
				 call->own, true, true);
	}
	return ok;
}

static void add_known(struct work_known *to, const struct work_known *from)
{
	MEMBERS(to, from,
		PLUS(flops) PLUS(bytes) PLUS(with_flops) PLUS(without_flops) PLUS(with_bytes)
			PLUS(without_bytes) PLUS(estimated_bytes));
}

static void free_prefixes(void *made)
{
	AUTO_FREE struct work_prefixes *prefixes = made;
	marks_free(&prefixes->spans);
	mem_free(prefixes->entry);
}

static void *add_up_work(const void *from, const struct progress *progress)
{
	const struct derived *derived = from;
	const struct work_counts *counts = derived_work(derived, progress);
	if (!counts)
		return NULL;
	struct work_prefixes *prefixes = mem_zalloc(1, sizeof *prefixes);
	prefixes->spans = marks_new(derived->profile->spans);
	bool ok = mark_entries(prefixes, counts, derived, progress);
	if (ok) {
		uint32_t entries = marks_count(&prefixes->spans);
		prefixes->entry = mem_zalloc((size_t)entries + 1, sizeof *prefixes->entry);
		ok = fill_entries(prefixes, counts, derived, progress);
		exclusive_prefix_sum(prefixes->entry, entries, add_known);
	}
	return keep_if(ok, prefixes, free_prefixes);
}

const struct work_prefixes *derived_work_prefixes(const struct derived *derived,
						  const struct progress *progress)
{
	static const struct derived_slot slot = { add_up_work, free_prefixes };
	return derived_cache_get(derived, &slot, derived, progress);
}

/* ---- sums ---- */

void work_sum_add(struct work_sum *to, const struct work_sum *from)
{
	add_known(&to->known, &from->known);
	MEMBERS(to, from, PLUS(kernel_ns) PLUS(flops_ns) PLUS(bytes_ns));
}

void work_sum_call(struct work_sum *sum, struct work work)
{
	add_work(&sum->known, work, true, true);
}

void work_sum_activity(struct work_sum *sum, const struct work_counts *counts,
		       const struct profile *profile, uint32_t activity)
{
	struct work work = work_of_activity(counts, profile, activity);
	if (profile->activity_kind[activity] == ACTIVITY_SYNC)
		return;
	add_work(&sum->known, work, computes(counts, profile, activity),
		 work_is_estimate(counts, activity));
	if (profile->activity_kind[activity] != ACTIVITY_KERNEL)
		return;
	sum->kernel_ns += profile->activity_dur[activity];
	sum->flops_ns += isnan(work.flops) ? 0 : profile->activity_dur[activity];
	sum->bytes_ns += isnan(work.bytes) ? 0 : profile->activity_dur[activity];
}

void work_sum_spans(struct work_sum *sum, const struct work_prefixes *prefixes, uint32_t first,
		    uint32_t size)
{
	require((size_t)first + size < prefixes->spans.words * 64, "%u spans from %u on", size,
		first);
	const struct work_known *from = &prefixes->entry[marks_before(&prefixes->spans, first)];
	const struct work_known *to =
		&prefixes->entry[marks_before(&prefixes->spans, first + size)];
	const struct work_known between = {
		.flops = to->flops - from->flops,
		.bytes = to->bytes - from->bytes,
		.with_flops = to->with_flops - from->with_flops,
		.without_flops = to->without_flops - from->without_flops,
		.with_bytes = to->with_bytes - from->with_bytes,
		.without_bytes = to->without_bytes - from->without_bytes,
		.estimated_bytes = to->estimated_bytes - from->estimated_bytes,
	};
	add_known(&sum->known, &between);
}

static double known(long double sum, uint32_t with, uint32_t without)
{
	return !with || (!(sum > 0) && without) ? NAN : (double)sum;
}

struct work work_sum_value(const struct work_sum *sum)
{
	const struct work_known *of = &sum->known;
	return (struct work){ known(of->flops, of->with_flops, of->without_flops),
			      known(of->bytes, of->with_bytes, of->without_bytes) };
}

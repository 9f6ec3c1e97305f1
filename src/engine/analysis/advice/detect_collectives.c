/*
 * Detectors of the operations of a communication library: size, bandwidth, order, and bubbles of a
 * pipeline.
 */
#include "analysis/advice/detect.h"
#include "analysis/collectives.h"
#include "base/compare.h"
#include "model/recording.h"

#include <math.h>
#include <stdlib.h>

enum { COLLECTIVE_LIMIT_ROWS(_) };

/* The operations of the profile that is examined, and what other ranks tell of them. */
struct messages {
	const struct rank_summary *summary; /* NULL: none */
	const int64_t *transfer;            /* by operation; NULL: not matched */
};

static struct messages messages_of(const struct diagnosis *diagnosis)
{
	const struct run *run = diagnosis->run;
	struct messages messages = { NULL, NULL };
	size_t rank = diagnosis_rank(diagnosis);
	if (rank == SIZE_MAX)
		return messages;
	messages.summary = run->ranks[rank].summary;
	messages.transfer = run->matches ? run->matches->transfer[rank] : NULL;
	return messages;
}

/* The time of an operation in the profile; empty when it does not count. */
static struct interval detect_collectives_time_of(const struct diagnosis *diagnosis,
						  const struct collective *operation)
{
	const struct profile *profile = diagnosis->profile;
	int64_t zero;
	struct interval at = { 0, 0 };
	if (__builtin_add_overflow(profile->epoch_ns, profile->base_ns, &zero) ||
	    __builtin_sub_overflow(operation->start, zero, &at.start) ||
	    __builtin_sub_overflow(operation->end, zero, &at.end) || at.end < at.start ||
	    !in_window(diagnosis, at.start))
		return (struct interval){ 0, 0 };
	return at;
}

static const char *detect_collectives_name_of(const struct messages *messages,
					      const struct collective *operation)
{
	return intern_text(messages->summary->strings, operation->name);
}

/* Claim what of TIMES (freed) is exposed; returns its length. */
static int64_t claim_exposed_times(const struct diagnosis *diagnosis, struct finding *finding,
				   struct intervals *times)
{
	return claim_common(diagnosis, finding, times,
			    &diagnosis->device->set[CAUSE_COMMUNICATION]);
}

/* ---- small messages ---- */

void detect_small_messages(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct messages messages = messages_of(diagnosis);
	struct intervals times = { 0 }, waits = { 0 }, idle = { 0 };
	int64_t last = INT64_MAX, count = 0, sized = 0, small = 0,
		steps = diagnosis->steps ? diagnosis->steps : 1;
	size_t all = messages.summary ? messages.summary->collective_count : 0;
	for (size_t i = 0; i < all && detect_row(diagnosis, i); i++) {
		const struct collective *operation = &messages.summary->collectives[i];
		struct interval at = detect_collectives_time_of(diagnosis, operation);
		if (at.end == at.start)
			continue;
		count++;
		sized += operation->bytes != NO_VALUE;
		if (operation->bytes == NO_VALUE || operation->bytes >= SMALL_MESSAGE)
			continue;
		small++;
		intervals_add(&times, at.start, at.end);
		if (at.start > last && at.start - last <= MESSAGE_GAP)
			intervals_add(&times, last, at.start);
		last = at.end;
	}
	waits_for_peers(diagnosis, &waits);
	intervals_merge(&times);
	intervals_subtract(&times, &waits, &times);
	intervals_free(&waits);
	intervals_unite(&diagnosis->idle, &diagnosis->device->set[CAUSE_COMMUNICATION], &idle);
	int64_t exposed = claim_common(diagnosis, finding, &times, &idle);
	intervals_free(&idle);
	if (count && 2 * sized < count)
		report_unknown(finding, profile_how_to_record(diagnosis->profile, RECORDED_SHAPES),
			       "The sizes of most messages were not recorded.");
	else if (2 * small > sized && small >= SMALL_A_STEP * steps &&
		 window_percent(diagnosis, exposed) >= SMALL_PERCENT)
		report_problem(
			finding,
			"%s of %s messages are smaller than 1 MiB; %s and the gaps between them are exposed for %s (%s)",
			COUNT(small), COUNT(sized), messages.transfer ? "their transfers" : "they",
			DURATION(exposed), share_of_time(SHARE, diagnosis, exposed));
	else
		report_ok(finding, "%s of %s messages are smaller than 1 MiB.", COUNT(small),
			  COUNT(sized));
}

/* ---- bandwidth ---- */

struct transfer {
	uint32_t name, operation;
	int64_t bytes, ns;
};

COMPARE_MEMBERS(compare_transfers, struct transfer, UP(name) UP(bytes) UP(ns))

/* Matched operations of 1 MiB or more, by name, size and time; mem_free. */
static struct transfer *collect_transfers(const struct diagnosis *diagnosis,
					  const struct messages *messages, size_t *count)
{
	size_t all = messages->transfer ? messages->summary->collective_count : 0;
	struct transfer *transfers = mem_alloc((all + 1) * sizeof *transfers);
	*count = 0;
	for (size_t i = 0; i < all && detect_row(diagnosis, i); i++) {
		const struct collective *operation = &messages->summary->collectives[i];
		struct interval at = detect_collectives_time_of(diagnosis, operation);
		if (at.end == at.start || messages->transfer[i] == NO_VALUE ||
		    messages->transfer[i] <= 0 || operation->bytes == NO_VALUE ||
		    operation->bytes < SMALL_MESSAGE)
			continue;
		transfers[(*count)++] =
			(struct transfer){ operation->name, (uint32_t)i, operation->bytes,
					   messages->transfer[i] };
	}
	qsort(transfers, *count, sizeof *transfers, compare_transfers);
	return transfers;
}

struct detect_collectives_bandwidth {
	double link;    /* bytes/s; NAN: unknown, or not all on one host */
	double lost_ns; /* beyond the median of the same size, or below the link */
	double worst;   /* share of what was expected */
	int64_t operations;
	uint32_t worst_operation;
	bool of_link;
	struct intervals transfers; /* of the slow ones: waiting for peers is none */
};

/* Are the ranks of this operation, and all that are open, on one host? */
static bool on_one_host(const struct diagnosis *diagnosis, const struct collective *operation)
{
	const struct run *run = diagnosis->run;
	const struct rank_summary *first = run->ranks[0].summary;
	if (operation->group_size == NO_VALUE || operation->group_size > HOST_RANKS ||
	    operation->group_size > (int64_t)run->rank_count || !first->host)
		return false;
	const char *host = intern_text(first->strings, first->host);
	for (size_t i = 1; i < run->rank_count; i++) {
		const struct rank_summary *at = run->ranks[i].summary;
		if (!at->host || strcmp(intern_text(at->strings, at->host), host) != 0)
			return false;
	}
	return true;
}

/* What a transfer takes at least: half of the link's bandwidth is reached in practice. */
static double expected_ns(const struct diagnosis *diagnosis, const struct messages *messages,
			  const struct transfer *transfer, double median, bool *of_link)
{
	const struct collective *operation = &messages->summary->collectives[transfer->operation];
	const struct profile *profile = diagnosis->profile;
	const struct device *device = profile_device(profile, diagnosis->device->device);
	double link = device ? device_link_bytes(profile_string(profile, device->name)) : NAN;
	*of_link = false;
	if (transfer->bytes < LARGE_MESSAGE || !isfinite(link) ||
	    !on_one_host(diagnosis, operation))
		return median;
	double bus = (double)transfer->bytes *
		     collective_bus_factor(detect_collectives_name_of(messages, operation),
					   operation->group_size);
	double least = 1e9 * bus / link;
	if (100 * least >= LINK_LOW * median)
		return median;
	*of_link = true;
	return least;
}

static void judge_size(const struct diagnosis *diagnosis, const struct messages *messages,
		       const struct transfer *transfers, size_t count,
		       struct detect_collectives_bandwidth *found)
{
	double median = (double)transfers[count / 2].ns;
	for (size_t i = 0; i < count; i++) {
		bool of_link;
		double ns = (double)transfers[i].ns;
		double expected = expected_ns(diagnosis, messages, &transfers[i], median, &of_link);
		bool slow =
			of_link ? ns > expected : count >= SLOW_MIN && ns > SLOW_FACTOR * median;
		if (!slow)
			continue;
		struct interval at = detect_collectives_time_of(
			diagnosis, &messages->summary->collectives[transfers[i].operation]);
		intervals_add(&found->transfers, at.end - transfers[i].ns, at.end);
		found->operations++;
		found->lost_ns += ns - expected;
		found->of_link |= of_link;
		if (expected / ns < found->worst) {
			found->worst = expected / ns;
			found->worst_operation = transfers[i].operation;
		}
	}
}

void detect_bus_bandwidth(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct messages messages = messages_of(diagnosis);
	struct detect_collectives_bandwidth found = { NAN, 0, 1, 0, NO_ROW, false, { 0 } };
	size_t count;
	if (!need_ranks(diagnosis, finding, true))
		return;
	AUTO_FREE struct transfer *transfers = collect_transfers(diagnosis, &messages, &count);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && transfers[end].name == transfers[i].name &&
				  transfers[end].bytes == transfers[i].bytes;)
			end++;
		judge_size(diagnosis, &messages, transfers + i, end - i, &found);
	}
	int64_t exposed = claim_exposed_times(diagnosis, finding, &found.transfers);
	int64_t cost = found.lost_ns < (double)exposed ? (int64_t)found.lost_ns : exposed;
	if (found.operations && cost > 0 &&
	    percent_of(found.lost_ns, (double)diagnosis->dur) >=
		    (found.of_link ? LINK_PERCENT : SLOW_PERCENT)) {
		const struct collective *worst =
			&messages.summary->collectives[found.worst_operation];
		report_problem(
			finding,
			"%s of %zu operations of 1 MiB or more take %s too long; %s of %s reaches %s %% of %s",
			COUNT(found.operations), count, DURATION((int64_t)found.lost_ns),
			detect_collectives_name_of(&messages, worst), BYTES(worst->bytes),
			PERCENT(found.worst, 1),
			found.of_link ? "the link's bandwidth" : "the median bandwidth");
		finding->longest = detect_collectives_time_of(diagnosis, worst);
		finding->cost_ns = cost;
	} else {
		report_ok(finding, "%zu operations of 1 MiB or more; none is slow.", count);
	}
}

/* ---- the bubble of a pipeline ---- */

void detect_pipeline_bubble(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct messages messages = messages_of(diagnosis);
	struct intervals times = { 0 };
	int64_t count = 0, waited = 0, total = 0;
	if (!need_ranks(diagnosis, finding, true))
		return;
	size_t all = messages.transfer ? messages.summary->collective_count : 0;
	for (size_t i = 0; i < all && detect_row(diagnosis, i); i++) {
		const struct collective *operation = &messages.summary->collectives[i];
		struct interval at = detect_collectives_time_of(diagnosis, operation);
		if (at.end == at.start || messages.transfer[i] == NO_VALUE ||
		    !collective_is_message(detect_collectives_name_of(&messages, operation)))
			continue;
		count++;
		total += at.end - at.start;
		waited += at.end - at.start - messages.transfer[i];
		intervals_add(&times, at.start, at.end);
	}
	int64_t exposed = claim_exposed_times(diagnosis, finding, &times);
	int64_t cost = waited < exposed ? waited : exposed;
	finding->cost_ns = cost;
	if (count >= BUBBLE_MIN && window_percent(diagnosis, cost) >= BUBBLE_PERCENT)
		report_problem(
			finding,
			"This stage waits for its neighbors for %s of %s in %s sends and receives (%s)",
			DURATION(waited), DURATION(total), COUNT(count),
			share_of_time(SHARE, diagnosis, cost));
	else
		report_ok(finding, "%s sends and receives wait for %s.", COUNT(count),
			  DURATION(waited));
}

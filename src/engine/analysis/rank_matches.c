#include "analysis/rank_matches.h"

#include "base/check.h"
#include "base/buffer.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/text_slice.h"
#include "derived/intervals.h"
#include "model/run.h"

#include <inttypes.h>

/* A rank's operation with its cross-rank key. */
struct rank_matches_entry {
	uint32_t key, rank, index, group;
};

/* Minimum operations and margin of a straggler; of that few it has to be the last in each. */
enum { OPERATIONS_MIN = 2, LEAD_FACTOR = 2, LEAD_MIN_PERCENT_OF_STEP = 1 };

COMPARE_MEMBERS(compare_entries, struct rank_matches_entry, UP(key) UP(rank) UP(index))

/* Sizes may differ by rank and are not part of the key. */
static bool is_uneven(const char *name)
{
	return text_holds_one(name, "all_to_all|alltoall|send|recv|gather|scatter");
}

/* Write the cross-rank key of an operation, without its occurrence. */
static void key_text(struct buffer *out, const struct rank_summary *summary,
		     const struct collective *collective)
{
	const char *name = intern_text(summary->strings, collective->name);
	buffer_clear(out);
	buffer_printf(out, "%s\t", intern_text(summary->strings, collective->group));
	if (collective->pair) { /* numbered by each rank on its own, but they keep their order */
		buffer_printf(out, "%s\t%" PRId64, intern_text(summary->strings, collective->pair),
			      collective->step);
		return;
	}
	if (collective->sequence != NO_VALUE) {
		buffer_printf(out, "%" PRId64, collective->sequence);
		return;
	}
	buffer_printf(out, "%s\t%s\t%" PRId64 "\t%" PRId64, name,
		      intern_text(summary->strings, collective->dtype),
		      is_uneven(name) ? 0 : collective->bytes, collective->step);
}

static const char stage[] = "matching ranks";

enum { WEIGHT = 16 }; /* cost of an operation */

/* The operations of all ranks, sorted by key; NULL when cancelled. */
static struct rank_matches_entry *make_entries(const struct run *run, struct intern *groups,
					       size_t *count, const struct progress *progress)
{
	AUTO_INTERN struct intern *keys = intern_new();
	AUTO_BUFFER struct buffer text = { 0 };
	size_t total = 0, out = 0;
	bool ok = true;
	for (size_t r = 0; r < run->rank_count; r++)
		total += run->ranks[r].summary->collective_count;
	struct rank_matches_entry *entries = mem_alloc((total + 1) * sizeof *entries);
	for (size_t r = 0; ok && r < run->rank_count; r++) {
		const struct rank_summary *summary = run->ranks[r].summary;
		AUTO_HASH struct hash *seen = hash_new(64); /* by key: occurrences on this rank */
		for (size_t i = 0; ok && i < summary->collective_count; i++) {
			ok = progress_heavy_row(progress, stage, out, total, WEIGHT);
			key_text(&text, summary, &summary->collectives[i]);
			uint32_t plain = intern_add(keys, BUFFERED(&text));
			uint32_t occurrence = hash_last(seen, plain) + 1;
			hash_add(seen, plain, occurrence);
			buffer_printf(&text, "\t#%" PRIu32, occurrence);
			const char *group =
				intern_text(summary->strings, summary->collectives[i].group);
			entries[out++] = (struct rank_matches_entry){
				intern_add(keys, BUFFERED(&text)), (uint32_t)r, (uint32_t)i,
				intern_add(groups, group, strlen(group))
			};
		}
	}
	*count = out;
	return mem_if(ok && sort_runs(entries, out, sizeof *entries, compare_entries, progress),
		      entries);
}

static const struct collective *collective_of(const struct run *run,
					      const struct rank_matches_entry *entry)
{
	return &run->ranks[entry->rank].summary->collectives[entry->index];
}

/* ---- clocks ---- */

/* Differences of a rank's ends from the mean ends of its operations. */
struct distances {
	GROWING(int64_t, value, count);
};

static int64_t median(struct distances *distances)
{
	if (!distances->count)
		return 0;
	qsort(distances->value, distances->count, sizeof *distances->value, compare_int64);
	return distances->value[distances->count / 2];
}

static void add_distance(struct distances *distances, int64_t value)
{
	*mem_push(distances->value, distances->count) = value;
}

/* ---- matching ---- */

struct rank_matches_matching {
	const struct run *run;
	struct rank_matches *matches;
	struct distances *ends; /* by rank */
	struct intern *groups;
	/* by group * ranks + rank */
	int64_t *group_wait;
	size_t *group_matched;
	size_t *group_last; /* of these, in how many it waits for none */
};

/* Match COUNT entries of one key, if on more than one rank. */
static void match_group(struct rank_matches_matching *matching,
			const struct rank_matches_entry *group, size_t count)
{
	const struct run *run = matching->run;
	struct rank_matches *matches = matching->matches;
	if (count < 2) {
		matches->unmatched += count;
		return;
	}
	int64_t transfer = INT64_MAX, first_end = collective_of(run, group)->end, sum = 0;
	for (size_t i = 0; i < count; i++) {
		const struct collective *collective = collective_of(run, &group[i]);
		int64_t dur = collective->end - collective->start;
		transfer = dur < transfer ? dur : transfer;
		sum += collective->end - first_end;
	}
	for (size_t i = 0; i < count; i++) {
		const struct collective *collective = collective_of(run, &group[i]);
		uint32_t rank = group[i].rank;
		matches->transfer[rank][group[i].index] = transfer;
		size_t cell = group[i].group * run->rank_count + rank;
		matching->group_wait[cell] += collective->end - collective->start - transfer;
		matching->group_matched[cell]++;
		matching->group_last[cell] += collective->end - collective->start == transfer;
		matches->wait[rank] += collective->end - collective->start - transfer;
		matches->matched[rank]++;
		add_distance(&matching->ends[rank],
			     collective->end - first_end - sum / (int64_t)count);
	}
}

/* The median spread of the ends of an operation after aligning clocks. */
static void find_residual(struct rank_matches_matching *matching,
			  const struct rank_matches_entry *entries, size_t count)
{
	const struct run *run = matching->run;
	struct rank_matches *matches = matching->matches;
	struct distances spreads = { 0 };
	for (size_t i = 0, next; i < count; i = next) {
		int64_t low = INT64_MAX, high = INT64_MIN;
		for (next = i; next < count && entries[next].key == entries[i].key; next++) {
			int64_t end = collective_of(run, &entries[next])->end -
				      matches->clock_offset[entries[next].rank];
			low = end < low ? end : low;
			high = end > high ? end : high;
		}
		if (next - i > 1)
			add_distance(&spreads, high - low);
	}
	if (spreads.count)
		matches->residual = median(&spreads);
	mem_free(spreads.value);
}

/* The straggler waits least; the others wait for it. */
static void find_straggler(struct rank_matches_matching *matching, uint32_t group)
{
	const struct run *run = matching->run;
	struct rank_matches *matches = matching->matches;
	const int64_t *wait = matching->group_wait + group * run->rank_count;
	const size_t *matched = matching->group_matched + group * run->rank_count;
	const size_t *last = matching->group_last + group * run->rank_count;
	size_t least = SIZE_MAX, next = SIZE_MAX;
	for (size_t r = 0; r < run->rank_count; r++) {
		if (matched[r] < OPERATIONS_MIN)
			continue;
		if (least == SIZE_MAX || wait[r] < wait[least]) {
			next = least;
			least = r;
		} else if (next == SIZE_MAX || wait[r] < wait[next]) {
			next = r;
		}
	}
	if (next == SIZE_MAX)
		return;
	if (matched[least] == OPERATIONS_MIN && last[least] < matched[least])
		return;
	int64_t lead = wait[next] - wait[least];
	struct scope whole;
	scope_init(&whole);
	int64_t step = rank_mean_step(run->ranks[least].summary, &whole).dur;
	if (wait[next] < LEAD_FACTOR * wait[least] ||
	    lead < step / 100 * LEAD_MIN_PERCENT_OF_STEP || lead == 0)
		return;
	size_t count = matches->straggler_count + 1;
	matches->stragglers = mem_realloc(matches->stragglers, count, sizeof *matches->stragglers);
	matches->stragglers[matches->straggler_count++] = (struct straggler){
		.group = mem_strdup(intern_text(matching->groups, group)),
		.rank = least,
		.lead = lead,
	};
}

static struct rank_matches *new_matches(const struct run *run)
{
	struct rank_matches *matches = mem_zalloc(1, sizeof *matches);
	matches->ranks = run->rank_count;
	matches->transfer = mem_zalloc(run->rank_count, sizeof *matches->transfer);
	matches->next = mem_zalloc(run->rank_count, sizeof *matches->next);
	matches->wait = mem_zalloc(run->rank_count, sizeof *matches->wait);
	matches->matched = mem_zalloc(run->rank_count, sizeof *matches->matched);
	matches->clock_offset = mem_zalloc(run->rank_count, sizeof *matches->clock_offset);
	matches->residual = NO_VALUE;
	for (size_t r = 0; r < run->rank_count; r++) {
		size_t count = run->ranks[r].summary->collective_count;
		matches->transfer[r] = mem_alloc((count + 1) * sizeof **matches->transfer);
		matches->next[r] = mem_zalloc(count + 1, sizeof **matches->next);
		for (size_t i = 0; i < count; i++)
			matches->transfer[r][i] = NO_VALUE;
	}
	return matches;
}

static void link_group(struct rank_matches *matches, const struct rank_matches_entry *entries,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct rank_matches_entry *next = &entries[(i + 1) % count];
		matches->next[entries[i].rank][entries[i].index] =
			(struct rank_operation){ next->rank, next->index };
	}
}

struct rank_matches *rank_match(const struct run *run, const struct progress *progress)
{
	size_t count;
	struct rank_matches_matching matching = { .run = run, .groups = intern_new() };
	struct rank_matches_entry *entries = make_entries(run, matching.groups, &count, progress);
	if (!entries) {
		intern_free(matching.groups);
		return NULL;
	}
	size_t cells = intern_count(matching.groups) * run->rank_count;
	matching.matches = new_matches(run);
	matching.ends = mem_zalloc(run->rank_count, sizeof *matching.ends);
	matching.group_wait = mem_zalloc(cells, sizeof *matching.group_wait);
	matching.group_matched = mem_zalloc(cells, sizeof *matching.group_matched);
	matching.group_last = mem_zalloc(cells, sizeof *matching.group_last);
	bool ok = true;
	uint64_t operations = 0;
	for (size_t i = 0, next; ok && i < count; i = next) {
		for (next = i; next < count && entries[next].key == entries[i].key;)
			next++;
		match_group(&matching, entries + i, next - i);
		link_group(matching.matches, entries + i, next - i);
		ok = progress_heavy_row(progress, stage, operations++, count, WEIGHT);
	}
	for (size_t r = 0; r < run->rank_count; r++) {
		matching.matches->clock_offset[r] = median(&matching.ends[r]);
		mem_free(matching.ends[r].value);
	}
	if (ok)
		find_residual(&matching, entries, count);
	for (uint32_t group = 0; ok && group < intern_count(matching.groups); group++)
		find_straggler(&matching, group);
	mem_free_all(matching.ends, matching.group_wait, matching.group_matched,
		     matching.group_last);
	intern_free(matching.groups);
	mem_free(entries);
	if (ok)
		return matching.matches;
	rank_matches_free(matching.matches);
	return NULL;
}

/* Where the rank waits and none of its operations transfers: of STEP, or of ALL. */
static void find_waits(const struct run *run, size_t rank, bool all, int64_t step,
		       struct intervals *out)
{
	const struct rank_summary *summary = run->ranks[rank].summary;
	AUTO_INTERVALS struct intervals transfers = { 0 };
	require(run->matches, "the ranks are not matched");
	out->count = 0;
	for (size_t i = 0; i < summary->collective_count; i++) {
		const struct collective *collective = &summary->collectives[i];
		int64_t transfer = run->matches->transfer[rank][i];
		if ((!all && collective->step != step) || transfer == NO_VALUE)
			continue;
		intervals_add(out, collective->start, collective->end - transfer);
		intervals_add(&transfers, collective->end - transfer, collective->end);
	}
	intervals_merge(out);
	intervals_merge(&transfers);
	intervals_subtract(out, &transfers, out);
}

void rank_waits(const struct run *run, size_t rank, struct intervals *out)
{
	find_waits(run, rank, true, NO_VALUE, out);
}

static int64_t wait_in_step(const struct run *run, size_t rank, int64_t step)
{
	AUTO_INTERVALS struct intervals alone = { 0 };
	find_waits(run, rank, false, step, &alone);
	return intervals_length(&alone);
}

bool rank_steps_alike(const struct run *run, const struct scope *scope, int64_t *least,
		      int64_t *most)
{
	*least = INT64_MAX;
	*most = 0;
	for (size_t i = 0; i < run->rank_count; i++) {
		int64_t steps = rank_count_steps(run->ranks[i].summary, scope);
		*least = steps < *least ? steps : *least;
		*most = steps > *most ? steps : *most;
	}
	return *least == *most || 2 * *least > *most;
}

struct rank_wait rank_mean_wait(const struct run *run, size_t rank, const struct scope *scope)
{
	require(rank < run->rank_count, "rank %zu of %zu", rank, run->rank_count);
	const struct rank_summary *summary = run->ranks[rank].summary;
	struct rank_wait mean = { 0 };
	int64_t steps = 0, communication = 0;
	for_each (step, summary->steps, summary->step_count) {
		if (!rank_counts_step(step, scope))
			continue;
		int64_t wait = wait_in_step(run, rank, step->number);
		int64_t inside = wait < step->communication ? wait : step->communication;
		mean.wait += inside;
		mean.residual += wait - inside;
		communication += step->communication;
		steps++;
	}
	if (!steps)
		return mean;
	mean.wait /= steps;
	mean.residual /= steps;
	mean.transfer = communication / steps - mean.wait;
	return mean;
}

const struct straggler *rank_straggler(const struct rank_matches *matches, size_t rank)
{
	const struct straggler *found = NULL;
	for (size_t i = 0; matches && i < matches->straggler_count; i++) {
		const struct straggler *at = &matches->stragglers[i];
		if (at->rank == rank && (!found || at->lead > found->lead))
			found = at;
	}
	return found;
}

void rank_matches_free(struct rank_matches *matches)
{
	if (!matches)
		return;
	for (size_t r = 0; r < matches->ranks; r++)
		mem_free_all(matches->transfer[r], matches->next[r]);
	for (size_t i = 0; i < matches->straggler_count; i++)
		mem_free(matches->stragglers[i].group);
	mem_free_all(matches->stragglers, matches->transfer, matches->next, matches->wait,
		     matches->matched, matches->clock_offset, matches);
}

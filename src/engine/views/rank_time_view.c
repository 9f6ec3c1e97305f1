/*
 * The rank-time view: what each rank does when.
 */
#include "analysis/rank_time.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "views/views.h"

#include <math.h>

/* The cells are computed by bucket_<id>(). */
#define BUCKET_COLUMNS(_)                                                                          \
	_(rank)                                                                                    \
	_(start_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(computation_ns)                                                                          \
	_(communication_ns)                                                                        \
	_(overlap_ns)                                                                              \
	_(sync_ns)                                                                                 \
	_(idle_ns)

struct buckets {
	const struct run *run;
	struct rank_time time;
	uint32_t *rows; /* of time.buckets, those in the scope that were recorded */
};

static void free_buckets(void *state)
{
	struct buckets *buckets = state;
	rank_time_free(&buckets->time);
	mem_free(buckets->rows);
	mem_free(buckets);
}

/* ---- cells ---- */

static int64_t rank_of(const struct buckets *buckets, uint32_t at)
{
	const struct rank_time *time = &buckets->time;
	return buckets->run->ranks[time->ranks[at / time->bucket_count]].number;
}

static struct value ns_of(float ns)
{
	return value_int(ns > 0 ? (int64_t)lroundf(ns) : 0);
}

static struct value bucket_rank(const struct buckets *buckets, uint32_t at)
{
	return value_int(rank_of(buckets, at));
}

static struct value bucket_start_ns(const struct buckets *buckets, uint32_t at)
{
	return value_int(rank_time_start(&buckets->time, at % buckets->time.bucket_count));
}

static struct value bucket_dur_ns(const struct buckets *buckets, uint32_t at)
{
	return ns_of(buckets->time.buckets[at].recorded);
}

static struct value bucket_computation_ns(const struct buckets *buckets, uint32_t at)
{
	return ns_of(buckets->time.buckets[at].computation);
}

static struct value bucket_communication_ns(const struct buckets *buckets, uint32_t at)
{
	return ns_of(buckets->time.buckets[at].communication);
}

static struct value bucket_overlap_ns(const struct buckets *buckets, uint32_t at)
{
	return ns_of(buckets->time.buckets[at].overlap);
}

static struct value bucket_sync_ns(const struct buckets *buckets, uint32_t at)
{
	float wait = buckets->time.buckets[at].wait;
	return wait < 0 ? value_missing() : ns_of(wait);
}

static struct value bucket_idle_ns(const struct buckets *buckets, uint32_t at)
{
	const struct rank_bucket *bucket = &buckets->time.buckets[at];
	return ns_of(bucket->recorded - bucket->busy);
}

static struct value compute_bucket(const struct table *table, size_t row, size_t column)
{
	typedef struct value cell(const struct buckets *, uint32_t);
#define CELL(id) bucket_##id,
	static cell *const cells[] = { BUCKET_COLUMNS(CELL) };
	const struct buckets *buckets = table->state;
	return cells[column](buckets, buckets->rows[row]);
}

static struct ref rank_time_view_compute_ref(const struct table *table, size_t row)
{
	const struct buckets *buckets = table->state;
	return ref_of_rank(rank_of(buckets, buckets->rows[row]));
}

/* ---- building ---- */

static bool is_in_scope(const struct rank_time *time, const struct scope *scope, size_t at)
{
	size_t bucket = at % time->bucket_count;
	if (time->buckets[at].recorded <= 0)
		return false;
	return !scope->has_time || (rank_time_start(time, bucket) < scope->time_last &&
				    rank_time_start(time, bucket + 1) > scope->time_first);
}

static void note_times(struct table *table, const struct rank_time *time, const struct run *run)
{
	struct buffer note = { 0 };
	view_stragglers_note(run, &note);
	if (!time->rank_count)
		buffer_puts(&note, "No times of GPU work or operators in the profile.");
	else if (time->apart)
		buffer_puts(&note, "The ranks share no clock: times count from the start of each "
				   "recording.");
	if (note.length)
		table_note(table, "%s", buffer_text(&note));
	buffer_free(&note);
}

static bool build_rank_time(struct table *table, const struct view_query *query)
{
	struct buckets *buckets = mem_zalloc(1, sizeof *buckets);
	struct rank_time *time = &buckets->time;
	buckets->run = query->run;
	table->state = buckets;
	table->free_state = free_buckets;
	if (!rank_time_make(time, query->run, &query->scope->ranks, query->progress))
		return false;
	size_t cells = time->rank_count * time->bucket_count;
	buckets->rows = mem_alloc((cells + 1) * sizeof *buckets->rows);
	for (size_t at = 0; at < cells; at++)
		if (is_in_scope(time, query->scope, at))
			buckets->rows[table->rows++] = (uint32_t)at;
	table->compute = compute_bucket;
	table->compute_ref = rank_time_view_compute_ref;
	table->used = UINT64_MAX;
	note_times(table, time, query->run);
	return true;
}

const struct view view_rank_time = {
	.name = "rank-time",
	.title = "Ranks over Time",
	.row = "a rank in a time bucket",
	.summary =
		"When each rank computes, communicates, waits and idles, in up to 128 equal buckets of the time of all recordings.",
	.columns = COLUMN_LIST(BUCKET_COLUMNS),
	.default_columns = COLUMN_LIST(BUCKET_COLUMNS),
	.default_sort = "",
	.no_selection = true,
	.wide = WIDE_STEPS | WIDE_LANES | WIDE_ROWS,
	.all_ranks = true,
	.from_summaries = true,
	.build = build_rank_time,
};

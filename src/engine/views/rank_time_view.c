/*
 * The rank-time view: what each rank does when.
 */
#include "analysis/rank_time.h"
#include "base/buffer.h"
#include "views/views.h"
#include "view_columns.h"

#include <math.h>

struct buckets {
	const struct run *run;
	struct rank_time time;
};

static void free_buckets(void *state)
{
	struct buckets *buckets = state;
	rank_time_free(&buckets->time);
}

/* ---- cells ---- */

static int64_t rank_of(const struct buckets *buckets, size_t at)
{
	const struct rank_time *time = &buckets->time;
	return buckets->run->ranks[time->ranks[at / time->bucket_count]].number;
}

static struct value ns_of(float ns)
{
	return value_int(ns > 0 ? (int64_t)lroundf(ns) : 0);
}

static struct value compute_bucket(const struct table *table, size_t at, size_t column)
{
	const struct buckets *buckets = table->state;
	const struct rank_time *time = &buckets->time;
	const struct rank_bucket *bucket = &time->buckets[at];
	switch ((enum rank_time_column)column) {
		RANK_TIME_CELLS(LISTED_CASE)
	}
	return value_missing();
}

static struct ref rank_time_view_compute_ref(const struct table *table, size_t at)
{
	return ref_of_rank(rank_of(table->state, at));
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
	AUTO_BUFFER struct buffer note = { 0 };
	view_stragglers_note(run, &note);
	if (!time->rank_count)
		buffer_puts(&note, "No times of GPU work or operators in the profile.");
	else if (time->apart)
		buffer_puts(&note, "The ranks share no clock: times count from the start of each "
				   "recording.");
	if (note.length)
		table_note(table, "%s", buffer_text(&note));
}

bool build_rank_time(struct table *table, const struct view_query *query)
{
	struct buckets *buckets = table_new_state(table, sizeof *buckets, free_buckets);
	struct rank_time *time = &buckets->time;
	buckets->run = query->run;
	if (!rank_time_make(time, query->run, &query->scope->ranks, query->progress))
		return false;
	if (!table_add_where(table, at, time->rank_count * time->bucket_count, query->progress,
			     "listing ranks", is_in_scope(time, query->scope, at)))
		return false;
	table->compute = compute_bucket;
	table->compute_ref = rank_time_view_compute_ref;
	note_times(table, time, query->run);
	return true;
}

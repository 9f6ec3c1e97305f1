#include "session/other_traces.h"

#include "session/load_private.h"
#include "session/runs/recordings.h"
#include "analysis/advice/own_code.h"
#include "analysis/rank_summary.h"
#include "derived/captures.h"
#include "derived/launch_records.h"
#include "base/any_of.h"
#include "base/error.h"

/* A rank is compared with at most this many that record what it lacks. */
enum { OTHER_RANKS_MAX = 4 };

static const unsigned known_all = KNOWN_OPERATORS | KNOWN_SHAPES | KNOWN_LAYERS | KNOWN_LINES;

bool other_traces_note(struct rank *rank, bool alone, const struct progress *progress,
		       struct error *error)
{
	const struct derived *derived = rank->derived;
	for (uint32_t i = 0; i < derived->names; i++) {
		rank->captures |= captures_begins(profile_string(rank->profile, i));
		rank->replays |= (derived->role[i] & NAME_GRAPH_LAUNCH) != 0;
	}
	bool begins = rank->captures;
	rank->captures |= captures_have_nodes(rank->profile);
	rank->works = any_of(i, rank->profile->activities, profile_is_work(rank->profile, i));
	rank->known = (uint8_t)(alone ? known_all : launch_records_known(derived));
	return !begins || captures_prevail(rank->profile, &rank->only_captures, progress) ||
	       error_cancelled(error);
}

static const char *line_around(const struct profile *profile, uint32_t span, size_t *length)
{
	struct code_frame frame = own_frame_around(profile, span);
	*length = frame.length;
	return frame.text;
}

static struct launch_records *found(struct launch_records *records, struct error *error)
{
	if (!records)
		error_cancelled(error);
	return records;
}

/* A recording is loaded for its captures alone, whatever its state as a rank. */
static struct launch_records *collect_captures(const struct run *run, const struct rank *from,
					       const struct progress *progress, struct error *error)
{
	struct rank file = { .path = from->path, .process = from->process };
	struct launch_records *records = NULL;
	if (load_rank(&(struct reading){ run, &file, NULL }, progress, error))
		records = found(launch_records_of_captures(file.derived, line_around, progress),
				error);
	load_drop(&file);
	rank_summary_free(file.summary);
	return records;
}

static struct launch_records *collect_work(const struct run *run, int64_t number,
					   const struct progress *progress, struct error *error)
{
	AUTO_RANK const struct rank *rank = run_acquire(run, number, progress, error);
	if (!rank)
		return NULL;
	return found(launch_records_of_rank(rank->derived, number, line_around, progress), error);
}

static bool add_records(struct rank *rank, struct launch_records *records)
{
	struct residence *residence = rank->residence;
	if (!records)
		return false;
	residence->records = mem_realloc(residence->records, residence->record_count + 1,
					 sizeof(struct launch_records *));
	residence->records[residence->record_count++] = records;
	return true;
}

static bool join_captures(struct run *run, struct rank *rank, const struct progress *progress,
			  struct error *error)
{
	struct run_cache *cache = run->cache;
	for (size_t j = 0; j < cache->record_count && rank->replays; j++) {
		const struct rank *from = run_recording(run, j);
		if (!from->captures || !recordings_same_process(rank, from))
			continue;
		if (!cache->records[j])
			cache->records[j] = collect_captures(run, from, progress, error);
		if (!add_records(rank, cache->records[j]))
			return false;
	}
	return true;
}

/* ---- other ranks ---- */

static unsigned missing_of(const struct rank *rank)
{
	return rank->works && !rank->part ? known_all & ~(unsigned)rank->known : 0;
}

bool other_traces_may_tell(const struct rank *rank, const struct rank *teller)
{
	unsigned missing = missing_of(rank);
	return missing & KNOWN_OPERATORS &&
	       (!teller || (teller->works && !(missing & ~(unsigned)teller->known)));
}

/* Of the ranks not TAKEN the one that records most of MISSING, the first; NO_ROW: none. */
static uint32_t fullest(const struct run *run, unsigned missing, const bool *taken)
{
	uint32_t best = NO_ROW;
	int most = 0;
	for (uint32_t i = 0; i < run->rank_count; i++) {
		const struct rank *rank = &run->ranks[i];
		int recorded = __builtin_popcount(rank->known & missing);
		if (taken[i] || !rank->works || rank->part || recorded <= most)
			continue;
		best = i;
		most = recorded;
	}
	return best;
}

static bool join_ranks(struct run *run, struct rank *rank, struct launch_records **work,
		       const struct progress *progress, struct error *error)
{
	unsigned missing = missing_of(rank);
	if (!missing)
		return true;
	AUTO_FREE bool *taken = mem_zalloc(run->rank_count, sizeof *taken);
	bool done = true;
	for (int i = 0; i < OTHER_RANKS_MAX && done; i++) {
		uint32_t from = fullest(run, missing, taken);
		if (from == NO_ROW)
			break;
		taken[from] = true;
		rank->residence->lacks |= missing & run->ranks[from].known;
		if (!work[from])
			work[from] = collect_work(run, run->ranks[from].number, progress, error);
		done = add_records(rank, work[from]);
	}
	return done;
}

/* It is loaded with the records when it is used next. */
static void unload(struct run *run, struct rank *rank)
{
	struct run_cache *cache = run->cache;
	if (!rank->residence->record_count)
		return;
	run_settle(run); /* the index writer uses it */
	pthread_mutex_lock(&cache->lock);
	cache->resident -= rank->residence->state == RANK_READY ? rank->residence->size : 0;
	rank->residence->state = RANK_ABSENT;
	pthread_mutex_unlock(&cache->lock);
	load_drop(rank);
}

bool other_traces_join(struct run *run, const struct progress *progress, struct error *error)
{
	struct run_cache *cache = run->cache;
	bool done = true;
	size_t records = run->rank_count + run->other_count;
	/* counted once they are there, as the memory may not be */
	cache->records = mem_zalloc(records + 1, sizeof *cache->records);
	cache->record_count = records;
	cache->work = mem_zalloc(run->rank_count + 1, sizeof *cache->work);
	cache->work_count = run->rank_count;
	for (size_t i = 0; i < run->rank_count && done; i++)
		done = join_captures(run, &run->ranks[i], progress, error);
	for (size_t i = 0; i < run->rank_count && done; i++)
		done = join_ranks(run, &run->ranks[i], cache->work, progress, error);
	for (size_t i = 0; i < run->rank_count; i++)
		unload(run, &run->ranks[i]);
	return done;
}

static void free_all(struct launch_records **records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		launch_records_free(records[i]);
	mem_free(records);
}

void other_traces_free(struct run *run)
{
	free_all(run->cache->records, run->cache->record_count);
	free_all(run->cache->work, run->cache->work_count);
}

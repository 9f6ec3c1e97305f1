#include "session/graph_captures.h"

#include "session/load_private.h"
#include "session/runs/recordings.h"
#include "analysis/rank_summary.h"
#include "facts/captures.h"
#include "facts/launch_records.h"
#include "base/error.h"

bool graph_captures_note(struct rank *rank, const struct progress *progress, struct error *error)
{
	const struct facts *facts = rank->facts;
	for (uint32_t i = 0; i < facts->names; i++) {
		rank->captures |= captures_begins(profile_string(rank->profile, i));
		rank->replays |= (facts->role[i] & NAME_GRAPH_LAUNCH) != 0;
	}
	return !rank->captures || captures_prevail(rank->profile, &rank->only_captures, progress) ||
	       error_set(error, ERROR_CANCELLED, "cancelled");
}

/* A recording is loaded for its captures alone, whatever its state as a rank. */
static struct launch_records *collect(const struct run *run, const struct rank *from,
				      const struct progress *progress, struct error *error)
{
	struct rank file = { .path = from->path, .process = NO_ROW };
	struct origin origin;
	struct launch_records *records = NULL;
	if (load_file(&(struct reading){ run, &file, NULL }, &origin, progress, error)) {
		records = launch_records_new(file.facts, progress);
		if (!records)
			error_set(error, ERROR_CANCELLED, "cancelled");
	}
	load_drop(&file);
	rank_summary_free(file.summary);
	return records;
}

static bool add_records(struct run *run, struct rank *rank, const struct rank *from,
			struct launch_records **of, const struct progress *progress,
			struct error *error)
{
	struct residence *residence = rank->residence;
	if (!*of)
		*of = collect(run, from, progress, error);
	if (!*of)
		return false;
	residence->records = mem_realloc(residence->records, residence->record_count + 1,
					 sizeof(struct launch_records *));
	residence->records[residence->record_count++] = *of;
	return true;
}

bool graph_captures_join(struct run *run, const struct progress *progress, struct error *error)
{
	struct run_cache *cache = run->cache;
	size_t count = run->rank_count + run->other_count;
	bool done = true;
	cache->records = mem_zalloc(count + 1, sizeof *cache->records);
	cache->record_count = count;
	for (size_t i = 0; i < run->rank_count && done; i++) {
		struct rank *rank = &run->ranks[i];
		if (!rank->replays)
			continue;
		for (size_t j = 0; j < count && done; j++) {
			const struct rank *from = run_recording(run, j);
			if (from->captures && from->process == NO_ROW &&
			    recordings_same_process(rank, from))
				done = add_records(run, rank, from, &cache->records[j], progress,
						   error);
		}
		if (!rank->residence->record_count)
			continue;
		run_settle(run); /* the index writer uses it */
		pthread_mutex_lock(&cache->lock);
		rank->residence->state = RANK_ABSENT;
		pthread_mutex_unlock(&cache->lock);
		load_drop(rank);
	}
	return done;
}

void graph_captures_free(struct run *run)
{
	for (size_t i = 0; i < run->cache->record_count; i++)
		launch_records_free(run->cache->records[i]);
	mem_free(run->cache->records);
}

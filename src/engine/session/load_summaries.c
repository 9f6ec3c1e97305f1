/*
 * The ranks of a file of summaries: what compares ranks is read at once, the rest when a rank is
 * shown.
 */
#include "session/load_private.h"

#include "analysis/rank_packed.h"
#include "base/error.h"
#include "model/kept.h"
#include "model/processes.h"
#include "session/summary_parts.h"

struct adding {
	struct run *run;
	const char *path;
	const struct progress *progress;
};

/* The same summary of a rank in two files counts once. */
static bool has_summary(const struct run *run, const struct strsum_part *part)
{
	for (size_t i = run->rank_count; i-- > 0;)
		if (run->ranks[i].block == part->checksum && run->ranks[i].number == part->rank)
			return true;
	return false;
}

/* Is the trace of this rank to be opened in place of its summary? */
static bool wants_trace(const struct adding *adding, const struct summary_part *found,
			int64_t number)
{
	const struct run_cache *cache = adding->run->cache;
	bool only = cache->files == 1 && found->count == 1;
	int64_t rank = cache->options.rank > 0 ? cache->options.rank : 0;
	return cache->options.from_trace && (only || number == rank);
}

/* Load the trace as RANK, which has a summary. A trace of several ranks is not one of them. */
static bool load_trace(const struct adding *adding, const struct summary_part *found,
		       struct rank *rank, struct error *error)
{
	struct kept kept;
	struct buffer trace = { 0 }, made = { 0 }, path = { 0 };
	struct origin origin;
	bool done = strsum_unpack_identity(found->block, &kept, &trace, &made) ||
		    strsum_damaged(found->part->rank, error);
	if (done && !strsum_find_trace(adding->path, buffer_text(&trace), kept.trace_bytes, &path))
		done = error_set(error, ERROR_INPUT,
				 "%s: the trace of the summary is not there, or has changed",
				 buffer_text(&path));
	if (done) {
		mem_free(rank->path);
		rank->path = mem_strdup(buffer_text(&path));
		rank->part = 0;
		done = load_file(&(struct reading){ adding->run, rank, NULL }, &origin,
				 adding->progress, error);
	}
	size_t ranks;
	uint32_t *processes = done ? processes_of_ranks(rank->profile, &ranks) : NULL;
	if (processes)
		done = error_set(error, ERROR_INPUT,
				 "%s: holds several ranks; open it without --from-trace",
				 rank->path);
	mem_free(processes);
	buffer_free(&trace);
	buffer_free(&made);
	buffer_free(&path);
	return done;
}

static bool add_summary(void *context, const struct summary_part *found, struct error *error)
{
	const struct adding *adding = context;
	struct packed packed = found->block->section[STRSUM_RANK];
	if (has_summary(adding->run, found->part))
		return true;
	struct rank rank = load_new_rank(adding->path, NO_ROW);
	rank.part = found->number + 1;
	rank.block = found->part->checksum;
	rank.number = found->part->rank;
	if (rank.number == NO_VALUE)
		rank.number = run_files_number(adding->path);
	rank.summary = rank_summary_unpack(&packed, &found->block->texts);
	bool good = rank.summary || strsum_damaged(found->part->rank, error);
	if (good && wants_trace(adding, found, rank.number))
		good = load_trace(adding, found, &rank, error);
	if (good)
		load_add_rank(adding->run, &rank);
	else
		load_free_rank(&rank);
	return good;
}

bool load_summaries(struct run *run, const char *path, const struct progress *progress,
		    struct error *error)
{
	struct adding adding = { run, path, progress };
	return summary_parts_visit(path, add_summary, &adding, progress, error);
}

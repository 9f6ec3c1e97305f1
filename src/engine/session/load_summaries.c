/*
 * The ranks of a file of summaries: what compares ranks is read at once, the rest when a rank is
 * shown.
 */
#include "session/load_private.h"

#include "analysis/packed_ranks.h"
#include "analysis/rank_summary.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/number.h"
#include "input/open.h"
#include "model/summary_tables.h"
#include "model/processes.h"
#include "session/summary_parts.h"

struct summaries_adding {
	struct run *run;
	const struct run_file *file;
	size_t files_left; /* after this one */
	size_t before;     /* ranks of the files before */
};

/* ---- memory ---- */

/* What matching needs of an operation beside the summary (analysis/rank_matches.c), bytes. */
enum { OPERATION_MATCHED = 64, TELLING_RANKS = 64 };

/* Memory of all ranks, from those that are read; files that are left have one at least. */
static bool have_room(struct summaries_adding *adding, const struct summary_part *found,
		      struct error *error)
{
	struct run *run = adding->run;
	struct run_cache *cache = run->cache;
	uint64_t max = cache->options.memory_max, used = mem_used();
	char wanted[NUMBER_MAX], limit[NUMBER_MAX];
	if (!run->rank_count)
		cache->memory_before = used;
	if (!max || !run->rank_count || run->rank_count % TELLING_RANKS)
		return true;
	size_t expected = adding->before + found->count + adding->files_left;
	double held = used > cache->memory_before ? (double)(used - cache->memory_before) : 0;
	held += (double)cache->operations * OPERATION_MATCHED;
	double whole =
		(double)cache->memory_before + held * (double)expected / (double)run->rank_count;
	if (whole <= (double)max)
		return true;
	return error_set(error, ERROR_MEMORY,
			 "%zu ranks need about %s of memory, and the limit is %s; open or merge "
			 "fewer of them, or raise --max-memory",
			 expected, number_bytes(wanted, whole), number_bytes(limit, (double)max));
}

/* ---- ranks ---- */

/* The same summary of a rank in two files of a folder counts once, with rows if one has them. */
static struct rank *same_summary(const struct summaries_adding *adding,
				 const struct summary_file_part *part)
{
	const struct run *run = adding->run;
	struct run_cache *cache = run->cache;
	cache->blocks = cache->blocks ?: hash_new(64);
	uint32_t same = hash_where(i, cache->blocks, part->whole,
				   run->ranks[i].block == part->whole &&
					   run->ranks[i].number == part->rank &&
					   run->ranks[i].folder == adding->file->folder);
	if (same != NO_ROW)
		return &run->ranks[same];
	hash_add(cache->blocks, part->whole, (uint32_t)run->rank_count);
	return NULL;
}

static void set_part(struct rank *rank, const char *path, const struct summary_part *found)
{
	mem_replace(rank->path, mem_strdup(path));
	rank->part = found->number + 1;
	rank->block = found->part->whole;
	rank->statistics = summary_file_is_reduced(found->part);
}

static bool find_tool(const struct summary_file_block *block, uint32_t *tool)
{
	struct summary_file_trace trace;
	AUTO_INTERN struct intern *strings = intern_new();
	bool good = summary_file_unpack_trace(block, strings, &trace);
	*tool = summary_file_tool(&trace);
	return good;
}

static bool add_summary(void *context, const struct summary_part *found, struct error *error)
{
	struct summaries_adding *adding = context;
	const char *path = adding->file->path;
	if (!have_room(adding, found, error))
		return false;
	struct packed packed = found->block->section[SUMMARY_FILE_RANK];
	struct rank *same = same_summary(adding, found->part);
	if (same && same->statistics && !summary_file_is_reduced(found->part))
		set_part(same, path, found);
	if (same)
		return true;
	struct rank rank = load_new_rank(path, NO_ROW);
	set_part(&rank, path, found);
	rank.folder = adding->file->folder;
	rank.number = found->part->rank;
	if (rank.number == NO_VALUE)
		rank.number = run_files_number(path);
	rank.summary = rank_summary_unpack(&packed, &found->block->texts);
	if (!rank.summary || !find_tool(found->block, &rank.tool)) {
		load_free_rank(&rank);
		return summary_file_damaged(found->part->rank, error);
	}
	adding->run->cache->operations += rank.summary->collective_count;
	rank.totals = rank.summary->end <= rank.summary->start; /* it does not say otherwise */
	load_add_rank(adding->run, &rank);
	return true;
}

bool load_summaries(struct run *run, const struct run_file *file, size_t files_left,
		    const struct progress *progress, struct error *error)
{
	struct summaries_adding adding = { run, file, files_left, run->rank_count };
	return summary_parts_visit(file->path, add_summary, &adding, progress, error);
}

/* ---- the trace in place of a summary ---- */

/* Append the path of the trace of RANK. */
static bool find_trace(const struct rank *rank, struct buffer *path,
		       const struct progress *progress, struct error *error)
{
	const struct read_options how = { .part = rank->part - 1 };
	struct profile *profile = profile_open_with(rank->path, &how, progress, error);
	if (!profile)
		return false;
	bool found = summary_file_find_trace(rank->path, profile->tables->trace,
					     profile->tables->trace_bytes, path);
	profile_free(profile);
	return found ||
	       error_input(error, "%s: the trace of the summary is not there, or has changed",
			   buffer_text(path));
}

bool load_trace(const struct run *run, const struct progress *progress, struct error *error)
{
	const struct load_options *options = &run->cache->options;
	struct rank *rank = run_rank(run, options->rank > 0 ? options->rank : 0);
	AUTO_BUFFER struct buffer path = { 0 };
	size_t ranks;
	if (!rank || !rank->part)
		return true;
	if (!find_trace(rank, &path, progress, error))
		return false;
	mem_replace(rank->path, mem_strdup(buffer_text(&path)));
	rank->part = 0;
	if (!run_acquire(run, rank->number, progress, error))
		return false;
	AUTO_FREE uint32_t *processes = processes_of_ranks(rank->profile, &ranks);
	run_release(run, rank);
	return !processes ||
	       error_input(error, "%s: holds several ranks; open it without --from-trace",
			   rank->path);
}

/*
 * The ranks of a file of summaries: what compares ranks is read at once, the rest when a rank is
 * shown.
 */
#include "session/load_private.h"

#include "analysis/rank_packed.h"
#include "session/summary_parts.h"

struct adding {
	struct run *run;
	const char *path;
};

/* The same summary of a rank in two files counts once. */
static bool has_summary(const struct run *run, const struct strsum_part *part)
{
	for (size_t i = run->rank_count; i-- > 0;)
		if (run->ranks[i].part && run->ranks[i].block == part->checksum &&
		    run->ranks[i].number == part->rank)
			return true;
	return false;
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
	if (!rank.summary) {
		load_free_rank(&rank);
		return strsum_damaged(found->part->rank, error);
	}
	load_add_rank(adding->run, &rank);
	return true;
}

bool load_summaries(struct run *run, const char *path, const struct progress *progress,
		    struct error *error)
{
	struct adding adding = { run, path };
	return summary_parts_visit(path, add_summary, &adding, progress, error);
}

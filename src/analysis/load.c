#include "analysis/load.h"

#include "analysis/facts.h"
#include "base/error.h"
#include "input/open.h"

#include <string.h>

struct opening {
	struct run *run;
	const char *const *paths;
	size_t count;
	const struct load_options *options;
	const struct progress *progress;
	struct error *error;
};

/* Of several files the message has to say which. */
static bool blame_file(const struct opening *opening, const char *path)
{
	struct error *error = opening->error;
	if (opening->count == 1 || !error)
		return false;
	struct error cause = *error;
	error_set(error, cause.code, "%s: %s", path, cause.message);
	error_where(error, "%s", cause.where);
	return false;
}

static bool open_ranks(void *context)
{
	struct opening *opening = context;
	for (size_t i = 0; i < opening->count; i++) {
		struct rank *rank = &opening->run->ranks[i];
		rank->profile = profile_open(opening->paths[i], opening->progress, opening->error);
		if (!rank->profile)
			return blame_file(opening, opening->paths[i]);
		opening->run->rank_count = i + 1;
		rank->facts = facts_build(rank->profile, opening->options, opening->progress,
					  opening->error);
		if (!rank->facts)
			return false;
	}
	return true;
}

struct run *run_open(const char *const *paths, size_t count, const struct load_options *options,
		     const struct progress *progress, struct error *error)
{
	struct run *run = mem_zalloc(1, sizeof *run);
	run->ranks = mem_zalloc(count, sizeof *run->ranks);
	struct opening opening = { run, paths, count, options, progress, error };
	if (mem_guard(open_ranks, &opening, error))
		return run;
	run_free(run);
	return NULL;
}

void run_free(struct run *run)
{
	if (!run)
		return;
	for (size_t i = 0; i < run->rank_count; i++) {
		facts_free(run->ranks[i].facts);
		profile_free(run->ranks[i].profile);
	}
	mem_free(run->ranks);
	mem_free(run);
}

/* What a writer may legally do is noted; everything else in the list is damage. */
bool run_damaged(const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++) {
		const struct profile *profile = run->ranks[i].profile;
		for (size_t d = 0; d < profile->damage_count; d++)
			if (strcmp(profile->damages[d].action, "noted") != 0)
				return true;
		if (profile->truncated)
			return true;
	}
	return false;
}

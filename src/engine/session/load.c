#include "base/any_of.h"
#include "base/compare.h"
#include "base/text.h"
#include "session/load_private.h"

#include "analysis/rank_matches.h"
#include "session/other_traces.h"
#include "session/runs/recordings.h"
#include "session/runs/runs.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/inputs.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "input/open.h"
#include "model/processes.h"

#include <stdlib.h>

/* ---- rank numbers ---- */

COMPARE_MEMBERS(compare_ranks, struct rank, UP(number) UP_TEXT(path) UP(residence->place))

/*
 * Use the files' rank numbers if all have one and they are distinct; otherwise the position. The
 * lock is held.
 */
static void number_ranks(struct run *run)
{
	bool good = true;
	qsort(run->ranks, run->rank_count, sizeof *run->ranks, compare_ranks);
	for (size_t i = 0; i < run->rank_count; i++)
		good &= run->ranks[i].number != NO_VALUE &&
			(i == 0 || run->ranks[i].number != run->ranks[i - 1].number);
	if (good)
		return;
	for (size_t i = 0; i < run->rank_count; i++)
		run->ranks[i].number = NO_VALUE;
	qsort(run->ranks, run->rank_count, sizeof *run->ranks, compare_ranks);
	for (size_t i = 0; i < run->rank_count; i++)
		run->ranks[i].number = (int64_t)i;
}

/* ---- writing the index ---- */

struct load_keeping {
	const struct run *run;
	struct residence *residence;
};

static void kept(void *context)
{
	AUTO_FREE struct load_keeping *keeping = context;
	load_release(keeping->run->cache, keeping->residence);
	load_make_room(keeping->run, RESIDENT_MAX);
}

/*
 * Index what was read from the file of KEY in the background, holding the rank until done. Skipped
 * if the file has changed meanwhile.
 */
static void keep_index(const struct run *run, const struct rank *rank, const struct index_key *key)
{
	struct run_cache *cache = run->cache;
	const struct load_options *options = &cache->options;
	struct index_content content = { rank->profile, rank->derived, rank->summary };
	struct index_key now;
	if (rank->profile->text_bytes < options->index.least_bytes || rank->profile->of_files ||
	    !index_key_make(&now, rank->path, options) || memcmp(key, &now, sizeof now) != 0)
		return;
	cache->writer = cache->writer ?: index_writer_new();
	index_writer_wait(cache->writer);
	pthread_mutex_lock(&cache->lock);
	rank->residence->holds++;
	pthread_mutex_unlock(&cache->lock);
	struct load_keeping *keeping = mem_alloc(sizeof *keeping);
	*keeping = (struct load_keeping){ run, rank->residence };
	index_writer_start(cache->writer, &options->index, key, &content, kept, keeping);
}

void run_settle(const struct run *run)
{
	if (run && run->cache->writer)
		index_writer_wait(run->cache->writer);
	if (run)
		run_settle(run->base);
}

/* ---- opening ---- */

struct opening {
	struct run *run;
	struct run_files files;
	const char *const *named;
	size_t named_count;
	const struct progress *progress;
	struct error *error;
	struct buffer reason;      /* of a file that is no profile, but of a known kind */
	struct file_read *read;    /* files that were read beside each other… */
	size_t read_from, read_to; /* …which of all */
};

void load_free_rank(struct rank *rank)
{
	load_drop(rank);
	rank_summary_free(rank->summary);
	mem_free(rank->path);
	if (rank->residence)
		mem_free(rank->residence->records);
	mem_free(rank->residence);
}

struct rank load_new_rank(const char *path, uint32_t process)
{
	return (struct rank){ .path = mem_strdup(path),
			      .process = process,
			      .residence = mem_zalloc(1, sizeof(struct residence)) };
}

/* Grow the array; waits for the index writer, which reads the ranks. */
static void make_place(struct run *run)
{
	size_t capacity = 2 * run->rank_cap + 8;
	if (run->rank_count < run->rank_cap)
		return;
	struct rank *ranks = mem_zalloc(capacity, sizeof *ranks), *old = run->ranks;
	pthread_mutex_lock(&run->cache->lock);
	if (run->rank_count)
		memcpy(ranks, old, run->rank_count * sizeof *ranks);
	run->ranks = ranks;
	run->rank_cap = capacity;
	pthread_mutex_unlock(&run->cache->lock);
	mem_free(old);
}

void load_add_rank(struct run *run, const struct rank *rank)
{
	struct run_cache *cache = run->cache;
	struct residence *residence = rank->residence;
	make_place(run);
	pthread_mutex_lock(&cache->lock);
	residence->state = rank->profile ? RANK_READY : RANK_ABSENT;
	residence->size = rank->profile ? load_rank_size(rank) : 0;
	cache->resident += residence->size;
	residence->last_use = ++cache->clock;
	residence->place = run->rank_count;
	residence->holds++; /* evict others first */
	run->ranks[run->rank_count++] = *rank;
	pthread_mutex_unlock(&cache->lock);
	if (rank->profile)
		load_make_room(run, RESIDENT_MAX);
	load_release(run->cache, residence);
}

static bool load_summarize(struct rank *rank, const struct progress *progress, struct error *error)
{
	rank->summary = rank_summarize(rank->derived, progress);
	return rank->summary || error_cancelled(error);
}

/* Add each of COUNT processes of FILE as a rank: summarize it, then drop it. */
static bool add_processes(const struct opening *opening, const struct rank *file,
			  const uint32_t *processes, size_t count)
{
	struct run *run = opening->run;
	for (size_t i = 0; i < count; i++) {
		struct rank rank = load_new_rank(file->path, processes[i]);
		rank.folder = file->folder;
		rank.tool = file->tool;
		if (!load_process(run, &rank, file->profile, opening->progress, opening->error) ||
		    !load_summarize(&rank, opening->progress, opening->error)) {
			load_free_rank(&rank);
			return false;
		}
		rank.number = rank.profile->rank;
		load_drop(&rank);
		load_add_rank(run, &rank);
	}
	return true;
}

/* A file is one rank or several. */
static bool add_file(const struct opening *opening, struct rank *file)
{
	struct run *run = opening->run;
	size_t count;
	bool complete = !file->profile->some_steps && !file->profile->partial;
	AUTO_FREE uint32_t *processes = complete ? processes_of_ranks(file->profile, &count) : NULL;
	if (!processes) {
		load_add_rank(run, file);
		return true;
	}
	bool done = add_processes(opening, file, processes, count);
	if (done && run->cache->files == 1) {
		run->whole = mem_alloc(sizeof *run->whole);
		*run->whole = *file;
		run->whole->number = ANY_RANK;
		run->whole->residence->state = RANK_READY;
		return true;
	}
	run_settle(run); /* the index writer uses it */
	load_free_rank(file);
	return done;
}

/* ---- files ---- */

/* A file, and what it tells by itself. */
struct file_read {
	struct rank rank;
	struct origin origin;
	bool done;
	struct error error; /* if it is not */
};

/* Read one file and summarize it; BESIDE others. */
static void read_file(const struct opening *opening, size_t index, bool beside,
		      const struct progress *progress, struct file_read *file)
{
	struct run *run = opening->run;
	const struct run_file *found = &opening->files.item[index];
	struct rank *rank = &file->rank;
	*rank = load_new_rank(found->path, NO_ROW);
	if (load_file(&(struct reading){ run, rank, NULL, beside }, &file->origin, progress,
		      &file->error)) {
		const struct profile *profile = rank->profile;
		rank->folder = found->folder;
		/* sums over a run, allocations, operations in flight: no place beside events */
		rank->totals =
			profile->python || profile->snapshot || profile->totals || profile->flight;
		rank->tool = (uint32_t)profile->tool;
		rank->number =
			profile->rank != NO_VALUE ? profile->rank : run_files_number(rank->path);
		file->done = (rank->summary || load_summarize(rank, progress, &file->error)) &&
			     other_traces_note(rank, opening->files.count + opening->files.rest < 2,
					       progress, &file->error);
	}
	if (!file->done)
		load_free_rank(rank);
}

/* May it be read beside others, which take *BYTES? */
static bool fits_beside(const struct opening *opening, const char *path, uint64_t *bytes)
{
	enum { TIMES = 12 }; /* bytes of memory that one of a file may take: it may be compressed */
	uint64_t max = opening->run->cache->options.memory_max, used = mem_used();
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || profile_is_summary(path) ||
	    profile_is_report(path))
		return false;
	*bytes += (uint64_t)status.st_size * TIMES;
	return *bytes <= (uint64_t)TIMES * RESIDENT_MAX && (!max || *bytes + used <= max);
}

static bool read_beside(void *context, size_t i, const struct progress *progress)
{
	const struct opening *opening = context;
	struct file_read *file = &opening->read[i];
	parallel_alone(true);
	read_file(opening, opening->read_from + i, true, progress, file);
	return file->done || file->error.code != ERROR_CANCELLED;
}

/*
 * From INDEX on, read a file by each thread: most of what all threads would do with one is too
 * short to be shared. The first is read by all, as it is shown meanwhile. False when cancelled.
 */
static bool read_several(struct opening *opening, size_t index)
{
	enum { EACH = 4 }; /* files a thread: one that is delayed does not hold up the rest */
	const struct run_files *files = &opening->files;
	size_t threads = parallel_threads(), count = 0;
	uint64_t bytes = 0;
	struct error error = { 0 };
	if (index == 0 || index < opening->read_to || threads < 2)
		return true;
	while (count < threads * EACH && index + count < files->count &&
	       fits_beside(opening, files->item[index + count].path, &bytes))
		count++;
	if (count < 2)
		return true;
	opening->read = mem_realloc(opening->read, count, sizeof *opening->read);
	memset(opening->read, 0, count * sizeof *opening->read);
	opening->read_from = index;
	opening->read_to = index + count;
	bool done = parallel_try(count, read_beside, opening, "reading", opening->progress, &error);
	parallel_alone(false);
	return done || error.code != ERROR_CANCELLED || error_cancelled(opening->error);
}

/* Those that were read and not opened. */
static void free_several(struct opening *opening)
{
	for (size_t i = opening->read_from; i < opening->read_to; i++)
		if (opening->read[i - opening->read_from].done)
			load_free_rank(&opening->read[i - opening->read_from].rank);
	mem_free(opening->read);
}

static bool open_file(struct opening *opening, size_t index)
{
	struct run *run = opening->run;
	const struct run_file *found = &opening->files.item[index];
	if (!run->cache->prefix && profile_is_summary(found->path))
		return load_summaries(run, found, opening->files.count - index - 1,
				      opening->progress, opening->error);
	struct file_read file = { 0 };
	if (index >= opening->read_from && index < opening->read_to) {
		file = opening->read[index - opening->read_from];
		opening->read[index - opening->read_from].done = false;
	}
	/* what failed beside others, but by what it is, may be read alone */
	if (!file.done && file.error.code != ERROR_INPUT) {
		file = (struct file_read){ 0 };
		read_file(opening, index, false, opening->progress, &file);
	}
	if (!file.done) {
		*opening->error = file.error;
		return false;
	}
	if (file.origin.keyed && !file.origin.indexed)
		keep_index(run, &file.rank, &file.origin.key);
	return add_file(opening, &file.rank);
}

/* With several files the message needs the path. */
static bool blame_file(const struct opening *opening, const char *path)
{
	struct error cause = *opening->error;
	if (opening->files.count == 1)
		return false;
	error_set(opening->error, cause.code, "%s: %s", path, cause.message);
	error_where(opening->error, "%s", cause.where);
	return false;
}

/* Keep only the file of the requested rank, if the files identify their ranks. */
static bool choose_rank(struct opening *opening)
{
	size_t before = opening->files.count;
	if (!run_files_choose(&opening->files, opening->run->cache->options.rank, opening->error))
		return false;
	opening->run->left_out = opening->files.left_out;
	opening->run->unread += before - opening->files.left_out - opening->files.count;
	return true;
}

/*
 * Of a rank without operators, open the files of other ranks of its folder, until
 * one has it. They tell of the rank, but are no ranks of the run.
 */
static bool open_tellers(struct opening *opening)
{
	enum { TELLERS_MAX = 16 };
	struct run *run = opening->run;
	const struct run_files *files = &opening->files;
	size_t last = files->count + files->rest;
	if (run->rank_count != 1 || !files->rest || !other_traces_may_tell(&run->ranks[0], NULL))
		return true;
	uint32_t folder = run->ranks[0].folder;
	run->cache->files = 2;
	for (size_t i = files->count, opened = 0; i < last && opened < TELLERS_MAX; i++) {
		size_t before = run->rank_count;
		if (files->item[i].folder != folder)
			continue;
		if (!open_file(opening, i) && opening->error->code != ERROR_INPUT)
			return false;
		opened++;
		if (run->rank_count == before + 1 &&
		    other_traces_may_tell(&run->ranks[0], &run->ranks[before]))
			break;
	}
	return true;
}

/* Only the requested rank stays a rank. */
static void close_tellers(struct run *run, int64_t number)
{
	size_t kept = 0;
	if (run->rank_count < 2 || !run_rank(run, number))
		return;
	run->others =
		mem_realloc(run->others, run->other_count + run->rank_count, sizeof *run->others);
	for_each_mutable (rank, run->ranks, run->rank_count) {
		if (rank->number == number) {
			run->ranks[kept++] = *rank;
			continue;
		}
		load_drop(rank);
		run->others[run->other_count++] = *rank;
	}
	run->rank_count = kept;
}

/* Keep the ranks of one run, one span of each; the others are unloaded. */
static bool choose_recordings(struct opening *opening)
{
	struct run *run = opening->run;
	const struct load_options *options = &run->cache->options;
	pthread_mutex_lock(&run->cache->lock);
	bool done = recordings_choose(
		run, &(struct process_recording){ options->run_name, options->run, options->span },
		opening->error);
	pthread_mutex_unlock(&run->cache->lock);
	if (run->other_count)
		run_settle(run); /* the index writer uses them */
	for (size_t i = 0; i < run->other_count; i++)
		load_drop(&run->others[i]);
	return done;
}

/* Of a directory without a profile: a file whose kind is known, and what to do with it. */
static void keep_reason(struct opening *opening, const char *path)
{
	static const char unknown[] = "is not a known profile";
	const char *message = opening->error->message;
	if (opening->reason.length || strncmp(message, unknown, sizeof unknown - 1) == 0 ||
	    strcmp(message, "is empty") == 0)
		return;
	buffer_printf(&opening->reason, "; %s %s", text_file_name(path), message);
}

static bool holds_no_profile(const struct opening *opening)
{
	static const char looked[] =
		"; looked for traces (*.json, *.json.gz), Nsight Systems exports (*.sqlite), memory snapshots (*.pickle) and the other formats of strata(1)";
	size_t files = opening->run->left_out, directories = opening->files.directories;
	return error_input(opening->error, "holds no profile among %zu file%s in %zu director%s%s",
			   files, files == 1 ? "" : "s", directories,
			   directories == 1 ? "y" : "ies",
			   opening->reason.length ? buffer_text(&opening->reason) : looked);
}

/* The run keeps where the files were found. */
static void keep_folders(struct opening *opening)
{
	struct run *run = opening->run;
	const struct run_files *files = &opening->files;
	run->folders = mem_zalloc(files->folders + 1, sizeof *run->folders);
	for (size_t i = 0; i < files->folders; i++) {
		run->folders[i] = mem_strdup(files->folder[i]);
		run->folder_count++;
	}
	run->unlisted = files->unlisted;
}

/* While the run is open, none of its files is written. */
static void keep_inputs(struct opening *opening)
{
	const struct run_files *files = &opening->files;
	struct inputs *inputs = opening->run->cache->inputs = inputs_new();
	for (size_t i = 0; i < files->count + files->rest; i++)
		inputs_add(inputs, files->item[i].path);
}

/* A single file is opened whatever its rank; the number only matters with others. */
static void settle_numbers(const struct opening *opening)
{
	struct run *run = opening->run;
	pthread_mutex_lock(&run->cache->lock);
	if (run->rank_count > 1)
		number_ranks(run);
	else if (opening->files.chosen != NO_VALUE)
		run->ranks[0].number = opening->files.chosen;
	else if (run->ranks[0].number == NO_VALUE)
		run->ranks[0].number = 0;
	pthread_mutex_unlock(&run->cache->lock);
}

static bool open_ranks(void *context)
{
	struct opening *opening = context;
	struct run *run = opening->run;
	struct run_files *files = &opening->files;
	const struct load_options *options = &run->cache->options;
	if (!run_files_find(files, opening->named, opening->named_count,
			    options->together ? options->together : opening->named_count,
			    opening->progress, opening->error))
		return false;
	keep_folders(opening);
	keep_inputs(opening);
	if (options->one_run && options->run_name)
		run->unread = run_files_keep(files, options->run_name, runs_answer);
	if (options->one_rank && !choose_rank(opening))
		return false;
	run->cache->one_profile = run_files_set_apart(files, &run->cache->reports);
	run->cache->files = files->count;
	for (size_t i = 0; i < files->count; i++) {
		if (!read_several(opening, i))
			return false;
		if (open_file(opening, i))
			continue;
		if (!files->item[i].optional || opening->error->code != ERROR_INPUT)
			return blame_file(opening, files->item[i].path);
		keep_reason(opening, files->item[i].path);
		lost_files_note(run, &files->item[i], opening->error);
		run->left_out++;
	}
	if (!run->rank_count)
		return holds_no_profile(opening);
	size_t found = run->rank_count;
	if (!open_tellers(opening) || !choose_recordings(opening))
		return false;
	settle_numbers(opening);
	lost_files_settle(run);
	if (!run->cache->prefix && !other_traces_join(run, opening->progress, opening->error))
		return false;
	if (found == 1 && files->rest)
		close_tellers(run, files->chosen);
	if (options->from_trace && !load_trace(run, opening->progress, opening->error))
		return false;
	if (run->rank_count == 1)
		return true;
	run->matches = rank_match(run, opening->progress);
	return run->matches || error_cancelled(opening->error);
}

/* Timed waits use the monotonic clock. */
static void init_changed(struct run_cache *cache)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&cache->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

static struct run *new_run(const struct load_options *options)
{
	struct run *run = mem_zalloc(1, sizeof *run);
	run->cache = mem_zalloc(1, sizeof *run->cache);
	pthread_mutex_init(&run->cache->lock, NULL);
	init_changed(run->cache);
	if (options) {
		struct load_options *own = &run->cache->options;
		const char **texts[] = { &own->derived.step_name, &own->run_name,
					 &own->key_node,          &own->edits,
					 &own->index.directory,   &own->history };
		*own = *options;
		run->cache->texts = arena_new();
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			if (*texts[i])
				*texts[i] = arena_strndup(run->cache->texts, *texts[i],
							  strlen(*texts[i]));
		run->history = own->history;
	}
	return run;
}

static struct run *open_run(struct run *run, const char *const *paths, size_t count,
			    const struct progress *progress, struct error *error)
{
	struct error own = { 0 };
	struct opening opening = { .run = run,
				   .named = paths,
				   .named_count = count,
				   .progress = progress,
				   .error = error ? error : &own };
	bool done = mem_guard(open_ranks, &opening, opening.error);
	free_several(&opening);
	run_files_free(&opening.files);
	buffer_free(&opening.reason);
	platform_trim();
	return keep_if(done, run, run_free);
}

struct run *run_open(const char *const *paths, size_t count, const struct load_options *options,
		     const struct progress *progress, struct error *error)
{
	return open_run(new_run(options), paths, count, progress, error);
}

struct run *run_open_prefix(const char *path, const struct run_prefix *prefix,
			    const struct load_options *options, const struct progress *progress,
			    struct error *error)
{
	struct run *run = new_run(options);
	run->cache->options.index.directory = NULL; /* a partial profile is not indexed */
	run->cache->prefix = prefix;
	run = open_run(run, &path, 1, progress, error);
	if (run)
		run->cache->prefix = NULL;
	return run;
}

void run_free(struct run *run)
{
	if (!run)
		return;
	index_writer_free(run->cache->writer, true);
	for (size_t i = 0; i < run->rank_count; i++)
		load_free_rank(&run->ranks[i]);
	for (size_t i = 0; i < run->other_count; i++)
		load_free_rank(&run->others[i]);
	mem_free(run->others);
	mem_free_each(run->names, run->runs);
	mem_free(run->names);
	mem_free_each(run->folders, run->folder_count);
	mem_free(run->folders);
	lost_files_free(run);
	if (run->whole)
		load_free_rank(run->whole);
	mem_free(run->whole);
	run_free(run->base);
	rank_matches_free(run->matches);
	mem_free(run->ranks);
	arena_free(run->cache->texts);
	run_files_free(&run->cache->reports);
	inputs_free(run->cache->inputs);
	other_traces_free(run);
	hash_free(run->cache->blocks);
	pthread_cond_destroy(&run->cache->changed);
	pthread_mutex_destroy(&run->cache->lock);
	mem_free_all(run->cache, run);
}

void run_compare(struct run *run, struct run *base)
{
	run_free(run->base);
	run->base = base;
}

bool run_damaged(const struct run *run)
{
	return any_of(i, run->rank_count, run->ranks[i].summary->damaged);
}

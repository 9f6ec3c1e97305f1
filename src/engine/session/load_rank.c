#include "session/load_private.h"

#include "session/memory_limit.h"
#include "session/join.h"
#include "analysis/rank_summary.h"
#include "session/step_survey.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "input/open.h"
#include "model/builder.h"
#include "model/processes.h"
#include "model/tool.h"

size_t load_rank_size(const struct rank *rank)
{
	/* Facts take about as many bytes per row as the columns. */
	return 2 * profile_size(rank->profile);
}

void load_drop(struct rank *rank)
{
	derived_free(rank->derived);
	profile_free(rank->profile);
	rank->derived = NULL;
	rank->profile = NULL;
}

/* Move the least recently used rank's data to *TAKEN, to be freed without the lock. */
static bool take_oldest(const struct run *run, size_t max, struct rank *taken)
{
	struct rank *oldest = NULL;
	size_t total = 0;
	pthread_mutex_lock(&run->cache->lock);
	for (size_t i = 0; i < run->rank_count; i++) {
		struct rank *rank = &run->ranks[i];
		if (rank->residence->state != RANK_READY)
			continue;
		total += rank->residence->size + rank->residence->charged;
		if (!rank->residence->holds &&
		    (!oldest || rank->residence->last_use < oldest->residence->last_use))
			oldest = rank;
	}
	bool found = oldest && total > max;
	if (found) {
		*taken = *oldest;
		oldest->profile = NULL;
		oldest->derived = NULL;
		oldest->residence->state = RANK_ABSENT;
	}
	pthread_mutex_unlock(&run->cache->lock);
	return found;
}

bool load_make_room(const struct run *run, size_t max)
{
	struct rank taken;
	bool dropped = false;
	if (run->cache->files == 1 && run->rank_count < 2)
		return false;
	for (; take_oldest(run, max, &taken); dropped = true)
		load_drop(&taken);
	return dropped;
}

/* Evict all unused ranks to make room for the one being read. */
static bool give_back(void *context)
{
	const struct reading *reading = context;
	struct run_cache *cache = reading->run->cache;
	if (cache->writer)
		index_writer_wait(cache->writer);
	return load_make_room(reading->run, 0);
}

/* The error for a file that does not fit: what would fit, and how to request it. */
static bool does_not_fit(const struct run *run, const struct ceiling *ceiling, struct error *error)
{
	const struct load_options *options = &run->cache->options;
	char wanted[NUMBER_MAX], max[NUMBER_MAX], other[NUMBER_MAX];
	AUTO_BUFFER struct buffer beside = { 0 };
	if (ceiling->beside > ceiling->max / 100)
		buffer_printf(&beside, " (%s used by other open files)",
			      number_bytes(other, (double)ceiling->beside));
	const char *python = options->no_python ? "" : ", --no-python to skip Python functions";
	number_bytes(wanted, (double)ceiling->estimate);
	number_bytes(max, (double)ceiling->max);
	if (ceiling->endless)
		error_set(
			error, ERROR_MEMORY,
			"the pipe needs about %s of memory so far, and the limit is %s%s; save it to a file and use --steps A..B to load some steps%s, or raise --max-memory",
			wanted, max, buffer_text(&beside), python);
	else
		error_set(
			error, ERROR_MEMORY,
			"needs about %s of memory, and the limit is %s%s, so about %u %% fits; use --steps A..B to load %s%s%s, or raise --max-memory",
			wanted, max, buffer_text(&beside), (unsigned)ceiling->part,
			options->has_steps ? "fewer steps" : "some steps",
			run->cache->files > 1 && !options->one_rank ? ", --rank R to load one file"
								    : "",
			python);
	return false;
}

/*
 * Derive facts, with the steps that were asked for: from a source, from a range, or else the
 * iterations of an operator.
 */
static bool derive(struct rank *rank, const struct load_options *options,
		   const struct progress *progress, struct error *error)
{
	struct derived_options how = options->derived;
	how.steps_from = options->key_node;
	if (rank->residence) {
		how.records = rank->residence->records;
		how.record_count = rank->residence->record_count;
		how.lacks = rank->residence->lacks;
	}
	rank->derived = derived_build(rank->profile, &how, progress, error);
	if (rank->derived && (!options->key_node || rank->derived->steps_from_profile))
		return true;
	if (rank->derived && step_source_named(options->key_node) != STEPS_NONE)
		error_set(error, ERROR_USAGE, "no steps from '%s' in this profile",
			  options->key_node);
	else if (rank->derived && tool_step_rule()->cut(rank->derived, rank->profile->strings,
							options->key_node, progress, error))
		return true;
	load_drop(rank);
	return false;
}

/* Name the devices that worked; marked as named by the option. A recorded name is not replaced. */
static bool name_devices(struct profile *profile, const char *gpu, struct error *error)
{
	struct buffer name = { 0 };
	for (size_t i = 0; gpu && i < profile->device_count; i++)
		if (profile->devices[i].name)
			return error_set(
				error, ERROR_USAGE,
				"--gpu is for profiles that record no device; this one records %s",
				profile_string(profile, profile->devices[i].name));
	if (gpu)
		buffer_printf(&name, "%s (--gpu)", gpu);
	for (size_t i = 0; gpu && i < profile->track_count; i++) {
		int32_t id = profile->tracks[i].device;
		const struct device *known = profile_device(profile, id);
		struct device *device =
			id < 0 ? NULL : profile_add_device(profile, known ? known->id : id);
		if (device)
			device->name = profile_intern(profile, buffer_text(&name));
	}
	buffer_free(&name);
	return true;
}

/* True if only some steps are requested and the file can be read twice, so is not a pipe. */
static bool has_some_steps(const struct reading *reading)
{
	const struct load_options *options = &reading->run->cache->options;
	return options->has_steps && !options->key_node && !reading->run->cache->prefix &&
	       profile_peek(reading->rank->path).is_trace;
}

/* Read the rows of the surveyed steps; again if some of them extend beyond the filter. */
static bool read_surveyed(struct reading *reading, struct step_survey *survey,
			  const struct progress *progress, struct error *error)
{
	struct rank *rank = reading->rank;
	const struct load_options *options = &reading->run->cache->options;
	const struct read_options how = { .no_python = options->no_python,
					  .filter = survey->count ? &survey->filter : NULL };
	for (bool covered = false; !covered;) {
		rank->profile = profile_open_with(rank->path, &how, progress, error);
		if (!rank->profile)
			return false;
		covered = !survey->count || step_survey_covers(survey, rank->profile);
		if (!covered)
			load_drop(rank);
	}
	if (!name_devices(rank->profile, options->gpu, error))
		return false;
	rank->profile->some_steps = survey->count > 0;
	rank->profile->left_out.layers = survey->layers;
	rank->profile->left_out.kept_from = survey->filter.host_from;
	rank->profile->left_out.kept_to = survey->filter.host_to;
	rank->profile->step_first = options->step_first;
	rank->profile->step_last = options->step_last;
	struct known_steps known = { 0 };
	if (survey->count)
		known = step_survey_steps(survey, rank->profile);
	rank->derived = derived_build_with_steps(rank->profile, &options->derived, &known,
						 reading->progress, error);
	if (rank->derived)
		return true;
	load_drop(rank);
	return false;
}

static bool read_steps(struct reading *reading, const struct progress *progress,
		       struct error *error)
{
	const struct load_options *options = &reading->run->cache->options;
	struct step_survey survey;
	struct ceiling ceiling;
	struct progress once = progress ? *progress : (struct progress){ 0 };
	once.read = NULL; /* the preview callback must see the text only once */
	reading->progress = progress;
	ceiling_begin(&ceiling, options->memory_max, progress ? &once : NULL, give_back, reading);
	bool done =
		step_survey_make(&survey, reading->rank->path, options, &ceiling.progress, error);
	if (done) {
		ceiling_begin(&ceiling, options->memory_max, progress ? &once : NULL, give_back,
			      reading);
		done = read_surveyed(reading, &survey, &ceiling.progress, error);
	}
	step_survey_free(&survey);
	return done || (ceiling.estimate && does_not_fit(reading->run, &ceiling, error));
}

/* Open the database that nsys makes of a report; it is shown under the report's name. */
static struct profile *open_report(const struct reading *reading, const struct read_options *how,
				   const struct progress *progress, struct error *error)
{
	const struct load_options *options = &reading->run->cache->options;
	const char *path = reading->rank->path;
	char *database =
		convert_report(path, options->index.directory, &options->convert, progress, error);
	if (!database)
		return NULL;
	struct profile *profile = profile_open_with(database, how, progress, error);
	mem_free(database);
	if (!profile)
		return NULL;
	mem_free(profile->path);
	profile->path = mem_strdup(path);
	return profile;
}

static struct profile *open_file(const struct reading *reading, const struct read_options *how,
				 const struct progress *progress, struct error *error)
{
	const struct load_options *options = &reading->run->cache->options;
	if (options->convert.program && options->index.directory &&
	    profile_is_report(reading->rank->path))
		return open_report(reading, how, progress, error);
	return profile_open_with(reading->rank->path, how, progress, error);
}

/* Functions are of one process: which of several, no file says. */
static void join_functions(const struct reading *reading, struct profile *report)
{
	struct profile *profile = reading->rank->profile;
	if (reading->run->cache->files > 1 || !join_python(profile, report))
		join_note(profile, "Python functions not joined", text_file_name(report->path));
}

/* Join the reports of kernels, operators and Python functions that were opened with the file. */
static bool join_reports(const struct reading *reading, const struct progress *progress,
			 struct error *error)
{
	const struct run_files *reports = &reading->run->cache->reports;
	const struct read_options how = { 0 };
	struct rank *rank = reading->rank;
	bool good = true;
	for (size_t i = 0; i < reports->count && good; i++) {
		struct profile *report =
			profile_open_with(reports->item[i].path, &how, progress, error);
		good = report != NULL;
		if (good && report->counter_count && !report->activities)
			join_telemetry(rank->profile, report);
		else if (good && report->python)
			join_functions(reading, report);
		else if (good && !(report->totals ? join_calls(rank->profile, report, progress)
						  : join_report(rank->profile, report, progress)))
			good = error_set(error, ERROR_CANCELLED, "cancelled");
		profile_free(report);
	}
	if (!good)
		load_drop(rank);
	return good;
}

/* Parse and derive everything: the file or, for a preview, its prefix in memory. */
static bool load_rank_read_file(struct reading *reading, const struct progress *progress,
				struct error *error)
{
	struct rank *rank = reading->rank;
	const struct load_options *options = &reading->run->cache->options;
	const struct run_prefix *prefix = reading->run->cache->prefix;
	const struct read_options how = { .no_python = options->no_python,
					  .record_ids = reading->run->cache->reports.count > 0,
					  .sample_type = options->sample_type,
					  .part = rank->part ? rank->part - 1 : 0 };
	struct ceiling ceiling;
	if (options->only_steps && has_some_steps(reading))
		return read_steps(reading, progress, error);
	ceiling_begin(&ceiling, options->memory_max, progress, give_back, reading);
	rank->profile = prefix ? profile_open_prefix(rank->path, prefix->bytes, prefix->length,
						     prefix->text_max, &how, progress, error)
			       : open_file(reading, &how, &ceiling.progress, error);
	if (!rank->profile && ceiling.estimate && has_some_steps(reading))
		return read_steps(reading, progress, error);
	if (!rank->profile)
		return ceiling.estimate ? does_not_fit(reading->run, &ceiling, error) : false;
	return name_devices(rank->profile, options->gpu, error) &&
	       join_reports(reading, progress, error) && derive(rank, options, progress, error);
}

static bool read_index(struct rank *rank, const struct load_options *options,
		       const struct index_key *key)
{
	struct index_content content;
	if (!index_load(&options->index, key, rank->path, &content))
		return false;
	rank->profile = content.profile;
	rank->derived = content.derived;
	rank->derived->peaks = options->derived.peaks;
	if (rank->summary)
		rank_summary_free(content.summary);
	else
		rank->summary = content.summary;
	return true;
}

bool load_process(const struct run *run, struct rank *rank, const struct profile *whole,
		  const struct progress *progress, struct error *error)
{
	rank->profile = processes_extract(whole, rank->process, progress, error);
	if (!rank->profile)
		return false;
	return derive(rank, &run->cache->options, progress, error);
}

bool load_file(struct reading *reading, struct origin *origin, const struct progress *progress,
	       struct error *error)
{
	const struct run *run = reading->run;
	struct rank *rank = reading->rank;
	const struct load_options *options = &run->cache->options;
	/*
	 * A prefix must not be stored under the key of the whole file; inferred facts depend on
	 * more than the file.
	 */
	origin->keyed = options->index.directory && !run->cache->prefix && !rank->part &&
			!run->cache->reports.count &&
			!(rank->residence && rank->residence->record_count) &&
			index_key_make(&origin->key, rank->path, options);
	origin->indexed = origin->keyed &&
			  progress_update(progress, "finding the index", 0, 0, 0) &&
			  read_index(rank, options, &origin->key);
	return origin->indexed || load_rank_read_file(reading, progress, error);
}

bool load_rank(struct reading *reading, const struct progress *progress, struct error *error)
{
	const struct run *run = reading->run;
	struct rank *rank = reading->rank, file = { .path = rank->path, .process = NO_ROW };
	struct reading whole = { run, &file, NULL };
	struct origin origin;
	if (rank->process == NO_ROW)
		return load_file(reading, &origin, progress, error);
	if (run->whole)
		return load_process(run, rank, run->whole->profile, progress, error);
	bool done = load_file(&whole, &origin, progress, error) &&
		    load_process(run, rank, file.profile, progress, error);
	load_drop(&file);
	rank_summary_free(file.summary);
	return done;
}

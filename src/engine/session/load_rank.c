#include "session/load_private.h"

#include "session/join.h"
#include "analysis/rank_summary.h"
#include "analysis/whatif/whatif_scenario.h"
#include "session/step_survey.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "input/open.h"
#include "model/processes.h"
#include "model/tool.h"

/*
 * ---- the limit of memory ----
 *
 * Enforces a memory limit by extrapolating, while a file is read, the peak of the whole file from
 * the part read so far. Other memory of the process (further ranks, the base run) counts, too.
 */

/* After DONE bytes of the file: rows of all kinds, and bytes allocated for them. */
struct ceiling_sample {
	uint64_t done, rows, held;
};

struct ceiling {
	struct progress progress; /* pass this to the reader */
	const struct progress *outer;
	uint64_t max;                     /* limit of the process in bytes; 0: none */
	bool (*give_back)(void *context); /* free caches; false: nothing to free */
	void *context;
	uint64_t next;                      /* file position of the next check */
	uint64_t beside;                    /* bytes allocated before the start */
	struct ceiling_sample first, later; /* samples that delimit the last half read */
	uint64_t estimate;                  /* estimate that stopped the reading; 0: none */
	bool endless;  /* a pipe: the estimate covers only the bytes received */
	uint64_t part; /* percent of the file that would have fitted */
};

enum { CEILING_LIMIT_ROWS(_) };

/* Memory apart from columns: texts, arguments, reader state. */
static double beside_columns(const struct ceiling_sample *sample)
{
	double columns = (double)sample->rows * ROW_HELD, held = (double)sample->held;
	return held > columns ? held - columns : 0;
}

/*
 * Estimated peak in bytes of opening a file of TOTAL bytes, from NOW and a sample FIRST of up to
 * half of what was read by then.
 */
static uint64_t estimate(const struct ceiling_sample *first, const struct ceiling_sample *now,
			 uint64_t total)
{
	double done = (double)now->done, left = total > now->done ? (double)total - done : 0;
	double rows = (double)now->rows, others = beside_columns(now);
	double grown = others - beside_columns(first);
	if (now->done)
		rows += rows * left / done;
	/* texts repeat, so only recent growth is extrapolated */
	if (now->done > first->done && grown > 0)
		others += grown * left / (done - (double)first->done);
	double whole = rows * ROW_PEAK + others;
	return whole < 9e18 ? (uint64_t)whole : UINT64_MAX;
}

/* Bytes to compare with the limit after NOW; WHOLE is the extrapolated peak. */
static uint64_t foresee(const struct ceiling *ceiling, const struct ceiling_sample *now,
			uint64_t whole, uint64_t total)
{
	bool tells = now->done >= total / TELLING;
	bool hints = now->done >= total / HINTING && whole / HOPELESS > ceiling->max;
	if (now->done >= TELLING_MIN && (tells || hints))
		return whole;
	return estimate(&ceiling->first, now, now->done); /* the part read so far */
}

/* Freed memory no longer counts as held besides the file. */
static bool made_room(struct ceiling *ceiling)
{
	uint64_t before = mem_used();
	if (!ceiling->give_back || !ceiling->give_back(ceiling->context))
		return false;
	uint64_t now = mem_used(), freed = before > now ? before - now : 0;
	ceiling->beside -= freed < ceiling->beside ? freed : ceiling->beside;
	return true;
}

static bool memory_limit_has_room(const struct ceiling *ceiling, uint64_t wanted)
{
	return wanted <= ceiling->max && ceiling->beside <= ceiling->max - wanted;
}

static bool fits(struct ceiling *ceiling, uint64_t done, uint64_t total, uint64_t rows)
{
	if (!ceiling->max || done < ceiling->next)
		return true;
	ceiling->next = done + (total / LOOKS > STEP_MIN ? total / LOOKS : STEP_MIN);
	uint64_t all = mem_used();
	struct ceiling_sample now = { done, rows,
				      all > ceiling->beside ? all - ceiling->beside : 0 };
	if (now.done >= 2 * ceiling->later.done) {
		ceiling->first = ceiling->later;
		ceiling->later = now;
	}
	uint64_t whole = estimate(&ceiling->first, &now, total);
	uint64_t wanted = foresee(ceiling, &now, whole, total);
	if (memory_limit_has_room(ceiling, wanted) ||
	    (made_room(ceiling) && memory_limit_has_room(ceiling, wanted)))
		return true;
	uint64_t left = ceiling->max > ceiling->beside ? ceiling->max - ceiling->beside : 0;
	ceiling->estimate = whole;
	ceiling->endless = !total;
	ceiling->part = (uint64_t)(100.0 * (double)left / (double)whole);
	return false;
}

static bool update(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	struct ceiling *ceiling = context;
	return (!progress_is_reading(stage) || fits(ceiling, done, total, rows)) &&
	       progress_update(ceiling->outer, stage, done, total, rows);
}

/*
 * Monitor reading through ceiling->progress, which also updates OUTER. GIVE_BACK (may be NULL) is
 * called before the reading is stopped.
 */
static void ceiling_begin(struct ceiling *ceiling, uint64_t max, const struct progress *outer,
			  bool (*give_back)(void *context), void *context)
{
	*ceiling = (struct ceiling){ .progress = { .update = update,
						   .context = ceiling,
						   .read = outer ? outer->read : NULL,
						   .reader = outer ? outer->reader : NULL },
				     .outer = outer,
				     .max = max,
				     .give_back = give_back,
				     .context = context,
				     .next = STEP_MIN,
				     .beside = max ? mem_used() : 0 };
}

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
	struct run_cache *cache = run->cache;
	pthread_mutex_lock(&cache->lock);
	for (size_t i = 0; i < run->rank_count && cache->resident > max; i++) {
		struct rank *rank = &run->ranks[i];
		if (rank->residence->state == RANK_READY && !rank->residence->holds &&
		    (!oldest || rank->residence->last_use < oldest->residence->last_use))
			oldest = rank;
	}
	if (oldest) {
		*taken = *oldest;
		oldest->profile = NULL;
		oldest->derived = NULL;
		oldest->residence->state = RANK_ABSENT;
		cache->resident -= oldest->residence->size;
	}
	pthread_mutex_unlock(&cache->lock);
	return oldest;
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
	if (reading->beside)
		return false;
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
		MEMBERS(&how, rank->residence, TAKE(records) TAKE(record_count) TAKE(lacks));
	}
	rank->derived = derived_build(rank->profile, &how, progress, error);
	if (rank->derived && options->edits) {
		bool moved = whatif_scenario(rank->profile, rank->derived, options->edits, progress,
					     error);
		derived_free(rank->derived);
		rank->derived = moved ? derived_build(rank->profile, &how, progress, error) : NULL;
	}
	if (rank->derived && (!options->key_node || rank->derived->steps_from_profile))
		return true;
	if (rank->derived && step_source_named(options->key_node) != STEPS_NONE)
		error_usage(error, "no steps from '%s' in this profile", options->key_node);
	else if (rank->derived && tool_step_rule()->cut(rank->derived, rank->profile->strings,
							options->key_node, progress, error))
		return true;
	load_drop(rank);
	return false;
}

/* Name the devices that worked; marked as named by the option. A recorded name is not replaced. */
static bool name_devices(struct profile *profile, const char *gpu, struct error *error)
{
	AUTO_BUFFER struct buffer name = { 0 };
	for (size_t i = 0; gpu && i < profile->device_count; i++)
		if (profile->devices[i].name)
			return error_usage(
				error,
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
	AUTO(step_survey_free) struct step_survey survey = { 0 };
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
	return done || (ceiling.estimate && does_not_fit(reading->run, &ceiling, error));
}

/* Open the database that nsys makes of a report; it is shown under the report's name. */
static struct profile *open_report(const struct reading *reading, const struct read_options *how,
				   const struct progress *progress, struct error *error)
{
	const struct load_options *options = &reading->run->cache->options;
	const char *path = reading->rank->path;
	AUTO_FREE char *database =
		convert_report(path, options->index.directory, &options->convert, progress, error);
	if (!database)
		return NULL;
	struct profile *profile = profile_open_with(database, how, progress, error);
	if (!profile)
		return NULL;
	mem_replace(profile->path, mem_strdup(path));
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
	if (!reading->run->cache->one_profile || !join_python(profile, report))
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
		if (good && report->requests)
			join_requests(rank->profile, report);
		else if (good && report->counter_count && !report->activities)
			join_telemetry(rank->profile, report);
		else if (good && report->python)
			join_functions(reading, report);
		else if (good && !(report->compile  ? join_compile(rank->profile, report, progress)
				   : report->totals ? join_calls(rank->profile, report, progress)
						    : join_report(rank->profile, report, progress)))
			good = error_cancelled(error);
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
	struct load_options options = run->cache->options;
	options.edits = NULL; /* the whole was moved already */
	rank->profile = processes_extract(whole, rank->process, progress, error);
	return rank->profile && derive(rank, &options, progress, error);
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
			!options->edits && !run->cache->reports.count &&
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

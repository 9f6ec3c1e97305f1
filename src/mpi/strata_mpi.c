/*
 * strata-mpi: summarize and merge on the processes that mpirun started.
 */
#include "mpi/exchange.h"

#include "analysis/work/device_peaks.h"
#include "base/text.h"
#include "cli/charset.h"
#include "cli/device_file.h"
#include "cli/session.h"
#include "cli/summary_task.h"

struct mpi_work {
	int argc;
	char **argv;
	struct processes here;
	struct options options;
	struct batch batch;
	struct device_peaks *peaks; /* the user's */
	int status;
};

static void say(const char *path, const char *message)
{
	AUTO_BUFFER struct buffer text = { 0 };
	buffer_puts(&text, "strata-mpi: ");
	if (path && strncmp(message, path, strlen(path)) != 0) {
		text_escape(&text, path, strlen(path));
		buffer_puts(&text, ": ");
	}
	buffer_printf(&text, "%s\n", message);
	fputs(buffer_text(&text), stderr); /* a line in one piece: other processes write, too */
}

static void note(const struct mpi_work *work, const struct buffer *text)
{
	if (work->here.rank == 0 && !work->options.quiet)
		say(NULL, buffer_text(text));
}

/* On all processes, whether the root failed; it says why. */
static bool failed(struct mpi_work *work, bool success, const struct error *error, int status)
{
	bool good = share_success(success);
	if (!good && work->here.rank == 0)
		say(NULL, error->message);
	if (!good)
		work->status = status;
	return !good;
}

/* ---- summarize ---- */

static void summarize_all(struct mpi_work *work)
{
	struct load_options load = work->options.load;
	AUTO(summary_task_clear) struct summary_task task;
	uint64_t results[] = { [BATCH_WRITTEN] = 0, [BATCH_CURRENT] = 0, [BATCH_FAILED] = 0 };
	load.derived.peaks = work->peaks;
	summary_task_init(&task, &work->options, &load);
	for (size_t i = 0; i < work->batch.count; i++) {
		struct error error = { 0 };
		if (!is_mine(work->here, i))
			continue;
		enum batch_result result =
			batch_summarize(&work->batch, i, &task.job, NULL, &error);
		results[result]++;
		if (result == BATCH_FAILED)
			say(work->batch.files[i].path, error.message);
	}
	for (int i = 0; i <= BATCH_FAILED; i++)
		results[i] = sum_over_processes(results[i]);
	AUTO_BUFFER struct buffer text = { 0 };
	batch_describe(&text, results);
	note(work, &text);
	work->status =
		summary_status(results[BATCH_WRITTEN] + results[BATCH_CURRENT], work->batch.count);
}

/* ---- merge ---- */

static uint64_t add_files(struct mpi_work *work, struct merge *merge)
{
	uint64_t added = 0;
	for (size_t i = 0; i < work->batch.count; i++) {
		struct error error = { 0 };
		size_t before = merge->count;
		if (!is_mine(work->here, i))
			continue;
		bool good = merge_add_file(merge, (uint32_t)i, NULL, &error);
		for (size_t b = before; b < merge->count; b++)
			merge->blocks[b].owner = (uint32_t)work->here.rank;
		added += good;
		if (!good)
			say(work->batch.files[i].path, error.message);
	}
	return sum_over_processes(added);
}

static void merge_all(struct mpi_work *work)
{
	AUTO_FREE const char **paths = batch_paths(&work->batch);
	AUTO(merge_free)
	struct merge merge = { .paths = paths,
			       .memory_max = work->options.load.memory_max,
			       .all_ranks = work->options.all_ranks };
	struct error error = { 0 };
	uint64_t added = add_files(work, &merge);
	join_blocks(work->here, &merge);
	bool settled = work->here.rank != 0 || merge_settle(&merge, &error);
	if (!failed(work, settled, &error, STATUS_INPUT)) {
		AUTO_BUFFER struct buffer text = { 0 };
		share_blocks(work->here, &merge);
		bool done = write_together(work->here, &merge, work->options.output,
					   work->options.force, &error);
		if (!failed(work, done, &error, STATUS_OUTPUT)) {
			merge_describe(&merge, &text);
			note(work, &text);
			work->status = summary_status(added, work->batch.count);
		}
	}
}

/* ---- both ---- */

static void warn(void *context, const char *text)
{
	const struct mpi_work *work = context;
	if (work->here.rank == 0)
		say(NULL, text);
}

static bool find_files(struct mpi_work *work, bool merging, struct error *error)
{
	const struct options *options = &work->options;
	struct load_options *load = &work->options.load;
	work->peaks = device_peaks_new();
	if (!devices_read(work->peaks, options->device_peaks, warn, work, error))
		return false;
	if (load->gpu && !(load->gpu = device_peaks_find(work->peaks, load->gpu, error)))
		return false;
	if (work->here.rank != 0)
		return true;
	if (!options->slice_count)
		return error_usage(error, "PATH required");
	if (merging && !options->output)
		return error_usage(error, "strata-mpi merge requires -o FILE");
	return batch_find(&work->batch, options->words, options->slice_count, merging, error) &&
	       (merging || batch_check_names(&work->batch, error));
}

static bool run_command(void *context)
{
	struct mpi_work *work = context;
	struct error error = { 0 };
	const char *word = work->argc > 1 ? work->argv[1] : "";
	bool merging = strcmp(word, "merge") == 0, known = merging || !strcmp(word, "summarize");
	work->status = STATUS_USAGE;
	if (!known) {
		if (work->here.rank == 0)
			fputs("usage: mpirun ... strata-mpi summarize [-o DIR] PATH...\n"
			      "       mpirun ... strata-mpi merge -o FILE PATH...\n",
			      stderr);
		return true;
	}
	bool parsed = options_parse(&work->options, work->argc - 1, work->argv + 1,
				    merging ? FOR_MERGE : FOR_SUMMARIZE, &error);
	if (!failed(work, parsed && find_files(work, merging, &error), &error, STATUS_USAGE)) {
		share_paths(work->here, &work->batch);
		if (merging)
			merge_all(work);
		else
			summarize_all(work);
	}
	options_clear(&work->options);
	batch_free(&work->batch);
	device_peaks_free(work->peaks);
	return true;
}

int main(int argc, char **argv)
{
	struct processes here = processes_start(&argc, &argv);
	charset_start();
	struct mpi_work work = { .argc = argc, .argv = argv, .here = here };
	struct error error;
	if (!mem_guard(run_command, &work, &error)) {
		say(NULL, error.message);
		processes_abort(STATUS_INPUT);
	}
	processes_end();
	return work.here.rank == 0 ? work.status : STATUS_DONE;
}

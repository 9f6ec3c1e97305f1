#include "summary/batch.h"

#include "base/compare.h"
#include "base/error.h"
#include "base/inputs.h"
#include "base/text.h"
#include "input/open.h"
#include "session/load.h"
#include "session/runs/run_files.h"

#include <inttypes.h>
#include <stdlib.h>

bool batch_find(struct batch *batch, const char *const *named, size_t count, bool want_summaries,
		struct error *error)
{
	AUTO(run_files_free) struct run_files files = { 0 };
	bool done = run_files_find(&files, named, count, count, NULL, error);
	for (size_t i = 0; i < files.count && done; i++) {
		const struct run_file *file = &files.item[i];
		bool summary = file->optional && profile_is_summary(file->path);
		if (file->optional && (summary != want_summaries ||
				       (!want_summaries && !profile_peek(file->path).is_profile)))
			continue;
		const char *folder = files.folder[file->folder], *way = strchr(folder, '/');
		batch_add(batch, file->path, way ? way + 1 : "");
	}
	return done;
}

void batch_add(struct batch *batch, const char *path, const char *folder)
{
	*mem_push(batch->files, batch->count) =
		(struct batch_file){ mem_strdup(path), mem_strdup(folder) };
	batch->inputs = batch->inputs ?: inputs_new();
	inputs_add(batch->inputs, path);
}

const char **batch_paths(const struct batch *batch)
{
	const char **paths = mem_alloc((batch->count + 1) * sizeof *paths);
	for (size_t i = 0; i < batch->count; i++)
		paths[i] = batch->files[i].path;
	return paths;
}

void batch_free(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		mem_free_all(batch->files[i].path, batch->files[i].folder);
	mem_free(batch->files);
	inputs_free(batch->inputs);
	*batch = (struct batch){ 0 };
}

COMPARE_ITEMS(batch_compare_names, struct batch_file,
	      strcmp(x->folder, y->folder)
		      ?: strcmp(text_file_name(x->path), text_file_name(y->path)))

bool batch_check_names(const struct batch *batch, struct error *error)
{
	AUTO_FREE struct batch_file *sorted = mem_alloc((batch->count + 1) * sizeof *sorted);
	bool good = true;
	if (batch->count) {
		memcpy(sorted, batch->files, batch->count * sizeof *sorted);
		qsort(sorted, batch->count, sizeof *sorted, batch_compare_names);
	}
	for (size_t i = 1; i < batch->count && good; i++)
		if (batch_compare_names(&sorted[i - 1], &sorted[i]) == 0 &&
		    strcmp(sorted[i - 1].path, sorted[i].path) != 0)
			good = error_usage(error,
					   "%s and %s have one name; write each to a folder of its "
					   "own (-o)",
					   sorted[i - 1].path, sorted[i].path);
	return good;
}

struct batch_guarded {
	const struct summary_job *job;
	const struct progress *progress;
	struct error *error;
	bool current;
};

static bool write_one(void *context)
{
	struct batch_guarded *guarded = context;
	guarded->current = summary_is_current(guarded->job);
	return guarded->current || summary_write(guarded->job, guarded->progress, guarded->error);
}

enum batch_result batch_summarize(const struct batch *batch, size_t file,
				  const struct summary_job *job, const struct progress *progress,
				  struct error *error)
{
	struct summary_job one = *job;
	struct batch_guarded guarded = { &one, progress, error, false };
	const char *folder = batch->files[file].folder;
	AUTO_FREE char *directory =
		mem_printf("%s%s%s", job->directory, *folder ? "/" : "", folder);
	one.trace = batch->files[file].path;
	one.directory = directory;
	bool done = mem_guard(write_one, &guarded, error);
	if (!done)
		return BATCH_FAILED;
	return guarded.current ? BATCH_CURRENT : BATCH_WRITTEN;
}

void batch_describe(struct buffer *out, const uint64_t results[BATCH_FAILED + 1])
{
	buffer_printf(out, "summaries written: %" PRIu64 ", up to date: %" PRIu64,
		      results[BATCH_WRITTEN], results[BATCH_CURRENT]);
	if (results[BATCH_FAILED])
		buffer_printf(out, ", failed: %" PRIu64, results[BATCH_FAILED]);
}

char *batch_made(const struct load_options *load)
{
	struct buffer made = { 0 };
	buffer_printf(&made, "strata %s", PACKAGE_VERSION);
	if (load->derived.attribute_by_execution)
		buffer_puts(&made, "; by execution");
	if (load->derived.step_name)
		buffer_printf(&made, "; steps %s", load->derived.step_name);
	if (load->no_python)
		buffer_puts(&made, "; no python");
	if (load->key_node)
		buffer_printf(&made, "; steps from %s", load->key_node);
	return made.data;
}

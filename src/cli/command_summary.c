/*
 * strata summarize and strata merge.
 */
#include "cli/commands.h"
#include "cli/summary_task.h"

/* Say what went wrong with a file; the others go on. */
static void warn_file(struct session *session, const char *path, const struct error *error)
{
	bool named = strncmp(error->message, path, strlen(path)) == 0;
	session_warn(session, "%s%s%s", named ? "" : path, named ? "" : ": ", error->message);
}

static bool find_files(struct session *session, struct batch *batch, bool want_summaries)
{
	if (!session_find_paths(session, 0))
		return false;
	session->options->output = session->options->output ?: ".";
	session_confine(session);
	return batch_find(batch, (const char *const *)session->paths, session->path_count,
			  want_summaries, &session->error);
}

/* ---- summarize ---- */

static int summarize_files(struct session *session, const struct batch *batch,
			   const struct summary_job *job)
{
	uint64_t results[BATCH_FAILED + 1] = { 0 };
	AUTO_BUFFER struct buffer text = { 0 };
	for (size_t i = 0; i < batch->count; i++) {
		struct error error = { 0 };
		enum batch_result result =
			batch_summarize(batch, i, job, &session->progress, &error);
		results[result]++;
		session->error = error;
		if (error.code == ERROR_CANCELLED || error.code == ERROR_OUTPUT)
			return session_fail(session);
		if (result == BATCH_FAILED)
			warn_file(session, batch->files[i].path, &error);
	}
	batch_describe(&text, results);
	session_note(session, "%s", buffer_text(&text));
	return summary_status(batch->count - results[BATCH_FAILED], batch->count);
}

int command_summarize(struct session *session)
{
	AUTO(batch_free) struct batch batch = { 0 };
	AUTO(summary_task_clear) struct summary_task task = { 0 };
	if (!find_files(session, &batch, false) || !batch_check_names(&batch, &session->error))
		return session_fail(session);
	summary_task_init(&task, session->options, &session->load);
	return summarize_files(session, &batch, &task.job);
}

/* ---- merge ---- */

/* False with the session's error when cancelled. */
static bool add_files(struct session *session, const struct batch *batch, struct merge *merge,
		      size_t *done)
{
	for (size_t i = 0; i < batch->count; i++) {
		struct error error = { 0 };
		if (merge_add_file(merge, (uint32_t)i, &session->progress, &error)) {
			++*done;
			continue;
		}
		session->error = error;
		if (error.code == ERROR_CANCELLED)
			return false;
		warn_file(session, batch->files[i].path, &error);
	}
	return true;
}

static int merge_files(struct session *session, const struct batch *batch)
{
	const struct options *options = session->options;
	AUTO_FREE const char **paths = batch_paths(batch);
	AUTO(merge_free)
	struct merge merge = { .paths = paths,
			       .memory_max = options->load.memory_max,
			       .all_ranks = options->all_ranks };
	AUTO(merge_files_close) struct merge_files files = { .merge = &merge };
	size_t added = 0;
	bool done = add_files(session, batch, &merge, &added) &&
		    merge_settle(&merge, &session->error) &&
		    merge_write(&merge, options->output, options->force, merge_fetch_file, &files,
				&session->progress, &session->error);
	AUTO_BUFFER struct buffer text = { 0 };
	if (!done)
		return session_fail(session);
	merge_describe(&merge, &text);
	session_note(session, "%s", buffer_text(&text));
	return summary_status(added, batch->count);
}

int command_merge(struct session *session)
{
	AUTO(batch_free) struct batch batch = { 0 };
	if (!session->options->output)
		return session_refuse(session, "strata merge requires -o FILE");
	return find_files(session, &batch, true) ? merge_files(session, &batch)
						 : session_fail(session);
}

#include "session/baselines.h"

#include "base/compare.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/replace.h"
#include "base/small_file.h"
#include "base/text.h"
#include "session/file_sample.h"
#include "session/run_history.h"
#include "session/index.h"
#include "session/summary_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { NAME_LENGTH_MAX = 64 };

COMPARE_MEMBERS(baselines_compare_names, struct baseline, UP_TEXT(name))

static struct baseline *baselines_find(const struct baselines *baselines, const char *name)
{
	struct baseline key = { (char *)(size_t)name, NULL };
	return baselines->count ? bsearch(&key, baselines->items, baselines->count,
					  sizeof *baselines->items, baselines_compare_names)
				: NULL;
}

static void baselines_put(struct baselines *baselines, const char *name, const char *path)
{
	struct baseline *old = baselines_find(baselines, name);
	if (old) {
		mem_replace(old->path, mem_strdup(path));
		return;
	}
	*mem_push(baselines->items, baselines->count) =
		(struct baseline){ mem_strdup(name), mem_strdup(path) };
	qsort(baselines->items, baselines->count, sizeof *baselines->items,
	      baselines_compare_names);
}

bool baselines_read(struct baselines *baselines, const char *file, struct error *error)
{
	AUTO_BUFFER struct buffer text = { 0 };
	size_t at = 0, length;
	FILE *open = fopen(file, "re");
	*baselines = (struct baselines){ NULL, 0 };
	if (!open)
		return errno == ENOENT || error_input(error, "%s: %s", file, strerror(errno));
	bool good = small_file_read(&text, open, "list of baselines", file, error);
	fclose(open);
	for (char *line; good && (line = small_file_line(&text, &at, &length));) {
		char *tab = memchr(line, '\t', length);
		line[length] = '\0';
		if (!tab || tab == line || tab[1] != '/')
			continue; /* written by hand, or by a later version */
		*tab = '\0';
		baselines_put(baselines, line, tab + 1);
	}
	return good;
}

void baselines_free(struct baselines *baselines)
{
	for (size_t i = 0; i < baselines->count; i++)
		mem_free_all(baselines->items[i].name, baselines->items[i].path);
	mem_free(baselines->items);
	*baselines = (struct baselines){ NULL, 0 };
}

bool baselines_is_name(const char *name)
{
	size_t length = strlen(name);
	bool good = length && length <= NAME_LENGTH_MAX && *name != '-' && *name != '.';
	for (size_t i = 0; i < length; i++)
		good &= isalnum((unsigned char)name[i]) || strchr("-_.@", name[i]) != NULL;
	return good;
}

bool baselines_add(struct baselines *baselines, const char *name, const char *path,
		   struct error *error)
{
	if (!baselines_is_name(name))
		return error_usage(
			error,
			"a baseline's name has letters, digits and -_.@ (at most %d), not \"%s\"",
			NAME_LENGTH_MAX, name);
	char *real = realpath(path, NULL);
	if (!real)
		return error_usage(error, "%s: %s", path, strerror(errno));
	bool good = !strpbrk(real, "\n\r\t") ||
		    error_usage(error, "%s: a baseline's path has no tabs and line breaks", path);
	if (good)
		baselines_put(baselines, name, real);
	free(real);
	return good;
}

bool baselines_remove(struct baselines *baselines, const char *name)
{
	struct baseline *found = baselines_find(baselines, name);
	if (!found)
		return false;
	mem_free_all(found->name, found->path);
	size_t after = baselines->count - (size_t)(found - baselines->items) - 1;
	memmove(found, found + 1, after * sizeof *found);
	baselines->count--;
	return true;
}

bool baselines_write(const struct baselines *baselines, const char *file, struct error *error)
{
	AUTO_BUFFER struct buffer text = { 0 };
	AUTO_FREE char *directory = mem_strndup(file, (size_t)(text_file_name(file) - file));
	index_create_directory(directory, 0700,
			       NULL); /* what fails is seen when the file is written */
	struct replace *replace = replace_begin(file, false, error);
	if (!replace)
		return false;
	for (size_t i = 0; i < baselines->count; i++)
		buffer_printf(&text, "%s\t%s\n", baselines->items[i].name,
			      baselines->items[i].path);
	bool good = replace_write(replace, text.data, text.length, error);
	return replace_end(replace, good, error);
}

/* ---- summaries ---- */

char *baselines_history(const char *file, const char *name)
{
	return baselines_is_name(name) ? mem_printf("%s.d/%s", file, name) : NULL;
}

char *baselines_new_summary(const char *file, const char *name, const char *label)
{
	char date[32] = "";
	struct timespec now;
	struct tm tm;
	clock_gettime(CLOCK_REALTIME, &now);
	if (gmtime_r(&now.tv_sec, &tm))
		strftime(date, sizeof date, "%Y%m%dT%H%M%S", &tm);
	return mem_printf("%s.d/%s/%s.%09ldZ%s%s%s", file, name, date, now.tv_nsec,
			  label ? "-" : "", label ? label : "", SUMMARY_FILE_SUFFIX);
}

void baselines_forget(const char *file, const char *name)
{
	AUTO_FREE char *history = baselines_history(file, name);
	if (history)
		run_history_remove(history);
}

/* Is the trace of a rank as it was? */
static bool visit_trace(void *context, const struct summary_part *part, struct error *error)
{
	struct summary_file_trace trace;
	AUTO_INTERN struct intern *strings = intern_new();
	struct file_sample now;
	bool same = summary_file_unpack_trace(part->block, strings, &trace) &&
		    file_sample_path(&now, trace.path) && now.size == trace.bytes &&
		    now.head == trace.head && now.tail == trace.tail;
	return same || error_input(error, "has changed");
}

/* The run of a baseline: PATH, or the summary in its place. */
static char *find_run(const char *file, const char *name, const char *path)
{
	struct error error = { 0 };
	AUTO_FREE char *history = baselines_history(file, name);
	AUTO_FREE char *summary = history ? run_history_newest(history) : NULL;
	bool kept = summary && access(summary, R_OK) == 0;
	bool same = access(path, R_OK) == 0 &&
		    (!kept || summary_parts_visit(summary, visit_trace, NULL, NULL, &error));
	return mem_strdup(kept && !same ? summary : path);
}

char *baselines_resolve(const char *file, const char *word)
{
	AUTO(baselines_free) struct baselines baselines = { NULL, 0 };
	struct error error = { 0 };
	const struct baseline *named = NULL;
	if (file && access(word, F_OK) != 0 && baselines_read(&baselines, file, &error))
		named = baselines_find(&baselines, word);
	return named ? find_run(file, word, named->path) : mem_strdup(word);
}

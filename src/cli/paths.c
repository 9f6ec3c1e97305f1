#include "cli/paths.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool looks_like_trace(const char *path)
{
	static const char *const ends[] = { ".json", ".json.gz", ".json.zst" };
	size_t length = strlen(path);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t end = strlen(ends[i]);
		if (length > end && strcmp(path + length - end, ends[i]) == 0)
			return true;
	}
	return false;
}

static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void append(char ***paths, size_t *count, char *path)
{
	*paths = mem_realloc(*paths, *count + 1, sizeof **paths);
	(*paths)[(*count)++] = path;
}

static bool list_directory(const char *path, char ***files, size_t *count, struct error *error)
{
	DIR *directory = opendir(path);
	if (!directory)
		return error_set(error, ERROR_INPUT, "%s: cannot be read: %s", path,
				 strerror(errno));
	for (const struct dirent *entry; (entry = readdir(directory));) {
		struct buffer name = { 0 };
		buffer_printf(&name, "%s/%s", path, entry->d_name);
		if (*entry->d_name != '.' && is_file(name.data))
			append(files, count, name.data);
		else
			buffer_free(&name);
	}
	closedir(directory);
	return true;
}

/* Drop what does not look like a trace, unless nothing does. */
static size_t keep_traces(char **files, size_t count)
{
	size_t kept = 0, traces = 0;
	for (size_t i = 0; i < count; i++)
		traces += looks_like_trace(files[i]);
	if (!traces)
		return count;
	for (size_t i = 0; i < count; i++) {
		if (looks_like_trace(files[i]))
			files[kept++] = files[i];
		else
			mem_free(files[i]);
	}
	return kept;
}

bool paths_add(const char *path, char ***paths, size_t *count, struct error *error)
{
	if (!is_directory(path)) {
		append(paths, count, mem_strdup(path));
		return true;
	}
	char **files = NULL;
	size_t file_count = 0;
	if (!list_directory(path, &files, &file_count, error))
		return false;
	file_count = keep_traces(files, file_count);
	if (file_count)
		if (file_count)
		qsort(files, file_count, sizeof *files, by_number);
	for (size_t i = 0; i < file_count; i++)
		append(paths, count, files[i]);
	mem_free(files);
	return file_count || error_set(error, ERROR_INPUT, "%s: there is no file in it", path);
}

#include "session/run_files.h"

#include "base/buffer.h"
#include "base/error.h"
#include "input/ascend/ascend_text.h"
#include "input/open.h"
#include "input/strsum/strsum.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_file(struct run_files *files, char *path, bool optional)
{
	mem_grow(files->item, files->capacity, files->count + 1);
	files->item[files->count++] = (struct run_file){ path, optional, NO_VALUE };
}

void run_files_free(struct run_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		mem_free(files->item[i].path);
	mem_free(files->item);
	*files = (struct run_files){ 0 };
}

static bool is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Add the file to open of a run's folder; false if PATH is none. */
static bool add_run_folder(struct run_files *files, const char *path)
{
	char *file = is_directory(path) ? ascend_folder_file(path) : NULL;
	if (file)
		add_file(files, file, false);
	return file != NULL;
}

/* "trace.json.strsum" beside "trace.json": the trace is opened. */
static bool is_summary_beside(const char *path)
{
	static const char suffix[] = STRSUM_SUFFIX;
	size_t length = strlen(path), end = sizeof suffix - 1;
	if (length <= end || strcmp(path + length - end, suffix) != 0)
		return false;
	char *trace = mem_strndup(path, length - end);
	bool beside = access(trace, F_OK) == 0;
	mem_free(trace);
	return beside;
}

static bool add_directory(struct run_files *files, const char *path, struct error *error)
{
	struct dirent **entries;
	if (add_run_folder(files, path))
		return true;
	int count = scandir(path, &entries, NULL, versionsort);
	size_t before = files->count;
	if (count < 0)
		return error_set(error, ERROR_INPUT, "%s: cannot list: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		struct buffer file = { 0 };
		struct stat status;
		buffer_printf(&file, "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && stat(buffer_text(&file), &status) == 0 &&
		    S_ISREG(status.st_mode) && !is_summary_beside(buffer_text(&file)))
			add_file(files, mem_strdup(buffer_text(&file)), true);
		else if (entries[i]->d_name[0] != '.')
			add_run_folder(files, buffer_text(&file));
		buffer_free(&file);
		free(entries[i]);
	}
	free(entries);
	return files->count > before ||
	       error_set(error, ERROR_INPUT, "%s: the directory is empty", path);
}

bool run_files_find(struct run_files *files, const char *const *named, size_t count,
		    struct error *error)
{
	files->chosen = NO_VALUE;
	for (size_t i = 0; i < count; i++) {
		if (!is_directory(named[i]))
			add_file(files, mem_strdup(named[i]), false);
		else if (!add_directory(files, named[i], error))
			return false;
	}
	return true;
}

void run_files_set_apart(struct run_files *files, struct run_files *apart,
			 bool (*is_apart)(const char *path))
{
	size_t kept = 0;
	bool *moves = mem_zalloc(files->count + 1, sizeof *moves);
	for (size_t i = 0; i < files->count && files->count > 1; i++) {
		moves[i] = !files->item[i].optional && is_apart(files->item[i].path);
		kept += !moves[i];
	}
	for (size_t i = 0, count = files->count, to = 0; kept && i < count; i++) {
		if (moves[i]) {
			add_file(apart, files->item[i].path, false);
			continue;
		}
		files->item[to++] = files->item[i];
		files->count = to;
	}
	mem_free(moves);
}

/* ---- rank numbers ---- */

int64_t run_files_number(const char *path)
{
	static const char *const words[] = { "rank", "worker" };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		for (const char *at = name; (at = strcasestr(at, words[i]));) {
			at += strlen(words[i]);
			const char *digits = at + strspn(at, "_-[(=");
			char *end;
			long number = strtol(digits, &end, 10);
			if (end != digits && number >= 0 && number <= INT32_MAX)
				return number;
		}
	}
	return NO_VALUE;
}

/*
 * Read each file's header for its rank; non-profiles are dropped. False if a file does not have
 * one.
 */
static bool ask_all(struct run_files *files)
{
	size_t kept = 0;
	bool all = true;
	for (size_t i = 0; i < files->count; i++) {
		struct run_file file = files->item[i];
		struct profile_head head = profile_peek(file.path);
		file.number = head.rank != NO_VALUE ? head.rank : run_files_number(file.path);
		if (!head.is_profile && file.optional) {
			mem_free(file.path);
			files->left_out++;
			continue;
		}
		files->item[kept++] = file;
		all &= head.is_profile && file.number != NO_VALUE;
	}
	files->count = kept;
	return all && kept > 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct run_file *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

static void keep_only(struct run_files *files, size_t kept)
{
	struct run_file file = files->item[kept];
	for (size_t i = 0; i < files->count; i++)
		if (i != kept)
			mem_free(files->item[i].path);
	files->item[0] = file;
	files->count = 1;
	files->chosen = file.number;
}

bool run_files_choose(struct run_files *files, int64_t rank, struct error *error)
{
	if (files->count < 2 || !ask_all(files))
		return true;
	qsort(files->item, files->count, sizeof *files->item, compare_numbers);
	for (size_t i = 1; i < files->count; i++)
		if (files->item[i].number == files->item[i - 1].number)
			return true;
	size_t found = 0;
	while (found < files->count && files->item[found].number != rank)
		found++;
	if (found == files->count && rank != 0)
		return error_set(error, ERROR_USAGE, "unknown rank %" PRId64, rank);
	keep_only(files, found < files->count ? found : 0);
	return true;
}

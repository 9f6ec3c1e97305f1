/*
 * Where Ascend's profilers put their files. The names are theirs and tell what to open first; what
 * a file is, its contents tell.
 */
#include "base/buffer.h"
#include "input/ascend/ascend_text.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>

static char *ascend_folder_path_of(const char *directory, const char *name)
{
	AUTO_BUFFER struct buffer path = { 0 };
	buffer_printf(&path, "%s/%s", directory, name);
	return mem_strdup(buffer_text(&path));
}

/* The first file of DIRECTORY whose name has this pattern; NULL: none. */
static char *find_file(const char *directory, const char *pattern)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, versionsort);
	char *found = NULL;
	if (count < 0 && errno == ENOMEM)
		mem_fail(sizeof *entries); /* is no folder without the file */
	for (int i = 0; i < count; i++) {
		struct stat status;
		char *path = NULL;
		if (!found && fnmatch(pattern, entries[i]->d_name, FNM_PERIOD) == 0)
			path = ascend_folder_path_of(directory, entries[i]->d_name);
		if (path && stat(path, &status) == 0 && S_ISREG(status.st_mode))
			found = path;
		else
			mem_free(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return found;
}

static char *find_output(const char *directory)
{
	static const char *const patterns[] = { ASCEND_PATTERN_ROWS };
	char *found = NULL;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !found; i++)
		found = find_file(directory, patterns[i]);
	return found;
}

char *ascend_folder_file(const char *directory)
{
	static const char *const outputs[] = { "ASCEND_PROFILER_OUTPUT",
					       "mindstudio_profiler_output" };
	struct stat status;
	char *found = NULL;
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs && !found; i++) {
		AUTO_FREE char *output = ascend_folder_path_of(directory, outputs[i]);
		const char *slash = strrchr(directory, '/');
		if (stat(output, &status) == 0 && S_ISDIR(status.st_mode))
			found = find_output(output);
		else if (strcmp(slash ? slash + 1 : directory, outputs[i]) == 0)
			found = find_output(directory);
	}
	return found;
}

char *ascend_folder_information(const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO_BUFFER struct buffer folder = { 0 };
	if (slash)
		buffer_add(&folder, path, (size_t)(slash - path));
	else
		buffer_puts(&folder, ".");
	buffer_puts(&folder, "/..");
	return find_file(buffer_text(&folder), "profiler_info*.json");
}

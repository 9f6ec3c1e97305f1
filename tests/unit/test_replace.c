/* Replacing files: read-only files, directories without permission, failures. */
#include "trace_case.h"
#include "file_case.h"

#include "base/error.h"
#include "base/inputs.h"
#include "base/replace.h"

#include <dirent.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[64];

static const char *path_of(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	return path;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_content(const char *path, const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = 0;
	assert_string_equal(text, expected);
}

static int count_files(void)
{
	int count = 0;
	DIR *entries = opendir(directory);
	for (struct dirent *entry; (entry = readdir(entries));)
		count += entry->d_name[0] != '.' || strstr(entry->d_name, ".tmp");
	closedir(entries);
	return count;
}

static bool write_file(const char *path, bool force, struct error *error)
{
	struct replace *replace = replace_begin(path, force, error);
	if (!replace)
		return false;
	assert_int_equal(write(replace_descriptor(replace), "new", 3), 3);
	return replace_commit(replace, error);
}

static int make_directory(void **state)
{
	strcpy(directory, "/tmp/test_replace.XXXXXX");
	return mkdtemp(directory) ? 0 : 1;
}

static int remove_directory(void **state)
{
	chmod(directory, 0700);
	return remove_folder(directory);
}

TEST_AROUND(a_read_only_file_is_replaced_only_by_force, make_directory, remove_directory)
{
	struct error error = { 0 };
	const char *path = path_of("kept");
	put(path, "old");
	chmod(path, 0444);
	assert_false(write_file(path, false, &error));
	assert_int_equal(error.code, ERROR_OUTPUT);
	assert_non_null(strstr(error.message, "--force"));
	assert_content(path, "old");
	assert_true(write_file(path, true, &error));
	assert_content(path, "new");
	struct stat status;
	stat(path, &status);
	assert_int_equal(status.st_mode & 0777, 0444);
	assert_int_equal(count_files(), 1);
}

TEST_AROUND(a_file_in_a_closed_directory_is_written_in_place, make_directory, remove_directory)
{
	struct error error = { 0 };
	const char *path = path_of("file");
	put(path, "old text that is longer");
	assert_true(replace_is_atomic(path));
	assert_int_equal(chmod(directory, 0500), 0);
	if (access(directory, W_OK) == 0) {
		chmod(directory, 0700);
		skip(); /* this user can write everywhere */
	}
	assert_false(replace_is_atomic(path));
	assert_true(write_file(path, false, &error));
	assert_content(path, "new");
	assert_false(write_file(path_of("another"), false, &error));
	chmod(directory, 0700);
	assert_int_equal(count_files(), 1);
}

TEST_AROUND(no_temporary_file_is_left_behind, make_directory, remove_directory)
{
	struct error error = { 0 };
	const char *path = path_of("target");
	struct replace *replace = replace_begin(path, false, &error);
	assert_non_null(replace);
	assert_in_range(count_files(), 0, 1);
	/* the target becomes what no file can be renamed over */
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(replace_commit(replace, &error));
	assert_int_equal(error.code, ERROR_OUTPUT);
	assert_int_equal(count_files(), 1);
	rmdir(path);
	replace_discard(replace_begin(path, false, &error));
	assert_int_equal(count_files(), 0);
}

/* A file that is read is not written, whatever name it is given; afterwards it is. */
TEST_AROUND(an_input_is_refused_by_every_name, make_directory, remove_directory)
{
	struct error error = { 0 };
	struct inputs *inputs = inputs_new(), *others = inputs_new();
	char input[128];
	snprintf(input, sizeof input, "%s", path_of("input"));
	put(input, "old");
	assert_int_equal(link(input, path_of("hard")), 0);
	assert_int_equal(symlink("input", path_of("soft")), 0);
	assert_int_equal(symlink(".", path_of("folder")), 0);
	inputs_add(inputs, input);
	inputs_add(others, path_of("soft"));
	inputs_add(others, path_of("none"));
	inputs_add(others, "/dev/null");
	for (int round = 0; round < 2; round++) {
		const char *const names[] = { "input", "hard", "soft", "folder/input", "./input" };
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			assert_false(write_file(path_of(names[i]), true, &error));
			assert_int_equal(error.code, ERROR_OUTPUT);
			assert_non_null(strstr(error.message, "is read by this command"));
		}
		inputs_free(round ? others : inputs);
	}
	assert_content(input, "old");
	assert_true(write_file("/dev/null", false, &error));
	assert_true(write_file(path_of("soft"), false, &error));
	assert_content(input, "new");
}

/* Begin to write PATH, under a name if NAMED, and be killed. */
static void be_killed(const char *path, bool named)
{
	pid_t child = fork();
	if (child == 0) {
		struct replace *replace = replace_begin(path, false, NULL);
		bool good = replace && replace_write(replace, "half", 4, NULL) &&
			    (!named || replace_path(replace, NULL));
		if (good)
			raise(SIGKILL);
		_exit(1);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST_AROUND(what_a_killed_writer_leaves_is_removed, make_directory, remove_directory)
{
	struct error error = { 0 };
	char path[128];
	snprintf(path, sizeof path, "%s", path_of("target"));
	put(path, "old");
	be_killed(path, false);
	assert_int_equal(count_files(), 1); /* fails where no file can be without a name */
	be_killed(path, true);
	assert_int_equal(count_files(), 2);
	/* a living writer keeps its file */
	struct replace *living = replace_begin(path, false, &error);
	const char *place = replace_path(living, &error);
	assert_non_null(place);
	assert_int_equal(access(place, F_OK), 0);
	assert_true(write_file(path, false, &error));
	assert_int_equal(access(place, F_OK), 0);
	assert_content(path, "new");
	assert_true(replace_write(living, "living", 6, &error));
	assert_true(replace_commit(living, &error));
	assert_content(path, "living");
	assert_int_equal(count_files(), 1);
}

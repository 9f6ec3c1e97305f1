#include "index_case.h"
#include "file_case.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

char index_directory[] = "index-XXXXXX";

struct load_options index_options = { .index = { index_directory, UINT64_MAX, 0 } };

int index_make_directory(void **state)
{
	return mkdtemp(index_directory) ? 0 : -1;
}

int index_remove_directory(void **state)
{
	return remove_folder(index_directory);
}

/* Back-date the file: recently changed files are not indexed. */
void index_age_file(const char *path, int seconds)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
				     { .tv_sec = time(NULL) - seconds } };
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

void index_write_text(const char *path, const char *text, size_t length)
{
	write_whole(path, text, length);
	index_age_file(path, 100);
}

void index_generate(const char *path, const char *how)
{
	size_t length;
	char *text = trace_generate(how, &length);
	index_write_text(path, text, length);
	mem_free(text);
}

/* Open PATH and write its index; NULL if it is not a profile. *INDEXED: loaded from an index. */
struct run *index_open(const char *path, bool *indexed)
{
	struct error error = { 0 };
	struct run *run = run_open(&path, 1, &index_options, NULL, &error);
	run_settle(run);
	*indexed = run && run->ranks[0].profile->store;
	return run;
}

size_t index_count(void)
{
	struct index_list list;
	index_list_read(&list, index_directory);
	size_t count = list.count;
	index_list_free(&list);
	return count;
}

void index_clear_all(void)
{
	size_t removed;
	assert_true(index_clear(index_directory, &removed, NULL));
}

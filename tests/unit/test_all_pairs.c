/*
 * A small profile of every format, compared with one of every other: diff in all groupings either
 * gives rows or says why not.
 */
#include "../fuzz/fuzz.h"
#include "file_case.h"
#include "trace_case.h"

#include "base/mem.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { KINDS_MAX = 64 };

static char folder[64];

static struct kind {
	char path[128];
	const char *format; /* static: of the reader */
	struct run *run;
} kinds[KINDS_MAX];

static size_t kind_count;

static bool is_known(const char *format)
{
	for (size_t i = 0; i < kind_count; i++)
		if (strcmp(kinds[i].format, format) == 0)
			return true;
	return false;
}

static struct run *open_kind(const char *path)
{
	return run_open(&path, 1, NULL, NULL, NULL);
}

/* Keep a copy of the seed if it opens and its format is new. */
static void take_seed(const char *path)
{
	size_t length;
	char *bytes = read_whole(path, &length);
	const char *made = fuzz_profile((const uint8_t *)bytes, length);
	struct run *run = kind_count < KINDS_MAX ? open_kind(made) : NULL;
	struct rank *rank = run ? run_acquire(run, run->ranks[0].number, NULL, NULL) : NULL;
	if (rank && !is_known(rank->profile->format)) {
		struct kind *kind = &kinds[kind_count++];
		snprintf(kind->path, sizeof kind->path, "%s/%zu", folder, kind_count);
		char *copy = read_whole(made, &length);
		write_whole(kind->path, copy, length);
		mem_free(copy);
		kind->format = mem_strdup(rank->profile->format);
	}
	run_release(run, rank);
	run_free(run);
	mem_free(bytes);
}

static int find_kinds(void **state)
{
	static const char *const formats[] = { "ascend", "dlprof", "documents", "kineto",
					       "ncu",    "nsys",   "nvprof",    "perfetto",
					       "pyprof", "python", "rocm",      "snapshot",
					       "xplane", "trace",  "summary" };
	strcpy(folder, "/tmp/test_all_pairs.XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		char path[2048];
		const char *seeds = source_path("tests/fuzz/seeds");
		snprintf(path, sizeof path, "%s/%s", seeds, formats[i]);
		DIR *entries = opendir(path);
		for (const struct dirent *entry; entries && (entry = readdir(entries));) {
			snprintf(path, sizeof path, "%s/%s/%s", source_path("tests/fuzz/seeds"),
				 formats[i], entry->d_name);
			if (entry->d_name[0] != '.')
				take_seed(path);
		}
		if (entries)
			closedir(entries);
	}
	return 0;
}

static int forget_kinds(void **state)
{
	for (size_t i = 0; i < kind_count; i++)
		mem_free((char *)(uintptr_t)kinds[i].format);
	return remove_folder(folder);
}

TEST_AROUND(any_two_formats_can_be_compared, find_kinds, forget_kinds)
{
	const struct view *diff = view_find("diff");
	struct scope scope;
	size_t tables = 0;
	scope_init(&scope);
	assert_true(kind_count > 20);
	for (size_t a = 0; a < kind_count; a++) {
		struct run *run = open_kind(kinds[a].path);
		assert_non_null(run);
		/* of memory errors, which sanitizers see, each pair may have its own: all in three
		 * runs, some groups of each */
		for (size_t b = SLOW ? 0 : a % 3; b < kind_count; b += SLOW ? 1 : 3) {
			if (!test_sampled(a + b, 3))
				continue;
			run_compare(run, open_kind(kinds[b].path));
			for (size_t g = SLOW ? (a + b / 3) % 3 : 0;
			     g < VIEW_GROUPS_MAX && diff->groups[g]; g += SLOW ? 3 : 1) {
				struct error error = { 0 };
				struct table *table = view_build(diff, run, &scope, diff->groups[g],
								 NULL, &error);
				if (!table && strlen(error.message) < 10)
					fail_msg("%s and %s by %s: \"%s\"", kinds[a].format,
						 kinds[b].format, diff->groups[g], error.message);
				tables += table != NULL;
				table_free(table);
			}
		}
		run_free(run);
	}
	scope_clear(&scope);
	assert_true(tables > kind_count * kind_count / (SLOW ? 9 : 3));
}

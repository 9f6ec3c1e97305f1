/*
 * Over every profile of the corpus: gains sum to at most 100 %, titles are short, and each finding
 * leads to rows or to a time.
 */
#include "advice_case.h"
#include "file_case.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { PATH_LENGTH_MAX = 4096, DEPTH_MAX = 6 };

static size_t profiles;

static void check_finding(const struct run *run, const struct table *advice, size_t row,
			  const char *path)
{
	const struct view *next;
	struct scope scope, narrowed;
	const char *id = table_cell(advice, row, "detector").text;
	if (table_cell(advice, row, "problem").length > 50)
		fail_msg("%s: %s has a long title", path, id);
	if (!table_cell(advice, row, "evidence").length)
		fail_msg("%s: %s has no evidence", path, id);
	/* no GPU work is in it, so nothing is known of what its loader or CPU work costs */
	const struct profile *first = run->rank_count ? run->ranks[0].profile : NULL;
	if (first && first->snapshot && table_cell(advice, row, "cost_ns").kind != VALUE_MISSING)
		fail_msg("%s: %s costs time in a memory snapshot", path, id);
	scope_init(&scope);
	if (!view_drill(run, table_ref(advice, row), &scope, &next, &narrowed))
		fail_msg("%s: %s leads nowhere", path, id);
	scope_clear(&narrowed);
}

static void check_run(const struct run *run, const char *path)
{
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	double sum = 0;
	for (size_t row = 0; row < advice->rows; row++) {
		const char *severity = table_cell(advice, row, "severity").text;
		if (!strcmp(severity, "unknown"))
			continue;
		check_finding(run, advice, row, path);
		if (table_cell(advice, row, "gain_pct").kind == VALUE_REAL)
			sum += table_cell(advice, row, "gain_pct").real;
	}
	if (sum > 100.000001)
		fail_msg("%s: gains sum to %f %%", path, sum);
	table_free(advice);
}

/* Files that are no profiles are refused, and nothing is said about them here. */
static void check_path(const char *path)
{
	const char *paths[] = { path };
	struct error error = { 0 };
	struct run *run = run_open(paths, 1, NULL, NULL, &error);
	if (!run)
		return;
	check_run(run, path);
	profiles++;
	run_free(run);
}

/* Directories of several ranks are one run, and their files are profiles, too. */
static void check_folder(const char *folder, int depth)
{
	DIR *open = opendir(folder);
	struct dirent *entry;
	static size_t files;
	while (open && (entry = readdir(open))) {
		char path[PATH_LENGTH_MAX];
		struct stat status;
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "golden") ||
		    !strcmp(entry->d_name, "bad") ||
		    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >=
			    (int)sizeof path ||
		    stat(path, &status))
			continue;
		if (S_ISREG(status.st_mode) && test_sampled(files++, 3))
			check_path(path);
		else if (S_ISDIR(status.st_mode) && depth < DEPTH_MAX)
			check_folder(path, depth + 1);
	}
	if (open)
		closedir(open);
}

TEST(findings_of_the_corpus_hold)
{
	check_folder(corpus_path("."), 0);
	assert_true(profiles > 0);
	printf("%zu profiles\n", profiles);
}

TEST(findings_over_ranks_hold)
{
	if (!corpus_path("kineto/dlrm_8ranks"))
		skip();
	check_path(corpus_path("kineto/dlrm_8ranks"));
}

static int find_corpus(void **state)
{
	if (!corpus_path("."))
		test_skip("no corpus here");
	return 0;
}

TEST_PROGRAM(find_corpus, NULL)

#include "test.h"
#include "file_case.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TESTS_MAX = 100, SKIPPED = 77 };

static struct CMUnitTest tests[TESTS_MAX];
static size_t test_count;
static CMFixtureFunction before_all, after_all;

void test_add(const char *name, CMUnitTestFunction function, CMFixtureFunction setup,
	      CMFixtureFunction teardown)
{
	if (test_count == TESTS_MAX)
		abort();
	tests[test_count++] = (struct CMUnitTest){ name, function, setup, teardown, NULL };
}

void test_program(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	before_all = setup;
	after_all = teardown;
}

void test_skip(const char *reason)
{
	fprintf(stderr, "SKIP: %s\n", reason);
	exit(SKIPPED);
}

bool test_sampled(size_t number, size_t every)
{
	const char *sample = getenv("SAMPLE");
	bool all = !SLOW || getenv("STRATA_CASES"); /* cases.sh has sums of all traces */
	return all || (number + (sample ? strtoul(sample, NULL, 10) : 0)) % every == 0;
}

uint64_t random_below(uint64_t *state, uint64_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*state >> 33) % limit;
}

/*
 * Each program has a folder of its own, in which the names of its files collide with none of
 * another program, nor of a second one of the same tests. What the tests start is linked there.
 */
static char build_folder[PATH_MAX], folder[] = "test-XXXXXX";
static pid_t owner;

static void leave_folder(void)
{
	if (getpid() == owner && chdir(build_folder) == 0)
		remove_folder(folder);
}

static void make_absolute(const char *variable)
{
	char path[PATH_MAX];
	if (getenv(variable) && realpath(getenv(variable), path))
		setenv(variable, path, 1);
}

static bool enter_folder(void)
{
	static const char *const needed[][2] = { { "../strata", "strata" },
						 { "../tracegen", "tracegen" },
						 { "../demo.trace.json.gz",
						   "demo.trace.json.gz" } };
	setenv("srcdir", ".", 0);
	make_absolute("srcdir");
	make_absolute("STRATA_CORPUS");
	make_absolute("STRATA_DATADIR");
	owner = getpid();
	if (!getcwd(build_folder, sizeof build_folder) || !mkdtemp(folder))
		return false;
	atexit(leave_folder);
	if (chdir(folder) != 0)
		return false;
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (symlink(needed[i][0], needed[i][1]) != 0)
			return false;
	return true;
}

int main(void)
{
	if (!enter_folder()) {
		perror("a folder for the test's files");
		return 1;
	}
	return _cmocka_run_group_tests("tests", tests, test_count, before_all, after_all);
}

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

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

uint64_t random_below(uint64_t *state, uint64_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*state >> 33) % limit;
}

int main(void)
{
	return _cmocka_run_group_tests("tests", tests, test_count, before_all, after_all);
}

/* How much memory the program takes for a trace of some size. */
#include "trace_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char path[] = "memory-trace.json";

/* Peak resident bytes of `strata info` on a generated trace of about SIZE; *BYTES is its real size. */
static int64_t peak_of(const char *size, int64_t *bytes)
{
	char command[128];
	struct stat status;
	struct rusage usage;
	int result;

	snprintf(command, sizeof command, "./tracegen --size %s -o %s", size, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(stat(path, &status), 0);
	*bytes = status.st_size;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(126);
		execl("./strata", "strata", "info", "-q", path, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(wait4(child, &result, 0, &usage), child);
	unlink(path);
	assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
	return (int64_t)usage.ru_maxrss * 1024;
}

static void stays_within_the_budget(void **state)
{
	static const char *const sizes[] = { "1M", "10M", "50M" };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int64_t bytes, peak = peak_of(sizes[i], &bytes);
		print_message("%s: %.2f bytes a byte of trace\n", sizes[i],
			      (double)peak / (double)bytes);
		assert_true(peak <= 3 * bytes + (64 << 20));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stays_within_the_budget) };
	const char *wrapper = getenv("TEST_WRAPPER");

#ifdef __SANITIZE_ADDRESS__
	wrapper = "sanitizers";
#endif
	if (wrapper && *wrapper) {
		print_message("SKIP: memory is not measured under %s\n", wrapper);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

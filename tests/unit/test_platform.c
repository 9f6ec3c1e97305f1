/*
 * What systems differ in. Compiled twice: as it is here, and as for a system that has none of it
 * (PLATFORM_PORTABLE), whose answers must be the same or unknown.
 */
#include "test.h"

#include "base/compare.h"
#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef PLATFORM_PORTABLE
static const bool portable = true;
#else
static const bool portable = false;
#endif

TEST(last_byte)
{
	static const char text[] = "a\0b\377c\377d";
	assert_ptr_equal(platform_memrchr(text, 0xff, sizeof text), text + 5);
	assert_ptr_equal(platform_memrchr(text, 0xff, 5), text + 3);
	assert_ptr_equal(platform_memrchr(text, 'a', 1), text);
	assert_ptr_equal(platform_memrchr(text, 0, 3), text + 1);
	assert_null(platform_memrchr(text, 'a', 0));
	assert_null(platform_memrchr(text, 'z', sizeof text));
}

static int by_rank(const void *a, const void *b, void *context)
{
	const int *rank = context;
	return COMPARE(rank[*(const int *)a], rank[*(const int *)b]);
}

TEST(sort_with_a_context)
{
	enum { COUNT = 1000 };
	int items[COUNT], rank[COUNT];
	for (int i = 0; i < COUNT; i++) {
		items[i] = i;
		rank[i] = i * 7919 % COUNT; /* each number once */
	}
	platform_sort(items, COUNT, sizeof *items, by_rank, rank);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(rank[items[i]], i);
	platform_sort(NULL, 0, sizeof *items, by_rank, rank);
}

TEST(path_of_the_program)
{
	char path[4096], *slash;
	assert_int_equal(platform_program(path, sizeof path), !portable);
	if (portable)
		return;
	slash = strrchr(path, '/');
	assert_non_null(slash);
	assert_non_null(strstr(slash, "test_platform"));
	/* what does not fit is unknown, not cut */
	size_t length = strlen(path);
	assert_false(platform_program(path, length));
	assert_true(platform_program(path, length + 1));
	assert_int_equal(strlen(path), length);
}

TEST(memory_and_processors)
{
	uint64_t bytes = platform_memory_free();
	assert_int_equal(bytes != 0, !portable);
	assert_true(bytes <= (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
	unsigned processors = platform_processors();
	assert_true(processors >= 1 && processors <= (unsigned)sysconf(_SC_NPROCESSORS_CONF));
}

TEST(name_of_an_unnamed_file)
{
	char directory[] = "/tmp/strata-platform-XXXXXX", name[64];
	assert_non_null(mkdtemp(directory));
	snprintf(name, sizeof name, "%s/named", directory);
	int fd = platform_unnamed_file(directory, 0600);
	assert_true(fd < 0 || !portable);
	assert_true(fd < 0 || platform_name_file(fd, name));
	assert_int_equal(access(name, F_OK) == 0, fd >= 0);
	close(fd);
	unlink(name);
	rmdir(directory);
}

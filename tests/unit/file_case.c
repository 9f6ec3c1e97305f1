#include "file_case.h"

#include "base/mem.h"
#include "test.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path_below(const char *folder, const char *below, const char *name)
{
	static char paths[8][4096];
	static size_t next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof paths[0], "%s/%s%s", folder, below, name);
	return path;
}

static const char *source_path_below(const char *below, const char *name)
{
	const char *source = getenv("srcdir");
	return path_below(source ? source : ".", below, name);
}

const char *source_path(const char *name)
{
	return source_path_below("", name);
}

const char *corpus_path(const char *name)
{
	const char *given = getenv("STRATA_CORPUS");
	const char *path =
		given ? path_below(given, "", name) : source_path_below("../shared/corpus/", name);
	return access(path, R_OK) == 0 ? path : NULL;
}

char *read_whole(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		fail_msg("%s: cannot be read", path);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*length = (size_t)ftell(file);
	rewind(file);
	char *bytes = mem_alloc(*length + 1);
	assert_int_equal(fread(bytes, 1, *length, file), *length);
	bytes[*length] = '\0';
	fclose(file);
	return bytes;
}

const char *data_text(const char *name)
{
	static struct {
		const char *name;
		char *text;
	} data[32];
	size_t i = 0, length;
	while (data[i].name && strcmp(data[i].name, name) != 0)
		i++;
	if (!data[i].name) {
		assert_true(i + 1 < sizeof data / sizeof *data);
		data[i].name = name;
		data[i].text = read_whole(source_path_below("tests/unit/data/", name), &length);
	}
	return data[i].text;
}

static uint64_t case_sum(uint64_t sum, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
	return sum;
}

static void copy_case(const char *name, const void *bytes, size_t length)
{
	FILE *file = fopen(path_below(getenv("STRATA_CASES"), "", name), "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* One that begins like another and ends early, or one of many of a length, which differ in a byte.
 */
static bool resembles_kept(const void *bytes, size_t length)
{
	enum { ALIKE = 4, MOST = 1000 };
	static struct {
		void *bytes;
		size_t length;
	} kept[MOST];
	static size_t count;
	size_t alike = 0;
	for (size_t i = 0; i < count; i++) {
		bool shorter = length < kept[i].length;
		bool begins = memcmp(kept[i].bytes, bytes, shorter ? length : kept[i].length) == 0;
		if (shorter && begins)
			return true;
		alike += begins || kept[i].length == length;
	}
	if (alike >= ALIKE || count == MOST)
		return true;
	kept[count].bytes = memcpy(mem_alloc(length + 1), bytes, length);
	kept[count++].length = length;
	return false;
}

/* For tests/sweep/cases.sh: what tests write to read it, in a folder, named by its content. */
static void keep_case(const void *bytes, size_t length)
{
	enum { LARGEST = 16 << 10 };
	char name[32];
	if (!getenv("STRATA_CASES") || length > LARGEST || resembles_kept(bytes, length))
		return;
	snprintf(name, sizeof name, "%016" PRIx64, case_sum(0, bytes, length));
	copy_case(name, bytes, length);
}

void keep_written(const char *path, const char *text)
{
	enum { LARGEST = 256 << 10 };
	size_t length;
	char name[32];
	if (!getenv("STRATA_CASES"))
		return;
	char *bytes = read_whole(path, &length);
	snprintf(name, sizeof name, "database-%016" PRIx64, case_sum(0, text, strlen(text)));
	if (length <= LARGEST)
		copy_case(name, bytes, length);
	mem_free(bytes);
}

static uint64_t ranks_sum(const char *const *paths, size_t count)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		size_t length;
		char *bytes = read_whole(paths[i], &length);
		sum = case_sum(sum, bytes, length);
		mem_free(bytes);
	}
	return sum;
}

void keep_ranks(const char *const *paths, size_t count)
{
	char name[64], rank[96];
	if (!getenv("STRATA_CASES") || count < 2)
		return;
	snprintf(name, sizeof name, "ranks-%016" PRIx64, ranks_sum(paths, count));
	if (mkdir(path_below(getenv("STRATA_CASES"), "", name), 0777) != 0)
		return; /* it was kept */
	for (size_t i = 0; i < count; i++) {
		size_t length;
		char *bytes = read_whole(paths[i], &length);
		snprintf(rank, sizeof rank, "%s/rank%zu", name, i);
		copy_case(rank, bytes, length);
		mem_free(bytes);
	}
}

void write_whole(const char *path, const void *bytes, size_t length)
{
	keep_case(bytes, length);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

void write_text_in(const char *folder, const char *name, const char *text)
{
	write_whole(path_below(folder, "", name), text, strlen(text));
}

void write_temporary(char *path, const void *bytes, size_t length)
{
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
	keep_case(bytes, length);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	return remove(path);
}

int remove_folder(const char *folder)
{
	return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

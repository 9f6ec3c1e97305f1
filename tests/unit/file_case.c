#include "file_case.h"

#include "base/mem.h"
#include "test.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/* For tests/sweep/cases.sh: what tests write to read it, in a folder, named by its content. */
static void keep_case(const void *bytes, size_t length)
{
	enum { LARGEST = 16 << 10 };
	static bool keeps;
	const char *folder = getenv("STRATA_CASES");
	char name[32];
	if (!folder || keeps || length > LARGEST)
		return;
	uint64_t sum = 0;
	for (size_t i = 0; i < length; i++)
		sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
	snprintf(name, sizeof name, "%016" PRIx64, sum);
	keeps = true;
	write_whole(path_below(folder, "", name), bytes, length);
	keeps = false;
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

/* Databases as files: never modified; refused or partially read when damaged. */
#include "base/mem.h"
#include "database_case.h"
#include "input/open.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNELS                                                                                    \
	NSYS_STRINGS NSYS_KERNELS                                                                  \
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"   \
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,demangledName)"                 \
		" SELECT 100 * i, 100 * i + 50, 1 FROM n;"

static void write_bytes(const char *path, const void *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static char *read_bytes(const char *path, size_t *length)
{
	struct stat status;
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	*length = (size_t)status.st_size;
	char *bytes = mem_alloc(*length + 1);
	assert_int_equal(fread(bytes, 1, *length, file), *length);
	fclose(file);
	return bytes;
}

/* Neither the file changes nor is one created next to it, even if the writer kept a WAL. */
TEST(file_is_not_modified)
{
	static const char *const companions[] = { "-wal", "-shm", "-journal" };
	char *path = database_file("PRAGMA journal_mode = WAL;" KERNELS);
	size_t before_length, after_length;
	char *before = read_bytes(path, &before_length);
	struct error error = { 0 };

	chmod(path, 0400);
	struct profile *profile = profile_open(path, NULL, &error);
	assert_non_null(profile);
	assert_int_equal(profile->activities, 3000);
	profile_free(profile);
	char *after = read_bytes(path, &after_length);
	assert_int_equal(before_length, after_length);
	assert_memory_equal(before, after, before_length);
	for (int i = 0; i < 3; i++) {
		char name[64];
		snprintf(name, sizeof name, "%s%s", path, companions[i]);
		assert_int_not_equal(access(name, F_OK), 0);
	}
	unlink(path);
	mem_free(path);
	mem_free(before);
	mem_free(after);
}

TEST(wal_or_journal_is_refused)
{
	static const char *const companions[] = { "-wal", "-journal" };
	char *path = database_file(KERNELS);

	for (int i = 0; i < 2; i++) {
		struct error error = { 0 };
		char name[64];
		snprintf(name, sizeof name, "%s%s", path, companions[i]);
		write_bytes(name, "changes", 7);
		assert_null(profile_open(path, NULL, &error));
		assert_int_equal(error.code, ERROR_INPUT);
		assert_non_null(strstr(error.message, companions[i]));
		unlink(name);
	}
	unlink(path);
	mem_free(path);
}

TEST(non_database_is_refused)
{
	char encrypted[4096];

	memset(encrypted, 0xa7, sizeof encrypted);
	assert_refused("\x37\x7f\x06\x82 a log", 10);
	assert_refused("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 a journal", 18);
	assert_refused("", 0);
	assert_refused(encrypted, sizeof encrypted);
	memcpy(encrypted, "SQLite format 3", 16);
	struct error error = { 0 };
	assert_null(trace_open_bytes(encrypted, sizeof encrypted, &error));
	assert_non_null(strstr(error.message, "encrypted"));
}

/* A truncated file opens partially or is refused; it never crashes. */
TEST(truncated_files_open_partially)
{
	char *path = database_file(KERNELS);
	size_t length;
	char *bytes = read_bytes(path, &length);
	bool partly = false;

	for (size_t cut = 1; cut < 20; cut++) {
		struct error error = { 0 };
		write_bytes(path, bytes, length / 20 * cut);
		struct profile *profile = profile_open(path, NULL, &error);
		if (!profile) {
			assert_int_equal(error.code, ERROR_INPUT);
			continue;
		}
		assert_true(profile->truncated);
		assert_in_range(profile->activities, 1, 2999);
		partly = true;
		profile_free(profile);
	}
	assert_true(partly);
	unlink(path);
	mem_free(path);
	mem_free(bytes);
}

/* With any corrupted byte the reader terminates, with a profile or an error message. */
TEST(corrupted_files_are_harmless)
{
	char *path = database_file(KERNELS);
	size_t length;
	char *bytes = read_bytes(path, &length);

	srand(1);
	for (int round = 0; round < 300; round++) {
		struct error error = { 0 };
		size_t at = round < 100 ? (size_t)round : (size_t)rand() % length;
		char was = bytes[at];
		bytes[at] = (char)rand();
		write_bytes(path, bytes, length);
		struct profile *profile = profile_open(path, NULL, &error);
		assert_true(profile || error.code == ERROR_INPUT || error.code == ERROR_MEMORY);
		profile_free(profile);
		bytes[at] = was;
	}
	unlink(path);
	mem_free(path);
	mem_free(bytes);
}

static bool refuse_to_go_on(void *context, const char *stage, uint64_t done, uint64_t total,
			    uint64_t rows)
{
	int *calls = context;

	(void)stage, (void)rows;
	++*calls;
	assert_true(done <= total);
	return false;
}

TEST(reading_can_be_cancelled)
{
	int calls = 0;
	struct progress progress = { .update = refuse_to_go_on, .context = &calls };
	struct error error = { 0 };
	char *path = database_file(KERNELS);

	assert_null(profile_open(path, &progress, &error));
	assert_int_equal(error.code, ERROR_CANCELLED);
	assert_int_equal(calls, 1);
	unlink(path);
	mem_free(path);
}

/* A writer without a journal adds rows between two progress calls. */
static bool grow(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	const char **path = context;
	sqlite3 *writer;

	(void)stage, (void)done, (void)total, (void)rows;
	if (!*path)
		return true;
	assert_int_equal(sqlite3_open(*path, &writer), SQLITE_OK);
	assert_int_equal(sqlite3_exec(writer,
				      "PRAGMA journal_mode = OFF; INSERT INTO "
				      "CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM "
				      "CUPTI_ACTIVITY_KIND_KERNEL;",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(writer);
	*path = NULL;
	return true;
}

TEST(file_growing_while_read_is_reported)
{
	char *path = database_file(KERNELS);
	const char *growing = path;
	struct progress progress = { grow, &growing };
	struct error error = { 0 };
	struct profile *profile = profile_open(path, &progress, &error);

	assert_null(growing);
	/* either the rows seen open, or the message says that they cannot */
	if (profile) {
		assert_int_equal(damage_count(profile, "the file changed while loading"), 1);
		profile_free(profile);
	} else {
		assert_non_null(strstr(error.message, "is being written to"));
	}
	/* once complete it is read completely */
	profile = profile_open(path, NULL, &error);
	assert_non_null(profile);
	assert_int_equal(profile->activities, 6000);
	assert_int_equal(damage_count(profile, "the file changed while loading"), 0);
	profile_free(profile);
	unlink(path);
	mem_free(path);
}

/* A WAL without its database is recognized, whatever its name. */
TEST(wal_without_database_is_named)
{
	static const char *const logs[] = { "\x37\x7f\x06\x82 big", "\x37\x7f\x06\x83 little" };

	for (int i = 0; i < 2; i++) {
		struct error error = { 0 };
		assert_null(trace_open_bytes(logs[i], strlen(logs[i]), &error));
		assert_int_equal(error.code, ERROR_INPUT);
		assert_non_null(strstr(error.message, "write-ahead log"));
		assert_non_null(strstr(error.message, "open the database"));
	}
}

/* Paths with characters that are special in a file: URI. */
TEST(special_characters_in_path)
{
	static const char odd[] = "100%25 of #1?immutable=0.sqlite";
	char *path = database_file(KERNELS);
	struct error error = { 0 };

	assert_int_equal(rename(path, odd), 0);
	struct profile *profile = profile_open(odd, NULL, &error);
	unlink(odd);
	assert_non_null(profile);
	assert_int_equal(profile->activities, 3000);
	profile_free(profile);
	mem_free(path);
}

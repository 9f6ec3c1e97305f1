/* Malicious databases: each opens partially or is refused. */
#include "base/buffer.h"
#include "base/mem.h"
#include "database_case.h"
#include "input/open.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ONE_KERNEL                                                                                 \
	NSYS_STRINGS NSYS_KERNELS                                                                  \
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,demangledName) VALUES (1,2,1);"

/* Returns a profile, or NULL if the file was refused with a message. */
static struct profile *open_or_refuse(const char *path)
{
	struct error error = { 0 };
	struct profile *profile = profile_open(path, NULL, &error);

	if (!profile) {
		assert_true(error.code == ERROR_INPUT || error.code == ERROR_MEMORY);
		assert_true(strlen(error.message) > 5);
		assert_null(strchr(error.message, '\n'));
	}
	return profile;
}

/* Views that refer to each other, named like tables that are read. */
TEST(cyclic_views)
{
	struct profile *profile = database_open(
		ONE_KERNEL "CREATE VIEW NVTX_EVENTS AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
			   "CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT * FROM NVTX_EVENTS;"
			   "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS"
			   " SELECT * FROM CUPTI_ACTIVITY_KIND_MEMCPY;");

	assert_int_equal(profile->activities, 1);
	assert_true(damage_count(profile, "view in place of a table") >= 2);
	profile_free(profile);
	assert_database_refused("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM b;"
				"CREATE VIEW b AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;",
				"");
}

/* Views and triggers that would never end, or would write. */
TEST(endless_views_and_triggers)
{
	struct profile *profile = database_open(
		ONE_KERNEL "CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
			   " SELECT i + 1 FROM n) SELECT i AS start, i AS end FROM n;"
			   "CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN"
			   " DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; END;");

	assert_int_equal(profile->activities, 1);
	profile_free(profile);
}

TEST(giant_blobs)
{
	/* 16 MiB names: one of a wrong type, one above the size limit. */
	struct profile *profile = database_open(
		ONE_KERNEL "INSERT INTO StringIds VALUES (10, zeroblob(16 << 20)),"
			   "(11, hex(zeroblob(8 << 20)));"
			   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,demangledName)"
			   " VALUES (3,4,10),(5,6,11);");

	assert_int_equal(profile->activities, 3);
	profile_free(profile);
	profile = database_open(ONE_KERNEL
				"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,demangledName)"
				" VALUES (zeroblob(70 << 20),6,1),(7,8,1);");
	assert_in_range(profile->activities, 1, 3);
	assert_true(damage_count(profile, NULL) > 0);
	profile_free(profile);
}

/* A small file whose generated column has 200 values of 1 MB or 40 MB each. */
TEST(generated_columns)
{
	static const char *const values[] = { "printf('%01000000d', id)", "zeroblob(40000000)" };

	for (int i = 0; i < 2; i++) {
		struct buffer sql = { 0 };
		size_t before = mem_used();
		buffer_printf(&sql,
			      "CREATE TABLE StringIds (id INTEGER, value TEXT GENERATED ALWAYS AS "
			      "(CAST(%s AS TEXT)) VIRTUAL);" NSYS_KERNELS
			      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE"
			      " i < 200) INSERT INTO StringIds SELECT i FROM n;"
			      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,demangledName)"
			      " VALUES (1,2,1);",
			      values[i]);
		struct profile *profile = database_open(buffer_text(&sql));
		assert_int_equal(profile->activities, 1);
		assert_int_equal(damage_count(profile, i ? "value larger than the file or 64 MiB"
							 : "table whose values are larger than the "
							   "file"),
				 1);
		assert_true(mem_peak() - before < 100 << 20);
		profile_free(profile);
		buffer_free(&sql);
	}
}

/* Every column filled with values of another type than declared. */
TEST(wrong_types)
{
	static const char *const values[] = { "'text'",
					      "x'00ff'",
					      "1.5",
					      "9e999",
					      "-9e999",
					      "9223372036854775807",
					      "-9223372036854775808",
					      "NULL",
					      "''",
					      "'\xff\xfe'",
					      "x''",
					      "0.1e-300" };
	static const char rows[] = ONE_KERNEL NSYS_CALLS NSYS_RANGES
		"INSERT INTO StringIds VALUES (?,?);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?),"
		"(5,9,?,?,?,?,1,?,?,?,?,?,?,?,?,?);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?);"
		"INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?,?,?,?),(1,2,59,?,?,?,?,?);";

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		struct buffer sql = { 0 };
		for (const char *c = rows; *c; c++) {
			if (*c == '?')
				buffer_puts(&sql, values[i]);
			else
				buffer_putc(&sql, *c);
		}
		struct profile *profile = database_open(buffer_text(&sql));
		assert_in_range(profile->activities, 1, 3);
		profile_free(profile);
		buffer_free(&sql);
	}
}

/* Corrupt each page in turn. */
TEST(corrupted_pages)
{
	enum { PAGE = 4096 };
	static const int fillings[] = { 0x00, 0xff, 0x0d, -1 };
	char *path = database_file(
		NSYS_STRINGS NSYS_KERNELS NSYS_CALLS
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,demangledName)"
		" SELECT 100 * i, 100 * i + 50, 1 FROM n;");
	char page[PAGE], was[PAGE];
	struct stat status;
	int fd = open(path, O_RDWR);

	srand(7);
	assert_int_equal(fstat(fd, &status), 0);
	assert_true(status.st_size >= 8 * PAGE);
	for (off_t at = 0; at < status.st_size; at += PAGE) {
		for (size_t f = 0; f < sizeof fillings / sizeof *fillings; f++) {
			for (size_t i = 0; i < PAGE; i++)
				page[i] = (char)(fillings[f] < 0 ? rand() : fillings[f]);
			if (!test_sampled((size_t)(at / PAGE) + f, 3))
				continue;
			/* skip the file header; another test corrupts that */
			off_t from = at == 0 ? 100 : 0;
			assert_int_equal(pread(fd, was, PAGE, at), PAGE);
			assert_int_equal(pwrite(fd, page, (size_t)(PAGE - from), at + from),
					 PAGE - from);
			profile_free(open_or_refuse(path));
			assert_int_equal(pwrite(fd, was, PAGE, at), PAGE);
		}
	}
	close(fd);
	struct profile *profile = open_or_refuse(path);
	assert_int_equal(profile->activities, 2000);
	profile_free(profile);
	unlink(path);
	mem_free(path);
}

/* Rows that cannot be read are never left out in silence, whichever profiler wrote the database. */
TEST(no_page_is_lost_in_silence)
{
	enum { PAGE = 4096, KERNELS = 2000 };
#define MANY_NUMBERS                                                                               \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
	static const char *const databases[] = {
		NSYS_STRINGS NSYS_KERNELS MANY_NUMBERS
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,demangledName)"
		" SELECT 100 * i, 100 * i + 50, 1 FROM n;",
		"CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);"
		"INSERT INTO StringTable VALUES (1,'gemm');"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (_id_ INTEGER PRIMARY KEY,"
		"start INT, end INT, name INT);" MANY_NUMBERS
		"INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start,end,name)"
		" SELECT 100 * i, 100 * i + 50, 1 FROM n;",
	};
	for (size_t i = 0; i < sizeof databases / sizeof *databases; i++) {
		char *path = database_file(databases[i]);
		char was[PAGE], empty[PAGE] = { 0 };
		struct stat status;
		int fd = open(path, O_RDWR), refused = 0;
		assert_int_equal(fstat(fd, &status), 0);
		for (off_t at = PAGE; at < status.st_size; at += PAGE) {
			assert_int_equal(pread(fd, was, PAGE, at), PAGE);
			assert_int_equal(pwrite(fd, empty, PAGE, at), PAGE);
			struct profile *profile = open_or_refuse(path);
			refused += !profile;
			if (profile && profile->activities != KERNELS && !profile->damage_count)
				fail_msg("database %zu: %u kernels without page %d", i,
					 profile->activities, (int)(at / PAGE) + 1);
			profile_free(profile);
			assert_int_equal(pwrite(fd, was, PAGE, at), PAGE);
		}
		assert_true(refused > 0);
		struct profile *profile = open_or_refuse(path);
		assert_int_equal(profile->activities, KERNELS);
		profile_free(profile);
		close(fd);
		unlink(path);
		mem_free(path);
	}
}

/* Add rows until stopped, without a journal that would reveal it. */
static void grow(const char *path)
{
	sqlite3 *database;

	if (sqlite3_open(path, &database) != SQLITE_OK)
		_exit(1);
	sqlite3_exec(database, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF", NULL, NULL,
		     NULL);
	for (int i = 0; i < 400; i++)
		sqlite3_exec(database,
			     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
			     " WHERE i < 200) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL"
			     " (start,end,demangledName) SELECT 100 * i, 100 * i + 50, 1 FROM n",
			     NULL, NULL, NULL);
	_exit(0);
}

TEST(database_growing_while_read)
{
	char *path = database_file(ONE_KERNEL);
	int opened = 0;

	pid_t writer = fork();
	if (writer == 0)
		grow(path);
	for (int round = 0; round < 30; round++) {
		struct profile *profile = open_or_refuse(path);
		opened += profile != NULL;
		profile_free(profile);
	}
	kill(writer, SIGKILL);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
	assert_true(opened > 0);
	unlink(path);
	mem_free(path);
}

/* The file is truncated between stat and read. */
TEST(database_shrinking_while_read)
{
	for (int round = 0; round < 20; round++) {
		char *path = database_file(
			NSYS_STRINGS NSYS_KERNELS
			"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
			" WHERE i < 200) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL"
			" (start,end,demangledName) SELECT 100 * i, 100 * i + 50, 1 FROM n;");
		pid_t cutter = fork();
		if (cutter == 0) {
			usleep((useconds_t)round * 200);
			_exit(truncate(path, 8192) != 0);
		}
		profile_free(open_or_refuse(path));
		assert_int_equal(waitpid(cutter, NULL, 0), cutter);
		unlink(path);
		mem_free(path);
	}
}

/* Table and column names are attacker-controlled. */
TEST(hostile_table_names)
{
	struct profile *profile = database_open(
		ONE_KERNEL
		"CREATE TABLE \"CUPTI_ACTIVITY_KIND_KERNEL_V9\"\"; DROP TABLE x; --\" (start INT);"
		"CREATE TABLE \"a\x1b[2Jb\" (\"\xe2\x80\xae\" INT);"
		"CREATE TABLE \"NVTX_EVENTS_V99999999999999999999\" (start INT, end INT, text TEXT);");

	assert_int_equal(profile->activities, 1);
	profile_free(profile);
}

#include "database_case.h"
#include "file_case.h"

#include "base/mem.h"
#include "input/open.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

const char *const database_hostile_values[HOSTILE_VALUES] = {
	"'text'", "x'ffffffff'", "NULL", "1e300", "9223372036854775807", "-9223372036854775808",
};

char *database_file(const char *sql)
{
	char *path = mem_strdup("database-case-XXXXXX"), *message = NULL;
	int fd = mkstemp(path);
	sqlite3 *database;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("error in the test's SQL: %s", message);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
	keep_written(path, sql);
	return path;
}

struct profile *database_open(const char *sql)
{
	struct error error = { 0 };
	char *path = database_file(sql);
	struct profile *profile = profile_open(path, NULL, &error);

	unlink(path);
	mem_free(path);
	if (!profile)
		fail_msg("refused: %s", error.message);
	return profile;
}

struct run *database_run(const char *sql)
{
	struct error error = { 0 };
	char *path = database_file(sql);
	const char *paths[] = { path };
	struct run *run = run_open(paths, 1, NULL, NULL, &error);

	unlink(path);
	mem_free(path);
	if (!run)
		fail_msg("refused: %s", error.message);
	return run;
}

void assert_database_refused(const char *sql, const char *sentence)
{
	struct error error = { 0 };
	char *path = database_file(sql);
	struct profile *profile = profile_open(path, NULL, &error);

	unlink(path);
	mem_free(path);
	assert_null(profile);
	assert_int_equal(error.code, ERROR_INPUT);
	if (!strstr(error.message, sentence))
		fail_msg("says '%s', not '%s'", error.message, sentence);
}

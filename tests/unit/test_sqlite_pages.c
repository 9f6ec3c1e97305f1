/* Tables read from the pages of a file equal those read by SQLite, also in damaged files. */
#include "database_case.h"
#include "file_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "input/sqlite/sqlite_pages.h"
#include "input/sqlite/sqlite_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum kind { INT, TEXT, REAL, BLOB };
enum { COLUMNS = 7 };
static const struct {
	const char *name;
	enum kind kind;
} columns[COLUMNS] = { { "id", INT },     { "number", INT }, { "text", TEXT }, { "real", REAL },
		       { "bytes", BLOB }, { "any", INT },    { "rowid", INT } };
#define COLUMN_NAMES "id number text:text real bytes any rowid"

/* Rows of all kinds of values; text and bytes go on in other pages. */
#define ROWS                                                                                       \
	" SELECT CASE WHEN i % 3 THEN i * 7 END, i * i * i * 1003 - 5000 * i,"                     \
	"CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN i ELSE substr(hex(zeroblob(4000)), 1,"            \
	" i * 37 % 300) || 'é' || CASE WHEN i % 97 THEN '' ELSE hex(zeroblob(i * 3)) END END,"    \
	"CASE i % 4 WHEN 0 THEN i / 8.0 WHEN 1 THEN i WHEN 2 THEN 1e300 * i END,"                  \
	"CASE i % 6 WHEN 0 THEN zeroblob(i % 700) WHEN 1 THEN x'' END,"                            \
	"CASE i % 7 WHEN 0 THEN i WHEN 1 THEN i + 0.5 WHEN 2 THEN 'word' WHEN 3 THEN x'00ff'"      \
	" WHEN 4 THEN i * 1.0 WHEN 5 THEN -9223372036854775807 - 1 END FROM numbers"
#define NUMBERS(count)                                                                             \
	"CREATE TABLE numbers (i INT);"                                                            \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " #count ")"     \
	" INSERT INTO numbers SELECT i FROM n;"
#define TABLE "CREATE TABLE t (id INT, number INT, text TEXT, real REAL, bytes BLOB, any);"

static void print_row(struct buffer *out, const struct sqlite_rows *rows)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		size_t length;
		if (columns[i].kind == INT) {
			buffer_printf(out, "%lld ", (long long)sqlite_int(rows, i));
		} else if (columns[i].kind == REAL) {
			buffer_printf(out, "%a ", sqlite_real(rows, i));
		} else if (columns[i].kind == TEXT) {
			const char *text = sqlite_text(rows, i, &length);
			buffer_printf(out, "%d %zu ", text != NULL, length);
			buffer_add(out, text ? text : "", length);
			assert_true(!text || text[length] == 0);
		} else {
			bool is_blob = sqlite_is_blob(rows, i);
			const void *bytes = sqlite_blob(rows, i, &length);
			buffer_printf(out, "%d %d %zu ", is_blob, bytes != NULL, length);
			if (length)
				buffer_add(out, bytes, length);
		}
	}
	/* A number asked for as text, and a text as number. */
	size_t length;
	const char *text = sqlite_text(rows, 1, &length);
	buffer_printf(out, "%s %lld\n", text ? text : "-", (long long)sqlite_int(rows, 2));
}

/* All there is to see of table t; empty when the file is refused. */
static struct buffer read_table(const char *path, bool no_pages)
{
	struct buffer out = { 0 };
	struct error error = { 0 };
	struct profile *profile = profile_new(path);
	profile->file_bytes = 1 << 20;
	struct sqlite_database *database = sqlite_database_open(path, profile, NULL, &error);
	if (database) {
		database->no_pages = no_pages;
		struct sqlite_rows *rows = sqlite_rows_open(database, "t", COLUMN_NAMES, COLUMNS);
		while (sqlite_rows_next(&rows))
			print_row(&out, rows);
		buffer_printf(&out, "%llu rows, %d", (unsigned long long)database->rows_read,
			      sqlite_database_ok(database));
		sqlite_database_close(database);
	}
	buffer_printf(&out, ", cut %d, %s", profile->truncated, error.message);
	for (size_t i = 0; i < profile->damage_count; i++)
		buffer_printf(&out, ", %s %llu", profile->damages[i].cause,
			      (unsigned long long)profile->damages[i].count);
	profile_free(profile);
	return out;
}

static void check(const char *path, const char *what)
{
	struct buffer plain = read_table(path, true), paged = read_table(path, false);
	if (plain.length != paged.length || memcmp(plain.data, paged.data, plain.length) != 0) {
		size_t at = 0;
		while (at < plain.length && at < paged.length && plain.data[at] == paged.data[at])
			at++;
		fail_msg("%s: differ at %zu of %zu and %zu: ...%.60s / ...%.60s", what, at,
			 plain.length, paged.length, buffer_text(&plain) + at,
			 buffer_text(&paged) + at);
	}
	buffer_free(&plain);
	buffer_free(&paged);
}

/* Rows read from the pages of table t, -1 when it is left to SQLite from the start. */
static long rows_of_pages(const char *path, enum pages_status *last)
{
	sqlite3 *db;
	long rows = 0;
	struct page_batch batch = { 0 };
	*last = PAGES_ROW;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	struct sqlite_pages *pages = sqlite_pages_open(db, "t");
	bool wanted = pages != NULL;
	for (size_t i = 0; i < COLUMNS && wanted; i++)
		wanted = sqlite_pages_want(pages, columns[i].name, columns[i].kind == TEXT);
	while (wanted && *last == PAGES_ROW) {
		sqlite_pages_read(pages, &batch);
		rows += (long)batch.rows;
		*last = batch.next;
	}
	page_batch_clear(&batch);
	sqlite_pages_close(pages);
	sqlite3_close(db);
	return wanted ? rows : -1;
}

TEST(all_values_and_sizes_of_pages)
{
	static const char *const sizes[] = { "512", "1024", "4096", "65536" };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		enum pages_status last = PAGES_LEFT;
		struct buffer sql = { 0 };
		buffer_printf(&sql, "PRAGMA page_size = %s; PRAGMA auto_vacuum = %zu;", sizes[i],
			      i % 2);
		buffer_puts(&sql, NUMBERS(3000) TABLE
			    "INSERT INTO t" ROWS "; DELETE FROM t WHERE number % 11 = 3;"
			    "INSERT INTO t SELECT * FROM t WHERE id % 5 = 0;");
		char *path = database_file(buffer_text(&sql));
		assert_true(rows_of_pages(path, &last) > 3000);
		assert_int_equal(last, PAGES_END);
		check(path, sizes[i]);
		unlink(path);
		mem_free(path);
		buffer_free(&sql);
	}
}

/* Where the record does not hold the columns as they are read. */
TEST(unusual_tables_are_left_to_sqlite)
{
	static const struct {
		const char *sql;
		bool by_pages; /* the first row, at least */
	} cases[] = {
		{ "CREATE TABLE t (id INTEGER PRIMARY KEY, number INT, text TEXT, real REAL, bytes,"
		  " any); UPDATE numbers SET i = i * 3 + 1; INSERT INTO t" ROWS,
		  true },
		{ "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, number INT, text, real, bytes, any);"
		  "INSERT INTO t" ROWS,
		  false },
		{ "CREATE TABLE t (id INTEGER, number INTEGER, text TEXT, real DOUBLE, bytes BLOB, any,"
		  " PRIMARY KEY (id, number)); INSERT INTO t" ROWS,
		  true },
		{ "CREATE TABLE t (id INTEGER, number INTEGER, text TEXT, real DOUBLE, bytes BLOB, any,"
		  " PRIMARY KEY (number)) WITHOUT ROWID; INSERT INTO t" ROWS,
		  false },
		{ "CREATE TABLE t (id INT, number INT, text TEXT AS (id || 'x'), real REAL, bytes,"
		  " any); INSERT INTO t (id, number, real) SELECT i, i, i FROM numbers",
		  false },
		{ TABLE "INSERT INTO t (id, number) SELECT i, i FROM numbers;"
			"ALTER TABLE t ADD COLUMN more DEFAULT 7",
		  false },
		{ TABLE "INSERT INTO t (id, text) SELECT i, i + 0.5 FROM numbers", true },
		{ "CREATE TABLE t (id, number, text, real, bytes, any);"
		  "INSERT INTO t (id, text) SELECT i, i + 0.5 FROM numbers",
		  false },
		{ "CREATE TABLE t (rowid TEXT, id, number, text, real, bytes, any);"
		  "INSERT INTO t (rowid, id) SELECT i, i FROM numbers",
		  true },
		{ "CREATE TABLE t (id, text FLOATING, number REAL);"
		  "INSERT INTO t SELECT i, i, i FROM numbers",
		  false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum pages_status last;
		struct buffer sql = { 0 };
		buffer_printf(&sql, "%s%s", NUMBERS(3000), cases[i].sql);
		char *path = database_file(buffer_text(&sql));
		/* The columns "more" and others are not asked for. */
		if (i < 6 || i == 8)
			assert_int_equal(rows_of_pages(path, &last) > 0, cases[i].by_pages);
		check(path, cases[i].sql);
		unlink(path);
		mem_free(path);
		buffer_free(&sql);
	}
}

TEST(other_encodings_are_left_to_sqlite)
{
	enum pages_status last;
	char *path = database_file("PRAGMA encoding = 'UTF-16le';" NUMBERS(3000) TABLE
				   "INSERT INTO t" ROWS ";");
	assert_int_equal(rows_of_pages(path, &last), -1);
	check(path, "UTF-16");
	unlink(path);
	mem_free(path);
}

static uint64_t state_of_random = 1;

/* Leaves without rows, out of order, twice in the tree; pages that name themselves. */
TEST(pages_that_sqlite_never_writes)
{
	enum { SIZE = 512 };
	char *path =
		database_file("PRAGMA page_size = 512;" NUMBERS(300) TABLE "INSERT INTO t" ROWS);
	size_t length;
	char *whole = read_whole(path, &length), *bytes = mem_alloc(length);
	for (size_t page = 1; page < length / SIZE; page++) {
		char *at = bytes + page * SIZE;
		for (int kind = 0; kind < 4; kind++) {
			char what[64];
			memcpy(bytes, whole, length);
			bool is_leaf = at[0] == 0x0d, is_interior = at[0] == 0x05;
			if (kind == 0)
				at[3] = at[4] = 0;
			else if (kind == 1 && is_leaf)
				memmove(at + 8, at + 10, 2);
			else if (kind == 2 && is_interior)
				memcpy(at + 8,
				       at + ((unsigned char)at[12] << 8 | (unsigned char)at[13]),
				       4);
			else if (kind == 3 && is_interior)
				at[11] = (char)(page + 1);
			snprintf(what, sizeof what, "page %zu, change %d", page, kind);
			write_whole(path, bytes, length);
			check(path, what);
		}
	}
	mem_free(whole);
	mem_free(bytes);
	unlink(path);
	mem_free(path);
}

/* Bytes changed at random, mostly in the heads of pages, and files cut short. */
TEST(damaged_files_read_equally)
{
	char *path = database_file("PRAGMA page_size = 512;" NUMBERS(300) TABLE
				   "INSERT INTO t" ROWS "; INSERT INTO t SELECT * FROM t;");
	size_t length;
	char *whole = read_whole(path, &length), *bytes = mem_alloc(length);
	for (int round = 0; round < 800; round++) {
		char what[64];
		memcpy(bytes, whole, length);
		size_t changes = 1 + random_below(&state_of_random, 3),
		       kept = round % 10 ? length : random_below(&state_of_random, length);
		for (size_t i = 0; i < changes; i++) {
			size_t page = random_below(&state_of_random, length / 512) * 512;
			size_t at = page + (random_below(&state_of_random, 3)
						    ? random_below(&state_of_random, 40)
						    : random_below(&state_of_random, 512));
			bytes[at] = random_below(&state_of_random, 2)
					    ? (char)random_below(&state_of_random, 256)
					    : (char)(bytes[at] + 1);
		}
		snprintf(what, sizeof what, "damage %d", round);
		if (!test_sampled((size_t)round, 3))
			continue;
		write_whole(path, bytes, kept);
		check(path, what);
	}
	mem_free(whole);
	mem_free(bytes);
	unlink(path);
	mem_free(path);
}

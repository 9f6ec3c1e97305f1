/* Builds databases from lines of text, which stay meaningful under mutation. */
#include "fuzz.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64, NAME_MAX = 64, FILLED_MAX = 1 << 20 };

struct row {
	char table[NAME_MAX];
	int count;
	char name[COLUMNS_MAX][NAME_MAX];
	const char *value[COLUMNS_MAX];
	size_t length[COLUMNS_MAX];
};

/* The bytes up to one of ENDS, as a name without quotes. */
static const char *take_name(const char *at, const char *ends, char name[NAME_MAX])
{
	size_t length = strcspn(at, ends), kept = 0;

	for (size_t i = 0; i < length && kept + 1 < NAME_MAX; i++)
		if (at[i] != '"')
			name[kept++] = at[i];
	name[kept] = 0;
	return at + length;
}

static const char *value_end(const char *at)
{
	bool quoted = false;

	for (; *at && *at != '\n'; at++) {
		if (*at == '\\' && at[1] && at[1] != '\n')
			at++;
		else if (*at == '\'')
			quoted = !quoted;
		else if (*at == ' ' && !quoted)
			break;
	}
	return at;
}

/* Parses one line; returns the start of the next. */
static const char *take_row(const char *line, struct row *row)
{
	row->count = 0;
	line = take_name(line, " \n", row->table);
	while (*line == ' ') {
		int i = row->count;
		line = take_name(line + strspn(line, " "), "= \n", row->name[i]);
		if (*line != '=')
			continue;
		row->value[i] = ++line;
		line = value_end(line);
		row->length[i] = (size_t)(line - row->value[i]);
		if (row->name[i][0] && i + 1 < COLUMNS_MAX)
			row->count++;
	}
	return line + (*line == '\n');
}

/* Unescapes the quoted text into OUT; returns its length. */
static int unquote(const char *text, size_t length, char *out)
{
	int kept = 0;

	for (size_t i = 0; i < length && text[i] != '\''; i++) {
		if (text[i] == '\\' && i + 3 < length && text[i + 1] == 'x' &&
		    isxdigit((unsigned char)text[i + 2]) && isxdigit((unsigned char)text[i + 3])) {
			char digits[3] = { text[i + 2], text[i + 3], 0 };
			out[kept++] = (char)strtol(digits, NULL, 16);
			i += 3;
		} else if (text[i] == '\\' && i + 1 < length) {
			i++;
			out[kept++] = text[i] == 'n' ? '\n' : text[i];
		} else {
			out[kept++] = text[i];
		}
	}
	return kept;
}

static void bind(sqlite3_stmt *statement, int at, const char *value, size_t length)
{
	char *text = malloc(length + 1);
	bool blob = length > 1 && value[0] == 'x' && value[1] == '\'';

	if (!text)
		abort();
	memcpy(text, value, length);
	text[length] = 0;
	if (length == 0) {
		sqlite3_bind_null(statement, at);
	} else if (blob || *value == '\'') {
		int kept = unquote(value + 1 + blob, length - 1 - blob, text);
		if (blob)
			sqlite3_bind_blob(statement, at, text, kept, SQLITE_TRANSIENT);
		else
			sqlite3_bind_text(statement, at, text, kept, SQLITE_TRANSIENT);
	} else if (*value == '@') {
		unsigned long many = strtoul(text + 1, NULL, 10);
		sqlite3_bind_zeroblob(statement, at, (int)(many < FILLED_MAX ? many : FILLED_MAX));
	} else if (strpbrk(text, ".e")) {
		sqlite3_bind_double(statement, at, strtod(text, NULL));
	} else {
		sqlite3_bind_int64(statement, at, strtoll(text, NULL, 10));
	}
	free(text);
}

/* ---- tables ---- */

enum { TABLES_MAX = 64, ALL_COLUMNS_MAX = 256 };

/* Columns of all rows of a table, so that it is created once. */
struct shape {
	char name[NAME_MAX];
	int count;
	char column[ALL_COLUMNS_MAX][NAME_MAX];
};

static struct shape shapes[TABLES_MAX];
static int shape_count;

static struct shape *find_shape(const char *name)
{
	for (int i = 0; i < shape_count; i++)
		if (sqlite3_stricmp(shapes[i].name, name) == 0)
			return &shapes[i];
	if (shape_count == TABLES_MAX)
		return NULL;
	struct shape *shape = &shapes[shape_count++];
	strcpy(shape->name, name);
	shape->count = 0;
	return shape;
}

static void add_column(struct shape *shape, const char *name)
{
	for (int i = 0; i < shape->count; i++)
		if (sqlite3_stricmp(shape->column[i], name) == 0)
			return;
	if (shape->count < ALL_COLUMNS_MAX)
		strcpy(shape->column[shape->count++], name);
}

static void make_table(sqlite3 *db, const struct shape *shape)
{
	sqlite3_str *sql = sqlite3_str_new(db);

	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", shape->name);
	for (int i = 0; i < shape->count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "", shape->column[i]);
	sqlite3_str_appendall(sql, ")");
	char *text = sqlite3_str_finish(sql);
	if (text)
		sqlite3_exec(db, text, NULL, NULL, NULL);
	sqlite3_free(text);
}

static void make_tables(sqlite3 *db, const char *line)
{
	static struct row row;

	shape_count = 0;
	while (*line) {
		line = take_row(line, &row);
		struct shape *shape = row.count && row.table[0] ? find_shape(row.table) : NULL;
		for (int i = 0; shape && i < row.count; i++)
			add_column(shape, row.name[i]);
	}
	for (int i = 0; i < shape_count; i++)
		make_table(db, &shapes[i]);
}

/* ---- rows ---- */

static bool is_alike(const struct row *a, const struct row *b)
{
	bool alike = a->count == b->count && strcmp(a->table, b->table) == 0;

	for (int i = 0; alike && i < a->count; i++)
		alike = strcmp(a->name[i], b->name[i]) == 0;
	return alike;
}

static sqlite3_stmt *prepare(sqlite3 *db, const struct row *row)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	sqlite3_stmt *statement = NULL;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" (", row->table);
	for (int i = 0; i < row->count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "", row->name[i]);
	sqlite3_str_appendall(sql, ") VALUES (");
	for (int i = 0; i < row->count; i++)
		sqlite3_str_appendall(sql, i ? ",?" : "?");
	sqlite3_str_appendall(sql, ")");
	char *text = sqlite3_str_finish(sql);
	if (text)
		sqlite3_prepare_v2(db, text, -1, &statement, NULL);
	sqlite3_free(text);
	return statement;
}

/* Consecutive rows often have equal columns: the statement is reused. */
static void insert_rows(sqlite3 *db, const char *line)
{
	static struct row rows[2];
	sqlite3_stmt *statement = NULL;
	int at = 0;

	rows[1].count = 0;
	while (*line) {
		struct row *row = &rows[at];
		line = take_row(line, row);
		if (!row->count || !row->table[0])
			continue;
		if (!is_alike(row, &rows[!at])) {
			sqlite3_finalize(statement);
			statement = prepare(db, row);
		}
		for (int i = 0; statement && i < row->count; i++)
			bind(statement, i + 1, row->value[i], row->length[i]);
		if (statement) {
			sqlite3_step(statement);
			sqlite3_reset(statement);
		}
		at = !at;
	}
	sqlite3_finalize(statement);
}

const char *fuzz_database(const uint8_t *data, size_t size)
{
	sqlite3 *db;

	if (size >= 16 && memcmp(data, "SQLite format 3", 16) == 0)
		return fuzz_file(data, size);
	const char *path = fuzz_file(data, 0), *text = fuzz_text(data, size);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		abort();
	sqlite3_exec(db,
		     "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 1024;"
		     "BEGIN",
		     NULL, NULL, NULL);
	make_tables(db, text);
	insert_rows(db, text);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
	return path;
}

bool fuzz_is_database(const uint8_t *data, size_t size)
{
	static struct row row;
	const char *text = fuzz_text(data, size);

	take_row(text, &row);
	/* a log or XML may have words with = in its first line */
	return row.count > 0 && row.table[strcspn(row.table, ":()&#%[]<")] == 0;
}

const char *fuzz_profile(const uint8_t *data, size_t size)
{
	return fuzz_is_database(data, size) ? fuzz_database(data, size) : fuzz_file(data, size);
}

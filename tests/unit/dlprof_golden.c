#include "dlprof_golden.h"
#include "file_case.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static sqlite3 *memory; /* SQLite connection that parses JSON */
static char *golden;    /* the text of queries.json */

/* ---- the golden rows ---- */

static sqlite3_stmt *prepare(const char *sql, const char *file, const char *query)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(memory, sql, -1, &statement, NULL))
		fail_msg("%s", sqlite3_errmsg(memory));
	sqlite3_bind_text(statement, 1, golden, -1, SQLITE_STATIC);
	if (file)
		sqlite3_bind_text(statement, 2, file, -1, SQLITE_STATIC);
	if (query)
		sqlite3_bind_text(statement, 3, query, -1, SQLITE_STATIC);
	return statement;
}

#define QUERY_OF " FROM json_each(?1, '$.databases') d, json_each(d.value, '$.queries') q"
#define THIS_QUERY " json_extract(d.value, '$.file') = ?2 AND json_extract(q.value, '$.id') = ?3"

static int golden_column(const char *file, const char *query, const char *column)
{
	sqlite3_stmt *statement =
		prepare("SELECT c.key" QUERY_OF
			", json_each(q.value, '$.columns') c WHERE" THIS_QUERY " AND c.value = ?4",
			file, query);
	sqlite3_bind_text(statement, 4, column, -1, SQLITE_STATIC);
	if (sqlite3_step(statement) != SQLITE_ROW)
		fail_msg("%s has no column %s", query, column);
	int found = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return found;
}

/* COUNT columns of a query's rows, filtered by WHERE. */
sqlite3_stmt *golden_rows(const char *file, const char *query, const char *const *columns,
			  size_t count, const char *where)
{
	struct buffer sql = { 0 };
	buffer_puts(&sql, "SELECT ");
	for (size_t i = 0; i < count; i++)
		buffer_printf(&sql, "%sjson_extract(r.value, '$[%d]')", i ? ", " : "",
			      golden_column(file, query, columns[i]));
	buffer_puts(&sql, QUERY_OF ", json_each(q.value, '$.rows') r WHERE" THIS_QUERY);
	if (where)
		buffer_printf(&sql, " AND %s", where);
	sqlite3_stmt *statement = prepare(buffer_text(&sql), file, query);
	buffer_free(&sql);
	return statement;
}

/* ---- comparing ---- */

bool golden_is(sqlite3_stmt *row, int column, struct value value)
{
	switch (value.kind) {
	case VALUE_INT: return sqlite3_column_int64(row, column) == value.integer;
	case VALUE_REAL: return fabs(sqlite3_column_double(row, column) - value.real) < 1e-4;
	case VALUE_TEXT:
		return sqlite3_column_bytes(row, column) == (int)value.length &&
		       memcmp(sqlite3_column_text(row, column), value.text, value.length) == 0;
	default: return sqlite3_column_bytes(row, column) == 0;
	}
}

static size_t find_row(const struct golden_comparison *comparison, const struct table *table,
		       sqlite3_stmt *golden_row, uint8_t *used)
{
	for (size_t row = 0; row < table->rows; row++) {
		bool equal = !used[row];
		for (int i = 0; equal && comparison->columns[i].golden; i++)
			equal = golden_is(golden_row, i,
					  table_cell(table, row, comparison->columns[i].view));
		if (equal)
			return row;
	}
	return SIZE_MAX;
}

static void compare(const struct golden_comparison *comparison, const char *file,
		    const struct table *table)
{
	const char *columns[GOLDEN_COLUMNS_MAX];
	size_t count = 0, rows = 0;
	uint8_t *used = mem_zalloc(table->rows + 1, 1);

	for (; comparison->columns[count].golden; count++)
		columns[count] = comparison->columns[count].golden;
	sqlite3_stmt *statement =
		golden_rows(file, comparison->query, columns, count, comparison->where);
	for (; sqlite3_step(statement) == SQLITE_ROW; rows++) {
		size_t row = find_row(comparison, table, statement, used);
		if (row == SIZE_MAX)
			fail_msg("%s: %s row %zu (%s) is not shown", file, comparison->query, rows,
				 (const char *)sqlite3_column_text(statement, 0));
		used[row] = 1;
	}
	sqlite3_finalize(statement);
	mem_free(used);
	if (table->rows != rows + comparison->extra)
		fail_msg("%s: %s has %zu rows, shown are %zu", file, comparison->query, rows,
			 table->rows);
}

struct table *golden_view(const struct run *run, const struct view *view)
{
	struct scope scope;
	struct error error = { 0 };

	scope_init(&scope);
	struct table *table = view_build(view, run, &scope, NULL, NULL, &error);
	if (!table)
		fail_msg("%s: %s", view->name, error.message);
	return table;
}

void golden_compare(const struct golden_comparison *list, size_t count, const struct run *run,
		    const char *file)
{
	for (size_t i = 0; i < count; i++) {
		struct table *table = golden_view(run, list[i].view);
		compare(&list[i], file, table);
		table_free(table);
	}
}

/* ---- each database ---- */

void golden_each(void (*check)(const struct run *run, const char *file))
{
	sqlite3_stmt *files = prepare("SELECT json_extract(d.value, '$.file')"
				      " FROM json_each(?1, '$.databases') d",
				      NULL, NULL);
	size_t count = 0;

	for (; sqlite3_step(files) == SQLITE_ROW; count++) {
		const char *file = (const char *)sqlite3_column_text(files, 0);
		const char *const paths[] = { corpus_path(file) };
		struct error error = { 0 };
		struct run *run = run_open(paths, 1, NULL, NULL, &error);
		if (!run)
			fail_msg("%s: %s", file, error.message);
		check(run, file);
		run_free(run);
	}
	sqlite3_finalize(files);
	assert_true(count > 0);
}

static char *read_golden(void)
{
	const char *path = corpus_path("golden/dlprof/queries.json");
	size_t length;
	return path ? read_whole(path, &length) : NULL;
}

int golden_open(void **state)
{
	golden = read_golden();
	if (!golden)
		test_skip("no golden/dlprof/queries.json here");
	return sqlite3_open(":memory:", &memory);
}

int golden_close(void **state)
{
	sqlite3_close(memory);
	mem_free(golden);
	return 0;
}

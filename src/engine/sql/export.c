#include "sql/export.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/replace.h"
#include "input/sqlite/sqlite_memory.h"
#include "report/envelope.h"
#include "sql/views.h"

#include <stdio.h>

enum { ROW_WEIGHT = 32 }; /* weight of a row for progress_heavy_row */

struct export
{
	sqlite3 *db;
	const struct run *run;
	const struct scope *scope;
	const char *path;
	const struct progress *progress;
	struct error *error;
};

static bool failed(const struct export *export)
{
	return error_set(export->error, ERROR_OUTPUT, "%s: cannot write: %s", export->path,
			 export->db ? sqlite3_errmsg(export->db) : "out of memory");
}

static bool execute(const struct export *export, const char *sql)
{
	return sqlite3_exec(export->db, sql, NULL, NULL, NULL) == SQLITE_OK || failed(export);
}

static bool create_table(const struct export *export, const char *name, const struct table *table)
{
	struct buffer sql = { 0 };
	buffer_printf(&sql, "CREATE TABLE \"%s\"(", name);
	for (size_t i = 0; i < table->columns; i++)
		buffer_printf(&sql, "%s\"%s\" %s", i ? ", " : "", table->column[i]->id,
			      sql_column_type(table->column[i]));
	buffer_puts(&sql, ")");
	bool done = execute(export, sql.data);
	buffer_free(&sql);
	return done;
}

static sqlite3_stmt *prepare_insert(const struct export *export, const char *name, size_t columns)
{
	struct buffer sql = { 0 };
	sqlite3_stmt *statement = NULL;
	buffer_printf(&sql, "INSERT INTO \"%s\" VALUES(", name);
	for (size_t i = 0; i < columns; i++)
		buffer_puts(&sql, i ? ", ?" : "?");
	buffer_puts(&sql, ")");
	sqlite3_prepare_v2(export->db, sql.data, -1, &statement, NULL);
	buffer_free(&sql);
	return statement;
}

static void bind_cell(sqlite3_stmt *statement, int parameter, struct value value)
{
	switch (value.kind) {
	case VALUE_MISSING: sqlite3_bind_null(statement, parameter); break;
	case VALUE_INT: sqlite3_bind_int64(statement, parameter, value.integer); break;
	case VALUE_REAL: sqlite3_bind_double(statement, parameter, value.real); break;
	case VALUE_TEXT:
		sqlite3_bind_text64(statement, parameter, value.text, value.length, SQLITE_STATIC,
				    SQLITE_UTF8);
		break;
	}
}

static bool insert_rows(const struct export *export, sqlite3_stmt *statement,
			const struct table *table)
{
	for (size_t row = 0; row < table->rows; row++) {
		if (!progress_heavy_row(export->progress, "writing", row, table->rows, ROW_WEIGHT))
			return error_set(export->error, ERROR_CANCELLED, "cancelled");
		for (size_t i = 0; i < table->columns; i++)
			bind_cell(statement, (int)i + 1, table_value(table, row, i));
		if (sqlite3_step(statement) != SQLITE_DONE)
			return failed(export);
		sqlite3_reset(statement);
	}
	return true;
}

static bool write_table(const struct export *export, const char *name, const struct table *table)
{
	if (!create_table(export, name, table))
		return false;
	sqlite3_stmt *statement = prepare_insert(export, name, table->columns);
	bool done = statement ? insert_rows(export, statement, table) : failed(export);
	sqlite3_finalize(statement);
	return done;
}

static bool write_facts(const struct export *export)
{
	struct table *facts = envelope_facts(export->run, export->scope, NULL, NULL,
					     export->progress, export->error);
	bool done = facts && write_table(export, EXPORT_FACTS, facts);
	table_free(facts);
	return done;
}

static bool write_view(const struct export *export, const struct view *view)
{
	struct table *table =
		view_build(view, export->run, export->scope, NULL, export->progress, export->error);
	if (!table)
		return false;
	char name[SQL_NAME_MAX];
	sql_table_name(name, view->name);
	bool done = write_table(export, name, table);
	table_free(table);
	return done;
}

/* The file is renamed into place when complete; SQLite's journal is not needed. */
static bool write_database(void *context)
{
	struct export *export = context;
	char pragmas[160];
	snprintf(pragmas, sizeof pragmas,
		 "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = %d; "
		 "PRAGMA user_version = %d; BEGIN",
		 EXPORT_APPLICATION_ID, ENVELOPE_VERSION);
	if (!execute(export, pragmas) || !write_facts(export))
		return false;
	for (size_t i = 0; view_at(i); i++) {
		if (!write_view(export, view_at(i)))
			return false;
	}
	return execute(export, "COMMIT");
}

bool sql_export(const struct run *run, const struct scope *scope, const char *path, bool force,
		const struct progress *progress, struct error *error)
{
	struct replace *file = replace_begin(path, force, error);
	if (!file)
		return false;
	struct export export = { NULL, run, scope, path, progress, error };
	sqlite_count_memory();
	int code = sqlite3_open_v2(replace_path(file), &export.db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	bool done = code == SQLITE_OK ? mem_guard(write_database, &export, error) : failed(&export);
	if (sqlite3_close(export.db) != SQLITE_OK && done)
		done = failed(&export);
	if (done)
		return replace_commit(file, error);
	replace_discard(file);
	return false;
}

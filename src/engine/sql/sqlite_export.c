#include "sql/sqlite_export.h"

#include "base/buffer.h"
#include "base/replace.h"
#include "input/sqlite/sqlite_memory.h"
#include "report/envelope.h"
#include "sql/virtual_tables.h"

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
	sqlite3_stmt **inserts; /* by view: into its table, once that is there */
};

static bool failed(const struct export *export)
{
	return error_output(export->error, "%s: cannot write: %s", export->path,
			    export->db ? sqlite3_errmsg(export->db) : "out of memory");
}

static bool execute(const struct export *export, const char *sql)
{
	return sqlite3_exec(export->db, sql, NULL, NULL, NULL) == SQLITE_OK || failed(export);
}

/* With RANKED, a column rank is put before those of the table, unless it has one. */
static bool adds_rank(const struct table *table, bool ranked)
{
	return ranked && table_column(table, "rank") < 0;
}

static bool create_table(const struct export *export, const char *name, const struct table *table,
			 bool ranked)
{
	AUTO_BUFFER struct buffer sql = { 0 };
	buffer_printf(&sql, "CREATE TABLE \"%s\"(", name);
	if (adds_rank(table, ranked))
		buffer_printf(&sql, "\"rank\" %s, ", sql_column_type(column_find("rank")));
	for (size_t i = 0; i < table->columns; i++)
		buffer_printf(&sql, "%s\"%s\" %s", i ? ", " : "", table->column[i]->id,
			      sql_column_type(table->column[i]));
	buffer_puts(&sql, ")");
	return execute(export, sql.data);
}

static sqlite3_stmt *prepare_insert(const struct export *export, const char *name, size_t columns)
{
	AUTO_BUFFER struct buffer sql = { 0 };
	sqlite3_stmt *statement = NULL;
	buffer_printf(&sql, "INSERT INTO \"%s\" VALUES(", name);
	for (size_t i = 0; i < columns; i++)
		buffer_puts(&sql, i ? ", ?" : "?");
	buffer_puts(&sql, ")");
	sqlite3_prepare_v2(export->db, sql.data, -1, &statement, NULL);
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

/* RANK: of the rows, if they do not say so; missing: unknown. */
static bool insert_rows(const struct export *export, sqlite3_stmt *statement,
			const struct table *table, struct value rank)
{
	int own = table_column(table, "rank");
	bool ranked = rank.kind != VALUE_MISSING;
	int first = 1 + adds_rank(table, ranked);
	for (size_t row = 0; row < table->rows; row++) {
		if (!progress_heavy_row(export->progress, "writing", row, table->rows, ROW_WEIGHT))
			return error_cancelled(export->error);
		if (first > 1)
			bind_cell(statement, 1, rank);
		for (size_t i = 0; i < table->columns; i++) {
			struct value value = table_value(table, row, i);
			if ((int)i == own && value.kind == VALUE_MISSING)
				value = rank;
			bind_cell(statement, (int)i + first, value);
		}
		if (sqlite3_step(statement) != SQLITE_DONE)
			return failed(export);
		sqlite3_reset(statement);
	}
	return true;
}

static bool write_table(const struct export *export, const char *name, const struct table *table)
{
	if (!create_table(export, name, table, false))
		return false;
	sqlite3_stmt *statement = prepare_insert(export, name, table->columns);
	bool done =
		statement ? insert_rows(export, statement, table, value_missing()) : failed(export);
	sqlite3_finalize(statement);
	return done;
}

static bool write_facts(const struct export *export)
{
	AUTO_TABLE struct table *derived = envelope_facts(export->run, export->scope, NULL, NULL,
							  export->progress, export->error);
	return derived && write_table(export, EXPORT_FACTS, derived);
}

static bool write_view(const struct export *export, const struct view *view)
{
	AUTO_TABLE struct table *table =
		view_build(view, export->run, export->scope, NULL, export->progress, export->error);
	if (!table)
		return false;
	char name[SQL_NAME_MAX];
	sql_table_name(name, view->name);
	return write_table(export, name, table);
}

/* ---- of several ranks ---- */

/* All ranks of summaries, or those that were asked for; else one. */
static bool wants_ranks(const struct export *export)
{
	const struct scope *scope = export->scope;
	const struct run *run = export->run;
	return run && run->rank_count > 1 &&
	       (scope->all_ranks || scope->ranks.count > 1 ||
		(scope->rank == ANY_RANK && run->ranks[0].part));
}

/* One table for all ranks: of the run, or its ranks are compared. */
static bool is_of_run(const struct view *view)
{
	return view->all_ranks || view->from_summaries;
}

/* Add the rows of a rank, RANK of the scope, to the table of view NUMBER. */
static bool add_rank_rows(const struct export *export, size_t number, const struct scope *scope)
{
	const struct view *view = view_at(number);
	struct error why = { 0 };
	AUTO_TABLE struct table *table =
		view_build(view, export->run, scope, NULL, export->progress, &why);
	if (!table && why.code != ERROR_USAGE && export->error)
		*export->error = why;
	if (!table)
		return why.code == ERROR_USAGE; /* no such layer on this rank */
	char name[SQL_NAME_MAX];
	sql_table_name(name, view->name);
	bool done = true;
	if (!export->inserts[number]) {
		done = create_table(export, name, table, true);
		if (done)
			export->inserts[number] = prepare_insert(
				export, name, table->columns + adds_rank(table, true));
		done = done && (export->inserts[number] || failed(export));
	}
	return done && insert_rows(export, export->inserts[number], table, value_int(scope->rank));
}

/* Rank by rank, since one is in memory at a time. */
static bool write_ranks(const struct export *export)
{
	bool ok = true;
	AUTO(scope_clear) struct scope scope = { 0 };
	scope_copy(&scope, export->scope);
	scope.all_ranks = false;
	for (size_t r = 0; r < export->run->rank_count && ok; r++) {
		int64_t rank = export->run->ranks[r].number;
		if (!scope_list_has(&export->scope->ranks, rank))
			continue;
		scope.rank = (int)rank;
		scope.ranks = (struct scope_list){ { rank }, 1 };
		for (size_t i = 0; view_at(i) && ok; i++)
			ok = is_of_run(view_at(i)) || add_rank_rows(export, i, &scope);
	}
	return ok;
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
	bool ranks = wants_ranks(export);
	for (size_t i = 0; view_at(i); i++)
		if ((!ranks || is_of_run(view_at(i))) && !write_view(export, view_at(i)))
			return false;
	return (!ranks || write_ranks(export)) && execute(export, "COMMIT");
}

bool sql_export(const struct run *run, const struct scope *scope, const char *path, bool force,
		const struct progress *progress, struct error *error)
{
	struct replace *file = replace_begin(path, force, error);
	if (!file)
		return false;
	size_t views = 0;
	while (view_at(views))
		views++;
	struct export export = { NULL, run, scope, path, progress, error, NULL };
	export.inserts = mem_zalloc(views, sizeof *export.inserts);
	sqlite_count_memory();
	const char *place = replace_path(file, error);
	int code = place ? sqlite3_open_v2(place, &export.db,
					   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
			 : SQLITE_OK;
	bool done = place && (code == SQLITE_OK ? mem_guard(write_database, &export, error)
						: failed(&export));
	for (size_t i = 0; i < views; i++)
		sqlite3_finalize(export.inserts[i]);
	mem_free(export.inserts);
	if (sqlite3_close(export.db) != SQLITE_OK && done)
		done = failed(&export);
	return replace_end(file, done, error);
}

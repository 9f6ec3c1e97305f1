#include "sql/query.h"

#include "base/text.h"
#include "base/text_slice.h"
#include "input/sqlite/sqlite_memory.h"
#include "sql/fold.h"
#include "sql/sql_functions.h"

enum {
	STEPS_A_CHECK = 20000, /* instructions between two polls for cancellation */
};

static const struct query_limits whole_limits = {
	.cells = 50000000,       /* limit: cells of the result of a query */
	.bytes = SIZE_MAX,       /* as much as memory allows */
	.value_bytes = 64 << 20, /* limit: bytes of a value in a query */
};

/* ---- read-only connection ---- */

/* Safe tables other than views: those of JSON functions, and the columns of a table. */
static bool is_table_function(const char *name)
{
	return !sqlite3_stricmp(name, "json_each") || !sqlite3_stricmp(name, "json_tree") ||
	       !sqlite3_stricmp(name, "pragma_table_info") ||
	       !sqlite3_stricmp(name, "pragma_table_xinfo");
}

/* PRAGMA table_info(VIEW) lists columns and changes nothing. */
static bool is_table_info(const struct sql_source *source, const char *pragma, const char *table)
{
	return (!sqlite3_stricmp(pragma, "table_info") ||
		!sqlite3_stricmp(pragma, "table_xinfo")) &&
	       sql_find_view(source, table);
}

/*
 * Authorizes reading COLUMN of TABLE. Without a column the name may be defined by the query itself
 * (WITH name AS ...), but never be one of SQLite's own tables.
 */
static bool may_read(const struct sql_source *source, const char *table, const char *column)
{
	if (source->fold && !sqlite3_stricmp(column, "ROWID"))
		return false;
	if (sql_find_view(source, table) || is_table_function(table) ||
	    (source->fold && !strcmp(table, FOLD_TABLE)))
		return true;
	return !*column && sqlite3_strnicmp(table, "sqlite_", 7) &&
	       sqlite3_strnicmp(table, "pragma_", 7) && sqlite3_stricmp(table, "dbstat");
}

/* Whatever is computed from groups with these is computed from each alone. */
static const char fold_functions[] =
	"abs|coalesce|format|glob|ifnull|iif|instr|length|like|lower|max|min|nullif|printf|regexp|"
	"replace|round|substr|substring|sum|trim|upper";

static int authorize(void *context, int action, const char *first, const char *second,
		     const char *database, const char *trigger)
{
	const struct sql_source *source = context;
	if (source->declaring)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_READ:
		return may_read(source, first ? first : "", second ? second : "") ? SQLITE_OK
										  : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return is_table_info(source, first ? first : "", second ? second : "")
			       ? SQLITE_OK
			       : SQLITE_DENY;
	case SQLITE_FUNCTION: /* not those that load code or accept pointers */
		if (source->fold)
			return second && text_is_one(second, fold_functions) ? SQLITE_OK
									     : SQLITE_DENY;
		return second && (!sqlite3_stricmp(second, "load_extension") ||
				  !sqlite3_stricmp(second, "fts3_tokenizer"))
			       ? SQLITE_DENY
			       : SQLITE_OK;
	default: return SQLITE_DENY;
	}
}

static int look_at_progress(void *context)
{
	struct sql_source *source = context;
	if (progress_update(source->progress, "querying", 0, 0, 0))
		return 0;
	error_set(&source->error, ERROR_CANCELLED, "interrupted");
	return 1;
}

static void set_limits(sqlite3 *db, int value_bytes)
{
	const struct {
		int limit, value;
	} limits[] = { SQL_LIMIT_ROWS };
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		sqlite3_limit(db, limits[i].limit, limits[i].value);
}

/* SQLite declares its table functions on first use, which the authorizer would refuse. */
static void declare_table_functions(sqlite3 *db)
{
	sqlite3_exec(db,
		     "SELECT 1 FROM json_each('1'), json_tree('1'), pragma_table_info('x'), "
		     "pragma_table_xinfo('x')",
		     NULL, NULL, NULL);
}

static bool open_database(struct sql_source *source, int value_bytes, sqlite3 **db,
			  struct error *error)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	sqlite_count_memory();
	if (sqlite3_open_v2(":memory:", db, flags, NULL) != SQLITE_OK ||
	    !sql_register_views(*db, source) || !sql_register_regexp(*db, &source->error) ||
	    !sql_register_aggregates(*db))
		return error_set(error, ERROR_MEMORY, "cannot start SQLite: %s",
				 *db ? sqlite3_errmsg(*db) : "out of memory");
	sqlite3_db_config(*db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	set_limits(*db, value_bytes);
	/* what is sorted counts as memory, and needs no file */
	sqlite3_exec(*db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	declare_table_functions(*db);
	sqlite3_set_authorizer(*db, authorize, source);
	sqlite3_progress_handler(*db, STEPS_A_CHECK, look_at_progress, source);
	return true;
}

/* ---- the statement ---- */

/* Error of the virtual table if there was one, otherwise SQLite's. */
static bool query_explain(sqlite3 *db, const struct sql_source *source, struct error *error)
{
	if (source->error.code != ERROR_NONE) {
		*error = source->error;
		return false;
	}
	int code = sqlite3_errcode(db);
	if (code == SQLITE_NOMEM)
		return mem_failed(0, error);
	if (code == SQLITE_AUTH && strstr(sqlite3_errmsg(db), "prohibited"))
		return error_usage(error,
				   "unknown table; strata views lists the views to query (%s)",
				   sqlite3_errmsg(db));
	if (code == SQLITE_AUTH)
		return error_usage(
			error,
			"only SELECT and PRAGMA table_info(VIEW) are allowed (%s); strata "
			"views -f json lists the views and their columns",
			sqlite3_errmsg(db));
	return error_set(error, code == SQLITE_TOOBIG ? ERROR_LIMIT : ERROR_USAGE, "SQL: %s",
			 sqlite3_errmsg(db));
}

/* To an error about an unknown column, add those of the views that the query names. */
static void query_name_columns(const char *sql, struct error *error)
{
	static const char unknown[] = "no such column: ";
	const char *column = strstr(error->message, unknown);
	AUTO_BUFFER struct buffer text = { 0 };
	if (!column)
		return;
	AUTO_FREE char *slip = mem_strdup(column + sizeof unknown - 1);
	const char *best = NULL;
	for (size_t i = 0; view_at(i); i++) {
		char name[SQL_NAME_MAX];
		sql_table_name(name, view_at(i)->name);
		if (!strcasestr(sql, name))
			continue;
		AUTO_TABLE struct table *table = table_new(view_at(i));
		best = best ?: table_column_near(table, slip);
		for (size_t c = 0; c < table->columns; c++)
			buffer_printf(&text, "%s%s%s%s", c ? ", " : "; ", c ? "" : name,
				      c ? "" : " has ", table->column[c]->id);
	}
	error_set(error, error->code, "SQL: %s%s%s%s%s%s", unknown, slip, DID_YOU_MEAN(best, ""),
		  buffer_text(&text));
}

static bool query_prepare(sqlite3 *db, const struct sql_source *source, const char *sql,
			  sqlite3_stmt **statement, struct error *error)
{
	const char *rest;
	if (sqlite3_prepare_v2(db, sql, -1, statement, &rest) != SQLITE_OK)
		return query_explain(db, source, error), query_name_columns(sql, error), false;
	if (!*statement)
		return error_usage(error, "empty SQL statement");
	sqlite3_stmt *second = NULL;
	int code = sqlite3_prepare_v2(db, rest, -1, &second, NULL);
	sqlite3_finalize(second);
	if (second || code != SQLITE_OK)
		return error_usage(error, "only one SQL statement is allowed");
	return true;
}

/* ---- the result as a table ---- */

/* Makes names unique: "name", "name_2", "name_3". */
static const char *unique_id(struct table *table, const char *name)
{
	if (table_column(table, name) < 0)
		return arena_strndup(table->arena, name, strlen(name));
	for (int i = 2;; i++) {
		struct value id = table_printf(table, "%s_%d", name, i);
		if (table_column(table, id.text) < 0)
			return id.text;
	}
}

static struct column *make_column(struct table *table, const char *name, const char *id)
{
	struct column *column = arena_alloc(table->arena, sizeof *column);
	size_t width = strlen(name);
	*column = (struct column){
		.id = id,
		.title = arena_strndup(table->arena, name, strlen(name)),
		.unit = UNIT_COUNT, /* until a text appears */
		.width = width < 8    ? 8
			 : width > 40 ? 40
				      : (int)width,
		.definition = "Column of the query.",
	};
	return column;
}

/* OWN receives the columns allocated here, NULL for known ones. */
static void add_columns(struct table *table, sqlite3_stmt *statement, struct column **own)
{
	int count = sqlite3_column_count(statement);
	for (int i = 0; i < count; i++) {
		const char *name = sqlite3_column_name(statement, i);
		name = name ? name : "";
		const char *id = unique_id(table, name);
		const struct column *known = column_find(id);
		own[i] = known ? NULL : make_column(table, name, id);
		table_add_column(table, known ? known : own[i]);
	}
}

static struct value read_cell(struct table *table, sqlite3_stmt *statement, int column)
{
	sqlite3_value *cell = sqlite3_column_value(statement, column);
	int type = sqlite3_value_type(cell);
	if (type != SQLITE_TEXT && type != SQLITE_BLOB)
		return view_plan_value(cell);
	const char *text = sqlite3_value_blob(cell);
	return table_copy_text(table, text ? text : "", (size_t)sqlite3_value_bytes(cell));
}

struct query_data {
	const char *sql;
	sqlite3 *db;
	sqlite3_stmt *statement;
	struct sql_fold *fold; /* what it became; NULL */
	struct sql_source *source;
	struct table *table; /* a new one for the result, or one of a view */
	struct ref (*ref_of)(const struct table *table, int64_t id); /* of a row of a view */
	const struct query_limits *limits;
	struct error *error;
};

/* Numbers of a row are kept in columns without a known unit; texts are noted in OWN. */
static void query_add_row(struct query_data *query, struct column **own)
{
	struct table *table = query->table;
	struct ref ref = { .kind = REF_NONE };
	int last = (int)table->columns;
	if (query->ref_of && sqlite3_column_type(query->statement, last) != SQLITE_NULL)
		ref = query->ref_of(table, sqlite3_column_int64(query->statement, last));
	size_t row = table_add_row(table, ref);
	for (int i = 0; i < last; i++) {
		struct value value = read_cell(table, query->statement, i);
		if (own && own[i] && value.kind == VALUE_TEXT)
			own[i]->unit = UNIT_TEXT;
		table_set_at(table, row, (size_t)i, value);
	}
}

/*
 * The first step: of the fold that the statement is, if it is one, which takes the statement's
 * place. What turns out not to be folded, at first ALONE, is left to SQLite.
 */
static int query_begin(struct query_data *query, bool alone)
{
	struct sql_source *source = query->source;
	sqlite3_stmt *folded = NULL;
	struct sql_fold *before = query->fold;
	source->fold = query->fold = fold_parse(source, query->sql, alone);
	fold_free(before); /* not sooner: tables are found by its address */
	int code = query->fold && sql_register_fold(query->db, source)
			   ? sqlite3_prepare_v2(query->db, buffer_text(&query->fold->sql), -1,
						&folded, NULL)
			   : SQLITE_ERROR;
	code = code == SQLITE_OK ? sqlite3_step(folded) : code;
	bool done = code == SQLITE_ROW || code == SQLITE_DONE;
	sqlite3_finalize(done ? query->statement : folded);
	if (done) {
		query->statement = folded;
		return code;
	}
	if (query->fold)
		fold_stop(query->fold);
	if (source->error.code == ERROR_CANCELLED)
		return code;
	if (alone && source->error.code == ERROR_NONE)
		return query_begin(query, false);
	source->fold = NULL;
	source->error = (struct error){ 0 };
	return sqlite3_step(query->statement);
}

static bool query_read_rows(struct query_data *query)
{
	struct table *table = query->table;
	int columns = sqlite3_column_count(query->statement), code;
	struct column **own = NULL;
	if (!table->view) {
		own = arena_alloc(table->arena, (size_t)columns * sizeof(struct column *));
		add_columns(table, query->statement, own);
	}
	for (code = query_begin(query, true); code == SQLITE_ROW;
	     code = sqlite3_step(query->statement)) {
		if (table->rows >= query->limits->cells / (size_t)columns)
			return error_set(query->error, ERROR_LIMIT,
					 "the result exceeds %zu cells; add LIMIT",
					 query->limits->cells);
		if (arena_size(table->arena) > query->limits->bytes)
			return error_set(query->error, ERROR_LIMIT,
					 "the texts of the result exceed %zu bytes; add LIMIT",
					 query->limits->bytes);
		query_add_row(query, own);
	}
	return code == SQLITE_DONE || query_explain(query->db, query->source, query->error);
}

static bool query_work(void *context)
{
	struct query_data *query = context;
	if (!open_database(query->source, query->limits->value_bytes, &query->db, query->error) ||
	    !query_prepare(query->db, query->source, query->sql, &query->statement, query->error))
		return false;
	query->table = query->table ?: table_new(NULL);
	return query_read_rows(query);
}

static bool run_query(struct query_data *query)
{
	bool done = mem_guard(query_work, query, query->error);
	/* a view without rows says why, so that a result over it does not look like "there is none"
	 */
	if (done && !query->table->view) {
		for (const struct built *built = query->source->built; built; built = built->next)
			if (!built->table->rows && built->table->note && !query->table->note)
				table_note(query->table, "%s: %s", built->view->name,
					   built->table->note);
	}
	sqlite3_finalize(query->statement);
	sqlite3_close(query->db);
	fold_free(query->fold);
	sql_source_clear(query->source);
	return done;
}

struct table *sql_query(const struct run *run, const struct scope *scope, const char *sql,
			const struct progress *progress, struct error *error)
{
	return sql_query_within(run, scope, sql, &whole_limits, progress, error);
}

struct table *sql_query_within(const struct run *run, const struct scope *scope, const char *sql,
			       const struct query_limits *limits, const struct progress *progress,
			       struct error *error)
{
	struct sql_source source = { .run = run, .scope = scope, .progress = progress };
	struct error ignored;
	struct query_data query = {
		.sql = sql, .source = &source, .limits = limits, .error = error ? error : &ignored
	};
	if (run_query(&query))
		return query.table;
	table_free(query.table);
	return NULL;
}

bool sql_fill(struct table *table, const struct view *const *views, const char *sql,
	      struct ref (*ref_of)(const struct table *table, int64_t id),
	      const struct view_query *query)
{
	static const struct query_limits unlimited = { SIZE_MAX, SIZE_MAX, 64 << 20 };
	struct sql_source source = { .run = query->run,
				     .scope = query->scope,
				     .views = views,
				     .progress = query->progress };
	struct query_data data = { .sql = sql,
				   .source = &source,
				   .table = table,
				   .ref_of = ref_of,
				   .limits = &unlimited,
				   .error = query->error };
	return run_query(&data);
}

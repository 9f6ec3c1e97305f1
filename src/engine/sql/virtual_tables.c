#include "sql/virtual_tables.h"

#include "sql/fold.h"

/* Hidden columns, in order, after the visible ones. */
static const char *const hidden_names[] = { HIDDEN_COLUMN_ROWS };

enum {
	HIDDEN = sizeof hidden_names / sizeof *hidden_names,
	RANK = 2,
	GROUP_BY = HIDDEN - 1,
	PHASE_OF_SCOPE = GROUP_BY - 1
};

enum { BUILT_MAX = 1024 }; /* limit: views in different scopes that a query may ask for */

struct view_client {
	struct sql_source *source;
	const struct view *view;
	struct sql_fold *fold; /* which its rows are; NULL: they are the view's */
};

struct view_table {
	sqlite3_vtab base;
	const struct view_client *module;
	int columns;     /* number of visible columns */
	int rank, phase; /* of them, those that the scope chooses from; -1: none */
};

struct view_cursor {
	sqlite3_vtab_cursor base;
	sqlite3_value *hidden[HIDDEN]; /* given values; NULL: none */
	struct built *built;
	struct row_range range;
};

void sql_table_name(char out[SQL_NAME_MAX], const char *view)
{
	size_t i = 0;
	for (; view[i] && i + 1 < SQL_NAME_MAX; i++)
		out[i] = view[i] == '-' ? '_' : view[i];
	out[i] = 0;
}

const char *sql_column_type(const struct column *column)
{
	switch (column->unit) {
	case UNIT_TEXT:
		/* facts are numbers or texts: no affinity, so that they compare as stored */
		return column->mixed ? "" : "TEXT";
	case UNIT_RATIO:
	case UNIT_PERCENT:
	case UNIT_FLOP_PER_S:
	case UNIT_BYTES_PER_S: return "REAL";
	default: return "INTEGER";
	}
}

static const struct view *source_view(const struct sql_source *source, size_t index)
{
	return source->views ? source->views[index] : view_or_report_at(index);
}

const struct view *sql_find_view(const struct sql_source *source, const char *table)
{
	const struct view *view;
	for (size_t i = 0; (view = source_view(source, i)); i++) {
		char name[SQL_NAME_MAX];
		sql_table_name(name, view->name);
		if (!sqlite3_stricmp(name, table))
			break;
	}
	return view;
}

/* ---- table cache ---- */

void sql_source_clear(struct sql_source *source)
{
	for (struct built *built = source->built, *next; built; built = next) {
		next = built->next;
		built_free(built);
	}
	source->built = NULL;
}

static const char *hidden_text(const struct view_cursor *cursor, int hidden)
{
	sqlite3_value *value = cursor->hidden[hidden];
	return value ? (const char *)sqlite3_value_text(value) : NULL;
}

/* The hidden values as one string, NUL-terminated each, so that the key is unique. */
static void make_key(const struct view_cursor *cursor, struct buffer *key)
{
	for (int i = 0; i < HIDDEN; i++) {
		const char *text = hidden_text(cursor, i);
		if (text)
			buffer_printf(key, "%d=%zu:", i, strlen(text));
		buffer_puts(key, text ? text : "");
	}
	buffer_putc(key, 0);
}

static struct built *find_or_build(const struct view_client *module,
				   const struct view_cursor *cursor);

static struct table *build_table(const struct view_client *module, const struct view_cursor *cursor)
{
	struct sql_source *source = module->source;
	if (module->fold) {
		struct view_client of_view = { source, module->view, NULL };
		const struct built *rows = find_or_build(&of_view, cursor);
		return rows ? fold_rows(module->fold, rows->table, source->progress, &source->error)
			    : NULL;
	}
	AUTO(scope_clear) struct scope scope = { 0 };
	scope_copy(&scope, source->scope);
	for (int i = 0; i < GROUP_BY; i++) {
		const char *text = hidden_text(cursor, i);
		if (text && !scope_set(&scope, hidden_names[i], text, &source->error))
			return NULL;
	}
	return view_build(module->view, source->run, &scope, hidden_text(cursor, GROUP_BY),
			  source->progress, &source->error);
}

static struct built *find_or_build(const struct view_client *module,
				   const struct view_cursor *cursor)
{
	struct sql_source *source = module->source;
	AUTO_BUFFER struct buffer key = { 0 };
	make_key(cursor, &key);
	struct built *built = source->built;
	while (built && (built->view != module->view || built->fold != module->fold ||
			 strcmp(built->key, key.data) != 0))
		built = built->next;
	if (built)
		return built;
	struct table *table = NULL;
	if (source->built_count == BUILT_MAX)
		error_set(&source->error, ERROR_LIMIT, "the query uses more than %d scopes",
			  BUILT_MAX);
	else
		table = build_table(module, cursor);
	if (!table)
		return NULL;
	built = mem_zalloc(1, sizeof *built);
	*built = (struct built){ source->built, module->view, module->fold, mem_strdup(key.data),
				 table,         NULL,         NULL };
	source->built = built;
	source->built_count++;
	return built;
}

/* ---- the virtual table ---- */

static int refuse_table(sqlite3_vtab *base, const char *message)
{
	sqlite3_free(base->zErrMsg);
	base->zErrMsg = sqlite3_mprintf("%s", message);
	return SQLITE_ERROR;
}

struct declaration {
	const struct view_client *module;
	struct buffer text;
	int columns, rank, phase;
};

static bool declare(void *context)
{
	struct declaration *declaration = context;
	const struct view *view = declaration->module->view;
	const struct sql_fold *fold = declaration->module->fold;
	AUTO_TABLE struct table *empty = fold ? fold_table(fold) : table_new(view);
	struct buffer *text = &declaration->text;
	buffer_puts(text, "CREATE TABLE x(");
	for (size_t i = 0; i < empty->columns; i++)
		buffer_printf(text, "\"%s\" %s, ", empty->column[i]->id,
			      sql_column_type(empty->column[i]));
	for (int i = 0; i < HIDDEN; i++) {
		bool clash = table_column(empty, hidden_names[i]) >= 0;
		buffer_printf(text, "\"%s%s\" HIDDEN%s", clash ? "scope_" : "", hidden_names[i],
			      i + 1 < HIDDEN ? ", " : ")");
	}
	declaration->columns = (int)empty->columns;
	declaration->rank = view->by_rank ? table_need(empty, "rank") : -1;
	declaration->phase = view->by_phase ? table_need(empty, "phase") : -1;
	return true;
}

static int view_connect(sqlite3 *db, void *client, int argc, const char *const *argv,
			sqlite3_vtab **out, char **message)
{
	const struct view_client *module = client;
	struct declaration declaration = { .module = module };
	if (!mem_guard(declare, &declaration, NULL))
		return SQLITE_NOMEM;
	module->source->declaring = true;
	int code = sqlite3_declare_vtab(db, declaration.text.data);
	module->source->declaring = false;
	buffer_free(&declaration.text);
	if (code != SQLITE_OK)
		return code;
	struct view_table *table = sqlite3_malloc(sizeof *table);
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct view_table){ .module = module,
				      .columns = declaration.columns,
				      .rank = declaration.rank,
				      .phase = declaration.phase };
	*out = &table->base;
	return SQLITE_OK;
}

static int view_disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

struct planning {
	const struct view_table *table;
	sqlite3_index_info *info;
	struct view_plan plan;
	bool refused; /* the view is not to be folded */
};

/*
 * Tables are built to plan by the values they have, unless they need values that are not known yet;
 * a failure is left to the query.
 */
static bool make_plan(void *context)
{
	struct planning *planning = context;
	const struct view_client *module = planning->table->module;
	struct built *built = NULL;
	if (module->fold) {
		planning->refused = !fold_plan(module->fold, &planning->plan, planning->info);
		return true;
	}
	if (!planning->plan.arguments) {
		struct error before = module->source->error;
		built = find_or_build(module, &(struct view_cursor){ 0 });
		module->source->error = before;
	}
	view_plan_rows(&planning->plan, planning->info, planning->table->columns, built);
	return true;
}

static int view_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct view_table *table = (const struct view_table *)base;
	struct planning planning = { .table = table, .info = info };
	if (!view_plan_hidden(&planning.plan, info, table->columns,
			      (struct scope_column[]){ { table->rank, RANK },
						       { table->phase, PHASE_OF_SCOPE } }))
		return SQLITE_CONSTRAINT;
	if (!mem_guard(make_plan, &planning, NULL))
		return SQLITE_NOMEM;
	if (planning.refused)
		return SQLITE_CONSTRAINT;
	const struct sql_fold *fold = table->module->fold;
	info->idxStr =
		sqlite3_mprintf("%s", fold ? buffer_text(&fold->plan_text) : planning.plan.text);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int view_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct view_cursor *cursor = sqlite3_malloc(sizeof *cursor);
	if (!cursor)
		return SQLITE_NOMEM;
	memset(cursor, 0, sizeof *cursor);
	*out = &cursor->base;
	return SQLITE_OK;
}

static void forget_hidden(struct view_cursor *cursor)
{
	for (int i = 0; i < HIDDEN; i++) {
		sqlite3_value_free(cursor->hidden[i]);
		cursor->hidden[i] = NULL;
	}
}

static int view_close(sqlite3_vtab_cursor *base)
{
	forget_hidden((struct view_cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

struct filter_job {
	struct view_cursor *cursor;
	const struct view_client *module;
	const char *plan; /* what to look up or to order by */
	sqlite3_value **argv;
	int argc;
};

static bool filter_work(void *context)
{
	struct filter_job *job = context;
	struct view_cursor *cursor = job->cursor;
	cursor->built = find_or_build(job->module, cursor);
	if (!cursor->built)
		return false;
	return view_plan_run(job->module->source, cursor->built, job->plan, job->argc, job->argv,
			     &cursor->range);
}

static int view_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
		       sqlite3_value **argv)
{
	struct view_cursor *cursor = (struct view_cursor *)base;
	const struct view_table *table = (const struct view_table *)base->pVtab;
	struct sql_source *source = table->module->source;
	struct sql_fold *fold = table->module->fold;
	plan = fold ? fold->plan.text : plan;
	forget_hidden(cursor);
	cursor->built = NULL;
	cursor->range = (struct row_range){ 0 };
	for (int i = 0; i < argc; i++)
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			return SQLITE_OK; /* nothing equals NULL, nor is less or greater */
	for (int hidden; (hidden = view_plan_takes(plan)) >= 0; argc--, argv++, plan += 2)
		cursor->hidden[hidden] = sqlite3_value_dup(*argv);
	for (int i = 0; fold && argc > 0; i++, argc--, argv++)
		fold->condition[i].than = view_plan_value(*argv);
	struct filter_job job = { cursor, table->module, plan, argv, argc };
	if (mem_guard(filter_work, &job, &source->error))
		return SQLITE_OK;
	return source->error.code == ERROR_CANCELLED
		       ? SQLITE_INTERRUPT
		       : refuse_table(base->pVtab, source->error.message);
}

static int view_next(sqlite3_vtab_cursor *base)
{
	((struct view_cursor *)base)->range.at++;
	return SQLITE_OK;
}

static int view_eof(sqlite3_vtab_cursor *base)
{
	const struct view_cursor *cursor = (const struct view_cursor *)base;
	return cursor->range.at >= cursor->range.end;
}

static uint32_t current_row(const struct view_cursor *cursor)
{
	const struct row_range *range = &cursor->range;
	return range->rows ? range->rows[range->at] : (uint32_t)range->at;
}

static int view_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct view_cursor *cursor = (const struct view_cursor *)base;
	int hidden = column - ((const struct view_table *)base->pVtab)->columns;
	if (hidden >= 0) {
		if (cursor->hidden[hidden])
			sqlite3_result_value(context, cursor->hidden[hidden]);
		return SQLITE_OK;
	}
	const struct sql_fold *fold = cursor->built->fold;
	if (fold && column < view_columns(fold) && !(fold->keys >> column & 1))
		return SQLITE_ERROR; /* SQLite does not leave a condition to it */
	struct value value = table_value(cursor->built->table, current_row(cursor), (size_t)column);
	switch (value.kind) {
	case VALUE_MISSING: break;
	case VALUE_INT: sqlite3_result_int64(context, value.integer); break;
	case VALUE_REAL: sqlite3_result_double(context, value.real); break;
	case VALUE_TEXT:
		sqlite3_result_text64(context, value.text, value.length, SQLITE_STATIC,
				      SQLITE_UTF8);
		break;
	}
	return SQLITE_OK;
}

static int view_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = current_row((const struct view_cursor *)base);
	return SQLITE_OK;
}

/* no xCreate: an eponymous virtual table */
static const sqlite3_module view_module = { VIEW_MODULE };

static bool register_view(sqlite3 *db, const char *name, struct view_client client)
{
	struct view_client *module = mem_zalloc(1, sizeof *module);
	*module = client;
	return sqlite3_create_module_v2(db, name, &view_module, module, mem_free) == SQLITE_OK;
}

bool sql_register_views(sqlite3 *db, struct sql_source *source)
{
	const struct view *view;
	char name[SQL_NAME_MAX];
	for (size_t i = 0; (view = source_view(source, i)); i++) {
		sql_table_name(name, view->name);
		if (!register_view(db, name, (struct view_client){ source, view, NULL }))
			return false;
	}
	return true;
}

bool sql_register_fold(sqlite3 *db, struct sql_source *source)
{
	return register_view(db, FOLD_TABLE,
			     (struct view_client){ source, source->fold->view, source->fold });
}

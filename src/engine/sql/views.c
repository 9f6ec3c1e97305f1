#include "sql/views.h"

#include "base/buffer.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

/* Hidden columns, in order, after the visible ones. */
static const char *const hidden_names[] = { "steps",  "time",  "rank",   "device",  "stream",
					    "thread", "under", "filter", "group_by" };

enum { HIDDEN = sizeof hidden_names / sizeof *hidden_names, RANK = 2, GROUP_BY = HIDDEN - 1 };

enum { BUILT_MAX = 1024 }; /* limit: views in different scopes that a query may ask for */

/* Rows sorted by a column, built on the first lookup in it. */
struct index {
	struct index *next;
	int column;
	uint32_t *rows;
	size_t count; /* excludes missing values, which equal nothing */
};

struct built {
	struct built *next;
	const struct view *view;
	char *key; /* values of the hidden columns */
	struct table *table;
	struct index *indexes;
};

struct module {
	struct sql_source *source;
	const struct view *view;
};

struct view_table {
	sqlite3_vtab base;
	const struct module *module;
	int columns; /* number of visible columns */
	int rank;    /* of them, the one of ranks that the scope chooses from; -1: none */
};

struct cursor {
	sqlite3_vtab_cursor base;
	sqlite3_value *hidden[HIDDEN]; /* given values; NULL: none */
	const struct built *built;
	const uint32_t *rows; /* NULL: all rows */
	size_t at, end;
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

const struct view *sql_find_view(const char *table)
{
	for (size_t i = 0; view_or_report_at(i); i++) {
		char name[SQL_NAME_MAX];
		sql_table_name(name, view_or_report_at(i)->name);
		if (!sqlite3_stricmp(name, table))
			return view_or_report_at(i);
	}
	return NULL;
}

/* ---- table cache ---- */

static void built_free(struct built *built)
{
	for (struct index *index = built->indexes, *next; index; index = next) {
		next = index->next;
		mem_free(index->rows);
		mem_free(index);
	}
	table_free(built->table);
	mem_free(built->key);
	mem_free(built);
}

void sql_source_clear(struct sql_source *source)
{
	for (struct built *built = source->built, *next; built; built = next) {
		next = built->next;
		built_free(built);
	}
	source->built = NULL;
}

static const char *hidden_text(const struct cursor *cursor, int hidden)
{
	sqlite3_value *value = cursor->hidden[hidden];
	return value ? (const char *)sqlite3_value_text(value) : NULL;
}

/* The hidden values as one string, NUL-terminated each, so that the key is unique. */
static void make_key(const struct cursor *cursor, struct buffer *key)
{
	for (int i = 0; i < HIDDEN; i++) {
		const char *text = hidden_text(cursor, i);
		buffer_printf(key, text ? "%d=%zu:" : "", i, text ? strlen(text) : 0);
		buffer_puts(key, text ? text : "");
	}
	buffer_putc(key, 0);
}

static struct table *build_table(struct sql_source *source, const struct view *view,
				 const struct cursor *cursor)
{
	struct scope scope;
	scope_copy(&scope, source->scope);
	struct table *table = NULL;
	bool good = true;
	for (int i = 0; i < GROUP_BY && good; i++) {
		const char *text = hidden_text(cursor, i);
		good = !text || scope_set(&scope, hidden_names[i], text, &source->error);
	}
	if (good)
		table = view_build(view, source->run, &scope, hidden_text(cursor, GROUP_BY),
				   source->progress, &source->error);
	scope_clear(&scope);
	return table;
}

static struct built *find_or_build(struct sql_source *source, const struct view *view,
				   const struct cursor *cursor)
{
	struct buffer key = { 0 };
	make_key(cursor, &key);
	struct built *built = source->built;
	while (built && (built->view != view || strcmp(built->key, key.data) != 0))
		built = built->next;
	if (built) {
		buffer_free(&key);
		return built;
	}
	struct table *table = NULL;
	if (source->built_count == BUILT_MAX)
		error_set(&source->error, ERROR_LIMIT, "the query uses more than %d scopes",
			  BUILT_MAX);
	else
		table = build_table(source, view, cursor);
	if (!table) {
		buffer_free(&key);
		return NULL;
	}
	built = mem_zalloc(1, sizeof *built);
	*built = (struct built){ source->built, view, key.data, table, NULL };
	source->built = built;
	source->built_count++;
	return built;
}

/* True if SQL equality never holds. */
static bool equals_nothing(struct value value)
{
	return value.kind == VALUE_MISSING || (value.kind == VALUE_REAL && isnan(value.real));
}

static const struct index *find_or_sort(struct sql_source *source, struct built *built, int column)
{
	for (const struct index *index = built->indexes; index; index = index->next) {
		if (index->column == column)
			return index;
	}
	size_t count = 0;
	uint32_t *rows = table_sort(built->table, &(struct sort_key){ column, false }, 1, NULL,
				    &count, source->progress, &source->error);
	if (!rows)
		return NULL;
	while (count && equals_nothing(table_value(built->table, rows[count - 1], (size_t)column)))
		count--;
	struct index *index = mem_zalloc(1, sizeof *index);
	*index = (struct index){ built->indexes, column, rows, count };
	built->indexes = index;
	return index;
}

/* First position with a value not less than WANTED (AFTER: greater than it). */
static size_t bound(const struct table *table, const struct index *index, struct value wanted,
		    bool after)
{
	size_t low = 0, high = index->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct value value = table_value(table, index->rows[middle], (size_t)index->column);
		int order = value_compare(value, wanted);
		if (order < 0 || (after && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- the virtual table ---- */

static int refuse(sqlite3_vtab *base, const char *message)
{
	sqlite3_free(base->zErrMsg);
	base->zErrMsg = sqlite3_mprintf("%s", message);
	return SQLITE_ERROR;
}

struct declaration {
	const struct view *view;
	struct buffer text;
	int columns, rank;
};

static bool declare(void *context)
{
	struct declaration *declaration = context;
	struct table *empty = table_new(declaration->view);
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
	declaration->rank = declaration->view->by_rank ? table_need(empty, "rank") : -1;
	table_free(empty);
	return true;
}

static int view_connect(sqlite3 *db, void *client, int argc, const char *const *argv,
			sqlite3_vtab **out, char **message)
{
	(void)argc, (void)argv, (void)message;
	const struct module *module = client;
	struct declaration declaration = { .view = module->view };
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
				      .rank = declaration.rank };
	*out = &table->base;
	return SQLITE_OK;
}

static int view_disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

/*
 * idxStr encodes the plan: 'A' + n for hidden column n, one per argument. If idxNum is not 0, the
 * last argument is a value to look up in the visible column idxNum - 1.
 */
static int view_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct view_table *table = (const struct view_table *)base;
	char plan[HIDDEN + 1] = "";
	int arguments = 0, lookup = -1;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
		int hidden = constraint->iColumn - table->columns;
		bool rank = constraint->iColumn == table->rank;
		if (constraint->op != SQLITE_INDEX_CONSTRAINT_EQ || constraint->iColumn < 0 ||
		    (rank && !constraint->usable))
			continue;
		if (rank)
			hidden = RANK;
		if (hidden >= 0 && !constraint->usable)
			return SQLITE_CONSTRAINT; /* another join order provides it */
		if (hidden < 0 && constraint->usable && lookup < 0 &&
		    !sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY"))
			lookup = i;
		if (hidden < 0 || memchr(plan, 'A' + hidden, (size_t)arguments))
			continue;
		plan[arguments++] = (char)('A' + hidden);
		info->aConstraintUsage[i].argvIndex = arguments;
		info->aConstraintUsage[i].omit = 1;
	}
	info->estimatedRows = 1000000;
	info->estimatedCost = 1e6;
	if (lookup >= 0) {
		info->aConstraintUsage[lookup].argvIndex = arguments + 1;
		info->idxNum = info->aConstraint[lookup].iColumn + 1;
		info->estimatedRows = 10;
		info->estimatedCost = 100;
	}
	info->idxStr = sqlite3_mprintf("%s", plan);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int view_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	(void)base;
	struct cursor *cursor = sqlite3_malloc(sizeof *cursor);
	if (!cursor)
		return SQLITE_NOMEM;
	memset(cursor, 0, sizeof *cursor);
	*out = &cursor->base;
	return SQLITE_OK;
}

static void forget_hidden(struct cursor *cursor)
{
	for (int i = 0; i < HIDDEN; i++) {
		sqlite3_value_free(cursor->hidden[i]);
		cursor->hidden[i] = NULL;
	}
}

static int view_close(sqlite3_vtab_cursor *base)
{
	forget_hidden((struct cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

/* Converts a SQLite text or number; other types equal no cell. */
static struct value value_of(sqlite3_value *value)
{
	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER: return value_int(sqlite3_value_int64(value));
	case SQLITE_FLOAT: return value_real(sqlite3_value_double(value));
	case SQLITE_TEXT: {
		const char *text = (const char *)sqlite3_value_text(value);
		return value_bytes(text, (size_t)sqlite3_value_bytes(value));
	}
	default: return value_missing();
	}
}

struct filter_job {
	struct cursor *cursor;
	const struct module *module;
	int lookup; /* column, or -1 */
	struct value wanted;
};

/* True if no type conversion could make the value equal to a cell. */
static bool can_look_up(const struct column *column, struct value wanted)
{
	return (wanted.kind == VALUE_TEXT) == (column->unit == UNIT_TEXT);
}

static bool filter_work(void *context)
{
	struct filter_job *job = context;
	struct cursor *cursor = job->cursor;
	struct built *built = find_or_build(job->module->source, job->module->view, cursor);
	if (!built)
		return false;
	cursor->built = built;
	cursor->end = built->table->rows;
	/* rows of a tree are sorted only among siblings */
	if (job->lookup < 0 || built->table->is_tree ||
	    !can_look_up(built->table->column[job->lookup], job->wanted))
		return true;
	const struct index *index = find_or_sort(job->module->source, built, job->lookup);
	if (!index)
		return false;
	cursor->rows = index->rows;
	cursor->at = bound(built->table, index, job->wanted, false);
	cursor->end = bound(built->table, index, job->wanted, true);
	return true;
}

static int view_filter(sqlite3_vtab_cursor *base, int lookup, const char *plan, int argc,
		       sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct view_table *table = (const struct view_table *)base->pVtab;
	struct sql_source *source = table->module->source;
	forget_hidden(cursor);
	cursor->built = NULL;
	cursor->rows = NULL;
	cursor->at = cursor->end = 0;
	for (int i = 0; i < argc; i++) {
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			return SQLITE_OK; /* nothing equals NULL */
		if (plan[i])
			cursor->hidden[plan[i] - 'A'] = sqlite3_value_dup(argv[i]);
		else
			break;
	}
	struct filter_job job = { cursor, table->module, lookup - 1, value_missing() };
	if (lookup)
		job.wanted = value_of(argv[argc - 1]);
	if (mem_guard(filter_work, &job, &source->error))
		return SQLITE_OK;
	return source->error.code == ERROR_CANCELLED ? SQLITE_INTERRUPT
						     : refuse(base->pVtab, source->error.message);
}

static int view_next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->at++;
	return SQLITE_OK;
}

static int view_eof(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;
	return cursor->at >= cursor->end;
}

static uint32_t current_row(const struct cursor *cursor)
{
	return cursor->rows ? cursor->rows[cursor->at] : (uint32_t)cursor->at;
}

static int view_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct cursor *cursor = (const struct cursor *)base;
	int hidden = column - ((const struct view_table *)base->pVtab)->columns;
	if (hidden >= 0) {
		if (cursor->hidden[hidden])
			sqlite3_result_value(context, cursor->hidden[hidden]);
		return SQLITE_OK;
	}
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
	*rowid = current_row((const struct cursor *)base);
	return SQLITE_OK;
}

/* no xCreate: an eponymous virtual table */
static const sqlite3_module view_module = {
	.iVersion = 1,
	.xConnect = view_connect,
	.xBestIndex = view_best_index,
	.xDisconnect = view_disconnect,
	.xDestroy = view_disconnect,
	.xOpen = view_open,
	.xClose = view_close,
	.xFilter = view_filter,
	.xNext = view_next,
	.xEof = view_eof,
	.xColumn = view_column,
	.xRowid = view_rowid,
};

bool sql_register_views(sqlite3 *db, struct sql_source *source)
{
	for (size_t i = 0; view_or_report_at(i); i++) {
		struct module *module = mem_zalloc(1, sizeof *module);
		*module = (struct module){ source, view_or_report_at(i) };
		char name[SQL_NAME_MAX];
		sql_table_name(name, view_or_report_at(i)->name);
		if (sqlite3_create_module_v2(db, name, &view_module, module, mem_free) != SQLITE_OK)
			return false;
	}
	return true;
}

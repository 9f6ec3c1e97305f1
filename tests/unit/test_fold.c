/* Random queries that are folded give what SQLite computes from the exported tables. */
#include "trace_case.h"

#include "random_trace.h"
#include "sql/query.h"
#include "sql/sqlite_export.h"
#include "sql/virtual_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* STRATA_SEED=N checks that trace only, STRATA_QUERIES=N makes N queries of each. */
enum { SEEDS = 12, QUERIES = SLOW ? 60 : 150, COLUMNS_MAX = 64 };

struct trial {
	uint64_t seed, state;
	struct run *run;
	sqlite3 *exported;
	size_t folded, queries;
};

static uint64_t draw(struct trial *trial, uint64_t below)
{
	trial->state = trial->state * 6364136223846793005u + 1442695040888963407u;
	return (trial->state >> 33) % below;
}

#define ONE_OF(trial, ...)                                                                         \
	((const char *const[]){ __VA_ARGS__ })[draw(                                               \
		trial, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))]

static struct table *ask(const struct trial *trial, const char *sql, struct error *error)
{
	struct scope whole;
	scope_init(&whole);
	return sql_query(trial->run, &whole, sql, NULL, error);
}

/* ---- a random query ---- */

static const char *column_of(struct trial *trial, const struct table *table, const char *type)
{
	for (;;) {
		const struct column *column = table->column[draw(trial, table->columns)];
		if (!type || !strcmp(sql_column_type(column), type))
			return column->id;
		if (!draw(trial, 50))
			return NULL;
	}
}

/* A value that the column has, or NULL, as a literal. */
static void add_literal(struct trial *trial, struct buffer *sql, const struct table *table,
			const char *column)
{
	struct value value = table_cell(table, draw(trial, table->rows), column);
	if (value.kind == VALUE_TEXT) {
		char *text = sqlite3_mprintf("%.*Q", (int)value.length, value.text);
		buffer_puts(sql, text);
		sqlite3_free(text);
	} else if (value.kind == VALUE_REAL)
		buffer_printf(sql, "%.17g", value.real);
	else
		buffer_printf(sql, "%" PRId64, value.kind == VALUE_INT ? value.integer : 7);
}

static void add_condition(struct trial *trial, struct buffer *sql, const struct table *table)
{
	const char *column = column_of(trial, table, NULL);
	while (!strcmp(column, "rank") || !strcmp(column, "phase")) /* they choose the scope */
		column = column_of(trial, table, NULL);
	switch (draw(trial, 7)) {
	case 0:
		buffer_printf(sql, "%s %s", column,
			      ONE_OF(trial, "IS NULL", "IS NOT NULL", "NOTNULL"));
		return;
	case 1:
		buffer_printf(sql, "%s %s '%%%c%%'", column, ONE_OF(trial, "LIKE", "NOT LIKE"),
			      (char)('a' + draw(trial, 26)));
		return;
	case 2:
		buffer_printf(sql, "%s %s (", column, ONE_OF(trial, "IN", "NOT IN"));
		add_literal(trial, sql, table, column);
		buffer_puts(sql, ", ");
		add_literal(trial, sql, table, column);
		buffer_puts(sql, ")");
		return;
	case 3:
		buffer_printf(sql, "%s BETWEEN ", column);
		add_literal(trial, sql, table, column);
		buffer_puts(sql, " AND ");
		break;
	case 4: buffer_printf(sql, "%s%s", ONE_OF(trial, "NOT ", ""), column); return;
	default:
		buffer_printf(sql, "%s %s ", column,
			      ONE_OF(trial, "=", "<>", "<", "<=", ">", ">=", "!=", "=="));
	}
	add_literal(trial, sql, table, column);
	if (!draw(trial, 8))
		buffer_puts(sql, ONE_OF(trial, " + 1", " * 1000", " % 3", " > 0"));
}

static const char *sum_of(struct trial *trial, const struct table *table, char out[128])
{
	const char *column = column_of(
		trial, table, ONE_OF(trial, "INTEGER", "INTEGER", "INTEGER", "REAL", "TEXT"));
	const char *function = ONE_OF(trial, "count", "sum", "avg", "min", "max", "COUNT", "Sum");
	if (!column || !draw(trial, 5))
		return "count(*)";
	snprintf(out, 128, "%s(%s)", function, column);
	return out;
}

static void add_query(struct trial *trial, struct buffer *sql, const struct table *table,
		      const char *from)
{
	const char *key[3];
	char sum[128], other[128];
	size_t keys = draw(trial, 4);
	for (size_t i = 0; i < keys; i++)
		key[i] = column_of(trial, table, ONE_OF(trial, "TEXT", "INTEGER"))
				 ?: column_of(trial, table, NULL);
	buffer_puts(sql, "SELECT ");
	for (size_t i = 0; i < keys; i++)
		buffer_printf(sql, "%s, ", key[i]);
	buffer_printf(sql, "%s AS total", sum_of(trial, table, sum));
	for (size_t i = draw(trial, 4); i > 0; i--)
		buffer_printf(sql,
			      ONE_OF(trial, ", %s", ", round(%s / 1e3, 2)",
				     ", coalesce(%s, 'none')", ", 100.0 * %s / count(*)",
				     ", CASE WHEN %s > 3 THEN 'a' ELSE 'b' END"),
			      sum_of(trial, table, other));
	buffer_printf(sql, " FROM %s", from);
	for (size_t i = 0, count = draw(trial, 3); i < count; i++) {
		buffer_puts(sql, i ? " AND " : " WHERE ");
		add_condition(trial, sql, table);
	}
	for (size_t i = 0; i < keys; i++)
		buffer_printf(sql, "%s%s", i ? ", " : " GROUP BY ", key[i]);
	if (keys && !draw(trial, 3))
		buffer_printf(sql, " HAVING %s %s", sum_of(trial, table, other),
			      ONE_OF(trial, "> 1", "IS NOT NULL", "< 1e6"));
	if (!draw(trial, 2))
		buffer_printf(sql, " ORDER BY %s%s",
			      keys && draw(trial, 2) ? key[draw(trial, keys)]
						     : ONE_OF(trial, "total", "1", "count(*)"),
			      ONE_OF(trial, "", " DESC", " NULLS LAST"));
	for (size_t i = 0; keys && i < keys && strstr(sql->data, "ORDER BY") && draw(trial, 2); i++)
		buffer_printf(sql, ", %s%s", key[i], ONE_OF(trial, "", " DESC"));
	if (!draw(trial, 4))
		buffer_printf(sql, " LIMIT %d", (int)draw(trial, 6));
}

/* ---- comparing ---- */

/* Exported, a column of reals has integers as reals, and one of integers the reverse. */
static bool is_equal(struct value value, sqlite3_stmt *statement, int column, bool reals)
{
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL: return value.kind == VALUE_MISSING;
	case SQLITE_TEXT:
		return value.kind == VALUE_TEXT &&
		       value.length == (size_t)sqlite3_column_bytes(statement, column) &&
		       !memcmp(value.text, sqlite3_column_text(statement, column), value.length);
	case SQLITE_INTEGER:
		if (value.kind == VALUE_INT)
			return value.integer == sqlite3_column_int64(statement, column);
		return reals && value.kind == VALUE_REAL &&
		       value.real == (double)sqlite3_column_int64(statement, column);
	default: {
		/* views are read in the order of what a condition compares, which rounds otherwise
		 */
		double exported = sqlite3_column_double(statement, column);
		return (value.kind == VALUE_REAL || (reals && value.kind == VALUE_INT)) &&
		       fabs(value_number(value, 0) - exported) <=
			       (reals ? 1e-12 * fabs(exported) : 0);
	}
	}
}

static void compare_rows(const struct trial *trial, const struct table *rows,
			 sqlite3_stmt *statement, const char *sql, bool reals)
{
	size_t row = 0;
	for (; sqlite3_step(statement) == SQLITE_ROW; row++)
		for (size_t i = 0; i < rows->columns; i++)
			if (row >= rows->rows ||
			    !is_equal(table_value(rows, row, i), statement, (int)i, reals))
				fail_msg("STRATA_SEED=%" PRIu64 ": row %zu of %zu, column %zu: %s",
					 trial->seed, row, rows->rows, i, sql);
	if (row != rows->rows)
		fail_msg("STRATA_SEED=%" PRIu64 ": %zu rows instead of %zu: %s", trial->seed,
			 rows->rows, row, sql);
}

static bool has_reals(const struct table *table, size_t column)
{
	const char *type = sql_column_type(table->column[column]);
	bool reals = strcmp(type, "TEXT") != 0 && strcmp(type, "INTEGER") != 0;
	for (size_t row = 0; row < table->rows; row++)
		reals |= table_value(table, row, column).kind == VALUE_REAL;
	return reals;
}

static bool uses_reals(const struct table *table, const char *sql)
{
	for (size_t i = 0; i < table->columns; i++)
		if (strstr(sql, table->column[i]->id) && has_reals(table, i))
			return true;
	return false;
}

static bool is_folded(const struct trial *trial, const char *sql)
{
	AUTO_BUFFER struct buffer explain = { 0 };
	buffer_printf(&explain, "EXPLAIN QUERY PLAN %s", sql);
	AUTO_TABLE struct table *plan = ask(trial, explain.data, NULL);
	bool folded = false;
	for (size_t row = 0; plan && row < plan->rows; row++)
		folded |= strstr(table_cell(plan, row, "detail").text, "INDEX") &&
			  strstr(table_cell(plan, row, "detail").text, "folded");
	return folded;
}

static void check_query(struct trial *trial, const struct table *table)
{
	AUTO_BUFFER struct buffer sql = { 0 };
	char name[SQL_NAME_MAX];
	struct error error = { 0 };
	sqlite3_stmt *statement = NULL;
	sql_table_name(name, table->view->name);
	add_query(trial, &sql, table, name);
	if (sqlite3_prepare_v2(trial->exported, sql.data, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql.data, sqlite3_errmsg(trial->exported));
	AUTO_TABLE struct table *rows = ask(trial, sql.data, &error);
	if (rows)
		compare_rows(trial, rows, statement, sql.data, uses_reals(table, sql.data));
	else if (!strstr(error.message, "overflow") || sqlite3_step(statement) == SQLITE_ROW)
		fail_msg("STRATA_SEED=%" PRIu64 ": %s: %s", trial->seed, sql.data, error.message);
	sqlite3_finalize(statement);
	trial->queries++;
	trial->folded += is_folded(trial, sql.data);
}

static void check_trial(struct trial *trial, uint64_t queries)
{
	char path[] = "exported.db";
	struct scope whole;
	struct error error = { 0 };
	scope_init(&whole);
	unlink(path);
	assert_true(sql_export(trial->run, &whole, path, true, NULL, &error));
	assert_int_equal(sqlite3_open(path, &trial->exported), SQLITE_OK);
	for (uint64_t i = 0; i < queries;) {
		size_t views = 0;
		while (view_at(views))
			views++;
		struct table *table = view_build(view_at(draw(trial, views)), trial->run, &whole,
						 NULL, NULL, NULL);
		for (int again = 0; table && table->rows && again < 5; again++, i++)
			check_query(trial, table);
		table_free(table);
	}
	sqlite3_close(trial->exported);
	unlink(path);
}

TEST(folds_equal_the_exported_tables)
{
	const char *only = getenv("STRATA_SEED"), *wanted = getenv("STRATA_QUERIES");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1, last = only ? first : SEEDS;
	size_t folded = 0, queries = 0;
	for (uint64_t seed = first; seed <= last; seed++) {
		struct buffer text = random_trace(seed);
		struct trial trial = { .seed = seed,
				       .state = seed,
				       .run = trace_run_bytes(text.data, text.length) };
		check_trial(&trial, wanted ? strtoull(wanted, NULL, 10) : QUERIES);
		folded += trial.folded;
		queries += trial.queries;
		run_free(trial.run);
		buffer_free(&text);
	}
	print_message("%zu of %zu queries were folded\n", folded, queries);
	assert_true(folded * 2 > queries);
}

/* Tracks differ by number: a text that two have is one group. */
TEST(equal_texts_of_several_numbers_are_one_group)
{
	static const char text[] =
		"{\"traceEvents\":["
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":7},"
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"ts\":3,\"dur\":2,\"pid\":2,\"tid\":7}]}";
	struct run *run = trace_run_bytes(text, sizeof text - 1);
	struct scope whole;
	scope_init(&whole);
	AUTO_TABLE struct table *rows = sql_query(
		run, &whole, "SELECT thread, sum(dur_ns) FROM spans GROUP BY thread", NULL, NULL);
	AUTO_TABLE struct table *threads =
		sql_query(run, &whole, "SELECT DISTINCT thread FROM spans", NULL, NULL);
	assert_non_null(rows);
	assert_int_equal(threads->rows, 1);
	assert_int_equal(rows->rows, 1);
	assert_int_equal(table_value(rows, 0, 1).integer, 3000);
	run_free(run);
}

/* ---- cancelling ---- */

enum { MANY = 60000 };

struct watch {
	uint64_t folded; /* rows, when last asked */
	bool cancelled;
};

static bool cancel_fold(void *context, const char *stage, uint64_t done, uint64_t total,
			uint64_t rows)
{
	struct watch *watch = context;
	if (!strcmp(stage, "querying") && total == MANY) {
		watch->folded = done;
		watch->cancelled |= done > 0;
	}
	return !watch->cancelled;
}

TEST(a_fold_can_be_cancelled)
{
	AUTO_BUFFER struct buffer text = { 0 };
	struct watch watch = { 0 };
	struct progress progress = { .update = cancel_fold, .context = &watch };
	struct error error = { 0 };
	struct scope whole;
	scope_init(&whole);
	buffer_puts(&text, "{\"traceEvents\":[");
	for (int i = 0; i < MANY; i++)
		buffer_printf(&text,
			      "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"ts\":%d,"
			      "\"dur\":1,\"pid\":1,\"tid\":1}",
			      i ? "," : "", 2 * i);
	buffer_puts(&text, "]}");
	struct run *run = trace_run_bytes(text.data, text.length);
	assert_null(sql_query(run, &whole, "SELECT name, count(*) FROM calls GROUP BY name",
			      &progress, &error));
	assert_int_equal(error.code, ERROR_CANCELLED);
	assert_true(watch.folded > 0 && watch.folded < MANY / 2);
	run_free(run);
}

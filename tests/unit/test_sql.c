#include "test.h"

#include "base/error.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "sql/sqlite_export.h"
#include "sql/query.h"
#include "fake_views.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sqlite3.h>

static struct table *run(const char *sql, struct error *error)
{
	struct scope scope;
	scope_init(&scope);
	return sql_query(NULL, &scope, sql, NULL, error);
}

/* Result cells separated by '|', rows terminated by ';'. */
static char *result_of(const char *sql)
{
	struct error error = { 0 };
	struct table *table = run(sql, &error);
	if (!table)
		fail_msg("%s: %s", sql, error.message);
	struct buffer text = { 0 };
	for (size_t row = 0; row < table->rows; row++)
		for (size_t i = 0; i < table->columns; i++) {
			value_format(&text, table->column[i], table_value(table, row, i), true);
			buffer_putc(&text, i + 1 < table->columns ? '|' : ';');
		}
	table_free(table);
	buffer_putc(&text, 0);
	return text.data;
}

static void check(const char *sql, const char *expected)
{
	char *result = result_of(sql);
	if (strcmp(result, expected) != 0)
		fail_msg("%s: %s instead of %s", sql, result, expected);
	mem_free(result);
}

static void check_refused(const char *sql, enum error_code code, const char *says)
{
	struct error error = { 0 };
	assert_null(run(sql, &error));
	assert_int_equal(error.code, code);
	if (!strstr(error.message, says))
		fail_msg("%s: %s", sql, error.message);
}

TEST(views_are_tables)
{
	check("SELECT name, gpu_self_ns FROM things ORDER BY 2 DESC LIMIT 2",
	      "aten::add|9223372036854775807;aten::conv2d|142310000;");
	check("SELECT sum(calls) FROM some_points", "7;");
	check("SELECT name FROM things WHERE tc_eligible", "aten::conv2d;");
	check("SELECT calls FROM things WHERE tc_self_pct IS NULL", "3;");
	check("SELECT count(*) FROM things WHERE name LIKE '%EVIL%'", "1;");
}

TEST(aggregates)
{
	check("SELECT median(x), stdev(x) FROM (SELECT column1 AS x FROM (VALUES (1), (9), (2), (NULL)))",
	      "2|4.358898943540674;");
	check("SELECT median(column1) FROM (VALUES (4), (1), (3), (2.5))", "2.75;");
	check("SELECT median(column1), stdev(column1) FROM (VALUES (-3))", "-3|0;");
	check("SELECT median(calls) IS NULL, stdev(calls) IS NULL FROM things WHERE 0", "1|1;");
}

/* Does the plan of a statement say that the view's columns are folded, so? */
static void check_folded(const char *sql, const char *so)
{
	char explain[512];
	snprintf(explain, sizeof explain, "EXPLAIN QUERY PLAN %s", sql);
	char *plan = result_of(explain);
	if (!strstr(plan, so ? so : "SCAN") || (!so && strstr(plan, "folded")))
		fail_msg("%s: %s", sql, plan);
	mem_free(plan);
}

TEST(plans_show_what_is_folded)
{
	check_folded("SELECT name, count(*), sum(calls) / 2 AS half FROM many WHERE step > 2 AND "
		     "name <> 'a' GROUP BY name HAVING half > 1 ORDER BY 2 DESC LIMIT 3",
		     "SCAN many VIRTUAL TABLE INDEX 0:folded by name where step;");
	check_folded("SELECT count(*) FROM many AS m", "SCAN m VIRTUAL TABLE INDEX 0:folded;");
	check_folded("SELECT \"m\".name n, MAX(m.calls) FROM many m\n GROUP BY 1;",
		     "folded by name;");
	check_folded("SELECT name FROM things WHERE steps = '2' GROUP BY name", "folded by name;");
	check_folded("SELECT avg(calls) FROM many WHERE step > 1 OR calls = 2",
		     "folded by step, calls;");
}

/* Does SQLite neither sort nor group what is folded? */
static bool is_folded_alone(const char *sql)
{
	char explain[400], *program;
	snprintf(explain, sizeof explain, "EXPLAIN %s", sql);
	program = result_of(explain);
	bool alone = strstr(program, "folded") && !strstr(program, "Agg") &&
		     !strstr(program, "Compare") && !strstr(program, "Sorter");
	mem_free(program);
	return alone;
}

TEST(groups_that_are_folded_are_not_grouped_again)
{
	assert_true(is_folded_alone("SELECT name, count(*), avg(calls) FROM many GROUP BY name"));
	assert_true(is_folded_alone(
		"SELECT step, sum(calls) FROM many GROUP BY name, \"step\" LIMIT 3"));
	assert_true(is_folded_alone("SELECT DISTINCT max(calls) FROM many GROUP BY name"));
	assert_true(is_folded_alone("SELECT name FROM many WHERE name <> 'a' GROUP BY name;"));
	assert_false(is_folded_alone(
		"SELECT name, count(*) FROM many GROUP BY name HAVING count(*) > 1"));
	assert_false(is_folded_alone("SELECT name, count(*) FROM many GROUP BY name ORDER BY 2"));
	assert_false(
		is_folded_alone("SELECT name, count(*) FROM many WHERE calls > 1 GROUP BY name"));
	assert_false(is_folded_alone("SELECT name, count(*) FROM many GROUP BY 1"));
	assert_false(is_folded_alone(
		"SELECT name, count(*) FROM many WHERE steps IN ('1', '2') GROUP BY name"));
}

/* What is not of the form is left to SQLite. */
TEST(other_queries_are_not_folded)
{
	static const char *const others[] = {
		"SELECT name, calls, count(*) FROM many GROUP BY name",
		"SELECT name, max(calls), step FROM many GROUP BY name",
		"SELECT name, sum(calls + 1) FROM many GROUP BY name",
		"SELECT name, count(DISTINCT calls) FROM many GROUP BY name",
		"SELECT name, median(calls), sum(calls) FROM many GROUP BY name",
		"SELECT name, count(*), group_concat(name) FROM many GROUP BY name",
		"SELECT name, count(*), min(name || 'x') FROM many GROUP BY name",
		"SELECT name, sum(calls) AS calls FROM many GROUP BY name ORDER BY calls + 1",
		"SELECT name, sum(calls) FILTER (WHERE step > 1) FROM many GROUP BY name",
		"SELECT name, sum(calls) OVER () FROM many GROUP BY name, calls",
		"SELECT name, (SELECT count(*) FROM things) FROM many GROUP BY name",
		"SELECT name, count(*), \"step\" FROM many GROUP BY name",
		"SELECT *, count(*) FROM many GROUP BY 1",
		"SELECT count(*) FROM many WHERE step > 1 -- all",
		"SELECT count(*) FROM many a, many b",
		"SELECT count(*) FROM many UNION ALL SELECT count(*) FROM many",
		"SELECT count(*) FROM many m, things t WHERE m.calls = t.calls",
		"SELECT upper(name), count(*) FROM many GROUP BY upper(name)",
		"SELECT name, count(*) FROM many GROUP BY name COLLATE NOCASE",
		"SELECT count(*), random() FROM many",
		"SELECT count(*) FROM many WHERE rowid > 5",
		"SELECT name FROM many",
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		check_folded(others[i], NULL);
}

TEST(folds_are_sums)
{
	check("SELECT count(*), count(stack), sum(calls), avg(calls), min(name), max(gpu_self_ns) FROM things",
	      "4|0|17|4.25|\x1b[2Jevil, \"q\" a|b <i>\n\xe2\x80\xae\xff*_x_|9223372036854775807;");
	check("SELECT count(*), sum(calls), avg(calls), min(calls) FROM things WHERE calls > 50",
	      "0|||;");
	check("SELECT calls, count(*) FROM things WHERE calls > 50 GROUP BY calls", "");
	check("SELECT calls, count(*) FROM some_points GROUP BY calls", "|1;3|1;4|1;");
	check("SELECT stack, sum(tc_self_pct) FROM things GROUP BY stack", "|37.900000000000006;");
	check("SELECT sum(calls) FROM things WHERE steps = '2' AND name LIKE 'ATEN::%'", "3;");
	check("SELECT calls, sum(gpu_self_ns) AS calls FROM things WHERE calls <> 3 GROUP BY 1 ORDER BY calls DESC",
	      "10|142310000;1|7;");
	check_refused("SELECT sum(gpu_self_ns) FROM things", ERROR_USAGE, "integer overflow");
	check_refused("SELECT calls, sum(gpu_self_ns) FROM things GROUP BY calls", ERROR_USAGE,
		      "integer overflow");
	check_refused("SELECT name, max(calls) FROM things WHERE name REGEXP '(' GROUP BY name",
		      ERROR_USAGE, "(");
}

TEST(values_can_be_looked_up)
{
	check("SELECT name FROM things WHERE calls = 3 ORDER BY 1", "aten::add;aten::mul;");
	check("SELECT name FROM things WHERE calls = '10'", "aten::conv2d;");
	check("SELECT calls FROM things WHERE name = 'aten::conv2d'", "10;");
	check("SELECT count(*) FROM things WHERE name = 5", "0;");
	check("SELECT count(*) FROM things WHERE tc_self_pct = 12.5", "1;");
	check("SELECT count(*) FROM things WHERE calls = NULL", "0;");
	check("SELECT count(*) FROM some_points WHERE value = 5", "1;");
	check("SELECT count(*) FROM some_points WHERE value > 7", "2;");
	check("SELECT t.name, p.device FROM things t JOIN some_points p USING (calls) ORDER BY 1",
	      "aten::add|GPU0;aten::mul|GPU0;");
}

static void check_same(const char *sql, const char *other)
{
	char *expected = result_of(other);
	check(sql, expected);
	mem_free(expected);
}

/* A condition is looked up in sorted rows; inside CASE it is computed for each row. */
static void check_condition(const char *table, const char *condition)
{
	char looked_up[256], scanned[256];
	snprintf(looked_up, sizeof looked_up, "SELECT * FROM %s WHERE %s ORDER BY 1, 2, 3", table,
		 condition);
	snprintf(scanned, sizeof scanned,
		 "SELECT * FROM %s WHERE CASE WHEN %s THEN 1 END ORDER BY 1, 2, 3", table,
		 condition);
	check_same(looked_up, scanned);
}

TEST(lookups_find_what_a_scan_finds)
{
	static const char *const columns[][2] = {
		{ "things", "name" },        { "things", "calls" },
		{ "things", "gpu_self_ns" }, { "things", "stack" },
		{ "things", "tc_self_pct" }, { "things", "tc_eligible" },
		{ "some_points", "calls" },  { "some_points", "device" },
		{ "some_points", "value" },
	};
	static const char *const operators[] = { "=", "<", "<=", ">", ">=" };
	static const char *const values[] = {
		"3",     "3.5", "'3'", "'10'", "'aten::mul'",         "'text'", "''",     "NULL",
		"x'00'", "0",   "-1",  "12.5", "9223372036854775807", "-9e18",  "9.3e18", "'zzz'",
	};
	enum { VALUES = sizeof values / sizeof *values };
	char condition[160];
	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
		const char *table = columns[c][0], *column = columns[c][1];
		for (size_t v = 0; v < VALUES; v++) {
			for (size_t o = 0; o < sizeof operators / sizeof *operators; o++) {
				snprintf(condition, sizeof condition, "%s %s %s", column,
					 operators[o], values[v]);
				check_condition(table, condition);
				snprintf(condition, sizeof condition, "calls = 3 AND %s %s %s",
					 column, operators[o], values[v]);
				check_condition(table, condition);
			}
			snprintf(condition, sizeof condition, "%s > %s AND %s <= %s", column,
				 values[v], column, values[(v + 5) % VALUES]);
			check_condition(table, condition);
		}
	}
	check_condition("things", "name = 'aten::mul' AND calls = 3 AND gpu_self_ns = 1500 AND "
				  "tc_eligible = 0 AND tc_self_pct > 1");
}

/* ORDER BY takes rows in order; an expression is sorted by SQLite. */
TEST(rows_come_in_order)
{
	static const char *const columns[][2] = {
		{ "things", "calls" },       { "things", "stack" }, { "things", "tc_self_pct" },
		{ "things", "gpu_self_ns" }, { "things", "name" },  { "some_points", "calls" },
		{ "some_points", "value" },
	};
	static const char *const directions[] = { "", "DESC" };
	char taken[256], sorted[256];
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		for (size_t d = 0; d < 4; d++) {
			const char *table = columns[i][0], *column = columns[i][1];
			const char *a = directions[d & 1], *b = directions[d >> 1];
			snprintf(taken, sizeof taken, "SELECT * FROM %s ORDER BY calls %s, %s %s",
				 table, a, column, b);
			snprintf(sorted, sizeof sorted,
				 "SELECT * FROM %s ORDER BY +calls %s, +%s %s", table, a, column,
				 b);
			check_same(taken, sorted);
			snprintf(taken, sizeof taken, "SELECT * FROM %s ORDER BY %s %s", table,
				 column, b);
			snprintf(sorted, sizeof sorted, "SELECT * FROM %s ORDER BY +%s %s", table,
				 column, b);
			check_same(taken, sorted);
			snprintf(taken, sizeof taken,
				 "SELECT %s, count(*) FROM %s GROUP BY 1 ORDER BY 2, 1", column,
				 table);
			snprintf(sorted, sizeof sorted,
				 "SELECT +%s, count(*) FROM %s GROUP BY 1 ORDER BY 2, 1", column,
				 table);
			check_same(taken, sorted);
		}
}

/* Equal devices say little about a row, equal calls much. */
TEST(joins_look_up_the_telling_column)
{
	check("SELECT a.value, b.value FROM some_points a JOIN some_points b "
	      "ON a.device = b.device AND a.calls = b.calls ORDER BY 1",
	      "5|5;text|text;");
	char *plan =
		result_of("EXPLAIN QUERY PLAN SELECT b.value FROM things a "
			  "CROSS JOIN some_points b ON b.device = a.name AND b.calls = a.calls");
	assert_non_null(strstr(plan, "=\x02")); /* calls, column 1 */
	assert_null(strstr(plan, "=\x01"));
	mem_free(plan);
	check("SELECT t.name, p.device FROM things t JOIN some_points p "
	      "ON p.calls >= t.calls AND p.calls < t.calls + 1 ORDER BY 1",
	      "aten::add|GPU0;aten::mul|GPU0;");
}

/* Each lookup begins where the last one ended, wherever the next rows are. */
TEST(joins_find_what_a_scan_finds)
{
	static const char *const orders[] = { "x", "x DESC", "x * 7919 % 499" };
	static const char *const conditions[][2] = {
		{ "m.calls = x", "+m.calls = x" },
		{ "m.step = x AND m.name = 'c'", "+m.step = x AND +m.name = 'c'" },
		{ "m.calls > x AND m.calls <= x + 2", "+m.calls > x AND +m.calls <= x + 2" },
		{ "m.step = x AND m.calls > 250", "+m.step = x AND +m.calls > 250" },
	};
	char sql[2][400];
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		for (size_t c = 0; c < sizeof conditions / sizeof *conditions; c++) {
			for (size_t scans = 0; scans < 2; scans++)
				snprintf(
					sql[scans], sizeof sql[scans],
					"WITH RECURSIVE n(i) AS (SELECT -5 UNION ALL SELECT i + 25 "
					"FROM n WHERE i < 520), v(x) AS MATERIALIZED (SELECT i AS x "
					"FROM n ORDER BY %s) SELECT x, count(*), sum(m.calls), "
					"sum(m.step) FROM v CROSS JOIN many m ON %s GROUP BY x",
					orders[i], conditions[c][scans]);
			check_same(sql[0], sql[1]);
		}
}

/* A step has few rows, though all rows of a sample are of different steps. */
TEST(joins_look_up_all_that_repeats)
{
	char *plan = result_of("EXPLAIN QUERY PLAN SELECT count(*) FROM many a CROSS JOIN many b "
			       "ON a.step = b.step AND a.name = b.name");
	assert_non_null(strstr(plan, "=\x01=\x02")); /* step, then name */
	mem_free(plan);
}

TEST(json_is_unfolded)
{
	check("SELECT key, value FROM json_each('[7, 8]')", "0|7;1|8;");
	check("SELECT t.calls, j.value FROM things t, json_each('[' || t.calls || ', 5]') j "
	      "WHERE t.calls = 10",
	      "10|10;10|5;");
	check("SELECT fullkey FROM json_tree('{\"a\": [1]}')", "$;$.a;$.a[0];");
}

TEST(regular_expressions_match)
{
	check("SELECT name FROM things WHERE name REGEXP 'CONV|conv'", "aten::conv2d;");
	check("SELECT count(*) FROM things WHERE name REGEXP '^aten::(add|mul)$'", "2;");
	check("SELECT 'x' REGEXP NULL, NULL REGEXP 'x', 12 REGEXP '^1'", "||1;");
	check("SELECT name REGEXP name FROM things WHERE calls = 3", "1;1;");
	check_refused("SELECT 'x' REGEXP '('", ERROR_USAGE, "invalid at byte 1");
	check_refused("SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' REGEXP '^(a|[a-z]|aa)+\\d'",
		      ERROR_LIMIT, "too many steps");
}

TEST(columns_are_listed_by_pragma)
{
	check("SELECT name, type FROM pragma_table_info('things') WHERE cid = 0", "name|TEXT;");
	check_refused("PRAGMA table_info(sqlite_master)", ERROR_USAGE, "strata views -f json");
}

TEST(hidden_columns_are_the_scope)
{
	check("SELECT count(*) FROM things WHERE steps = '2..'", "2;");
	check("SELECT count(*), steps FROM things WHERE steps = '3..'", "1|3..;");
	check("SELECT DISTINCT stack FROM things WHERE group_by = 'stack'", "stack;");
	check("SELECT count(*) FROM things WHERE steps IN ('2..', '3..')", "3;");
	check("SELECT count(*) FROM things('2..')", "2;");
	check("SELECT count(*) FROM some_points WHERE scope_device = '0' AND device = 'GPU0'",
	      "2;");
	check("SELECT a.n FROM (SELECT '2..' AS s, 1 AS n) a JOIN things t ON t.steps = a.s",
	      "1;1;");
	check_refused("SELECT 1 FROM things WHERE steps = 'x'", ERROR_USAGE, "");
	fake_builds = 0;
	check("SELECT count(*) FROM things a, things b, things c", "64;");
	assert_int_equal(fake_builds, 1);
}

TEST(writes_are_refused)
{
	check_refused("DELETE FROM things", ERROR_USAGE, "");
	check_refused("CREATE TABLE x(a)", ERROR_USAGE, "only SELECT");
	check_refused("ATTACH '/etc/passwd' AS p", ERROR_USAGE, "only SELECT");
	check_refused("PRAGMA journal_mode", ERROR_USAGE, "only SELECT");
	check_refused("SELECT * FROM pragma_database_list", ERROR_USAGE, "");
	check_refused("SELECT load_extension('x')", ERROR_USAGE, "");
	check_refused("VACUUM INTO 'file'", ERROR_USAGE, "");
	check_refused("BEGIN", ERROR_USAGE, "only SELECT");
}

TEST(errors_have_messages)
{
	check_refused("", ERROR_USAGE, "empty");
	check_refused("-- nothing", ERROR_USAGE, "empty");
	check_refused("SELEKT", ERROR_USAGE, "SELEKT");
	check_refused("SELECT nope FROM things", ERROR_USAGE, "nope");
	check_refused("SELECT 1; SELECT 2", ERROR_USAGE, "one SQL statement");
	check_refused("SELECT zeroblob(1000000000)", ERROR_LIMIT, "too big");
	check("SELECT 1; -- and a comment", "1;");
}

TEST(columns_have_names_and_units)
{
	struct table *table = run("SELECT name, name, gpu_self_ns, calls * 2 AS twice, 'x' AS t "
				  "FROM things",
				  NULL);
	assert_non_null(table);
	assert_string_equal(table->column[1]->id, "name_2");
	assert_int_equal(table->column[1]->unit, UNIT_TEXT);
	assert_int_equal(table->column[2]->unit, UNIT_NS);
	assert_string_equal(table->column[3]->id, "twice");
	assert_int_equal(table->column[3]->unit, UNIT_COUNT);
	assert_int_equal(table->column[4]->unit, UNIT_TEXT);
	table_free(table);
}

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	(void)context, (void)stage, (void)done, (void)total, (void)rows;
	return false;
}

TEST(endless_queries_can_be_cancelled)
{
	struct progress progress = { .update = refuse };
	struct scope scope;
	scope_init(&scope);
	struct error error = { 0 };
	assert_null(sql_query(NULL, &scope,
			      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
			      "SELECT max(i) FROM n",
			      &progress, &error));
	assert_int_equal(error.code, ERROR_CANCELLED);
}

TEST(exports_a_database)
{
	char path[64];
	snprintf(path, sizeof path, "sql-test-%ld.db", (long)getpid());
	struct scope scope;
	scope_init(&scope);
	struct error error = { 0 };
	if (!sql_export(NULL, &scope, path, false, NULL, &error))
		fail_msg("%s", error.message);
	sqlite3 *db;
	sqlite3_stmt *statement;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(
			db,
			"SELECT (SELECT sum(calls) FROM things), (SELECT typeof(value) FROM some_points"
			" WHERE value = 10), (SELECT name FROM things WHERE calls = 1)",
			-1, &statement, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(statement, 0), 17);
	assert_string_equal((const char *)sqlite3_column_text(statement, 1), "integer");
	assert_string_equal((const char *)sqlite3_column_text(statement, 2), fake_hostile);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	assert_int_equal(unlink(path), 0);

	struct progress progress = { .update = refuse };
	assert_false(sql_export(NULL, &scope, path, false, &progress, &error));
	assert_int_equal(error.code, ERROR_CANCELLED);
	assert_int_equal(access(path, F_OK), -1);
	assert_false(sql_export(NULL, &scope, "no/such/directory/file", false, NULL, &error));
	assert_int_equal(error.code, ERROR_OUTPUT);
}

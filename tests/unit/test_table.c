#include "test.h"

#include "model/device_label.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/parallel.h"
#include "table/view.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const struct view flat = { .name = "flat", .columns = "name,calls,gpu_self_ns,tc_pct" };

static void add(struct table *table, const char *name, struct value calls, struct value time)
{
	struct ref ref = { .kind = REF_FACT, .a = (uint32_t)table->rows };
	size_t row = table_add_row(table, ref);
	table_set(table, row, "name", value_text(name));
	table_set(table, row, "calls", calls);
	table_set(table, row, "gpu_self_ns", time);
}

static struct table *sample(void)
{
	struct table *table = table_new(&flat);
	add(table, "mul", value_int(3), value_int(50));
	add(table, "add", value_int(1), value_missing());
	add(table, "conv", value_int(3), value_int(-7));
	add(table, "bmm", value_int(2), value_real(50.5));
	add(table, "Add", value_missing(), value_int(INT64_MAX));
	return table;
}

TEST(column_of_missing_values_is_empty)
{
	struct table *table = table_new(&flat);
	assert_false(table_column_is_empty(table, 1)); /* nothing is known of it yet */
	add(table, "mul", value_missing(), value_missing());
	add(table, "add", value_missing(), value_int(0));
	assert_false(table_column_is_empty(table, 0));
	assert_true(table_column_is_empty(table, 1));
	assert_int_equal(table_value(table, 1, 1).kind, VALUE_MISSING);
	assert_false(table_column_is_empty(table, 2));
	assert_int_equal(table_value(table, 0, 2).kind, VALUE_MISSING);
	table_set(table, 1, "calls", value_int(0));
	assert_false(table_column_is_empty(table, 1));
	table_free(table);
}

/* Row numbers as digits. */
static void check_rows(const uint32_t *rows, size_t count, const char *expected)
{
	char got[64] = "";
	assert_true(count < sizeof got);
	for (size_t i = 0; i < count; i++)
		got[i] = (char)('0' + rows[i]);
	assert_string_equal(got, expected);
}

static void check_sort(const struct table *table, const struct sort_key *keys, size_t count,
		       const char *expected)
{
	size_t rows = 0;
	uint32_t *order = table_sort(table, keys, count, NULL, &rows, NULL, NULL);
	assert_int_equal(rows, table->rows);
	check_rows(order, rows, expected);
	mem_free(order);
}

TEST(cells_are_stored)
{
	struct table *table = sample();
	assert_int_equal(table->columns, 4);
	assert_int_equal(table_column(table, "calls"), 1);
	assert_int_equal(table_column(table, "nothing"), -1);
	assert_int_equal(table_value(table, 3, 2).kind, VALUE_REAL);
	assert_int_equal(table_value(table, 0, 3).kind, VALUE_MISSING);
	assert_int_equal(table_find(table, (struct ref){ .kind = REF_FACT, .a = 2 }), 2);
	assert_true(table_find(table, (struct ref){ .kind = REF_CALL, .a = 2 }) == SIZE_MAX);
	assert_int_equal(table_name_column(table), 0);
	table_free(table);
}

TEST(sorts_numbers_stably_with_missing_last)
{
	struct table *table = sample();
	check_sort(table, &(struct sort_key){ 1, false }, 1, "13024");
	check_sort(table, &(struct sort_key){ 1, true }, 1, "02314");
	check_sort(table, &(struct sort_key){ 2, false }, 1, "20341");
	check_sort(table, &(struct sort_key){ 2, true }, 1, "43021");
	check_sort(table, NULL, 0, "01234");
	table_free(table);
}

TEST(sorts_text_and_several_keys)
{
	struct table *table = sample();
	check_sort(table, &(struct sort_key){ 0, false }, 1, "41320");
	check_sort(table, &(struct sort_key){ 0, true }, 1, "02314");
	const struct sort_key keys[] = { { 1, true }, { 0, false } };
	check_sort(table, keys, 2, "20314");
	table_free(table);
}

static const struct table *compared;

static int compare_reference(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = value_compare(table_value(compared, x, 2), table_value(compared, y, 2));
	return order ? order : (x > y) - (x < y);
}

TEST(agrees_with_a_comparison_sort)
{
	enum { ROWS = 20000 };
	struct table *table = table_new(&flat);
	uint64_t random = 1;
	for (size_t i = 0; i < ROWS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		int64_t wide = (int64_t)random >> (random >> 59);
		add(table, "x", value_int(1),
		    random >> 40 & 1 ? value_int(wide % 1000000) : value_real((double)wide / 1e12));
	}
	uint32_t *expected = mem_zalloc(ROWS, sizeof *expected);
	for (uint32_t i = 0; i < ROWS; i++)
		expected[i] = i;
	compared = table;
	qsort(expected, ROWS, sizeof *expected, compare_reference);
	size_t rows = 0;
	uint32_t *order =
		table_sort(table, &(struct sort_key){ 2, false }, 1, NULL, &rows, NULL, NULL);
	assert_memory_equal(order, expected, ROWS * sizeof *expected);
	mem_free(order);
	mem_free(expected);
	table_free(table);
}

static struct sort_key reference_key;

static int compare_as_asked(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct value first = table_value(compared, x, 2), second = table_value(compared, y, 2);
	bool lacks = first.kind == VALUE_MISSING, other_lacks = second.kind == VALUE_MISSING;
	int order = value_compare(first, second);
	if (reference_key.descending)
		order = -order;
	if (lacks != other_lacks)
		order = lacks == reference_key.missing_first ? -1 : 1;
	return order ? order : (x > y) - (x < y);
}

/* Several threads read and sort the rows of large tables. */
TEST(large_mixed_columns_sort_as_asked)
{
	enum { ROWS = 200000 };
	static const char *const texts[] = { "conv", "add", "", "mm", "add" };
	struct table *table = table_new(&flat);
	uint64_t random = 7;
	for (size_t i = 0; i < ROWS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		int64_t number = (int64_t)(random >> 33) % 5000 - 2500;
		struct value values[] = { value_int(number), value_real((double)number / 4),
					  value_text(texts[random >> 50 & 3]), value_missing() };
		add(table, "x", value_int(1), values[random >> 60 & 3]);
	}
	uint32_t *expected = mem_alloc(ROWS * sizeof *expected);
	compared = table;
	for (int asked = 0; asked < 4; asked++) {
		size_t rows = 0;
		reference_key = (struct sort_key){ 2, asked & 1, asked >> 1 };
		for (uint32_t i = 0; i < ROWS; i++)
			expected[i] = i;
		qsort(expected, ROWS, sizeof *expected, compare_as_asked);
		uint32_t *order = table_sort(table, &reference_key, 1, NULL, &rows, NULL, NULL);
		assert_int_equal(rows, ROWS);
		assert_memory_equal(order, expected, ROWS * sizeof *expected);
		mem_free(order);
	}
	mem_free(expected);
	table_free(table);
}

/* r(a(x,y), b(z)) */
static struct table *tree(void)
{
	static const struct {
		const char *name;
		uint32_t depth;
		int64_t calls;
	} nodes[] = { { "r", 0, 1 }, { "a", 1, 5 }, { "x", 2, 1 },
		      { "y", 2, 9 }, { "b", 1, 7 }, { "z", 2, 3 } };
	struct table *table = table_new(&flat);
	table->is_tree = true;
	for (size_t i = 0; i < 6; i++) {
		add(table, nodes[i].name, value_int(nodes[i].calls), value_missing());
		table_set_depth(table, i, nodes[i].depth);
	}
	return table;
}

TEST(trees_keep_their_subtrees)
{
	struct table *table = tree();
	check_sort(table, &(struct sort_key){ 1, true }, 1, "045132");
	check_sort(table, &(struct sort_key){ 1, false }, 1, "012345");
	check_sort(table, &(struct sort_key){ 0, true }, 1, "045132");
	table_free(table);
}

static void check_filter(const struct table *table, const char *expression, int column, bool invert,
			 const char *expected)
{
	struct pattern *pattern = pattern_new(expression, NULL);
	size_t rows = 0;
	uint32_t *kept = table_filter(table, pattern, column, invert, NULL, &rows, NULL, NULL);
	assert_non_null(kept);
	check_rows(kept, rows, expected);
	mem_free(kept);
	pattern_free(pattern);
}

TEST(filters_by_name_or_shown_text)
{
	struct table *table = sample();
	check_filter(table, "add", -1, false, "14");
	check_filter(table, "add", -1, true, "023");
	check_filter(table, "^50 ns", 2, false, "0");
	check_filter(table, "nothing", -1, false, "");
	table_free(table);
	table = tree();
	check_filter(table, "z", -1, false, "045");
	check_filter(table, "[zry]", -1, true, "0124");
	table_free(table);
}

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	(void)context, (void)stage, (void)done, (void)total, (void)rows;
	return false;
}

/* More rows than one piece: the threads find exactly the rows that match one by one. */
TEST(parallel_search_matches_each_row)
{
	static const char *const names[] = { "conv", "gemm", "a 5", "relu", "copy" };
	static const char *const expressions[] = { "conv|gemm", "5",      "ms$",
						   "^$",        "12.*us", "(?!a)co" };
	const int columns[] = { 0, 1, 2 };
	struct table *table = table_new(&flat);
	for (int i = 0; i < 20000; i++)
		add(table, names[i % 5], i % 7 ? value_int(i) : value_missing(),
		    value_int((int64_t)i * i));
	for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++) {
		struct pattern *pattern = pattern_new(expressions[e], NULL);
		size_t hits, at = 0;
		uint32_t *found = table_matches(table, pattern, columns, 3, NULL, table->rows,
						&hits, NULL, NULL);
		for (size_t row = 0; row < table->rows; row++)
			if (table_row_matches(table, row, columns, 3, pattern))
				assert_int_equal(at < hits ? found[at++] : UINT32_MAX, row);
		assert_int_equal(at, hits);
		mem_free(found);
		pattern_free(pattern);
	}
	table_free(table);
}

/* Does the filter keep exactly the rows of ROWS that match alone? */
static void check_each(const struct table *table, const char *expression, bool invert,
		       const uint32_t *rows, size_t count)
{
	const int name = 0;
	struct pattern *pattern = pattern_new(expression, NULL);
	size_t kept_count = count, at = 0;
	uint32_t *kept = table_filter(table, pattern, -1, invert, rows, &kept_count, NULL, NULL);
	assert_non_null(kept);
	for (size_t i = 0; i < count; i++) {
		uint32_t row = rows ? rows[i] : (uint32_t)i;
		if (table_row_matches(table, row, &name, 1, pattern) != invert)
			assert_int_equal(at < kept_count ? kept[at++] : UINT32_MAX, row);
	}
	assert_int_equal(at, kept_count);
	mem_free(kept);
	pattern_free(pattern);
}

/* Names are numbered by the first filter; equal texts may have several addresses. */
TEST(filters_of_many_rows_use_numbered_names)
{
	enum { ROWS = 50000 };
	/* valgrind notes each read of the pattern's compiled code beyond a text */
	const char *wrapper = getenv("TEST_WRAPPER");
	const uint32_t count = wrapper && *wrapper ? 20000 : ROWS;
	struct table *table = table_new(&flat);
	uint32_t rows[ROWS];
	for (uint32_t i = 0; i < count; i++) {
		add(table, "", value_int(i), value_missing());
		if (i % 11 == 0)
			table_set(table, i, "name", value_missing());
		else if (i % 13 == 0)
			table_set(table, i, "name", value_int(i));
		else
			table_set(table, i, "name", table_printf(table, "op%u", i * 7 % 100));
		rows[i] = count - 1 - i;
	}
	for (int round = 0; round < 2; round++) {
		check_each(table, "op.*7", false, NULL, table->rows);
		check_each(table, "op1|^26$", true, NULL, table->rows);
		check_each(table, "^$|3", false, rows + 100, count - 100);
		check_each(table, "9", true, rows + 200, count / 2);
		if (round == 0)
			table_keep(table, rows, count - 100); /* numbers the names that are left */
	}
	table_free(table);
}

TEST(can_be_cancelled)
{
	struct table *table = sample();
	struct progress progress = { .update = refuse };
	struct error error = { 0 };
	size_t rows = 0;
	assert_null(table_sort(table, &(struct sort_key){ 1, true }, 1, NULL, &rows, &progress,
			       &error));
	assert_int_equal(error.code, ERROR_CANCELLED);
	table_free(table);
	/* Names that were not all numbered are not used later. */
	table = table_new(&flat);
	for (int i = 0; i < 20000; i++)
		add(table, i % 2 ? "odd" : "even", value_missing(), value_missing());
	struct pattern *pattern = pattern_new("odd", NULL);
	error.code = 0;
	assert_null(table_filter(table, pattern, -1, false, NULL, &rows, &progress, &error));
	assert_int_equal(error.code, ERROR_CANCELLED);
	pattern_free(pattern);
	check_each(table, "odd", false, NULL, table->rows);
	table_free(table);
}

/* ---- parallel_try ---- */

struct pieces {
	int fail_at;
	atomic_int begun;
};

static bool do_piece(void *context, size_t i, const struct progress *progress)
{
	struct pieces *pieces = context;
	pieces->begun++;
	return progress_update(progress, "testing", i, 0, 0) && (int)i != pieces->fail_at;
}

TEST(pieces_fail_and_stop_together)
{
	const struct progress stop = { .update = refuse };
	struct pieces good = { .fail_at = -1 }, failing = { .fail_at = 5 },
		      stopped = { .fail_at = -1 };
	struct error error = { 0 };
	assert_true(parallel_try(100, do_piece, &good, "testing", NULL, &error));
	assert_int_equal(good.begun, 100);
	assert_false(parallel_try(1000, do_piece, &failing, "testing", NULL, &error));
	assert_int_equal(error.code, ERROR_CANCELLED);
	error = (struct error){ 0 };
	assert_false(parallel_try(1, do_piece, &stopped, "testing", &stop, &error));
	assert_int_equal(error.code, ERROR_CANCELLED);
	assert_int_equal(stopped.begun, 0);
}

static void check_format(const char *id, struct value value, bool raw, const char *expected)
{
	struct buffer out = { 0 };
	value_format(&out, column_find(id), value, raw);
	assert_string_equal(buffer_text(&out), expected);
	buffer_free(&out);
}

TEST(formats_by_unit)
{
	check_format("gpu_self_ns", value_int(142310000), false, "142.31 ms");
	check_format("gpu_self_ns", value_int(142310000), true, "142310000");
	check_format("avg_ns", value_real(1500.4), false, "1.50 us");
	check_format("flops", value_int(38200000000000), false, "38.2 TFLOP");
	check_format("flops_per_s", value_real(412), false, "412 FLOP/s");
	check_format("bytes", value_int(1572864), false, "1.50 MiB");
	check_format("tc_pct", value_real(71.42), false, "71.4%");
	check_format("tc_pct", value_real(71.42), true, "71.42");
	check_format("tc_eligible", value_int(1), false, "yes");
	check_format("value", value_real(71.428571428), false, "71.4286");
	check_format("value", value_int(16945512448), false, "16945512448");
	check_format("calls", value_missing(), false, "");
}

/* Ratios have two decimals, where that says something. */
TEST(ratios_are_rounded)
{
	check_format("blocks_per_sm", value_real(2.006), false, "2.01");
	check_format("blocks_per_sm", value_real(0), false, "0.00");
	check_format("blocks_per_sm", value_real(0.005), false, "0.01");
	check_format("blocks_per_sm", value_real(0.0012), false, "0.0012");
	check_format("blocks_per_sm", value_real(-0.0012), false, "-0.0012");
	check_format("blocks_per_sm", value_real(123456.5), false, "123456.50");
	check_format("blocks_per_sm", value_real(2e15), false, "2e+15");
}

/* A time range that does not fit into a reference is none. */
TEST(references_of_times)
{
	struct ref ref = ref_of_time(3, INT64_C(5000000000), 7000);
	assert_int_equal(ref.kind, REF_TIME);
	assert_int_equal(ref_device(ref), 3);
	assert_int_equal(ref_start(ref), INT64_C(5000000000));
	assert_int_equal(ref_end(ref), INT64_C(5000007000));
	static const struct {
		int32_t device;
		int64_t start, dur;
		bool fits;
	} cases[] = {
		{ 0, (INT64_C(1) << 48) - 1, 0, true },
		{ 0, INT64_C(1) << 48, 0, false },
		{ 0, -1, 0, false },
		{ 0, 0, -1, false },
		{ 0, 0, INT64_C(4294967295999), true },
		{ 0, 0, INT64_C(4294967296000), false },
		{ -1, 0, 0, false },
		{ 16383, 0, 0, true },
		{ 16384, 0, 0, false },
		{ DEVICE_NPU << DEVICE_KIND_SHIFT | 7, 5, 0, true },
		{ DEVICE_TPU << DEVICE_KIND_SHIFT | 16384, 0, 0, false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ref = ref_of_time(cases[i].device, cases[i].start, cases[i].dur);
		assert_int_equal(ref.kind, cases[i].fits ? REF_TIME : REF_NONE);
		if (cases[i].fits)
			assert_int_equal(ref_device(ref), cases[i].device);
	}
}

TEST(facts_are_formatted_by_unit_column)
{
	static const struct view derived = { .columns = "metric,value,unit" };
	static const struct {
		struct value value;
		const char *unit, *shown;
	} cases[] = {
		{ { VALUE_INT, { 142310000 } }, "ns", "142.31 ms" },
		{ { VALUE_INT, { 1536 } }, "bytes", "1.50 KiB" },
		{ { VALUE_INT, { 50 } }, "%", "50.0%" },
		{ { VALUE_INT, { 1536 } }, "count", "1536" },
		{ { VALUE_INT, { 1536 } }, NULL, "1536" },
	};
	struct table *table = table_new(&derived);
	struct buffer out = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t row = table_add_row(table, (struct ref){ .kind = REF_FACT });
		table_set(table, row, "value", cases[i].value);
		table_set(table, row, "unit", value_text(cases[i].unit));
		buffer_clear(&out);
		table_format(&out, table, row, 1, false);
		assert_string_equal(buffer_text(&out), cases[i].shown);
	}
	buffer_clear(&out);
	table_format(&out, table, 0, 1, true);
	assert_string_equal(buffer_text(&out), "142310000");
	buffer_free(&out);
	table_free(table);
}

static bool has_word(const char *id, const char *word)
{
	const char *at = strstr(id, word);
	size_t length = strlen(word);

	return at && (at == id || at[-1] == '_') && (at[length] == '_' || !at[length]);
}

/* Column kinds agree with the words in column ids. */
TEST(column_kinds_match_ids)
{
	static const char *const means[] = { "avg", "min", "max", "median", "stddev" };

	for (size_t i = 0; column_at(i); i++) {
		const struct column *column = column_at(i);
		for (size_t k = 0; k < sizeof means / sizeof means[0]; k++) {
			if (has_word(column->id, means[k]))
				assert_false(column_has_shares(column));
		}
		if (column->kind == COLUMN_PARTS || column->kind == COLUMN_SPAN)
			assert_true(column_is_amount(column));
	}
	assert_int_equal(column_find("gpu_self_ns")->kind, COLUMN_PARTS);
	assert_int_equal(column_find("gpu_total_ns")->kind, COLUMN_AMOUNT);
	assert_int_equal(column_find("dur_ns")->kind, COLUMN_SPAN);
	assert_false(column_is_amount(column_find("start_ns")));
	assert_false(column_is_amount(column_find("share_pct")));
	assert_true(column_is_amount(column_find("avg_ns")));
	assert_true(view_find("launches")->rows_apart);
	assert_false(view_find("calls")->rows_apart);
}

TEST(vocabulary_is_consistent)
{
	for (size_t i = 0; column_at(i); i++) {
		const struct column *column = column_at(i);
		assert_ptr_equal(column_find(column->id), column);
		assert_int_equal(strspn(column->id, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(column->id));
		assert_true(column->width >= (int)strlen(column->title));
		assert_int_equal(column->definition[strlen(column->definition) - 1], '.');
	}
}

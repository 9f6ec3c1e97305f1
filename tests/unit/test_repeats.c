/*
 * Repeats: names without numbers, and siblings of one class folded into a row.
 */
#include "test.h"

#include "base/buffer.h"
#include "base/error.h"
#include "table/repeats.h"
#include "table/view.h"
#include "base/moments.h"

#include <math.h>
#include <string.h>

static const struct view tree = {
	.name = "tree",
	.columns = "path,name,kind,gpu_total_ns,cpu_total_ns,repeats,repeat_mean_ns,"
		   "repeat_spread_pct,outlier",
};

static void check_class(const char *name, const char *class, long number)
{
	struct name_class found = name_class(name, strlen(name));
	assert_int_equal(found.length, strlen(class));
	assert_memory_equal(found.text, class, found.length);
	assert_int_equal(found.numbered, number >= 0);
	if (number >= 0)
		assert_int_equal(found.number, number);
}

TEST(class_is_name_without_number)
{
	check_class("ViTLayer_11", "ViTLayer", 11);
	check_class("layer.0", "layer", 0);
	check_class("step#007", "step", 7);
	check_class("Conv2d", "Conv2d", -1);
	check_class("Conv2d_", "Conv2d_", -1);
	check_class("_1", "_1", -1);
	check_class("123", "123", -1);
	check_class("", "", -1);
	check_class("a_999999999999999999", "a", 999999999999999999);
	check_class("a_1000000000000000000", "a_1000000000000000000", -1);
}

static size_t add(struct table *table, uint32_t depth, const char *name, const char *kind,
		  int64_t ns)
{
	size_t row = table_add_row(table, (struct ref){ REF_LAYER, (uint32_t)table->rows, 0, 0 });
	table_set_depth(table, row, depth);
	table_set(table, row, "name", value_text(name));
	table_set(table, row, "path", table_printf(table, "M/%s", name));
	table_set(table, row, "kind", value_text(kind));
	table_set(table, row, "gpu_total_ns", value_int(ns));
	return row;
}

static void sum(void *context, struct table *table, const struct repeat *repeat)
{
	int64_t ns = 0;
	for (size_t i = 0; i < repeat->count; i++)
		ns += table_cell(table, repeat->members[i], "gpu_total_ns").integer;
	table_set(table, repeat->row, "gpu_total_ns", value_int(ns));
}

static double change(void *context, const struct table *table, size_t row, int measure)
{
	return measure ? 0 : (double)table_cell(table, row, "gpu_total_ns").integer;
}

static const struct repeat_rules rules = { .measures = { "gpu_total_ns", "cpu_total_ns" },
					   .fill = sum };

/* Rows as lines of depth and name. */
static void check_rows(const struct table *table, const char *expected)
{
	struct buffer got = { 0 };
	for (size_t row = 0; row < table->rows; row++)
		buffer_printf(&got, "%u %s\n", table_depth(table, row),
			      table_cell(table, row, "name").text);
	assert_string_equal(buffer_text(&got), expected);
	buffer_free(&got);
}

TEST(siblings_of_a_class_are_folded)
{
	struct table *table = table_new(&tree);
	table->is_tree = true;
	add(table, 0, "M_0", "module", 1000);
	add(table, 1, "Block_0", "module", 100);
	add(table, 2, "Linear_0", "module", 90);
	add(table, 1, "Norm_0", "module", 5);
	add(table, 1, "Block_1", "module", 100);
	add(table, 2, "Linear_1", "module", 90);
	add(table, 1, "Block_2", "module", 100);
	add(table, 2, "Linear_2", "module", 90);
	add(table, 1, "Block_3", "module", 102);
	add(table, 2, "Linear_3", "module", 90);
	add(table, 1, "Block_4", "module", 300);
	add(table, 2, "Linear_4", "module", 90);
	add(table, 1, "Block_9", "module", 7); /* consists of other classes */
	assert_true(table_fold_repeats(table, &rules, NULL));
	check_rows(table, "0 M_0\n"
			  "1 Block_{0..4} ×5\n"
			  "2 Block_0\n3 Linear_0\n"
			  "2 Block_1\n3 Linear_1\n"
			  "2 Block_2\n3 Linear_2\n"
			  "2 Block_3\n3 Linear_3\n"
			  "2 Block_4\n3 Linear_4\n"
			  "1 Norm_0\n1 Block_9\n");
	struct ref ref = table_ref(table, 1);
	assert_int_equal(ref.kind, REF_REPEAT);
	assert_int_equal(ref.a, 1);
	assert_int_equal(ref.b, 5);
	assert_string_equal(table_cell(table, 1, "kind").text, "class");
	assert_string_equal(table_cell(table, 1, "path").text, "M/Block_{0..4} ×5");
	assert_int_equal(table_cell(table, 1, "gpu_total_ns").integer, 702);
	assert_int_equal(table_cell(table, 1, "repeats").integer, 5);
	assert_int_equal(table_cell(table, 1, "repeat_mean_ns").integer, 140);
	assert_true(table_cell(table, 1, "repeat_spread_pct").real > 60);
	assert_string_equal(table_cell(table, 1, "outlier").text, "Block_4");
	table_free(table);
}

TEST(repeats_nest)
{
	static const char *const blocks[] = { "B_0", "B_1", "B_2", "B_3" };
	static const char *const experts[] = { "E_0", "E_1", "E_2", "E_3" };
	struct table *table = table_new(&tree);
	table->is_tree = true;
	add(table, 0, "M", "module", 16);
	for (int i = 0; i < 4; i++) {
		add(table, 1, blocks[i], "module", 4);
		for (int j = 0; j < 4; j++)
			add(table, 2, experts[j], "module", 1);
	}
	assert_true(table_fold_repeats(table, &rules, NULL));
	assert_int_equal(table->rows, 1 + 4 * 5 + 5);
	assert_string_equal(table_cell(table, 1, "name").text, "B_{0..3} ×4");
	assert_int_equal(table_depth(table, 2), 2);
	assert_string_equal(table_cell(table, 3, "name").text, "E_{0..3} ×4");
	assert_int_equal(table_depth(table, 3), 3);
	assert_int_equal(table_depth(table, 4), 4);
	assert_int_equal(table_cell(table, 1, "gpu_total_ns").integer, 16);
	assert_int_equal(table_cell(table, 1, "outlier").kind, VALUE_MISSING);
	table_free(table);
}

TEST(few_or_other_siblings_stay)
{
	struct table *table = table_new(&tree);
	table->is_tree = true;
	add(table, 0, "M", "module", 16);
	for (int i = 0; i < 3; i++)
		add(table, 1, "B_0", "module", 4);
	for (int i = 0; i < 5; i++)
		add(table, 1, "op_1", "operator", 4);
	for (int i = 0; i < 5; i++)
		add(table, 1, "Conv2d", "module", 4);
	assert_true(table_fold_repeats(table, &rules, NULL));
	assert_int_equal(table->rows, 14);
	table_free(table);
	table = table_new(&tree);
	assert_true(table_fold_repeats(table, &rules, NULL));
	assert_int_equal(table->rows, 0);
	table_free(table);
}

TEST(paths_of_a_list_are_folded)
{
	struct repeat_rules paths = rules;
	struct table *table = table_new(&tree);
	paths.paths = true;
	paths.change = change;
	add(table, 0, "M_0/Head_0", "module", -30);
	add(table, 0, "M_0/B_0/L_0", "module", 10);
	add(table, 0, "M_0/B_1/L_2", "module", 10);
	add(table, 0, "M_0/B_1/K_2", "module", 10);
	add(table, 0, "M_0/B_2/L_4", "module", 10);
	add(table, 0, "M_0/B_3/L_9", "module", 10);
	assert_true(table_fold_repeats(table, &paths, NULL));
	check_rows(table, "0 M/B/L ×4\n"
			  "1 M_0/B_0/L_0\n1 M_0/B_1/L_2\n1 M_0/B_2/L_4\n1 M_0/B_3/L_9\n"
			  "0 M_0/Head_0\n0 M_0/B_1/K_2\n");
	assert_true(table->is_tree);
	table_free(table);
}

/* Any two parts of some calls say together what all of them say. */
TEST(durations_of_parts_are_joined)
{
	enum { COUNT = 7 };
	static const int64_t ns[COUNT] = { 7, 1, 1000003, 12, 999, 1, 40 };
	struct moments all = { 0 };
	for (int i = 0; i < COUNT; i++)
		moments_add(&all, ns[i]);
	for (int cut = 0; cut <= COUNT; cut++) {
		struct moments parts[2] = { 0 };
		for (int i = 0; i < COUNT; i++)
			moments_add(&parts[i >= cut], ns[i]);
		moments_merge(&parts[0], &parts[1]);
		assert_true(parts[0].count == COUNT && parts[0].sum == all.sum &&
			    parts[0].min == 1 && parts[0].max == 1000003);
		assert_true(fabs(parts[0].squares - all.squares) < 1e-9 * all.squares);
	}
}

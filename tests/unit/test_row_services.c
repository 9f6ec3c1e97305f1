/* What readers of rows share: times by the rule of a format, items by id, call chains. */
#include "test.h"

#include "input/call_chains.h"
#include "input/id_table.h"
#include "input/timeline_rows.h"

static void check_times(unsigned rules, int64_t start, int64_t end, bool usable, int64_t expected)
{
	int64_t dur = 7;
	struct profile *profile = profile_new("x");
	assert_int_equal(row_times(profile, rules, start, end, &dur), usable);
	if (usable)
		assert_int_equal(dur, expected);
	assert_int_equal(profile->events, 1);
	bool damaged = !usable || (end != NO_VALUE && end < start);
	assert_int_equal(profile->damage_count, damaged);
	profile_free(profile);
}

TEST(times_follow_the_rule_of_the_format)
{
	check_times(TIMES_BOTH, 10, 15, true, 5);
	check_times(TIMES_BOTH, 0, 0, true, 0);
	check_times(TIMES_BOTH, NO_VALUE, 15, false, 0);
	check_times(TIMES_BOTH, 10, NO_VALUE, false, 0);
	check_times(TIMES_OPEN_END, 10, NO_VALUE, true, -1);
	check_times(TIMES_ZERO_START, 0, 15, false, 0);
	check_times(TIMES_ZEROS, 0, 15, true, 15);
	check_times(TIMES_ZEROS, 0, 0, false, 0);
	check_times(TIMES_BOTH, 15, 10, true, 0);
	check_times(TIMES_BOTH, -INT64_MAX, INT64_MAX, false, 0);
}

TEST(first_item_of_an_id_counts)
{
	struct id_table table = { 0 };
	assert_null(id_table_find(&table, 1));
	for (int64_t i = 0; i < 1000; i++) {
		int64_t *item = id_table_add(&table, sizeof *item, i % 500 * 1000003);
		assert_int_equal(*item, 0);
		*item = i;
	}
	id_table_add(&table, sizeof(int64_t), NO_VALUE);
	assert_int_equal(table.count, 1001);
	assert_int_equal(*(int64_t *)id_table_find(&table, 499 * INT64_C(1000003)), 499);
	assert_null(id_table_find(&table, 7));
	assert_null(id_table_find(&table, NO_VALUE));
	id_table_clear(&table);
	assert_int_equal(table.count, 0);
}

TEST(missing_name_counts_as_damage)
{
	struct profile *profile = profile_new("x");
	struct hash *strings = hash_new(4);
	id_add(strings, 5, intern_add(profile->strings, "gemm", 4));
	id_add(strings, NO_VALUE, 1);
	assert_string_equal(profile_string(profile, id_string(profile, strings, 5)), "gemm");
	assert_int_equal(id_string(profile, strings, NO_VALUE), 0);
	assert_int_equal(profile->damage_count, 0);
	assert_int_equal(id_string(profile, strings, 6), 0);
	assert_int_equal(id_string(profile, NULL, 6), 0);
	assert_int_equal(profile->damages[0].count, 2);
	hash_free(strings);
	profile_free(profile);
}

TEST(chains_come_in_any_order)
{
	size_t count;
	struct call_chains chains = { 0 };
	struct intern *strings = intern_new();
	uint32_t outer = intern_add(strings, "main;x", 6), inner = intern_add(strings, "f", 1);
	call_chains_add(&chains, 9, 1, outer);
	call_chains_add(&chains, 4, 0, outer);
	call_chains_add(&chains, 9, 0, inner);
	call_chains_add(&chains, NO_VALUE, 0, inner);
	call_chains_add(&chains, 9, -1, inner);
	call_chains_add(&chains, 9, 1 << 20, inner);
	call_chains_sort(&chains);
	assert_int_equal(chains.count, 3);
	assert_int_equal(call_chain(&chains, 9, &count)->name, inner);
	assert_int_equal(count, 2);
	assert_null(call_chain(&chains, 5, &count));
	assert_int_equal(call_chain_text(&chains, strings, 5), 0);
	uint32_t text = call_chain_text(&chains, strings, 9);
	assert_string_equal(intern_text(strings, text), "f;main:x");
	assert_int_equal(call_chain_text(&chains, strings, 9), text);
	call_chains_clear(&chains);
	intern_free(strings);
}

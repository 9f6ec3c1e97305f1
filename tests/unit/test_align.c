/* Which rows of two runs belong together: names as keys, and alignment of trees. */
#include "trace_case.h"

#include "analysis/matched.h"
#include "derived/name_key.h"
#include "base/buffer.h"

static void assert_key(const char *name, bool counted, const char *expected, uint64_t counter)
{
	struct buffer key = { 0 };

	assert_int_equal(name_key(&key, name, strlen(name), counted), counter);
	assert_string_equal(buffer_text(&key), expected);
	buffer_free(&key);
}

TEST(names_are_normalized)
{
	assert_key("Linear_3", true, "Linear", 3);
	assert_key("Linear_3", false, "Linear_3", 0);
	assert_key("_3", true, "_3", 0);
	assert_key("aten::_foreach_add_", false, "aten::_foreach_add_", 0);
	assert_key("triton_poi_fused_add_12", false, "triton_poi_fused_add", 12);
	assert_key("triton_poi_fused_add_0d1d2de", false, "triton_poi_fused_add", 0);
	assert_key("triton_poi_fused_add_3_0d1d2de", false, "triton_poi_fused_add", 3);
	assert_key("_fwd_kernel_0d1d2de3c4", false, "_fwd_kernel", 0);
	assert_key("gemm_128x64_nn_decode", false, "gemm_128x64_nn_decode", 0);
	assert_key("<built-in method abs of Tensor object at 0x7f21eaadd310>", false,
		   "<built-in method abs of Tensor object at 0x>", 0);
	assert_key("f<0x1f>", false, "f<0x1f>", 0);
	assert_key("## Call CompiledFxGraph fq2hkd5wv7x3mzq2hkd5wv7x3mz4 ##", false,
		   "## Call CompiledFxGraph # ##", 0);
	assert_key("Optimizer.step#SGD.step", false, "Optimizer.step", 0);
	assert_key("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", false,
		   "enumerate(DataLoader)", 0);
	assert_key("", false, "", 0);
}

static struct align_row row(uint32_t size, uint32_t key, uint64_t counter, const char *name)
{
	return (struct align_row){ size, key, counter, name, strlen(name) };
}

static uint32_t partner(const struct pair *pairs, size_t count, uint32_t new)
{
	for (size_t i = 0; i < count; i++)
		if (pairs[i].new == new)
			return pairs[i].base;
	fail_msg("row %u is in no pair", new);
	return NO_ROW;
}

TEST(renumbered_modules_are_paired_in_order)
{
	const struct align_row base[] = {
		row(4, 0, 0, ""),
		row(1, 1, 10, "Linear_10"),
		row(1, 1, 9, "Linear_9"),
		row(1, 2, 0, "add"),
	};
	const struct align_row new[] = {
		row(4, 0, 0, ""),
		row(1, 2, 0, "add"),
		row(1, 1, 11, "Linear_11"),
		row(1, 1, 10, "Linear_10"),
	};
	size_t count;
	struct pair *pairs = align_trees(base, new, &count, NULL);

	assert_int_equal(count, 4);
	assert_int_equal(partner(pairs, count, 0), 0);
	assert_int_equal(partner(pairs, count, 1), 3);
	assert_int_equal(partner(pairs, count, 2), 1);
	assert_int_equal(partner(pairs, count, 3), 2);
	mem_free(pairs);
}

TEST(unequal_counts_are_paired_by_name)
{
	const struct align_row base[] = {
		row(4, 0, 0, ""),
		row(2, 1, 1, "Block_1"),
		row(1, 2, 0, "add"),
		row(1, 1, 2, "Block_2"),
	};
	const struct align_row new[] = { row(6, 0, 0, ""),        row(1, 1, 2, "Block_2"),
					 row(2, 1, 1, "Block_1"), row(1, 2, 0, "add"),
					 row(2, 1, 3, "Block_3"), row(1, 2, 0, "add") };
	size_t count;
	struct pair *pairs = align_trees(base, new, &count, NULL);

	assert_int_equal(count, 6);
	assert_int_equal(partner(pairs, count, 1), 3);
	assert_int_equal(partner(pairs, count, 2), 1);
	assert_int_equal(partner(pairs, count, 3), 2);
	assert_int_equal(partner(pairs, count, 4), NO_ROW);
	assert_int_equal(partner(pairs, count, 5), NO_ROW);
	mem_free(pairs);
}

TEST(unmatched_rows_have_own_pair)
{
	const struct align_row base[] = { row(3, 0, 0, ""), row(2, 1, 0, "a"), row(1, 2, 0, "b") };
	const struct align_row new[] = { row(1, 0, 0, "") };
	size_t count;
	struct pair *pairs = align_trees(base, new, &count, NULL);

	assert_int_equal(count, 3);
	assert_int_equal(pairs[1].base, 1);
	assert_int_equal(pairs[1].new, NO_ROW);
	assert_int_equal(pairs[2].base, 2);
	assert_int_equal(pairs[2].parent, 1);
	mem_free(pairs);
}

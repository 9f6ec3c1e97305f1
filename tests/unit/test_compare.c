/* Run comparison: name normalization, tree alignment and the noise threshold. */
#include "trace_case.h"

#include "analysis/align.h"
#include "analysis/matched.h"
#include "derived/name_key.h"
#include "analysis/spread.h"
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

/* Three steps in which row 2, a child of row 1, takes A, B and C. */
static struct spread spread_of(int64_t a, int64_t b, int64_t c, uint32_t row)
{
	static const uint32_t parent[] = { NO_ROW, 0, 1 };
	struct sample items[] = { { .row = 2, .group = 0, .ns = a },
				  { .row = 2, .group = 2, .ns = c },
				  { .row = 2, .group = 1, .ns = b - 1 },
				  { .row = 2, .group = 1, .ns = 1 } };
	struct samples samples = { items, 4, 4, 3, 3, parent, 0 };
	struct spread *spreads = spread_over_steps(&samples, NULL);
	struct spread spread = spreads[row];

	mem_free(spreads);
	return spread;
}

TEST(steps_are_summed_up_the_tree)
{
	for (uint32_t row = 0; row < 3; row++) {
		struct spread spread = spread_of(10, 20, 30, row);
		assert_true(spread.time == 20);
		assert_true(spread.variance > 33.3 && spread.variance < 33.4); /* 100 / 3 */
	}
}

TEST(changes_within_noise_are_equal)
{
	struct spread base = spread_of(1000, 1100, 900, 2);
	struct spread noisy = spread_of(1100, 1250, 1000, 2);
	struct spread still = spread_of(2000, 2010, 2020, 2);
	struct spread close = spread_of(2050, 2060, 2070, 2);

	assert_int_equal(spread_compare(&base, &base, 6, 0), SAME);
	assert_int_equal(spread_compare(&base, &noisy, 6, 0), SAME);
	assert_int_equal(spread_compare(&base, &still, 6, 0), SLOWER);
	assert_int_equal(spread_compare(&still, &base, 6, 0), FASTER);
	/* well above the noise, but less than 3 % */
	assert_int_equal(spread_compare(&still, &close, 6, 0), SAME);
	/* unchanged rows differ by 15 %, or by a third */
	assert_int_equal(spread_compare(&base, &still, 6, 0.15), LIKELY_SLOWER);
	assert_int_equal(spread_compare(&base, &still, 6, 0.33), SAME);
}

TEST(variance_of_calls_is_per_position)
{
	struct sample items[] = { { .row = 1, .ns = 10 },
				  { .row = 1, .ns = 10 },
				  { .row = 1, .group = 1, .ns = 900 },
				  { .row = 1, .group = 1, .ns = 900 } };
	struct samples samples = { items, 4, 4, 2, 2, (const uint32_t[]){ NO_ROW, 0 }, 0 };
	struct spread *spreads = spread_over_calls(&samples, NULL);

	assert_true(spreads[0].time == 1820 && spreads[1].time == 1820);
	assert_true(spreads[0].variance == 0);
	mem_free(spreads);
	items[3].ns = 1100;
	spreads = spread_over_calls(&samples, NULL);
	assert_true(spreads[0].variance == 2 * 20000);
	mem_free(spreads);
}

enum { CALLS = 10 };

/* Ten calls of row 1 in one place, of about a millisecond times FACTOR, with JITTER. */
static struct samples calls_of(double factor, int64_t jitter, struct sample *items)
{
	for (uint32_t i = 0; i < CALLS; i++)
		items[i] = (struct sample){ .row = 1,
					    .ns = (int64_t)(factor * 1000003) +
						  (int64_t)(i * 7 % 5) * jitter,
					    .place = 5,
					    .step = NO_ROW };
	return (struct samples){ items, CALLS, CALLS, 2, 1, NULL, 1.0 / 6 };
}

static const struct pair two_pairs[] = { { NO_ROW, 0, 0 }, { 0, 1, 1 } };

static enum change compare_calls(double factor, int64_t jitter, double noise)
{
	struct sample before[CALLS], after[CALLS];
	struct samples base = calls_of(1, 0, before), new = calls_of(factor, jitter, after);
	struct matched *matched = match_calls(&base, &new, two_pairs, 2, false, NULL);
	assert_non_null(matched);
	assert_int_equal(matched[1].calls, CALLS);
	assert_true(matched[1].base == CALLS * 1000003);
	assert_true(matched_covers(&matched[1]));
	enum change change = matched_compare(&matched[1], noise);
	mem_free(matched);
	return change;
}

TEST(calls_that_are_all_slower_are_slower)
{
	assert_int_equal(compare_calls(1, 0, 0), SAME);
	assert_int_equal(compare_calls(1.2, 0, 0), SLOWER);
	assert_int_equal(compare_calls(0.8, 0, 0), FASTER);
	assert_int_equal(compare_calls(1.07, 0, 0), LIKELY_SLOWER);
	assert_int_equal(compare_calls(0.93, 0, 0), LIKELY_FASTER);
	assert_int_equal(compare_calls(1.04, 0, 0), SAME);
	/* calls that differ by as much as the change */
	assert_int_equal(compare_calls(0.95, 100000, 0), SAME);
	assert_int_equal(compare_calls(1.2, 0, 0.045), LIKELY_SLOWER);
	assert_int_equal(compare_calls(1.2, 0, 0.1), SAME);
}

TEST(an_outlier_does_not_make_calls_slower)
{
	struct sample before[CALLS], after[CALLS];
	struct samples base = calls_of(1, 10, before), new = calls_of(1, 10, after);
	after[3].ns *= 20;
	struct matched *matched = match_calls(&base, &new, two_pairs, 2, false, NULL);
	assert_int_equal(matched_compare(&matched[1], 0), SAME);
	mem_free(matched);
}

TEST(calls_are_matched_by_place)
{
	struct sample before[CALLS], after[CALLS];
	struct samples base = calls_of(1, 0, before), new = calls_of(1, 0, after);
	before[0].place = 9; /* a call in a place of its own */
	struct matched *matched = match_calls(&base, &new, two_pairs, 2, false, NULL);
	assert_int_equal(matched[1].calls, 0);
	assert_true(matched[1].only_base == CALLS * 1000003);
	assert_false(matched_covers(&matched[1]));
	mem_free(matched);
	after[9].place = 9;
	matched = match_calls(&base, &new, two_pairs, 2, false, NULL);
	assert_int_equal(matched[1].calls, CALLS);
	mem_free(matched);
	for (int i = 0; i < CALLS; i++)
		after[i].place = PLACE_NONE;
	matched = match_calls(&base, &new, two_pairs, 2, false, NULL);
	assert_int_equal(matched[1].calls, 0);
	assert_true(matched[1].waiting == CALLS * 1000003);
	mem_free(matched);
}

TEST(time_added_to_calls_is_a_change)
{
	struct matched matched = { .calls = 5, .base = 1000, .new = 1000, .only_new = 4000 };
	assert_false(matched_covers(&matched));
	assert_int_equal(matched_compare_all(&matched, 0), SLOWER);
	matched.only_base = 3500;
	assert_int_equal(matched_compare_all(&matched, 0), SAME);
	matched = (struct matched){
		.calls = 5, .base = 1000, .new = 1000, .waiting = 4000, .only_new = 4000
	};
	assert_int_equal(matched_compare_all(&matched, 0), SAME);
}

TEST(few_calls_need_a_clearer_change)
{
	struct matched matched = { .calls = 1, .base = 1000, .new = 1200, .more = 200 };
	assert_int_equal(matched_compare(&matched, 0.01), SLOWER);
	assert_int_equal(matched_compare(&matched, 0.03), LIKELY_SLOWER);
	matched.calls = 3;
	assert_int_equal(matched_compare(&matched, 0.03), SLOWER);
}

TEST(unchanged_rows_tell_the_noise_between_runs)
{
	enum { ROWS = 101 };
	struct matched matched[ROWS] = { 0 };
	struct pair pairs[ROWS];
	double noise[ROWS];
	for (uint32_t i = 0; i < ROWS; i++) {
		/* rows of short calls vary by 5 %, one of them by 50 %; rows of long calls do not
		 */
		double time = i <= 50 ? 1000 + i : 1e6 + i;
		double more = i <= 50 ? (i % 2 ? 0.05 : -0.05) * time : 0;
		pairs[i] = (struct pair){ 0, i, i };
		matched[i] = (struct matched){ .calls = 20,
					       .base = 20 * (time - more / 2),
					       .new = 20 * (time + more / 2),
					       .more = 20 * more };
	}
	matched[7].new = 1.5 * matched[7].base;
	matched[7].more = matched[7].new - matched[7].base;
	noise_between_runs(matched, pairs, ROWS, noise);
	assert_true(noise[7] > 0.06 && noise[7] < 0.09); /* 1.4826 times 5 % */
	assert_true(noise[90] == 0);
	noise_between_runs(matched, pairs, 5, noise); /* too few rows */
	assert_true(noise[3] > 0.02 && noise[3] < 0.03);
}

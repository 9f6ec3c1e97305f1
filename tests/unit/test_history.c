/*
 * Changes of times over runs: planted ones are named, clean series have none. Series are generated:
 * rows with noise of their own, and the noise of a run that all rows share.
 */
#include "test.h"

#include "analysis/change_point.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 200, ROWS = 40, RUNS_MAX = 60 };

static uint64_t state;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Normal, but for one in twenty that is three times as far out. */
static double noise(void)
{
	double normal = sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
	return uniform() < 0.05 ? 3 * normal : normal;
}

/* Rows of RUNS runs; row PLANTED is 8 % slower from run FIRST on. */
static void generate(double rows[ROWS][RUNS_MAX], size_t runs, size_t planted, size_t first)
{
	for (size_t run = 0; run < runs; run++) {
		double shared = 0.003 * noise();
		for (size_t i = 0; i < ROWS; i++) {
			double time = 1e5 * (double)(i + 1) * (1 + shared + 0.008 * noise());
			rows[i][run] = i == planted && run >= first ? 1.08 * time : time;
		}
	}
}

TEST(planted_changes_are_named_at_their_run)
{
	double rows[ROWS][RUNS_MAX];
	size_t named = 0, others = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		state = seed * 7919;
		size_t runs = 20 + (size_t)(uniform() * 40), planted = (size_t)(uniform() * ROWS);
		size_t first = 5 + (size_t)(uniform() * (double)(runs - 7));
		bool other = false;
		generate(rows, runs, planted, first);
		for (size_t i = 0; i < ROWS; i++) {
			struct change_point found = change_point_find(rows[i], runs, ROWS);
			if (i == planted)
				named += found.change > SAME && found.first == first;
			else
				other |= found.change != SAME;
		}
		others += other;
	}
	print_message("named %zu of %d, other rows in %zu\n", named, SEEDS, others);
	assert_true(named >= SEEDS * 95 / 100);
	assert_true(others <= SEEDS * 5 / 100);
}

TEST(clean_series_have_no_change)
{
	double rows[ROWS][RUNS_MAX];
	size_t clean = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		state = seed * 104729;
		size_t runs = 6 + (size_t)(uniform() * (RUNS_MAX - 6));
		bool any = false;
		generate(rows, runs, ROWS, 0);
		for (size_t i = 0; i < ROWS; i++)
			any |= change_point_find(rows[i], runs, ROWS).change != SAME;
		clean += !any;
	}
	print_message("clean %zu of %d\n", clean, SEEDS);
	assert_true(clean >= SEEDS * 95 / 100);
}

TEST(the_last_of_several_changes_counts)
{
	double values[30];
	for (size_t i = 0; i < 30; i++)
		values[i] = (i < 10 ? 100e3 : i < 20 ? 150e3 : 90e3) + (double)(i * 7 % 5) * 100;
	struct change_point found = change_point_find(values, 30, 1);
	assert_int_equal(found.change, FASTER);
	assert_int_equal(found.first, 20);
	assert_int_equal(change_point_find(values, 20, 1).first, 10);
	assert_int_equal(change_point_find(values, 10, 1).change, SAME);
}

/* A smaller change after a large one is found in what follows it. */
TEST(a_change_after_a_change_counts)
{
	double values[30];
	for (size_t i = 0; i < 30; i++)
		values[i] = (i < 10 ? 100e3 : i < 20 ? 300e3 : 330e3) + (double)(i * 7 % 5) * 100;
	struct change_point found = change_point_find(values, 30, 1);
	assert_int_equal(found.change, SLOWER);
	assert_int_equal(found.first, 20);
	assert_true(found.before > 300e3 && found.before < 301e3);
	assert_true(found.after > 330e3 && found.after < 331e3);
}

TEST(few_runs_tell_nothing)
{
	const double values[] = { 100, 100, 200, 0, 0, 0 };
	for (size_t count = 0; count < 4; count++)
		assert_int_equal(change_point_find(values, count, 1).change, SAME);
	assert_int_equal(change_point_find(values + 3, 3, 1).change, SAME);
}

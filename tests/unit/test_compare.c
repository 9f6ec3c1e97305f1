/* Run comparison: what makes a difference a change. */
#include "trace_case.h"

#include "analysis/difference.h"
#include "analysis/matched.h"
#include "analysis/spread.h"
#include "base/buffer.h"

#include <math.h>
#include <stdlib.h>

/* Three steps in which row 2, a child of row 1, takes A, B and C. */
static struct spread spread_of(int64_t a, int64_t b, int64_t c, uint32_t row)
{
	static const uint32_t parent[] = { NO_ROW, 0, 1 };
	struct sample items[] = { { .row = 2, .group = 0, .ns = a },
				  { .row = 2, .group = 2, .ns = c },
				  { .row = 2, .group = 1, .ns = b - 1 },
				  { .row = 2, .group = 1, .ns = 1 } };
	struct samples samples = { items, 4, 3, 3, parent };
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

/* STEPS of a run with times that vary by DEVIATION, before and after. */
static struct difference means(double base, double new, double deviation, double steps)
{
	return (struct difference){ .base = base,
				    .new = new,
				    .more = new - base,
				    .variance = 2 * deviation *deviation / steps,
				    .freedom = 2 * steps - 2,
				    .known = true,
				    .of_steps = true };
}

static enum change judge(double base, double new, double deviation, double steps)
{
	struct difference before = means(base, new, deviation, steps);
	struct difference after = means(new, base, deviation, steps);
	assert_int_equal(difference_judge(&before), -(int)difference_judge(&after));
	return difference_judge(&before);
}

TEST(changes_within_noise_are_no_changes)
{
	assert_int_equal(judge(1000, 1000, 10, 5), SAME);
	assert_int_equal(judge(1000, 1030, 5, 5), SLOWER); /* 3 % */
	assert_int_equal(judge(1000, 1030, 15, 5), LIKELY_SLOWER);
	assert_int_equal(judge(1000, 1030, 30, 5), SAME);
	assert_int_equal(judge(1000, 2300, 10, 2), LIKELY_SLOWER); /* too few steps */
	assert_int_equal(judge(1000, 1005, 0.1, 50), SAME);        /* half a percent */
	struct difference unknown = means(1000, 2000, 1, 5);
	unknown.known = false;
	assert_int_equal(difference_judge(&unknown), SAME);
	/* unchanged rows differ by 10 % */
	struct difference row = means(1000, 1200, 1, 5);
	row.between = 100;
	assert_int_equal(difference_judge(&row), SAME);
	assert_false(difference_is_same(&row));
	row = means(1000, 1010, 5, 5);
	assert_true(difference_is_same(&row));
	row = means(1000, 2300, 2000, 5);
	assert_int_equal(difference_judge(&row), SAME);
	assert_false(difference_is_same(&row));
}

/* Calls that wait vary more than twice as long as the rest takes, which is judged alone. */
TEST(what_a_row_does_beside_waiting_is_judged)
{
	struct difference row = means(1000, 2000, 5, 5);
	row.waiting_base = row.waiting_new = 3000;
	row.waiting_variance = 2000 * 2000;
	assert_int_equal(difference_judge(&row), LIKELY_SLOWER);
	assert_false(difference_is_same(&row));
	row.waiting_variance = INFINITY;
	assert_int_equal(difference_judge(&row), LIKELY_SLOWER);
	row.waiting_new = 1900; /* all of it takes less */
	assert_int_equal(difference_judge(&row), SAME);
	row = means(1000, 1000, 5, 5);
	row.waiting_base = 3000;
	row.waiting_new = 6000;
	row.waiting_variance = 300 * 300;
	assert_int_equal(difference_judge(&row), LIKELY_SLOWER);
	row.waiting_variance = 2000 * 2000;
	assert_int_equal(difference_judge(&row), SAME);
}

enum { CALLS = 10 };

/* Ten calls of row 1 in one place, of about a millisecond times FACTOR, with JITTER. */
static struct samples calls_of(double factor, int64_t jitter, struct sample *items)
{
	for (uint32_t i = 0; i < CALLS; i++)
		items[i] = (struct sample){ .row = 1,
					    .ns = (int64_t)(factor * 1000003) +
						  (int64_t)(i * 7 % 5) * jitter,
					    .place = 5 };
	return (struct samples){ items, CALLS, 2, 1, NULL };
}

static const struct pair two_pairs[] = { { NO_ROW, 0, 0 }, { 0, 1, 1 } };

static struct matched compare_calls(double factor, int64_t jitter)
{
	struct sample before[CALLS], after[CALLS];
	struct samples base = calls_of(1, 0, before), new = calls_of(factor, jitter, after);
	struct waiting waiting;
	struct matched *all = match_calls(&base, &new, two_pairs, 2, NULL, &waiting, NULL);
	assert_non_null(all);
	struct matched matched = all[1];
	mem_free(all);
	assert_int_equal(matched.calls, CALLS);
	assert_true(matched.base == CALLS * 1000003);
	assert_true(matched_covers(&matched));
	return matched;
}

TEST(calls_have_a_typical_change)
{
	struct matched matched = compare_calls(1.2, 0);
	assert_true((matched.new - matched.base) > 1.9e6 && (matched.new - matched.base) < 2.1e6 &&
		    matched.variance < 1e7);
	matched = compare_calls(0.85, 100000); /* calls that differ by as much as the change */
	assert_true(fabs((matched.new - matched.base)) < 3 * sqrt(matched.variance));
}

/* The textbook's variance of a ratio estimate, from each call's distance to the common ratio. */
TEST(the_variance_is_that_of_distances_from_the_ratio)
{
	for (int64_t jitter = 1000; jitter <= 1000000; jitter *= 10) {
		struct sample before[CALLS], after[CALLS];
		struct samples base = calls_of(1, 0, before), new = calls_of(1.2, jitter, after);
		struct waiting waiting;
		double more = 0, time = 0, squares = 0;
		struct matched *all = match_calls(&base, &new, two_pairs, 2, NULL, &waiting, NULL);
		for (int i = 0; i < CALLS; i++) {
			more += (double)(after[i].ns - before[i].ns);
			time += (double)(after[i].ns + before[i].ns) / 2;
		}
		for (int i = 0; i < CALLS; i++)
			squares +=
				pow((double)(after[i].ns - before[i].ns) -
					    more / time * (double)(after[i].ns + before[i].ns) / 2,
				    2);
		double expected = squares * CALLS / (CALLS - 1);
		if (!(fabs(all[1].variance - expected) < 1e-6 * expected))
			fail_msg("jitter %d: %g, not %g", (int)jitter, all[1].variance, expected);
		mem_free(all);
	}
}

TEST(an_outlier_tells_its_variance)
{
	struct sample before[CALLS], after[CALLS];
	struct samples base = calls_of(1, 10, before), new = calls_of(1, 10, after);
	after[3].ns *= 20;
	struct waiting waiting;
	struct matched *matched = match_calls(&base, &new, two_pairs, 2, NULL, &waiting, NULL);
	assert_true((matched[1].new - matched[1].base) < 2 * sqrt(matched[1].variance));
	mem_free(matched);
}

TEST(calls_are_matched_by_place)
{
	struct sample before[CALLS], after[CALLS];
	struct samples base = calls_of(1, 0, before), new = calls_of(1, 0, after);
	before[0].place = 9; /* a call in a place of its own */
	struct waiting waiting;
	struct matched *matched = match_calls(&base, &new, two_pairs, 2, NULL, &waiting, NULL);
	assert_int_equal(matched[1].calls, 0);
	assert_true(matched[1].only_base == CALLS * 1000003);
	assert_false(matched_covers(&matched[1]));
	mem_free(matched);
	after[9].place = 9;
	matched = match_calls(&base, &new, two_pairs, 2, NULL, &waiting, NULL);
	assert_int_equal(matched[1].calls, CALLS);
	assert_true(fabs(matched_equal_calls(&matched[1]) - CALLS) < 0.001);
	mem_free(matched);
	before[1].ns = before[0].ns = after[9].ns = after[0].ns = 4 * 1000003;
	matched = match_calls(&base, &new, two_pairs, 2, NULL, &waiting, NULL);
	assert_true(fabs(matched_equal_calls(&matched[1]) - 16 * 16 / 40.0) < 0.001);
	mem_free(matched);
}

/* Calls that wait are no witnesses of the row's time, but of how much waits differ. */
TEST(calls_that_wait_are_matched_apart)
{
	struct sample before[CALLS], after[CALLS];
	struct samples base = calls_of(1, 0, before), new = calls_of(1.2, 0, after);
	struct waiting waiting;
	for (int i = 0; i < CALLS; i++)
		before[i].waits = after[i].waits = i > 0;
	struct matched *matched = match_calls(&base, &new, two_pairs, 2, NULL, &waiting, NULL);
	assert_int_equal(matched[1].calls, 1);
	assert_true(matched[1].waiting_base == (CALLS - 1) * 1000003);
	assert_true(matched[1].waiting_new > 1.19 * matched[1].waiting_base);
	assert_true(fabs(waiting.between - 1.4826 * log(1.2)) < 0.001);
	mem_free(matched);
	after[1].place = 9; /* now neither place has equally many */
	matched = match_calls(&base, &new, two_pairs, 2, NULL, &waiting, NULL);
	assert_true(isinf(waiting.between));
	mem_free(matched);
}

/* Rows that agree between the runs, of calls that vary: their sums tell more than one call. */
TEST(waits_of_many_rows_vary_by_call)
{
	enum { ROWS = 5, OF_ROW = 4, ALL = ROWS * OF_ROW };
	struct sample before[ALL], after[ALL];
	struct pair pairs[ROWS] = { { NO_ROW, 0, 0 } };
	struct waiting waiting;
	for (uint32_t i = 0; i < ALL; i++) {
		pairs[i % ROWS] = (struct pair){ i % ROWS ? 0 : NO_ROW, i % ROWS, i % ROWS };
		before[i] = (struct sample){
			.row = i % ROWS, .ns = 1000000, .place = 5, .waits = true
		};
		after[i] = before[i];
		after[i].ns = i / ROWS % 2 ? 900000 : 1111111;
	}
	struct samples base = { before, ALL, ROWS, 1, NULL };
	struct samples new = { after, ALL, ROWS, 1, NULL };
	struct matched *matched = match_calls(&base, &new, pairs, ROWS, NULL, &waiting, NULL);
	assert_true(waiting.between < 0.001);
	assert_true(waiting.within > 0.1 && waiting.within < 0.3);
	assert_true(matched[1].waiting_squares > 3.9e12 && matched[1].waiting_squares < 4.2e12);
	mem_free(matched);
}

/* Steps of 100 and 200 ns in turn, 10 and 12 ns longer in the other run. */
TEST(steps_are_matched_in_order)
{
	enum { ALL = 6 };
	struct sample before[ALL], after[ALL];
	for (uint32_t i = 0; i < ALL; i++) {
		before[i] = (struct sample){ .row = 1, .group = i, .ns = 100 + 100 * (i % 2) };
		after[i] = before[i];
		after[i].ns += 10 + 2 * (i % 2);
	}
	struct samples base = { before, ALL, 2, ALL, NULL };
	struct samples new = { after, ALL, 2, ALL, NULL };
	static const bool sums_up[] = { false, true };
	struct spread *steps = match_steps(&base, &new, two_pairs, 2, sums_up, NULL);
	for (int row = 0; row < 2; row++) { /* the root includes it */
		assert_true(fabs(steps[row].time - 11) < 1e-9);
		assert_true(fabs(steps[row].variance - 6 / 5.0 / 6) < 1e-9);
	}
	mem_free(steps);
}

/* Steps of both runs vary alike if most rows say so. */
TEST(steps_are_compared_in_pairs)
{
	struct difference rows[3] = { means(1000, 1010, 100, 5), means(1000, 1010, 100, 5),
				      means(1000, 1010, 100, 5) };
	const double apart = rows[0].variance;
	const struct spread unlike[] = { { 0, apart * 0.1 }, { 0, apart * 0.3 }, { 0, apart } };
	const struct spread alike[] = { { 0, 1 }, { 0, 2 }, { 0, apart } };
	difference_pair_steps(rows, unlike, 3, 5);
	assert_true(rows[0].variance == apart && rows[0].freedom == 8);
	difference_pair_steps(rows, alike, 3, 5);
	assert_true(rows[0].variance == 1 && rows[2].variance == apart && rows[0].freedom == 4);
}

enum { NAMES = 40, PLACES = 10 };

/*
 * Pairs of NAMES kernels in PLACES layers each, below a root: a run makes all calls of a name
 * slower by NAME_NOISE, each place by PLACE_NOISE, with signs in turn.
 */
static void learn(struct difference *rows, double name_noise, double place_noise)
{
	struct pair pairs[1 + NAMES * PLACES] = { { NO_ROW, 0, 0 } };
	uint32_t names[1 + NAMES * PLACES] = { 0 };
	for (uint32_t i = 0; i < NAMES * PLACES; i++) {
		uint32_t name = i % NAMES, place = i / NAMES;
		double noise = (name % 2 ? name_noise : -name_noise) +
			       (place % 2 ? place_noise : -place_noise);
		double time = 1000 * pow(1.2, name);
		pairs[i + 1] = (struct pair){ 0, i + 1, i + 1 };
		names[i + 1] = name;
		rows[i + 1] = means(time, time * exp(noise), 1, 5);
	}
	difference_learn(rows, &(struct difference_tree){ .pairs = pairs,
							  .count = 1 + NAMES * PLACES,
							  .names = names });
}

/* Rows of one name are one witness, however many places it has. */
TEST(unchanged_rows_tell_the_noise_between_runs)
{
	struct difference rows[1 + NAMES * PLACES] = { 0 };
	learn(rows, 0.05, 0);
	assert_true(rows[1].between > 45 && rows[1].between < 60); /* 5 % */
	assert_int_equal(difference_judge(&rows[1]), SAME);
	memset(rows, 0, sizeof rows);
	learn(rows, 0, 0.05);
	assert_true(rows[1].between < 10);
	assert_true(rows[1].expected > 45 * 45 && rows[1].expected < 60 * 60);
	assert_int_equal(difference_judge(&rows[1]), SAME);
}

/*
 * One row whose PARTS parts, of two calls each, are most of what the run does: all of them taking
 * twice as long is no noise between runs, since the calls of all agree.
 */
TEST(a_row_that_is_most_of_a_run_is_judged)
{
	enum { PARTS_OF_ROW = 24, OTHERS = 10, ALL = 2 + PARTS_OF_ROW + OTHERS };
	struct difference rows[ALL] = { 0 };
	struct pair pairs[ALL] = { { NO_ROW, 0, 0 } };
	uint32_t names[ALL] = { 0 };
	bool sums_up[ALL] = { false };
	for (uint32_t i = 1; i < ALL; i++) {
		bool part = i > 1 && i < 2 + PARTS_OF_ROW;
		double calls = i == 1 ? 2 * PARTS_OF_ROW : 2, time = 500 * calls;
		pairs[i] = (struct pair){ part, i, i };
		sums_up[i] = part;
		names[i] = part ? i % 12 + 1 : i;
		rows[i] = means(time, i == 1 || part ? 2 * time : time, 0, 5);
		rows[i].of_steps = false;
		rows[i].calls = calls;
		rows[i].variance = calls;
	}
	difference_learn(rows, &(struct difference_tree){ pairs, ALL, names, sums_up });
	assert_int_equal(difference_judge(&rows[1]), SLOWER);
	assert_int_equal(difference_judge(&rows[ALL - 1]), SAME);
}

/*
 * One call of a row takes as long as eight others together: what the eight agree on is likely of
 * the row if its sum changes likewise, and is not if its sum does not.
 */
static enum change judge_long_call(double long_ratio, double short_ratio)
{
	enum { OTHERS = 40, SHORT = 8, FIRST = 2 + 1 + SHORT, ALL = FIRST + OTHERS };
	struct difference rows[ALL] = { 0 };
	struct pair pairs[ALL] = { { NO_ROW, 0, 0 } };
	uint32_t names[ALL] = { 0 };
	bool sums_up[ALL] = { false };
	for (uint32_t i = 2; i < ALL; i++) {
		double time = i == 2 ? 8000 : 1000;
		double ratio = i == 2      ? long_ratio
			       : i < FIRST ? short_ratio
					   : 1 + 0.014 * (i % 3) - 0.014;
		rows[i] = means(time, time * ratio, 0, 0);
		pairs[i] = (struct pair){ i < FIRST, i, i };
		sums_up[i] = i < FIRST;
		names[i] = i % 20 + 1;
		rows[i].of_steps = false;
		rows[i].calls = rows[i].ratios = 1;
		rows[i].typical = log(ratio);
		rows[1].typical += i < FIRST ? rows[i].typical / (1 + SHORT) : 0;
	}
	double new = 8000 * (long_ratio + short_ratio);
	rows[1] = (struct difference){ .base = 16000,
				       .new = new,
				       .more = new - 16000,
				       .calls = 3.6,
				       .ratios = 1 + SHORT,
				       .typical = rows[1].typical,
				       .known = true };
	pairs[1] = (struct pair){ 0, 1, 1 };
	difference_learn(rows, &(struct difference_tree){ pairs, ALL, names, sums_up });
	return difference_judge(&rows[1]);
}

TEST(many_calls_that_agree_tell_of_a_row_with_a_long_one)
{
	assert_int_equal(judge_long_call(1.01, 1.035), LIKELY_SLOWER);
	assert_int_equal(judge_long_call(0.99, 0.965), LIKELY_FASTER);
	assert_int_equal(judge_long_call(0.99, 1.035), SAME);
	assert_int_equal(judge_long_call(1.01, 1.01), SAME);
}

/* Few rows in several places do not tell how much places differ; steps do. */
TEST(few_places_do_not_tell_noise)
{
	struct difference rows[11] = { 0 };
	struct pair pairs[11] = { { NO_ROW, 0, 0 } };
	uint32_t names[11] = { 0 };
	for (uint32_t i = 1; i < 11; i++) {
		pairs[i] = (struct pair){ 0, i, i };
		names[i] = i < 3 ? 1 : i;
		rows[i] = means(1000, i == 1 ? 2000 : 1000, 5, 5);
	}
	difference_learn(rows, &(struct difference_tree){ pairs, 11, names, NULL });
	assert_int_equal(difference_judge(&rows[1]), SLOWER);
	assert_int_equal(difference_judge(&rows[2]), SAME);
}

/* Normal, by twelve uniform numbers of a linear congruence (Knuth, MMIX). */
static double normal(uint64_t *seed)
{
	double sum = -6;
	for (int i = 0; i < 12; i++) {
		*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		sum += (double)(*seed >> 11) / 9007199254740992.0;
	}
	return sum;
}

enum { KINDS = 40 };

/*
 * Unchanged rows of one to 40 calls, each of which varies by NOISE; how many are called slower or
 * faster.
 */
static int mistakes_of_calls(uint64_t seed, double noise)
{
	struct difference rows[1 + KINDS] = { 0 };
	struct pair pairs[1 + KINDS] = { { NO_ROW, 0, 0 } };
	uint32_t names[1 + KINDS] = { 0 };
	int mistakes = 0;
	for (uint32_t i = 1; i <= KINDS; i++) {
		uint32_t calls = i % 2 ? 1 : i;
		double sum = 0, squares = 0;
		for (uint32_t k = 0; k < calls; k++) {
			double more = 1000 * noise * normal(&seed);
			sum += more;
			squares += more * more;
		}
		pairs[i] = (struct pair){ 0, i, i };
		names[i] = i;
		rows[i] = means(1000.0 * calls, 1000.0 * calls + sum, 0, 2);
		rows[i].of_steps = false;
		rows[i].freedom = calls - 1;
		rows[i].calls = calls;
		rows[i].variance = calls > 1 ? squares : 0; /* one does not tell it */
	}
	difference_learn(rows, &(struct difference_tree){ pairs, 1 + KINDS, names, NULL });
	for (uint32_t i = 1; i <= KINDS; i++)
		mistakes += abs((int)difference_judge(&rows[i])) > LIKELY_SLOWER;
	return mistakes;
}

/* Rows called once are expected to vary as much as a call of the others, not as their mean. */
TEST(rows_of_one_call_vary_more_than_means)
{
	static const double noises[] = { 0.01, 0.03, 0.10 };
	enum { SEEDS = 100 };
	for (int n = 0; n < 3; n++) {
		int mistakes = 0;
		for (uint64_t seed = 0; seed < SEEDS; seed++)
			mistakes += mistakes_of_calls(seed * 977, noises[n]);
		if (mistakes > KINDS) /* 1 % */
			fail_msg("%d mistakes at %g", mistakes, noises[n]);
	}
}

/*
 * KINDS places of one kernel, each called once, of the same time but for NOISE: a place that took
 * less in both runs is none that varies less.
 */
TEST(the_noise_of_calls_of_one_time_is_not_underestimated)
{
	enum { SEEDS = 100 };
	uint64_t seed = 1;
	int changes = 0;
	for (int try = 0; try < SEEDS; try++) {
		struct difference rows[1 + KINDS] = { 0 };
		struct pair pairs[1 + KINDS] = { { NO_ROW, 0, 0 } };
		uint32_t names[1 + KINDS] = { 0 };
		for (uint32_t i = 1; i <= KINDS; i++) {
			pairs[i] = (struct pair){ 0, i, i };
			names[i] = 1 + i % 10;
			rows[i] = means(8000 * exp(0.01 * normal(&seed)),
					8000 * exp(0.01 * normal(&seed)), 0, 1);
			rows[i].of_steps = false;
			rows[i].calls = 1;
		}
		difference_learn(rows, &(struct difference_tree){ pairs, 1 + KINDS, names, NULL });
		for (uint32_t i = 1; i <= KINDS; i++)
			changes += difference_judge(&rows[i]) != SAME;
	}
	if (changes > SEEDS * KINDS / 50)
		fail_msg("%d of %d are likely changed", changes, SEEDS * KINDS);
}

/*
 * The verdict on a row of CALLS that takes twice the time, beside others of four whose variances
 * are 1, or by turns UNLIKE.
 */
static enum change judge_beside(uint32_t calls, double unlike, bool host)
{
	struct difference rows[1 + KINDS] = { 0 };
	struct pair pairs[1 + KINDS] = { { NO_ROW, 0, 0 } };
	uint32_t names[1 + KINDS] = { 0 };
	for (uint32_t i = 1; i <= KINDS; i++) {
		pairs[i] = (struct pair){ 0, i, i };
		names[i] = i;
		rows[i] = means(1000, i == 1 ? 2000 : 1000, 0, 1);
		rows[i].of_steps = false;
		rows[i].calls = i == 1 ? calls : 4;
		rows[i].freedom = rows[i].calls - 1;
		rows[i].variance = rows[i].freedom ? i % 4 ? 100 : 100 * unlike : 0;
	}
	difference_learn(rows, &(struct difference_tree){ pairs, 1 + KINDS, names, NULL, host });
	return difference_judge(&rows[1]);
}

TEST(a_call_is_no_witness_where_rows_vary_unlike_each_other)
{
	assert_int_equal(judge_beside(1, 1, false), SLOWER);
	assert_int_equal(judge_beside(1, 100, false), LIKELY_SLOWER);
	assert_int_equal(judge_beside(12, 100, false), SLOWER);
}

/* A thread that is slower for a while is so in all calls. */
TEST(calls_of_the_host_share_what_it_does)
{
	assert_int_equal(judge_beside(12, 1, false), SLOWER);
	assert_int_equal(judge_beside(12, 1, true), LIKELY_SLOWER);
}

/* On other hardware each row has a ratio of its own; the spread of these is no noise of one row. */
TEST(ratios_on_other_hardware_are_no_noise)
{
	struct difference rows[1 + KINDS] = { 0 };
	struct pair pairs[1 + KINDS] = { { NO_ROW, 0, 0 } };
	uint32_t names[1 + KINDS] = { 0 };
	for (int differ = 0; differ < 2; differ++) {
		for (uint32_t i = 1; i <= KINDS; i++) {
			pairs[i] = (struct pair){ 0, i, i };
			names[i] = i;
			rows[i] = means(1000, 1000 * (0.4 + 0.1 * (i % 13)), 0, 1);
			rows[i].of_steps = false;
			rows[i].calls = 12;
			rows[i].freedom = 11;
			rows[i].variance = 100;
		}
		difference_learn(rows, &(struct difference_tree){ .pairs = pairs,
								  .count = 1 + KINDS,
								  .names = names,
								  .all_changed = differ });
		assert_int_equal(difference_judge(&rows[9]), differ ? LIKELY_SLOWER : SAME);
	}
}

/* ---- planted changes ---- */

enum { LAYERS = 30, PARTS = 4, STEPS = 8, ROWS = 1 + LAYERS + LAYERS * PARTS };

/* Mean and squared standard error of STEPS times of about TIME that vary by NOISE. */
static double run_part(uint64_t *seed, double time, double noise, double *variance)
{
	double sum = 0, squares = 0;
	for (int i = 0; i < STEPS; i++) {
		double step = time * (1 + noise * normal(seed));
		sum += step;
		squares += step * step;
	}
	*variance += (squares - sum * sum / STEPS) / (STEPS - 1) / STEPS;
	return sum / STEPS;
}

/*
 * Kernels of LAYERS layers, below them in the tree, the first layer FACTOR times slower. A call
 * varies by CALL_NOISE, a kernel's calls in a run by NAME_NOISE.
 */
static void plant(struct difference *rows, uint64_t *seed, double factor, double call_noise,
		  double name_noise)
{
	static struct pair pairs[ROWS] = { { NO_ROW, 0, 0 } };
	static uint32_t names[ROWS];
	static bool sums_up[ROWS];
	double of_name[LAYERS * PARTS];
	for (uint32_t i = 0; i < LAYERS * PARTS; i++)
		of_name[i] = 1 + name_noise * normal(seed);
	for (uint32_t i = 1; i < ROWS; i++) {
		uint32_t part = i - 1 - LAYERS, layer = i <= LAYERS ? i : 1 + part / PARTS;
		pairs[i] = (struct pair){ i <= LAYERS ? 0 : layer, i, i };
		sums_up[i] = i > LAYERS;
		rows[i] = means(0, 0, 0, STEPS);
		names[i] = part % (LAYERS * PARTS / 3);
	}
	for (uint32_t i = 1 + LAYERS; i < ROWS; i++) {
		struct difference *row = &rows[i], *above = &rows[pairs[i].parent];
		double time = 1000 * pow(1.1, names[i]);
		row->base = run_part(seed, time, call_noise, &row->variance);
		row->new = run_part(seed,
				    time * of_name[names[i]] * (pairs[i].parent == 1 ? factor : 1),
				    call_noise, &row->variance);
		row->more = row->new - row->base;
		above->base += row->base;
		above->new += row->new;
		above->more += row->more;
		above->variance += row->variance;
	}
	difference_learn(rows, &(struct difference_tree){ pairs, ROWS, names, sums_up });
}

/* Counts over SEEDS pairs of runs: the planted layer is found, other rows are called faster or
 * slower. */
static void count_verdicts(double factor, double call_noise, double name_noise, int *found,
			   int *mistakes)
{
	enum { SEEDS = 100 };
	*found = *mistakes = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct difference rows[ROWS] = { 0 };
		uint64_t random = seed * 977;
		plant(rows, &random, factor, call_noise, name_noise);
		*found += difference_judge(&rows[1]) > SAME;
		for (uint32_t i = 2; i < ROWS; i++) {
			bool planted = i > LAYERS && i <= LAYERS + PARTS;
			*mistakes +=
				!planted && abs((int)difference_judge(&rows[i])) > LIKELY_SLOWER;
		}
	}
}

/* At least 95 of 100, and at most 1 % of the others. */
TEST(planted_changes_are_found)
{
	static const double factors[] = { 1.03, 1.10, 2 }, noises[] = { 0.01, 0.03, 0.10 };
	int found, mistakes;
	for (int f = 0; f < 3; f++)
		for (int n = 0; n < 3; n++) {
			count_verdicts(factors[f], noises[n], 0, &found, &mistakes);
			if (factors[f] - 1 > 2 * noises[n] && found < 95)
				fail_msg("found %d of %g at %g", found, factors[f], noises[n]);
			if (mistakes > ROWS)
				fail_msg("%d mistakes at %g", mistakes, noises[n]);
			count_verdicts(1, 0.001, noises[n], &found, &mistakes);
			if (mistakes > ROWS)
				fail_msg("%d mistakes by name at %g", mistakes, noises[n]);
		}
}

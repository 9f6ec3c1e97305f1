/* Times in many notations are converted to nanoseconds. */
#include "trace_case.h"

#include <stdio.h>

/* Two operators; returns the distance of their starts and the duration of the second. */
static void open_pair(const char *first, const char *second, const char *dur, int64_t *distance,
		      int64_t *length, uint64_t *damages)
{
	char text[512];

	snprintf(text, sizeof text,
		 DOCUMENT(OPERATOR("first", "%s", "0") "," OPERATOR("second", "%s", "%s")), first,
		 second, dur);
	struct profile *profile = trace_open(text);
	uint32_t a = span_named(profile, "first"), b = span_named(profile, "second");
	*distance = profile->span_start[b] - profile->span_start[a];
	*length = profile->span_dur[b];
	*damages = damage_count(profile, NULL);
	profile_free(profile);
}

static void assert_pair(const char *first, const char *second, const char *dur, int64_t distance,
			int64_t length, uint64_t damages)
{
	int64_t got_distance, got_length;
	uint64_t got_damages;

	open_pair(first, second, dur, &got_distance, &got_length, &got_damages);
	assert_int_equal(got_distance, distance);
	assert_int_equal(got_length, length);
	assert_int_equal(got_damages, damages);
}

TEST(integer_microseconds)
{
	assert_pair("1621401187223197", "1621401187223198", "17", 1000, 17000, 0);
}

TEST(three_decimals)
{
	assert_pair("1428625731896.179", "1428625731896.180", "47151.395", 1, 47151395, 0);
	assert_pair("5.5", "5.57", "0.001", 70, 1, 0);
}

TEST(more_decimals_are_ignored)
{
	assert_pair("5.1234999", "5.1239", "1.0009999", 0, 1000, 0);
}

TEST(absolute_with_decimals)
{
	assert_pair("1713400000000000.123", "1713400000000000.124", "1.000", 1, 1000, 0);
}

TEST(exponents)
{
	assert_pair("1.5e9", "1.5000000005e9", "2.5e-1", 500, 250, 0);
	assert_pair("1E3", "1.001e+3", "1e0", 1000, 1000, 0);
}

TEST(text_times)
{
	assert_pair("\"12.5\"", "\"13\"", "\"4.125\"", 500, 4125, 0);
}

TEST(negative_start)
{
	assert_pair("-2.5", "1", "1", 3500, 1000, 0);
}

TEST(negative_duration)
{
	assert_pair("1", "5", "-3", 4000, 0, 1);
}

TEST(duration_missing)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR(
		"first", "1",
		"2") ","
		     "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"second\",\"pid\":1,\"tid\":1,\"ts\":9}"));
	uint32_t second = span_named(profile, "second");

	assert_int_equal(profile->span_dur[second], 0);
	assert_int_equal(damage_count(profile, "missing duration"), 1);
	profile_free(profile);
}

TEST(bare_word_duration)
{
	int64_t distance, length;
	uint64_t damages;

	open_pair("1", "5", "NaN", &distance, &length, &damages);
	assert_int_equal(distance, 4000);
	assert_int_equal(length, 0);
	assert_in_range(damages, 1, 2);
}

TEST(start_missing)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR(
		"first", "1",
		"2") ","
		     "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"second\",\"pid\":1,\"tid\":1,\"dur\":9}"));

	assert_int_equal(profile->spans, 1);
	assert_int_equal(damage_count(profile, NULL), 1);
	profile_free(profile);
}

TEST(integer_above_int64)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR("first", "1", "2") "," EVENT(
		"cpu_op", "huge", "1", "1", "5", "3",
		"{\"External id\":18446744073709551615}") "," EVENT("cpu_op", "start", "1", "1",
								    "99999999999999999999999", "3",
								    "{}") "," OPERATOR("last", "9",
										       "2")));
	uint32_t first = span_named(profile, "first"), last = span_named(profile, "last");

	assert_int_equal(profile->span_start[last] - profile->span_start[first], 8000);
	assert_int_equal(profile->span_dur[span_named(profile, "huge")], 3000);
	assert_true(damage_count(profile, NULL) > 0);
	profile_free(profile);
}

TEST(base_time)
{
	struct profile *profile = trace_open(
		"{\"baseTimeNanoseconds\":1751410836000000000,\"traceEvents\":[" OPERATOR(
			"first", "1000.5", "2") "]}");

	assert_int_equal(profile->span_start[0], 0);
	assert_int_equal(profile->epoch_ns, INT64_C(1751410836000000000));
	assert_int_equal(profile->base_ns, 1000500);
	profile_free(profile);
}

TEST(far_outside_capture)
{
	struct profile *profile =
		trace_open(DOCUMENT(OPERATOR("first", "1700000000000000", "2") "," OPERATOR(
			"second", "1700000000000100",
			"2") "," OPERATOR("stray", "0",
					  "0") "," OPERATOR("third", "1700000000000200", "2")));
	uint32_t first = span_named(profile, "first"), third = span_named(profile, "third");

	assert_int_equal(profile->span_start[third] - profile->span_start[first], 200000);
	assert_int_equal(profile->end_ns, 202000);
	assert_int_equal(damage_count(profile, NULL), 1);
	profile_free(profile);
}

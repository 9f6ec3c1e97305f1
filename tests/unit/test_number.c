#include "test.h"

#include "base/moments.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char out[NUMBER_MAX];

TEST(durations_keep_two_decimals)
{
	assert_string_equal(number_duration(out, 0), "0 ns");
	assert_string_equal(number_duration(out, 412), "412 ns");
	assert_string_equal(number_duration(out, 999), "999 ns");
	assert_string_equal(number_duration(out, 1000), "1.00 us");
	assert_string_equal(number_duration(out, 9000), "9.00 us");
	assert_string_equal(number_duration(out, 142310000), "142.31 ms");
	assert_string_equal(number_duration(out, 999994), "999.99 us");
	assert_string_equal(number_duration(out, 999995), "1.00 ms");
	assert_string_equal(number_duration(out, 3200000000), "3.20 s");
	assert_string_equal(number_duration(out, 125000000000), "125.00 s");
	assert_string_equal(number_duration(out, -1500), "-1.50 us");
	assert_string_equal(number_duration(out, INT64_MIN), "-9223372036.85 s");
}

TEST(bytes_and_rates_are_scaled)
{
	assert_string_equal(number_bytes(out, 0), "0 B");
	assert_string_equal(number_bytes(out, 1023), "1023 B");
	assert_string_equal(number_bytes(out, 1572864), "1.50 MiB");
	assert_string_equal(number_bytes(out, 1048575), "1.00 MiB");
	assert_string_equal(number_bytes(out, -2048), "-2.00 KiB");
	assert_string_equal(number_scaled(out, 38.2e12), "38.2 T");
	assert_string_equal(number_scaled(out, 1234), "1.23 k");
	assert_string_equal(number_scaled(out, 999600), "1.00 M");
	assert_string_equal(number_scaled(out, 412), "412");
	assert_string_equal(number_scaled(out, 0), "0");
	assert_string_equal(number_percent(out, 71.42), "71.4");
	assert_string_equal(number_gain(out, 71.42), "71.4 %");
	assert_string_equal(number_gain(out, 0.051), "0.1 %");
	assert_string_equal(number_gain(out, 0.049), "< 0.1 %");
	assert_string_equal(number_gain(out, 0), "0.0 %");
	assert_string_equal(number_count(out, 1234567), "1234567");
}

TEST(numbers_fit_their_buffer)
{
	const double extremes[] = {
		1.7976931348623157e308, -1.7976931348623157e308, 5e-324, INFINITY, -INFINITY, NAN
	};
	for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
		assert_true(strlen(number_bytes(out, extremes[i])) < NUMBER_MAX - 1);
		assert_true(strlen(number_scaled(out, extremes[i])) < NUMBER_MAX - 1);
		assert_true(strlen(number_percent(out, extremes[i])) < NUMBER_MAX - 1);
		assert_true(strlen(number_gain(out, extremes[i])) < NUMBER_MAX - 1);
		assert_true(strlen(number_exact(out, extremes[i])) < NUMBER_MAX - 1);
	}
}

TEST(exact_is_short_and_round_trips)
{
	assert_string_equal(number_exact(out, 0.1), "0.1");
	assert_string_equal(number_exact(out, 71.4), "71.4");
	assert_string_equal(number_exact(out, 100.0), "100");
	assert_string_equal(number_exact(out, 0.1 + 0.2), "0.30000000000000004");
	assert_string_equal(number_exact(out, -0.0), "-0");
	assert_string_equal(number_exact(out, 0.0), "0");
	assert_string_equal(number_exact(out, -12345.0), "-12345");
	assert_string_equal(number_exact(out, 999999999999999.0), "999999999999999");
	assert_string_equal(number_exact(out, 1e15), "1e+15");
	for (double value = 1e-9; value < 1e18; value *= 7.3)
		assert_true(strtod(number_exact(out, value), NULL) == value);
}

static void check_duration(const char *text, int64_t expected)
{
	int64_t ns = -1;
	assert_true(number_parse_duration(text, strlen(text), &ns));
	assert_int_equal(ns, expected);
}

/* The fewest printf digits that round-trip, by trial. */
static const char *shortest(double value)
{
	static char text[64];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return text;
}

TEST(exact_matches_printf)
{
	static const double edges[] = {
		1e-4,        9.9999999999999991e-5, 0.5, 0.25,    1024.5,
		1e14 + 0.5,  999999999999999.9,     0.3, 2.0 / 3, 4503599627370496.5,
		1e15 - 0.125
	};
	uint64_t random = 88172645463325252;
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
		for (int step = -2; step <= 2; step++) {
			double value = edges[i];
			for (int k = 0; k < abs(step); k++)
				value = nextafter(value, step < 0 ? -INFINITY : INFINITY);
			assert_string_equal(number_exact(out, value), shortest(value));
			assert_string_equal(number_exact(out, -value), shortest(-value));
		}
	for (int i = 0; i < 20000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		double share = 100.0 * (double)(random % 1000000) / (double)(1 + (random >> 40));
		double decimal = (double)(random >> 20) / pow(10, (double)(random % 18));
		assert_string_equal(number_exact(out, share), shortest(share));
		assert_string_equal(number_exact(out, decimal), shortest(decimal));
	}
}

TEST(reads_durations)
{
	check_duration("100", 100);
	check_duration("1.5ms", 1500000);
	check_duration("20us", 20000);
	check_duration("20\xc2\xb5s", 20000);
	check_duration("3 s", 3000000000);
	check_duration(".5s", 500000000);
	check_duration("1.s", 1000000000);
	check_duration("-2ms", -2000000);
	check_duration("0.1234567890123456789s", 123456789);
	check_duration("9223372036854775807", INT64_MAX);
}

TEST(refuses_invalid_durations)
{
	const char *const wrong[] = { "",
				      " ",
				      "ms",
				      ".",
				      "-",
				      "1.5 parsecs",
				      "1ms ",
				      "1,5ms",
				      "9223372036854775808",
				      "9223372037s",
				      "1e3",
				      "0x10",
				      "99999999999999999999999999999999999999999999999h" };
	int64_t ns;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(number_parse_duration(wrong[i], strlen(wrong[i]), &ns));
}

TEST(reads_integers)
{
	int64_t value;
	assert_true(number_parse_int("-9223372036854775808", 20, &value));
	assert_true(value == INT64_MIN);
	assert_true(number_parse_int("9223372036854775807", 19, &value));
	assert_true(value == INT64_MAX);
	assert_false(number_parse_int("9223372036854775808", 19, &value));
	assert_false(number_parse_int("-9223372036854775809", 20, &value));
	assert_false(number_parse_int("", 0, &value));
	assert_false(number_parse_int("-", 1, &value));
	assert_false(number_parse_int("7 ", 2, &value));
	assert_true(number_parse_int("77", 1, &value));
	assert_int_equal(value, 7);
}

TEST(counts_are_integers)
{
	static const int64_t counts[] = { 0, 7, -7, 10, 1234567890123, INT64_MAX, INT64_MIN };
	char expected[NUMBER_MAX];
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		snprintf(expected, sizeof expected, "%lld", (long long)counts[i]);
		assert_string_equal(number_count(out, counts[i]), expected);
	}
}

TEST(reads_sizes)
{
	uint64_t bytes;
	assert_true(number_parse_bytes("512", 3, &bytes) && bytes == 512);
	assert_true(number_parse_bytes("4G", 2, &bytes) && bytes == UINT64_C(4) << 30);
	assert_true(number_parse_bytes("1.5 KiB", 7, &bytes) && bytes == 1536);
	assert_true(number_parse_bytes("2t", 2, &bytes) == false);
	assert_true(number_parse_bytes("2T", 2, &bytes) && bytes == UINT64_C(2) << 40);
	assert_false(number_parse_bytes("-1", 2, &bytes));
	assert_false(number_parse_bytes("much", 4, &bytes));
	assert_false(number_parse_bytes("99999999999T", 12, &bytes));
}

TEST(points_in_time_keep_their_microseconds)
{
	assert_string_equal(number_time(out, 0), "0 ns");
	assert_string_equal(number_time(out, 142310000), "142.31 ms");
	assert_string_equal(number_time(out, 999994499), "999.99 ms");
	assert_string_equal(number_time(out, 999999400), "0.999999 s");
	assert_string_equal(number_time(out, 2341567600), "2.341568 s");
	assert_string_equal(number_time(out, -2341567600), "-2.341568 s");
	assert_string_equal(number_time(out, INT64_MAX), "9223372036.854776 s");
	assert_string_equal(number_time(out, INT64_MIN), "-9223372036.854776 s");
}

/* ---- moments ---- */

static void check_moments(const struct moments *moments, const int64_t *values, size_t count)
{
	double mean = 0, squares = 0;
	for (size_t i = 0; i < count; i++)
		mean += (double)values[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += ((double)values[i] - mean) * ((double)values[i] - mean);
	double deviation = sqrt(squares / (double)(count - 1));
	assert_int_equal(moments->count, count);
	assert_true(fabs(moments_mean(moments) - mean) < 1e-6);
	assert_true(fabs(moments->mean - mean) < 1e-6);
	assert_true(fabs(moments_deviation(moments) - deviation) < 1e-6);
}

/* Durations that are large beside their deviation: a sum of squares would lose it. */
TEST(moments_of_parts_are_moments_of_all)
{
	static const int64_t values[] = { 1000000007, 1000000004, 1000000013, 1000000016,
					  1000000001, 1000000009, 1000000002 };
	enum { COUNT = sizeof values / sizeof *values };
	for (size_t cut = 0; cut <= COUNT; cut++) {
		struct moments parts[2] = { { 0 } };
		for (size_t i = 0; i < COUNT; i++)
			moments_add(&parts[i >= cut], values[i]);
		moments_merge(&parts[0], &parts[1]);
		check_moments(&parts[0], values, COUNT);
		assert_int_equal(parts[0].min, 1000000001);
		assert_int_equal(parts[0].max, 1000000016);
	}
}

TEST(moments_of_few_values_do_not_deviate)
{
	struct moments moments = { 0 };
	assert_true(moments_deviation(&moments) == 0);
	moments_add(&moments, -5);
	assert_int_equal(moments.min, -5);
	assert_int_equal(moments.max, -5);
	assert_true(moments_deviation(&moments) == 0);
}

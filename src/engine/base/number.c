#include "base/number.h"
#include "base/text_slice.h"
#include "text_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Write decimal digits and a NUL to OUT; returns the place of the NUL. */
static char *add_digits(char *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	memcpy(out, digits + at, sizeof digits - at);
	out[sizeof digits - at] = 0;
	return out + (sizeof digits - at);
}

char *number_duration(char out[NUMBER_MAX], int64_t ns)
{
	static const struct {
		const char *name;
		uint64_t hundredth; /* ns */
	} units[] = { { "us", 10 }, { "ms", 10000 }, { "s", 10000000 } };
	uint64_t size = magnitude(ns);
	char *end = out;
	if (ns < 0)
		*end++ = '-';
	if (size < 1000) {
		strcpy(add_digits(end, size), " ns");
		return out;
	}
	for (size_t i = 0;; i++) {
		uint64_t unit = units[i].hundredth;
		uint64_t hundredths = size / unit + (size % unit >= unit / 2);
		if (hundredths >= 100000 && i < 2)
			continue;
		end = add_digits(end, hundredths / 100);
		*end++ = '.';
		*end++ = (char)('0' + hundredths / 10 % 10);
		*end++ = (char)('0' + hundredths % 10);
		*end++ = ' ';
		strcpy(end, units[i].name);
		return out;
	}
}

char *number_time(char out[NUMBER_MAX], int64_t ns)
{
	uint64_t size = magnitude(ns), us = size / 1000 + (size % 1000 >= 500);
	if (us < 999995) /* longer durations are shown in seconds */
		return number_duration(out, ns);
	snprintf(out, NUMBER_MAX, "%s%" PRIu64 ".%06" PRIu64 " s", ns < 0 ? "-" : "", us / 1000000,
		 us % 1000000);
	return out;
}

char *number_bytes(char out[NUMBER_MAX], double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	size_t i = 0;
	/* 1023.995 would be printed as 1024.00. */
	while (fabs(bytes) >= (i ? 1023.995 : 1023.5) && i < 6) {
		bytes /= 1024;
		i++;
	}
	snprintf(out, NUMBER_MAX, i ? "%.2f %s" : "%.0f %s", fabs(bytes) < 1e20 ? bytes : 1e20,
		 units[i]);
	return out;
}

char *number_scaled(char out[NUMBER_MAX], double value)
{
	static const char *const prefixes[] = { "", " k", " M", " G", " T", " P", " E" };
	size_t i = 0;
	while (fabs(value) >= 999.5 && i < 6) {
		value /= 1000;
		i++;
	}
	double size = fabs(value);
	if (!i && (value == floor(value) || size < 1))
		snprintf(out, NUMBER_MAX, "%.3g", value);
	else if (size < 1e20)
		snprintf(out, NUMBER_MAX, "%.*f%s",
			 size < 9.995   ? 2
			 : size < 99.95 ? 1
					: 0,
			 value, prefixes[i]);
	else
		snprintf(out, NUMBER_MAX, "%g%s", value, prefixes[i]);
	return out;
}

char *number_count(char out[NUMBER_MAX], int64_t count)
{
	char *end = out;
	if (count < 0)
		*end++ = '-';
	add_digits(end, magnitude(count));
	return out;
}

char *number_percent(char out[NUMBER_MAX], double percent)
{
	snprintf(out, NUMBER_MAX, fabs(percent) < 1e15 ? "%.1f" : "%g", percent);
	return out;
}

char *number_gain(char out[NUMBER_MAX], double percent)
{
	char text[NUMBER_MAX];
	if (percent > 0 && percent < 0.05)
		strcpy(out, "< 0.1 %");
	else
		snprintf(out, NUMBER_MAX, "%.*s %%", NUMBER_MAX - 3, number_percent(text, percent));
	return out;
}

/* ---- shortest round-trip decimal ---- */

enum { DIGITS_MIN = 15, DIGITS_MAX = 17 }; /* 15 digits always survive, 17 always round-trip */

/* value * 10^-scale, with DIGITS digits. */
struct decimal {
	uint64_t value;
	int digits, scale;
};

/* V * 10^scale, exact: 17 digits in WHOLE; below the point, REST in units of 2^-SHIFT. */
struct scaled {
	uint64_t whole, mantissa, five; /* five: 5^scale */
	unsigned __int128 rest;
	int shift, scale;
};

/* For values from 10^-4 to 10^15: mantissa times power of five fits in 100 bits. */
static struct scaled scale_up(double size)
{
	static const uint64_t least = 10000000000000000, max = 100000000000000000;
	struct scaled scaled = { 0 };
	int exponent;
	scaled.mantissa = (uint64_t)ldexp(frexp(size, &exponent), 53);
	scaled.scale = 16 - (int)floor((exponent - 1) * 0.30103);
	for (;;) {
		scaled.five = 1;
		for (int i = 0; i < scaled.scale; i++)
			scaled.five *= 5;
		unsigned __int128 product = (unsigned __int128)scaled.mantissa * scaled.five;
		scaled.shift = -(exponent - 53 + scaled.scale);
		scaled.whole = (uint64_t)(product >> scaled.shift);
		scaled.rest = product - ((unsigned __int128)scaled.whole << scaled.shift);
		if (scaled.whole >= least && scaled.whole < max)
			return scaled;
		scaled.scale += scaled.whole < least ? 1 : -1;
	}
}

/* Round to DIGITS, ties to even like printf; false when that is closer to another double. */
static bool round_to(const struct scaled *scaled, int digits, struct decimal *decimal)
{
	uint64_t power = digits == 17 ? 1 : digits == 16 ? 10 : 100;
	uint64_t value = scaled->whole / power, left = scaled->whole % power;
	unsigned __int128 unit = (unsigned __int128)power << scaled->shift;
	unsigned __int128 over = ((unsigned __int128)left << scaled->shift) + scaled->rest;
	bool up = over > unit / 2 || (over * 2 == unit && value & 1);
	unsigned __int128 off = up ? unit - over : over;
	*decimal = (struct decimal){ value + up, digits, scaled->scale - (17 - digits) };
	return digits == 17 || off * 2 < scaled->five ||
	       (off * 2 == scaled->five && !(scaled->mantissa & 1));
}

/* Like "%g" without an exponent. */
static void write_decimal(char *out, struct decimal decimal)
{
	char digits[24];
	while (decimal.scale > 0 && decimal.value % 10 == 0) {
		decimal.value /= 10;
		decimal.scale--;
	}
	int count = (int)(add_digits(digits, decimal.value) - digits);
	int before = count - decimal.scale;
	const char *from = digits;
	if (before <= 0)
		*out++ = '0';
	for (int i = 0; i < before; i++)
		*out++ = *from++;
	if (decimal.scale > 0)
		*out++ = '.';
	for (int i = before; i < 0; i++)
		*out++ = '0';
	strcpy(out, from);
}

/* Any double, by trying each precision. */
static void write_any(char out[NUMBER_MAX], double value)
{
	for (int digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
		snprintf(out, NUMBER_MAX, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
}

char *number_exact(char out[NUMBER_MAX], double value)
{
	double size = fabs(value);
	int exponent;
	/* Integers, the common case: fifteen digits always suffice. */
	if (size < 1e15 && value == (double)(int64_t)value && !(value == 0 && signbit(value)))
		return number_count(out, (int64_t)value);
	/* a power of two is closer to its lower neighbour than to its upper */
	if (!(size >= 1e-4 && size < 1e15) || frexp(size, &exponent) == 0.5) {
		write_any(out, value);
		return out;
	}
	struct scaled scaled = scale_up(size);
	struct decimal decimal;
	int digits = DIGITS_MIN;
	while (!round_to(&scaled, digits, &decimal))
		digits++;
	char *end = out;
	if (value < 0)
		*end++ = '-';
	write_decimal(end, decimal);
	return out;
}

/* ---- parsing ---- */

struct number_cursor {
	const char *text;
	size_t length, at;
};

static bool accept_char(struct number_cursor *cursor, char c)
{
	if (cursor->at >= cursor->length || cursor->text[cursor->at] != c)
		return false;
	cursor->at++;
	return true;
}

static int accept_digit(struct number_cursor *cursor)
{
	if (cursor->at >= cursor->length)
		return -1;
	unsigned digit = (unsigned)(unsigned char)cursor->text[cursor->at] - '0';
	if (digit > 9)
		return -1;
	cursor->at++;
	return (int)digit;
}

struct number_unit {
	const char *name;
	int64_t size;
};

/* The size of the unit in the rest of the text; 0 when it is not a unit. */
static int64_t parse_unit(struct number_cursor *cursor, const struct number_unit *units,
			  size_t count)
{
	while (accept_char(cursor, ' '))
		;
	const char *rest = cursor->text + cursor->at;
	size_t length = cursor->length - cursor->at;
	for (size_t i = 0; i < count; i++)
		if (text_is(rest, length, units[i].name))
			return units[i].size;
	return 0;
}

/* 128 bits hold any int64 quantity with twelve decimals. */
static bool parse_quantity(const char *text, size_t length, const struct number_unit *units,
			   size_t count, int64_t *quantity)
{
	const __int128 limit = (__int128)INT64_MAX * 1000000000000;
	struct number_cursor cursor = { text, length, 0 };
	bool negative = accept_char(&cursor, '-');
	__int128 number = 0;
	int64_t fraction = 1; /* a power of ten: decimals read so far */
	int digits = 0, digit;
	for (; (digit = accept_digit(&cursor)) >= 0; digits++) {
		number = number * 10 + digit;
		if (number > limit)
			return false;
	}
	if (accept_char(&cursor, '.')) {
		for (; (digit = accept_digit(&cursor)) >= 0; digits++) {
			if (fraction >= 1000000000000 || number > limit / 10)
				continue; /* less than one of the smallest unit */
			number = number * 10 + digit;
			fraction *= 10;
		}
	}
	int64_t unit = parse_unit(&cursor, units, count);
	if (!digits || !unit || number / fraction > INT64_MAX / unit)
		return false;
	__int128 result = number * unit / fraction;
	if (result > INT64_MAX)
		return false;
	*quantity = negative ? (int64_t)-result : (int64_t)result;
	return true;
}

bool number_parse_duration(const char *text, size_t length, int64_t *ns)
{
	static const struct number_unit units[] = { DURATION_UNIT_ROWS };
	return parse_quantity(text, length, units, sizeof units / sizeof *units, ns);
}

bool number_parse_bytes(const char *text, size_t length, uint64_t *bytes)
{
	enum { K = 1 << 10, M = 1 << 20, G = 1 << 30 };
	static const struct number_unit units[] = { BYTE_UNIT_ROWS };
	int64_t number;
	if (!parse_quantity(text, length, units, sizeof units / sizeof *units, &number) ||
	    number < 0)
		return false;
	*bytes = (uint64_t)number;
	return true;
}

bool number_parse_int(const char *text, size_t length, int64_t *value)
{
	struct number_cursor cursor = { text, length, 0 };
	bool negative = accept_char(&cursor, '-');
	int64_t number = 0;
	int digit = accept_digit(&cursor);
	if (digit < 0)
		return false;
	for (; digit >= 0; digit = accept_digit(&cursor)) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_sub_overflow(number, digit, &number))
			return false;
	}
	if (cursor.at != length || (!negative && number == INT64_MIN))
		return false;
	*value = negative ? number : -number;
	return true;
}

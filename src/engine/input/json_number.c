/*
 * Numbers of JSON: the usual ones by words of eight digits, without a loop.
 */
#include "input/json.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static bool json_number_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * SWAR: the value of eight ASCII digits, the first in the lowest byte; false when not all are
 * digits.
 */
static inline bool eight_digits(uint64_t word, int64_t *value)
{
	uint64_t digits = word - 0x3030303030303030;
	if (((word + 0x4646464646464646) | digits) & 0x8080808080808080)
		return false;
	/* Add neighbours pairwise: two digits per pair of bytes, then four, then eight. */
	digits = digits * 10 + (digits >> 8);
	*value = (int64_t)((uint32_t)(((digits & 0x000000ff000000ff) * 0x000f424000000064 +
				       (digits >> 16 & 0x000000ff000000ff) * 0x0000271000000001) >>
				      32));
	return true;
}

static inline uint64_t load(const char *at, size_t length)
{
	uint64_t word = 0;
	memcpy(&word, at, length);
	return word;
}

/* Load up to eight bytes, left-padded with '0'; loads overlap so as not to read past the end. */
static inline uint64_t load_digits(const char *at, size_t length)
{
	uint64_t word;
	if (length == 8)
		return load(at, 8);
	if (length >= 4)
		word = load(at, 4) | load(at + length - 4, 4) << 8 * (length - 4);
	else
		word = load(at, 1) | load(at + length / 2, 1) << 8 * (length / 2) |
		       load(at + length - 1, 1) << 8 * (length - 1);
	return word << 8 * (8 - length) | UINT64_C(0x3030303030303030) >> 8 * length;
}

/* 1 to 16 digits, the common case: no loop, no overflow. */
static inline bool short_digits(const char *at, size_t length, int64_t *value)
{
	int64_t high;
	if (length - 1 < 8)
		return eight_digits(load_digits(at, length), value);
	if (length - 1 >= 16 || !eight_digits(load_digits(at, length - 8), &high) ||
	    !eight_digits(load(at + length - 8, 8), value))
		return false;
	*value += high * 100000000;
	return true;
}

/* Append digits at AT to *SUM and return their end. *FITS becomes false on overflow. */
static const char *read_digits(const char *at, const char *end, int64_t *sum, bool *fits)
{
	for (; at < end && json_number_is_digit(*at); at++)
		*fits &= !__builtin_mul_overflow(*sum, 10, sum) &&
			 !__builtin_add_overflow(*sum, *at - '0', sum);
	return at;
}

/*
 * Same result as strtold for a plain decimal: a quotient of two exact long doubles, rounded once.
 */
static bool plain_number(const char *text, size_t length, long double *value)
{
	enum { EXACT_DIGITS = LDBL_MANT_DIG >= 64 ? 19 : 15 };
	static const long double scale[] = { 1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
					     1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
					     1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L };
	const char *at = text, *end = text + length;
	uint64_t digits = 0;
	bool negative = at < end && *at == '-';
	at += negative;
	if (end - at > EXACT_DIGITS || at == end || !json_number_is_digit(*at))
		return false;
	for (; at < end && json_number_is_digit(*at); at++)
		digits = digits * 10 + (uint64_t)(*at - '0');
	const char *point = at;
	if (at < end && *at == '.')
		for (at++; at < end && json_number_is_digit(*at); at++)
			digits = digits * 10 + (uint64_t)(*at - '0');
	if (at != end)
		return false;
	long double real = (long double)digits / scale[point < end ? end - point - 1 : 0];
	*value = negative ? -real : real;
	return true;
}

/* Copies to NUL-terminate; the digits of overlong numbers are cut, keeping the magnitude. */
static bool slow_number(const char *text, size_t length, long double *value)
{
	char copy[512];
	if (plain_number(text, length, value))
		return true;
	if (length == 0 || length >= sizeof copy)
		return false;
	memcpy(copy, text, length);
	copy[length] = 0;
	char *end;
	*value = strtold(copy, &end);
	return end == copy + length;
}

/* Signs, fractions, exponents, more digits. Apart, so that the usual case saves no registers. */
__attribute__((noinline)) static bool rare_int(const struct json_slice *slice, int64_t *value)
{
	const char *at = slice->text, *end = at + slice->length;
	bool negative = at < end && *at == '-';
	at += negative;
	if (at == end || slice->type == JSON_ARRAY || slice->type == JSON_OBJECT)
		return false;
	int64_t sum = 0;
	bool fits = true;
	at = read_digits(at, end, &sum, &fits);
	if (!fits) {
		*value = negative ? -INT64_MAX : INT64_MAX;
		return true;
	}
	if (at == end) {
		*value = negative ? -sum : sum;
		return true;
	}
	long double real;
	if (!slow_number(slice->text, slice->length, &real) || !isfinite(real))
		return false;
	*value = real >= 0x1p63L ? INT64_MAX : real <= -0x1p63L ? -INT64_MAX : (int64_t)real;
	return true;
}

bool json_int(const struct json_slice *slice, int64_t *value)
{
	return short_digits(slice->text, slice->length, value) || rare_int(slice, value);
}

bool json_id(const struct json_slice *slice, int64_t *value)
{
	return json_int(slice, value) && *value<INT64_MAX && * value> - INT64_MAX;
}

bool json_real(const struct json_slice *slice, double *value)
{
	long double real;
	if (slice->type == JSON_ARRAY || slice->type == JSON_OBJECT ||
	    !slow_number(slice->text, slice->length, &real))
		return false;
	*value = (double)real;
	return true;
}

/* The usual form: up to 13 digits and three decimals; the last eight digits fill one word. */
static inline bool usual_time(const char *text, size_t length, int64_t *ns)
{
	enum { DECIMALS = 3, BESIDE = 8 - DECIMALS };
	size_t whole = length - 1 - DECIMALS;
	int64_t high;
	if (whole - 1 >= BESIDE + 8 || text[whole] != '.')
		return false;
	uint64_t decimals = load(text + whole, 1 + DECIMALS) >> 8 << 8 * BESIDE;
	if (whole <= BESIDE)
		return eight_digits(load_digits(text, whole) >> 8 * DECIMALS | decimals, ns);
	uint64_t beside = load(text + whole - BESIDE, 8) & ((UINT64_C(1) << 8 * BESIDE) - 1);
	if (!eight_digits(load_digits(text, whole - BESIDE), &high) ||
	    !eight_digits(beside | decimals, ns))
		return false;
	*ns += high * 100000000;
	return true;
}

/* Few enough digits, with up to three decimals. */
static inline bool plain_time(const char *text, size_t length, int64_t *ns)
{
	size_t decimals = length > 4 && text[length - 4] == '.'   ? 3
			  : length > 3 && text[length - 3] == '.' ? 2
			  : length > 2 && text[length - 2] == '.' ? 1
								  : 0;
	int64_t fraction = 0;
	for (size_t i = 0; i < decimals; i++) {
		unsigned digit = (unsigned)text[length - decimals + i] - '0';
		if (digit > 9)
			return false;
		fraction = fraction * 10 + digit;
	}
	int64_t whole;
	if (!short_digits(text, decimals ? length - 1 - decimals : length, &whole) ||
	    whole >= INT64_MAX / 1000)
		return false;
	*ns = whole * 1000 + fraction * (decimals == 3 ? 1 : decimals == 2 ? 10 : 100);
	return true;
}

__attribute__((noinline)) static bool rare_time(const struct json_slice *slice, int64_t *ns)
{
	const char *at = slice->text, *end = at + slice->length;
	bool negative = at < end && *at == '-';
	at += negative;
	const char *digits = at;
	int64_t sum = 0, fraction = 0;
	bool fits = true;
	at = read_digits(at, end, &sum, &fits);
	if (at == digits)
		return false;
	if (at < end && *at == '.') {
		int64_t scale = 100;
		for (at++; at < end && json_number_is_digit(*at); at++, scale /= 10)
			fraction += scale * (*at - '0');
	}
	fits &= !__builtin_mul_overflow(sum, 1000, &sum) &&
		!__builtin_add_overflow(sum, fraction, &sum);
	if (at < end) {
		long double real;
		if (!slow_number(slice->text, slice->length, &real) || !isfinite(real) ||
		    fabsl(real) > 9e15L)
			return false;
		*ns = (int64_t)llroundl(real * 1000);
		return true;
	}
	*ns = negative ? -sum : sum;
	return fits;
}

__attribute__((noinline)) static bool other_time(const struct json_slice *slice, int64_t *ns)
{
	int64_t whole;
	if (!short_digits(slice->text, slice->length, &whole) || whole >= INT64_MAX / 1000)
		return plain_time(slice->text, slice->length, ns) || rare_time(slice, ns);
	*ns = whole * 1000;
	return true;
}

bool json_time_ns(const struct json_slice *slice, int64_t *ns)
{
	return usual_time(slice->text, slice->length, ns) || other_time(slice, ns);
}

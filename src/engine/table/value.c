#include "table/table.h"

#include "base/buffer.h"
#include "base/number.h"

#include <assert.h>
#include <math.h>

struct value value_bytes(const char *text, size_t length)
{
	assert(text || !length);
	return (struct value){ .kind = VALUE_TEXT, .text = text, .length = length };
}

struct value value_text(const char *text)
{
	return text ? value_bytes(text, strlen(text)) : value_missing();
}

double value_number(struct value value, double otherwise)
{
	return value.kind == VALUE_INT    ? (double)value.integer
	       : value.kind == VALUE_REAL ? value.real
					  : otherwise;
}

bool value_is(struct value value, const char *text)
{
	return value.kind == VALUE_TEXT && value.length == strlen(text) &&
	       memcmp(value.text, text, value.length) == 0;
}

static int compare_text(struct value a, struct value b)
{
	int order = memcmp(a.text, b.text, a.length < b.length ? a.length : b.length);
	return order ? order : (a.length > b.length) - (a.length < b.length);
}

static double as_real(struct value value)
{
	return value.kind == VALUE_INT ? (double)value.integer : value.real;
}

int value_compare(struct value a, struct value b)
{
	static const int ranks[] = {
		[VALUE_MISSING] = 0, [VALUE_INT] = 1, [VALUE_REAL] = 1, [VALUE_TEXT] = 2
	};
	if (ranks[a.kind] != ranks[b.kind])
		return ranks[a.kind] - ranks[b.kind];
	if (a.kind == VALUE_MISSING)
		return 0;
	if (a.kind == VALUE_TEXT)
		return compare_text(a, b);
	if (a.kind == VALUE_INT && b.kind == VALUE_INT)
		return (a.integer > b.integer) - (a.integer < b.integer);
	double x = as_real(a), y = as_real(b);
	return (x > y) - (x < y);
}

/* ---- formatting ---- */

static void add_raw(struct buffer *out, struct value value)
{
	char number[NUMBER_MAX];
	buffer_puts(out, value.kind == VALUE_INT ? number_count(number, value.integer)
						 : number_exact(number, value.real));
}

/* Number with SI prefix and unit: "38.2 TFLOP" or "38 FLOP". */
static void add_scaled(struct buffer *out, double real, const char *unit)
{
	char number[NUMBER_MAX];
	number_scaled(number, real);
	buffer_printf(out, strchr(number, ' ') ? "%s%s" : "%s %s", number, unit);
}

static void add_plain(struct buffer *out, struct value value)
{
	if (value.kind == VALUE_INT) {
		add_raw(out, value);
		return;
	}
	double size = fabs(value.real);
	buffer_printf(out, size >= 1e5 && size < 1e15 ? "%.1f" : "%.6g", value.real);
}

static void add_ratio(struct buffer *out, double real)
{
	double size = fabs(real);
	buffer_printf(out, size >= 1e15 || (size < 0.005 && size > 0) ? "%.2g" : "%.2f", real);
}

/* Points in time keep their microseconds, or the rows of a long capture would look alike. */
static void add_duration(struct buffer *out, const struct column *column, struct value value)
{
	char number[NUMBER_MAX];
	if (value.kind == VALUE_INT && column->kind == COLUMN_POINT)
		buffer_puts(out, number_time(number, value.integer));
	else if (value.kind == VALUE_INT)
		buffer_puts(out, number_duration(number, value.integer));
	else if (fabs(value.real) < 9e18)
		buffer_puts(out, number_duration(number, llround(value.real)));
	else
		add_plain(out, value);
}

void value_format(struct buffer *out, const struct column *column, struct value value, bool raw)
{
	char number[NUMBER_MAX];
	assert(column);
	if (value.kind == VALUE_MISSING && value.integer && !raw)
		value = value_text("several");
	if (value.kind == VALUE_MISSING || (value.kind == VALUE_REAL && isnan(value.real)))
		return;
	if (value.kind == VALUE_TEXT) {
		buffer_add(out, value.text, value.length);
		return;
	}
	if (raw) {
		add_raw(out, value);
		return;
	}
	switch (column->unit) {
	case UNIT_NS: add_duration(out, column, value); break;
	case UNIT_BYTES: buffer_puts(out, number_bytes(number, as_real(value))); break;
	case UNIT_FLOP: add_scaled(out, as_real(value), "FLOP"); break;
	case UNIT_FLOP_PER_S: add_scaled(out, as_real(value), "FLOP/s"); break;
	case UNIT_BYTES_PER_S: add_scaled(out, as_real(value), "B/s"); break;
	case UNIT_RATIO: add_ratio(out, as_real(value)); break;
	case UNIT_PERCENT:
		buffer_printf(out, "%s%%", number_percent(number, as_real(value)));
		break;
	case UNIT_FLAG: buffer_puts(out, as_real(value) != 0 ? "yes" : "no"); break;
	case UNIT_TEXT:
	case UNIT_COUNT:
	case UNIT_ID: add_plain(out, value); break;
	}
}

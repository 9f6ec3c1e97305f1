#include "serve/serve_check.h"

#include "report/format.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const struct {
	const char *name, *suffix; /* as written; how ids of columns end */
	double factor;             /* of the column's unit */
} units[] = { SERVE_UNIT_ROWS };

struct said {
	const char *text;   /* in the sentence */
	size_t length;      /* with the unit */
	double value;       /* in the unit of columns */
	double half;        /* of its last digit */
	const char *suffix; /* of ids of columns; "": any */
};

/* The number and unit at AT, where a word begins. */
static void read_said(const char *at, struct said *said)
{
	char digits[64];
	size_t count = 0, decimals = 0, used = 0;
	bool fraction = false;
	for (; count < sizeof digits - 1; used++) {
		bool digit = isdigit((unsigned char)at[used]);
		bool next = isdigit((unsigned char)at[used + (at[used] != 0)]);
		if (!digit && !(at[used] == '-' && !used) &&
		    !(at[used] == ',' && next && !fraction) &&
		    !(at[used] == '.' && next && !fraction))
			break;
		decimals += fraction;
		fraction |= at[used] == '.';
		if (at[used] != ',')
			digits[count++] = at[used];
	}
	digits[count] = 0;
	double scale = 1;
	said->text = at;
	said->length = used;
	said->suffix = "";
	const char *unit = at + used + (at[used] == ' ');
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t length = strlen(units[i].name);
		if (strncmp(unit, units[i].name, length) != 0 ||
		    isalnum((unsigned char)unit[length]))
			continue;
		scale = units[i].factor;
		said->suffix = units[i].suffix;
		said->length = (size_t)(unit - at) + length;
		break;
	}
	said->value = atof(digits) * scale;
	said->half = 0.5 * pow(10, -(double)decimals) * scale;
}

/* The next number that begins a word, from AT on; false: none. */
static bool find_said(const char *sentence, const char *at, struct said *said)
{
	for (; *at; at++) {
		bool inside = at > sentence &&
			      (isalnum((unsigned char)at[-1]) || strchr("_.:/-#", at[-1]));
		if (!inside && (isdigit((unsigned char)*at) ||
				(*at == '-' && isdigit((unsigned char)at[1])))) {
			read_said(at, said);
			unsigned char after = (unsigned char)at[said->length];
			if (!isalnum(after) && after != '_')
				return true;
		}
	}
	return false;
}

static bool is_cell(const struct said *said, const struct table *rows, size_t row, size_t column)
{
	struct value value = table_value(rows, row, column);
	const char *id = rows->column[column]->id;
	size_t length = strlen(id), suffix = strlen(said->suffix);
	if ((value.kind != VALUE_INT && value.kind != VALUE_REAL) || length < suffix ||
	    strcmp(id + length - suffix, said->suffix) != 0)
		return false;
	double number = value_number(value, 0);
	return fabs(number - said->value) <= said->half + 1e-9 * fabs(number);
}

static bool add_said(struct buffer *out, const struct said *said, const struct table *rows)
{
	buffer_puts(out, "{\"number\": ");
	format_json_text(out, said->text, said->length);
	for (size_t row = 0; row < rows->rows; row++)
		for (size_t column = 0; column < rows->columns; column++) {
			if (!is_cell(said, rows, row, column))
				continue;
			buffer_printf(out, ", \"verified\": true, \"row\": %zu, \"column\": ", row);
			format_json_string(out, rows->column[column]->id);
			buffer_puts(out, ", \"value\": ");
			format_json_value(out, rows->column[column],
					  table_value(rows, row, column));
			buffer_putc(out, '}');
			return true;
		}
	buffer_puts(out, ", \"verified\": false}");
	return false;
}

void serve_check(const char *sentence, const struct table *rows, struct buffer *out)
{
	AUTO_BUFFER struct buffer found = { 0 };
	struct said said;
	bool verified = true;
	size_t count = 0;
	for (const char *at = sentence; find_said(sentence, at, &said);
	     at = said.text + said.length) {
		buffer_puts(&found, count++ ? ", " : "");
		verified &= add_said(&found, &said, rows);
	}
	buffer_printf(out, "{\"verified\": %s, \"cited\": %zu, \"rows\": [%s]}",
		      verified && count ? "true" : "false", rows->rows, buffer_text(&found));
}

#include "input/csv.h"

#include "base/mem.h"

#include <string.h>

static bool csv_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Take a field, moving its bytes over the quotes; *LAST: it ends the row. */
static char *parse_field(struct csv *csv, bool *last)
{
	while (csv->at < csv->end && csv_is_blank(*csv->at))
		csv->at++;
	char *from = csv->at, *to = csv->at;
	bool quoted = csv->at < csv->end && *csv->at == '"';
	csv->at += quoted;
	while (csv->at < csv->end) {
		char c = *csv->at++;
		if (c == '"' && quoted) {
			if (csv->at < csv->end && *csv->at == '"')
				*to++ = *csv->at++;
			else
				quoted = false;
		} else if (!quoted && (c == ',' || c == '\n')) {
			csv->at--;
			break;
		} else {
			*to++ = c;
		}
	}
	*last = csv->at >= csv->end || *csv->at == '\n';
	csv->at += csv->at < csv->end;
	while (to > from && csv_is_blank(to[-1]))
		to--;
	*to = 0;
	return from;
}

bool csv_next(struct csv *csv)
{
	csv->count = 0;
	if (csv->at >= csv->end)
		return false;
	for (bool last = false; !last;) {
		mem_grow(csv->fields, csv->capacity, csv->count + 1);
		csv->fields[csv->count++] = parse_field(csv, &last);
	}
	return true;
}

void csv_open(struct csv *csv, char *text, size_t length)
{
	*csv = (struct csv){ .at = text, .end = text + length };
	if (!csv_next(csv))
		return;
	csv->header = csv->fields;
	csv->header_count = csv->count;
	csv->fields = NULL;
	csv->count = csv->capacity = 0;
}

void csv_close(struct csv *csv)
{
	mem_free(csv->fields);
	mem_free(csv->header);
}

size_t csv_column(const struct csv *csv, const char *names)
{
	for (const char *at = names; *at;) {
		size_t length = strcspn(at, "|");
		for (size_t i = 0; i < csv->header_count; i++)
			if (strlen(csv->header[i]) == length &&
			    memcmp(csv->header[i], at, length) == 0)
				return i;
		at += length + (at[length] == '|');
	}
	return csv->header_count;
}

const char *csv_field(const struct csv *csv, size_t column)
{
	return column < csv->count && column < csv->header_count ? csv->fields[column] : "";
}

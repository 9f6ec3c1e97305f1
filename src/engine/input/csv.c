#include "input/csv.h"

#include "input/json.h"
#include "model/profile.h"

#include <math.h>

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
	enum { STRIDE = 256 };
	csv->count = 0;
	if (csv->rows++ % STRIDE == 0)
		csv->cancelled =
			!progress_update(csv->progress, csv->stage, (uint64_t)(csv->at - csv->text),
					 (uint64_t)(csv->end - csv->text), 0);
	if (csv->cancelled || csv->at >= csv->end)
		return false;
	for (bool last = false; !last;)
		*mem_push(csv->fields, csv->count) = parse_field(csv, &last);
	return true;
}

struct csv csv_open(char *text, size_t length, const char *stage, const struct progress *progress)
{
	struct csv csv = {
		.text = text, .at = text, .end = text + length, .stage = stage, .progress = progress
	};
	if (csv_next(&csv)) {
		csv.header = csv.fields;
		csv.header_count = csv.count;
		csv.fields = NULL;
		csv.count = 0;
	}
	return csv;
}

bool csv_close(struct csv *csv)
{
	mem_free_all(csv->fields, csv->header, csv->places);
	return !csv->cancelled;
}

static size_t csv_column(const struct csv *csv, const char *names)
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

void csv_select(struct csv *csv, const char *const *names, size_t count)
{
	csv->places = mem_alloc(count * sizeof *csv->places);
	for (size_t i = 0; i < count; i++)
		csv->places[i] = csv_column(csv, names[i]);
}

bool csv_has(const struct csv *csv, size_t selected)
{
	return csv->places[selected] < csv->header_count;
}

const char *csv_cell(const struct csv *csv, size_t selected)
{
	return csv_field(csv, csv->places[selected]);
}

const char *csv_field(const struct csv *csv, size_t column)
{
	return column < csv->count && column < csv->header_count ? csv->fields[column] : "";
}

static struct json_slice csv_number(const struct csv *csv, size_t selected)
{
	const char *text = csv_cell(csv, selected);
	return (struct json_slice){ .text = text, .length = strlen(text), .type = JSON_NUMBER };
}

int64_t csv_int(const struct csv *csv, size_t selected)
{
	struct json_slice number = csv_number(csv, selected);
	int64_t value;
	return number.length && json_id(&number, &value) ? value : NO_VALUE;
}

double csv_real(const struct csv *csv, size_t selected)
{
	struct json_slice number = csv_number(csv, selected);
	double value;
	return number.length && json_real(&number, &value) ? value : NAN;
}

bool csv_us(const struct csv *csv, size_t selected, int64_t *ns)
{
	struct json_slice number = csv_number(csv, selected);
	return number.length && json_time_ns(&number, ns);
}

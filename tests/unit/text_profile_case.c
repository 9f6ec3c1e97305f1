#include "text_profile_case.h"

#include <stdlib.h>

struct table *text_look(const char *text, size_t length, struct run **run, const char *view,
			const char *group)
{
	*run = trace_run_bytes(text, length);
	return trace_view(*run, view, NULL, group);
}

void text_done(struct run *run, struct table *table)
{
	table_free(table);
	run_free(run);
}

bool is_blank(const struct table *table, size_t row, const char *column)
{
	return table_cell(table, row, column).kind == VALUE_MISSING;
}

void assert_survives(const char *text, size_t length)
{
	static const char others[] = { 0, '|', '9', '-', ' ', '\n', ';', '\x80' };
	char *copy = malloc(length);
	srandom(1);
	for (size_t i = 0; i < length; i++) {
		struct error error = { 0 };
		struct profile *profile = trace_open_bytes(text, i, &error);
		assert_true(profile || error.message[0]);
		profile_free(profile);
		memcpy(copy, text, length);
		for (size_t k = 0; k < 3; k++)
			copy[(size_t)random() % length] = others[(size_t)random() % sizeof others];
		profile_free(trace_open_bytes(copy, length, &error));
	}
	free(copy);
}

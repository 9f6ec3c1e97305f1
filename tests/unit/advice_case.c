#include "advice_case.h"

size_t advice_row(const struct table *advice, const char *detector)
{
	for (size_t row = 0; row < advice->rows; row++)
		if (!strcmp(table_cell(advice, row, "detector").text, detector))
			return row;
	fail_msg("no row of %s", detector);
	return 0;
}

const char *advice_answer(const struct table *advice, const char *detector)
{
	return table_cell(advice, advice_row(advice, detector), "severity").text;
}

bool advice_fired(const char *severity)
{
	return strcmp(severity, "silent") && strcmp(severity, "unknown");
}

#include "advice_case.h"

#include "base/buffer.h"

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

void assert_answer(const struct run *run, const struct scope *scope, const char *detector,
		   const char *answer, const char *evidence)
{
	struct table *advice = trace_view(run, "advice", scope, "all");
	const char *given = advice_answer(advice, detector);
	const char *words = table_cell(advice, advice_row(advice, detector), "evidence").text;
	if (strcmp(advice_fired(given) ? "fires" : given, answer) != 0)
		fail_msg("%s is not %s but %s: %s", detector, answer, given, words);
	if (evidence && !strstr(words, evidence))
		fail_msg("%s: %s", detector, words);
	table_free(advice);
}

void add_launches(struct buffer *events, int count, int every, int dur, const char *activity)
{
	static const char launch[] =
		",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
		"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":8,\"args\":{\"correlation\":%d}}";

	for (int i = 0; i < count; i++) {
		buffer_printf(events, launch, 10 + i * every, i + 1);
		buffer_printf(events,
			      ",{\"ph\":\"X\",%s,\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d,\"args\":"
			      "{\"device\":0,\"stream\":7,\"correlation\":%d,\"bytes\":64}}",
			      activity, 19 + i * every, dur, i + 1);
	}
}

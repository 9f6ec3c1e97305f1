#include "session/join.h"

#include "base/text.h"
#include "model/python_stats.h"

bool join_python(struct profile *timeline, struct profile *report)
{
	struct python_stats *stats = report->python;
	if (!stats || stats->sample_count || stats->operator_count || timeline->python)
		return false;
	for_each_mutable (function, stats->functions, stats->function_count) {
		function->name = join_text(timeline, report, function->name);
		function->file = join_text(timeline, report, function->file);
		function->label = join_text(timeline, report, function->label);
		function->section = join_text(timeline, report, function->section);
	}
	for (size_t i = 0; i < stats->line_count; i++) {
		stats->lines[i].file = join_text(timeline, report, stats->lines[i].file);
		stats->lines[i].text = join_text(timeline, report, stats->lines[i].text);
	}
	for (size_t i = 0; i < stats->whole_count; i++)
		stats->wholes[i].section = join_text(timeline, report, stats->wholes[i].section);
	keyed_clear(stats->keys); /* by texts of the report, as are its facts */
	stats->fact_count = 0;
	timeline->python = stats;
	report->python = NULL;
	join_note(timeline, "Python functions joined", text_file_name(report->path));
	return true;
}

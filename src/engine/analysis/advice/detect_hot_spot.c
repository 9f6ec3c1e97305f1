/*
 * Detector for programs without device work: the most expensive code.
 */
#include "analysis/advice/detect.h"
#include "analysis/python_rows.h"
#include "model/recording.h"

#include <stdio.h>

enum { HOT_PERCENT = 10, VERY_HOT_PERCENT = 40 };

static enum severity severity_of_share(int64_t part, int64_t whole)
{
	return percent_of((double)part, (double)whole) >= VERY_HOT_PERCENT ? SEVERITY_HIGH
									   : SEVERITY_MEDIUM;
}

/* ---- Python profiler totals ---- */

static void judge_function(const struct diagnosis *diagnosis, struct finding *finding,
			   const struct python_row *row, int64_t all)
{
	struct buffer *out = &finding->evidence;
	if (percent_of((double)row->self_ns, (double)all) < HOT_PERCENT) {
		stay_silent(finding, "The hottest function has %s %% of all self time.",
			    PERCENT(row->self_ns, all));
		return;
	}
	fire(diagnosis, finding, row->self_ns, severity_of_share(row->self_ns, all),
	     "%s of %s (%s %%) is spent in", DURATION(row->self_ns), DURATION(all),
	     PERCENT(row->self_ns, all));
	if (row->function.length)
		buffer_printf(out, " %.*s", (int)row->function.length, row->function.text);
	bool source = row->file.length && row->file.text[0] != '~' && row->file.text[0] != '<';
	if (source)
		buffer_printf(out, " at %.*s", (int)row->file.length, row->file.text);
	if (source && row->line != NO_VALUE && row->line > 0)
		buffer_printf(out, ":%" PRId64, row->line);
	if (row->calls > 0)
		buffer_printf(out, ", %" PRId64 " call%s", row->calls, row->calls == 1 ? "" : "s");
	finding->subject = SUBJECT_PYTHON;
	finding->recommendation =
		"Optimize it first; if it waits for the GPU (.item(), .cpu(), .to(), synchronize), record with the PyTorch profiler or Nsight Systems.";
}

static void judge_python(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct python_row *max = NULL;
	struct python_rows rows;
	/* after cancellation the answer is discarded */
	python_rows_make(&rows, diagnosis->selection, PYTHON_AS_RECORDED, diagnosis->progress);
	for (size_t i = 0; i < rows.count; i++)
		if (rows.items[i].self_ns > 0 && (!max || rows.items[i].self_ns > max->self_ns))
			max = &rows.items[i];
	if (max)
		judge_function(diagnosis, finding, max, rows.self_ns);
	else
		cannot_tell(finding, NULL, "No time was recorded.");
	python_rows_free(&rows);
}

/* ---- operators on the host ---- */

static void judge_operators(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	const struct facts *facts = diagnosis->facts;
	struct blame blame = { .diagnosis = diagnosis };
	int64_t max = 0;
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++)
		if (facts->span_flags[i] & SPAN_IS_OPERATOR && span_counts(diagnosis, i))
			blame_span(&blame, i, facts->span_self[i]);
	for (size_t i = 0; blame.operator_ns && i < intern_count(profile->strings); i++)
		max = blame.operator_ns[i] > max ? blame.operator_ns[i] : max;
	if (!blame.total)
		cannot_tell(finding, profile_recording(profile)->operators,
			    "No operators were recorded.");
	else if (percent_of((double)max, (double)blame.total) < HOT_PERCENT)
		stay_silent(finding, "The hottest operator has %s %% of all operator self time.",
			    PERCENT(max, blame.total));
	else
		fire(diagnosis, finding, max, severity_of_share(max, blame.total),
		     "No GPU work was recorded; operators take %s of CPU self time",
		     DURATION(blame.total));
	blame_settle(&blame, finding, SUBJECT_OPERATOR);
}

void detect_hot_spot(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	if (profile->python)
		judge_python(diagnosis, finding);
	else if (profile_all_rows(profile).activities || profile->device_count)
		stay_silent(finding, "The machine has GPUs.");
	else
		judge_operators(diagnosis, finding);
}

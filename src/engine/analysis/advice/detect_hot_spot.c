/*
 * Detector for programs without device work: the most expensive code.
 */
#include "analysis/advice/detect.h"
#include "analysis/host_walk.h"
#include "analysis/advice/own_code.h"
#include "analysis/python_rows.h"
#include "base/text.h"
#include "model/python_stats.h"
#include "model/recording.h"

enum { HOT_PERCENT = 10, VERY_HOT_PERCENT = 40 };

static enum severity severity_of_share(int64_t part, int64_t whole)
{
	return percent_of((double)part, (double)whole) >= VERY_HOT_PERCENT ? SEVERITY_HIGH
									   : SEVERITY_MEDIUM;
}

/* ---- Python profiler totals ---- */

/* Of ALL; in WAITS more, threads wait for others. */
static void judge_function(struct finding *finding, const struct python_row *row, int64_t all,
			   int64_t waits)
{
	struct buffer *out = &finding->evidence;
	if (percent_of((double)row->self_ns, (double)all) < HOT_PERCENT) {
		report_ok(finding, "The hottest function has %s %% of all self time.",
			  PERCENT(row->self_ns, all));
		return;
	}
	finding->cost_ns = row->self_ns;
	finding->severity = severity_of_share(row->self_ns, all);
	report_problem(finding, "%s of %s (%s %%) is spent in", DURATION(row->self_ns),
		       DURATION(all), PERCENT(row->self_ns, all));
	if (row->function.length)
		buffer_printf(out, " %.*s", (int)row->function.length, row->function.text);
	bool source = row->file.length && row->file.text[0] != '<' &&
		      !python_is_builtin_file(row->file.text, row->file.length);
	if (source) {
		size_t start = text_path_end(row->file.text, row->file.length, 2);
		buffer_printf(out, " at %.*s", (int)(row->file.length - start),
			      row->file.text + start);
	}
	if (source && row->line != NO_VALUE && row->line > 0)
		buffer_printf(out, ":%" PRId64, row->line);
	if (row->calls > 0)
		buffer_printf(out, ", %s call%s", COUNT(row->calls), PLURAL(row->calls));
	if (waits)
		buffer_printf(out, "; threads wait another %s", DURATION(waits));
	finding->subject = SUBJECT_PYTHON;
	finding->recommendation =
		"Optimize it first; if it waits for the GPU (.item(), .cpu(), .to(), synchronize), record with the PyTorch profiler or Nsight Systems.";
}

/* Of one thread, waiting is what the program does; of several, some have nothing to do. */
static bool has_threads(const struct python_stats *stats)
{
	size_t threads = 0;
	for (size_t i = 0; i < stats->track_count; i++)
		threads += stats->track_calls[i] > 0;
	return threads > 1;
}

/* Time by whom a function waits for, and the row of each with the most of it; NULL: none. */
struct hot_rows {
	int64_t ns[WAITS];
	const struct python_row *max[WAITS];
};

static struct hot_rows hot_rows_of(const struct python_rows *rows)
{
	struct hot_rows hot = { 0 };
	for (size_t i = 0; i < rows->count; i++) {
		const struct python_row *row = &rows->items[i];
		if (row->self_ns <= 0)
			continue;
		enum wait_for who = wait_of(row->file, row->function);
		const struct python_row **max = &hot.max[who];
		hot.ns[who] += row->self_ns;
		if (!*max || row->self_ns > (*max)->self_ns)
			*max = row;
	}
	return hot;
}

/* The caller in whose calls FUNCTION takes most time; NO_ROW: none is known. */
static uint32_t main_caller(const struct python_stats *stats, uint32_t function)
{
	const struct python_caller *most = NULL;
	for (size_t i = 0; i < stats->caller_count; i++)
		if (stats->callers[i].function == function &&
		    stats->callers[i].total_s > (most ? most->total_s : 0))
			most = &stats->callers[i];
	return most ? most->caller : NO_ROW;
}

/* Whom FUNCTION waits for, as the callers say in which the program only waits, too. */
static enum wait_for outermost_wait(const struct profile *profile, uint32_t function,
				    enum wait_for who)
{
	enum { CALLERS_MAX = 16 };
	const struct python_stats *stats = profile->python;
	for (int i = 0; i < CALLERS_MAX && function != NO_ROW; i++) {
		function = main_caller(stats, function);
		enum wait_for outer =
			function == NO_ROW
				? WAIT_NONE
				: wait_of(python_text(profile, stats->functions[function].file),
					  python_text(profile, stats->functions[function].name));
		if (outer == WAIT_NONE)
			break;
		who = outer;
	}
	return who;
}

static void judge_wait(const struct profile *profile, struct finding *finding,
		       const struct hot_rows *hot, int64_t waits, int64_t all)
{
	static const char *const names[] = { [WAIT_THREAD] = "another thread",
					     [WAIT_PROCESS] = "another process",
					     [WAIT_PEER] = "a pipe or socket" };
	enum wait_for who = WAIT_THREAD;
	for (int i = WAIT_PROCESS; i <= WAIT_PEER; i++)
		who = hot->ns[i] > hot->ns[who] ? (enum wait_for)i : who;
	const struct python_row *row = hot->max[who];
	who = outermost_wait(profile, row->about, who);
	finding->title = "Program waits";
	finding->severity = severity_of_share(waits, all);
	finding->subject = SUBJECT_PYTHON;
	finding->recommendation =
		"Profile what it waits for (the other process or thread), not this wait.";
	report_problem(finding, "%s of %s (%s %%) is spent waiting for %s, in %.*s",
		       DURATION(waits), DURATION(all), PERCENT(waits, all), names[who],
		       (int)row->function.length, row->function.text);
}

/* Waits and the profiler's own functions are no work of the program, which may have one thread. */
static void judge_python(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct python_stats *stats = diagnosis->profile->python;
	struct python_rows rows;
	/* after cancellation the answer is discarded */
	python_rows_make(&rows, diagnosis->selection,
			 stats->sample_count && !stats->has_totals ? PYTHON_MERGED
								   : PYTHON_AS_RECORDED,
			 diagnosis->progress);
	struct hot_rows hot = hot_rows_of(&rows);
	int64_t waits = hot.ns[WAIT_THREAD] + hot.ns[WAIT_PROCESS] + hot.ns[WAIT_PEER];
	int64_t all = rows.self_ns - hot.ns[WAIT_PROFILER];
	if (stats->sample_unit || (!waits && !hot.max[WAIT_NONE]))
		report_unknown(finding, NULL, "No time was recorded.");
	else if (!hot.max[WAIT_NONE] || (!has_threads(stats) && waits > all / 2))
		judge_wait(diagnosis->profile, finding, &hot, waits, all);
	else
		judge_function(finding, hot.max[WAIT_NONE], all - waits, waits);
	python_rows_free(&rows);
}

/* ---- code on the host ---- */

/*
 * Ranges without a call inside are code, too; steps are not. Of Python functions those of the user:
 * a library's time is that of the line or range that calls it.
 */
static bool is_code(const struct diagnosis *diagnosis, uint32_t span)
{
	const struct profile *profile = diagnosis->profile;
	switch (profile->span_kind[span]) {
	case SPAN_OPERATOR:
	case SPAN_RUNTIME: return true;
	case SPAN_PYTHON: return name_has(diagnosis, profile->span_name[span], MARK_OWN_CODE);
	case SPAN_ANNOTATION:
		return !(diagnosis->derived->role[profile->span_name[span]] & NAME_STEP);
	default: return false;
	}
}

struct self_times {
	const struct diagnosis *diagnosis;
	int64_t *ns; /* by span */
};

static void add_self(void *context, uint32_t span, int64_t start, int64_t end)
{
	struct self_times *self = context;
	while (span != NO_ROW && !is_code(self->diagnosis, span))
		span = self->diagnosis->profile->span_parent[span];
	if (span != NO_ROW)
		self->ns[span] += end - start;
}

/* By span: its time outside of the code in it. Waiting for other ranks is no work. mem_free. */
static int64_t *self_times(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	struct intervals within = { 0 };
	struct self_times self = { diagnosis,
				   mem_zalloc((size_t)profile->spans + 1, sizeof *self.ns) };
	intervals_subtract(&diagnosis->window, &diagnosis->device->set[CAUSE_COMMUNICATION],
			   &within);
	for (uint32_t t = 0; t < profile->track_count; t++)
		if (profile->tracks[t].device < 0)
			host_walk(diagnosis->derived, t, &within, add_self, &self,
				  diagnosis->progress);
	intervals_free(&within);
	return self.ns;
}

/* The code around SPAN, or else that of the first call in it with a stack; 0. */
static uint32_t code_of(const struct diagnosis *diagnosis, uint32_t span)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t end = span + profile->span_size[span];
	if (profile->span_kind[span] == SPAN_PYTHON)
		return 0; /* its name says it */
	uint32_t code = code_around(diagnosis, span);
	for (uint32_t i = span; i < end && !code && detect_row(diagnosis, i); i++)
		code = code_around(diagnosis, i);
	return code;
}

static void tell_code(const struct diagnosis *diagnosis, struct finding *finding, uint32_t span,
		      int64_t ns, int64_t all)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t name = profile->span_name[span], code = code_of(diagnosis, span);
	int64_t start = profile->span_start[span];
	finding->cost_ns = ns;
	finding->severity = severity_of_share(ns, all);
	report_problem(finding, "%s of %s CPU self time (%s %%) is in ", DURATION(ns),
		       DURATION(all), PERCENT(ns, all));
	add_name(&finding->evidence, profile_string(profile, name));
	if (code) {
		buffer_puts(&finding->evidence, " at ");
		add_place(&finding->evidence, profile_string(profile, code));
	}
	buffer_puts(&finding->evidence, "; no GPU work was recorded");
	finding->longest = (struct interval){ start, start + profile->span_dur[span] };
	set_subject_events(diagnosis, finding, name);
}

static void judge_code(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t all = 0, *self = self_times(diagnosis);
	int64_t *total = mem_zalloc(intern_count(profile->strings) + 1, sizeof *total);
	uint32_t best = NO_ROW;
	bool any = false; /* that is not a call of the GPU's interface alone */
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++)
		if (self[i] > 0 && selection_has_span(diagnosis->selection, i)) {
			any |= profile->span_kind[i] != SPAN_RUNTIME;
			all += self[i];
			total[profile->span_name[i]] += self[i];
		}
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++)
		if (self[i] > 0 && selection_has_span(diagnosis->selection, i) &&
		    (best == NO_ROW ||
		     total[profile->span_name[i]] > total[profile->span_name[best]] ||
		     (profile->span_name[i] == profile->span_name[best] && self[i] > self[best])))
			best = i;
	int64_t ns = best == NO_ROW ? 0 : total[profile->span_name[best]];
	mem_free(self);
	mem_free(total);
	if (!any)
		report_unknown(finding, profile_recording(profile)->operators,
			       "No operators were recorded.");
	else if (percent_of((double)ns, (double)all) < HOT_PERCENT)
		report_ok(finding, "The hottest code has %s %% of all self time.",
			  PERCENT(ns, all));
	else
		tell_code(diagnosis, finding, best, ns, all);
}

void detect_hot_spot(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	if (profile_recording(profile)->host)
		finding->recommendation = profile_recording(profile)->host;
	if (profile->python)
		judge_python(diagnosis, finding);
	else if (profile_all_rows(profile).activities || diagnosis->any_marks & MARK_LAUNCH)
		report_ok(finding, "GPU work was launched.");
	else if (profile->snapshot)
		report_ok(finding, "Memory snapshots hold no CPU time.");
	else
		judge_code(diagnosis, finding);
}

/*
 * Detector for programs without device work: the most expensive code.
 */
#include "analysis/advice/detect.h"
#include "analysis/host_walk.h"
#include "analysis/advice/own_code.h"
#include "analysis/advice/python_callers.h"
#include "analysis/samples.h"
#include "base/any_of.h"
#include "model/python_stats.h"
#include "model/recording.h"
#include "model/totals.h"

enum { HOT_PERCENT = 10, VERY_HOT_PERCENT = 40 };

static enum severity severity_of_share(int64_t part, int64_t whole)
{
	return percent_of((double)part, (double)whole) >= VERY_HOT_PERCENT ? SEVERITY_HIGH
									   : SEVERITY_MEDIUM;
}

/* What the share of a function does in it. */
static const char *const verbs[] = { HOT_VERB_ROWS };

/* ---- the hottest Python function ---- */

/* Functions whose time is that of work elsewhere; parts of their names, between bars. */
static const struct {
	const char *functions, *recommendation;
} fronts[] = { HOT_FRONT_ROWS };

/* Of ALL; in WAITS more, it waits for others. */
static void judge_function(const struct profile *profile, struct finding *finding,
			   const struct python_row *row, int64_t all, int64_t waits)
{
	struct buffer *out = &finding->evidence;
	bool bytes = profile->python->sample_unit == SAMPLE_BYTES;
	finding->title = bytes ? "Memory hot spot" : NULL;
	finding->cost_ns = row->self_ns;
	finding->severity = severity_of_share(row->self_ns, all);
	finding->subject = SUBJECT_PYTHON;
	report_problem(finding, "%s %s in ", share_of_python(SHARE, profile, row->self_ns, all),
		       verbs[profile->python->sample_unit]);
	add_python_function(out, &(struct frame_name){ row->function, row->file, row->line });
	if (row->calls > 0)
		buffer_printf(out, ", %s call%s", COUNT(row->calls), PLURAL(row->calls));
	add_own_caller(out, profile, python_place(profile, row));
	if (waits > all / 100)
		buffer_printf(out, "; waits take another %s",
			      profile->python->sample_unit ? COUNT(waits) : DURATION(waits));
	finding->recommendation =
		bytes ? "Allocate less there: smaller batches or types, in place, or freed earlier."
		      : "Optimize it first, or call it less often.";
	for (size_t i = 0; i < sizeof fronts / sizeof *fronts && !bytes; i++)
		if (text_has_one(row->function.text, row->function.length, fronts[i].functions))
			finding->recommendation = fronts[i].recommendation;
}

/* No function is hot: the innermost of the user, called repeatedly, or import, of most of the time.
 */
static void judge_spread(const struct profile *profile, struct finding *finding,
			 const struct python_rows *rows, int64_t all)
{
	const struct python_row *found = NULL;
	for_each (row, rows->items, rows->count) {
		double share = percent_of((double)row->total_ns, (double)all);
		if (share >= 50 && share <= 90 && row->source != NO_ROW && !row->is_line &&
		    (!found || row->total_ns < found->total_ns) &&
		    (profile->python->imports ||
		     (row->calls > 1 &&
		      is_own_path(profile_string(profile,
						 profile->python->functions[row->source].file)))))
			found = row;
	}
	if (!found) {
		report_ok(finding, "No function has 10 %% of all self time.");
		return;
	}
	finding->severity = SEVERITY_MEDIUM;
	finding->subject = SUBJECT_PYTHON;
	finding->recommendation =
		"Do it less often, for more data at once; else compile or vectorize it.";
	report_problem(finding, "No function has 10 %% of all self time; %s passes through ",
		       share_of_python(SHARE, profile, found->total_ns, all));
	add_python_function(&finding->evidence,
			    &(struct frame_name){ found->function, found->file, found->line });
	buffer_printf(&finding->evidence, ", %s call%s", COUNT(found->calls), PLURAL(found->calls));
}

/* ---- waits ---- */

/* Time by whom a function waits for, and the row of each with the most of it; NULL: none. */
struct hot_rows {
	int64_t ns[WAITS];
	const struct python_row *max[WAITS];
};

static struct hot_rows hot_rows_of(const struct python_rows *rows)
{
	struct hot_rows hot = { 0 };
	for_each (row, rows->items, rows->count) {
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

/* What waits of ALL time, and where most of it. */
struct hot_wait {
	int64_t all, ns;
	uint32_t at; /* frame or function; NO_ROW: unknown */
	enum wait_for who;
};

static enum wait_for wait_at(const struct profile *profile, uint32_t at)
{
	const struct python_function *function = python_function_at(profile->python, at);
	return wait_of(python_text(profile, function->file), python_text(profile, function->name));
}

/* Of the threads that the interpreter does not start for others: the main one, of each process. */
static struct hot_wait wait_of_main(const struct profile *profile)
{
	const struct frames *frames = &profile->python->frames;
	AUTO_FREE int64_t *ns = python_frame_times(profile->python);
	AUTO_FREE bool *started = mem_zalloc(frames->count + 1, sizeof *started);
	struct hot_wait wait = { .at = NO_ROW };
	for (uint32_t i = 0; i < frames->count; i++) {
		uint32_t caller = frames->frames[i].caller;
		const struct python_function *function = python_function_at(profile->python, i);
		started[i] = caller == NO_ROW ? slice_begins(python_text(profile, function->name),
							     "_bootstrap")
					      : started[caller];
		wait.all += started[i] ? 0 : ns[i];
		enum wait_for who = wait_at(profile, i);
		if (started[i] || who == WAIT_NONE)
			continue;
		wait.ns += ns[i];
		if (wait.at == NO_ROW || ns[i] > ns[wait.at]) {
			wait.at = i;
			wait.who = who;
		}
	}
	return wait;
}

/* Of all rows. */
static struct hot_wait wait_of_rows(const struct profile *profile, const struct hot_rows *hot,
				    int64_t waits, int64_t all)
{
	enum wait_for who = WAIT_THREAD;
	for (int i = WAIT_PROCESS; i < WAIT_PROFILER; i++)
		who = hot->ns[i] > hot->ns[who] ? (enum wait_for)i : who;
	const struct python_row *row = hot->max[who];
	return (struct hot_wait){ all, waits, row ? python_place(profile, row) : NO_ROW, who };
}

/* For whom, the outermost of the callers says in which the program only waits, too. */
static void judge_wait(const struct profile *profile, struct finding *finding,
		       const struct hot_wait *wait)
{
	static const char *const names[] = { WAITED_FOR_ROWS };
	enum wait_for who = wait->who, outer = who;
	for (uint32_t at = wait->at; at != NO_ROW && outer != WAIT_NONE;) {
		at = python_caller_of(profile->python, at);
		outer = at == NO_ROW ? WAIT_NONE : wait_at(profile, at);
		who = outer == WAIT_NONE ? who : outer;
	}
	finding->title = "Program waits";
	finding->cost_ns = wait->ns;
	finding->severity = severity_of_share(wait->ns, wait->all);
	finding->subject = SUBJECT_PYTHON;
	finding->recommendation =
		"Profile what it waits for (the other process or thread), not this wait.";
	report_problem(finding, "%s %s waiting for %s",
		       share_of_python(SHARE, profile, wait->ns, wait->all),
		       verbs[profile->python->sample_unit], names[who]);
	if (wait->at == NO_ROW)
		return;
	const struct python_function *function = python_function_at(profile->python, wait->at);
	buffer_puts(&finding->evidence, ", in ");
	add_called_function(&finding->evidence, profile, function);
	add_own_caller(&finding->evidence, profile, wait->at);
}

/* Of several threads, some have nothing to do. */
static bool has_threads(const struct python_stats *stats)
{
	size_t threads = 0;
	for (size_t i = 0; i < stats->track_count; i++)
		threads += stats->track_calls[i] > 0;
	return threads > 1;
}

static bool is_hot(const struct python_row *row, int64_t whole)
{
	return row && percent_of((double)row->self_ns, (double)whole) >= HOT_PERCENT;
}

/* Waits and the profiler's own functions are no work of the program, which may have one thread. */
static void judge_python(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	AUTO(python_rows_free) struct python_rows rows = { 0 };
	/* after cancellation the answer is discarded */
	python_rows_make(&rows, diagnosis->selection,
			 python_is_sampled(profile->python) ? PYTHON_MERGED : PYTHON_AS_RECORDED,
			 diagnosis->progress);
	struct hot_rows hot = hot_rows_of(&rows);
	int64_t waits = 0, all = rows.self_ns - hot.ns[WAIT_PROFILER];
	for (int i = WAIT_THREAD; i < WAIT_PROFILER; i++)
		waits += hot.ns[i];
	/* imports have a finding of their own, by slow_code.txt */
	const struct python_row *hottest = hot.max[WAIT_NONE], *other = hottest;
	while (is_hot(other, all - waits) && python_is_of_import(profile, other))
		other = hottest_below(&rows, other->self_ns);
	bool threads = has_threads(profile->python) && hottest;
	struct hot_wait wait =
		threads ? wait_of_main(profile) : wait_of_rows(profile, &hot, waits, all);
	/* what other threads do while the main one waits may take its time */
	bool only_waits = wait.ns > wait.all / 2 && (!threads || wait.ns > all - waits);
	enum sample_unit unit = profile->python->sample_unit;
	if (unit == SAMPLE_BYTES && hottest)
		judge_function(profile, finding, hottest, all, 0);
	else if (unit == SAMPLE_BYTES || unit == SAMPLE_COUNT || (!waits && !hottest))
		report_unknown(finding, NULL, "No time was recorded.");
	else if (!hottest || only_waits)
		judge_wait(profile, finding, &wait);
	else if (is_hot(other, all - waits))
		judge_function(profile, finding, other, all - waits, waits);
	else if (other == hottest)
		judge_spread(profile, finding, &rows, all - waits);
	else
		report_ok(finding, "The functions with 10 %% of all self time import modules.");
	if (profile->python->imports && finding->recommendation)
		finding->recommendation = "Import it where it is used, or not at all.";
}

/* ---- code on the host ---- */

/* Of a profile of calls of the GPU's interface, without what they are for. */
static bool has_calls_only(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	return diagnosis->any_marks & MARK_LAUNCH && diagnosis->plain && profile->spans &&
	       !memchr(profile->span_kind, SPAN_PYTHON, profile->spans);
}

/*
 * Ranges without a call inside are code, too; steps are not. Of Python functions those of the user:
 * a library's time is that of the line or range that calls it.
 */
static bool is_code(const struct diagnosis *diagnosis, uint32_t span, bool calls_only)
{
	const struct profile *profile = diagnosis->profile;
	switch (profile->span_kind[span]) {
	case SPAN_OPERATOR:
	case SPAN_RUNTIME: return true;
	case SPAN_PYTHON: return name_has(diagnosis, profile->span_name[span], MARK_OWN_CODE);
	default: /* without a category (0, NO_ROW) it may be a wait */
		if (!profile_is_range(profile, span) ||
		    (profile->span_kind[span] == SPAN_OTHER && profile->span_info[span] + 1 < 2))
			return calls_only;
		return !(diagnosis->derived->role[profile->span_name[span]] & NAME_STEP);
	}
}

/* Beside code there are launches, of whose work nothing was recorded. */
static bool is_launching(const struct diagnosis *diagnosis)
{
	return diagnosis->any_marks & MARK_LAUNCH && !has_calls_only(diagnosis);
}

struct self_times {
	const struct diagnosis *diagnosis;
	bool calls_only;
	int64_t *ns; /* by span */
};

static void add_self(void *context, uint32_t span, int64_t start, int64_t end)
{
	struct self_times *self = context;
	while (span != NO_ROW && !is_code(self->diagnosis, span, self->calls_only))
		span = self->diagnosis->profile->span_parent[span];
	if (span != NO_ROW)
		self->ns[span] += end - start;
}

/* By span: its time outside of the code in it. Waiting for other ranks is no work. mem_free. */
static int64_t *self_times(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	AUTO_INTERVALS struct intervals within = { 0 };
	struct self_times self = { diagnosis, has_calls_only(diagnosis),
				   mem_zalloc((size_t)profile->spans + 1, sizeof *self.ns) };
	intervals_subtract(&diagnosis->window, &diagnosis->device->set[CAUSE_COMMUNICATION],
			   &within);
	for (uint32_t t = 0; t < profile->track_count; t++)
		if (profile->tracks[t].device < 0)
			host_walk(diagnosis->derived, t, &within, add_self, &self,
				  diagnosis->progress);
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

/*
 * Of a profile with launches, but not what they do on the GPU: the operator computes itself. It is
 * longer than bookkeeping, and calls nothing of the GPU's interface.
 */
static bool computes(const struct profile *profile, uint32_t span)
{
	const int64_t bookkeeping_ns = 100000;
	return profile->span_kind[span] == SPAN_OPERATOR &&
	       profile->span_dur[span] >= bookkeeping_ns &&
	       !any_of(i, profile->span_size[span], profile->span_kind[span + i] == SPAN_RUNTIME);
}

static void tell_place(const struct diagnosis *diagnosis, struct finding *finding, uint32_t span)
{
	const struct profile *profile = diagnosis->profile;
	int64_t start = profile->span_start[span];
	finding->longest = (struct interval){ start, start + profile->span_dur[span] };
	set_subject_events(diagnosis, finding, profile->span_name[span]);
}

/* Of the calls of a name: how the one with the most time compares with the others. */
struct hot_calls {
	uint32_t longest; /* span */
	uint64_t calls;
	int64_t ns, next; /* of it and of the next */
	bool first;       /* it is the first in time */
};

static struct hot_calls hot_calls_of(const struct diagnosis *diagnosis, const int64_t *self,
				     uint32_t longest)
{
	const struct profile *profile = diagnosis->profile;
	struct hot_calls hot = { .longest = longest, .ns = self[longest], .first = true };
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		if (profile->span_name[i] != profile->span_name[longest] ||
		    !selection_has_span(diagnosis->selection, i))
			continue;
		hot.calls++;
		if (i != longest && self[i] > hot.next)
			hot.next = self[i];
		hot.first &= profile->span_start[i] >= profile->span_start[longest];
	}
	return hot;
}

/* The call, of several, is not like the others: what it does is done once. TOTAL: of all. */
static bool is_once(const struct hot_calls *hot, int64_t total)
{
	const int64_t once_ns = 1000000;
	return hot->calls > 2 && hot->ns >= once_ns && hot->ns / 10 >= hot->next &&
	       hot->ns > total / 2;
}

static bool is_operator_row(const struct diagnosis *diagnosis, uint32_t span)
{
	return span != NO_ROW && diagnosis->derived->span_flags[span] & SPAN_IS_OPERATOR;
}

/* CPU self time examined, of it that of operators, and theirs in the view `operators`. */
struct self_sums {
	int64_t all, operators, recorded;
};

/* NS of what SPAN is a call of: an operator's share is that of its row in `operators`. */
static void tell_self_time(const struct diagnosis *diagnosis, struct finding *finding,
			   uint32_t span, int64_t ns, const struct self_sums *sums)
{
	bool is_operator = is_operator_row(diagnosis, span);
	int64_t all = is_operator ? sums->operators : sums->all;
	report_problem(finding, "%s of %s CPU self time%s%s (%s %%) is in ", DURATION(ns),
		       DURATION(all), is_operator ? " of operators" : "",
		       is_operator && all < sums->recorded ? " examined" : "", PERCENT(ns, all));
}

static void tell_once(const struct diagnosis *diagnosis, struct finding *finding,
		      const struct hot_calls *hot, const struct self_sums *sums)
{
	const struct profile *profile = diagnosis->profile;
	finding->title = hot->first ? "Slow first call" : "One slow call";
	finding->cost_ns = hot->ns - hot->next;
	finding->severity = severity_of_share(hot->ns, sums->all);
	finding->recommendation =
		"Warm up before the recording (schedule(wait=1, warmup=3, active=5)); if each run pays it, look at what it loads, compiles or tries.";
	tell_self_time(diagnosis, finding, hot->longest, hot->ns, sums);
	buffer_printf(&finding->evidence, "%s of %s calls of ", hot->first ? "the first" : "one",
		      COUNT(hot->calls));
	add_name(&finding->evidence, profile_string(profile, profile->span_name[hot->longest]));
	buffer_printf(&finding->evidence, "; the next longest takes %s", DURATION(hot->next));
	tell_place(diagnosis, finding, hot->longest);
}

/* The names that follow in self time, as far as they take much of ALL; clears TOTAL of these. */
static void add_next(const struct diagnosis *diagnosis, struct buffer *out, uint32_t first,
		     int64_t *total, int64_t all)
{
	enum { LISTED = 2 };
	AUTO_BUFFER struct buffer next = { 0 };
	total[first] = 0;
	add_costly(diagnosis, &next, total, (double)all, LISTED, HOT_PERCENT);
	if (next.length)
		buffer_printf(out, "; then %s", buffer_text(&next));
}

static void tell_code(const struct diagnosis *diagnosis, struct finding *finding, uint32_t span,
		      int64_t ns, int64_t *total, const struct self_sums *sums)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t code = code_of(diagnosis, span);
	finding->cost_ns = ns;
	finding->severity = severity_of_share(ns, sums->all);
	tell_self_time(diagnosis, finding, span, ns, sums);
	add_name(&finding->evidence, profile_string(profile, profile->span_name[span]));
	if (code) {
		buffer_puts(&finding->evidence, " at ");
		add_place(&finding->evidence, profile_string(profile, code));
	}
	/* a share of the time of operators is of these */
	for (uint32_t i = 0; is_operator_row(diagnosis, span) && i < profile->spans; i++)
		if (!is_operator_row(diagnosis, i))
			total[profile->span_name[i]] = 0;
	if (!is_launching(diagnosis))
		add_next(diagnosis, &finding->evidence, profile->span_name[span], total,
			 is_operator_row(diagnosis, span) ? sums->operators : sums->all);
	buffer_puts(&finding->evidence, is_launching(diagnosis)
						? "; it calls nothing of the GPU's interface"
						: "; no GPU work was recorded");
	if (is_launching(diagnosis))
		finding->recommendation =
			"Do it on the GPU (device=\"cuda\"), or ahead of time in other processes.";
	else if (profile->span_kind[span] == SPAN_ANNOTATION)
		finding->recommendation =
			"Record Python functions, too (with_stack=True, py-spy): the time is in code of this range, between its operators.";
	tell_place(diagnosis, finding, span);
}

/* The name with the most self time, of a call in which it takes the most; NO_ROW: none. */
static uint32_t hottest_of(const struct diagnosis *diagnosis, const int64_t *self,
			   const int64_t *total)
{
	const uint32_t *name = diagnosis->profile->span_name;
	uint32_t best = NO_ROW;
	for (uint32_t i = 0; i < diagnosis->profile->spans && detect_row(diagnosis, i); i++)
		if (self[i] > 0 && selection_has_span(diagnosis->selection, i) &&
		    (best == NO_ROW || total[name[i]] > total[name[best]] ||
		     (name[i] == name[best] && self[i] > self[best])))
			best = i;
	return best;
}

const char *call_advice(const char *call)
{
	return text_has_one(call, strlen(call), "Memcpy|Synchronize|Wait")
		       ? "Copy and synchronize less, from pinned memory beside other work; record the GPU's work, too (nsys profile --trace=cuda)."
		       : "Call it less often, and before the work starts if it sets up the GPU; record the GPU's work, too (nsys profile --trace=cuda).";
}

/* UNRECORDED: the GPU worked, so that only what is done once is no wait for it. */
static void judge_code(const struct diagnosis *diagnosis, struct finding *finding, bool unrecorded)
{
	const struct profile *profile = diagnosis->profile;
	struct self_sums sums = { 0 };
	AUTO_FREE int64_t *self = self_times(diagnosis);
	AUTO_FREE int64_t *total = mem_zalloc(intern_count(profile->strings) + 1, sizeof *total);
	bool calls = has_calls_only(diagnosis);
	bool launching = is_launching(diagnosis);
	bool any = calls; /* that is not a call of the GPU's interface alone */
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		bool selected = selection_has_span(diagnosis->selection, i);
		if (selected && is_operator_row(diagnosis, i))
			sums.recorded += profile->span_dur[i];
		if (selected && profile->span_kind[i] != SPAN_PYTHON &&
		    is_operator_row(diagnosis, profile->span_parent[i]))
			sums.recorded -= profile->span_dur[i];
		if (self[i] > 0 && selected) {
			/* a range around the whole recording says nothing of what takes time */
			any |= profile->span_kind[i] == SPAN_ANNOTATION
				       ? profile->span_dur[i] < profile->end_ns
				       : profile->span_kind[i] != SPAN_RUNTIME;
			sums.all += self[i];
			if (is_operator_row(diagnosis, i))
				sums.operators += self[i];
			if (launching && !computes(profile, i))
				self[i] = 0;
			total[profile->span_name[i]] += self[i];
		}
	}
	uint32_t best = hottest_of(diagnosis, self, total);
	int64_t ns = best == NO_ROW ? 0 : total[profile->span_name[best]];
	bool hot = percent_of((double)ns, (double)sums.all) >= HOT_PERCENT;
	struct hot_calls once = hot ? hot_calls_of(diagnosis, self, best) : (struct hot_calls){ 0 };
	if (!any)
		report_unknown(finding, profile_recording(profile)->operators,
			       "No operators were recorded.");
	else if (hot && !calls && is_once(&once, ns))
		tell_once(diagnosis, finding, &once, &sums);
	else if (unrecorded)
		report_ok(finding, "GPU work was launched, and not recorded.");
	else if (launching && !hot)
		report_ok(finding, "GPU work was launched.");
	else if (!hot)
		report_ok(finding, "The hottest code has %s %% of all self time.",
			  PERCENT(ns, sums.all));
	else
		tell_code(diagnosis, finding, best, ns, total, &sums);
	if (finding->answer == ANSWER_FIRED && calls) {
		finding->title = "Calls of the GPU's interface";
		finding->cost_ns = NO_VALUE; /* what else takes time was not recorded */
		finding->recommendation =
			call_advice(profile_string(profile, profile->span_name[best]));
	}
}

/* ---- samples of threads ---- */

/* Samples of cycles and clocks are of time; those of faults and other events are not. */
static bool is_timeless(const char *key)
{
	return strncmp(key, SAMPLES_OF, sizeof SAMPLES_OF - 1) == 0 &&
	       !text_has_one(key, strlen(key), "cycles|clock");
}

/* How long a sample stands for was not recorded. The thread of number 0 is Linux's idle task. */
static void judge_samples(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	size_t names = intern_count(profile->strings);
	AUTO_FREE int64_t *sums = mem_zalloc(names + 1, sizeof *sums);
	int64_t all = 0;
	for_each (sample, profile->samples, profile->sample_count) {
		if (!profile->tracks[sample->track].tid ||
		    !sample_is_selected(diagnosis->selection, sample))
			continue;
		all++; /* the root of stacks may name their thread */
		const struct frame *leaf =
			sample->frame == NO_ROW ? NULL : &profile->frames[sample->frame];
		if (leaf &&
		    (leaf->caller != NO_ROW || leaf->name != profile->tracks[sample->track].name))
			sums[leaf->name]++;
	}
	uint32_t unknown = intern_find(profile->strings, "[unknown]", 9);
	sums[unknown == NO_ROW ? names : unknown] = 0;
	uint32_t hot = most_costly(sums, names);
	int64_t count = hot == NO_ROW ? 0 : sums[hot];
	if (count < 2 || any_of(i, profile->metadata_count,
				is_timeless(profile_string(profile, profile->metadata[i].key)))) {
		report_unknown(finding, NULL, "No code was sampled twice by time.");
	} else if (percent_of((double)count, (double)all) < HOT_PERCENT) {
		report_ok(finding, "No function has 10 %% of all samples.");
	} else {
		finding->severity = severity_of_share(count, all);
		finding->recommendation = "Optimize it first, or call it less often.";
		report_problem(finding, "%s of %s samples (%s %%) end in ", COUNT(count),
			       COUNT(all), PERCENT(count, all));
		add_name(&finding->evidence, profile_string(profile, hot));
		add_next(diagnosis, &finding->evidence, hot, sums, all);
	}
}

/* Of sums without a timeline: the kernels or layers with most of the GPU's time. */
static void judge_totals(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	size_t names = intern_count(profile->strings);
	AUTO_FREE int64_t *ns = mem_zalloc(names + 1, sizeof *ns);
	int64_t all = 0;
	for_each (row, profile->totals->rows, profile->totals->count) {
		int64_t self = row->gpu_self_ns > 0 ? row->gpu_self_ns : 0;
		if (!__builtin_add_overflow(all, self, &self)) {
			ns[row->name] += self - all;
			all = self;
		}
	}
	uint32_t hottest = most_costly(ns, names);
	if (hottest == NO_ROW) {
		report_unknown(finding, NULL, "No GPU time was recorded.");
		return;
	}
	finding->title = "Kernel hot spot";
	finding->recommendation =
		"Profile the longest with ncu --kernel-name NAME --launch-count 3.";
	finding->severity = SEVERITY_LOW;
	report_problem(finding, "GPU work takes %s: ", DURATION(all));
	add_costly(diagnosis, &finding->evidence, ns, (double)all, 3, 0);
}

void detect_hot_spot(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	AUTO_BUFFER struct buffer names = { 0 };
	/* but calls of the operating system, and what the profiler did */
	bool any_code = any_of(i, profile->spans, profile->span_kind[i] <= SPAN_RUNTIME);
	if (profile_recording(profile)->host)
		finding->recommendation = profile_recording(profile)->host;
	if (profile_is_sums(profile))
		judge_python(diagnosis, finding);
	else if (profile->totals)
		judge_totals(diagnosis, finding);
	else if (profile_all_rows(profile).activities)
		report_ok(finding, "GPU work was launched.");
	else if (profile->snapshot)
		report_ok(finding, "Memory snapshots hold no CPU time.");
	else if (profile->sample_count && !profile->left_out.rows && !any_code &&
		 !quote_profiler(profile, &names))
		judge_samples(diagnosis, finding);
	else if (lacks_kinds(profile))
		report_unknown(finding, NULL, "What kinds the events are of was not recorded.");
	else
		judge_code(diagnosis, finding, used_unrecorded_gpu(diagnosis, &names));
}

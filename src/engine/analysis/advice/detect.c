/*
 * Runs a detector: what it needs, its answer, and what of its claims and costs stands.
 */
#include "analysis/advice/detect.h"
#include "model/python_stats.h"
#include "model/recording.h"
#include "base/any_of.h"

bool in_window(const struct diagnosis *diagnosis, int64_t time)
{
	return intervals_length_in(&diagnosis->window, time, time + 1) > 0;
}

size_t diagnosis_rank(const struct diagnosis *diagnosis)
{
	const struct run *run = diagnosis->run;
	const struct rank *own = run_rank(run, diagnosis->selection->scope->rank);
	return own && own != run->whole ? (size_t)(own - run->ranks) : SIZE_MAX;
}

uint32_t first_span_named(const struct diagnosis *diagnosis, const char *name)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t id = profile_find(profile, name);
	return row_where(i, 0, id == NO_ROW ? 0 : profile->spans,
			 profile->span_name[i] == id &&
				 profile->span_kind[i] != SPAN_GPU_ANNOTATION);
}

double percent_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

char *share_of_time(char text[SHARE_MAX], const struct diagnosis *diagnosis, int64_t ns)
{
	snprintf(text, SHARE_MAX, "%s %% of %s", PERCENT(ns, diagnosis->dur),
		 diagnosis->whole_steps ? "step time" : "the time examined");
	return text;
}

/* In the unit of a Python profile's samples. */
static char *python_amount(char text[NUMBER_MAX], const struct profile *profile, int64_t amount)
{
	enum sample_unit unit = profile->python->sample_unit;
	return unit == SAMPLE_BYTES   ? number_bytes(text, (double)amount)
	       : unit == SAMPLE_TAKEN ? number_count(text, amount)
				      : number_duration(text, amount);
}

char *share_of_python(char text[SHARE_MAX], const struct profile *profile, int64_t part,
		      int64_t whole)
{
	snprintf(text, SHARE_MAX, "%s of %s%s (%s %%)",
		 python_amount((char[NUMBER_MAX]){ 0 }, profile, part),
		 python_amount((char[NUMBER_MAX]){ 0 }, profile, whole),
		 profile->python->sample_unit == SAMPLE_TAKEN ? " samples" : "",
		 PERCENT(part, whole));
	return text;
}

char *share_of_kernels(char text[SHARE_MAX], const struct diagnosis *diagnosis, int64_t ns)
{
	snprintf(text, SHARE_MAX, "%s %% of kernel time%s", PERCENT(ns, diagnosis->kernel_ns),
		 diagnosis->whole_kernels ? "" : " examined");
	return text;
}

static void set_answer(struct finding *finding, enum answer answer, const char *format,
		       va_list arguments)
{
	char text[1024];
	finding->answer = answer;
	vsnprintf(text, sizeof text, format, arguments);
	buffer_puts(&finding->evidence, text);
}

void report_problem(struct finding *finding, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	set_answer(finding, ANSWER_FIRED, format, arguments);
	va_end(arguments);
}

void report_ok(struct finding *finding, const char *format, ...)
{
	va_list arguments;
	finding->recommendation = NULL;
	va_start(arguments, format);
	set_answer(finding, ANSWER_SILENT, format, arguments);
	va_end(arguments);
}

void report_unknown(struct finding *finding, const char *how, const char *format, ...)
{
	va_list arguments;
	finding->recommendation = how;
	va_start(arguments, format);
	set_answer(finding, ANSWER_UNKNOWN, format, arguments);
	va_end(arguments);
}

void report_elsewhere(struct finding *finding, const char *why)
{
	report_unknown(finding, NULL, "%s", why);
	finding->elsewhere = true;
}

void qualify_by_stacks(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (diagnosis->stacks && finding->answer == ANSWER_FIRED)
		buffer_puts(&finding->evidence,
			    "; recording Python stacks inflates these CPU times");
}

/* ---- needs ---- */

const char *how_to_get_steps(const struct diagnosis *diagnosis)
{
	const struct recording *recording = profile_recording(diagnosis->profile);
	return diagnosis->derived->steps_from_profile ? recording->warm_up : recording->steps;
}

bool need_kernels(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	if (diagnosis->any_kernel ||
	    (finding->detector->needs_totals && diagnosis->kernel_ns)) /* of a table */
		return true;
	report_unknown(finding, profile_recording_device(profile),
		       profile->activities ? "No kernel ran in the complete steps in scope."
					   : "No GPU events were recorded.");
	return false;
}

bool need_devices(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (!need_kernels(diagnosis, finding))
		return false;
	if (diagnosis->device_count)
		return true;
	report_unknown(finding, NULL, "The times of the kernels are not known.");
	return false;
}

/* Scopes of steps, time, ranks and devices keep all work in them; others keep a part. */
static bool keeps_all_work(const struct scope *scope)
{
	return !scope->streams.count && !scope->threads.count && !scope->under &&
	       scope->layer == NO_ROW && scope->operator_name == NO_ROW &&
	       scope->kernel_name == NO_ROW && scope->call == NO_ROW && scope->track == NO_ROW;
}

bool need_all_work(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (!need_kernels(diagnosis, finding))
		return false;
	if (keeps_all_work(diagnosis->selection->scope))
		return true;
	report_unknown(finding, "Widen the scope to complete steps or a time range.",
		       "The scope holds only part of the work; other work may fill the idle time.");
	return false;
}

static bool need_memory_events(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (diagnosis->profile->memory_count)
		return true;
	report_unknown(finding, profile_recording(diagnosis->profile)->memory,
		       "No memory events were recorded.");
	return false;
}

static bool has_needed(const struct diagnosis *diagnosis, struct finding *finding)
{
	switch (finding->detector->needs) {
	case NEEDS_KERNELS: return need_kernels(diagnosis, finding);
	case NEEDS_DEVICES: return need_devices(diagnosis, finding);
	case NEEDS_MEMORY: return need_memory_events(diagnosis, finding);
	default: return true;
	}
}

/* ---- one detector ---- */

static enum severity severity_of(int64_t cost, int64_t dur)
{
	double share = cost == NO_VALUE ? 0 : percent_of((double)cost, (double)dur);
	return share >= 20 ? SEVERITY_HIGH : share >= 5 ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

void detect_one(const struct diagnosis *diagnosis, struct finding *finding,
		const struct detector_code *code)
{
	const struct detector *detector = finding->detector;
	const struct profile *profile = diagnosis->profile;
	const struct python_stats *sums = profile->python;
	/* with or without memory over time: what is not found may have happened all the same */
	bool sums_only = (sums || profile->totals) && !profile->spans && !profile->activities;
	bool has_table = sums_only && sums && sums->operator_count && !sums->function_count;
	finding->severity = detector->least;
	if (finding->detector->training && diagnosis->serving) {
		report_ok(finding, "An inference server does not train.");
		return;
	}
	if (diagnosis->profile->snapshot && code->judge_snapshot)
		code->judge_snapshot(diagnosis, finding);
	else if (has_table && code->judge_table)
		code->judge_table(diagnosis, finding);
	else if ((detector->needs_host || detector->needs_idle) &&
		 profile_times_modeled(diagnosis->profile))
		report_unknown(finding, profile_recording(diagnosis->profile)->operators,
			       "The profile has durations of kernels, but no timeline.");
	else if (detector->needs_host &&
		 !profile_has_recorded(diagnosis->profile, RECORDED_CALL_NAMES))
		report_unknown(finding, NULL, "The names of the calls are not in the profile.");
	else if (has_needed(diagnosis, finding))
		code->detect(diagnosis, finding);
	if ((finding->answer == ANSWER_SILENT ||
	     (finding->answer == ANSWER_UNKNOWN && has_table)) &&
	    !detector->needs_totals && sums_only) {
		buffer_clear(&finding->evidence);
		report_unknown(finding, NULL, "The profile has sums, but no timeline.");
	}
	blame_settle(diagnosis, finding);
	if (finding->answer == ANSWER_FIRED) {
		enum severity severity = severity_of(finding->cost_ns, diagnosis->dur);
		finding->severity = severity > finding->severity ? severity : finding->severity;
	} else {
		finding->cost_ns = NO_VALUE;
		claim_drop(finding);
	}
}

/* ---- spans that match ---- */

struct span_sum sum_spans(const struct diagnosis *diagnosis, struct finding *finding,
			  const struct span_check *check)
{
	const struct profile *profile = diagnosis->profile;
	struct span_sum sum = { .longest = NO_ROW };
	struct intervals set = { 0 };
	for (uint32_t i = 0, end = 0; i < check->spans && detect_row(diagnosis, i); i++) {
		int64_t start = profile->span_start[i], dur = profile->span_dur[i];
		if (i < end || !span_counts(diagnosis, i) ||
		    !check->match(diagnosis, i, check->context))
			continue;
		end = check->outermost ? i + profile->span_size[i] : 0;
		sum.calls++;
		sum.ns += dur;
		if (sum.longest == NO_ROW || dur > profile->span_dur[sum.longest])
			sum.longest = i;
		intervals_add(&set, start, start + dur);
	}
	intervals_merge(&set);
	sum.covered_ns = intervals_length(&set);
	sum.claimed_ns = claim_common(diagnosis, finding, &set,
				      check->within ? check->within : &diagnosis->idle);
	return sum;
}

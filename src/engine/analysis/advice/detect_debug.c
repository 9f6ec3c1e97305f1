/*
 * Detector of modes for debugging that slow training down: anomaly detection, gradcheck, the
 * autograd profiler.
 */
#include "analysis/advice/detect.h"
#include "analysis/advice/own_code.h"
#include "analysis/python_rows.h"
#include "model/recording.h"

enum setting recorded_setting(const struct profile *profile, const char *key)
{
	const char *value = profile_metadata(profile, key);
	if (!value)
		return SETTING_UNKNOWN;
	return strcmp(value, "1") == 0 || strcasecmp(value, "true") == 0 ? SETTING_ON : SETTING_OFF;
}

/* ---- what the profiler says ---- */

/* Append the modes that were on; true if the profiler says of any whether it was. */
static bool recorded_modes(const struct profile *profile, struct buffer *ok, int *count)
{
	static const char *const modes[] = { "detect_anomaly", "autograd_set_detect_anomaly",
					     "gradcheck", "gradgradcheck", "autograd_profile" };
	bool known = false;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		enum setting setting = recorded_setting(profile, modes[i]);
		known |= setting != SETTING_UNKNOWN;
		if (setting == SETTING_ON)
			buffer_printf(ok, "%s%s", (*count)++ ? ", " : "", modes[i]);
	}
	return known;
}

/* ---- Python functions ---- */

#define ANOMALY_MODE "/torch/autograd/anomaly_mode.py"

/* Their files, and what importing these runs: the module and the bodies of its classes. */
static const struct {
	const char *file, *imported[3];
} sources[] = { DEBUG_SOURCE_ROWS };

static bool is_debug_function(struct text_slice file, struct text_slice function)
{
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		bool runs = path_ends(file, sources[i].file);
		for (int k = 0; k < 3 && runs && sources[i].imported[k]; k++)
			runs = !slice_is(function, sources[i].imported[k]);
		if (runs)
			return true;
	}
	return false;
}

bool is_debug_call(const char *name)
{
	struct frame_name frame;
	if (text_begins_one(name, "detect_anomaly|gradcheck|gradgradcheck"))
		return true;
	if (!strstr(name, "torch/autograd/")) /* names are many */
		return false;
	frame_name_split(&frame, name, strlen(name));
	return is_debug_function(frame.file, frame.function);
}

/* The autograd profiler inside a Python profiler. */
static bool starts_profiler(struct text_slice function)
{
	return slice_find(function, "torch._C._autograd._enable_profiler");
}

static void judge_functions(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct python_row *found = NULL;
	AUTO(python_rows_free) struct python_rows rows = { 0 };
	bool whole = false, torch = false, traced = false;
	/* after cancellation the answer is discarded */
	python_rows_make(&rows, diagnosis->selection, PYTHON_FUNCTIONS, diagnosis->progress);
	for_each (row, rows.items, rows.count) {
		bool hit = is_debug_function(row->file, row->function) ||
			   starts_profiler(row->function);
		/* the call that ends it takes no time: no list cut short has it */
		whole |= slice_find(row->function, "_lsprof.Profiler") != NULL;
		torch |= slice_find(row->file, "torch/") != NULL;
		traced |= slice_is(row->function, "format_stack");
		if (hit && (!found || row->total_ns > found->total_ns))
			found = row;
	}
	/* set_detect_anomaly(False) is called, too; the mode stores where operators are called */
	if (found && whole && !traced && path_ends(found->file, ANOMALY_MODE))
		found = NULL;
	if (found) {
		AUTO_BUFFER struct buffer name = { 0 };
		buffer_add(&name, found->function.text, found->function.length);
		if (!starts_profiler(found->function)) {
			buffer_puts(&name, " of ");
			buffer_add(&name, found->file.text, found->file.length);
		}
		report_problem(finding, "%s was called", buffer_text(&name));
		finding->subject = SUBJECT_PYTHON;
	} else if (whole && torch) {
		report_ok(finding, "No debug mode was used.");
	} else {
		report_unknown(finding, NULL,
			       whole ? "No functions of PyTorch were called."
				     : "Not all calls of functions were recorded.");
	}
}

/* ---- the autograd engine ---- */

struct nan_checks {
	uint32_t calls, checked; /* of the engine: backward functions with outputs */
};

/*
 * Anomaly detection checks what each backward function returns. AccumulateGrad returns nothing:
 * hooks of gradients run in its calls.
 */
static struct nan_checks find_nan_checks(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t name = profile_find(profile, "aten::isnan");
	struct nan_checks found = { 0, 0 };
	for (uint32_t i = 0; name != NO_ROW && i < profile->spans && detect_row(diagnosis, i);
	     i++) {
		uint32_t end = i + profile->span_size[i], at = i + 1;
		if (!(diagnosis->derived->role[profile->span_name[i]] & NAME_BACKWARD_ENGINE) ||
		    !span_counts(diagnosis, i) ||
		    strstr(profile_string(profile, profile->span_name[i]), "AccumulateGrad"))
			continue;
		while (at < end && profile->span_name[at] != name)
			at += profile->span_size[at];
		found.calls++;
		found.checked += at < end;
	}
	return found;
}

/* ---- */

static void judge_calls(const struct diagnosis *diagnosis, struct finding *finding, bool told)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t spans = spans_marked(diagnosis, MARK_DEBUG_MODE);
	told |= profile->left_out.spans[SPAN_PYTHON] > 0 ||
		(profile->spans && memchr(profile->span_kind, SPAN_PYTHON, profile->spans));
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++) {
		if (!name_has(diagnosis, profile->span_name[i], MARK_DEBUG_MODE) ||
		    !selection_has_span(diagnosis->selection, i))
			continue;
		report_problem(finding, "%s was called",
			       profile_string(profile, profile->span_name[i]));
		return;
	}
	struct nan_checks checks = find_nan_checks(diagnosis);
	if (checks.checked > 1 && 2 * (uint64_t)checks.checked >= checks.calls)
		report_problem(
			finding,
			"%s of %s backward functions check their gradients for NaN (aten::isnan), as detect_anomaly does",
			COUNT(checks.checked), COUNT(checks.calls));
	else if (told)
		report_ok(finding, "No debug mode was used.");
	else
		report_unknown(finding, profile_recording(profile)->stacks,
			       "No Python functions were recorded.");
}

void detect_debug_modes(const struct diagnosis *diagnosis, struct finding *finding)
{
	AUTO_BUFFER struct buffer ok = { 0 };
	int count = 0;
	bool told = recorded_modes(diagnosis->profile, &ok, &count);
	if (count)
		report_problem(finding, "%s %s on", buffer_text(&ok), count > 1 ? "were" : "was");
	else if (profile_is_sums(diagnosis->profile))
		judge_functions(diagnosis, finding);
	else
		judge_calls(diagnosis, finding, told);
}

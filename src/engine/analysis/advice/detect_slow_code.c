/*
 * Detectors of code on the CPU that has a faster form: algorithms known by name, and double
 * precision, there and on the GPU.
 */
#include "analysis/advice/judge_kernels.h"
#include "analysis/python_rows.h"
#include "model/python_stats.h"

#include <string.h>

enum { FP64_PERCENT = 5, SLOW_CODE_PERCENT = 5 };

/* ---- time in calls ---- */

static bool launches_work(const struct diagnosis *diagnosis, uint32_t span)
{
	const uint32_t *launched = diagnosis->derived->gpu_count_prefix;
	return launched[span + diagnosis->profile->span_size[span]] > launched[span];
}

/* Outermost calls that match and launch nothing; FINDING claims their time without GPU work. */
static struct span_sum sum_code(const struct diagnosis *diagnosis, struct finding *finding,
				match_span *match, uint32_t spans)
{
	return sum_spans(diagnosis, finding,
			 &(struct span_check){ .match = match,
					       .spans = spans,
					       .outermost = true,
					       .within = diagnosis->any_kernel
								 ? &diagnosis->idle
								 : &diagnosis->window });
}

static void lead_to_call(const struct diagnosis *diagnosis, struct finding *finding, uint32_t span)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t code = code_around(diagnosis, span);
	if (code && profile->span_kind[span] != SPAN_PYTHON) {
		buffer_puts(&finding->evidence, ", the longest at ");
		add_place(&finding->evidence, profile_string(profile, code));
	}
	finding->longest =
		(struct interval){ profile->span_start[span], profile_span_end(profile, span) };
	set_subject_events(diagnosis, finding, profile->span_name[span]);
}

/* ---- slow algorithms ---- */

static const struct slow_code slow_codes[] = {
	{ "aten::", "slow_conv", "convolutions without oneDNN",
	  "Convolve in float32 or bfloat16 with torch.backends.mkldnn.enabled = True: oneDNN takes no other types." },
	{ "aten::", "thnn_conv", "convolutions without oneDNN",
	  "Convolve in float32 or bfloat16 with torch.backends.mkldnn.enabled = True: oneDNN takes no other types." },
	{ "pandas", "iterrows", "pandas rows in Python",
	  "Compute on whole columns, or convert once with to_numpy(), instead of DataFrame.iterrows." },
	{ "pandas", "applymap", "pandas cells in Python",
	  "Compute on whole columns instead of DataFrame.applymap." },
	{ "numpy", "_vectorize_call", "numpy.vectorize, a loop in Python",
	  "Use array expressions or numba.vectorize instead of numpy.vectorize." },
	{ "copy.py", "deepcopy", "copy.deepcopy",
	  "Copy what changes only: tensors with clone(), state dicts with copy()." },
};

static const struct slow_code *find_slow_code(const char *within, const char *name)
{
	for (size_t i = 0; i < sizeof slow_codes / sizeof *slow_codes; i++)
		if (strstr(within, slow_codes[i].within) && strstr(name, slow_codes[i].name))
			return &slow_codes[i];
	return NULL;
}

const struct slow_code *slow_code_of(const char *name)
{
	return find_slow_code(name, name);
}

static bool is_slow_code(const struct diagnosis *diagnosis, uint32_t span, void *context)
{
	const struct profile *profile = diagnosis->profile;
	uint8_t kind = profile->span_kind[span];
	return (kind == SPAN_OPERATOR || kind == SPAN_PYTHON) &&
	       name_has(diagnosis, profile->span_name[span], MARK_SLOW_CODE) &&
	       !launches_work(diagnosis, span);
}

static void judge_slow_calls(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct span_sum calls =
		sum_code(diagnosis, finding, is_slow_code, spans_marked(diagnosis, MARK_SLOW_CODE));
	int64_t ns = calls.claimed_ns;
	if (!profile->spans)
		report_unknown(finding, profile_recording(profile)->operators,
			       "No CPU events were recorded.");
	else if (!ns || window_percent(diagnosis, ns) < SLOW_CODE_PERCENT)
		report_ok(finding, "Slow CPU algorithms take %s.",
			  share_of_time(SHARE, diagnosis, ns));
	else {
		const struct slow_code *code =
			slow_code_of(profile_string(profile, profile->span_name[calls.longest]));
		report_problem(finding, "%s (%s) in %s call%s; the longest: %s", DURATION(ns),
			       share_of_time(SHARE, diagnosis, ns), COUNT(calls.calls),
			       PLURAL(calls.calls), code->what);
		finding->recommendation = code->instead;
		lead_to_call(diagnosis, finding, calls.longest);
	}
}

/* The function of TABLE that takes longest, with what it calls; NULL. */
static const struct slow_code *slowest_function(const struct python_rows *rows,
						const struct python_row **slowest)
{
	const struct slow_code *found = NULL;
	for (size_t i = 0; i < rows->count; i++) {
		const struct python_row *row = &rows->items[i];
		struct buffer file = { 0 }, function = { 0 };
		buffer_add(&file, row->file.text, row->file.length);
		buffer_add(&function, row->function.text, row->function.length);
		const struct slow_code *code =
			find_slow_code(buffer_text(&file), buffer_text(&function));
		if (code && row->total_ns > 0 &&
		    (!*slowest || row->total_ns > (*slowest)->total_ns)) {
			found = code;
			*slowest = row;
		}
		buffer_free(&file);
		buffer_free(&function);
	}
	return found;
}

static void judge_slow_functions(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct python_stats *stats = diagnosis->profile->python;
	const struct python_row *row = NULL;
	struct python_rows rows;
	/* after cancellation the answer is discarded */
	python_rows_make(&rows, diagnosis->selection, PYTHON_FUNCTIONS, diagnosis->progress);
	const struct slow_code *code = slowest_function(&rows, &row);
	int64_t ns = row ? row->total_ns : 0;
	if (rows.self_ns == NO_VALUE || rows.self_ns <= 0 || stats->sample_unit)
		report_unknown(finding, NULL, "No time was recorded.");
	else if (!code || percent_of((double)ns, (double)rows.self_ns) < SLOW_CODE_PERCENT)
		report_ok(finding, "Slow CPU algorithms take %s %% of all self time.",
			  PERCENT(ns, rows.self_ns));
	else {
		report_problem(finding, "%s take %s of %s (%s %%) with what they call", code->what,
			       DURATION(ns), DURATION(rows.self_ns), PERCENT(ns, rows.self_ns));
		finding->cost_ns = ns;
		finding->recommendation = code->instead;
		finding->subject = SUBJECT_PYTHON;
	}
	python_rows_free(&rows);
}

void detect_slow_code(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (diagnosis->profile->python)
		judge_slow_functions(diagnosis, finding);
	else
		judge_slow_calls(diagnosis, finding);
}

/* ---- double precision ---- */

/* By the type of an operator only where the name of the kernel says none. */
static bool may_be_fp64(const struct diagnosis *diagnosis, uint32_t name, const void *context)
{
	struct kernel_name of = diagnosis->kernel_names[name];
	return of.traits & KERNEL_FP64 ||
	       (diagnosis->profile->op_info_count && !(of.traits & KERNEL_NARROW) &&
		of.family != FAMILY_COPY);
}

/* Products by the peaks of both types; the others move twice the bytes. */
static struct judgment judge_fp64(const struct diagnosis *diagnosis, uint32_t activity,
				  const void *context)
{
	struct kernel_name name = kernel_named(diagnosis, activity);
	struct judgment at = { false, name.traits & KERNEL_FP64, 0 };
	if (!at.hit)
		at.hit = kernel_has_type(diagnosis, activity, "double");
	bool product = name.family == FAMILY_GEMM || name.family == FAMILY_CONV;
	if (at.hit)
		at.saved = product ? saved_by_precision(diagnosis, activity,
							(struct precision){ "double", true },
							(struct precision){ "float", true })
				   : 0.5;
	return at;
}

static bool is_fp64_operator(const struct diagnosis *diagnosis, uint32_t span, void *context)
{
	return diagnosis->derived->span_flags[span] & SPAN_IS_OPERATOR &&
	       !name_has(diagnosis, diagnosis->profile->span_name[span], MARK_CONVERSION) &&
	       call_has_type(diagnosis, span, "double") && !launches_work(diagnosis, span);
}

/* Vector units hold half as many elements. */
static void judge_fp64_operators(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct span_sum calls =
		sum_code(diagnosis, finding, is_fp64_operator, diagnosis->profile->spans);
	int64_t ns = calls.claimed_ns;
	double share = window_percent(diagnosis, ns);
	if (!ns || share <= FP64_PERCENT) {
		report_ok(finding, "Operators in FP64 take %s.",
			  share_of_time(SHARE, diagnosis, ns));
		return;
	}
	report_problem(finding, "Operators in FP64 take %s in %s call%s (%s)", DURATION(ns),
		       COUNT(calls.calls), PLURAL(calls.calls),
		       share_of_time(SHARE, diagnosis, ns));
	finding->cost_ns = ns / 2;
	lead_to_call(diagnosis, finding, calls.longest);
}

void detect_double_precision(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	if (!profile_all_rows(profile).activities && !profile->device_count &&
	    profile->op_info_count)
		judge_fp64_operators(diagnosis, finding);
	else if (need_kernels(diagnosis, finding))
		check_kernels(diagnosis, finding,
			      &(struct kernel_check){ .judge = judge_fp64,
						      .may_hit = may_be_fp64,
						      .percent = FP64_PERCENT,
						      .what = "Kernels in FP64" });
}

/*
 * Detectors of code on the CPU that has a faster form: algorithms known by name, and double
 * precision, there and on the GPU.
 */
#include "analysis/advice/judge_kernels.h"
#include "analysis/advice/python_callers.h"
#include "base/data_table.h"
#include "model/python_stats.h"

enum {
	FP64_PERCENT = 5,
	SLOW_CODE_PERCENT = 5
}; /* FP64: of operators; of kernels, see tables.txt */

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

#define LOADING "Data loader bound"

static const struct slow_code *slow_codes(void)
{
	return DATA_ROWS("slow_code.txt", struct slow_code, SLOW_CODE_FIELD_ROWS);
}

const struct slow_code *slow_code_of(const char *name)
{
	for (const struct slow_code *code = slow_codes(); code->name; code++)
		if (!code->title && strstr(name, code->within) && strstr(name, code->name))
			return code;
	return NULL;
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

/* The function of ROWS that takes longest with what it calls, of those of CODE; at most MOST ns. */
static const struct python_row *longest_of(const struct python_rows *rows,
					   const struct slow_code *code, int64_t most)
{
	const struct python_row *longest = NULL;
	for_each (row, rows->items, rows->count)
		if (row->total_ns > (longest ? longest->total_ns : 0) && row->total_ns <= most &&
		    slice_find(row->function, code->name) &&
		    (!code->within || slice_find(row->file, code->within)))
			longest = row;
	return longest;
}

static bool imports_are_hottest(const struct diagnosis *diagnosis)
{
	AUTO(python_rows_free) struct python_rows rows = { 0 };
	python_rows_make(&rows, diagnosis->selection, PYTHON_MERGED, diagnosis->progress);
	return python_is_of_import(diagnosis->profile, hottest_below(&rows, INT64_MAX));
}

/* The code, of LOADING data or other, that takes longest of those that take enough; NULL. Imports
   do where the hottest function works for them. */
static const struct slow_code *slowest_code(const struct diagnosis *diagnosis,
					    const struct python_rows *rows, bool loading,
					    const struct python_row **slowest)
{
	const struct slow_code *found = NULL;
	for (const struct slow_code *code = slow_codes(); code->name; code++) {
		const struct python_row *row = longest_of(rows, code, INT64_MAX);
		bool hot = code->imports && row && imports_are_hottest(diagnosis);
		int least = code->percent && !hot ? code->percent : SLOW_CODE_PERCENT;
		bool is_loading = code->title && strcmp(code->title, LOADING) == 0;
		if (row && is_loading == loading &&
		    percent_of((double)row->total_ns, (double)rows->self_ns) >= least &&
		    (!*slowest || row->total_ns > (*slowest)->total_ns)) {
			found = code;
			*slowest = row;
		}
	}
	return found;
}

static void tell_slow_function(const struct profile *profile, struct finding *finding,
			       const struct slow_code *code, const struct python_rows *rows,
			       const struct python_row *row)
{
	int64_t ns = row->total_ns < rows->self_ns ? row->total_ns : rows->self_ns;
	finding->title = code->title ? code->title : finding->title;
	finding->recommendation = code->instead;
	finding->subject = SUBJECT_PYTHON;
	finding->cost_ns = ns;
	finding->severity = SEVERITY_MEDIUM;
	report_problem(finding, "%s take %s with what they call", code->what,
		       share_of_python(SHARE, profile, ns, rows->self_ns));
	if (row->calls > 0)
		buffer_printf(&finding->evidence, ", %s call%s", COUNT(row->calls),
			      PLURAL(row->calls));
	if (code->imports)
		add_importer(&finding->evidence, profile);
}

/* What the loader fetches its items with, and whether in the process of the training. */
static void tell_items(struct finding *finding, const struct python_rows *rows, int64_t loading_ns)
{
	static const struct slow_code item = { .name = "__getitem__" };
	static const struct slow_code fetch = { .within = "fetch.py", .name = "fetch" };
	const struct python_row *row = longest_of(rows, &item, loading_ns);
	if (longest_of(rows, &fetch, loading_ns))
		buffer_puts(&finding->evidence, ", in the training process (num_workers=0)");
	if (!row || row->total_ns < loading_ns / 2)
		return;
	buffer_printf(&finding->evidence, "; %s of it in ", DURATION(row->total_ns));
	add_python_function(&finding->evidence,
			    &(struct frame_name){ row->function, row->file, row->line });
}

void judge_python_functions(const struct diagnosis *diagnosis, struct finding *finding,
			    bool loading)
{
	const struct python_row *row = NULL;
	AUTO(python_rows_free) struct python_rows rows = { 0 };
	/* after cancellation the answer is discarded */
	python_rows_make(&rows, diagnosis->selection, PYTHON_FUNCTIONS, diagnosis->progress);
	if (rows.self_ns == NO_VALUE && rows.count) /* of actions, with what they call alone */
		rows.self_ns = rows.items->whole_ns;
	const struct slow_code *code = slowest_code(diagnosis, &rows, loading, &row);
	enum sample_unit unit = diagnosis->profile->python->sample_unit;
	if (rows.self_ns <= 0 || unit == SAMPLE_BYTES || unit == SAMPLE_COUNT)
		report_unknown(finding, NULL, "No time was recorded.");
	else if (!code)
		report_ok(finding, "No such function takes much of all time.");
	else
		tell_slow_function(diagnosis->profile, finding, code, &rows, row);
	if (finding->answer == ANSWER_FIRED && loading && unit == SAMPLE_NS)
		tell_items(finding, &rows, row->total_ns);
}

void detect_slow_cpu_code(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (profile_is_sums(diagnosis->profile))
		judge_python_functions(diagnosis, finding, false);
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
static JUDGE_KERNEL(judge_fp64)
{
	struct kernel_name name = kernel_named(diagnosis, activity);
	struct judgment at = { false, name.traits & KERNEL_FP64, 0 };
	if (!at.hit)
		at.hit = call_has_type(diagnosis, kernel_operator(diagnosis, activity), "double");
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
			      &(struct kernel_check){ judge_fp64, may_be_fp64 });
}

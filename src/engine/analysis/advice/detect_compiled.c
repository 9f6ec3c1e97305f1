/*
 * Detectors of torch.compile: graph breaks, guards that are checked before each call, kernels that
 * are timed, and caches.
 */
#include "analysis/advice/detect.h"
#include "base/text_slice.h"

#include <stdlib.h>

enum { GUARDS_PERCENT = 2, TRIALS_PERCENT = 1 };

static const char region_name[] = "Torch-Compiled Region: ";

/* "Torch-Compiled Region: FRAME/VERSION", as torch.compile names its calls. */
struct region {
	uint32_t span;
	long frame, version;
};

static bool read_region(const struct diagnosis *diagnosis, uint32_t span, struct region *region)
{
	const struct profile *profile = diagnosis->profile;
	if (!name_has(diagnosis, profile->span_name[span], MARK_COMPILED) ||
	    profile->span_kind[span] == SPAN_GPU_ANNOTATION || !span_counts(diagnosis, span))
		return false;
	const char *text = profile_string(profile, profile->span_name[span]) + strlen(region_name);
	char *end;
	region->span = span;
	region->frame = strtol(text, &end, 10);
	region->version = *end == '/' ? strtol(end + 1, NULL, 10) : 0;
	return true;
}

static bool is_guard(const struct diagnosis *diagnosis, uint32_t span, void *context)
{
	const struct profile *profile = diagnosis->profile;
	return name_has(diagnosis, profile->span_name[span], MARK_GUARDS) &&
	       profile->span_kind[span] != SPAN_GPU_ANNOTATION;
}

/* ---- graph breaks ---- */

struct breaks {
	int64_t regions, recompiled, breaks, eager; /* EAGER: GPU events launched in breaks */
	struct intervals between;
	const struct diagnosis *diagnosis;
	struct finding *finding;
};

/* Frames are numbered as they are compiled: a break continues in a later one of the same step. */
static bool is_break(const struct diagnosis *diagnosis, const struct region *before,
		     const struct region *after)
{
	const struct profile *profile = diagnosis->profile;
	return before->span != NO_ROW &&
	       profile->span_track[before->span] == profile->span_track[after->span] &&
	       after->frame > before->frame &&
	       derived_step_at(diagnosis->derived, profile->span_start[before->span]) ==
		       derived_step_at(diagnosis->derived, profile->span_start[after->span]);
}

static void add_break(struct breaks *breaks, uint32_t before, uint32_t after)
{
	const struct diagnosis *diagnosis = breaks->diagnosis;
	const struct profile *profile = diagnosis->profile;
	const uint32_t *launched = diagnosis->derived->gpu_count_prefix;
	uint32_t first = before + profile->span_size[before], last = after - 1;
	if (first > after) { /* called by the region itself, some time after its last launch */
		while (last > before && launched[last] == launched[after])
			last--;
		breaks->breaks++;
		intervals_add(&breaks->between,
			      last > before ? profile_span_end(profile, last)
					    : profile->span_start[before],
			      profile->span_start[after]);
		return;
	}
	if (launched[after] == launched[first])
		return;
	breaks->breaks++;
	breaks->eager += launched[after] - launched[first];
	for (uint32_t i = first; i < after && detect_row(diagnosis, i); i++)
		if (launched[i + 1] > launched[i])
			blame_span(diagnosis, breaks->finding, i, launched[i + 1] - launched[i]);
	intervals_add(&breaks->between, profile_span_end(profile, before),
		      profile->span_start[after]);
}

static void find_breaks(struct breaks *breaks)
{
	const struct diagnosis *diagnosis = breaks->diagnosis;
	struct region last = { NO_ROW, 0, 0 }, at;
	uint32_t spans = spans_marked(diagnosis, MARK_COMPILED);
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++) {
		if (!read_region(diagnosis, i, &at))
			continue;
		breaks->regions++;
		breaks->recompiled += at.version > 0;
		if (is_break(diagnosis, &last, &at))
			add_break(breaks, last.span, i);
		last = at;
	}
}

/* By the log, the break that occurs most. */
static void name_break(const struct compile_log *log, struct breaks *breaks)
{
	const struct profile *profile = breaks->diagnosis->profile;
	const struct compile_item *most = NULL;
	for (size_t i = 0; log && i < log->items[OF_BREAK].count; i++) {
		const struct compile_item *item = &log->items[OF_BREAK].at[i];
		if (!most || item->number[BREAK_COUNT] > most->number[BREAK_COUNT])
			most = item;
	}
	if (most)
		buffer_printf(&breaks->finding->evidence, "; by the log most at %s: %s",
			      profile_string(profile, most->text[BREAK_PLACE]),
			      profile_string(profile, most->text[BREAK_REASON]));
}

void detect_graph_breaks(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct breaks breaks = { .diagnosis = diagnosis, .finding = finding };
	find_breaks(&breaks);
	int64_t ns = claim_host_time(diagnosis, finding, &breaks.between);
	int64_t steps = diagnosis->steps ? diagnosis->steps : 1, per_step = breaks.breaks / steps;
	if (!breaks.regions)
		report_ok(finding, "No region compiled by torch.compile was called.");
	else if (breaks.breaks < steps)
		report_ok(finding, "%s compiled regions without a break between them.",
			  COUNT(breaks.regions));
	else
		report_problem(
			finding,
			"%s graph break%s%s: %s GPU event%s launched eagerly between compiled regions; the GPU is idle for %s there",
			COUNT(per_step), PLURAL(per_step),
			diagnosis->derived->steps_from_profile ? " per step" : "",
			COUNT(breaks.eager), PLURAL(breaks.eager), DURATION(ns));
	if (finding->answer == ANSWER_FIRED && breaks.recompiled)
		buffer_printf(&finding->evidence, "; %s of %s calls run recompiled code",
			      COUNT(breaks.recompiled), COUNT(breaks.regions));
	if (finding->answer == ANSWER_FIRED)
		name_break(diagnosis->profile->compile, &breaks);
}

/* ---- guards ---- */

void detect_compile_guards(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct span_sum guards =
		sum_spans(diagnosis, finding,
			  &(struct span_check){ .match = is_guard,
						.spans = spans_marked(diagnosis, MARK_GUARDS) });
	if (window_percent(diagnosis, guards.claimed_ns) >= GUARDS_PERCENT)
		report_problem(
			finding,
			"%s call%s of torch.compile check guards for %s; the GPU is idle for %s of it",
			COUNT(guards.calls), PLURAL(guards.calls), DURATION(guards.ns),
			DURATION(guards.claimed_ns));
	else
		report_ok(finding, "%s guard checks; the GPU is idle in them for %s.",
			  COUNT(guards.calls), share_of_time(SHARE, diagnosis, guards.claimed_ns));
}

/* ---- autotuning ---- */

/* Where a compiler times kernels: by ranges of torch.compile, its log, or Python functions. */
static void find_trials(const struct diagnosis *diagnosis, struct intervals *out)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t lane = profile_find(profile, CATEGORY_COMPILE);
	uint32_t spans = spans_marked(diagnosis, MARK_TRIALS);
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++) {
		uint32_t name = profile->span_name[i];
		if (name_has(diagnosis, name, MARK_TRIALS) &&
		    profile->span_kind[i] != SPAN_GPU_ANNOTATION &&
		    (diagnosis->derived->role[name] & NAME_COMPILE ||
		     (profile->span_kind[i] == SPAN_OTHER && profile->span_info[i] == lane) ||
		     text_begins_one(profile_string(profile, name), "triton/|torch/_inductor/")))
			intervals_add(out, profile->span_start[i], profile_span_end(profile, i));
	}
	intervals_merge(out);
}

/* Its launch is in one of TRIALS. */
static bool is_tried(const struct diagnosis *diagnosis, const struct intervals *trials,
		     uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t launch = profile->activity_launch[activity];
	int64_t at = launch == NO_ROW ? -1 : profile->span_start[launch];
	return is_critical(diagnosis, activity) && intervals_length_in(trials, at, at + 1);
}

/* Two witnesses: what is around the launch, and that the kernel is launched there again. */
void detect_autotuning(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	const uint32_t *name = profile->activity_name;
	AUTO_INTERVALS struct intervals trials = { 0 }, lost = { 0 };
	AUTO_FREE uint32_t *tried =
		mem_zalloc((size_t)diagnosis->derived->names + 1, sizeof *tried);
	int64_t count = 0;
	find_trials(diagnosis, &trials);
	uint32_t rows = trials.count ? profile->activities : 0;
	for (uint32_t i = 0; i < rows && detect_heavy_row(diagnosis, i); i++)
		tried[name[i]] += is_tried(diagnosis, &trials, i);
	for (uint32_t i = 0; i < rows && detect_heavy_row(diagnosis, i); i++) {
		if (tried[name[i]] < 2 || !is_tried(diagnosis, &trials, i))
			continue;
		count++;
		blame_activity(diagnosis, finding, i);
		intervals_add(&lost, profile->activity_start[i], profile_activity_end(profile, i));
	}
	intervals_merge(&lost);
	intervals_intersect(&trials, &diagnosis->idle, &trials);
	if (count)
		intervals_unite(&lost, &trials, &lost);
	int64_t ns = claim_common(diagnosis, finding, &lost, &diagnosis->window);
	if (window_percent(diagnosis, ns) >= TRIALS_PERCENT)
		report_problem(
			finding,
			"A compiler times kernels to choose among them: %s launch%s and the idle time there take %s (%s)",
			COUNT(count), count == 1 ? "" : "es", DURATION(ns),
			share_of_time(SHARE, diagnosis, ns));
	else
		report_ok(finding, "%s launch%s of kernels that a compiler times take %s.",
			  COUNT(count), count == 1 ? "" : "es",
			  share_of_time(SHARE, diagnosis, ns));
}

/* ---- caches ---- */

static bool missed_cache(const struct profile *profile, const struct compile_item *item)
{
	const char *graphs = profile_string(profile, item->text[COMPILE_FX_CACHE]);
	const char *whole = profile_string(profile, item->text[COMPILE_AOT_CACHE]);
	return strstr(graphs, "miss") || strstr(graphs, "bypass") || strstr(whole, "miss") ||
	       strstr(whole, "bypass");
}

void detect_compile_cache(const struct diagnosis *diagnosis, struct finding *finding)
{
	enum { START_NS = 1000000000 };
	const struct profile *profile = diagnosis->profile;
	const struct compile_items none = { 0 };
	const struct compile_items *all =
		profile->compile ? &profile->compile->items[OF_COMPILATION] : &none;
	int64_t count = 0, ns = 0, whole = 0, tuned = 0;
	for_each (item, all->at, all->count) {
		int64_t total = item->number[COMPILE_TOTAL];
		bool missed = missed_cache(profile, item);
		add_if_known(&whole, total);
		add_if_known(&tuned, item->number[PHASE_AUTOTUNE]);
		add_if_known(&ns, missed ? total : 0);
		count += missed;
	}
	if (!all->count && !spans_marked(diagnosis, MARK_COMPILED))
		report_ok(finding, "No region compiled by torch.compile was called.");
	else if (!all->count)
		report_unknown(finding, "Set TORCH_TRACE=DIR, and open its log beside the trace.",
			       "No log of torch.compile was opened.");
	else if (ns < START_NS || ns < whole - ns)
		report_ok(finding, "Compilations not in the caches take %s.", DURATION(ns));
	else
		report_problem(
			finding,
			"%s of %s compilations missed or bypassed the caches of Inductor and AOTAutograd: these take %s of %s; autotuning takes %s",
			COUNT(count), COUNT(all->count), DURATION(ns), DURATION(whole),
			DURATION(tuned));
}

/*
 * Detectors of capture quality: can the numbers be trusted, and are there enough?
 */
#include "analysis/advice/detect.h"
#include "analysis/host_walk.h"
#include "base/any_of.h"
#include "base/text.h"
#include "model/recording.h"

enum { STEPS_MIN = 3, OVERHEAD_PERCENT = 2, LINKED_PERCENT = 90 };

/* What the host did, as recorded. */
struct host_calls {
	int64_t launches;
	int64_t calls; /* of the GPU's interface, launches included */
	int64_t code;  /* operators and Python functions */
	bool uses_gpu; /* though not by these calls */
	struct buffer gpu_names;
};

static struct host_calls count_host_calls(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	struct host_calls of = { 0 };
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		uint8_t kind = profile->span_kind[i];
		uint32_t name = profile->span_name[i];
		of.code += kind == SPAN_OPERATOR || kind == SPAN_PYTHON;
		of.calls += kind == SPAN_RUNTIME;
		of.launches += kind == SPAN_RUNTIME && name_has(diagnosis, name, MARK_LAUNCH);
	}
	return of;
}

bool lacks_kinds(const struct profile *profile)
{
	return profile->spans && !profile->activities && !profile_recording(profile)->any_ranges &&
	       !any_of(i, profile->spans, profile->span_kind[i] != SPAN_OTHER);
}

bool used_unrecorded_gpu(const struct diagnosis *diagnosis, struct buffer *names)
{
	const struct profile *profile = diagnosis->profile;
	bool other = false, both = false;
	if (profile_all_rows(profile).activities)
		return false;
	for (uint32_t i = 0; i < diagnosis->derived->names && !both; i++) {
		if (!name_has(diagnosis, i, MARK_GPU_ONLY))
			continue;
		buffer_puts(names, other ? " and " : "");
		add_name(names, profile_string(profile, i));
		/* NCCL's own range, in the operator that notes its parameters */
		both = other || (diagnosis->derived->role[i] & NAME_COMMUNICATION &&
				 first_span_named(diagnosis, "record_param_comms") != NO_ROW);
		other = true;
	}
	for (size_t i = 0; i < profile->memory_count && diagnosis->any_marks && !both; i++)
		both = profile->memory_events[i].device_type > 0;
	return both;
}

bool quote_profiler(const struct profile *profile, struct buffer *out)
{
	int quoted = 0;
	bool failed = false;
	uint32_t last = 0;
	for (size_t i = 0; i < profile->metadata_count && quoted < 2; i++) {
		const char *key = profile_string(profile, profile->metadata[i].key);
		uint32_t id = profile->metadata[i].value;
		const char *text = profile_string(profile, id);
		bool error = strncmp(key, "error ", 6) == 0 && strstr(text, "CUPTI_ERROR");
		bool warning = strncmp(key, "warning ", 8) == 0 && strstr(text, "CUDA");
		if (!(error || warning) || id == last)
			continue;
		buffer_puts(out, quoted++ ? ", \"" : "; the profiler says: \"");
		text_escape(out, text, strlen(text));
		buffer_putc(out, '"');
		failed |= error || strstr(text, "not supported");
		last = id;
	}
	return failed;
}

/* GPU events were left out, or lost with the end of the file; or the profiler could not record. */
static void fire_no_device_work(const struct diagnosis *diagnosis, struct finding *finding,
				const struct host_calls *host, const struct buffer *said,
				bool failed)
{
	const struct profile *profile = diagnosis->profile;
	size_t devices = profile->device_count;
	if (host->launches)
		report_problem(finding, "%s launch%s recorded, but no kernel or copy",
			       COUNT(host->launches), host->launches == 1 ? " was" : "es were");
	else if (host->calls)
		report_problem(
			finding,
			"%s call%s of the GPU's interface, none of which launches a kernel or copies",
			COUNT(host->calls), PLURAL(host->calls));
	else if (host->uses_gpu)
		report_problem(
			finding, "A GPU was used (%s), but no launch, kernel or copy was recorded",
			host->gpu_names.length ? buffer_text(&host->gpu_names) : "its memory");
	else if (devices)
		report_problem(finding,
			       "%zu GPU%s listed, but no launch, kernel or copy was recorded",
			       devices, devices == 1 ? " is" : "s are");
	else
		report_problem(finding, "No GPU event was recorded");
	buffer_puts(&finding->evidence, buffer_text(said));
	if (failed) {
		finding->recommendation =
			"Use a profiler as new as the GPU's driver, and allow it to read the GPU.";
	} else if (profile->truncated) {
		finding->recommendation =
			"Copy or record the file again: it ends early, and GPU events come last.";
	} else if (!host->launches && host->calls) {
		finding->title = "No GPU work launched";
		finding->recommendation =
			"Check that the program reaches its GPU work without an error, and record until it does.";
	} else if (!host->launches && profile_recording(profile)->device) {
		finding->recommendation = profile_recording(profile)->device;
	}
}

/*
 * A GPU that is listed, or asked for its properties, is no reason: the program may compute on the
 * CPU, and did if that shows.
 */
static bool lacks_device_work(const struct profile *profile, const struct host_calls *host)
{
	bool expected = profile->device_count || host->calls ||
			(profile->spans && profile_lacks_events(profile));
	return host->launches || host->uses_gpu ||
	       (expected && (!host->code || profile->truncated));
}

/* Its first event is its last. */
static bool is_empty_profile(const struct profile *profile)
{
	return !profile->end_ns && !profile->activities && !profile->filter && !profile->python &&
	       !profile->totals && !profile->snapshot && !profile->flight &&
	       !profile->counter_count && !profile->memory_count && !profile->sample_count;
}

static void tell_empty_profile(struct finding *finding)
{
	finding->title = "Nothing recorded";
	finding->recommendation =
		"Record while the program works; with a schedule, call profiler.step() until its active steps have passed.";
	report_problem(finding, "The file holds no event: the recording ended before work began");
}

void detect_no_device_work(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	/* memory is also set while a library begins, without work for it */
	bool worked =
		any_of(i, profile->activities,
		       profile_is_work(profile, i) && profile->activity_kind[i] != ACTIVITY_MEMSET);
	struct host_calls host = worked ? (struct host_calls){ 0 } : count_host_calls(diagnosis);
	host.uses_gpu = used_unrecorded_gpu(diagnosis, &host.gpu_names);
	AUTO_BUFFER struct buffer said = { 0 };
	bool failed = !worked && quote_profiler(profile, &said);
	if (profile->snapshot)
		report_ok(finding, "Memory snapshots hold no GPU work.");
	else if (profile->totals)
		report_ok(finding, "The file holds sums, not events.");
	else if (is_empty_profile(profile) && !failed)
		tell_empty_profile(finding);
	else if (lacks_kinds(profile) && !failed)
		report_unknown(finding, NULL, "What kinds the events are of was not recorded.");
	else if (failed || (!worked && lacks_device_work(profile, &host)))
		fire_no_device_work(diagnosis, finding, &host, &said, failed);
	else
		report_ok(finding, "%s GPU events were recorded.",
			  COUNT(profile_all_rows(profile).activities));
	buffer_free(&host.gpu_names);
}

static void say_steps_from(const struct derived *derived, struct finding *finding)
{
	AUTO_BUFFER struct buffer from = { 0 };
	step_source_describe(derived, &from);
	report_ok(finding, "%" PRIu32 " step%s from %s.", derived->step_count,
		  PLURAL(derived->step_count), buffer_text(&from));
}

static void tell_empty_steps(const struct derived *derived, struct finding *finding)
{
	bool device = derived->profile->activities;
	finding->title = device ? "Marked steps without GPU work" : "Marked steps without work";
	finding->recommendation =
		device ? "Record several steps, and end the last one with torch.cuda.synchronize(): marks close before the GPU works."
		       : "Record several steps, and call profiler.step() at the end of each.";
	report_problem(
		finding,
		"%" PRIu32
		" marked step%s under 20 %% of %s time and %s not used; the whole profile counts as one step",
		derived->empty_steps, derived->empty_steps == 1 ? " holds" : "s hold",
		device ? "GPU" : "operator", derived->empty_steps == 1 ? "is" : "are");
}

void detect_no_steps(const struct diagnosis *diagnosis, struct finding *finding)
{
	finding->recommendation = profile_recording(diagnosis->profile)->steps;
	if (diagnosis->derived->steps_from_profile)
		say_steps_from(diagnosis->derived, finding);
	else if (diagnosis->derived->empty_steps)
		tell_empty_steps(diagnosis->derived, finding);
	else if (diagnosis->profile->snapshot)
		report_ok(finding, "Memory snapshots have no steps.");
	else if (diagnosis->profile->flight)
		report_ok(finding, "Flight recorders have no steps.");
	else if (profile_is_counters(diagnosis->profile))
		report_ok(finding, "Counters have no steps.");
	/* profilers that aggregate over the run cannot mark steps, nor can printed sums */
	else if (profile_recording(diagnosis->profile)->totals_only ||
		 profile_is_sums(diagnosis->profile) || diagnosis->profile->totals)
		report_ok(finding, "Profiles of this kind hold sums over all steps.");
	else if (is_empty_profile(diagnosis->profile))
		report_ok(finding, "Nothing was recorded.");
	else
		report_problem(
			finding,
			"No step boundaries were recorded; the whole profile counts as one step");
}

static int64_t whole_steps(const struct derived *derived)
{
	int64_t whole = 0;
	for (uint32_t i = 0; i < derived->step_count; i++)
		whole += !derived->steps[i].partial;
	return whole;
}

void detect_few_steps(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct derived *derived = diagnosis->derived;
	int64_t whole = whole_steps(derived);
	finding->recommendation = profile_recording(diagnosis->profile)->warm_up;
	if (!derived->steps_from_profile)
		report_unknown(finding, profile_recording(diagnosis->profile)->steps,
			       "No step boundaries were recorded.");
	else if (whole >= STEPS_MIN)
		report_ok(finding, "%s complete steps.", COUNT(whole));
	else
		report_problem(finding, "%s of %" PRIu32 " step%s complete, too few for averages",
			       COUNT(whole), derived->step_count, PLURAL(derived->step_count));
}

/* ---- step times ---- */

static int64_t dur_of(const struct step *step)
{
	return step->end - step->start;
}

void detect_slow_start(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct derived *derived = diagnosis->derived;
	size_t count;
	AUTO_FREE int64_t *durations = steps_sorted_durations(derived, &count);
	int64_t first = dur_of(&derived->steps[0]), median = count ? durations[count / 2] : 0;
	if (!derived->steps_from_profile || derived->step_count < STEPS_MIN) {
		report_unknown(finding, how_to_get_steps(diagnosis),
			       "Fewer than three steps were recorded.");
	} else if (!derived->steps[0].slow_start) {
		report_ok(finding, "The first step takes %s, the median step %s.", DURATION(first),
			  DURATION(median));
	} else {
		report_problem(
			finding,
			"The first step takes %s, the median step %s; the findings exclude it",
			DURATION(first), DURATION(median));
		set_subject(finding, SUBJECT_STEP, 0);
	}
}

struct detect_capture_outliers {
	int64_t count;
	uint32_t worst;                 /* index of a step */
	uint32_t even_first, even_last; /* the longest run of regular steps */
};

static struct detect_capture_outliers find_outliers(const struct derived *derived,
						    const struct step_spread *spread)
{
	struct detect_capture_outliers found = { 0 };
	uint32_t run = 0, best = 0;
	for (uint32_t i = 0; i < derived->step_count; i++) {
		int64_t dur = dur_of(&derived->steps[i]);
		bool even = !derived->steps[i].partial && dur >= spread->low && dur <= spread->high;
		run = even ? run + 1 : 0;
		if (run > best) {
			best = run;
			found.even_last = i;
			found.even_first = i + 1 - run;
		}
		if (even || derived->steps[i].partial)
			continue;
		if (!found.count++ || dur > dur_of(&derived->steps[found.worst]))
			found.worst = i;
	}
	return found;
}

void detect_uneven_steps(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct derived *derived = diagnosis->derived;
	struct step_spread spread;
	if (!derived->steps_from_profile || !steps_spread(derived, &spread)) {
		report_unknown(finding, how_to_get_steps(diagnosis),
			       "Fewer than four complete steps were recorded.");
		return;
	}
	struct detect_capture_outliers found = find_outliers(derived, &spread);
	if (!found.count) {
		report_ok(finding, "All %zu steps are close to the median of %s.", spread.count,
			  DURATION(spread.median));
		return;
	}
	report_problem(finding,
		       "%s of %zu steps %s (median %s)%s step %s with %s; steps %s..%s are even",
		       COUNT(found.count), spread.count,
		       found.count == 1 ? "is an outlier" : "are outliers", DURATION(spread.median),
		       found.count == 1 ? ":" : ", the longest being",
		       COUNT(derived->steps[found.worst].number),
		       DURATION(dur_of(&derived->steps[found.worst])),
		       COUNT(derived->steps[found.even_first].number),
		       COUNT(derived->steps[found.even_last].number));
	set_subject(finding, SUBJECT_STEP, found.worst);
}

/* ---- what the capture begins with ---- */

void detect_graph_capture(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (diagnosis->capturing)
		report_problem(finding,
			       "A graph was captured: most of %s launch calls did not execute",
			       COUNT(count_host_calls(diagnosis).launches));
	else
		report_ok(finding, "The launches execute.");
}

/* Do the findings examine less than half of the capture, even if PART of it would count? */
static bool leaves_most_out(const struct diagnosis *diagnosis, int64_t part)
{
	const struct analysis_window *time = &diagnosis->device->analysis_window;
	return analysis_window_is_small(time) && time->dur + part < time->capture / 2;
}

/* What a verdict on the rest of the capture is worth if the findings leave out this PART of it. */
static enum severity severity_of_omission(const struct diagnosis *diagnosis, int64_t part)
{
	bool most = leaves_most_out(diagnosis, 0) && !leaves_most_out(diagnosis, part);
	return most || part > diagnosis->dur ? SEVERITY_HIGH : SEVERITY_LOW;
}

/* "523.01 ms of the 12.35 s capture (4.2 %)" */
static void add_examined(const struct diagnosis *diagnosis, struct finding *finding)
{
	int64_t capture = diagnosis->device->analysis_window.capture;
	if (capture == NO_VALUE)
		buffer_puts(&finding->evidence, DURATION(diagnosis->dur));
	else
		buffer_printf(&finding->evidence, "%s of the %s capture (%s %%)",
			      DURATION(diagnosis->dur), DURATION(capture),
			      PERCENT(diagnosis->dur, capture));
}

void detect_capture_head(const struct diagnosis *diagnosis, struct finding *finding)
{
	enum { HEAD_PERCENT = 2 };
	const struct work_window *window = &diagnosis->device->window;
	int64_t whole = diagnosis->head_ns + diagnosis->dur;
	if (percent_of((double)diagnosis->head_ns, (double)whole) < HEAD_PERCENT) {
		report_ok(finding, "The capture begins with work of its own.");
		return;
	}
	finding->severity = severity_of_omission(diagnosis, diagnosis->head_ns);
	report_problem(finding, "The first %s of %s wait for work from before the capture",
		       DURATION(diagnosis->head_ns), DURATION(whole));
	if (window->unlinked)
		buffer_printf(&finding->evidence,
			      "; %" PRIu64 " GPU events were launched before it", window->unlinked);
	if (diagnosis->blocked != NO_ROW)
		buffer_printf(&finding->evidence, "; the host is in %s",
			      profile_string(diagnosis->profile,
					     diagnosis->profile->span_name[diagnosis->blocked]));
	buffer_puts(&finding->evidence, "; the findings examine ");
	add_examined(diagnosis, finding);
	finding->longest = diagnosis->head;
	finding->is_idle = diagnosis->blocked != NO_ROW;
}

struct capture_rest {
	const struct diagnosis *diagnosis;
	int64_t *ns; /* by string: time of CPU events of that name, without those inside */
};

static void add_rest(void *context, uint32_t span, int64_t start, int64_t end)
{
	struct capture_rest *rest = context;
	rest->ns[rest->diagnosis->profile->span_name[span]] += end - start;
}

/* What the launching threads do in PART of the capture, if one name has much of it. */
static void tell_rest(const struct diagnosis *diagnosis, struct finding *finding,
		      struct interval part)
{
	enum { TOLD_PERCENT = 10 };
	const struct profile *profile = diagnosis->profile;
	struct capture_rest rest = { diagnosis, NULL };
	AUTO_FREE int64_t *ns = rest.ns =
		mem_zalloc(intern_count(profile->strings) + 1, sizeof *ns);
	AUTO_INTERVALS struct intervals set = { 0 };
	intervals_add(&set, part.start, part.end);
	for (uint32_t t = 0; t < profile->track_count; t++)
		if (diagnosis->launching[t])
			host_walk(diagnosis->derived, t, &set, add_rest, &rest,
				  diagnosis->progress);
	uint32_t most = most_costly(ns, intern_count(profile->strings));
	if (most == NO_ROW ||
	    percent_of((double)ns[most], (double)(part.end - part.start)) < TOLD_PERCENT)
		return;
	buffer_printf(&finding->evidence, ", %s of that in ", DURATION(ns[most]));
	add_name(&finding->evidence, profile_string(profile, most));
}

/* What the findings do not examine may be what the run spends its time on. */
static bool judge_rest(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct work_window *window = &diagnosis->device->window;
	const struct scope *scope = diagnosis->selection->scope;
	int64_t capture = diagnosis->device->analysis_window.capture;
	int64_t from = scope->has_time && scope->time_first > 0 ? scope->time_first : 0;
	int64_t before = window->start - from, after = from + capture - window->end;
	int64_t between = capture - before - after - diagnosis->dur;
	const char *what = window->from_steps ? "step" : "GPU work";
	if (!leaves_most_out(diagnosis, diagnosis->head_ns))
		return false;
	/* what comes after the work hides none of it */
	finding->severity = after > capture / 2 ? SEVERITY_LOW : SEVERITY_HIGH;
	finding->recommendation =
		"Shorten this part first if the whole run counts; else record the GPU work alone, after warm-up.";
	finding->title = before > capture / 2  ? "Start-up fills most of the capture"
			 : after > capture / 2 ? "Teardown fills most of the capture"
					       : "Small part of the capture examined";
	report_problem(finding, "The findings and their shares are of ");
	add_examined(diagnosis, finding);
	buffer_printf(&finding->evidence, ": %s pass before the first %s", DURATION(before), what);
	if (before > capture / 2)
		tell_rest(diagnosis, finding, (struct interval){ from, window->start });
	if (after >= capture / 100)
		buffer_printf(&finding->evidence, ", %s after the last", DURATION(after));
	if (after > capture / 2)
		tell_rest(diagnosis, finding, (struct interval){ window->end, from + capture });
	if (between >= capture / 100)
		buffer_printf(&finding->evidence, ", %s between are left out", DURATION(between));
	return true;
}

static void judge_one_offs(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	const struct intervals *gaps = &diagnosis->one_off;
	struct interval longest = intervals_longest(gaps);
	struct gap_owner owner =
		gaps_owner(&diagnosis->device->gaps, longest.start, longest.end, 0);
	int64_t whole = diagnosis->one_off_ns + diagnosis->dur;
	finding->severity = leaves_most_out(diagnosis, 0)
				    ? SEVERITY_HIGH
				    : severity_of_omission(diagnosis, diagnosis->one_off_ns);
	report_problem(finding, "%zu one-off gap%s: %s of %s (%s %%), the longest %s", gaps->count,
		       PLURAL(gaps->count), DURATION(diagnosis->one_off_ns), DURATION(whole),
		       PERCENT(diagnosis->one_off_ns, whole),
		       DURATION(longest.end - longest.start));
	if (owner.span != NO_ROW) {
		uint32_t name = profile->span_name[owner.span];
		uint32_t caller = operator_around(diagnosis, owner.span);
		buffer_printf(&finding->evidence, " in %s", profile_string(profile, name));
		if (caller != NO_ROW && caller != name)
			buffer_printf(&finding->evidence, " called by %s",
				      profile_string(profile, caller));
	}
	buffer_puts(&finding->evidence, "; the findings examine ");
	add_examined(diagnosis, finding);
	finding->longest = longest;
	finding->is_idle = true;
}

void detect_capture_startup(const struct diagnosis *diagnosis, struct finding *finding)
{
	if (!diagnosis->cause_ns[CAUSE_COPY] && !need_kernels(diagnosis, finding))
		return;
	if (leaves_most_out(diagnosis, diagnosis->one_off_ns) && judge_rest(diagnosis, finding))
		return;
	if (diagnosis->one_off_ns)
		judge_one_offs(diagnosis, finding);
	else
		report_ok(finding, "No one-off work fills a large part of the capture.");
}

/* ---- the profiler ---- */

static bool is_overhead(const struct diagnosis *diagnosis, uint32_t span, void *context)
{
	return diagnosis->profile->span_kind[span] == SPAN_OVERHEAD &&
	       diagnosis->causes->span_cause[span] == CAUSE_OVERHEAD;
}

void detect_profiler_overhead(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct span_sum events = sum_spans(
		diagnosis, NULL,
		&(struct span_check){ .match = is_overhead, .spans = diagnosis->profile->spans });
	int64_t idle = diagnosis->cause_ns[CAUSE_OVERHEAD];
	claim_cause(diagnosis, finding, CAUSE_OVERHEAD);
	if (window_percent(diagnosis, idle) < OVERHEAD_PERCENT)
		report_ok(finding, "The GPU is idle for profiler overhead in %s.",
			  share_of_time(SHARE, diagnosis, idle));
	else
		report_problem(
			finding,
			"%s profiler overhead events take %s; the GPU is idle for %s of it (%s)",
			COUNT(events.calls), DURATION(events.ns), DURATION(idle),
			share_of_time(SHARE, diagnosis, idle));
}

void detect_stack_cost(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	uint64_t python = profile_all_spans(profile, SPAN_PYTHON);
	uint64_t spans = profile_all_rows(profile).spans;
	finding->recommendation = profile_recording(profile)->lighter;
	if (diagnosis->stacks)
		report_problem(finding, "%s %% of %s CPU events are Python functions",
			       PERCENT(python, spans), COUNT(spans));
	else
		report_ok(finding, "%s %% of CPU events are Python functions.",
			  PERCENT(python, spans));
}

void detect_unlinked_work(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t count = 0, ns = 0, total = 0;
	bool numbered = false;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (!profile_is_work(profile, i) ||
		    !selection_has_activity(diagnosis->selection, i))
			continue;
		total += profile->activity_dur[i];
		numbered |= profile->activity_correlation[i] != NO_VALUE;
		if (derived_work_row(diagnosis->derived, i) != NO_ROW ||
		    derived_is_migration(diagnosis->derived, i))
			continue;
		count++;
		ns += profile->activity_dur[i];
	}
	if (!total)
		report_unknown(finding, profile_recording_device(profile),
			       "No GPU events were recorded.");
	else if (profile_times_modeled(profile) && !profile->spans)
		report_unknown(finding, profile_recording(profile)->operators,
			       "Kernels were measured one by one, without a timeline.");
	else if (ns == total && !numbered)
		report_unknown(
			finding, NULL,
			"No GPU event has a correlation ID, which would name its launch call.");
	else if (percent_of((double)(total - ns), (double)total) < LINKED_PERCENT)
		report_problem(
			finding,
			"%s GPU event%s (%s %% of GPU time) ha%s no launch call in the profile",
			COUNT(count), PLURAL(count), PERCENT(ns, total), count == 1 ? "s" : "ve");
	else
		report_ok(finding, "%s %% of GPU time is unlinked.", PERCENT(ns, total));
	if (finding->answer == ANSWER_FIRED) /* where none was recorded, no other time has them */
		finding->recommendation =
			profile_how_to_record(profile, RECORDED_CALLS) ?: finding->recommendation;
}

/* Why no start of GPU work can be compared with that of its launch call. */
static void tell_unlinked(const struct profile *profile, bool any, struct finding *finding)
{
	if (!any)
		report_unknown(finding, profile_recording_device(profile),
			       "No GPU events were recorded.");
	else if (profile_times_modeled(profile))
		report_unknown(finding, NULL,
			       "Kernels were measured one by one, without a timeline.");
	else if (!profile_all_spans(profile, SPAN_RUNTIME))
		report_unknown(finding, NULL, "No launch calls were recorded.");
	else
		report_unknown(finding, profile_recording_device(profile),
			       "No GPU event is linked to its launch call.");
}

void detect_clock(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t linked = 0, early = 0, max = 0;
	bool any = false;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		if (!profile_is_work(profile, i) ||
		    !selection_has_activity(diagnosis->selection, i))
			continue;
		any = true;
		if (launch == NO_ROW)
			continue;
		int64_t lead = profile->span_start[launch] - profile->activity_start[i];
		linked++;
		early += lead > 0;
		max = lead > max ? lead : max;
	}
	if (!linked || profile_times_modeled(profile))
		tell_unlinked(profile, any, finding);
	else if (early)
		report_problem(finding,
			       "%s of %s GPU events start before their launch call, by up to %s",
			       COUNT(early), COUNT(linked), DURATION(max));
	else
		report_ok(finding, "None of %s GPU events starts before its launch call.",
			  COUNT(linked));
}

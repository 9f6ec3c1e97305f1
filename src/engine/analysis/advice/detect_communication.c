/*
 * Detectors of multi-device work.
 */
#include "analysis/advice/detect.h"
#include "analysis/advice/summary_findings.h"
#include "base/any_of.h"
#include "base/compare.h"
#include "model/recording.h"

#include <stdlib.h>

enum { EXPOSED_PERCENT = 5, NO_SYNC_PERCENT = 2 };

void detect_data_parallel(const struct diagnosis *diagnosis, struct finding *finding)
{
	uint32_t span = first_span_named(diagnosis, "DataParallel.forward");
	if (span == NO_ROW || diagnosis->device_count < 2) {
		report_ok(finding, "%s; kernels run on %zu GPUs.",
			  span == NO_ROW ? "DataParallel is not used" : "DataParallel is used",
			  diagnosis->device_count);
		return;
	}
	report_problem(finding, "DataParallel.forward is called and kernels run on %zu GPUs",
		       diagnosis->device_count);
	set_subject(finding, SUBJECT_LAYER, diagnosis->derived->layers.span_node[span]);
}

static bool has_nccl(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++)
		if (derived_is_communication(diagnosis->derived, i))
			return true;
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		const char *name = profile_string(profile, profile->span_name[i]);
		if (strncmp(name, "nccl:", 5) == 0)
			return true;
	}
	return false;
}

void detect_backend(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	const struct device *device = profile->device_count ? &profile->devices[0] : NULL;
	int64_t minor = device && device->compute_minor != NO_VALUE ? device->compute_minor : 0;
	if (first_span_named(diagnosis, "DistributedDataParallel.forward") == NO_ROW)
		report_ok(finding, "DistributedDataParallel is not used.");
	else if (has_nccl(diagnosis))
		report_ok(finding, "NCCL operations were recorded.");
	else if (!device || device->compute_major == NO_VALUE)
		report_unknown(finding, NULL, "The compute capability was not recorded.");
	else if (device->compute_major * 10 + minor < 35)
		report_ok(finding, "The GPUs do not support NCCL.");
	else
		report_problem(
			finding,
			"DistributedDataParallel.forward is called, but no NCCL operation was recorded (compute capability %s.%s)",
			COUNT(device->compute_major), COUNT(minor));
}

/* By the most expensive operation. */
static const char *how_to_communicate_less(const char *kernel)
{
	if (strcasestr(kernel, "SendRecv") || strcasestr(kernel, "AllToAll"))
		return "Overlap the exchange with independent computation (pipeline the next batch), balance what ranks send, or send smaller types.";
	if (strcasestr(kernel, "AllGather") || strcasestr(kernel, "ReduceScatter"))
		return "Let FSDP prefetch (forward_prefetch, backward_prefetch), shard larger units or only within a node, or send smaller types.";
	return "Use larger buckets, accumulate more gradients, raise the batch size or compress gradients (the last two may change convergence).";
}

#define WITH_PEERS "; it includes waiting for peers"

/* Without the other ranks, waiting cannot be told from transfer. */
static void qualify_by_peers(const struct diagnosis *diagnosis, struct finding *finding)
{
	int64_t world = diagnosis->profile->world_size;
	if (diagnosis->run->rank_count < 2 && world != NO_VALUE && world > 1)
		buffer_printf(&finding->evidence, WITH_PEERS " (one rank of %" PRId64 " is open)",
			      world);
}

bool communication_with_peers(struct buffer *evidence, const struct run *run, size_t rank)
{
	const char *text = buffer_text(evidence), *at = strstr(text, WITH_PEERS);
	const char *rest = at ? strchr(at, ')') : NULL;
	struct scope whole;
	struct buffer now = { 0 };
	if (!rest || !run->matches)
		return false;
	scope_init(&whole);
	buffer_add(&now, text, (size_t)(at - text));
	buffer_printf(&now, WITH_PEERS ", %s per step%s",
		      DURATION(rank_mean_wait(run, rank, &whole).wait), rest + 1);
	buffer_free(evidence);
	*evidence = now;
	return true;
}

/* Operations whose tasks are listed apart have no launches to show. */
static bool is_whole_operation(const struct profile *profile, uint32_t name)
{
	uint32_t first = row_where(i, 0, profile->activities, profile->activity_name[i] == name);
	return first != NO_ROW && profile->activity_kind[first] == ACTIVITY_COLLECTIVE;
}

/* Waiting for other ranks is no transfer: a better way to transfer does not shorten it. */
static void tell_waits(const struct diagnosis *diagnosis, struct finding *finding, int64_t exposed)
{
	struct intervals waits = { 0 };
	waits_for_peers(diagnosis, &waits);
	int64_t ns =
		claim_common(diagnosis, NULL, &waits, &diagnosis->device->set[CAUSE_COMMUNICATION]);
	if (ns)
		buffer_printf(&finding->evidence, "; %s of it waits for other ranks", DURATION(ns));
	int64_t work = wait_of_shared_work(diagnosis), hidden = kernels_beside(diagnosis, exposed);
	finding->cost_ns -= work < ns ? work : ns;
	int64_t rest = diagnosis->run->matches ? exposed - ns - hidden : 0;
	if (rest > 0 && rest <= hidden) {
		finding->cost_ns -= rest;
	} else if (rest > 0) {
		buffer_printf(&finding->evidence, "; kernels to hide the transfers take only %s",
			      DURATION(hidden));
		finding->recommendation =
			"Send less: accumulate more gradients, shard within a node, or send smaller types; most of the transfers cannot be hidden.";
	}
	if (2 * ns > exposed)
		finding->recommendation =
			"Balance what the ranks do before they communicate: the transfers take the smaller part.";
}

/* Of the host, as by gloo. */
static bool any_communication(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t spans = spans_in_role(diagnosis, NAME_COMMUNICATION);
	bool any = false;
	for (uint32_t i = 0; i < spans && !any && detect_row(diagnosis, i); i++)
		any = span_counts(diagnosis, i) &&
		      diagnosis->derived->role[profile->span_name[i]] & NAME_COMMUNICATION;
	return any;
}

void detect_communication(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t exposed = diagnosis->cause_ns[CAUSE_COMMUNICATION];
	int64_t hidden = diagnosis->cause_ns[CAUSE_OVERLAPPED], messages = 0;
	if (!diagnosis->any_kernel && !any_communication(diagnosis)) {
		report_unknown(finding, profile_recording_device(profile),
			       "No GPU events were recorded.");
		return;
	}
	if (window_percent(diagnosis, exposed) < EXPOSED_PERCENT) {
		report_ok(finding, "Exposed communication takes %s.",
			  share_of_time(SHARE, diagnosis, exposed));
		return;
	}
	claim_cause(diagnosis, finding, CAUSE_COMMUNICATION);
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++)
		if (derived_is_communication(diagnosis->derived, i) &&
		    activity_counts(diagnosis, i)) {
			messages += is_critical(diagnosis, i);
			blame_activity(diagnosis, finding, i);
		}
	report_problem(finding, "Exposed communication takes %s",
		       share_of_time(SHARE, diagnosis, exposed));
	if (messages)
		buffer_printf(&finding->evidence, " in %s message%s", COUNT(messages),
			      PLURAL(messages));
	buffer_printf(&finding->evidence, "; %s %% of communication is overlapped",
		      PERCENT(hidden, hidden + exposed));
	blame_settle(diagnosis, finding);
	qualify_by_peers(diagnosis, finding);
	bool named = finding->subject == SUBJECT_KERNEL;
	finding->recommendation =
		how_to_communicate_less(named ? profile_string(profile, finding->subject_row) : "");
	if (named && is_whole_operation(profile, finding->subject_row))
		finding->subject = SUBJECT_NONE;
	tell_waits(diagnosis, finding, exposed);
}

/* ---- gradients reduced in each of several backward passes ---- */

enum detect_communication_mark { MARK_FORWARD, MARK_REDUCE, MARK_STEP };

struct detect_communication_event {
	int64_t time;
	uint32_t activity; /* of MARK_REDUCE */
	enum detect_communication_mark mark;
};

struct detect_communication_timeline {
	GROWING(struct detect_communication_event, events, count);
};

static void detect_communication_add_event(struct detect_communication_timeline *timeline,
					   int64_t time, enum detect_communication_mark mark,
					   uint32_t activity)
{
	*mem_push(timeline->events, timeline->count) =
		(struct detect_communication_event){ time, activity, mark };
}

COMPARE_MEMBERS(detect_communication_compare_events, struct detect_communication_event,
		UP(time) UP(mark))

static bool is_all_reduce(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	return is_critical(diagnosis, activity) &&
	       derived_is_communication(diagnosis->derived, activity) &&
	       strcasestr(profile_string(profile, profile->activity_name[activity]), "AllReduce");
}

/* Forward passes of DDP, launches of its reductions and optimizer steps. */
static struct detect_communication_timeline find_events(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	const struct derived *derived = diagnosis->derived;
	struct detect_communication_timeline found = { 0 };
	uint32_t forward = profile_find(profile, "DistributedDataParallel.forward");
	uint32_t spans =
		forward == NO_ROW ? spans_in_role(diagnosis, NAME_OPTIMIZER) : profile->spans;
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++) {
		uint32_t name = profile->span_name[i];
		if (!span_counts(diagnosis, i) || profile->span_kind[i] == SPAN_GPU_ANNOTATION)
			continue;
		if (name == forward)
			detect_communication_add_event(&found, profile->span_start[i], MARK_FORWARD,
						       NO_ROW);
		else if (derived->role[name] & NAME_OPTIMIZER &&
			 strstr(profile_string(profile, name), ".step"))
			detect_communication_add_event(&found, profile->span_start[i], MARK_STEP,
						       NO_ROW);
	}
	for (uint32_t i = 0; found.count && i < profile->activities && detect_row(diagnosis, i);
	     i++) {
		uint32_t launch = profile->activity_launch[i];
		if (is_all_reduce(diagnosis, i))
			detect_communication_add_event(&found,
						       launch == NO_ROW
							       ? profile->activity_start[i]
							       : profile->span_start[launch],
						       MARK_REDUCE, i);
	}
	if (found.count)
		qsort(found.events, found.count, sizeof *found.events,
		      detect_communication_compare_events);
	return found;
}

struct reductions {
	int64_t passes, steps; /* backward passes that reduce; of these steps with several */
	int64_t early_ns;      /* reductions before the last pass of a step */
	int64_t last_ns;
	struct intervals early;
};

/* The passes of one step: the events in [FIRST, END). */
static void add_passes(const struct diagnosis *diagnosis,
		       const struct detect_communication_event *first,
		       const struct detect_communication_event *end, struct reductions *found)
{
	const struct profile *profile = diagnosis->profile;
	const struct detect_communication_event *last = NULL;
	int64_t passes = 0;
	bool reduced = true;
	for (const struct detect_communication_event *at = first; at < end; at++) {
		if (at->mark == MARK_FORWARD) {
			last = at;
			reduced = false;
		}
		passes += at->mark == MARK_REDUCE && !reduced;
		reduced |= at->mark == MARK_REDUCE;
	}
	if (passes < 2)
		return;
	found->passes += passes;
	found->steps++;
	for (const struct detect_communication_event *at = first; at < end; at++) {
		if (at->mark != MARK_REDUCE)
			continue;
		int64_t start = profile->activity_start[at->activity];
		int64_t dur = profile->activity_dur[at->activity];
		found->last_ns += at > last ? dur : 0;
		found->early_ns += at > last ? 0 : dur;
		if (at < last)
			intervals_add(&found->early, start, start + dur);
	}
}

static void find_reductions(const struct diagnosis *diagnosis, struct reductions *found)
{
	struct detect_communication_timeline timeline = find_events(diagnosis);
	for (size_t i = 0, first = 0; i < timeline.count; i++)
		if (timeline.events[i].mark == MARK_STEP) {
			add_passes(diagnosis, timeline.events + first, timeline.events + i, found);
			first = i + 1;
		}
	mem_free(timeline.events);
}

void detect_no_sync(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct reductions found = { 0 };
	find_reductions(diagnosis, &found);
	int64_t exposed = claim_common(diagnosis, finding, &found.early,
				       &diagnosis->device->set[CAUSE_COMMUNICATION]);
	/* the reduction of a loss that is printed is no reduction of gradients */
	bool alike = 2 * found.early_ns >= found.last_ns;
	if (found.steps && alike && window_percent(diagnosis, found.early_ns) >= NO_SYNC_PERCENT)
		report_problem(
			finding,
			"%s backward passes per optimizer step reduce gradients; those before the last take %s, %s of it exposed",
			COUNT(found.passes / found.steps), DURATION(found.early_ns),
			DURATION(exposed));
	else
		report_ok(finding, "Gradients are reduced once per optimizer step.");
}

void detect_one_rank(const struct diagnosis *diagnosis, struct finding *finding)
{
	size_t open = diagnosis->run->rank_count;
	int64_t world = diagnosis->profile->world_size;
	if (world == NO_VALUE || world < 2 || (int64_t)open >= world)
		report_ok(finding, "All ranks are open.");
	else
		report_problem(
			finding,
			"%zu of %s ranks %s open: stragglers and waiting for peers cannot be told",
			open, COUNT(world), open == 1 ? "is" : "are");
}

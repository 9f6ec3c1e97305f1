/*
 * Detectors of multi-device work.
 */
#include "analysis/advice/detect.h"
#include "analysis/rank_matches.h"
#include "model/recording.h"

#include <string.h>

enum { EXPOSED_PERCENT = 5 };

void detect_data_parallel(const struct diagnosis *diagnosis, struct finding *finding)
{
	uint32_t span = first_span_named(diagnosis, "DataParallel.forward");
	if (!need_kernels(diagnosis, finding))
		return;
	if (span == NO_ROW || diagnosis->device_count < 2) {
		stay_silent(finding, "%s; kernels run on %zu GPUs.",
			    span == NO_ROW ? "DataParallel is not used" : "DataParallel is used",
			    diagnosis->device_count);
		return;
	}
	fire(diagnosis, finding, NO_VALUE, SEVERITY_MEDIUM,
	     "DataParallel.forward is called and kernels run on %zu GPUs", diagnosis->device_count);
	finding->subject = SUBJECT_LAYER;
	finding->subject_row = diagnosis->facts->layers.span_node[span];
}

static bool has_nccl(const struct diagnosis *diagnosis)
{
	const struct profile *profile = diagnosis->profile;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++)
		if (facts_is_communication(diagnosis->facts, i))
			return true;
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		const char *name = profile_string(profile, profile->span_name[i]);
		if (name[0] == 'n' && name[1] == 'c' && name[2] == 'c' && name[3] == 'l' &&
		    name[4] == ':')
			return true;
	}
	return false;
}

void detect_backend(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	const struct device *device = profile->device_count ? &profile->devices[0] : NULL;
	if (first_span_named(diagnosis, "DistributedDataParallel.forward") == NO_ROW)
		stay_silent(finding, "DistributedDataParallel is not used.");
	else if (has_nccl(diagnosis))
		stay_silent(finding, "NCCL operations were recorded.");
	else if (!device || device->compute_major == NO_VALUE)
		cannot_tell(finding, NULL, "The compute capability was not recorded.");
	else if (device->compute_major * 10 +
			 (device->compute_minor == NO_VALUE ? 0 : device->compute_minor) <
		 35)
		stay_silent(finding, "The GPUs do not support NCCL.");
	else
		fire(diagnosis, finding, NO_VALUE, SEVERITY_MEDIUM,
		     "DistributedDataParallel.forward is called, but no NCCL operation was recorded (compute capability %" PRId64
		     ".%" PRId64 ")",
		     device->compute_major,
		     device->compute_minor == NO_VALUE ? 0 : device->compute_minor);
}

/* By the most expensive operation. */
static const char *how_to_communicate_less(const char *kernel)
{
	static const struct {
		const char *part, *how;
	} ways[] = {
		{ "SendRecv",
		  "Overlap the exchange with independent computation (pipeline the next batch), balance what ranks send, or send smaller types." },
		{ "AllToAll",
		  "Overlap the exchange with independent computation (pipeline the next batch), balance what ranks send, or send smaller types." },
		{ "AllGather",
		  "Let FSDP prefetch (forward_prefetch, backward_prefetch), shard larger units or only within a node, or gather smaller types." },
		{ "ReduceScatter",
		  "Let FSDP prefetch (forward_prefetch, backward_prefetch), shard larger units or only within a node, or reduce smaller types." },
	};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strcasestr(kernel, ways[i].part))
			return ways[i].how;
	return "Use larger buckets, accumulate more gradients, raise the batch size or compress gradients (the last two may change convergence).";
}

/* Without the other ranks, waiting cannot be told from transfer. */
static void qualify_by_peers(const struct diagnosis *diagnosis, struct finding *finding)
{
	int64_t world = diagnosis->profile->world_size;
	if (diagnosis->run->rank_count < 2 && world != NO_VALUE && world > 1)
		buffer_printf(&finding->evidence,
			      "; it includes waiting for peers (one rank of %" PRId64 " is open)",
			      world);
}

void detect_communication(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct blame blame = { .diagnosis = diagnosis };
	int64_t exposed = diagnosis->cause_ns[CAUSE_COMMUNICATION];
	int64_t hidden = diagnosis->cause_ns[CAUSE_OVERLAPPED];
	if (!profile->activities && !profile->spans) {
		cannot_tell(finding, profile_recording_device(profile),
			    "Neither CPU nor GPU events were recorded.");
		return;
	}
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++)
		if (facts_is_communication(diagnosis->facts, i) && activity_counts(diagnosis, i))
			blame_activity(&blame, i, profile->activity_dur[i]);
	if (percent_of((double)exposed, (double)diagnosis->dur) > EXPOSED_PERCENT)
		fire(diagnosis, finding, exposed, SEVERITY_MEDIUM,
		     "Exposed communication takes %s %% of step time; %s %% of communication is overlapped",
		     PERCENT(exposed, diagnosis->dur), PERCENT(hidden, hidden + exposed));
	else
		stay_silent(finding, "Exposed communication takes %s %% of step time.",
			    PERCENT(exposed, diagnosis->dur));
	blame_settle(&blame, finding, SUBJECT_KERNEL);
	if (finding->answer != ANSWER_FIRED)
		return;
	claim_cause(diagnosis, finding, CAUSE_COMMUNICATION);
	qualify_by_peers(diagnosis, finding);
	finding->recommendation = how_to_communicate_less(
		finding->subject == SUBJECT_KERNEL ? profile_string(profile, finding->subject_row)
						   : "");
}

void detect_straggler(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct run *run = diagnosis->run;
	const struct rank_matches *matches = run->matches;
	int64_t world = diagnosis->profile->world_size;
	if (run->rank_count < 2 && world != NO_VALUE && world > 1) {
		cannot_tell(finding, "Open the files of all ranks together.",
			    "One rank of %" PRId64 " is open.", world);
	} else if (run->rank_count < 2 || !matches) {
		stay_silent(finding, "The run has one rank.");
	} else if (!matches->straggler_count) {
		stay_silent(finding, "No rank of %zu is a clear straggler.", run->rank_count);
	} else {
		const struct straggler *first = &matches->stragglers[0];
		for (size_t i = 1; i < matches->straggler_count; i++)
			if (matches->stragglers[i].lead > first->lead)
				first = &matches->stragglers[i];
		int64_t exposed = diagnosis->cause_ns[CAUSE_COMMUNICATION];
		fire(diagnosis, finding, first->lead < exposed ? first->lead : exposed,
		     SEVERITY_MEDIUM,
		     "Rank %" PRId64 " waits least%s%s; the next rank waits %s longer",
		     run->ranks[first->rank].number, *first->group ? " in group " : "",
		     first->group, DURATION(first->lead));
		finding->subject = SUBJECT_RANK;
		finding->subject_row = (uint32_t)run->ranks[first->rank].number;
		finding->rank = run->ranks[first->rank].number;
	}
}

void detect_one_rank(const struct diagnosis *diagnosis, struct finding *finding)
{
	size_t open = diagnosis->run->rank_count;
	int64_t world = diagnosis->profile->world_size;
	if (world == NO_VALUE || world < 2 || (int64_t)open >= world)
		stay_silent(finding, "All ranks are open.");
	else
		fire(diagnosis, finding, NO_VALUE, SEVERITY_LOW,
		     "%zu of %" PRId64
		     " ranks are open: stragglers and waiting for peers cannot be told",
		     open, world);
}

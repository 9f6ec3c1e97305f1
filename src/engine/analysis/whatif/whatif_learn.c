#include "analysis/whatif/whatif_learn.h"

#include "base/compare.h"

#include <stdlib.h>

enum {
	SAMPLE_MAX = 30000,        /* longer times are not learned from */
	LATENCY_ELSE = 6000,       /* from a launch to work, where no stream was idle */
	BLOCKING_KERNELS_MIN = 20, /* launches that tell whether launches block */
};

static const char stage[] = "learning how long launches take";

void whatif_add_sample(struct whatif_samples *samples, int64_t ns)
{
	if (ns >= 0 && ns < SAMPLE_MAX)
		*mem_push(samples->ns, samples->count) = ns;
}

int64_t whatif_low_cluster(struct whatif_samples *samples, int64_t otherwise)
{
	size_t near = samples->count / 10;
	int64_t median = otherwise;
	if (samples->count > 2) {
		qsort(samples->ns, samples->count, sizeof *samples->ns, compare_int64);
		int64_t limit = 2 * samples->ns[near];
		while (near < samples->count && samples->ns[near] <= limit)
			near++;
		median = samples->ns[near / 2];
	}
	mem_free(samples->ns);
	return median;
}

/* Work on an idle stream tells the latency of its launch, other work the gap after that before. */
struct whatif_learning {
	struct whatif_samples latency, gap[STREAM_CLASSES];
	uint32_t kernels, blocking; /* launches whose call outlasts the kernel */
	uint32_t *of_span;          /* see whatif_learn */
};

/* BEFORE is the work before it on its stream, NO_ROW. */
static void learn_from(const struct whatif_graph *graph, struct whatif_learning *learning,
		       uint32_t activity, uint32_t before)
{
	const struct profile *profile = graph->profile;
	uint32_t launch = profile->activity_launch[activity];
	int64_t start = profile->activity_start[activity];
	int64_t end = before == NO_ROW ? INT64_MIN : profile_activity_end(profile, before);
	if (launch == NO_ROW)
		return;
	launch = whatif_call_around(graph, launch);
	learning->of_span[launch] = activity;
	int64_t called = profile->span_start[launch];
	if (profile->activity_kind[activity] == ACTIVITY_KERNEL) {
		learning->kernels++;
		learning->blocking += profile_span_end(profile, launch) >=
				      profile_activity_end(profile, activity);
	}
	if (end < called)
		whatif_add_sample(&learning->latency, start - called);
	else if (end > called + SAMPLE_MAX)
		whatif_add_sample(&learning->gap[whatif_stream_class(profile, before, activity)],
				  start - end);
}

/*
 * HEAD is the time of a stream until its first work whose launch was recorded: if there is such
 * work, it was launched before the capture, and matters if that is judged; -1 from there on.
 */
static void add_work_time(struct whatif_graph *graph, uint32_t activity, bool first, int64_t *head)
{
	bool judged = whatif_is_judged(graph, activity);
	int64_t dur = judged ? graph->profile->activity_dur[activity] : 0;
	*head = first ? 0 : *head;
	graph->work_ns += dur;
	if (graph->profile->activity_launch[activity] == NO_ROW) {
		graph->unlinked_ns += dur;
		*head += *head < 0 ? 0 : dur;
		return;
	}
	if (*head > 0) {
		graph->unlinked_ns -= *head;
		*(judged ? &graph->before_ns : &graph->work_ns) += judged ? *head : -*head;
	}
	*head = -1;
}

bool whatif_learn(struct whatif_graph *graph, uint32_t *of_span, int64_t until,
		  const struct progress *progress)
{
	const struct profile *profile = graph->profile;
	struct whatif_learning learning = { .of_span = of_span };
	uint32_t before = NO_ROW;
	int64_t head = 0;
	bool ok = true;
	for (uint32_t i = 0; i < profile->activities && ok; i++) {
		ok = progress_row(progress, stage, i, 2 * (uint64_t)profile->activities);
		if (!profile_is_work(profile, i) || profile->activity_start[i] >= until)
			continue;
		if (before != NO_ROW &&
		    profile->activity_track[before] != profile->activity_track[i])
			before = NO_ROW;
		add_work_time(graph, i, before == NO_ROW, &head);
		learn_from(graph, &learning, i, before);
		before = i;
	}
	graph->latency = whatif_low_cluster(&learning.latency, LATENCY_ELSE);
	for (int i = 0; i < STREAM_CLASSES; i++)
		graph->stream_gap[i] = whatif_low_cluster(&learning.gap[i], EVENT_LATENCY);
	graph->launches_block = learning.kernels >= BLOCKING_KERNELS_MIN &&
				(uint64_t)learning.blocking * 5 >= (uint64_t)learning.kernels * 4;
	return ok;
}

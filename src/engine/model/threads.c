#include "model/threads.h"

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/sort.h"
#include "model/builder_private.h"

/* ---- queries ---- */

/* The rows of TRACK: they are sorted by track. */
#define rows_of(rows, total)                                                                       \
	size_t first = search_first(i, (size_t)0, total, (rows)[i].track >= track);                \
	*count = search_first(i, first, total, (rows)[i].track > track) - first;                   \
	return (rows) + first

const struct thread_run *thread_runs(const struct profile *profile, uint32_t track, size_t *count)
{
	rows_of(profile->runs, profile->run_count);
}

const struct stack_sample *thread_samples(const struct profile *profile, uint32_t track,
					  size_t *count)
{
	rows_of(profile->samples, profile->sample_count);
}

int64_t thread_on_cpu(const struct profile *profile, uint32_t track, int64_t from, int64_t to)
{
	size_t count;
	const struct thread_run *runs = thread_runs(profile, track, &count);
	if (!count)
		return NO_VALUE;
	size_t low = search_first(i, (size_t)0, count, runs[i].start + runs[i].dur > from);
	int64_t sum = 0;
	for (size_t i = low; i < count && runs[i].start < to; i++) {
		int64_t end = runs[i].start + runs[i].dur;
		int64_t start = runs[i].start > from ? runs[i].start : from;
		sum += (end < to ? end : to) - start;
	}
	return sum;
}

/* ---- finishing ---- */

static const char stage[] = "ordering threads";

bool threads_range(const struct profile *profile, int64_t *first, int64_t *last)
{
	int64_t low = INT64_MAX, high = INT64_MIN;
	if (!profile_lacks_events(profile))
		return false;
	for (size_t i = 0; i < profile->sample_count; i++) {
		int64_t time = profile->samples[i].time;
		low = time < low ? time : low;
		high = time > high ? time : high;
	}
	for (size_t i = 0; i < profile->run_count; i++) {
		int64_t start = profile->runs[i].start, end = start + profile->runs[i].dur;
		low = start < low ? start : low;
		high = end > high ? end : high;
	}
	if (low > high)
		return false;
	*first = low;
	*last = high;
	return true;
}

COMPARE_MEMBERS(compare_samples, struct stack_sample, UP(track) UP(time) UP(frame))

COMPARE_MEMBERS(compare_runs, struct thread_run, UP(track) UP(start) UP(dur))

/* The median interval between consecutive samples of a thread. */
static bool find_sample_period(struct profile *profile, const struct progress *progress)
{
	AUTO_FREE int64_t *distance = mem_alloc((profile->sample_count + 1) * sizeof *distance);
	size_t count = 0;
	for (size_t i = 1; i < profile->sample_count; i++)
		if (profile->samples[i].track == profile->samples[i - 1].track)
			distance[count++] = profile->samples[i].time - profile->samples[i - 1].time;
	bool ok = sort_runs(distance, count, sizeof *distance, compare_int64, progress);
	profile->sample_period = count ? distance[count / 2] : 0;
	return ok;
}

static bool finish_samples(struct profile *profile, int64_t typical,
			   const struct progress *progress)
{
	return shift_rows(profile, samples, sample_count, time, 0, typical, compare_samples, stage,
			  progress) &&
	       find_sample_period(profile, progress);
}

/*
 * A thread runs on one CPU at a time: clip an overlapping interval to the end of the previous one.
 */
static bool finish_runs(struct profile *profile, int64_t typical, const struct progress *progress)
{
	bool ok = shift_rows(profile, runs, run_count, start, row->dur, typical, compare_runs,
			     stage, progress);
	for (size_t i = 1; i < profile->run_count && ok; i++) {
		ok = progress_row(progress, stage, i, profile->run_count);
		struct thread_run *run = &profile->runs[i], *before = run - 1;
		int64_t end = before->start + before->dur;
		if (run->track != before->track || run->start >= end)
			continue;
		run->dur = run->start + run->dur > end ? run->start + run->dur - end : 0;
		run->start = end;
	}
	return ok;
}

bool threads_finish(struct builder *builder, int64_t typical, const struct progress *progress)
{
	struct profile *profile = builder->profile;
	profile->frames = builder->frames.frames;
	profile->frame_count = builder->frames.count;
	builder->frames.frames = NULL;
	frames_clear(&builder->frames);
	return finish_samples(profile, typical, progress) &&
	       finish_runs(profile, typical, progress);
}

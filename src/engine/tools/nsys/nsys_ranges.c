#include "tools/nsys/nsys_ranges.h"

#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_pairs.h"

static const char stage[] = "nesting ranges";
enum { ROW_WEIGHT = 16 }; /* rows that build a name, or look at all open ranges */

/* ---- collecting ---- */

/* Host threads by process and thread id, for ranges that lie on tracks of their own. */
static struct hash *find_threads(const struct profile *profile)
{
	struct hash *threads = hash_new(64);
	for (uint32_t i = 0; i < profile->track_count; i++)
		if (profile->tracks[i].device < 0 && profile->tracks[i].tid != NO_VALUE)
			hash_add(threads,
				 hash_pair(profile->tracks[i].process,
					   (uint64_t)profile->tracks[i].tid),
				 i);
	return threads;
}

static uint32_t nsys_ranges_thread_of(const struct profile *profile, const struct hash *threads,
				      uint32_t span)
{
	uint32_t track = profile->span_track[span];
	int64_t moved = nsys_number_of(profile, nsys_span_attribute(profile, span, NVTX_THREAD));
	if (moved == NO_VALUE)
		return track;
	uint32_t thread =
		hash_first(threads, hash_pair(profile->tracks[track].process, (uint64_t)moved));
	return thread == NO_ROW ? track : thread;
}

static bool is_open(const struct profile *profile, uint32_t span)
{
	return nsys_span_attribute(profile, span, NVTX_UNFINISHED) != NO_ROW;
}

static void nsys_ranges_add_range(struct nsys_ranges *ranges, const struct profile *profile,
				  const struct hash *threads, uint32_t span,
				  const struct buffer *name, bool started)
{
	int64_t start = profile->span_start[span];
	*mem_push(ranges->range, ranges->count) = (struct nsys_range){
		.time = { .start = start,
			  .end = is_open(profile, span) ? INT64_MAX
							: start + profile->span_dur[span],
			  .thread = nsys_ranges_thread_of(profile, threads, span),
			  .id = nsys_record(profile, span) },
		.span = span,
		.name = intern_add(ranges->names, BUFFERED(name)),
		.parent = NO_ROW,
		.level = NO_ROW,
		.started = started,
	};
}

/* LAST receives the end of the last one in any scope. */
static bool nsys_ranges_collect(struct nsys_ranges *ranges, const struct selection *selection,
				enum nsys_styles styles, int64_t *last,
				const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	AUTO_HASH struct hash *threads = find_threads(profile);
	AUTO_BUFFER struct buffer name = { 0 };
	bool ok = true;
	for_heavy_rows (ok, i, profile->spans, progress, stage, ROW_WEIGHT) {
		bool started;
		if (!nsys_range_name(profile, i, &name, &started) ||
		    (started && styles == NSYS_PUSHED) ||
		    (styles != NSYS_FLAT &&
		     nsys_span_attribute(profile, i, NVTX_WANDERED) != NO_ROW))
			continue;
		int64_t end = profile->span_start[i];
		end += is_open(profile, i) ? 0 : profile->span_dur[i];
		*last = end > *last ? end : *last;
		if (selection_has_span(selection, i))
			nsys_ranges_add_range(ranges, profile, threads, i, &name, started);
	}
	return ok;
}

static void close_open(struct nsys_ranges *ranges, int64_t last)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->range[i].time.end == INT64_MAX)
			ranges->range[i].time.end = last;
}

COMPARE_MEMBERS(compare_intervals, struct nsys_interval, UP(thread) UP(start) DOWN(end) UP(id))

COMPARE_ITEMS(compare_ranges, struct nsys_range, compare_intervals(&x->time, &y->time))

/* ---- nesting ---- */

/* Ranges of a thread that began and may still enclose something. */
struct active {
	GROWING(uint32_t, range, count);
};

static void nsys_ranges_begin(struct active *active, uint32_t range)
{
	enum { ACTIVE_MAX = 4096 }; /* limit: ranges open at once; further ones enclose nothing */
	if (active->count == ACTIVE_MAX)
		return;
	*mem_push(active->range, active->count) = range;
}

static void end_before(const struct nsys_ranges *ranges, struct active *active, int64_t time)
{
	size_t kept = 0;
	for (size_t i = 0; i < active->count; i++)
		if (ranges->range[active->range[i]].time.end >= time)
			active->range[kept++] = active->range[i];
	active->count = kept;
}

bool nsys_ranges_around(const struct nsys_ranges *ranges, struct nsys_interval *intervals,
			size_t count, nsys_take *take, void *context,
			const struct progress *progress)
{
	struct active active = { 0 };
	uint32_t next = 0, thread = NO_ROW;
	bool ok = sort_runs(intervals, count, sizeof *intervals, compare_intervals, progress);
	for_heavy_rows (ok, i, count, progress, stage, ROW_WEIGHT) {
		const struct nsys_interval *inner = &intervals[i];
		if (inner->thread != thread)
			active.count = 0;
		thread = inner->thread;
		while (next < ranges->count && ranges->range[next].time.thread < thread)
			next++;
		end_before(ranges, &active, inner->start);
		for (; next < ranges->count && ranges->range[next].time.thread == thread &&
		       ranges->range[next].time.start <= inner->start;
		     next++)
			if (ranges->range[next].time.end >= inner->start)
				nsys_ranges_begin(&active, next);
		for (size_t j = 0; j < active.count; j++)
			if (ranges->range[active.range[j]].time.end >= inner->end)
				take(context, inner, active.range[j]);
	}
	mem_free(active.range);
	return ok;
}

static int64_t length_of(const struct nsys_range *range)
{
	return range->time.end - range->time.start;
}

/* The shortest one around a range is its parent; of equal ranges each is around the others. */
static void parse_parent(void *context, const struct nsys_interval *inner, uint32_t outer)
{
	struct nsys_ranges *ranges = context;
	struct nsys_range *range = &ranges->range[inner->id];
	const struct nsys_range *parent =
		range->parent == NO_ROW ? NULL : &ranges->range[range->parent];
	if (outer == inner->id)
		return;
	if (!parent || length_of(&ranges->range[outer]) < length_of(parent))
		range->parent = outer;
}

static bool find_parents(struct nsys_ranges *ranges, const struct progress *progress)
{
	AUTO_FREE struct nsys_interval *times = mem_alloc((ranges->count + 1) * sizeof *times);
	for (size_t i = 0; i < ranges->count; i++) {
		times[i] = ranges->range[i].time;
		times[i].id = (uint32_t)i;
	}
	bool ok = nsys_ranges_around(ranges, times, ranges->count, parse_parent, ranges, progress);
	for_each (range, ranges->range, ranges->count) {
		if (range->parent == NO_ROW)
			continue;
		ranges->range[range->parent].children++;
		ranges->range[range->parent].children_ns += length_of(range);
	}
	return ok;
}

/* Levels from the outermost ranges inwards; what hangs on a ring keeps none. */
static bool find_levels(struct nsys_ranges *ranges, const struct progress *progress)
{
	AUTO_FREE uint32_t *path = mem_alloc((ranges->count + 1) * sizeof *path);
	AUTO_FREE uint8_t *seen = mem_zalloc(ranges->count + 1, 1);
	bool ok = true;
	for_rows (ok, i, ranges->count, progress, stage) {
		size_t depth = 0;
		uint32_t at = i;
		while (at != NO_ROW && !seen[at]) {
			seen[at] = 1;
			path[depth++] = at;
			at = ranges->range[at].parent;
		}
		uint32_t level = at == NO_ROW                        ? 0
				 : ranges->range[at].level == NO_ROW ? NO_ROW
								     : ranges->range[at].level + 1;
		while (depth) {
			ranges->range[path[--depth]].level = level;
			level += level != NO_ROW;
		}
	}
	return ok;
}

bool nsys_ranges_make(struct nsys_ranges *ranges, const struct selection *selection,
		      enum nsys_styles styles, const struct progress *progress)
{
	int64_t last = INT64_MIN;
	*ranges = (struct nsys_ranges){ .names = intern_new() };
	bool ok = nsys_ranges_collect(ranges, selection, styles, &last, progress);
	close_open(ranges, last);
	ok = ok && (styles == NSYS_FLAT ||
		    (sort_runs(ranges->range, ranges->count, sizeof *ranges->range, compare_ranges,
			       progress) &&
		     find_parents(ranges, progress) && find_levels(ranges, progress)));
	if (!ok)
		nsys_ranges_free(ranges);
	return ok;
}

CLEAR_MEMBERS(nsys_ranges_free, struct nsys_ranges, OWN(range) OWN_BY(intern_free, names))

const char *nsys_style_name(const struct nsys_range *range)
{
	return range->started ? "StartEnd" : "PushPop";
}

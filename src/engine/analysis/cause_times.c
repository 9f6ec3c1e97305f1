/*
 * The time of each cause: in a set of intervals, and by step. Idle causes of a device are read from
 * its gaps.
 */
#include "analysis/causes.h"

#include "base/parallel.h"
#include "base/binary_search.h"
#include "model/recording.h"

static const char stage[] = "finding causes";

/* Is the time of CAUSE in the gaps, rather than a set of its own? */
static bool is_in_gaps(const struct device_causes *device, int cause)
{
	return device->device != NO_DEVICE && cause >= CAUSE_LAUNCH && cause <= CAUSE_UNKNOWN;
}

/* ---- the gaps ---- */

/* Add the parts of gaps within IN to NS; NEAR, at most the count, becomes the first gap inside. */
static void add_parts(const struct gaps *gaps, struct interval in, size_t *near,
		      int64_t ns[TIME_CAUSES])
{
	*near = gaps_from(gaps, in.start, *near);
	for (size_t i = *near; i < gaps->count && gaps->items[i].start < in.end; i++) {
		const struct gap *gap = &gaps->items[i];
		int64_t start = gap->start;
		for (size_t p = 0; p < gap->parts; p++) {
			int64_t end = gap_part_end(gap, p);
			int64_t from = start > in.start ? start : in.start;
			int64_t to = end < in.end ? end : in.end;
			ns[gap_part(gap, p)->cause] += to > from ? to - from : 0;
			start = end;
		}
	}
}

/* Intervals that are visited once those that touch are joined. */
struct cause_times_joining {
	cause_visitor *visit;
	void *context;
	struct interval last;
};

static void hand_on(const struct cause_times_joining *joining)
{
	if (joining->last.start < joining->last.end)
		joining->visit(joining->context, joining->last.start, joining->last.end);
}

static void cause_times_join(struct cause_times_joining *joining, int64_t from, int64_t to)
{
	if (from >= to)
		return;
	if (from != joining->last.end) {
		hand_on(joining);
		joining->last.start = from;
	}
	joining->last.end = to;
}

static struct cause_times_joining cause_times_begin(cause_visitor *visit, void *context)
{
	return (struct cause_times_joining){ visit, context, { INT64_MIN, INT64_MIN } };
}

/* The parts of a cause; of TIME_CAUSES all, with JOINING by cause. */
static void visit_gap_parts(const struct gap *gap, struct interval in, int cause,
			    struct cause_times_joining *joining)
{
	int64_t start = gap->start;
	for (size_t p = 0; p < gap->parts; p++) {
		int64_t end = gap_part_end(gap, p);
		int own = gap_part(gap, p)->cause;
		if (own == cause || cause == TIME_CAUSES)
			cause_times_join(own == cause ? joining : &joining[own],
					 start > in.start ? start : in.start,
					 end < in.end ? end : in.end);
		start = end;
	}
}

static void visit_parts(const struct gaps *gaps, struct interval in, size_t *near, int cause,
			struct cause_times_joining *joining)
{
	*near = gaps_from(gaps, in.start, *near);
	for (size_t i = *near; i < gaps->count && gaps->items[i].start < in.end; i++)
		visit_gap_parts(&gaps->items[i], in, cause, joining);
}

/* ---- in a set of intervals ---- */

void causes_visit(const struct device_causes *device, enum time_cause cause,
		  const struct intervals *within, cause_visitor *visit, void *context)
{
	struct cause_times_joining joining = cause_times_begin(visit, context);
	const struct intervals *set = &device->set[cause];
	const struct gaps *gaps = &device->gaps;
	size_t near = 0;
	for (size_t i = 0; i < within->count; i++) {
		struct interval in = within->item[i];
		if (is_in_gaps(device, cause)) {
			visit_parts(gaps, in, &near, cause, &joining);
			continue;
		}
		near = search_near(ASCENDING(set->item, end, set->count), in.start + 1, near);
		for (size_t k = near; k < set->count && set->item[k].start < in.end; k++)
			cause_times_join(&joining,
					 set->item[k].start > in.start ? set->item[k].start
								       : in.start,
					 set->item[k].end < in.end ? set->item[k].end : in.end);
	}
	hand_on(&joining);
}

static void add_interval(void *context, int64_t start, int64_t end)
{
	intervals_add(context, start, end);
}

void causes_set_in(const struct device_causes *device, enum time_cause cause,
		   const struct intervals *within, struct intervals *out)
{
	out->count = 0;
	causes_visit(device, cause, within, add_interval, out);
}

void causes_idle_in(const struct device_causes *device, const struct intervals *within,
		    struct intervals *out)
{
	const struct gaps *gaps = &device->gaps;
	size_t near = 0;
	out->count = 0;
	intervals_reserve(out, gaps->count + within->count);
	for (size_t i = 0; i < within->count; i++) {
		struct interval in = within->item[i];
		near = gaps_from(gaps, in.start, near);
		for (size_t k = near; k < gaps->count && gaps->items[k].start < in.end; k++) {
			const struct gap *gap = &gaps->items[k];
			intervals_add(out, gap->start > in.start ? gap->start : in.start,
				      gap_end(gap) < in.end ? gap_end(gap) : in.end);
		}
	}
}

/* What the other causes leave of the ALL ns of a time in the steps. */
static void set_compute(int64_t ns[TIME_CAUSES], int64_t all)
{
	ns[CAUSE_COMPUTE] = all;
	for (int cause = CAUSE_COMPUTE + 1; cause < TIME_CAUSES; cause++)
		ns[CAUSE_COMPUTE] -= ns[cause];
}

struct cause_times_extent {
	int64_t *ns;
	struct interval *longest;
};

static void cause_times_measure(void *context, int64_t start, int64_t end)
{
	const struct cause_times_extent *extent = context;
	*extent->ns += end - start;
	if (end - start > extent->longest->end - extent->longest->start)
		*extent->longest = (struct interval){ start, end };
}

void causes_measure_in(const struct device_causes *device, const struct intervals *within,
		       int64_t ns[TIME_CAUSES], struct interval longest[TIME_CAUSES])
{
	struct cause_times_joining joining[TIME_CAUSES];
	struct cause_times_extent extents[TIME_CAUSES];
	size_t near = 0;
	for (int cause = 0; cause < TIME_CAUSES; cause++) {
		ns[cause] = 0;
		longest[cause] = (struct interval){ 0 };
		extents[cause] = (struct cause_times_extent){ &ns[cause], &longest[cause] };
		joining[cause] = cause_times_begin(cause_times_measure, &extents[cause]);
		if (!is_in_gaps(device, cause))
			causes_visit(device, (enum time_cause)cause, within, cause_times_measure,
				     &extents[cause]);
	}
	for (size_t i = 0; i < within->count && device->device != NO_DEVICE; i++)
		visit_parts(&device->gaps, within->item[i], &near, TIME_CAUSES, joining);
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		hand_on(&joining[cause]);
	set_compute(ns, intervals_length(within));
}

/* ---- all of it, and by step ---- */

struct cause_times_sums {
	struct device_causes *device;
	const struct derived *derived;
	bool modeled; /* only durations are known, not when work ran */
};

static bool add_up_cause(void *context, size_t cause, const struct progress *progress)
{
	struct device_causes *device = ((const struct cause_times_sums *)context)->device;
	if (cause == CAUSE_COMPUTE) /* known since the steps were divided */
		return true;
	device->ns[cause] = intervals_length(&device->set[cause]);
	for (size_t i = 0; i < GAP_PIECES && is_in_gaps(device, (int)cause); i++)
		device->ns[cause] += device->gaps.pieces[i].ns[cause];
	return progress_update(progress, stage, 0, 0, 0);
}

/* Nothing is known of the causes from FIRST on. */
static void forget_causes(int64_t ns[TIME_CAUSES], int first)
{
	for (int cause = first; cause < TIME_CAUSES; cause++)
		if (cause != CAUSE_UNKNOWN) {
			ns[CAUSE_UNKNOWN] += ns[cause];
			ns[cause] = 0;
		}
}

static void add_up_steps(void *context, size_t from, size_t to)
{
	const struct cause_times_sums *sums = context;
	struct device_causes *device = sums->device;
	const struct step *steps = sums->derived->steps;
	for (int cause = 0; cause < TIME_CAUSES; cause++) {
		const struct intervals *set = &device->set[cause];
		size_t near = set->count / 2;
		for (size_t i = from; i < to; i++)
			device->step_ns[i][cause] =
				intervals_length_near(set, steps[i].start, steps[i].end, &near);
	}
	size_t near = device->gaps.count / 2;
	for (size_t i = from; i < to; i++) {
		int64_t start = steps[i].start, end = steps[i].end;
		if (sums->modeled)
			forget_causes(device->step_ns[i], CAUSE_OVERLAPPED);
		else if (device->device != NO_DEVICE)
			add_parts(&device->gaps, (struct interval){ start, end }, &near,
				  device->step_ns[i]);
		else
			forget_causes(device->step_ns[i], CAUSE_LAUNCH);
		set_compute(device->step_ns[i], end > start ? end - start : 0);
	}
}

bool causes_add_up(struct device_causes *device, const struct derived *derived,
		   const struct progress *progress)
{
	struct cause_times_sums sums = { device, derived, profile_times_modeled(derived->profile) };
	device->step_ns = mem_zalloc((size_t)derived->step_count + 1, sizeof *device->step_ns);
	return parallel_try_rows(profile_rows(derived->profile), TIME_CAUSES, add_up_cause, &sums,
				 stage, progress, NULL) &&
	       parallel_ranges(derived->step_count, add_up_steps, &sums, stage, progress);
}

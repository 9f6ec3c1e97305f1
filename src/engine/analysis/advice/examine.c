#include "analysis/advice/examine.h"

#include "facts/captures.h"

#include <stdlib.h>
#include <string.h>

static const char stage[] = "running checks";

static void subtract(struct intervals *from, const struct intervals *set)
{
	struct intervals left = { 0 };
	intervals_subtract(from, set, &left);
	intervals_free(from);
	*from = left;
}

/* ---- steps ---- */

static bool counts(const struct diagnosis *diagnosis, uint32_t step, bool with_slow_start)
{
	return selection_counts_step(diagnosis->selection, step) &&
	       (with_slow_start || !diagnosis->facts->steps[step].slow_start);
}

static void add_steps(struct diagnosis *diagnosis)
{
	const struct scope *scope = diagnosis->selection->scope;
	const struct facts *facts = diagnosis->facts;
	for (int slow = 0; slow < 2 && !diagnosis->steps; slow++)
		for (uint32_t i = 0; i < facts->step_count; i++) {
			if (!counts(diagnosis, i, slow))
				continue;
			int64_t start = facts->steps[i].start, end = facts->steps[i].end;
			if (scope->has_time && start < scope->time_first)
				start = scope->time_first;
			if (scope->has_time && end > scope->time_last)
				end = scope->time_last;
			intervals_add(&diagnosis->window, start, end);
			diagnosis->steps++;
		}
	intervals_merge(&diagnosis->window);
	subtract(&diagnosis->window, &diagnosis->device->set[CAUSE_OUTSIDE]);
}

/*
 * Launched work that starts late, or a blocking call, at the beginning, with next to nothing
 * recorded before, waits for work that was launched before the capture.
 */
static void find_late_start(struct diagnosis *diagnosis)
{
	enum { LATE_MIN_NS = 1000000, BEFORE_PERCENT = 5 };
	const struct analysis_window *window = &diagnosis->device->window;
	const struct gaps *gaps = &diagnosis->device->gaps;
	int64_t work = causes_busy(diagnosis->device->ns), idle = 0;
	for (size_t i = 0; i < gaps->count; i++) {
		const struct gap *gap = &gaps->items[i];
		int64_t before = gap->start - window->start - idle;
		if (percent_of((double)before, (double)work) > BEFORE_PERCENT)
			return;
		idle += gap->end - gap->start;
		struct gap_owner owner = gaps_owner(gaps, gap->start, gap->end);
		if ((owner.cause != CAUSE_DEPENDENCY && owner.cause != CAUSE_SYNC) ||
		    owner.cause_ns < LATE_MIN_NS)
			continue;
		diagnosis->head = (struct interval){ window->start, gap->end };
		diagnosis->blocked = owner.span;
	}
}

static void leave_out_head(struct diagnosis *diagnosis)
{
	const struct analysis_window *window = &diagnosis->device->window;
	struct intervals head = { 0 };
	diagnosis->head = (struct interval){ window->start, window->head_end };
	diagnosis->blocked = window->blocked;
	if (window->head_end == window->start)
		find_late_start(diagnosis);
	intervals_add(&head, diagnosis->head.start, diagnosis->head.end);
	diagnosis->head_ns =
		intervals_length_in(&diagnosis->window, diagnosis->head.start, diagnosis->head.end);
	subtract(&diagnosis->window, &head);
	intervals_free(&head);
}

/* ---- a cold start ---- */

/*
 * A gap this long, and this multiple of the median gap, happens once: a module is loaded, code is
 * compiled, an algorithm is searched. More of them than this are the program's habit.
 */
enum { ONE_OFF_MIN_NS = 10000000, ONE_OFF_FACTOR = 100, ONE_OFFS_MAX = 8, GAPS_MIN = 8 };

static int compare_lengths(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int64_t median_gap(const struct gaps *gaps)
{
	int64_t *length = mem_alloc((gaps->count + 1) * sizeof *length);
	for (size_t i = 0; i < gaps->count; i++)
		length[i] = gaps->items[i].end - gaps->items[i].start;
	qsort(length, gaps->count, sizeof *length, compare_lengths);
	int64_t median = length[gaps->count / 2];
	mem_free(length);
	return median;
}

/* Loading data and waiting are no initialization, however long. */
static bool may_be_one_off(const struct gaps *gaps, const struct gap *gap, int64_t median)
{
	int64_t ns = gap->end - gap->start;
	if (ns < ONE_OFF_MIN_NS || ns / ONE_OFF_FACTOR < median)
		return false;
	struct gap_owner owner = gaps_owner(gaps, gap->start, gap->end);
	return owner.cause != CAUSE_DATALOADER && owner.cause != CAUSE_SYNC &&
	       owner.cause != CAUSE_DEPENDENCY;
}

/* Without marked steps: marked ones say themselves what repeats. */
static void leave_out_cold_start(struct diagnosis *diagnosis)
{
	const struct gaps *gaps = &diagnosis->device->gaps;
	struct intervals one_off = { 0 };
	size_t count = 0;
	if (diagnosis->facts->steps_from_profile || gaps->count < GAPS_MIN)
		return;
	int64_t median = median_gap(gaps);
	for (size_t i = 0; i < gaps->count; i++)
		if (may_be_one_off(gaps, &gaps->items[i], median)) {
			intervals_add(&one_off, gaps->items[i].start, gaps->items[i].end);
			count++;
		}
	intervals_merge(&one_off);
	intervals_intersect(&one_off, &diagnosis->window, &diagnosis->one_off);
	intervals_free(&one_off);
	diagnosis->one_off_ns = intervals_length(&diagnosis->one_off);
	double share = percent_of((double)diagnosis->one_off_ns,
				  (double)intervals_length(&diagnosis->window));
	if (count <= ONE_OFFS_MAX && share >= COLD_START_PERCENT) {
		subtract(&diagnosis->window, &diagnosis->one_off);
		return;
	}
	intervals_free(&diagnosis->one_off);
	diagnosis->one_off_ns = 0;
}

/* ---- causes ---- */

static bool find_idle(struct diagnosis *diagnosis, const struct progress *progress)
{
	struct intervals common = { 0 };
	bool on = true;
	for (int cause = 0; cause < TIME_CAUSES && on; cause++) {
		on = progress_update(progress, stage, 0, TIME_CAUSES, 0);
		intervals_intersect(&diagnosis->device->set[cause], &diagnosis->window, &common);
		diagnosis->cause_ns[cause] = intervals_length(&common);
		for (size_t i = 0;
		     cause >= CAUSE_LAUNCH && cause < CAUSE_OUTSIDE && i < common.count; i++)
			intervals_add(&diagnosis->idle, common.item[i].start, common.item[i].end);
	}
	if (on)
		intervals_merge(&diagnosis->idle);
	intervals_free(&common);
	return on;
}

/* ---- what the capture is ---- */

enum { STACKS_PERCENT = 50 };

bool examine(struct diagnosis *diagnosis, const struct progress *progress)
{
	const struct profile *profile = diagnosis->profile;
	add_steps(diagnosis);
	leave_out_head(diagnosis);
	leave_out_cold_start(diagnosis);
	diagnosis->dur = intervals_length(&diagnosis->window);
	diagnosis->stacks = percent_of((double)profile_all_spans(profile, SPAN_PYTHON),
				       (double)profile_all_rows(profile).spans) > STACKS_PERCENT;
	return captures_prevail(profile, &diagnosis->capturing, progress) &&
	       find_idle(diagnosis, progress);
}

void examine_release(struct diagnosis *diagnosis)
{
	intervals_free(&diagnosis->window);
	intervals_free(&diagnosis->idle);
	intervals_free(&diagnosis->one_off);
}

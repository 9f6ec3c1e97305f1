#include "analysis/analysis_window.h"

#include "derived/selection.h"
#include "model/recording.h"

/* ---- steps ---- */

static bool counts(const struct selection *selection, uint32_t step, bool with_slow_start)
{
	return selection_counts_step(selection, step) &&
	       (with_slow_start || !selection->derived->steps[step].slow_start);
}

static void analysis_window_add_steps(struct analysis_window *analysis_window,
				      const struct selection *selection,
				      const struct intervals *outside)
{
	const struct scope *scope = selection->scope;
	const struct derived *derived = selection->derived;
	for (int slow = 0; slow < 2 && !analysis_window->steps; slow++)
		for (uint32_t i = 0; i < derived->step_count; i++) {
			if (!counts(selection, i, slow))
				continue;
			int64_t start = derived->steps[i].start, end = derived->steps[i].end;
			if (scope->has_time && start < scope->time_first)
				start = scope->time_first;
			if (scope->has_time && end > scope->time_last)
				end = scope->time_last;
			intervals_add(&analysis_window->window, start, end);
			analysis_window->steps++;
		}
	intervals_merge(&analysis_window->window);
	intervals_subtract(&analysis_window->window, outside, &analysis_window->window);
}

/*
 * Launched work that starts late, or a blocking call, at the beginning, with next to nothing
 * recorded before, waits for work that was launched before the capture; unless the host was
 * recorded for longer before the first work than this wait lasts.
 */
static void find_late_start(struct analysis_window *analysis_window,
			    const struct work_window *window, const struct gaps *gaps, int64_t busy)
{
	enum { LATE_MIN_NS = 1000000, BEFORE_PERCENT = 5 };
	int64_t idle = 0;
	for (size_t i = 0; i < gaps->count; i++) {
		const struct gap *gap = &gaps->items[i];
		int64_t before = gap->start - window->start - idle;
		if (busy && (double)before * 100 > (double)busy * BEFORE_PERCENT)
			return;
		idle += gap_end(gap) - gap->start;
		struct gap_owner owner = gaps_owner(gaps, gap->start, gap_end(gap), i);
		if (owner.cause == CAUSE_COMPILE) /* a program that loads its code begins */
			return;
		if ((owner.cause != CAUSE_DEPENDENCY && owner.cause != CAUSE_SYNC) ||
		    owner.cause_ns < LATE_MIN_NS || owner.cause_ns < window->start)
			continue;
		analysis_window->head = (struct interval){ window->start, gap_end(gap) };
		analysis_window->blocked = owner.span;
	}
}

static void leave_out_head(struct analysis_window *analysis_window,
			   const struct work_window *window, const struct gaps *gaps, int64_t busy)
{
	AUTO_INTERVALS struct intervals head = { 0 };
	analysis_window->head = (struct interval){ window->start, window->head_end };
	analysis_window->blocked = window->blocked;
	if (window->head_end == window->start)
		find_late_start(analysis_window, window, gaps, busy);
	intervals_add(&head, analysis_window->head.start, analysis_window->head.end);
	analysis_window->head_ns = intervals_length_in(
		&analysis_window->window, analysis_window->head.start, analysis_window->head.end);
	intervals_subtract(&analysis_window->window, &head, &analysis_window->window);
}

/* ---- a cold start ---- */

/*
 * A gap this multiple of the median gap, and this multiple of the second longest before work of the
 * same name, happens once: a module is loaded, code is compiled, an algorithm is searched. So do
 * long gaps before the first kernel. What comes again is the program's habit.
 */
enum { ONE_OFF_FACTOR = 100, SECOND_FACTOR = 10 };

/* By counting digits of the lengths, the highest first. */
static int64_t median_gap(const struct gaps *gaps)
{
	enum { BITS = 16, DIGITS = 1 << BITS, HIGHEST = 48 };
	size_t *counts = mem_alloc(DIGITS * sizeof *counts), before = gaps->count / 2;
	uint64_t median = 0;
	for (int shift = HIGHEST; shift >= 0; shift -= BITS) {
		size_t digit = 0;
		memset(counts, 0, DIGITS * sizeof *counts);
		for_each (gap, gaps->items, gaps->count) {
			uint64_t ns = (uint64_t)gap_end(gap) - (uint64_t)gap->start;
			if (shift == HIGHEST || (ns ^ median) >> (shift + BITS) == 0)
				counts[ns >> shift & (DIGITS - 1)]++;
		}
		while (before >= counts[digit])
			before -= counts[digit++];
		median |= (uint64_t)digit << shift;
	}
	mem_free(counts);
	return (int64_t)median;
}

/* What gaps are compared with. */
struct usual_gaps {
	int64_t median;
	struct {
		int64_t longest, second;
	} * before;           /* by name of the work that ends them */
	int64_t first_kernel; /* its start; INT64_MAX: there is none */
};

/* The caller frees BEFORE with mem_free. */
static void find_usual_gaps(struct usual_gaps *usual, const struct gaps *gaps,
			    const struct profile *profile)
{
	*usual = (struct usual_gaps){ .first_kernel = INT64_MAX };
	usual->before = mem_zalloc(intern_count(profile->strings) + 1, sizeof *usual->before);
	usual->median = gaps->count ? median_gap(gaps) : 0;
	for_each (gap, gaps->items, gaps->count) {
		int64_t ns = gap_end(gap) - gap->start;
		if (gap->after == NO_ROW)
			continue;
		uint32_t name = profile->activity_name[gap->after];
		int64_t longest = usual->before[name].longest, less = ns < longest ? ns : longest;
		usual->before[name].longest = ns > longest ? ns : longest;
		raise_to(usual->before[name].second, less);
	}
	for (size_t t = 0; gaps->count && t < profile->track_count; t++) {
		const struct track *track = &profile->tracks[t];
		uint32_t i = track->first_activity, end = i + track->activities;
		uint32_t after = gaps->items[0].after;
		if (after == NO_ROW || track->device != profile_activity_device(profile, after))
			continue;
		while (i < end && profile->activity_kind[i] != ACTIVITY_KERNEL)
			i++;
		if (i < end && profile->activity_start[i] < usual->first_kernel)
			usual->first_kernel = profile->activity_start[i];
	}
}

/* Loading data and waiting are no initialization, however long; compiling and loading is. */
static bool is_one_off(const struct gaps *gaps, const struct gap *gap,
		       const struct usual_gaps *usual, const struct profile *profile)
{
	int64_t ns = gap_end(gap) - gap->start;
	struct gap_owner owner =
		gaps_owner(gaps, gap->start, gap_end(gap), (size_t)(gap - gaps->items));
	if (owner.cause == CAUSE_COMPILE)
		return true;
	if (gap->after == NO_ROW || ns / ONE_OFF_FACTOR < usual->median ||
	    owner.cause == CAUSE_DATALOADER || owner.cause == CAUSE_SYNC ||
	    owner.cause == CAUSE_DEPENDENCY)
		return false;
	uint32_t name = profile->activity_name[gap->after];
	return gap_end(gap) <= usual->first_kernel ||
	       ns / SECOND_FACTOR > usual->before[name].second;
}

static void leave_out_cold_start(struct analysis_window *analysis_window, const struct gaps *gaps,
				 const struct profile *profile)
{
	struct intervals *one_off = &analysis_window->one_off;
	struct usual_gaps usual;
	find_usual_gaps(&usual, gaps, profile);
	for (size_t i = 0; i < gaps->count; i++)
		if (is_one_off(gaps, &gaps->items[i], &usual, profile))
			intervals_add(one_off, gaps->items[i].start, gap_end(&gaps->items[i]));
	mem_free(usual.before);
	intervals_merge(one_off);
	intervals_intersect(one_off, &analysis_window->window, one_off);
	analysis_window->one_off_ns = intervals_length(one_off);
	double whole = (double)intervals_length(&analysis_window->window);
	if (one_off->count &&
	    (double)analysis_window->one_off_ns * 100 >= whole * COLD_START_PERCENT) {
		intervals_subtract(&analysis_window->window, one_off, &analysis_window->window);
		return;
	}
	intervals_free(one_off);
	analysis_window->one_off_ns = 0;
}

/* ---- all ---- */

static int64_t capture_of(const struct selection *selection)
{
	const struct scope *scope = selection->scope;
	int64_t start = 0, end = selection->profile->end_ns;
	if (scope->has_steps)
		return NO_VALUE;
	if (scope->has_time && scope->time_first > start)
		start = scope->time_first;
	if (scope->has_time && scope->time_last < end)
		end = scope->time_last;
	return end > start ? end - start : 0;
}

void analysis_window_find(struct analysis_window *analysis_window,
			  const struct selection *selection, const struct work_window *work,
			  const struct gaps *gaps, const struct intervals *outside, int64_t busy)
{
	*analysis_window = (struct analysis_window){ .blocked = NO_ROW };
	analysis_window_add_steps(analysis_window, selection, outside);
	leave_out_head(analysis_window, work, gaps, busy);
	/* marked steps say what repeats */
	if (!selection->derived->steps_from_profile && !profile_times_modeled(selection->profile))
		leave_out_cold_start(analysis_window, gaps, selection->profile);
	analysis_window->dur = intervals_length(&analysis_window->window);
	analysis_window->capture = capture_of(selection);
}

FREE_MEMBERS(analysis_window_free, struct analysis_window,
	     OWN_IN(intervals_free, window) OWN_IN(intervals_free, one_off))

/*
 * What a replay gives: the time of the judged steps, and the path to what ends last.
 */
#include "analysis/whatif/whatif_replay_private.h"

#include <math.h>

static const char stage[] = "following the path";

LISTED_NAMES(whatif_limit_name, enum whatif_limit, WHATIF_LIMIT_ROWS)

static enum whatif_limit limit_of_work(const struct whatif_graph *graph, uint32_t activity)
{
	if (derived_is_communication(graph->derived, activity))
		return LIMIT_COMMUNICATION;
	return graph->profile->activity_kind[activity] == ACTIVITY_KERNEL ? LIMIT_KERNELS
									  : LIMIT_COPIES;
}

static enum whatif_limit limit_before(const struct whatif_graph *graph, uint32_t point,
				      uint32_t source, int64_t passed)
{
	bool work = (graph->kind[point] & POINT_KIND) == POINT_WORK;
	bool after_work = (graph->kind[source] & POINT_KIND) == POINT_WORK;
	if (work)
		return after_work ? LIMIT_STREAM : LIMIT_LAUNCHES;
	return after_work              ? LIMIT_SYNCHRONIZATION
	       : passed < WHATIF_PAUSE ? LIMIT_LAUNCHES
				       : LIMIT_HOST;
}

/* What nothing explains of the wait of a point; *LEFT residuals are of it and those before. */
static int64_t residual_of(const struct whatif_replaying *replaying, uint32_t point, size_t *left)
{
	const struct whatif_residual *residuals = replaying->residuals;
	while (*left && residuals[*left - 1].point > point)
		--*left;
	return *left && residuals[*left - 1].point == point ? residuals[*left - 1].ns : 0;
}

bool whatif_follow_path(const struct whatif_replaying *replaying, struct whatif_times *times,
			const struct progress *progress)
{
	const struct whatif_graph *graph = replaying->graph;
	size_t left = replaying->residual_count;
	uint32_t mark = replaying->last_mark, point = replaying->last_point, done = 0;
	if (mark != NO_ROW && replaying->time[mark] > replaying->last)
		point = mark;
	while (point != NO_ROW && replaying->time[point] > times->start) {
		if (!progress_row(progress, stage, done++, graph->count))
			return false;
		int64_t time = replaying->time[point];
		uint32_t source = whatif_source_of(&replaying->origins, point);
		times->residual_ns += residual_of(replaying, point, &left);
		if ((graph->kind[point] & POINT_KIND) == POINT_WORK) {
			int64_t ns = whatif_work_time(replaying, point);
			if (source != NO_ROW && ns > time - replaying->time[source])
				ns = time - replaying->time[source]; /* it waits less for ranks */
			times->path[limit_of_work(graph, graph->row[point])] += ns;
			time -= ns;
		}
		if (source == NO_ROW) {
			times->unexplained_ns = time - times->start;
			break;
		}
		int64_t passed = time - replaying->time[source];
		if (passed > 0)
			times->path[limit_before(graph, point, source, passed)] += passed;
		point = source;
	}
	return true;
}

/* ---- the window ---- */

static void compare_step(struct whatif_times *times, const struct whatif_step *step, int64_t end,
			 int64_t recorded_end)
{
	if (recorded_end <= step->recorded_begin)
		return;
	double recorded = (double)(recorded_end - step->recorded_begin);
	double error = fabs((double)(end - step->begin) - recorded) * 100 / recorded;
	times->step_error = fmax(times->step_error, error);
}

/* Steps follow each other: one begins when it is marked and all work of those before is done. */
void whatif_find_window(const struct whatif_replaying *replaying, struct whatif_times *times)
{
	const struct whatif_graph *graph = replaying->graph;
	times->late_ns = replaying->late;
	times->head_ns = replaying->head;
	times->busy_ns = replaying->busy;
	if (graph->step_first == NO_ROW) {
		times->start = replaying->first;
		times->end = replaying->last;
		return;
	}
	struct whatif_step done = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN };
	for (uint32_t i = 0; i <= graph->step_last; i++) {
		struct whatif_step step = replaying->steps[i];
		step.begin = step.begin > done.end ? step.begin : done.end;
		step.recorded_begin = step.recorded_begin > done.recorded_end ? step.recorded_begin
									      : done.recorded_end;
		if (i == graph->step_first)
			times->start = step.begin;
		else if (i > graph->step_first)
			compare_step(times, &done, step.begin, step.recorded_begin);
		whatif_end_step(&step, done.recorded_end, done.end);
		done = step;
	}
	times->end = done.end;
	compare_step(times, &done, done.end, done.recorded_end);
}

/*
 * Host thread call stack samples and scheduling.
 */
#include "base/compare.h"
#include "base/sort.h"
#include "input/nsys/nsys_private.h"

/* ---- samples ---- */

static uint32_t innermost_frame(struct nsys *nsys, const struct call_chains *chains, int64_t id)
{
	size_t count;
	const struct call_frame *frames = call_chain(chains, id, &count);
	uint32_t frame = NO_ROW;
	while (count-- > 0)
		frame = builder_frame(nsys->builder, frames[count].name, frame);
	return frame;
}

static void read_samples(struct nsys *nsys)
{
	enum { ID, TIME, THREAD, COLUMNS };
	struct sqlite_rows *rows = sqlite_rows_open(nsys->database, "COMPOSITE_EVENTS",
						    "id start! globalTid!", COLUMNS);
	if (!rows)
		return;
	AUTO(call_chains_clear)
	struct call_chains chains = nsys_chains_read(nsys, "SAMPLING_CALLCHAINS");
	while (sqlite_rows_next(&rows)) {
		int64_t time = sqlite_int(rows, TIME), thread = sqlite_int(rows, THREAD);
		nsys->profile->events++;
		if (time == NO_VALUE || thread == NO_VALUE) {
			profile_skip(nsys->profile, "sample without time or thread");
			continue;
		}
		const struct stack_sample sample = {
			time,
			nsys_thread(nsys, thread),
			innermost_frame(nsys, &chains, sqlite_int(rows, ID)),
		};
		builder_sample(nsys->builder, &sample);
	}
}

/* ---- scheduling ---- */

/* A thread was scheduled in or out. */
struct nsys_threads_change {
	int64_t time, thread;
	uint8_t is_in, left;
};

struct changes {
	GROWING(struct nsys_threads_change, change, count);
	int64_t first, last; /* of all threads */
};

/* Nsight's thread states; a thread descheduled while running was preempted. */
static enum thread_state state_of(int64_t number)
{
	enum { UNKNOWN, RUNNING, UNSCHEDULED = 6 };
	if (number == NO_VALUE || number == UNKNOWN)
		return THREAD_UNKNOWN;
	return number == RUNNING || number == UNSCHEDULED ? THREAD_RUNNABLE : THREAD_BLOCKED;
}

static void read_changes(struct nsys *nsys, struct changes *changes)
{
	enum { TIME, IS_IN, THREAD, STATE, COLUMNS };
	sqlite_each (rows, nsys->database, "SCHED_EVENTS",
		     "start! isSchedIn! globalTid! threadState", COLUMNS) {
		struct nsys_threads_change change = {
			.time = sqlite_int(rows, TIME),
			.thread = sqlite_int(rows, THREAD),
			.is_in = sqlite_int(rows, IS_IN) != 0,
			.left = (uint8_t)state_of(sqlite_int(rows, STATE)),
		};
		nsys->profile->events++;
		if (change.time == NO_VALUE || change.thread == NO_VALUE) {
			profile_skip(nsys->profile, "thread switch without time or thread");
			continue;
		}
		if (!changes->count || change.time < changes->first)
			changes->first = change.time;
		if (!changes->count || change.time > changes->last)
			changes->last = change.time;
		*mem_push(changes->change, changes->count) = change;
	}
}

/* By thread and time; at equal times out before in. */
COMPARE_MEMBERS(compare_changes, struct nsys_threads_change, UP(thread) UP(time) UP(is_in))

static void nsys_threads_add_run(struct nsys *nsys, int64_t thread, int64_t start, int64_t end,
				 uint32_t left)
{
	struct thread_run run = { .start = start,
				  .track = nsys_thread(nsys, thread),
				  .left = left };
	if (!__builtin_sub_overflow(end, start, &run.dur))
		builder_run(nsys->builder, &run);
}

/*
 * Intervals cut by the capture's start or end are clipped. Between two changes of the same kind the
 * state is unknown.
 */
static void read_runs(struct nsys *nsys)
{
	struct changes changes = { 0 };
	read_changes(nsys, &changes);
	sort_items(changes.change, changes.count, compare_changes);
	for (size_t i = 0; i < changes.count; i++) {
		const struct nsys_threads_change *change = &changes.change[i];
		bool first = !i || change[-1].thread != change->thread;
		bool last = i + 1 == changes.count || change[1].thread != change->thread;
		if (!change->is_in && (first || change[-1].is_in))
			nsys_threads_add_run(nsys, change->thread,
					     first ? changes.first : change[-1].time, change->time,
					     change->left);
		else if (change->is_in && last)
			nsys_threads_add_run(nsys, change->thread, change->time, changes.last,
					     THREAD_UNKNOWN);
	}
	mem_free(changes.change);
}

void nsys_read_threads(struct nsys *nsys)
{
	read_samples(nsys);
	read_runs(nsys);
}

/*
 * A thread that does what takes time: loading, building views, sorting, searching.  It does one job
 * at a time.  A new job cancels the one before; but one in the background waits for one that is
 * not.
 */
#ifndef STRATA_TUI_CORE_WORKER_H
#define STRATA_TUI_CORE_WORKER_H

#include "base/error.h"
#include "base/progress.h"

#include <stdatomic.h>

struct worker;

struct job {
	const char *what; /* for the footer, "Operators" */
	bool background;  /* nothing has to wait for it; typing does not stop it */
	/* In the worker's thread. */
	bool (*run)(struct job *job, const struct progress *progress, struct error *error);
	/* In the caller's thread; frees the job.  Called once for every job that was submitted. */
	void (*finish)(struct job *job, bool good, const struct error *error);

	/* the worker's own */
	struct worker *worker;
	struct error error;
	bool good;
	atomic_bool cancelled;
};

struct work_state { /* how far the job is */
	const char *what, *stage;
	bool background;
	uint64_t done, total, rows;
	int64_t started_ns; /* clock_ns() */
};

/* WAKE_FD is written a byte to whenever worker_collect has something to do. */
struct worker *worker_new(int wake_fd);
void worker_free(struct worker *worker); /* cancels and waits */

void worker_submit(struct worker *worker, struct job *job);
void worker_cancel(struct worker *worker);  /* whatever is running or waiting */
void worker_collect(struct worker *worker); /* call finish of what has ended */
bool worker_busy(struct worker *worker, struct work_state *state); /* STATE may be NULL */
void worker_wait(struct worker *worker, int milliseconds); /* until idle or the time is over */

int64_t clock_ns(void); /* monotonic */

/* Work that takes longer is shown, and can be stopped. */
enum { WORK_SEEN_MS = 40 };

static inline int64_t work_ms(const struct work_state *state)
{
	return (clock_ns() - state->started_ns) / 1000000;
}
static inline bool work_is_seen(const struct work_state *state)
{
	return work_ms(state) >= WORK_SEEN_MS;
}

#endif

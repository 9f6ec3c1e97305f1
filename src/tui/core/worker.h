/*
 * A worker thread for slow jobs: loading, building views, sorting, searching. It runs one job at a
 * time. A new job cancels the previous one; a background job waits for a foreground job.
 */
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"

#include <stdatomic.h>

struct worker;

struct job {
	const char *what; /* shown in the footer, "Operators" */
	bool background;  /* the user does not wait for it */
	/* In the worker thread. */
	bool (*run)(struct job *job, const struct progress *progress, struct error *error);
	/* In the submitting thread; frees the job. Called exactly once per submitted job. */
	void (*finish)(struct job *job, bool good, const struct error *error);

	/* private to the worker; zero before it is submitted */
	struct worker *worker;
	struct error error;
	bool good;
	atomic_bool cancelled;
};

struct work_state { /* progress of the job */
	const char *what, *stage;
	bool background;
	uint64_t done, total, rows;
	int64_t started_ns; /* as from clock_ns */
};

/* A byte is written to WAKE_FD when worker_collect has something to do. */
struct worker *worker_new(int wake_fd);
void worker_free(struct worker *worker); /* cancels and waits */

void worker_submit(struct worker *worker, struct job *job);
void worker_cancel(struct worker *worker);  /* running and pending jobs */
void worker_collect(struct worker *worker); /* call finish for completed jobs */
bool worker_busy(struct worker *worker, struct work_state *state); /* STATE may be NULL */
void worker_wait(struct worker *worker, int milliseconds);         /* until idle or timeout */

/* Longer work is shown and can be cancelled. */
enum { WORK_SEEN_MS = 25 };

static inline int64_t work_ms(const struct work_state *state)
{
	return (clock_ns() - state->started_ns) / 1000000;
}
static inline bool work_is_seen(const struct work_state *state)
{
	return work_ms(state) >= WORK_SEEN_MS;
}

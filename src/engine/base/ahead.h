/*
 * Batches that a thread of its own fills ahead of the caller, who takes them in order.
 */
#ifndef STRATA_BASE_AHEAD_H
#define STRATA_BASE_AHEAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	AHEAD_BATCHES = 8,
	AHEAD_END = AHEAD_BATCHES, /* in the place of one: there are no more */
};

/* A ring: batches [taken, filled) are filled; the one before TAKEN is with the caller. */
struct ahead {
	bool (*fill)(void *context, size_t place);
	void *context;
	size_t taken, filled;
	pthread_t thread;
	bool is_running; /* the thread has to be joined */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock, while the thread runs, as is FILLED */
	bool stop, is_done;
	size_t wanted; /* bytes that the thread could not allocate; 0: none */
};

/*
 * FILL makes the batch of a place below AHEAD_BATCHES in place of the one there before; false: it
 * is the last. The first few are filled by the caller, all of them where one thread has to do.
 */
void ahead_begin(struct ahead *ahead, bool (*fill)(void *context, size_t place), void *context);

/* The place of the next batch, valid until the next call, or AHEAD_END. */
size_t ahead_next(struct ahead *ahead);

/* Wait for the thread; nothing more is filled. */
void ahead_end(struct ahead *ahead);

#endif

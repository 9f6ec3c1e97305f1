#include "base/ahead.h"

#include "base/mem.h"
#include "base/parallel.h"

enum {
	SOME = 4,  /* batches, filled or free, for which the one that waits is woken */
	ALONE = 4, /* batches filled by the caller, before a thread is worth starting */
};

void ahead_begin(struct ahead *ahead, bool (*fill)(void *context, size_t place), void *context)
{
	*ahead = (struct ahead){ .fill = fill, .context = context };
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
}

void ahead_end(struct ahead *ahead)
{
	if (ahead->is_running) {
		pthread_mutex_lock(&ahead->lock);
		ahead->stop = true;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
		pthread_join(ahead->thread, NULL);
	}
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
}

/* ---- the thread ---- */

/* Wait for a free place; false when told to stop. */
static bool wait_for_place(struct ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	/* one place is the batch that the caller has */
	while (!ahead->stop && ahead->filled + 1 == ahead->taken + AHEAD_BATCHES)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	bool ok = !ahead->stop;
	pthread_mutex_unlock(&ahead->lock);
	return ok;
}

static void fill_batches(void *context)
{
	struct ahead *ahead = context;
	for (bool more = true; more && wait_for_place(ahead);) {
		more = ahead->fill(ahead->context, ahead->filled % AHEAD_BATCHES);
		pthread_mutex_lock(&ahead->lock);
		if (++ahead->filled >= ahead->taken + SOME)
			pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}
}

static void *ahead_run(void *context)
{
	struct ahead *ahead = context;
	size_t wanted = mem_try(fill_batches, ahead);
	pthread_mutex_lock(&ahead->lock);
	ahead->wanted = wanted;
	ahead->is_done = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/* ---- the caller ---- */

static size_t fill_next(struct ahead *ahead)
{
	size_t place = ahead->taken % AHEAD_BATCHES;
	if (ahead->is_done)
		return AHEAD_END;
	ahead->is_done = !ahead->fill(ahead->context, place);
	ahead->filled = ++ahead->taken;
	return place;
}

size_t ahead_next(struct ahead *ahead)
{
	if (!ahead->is_running && !ahead->is_done && ahead->taken >= ALONE &&
	    parallel_threads() > 1)
		ahead->is_running = parallel_start(&ahead->thread, ahead_run, ahead);
	if (!ahead->is_running)
		return fill_next(ahead);
	pthread_mutex_lock(&ahead->lock);
	while (ahead->taken == ahead->filled && !ahead->is_done)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	bool is_there = ahead->taken < ahead->filled;
	ahead->taken += is_there;
	if (ahead->filled + 1 <= ahead->taken + AHEAD_BATCHES - SOME)
		pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	if (!is_there && ahead->wanted)
		mem_fail(ahead->wanted);
	return is_there ? (ahead->taken - 1) % AHEAD_BATCHES : AHEAD_END;
}

#include "input/sqlite/sqlite_pages.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <pthread.h>

enum {
	BATCHES = 8, /* read ahead */
	SOME = 4,    /* of them, read or free, for which the one that waits is woken */
	ALONE = 4,   /* batches read by the caller, before a thread is worth starting */
};

/* A ring: batches [taken, filled) are read; the one before TAKEN is with the caller. */
struct sqlite_ahead {
	struct sqlite_ahead *next, **list;
	struct sqlite_pages *pages;
	struct page_batch batch[BATCHES];
	size_t taken, filled;
	pthread_t thread;
	bool is_running; /* the thread has to be joined */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock, while the thread runs, as is FILLED */
	bool stop, is_done;
	size_t wanted; /* bytes that the thread could not allocate; 0: none */
};

struct sqlite_ahead *sqlite_ahead_new(struct sqlite_pages *pages, struct sqlite_ahead **list)
{
	struct sqlite_ahead *ahead = mem_zalloc(1, sizeof *ahead);
	ahead->pages = pages;
	ahead->list = list;
	ahead->next = *list;
	*list = ahead;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	return ahead;
}

static void stop_thread(struct sqlite_ahead *ahead)
{
	if (!ahead->is_running)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
}

void sqlite_ahead_free(struct sqlite_ahead *ahead)
{
	if (!ahead)
		return;
	struct sqlite_ahead **at = ahead->list;
	while (*at != ahead)
		at = &(*at)->next;
	*at = ahead->next;
	stop_thread(ahead);
	for (size_t i = 0; i < BATCHES; i++)
		page_batch_clear(&ahead->batch[i]);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	sqlite_pages_close(ahead->pages);
	mem_free(ahead);
}

void sqlite_ahead_free_all(struct sqlite_ahead **list)
{
	while (*list)
		sqlite_ahead_free(*list);
}

static struct page_batch *batch_at(struct sqlite_ahead *ahead, size_t place)
{
	return &ahead->batch[place % BATCHES];
}

/* ---- the thread ---- */

/* Wait for a free place; false when told to stop. */
static bool wait_for_place(struct sqlite_ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	/* one place is the batch that the caller reads */
	while (!ahead->stop && ahead->filled + 1 == ahead->taken + BATCHES)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	bool ok = !ahead->stop;
	pthread_mutex_unlock(&ahead->lock);
	return ok;
}

static void read_batches(void *context)
{
	struct sqlite_ahead *ahead = context;
	for (bool more = true; more && wait_for_place(ahead);) {
		struct page_batch *batch = batch_at(ahead, ahead->filled);
		sqlite_pages_read(ahead->pages, batch);
		more = batch->next == PAGES_ROW;
		pthread_mutex_lock(&ahead->lock);
		if (++ahead->filled >= ahead->taken + SOME)
			pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}
}

static void *sqlite_ahead_run(void *context)
{
	struct sqlite_ahead *ahead = context;
	size_t wanted = mem_try(read_batches, ahead);
	pthread_mutex_lock(&ahead->lock);
	ahead->wanted = wanted;
	ahead->is_done = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/* ---- the caller ---- */

const struct page_batch *sqlite_ahead_next(struct sqlite_ahead *ahead)
{
	if (!ahead->is_running && ahead->taken >= ALONE && parallel_threads() > 1)
		ahead->is_running = parallel_start(&ahead->thread, sqlite_ahead_run, ahead);
	if (!ahead->is_running) {
		sqlite_pages_read(ahead->pages, batch_at(ahead, ahead->taken));
		ahead->filled = ++ahead->taken;
		return batch_at(ahead, ahead->taken - 1);
	}
	pthread_mutex_lock(&ahead->lock);
	while (ahead->taken == ahead->filled && !ahead->is_done)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	bool is_there = ahead->taken < ahead->filled;
	ahead->taken += is_there;
	if (ahead->filled + 1 <= ahead->taken + BATCHES - SOME)
		pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	if (!is_there)
		mem_fail(ahead->wanted); /* the thread ends otherwise with the last batch */
	return batch_at(ahead, ahead->taken - 1);
}

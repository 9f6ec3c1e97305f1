/*
 * Ranks in memory: loaded when asked for, held while in use.
 */
#include "session/load_private.h"

#include "base/error.h"

#include <time.h>

enum { WAIT_MS = 50 }; /* interval at which a waiting thread polls for cancellation */

static void wait_for_change(struct run_cache *cache)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAIT_MS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&cache->changed, &cache->lock, &until);
}

/* The lock is held. */
static void hold(struct run_cache *cache, struct residence *residence)
{
	residence->holds++;
	residence->cache = cache;
	residence->last_use = ++cache->clock;
}

/*
 * RANK_READY: it is held. RANK_LOADING: the caller must load it. RANK_ABSENT: cancelled while
 * waiting for another thread's load.
 */
static enum rank_state claim(const struct run *run, struct rank *rank,
			     const struct progress *progress)
{
	struct run_cache *cache = run->cache;
	struct residence *residence = rank->residence;
	enum rank_state state = RANK_LOADING;
	bool ok = true;
	pthread_mutex_lock(&cache->lock);
	while (ok && residence->state == RANK_LOADING) {
		wait_for_change(cache);
		pthread_mutex_unlock(&cache->lock);
		ok = progress_update(progress, "waiting for the rank", 0, 0, 0);
		pthread_mutex_lock(&cache->lock);
	}
	if (!ok)
		state = RANK_ABSENT;
	else if (residence->state == RANK_READY)
		state = RANK_READY;
	else
		residence->state = RANK_LOADING;
	if (state == RANK_READY)
		hold(cache, residence);
	pthread_mutex_unlock(&cache->lock);
	return state;
}

struct loading {
	const struct run *run;
	struct rank rank; /* a copy, invisible to other threads until complete */
	const struct progress *progress;
	struct error *error;
};

static bool load(void *context)
{
	struct loading *loading = context;
	load_make_room(loading->run, RESIDENT_MAX);
	return load_rank(&(struct reading){ loading->run, &loading->rank, NULL }, loading->progress,
			 loading->error);
}

/* Move the loaded data, if any, into the rank, which is then held. */
static void publish(const struct run *run, struct rank *rank, const struct rank *loaded)
{
	struct run_cache *cache = run->cache;
	size_t size = loaded ? load_rank_size(loaded) : 0;
	pthread_mutex_lock(&cache->lock);
	rank->residence->state = loaded ? RANK_READY : RANK_ABSENT;
	if (loaded) {
		rank->profile = loaded->profile;
		rank->derived = loaded->derived;
		rank->residence->size = size;
		cache->resident += size;
		hold(cache, rank->residence);
	}
	pthread_cond_broadcast(&cache->changed);
	pthread_mutex_unlock(&cache->lock);
	load_make_room(run, RESIDENT_MAX);
}

struct rank *run_acquire(const struct run *run, int64_t number, const struct progress *progress,
			 struct error *error)
{
	struct rank *rank = run_rank(run, number);
	if (!rank) {
		error_usage(error, "unknown rank %lld; the ranks are %lld..%lld", (long long)number,
			    (long long)run->ranks[0].number,
			    (long long)run->ranks[run->rank_count - 1].number);
		return NULL;
	}
	enum rank_state state = claim(run, rank, progress);
	if (state == RANK_ABSENT)
		error_cancelled(error);
	if (state != RANK_LOADING)
		return state == RANK_READY ? rank : NULL;
	struct loading loading = { run, *rank, progress, error };
	bool done = mem_guard(load, &loading, error);
	if (!done)
		load_drop(&loading.rank);
	publish(run, rank, done ? &loading.rank : NULL);
	return done ? rank : NULL;
}

void load_release(struct run_cache *cache, struct residence *residence)
{
	pthread_mutex_lock(&cache->lock);
	residence->holds--;
	pthread_mutex_unlock(&cache->lock);
}

struct rank *run_peek(const struct run *run, int64_t number)
{
	struct rank *rank = run_rank(run, number);
	if (!rank)
		return NULL;
	pthread_mutex_lock(&run->cache->lock);
	bool ready = rank->residence->state == RANK_READY;
	if (ready)
		hold(run->cache, rank->residence);
	pthread_mutex_unlock(&run->cache->lock);
	return ready ? rank : NULL;
}

void run_release(const struct run *run, const struct rank *rank)
{
	if (rank)
		load_release(run->cache, rank->residence);
}

void run_release_held(void *held)
{
	const struct rank *rank = *(const struct rank **)held;
	if (rank)
		load_release(rank->residence->cache, rank->residence);
}

void run_charge(const struct run *run, size_t before, size_t now)
{
	pthread_mutex_lock(&run->cache->lock);
	run->cache->resident += now - before;
	pthread_mutex_unlock(&run->cache->lock);
	if (now > before)
		load_make_room(run, RESIDENT_MAX);
}

struct rank *run_acquire_base(const struct run *run, int64_t number,
			      const struct progress *progress, struct error *error)
{
	if (run->base->rank_count == 1)
		number = run->base->ranks[0].number;
	return run_acquire(run->base, number, progress, error);
}

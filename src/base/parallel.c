#include "base/parallel.h"

#include "base/error.h"
#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS_MOST = 16 };

struct share {
	void (*work)(void *context, size_t i);
	void *context;
	size_t count;
	atomic_size_t next;
};

static void *take(void *context)
{
	struct share *share = context;
	for (size_t i; (i = atomic_fetch_add(&share->next, 1)) < share->count;)
		share->work(share->context, i);
	return NULL;
}

static size_t threads_for(size_t count)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t threads = processors < 1 ? 1 : (size_t)processors;
	threads = threads < THREADS_MOST ? threads : THREADS_MOST;
	return threads < count ? threads : count;
}

void parallel_for(size_t count, void (*work)(void *context, size_t i), void *context)
{
	struct share share = { .work = work, .context = context, .count = count };
	pthread_t thread[THREADS_MOST];
	size_t helpers = threads_for(count), started = 0;
	sigset_t all, before;
	/* Signals that are told to the program stay with the threads it had. */
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started + 1 < helpers &&
	       pthread_create(&thread[started], NULL, take, &share) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	take(&share);
	while (started--)
		pthread_join(thread[started], NULL);
}

/* ---- work that may fail or be stopped ---- */

struct attempt {
	bool (*work)(void *context, size_t i, const struct progress *progress);
	void *context;
	const struct progress *outer;
	struct progress inner;
	pthread_t caller;
	atomic_bool stop, cancelled;
	pthread_mutex_t lock;
	struct error error;		/* of the first that failed */
};

struct piece {
	struct attempt *attempt;
	size_t i;
};

/* Who asked for the work is told by its own thread alone; the others learn from that one. */
static bool go_on(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	struct attempt *attempt = context;
	if (pthread_equal(pthread_self(), attempt->caller) && !attempt->stop &&
	    !progress_update(attempt->outer, stage, done, total, rows))
		attempt->cancelled = attempt->stop = true;
	return !attempt->stop;
}

static bool try_guarded(void *context)
{
	struct piece *piece = context;
	struct attempt *attempt = piece->attempt;
	return attempt->work(attempt->context, piece->i, &attempt->inner);
}

static void try_piece(void *context, size_t i)
{
	struct attempt *attempt = context;
	struct piece piece = { attempt, i };
	struct error error = { 0 };
	if (attempt->stop || mem_guard(try_guarded, &piece, &error))
		return;
	pthread_mutex_lock(&attempt->lock);
	if (!attempt->stop)
		attempt->error = error;
	attempt->stop = true;
	pthread_mutex_unlock(&attempt->lock);
}

bool parallel_try(size_t count,
		  bool (*work)(void *context, size_t i, const struct progress *progress),
		  void *context, const struct progress *progress, struct error *error)
{
	struct attempt attempt = {
		.work = work, .context = context, .outer = progress,
		.inner = { .update = go_on, .context = &attempt },
		.caller = pthread_self(), .lock = PTHREAD_MUTEX_INITIALIZER,
	};
	parallel_for(count, try_piece, &attempt);
	pthread_mutex_destroy(&attempt.lock);
	if (!attempt.stop)
		return true;
	if (attempt.cancelled || !attempt.error.message[0])
		return error_set(error, ERROR_CANCELLED, "cancelled");
	if (error)
		*error = attempt.error;
	return false;
}

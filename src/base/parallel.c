#include "base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
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

#include "tui/core/worker.h"

#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *waiting, *later, *running, *ended;
	struct work_state state;
	bool stop;
	bool dropping; /* of the submitting thread: finishing jobs that are not run */
	int wake_fd;
};

static bool update(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	struct job *job = context;
	struct worker *worker = job->worker;
	pthread_mutex_lock(&worker->lock);
	/* ignore progress of a cancelled job */
	if (atomic_load(&job->cancelled)) {
		pthread_mutex_unlock(&worker->lock);
		return false;
	}
	worker->state.stage = stage;
	worker->state.done = done;
	worker->state.total = total;
	worker->state.rows = rows;
	pthread_mutex_unlock(&worker->lock);
	return true;
}

static bool run_guarded(void *context)
{
	struct job *job = context;
	struct progress progress = { .update = update, .context = job };
	return job->run(job, &progress, &job->error);
}

static void begin_state(struct worker *worker, const struct job *job)
{
	worker->state =
		(struct work_state){ .what = job->what, .stage = "", .started_ns = clock_ns() };
}

static struct job *take_next(struct worker *worker)
{
	struct job *job = worker->waiting;
	if (!job) {
		job = worker->later;
		worker->later = NULL;
		begin_state(worker, job);
	}
	worker->waiting = NULL;
	return job;
}

static void *work(void *context)
{
	struct worker *worker = context;
	pthread_mutex_lock(&worker->lock);
	for (;;) {
		while (!worker->stop && ((!worker->waiting && !worker->later) || worker->ended))
			pthread_cond_wait(&worker->changed, &worker->lock);
		if (worker->stop)
			break;
		struct job *job = worker->running = take_next(worker);
		pthread_mutex_unlock(&worker->lock);

		job->good = mem_guard(run_guarded, job, &job->error);

		pthread_mutex_lock(&worker->lock);
		worker->running = NULL;
		worker->ended = job;
		pthread_cond_broadcast(&worker->changed);
		while (write(worker->wake_fd, "w", 1) < 0 && errno == EINTR)
			;
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

struct worker *worker_new(int wake_fd)
{
	struct worker *worker = mem_zalloc(1, sizeof *worker);
	sigset_t all, before;
	worker->wake_fd = wake_fd;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->changed, NULL);
	/* signals are for the main thread */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
		pthread_mutex_destroy(&worker->lock);
		pthread_cond_destroy(&worker->changed);
		mem_free(worker);
		worker = NULL;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return worker;
}

static void worker_finish(struct job *job, bool good, const struct error *error)
{
	struct error copy = *error;
	job->finish(job, good, &copy);
}

static void drop(struct job *job)
{
	static const struct error cancelled = { .code = ERROR_CANCELLED, .message = "canceled" };
	if (job)
		worker_finish(job, false, &cancelled);
}

/* Put NEXT (NULL: nothing) in place of the waiting jobs. Jobs that their finish submits come after
 * it.
 */
static void replace_waiting(struct worker *worker, struct job *next)
{
	pthread_mutex_lock(&worker->lock);
	struct job *job = worker->waiting, *later = worker->later;
	worker->waiting = next;
	worker->later = NULL;
	if (worker->running) {
		atomic_store(&worker->running->cancelled, true);
		worker->state.stage = "stopping";
	}
	if (next)
		begin_state(worker, next);
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->lock);
	worker->dropping = true;
	drop(job);
	drop(later);
	worker->dropping = false;
}

/* True if a job that the user waits for is running or imminent. */
static bool is_awaited(const struct worker *worker)
{
	const struct job *running = worker->running;
	return (worker->waiting && !worker->waiting->background) ||
	       (running && !running->background && !atomic_load(&running->cancelled));
}

/* Postpone a background job while the user waits for another one. Of postponed jobs the last stays.
 */
static bool put_off(struct worker *worker, struct job *job)
{
	struct job *before = NULL;
	pthread_mutex_lock(&worker->lock);
	bool off = worker->dropping || (job->background && is_awaited(worker));
	if (off) {
		before = worker->later;
		worker->later = job;
		pthread_cond_broadcast(&worker->changed);
	}
	pthread_mutex_unlock(&worker->lock);
	drop(before);
	return off;
}

void worker_submit(struct worker *worker, struct job *job)
{
	job->worker = worker;
	if (put_off(worker, job))
		return;
	replace_waiting(worker, job);
}

void worker_cancel(struct worker *worker)
{
	replace_waiting(worker, NULL);
}

void worker_collect(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	struct job *job = worker->ended;
	worker->ended = NULL;
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->lock);
	if (!job)
		return;
	/* a job that completed despite cancellation still delivers its result */
	worker_finish(job, job->good, &job->error);
}

bool worker_busy(struct worker *worker, struct work_state *state)
{
	pthread_mutex_lock(&worker->lock);
	const struct job *job = worker->waiting   ? worker->waiting
				: worker->running ? worker->running
						  : worker->later;
	bool busy = job || worker->ended;
	worker->state.background = job && job->background;
	if (state)
		*state = worker->state;
	pthread_mutex_unlock(&worker->lock);
	return busy;
}

void worker_wait(struct worker *worker, int milliseconds)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	int64_t ns = until.tv_nsec + (int64_t)milliseconds * 1000000;
	until.tv_sec += ns / 1000000000;
	until.tv_nsec = ns % 1000000000;
	pthread_mutex_lock(&worker->lock);
	while (!worker->ended && (worker->running || worker->waiting || worker->later))
		if (pthread_cond_timedwait(&worker->changed, &worker->lock, &until) == ETIMEDOUT)
			break;
	pthread_mutex_unlock(&worker->lock);
}

void worker_free(struct worker *worker)
{
	if (!worker)
		return;
	replace_waiting(worker, NULL);
	pthread_mutex_lock(&worker->lock);
	worker->stop = true;
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	do {
		worker_collect(worker);
		replace_waiting(worker, NULL);
	} while (worker->later);
	pthread_mutex_destroy(&worker->lock);
	pthread_cond_destroy(&worker->changed);
	mem_free(worker);
}

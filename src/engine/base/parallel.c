#include "base/parallel.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/platform.h"
#include "text_tables.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { PARALLEL_LIMIT_ROWS(_) };

struct parallel_share {
	void (*work)(void *context, size_t i);
	void *context;
	size_t count;
	void (*watch)(void *context); /* called while waiting for the other threads; may be NULL */
	atomic_size_t next, wanted;
	bool alone; /* no other thread is worth its start */
};

static void run_pieces(void *context)
{
	struct parallel_share *share = context;
	for (size_t i; (i = atomic_fetch_add(&share->next, 1)) < share->count;)
		share->work(share->context, i);
}

static void *parallel_run(void *context)
{
	struct parallel_share *share = context;
	size_t wanted = mem_try(run_pieces, share);
	if (wanted) {
		atomic_store(&share->wanted, wanted);
		atomic_store(&share->next, share->count);
	}
	return NULL;
}

static _Thread_local bool is_alone;

void parallel_alone(bool alone)
{
	is_alone = alone;
}

unsigned parallel_threads(void)
{
	unsigned count = is_alone ? 1 : platform_processors();
	return count > THREADS_MAX ? THREADS_MAX : count;
}

bool parallel_start(pthread_t *thread, void *(*start)(void *context), void *context)
{
	sigset_t all, before;
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool started = pthread_create(thread, NULL, start, context) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

/* Join a thread, calling watch meanwhile. */
static void parallel_join(pthread_t thread, const struct parallel_share *share)
{
	struct timespec until;
	do {
		share->watch(share->context);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WATCH_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
}

static void run_share(struct parallel_share *share)
{
	pthread_t thread[THREADS_MAX];
	size_t threads = share->count > 1 && !share->alone ? parallel_threads() : 1, started = 0;
	if (threads == 1) {
		run_pieces(share);
		return;
	}
	threads = threads < share->count ? threads : share->count;
	while (started + 1 < threads && parallel_start(&thread[started], parallel_run, share))
		started++;
	parallel_run(share);
	while (started--)
		if (share->watch)
			parallel_join(thread[started], share);
		else
			pthread_join(thread[started], NULL);
	if (share->wanted)
		mem_fail(share->wanted);
}

void parallel_for(size_t count, void (*work)(void *context, size_t i), void *context)
{
	struct parallel_share share = { .work = work, .context = context, .count = count };
	run_share(&share);
}

/* ---- work that can fail or be cancelled ---- */

struct attempt {
	bool (*work)(void *context, size_t i, const struct progress *progress);
	void *context;
	const struct progress *outer;
	struct progress inner;
	pthread_t caller;
	atomic_bool stop, cancelled;
	const char *stage; /* last stage reported by the caller's thread */
	uint64_t done, total, rows;
	atomic_size_t wanted; /* bytes that could not be allocated; 0: none */
};

struct parallel_piece {
	struct attempt *attempt;
	size_t i;
	bool done;
};

/* Only the calling thread runs the progress callback; the others see its result. */
static bool parallel_check_cancelled(void *context, const char *stage, uint64_t done,
				     uint64_t total, uint64_t rows)
{
	struct attempt *attempt = context;
	if (!pthread_equal(pthread_self(), attempt->caller))
		return !attempt->stop;
	attempt->stage = stage;
	attempt->done = done;
	attempt->total = total;
	attempt->rows = rows;
	if (!progress_update(attempt->outer, stage, done, total, rows))
		attempt->cancelled = attempt->stop = true;
	return !attempt->stop;
}

static void watch(void *context)
{
	struct attempt *attempt = context;
	parallel_check_cancelled(attempt, attempt->stage, attempt->done, attempt->total,
				 attempt->rows);
}

static void try_guarded(void *context)
{
	struct parallel_piece *piece = context;
	struct attempt *attempt = piece->attempt;
	piece->done = attempt->work(attempt->context, piece->i, &attempt->inner);
}

static void try_piece(void *context, size_t i)
{
	struct attempt *attempt = context;
	struct parallel_piece piece = { attempt, i, false };
	if (attempt->stop)
		return;
	size_t wanted = mem_try(try_guarded, &piece);
	if (wanted)
		attempt->wanted = wanted;
	if (!piece.done)
		attempt->stop = true;
}

bool parallel_try(size_t count,
		  bool (*work)(void *context, size_t i, const struct progress *progress),
		  void *context, const char *stage, const struct progress *progress,
		  struct error *error)
{
	return parallel_try_rows(UINT64_MAX, count, work, context, stage, progress, error);
}

bool parallel_try_rows(uint64_t rows, size_t count,
		       bool (*work)(void *context, size_t i, const struct progress *progress),
		       void *context, const char *stage, const struct progress *progress,
		       struct error *error)
{
	struct attempt attempt = { .work = work,
				   .context = context,
				   .outer = progress,
				   .inner = { .update = parallel_check_cancelled,
					      .context = &attempt },
				   .caller = pthread_self(),
				   .stage = stage };
	struct parallel_share share = { .work = try_piece,
					.context = &attempt,
					.count = count,
					.watch = watch,
					.alone = rows < ROWS_MIN };
	/* report once even if other threads do all the pieces */
	if (parallel_check_cancelled(&attempt, stage, 0, 0, 0))
		run_share(&share);
	if (!attempt.stop)
		return true;
	if (attempt.cancelled || !attempt.wanted)
		return error_cancelled(error);
	if (!error)
		mem_fail(attempt.wanted);
	return mem_failed(attempt.wanted, error);
}

/* ---- ranges of rows ---- */

struct ranges {
	void (*work)(void *context, size_t from, size_t to);
	void *context;
	const char *stage;
	size_t count, length;
};

static bool take_range(void *context, size_t i, const struct progress *progress)
{
	const struct ranges *ranges = context;
	size_t from = i * ranges->length, left = ranges->count - from;
	if (!progress_update(progress, ranges->stage, from, ranges->count, 0))
		return false;
	ranges->work(ranges->context, from, from + (left < ranges->length ? left : ranges->length));
	return true;
}

/* A few ranges per thread, within a minimum and a maximum length. */
static size_t range_length(size_t count)
{
	size_t pieces = (size_t)parallel_threads() * RANGES_A_THREAD;
	size_t length = (count + pieces - 1) / pieces;
	return length < RANGE_MIN ? RANGE_MIN : length > CANCEL_STRIDE ? CANCEL_STRIDE : length;
}

bool parallel_ranges(size_t count, void (*work)(void *context, size_t from, size_t to),
		     void *context, const char *stage, const struct progress *progress)
{
	struct ranges ranges = { work, context, stage, count, range_length(count) };
	return parallel_try((count + ranges.length - 1) / ranges.length, take_range, &ranges, stage,
			    progress, NULL);
}

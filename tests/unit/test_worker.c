/* Job order of the worker: a job the user waits for is never displaced by a background job. */
#include "test.h"

#include "tui/core/worker.h"

#include <string.h>
#include <unistd.h>

struct bench;

struct step {
	struct job job;
	char name;
	atomic_bool *gate; /* the job runs until it opens; NULL: ends at once */
	atomic_bool runs;
	char *log;             /* the job's name when done; in lower case when cancelled */
	struct bench *follows; /* submit job F there when done */
};

static void submit(struct bench *bench, char name, bool background, bool gated);

static bool run(struct job *job, const struct progress *progress, struct error *error)
{
	struct step *step = (struct step *)job;

	atomic_store(&step->runs, true);
	while (step->gate && !atomic_load(step->gate) && progress_update(progress, "", 0, 0, 0))
		;
	return progress_update(progress, "", 0, 0, 0) ||
	       error_set(error, ERROR_CANCELLED, "cancelled");
}

static void finish(struct job *job, bool good, const struct error *error)
{
	struct step *step = (struct step *)job;
	size_t length = strlen(step->log);

	assert_true(good || error->code == ERROR_CANCELLED);
	step->log[length] = (char)(good ? step->name : step->name + 'a' - 'A');
	step->log[length + 1] = '\0';
	if (step->follows)
		submit(step->follows, 'F', false, false);
}

struct bench {
	int wake[2];
	struct worker *worker;
	atomic_bool gate;
	char log[32];
	struct step steps[8];
	size_t count;
};

static void submit(struct bench *bench, char name, bool background, bool gated)
{
	struct step *step = &bench->steps[bench->count++];

	*step = (struct step){
		.job = { .what = "", .background = background, .run = run, .finish = finish },
		.name = name,
		.gate = gated ? &bench->gate : NULL,
		.log = bench->log
	};
	worker_submit(bench->worker, &step->job);
}

static void await_first(struct bench *bench)
{
	while (!atomic_load(&bench->steps[0].runs))
		usleep(1000);
}

static void begin(struct bench *bench)
{
	memset(bench, 0, sizeof *bench);
	assert_int_equal(pipe(bench->wake), 0);
	bench->worker = worker_new(bench->wake[1]);
}

static void end(struct bench *bench, const char *expected)
{
	atomic_store(&bench->gate, true);
	while (worker_busy(bench->worker, NULL)) {
		worker_wait(bench->worker, 1000);
		worker_collect(bench->worker);
	}
	assert_string_equal(bench->log, expected);
	worker_free(bench->worker);
	close(bench->wake[0]);
	close(bench->wake[1]);
}

TEST(background_job_waits)
{
	struct bench bench;

	begin(&bench);
	submit(&bench, 'A', false, true);
	await_first(&bench);
	submit(&bench, 'B', true, false);
	end(&bench, "AB");
}

TEST(new_job_cancels_running_and_postponed)
{
	struct bench bench;

	begin(&bench);
	submit(&bench, 'A', false, true);
	await_first(&bench);
	submit(&bench, 'B', true, false);
	submit(&bench, 'C', true, false); /* of postponed jobs only the last one runs */
	assert_string_equal(bench.log, "b");
	submit(&bench, 'D', false, false);
	assert_string_equal(bench.log, "bc");
	end(&bench, "bcaD");
}

/* A search ends after the next view was requested and requests more: the view is still built. */
TEST(awaited_job_is_not_displaced)
{
	struct bench bench;

	begin(&bench);
	submit(&bench, 'A', true, true);
	await_first(&bench);
	submit(&bench, 'B', false, true);
	submit(&bench, 'C', true, false);
	end(&bench, "aBC");
}

/* Its thread sleeps, and is woken by the job alone, not by what is collected. */
TEST(a_job_wakes_an_idle_worker)
{
	struct bench bench;

	begin(&bench);
	for (int i = 0; i < 4; i++) {
		usleep(20000);
		submit(&bench, (char)('A' + i), i % 2, false);
		for (int left = 2000; left && !atomic_load(&bench.steps[i].runs); left--)
			usleep(1000);
		assert_true(atomic_load(&bench.steps[i].runs));
		worker_wait(bench.worker, 1000);
		worker_collect(bench.worker);
		assert_int_equal(strlen(bench.log), i + 1);
	}
	end(&bench, "ABCD");
}

TEST(cancel_drops_all)
{
	struct bench bench;

	begin(&bench);
	submit(&bench, 'A', false, true);
	await_first(&bench);
	submit(&bench, 'B', true, false);
	worker_cancel(bench.worker);
	assert_string_equal(bench.log, "b");
	while (worker_busy(bench.worker, NULL)) {
		worker_wait(bench.worker, 1000);
		worker_collect(bench.worker);
	}
	end(&bench, "ba");
}

/* A pane that is not shown after all leaves another, which asks for its rows. */
TEST(job_submitted_by_a_dropped_one_runs_later)
{
	struct bench bench;

	begin(&bench);
	submit(&bench, 'A', false, true);
	await_first(&bench);
	submit(&bench, 'B', false, false);
	bench.steps[1].follows = &bench;
	submit(&bench, 'C', false, false);
	assert_string_equal(bench.log, "b");
	end(&bench, "baCF");
	/* the worker ends: it is canceled, too */
	begin(&bench);
	submit(&bench, 'A', false, true);
	await_first(&bench);
	submit(&bench, 'B', false, false);
	bench.steps[1].follows = &bench;
	worker_free(bench.worker);
	assert_string_equal(bench.log, "baf");
	bench.worker = worker_new(bench.wake[1]);
	end(&bench, "baf");
}

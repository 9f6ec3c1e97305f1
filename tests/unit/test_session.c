/* Loading ranks concurrently: which calls block, and which ranks are evicted. */
#include "trace_case.h"

#include "session/load_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const paths[] = { "test-session-0.tmp", "test-session-1.tmp" };

/* Two ranks, none loaded. */
static struct run *open_ranks(void)
{
	struct error error = { 0 };
	for (int rank = 0; rank < 2; rank++) {
		char command[200];
		unlink(paths[rank]);
		snprintf(command, sizeof command,
			 "./tracegen --size 100K --rank %d --world 2 -o %s", rank, paths[rank]);
		assert_int_equal(system(command), 0);
	}
	struct run *run = run_open(paths, 2, NULL, NULL, &error);
	if (!run)
		fail_msg("%s", error.message);
	assert_true(load_make_room(run, 0));
	return run;
}

static void close_ranks(struct run *run)
{
	run_free(run);
	unlink(paths[0]);
	unlink(paths[1]);
}

/* A thread that acquires rank 1. */
struct client {
	const struct run *run;
	pthread_t thread;
	atomic_bool stop;
	atomic_int waits, reads; /* number of polls */
	struct rank *rank;
	struct error error;
};

static bool look(void *context, const char *stage, uint64_t done, uint64_t total, uint64_t rows)
{
	struct client *client = context;
	(void)done, (void)total, (void)rows;
	atomic_fetch_add(progress_is_reading(stage) ? &client->reads : &client->waits, 1);
	return !atomic_load(&client->stop);
}

static void *acquire(void *context)
{
	struct client *client = context;
	const struct progress progress = { .update = look, .context = client };
	client->rank = run_acquire(client->run, 1, &progress, &client->error);
	return NULL;
}

static void start(struct client *client, const struct run *run)
{
	*client = (struct client){ .run = run };
	assert_int_equal(pthread_create(&client->thread, NULL, acquire, client), 0);
}

static void await(const atomic_int *count)
{
	while (!atomic_load(count))
		usleep(1000);
}

static void end(struct client *client, bool stop)
{
	atomic_store(&client->stop, stop);
	pthread_join(client->thread, NULL);
	if (stop) {
		assert_null(client->rank);
		assert_int_equal(client->error.code, ERROR_CANCELLED);
	} else {
		assert_non_null(client->rank);
		assert_ptr_equal(client->rank->derived->profile, client->rank->profile);
		run_release(client->run, client->rank);
	}
}

TEST(peek_loads_nothing)
{
	struct run *run = open_ranks();

	assert_null(run_peek(run, 1));
	struct rank *rank = run_acquire(run, 1, NULL, NULL);
	assert_ptr_equal(run_peek(run, 1), rank);
	assert_null(run_peek(run, 0));
	assert_null(run_peek(run, 7));
	run_release(run, rank);
	run_release(run, rank);
	close_ranks(run);
}

TEST(held_rank_is_not_evicted)
{
	struct run *run = open_ranks();
	struct rank *held = run_acquire(run, 0, NULL, NULL);
	const struct profile *profile = held->profile;

	run_release(run, run_acquire(run, 1, NULL, NULL));
	assert_true(load_make_room(run, 0));
	assert_false(load_make_room(run, 0));
	assert_null(run_peek(run, 1));
	assert_ptr_equal(held->profile, profile);
	run_release(run, held);
	assert_true(load_make_room(run, 0));
	assert_null(run_peek(run, 0));
	close_ranks(run);
}

TEST(one_thread_loads_for_all)
{
	enum { CLIENTS = 6 };
	struct run *run = open_ranks();
	struct client clients[CLIENTS];
	int readers = 0;

	for (int i = 0; i < CLIENTS; i++)
		start(&clients[i], run);
	for (int i = 0; i < CLIENTS; i++) {
		end(&clients[i], false);
		readers += atomic_load(&clients[i].reads) > 0;
	}
	assert_int_equal(readers, 1);
	assert_true(load_make_room(run, 0)); /* no longer held */
	assert_null(run_peek(run, 1));
	close_ranks(run);
}

/* Replace the file of rank 1 by a pipe that is never written. */
static void stall(void)
{
	unlink(paths[1]);
	assert_int_equal(mkfifo(paths[1], 0600), 0);
}

TEST(stalled_load_blocks_no_other_rank)
{
	struct run *run = open_ranks();
	struct client loading, waiting;

	stall();
	start(&loading, run);
	await(&loading.reads);
	assert_null(run_peek(run, 1));
	struct table *table = trace_view(run, "kernels", NULL, NULL);
	assert_true(table->rows > 0);
	table_free(table);
	struct rank *other = run_peek(run, 0);
	assert_non_null(other);
	run_release(run, other);

	start(&waiting, run);
	await(&waiting.waits);
	end(&waiting, true);
	start(&waiting, run);
	await(&waiting.waits);
	end(&loading, true); /* the waiting thread loads it now */
	await(&waiting.reads);
	end(&waiting, true);
	assert_null(run_peek(run, 1));
	close_ranks(run);
}

TEST(cancelled_load_can_be_repeated)
{
	struct run *run = open_ranks();
	struct client client;
	char command[200];

	snprintf(command, sizeof command, "cp %s test-session-copy.tmp", paths[1]);
	assert_int_equal(system(command), 0);
	stall();
	start(&client, run);
	await(&client.reads);
	end(&client, true);
	start(&client, run);
	await(&client.reads);
	snprintf(command, sizeof command, "cat test-session-copy.tmp >%s", paths[1]);
	assert_int_equal(system(command), 0);
	end(&client, false);
	unlink("test-session-copy.tmp");
	close_ranks(run);
}

TEST(missing_file_is_an_error)
{
	struct run *run = open_ranks();
	struct error error = { 0 };

	unlink(paths[1]);
	for (int i = 0; i < 2; i++) {
		assert_null(run_acquire(run, 1, NULL, &error));
		assert_int_equal(error.code, ERROR_INPUT);
	}
	assert_null(run_acquire(run, 7, NULL, &error));
	assert_int_equal(error.code, ERROR_USAGE);
	close_ranks(run);
}

/* A report that cannot be read is not converted. */
TEST(a_report_that_is_not_there_is_refused)
{
	const struct convert_options options = { "/bin/true", (char *[]){ NULL } };
	struct error error = { 0 };
	assert_null(convert_report("nothing.nsys-rep", "converted", &options, NULL, &error));
	assert_int_equal(error.code, ERROR_INPUT);
	assert_string_equal(error.message, "cannot read: No such file or directory");
	assert_int_equal(access("converted", F_OK), -1);
}

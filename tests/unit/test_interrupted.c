/* Signals during reads and writes: input and output stay complete. */
#include "trace_case.h"
#include "file_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "input/open.h"
#include "input/source.h"
#include "report/format.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { EVERY_US = 300, PIECE = 3000 };

static char directory[] = "/tmp/strata-interrupted-XXXXXX";
static char *trace;
static size_t trace_length;
static atomic_int arrived;

/* Returned path is valid until the fourth call after this one. */
static const char *in_directory(const char *name)
{
	static char paths[4][sizeof directory + 40];
	static int next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", directory, name);
	return path;
}

/* ---- signals ---- */

static void count(int number)
{
	atomic_fetch_add(&arrived, 1);
}

/* Without SA_RESTART, so that system calls return EINTR. */
static void storm_begin(void)
{
	static const int numbers[] = { SIGALRM, SIGWINCH, SIGCONT, SIGUSR1 };
	const struct sigaction action = { .sa_handler = count };
	const struct itimerval often = { { 0, EVERY_US }, { 0, EVERY_US } };
	sigset_t set; /* ThreadSanitizer may leave them blocked after many at once */
	arrived = 0;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		sigaction(numbers[i], &action, NULL);
		sigaddset(&set, numbers[i]);
	}
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void storm_end(void)
{
	const struct itimerval never = { 0 };
	setitimer(ITIMER_REAL, &never, NULL);
	assert_true(arrived > 0);
}

/* ---- a slow peer at the other end of a pipe, with signals blocked ---- */

struct other_end {
	pthread_t thread;
	int fd;
	struct buffer got;
};

static void *write_slowly(void *context)
{
	struct other_end *end = context;
	size_t at = 0;
	while (at < trace_length) {
		size_t length = trace_length - at < PIECE ? trace_length - at : PIECE;
		ssize_t sent = write(end->fd, trace + at, length);
		at += sent > 0 ? (size_t)sent : 0;
		kill(getpid(), at % 2 ? SIGWINCH : SIGCONT);
		usleep(EVERY_US);
	}
	close(end->fd);
	return NULL;
}

static void *read_slowly(void *context)
{
	struct other_end *end = context;
	char piece[PIECE];
	ssize_t got;
	while ((got = read(end->fd, piece, sizeof piece)) > 0) {
		buffer_add(&end->got, piece, (size_t)got);
		kill(getpid(), SIGUSR1);
		usleep(EVERY_US);
	}
	close(end->fd);
	return NULL;
}

static void start(struct other_end *end, int fd, void *(*work)(void *context))
{
	sigset_t all, before;
	*end = (struct other_end){ .fd = fd };
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	assert_int_equal(pthread_create(&end->thread, NULL, work, end), 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- expected results ---- */

static void print_launches(struct buffer *out, const char *path)
{
	struct error error = { 0 };
	struct run *run = run_open(&path, 1, NULL, NULL, &error);
	if (!run)
		fail_msg("%s", error.message);
	struct table *table = trace_view(run, "launches", NULL, NULL);
	for (size_t row = 0; row < table->rows; row++)
		for (size_t column = 0; column < table->columns; column++)
			table_format(out, table, row, column, true);
	assert_true(out->length > 10000);
	table_free(table);
	run_free(run);
}

static void assert_same_launches(const char *path)
{
	struct buffer right = { 0 }, now = { 0 };
	print_launches(&right, in_directory("t.json"));
	storm_begin();
	print_launches(&now, path);
	storm_end();
	assert_int_equal(now.length, right.length);
	assert_memory_equal(now.data, right.data, right.length);
	buffer_free(&right);
	buffer_free(&now);
}

TEST(file_is_read_completely)
{
	assert_same_launches(in_directory("t.json"));
}

TEST(named_pipe_is_read_completely)
{
	struct other_end writer;
	const char *path = in_directory("pipe");
	assert_int_equal(mkfifo(path, 0600), 0);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	start(&writer, fd, write_slowly);
	assert_same_launches(path);
	pthread_join(writer.thread, NULL);
}

/* A blocking descriptor, like standard input. */
TEST(blocking_pipe_is_read_completely)
{
	struct other_end writer;
	struct error error = { 0 };
	struct buffer got = { 0 };
	int fds[2], before = dup(STDIN_FILENO);
	char piece[PIECE];
	ptrdiff_t length;
	assert_int_equal(pipe(fds), 0);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	start(&writer, fds[1], write_slowly);
	storm_begin();
	struct source *source = source_open("-", NULL, &error);
	assert_non_null(source);
	while ((length = source_read(source, piece, sizeof piece, &error)) > 0)
		buffer_add(&got, piece, (size_t)length);
	storm_end();
	source_close(source);
	pthread_join(writer.thread, NULL);
	dup2(before, STDIN_FILENO);
	close(before);
	assert_int_equal(length, 0);
	assert_int_equal(got.length, trace_length);
	assert_memory_equal(got.data, trace, trace_length);
	buffer_free(&got);
}

/* ---- writing ---- */

static void print_table(const struct table *table, const char *path, int fd)
{
	const struct extract_options options = { .limit = SIZE_MAX, .all_columns = true };
	const struct style style = { .raw = true };
	struct extract extract;
	struct output output;
	struct error error = { 0 };
	assert_true(extract_make(&extract, table, &options, NULL, &error));
	assert_true(output_open(&output, path, fd, false, &error));
	assert_true(format_find("json")->write(&output, &extract, &style, NULL, &error));
	if (!output_commit(&output, &error))
		fail_msg("%s", error.message);
	extract_clear(&extract);
}

TEST(report_is_written_completely)
{
	struct other_end reader;
	const char *path = in_directory("t.json");
	struct run *run = run_open(&path, 1, NULL, NULL, NULL);
	struct table *table = trace_view(run, "launches", NULL, NULL);
	const char *right = in_directory("right.json");
	size_t length;
	int fds[2];
	print_table(table, right, -1);
	FILE *file = fopen(right, "r");
	char *text = malloc(1 << 26);
	length = fread(text, 1, 1 << 26, file);
	fclose(file);
	assert_true(length > 100000); /* more than a pipe buffer */

	assert_int_equal(pipe(fds), 0);
	start(&reader, fds[0], read_slowly);
	storm_begin();
	print_table(table, NULL, fds[1]);
	storm_end();
	close(fds[1]);
	pthread_join(reader.thread, NULL);
	assert_int_equal(reader.got.length, length);
	assert_memory_equal(reader.got.data, text, length);
	buffer_free(&reader.got);
	free(text);
	table_free(table);
	run_free(run);
}

static int make_files(void **state)
{
	if (!mkdtemp(directory))
		return -1;
	/* so that no pipe gets the number of a standard input that is closed */
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd > STDIN_FILENO)
		close(fd);
	trace = trace_generate("--steps 4", &trace_length);
	write_whole(in_directory("t.json"), trace, trace_length);
	return 0;
}

static int remove_files(void **state)
{
	mem_free(trace);
	return remove_folder(directory);
}

TEST_PROGRAM(make_files, remove_files)

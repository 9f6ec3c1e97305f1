/*
 * A character device without end of file: abandoned after a limit without events, keeping those
 * read.
 */
#include "trace_case.h"

#include "input/open.h"
#include "input/source.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

/* The master side of a pseudo-terminal: writes HEAD, then garbage until stopped. */
struct feeder {
	int master, slave;
	pthread_t thread;
	const char *head;
	size_t head_length;
	char *rubbish;
	atomic_bool stop;
};

enum { PIECE = 1 << 16 };

static bool feed(struct feeder *feeder, const char *bytes, size_t length)
{
	while (length && !feeder->stop) {
		struct pollfd fd = { feeder->master, POLLOUT, 0 };
		if (poll(&fd, 1, 10) <= 0)
			continue;
		ssize_t sent = write(feeder->master, bytes, length);
		if (sent > 0) {
			bytes += sent;
			length -= (size_t)sent;
		}
	}
	return !feeder->stop;
}

static void *run(void *context)
{
	struct feeder *feeder = context;
	if (feed(feeder, feeder->head, feeder->head_length))
		while (feed(feeder, feeder->rubbish, PIECE))
			;
	return NULL;
}

/* Random bytes or zeros, without an event. */
static char *make_rubbish(bool zeros)
{
	char *rubbish = calloc(1, PIECE);
	uint64_t state = 88172645463325252u;
	for (size_t i = 0; !zeros && i < PIECE; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		rubbish[i] = (char)(state >> 32);
	}
	return rubbish;
}

static void start(struct feeder *feeder, const char *head, size_t length, bool zeros, char *path,
		  size_t size)
{
	struct termios raw;
	*feeder = (struct feeder){ .head = head, .head_length = length };
	feeder->rubbish = make_rubbish(zeros);
	assert_int_equal(openpty(&feeder->master, &feeder->slave, NULL, NULL, NULL), 0);
	tcgetattr(feeder->slave, &raw);
	cfmakeraw(&raw);
	tcsetattr(feeder->slave, TCSANOW, &raw);
	fcntl(feeder->master, F_SETFL, O_NONBLOCK);
	assert_int_equal(ttyname_r(feeder->slave, path, size), 0);
	assert_int_equal(pthread_create(&feeder->thread, NULL, run, feeder), 0);
}

static void stop(struct feeder *feeder)
{
	feeder->stop = true;
	pthread_join(feeder->thread, NULL);
	close(feeder->master);
	close(feeder->slave);
	free(feeder->rubbish);
}

static struct profile *open_device(const char *head, size_t length, bool zeros, struct error *error)
{
	struct feeder feeder;
	char path[64];
	start(&feeder, head, length, zeros, path, sizeof path);
	struct profile *profile = profile_open(path, NULL, error);
	stop(&feeder);
	return profile;
}

TEST(garbage_is_refused)
{
	static const struct {
		const char *bytes;
		size_t length;
		bool zeros;
	} heads[] = {
#define HEAD(text) text, sizeof text - 1
		{ HEAD("["), false },
		{ HEAD("{\"traceEvents\": ["), true },
		{ HEAD("{\"a\": [\""), false },
		{ HEAD("\xfb\xa9"), false },
		{ HEAD("\x80\x05"), true },
		{ HEAD("{'a': 1"), false },
		{ HEAD("\x28\xb5\x2f\xfd\x00\x00"), true },
#undef HEAD
	};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		struct error error = { 0 };
		assert_null(open_device(heads[i].bytes, heads[i].length, heads[i].zeros, &error));
		assert_int_equal(error.code, ERROR_INPUT);
	}
}

TEST(events_before_garbage_are_kept)
{
	static const char head[] =
		"[" OPERATOR("aten::mm", "1", "1") "," OPERATOR("aten::mm", "3", "1") ",";
	struct error error = { 0 };
	struct profile *profile = open_device(head, sizeof head - 1, false, &error);
	assert_non_null(profile);
	assert_int_equal(profile->events, 2);
	assert_true(profile->truncated);
	assert_string_equal(profile->damages[profile->damage_count - 1].cause,
			    "no data from the device for a long time");
	assert_true(profile->text_bytes > SOURCE_QUIET_MAX);
	assert_true(profile->text_bytes < SOURCE_QUIET_MAX + (1 << 20));
	profile_free(profile);
}

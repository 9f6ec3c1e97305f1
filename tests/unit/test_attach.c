/* The daemon's side of Kineto's on-demand tracing, without a socket. */
#include "test.h"

#include "attach/attach.h"
#include "base/buffer.h"
#include "base/error.h"

#include <stdlib.h>

#define SECOND 1000000000LL

static struct attach attach;
static struct buffer answer;
static int64_t now_ns, now_ms;

static void start(void)
{
	static const char name[] = "\0dynolog";
	attach_free(&attach);
	attach = (struct attach){ .user = 1000, .address = name, .address_length = sizeof name };
	attach.request = (struct trace_request){
		.directory = "/tmp/x", .id = "x", .duration_ms = 500, .shapes = true
	};
	now_ns = 1000 * SECOND;
	now_ms = 1700000000000;
}

static struct attach_peer peer_of(int32_t pid)
{
	static const char name[] = "\0dynoconfigclient0";
	return (struct attach_peer){ pid, 1000, pid, name, sizeof name };
}

/* A header that says SIZE, and LENGTH bytes of payload. */
static bool send(const struct attach_peer *peer, const char *type, uint64_t size,
		 const void *payload, size_t length)
{
	char message[2000] = "";
	memcpy(message, &size, sizeof size);
	strcpy(message + 8, type);
	memcpy(message + ATTACH_HEADER, payload, length);
	return attach_take(&attach, peer, message, ATTACH_HEADER + length, now_ns, now_ms, &answer);
}

static bool enter(int32_t pid, int32_t gpu, int64_t job)
{
	struct {
		int32_t gpu, pid;
		int64_t job;
	} context = { gpu, pid, job };
	struct attach_peer peer = peer_of(pid);
	return send(&peer, "ctxt", sizeof context, &context, sizeof context);
}

struct poll {
	int32_t kinds, count;
	int64_t job;
	int32_t pids[2];
};

/* The text that process PID gets; NULL: no answer. */
static const char *poll_as(int32_t pid, int32_t kinds)
{
	struct poll poll = { kinds, 2, 7, { pid, 1 } };
	struct attach_peer peer = peer_of(pid);
	if (!send(&peer, "req", sizeof poll, &poll, sizeof poll))
		return NULL;
	uint64_t size;
	memcpy(&size, answer.data, sizeof size);
	assert_int_equal(size + ATTACH_HEADER, answer.length);
	assert_string_equal(answer.data + 8, "req");
	return answer.data + ATTACH_HEADER;
}

static struct attach_process *process(void)
{
	return &attach.processes[attach.count - 1];
}

static enum attach_state look(bool alive, bool temporary, bool file, uint64_t size)
{
	const struct attach_sight sight = { alive, temporary, file, size };
	attach_look(&attach, process(), &sight, now_ns);
	return process()->state;
}

TEST(registration_counts_the_processes_of_a_gpu)
{
	start();
	int32_t users;
	for (int32_t i = 0; i < 3; i++)
		assert_true(enter(100 + i, 4, 9));
	memcpy(&users, answer.data + ATTACH_HEADER, sizeof users);
	assert_int_equal(users, 3);
	assert_int_equal(answer.length, ATTACH_HEADER + sizeof users);
	assert_true(enter(100, 4, 9)); /* again */
	assert_true(enter(200, 5, 9));
	memcpy(&users, answer.data + ATTACH_HEADER, sizeof users);
	assert_int_equal(users, 1);
	assert_int_equal(attach.count, 4);
	assert_int_equal(process()->job, 9);
}

TEST(from_the_request_to_the_file)
{
	start();
	assert_string_equal(poll_as(50, 2), "");
	assert_int_equal(look(true, false, false, 0), ATTACH_IDLE);
	attach_choose(process(), now_ns);
	assert_string_equal(poll_as(50, 0), ""); /* busy: it could not record */
	assert_true(process()->busy);
	assert_string_equal(poll_as(50, 3), "ACTIVITIES_LOG_FILE=/tmp/x/trace.pt.trace.json\n"
					    "REQUEST_TRACE_ID=x\n"
					    "ACTIVITIES_DURATION_MSECS=500\n"
					    "PROFILE_REPORT_INPUT_SHAPES=true\n"
					    "PROFILE_PROFILE_MEMORY=false\n"
					    "PROFILE_WITH_STACK=false\n"
					    "PROFILE_WITH_FLOPS=false\n"
					    "PROFILE_WITH_MODULES=false\n");
	assert_int_equal(look(true, false, false, 0), ATTACH_ASKED);
	assert_string_equal(poll_as(50, 2), ""); /* told once */
	assert_string_equal(poll_as(50, 0), "");
	assert_int_equal(look(true, false, false, 0), ATTACH_STARTED);
	assert_int_equal(look(true, true, false, 0), ATTACH_STARTED);
	assert_int_equal(look(true, true, false, 10), ATTACH_WRITING);
	now_ns += 1000 * SECOND;
	assert_int_equal(look(true, true, false, 20), ATTACH_WRITING);
	assert_int_equal(look(false, false, true, 30), ATTACH_READY);
	assert_int_equal(look(false, false, false, 0), ATTACH_READY);
	assert_int_equal(process()->size, 30);
}

/* The queue of a process that reads late is full: it gets the request at a later poll, once. */
TEST(a_request_that_was_not_sent_is_sent_again)
{
	start();
	struct attach_peer peer = peer_of(50);
	poll_as(50, 2);
	attach_choose(process(), now_ns);
	assert_true(enter(50, 4, 9));
	attach_unsent(&attach, &peer, &answer);
	for (int i = 0; i < 20; i++, now_ns += 2 * SECOND) {
		assert_int_equal(look(true, false, false, 0), ATTACH_CHOSEN);
		assert_non_null(strstr(poll_as(50, 2), "DURATION_MSECS=500"));
		attach_unsent(&attach, &peer, &answer);
	}
	assert_non_null(strstr(poll_as(50, 2), "DURATION_MSECS=500"));
	assert_int_equal(look(true, false, false, 0), ATTACH_ASKED);
	assert_string_equal(poll_as(50, 2),
			    ""); /* it has the request, though this gets lost, too */
	attach_unsent(&attach, &peer, &answer);
	assert_true(enter(50, 4, 9));
	attach_unsent(&attach, &peer, &answer);
	assert_int_equal(look(true, false, false, 0), ATTACH_ASKED);
	assert_string_equal(poll_as(50, 0), "");
	assert_int_equal(look(true, false, false, 0), ATTACH_STARTED);
	peer = peer_of(51); /* not known, and nothing to send again */
	attach_unsent(&attach, &peer, &answer);
	assert_int_equal(process()->state, ATTACH_IDLE);
}

TEST(no_trace_comes)
{
	start();
	poll_as(50, 2);
	attach_choose(process(), now_ns);
	poll_as(50, 2);
	assert_int_equal(look(false, true, false, 10), ATTACH_ENDED);
	assert_non_null(strstr(attach_word(ATTACH_ENDED), "ended before"));
	poll_as(51, 2);
	attach_choose(process(), now_ns);
	for (int i = 0; i < 7; i++) { /* takes it, and goes on polling as if nothing were */
		assert_int_equal(look(true, false, false, 0), i ? ATTACH_ASKED : ATTACH_CHOSEN);
		poll_as(51, 2);
		now_ns += 5 * SECOND;
	}
	assert_int_equal(look(true, false, false, 0), ATTACH_REFUSED);
	attach.request.steps = 3; /* may take its time */
	poll_as(52, 2);
	attach_choose(process(), now_ns);
	for (int i = 0; i < 8; i++, now_ns += 5 * SECOND)
		poll_as(52, 2);
	assert_int_equal(look(true, false, false, 0), ATTACH_ASKED);
	now_ns += 400 * SECOND;
	assert_int_equal(look(true, false, false, 0), ATTACH_LATE);
	assert_non_null(strstr(attach_word(ATTACH_LATE), "Optimizer.step"));
}

static bool wants_all(void *context, const struct attach_process *one)
{
	++*(int *)context;
	return one->job == 7;
}

TEST(several_begin_together)
{
	start();
	int asked = 0;
	attach.wants = wants_all;
	attach.context = &asked;
	attach.several = true;
	const char *text = strstr(poll_as(50, 2), "PROFILE_START_TIME=");
	assert_int_equal(atoll(text + 19), now_ms + 12000);
	now_ms += 5000;
	assert_int_equal(atoll(strstr(poll_as(51, 2), "TIME=") + 5), now_ms + 7000);
	now_ms += 5000; /* no time is left to warm up */
	assert_null(strstr(poll_as(52, 2), "START_TIME"));
	assert_int_equal(asked, 3);
	attach.request.steps = 5;
	text = poll_as(53, 2);
	assert_non_null(
		strstr(text, "PROFILE_START_ITERATION_ROUNDUP=10\nACTIVITIES_ITERATIONS=5\n"));
	assert_null(strstr(text, "DURATION"));
	attach.several = false;
	assert_non_null(strstr(poll_as(54, 2), "_ROUNDUP=1\n"));
}

static void refuses(const struct attach_peer *peer, enum attach_refusal why, const char *type,
		    uint64_t size, const void *payload, size_t length)
{
	uint64_t before = attach.refused[why];
	size_t count = attach.count;
	assert_false(send(peer, type, size, payload, length));
	assert_int_equal(attach.refused[why], before + 1);
	assert_int_equal(attach.count, count);
	assert_int_equal(answer.length, 0);
}

TEST(lies_are_refused)
{
	start();
	struct poll poll = { 2, 2, 7, { 50, 1 } };
	struct attach_peer peer = peer_of(50);
	refuses(&peer, ATTACH_FORM, "req", 0, &poll, sizeof poll);
	refuses(&peer, ATTACH_FORM, "req", sizeof poll + 8, &poll, sizeof poll);
	refuses(&peer, ATTACH_FORM, "req", UINT64_MAX, &poll, sizeof poll);
	refuses(&peer, ATTACH_FORM, "req", 4, &poll, 4);
	static const int32_t counts[] = { 0, 1, 3, -1, INT32_MIN, INT32_MAX, 1 << 30 };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		poll.count = counts[i];
		refuses(&peer, ATTACH_FORM, "req", sizeof poll, &poll, sizeof poll);
	}
	poll.count = 2;
	refuses(&peer, ATTACH_FORM, "data", sizeof poll, &poll, sizeof poll);
	refuses(&peer, ATTACH_FORM, "", sizeof poll, &poll, sizeof poll);
	refuses(&peer, ATTACH_FORM, "ctxt", sizeof poll, &poll, sizeof poll);
	poll.pids[0] = 1;
	refuses(&peer, ATTACH_PID, "req", sizeof poll, &poll, sizeof poll);
	poll.pids[0] = peer.own_pid = 0; /* gone before it was looked at */
	refuses(&peer, ATTACH_PID, "req", sizeof poll, &poll, sizeof poll);
	peer.own_pid = poll.pids[0] = 50;
	peer.user = 0;
	refuses(&peer, ATTACH_USER, "req", sizeof poll, &poll, sizeof poll);
	peer.user = 1000;
	assert_true(send(&peer, "req", sizeof poll, &poll, sizeof poll));
	for (int i = 0; i < ATTACH_REFUSALS; i++)
		assert_non_null(attach_why_refused((enum attach_refusal)i));
}

/* An answer from a directory that is not that of its environment ends a job. */
TEST(the_place_is_that_of_the_job)
{
	static const struct {
		const char *own, *other;
		bool same;
	} cases[] = {
		{ "/run/a/dynolog", "/run/a/client", true },
		{ "/run/a/dynolog", "/run/a//client", false },
		{ "/run/a//dynolog", "/run/a/client", false },
		{ "/run/a/dynolog", "/run/a/b/client", false },
		{ "/run/a/dynolog", "/run/b/client", false },
		{ "/run/a/dynolog", "/run/a/", false },
		{ "/run/a/dynolog", "", false },
		{ "dynolog", "client", false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		start();
		struct poll poll = { 2, 2, 7, { 50, 1 } };
		struct attach_peer peer = { 50, 1000, 50, cases[i].other, strlen(cases[i].other) };
		attach.address = cases[i].own;
		attach.address_length =
			strlen(cases[i].own) + 1; /* the system counts the NUL, or not */
		if (cases[i].same)
			assert_true(send(&peer, "req", sizeof poll, &poll, sizeof poll));
		else
			refuses(&peer, ATTACH_PLACE, "req", sizeof poll, &poll, sizeof poll);
	}
	start();
	struct poll poll = { 2, 2, 7, { 50, 1 } };
	struct attach_peer peer = { 50, 1000, 50, "/run/a/client", 13 };
	refuses(&peer, ATTACH_PLACE, "req", sizeof poll, &poll, sizeof poll);
}

TEST(processes_are_limited)
{
	start();
	for (int32_t i = 1; i <= ATTACH_PROCESSES_MAX; i++)
		assert_true(enter(i, 0, 0));
	assert_false(enter(ATTACH_PROCESSES_MAX + 1, 0, 0));
	assert_int_equal(attach.refused[ATTACH_MANY], 1);
	assert_true(enter(1, 0, 0));
	attach_free(&attach);
}

TEST(directories_that_kineto_would_misread)
{
	struct error error;
	struct trace_request request = { .directory = "/tmp/a b-c_d.e", .id = "x", .steps = 3 };
	assert_true(trace_request_check(&request, &error));
	static const char *const bad[] = { "tmp",         "/tmp/#1", "/tmp/a=b",
					   "/tmp/../etc", "/a\nB=c", "/tmp/x.json" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		request.directory = bad[i];
		assert_false(trace_request_check(&request, &error));
		assert_int_equal(error.code, ERROR_USAGE);
	}
}

TEST(the_command_of_dyno)
{
	struct buffer text = { 0 };
	struct trace_request request = {
		.directory = "/tmp", .duration_ms = 250, .stacks = true, .modules = true
	};
	trace_request_dyno(&request, 44, 0, &text);
	assert_string_equal(text.data, "dyno gputrace --log-file /tmp/trace.json --duration-ms 250 "
				       "--pids 44 --with-stacks --with-modules");
	buffer_clear(&text);
	request = (struct trace_request){
		.directory = "/d", .steps = 3, .shapes = true, .flops = true
	};
	trace_request_dyno(&request, 0, 12, &text);
	assert_string_equal(text.data,
			    "dyno gputrace --log-file /d/trace.json --iterations 3 "
			    "--process-limit 1000 --job-id 12 --record-shapes --with-flops");
	buffer_free(&text);
	buffer_free(&answer);
}

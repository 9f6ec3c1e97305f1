/*
 * Plays a PyTorch process with KINETO_USE_DAEMON=1, as strata attach sees it: registers, polls,
 * and writes a trace when it is asked to. Ends after that, or when no request came for two minutes.
 *
 *     attach_client [-n PROCESSES] [-i POLL_MS] [-m MODE] [-u USER] [-w WRITE_MS] [-j JOB] TRACE
 *
 * MODE: die (when asked), refuse (poll on), busy (always), size, huge, short, type, pid, pids (lies
 * about them), flood (of datagrams), link (a link in place of the file), late (does not read at
 * first, until its queue is full), text (print what was asked, then as without a mode).
 *
 * Exit 0: did its part. 1: was not asked. 2: no socket. 3: an answer of another size than it says.
 * 4: could not write the trace. 5: several failed. What failed is printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *mode = "", *trace;
static int poll_ms = 100, write_ms = 100;
static int64_t job;

static void pause_ms(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int give_up(int status, const char *what)
{
	fprintf(stderr, "attach_client: process %d: %s: %s\n", getpid(), what, strerror(errno));
	return status;
}

static int is(const char *word)
{
	return strcmp(mode, word) == 0;
}

static socklen_t set_name(struct sockaddr_un *to, const char *name)
{
	const char *folder = getenv("KINETO_IPC_SOCKET_DIR");
	*to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	int length = folder && *folder
			     ? snprintf(to->sun_path, sizeof to->sun_path, "%s/%s", folder, name)
			     : snprintf(to->sun_path + 1, sizeof to->sun_path - 1, "%s", name) + 1;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length + 1);
}

static int open_client(void)
{
	char name[80];
	struct sockaddr_un own;
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	snprintf(name, sizeof name, "dynoconfigclient%08x-0000-4000-8000-%012x", getpid(),
		 getpid());
	socklen_t length = set_name(&own, name);
	if (own.sun_path[0])
		unlink(own.sun_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&own, length) < 0)
		exit(give_up(2, "no socket"));
	return fd;
}

/* As Kineto: tries again with growing pauses where the queue is full or nothing listens. */
static void send_message(int fd, const char *type, const void *payload, size_t length)
{
	char message[4096] = "";
	uint64_t size = length;
	if (is("size"))
		size = length - 4;
	if (is("huge"))
		size = UINT64_MAX - 7;
	memcpy(message, &size, sizeof size);
	snprintf(message + sizeof size, 32, "%s", is("type") ? "what" : type);
	memcpy(message + 40, payload, length);
	struct sockaddr_un to;
	socklen_t to_length = set_name(&to, "dynolog");
	size_t bytes = is("short") ? 17 : 40 + length;
	for (int i = 0, wait = 10; i < 10; i++, wait *= 2) {
		if (sendto(fd, message, bytes, MSG_DONTWAIT, (struct sockaddr *)&to, to_length) > 0)
			return;
		pause_ms(wait > 100 ? 100 : wait);
	}
}

/* The payload of an answer within 90 ms; NULL: none came. */
static const char *receive(int fd, const char *type, size_t *length)
{
	static char message[65536];
	for (int i = 0; i < 9; i++) {
		uint64_t size;
		ssize_t got = recv(fd, message, sizeof message - 1, MSG_DONTWAIT);
		if (got >= 40) {
			memcpy(&size, message, sizeof size);
			if (size != (uint64_t)got - 40)
				exit(give_up(3, "an answer of another size"));
			if (strcmp(message + 8, type) != 0)
				continue; /* a late answer to what was sent before */
			message[got] = 0;
			*length = (size_t)size;
			return message + 40;
		}
		pause_ms(10);
	}
	return NULL;
}

static void write_trace(const char *text)
{
	char path[4096], temporary[4200];
	const char *at = strstr(text, "ACTIVITIES_LOG_FILE=");
	if (!at || sscanf(at, "ACTIVITIES_LOG_FILE=%3900[^\n]", path) != 1)
		exit(give_up(4, "no path in the request"));
	char *end = strstr(path, ".pt.trace.json");
	if (!end)
		exit(give_up(4, "the path ends in another way"));
	snprintf(end, 64, "_%d.pt.trace.json", getpid());
	snprintf(temporary, sizeof temporary, "%s.tmp", path);
	if (is("link")) {
		if (symlink(trace, path) < 0)
			exit(give_up(4, "cannot link"));
		pause_ms(600);
		unlink(path);
	}
	FILE *from = fopen(trace, "r"), *to = fopen(temporary, "w");
	if (!from || !to)
		exit(give_up(4, "cannot open the trace"));
	char part[65536];
	size_t got = fread(part, 1, 1000, from);
	fwrite(part, 1, got, to);
	fflush(to);
	pause_ms(write_ms);
	while ((got = fread(part, 1, sizeof part, from)) > 0)
		fwrite(part, 1, got, to);
	fclose(from);
	if (fclose(to) || rename(temporary, path) < 0)
		exit(give_up(4, "cannot write the trace"));
}

/* For a second: however slow the machine is, what comes after it comes in time. */
static void flood(int fd)
{
	for (double end = now_s() + 1; now_s() < end;) {
		char noise[1500];
		for (size_t k = 0; k < sizeof noise; k++)
			noise[k] = (char)(rand() >> 7);
		struct sockaddr_un to;
		socklen_t length = set_name(&to, "dynolog");
		if (sendto(fd, noise, (size_t)rand() % sizeof noise, MSG_DONTWAIT,
			   (struct sockaddr *)&to, length) < 0)
			pause_ms(1);
	}
}

/* Registers without reading, until no answer can be sent, and once polls so: that comes to nothing.
 */
static void fill_queue(int fd, const void *context, size_t context_length, const void *request,
		       size_t request_length)
{
	char noise[4096];
	for (int i = 0; i < 700; i++) /* more than a queue or the buffer of a sender has */
		send_message(fd, "ctxt", context, context_length);
	send_message(fd, "req", request, request_length);
	pause_ms(500);
	while (recv(fd, noise, sizeof noise, MSG_DONTWAIT) > 0)
		;
}

static int play(void)
{
	int fd = open_client();
	int32_t pid = is("pid") ? 1 : getpid();
	struct {
		int32_t gpu, pid;
		int64_t job;
	} context = { getpid() % 8, pid, job };
	struct {
		int32_t type, n;
		int64_t job;
		int32_t pids[2];
	} request = { is("busy") ? 0 : 2, is("pids") ? INT32_MIN : 2, job, { pid, getppid() } };
	size_t length;
	if (is("flood"))
		flood(fd);
	if (is("late"))
		fill_queue(fd, &context, sizeof context, &request, sizeof request);
	double begin = now_s();
	for (bool first = true; now_s() - begin < 120; first = false) {
		const char *answer;
		if (first) {
			send_message(fd, "ctxt", &context, sizeof context);
			answer = receive(fd, "ctxt", &length);
			if (answer && length != 4)
				return give_up(3, "an answer of another size");
		}
		send_message(fd, "req", &request, sizeof request);
		answer = receive(fd, "req", &length);
		if (answer && length) {
			if (is("text"))
				fputs(answer, stdout);
			if (is("die"))
				return 0;
			if (!is("refuse")) {
				char *asked = strdup(answer);
				request.type = 0;
				send_message(fd, "req", &request, sizeof request);
				receive(fd, "req", &length);
				write_trace(asked);
				free(asked);
				return 0;
			}
		}
		pause_ms(poll_ms);
	}
	return give_up(1, "no request came");
}

int main(int argc, char **argv)
{
	int processes = 1, failed = 0;
	for (int option; (option = getopt(argc, argv, "n:i:m:u:w:j:")) != -1;) {
		switch (option) {
		case 'n': processes = atoi(optarg); break;
		case 'i': poll_ms = atoi(optarg); break;
		case 'm': mode = optarg; break;
		case 'w': write_ms = atoi(optarg); break;
		case 'j': job = atoll(optarg); break;
		case 'u':
			if (setuid((uid_t)atoi(optarg)) < 0)
				return 77;
			break;
		default: return 2;
		}
	}
	trace = optind < argc ? argv[optind] : "/dev/null";
	if (processes == 1)
		return play();
	for (int i = 0; i < processes; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGTERM); /* none is left behind */
			exit(play());
		}
	for (int status; wait(&status) > 0;)
		failed += status != 0;
	if (failed)
		fprintf(stderr, "attach_client: %d of %d failed\n", failed, processes);
	return failed ? 5 : 0;
}

#include "cli/attach_socket.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined SO_PASSCRED && !defined PLATFORM_PORTABLE

/* ---- the endpoint ---- */

static bool fill_name(struct attach_socket *listener, const char *directory)
{
	struct sockaddr_un *name = &listener->name;
	*name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	bool file = directory && *directory;
	int length = file ? snprintf(name->sun_path, sizeof name->sun_path, "%s/dynolog", directory)
			  : snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "dynolog") + 1;
	listener->length =
		(size_t)length + 1; /* Kineto counts the NUL, also of the abstract name */
	errno = ENAMETOOLONG;
	return listener->length <= sizeof name->sun_path;
}

static socklen_t address_size(const struct attach_socket *listener)
{
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + listener->length);
}

/* Remove the file of a socket at which nothing listens. */
static void remove_stale(const struct attach_socket *listener)
{
	const struct sockaddr *name = (const struct sockaddr *)&listener->name;
	struct stat status;
	int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (probe >= 0 && listener->name.sun_path[0] &&
	    connect(probe, name, address_size(listener)) < 0 && errno == ECONNREFUSED &&
	    lstat(listener->name.sun_path, &status) == 0 && S_ISSOCK(status.st_mode) &&
	    status.st_uid == getuid())
		unlink(listener->name.sun_path);
	close(probe);
}

bool attach_socket_open(struct attach_socket *listener, const char *directory)
{
	const int on = 1;
	listener->descriptor = -1;
	if (!fill_name(listener, directory))
		return false;
	remove_stale(listener);
	int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t mask = umask(0177); /* of the file: others do not send */
	bool bound = descriptor >= 0 &&
		     setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 &&
		     bind(descriptor, (const struct sockaddr *)&listener->name,
			  address_size(listener)) == 0;
	umask(mask);
	if (bound) {
		listener->descriptor = descriptor;
		return true;
	}
	int why = errno;
	close(descriptor);
	errno = why;
	return false;
}

void attach_socket_close(struct attach_socket *listener)
{
	if (listener->descriptor < 0)
		return;
	close(listener->descriptor);
	if (listener->name.sun_path[0])
		unlink(listener->name.sun_path);
	listener->descriptor = -1;
}

/* ---- datagrams ---- */

struct datagram {
	char bytes[ATTACH_MESSAGE_MAX + 1]; /* one too long shows */
	struct sockaddr_un from;
	socklen_t from_length;
	struct ucred sender;
};

/* Its length; -1: none waits. Descriptors that come along are not taken: there is no room. */
static ssize_t receive_datagram(int descriptor, struct datagram *datagram)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec part = { datagram->bytes, sizeof datagram->bytes };
	struct msghdr message = { .msg_name = &datagram->from,
				  .msg_namelen = sizeof datagram->from,
				  .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof control };
	ssize_t length = recvmsg(descriptor, &message, MSG_CMSG_CLOEXEC);
	datagram->from_length = message.msg_namelen;
	datagram->sender = (struct ucred){ .pid = 0, .uid = (uid_t)-1 };
	const struct cmsghdr *found = length < 0 ? NULL : CMSG_FIRSTHDR(&message);
	if (found && found->cmsg_level == SOL_SOCKET && found->cmsg_type == SCM_CREDENTIALS)
		memcpy(&datagram->sender, CMSG_DATA(found), sizeof datagram->sender);
	return length;
}

void attach_socket_serve(const struct attach_socket *listener, struct attach *attach)
{
	struct datagram datagram;
	AUTO_BUFFER struct buffer answer = { 0 };
	ssize_t length;
	/* no more at a time, as others may send without end */
	for (int i = 0; i < ATTACH_PROCESSES_MAX &&
			(length = receive_datagram(listener->descriptor, &datagram)) >= 0;
	     i++) {
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		size_t head = offsetof(struct sockaddr_un, sun_path);
		struct attach_peer peer = { .pid = datagram.sender.pid,
					    .user = datagram.sender.uid,
					    .address = datagram.from.sun_path };
		if (datagram.from_length > head)
			peer.address_length = datagram.from_length - head;
		process_runs(peer.pid, &peer.own_pid);
		if (attach_take(attach, &peer, datagram.bytes, (size_t)length, clock_ns(),
				(int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, &answer) &&
		    sendto(listener->descriptor, answer.data, answer.length, MSG_DONTWAIT,
			   (struct sockaddr *)&datagram.from, datagram.from_length) < 0)
			attach_unsent(attach, &peer, &answer);
	}
}

#else /* a system that does not name the sender of a datagram */

bool attach_socket_open(struct attach_socket *listener, const char *directory)
{
	listener->descriptor = -1;
	errno = ENOTSUP;
	return false;
}

void attach_socket_close(struct attach_socket *listener) {}
void attach_socket_serve(const struct attach_socket *listener, struct attach *attach) {}

#endif

/* ---- processes ---- */

const char *process_variable(const struct buffer *environment, const char *name)
{
	size_t length = strlen(name);
	for (size_t at = 0; at < environment->length; at += strlen(environment->data + at) + 1)
		if (strncmp(environment->data + at, name, length) == 0 &&
		    environment->data[at + length] == '=')
			return environment->data + at + length + 1;
	return NULL;
}

bool process_runs(int32_t pid, int32_t *own_pid)
{
	AUTO_BUFFER struct buffer status = { 0 };
	if (!platform_process_read(&status, pid, "status") || strstr(status.data, "\nState:\tZ"))
		return false;
	const char *numbers = strstr(status.data, "\nNSpid:");
	const char *end = numbers ? strchr(numbers + 1, '\n') : NULL;
	while (end && end > numbers && end[-1] != '\t')
		end--;
	if (own_pid)
		*own_pid = end ? (int32_t)strtol(end, NULL, 10) : pid;
	return true;
}

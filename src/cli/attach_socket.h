/*
 * The endpoint to which Kineto sends datagrams, and what the system knows of their senders.
 */
#pragma once

#include "attach/attach.h"

#include <sys/un.h>

struct buffer;

struct attach_socket {
	int descriptor; /* -1: closed */
	struct sockaddr_un name;
	size_t length; /* of sun_path */
};

/*
 * Listen at the abstract name "dynolog", or (not NULL or empty) at the file of that name in
 * DIRECTORY. False with errno: EADDRINUSE where another process listens, which stays.
 */
bool attach_socket_open(struct attach_socket *listener, const char *directory);
void attach_socket_close(struct attach_socket *listener);

/* Take and answer the datagrams that wait. */
void attach_socket_serve(const struct attach_socket *listener, struct attach *attach);

/* The value of a variable in the environment of a process; NULL: unset. */
const char *process_variable(const struct buffer *environment, const char *name);

/* Does it run? *OWN_PID, which may be NULL, is its number as it sees itself, in its container. */
bool process_runs(int32_t pid, int32_t *own_pid);

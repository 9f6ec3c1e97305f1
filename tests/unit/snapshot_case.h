/*
 * Writes small memory snapshots as pickles of any protocol.
 */
#pragma once

#include "base/buffer.h"

#include <stdint.h>

/* PROTOCOL 0 to 5, or PICKLE_JIT: protocol 2 as PyTorch's C++ pickler writes it. */
enum { PICKLE_JIT = 6 };

struct pickler {
	struct buffer out;
	int protocol;
};

/* Begins with the header of PROTOCOL. */
struct pickler pickler_new(int protocol);

void pickle_int(struct pickler *pickler, int64_t number);
void pickle_text(struct pickler *pickler, const char *text);
/* Between begin and end: the items, or keys and values. KIND is '[', '{'. */
void pickle_begin(struct pickler *pickler, char kind);
void pickle_end(struct pickler *pickler, char kind);
void pickle_stop(struct pickler *pickler);

/* A text and a number, a text and a text. */
void pickle_pair(struct pickler *pickler, const char *key, int64_t number);
void pickle_words(struct pickler *pickler, const char *key, const char *text);

/* The key frames with a stack: 'u' user code below a library, 'n' native, 0 none. */
void pickle_frames(struct pickler *pickler, char stack);

/*
 * One device. Before the trace: 100 bytes live to the end and 50 freed in it. The trace allocates
 * 300 (freed) and 200 bytes (native, live) and fails to allocate 5,000; entry 2 has the peak of
 * 650.
 */
void pickle_snapshot(struct pickler *pickler);

/* What a trace did; STACK as of pickle_frames. */
struct pickle_entry {
	const char *action;
	int64_t address, size;
	char stack;
};

/* One device with this trace, and at the dump what that reserved. */
void pickle_trace(struct pickler *pickler, const struct pickle_entry *entries, size_t count);

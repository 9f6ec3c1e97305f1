/*
 * Gives up rights before foreign bytes are parsed: with Landlock, files other than those allowed;
 * with seccomp, execution and network. A kernel without them changes nothing.
 */
#pragma once

#include <stdbool.h>

struct sandbox {
	int rules; /* descriptor of the rules until they are entered; -1: files stay open */
};

void sandbox_begin(struct sandbox *sandbox);

/* Allow to read PATH, a file or a directory with all below it; to WRITE: also to make files. */
void sandbox_allow(const struct sandbox *sandbox, const char *path, bool write);

/* Allow to write PATH: below that directory, or else below the nearest one above it that exists. */
void sandbox_allow_output(const struct sandbox *sandbox, const char *path);

/* What holds from then on; it cannot be undone. */
struct sandbox_state {
	bool files, calls;
};

/* For this thread, and threads and processes that it starts. Frees SANDBOX. */
struct sandbox_state sandbox_enter(struct sandbox *sandbox);

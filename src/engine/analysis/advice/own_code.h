/*
 * Distinguishes user code from framework code by the names of Python functions.
 */
#pragma once

#include "model/frame_name.h"

struct profile;

/* Is this a Python function ("train.py(51): step") outside of the framework? */
bool is_own_code(const char *name);

/* Likewise by the path of its file, as Python profilers write it. */
bool is_own_path(const char *path);

/* Is END ("/folder/file.py") the end of a path, also of Windows, or all of it but for the slash? */
bool path_ends(struct text_slice path, const char *end);

/* Whom a thread waits for in this function, where it does no work of the program. */
enum wait_for { WAIT_NONE, WAIT_THREAD, WAIT_PROCESS, WAIT_PEER, WAIT_TIMER, WAIT_PROFILER, WAITS };
enum wait_for wait_of(struct text_slice file, struct text_slice function);

/* A frame, pointing into a text of the profile; length 0 is none. */
struct code_frame {
	const char *text;
	size_t length;
};

/*
 * The first user frame of a recorded stack (innermost first, separated by ';'), else the first
 * frame.
 */
struct code_frame own_frame_of_stack(const char *stack);

/* The innermost user function around SPAN, from Python spans, else from its stack. */
struct code_frame own_frame_around(const struct profile *profile, uint32_t span);

/* SPAN itself if it is a user function, else that around it; none for NO_ROW. */
struct code_frame own_frame_of(const struct profile *profile, uint32_t span);

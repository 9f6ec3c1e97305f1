/*
 * Where Linux, macOS and FreeBSD differ. The rest of the tree uses what they share; only this
 * module asks which system it is built for. With PLATFORM_PORTABLE defined it is built as for an
 * unknown system of POSIX.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

/* memrchr: the last BYTE among the first LENGTH of BYTES, or NULL. */
void *platform_memrchr(const void *bytes, int byte, size_t length);

/* qsort_r of glibc. COMPARE neither sorts nor fails. */
void platform_sort(void *items, size_t count, size_t size,
		   int (*compare)(const void *a, const void *b, void *context), void *context);

/* The path of the running program; false if it is unknown or has SIZE bytes or more. */
bool platform_program(char *out, size_t size);

/* The number after KEY in the file at PATH, such as one of Linux below /proc; negative: none. */
int64_t platform_setting(const char *path, const char *key);

/* Read what Linux says of process PID in its file NAME ("environ"); false: nothing. */
bool platform_process_read(struct buffer *text, int32_t pid, const char *name);

/* Bytes available without swapping, within the limit of the container; 0: unknown. */
uint64_t platform_memory_free(void);

void platform_yield(void); /* let another thread run, if any can */
void platform_trim(void);  /* give memory that is free back to the system */

/* Processors that this process may use, at least 1. */
unsigned platform_processors(void);

/* A new file without a name in DIRECTORY, for reading and writing; negative: there is no such. */
int platform_unnamed_file(const char *directory, unsigned mode);

/* Give it one; false with errno. */
bool platform_name_file(int descriptor, const char *name);

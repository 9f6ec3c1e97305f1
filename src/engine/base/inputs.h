/*
 * The files that the program reads now, known by device and inode: none of them is written, by
 * whatever name (base/replace.h).
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

/* The files of one run or command; any thread. */
struct inputs;
struct inputs *inputs_new(void);
void inputs_free(struct inputs *inputs); /* they may be written again; NULL is fine */

/* Add a file. What is missing, or not a regular file, is left out. */
void inputs_add(struct inputs *inputs, const char *path);
void inputs_add_status(struct inputs *inputs, const struct stat *status);

/* Is this file among those of any inputs? */
bool inputs_have(const struct stat *status);

/*
 * Size and checksums of a file's start and end: tell whether it has changed, without reading it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { FILE_SAMPLE_FIRST = 16 };

struct file_sample {
	uint64_t size;
	uint64_t head, tail;           /* checksums; a small file has no tail */
	char first[FILE_SAMPLE_FIRST]; /* its first bytes */
};

/* Of an open file. False if it is empty or cannot be read. */
bool file_sample(struct file_sample *sample, int descriptor, uint64_t size);
/* Of a regular file. False with errno. */
bool file_sample_path(struct file_sample *sample, const char *path);

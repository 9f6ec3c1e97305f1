/*
 * Inflates gzip members: with ISA-L, or with zlib where configure did not find it.
 */
#pragma once

#include <stddef.h>

struct gunzip;

enum gunzip_status {
	GUNZIP_MORE, /* the member continues */
	GUNZIP_END,
	GUNZIP_BAD, /* corrupt, or its checksum is wrong */
};

struct gunzip *gunzip_new(void);
void gunzip_free(struct gunzip *gunzip); /* NULL is fine */

/* Start a member. */
void gunzip_start(struct gunzip *gunzip);

/* Inflate from *IN to *OUT as far as possible; advances them and decreases the rests. */
enum gunzip_status gunzip_run(struct gunzip *gunzip, const unsigned char **in, size_t *in_left,
			      char **out, size_t *out_left);

/* Library and version: "ISA-L 2.30.0". */
const char *gunzip_library(void);

/*
 * What is read, and into what; for small files, with the whole source in memory.
 */
#pragma once

#include "base/buffer.h"
#include "input/source.h"

struct builder;
struct profile;

struct input {
	struct source *source;
	struct buffer text; /* all of the source, if its reader has `text_max` */
	struct profile *profile;
	struct builder *builder;
	const struct progress *progress;
	struct error *error;
};

enum {
	SOURCE_WHOLE_MAX = 1 << 30, /* limit: bytes of a protobuf or Nsight Compute report */
	SOURCE_TEXT_MAX = 1 << 28,  /* limit: bytes of a Python profile; larger ones are refused */
};

/* Append the rest of the source and a NUL to TEXT. False with ERROR; TEXT is then freed. */
bool source_text(struct source *source, struct buffer *text, struct error *error);
/* Likewise for a file of at most MAX bytes. */
bool source_whole(struct source *source, size_t max, struct buffer *text, struct error *error);

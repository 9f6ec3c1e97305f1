/*
 * Reads the events of a long text with several threads, with exactly the result of one.
 *
 * The text is cut into blocks at what looks like the end of an event. Each thread reads a block
 * speculatively into its own part, and parts are appended in order. A cut is confirmed when the
 * block before was read exactly up to it without anything that sequential reading might treat
 * differently (an error, a repair, an event paired with a distant one). At the first unconfirmed
 * block all threads stop and the remaining text is handed back.
 */
#pragma once

#include "base/mem.h"
#include "input/source.h"

struct kineto_split {
	struct source *source;
	struct builder *builder;
	struct profile *profile; /* of BUILDER */
	const struct progress *progress;
	struct error *error;
	unsigned threads; /* at least 2 */
	size_t block;     /* bytes of text per block */

	/*
	 * Text read from SOURCE but not consumed: LENGTH bytes, the first at OFFSET of the text and
	 * directly after an event (a comma is next). At most one block on entry; on return possibly
	 * more.
	 */
	char *text;
	size_t length, capacity;
	uint64_t offset;

	uint64_t blocks; /* appended by the last call */
	bool at_end;     /* SOURCE is exhausted */
};

/* Read events as far as possible. False with ERROR when cancelled or SOURCE is unreadable. */
bool split_read(struct kineto_split *split);

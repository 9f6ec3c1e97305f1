/*
 * The events of a long text read by several threads at once.
 *
 * The text is cut into blocks where an event seems to end.  Every thread takes the next block and
 * reads it as if the cut were right, into a part of its own, which is appended to the whole when
 * all blocks before have been.  A cut counts only when it is proven: the block before was read up
 * to exactly there, event by event, without meeting anything that reading in order might see
 * otherwise (an error, a value to repair, an event that belongs to another far away).  At the first
 * block of which that is not so everyone stops, and the text from its beginning on is handed back.
 * What has been appended is therefore what one thread makes of the same text, to the last number.
 */
#ifndef STRATA_INPUT_KINETO_KINETO_SPLIT_H
#define STRATA_INPUT_KINETO_KINETO_SPLIT_H

#include "base/progress.h"
#include "input/source.h"
#include "model/builder.h"

struct split {
	struct source *source;
	struct builder *builder;
	struct profile *profile; /* of the builder */
	const struct progress *progress;
	struct error *error;
	unsigned threads; /* at least 2 */
	size_t block;     /* bytes of text a block */

	/*
	 * The text that has been read from SOURCE and not been taken, LENGTH bytes of which the
	 * first is at OFFSET of the whole text and stands directly behind an event (the comma is
	 * next). At most a block of it; what is there in the end may be more.
	 */
	char *text;
	size_t length, capacity;
	uint64_t offset;

	uint64_t blocks; /* that were appended by the last call */
	bool at_end;     /* SOURCE has no more */
};

/* Take events as long as it goes.  False when cancelled or SOURCE cannot be read, ERROR says why.
 */
bool split_read(struct split *split);

#endif

/*
 * Writes indexes in a thread of its own, one after the other, so that nobody waits for them.
 */
#ifndef STRATA_SESSION_INDEX_WRITER_H
#define STRATA_SESSION_INDEX_WRITER_H

#include "session/index.h"

struct index_writer;

struct index_writer *index_writer_new(void);
/* Finish what is being written, or give it up; NULL is fine. */
void index_writer_free(struct index_writer *writer, bool give_up);

/*
 * Begin to write CONTENT under KEY; waits for the one before.  DONE is called with CONTEXT when
 * CONTENT is no longer needed, in any thread; until then it must stay.  OPTIONS outlive the writer.
 * What cannot be written is not: nobody is told.
 */
void index_writer_start(struct index_writer *writer, const struct index_options *options,
			const struct index_key *key, const struct index_content *content,
			void (*done)(void *context), void *context);
void index_writer_wait(struct index_writer *writer);

#endif

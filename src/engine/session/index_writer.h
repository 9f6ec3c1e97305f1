/*
 * Writes indexes one at a time in a background thread.
 */
#ifndef STRATA_SESSION_INDEX_WRITER_H
#define STRATA_SESSION_INDEX_WRITER_H

#include "session/index.h"

struct index_writer;

struct index_writer *index_writer_new(void);
/* Finish or abandon (GIVE_UP) the current write; NULL is allowed. */
void index_writer_free(struct index_writer *writer, bool give_up);

/*
 * Start writing CONTENT under KEY, after waiting for the previous one. CONTENT must stay valid
 * until DONE is called with CONTEXT, in any thread. OPTIONS must outlive the writer. Errors are
 * ignored.
 */
void index_writer_start(struct index_writer *writer, const struct index_options *options,
			const struct index_key *key, const struct index_content *content,
			void (*done)(void *context), void *context);
void index_writer_wait(struct index_writer *writer);

#endif

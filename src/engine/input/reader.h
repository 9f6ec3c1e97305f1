/*
 * A reader of one kind of file: how its content is recognised, and what fills the profile.
 */
#ifndef STRATA_INPUT_READER_H
#define STRATA_INPUT_READER_H

#include "input/source.h"
#include "input/sqlite/sqlite_database.h"
#include "model/builder.h"

/* Of a stream of bytes, or (the two with a database) of an SQLite database. */
struct reader {
	const char *format; /* "PyProf net.dict"; NULL: read or finish sets it */

	/* HEAD holds LENGTH bytes and a NUL.  The first reader that says true gets the file. */
	bool (*recognise)(const char *head, size_t length);
	/* False with ERROR: cannot be read, holds no events, or cancelled. */
	bool (*read)(struct source *source, struct profile *profile, struct builder *builder,
		     const struct progress *progress, struct error *error);
	/* After profile_finish: what only the rows tell.  NULL: nothing. */
	void (*finish)(struct profile *profile, const char *wrapping);
	bool is_trace; /* JSON that may be read twice, in part, or while it is being written; tried
			  last */

	bool (*recognise_database)(const struct sqlite_database *database);
	bool (*read_database)(struct sqlite_database *database, struct builder *builder,
			      struct error *error);
};

#endif

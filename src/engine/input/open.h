/*
 * Any profile: the file's content decides which reader takes it.
 */
#ifndef STRATA_INPUT_OPEN_H
#define STRATA_INPUT_OPEN_H

#include "base/progress.h"
#include "model/profile.h"

struct error;

/*
 * Read the profile at PATH ("-": standard input), finished (model/builder.h).  NULL with
 * ERROR_INPUT, and one sentence that says what the file is and what to do, when it is not a profile
 * that strata reads.  The caller frees it with profile_free.
 */
struct profile *profile_open(const char *path, const struct progress *progress,
			     struct error *error);

/* What to leave out; all zero is nothing. */
struct read_options {
	bool no_python;                   /* Python functions of traces that are no module calls */
	const struct read_filter *filter; /* of JSON traces; NULL: nothing */
};
struct profile *profile_open_so(const char *path, const struct read_options *options,
				const struct progress *progress, struct error *error);

/*
 * What the first bytes of the file at PATH tell, without reading on.  What cannot be told without
 * (a pipe, a file that cannot be opened) counts as a profile of an unknown rank.
 */
struct profile_head {
	bool is_profile; /* it may be one: profile_open does not refuse it at once */
	bool is_trace;   /* JSON, which can be read twice: it is a file */
	int64_t rank;    /* NO_VALUE: it is not among them */
};
struct profile_head profile_peek(const char *path);

/*
 * The begin of a file that is still being read: LENGTH bytes of it in memory, as much of them as
 * gives TEXT_MAX bytes of text.  The profile is marked as partial.  Databases have no begin
 * (ERROR_INPUT).
 */
struct profile *profile_open_prefix(const char *path, const void *bytes, size_t length,
				    uint64_t text_max, const struct read_options *options,
				    const struct progress *progress, struct error *error);

#endif

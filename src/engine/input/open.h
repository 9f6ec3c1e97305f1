/*
 * Opens a profile of any format, detected by content.
 */
#pragma once

#include "input/reader.h"

/*
 * Read and finish the profile at PATH ("-": standard input). NULL with ERROR_INPUT, saying what the
 * file is and what to do, when it is not a supported profile. The caller frees with profile_free.
 */
struct profile *profile_open(const char *path, const struct progress *progress,
			     struct error *error);

/* What to skip; all zero: nothing. */
struct read_options {
	bool no_python;                   /* Python functions of traces, except module calls */
	bool record_ids;                  /* of record functions, as attributes of CPU events */
	const struct read_filter *filter; /* for JSON traces; NULL: keep all rows */
	const char *sample_type;          /* of a profile with several; NULL: its default */
	uint32_t part;                    /* of a file of summaries: which, from 0 */
};
struct profile *profile_open_with(const char *path, const struct read_options *options,
				  const struct progress *progress, struct error *error);

/*
 * What the first bytes of a file show. An unreadable file or a pipe counts as a profile of unknown
 * rank.
 */
struct profile_head {
	bool is_profile; /* profile_open would not reject it by its first bytes */
	bool is_trace;   /* a JSON file, which can be read twice */
	int64_t rank;    /* NO_VALUE: not among the first bytes */
};
struct profile_head profile_peek(const char *path);

/* NOT_A_PROFILE: no reader knows the file. */
enum joining profile_joining(const char *path);

/* Does the file hold summaries of ranks (input/summary_file/summary_file.h)? */
bool profile_is_summary(const char *path);

/* Is the file a report of Nsight Systems, which only its nsys reads? */
bool profile_is_report(const char *path);

/*
 * Read the start of a file that is still being read: LENGTH bytes in memory, giving at most
 * TEXT_MAX bytes of text. The profile is marked partial. ERROR_INPUT for databases, which cannot be
 * previewed.
 */
struct profile *profile_open_prefix(const char *path, const void *bytes, size_t length,
				    uint64_t text_max, const struct read_options *options,
				    const struct progress *progress, struct error *error);

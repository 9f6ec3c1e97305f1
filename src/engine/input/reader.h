/*
 * A reader: detects one kind of file by content and fills a profile.
 */
#pragma once

#include "input/source_text.h"
#include "input/sqlite/sqlite_database.h"
#include "model/builder.h"

struct text_format;

/* To which timelines opened with it a profile is joined. */
enum joining {
	JOINS_NONE,
	JOINS_NAMED, /* to named ones: kernels measured one by one, operators */
	JOINS_ONE,   /* likewise, or to the only one of a directory: functions */
	JOINS_ALL,   /* counters, a log */
	NOT_A_PROFILE
};

/* For a byte stream, or with the last two members for an SQLite database. */
struct reader {
	const char *format; /* "PyProf net.dict"; NULL: set by read or finish */

	const struct text_format *text; /* in place of `read`, and of `recognize` if that is NULL */
	/* HEAD has LENGTH bytes and a NUL. The first reader that returns true is used. */
	bool (*recognize)(const char *head, size_t length);
	size_t text_max; /* bytes of a source that is read into memory first; 0: `read` does it */
	/* False with the error; without one it was cancelled. */
	bool (*read)(struct input *input);
	const char *empty; /* the error when nothing was read; NULL: none */
	/* Runs after profile_finish for what depends on rows; may be NULL. */
	void (*finish)(struct profile *profile, const char *wrapping);
	enum joining joins;
	bool in_log;   /* tables among other lines, such as those of a program's output */
	bool is_trace; /* JSON, readable twice, in part or while being written; tried last */

	bool (*recognize_database)(const struct sqlite_database *database);
	bool (*read_database)(struct sqlite_database *database, struct builder *builder,
			      struct error *error);
};

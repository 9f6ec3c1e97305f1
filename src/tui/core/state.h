/*
 * State kept between sessions in $XDG_STATE_HOME/strata: prompt history (file "history") and named
 * values per profile (a file in "profiles"). Directories have mode 0700, files 0600. Concurrent
 * sessions are merged: history is appended, and only values set in this session are written. Errors
 * are ignored: unreadable state is empty.
 */
#pragma once

#include "base/mem.h"

struct history;

struct state_value {
	char *key, *value; /* VALUE NULL: deleted */
	bool changed;
};

struct state {
	char *directory; /* NULL: nothing is saved */
	char *file;      /* of this profile; NULL: none */
	char *paths;     /* paths of the profile's files, one a line */
	char stamp[40];  /* changes when the files change */
	GROWING(struct state_value, values, count);
};

/* KEEP false: nothing is loaded or saved, values last for this session. */
void state_open(struct state *state, bool keep);
/* Load the values of the profile with these files; none if one is not a regular file. */
void state_open_profile(struct state *state, const char *const *paths, size_t count);
void state_close(struct state *state); /* does not save */

/*
 * Value of KEY (a word): any text up to STATE_VALUE_MAX bytes; NULL: none. Values that depend on
 * the contents (row numbers) should include state->stamp.
 */
enum { STATE_VALUE_MAX = 16384 };
const char *state_get(const struct state *state, const char *key);
void state_set(struct state *state, const char *key, const char *value); /* NULL: delete */
void state_save(struct state *state); /* writes values set since the last save */

/* Prompt history, HISTORIES by prompt kind. */
void state_read_history(const struct state *state, struct history *histories);
void state_add_history(const struct state *state, int kind, const char *line);

/* Write a text (such as a copy) to a new file with path OUT; false on error. */
bool state_write_text(const struct state *state, const char *name, const char *text, size_t length,
		      char *out, size_t room);

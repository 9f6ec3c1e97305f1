/*
 * What the explorer remembers from one session to the next, in $XDG_STATE_HOME/strata: the lines
 * typed at the prompts (file "history"), and of each profile a few values by name (a file of
 * "profiles").  Directories are made with mode 0700, files with 0600.  Sessions that run at once
 * lose nothing of one another: lines are appended, and of a profile only the values that were set
 * here are written.  Nothing of it may be in the way: what cannot be read or written is as if it
 * were not there.
 */
#ifndef STRATA_TUI_CORE_STATE_H
#define STRATA_TUI_CORE_STATE_H

#include <stdbool.h>
#include <stddef.h>

struct history;
struct tui;

struct state_value {
	char *key, *value; /* VALUE NULL: taken away */
	bool changed;
};

struct state {
	char *directory; /* NULL: nothing is kept */
	char *file;      /* of this profile; NULL: none */
	char *paths;     /* of the profile's files, a line each */
	char stamp[40];  /* says whether the files are still those of before */
	struct state_value *values;
	size_t count, cap;
};

/*
 * Where the state is kept; KEEP false: nowhere, and all that follows works for this session alone.
 */
void state_open(struct state *state, bool keep);
/* The values of the profile made of these files; of what is no regular file nothing is kept. */
void state_open_profile(struct state *state, const char *const *paths, size_t count);
void state_close(struct state *state); /* does not save */

/*
 * A value of the profile: any text, up to STATE_VALUE_MAX bytes; a key is a word.  NULL: not there.
 * What depends on the profile's content (row numbers) should hold state->stamp and compare it.
 */
enum { STATE_VALUE_MAX = 16384 };
const char *state_get(const struct state *state, const char *key);
void state_set(struct state *state, const char *key, const char *value); /* NULL: away */
void state_save(struct state *state); /* write what was set since the last time */

/* Lines typed at the prompts; HISTORIES by prompt kind. */
void state_read_history(const struct state *state, struct history *histories);
void state_add_history(const struct state *state, int kind, const char *line);

/* A text (what was copied) into a file of its own; false when it cannot be.  OUT: its path. */
bool state_write_text(const struct state *state, const char *name, const char *text, size_t length,
		      char *out, size_t room);

#endif

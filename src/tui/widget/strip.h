/*
 * Draws text over several lines: a sentence, or labelled entries.
 */
#pragma once

#include "tui/widget/layout.h"

#include <stddef.h>

/* From this width on entries keep their places from row to row. */
enum { STRIP_STEADY = 150 };

/* First character of a label that starts a group. */
#define STRIP_GROUP '\f'
/* And of one whose text is elided rather than others left out. */
#define STRIP_SHORTENS '\v'
/* And of a list, which is elided later than others. */
#define STRIP_LIST '\a'
/* And of one that few rows have: others do not make room for it. */
#define STRIP_RARE '\b'
/* And of one that holds a place, in which nothing is drawn. */
#define STRIP_BLANK '\r'

struct buffer;
struct grid;
struct pane;

/* A line "label<TAB>text". */
struct strip_line {
	const char *label, *text;
	size_t label_length, text_length;
};

/* The line at *AT, which advances to the next; false at the end. */
bool strip_next(const char **at, struct strip_line *line);
bool strip_label_is(const struct strip_line *line, const char *label);

/* A sentence, wrapped to as many lines as needed and available. */
void strip_sentence(struct grid *grid, struct rect body, const char *line);

/*
 * The lines "label<TAB>text" of TEXT. If not everything fits, long texts are elided in the middle,
 * down to one line each.
 */
void strip_entries(struct grid *grid, struct rect at, const char *text);

/* Drop the lists of arguments in full if TEXT has them in short, as Data. */
void strip_drop_long_forms(struct buffer *text);
/* Drop the entries without a text. */
void strip_drop_absent(struct buffer *text);

/* Is a column of this title on the screen and not elided: in the selected row, or in all? */
enum strip_shown { SHOWN_NOWHERE, SHOWN_HERE, SHOWN_EVERYWHERE };
typedef enum strip_shown strip_shows(const struct pane *pane, const char *title, size_t length);

/* Labels of the details of a pane's rows, and the columns that they and their texts need. */
struct strip_places {
	struct strip_place {
		int set; /* of rows: others have places of their own */
		char *label;
		int order; /* of its group and its label, in which they are */
		int columns;
		size_t rows; /* that have it, of those noted */
	} * place;
	size_t count;
	bool shared; /* with other kinds of rows: has no marks where a group ends early */
};

enum { STRIP_PLACES_MAX = 200 };

/* Make room for the details TEXT of a row of SET. */
void strip_places_note(struct strip_places *places, int set, const char *text);
/* Give entries that rows of several kinds have, as Start, the same places in each of COUNT. */
void strip_places_share(struct strip_places places[], size_t count, int set);
bool strip_places_have(const struct strip_places *places, int set, const char *label);
void strip_places_free(struct strip_places *places);

/*
 * Sort the entries of TEXT: identity, time, launch, data; drop what is on the screen. In COLUMNS
 * enough, entries have the same places in all rows of SET that PLACES (may be NULL) knows, those
 * of the launch without a text have a dash, and of two rows with a blank line between them the
 * first is shown; in fewer, two rows are left alone.
 */
void strip_group(struct buffer *text, strip_shows *shows, const struct pane *pane,
		 struct strip_places *places, int set, int columns);

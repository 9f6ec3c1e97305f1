/*
 * Readers of text formats: a format declares what it is known by and takes the lines; all of them
 * are read, shown as progress, counted as damage and refused in one way.
 */
#pragma once

#include "input/reader.h"
#include "input/text_lines.h"

enum {
	LOG_SOURCES_MAX = 64, /* limit: prefixes of lines in a log; other lines keep theirs */
	LOG_PREFIX_MAX = 128, /* limit: bytes of a prefix of lines in a log */
};

struct log_source {
	struct text_slice prefix; /* of the heading that it was found at; empty: none */
	uint64_t lines;
};

/* Lines one source after the other, each in the order of the text, which they point into. */
struct log_lines {
	struct text_slice *lines;
	uint32_t *sources; /* of each line */
	size_t count;
	struct log_source known[LOG_SOURCES_MAX]; /* the first: lines without a prefix */
	size_t known_count;
};

/* Where the heading of a table begins in LINE, or NULL when it has none. */
typedef const char *log_heading(struct text_slice line);

/* Escape sequences are removed from TEXT, which must outlive the lines. */
void log_lines_take(struct log_lines *lines, struct buffer *text, log_heading *heading);
void log_lines_free(struct log_lines *lines);

/* What tells SOURCE from others, without times; "" of the first, and where only one has a prefix.
 */
void log_source_name(const struct log_lines *lines, uint32_t source, struct buffer *name);

/* What the rows of a text become. */
enum text_result {
	TEXT_EVENTS, /* calls of the builder */
	TEXT_STACKS, /* samples of profile->python */
	TEXT_SUMS,   /* functions, lines or operators of profile->python, with their totals */
	TEXT_LAYERS, /* layers of profile->totals */
};

/* A text that is being read; the state of each format begins with it. */
struct text_reading {
	struct profile *profile;
	struct builder *builder;
	struct text_slice all;
	uint64_t offset;       /* of the line in the text */
	uint64_t rows;         /* that the format has read */
	struct buffer refusal; /* what makes the text useless, if `end` finds something */
};

/* A text has PART and, unless NULL, ALSO. */
struct text_mark {
	const char *part, *also;
};

struct text_format {
	struct text_mark marks[16]; /* of which the head of a text has one */
	const char *empty;          /* what a text without rows is; NULL: it is not refused */
	enum text_result result;
	size_t state; /* bytes, zeroed before `begin` */
	/*
	 * In texts of several processes: takes what their lines begin with off, and brings those of
	 * each together; a text without `marks` and `recognize` is known by it. NULL: lines are as
	 * in the text.
	 */
	log_heading *heading;
	void (*begin)(void *state);                          /* before the first line, or NULL */
	void (*source)(void *state, struct text_slice name); /* lines of another follow, or NULL */
	void (*line)(void *state, struct text_slice line);
	void (*end)(void *state); /* after the last line, also of a part; frees; or NULL */
};

bool text_format_recognize(const struct text_format *format, const char *head, size_t length);
bool text_format_read(const struct text_format *format, struct input *input);

uint32_t text_intern(const struct text_reading *text, struct text_slice word);
/* Count the line as WHAT (static), which is skipped. */
void text_damage(const struct text_reading *text, const char *what);

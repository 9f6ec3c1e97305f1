/*
 * Errors as values: a function that can fail returns false (or NULL) and fills the caller's struct
 * error; nothing in the engine prints or exits.
 */
#pragma once

#include <stdbool.h>

enum error_code {
	ERROR_NONE,
	ERROR_INPUT,     /* the input is unreadable */
	ERROR_USAGE,     /* the caller asked for something that does not exist */
	ERROR_OUTPUT,    /* a result cannot be written */
	ERROR_MEMORY,    /* out of memory */
	ERROR_CANCELLED, /* the progress callback asked to stop */
	ERROR_LIMIT,     /* a documented limit was exceeded (regular expression, SQL, size) */
};

struct error {
	enum error_code code;
	char message[512]; /* one sentence without a full stop, escaped for the terminal */
	char where[128];   /* position in the input ("byte 1234", "table X row 3"), may be empty */
	char brief[128];   /* the message next to the text it is about, may be empty */
};

/*
 * Fill ERROR (which may be NULL) and return false, so that callers can `return error_set(...)`.
 * Bytes unsafe on a terminal are escaped.
 */
bool error_set(struct error *error, enum error_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define error_usage(error, ...) error_set(error, ERROR_USAGE, __VA_ARGS__)
#define error_input(error, ...) error_set(error, ERROR_INPUT, __VA_ARGS__)
#define error_output(error, ...) error_set(error, ERROR_OUTPUT, __VA_ARGS__)
#define error_cancelled(error) error_set(error, ERROR_CANCELLED, "cancelled")

/* Add the position, or the brief message, to an error already set. */
void error_where(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void error_brief(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

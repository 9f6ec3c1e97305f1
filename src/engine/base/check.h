/*
 * Preconditions at module boundaries. Violating one is a bug in the caller, never a property of the
 * input: the process reports it and aborts.
 *
 * require() stays in every build; use it in functions called per table or per row. Per cell read,
 * use assert(), which NDEBUG removes.
 */
#pragma once

/* A format and its arguments follow the condition: what is wrong, with names. */
#define require(condition, ...) ((condition) ? (void)0 : check_fail(__func__, __VA_ARGS__))

_Noreturn void check_fail(const char *function, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

/* The line reported, for a crash handler that restores a terminal first; "" before a failure. */
const char *check_report(void);

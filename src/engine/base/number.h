/*
 * Formats and parses numbers with units.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_MAX = 40 }; /* bytes every function below needs in OUT */

/* Each writes a NUL-terminated string to OUT and returns OUT. */
char *number_duration(char out[NUMBER_MAX], int64_t ns); /* "142.31 ms", "9.00 us" */
char *number_time(char out[NUMBER_MAX], int64_t ns); /* point in time: "2.341568 s", "142.31 ms" */
char *number_bytes(char out[NUMBER_MAX], double bytes);     /* "1.50 MiB" */
char *number_scaled(char out[NUMBER_MAX], double value);    /* "38.2 T", decimal prefixes */
char *number_count(char out[NUMBER_MAX], int64_t count);    /* "1234567", never scaled */
char *number_percent(char out[NUMBER_MAX], double percent); /* "71.4" */
/* "71.4 %"; above 0 and below what a decimal shows, "< 0.1 %". */
char *number_gain(char out[NUMBER_MAX], double percent);
char *number_exact(char out[NUMBER_MAX], double value); /* shortest decimal that round-trips */

/*
 * Parse a duration with a unit ("1.5ms", "20us", "3 s", "100" = ns) into *NS. False when TEXT as a
 * whole is not one or overflows.
 */
bool number_parse_duration(const char *text, size_t length, int64_t *ns);
/* Likewise for bytes ("4G", "512 MiB", "1.5k", "100"); suffixes are powers of 1024. */
bool number_parse_bytes(const char *text, size_t length, uint64_t *bytes);
bool number_parse_int(const char *text, size_t length, int64_t *value);

/* The sum of two numbers of a file, whose sums may exceed 64 bits: then it wraps. */
static inline int64_t number_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

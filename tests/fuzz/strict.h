/*
 * Strict readers of what strata writes, for the targets of its writers: false at the first byte
 * that the format does not allow, which *WRONG then counts from the start.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* One document; of LINES one in each. */
bool strict_json(const char *text, size_t length, bool lines, size_t *wrong);

/* Rows of as many fields as the first; QUOTED: fields in quotes may hold anything. */
bool strict_fields(const char *text, size_t length, char separator, bool quoted, size_t *wrong);

/* Lines of a stack, a blank and a number, without control characters. */
bool strict_stacks(const char *text, size_t length, size_t *wrong);

/*
 * A page: elements that end in order (cells and rows also where the next begins), values of
 * attributes in quotes, characters of markup only as such, valid UTF-8, no control characters and
 * none that turns the direction of text.
 */
bool strict_page(const char *text, size_t length, size_t *wrong);

/* JSON for speedscope: samples of frames that exist, as many as weights. */
bool strict_speedscope(const char *text, size_t length, size_t *wrong);

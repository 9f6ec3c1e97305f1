/*
 * Helpers of the tests of profiles in text and JSON: rows by what they say, and damage everywhere.
 */
#pragma once

#include "file_case.h"
#include "trace_case.h"

#define BYTES(text) (text), sizeof(text) - 1

/* Open TEXT as *RUN and build a view of it; text_done frees both. */
struct table *text_look(const char *text, size_t length, struct run **run, const char *view,
			const char *group);
void text_done(struct run *run, struct table *table);

bool is_blank(const struct table *table, size_t row, const char *column);

/* Cut anywhere, or with bytes changed, the text is read or refused with a sentence. */
void assert_survives(const char *text, size_t length);

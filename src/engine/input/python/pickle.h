/*
 * Parses line_profiler's pickles, of every protocol, without executing anything: the only class
 * accepted is its own, represented by its state.
 */
#ifndef STRATA_INPUT_PYTHON_PICKLE_H
#define STRATA_INPUT_PYTHON_PICKLE_H

#include "base/literal.h"

/* True if it is a pickle, of protocol 0 or one with a header. */
bool pickle_recognize(const char *head, size_t length);

/*
 * The object pickled in BYTES; it lives in ARENA. NULL with ERROR_INPUT if it is damaged or
 * requests anything else.
 */
const struct literal *pickle_parse(struct arena *arena, const char *bytes, size_t length,
				   struct error *error);

#endif

/*
 * The pickles of line_profiler, of every protocol, read without running anything: of all that a
 * pickle may ask to be imported or called only its own class is known, and stands as its state.
 */
#ifndef STRATA_TOOLS_PYTHON_PICKLE_H
#define STRATA_TOOLS_PYTHON_PICKLE_H

#include "base/literal.h"

/* Is it a pickle, of a protocol that says so or of the first one? */
bool pickle_recognize(const char *head, size_t length);

/*
 * The object pickled in BYTES; it lives in ARENA.  NULL with ERROR_INPUT when it is damaged or
 * asks for anything else.
 */
const struct literal *pickle_parse(struct arena *arena, const char *bytes, size_t length,
				   struct error *error);

#endif

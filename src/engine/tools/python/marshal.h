/*
 * Python's marshal format, all versions of it, as far as profiles use it: constants, containers and
 * references.  Code objects are read over and stand as the text "<code object NAME at FILE:LINE>".
 * Nothing is ever run.
 */
#ifndef STRATA_TOOLS_PYTHON_MARSHAL_H
#define STRATA_TOOLS_PYTHON_MARSHAL_H

#include "base/literal.h"

/* Can a marshalled dictionary of a profile begin like this? */
bool marshal_recognize(const char *head, size_t length);

/*
 * The object that BYTES begin with; what follows it is ignored, as Python does.  It lives in ARENA;
 * objects that the file shares are shared, so that it may be walked only to a known depth.  NULL
 * with ERROR_INPUT and the byte where it stopped making sense.
 */
const struct literal *marshal_parse(struct arena *arena, const char *bytes, size_t length,
				    struct error *error);

#endif

/*
 * Parses Python's marshal format, all versions, as used by profiles: constants, containers and
 * references. Code objects become the text "<code object NAME at FILE:LINE>". Nothing is executed.
 */
#pragma once

#include "base/literal.h"

struct error;

/* True if a marshalled profile dict may start like this. */
bool marshal_recognize(const char *head, size_t length);

/*
 * The first object in BYTES; the rest is ignored, as in Python. It lives in ARENA; shared objects
 * stay shared, so recursion must be limited in depth. NULL with ERROR_INPUT and the position of the
 * error.
 */
const struct literal *marshal_parse(struct arena *arena, const char *bytes, size_t length,
				    struct error *error);

/*
 * Iteration order of Python sets of strings.
 *
 * PyProf uses the first element of a set, which depends on Python's hashing. This is CPython's:
 * SipHash-1-3, open addressing with short linear probes, without hash randomization.
 */
#ifndef STRATA_TOOLS_PYPROF_PYTHON_SET_H
#define STRATA_TOOLS_PYPROF_PYTHON_SET_H

#include <stddef.h>

/* First element of a set made of these COUNT strings in order; NULL if empty. */
const char *python_set_first(const char *const *texts, size_t count);

#endif

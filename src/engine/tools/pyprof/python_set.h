/*
 * In which order a Python set gives its texts back.
 *
 * PyProf takes the first of a set, which depends on how Python hashes: this is CPython's way
 * (SipHash with one and three rounds, open addressing with short runs) with hash randomisation off.
 */
#ifndef STRATA_TOOLS_PYPROF_PYTHON_SET_H
#define STRATA_TOOLS_PYPROF_PYTHON_SET_H

#include <stddef.h>

/* The text that comes first of a set made of these COUNT ones in this order; NULL of none. */
const char *python_set_first(const char *const *texts, size_t count);

#endif

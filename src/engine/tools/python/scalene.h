/*
 * Scalene's JSON, of any version: lines and functions with their shares of the run's time and
 * memory.
 */
#ifndef STRATA_TOOLS_PYTHON_SCALENE_H
#define STRATA_TOOLS_PYTHON_SCALENE_H

#include "input/source.h"
#include "model/profile.h"

bool scalene_recognise(const char *head);

/* False with ERROR. */
bool scalene_read(struct source *source, struct profile *profile, struct error *error);

#endif

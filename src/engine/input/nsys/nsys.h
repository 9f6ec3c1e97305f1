/*
 * Nsight Systems exports (nsys export -t sqlite) of any schema version: tables and columns are
 * probed, and what is missing switches off what needs it.
 *
 * The environment of the profiled process, which these files carry, is never read.
 */
#ifndef STRATA_INPUT_NSYS_NSYS_H
#define STRATA_INPUT_NSYS_NSYS_H

#include "input/sqlite/sqlite_database.h"
#include "model/builder.h"

bool nsys_recognise(const struct sqlite_database *database);

/* False with ERROR when nothing was recorded that strata shows. */
bool nsys_read(struct sqlite_database *database, struct builder *builder, struct error *error);

#endif

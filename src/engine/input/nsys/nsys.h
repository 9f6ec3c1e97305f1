/*
 * Reader for Nsight Systems exports (nsys export -t sqlite) of any schema version.
 *
 * Tables and columns are probed; missing ones disable what depends on them. The recorded
 * environment of the profiled process is never read.
 */
#ifndef STRATA_INPUT_NSYS_NSYS_H
#define STRATA_INPUT_NSYS_NSYS_H

#include "input/sqlite/sqlite_database.h"
#include "model/builder.h"

bool nsys_recognise(const struct sqlite_database *database);

/* False with ERROR when the file contains nothing to show. */
bool nsys_read(struct sqlite_database *database, struct builder *builder, struct error *error);

#endif

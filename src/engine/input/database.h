/*
 * Profiles that are SQLite databases: the tables decide which reader takes one.
 */
#ifndef STRATA_INPUT_DATABASE_H
#define STRATA_INPUT_DATABASE_H

#include "input/source.h"
#include "input/sqlite/sqlite_database.h"
#include "model/builder.h"

/*
 * Read the database that SOURCE begins with into the profile behind BUILDER.  False with ERROR and
 * a sentence when its tables belong to no profiler that strata knows, or hold no events.
 */
bool database_read(struct source *source, struct profile *profile, struct builder *builder,
		   const struct progress *progress, struct error *error);

#endif

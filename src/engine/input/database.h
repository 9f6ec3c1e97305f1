/*
 * Reads SQLite profiles, choosing the reader by their tables.
 */
#pragma once

#include "input/source.h"
#include "model/builder.h"

/*
 * Read the database that SOURCE starts with into PROFILE through BUILDER. False with ERROR when its
 * tables belong to no supported profiler or contain no events.
 */
bool database_read(struct source *source, struct profile *profile, struct builder *builder,
		   const struct progress *progress, struct error *error);

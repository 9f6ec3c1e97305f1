/*
 * The databases of NVIDIA's DLProf (dlprof_dldb.sqlite), versions 1.3 to 1.8.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_READER_H
#define STRATA_TOOLS_DLPROF_DLPROF_READER_H

#include "input/sqlite/sqlite_database.h"

struct builder;
struct error;

/* Are its tables there? */
bool dlprof_recognise(const struct sqlite_database *database);

/*
 * Read the correlated profile into BUILDER, and all that DLProf stored into the profile's dlprof.
 * False with ERROR: a table that cannot be done without is missing, the file is damaged, cancelled.
 */
bool dlprof_read(struct sqlite_database *database, struct builder *builder, struct error *error);

#endif

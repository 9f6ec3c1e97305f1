/*
 * Reader for nvprof and Visual Profiler databases (nvprof -o FILE.nvvp): CUPTI activity records.
 */
#ifndef STRATA_INPUT_NVPROF_NVPROF_H
#define STRATA_INPUT_NVPROF_NVPROF_H

#include "input/sqlite/sqlite_database.h"
#include "model/builder.h"

bool nvprof_recognise(const struct sqlite_database *database);

/* False with ERROR when the file contains nothing to show. */
bool nvprof_read(struct sqlite_database *database, struct builder *builder, struct error *error);

#endif

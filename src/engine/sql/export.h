/*
 * A run as a SQLite database file: a table for every view, with its columns.
 */
#ifndef STRATA_SQL_EXPORT_H
#define STRATA_SQL_EXPORT_H

#include "base/progress.h"
#include "model/run.h"
#include "model/scope.h"

struct error;

/* PATH is replaced whole or stays as it was.  False with ERROR. */
bool sql_export(const struct run *run, const struct scope *scope, const char *path,
		const struct progress *progress, struct error *error);

#endif

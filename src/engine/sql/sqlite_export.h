/*
 * Exports a run as a SQLite database, one table per view.
 */
#pragma once

#include "base/progress.h"
#include "model/run.h"

/* In the file's header: "stra". The user_version is that of the envelope. */
#define EXPORT_APPLICATION_ID 0x73747261
#define EXPORT_FACTS "strata" /* table of the facts of report/envelope.h */

/* PATH is replaced as by replace_begin (base/replace.h). False with ERROR. */
bool sql_export(const struct run *run, const struct scope *scope, const char *path, bool force,
		const struct progress *progress, struct error *error);

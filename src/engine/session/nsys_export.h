/*
 * Converts reports of Nsight Systems (.nsys-rep, .qdrep) to SQLite with the program nsys, once: the
 * result stays in the directory of indexes.
 */
#ifndef STRATA_SESSION_NSYS_EXPORT_H
#define STRATA_SESSION_NSYS_EXPORT_H

#include "base/progress.h"

struct error;

struct convert_options {
	const char *program;      /* path of nsys; NULL: reports are not converted */
	char *const *environment; /* of the program, as for execve */
};

/*
 * The path of the database made from the report at PATH, in DIRECTORY, which is created if missing;
 * free with mem_free. NULL with ERROR, the last line that nsys printed, if it refuses the report;
 * ERROR_CANCELLED ends it. No shell is involved.
 */
char *convert_report(const char *path, const char *directory, const struct convert_options *options,
		     const struct progress *progress, struct error *error);

#endif

/*
 * The tables of a rank's views, packed for its summary.
 */
#ifndef STRATA_SUMMARY_KEEP_TABLES_H
#define STRATA_SUMMARY_KEEP_TABLES_H

#include "base/packed.h"
#include "base/progress.h"

struct error;
struct run;

/* Those of rank NUMBER of RUN. False with ERROR. */
bool keep_tables(const struct run *run, int64_t number, struct intern *texts, struct buffer *out,
		 const struct progress *progress, struct error *error);

#endif

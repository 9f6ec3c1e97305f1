/*
 * The tables of a rank's views, packed for its summary.
 */
#ifndef STRATA_SUMMARY_KEEP_TABLES_H
#define STRATA_SUMMARY_KEEP_TABLES_H

#include "base/packed.h"
#include "base/progress.h"

struct run;

/* Where they go, and what they and the findings among them name by number. */
struct kept_output {
	struct intern *texts;
	struct buffer *tables;
	struct intern *finding_texts;
	struct buffer *findings;
};

/* Those of rank NUMBER of RUN. False with ERROR. */
bool keep_tables(const struct run *run, int64_t number, const struct kept_output *output,
		 const struct progress *progress, struct error *error);

#endif

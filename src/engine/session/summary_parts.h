/*
 * The summaries of ranks in a file, one after another.
 */
#ifndef STRATA_SESSION_SUMMARY_PARTS_H
#define STRATA_SESSION_SUMMARY_PARTS_H

#include "input/strsum/strsum.h"

struct error;
struct run;
struct tallies;

struct summary_part {
	uint32_t number; /* in the file, from 0 */
	size_t count;    /* of the file */
	const struct strsum_part *part;
	const struct strsum_block *block; /* until the visit ends */
};

/* False with ERROR, which ends the visits. */
typedef bool summary_part_visitor(void *context, const struct summary_part *part,
				  struct error *error);

/* Visit each summary in the file at PATH. False with ERROR: damaged, or by VISIT. */
bool summary_parts_visit(const char *path, summary_part_visitor *visit, void *context,
			 const struct progress *progress, struct error *error);

/*
 * Add the tallies of the ranks of RUN that SCOPE_RANKS has to TALLIES: those kept in summaries, and
 * of traces what is counted now. False with ERROR.
 */
struct scope_list;
bool run_add_tallies(const struct run *run, const struct scope_list *ranks, struct tallies *tallies,
		     const struct progress *progress, struct error *error);

#endif

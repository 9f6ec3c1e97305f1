/*
 * The summaries of ranks in a file, one after another.
 */
#pragma once

#include "input/summary_file/summary_file.h"

struct run;

struct summary_part {
	uint32_t number; /* in the file, from 0 */
	size_t count;    /* of the file */
	const struct summary_file_part *part;
	const struct summary_file_block *block; /* until the visit ends */
};

/* False with ERROR, which ends the visits. */
typedef bool summary_part_visitor(void *context, const struct summary_part *part,
				  struct error *error);

/* Visit each summary in the file at PATH. False with ERROR: damaged, or by VISIT. */
bool summary_parts_visit(const char *path, summary_part_visitor *visit, void *context,
			 const struct progress *progress, struct error *error);

/*
 * Visit the summaries of those ranks of RUN that SCOPE_RANKS has, each with its rank; ranks that
 * are traces are left out. False with ERROR: damaged, or by VISIT.
 */
struct scope_list;
struct rank;
typedef bool summary_rank_visitor(void *context, const struct rank *rank,
				  const struct summary_file_block *block, struct error *error);
bool run_visit_summaries(const struct run *run, const struct scope_list *ranks,
			 summary_rank_visitor *visit, void *context,
			 const struct progress *progress, struct error *error);

/*
 * Visit the histograms of the ranks of RUN that SCOPE_RANKS has: those kept in summaries, and of
 * traces what is counted now. False with ERROR, or when VISIT returns false.
 */
struct histograms;
typedef bool rank_histograms_visitor(void *context, const struct rank *rank,
				     const struct histograms *histograms);
bool run_visit_histograms(const struct run *run, const struct scope_list *ranks,
			  rank_histograms_visitor *visit, void *context,
			  const struct progress *progress, struct error *error);

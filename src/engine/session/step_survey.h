/*
 * Reads only some steps of a trace. A survey of the whole file finds all steps and the time range
 * of everything that belongs to the requested ones; then only rows in that range are kept.
 *
 * Kept are the rows that a scope of these steps shows: their own, those enclosing them, and the
 * launch calls of activities that run at the same time. The list of steps is complete.
 */
#pragma once

#include "session/load.h"

struct step_survey {
	struct step *steps;             /* times are absolute; SPAN is not set */
	char **names;                   /* of the steps */
	enum step_source source;        /* what they are from … */
	char *basis;                    /* … and by what */
	bool layers;                    /* has annotations that may be layers */
	uint32_t count;                 /* 0: the file has no step markers */
	int64_t wanted_from, wanted_to; /* host time, absolute */
	struct read_filter filter;      /* selects the rows of the requested steps */
};

/*
 * Survey the trace at PATH for the steps FIRST..LAST of OPTIONS. False with ERROR as profile_open.
 * Free it in either case.
 */
bool step_survey_make(struct step_survey *survey, const char *path,
		      const struct load_options *options, const struct progress *progress,
		      struct error *error);
void step_survey_free(struct step_survey *survey);

/*
 * True if all events that start in the requested steps are complete. If not, the filter is widened,
 * and the file must be read again, once.
 */
bool step_survey_covers(struct step_survey *survey, const struct profile *profile);

/* Steps of a profile read with the filter; the caller owns them. */
struct known_steps step_survey_steps(const struct step_survey *survey,
				     const struct profile *profile);

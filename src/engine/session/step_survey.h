/*
 * Reading only some steps of a trace: a survey of the whole file finds all steps and where in time
 * that lies which belongs to the wanted ones; then only those rows are kept.
 *
 * What is kept is what a scope of these steps shows: their rows, what encloses them, and the calls
 * that launched what ran beside them on the devices.  The steps themselves are all there.
 */
#ifndef STRATA_SESSION_STEP_SURVEY_H
#define STRATA_SESSION_STEP_SURVEY_H

#include "session/load.h"
#include "facts/steps.h"

struct step_survey {
	struct step *steps;             /* times are absolute, SPAN is not set */
	char **names;                   /* of the steps */
	bool layers;                    /* there are annotations that may be layers */
	uint32_t count;                 /* 0: there is no mark of a step in the file */
	int64_t wanted_from, wanted_to; /* of the host, absolute */
	struct read_filter filter;      /* to read the rows of the wanted steps with */
};

/*
 * Survey the trace at PATH for the steps FIRST..LAST of OPTIONS.  False with ERROR as profile_open.
 * Free it in any case.
 */
bool step_survey_make(struct step_survey *survey, const char *path,
		      const struct load_options *options, const struct progress *progress,
		      struct error *error);
void step_survey_free(struct step_survey *survey);

/*
 * Is what began in the wanted steps there to its end?  If not the filter is widened, and the file
 * has to be read again; once is enough.
 */
bool step_survey_covers(struct step_survey *survey, const struct profile *profile);

/* The steps for a profile that was read with the filter; *COUNT > 0 of them, the caller owns them.
 */
struct step *step_survey_steps(const struct step_survey *survey, const struct profile *profile);

#endif

/*
 * What a reader keeps when only some steps of a trace are wanted.
 *
 * Annotations that mark steps may be anywhere in the file, so it is read twice: a survey keeps only
 * what identifies the steps and the rows that belong to them; the second pass keeps only rows of
 * the wanted steps (session/step_survey.h). Both create all tracks in the same order, even for rows
 * dropped.
 */
#ifndef STRATA_MODEL_READ_FILTER_H
#define STRATA_MODEL_READ_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct read_filter {
	/*
	 * The survey: keep annotations, operators that may be steps according to IS_STEP (NULL:
	 * all), calls and device activities, without arguments, and only the first two with names.
	 */
	bool survey;
	bool (*is_step)(const char *name, size_t length); /* called from any thread */

	/*
	 * A survey of what steps that are not marked may be found by: all operators, modules, calls
	 * and device activities, with names.
	 */
	bool thorough;

	/* Otherwise: keep spans and activities that overlap these ranges; absolute times. */
	int64_t host_from, host_to;
	int64_t device_from, device_to;
};

#endif

/*
 * What a reader keeps of a trace of which only some steps are wanted.
 *
 * Steps are told by annotations that may stand anywhere in the file, so it is read twice: a survey
 * keeps what tells the steps and what belongs to them, and then only rows of the wanted ones are
 * kept (session/step_survey.h).  Lanes are made of every row, kept or not, in the same order.
 */
#ifndef STRATA_MODEL_READ_FILTER_H
#define STRATA_MODEL_READ_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct read_filter {
	/*
	 * The survey: annotations, operators that IS_STEP says may be steps (NULL: all), calls and
	 * device activities, without names and arguments.
	 */
	bool survey;
	bool (*is_step)(const char *name, size_t length); /* any thread */

	/* Else: spans and device activities of which a part lies in here; absolute times. */
	int64_t host_from, host_to;
	int64_t device_from, device_to;
};

#endif

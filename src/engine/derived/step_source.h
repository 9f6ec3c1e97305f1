/*
 * Sources of steps: what separates the iterations of a run.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

struct derived;

/* In order of preference, then those that the user chooses. */
enum step_source {
	STEPS_NONE, /* one step covers everything */
	STEP_SOURCE_ROWS(LISTED) STEP_SOURCES
};

/*
 * Find steps in a profile without marked ones: by WANTED, the name of a source or of a range, or
 * (NULL) by the first source that gives enough. Sets steps (names, numbers, spans and host times),
 * step_source and step_basis; *BY_EXECUTION if their times are of device work without launch calls.
 * Without steps STEPS_NONE. False when cancelled.
 */
bool step_source_find(struct derived *derived, struct intern *strings, const char *wanted,
		      bool *by_execution, const struct progress *progress);

/* The source of this name ("optimizer", "period"), or STEPS_NONE. */
enum step_source step_source_named(const char *name);

/* What the steps are from, such as "Optimizer.step#SGD.step"; empty without steps. */
void step_source_describe(const struct derived *derived, struct buffer *out);

/* Are the steps those that the profiler or the user marked, not found by strata? */
bool step_source_is_recorded(const struct derived *derived);

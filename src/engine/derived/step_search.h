/*
 * The search for steps in profiles that do not mark them: what the sources of steps share.
 */
#pragma once

#include "derived/steps.h"

/* At least this many steps from marks, and whole iterations of a period, are believed. */
enum { MARKED_STEPS_MIN = 3, PERIOD_REPEATS_MIN = 6 };

struct step_search {
	const struct derived *derived;
	const struct profile *profile;
	struct intern *strings; /* the profile's */
	const struct progress *progress;
	uint32_t process; /* the one that launches most */

	/* Sorted starts of the calls that launch device work; without any, of operators. */
	int64_t *work;
	size_t work_count;
	size_t work_near; /* the work after that counted last, near which the next is sought */

	const char *wanted; /* for mark_named: the name of the range */
	bool exactly;       /* likewise: no other number in it */
	bool chosen;        /* by the user: any number of steps will do */
	bool sure;          /* likewise, since the names of the marks tell what they are */

	/* The best candidate so far: only names, numbers, spans and host times of its steps. */
	struct step *steps;
	size_t count;
	uint32_t basis;    /* interned: what they are found by */
	int tier;          /* lower is better … */
	size_t covered;    /* … then more work in steps */
	bool by_execution; /* times are of device work, which has no launch calls */
};

/* Work that starts in [FROM, TO). */
size_t step_search_work(struct step_search *search, int64_t from, int64_t to);

/* Offer COUNT steps, which are copied if they are better than the best so far. */
void step_search_offer(struct step_search *search, const struct step *steps, size_t count,
		       const char *basis, int tier);

/* A step without a span: iteration INDEX, named when the search is over. */
struct step step_search_iteration(size_t index, int64_t from, int64_t to);

/* Marks of a kind: the test of their names and the builder of steps from them (step_marks.c). */
struct mark_rule;
extern const struct mark_rule mark_optimizer, mark_ranges, mark_server, mark_repeats, mark_loader,
	mark_named;

/* Offer the steps of all marks of a kind. False when cancelled. */
bool step_marks_find(struct step_search *search, const struct mark_rule *rule);

/* The period of the sequence of kernels. False when cancelled. */
bool step_period_find(struct step_search *search);

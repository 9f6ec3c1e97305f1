/*
 * Judges whether a row takes more or less time in another run: by how much its time varies within
 * the runs, and by how much unchanged rows differ between them.
 */
#pragma once

#include "analysis/align.h"
#include "analysis/spread.h"

/* A change of time and how sure it is. */
enum change { FASTER = -2, LIKELY_FASTER, SAME, LIKELY_SLOWER, SLOWER };
const char *change_name(enum change change); /* "likely slower"; of SAME "within noise" */

/*
 * What is known of a row's time in two runs. With steps, the mean step is compared, and steps are
 * the repeats of a run. Calls are not: what sets the time of one call in a run sets that of the
 * next, too, so the difference of unchanged rows (BETWEEN) is never divided by their number.
 */
struct difference {
	double base, new; /* ns: of the mean step, or of all calls */
	double more;      /* ns: the typical change */
	double calls;     /* in BASE, without steps equally long ones; 0 and 1: one */
	double variance;  /* squared standard error of MORE; by calls, of those not in rows below */
	double freedom;   /* degrees of freedom of VARIANCE */
	double unmatched; /* squared standard error of calls without counterpart */
	double expected;  /* VARIANCE of all of it, as of rows that take about as long */
	double between;   /* ns: standard error by what unchanged rows differ beyond EXPECTED */
	double tries;     /* comparisons of which this is the most different; 0 and 1: one */
	double ratios;    /* calls, each of which counts the same in what follows; 0: not known */
	double typical;   /* mean logarithm of the ratios of their times */
	double ratio_error; /* squared standard error of TYPICAL, as of rows that take as long */
	bool known;         /* there is something to judge by */
	bool of_steps;      /* steps are compared, otherwise calls */

	/* of calls that wait for others, not in the above; 0: the row hardly waits */
	double waiting_base, waiting_new; /* ns */
	double waiting_variance;          /* of their difference; INFINITY: unknown */
};

/* The pairs of rows, parents first; arrays by pair. */
struct difference_tree {
	const struct pair *pairs;
	size_t count;
	const uint32_t *names; /* equal for rows whose calls a run affects alike */
	const bool *sums_up;   /* included in the row of the parent; NULL: none is */
	bool host;             /* times of the host: without steps, what all share may be chance */
	bool all_changed;      /* by other hardware: how rows differ tells no noise */
};

/*
 * Set EXPECTED and BETWEEN of all rows, from those without parts: by robust deviations among rows
 * that take about as long a call, so that rows that did change count little. Without steps, the
 * mean of calls varies the less the more there are; EXPECTED is then between what the row's own
 * calls tell and what others do, and FREEDOM is that of both: the fewer of others, the more these
 * differ in how much they vary.
 */
void difference_learn(struct difference *rows, const struct difference_tree *tree);

/* Compare STEPS in pairs if they vary alike in both runs: by the differences in order, PAIRED. */
void difference_pair_steps(struct difference *rows, const struct spread *paired, size_t count,
			   double steps);

/*
 * The verdict, the opposite if the runs are swapped. At most one unchanged row in 1000 is called
 * slower or faster, and one in 100 likely so. Fewer than three steps a side, calls with fewer than
 * eight other names, few calls where rows vary unlike each other, and times of the host without
 * steps make a change likely at most; so do calls that wait for others, and what a row does beside
 * these if all of it changes likewise; and a change of the typical call that the sum, which a few
 * long calls make uncertain, shares.
 */
enum change difference_judge(const struct difference *evidence);

/* Is a change of 10 % or more unlikely, too? Otherwise what is not judged a change may be one. */
bool difference_is_same(const struct difference *evidence);

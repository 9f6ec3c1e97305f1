/*
 * Detectors: rules that diagnose performance problems in a profile.
 *
 * A detector has fired, is silent, or cannot tell because the profile lacks data. To add one: a
 * function in its family's file (detect_*.c), a declaration in detect.h, a row of detectors.txt and
 * its line in detectors.c.
 */
#pragma once

#include "analysis/advice/blame.h"
#include "analysis/advice/claims.h"
#include "analysis/rank_matches.h"
#include "model/run.h"

struct device_metrics;

/* What a finding is about; findings are listed in this order. */
enum concern {
	CONCERN_TRUST = -2, /* a property of the capture that limits what can be said */
	CONCERN_HEADLINE,   /* a summary whose causes are findings of their own */
	CONCERN_PROGRAM,
	CONCERN_RECORDING /* how to record more */
};

/* What a detector cannot do without; it does not run where that was not recorded. */
enum detector_needs {
	NEEDS_NOTHING,
	NEEDS_KERNELS, /* in the window */
	NEEDS_DEVICES, /* kernels with times, so that the work of devices is known */
	NEEDS_MEMORY,  /* memory events */
};

/* Of a finding when it fired, and what the column says of the others (severity_of_finding). */
enum severity { SEVERITY_ROWS(LISTED) SEVERITIES };

struct detector {
	const char *id;             /* "launch_bound" */
	const char *problem;        /* what it detects, as a headline */
	const char *recommendation; /* action when it fires (see actions.c); NULL: set by the
				       detector */
	enum concern concern;
	enum detector_needs needs;
	enum severity least; /* of a finding, whatever its cost */
	const char *view;    /* what the finding leads to if it names no row; NULL: as it is */
	bool needs_totals;   /* known from sums of functions, too */
	bool needs_host;     /* about host times: not told from a cold start, or of durations */
	bool needs_idle;     /* about idle time and overlap: not told of durations */
	bool part;           /* of another finding's time: claims it first */
	bool of_run;         /* compares ranks: the same whichever is examined */
	bool late;           /* about the rank that others wait for */
	bool training;       /* of no use to an inference server */
	bool of_peers;       /* tells of a rank, but only beside the traces of others */
	const char *edit; /* what fixes it, for predictions (whatif/whatif_edit.h); NULL: unknown */
	const char *condition; /* when it fires, with its thresholds; for the manual */
};

enum answer { ANSWER_FIRED, ANSWER_SILENT, ANSWER_UNKNOWN }; /* in the order of findings */
/* Main subject of a finding, for navigation. */
enum finding_subject { SUBJECT_ROWS(LISTED) };

/* What a replay predicts in percent of the step, with its range; NAN: nothing. */
struct gain_prediction {
	double pct, low_pct, high_pct;
	const char *why; /* why it predicts nothing, or how certain it is; static; NULL */
	bool more;       /* above a replay: of fewer messages, as ranks wait less for each other; of
			    work that ranks share, as a part of it takes less than its time now */
};

struct finding {
	const struct detector *detector;
	enum answer answer;
	enum severity severity;     /* when fired */
	const char *recommendation; /* static or NULL; unknown: how to record the data */
	struct buffer evidence;     /* the numbers, or what was not recorded */
	int64_t cost_ns;            /* at most saved when it alone is fixed; NO_VALUE */
	double gain_pct;            /* cost in percent of the time examined; NAN */
	struct gain_prediction predicted;
	int64_t scope_ns;        /* the time examined, of which the cost is a part */
	int64_t won_ns;          /* its size, or what a replay wins: the order */
	int64_t rank;            /* of the process that it is about; NO_VALUE */
	const char *title;       /* static; NULL: the problem of the detector */
	struct interval longest; /* of the time it claims; empty: none */
	int32_t device;          /* the critical one, whose time that is */
	bool is_idle;            /* the device is idle for most of that time */
	bool is_bound;           /* nothing else to do before it: the device works all the time */
	int64_t unexplained_ns;  /* without a cost: its place among gains is that of as much time */
	bool only_rank;          /* of several ranks, one has it */
	bool elsewhere;          /* unknown: profiles of other kinds tell */
	enum finding_subject subject;
	uint32_t subject_row; /* interned name, layer node, step index or rank */

	/* while detectors run */
	struct claim claim;
	struct blame blame;
};

struct findings {
	struct finding *items;
	size_t count;
	size_t predicted;                /* how many are… */
	struct gain_prediction together; /* …and what they are if all are fixed */
};

/* What the ranks of a run show beside each other: the same in the findings of each. */
struct ranks_compared {
	double most, least, mean; /* computation per step, ns */
	size_t rank;              /* index of the one that computes most */
	int64_t least_steps, most_steps;
	bool steps_alike;              /* rank_steps_alike */
	struct rank_operation differs; /* from that with its number elsewhere; or NO_ROW */
	enum compiled_difference compiled;
	struct rank_operation compilation; /* of a summary, that differs so from the first rank's */
	struct {
		size_t layers;  /* of experts on several ranks; 0: none, or not compared */
		size_t rank;    /* index of the one that is late most */
		double cost_ns; /* of all layers, per step (experts.h) */
		double tokens, mean_tokens; /* of that rank and all, per step */
	} experts;
};

void ranks_compare(struct ranks_compared *all, const struct run *run, const struct scope *scope);

/*
 * Inputs of detectors besides rows: idle causes and device metrics in the selection's window, the
 * graph of predictions, and what is known of names and calls. Set SELECTION, zero the rest, and
 * derive each of EVIDENCE_PARTS, on any thread; false when cancelled. The caller frees with
 * evidence_free either way.
 */
enum { EVIDENCE_ROWS(LISTED) EVIDENCE_PARTS };

struct evidence {
	const struct selection *selection;
	const struct causes *causes;
	struct causes own_causes; /* used when not cached with the run */
	struct device_metrics *devices;
	size_t device_count;
	const struct ranks_compared *compared; /* NULL: not found yet */
	bool predict;                          /* the gains, too */
	struct whatif *whatif;                 /* NULL unless they are predicted */
};

bool evidence_derive(struct evidence *evidence, size_t part, const struct progress *progress);
void evidence_free(struct evidence *evidence);

/*
 * Run all detectors on the rows of the selection. Sorted: fired by concern and cost, silent,
 * unknown. Costs do not overlap: their sum is at most the time examined. The caller frees with
 * findings_free. False when cancelled, with nothing to free.
 */
bool detect_all(struct findings *findings, const struct run *run, const struct evidence *evidence,
		const struct progress *progress);
void findings_free(struct findings *findings); /* accepts all zero */

enum severity severity_of_finding(const struct finding *finding);
const char *severity_name(enum severity severity); /* in the column: "high", "silent" */
/* By its name of LENGTH bytes; SEVERITIES if there is none. */
enum severity severity_named(const char *name, size_t length);
const char *finding_title(const struct finding *finding);

/* All detectors, as detectors.txt lists them; ends with an entry without id. */
const struct detector *detectors(void);

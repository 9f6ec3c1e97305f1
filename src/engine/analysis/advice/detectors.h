/*
 * Detectors: rules that look at a profile as an expert would.  Each has one of three answers, which
 * are never confused: it fired, it is silent, or the profile does not hold what it needs.
 *
 * To add one: a function in the file of its family (detect_*.c), its declaration in detect.h and a
 * line in the table of detectors.c.
 */
#ifndef STRATA_ANALYSIS_ADVICE_DETECTORS_H
#define STRATA_ANALYSIS_ADVICE_DETECTORS_H

#include "analysis/causes.h"
#include "base/buffer.h"
#include "base/progress.h"
#include "model/run.h"

struct device_metrics;
struct diagnosis;
struct finding;
struct selection;

struct detector {
	const char *id;             /* "launch_bound" */
	const char *problem;        /* what it looks for, as a headline */
	const char *recommendation; /* what to do when it fires; NULL: it says so itself */
	void (*detect)(const struct diagnosis *diagnosis, struct finding *finding);
	const char *plain; /* what to do in a program without operators; NULL: the same */
};

enum answer { ANSWER_FIRED, ANSWER_SILENT, ANSWER_UNKNOWN };
enum severity { SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };

/* What a finding is mostly about, so that one can go there. */
enum subject {
	SUBJECT_NONE,
	SUBJECT_OPERATOR,
	SUBJECT_KERNEL,
	SUBJECT_LAYER,
	SUBJECT_STEP,
	SUBJECT_RANK,
	SUBJECT_PYTHON
};

struct finding {
	const struct detector *detector;
	enum answer answer;
	enum severity severity;     /* of one that fired */
	const char *recommendation; /* static or NULL; when it cannot tell: how to record */
	struct buffer evidence;     /* the numbers, or what was not recorded */
	int64_t cost_ns;            /* what it costs at most in the steps looked at; NO_VALUE */
	enum subject subject;
	uint32_t subject_row; /* interned name, layer node, step index or rank */
};

struct findings {
	struct finding *items;
	size_t count;
};

/*
 * What detectors look at besides the rows: why devices were idle, and how they were used in the
 * window of the selection.  With SELECTION set and the rest zero, each of the EVIDENCE_PARTS is
 * derived by itself, on any thread; false when cancelled.  The caller frees with evidence_free in
 * either case.
 */
enum { EVIDENCE_PARTS = 2 };

struct evidence {
	const struct selection *selection;
	const struct causes *causes;
	struct causes own_causes; /* theirs, when they are not kept with the run */
	struct device_metrics *devices;
	size_t device_count;
};

bool evidence_derive(struct evidence *evidence, size_t part, const struct progress *progress);
void evidence_free(struct evidence *evidence);

/*
 * Ask every detector about the rows of the selection, given the evidence.  In order: those that
 * fired, the gravest and most costly first; the silent; those that cannot tell.  The caller frees
 * with findings_free.  False when cancelled, and then there is nothing to free.
 */
bool detect_all(struct findings *findings, const struct run *run, const struct evidence *evidence,
		const struct progress *progress);
void findings_free(struct findings *findings); /* all zero is fine */

const char *severity_name(const struct finding *finding); /* "high"… "silent", "unknown" */

#endif

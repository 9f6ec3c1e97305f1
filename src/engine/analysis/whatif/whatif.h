/*
 * What if: the predicted time of a step under edits, with its range, or why there is none.
 */
#pragma once

#include "analysis/whatif/whatif_edit.h"
#include "base/buffer.h"

struct run;

/* A graph that was tried without an edit. */
struct whatif {
	struct whatif_graph *graph;
	struct whatif_joined *joined;            /* the ranks, that of GRAPH among them or alone */
	size_t read;                             /* the index of its rank among them */
	struct whatif_times times[REPLAY_MODES]; /* without an edit */
	int64_t recorded;                        /* ns of the steps that are judged */
	uint32_t steps;                          /* their number; 1 without steps */
	bool brief;          /* several edits at once: neither paths nor other threads */
	const char *refused; /* why nothing is predicted; static; NULL: see whatif_refusal */
	enum whatif_limit limit;
};

struct whatif_prediction {
	int64_t recorded, predicted, low,
		high;                /* ns, mean per step: of the step, not of the gain */
	int64_t path[WHATIF_LIMITS]; /* ns, of all steps */
	bool at_most;                /* only a bound of the gain is known */
	bool uncertain;              /* the range is wider than the gain */
	bool nothing;                /* what they are about was not recorded */
	double idle_pct[2];          /* of the devices: recorded, predicted */
	enum whatif_limit limit;     /* what the edits did not change, and binds most */
};

enum { WHATIF_ROWS_MAX = 1000000 }; /* of findings and of the explorer's slider */

/* As whatif_graph_make. The caller frees; NULL when cancelled. */
struct whatif *whatif_make(const struct derived *derived, const struct selection *selection,
			   uint32_t rows_max, const struct progress *progress);
/* The same of all ranks of a run, which have matches and are in memory; read on this one, or on the
   next if others wait for it. */
struct whatif *whatif_make_joined(const struct run *run, size_t rank, uint32_t rows_max,
				  const struct progress *progress);
void whatif_free(struct whatif *whatif); /* NULL is fine */

/* Why nothing is predicted of these edits; NULL. Compilation may be what most time goes to. */
const char *whatif_refusal(const struct whatif *whatif, const struct whatif_edit *edits,
			   size_t count);

/* One replay of all edits, of each that the recording leaves open. False when cancelled. */
bool whatif_predict(const struct whatif *whatif, const struct whatif_edit *edits, size_t count,
		    struct whatif_prediction *prediction, const struct progress *progress);

/* The gain in percent of the recorded time. */
double whatif_gain(const struct whatif_prediction *prediction, int64_t time);

/* "at most", "uncertain"; NULL: neither. */
const char *whatif_certainty(const struct whatif_prediction *prediction);

/* "step 117.1 ms -> 98.4 ms (-16.0 %, -16.4 to -13.5 %)", "(-16.0 %, -16.4 % at most to -13.5 %)"
 */
void whatif_describe(const struct whatif_prediction *prediction, struct buffer *out);

/*
 * Replays a graph in one pass: the time of each point is the latest of its sources and weights.
 *
 * Strict: the source that explains a recorded time best gets as weight what is left of it, so that
 * a replay without an edit gives the recording to the nanosecond. Typical: each class of waits has
 * one weight, so that what nothing explains is gone.
 */
#pragma once

#include "analysis/whatif/whatif_graph.h"

/* What an edit changes of a point. */
enum whatif_change {
	CHANGE_NO_WAIT = 1,   /* an end, or work: it waits for no other work */
	CHANGE_NO_CALL = 2,   /* a call takes no time, */
	CHANGE_NO_HOST = 4,   /* and nothing passes before it */
	CHANGE_NO_STREAM = 8, /* work follows at once on its stream */
};

/* Weights under an edit; zero-initialized but for the factors, which are 1. */
struct whatif_weights {
	float *work;                   /* factor by activity; NULL: 1 */
	uint8_t *change;               /* by point: bits of enum whatif_change; NULL: none */
	double host, launches, pauses; /* factors: all host time, short times, long times */
	uint16_t without;              /* spans in these roles (derived.h) take no CPU time */
	bool graphs, unblocked;        /* launches are replayed as graphs; launches do not block */
};

enum whatif_mode { REPLAY_STRICT, REPLAY_TYPICAL, REPLAY_WITHOUT_GUESSES, REPLAY_MODES };

/* What the path through a replay is made of. */
enum whatif_limit {
	LIMIT_KERNELS,
	LIMIT_COMMUNICATION,
	LIMIT_COPIES,
	LIMIT_STREAM,
	LIMIT_LAUNCHES,
	LIMIT_HOST,
	LIMIT_SYNCHRONIZATION,
	WHATIF_LIMITS
};

struct whatif_times {
	int64_t start, end;          /* of the steps that are judged, else of all work */
	int64_t late_ns;             /* strict: of work that starts late without a cause */
	int64_t path[WHATIF_LIMITS]; /* only if asked for */
};

/* By point, when what it is of begins and ends: of a call that may wait either is its own. */
struct whatif_moves {
	int64_t *begin, *end;
};

/*
 * The times under WEIGHTS (NULL: no edit), and of each point in MOVES, the caller's, unless it is
 * NULL. PATH: also what the path is made of. In one pass over the points. False when cancelled.
 */
bool whatif_replay(const struct whatif_graph *graph, const struct whatif_weights *weights,
		   enum whatif_mode mode, bool path, const struct whatif_moves *moves,
		   struct whatif_times *times, const struct progress *progress);

const char *whatif_limit_name(enum whatif_limit limit); /* "kernels", "host launches" */

/* The time between calls that is Python's pause, rather than the launching of work; ns. */
enum { WHATIF_PAUSE = 150000 };

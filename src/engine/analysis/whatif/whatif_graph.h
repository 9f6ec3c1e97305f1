/*
 * The graph of what waits for what in a recording, for predicting times under an edit.
 *
 * A point is where a call begins, the end of one that waits, device work, or the mark of a step. It
 * comes at the earliest when its sources are done: the point before on its track, for work also its
 * launch and work of other streams, for the end of a call the work it waits for. Points are sorted
 * by recorded time, and every source comes before what waits for it.
 */
#pragma once

#include "derived/derived.h"

enum whatif_point { WHATIF_POINT_ROWS(_) };

/* Work that waits for work of another stream. */
struct whatif_wait {
	uint32_t point, source; /* points */
	bool guessed;           /* known by its time alone */
};

/* A batch of loader processes, which a point of a thread comes after. */
struct whatif_batch {
	uint32_t point;
	int64_t begin, ready; /* recorded: from when to when it was waited for */
};

/* Classes of work by what it follows on its stream: bits for this and for that being a kernel. */
enum { STREAM_CLASSES = 4, RETURN_CLASSES = 2 };

struct selection;

/* By point, how far before it another is; what is further, and tracks, are beside. */
struct whatif_sources {
	uint16_t *distance; /* 0: none */
	struct whatif_far {
		uint32_t point, source;
	} * far; /* by point */
	size_t far_count;
};

void whatif_set_source(struct whatif_sources *sources, uint32_t point, uint32_t source);
/* Of a point whose source is listed. */
uint32_t whatif_far_source(const struct whatif_sources *sources, uint32_t point);

/* NO_ROW: none. */
static inline uint32_t whatif_source_of(const struct whatif_sources *sources, uint32_t point)
{
	uint16_t distance = sources->distance[point];
	if (distance == UINT16_MAX)
		return whatif_far_source(sources, point);
	return distance ? point - distance : NO_ROW;
}

struct whatif_graph {
	const struct profile *profile;
	const struct derived *derived;
	uint32_t count;
	uint32_t *row;   /* by point: span, activity or step */
	uint32_t *track; /* by point */
	/* by point: work: its launch; an end: the work it waits for; a call: the thread (track)
	   that it continues. NO_ROW: none */
	struct whatif_sources sources;
	uint8_t *holds_wait;       /* a bit by span: a call that blocks is inside: it is no point */
	uint8_t *kind;             /* by point: an enum whatif_point with its bits */
	struct whatif_wait *waits; /* by point */
	size_t wait_count;
	struct whatif_batch *batches; /* by point */
	size_t batch_count;
	int64_t latency;                    /* from a launch call to work on an idle stream */
	int64_t stream_gap[STREAM_CLASSES]; /* between works of a stream */
	/* from the end of work to that of a call that waits: it blocks, or by its own work */
	int64_t return_latency[RETURN_CLASSES];
	uint32_t step_first, step_last; /* the steps that are judged; without: NO_ROW */
	uint32_t contradictions;        /* sources left out since they end too late */
	int64_t work_ns;                /* device work of the judged steps… */
	/* …without its launch: since that was before the capture; for another reason */
	int64_t before_ns, unlinked_ns;
	bool launches_block; /* CUDA_LAUNCH_BLOCKING */
	bool too_many_lanes; /* the graph is empty */
	bool guesses;        /* a wait is guessed */
	bool joined;         /* replayed with other ranks (whatif_joined.h) */
	int64_t rank;        /* its number; NO_VALUE: unknown */
};

/*
 * In two passes over the rows. The steps of SELECTION that are judged if it has any (NULL: all); of
 * a large profile, the first that have at most ROWS_MAX rows; 0: none is judged, and all rows are
 * in the graph. The caller frees; NULL when cancelled. DERIVED must outlive it.
 */
struct whatif_graph *whatif_graph_make(const struct derived *derived,
				       const struct selection *selection, uint32_t rows_max,
				       const struct progress *progress);
void whatif_graph_free(struct whatif_graph *graph); /* NULL is fine */

/* Work of a step that is judged, or of any without steps. */
bool whatif_is_judged(const struct whatif_graph *graph, uint32_t activity);

/* The call around a launch that a point is of: the outermost, but for those that hold a wait. */
uint32_t whatif_call_around(const struct whatif_graph *graph, uint32_t span);

/* The recorded time of a point: of work its start. */
int64_t whatif_time(const struct whatif_graph *graph, uint32_t point);

/* The classes of the edge between two works of a stream, and of the return of a call. */
static inline int whatif_stream_class(const struct profile *profile, uint32_t before,
				      uint32_t activity)
{
	return 2 * (profile->activity_kind[before] == ACTIVITY_KERNEL) +
	       (profile->activity_kind[activity] == ACTIVITY_KERNEL);
}

static inline int whatif_return_class(const struct whatif_graph *graph, uint32_t point)
{
	return (graph->kind[point] & POINT_OWN) != 0;
}

/* From an event to the work that waits for it; the time a call takes that need not wait. */
enum { EVENT_LATENCY = 1500, CALL_ITSELF = 4000 };

/*
 * A replay in progress, which whatif_replay.c makes and whatif_times.c reads.
 */
#pragma once

#include "analysis/whatif/whatif_replay.h"

/* A step as recorded and predicted: its mark, and the end of its work. */
struct whatif_step {
	int64_t begin, end, recorded_begin, recorded_end;
};

/* Of the wait of a point, what is over the weight of its class. */
struct whatif_residual {
	uint32_t point;
	int64_t ns;
};

/* Where a track is: the point done last, as recorded and predicted. */
struct whatif_place {
	int64_t recorded, time;
	int64_t open;           /* predicted begin of the call in progress */
	uint32_t point, before; /* the point; the last activity of a stream */
};

struct whatif_replaying {
	const struct whatif_graph *graph;
	const struct profile *profile;
	const struct whatif_weights *weights;
	enum whatif_mode mode;
	int64_t *time; /* by point: when it is done; of a call that waits for nothing its begin */
	struct whatif_sources origins; /* the sources that were latest */
	struct whatif_place *places;   /* by track */
	struct whatif_step *steps;
	bool explains;                     /* residuals are wanted */
	struct whatif_residual *residuals; /* by point */
	size_t residual_count;
	size_t next_wait, next_join, next_batch;
	uint32_t at;                    /* the next point */
	const struct whatif_rank *rank; /* with joins; NULL: replayed alone */
	struct whatif_meeting *meetings;
	bool awaited; /* other ranks wait for this one */
	int64_t first, last, late, head, busy, busy_until;
	int64_t begun;       /* how much later than recorded the judged steps begin */
	uint32_t last_point; /* the work that ends last among the judged… */
	uint32_t last_mark;  /* …and the last end of a step; NO_ROW */
};

static inline int64_t whatif_scaled(int64_t ns, double factor)
{
	return factor == 1 ? ns : (int64_t)((double)ns * factor);
}

static inline double whatif_own_factor(const struct whatif_replaying *replaying, uint32_t point)
{
	return replaying->weights->own ? whatif_unpack(replaying->weights->own[point]) : 1;
}

static inline int64_t whatif_work_time(const struct whatif_replaying *replaying, uint32_t point)
{
	return whatif_scaled(replaying->profile->activity_dur[replaying->graph->row[point]],
			     whatif_own_factor(replaying, point));
}

static inline void whatif_end_step(struct whatif_step *step, int64_t recorded, int64_t time)
{
	step->end = time > step->end ? time : step->end;
	step->recorded_end = recorded > step->recorded_end ? recorded : step->recorded_end;
}

/* The judged steps, replayed to the end, and how far they differ from the recording. */
void whatif_find_window(const struct whatif_replaying *replaying, struct whatif_times *times);
/* What the path through that window is made of, with ORIGINS. False when cancelled. */
bool whatif_follow_path(const struct whatif_replaying *replaying, struct whatif_times *times,
			const struct progress *progress);

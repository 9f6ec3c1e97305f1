/*
 * What a recording tells of the times between points: from a launch to its work, between the works
 * of a stream, from work to the return of the call that waited for it.
 */
#pragma once

#include "analysis/whatif/whatif_graph.h"

/* Times of one class, ns. */
struct whatif_samples {
	GROWING(int64_t, ns, count);
};

/* Those that are negative or too long for a latency do not count. */
void whatif_add_sample(struct whatif_samples *samples, int64_t ns);

/*
 * The median of those near the low end, which have waited for nothing; OTHERWISE if they are too
 * few. Frees them.
 */
int64_t whatif_low_cluster(struct whatif_samples *samples, int64_t otherwise);

/*
 * Set the latencies, gaps and sums of work of a graph that has its profile, its judged steps and
 * what holds waits; of the rows before UNTIL. OF_SPAN becomes, by span, the last work that it
 * launched. False when cancelled.
 */
bool whatif_learn(struct whatif_graph *graph, uint32_t *of_span, int64_t until,
		  const struct progress *progress);

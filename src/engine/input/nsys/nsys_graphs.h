/*
 * Nodes of CUDA graphs: which call made a node, and of which node another is the clone. Kernels of
 * a graph launch name the clone that the executable graph has.
 */
#ifndef STRATA_INPUT_NSYS_NSYS_GRAPHS_H
#define STRATA_INPUT_NSYS_NSYS_GRAPHS_H

#include "input/nsys/nsys_private.h"

struct nsys_graphs;

/* Of all tables of graph nodes. */
struct nsys_graphs *nsys_graphs_read(struct nsys *nsys);
void nsys_graphs_free(struct nsys_graphs *graphs); /* NULL is fine */

/* The node that NODE of process GLOBAL was cloned from first, or itself; NO_VALUE: unknown. */
int64_t nsys_graphs_original(const struct nsys_graphs *graphs, int64_t global, int64_t node);

/* Add to SPAN, a call of THREAD, the ids of the nodes that were made during it, and of clones. */
void nsys_graphs_keep(struct nsys *nsys, uint32_t span, int64_t thread, int64_t start, int64_t dur);

#endif

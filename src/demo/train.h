/*
 * The training loop of the sample run: what happens in a step, and in which order.
 *
 * Three things in it are there to be found: every other batch is late, the loss is read with a
 * blocking copy, and the moving average of the weights is kept by hundreds of tiny kernels.
 */
#ifndef STRATA_DEMO_TRAIN_H
#define STRATA_DEMO_TRAIN_H

#include "demo/machine.h"
#include "demo/network.h"

#include <stdint.h>
#include <stdio.h>

enum { WORLD_MAX = 64, SLOW_MAX = 16, STACKS_MAX = 80 };

struct training {
	uint64_t steps;         /* at least this many, */
	uint64_t events, bytes; /* and until the trace has these; 0: does not matter */
	uint64_t seed;
	int blocks;
	int stacks; /* deepest ordinary Python frame; 0: no stacks */
	int rank, world;
	int straggler;           /* this rank's GPU is slower, */
	double straggler_factor; /* by this factor; 1: none is */
	bool modules, shapes;
	struct {
		const char *path;
		double factor;
	} slow[SLOW_MAX];
	int slow_count;
};

/* Run the training and write its trace to OUT.  False when a path to slow down names no layer. */
bool train(const struct training *training, FILE *out);

#endif

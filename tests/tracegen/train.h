/*
 * The training loop of the sample run.
 *
 * It contains three problems to find: every other batch is late, the loss is read with a blocking
 * copy, and the moving average of the weights uses hundreds of tiny kernels.
 */
#pragma once

#include "tracegen/machine.h"
#include "tracegen/network.h"

#include <stdint.h>
#include <stdio.h>

enum { WORLD_MAX = 64, SLOW_MAX = 16, STACKS_MAX = 80 };

struct training {
	uint64_t steps;         /* at least this many, */
	uint64_t events, bytes; /* and until the trace reaches these; 0: no minimum */
	uint64_t seed;
	int blocks;
	int stacks; /* maximum Python stack depth; 0: no stacks */
	int rank, world;
	int straggler;           /* the rank with a slower GPU, */
	double straggler_factor; /* by this factor; 1: none */
	const char *synchronize; /* path of a layer that waits for the GPU; NULL: none */
	bool mark_steps, modules, shapes;
	struct {
		const char *path;
		double factor;
	} slow[SLOW_MAX];
	int slow_count;
};

/* Run the training and write its trace to OUT. False when a layer does not exist. */
bool train(const struct training *training, FILE *out);

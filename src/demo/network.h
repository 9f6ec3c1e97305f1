/*
 * What the sample run trains: a residual network for images, in half precision, channels last.
 *
 * Modules stand in preorder; a subtree is the range [i, i + size).  Leaves do the work.  Plain data
 * throughout, so the whole may be copied.
 */
#ifndef STRATA_DEMO_NETWORK_H
#define STRATA_DEMO_NETWORK_H

#include "demo/machine.h"

enum { BLOCKS_MAX = 128, MODULES_MAX = 9 * BLOCKS_MAX + 16, BATCH = 64, CLASSES = 1000 };

enum layer_kind {
	LAYER_GROUP, /* calls its children */
	LAYER_CONV,
	LAYER_NORM,
	LAYER_RELU,
	LAYER_RESIDUAL, /* add and relu, fused by the compiler: no module of its own */
	LAYER_MAX_POOL,
	LAYER_AVERAGE_POOL,
	LAYER_FLATTEN, /* a function call: no module of its own */
	LAYER_LINEAR,
};

struct module {
	enum layer_kind kind;
	char name[40];       /* as the profiler numbers it, "nn.Module: Conv2d_3" */
	char path[40];       /* as the program names it, "layer3.0.conv2" */
	const char *forward; /* the Python frame of its forward function; NULL: none */
	int64_t index;       /* among its class; -1: not a module */
	int size;

	int in_channels, in_size, out_channels, out_size; /* size: height = width */
	int kernel, stride, padding;
	int64_t weights, biases; /* parameters */
	double slow;             /* factor on its kernels */

	struct tensor output, saved, gradient;
	int64_t sequence, flow; /* of the last forward call */
};

struct network {
	int count;
	struct module modules[MODULES_MAX];
	int tape[MODULES_MAX], tape_length; /* leaves in the order they ran forward */
};

/* BLOCKS (1 to BLOCKS_MAX) residual blocks, spread over four stages. */
void network_build(struct network *network, int blocks);

/* Make the kernels of the modules at PATH and below slower; returns how many leaves that is. */
int network_slow(struct network *network, const char *path, double factor);

int64_t module_outputs(const struct module *module); /* elements of a batch */
int64_t module_inputs(const struct module *module);
double module_flops(const struct module *module); /* of the forward pass */
int64_t network_parameters(const struct network *network);

#endif

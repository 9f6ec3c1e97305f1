/*
 * The sample model: a residual network for images, in half precision, channels last.
 *
 * Modules are in preorder; a subtree is the range [i, i + size). Only leaves launch work. Plain
 * data, copyable.
 */
#pragma once

#include "tracegen/machine.h"

enum { BLOCKS_MAX = 128, MODULES_MAX = 9 * BLOCKS_MAX + 16, BATCH = 64, CLASSES = 1000 };

enum demo_layer_kind {
	LAYER_GROUP, /* calls its children */
	LAYER_CONV,
	LAYER_NORM,
	LAYER_RELU,
	LAYER_RESIDUAL, /* add and relu, fused by the compiler; not a module */
	LAYER_MAX_POOL,
	LAYER_AVERAGE_POOL,
	LAYER_FLATTEN, /* a function call; not a module */
	LAYER_LINEAR,
};

struct module {
	enum demo_layer_kind kind;
	char name[40];       /* as numbered by the profiler, "nn.Module: Conv2d_3" */
	char path[40];       /* as named by the program, "layer3.0.conv2" */
	const char *forward; /* Python frame of its forward function; NULL: none */
	int64_t index;       /* within its class; -1: not a module */
	int size;

	int in_channels, in_size, out_channels, out_size; /* size: height = width */
	int kernel, stride, padding;
	int64_t weights, biases; /* parameter counts */
	double slow;             /* duration factor of its kernels */
	bool synchronizes;       /* waits for the GPU in its forward pass */

	struct tensor output, saved, gradient;
	int64_t sequence, flow; /* of the last forward call */
};

struct network {
	int count;
	struct module modules[MODULES_MAX];
	int tape[MODULES_MAX], tape_length; /* leaves in forward order */
};

/* BLOCKS (1 to BLOCKS_MAX) residual blocks, distributed over four stages. */
void network_build(struct network *network, int blocks);

/*
 * Let the kernels of PATH and below take SLOW times as long (0: as before), or its layers wait for
 * the GPU; the number of leaves.
 */
int network_mark(struct network *network, const char *path, double slow, bool synchronizes);

int64_t module_outputs(const struct module *module); /* elements per batch */
int64_t module_inputs(const struct module *module);
double module_flops(const struct module *module); /* of the forward pass */
int64_t network_parameters(const struct network *network);

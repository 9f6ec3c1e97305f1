/*
 * Operators and kernels of each layer, forward and backward.
 */
#pragma once

#include "tracegen/machine.h"
#include "tracegen/network.h"

/* A memory-bound kernel that moves BYTES for ELEMENTS items. */
struct kernel kernel_elementwise(const char *name, int64_t elements, int64_t bytes);

/* An operator that launches one kernel. */
void operator_with_kernel(struct machine *machine, const char *name, const struct call *call,
			  const struct kernel *kernel);

/* Run the forward pass of a leaf; the caller has opened its module spans. */
void layer_forward(struct machine *machine, struct module *module);

/* Run the backward pass of a leaf, without accumulating gradients. */
void layer_backward(struct machine *machine, struct module *module);

/*
 * Backward nodes. NODE is EVALUATE "NameBackward0", the span of the autograd engine; the node's own
 * span is nested in it. SEQUENCE and FLOW are 0 for a node without forward operator.
 */
#define EVALUATE "autograd::engine::evaluate_function: "
void backward_open(struct machine *machine, const char *node, int64_t sequence, int64_t flow);
void backward_close(struct machine *machine);

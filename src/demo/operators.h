/*
 * What the framework does for each layer: the operators it dispatches, forward and backward, and
 * the kernels they launch.
 */
#ifndef STRATA_DEMO_OPERATORS_H
#define STRATA_DEMO_OPERATORS_H

#include "demo/machine.h"
#include "demo/network.h"

/* A kernel that reads and writes BYTES once, over ELEMENTS items. */
struct kernel kernel_elementwise(const char *name, int64_t elements, int64_t bytes);

/* One operator that launches one kernel. */
void operator_with_kernel(struct machine *machine, const char *name, const struct call *call,
			  const struct kernel *kernel);

/* Run a leaf inside the spans of its module, which the caller has opened. */
void layer_forward(struct machine *machine, struct module *module);

/* Run a leaf's part of the backward pass, but for the accumulation of its gradients. */
void layer_backward(struct machine *machine, struct module *module);

/*
 * The nodes of the backward pass.  NODE is EVALUATE "NameBackward0": the span the autograd engine
 * opens; the node's own span goes inside.  SEQUENCE and FLOW are 0 for a node without a forward.
 */
#define EVALUATE "autograd::engine::evaluate_function: "
void backward_open(struct machine *machine, const char *node, int64_t sequence, int64_t flow);
void backward_close(struct machine *machine);

#endif

/*
 * Collects the communication operations of a profile.
 */
#pragma once

#include "analysis/rank_summary.h"

/*
 * Fill SUMMARY->collectives from communication kernels (by name or arguments), or without a device
 * from the host side. Details recorded by PyTorch (collective, sizes, group, sequence) come from
 * the kernel, from record_param_comms above its launch, or from the annotation's shapes; details
 * recorded by NCCL (message, communicator) from its NVTX range above the launch. Kernels of one
 * NCCL call are one operation.
 */
bool collectives_collect(const struct derived *derived, struct rank_summary *summary,
			 const struct progress *progress); /* false: cancelled */

/* The operation that an activity is, or is a part of; SIZE_MAX. */
size_t collective_of_activity(const struct derived *derived, const struct rank_summary *summary,
			      uint32_t activity);
/* The first activity of an operation; NO_ROW. */
uint32_t collective_activity(const struct derived *derived, const struct collective *collective);

/* Is an operation of this name between two ranks? An exchange among all is none. */
bool collective_is_message(const char *name);

/*
 * Does each rank send a part to each? And does a rank take part in such: then what one computes
 * less another has to compute.
 */
bool collective_is_exchange(const char *name);
bool collectives_exchange(const struct rank_summary *summary);

/* Bytes that a rank moves per byte of the message: NCCL's factor of the bus bandwidth. */
double collective_bus_factor(const char *name, int64_t ranks);

/* The size of ELEMENTS of a type named as PyTorch, NCCL or HCCL do; NO_VALUE when unknown. */
int64_t collective_bytes(const char *type, int64_t elements);

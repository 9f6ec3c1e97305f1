/*
 * Call chains of Nsight Systems: tables with one row per frame, for samples and traced calls.
 */
#ifndef STRATA_INPUT_NSYS_NSYS_CHAINS_H
#define STRATA_INPUT_NSYS_NSYS_CHAINS_H

#include "input/call_chains.h"
#include "input/nsys/nsys_private.h"

/* The chains of TABLE, empty when it is missing; the caller clears them. */
struct call_chains nsys_chains_read(struct nsys *nsys, const char *table);

#endif

/*
 * What a name has in common with the same thing's name in another run.
 *
 * Writers put into names what differs from run to run: addresses ("0x7f21ecda05d0"), hashes of
 * compiled graphs, the argument signature of a Triton kernel ("_0d1d2"), counters ("Linear_3",
 * "triton_poi_fused_add_3"), the class that does a step of the loop ("Optimizer.step#SGD.step").
 */
#ifndef STRATA_FACTS_NAME_KEY_H
#define STRATA_FACTS_NAME_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

/*
 * Append NAME without those to KEY and return the counter it had, 0 without one.  COUNTED says that
 * a number at the end is a counter; of Triton's generated names it always is.
 */
uint64_t name_key(struct buffer *key, const char *name, size_t length, bool counted);

#endif

/*
 * What the files that build lanes share.
 */
#pragma once

#include "analysis/lanes.h"

/* Append an empty lane. */
struct lane *lanes_add(struct lanes *lanes, enum lane_kind kind, uint32_t track, int32_t device,
		       uint32_t level);

void lanes_add_steps(struct lanes *lanes);
/* GPU busy and load of each device; false when cancelled. */
bool lanes_add_devices(struct lanes *lanes, const struct selection *selection,
		       const struct progress *progress);

/*
 * The order of device activities in time, over all tracks.
 */
#pragma once

#include "base/progress.h"

struct derived;

/* All device activities by start, cached with DERIVED; NULL when cancelled. */
const uint32_t *derived_by_start(const struct derived *derived, const struct progress *progress);

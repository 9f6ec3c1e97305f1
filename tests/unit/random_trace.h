/*
 * Random Kineto traces with what real ones have: several devices and streams, clocks that disagree,
 * rounded and overlapping times, launches without a call, annotations between operator and call.
 */
#pragma once

#include "base/buffer.h"

#include <stdint.h>

/* JSON text; equal seeds give equal traces. The caller frees it with buffer_free. */
struct buffer random_trace(uint64_t seed);

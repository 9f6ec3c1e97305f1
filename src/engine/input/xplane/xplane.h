/*
 * Readers for what the profilers of JAX, TensorFlow and PyTorch/XLA write: XSpace protobufs
 * (xplane.pb), and the Chrome trace made of one (trace.json.gz).
 */
#ifndef STRATA_INPUT_XPLANE_XPLANE_H
#define STRATA_INPUT_XPLANE_XPLANE_H

#include "input/reader.h"

extern const struct reader xplane_reader, xla_trace_reader;

#endif

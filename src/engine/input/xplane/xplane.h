/*
 * Reader for XSpace protobufs (xplane.pb), which the profilers of JAX, TensorFlow and PyTorch/XLA
 * write.
 */
#ifndef STRATA_INPUT_XPLANE_XPLANE_H
#define STRATA_INPUT_XPLANE_XPLANE_H

#include "input/reader.h"

extern const struct reader xplane_reader;

#endif

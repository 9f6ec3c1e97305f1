/*
 * Tensor core use of each kernel launch: by its name, and where that does not tell by the operator
 * that launched it, the types of its arguments and the device.
 */
#ifndef STRATA_DERIVED_TENSOR_USES_H
#define STRATA_DERIVED_TENSOR_USES_H

#include "base/progress.h"

struct derived;

/* Fills derived->activity_tensor; needs operators, links and twins. False when cancelled. */
bool tensor_uses_find(struct derived *derived, const struct progress *progress);

#endif

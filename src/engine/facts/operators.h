/*
 * The operator tree: who owns which call and which device work, and what is self time.
 */
#ifndef STRATA_FACTS_OPERATORS_H
#define STRATA_FACTS_OPERATORS_H

#include "base/progress.h"

struct facts;

/*
 * Fill span_flags, span_owner, span_self, gpu_prefix, gpu_count_prefix, activity_operator and
 * kernel_tensor.
 *
 * A runtime call belongs to the operator its external id names when that one encloses it on the
 * same thread, else to the innermost enclosing one: ids are wrong in whole families of traces. Self
 * time = duration less children in the operator tree and less own runtime calls.  The same operator
 * directly inside itself, alone and with no work of its parent's own, is folded into its parent.
 * False when cancelled.
 */
bool operators_attribute(struct facts *facts, const struct progress *progress);

#endif

/*
 * Tensor cores (and their like: AMD's matrix cores): does a kernel use them, could an operator?
 */
#ifndef STRATA_FACTS_TENSOR_CORE_H
#define STRATA_FACTS_TENSOR_CORE_H

#include "model/profile.h"

enum tensor_use { TENSOR_NO, TENSOR_YES, TENSOR_UNKNOWN };

const char *tensor_use_name(enum tensor_use use); /* "no", "yes", "unknown" */

struct tensor_rules;
struct tensor_rules *tensor_rules_new(void);
void tensor_rules_free(struct tensor_rules *rules);

/*
 * By kernel name, from one table of rules: NVIDIA from Volta to Blackwell, AMD MFMA.  Generated
 * kernels (Triton) whose name says nothing are unknown, never counted as unused.
 */
enum tensor_use tensor_use_of_kernel(const struct tensor_rules *rules, const char *name,
				     size_t length);

/* Could an operator of this name run on tensor cores, if its inputs are of the right types? */
bool tensor_operator(const struct tensor_rules *rules, const char *name, size_t length);

/*
 * Are they?  TYPES: JSON text of the argument.  Of the first tensors: float16, bfloat16, float8,
 * int8, and float32 through TF32 qualify, float64 and wider integers do not; what says nothing
 * does.
 */
bool tensor_types_fit(const char *types);

#endif

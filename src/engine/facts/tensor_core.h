/*
 * Tensor core (NVIDIA) and matrix core (AMD) use of kernels and eligibility of operators.
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
 * By kernel name, NVIDIA from Volta to Blackwell and AMD MFMA. Generated (Triton) kernels with an
 * uninformative name are unknown and never count as unused.
 */
enum tensor_use tensor_use_of_kernel(const struct tensor_rules *rules, const char *name,
				     size_t length);

/* Can an operator of this name run on tensor cores, given suitable input types? */
bool tensor_operator(const struct tensor_rules *rules, const char *name, size_t length);

/*
 * Are the types of the first tensors suitable? TYPES is the JSON argument. float16, bfloat16,
 * float8, int8 and float32 (TF32) are; float64 and wider integers are not; unknown ones are.
 */
bool tensor_types_fit(const char *types);

#endif

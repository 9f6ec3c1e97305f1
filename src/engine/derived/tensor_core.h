/*
 * Tensor core (NVIDIA) and matrix core (AMD) use of kernels and eligibility of operators, judged by
 * names and types.
 */
#pragma once

#include "model/profile.h"
#include "base/progress.h"

struct derived;
struct tensor_rules;

enum tensor_use { TENSOR_UNKNOWN, TENSOR_NO, TENSOR_YES, TENSOR_USES };

const char *tensor_use_name(enum tensor_use use); /* "no", "yes"; NULL: unknown */

struct tensor_rules *tensor_rules_new(void);
void tensor_rules_free(struct tensor_rules *rules);

/*
 * By kernel name, NVIDIA from Volta to Blackwell and AMD MFMA. Unknown unless the name tells:
 * generated (Triton) products and attention do not, nor do names that no rule knows.
 */
enum tensor_use tensor_use_of_kernel(struct tensor_rules *rules, const char *name, size_t length);

/* Can an operator of this name run on tensor cores, given suitable input types? */
bool tensor_operator(struct tensor_rules *rules, const char *name, size_t length);

/* Is it PyTorch's own or a gradient, so that an operator that the rule leaves out runs on none? */
bool tensor_judges_operator(const char *name);

/* Is it an operator whose kernels never do: pointwise, copies, reductions, normalization? */
bool tensor_never_operator(struct tensor_rules *rules, const char *name, size_t length);

/* Is it a device without tensor cores? MAJOR: its compute capability, NO_VALUE when unknown. */
bool tensor_never_device(struct tensor_rules *rules, const char *name, int64_t major);

/*
 * Are the types of the first tensors suitable? TYPES is the JSON argument. float16, bfloat16,
 * float8, int8 and float32 (TF32) are; float64 and wider integers are not; unknown ones are.
 */
bool tensor_types_fit(const char *types);

/* Do the types rule tensor cores out: integers wider than int8, or bool? */
bool tensor_types_never(const char *types);

/*
 * ---- launches ----
 *
 * By the name of the kernel, and where that does not tell by the operator that launched it, the
 * types of its arguments and the device.
 */

/* Fills derived->activity_tensor; needs operators, links and twins. False when cancelled. */
bool tensor_uses_find(struct derived *derived, const struct progress *progress);

/*
 * The names of a profile's platform: advice is written for CUDA, and read with HIP's names on AMD.
 */
#ifndef STRATA_ANALYSIS_ADVICE_PLATFORM_H
#define STRATA_ANALYSIS_ADVICE_PLATFORM_H

#include "base/buffer.h"
#include "model/profile.h"

/* Was it recorded on AMD GPUs? By the runtime's calls, else by the names of the devices. */
bool platform_is_hip(const struct profile *profile);

/* Append an action with HIP's names of functions, libraries and tools. */
void platform_add_action(struct buffer *out, const char *text);

/* Append evidence, in which only the parts of a GPU are called otherwise: the rest is recorded. */
void platform_add_evidence(struct buffer *out, const char *text);

#endif

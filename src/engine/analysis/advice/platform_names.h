/*
 * The names of a profile's platform: advice is written for CUDA, and read with the names of other
 * platforms on theirs.
 */
#pragma once

#include "base/buffer.h"
#include "model/profile.h"

enum platform {
	PLATFORM_CUDA, /* also where nothing tells */
	PLATFORM_HIP,
	PLATFORM_ASCEND,
	PLATFORM_OTHER, /* whose tools and functions are not known here */
	PLATFORMS
};

/* By the runtime's calls, else by the names and kinds of the devices. */
enum platform platform_of(const struct profile *profile);

/*
 * Append an ACTION with the platform's names of functions, libraries and tools; or evidence, in
 * which only the parts of a GPU are called otherwise: the rest is recorded.
 */
void platform_add_text(struct buffer *out, enum platform platform, const char *text, bool action);

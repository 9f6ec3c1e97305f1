/*
 * Splits the name of a frame, as profilers write it, into function, file and line.
 */
#pragma once

#include "base/text_slice.h"

#include <stdint.h>

struct frame_name {
	struct text_slice function, file;
	int64_t line; /* NO_VALUE: unknown */
};

/*
 * "path/file.py(12): function" (PyTorch; an underscore for the blank in collapsed stacks, "?" for
 * an unknown line), "function (path/file.py:12)" (py-spy), "path/file.py:function:12" (austin). Any
 * other text is the function.
 */
void frame_name_split(struct frame_name *parts, const char *text, size_t length);

/*
 * Builds length-limited tree paths such as "ResNet/layer3/conv2".
 *
 * Trees can be thousands of levels deep and names a megabyte long; the outermost part is dropped.
 */
#pragma once

#include "derived/module_name.h"

#include <stdbool.h>

struct buffer;

enum { NAME_PATH_MAX = 4096 }; /* limit: bytes of a layer or module path; its end is kept */

struct name_path {
	struct name_part names[NAME_PATH_MAX / 2]; /* innermost first */
	size_t count, length;
};

void name_path_begin(struct name_path *path);

/* Add the next outer name; false when the path is full. */
bool name_path_add(struct name_path *path, struct name_part name);

/* Append the path, outermost first; ".../" replaces the part dropped. */
void name_path_write(const struct name_path *path, struct buffer *out);

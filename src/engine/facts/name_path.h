/*
 * "ResNet/layer3/conv2": the names from a node up to the top, whatever tree they come from.
 *
 * A tree may be thousands of levels deep and a name a megabyte long, and every node has a path: it
 * is bounded, and loses its outermost part.
 */
#ifndef STRATA_FACTS_NAME_PATH_H
#define STRATA_FACTS_NAME_PATH_H

#include "facts/module_name.h"

#include <stdbool.h>

struct buffer;

enum { NAME_PATH_MAX = 4096 }; /* limit: bytes of a path of layers or modules; its end is kept */

struct name_path {
	struct name_part names[NAME_PATH_MAX / 2]; /* innermost first */
	size_t count, length;
};

void name_path_begin(struct name_path *path);

/* Add the next name outwards; false when the path is full. */
bool name_path_add(struct name_path *path, struct name_part name);

/* Append the path, outermost first; ".../" stands for what did not fit. */
void name_path_write(const struct name_path *path, struct buffer *out);

#endif

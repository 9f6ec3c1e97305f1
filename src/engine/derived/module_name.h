/*
 * Parses names of module calls: "nn.Module: Conv2d_3", "[pl][module]Linear: net.fc".
 */
#pragma once

#include <stddef.h>

struct name_part {
	const char *text;
	size_t length;
};

/* The name without prefix ("Conv2d_3", "net.fc"), a part of TEXT. */
struct name_part module_name(const char *text, size_t length);

/* The class ("Conv2d", "Linear"), a part of TEXT. */
struct name_part module_class(const char *text, size_t length);

/*
 * The lines of a Python function, found as Python's inspect.getblock() does.
 */
#pragma once

#include <stddef.h>

/*
 * Number of lines of the function, class or lambda that begins, perhaps with decorators, in the
 * first line of TEXT.
 */
size_t code_block_lines(const char *text, size_t length);

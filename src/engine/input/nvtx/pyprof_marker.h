/*
 * Converts the Python dictionaries in PyProf and DLProf NVTX ranges to Kineto's representation.
 */
#pragma once

#include "base/literal.h"
#include "model/profile.h"

/*
 * Convert a marker's arguments to shapes and types: [[32,3],[]], ["float16","int"]. Leaves INFO
 * unchanged without arguments.
 */
void pyprof_arguments(struct intern *strings, const struct literal *args, struct op_info *info);

/*
 * Convert a call trace, outermost first, to a stack as in Kineto: innermost first, joined by ';'.
 */
uint32_t pyprof_stack(struct intern *strings, const struct literal *trace);

/*
 * The modules in DLProf's function path ("/<module>/Net::forward/Conv2d::_call_impl(2)/…"),
 * outermost first: up to MAX interned names into MODULES. Returns the count.
 */
size_t pyprof_modules(struct intern *strings, const struct literal *path, uint32_t *modules,
		      size_t max);

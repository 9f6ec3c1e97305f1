/*
 * What PyProf and DLProf wrote into NVTX ranges as texts of Python dictionaries, in the words that
 * Kineto has for it.
 */
#ifndef STRATA_INPUT_NVTX_PYPROF_MARKER_H
#define STRATA_INPUT_NVTX_PYPROF_MARKER_H

#include "base/literal.h"
#include "model/profile.h"

struct buffer;

/*
 * The arguments of a marker as shapes and types, one entry each: [[32,3],[]], ["float16","int"].
 * INFO keeps what it has when there are none.
 */
void pyprof_arguments(struct intern *strings, const struct literal *args, struct op_info *info);

/* A call trace, outermost first, as Kineto writes stacks: innermost first, joined by ';'. */
uint32_t pyprof_stack(struct intern *strings, const struct literal *trace);

/*
 * The modules in DLProf's path of functions ("/<module>/Net::forward/Conv2d::_call_impl(2)/…"),
 * outermost first: up to MAX into MODULES, interned.  Returns how many.
 */
size_t pyprof_modules(struct intern *strings, const struct literal *path, uint32_t *modules,
		      size_t max);

#endif

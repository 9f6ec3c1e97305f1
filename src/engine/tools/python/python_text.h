/*
 * What Python tools write as text: collapsed stacks (export_stacks, austin, perf scripts:
 * "frame;frame 12", a line each) and the memory samples of mprof.
 */
#ifndef STRATA_TOOLS_PYTHON_PYTHON_TEXT_H
#define STRATA_TOOLS_PYTHON_PYTHON_TEXT_H

#include "input/source.h"
#include "model/builder.h"

/* Is every whole line of this head a stack and a number? */
bool collapsed_recognise(const char *head, size_t length);
bool mprof_recognise(const char *head, size_t length);

/* False with ERROR.  Lines that make no sense are counted and skipped. */
bool collapsed_read(struct source *source, struct profile *profile, struct error *error);

/*
 * Memory in use becomes the curve, calls of profiled functions Python spans with the attributes
 * "start MiB" and "end MiB", and the child processes counters.
 */
bool mprof_read(struct source *source, struct profile *profile, struct builder *builder,
		struct error *error);

#endif

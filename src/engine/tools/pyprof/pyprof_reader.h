/*
 * PyProf's net.dict: one kernel a line, as the text of a Python dictionary, of any generation of
 * PyProf.
 *
 * The file holds durations only.  Kernels are laid one after the other in its order, and what they
 * ran under (layers, operators, the launch) lasts as long as they do.  Every member of a line is
 * kept as an attribute of its kernel, as Python writes it (texts bare), and "line" is its number.
 */
#ifndef STRATA_TOOLS_PYPROF_PYPROF_READER_H
#define STRATA_TOOLS_PYPROF_PYPROF_READER_H

#include "input/source.h"
#include "model/builder.h"

/* Does text that begins like this look like a net.dict? */
bool pyprof_recognise(const char *head);

/* False with ERROR when there is no kernel in it or it cannot be read. */
bool pyprof_read(struct source *source, struct profile *profile, struct builder *builder,
		 const struct progress *progress, struct error *error);

#endif

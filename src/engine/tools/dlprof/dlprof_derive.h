/*
 * Derives DLProf's data from a profile of another tool.
 *
 * Ops are the outermost operators; the k-th of a name in each step is one op. Paths are those of
 * the layer tree; a backward op has the name of its forward op. Runtime calls outside operators are
 * unassociated ops. Steps are the iterations.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_DERIVE_H
#define STRATA_TOOLS_DLPROF_DLPROF_DERIVE_H

#include "input/dlprof/dlprof.h"
#include "model/profile.h"

struct derived;
struct progress;

/*
 * If the profile has no steps, executions of KEY (id or name of an op; NULL: none) delimit the
 * iterations in which ops are numbered; *KEY is replaced by its name, which lives as long as
 * STRINGS.
 *
 * Texts are added to STRINGS, which must not be the profile's. The result has one aggregation with
 * only the iterations, or none without steps. The caller frees it with dlprof_free. NULL when
 * cancelled.
 */
struct dlprof *dlprof_derive(const struct derived *derived, struct intern *strings,
			     const char **key, const struct progress *progress);

#endif

/*
 * What DLProf would have known of a run that another profiler recorded.
 *
 * Ops are the outermost operators; the k-th of a name in each step is one op.  Their paths are
 * those of the layer tree, a backward op has the name of its forward one.  Runtime calls outside
 * of operators are unassociated ops.  Steps are the iterations.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_DERIVE_H
#define STRATA_TOOLS_DLPROF_DLPROF_DERIVE_H

#include "tools/dlprof/dlprof.h"
#include "model/profile.h"

struct facts;
struct progress;

/*
 * Of a profile without steps the runs of KEY (an op's id or name; NULL: none) tell the iterations
 * apart in which ops are counted; *KEY becomes its name then, which lives as long as STRINGS.
 *
 * All texts are added to STRINGS, which is not the profile's.  The result holds one aggregation
 * with nothing but the iterations, none when the profile has no steps.  The caller frees it with
 * dlprof_free. NULL when cancelled.
 */
struct dlprof *dlprof_derive(const struct facts *facts, struct intern *strings, const char **key,
			     const struct progress *progress);

#endif

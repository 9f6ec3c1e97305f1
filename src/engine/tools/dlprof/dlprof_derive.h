/*
 * Derives DLProf's data from a profile of another tool.
 *
 * Ops are the outermost operators; the k-th of a name in each step is one op. Paths are those of
 * DLProf's markers, else of the layer tree; a backward op has the name of its forward op. Ranges
 * outside operators are ops, too, of the calls that no op inside them makes. Other runtime calls
 * are unassociated ops. Without PyTorch's operators all executions of a name are one op, as DLProf
 * does it for other frameworks. Steps are the iterations; without any, the run is one from time 0.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_DERIVE_H
#define STRATA_TOOLS_DLPROF_DLPROF_DERIVE_H

#include "input/dlprof/dlprof.h"
#include "model/profile.h"

struct derived;
struct progress;

/*
 * DLProf's time of the profile's zero: where the file's clock starts with the recording, DLProf's
 * times are on it; else they count from the first event.
 */
int64_t dlprof_clock(const struct profile *profile);

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

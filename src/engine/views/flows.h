/*
 * Arrows between events that the file itself draws: flows of Perfetto and Chrome traces.
 */
#ifndef STRATA_VIEWS_FLOWS_H
#define STRATA_VIEWS_FLOWS_H

#include "base/progress.h"
#include "model/profile.h"

enum { ARROWS_MAX = 64 };

/*
 * The events that arrows from SPAN lead to (FORWARD), or that those into it come from, in file
 * order: at most ARROWS_MAX. Returns their number. Linear in the flows; 0 when cancelled.
 */
size_t arrows_of(const struct profile *profile, uint32_t span, bool forward,
		 uint32_t others[ARROWS_MAX], const struct progress *progress);

#endif

/*
 * The cause of idle time that each host span implies.
 */
#ifndef STRATA_ANALYSIS_SPAN_CAUSES_H
#define STRATA_ANALYSIS_SPAN_CAUSES_H

#include "analysis/gaps.h"

/* By span (enum time_cause). mem_free; NULL when cancelled. */
uint8_t *causes_of_spans(const struct selection *selection, const struct progress *progress);

#endif

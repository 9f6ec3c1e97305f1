/*
 * Rule results of Nsight Compute as stored advice, of a report or of a timeline joined to one.
 */
#ifndef STRATA_TOOLS_NCU_NCU_ADVICE_H
#define STRATA_TOOLS_NCU_NCU_ADVICE_H

#include "model/tool.h"

void ncu_visit_advice(const struct profile *profile, stored_advice_visitor *visit, void *context);

#endif

/*
 * Rule results of Nsight Compute as stored advice, of a report or of a timeline joined to one.
 */
#pragma once

#include "model/tool.h"

void ncu_visit_advice(const struct profile *profile, stored_advice_visitor *visit, void *context);

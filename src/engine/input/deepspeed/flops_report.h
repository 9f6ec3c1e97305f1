/*
 * What the flops profiler of DeepSpeed prints: a summary, and the modules of the model as a tree.
 */
#ifndef STRATA_INPUT_DEEPSPEED_FLOPS_REPORT_H
#define STRATA_INPUT_DEEPSPEED_FLOPS_REPORT_H

#include "input/reader.h"

extern const struct reader flops_report_reader;

#endif

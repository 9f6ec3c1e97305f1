/*
 * Reads the timers that Megatron-LM and DeepSpeed print while they train.
 */
#ifndef STRATA_INPUT_TIMERS_TIMER_LOG_H
#define STRATA_INPUT_TIMERS_TIMER_LOG_H

#include "input/reader.h"

extern const struct reader timer_log_reader;

#endif

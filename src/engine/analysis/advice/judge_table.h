/*
 * What a table of operators that a profiler printed says to detectors: sums, without a timeline.
 */
#pragma once

#include "analysis/advice/detect.h"

/* Each answers FINDING; the profile has such a table. */
detect_function judge_table_host, judge_table_hot_spot, judge_table_slow_code, judge_table_copies,
	judge_table_loader;

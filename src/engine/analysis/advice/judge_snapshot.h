/*
 * What a memory snapshot says to detectors of memory, in place of the memory events of traces.
 */
#pragma once

#include "analysis/advice/detect.h"

/* Each answers FINDING; the profile has a snapshot. */
detect_function judge_snapshot_allocation, judge_snapshot_fragmentation, judge_snapshot_growth,
	judge_snapshot_requests, judge_snapshot_contents;

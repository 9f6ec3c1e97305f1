/*
 * The operator tree: owners of runtime calls and device work, and self times.
 */
#pragma once

#include "base/progress.h"

struct derived;

/*
 * Fill span_flags, span_owner, gpu_prefix, gpu_count_prefix, activity_operator,
 * kernel_tensor and name_uses. False when cancelled.
 *
 * A runtime call belongs to the operator its external id names if that encloses it on the same
 * thread, else to the innermost enclosing one, because some profilers write wrong ids throughout.
 * An operator that is the only child of
 * one of the same name without work of its own is folded into its parent.
 */
bool operators_attribute(struct derived *derived, const struct progress *progress);

/*
 * Count the work, of the activities that are WANTED (by row; NULL: all), by the rows it belongs to:
 * COUNT, of a zero for each span and one more, becomes prefix counts, and SUM, of a zero for each
 * activity and one more, the GPU time of so much work. STAGE_NAME is what progress reports. False
 * when cancelled.
 */
bool operators_sum_times(const struct derived *derived, const uint8_t *wanted, int64_t *sum,
			 uint32_t *count, const char *stage_name, const struct progress *progress);

/*
 * The utilization view: device utilization over time.
 */
#include "analysis/device_metrics.h"
#include "views/views.h"

#include <stdlib.h>

enum { BUCKETS = 100 }; /* as in the TensorBoard plugin */

bool build_utilization(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	size_t count;
	int64_t max = query->group && strcmp(query->group, "auto") ? strtoll(query->group, NULL, 10)
								   : BUCKETS;
	AUTO_FREE struct device_bucket *buckets =
		device_buckets(selection, max, &count, query->progress);
	if (!buckets)
		return false;
	for_each (bucket, buckets, count) {
		struct ref ref = ref_of_time(bucket->device, bucket->start, bucket->dur);
		size_t row = table_add_row(table, ref);
		UTILIZATION_CELLS(table_set);
	}
	if (selection->profile->activities && !count)
		table_note(table, "No kernel runs in this scope.");
	return true;
}

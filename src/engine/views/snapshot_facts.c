/*
 * What the overview says of a memory snapshot.
 */
#include "model/snapshot.h"
#include "views/fact_rows.h"
#include "views/views.h"

#include <inttypes.h>

/* Peak, what is reserved and free at the dump, and the last request that failed. */
static void add_snapshot_device(struct table *table, const struct snapshot *snapshot,
				const struct snapshot_device *device)
{
	const char *section = table_printf(table, "device %" PRId32, device->id).text;
	const struct snapshot_oom *failed = NULL;
	int64_t ooms = 0;
	for (size_t i = 0; i < snapshot->oom_count; i++)
		if (snapshot->ooms[i].device == device->id) {
			failed = &snapshot->ooms[i];
			ooms++;
		}
	fact_add(table, section, "trace entries", value_int(device->entries), "count");
	fact_add(table, section, "failed requests", value_int(ooms), "count");
	if (failed) {
		fact_add(table, section, "last failed request", cell_int(failed->size), "bytes");
		fact_add(table, section, "device free at the failure",
			 cell_int(failed->device_free), "bytes");
	}
	SNAPSHOT_FACTS(fact_add);
	if (device->reserved != NO_VALUE)
		fact_add(table, section, "fragmentation_pct",
			 cell_share(device->inactive, device->reserved), "%");
	fact_add(table, section, "largest free block", cell_int(device->largest), "bytes");
}

void fact_add_snapshot(struct table *table, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->device_count; i++)
		add_snapshot_device(table, snapshot, &snapshot->devices[i]);
}

/*
 * The devices view: the time examined of each device by cause.
 */
#include "base/any_of.h"
#include "analysis/causes.h"
#include "views/views.h"

static void devices_view_add_device(struct table *table, const struct device_causes *device,
				    bool critical)
{
	const struct work_window *window = &device->window;
	const struct analysis_window *time = &device->analysis_window;
	size_t row = table_add_row(
		table, ref_of_time(device->device, window->start, window->end - window->start));
	DEVICE_CELLS(table_set);
	int64_t busy = causes_busy(time->cause_ns);
	table_set(table, row, "busy_pct", cell_share(busy, time->dur));
	table_set(table, row, "gpu_util_pct",
		  cell_share(busy - time->cause_ns[CAUSE_COPY], time->dur));
	for (int cause = 0; cause < CAUSE_OUTSIDE; cause++)
		table_set(table, row, time_cause_column((enum time_cause)cause),
			  value_int(time->cause_ns[cause]));
}

/* The lowest device number above LAST; NO_DEVICE: none. */
static int32_t next_device(const struct profile *profile, int32_t last)
{
	int32_t next = NO_DEVICE;
	for (size_t i = 0; i < profile->device_count; i++) {
		int32_t device = profile->devices[i].work_id;
		if (device > last && (next == NO_DEVICE || device < next))
			next = device;
	}
	return next;
}

/* Devices without any work. */
static void add_unused(struct table *table, const struct profile *profile,
		       const struct causes *causes)
{
	for (int32_t device = next_device(profile, -1); device != NO_DEVICE;
	     device = next_device(profile, device)) {
		if (any_of(i, causes->device_count, causes->devices[i].device == device))
			continue;
		size_t row = table_add_row(table, NO_REF);
		table_set(table, row, "device", cell_device(table, device));
		table_set(table, row, "critical", value_int(false));
		table_set(table, row, "busy_pct", value_real(0));
		table_set(table, row, "gpu_util_pct", value_real(0));
	}
}

bool build_devices(struct table *table, const struct view_query *query)
{
	AUTO(causes_free) struct causes own = { 0 };
	const struct causes *causes = derived_causes(query->selection, &own, query->progress);
	for (size_t i = 0; causes && i < causes->device_count; i++)
		if (causes->devices[i].device != NO_DEVICE)
			devices_view_add_device(table, &causes->devices[i], i == causes->critical);
	bool done = causes != NULL;
	const struct profile *profile = query->selection->profile;
	bool recorded = profile->activities > 0; /* else whether a device worked is unknown */
	if (done && recorded && profile_recording(profile)->all_devices &&
	    !query->scope->devices.count)
		add_unused(table, profile, causes);
	return done;
}

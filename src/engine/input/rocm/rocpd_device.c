/*
 * Device rows of a recording: kernels and copies.
 */
#include "input/rocm/rocpd_private.h"

static int64_t correlation_of(const struct rocpd_event *event)
{
	return event ? event->stack : NO_VALUE;
}

/* A stream; in recordings without streams the queue stands for it. */
static uint32_t stream_track(const struct rocpd *rocpd, const struct rocpd_lane *place,
			     int32_t device)
{
	return builder_track(rocpd->builder, rocpd_process(rocpd, place->process),
			     place->stream != NO_VALUE ? place->stream : place->queue, 0, device);
}

/* ---- kernels ---- */

enum { LAST_PLACE = PLACE_COLUMNS - 1, ROCPD_KERNEL_COLUMNS(SQLITE_PLACE) KERNEL_COLUMNS };

static uint32_t read_config(const struct rocpd *rocpd, const struct sqlite_rows *rows,
			    const struct rocpd_symbol *symbol)
{
	struct rocm_launch launch = { .registers = symbol ? symbol->registers : NO_VALUE,
				      .shared = sqlite_int(rows, SHARED),
				      .items = true };
	for (size_t i = 0; i < 3; i++) {
		launch.grid[i] = sqlite_int(rows, GRID + i);
		launch.block[i] = sqlite_int(rows, BLOCK + i);
	}
	return rocm_config(rocpd->builder, &launch);
}

static const struct rocpd_symbol *find_symbol(const struct rocpd *rocpd, int64_t id)
{
	const struct rocpd_symbol *symbol = id_table_find(&rocpd->symbols, id);
	if (symbol)
		return symbol;
	profile_damage(rocpd->profile, "name missing in the string table", "kept without a name",
		       UINT64_MAX);
	return NULL;
}

static void read_kernels(struct rocpd *rocpd)
{
	rocpd_each (rows, rocpd, "kernel_dispatch", ROCPD_PLACE ROCPD_KERNEL_COLUMNS(SQLITE_COLUMN),
		    KERNEL_COLUMNS) {
		struct activity activity = activity_of(ACTIVITY_KERNEL);
		activity.start = sqlite_int(rows, START);
		if (!rocm_times(rocpd->profile, activity.start, sqlite_int(rows, END),
				&activity.dur))
			continue;
		struct rocpd_lane place = rocpd_place(rocpd, rows);
		const struct rocpd_agent *agent = id_table_find(&rocpd->agents, place.agent);
		const struct rocpd_symbol *symbol = find_symbol(rocpd, sqlite_int(rows, KERNEL));
		struct rocpd_event *event = rocpd_event(rocpd, sqlite_int(rows, EVENT));
		activity.track =
			stream_track(rocpd, &place, rocm_device(agent ? agent->device : 0));
		activity.name = symbol ? symbol->name : 0;
		activity.config = read_config(rocpd, rows, symbol);
		activity.correlation = correlation_of(event);
		uint32_t row = builder_activity(rocpd->builder, &activity);
		if (event)
			event->activity = row;
	}
}

/* ---- copies ---- */

static enum rocm_side side_of(const struct rocpd_agent *agent)
{
	if (!agent || !agent->known)
		return ROCM_UNKNOWN;
	return agent->device >= 0 ? ROCM_DEVICE : ROCM_HOST;
}

/* The GPU that takes part, the target first. */
static int32_t rocpd_device_device_of(const struct rocpd_agent *to, const struct rocpd_agent *from)
{
	if (to && to->device >= 0)
		return to->device;
	return from && from->device >= 0 ? from->device : 0;
}

static void read_copies(struct rocpd *rocpd)
{
	enum { FROM = EVENT + 1, TO, SIZE, NAME, COLUMNS };
	rocpd_each (rows, rocpd, "memory_copy",
		    ROCPD_PLACE " start! end! id event_id src_agent_id dst_agent_id size name_id",
		    COLUMNS) {
		struct activity activity = activity_of(ACTIVITY_MEMCPY);
		activity.bytes = sqlite_int(rows, SIZE);
		activity.start = sqlite_int(rows, START);
		if (!rocm_times(rocpd->profile, activity.start, sqlite_int(rows, END),
				&activity.dur))
			continue;
		struct rocpd_lane place = rocpd_place(rocpd, rows);
		const struct rocpd_agent *from =
			id_table_find(&rocpd->agents, sqlite_int(rows, FROM));
		const struct rocpd_agent *to = id_table_find(&rocpd->agents, sqlite_int(rows, TO));
		uint32_t name = rocpd_string(rocpd, sqlite_int(rows, NAME));
		activity.track = stream_track(rocpd, &place, rocpd_device_device_of(to, from));
		activity.name = rocm_copy_name(rocpd->profile, profile_string(rocpd->profile, name),
					       side_of(from), side_of(to));
		activity.correlation = correlation_of(rocpd_event(rocpd, sqlite_int(rows, EVENT)));
		builder_activity(rocpd->builder, &activity);
	}
}

void rocpd_read_device(struct rocpd *rocpd)
{
	read_kernels(rocpd);
	read_copies(rocpd);
}

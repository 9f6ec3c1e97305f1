#include "tools/nsys/nsys_event_cells.h"

#include "base/check.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_reports.h"
#include "views/views.h"

#define ATTRIBUTE_KEY(id, key) key,
#define COLUMN_ID(id, ...) #id,
#define CALL_CELL(id) CALL_##id,
#define WORK_CELL(id) WORK_##id,
#define EVENT_CELL(id) EVENT_##id,
enum call_cell { CALL_CELLS(CALL_CELL) CALL_COUNT };
enum work_cell { WORK_CELLS(WORK_CELL) WORK_COUNT };
enum event_cell { EVENT_CELLS(EVENT_CELL) EVENT_COUNT };

static const char *const keys[] = { ATTRIBUTE_CELLS(ATTRIBUTE_KEY) };
static const char *const columns[] = { ATTRIBUTE_CELLS(COLUMN_ID) CALL_CELLS(COLUMN_ID)
					       WORK_CELLS(COLUMN_ID) EVENT_CELLS(COLUMN_ID) };
enum { ATTRIBUTE_TEXTS = 3, ATTRIBUTE_COUNT = sizeof keys / sizeof *keys };

size_t nsys_event_column(const char *id)
{
	size_t at = 0;
	while (at < sizeof columns / sizeof *columns && strcmp(columns[at], id) != 0)
		at++;
	require(at < sizeof columns / sizeof *columns, "no cell for column '%s'", id);
	return at;
}

static uint32_t attribute(const struct profile *profile, const struct nsys_event *event,
			  const char *key)
{
	uint32_t name = profile_find(profile, key);
	return event->activity != NO_ROW
		       ? profile_activity_attribute(profile, event->activity, name)
		       : profile_span_attribute(profile, event->call, name);
}

/* ---- calls ---- */

/* From the return of the call, when the kernel had not started by then. */
static struct value queue_cell(const struct profile *profile, const struct nsys_event *event,
			       int64_t returned, bool clock)
{
	int64_t queue = profile->activity_start[event->activity] - returned;
	return queue < 0 ? value_missing() : value_int(clock ? profile->base_ns + returned : queue);
}

static int64_t whole_time(const struct profile *profile, const struct nsys_event *event,
			  int64_t returned)
{
	int64_t end =
		profile->activity_start[event->activity] + profile->activity_dur[event->activity];
	return (end > returned ? end : returned) - profile->span_start[event->call];
}

static struct value call_cell(const struct profile *profile, const struct nsys_event *event,
			      enum call_cell cell)
{
	uint32_t call = event->call, thread = profile->span_track[call];
	const struct track *track = &profile->tracks[thread];
	int32_t rank = profile->processes[track->process].rank;
	bool runtime = profile->span_kind[call] == SPAN_RUNTIME;
	int64_t start = profile->span_start[call], end = start + profile->span_dur[call];
	size_t length;
	uint32_t name;
	switch (cell) {
		RECORDED_CALL_CELLS(LISTED_CASE)
	case CALL_api_name:
		name = nsys_call_name(profile, call, &length);
		return value_bytes(profile_string(profile, name), length);
	case CALL_seq: /* two versions of a function have rows of their own */
		return value_int(runtime ? nsys_call_name(profile, call, &length)
					 : profile->span_name[call]);
	default: return value_missing();
	}
}

/* ---- GPU work ---- */

static struct value config_cell(const struct nsys_events *events, uint32_t index,
				enum work_cell cell, int64_t fixed)
{
	const struct launch_config *config = &events->profile->configs[index];
	int32_t shared = config->shared_mem_bytes;
	if (cell == WORK_grid_xyz || cell == WORK_block_xyz)
		return cell == WORK_grid_xyz ? events->grids[index] : events->blocks[index];
	if (cell == WORK_static_bytes || cell == WORK_dynamic_bytes)
		return shared < 0 ? value_missing()
				  : value_int(cell == WORK_static_bytes ? fixed : shared - fixed);
	int32_t number = cell == WORK_regs_per_thread ? config->regs_per_thread
			 : cell < WORK_block_x        ? config->grid[cell - WORK_grid_x]
						      : config->block[cell - WORK_block_x];
	return number < 0 ? value_missing() : value_int(number);
}

/* nsys stats divides integers. */
static int64_t rate_of(int64_t bytes, int64_t dur)
{
	int64_t rate;
	return bytes == NO_VALUE || dur <= 0 ||
			       __builtin_mul_overflow(bytes, INT64_C(1000000000) / dur, &rate)
		       ? NO_VALUE
		       : rate;
}

static struct value work_cell(const struct nsys_events *events, const struct nsys_event *event,
			      enum work_cell cell)
{
	const struct profile *profile = events->profile;
	uint32_t activity = event->activity, config = profile->activity_config[activity];
	int64_t fixed = 0;
	switch (cell) {
	case WORK_gpu_clock_ns:
		return value_int(profile->base_ns + profile->activity_start[activity]);
	case WORK_bytes: return cell_int(profile->activity_bytes[activity]);
	case WORK_bytes_per_s:
		return cell_int(rate_of(profile->activity_bytes[activity],
					profile->activity_dur[activity]));
	case WORK_source_memory: return events->sources[profile->activity_name[activity]];
	case WORK_target_memory: return events->targets[profile->activity_name[activity]];
	case WORK_gpu_name: return events->devices[profile->activity_track[activity]];
	case WORK_device_id: return value_int(profile_activity_device(profile, activity));
	case WORK_stream: return cell_int(profile->tracks[profile->activity_track[activity]].tid);
	case WORK_static_bytes:
	case WORK_dynamic_bytes:
		fixed = nsys_number_of(profile, attribute(profile, event, ACTIVITY_STATIC_MEMORY));
		fixed = fixed == NO_VALUE ? 0 : fixed;
		/* fall through */
	default: /* of the launch */
		return config == NO_ROW ? value_missing()
					: config_cell(events, config, cell, fixed);
	}
}

/* ---- both, and the range around ---- */

static struct value range_cell(const struct nsys_events *events, uint32_t index,
			       enum event_cell cell)
{
	const struct nsys_range *range = &events->ranges.range[index];
	const struct intern *names = events->ranges.names;
	if (cell == EVENT_range_id)
		return value_int(index);
	return cell == EVENT_style ? value_text(nsys_style_name(range))
				   : value_bytes(INTERNED(names, range->name));
}

static struct value event_cell(const struct nsys_events *events, const struct nsys_event *event,
			       enum event_cell cell)
{
	const struct profile *profile = events->profile;
	uint32_t activity = event->activity, call = event->call;
	bool work = activity != NO_ROW;
	const struct call_info *info;
	switch (cell) {
	case EVENT_clock_ns: return value_int(profile->base_ns + event->start);
	case EVENT_dur_ns:
		return value_int(work ? profile->activity_dur[activity] : profile->span_dur[call]);
	case EVENT_kind:
		return value_text(
			work ? activity_kind_name(
				       (enum activity_kind)profile->activity_kind[activity])
			     : span_kind_name((enum span_kind)profile->span_kind[call]));
	case EVENT_correlation:
		if (work)
			return cell_int(profile->activity_correlation[activity]);
		info = profile_call_info(profile, call);
		return cell_int(info ? info->correlation : NO_VALUE);
	case EVENT_name:
		if (!work)
			return cell_text(profile, profile->span_name[call]);
		return profile->activity_kind[activity] != ACTIVITY_KERNEL
			       ? value_text(nsys_copy_name(profile, activity))
			       : cell_text(profile, profile->activity_name[activity]);
	case EVENT_range:
	case EVENT_style:
	case EVENT_range_id:
		return event->range == NO_ROW ? value_missing()
					      : range_cell(events, event->range, cell);
	case EVENT_id:
		return work ? nsys_event_id(REF_LAUNCH, activity) : nsys_event_id(REF_CALL, call);
	default: return value_missing();
	}
}

struct value nsys_event_cell(const struct nsys_events *events, const struct nsys_event *event,
			     size_t column)
{
	const struct profile *profile = events->profile;
	if (column < ATTRIBUTE_TEXTS)
		return cell_text(profile, attribute(profile, event, keys[column]));
	if (column < ATTRIBUTE_COUNT)
		return cell_int(nsys_number_of(profile, attribute(profile, event, keys[column])));
	column -= ATTRIBUTE_COUNT;
	if (column < CALL_COUNT)
		return event->call == NO_ROW ? value_missing()
					     : call_cell(profile, event, (enum call_cell)column);
	column -= CALL_COUNT;
	if (column < WORK_COUNT)
		return work_cell(events, event, (enum work_cell)column);
	return event_cell(events, event, (enum event_cell)(column - WORK_COUNT));
}

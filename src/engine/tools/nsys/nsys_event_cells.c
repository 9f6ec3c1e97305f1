#include "tools/nsys/nsys_event_cells.h"

#include "base/check.h"
#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_reports.h"
#include "views/views.h"

#include <string.h>

#define EVENT_CELL(id)                                                                             \
	static struct value event_##id(const struct nsys_events *events,                           \
				       const struct profile *profile,                              \
				       const struct nsys_event *event)

/* ---- times ---- */

static int64_t call_end(const struct profile *profile, const struct nsys_event *event)
{
	return profile->span_start[event->call] + profile->span_dur[event->call];
}

EVENT_CELL(clock_ns)
{
	return value_int(profile->base_ns + event->start);
}

EVENT_CELL(clock_end_ns)
{
	return value_int(profile->base_ns + call_end(profile, event));
}

EVENT_CELL(dur_ns)
{
	return value_int(event->activity != NO_ROW ? profile->activity_dur[event->activity]
						   : profile->span_dur[event->call]);
}

EVENT_CELL(api_clock_ns)
{
	return value_int(profile->base_ns + profile->span_start[event->call]);
}

EVENT_CELL(api_dur_ns)
{
	return value_int(profile->span_dur[event->call]);
}

EVENT_CELL(gpu_clock_ns)
{
	return value_int(profile->base_ns + profile->activity_start[event->activity]);
}

/* From the return of the call, when the kernel had not started by then. */
EVENT_CELL(queue_ns)
{
	int64_t queue = profile->activity_start[event->activity] - call_end(profile, event);
	return queue < 0 ? value_missing() : value_int(queue);
}

EVENT_CELL(queue_clock_ns)
{
	return event_queue_ns(events, profile, event).kind == VALUE_MISSING
		       ? value_missing()
		       : event_clock_end_ns(events, profile, event);
}

EVENT_CELL(whole_ns)
{
	int64_t end =
		profile->activity_start[event->activity] + profile->activity_dur[event->activity];
	int64_t returned = call_end(profile, event);
	return value_int((end > returned ? end : returned) - profile->span_start[event->call]);
}

/* ---- host events ---- */

EVENT_CELL(kind)
{
	return value_text(
		event->activity != NO_ROW
			? activity_kind_name(
				  (enum activity_kind)profile->activity_kind[event->activity])
			: span_kind_name((enum span_kind)profile->span_kind[event->call]));
}

EVENT_CELL(category)
{
	return profile->span_kind[event->call] == SPAN_RUNTIME
		       ? value_missing()
		       : cell_text(profile, profile->span_info[event->call]);
}

EVENT_CELL(api_name)
{
	size_t length;
	uint32_t name = nsys_call_name(profile, event->call, &length);
	return value_bytes(profile_string(profile, name), length);
}

/* By the name in the file, as two versions of a function have rows of their own. */
EVENT_CELL(seq)
{
	size_t length;
	return value_int(profile->span_kind[event->call] == SPAN_RUNTIME
				 ? nsys_call_name(profile, event->call, &length)
				 : profile->span_name[event->call]);
}

EVENT_CELL(function)
{
	return cell_text(profile, profile->span_name[event->call]);
}

EVENT_CELL(correlation)
{
	if (event->activity != NO_ROW)
		return cell_int(profile->activity_correlation[event->activity]);
	const struct call_info *info = profile_call_info(profile, event->call);
	return cell_int(info ? info->correlation : NO_VALUE);
}

static const struct track *nsys_event_cells_thread_of(const struct profile *profile,
						      const struct nsys_event *event)
{
	return &profile->tracks[profile->span_track[event->call]];
}

EVENT_CELL(pid)
{
	return event->call == NO_ROW ? value_missing()
				     : nsys_pid(profile, profile->span_track[event->call]);
}

EVENT_CELL(tid)
{
	return event->call == NO_ROW ? value_missing()
				     : nsys_tid(profile, profile->span_track[event->call]);
}

EVENT_CELL(priority)
{
	return cell_int(nsys_event_cells_thread_of(profile, event)->priority);
}

EVENT_CELL(thread_name)
{
	return cell_text(profile, nsys_event_cells_thread_of(profile, event)->name);
}

EVENT_CELL(rank)
{
	int32_t rank = profile->processes[nsys_event_cells_thread_of(profile, event)->process].rank;
	return rank < 0 ? value_missing() : value_int(rank);
}

/* ---- attributes ---- */

static uint32_t attribute(const struct profile *profile, const struct nsys_event *event,
			  const char *key)
{
	return event->activity != NO_ROW ? nsys_activity_attribute(profile, event->activity, key)
					 : nsys_span_attribute(profile, event->call, key);
}

#define TEXT_CELL(id, key)                                                                         \
	EVENT_CELL(id)                                                                             \
	{                                                                                          \
		return cell_text(profile, attribute(profile, event, key));                         \
	}
#define NUMBER_CELL(id, key)                                                                       \
	EVENT_CELL(id)                                                                             \
	{                                                                                          \
		return cell_int(nsys_number_of(profile, attribute(profile, event, key)));          \
	}
TEXT_CELL(message_class, MPI_CLASS)
TEXT_CELL(caller, PAGE_FAULT_FUNCTION)
TEXT_CELL(file, PAGE_FAULT_FILE)
NUMBER_CELL(line, PAGE_FAULT_LINE)
NUMBER_CELL(calls, PAGE_FAULT_COUNT)
NUMBER_CELL(address, MEMORY_ADDRESS)
NUMBER_CELL(result, CALL_RESULT)
NUMBER_CELL(tag, MPI_TAG)
NUMBER_CELL(peer_rank, MPI_PEER)
NUMBER_CELL(root_rank, MPI_ROOT)
NUMBER_CELL(message_bytes, MPI_SIZE)
NUMBER_CELL(sent_bytes, MPI_SENT)
NUMBER_CELL(received_bytes, MPI_RECEIVED)
NUMBER_CELL(context, ACTIVITY_CONTEXT)
NUMBER_CELL(green_context, ACTIVITY_GREEN_CONTEXT)

/* ---- GPU work ---- */

EVENT_CELL(name)
{
	if (event->activity == NO_ROW)
		return event_function(events, profile, event);
	if (profile->activity_kind[event->activity] != ACTIVITY_KERNEL)
		return value_text(nsys_copy_name(profile, event->activity));
	return cell_text(profile, profile->activity_name[event->activity]);
}

#define DIMENSION(id, member, which)                                                               \
	EVENT_CELL(id)                                                                             \
	{                                                                                          \
		const struct launch_config *config = profile_config(profile, event->activity);     \
		return !config || config->member[which] < 0 ? value_missing()                      \
							    : value_int(config->member[which]);    \
	}
DIMENSION(grid_x, grid, 0)
DIMENSION(grid_y, grid, 1)
DIMENSION(grid_z, grid, 2)
DIMENSION(block_x, block, 0)
DIMENSION(block_y, block, 1)
DIMENSION(block_z, block, 2)

static struct value triple(const struct profile *profile, const struct nsys_event *event,
			   const struct value *texts)
{
	uint32_t config = profile->activity_config[event->activity];
	return config == NO_ROW ? value_missing() : texts[config];
}

EVENT_CELL(grid_xyz)
{
	return triple(profile, event, events->grids);
}

EVENT_CELL(block_xyz)
{
	return triple(profile, event, events->blocks);
}

EVENT_CELL(regs_per_thread)
{
	const struct launch_config *config = profile_config(profile, event->activity);
	return !config || config->regs_per_thread < 0 ? value_missing()
						      : value_int(config->regs_per_thread);
}

static int64_t static_of(const struct profile *profile, const struct nsys_event *event)
{
	int64_t bytes = nsys_number_of(profile, attribute(profile, event, ACTIVITY_STATIC_MEMORY));
	return bytes == NO_VALUE ? 0 : bytes;
}

EVENT_CELL(static_bytes)
{
	const struct launch_config *config = profile_config(profile, event->activity);
	return !config || config->shared_mem_bytes < 0 ? value_missing()
						       : value_int(static_of(profile, event));
}

EVENT_CELL(dynamic_bytes)
{
	const struct launch_config *config = profile_config(profile, event->activity);
	return !config || config->shared_mem_bytes < 0
		       ? value_missing()
		       : value_int(config->shared_mem_bytes - static_of(profile, event));
}

EVENT_CELL(bytes)
{
	return cell_int(profile->activity_bytes[event->activity]);
}

/* nsys stats divides integers. */
EVENT_CELL(bytes_per_s)
{
	int64_t bytes = profile->activity_bytes[event->activity];
	int64_t dur = profile->activity_dur[event->activity], rate;
	if (bytes == NO_VALUE || dur <= 0 ||
	    __builtin_mul_overflow(bytes, INT64_C(1000000000) / dur, &rate))
		return value_missing();
	return value_int(rate);
}

EVENT_CELL(source_memory)
{
	return events->sources[profile->activity_name[event->activity]];
}

EVENT_CELL(target_memory)
{
	return events->targets[profile->activity_name[event->activity]];
}

EVENT_CELL(gpu_name)
{
	return events->devices[profile->activity_track[event->activity]];
}

EVENT_CELL(device_id)
{
	return value_int(profile_activity_device(profile, event->activity));
}

EVENT_CELL(stream)
{
	return cell_int(profile->tracks[profile->activity_track[event->activity]].tid);
}

/* ---- the range around ---- */

EVENT_CELL(range)
{
	const struct nsys_ranges *ranges = &events->ranges;
	return event->range == NO_ROW
		       ? value_missing()
		       : value_bytes(
				 intern_text(ranges->names, ranges->range[event->range].name),
				 intern_length(ranges->names, ranges->range[event->range].name));
}

EVENT_CELL(style)
{
	return event->range == NO_ROW
		       ? value_missing()
		       : value_text(nsys_style_name(&events->ranges.range[event->range]));
}

EVENT_CELL(range_id)
{
	return event->range == NO_ROW ? value_missing() : value_int(event->range);
}

EVENT_CELL(id)
{
	return event->activity != NO_ROW ? nsys_event_id(REF_LAUNCH, event->activity)
					 : nsys_event_id(REF_CALL, event->call);
}

/* ---- columns ---- */

#define CELL(id)                                                                                   \
	{                                                                                          \
		event_##id, #id                                                                    \
	}
static const struct nsys_named_cell {
	nsys_event_cell *cell;
	const char *column;
} cells[] = { CELL(clock_ns),
	      CELL(clock_end_ns),
	      CELL(dur_ns),
	      CELL(api_clock_ns),
	      CELL(api_dur_ns),
	      CELL(gpu_clock_ns),
	      CELL(queue_ns),
	      CELL(queue_clock_ns),
	      CELL(whole_ns),
	      CELL(kind),
	      CELL(category),
	      CELL(api_name),
	      CELL(seq),
	      CELL(function),
	      CELL(correlation),
	      CELL(pid),
	      CELL(tid),
	      CELL(priority),
	      CELL(thread_name),
	      CELL(rank),
	      CELL(message_class),
	      CELL(caller),
	      CELL(file),
	      CELL(line),
	      CELL(calls),
	      CELL(address),
	      CELL(result),
	      CELL(tag),
	      CELL(peer_rank),
	      CELL(root_rank),
	      CELL(message_bytes),
	      CELL(sent_bytes),
	      CELL(received_bytes),
	      CELL(context),
	      CELL(green_context),
	      CELL(name),
	      CELL(grid_x),
	      CELL(grid_y),
	      CELL(grid_z),
	      CELL(block_x),
	      CELL(block_y),
	      CELL(block_z),
	      CELL(grid_xyz),
	      CELL(block_xyz),
	      CELL(regs_per_thread),
	      CELL(static_bytes),
	      CELL(dynamic_bytes),
	      CELL(bytes),
	      CELL(bytes_per_s),
	      CELL(source_memory),
	      CELL(target_memory),
	      CELL(gpu_name),
	      CELL(device_id),
	      CELL(stream),
	      CELL(range),
	      CELL(style),
	      CELL(range_id),
	      CELL(id) };

nsys_event_cell *nsys_event_cell_of(const char *column)
{
	size_t at = 0;
	while (at < sizeof cells / sizeof *cells && strcmp(cells[at].column, column) != 0)
		at++;
	require(at < sizeof cells / sizeof *cells, "no cell for column '%s'", column);
	return cells[at].cell;
}

#include "tools/nsys/nsys_event_cells.h"

#include "tools/nsys/nsys_names.h"
#include "tools/nsys/nsys_pairs.h"
#include "tools/nsys/nsys_views.h"
#include "views/views.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- times ---- */

static struct value clock_of(const struct nsys_events *events, int64_t time)
{
	return value_int(events->profile->base_ns + time);
}

static int64_t call_end(const struct nsys_events *events, const struct nsys_event *event)
{
	const struct profile *profile = events->profile;
	return profile->span_start[event->call] + profile->span_dur[event->call];
}

static struct value event_clock_ns(const struct nsys_events *events, const struct nsys_event *event)
{
	return clock_of(events, event->start);
}

static struct value event_clock_end_ns(const struct nsys_events *events,
				       const struct nsys_event *event)
{
	return clock_of(events, call_end(events, event));
}

static struct value event_dur_ns(const struct nsys_events *events, const struct nsys_event *event)
{
	const struct profile *profile = events->profile;
	return value_int(event->activity != NO_ROW ? profile->activity_dur[event->activity]
						   : profile->span_dur[event->call]);
}

static struct value event_api_clock_ns(const struct nsys_events *events,
				       const struct nsys_event *event)
{
	return clock_of(events, events->profile->span_start[event->call]);
}

static struct value event_api_dur_ns(const struct nsys_events *events,
				     const struct nsys_event *event)
{
	return value_int(events->profile->span_dur[event->call]);
}

static struct value event_gpu_clock_ns(const struct nsys_events *events,
				       const struct nsys_event *event)
{
	return clock_of(events, events->profile->activity_start[event->activity]);
}

/* From the return of the call, when the kernel had not started by then. */
static int64_t queue_of(const struct nsys_events *events, const struct nsys_event *event)
{
	return events->profile->activity_start[event->activity] - call_end(events, event);
}

static struct value event_queue_clock_ns(const struct nsys_events *events,
					 const struct nsys_event *event)
{
	return queue_of(events, event) < 0 ? value_missing()
					   : clock_of(events, call_end(events, event));
}

static struct value event_queue_ns(const struct nsys_events *events, const struct nsys_event *event)
{
	int64_t queue = queue_of(events, event);
	return queue < 0 ? value_missing() : value_int(queue);
}

static struct value event_whole_ns(const struct nsys_events *events, const struct nsys_event *event)
{
	const struct profile *profile = events->profile;
	int64_t end =
		profile->activity_start[event->activity] + profile->activity_dur[event->activity];
	int64_t returned = call_end(events, event);
	return value_int((end > returned ? end : returned) - profile->span_start[event->call]);
}

/* ---- calls ---- */

static struct value event_api_name(const struct nsys_events *events, const struct nsys_event *event)
{
	size_t length;
	uint32_t name = nsys_call_name(events->profile, event->call, &length);
	return value_bytes(profile_string(events->profile, name), length);
}

static struct value event_function(const struct nsys_events *events, const struct nsys_event *event)
{
	return cell_text(events->profile, events->profile->span_name[event->call]);
}

static struct value nsys_event_cells_number(const struct nsys_events *events,
					    const struct nsys_event *event, const char *key)
{
	return cell_int(nsys_number_of(events->profile,
				       nsys_span_attribute(events->profile, event->call, key)));
}

static struct value event_result(const struct nsys_events *events, const struct nsys_event *event)
{
	return nsys_event_cells_number(events, event, CALL_RESULT);
}

static struct value event_correlation(const struct nsys_events *events,
				      const struct nsys_event *event)
{
	const struct profile *profile = events->profile;
	if (event->activity != NO_ROW)
		return cell_int(profile->activity_correlation[event->activity]);
	const struct call_info *info = profile_call_info(profile, event->call);
	return cell_int(info ? info->correlation : NO_VALUE);
}

static struct value event_pid(const struct nsys_events *events, const struct nsys_event *event)
{
	return nsys_pid(events->profile, events->profile->span_track[event->call]);
}

static struct value event_tid(const struct nsys_events *events, const struct nsys_event *event)
{
	return nsys_tid(events->profile, events->profile->span_track[event->call]);
}

static const struct track *nsys_event_cells_thread_of(const struct nsys_events *events,
						      const struct nsys_event *event)
{
	return &events->profile->tracks[events->profile->span_track[event->call]];
}

static struct value event_priority(const struct nsys_events *events, const struct nsys_event *event)
{
	return cell_int(nsys_event_cells_thread_of(events, event)->priority);
}

static struct value event_thread_name(const struct nsys_events *events,
				      const struct nsys_event *event)
{
	return cell_text(events->profile, nsys_event_cells_thread_of(events, event)->name);
}

/* ---- messages ---- */

static struct value event_tag(const struct nsys_events *events, const struct nsys_event *event)
{
	return nsys_event_cells_number(events, event, MPI_TAG);
}

static struct value event_rank(const struct nsys_events *events, const struct nsys_event *event)
{
	int32_t rank =
		events->profile->processes[nsys_event_cells_thread_of(events, event)->process].rank;
	return rank < 0 ? value_missing() : value_int(rank);
}

static struct value event_peer_rank(const struct nsys_events *events,
				    const struct nsys_event *event)
{
	return nsys_event_cells_number(events, event, MPI_PEER);
}

static struct value event_root_rank(const struct nsys_events *events,
				    const struct nsys_event *event)
{
	return nsys_event_cells_number(events, event, MPI_ROOT);
}

static struct value event_message_bytes(const struct nsys_events *events,
					const struct nsys_event *event)
{
	return nsys_event_cells_number(events, event, MPI_SIZE);
}

static struct value event_sent_bytes(const struct nsys_events *events,
				     const struct nsys_event *event)
{
	return nsys_event_cells_number(events, event, MPI_SENT);
}

static struct value event_received_bytes(const struct nsys_events *events,
					 const struct nsys_event *event)
{
	return nsys_event_cells_number(events, event, MPI_RECEIVED);
}

/* ---- GPU work ---- */

static struct value event_name(const struct nsys_events *events, const struct nsys_event *event)
{
	const struct profile *profile = events->profile;
	if (profile->activity_kind[event->activity] != ACTIVITY_KERNEL)
		return value_text(nsys_copy_name(profile, event->activity));
	return cell_text(profile, profile->activity_name[event->activity]);
}

static struct value dimension(const struct nsys_events *events, const struct nsys_event *event,
			      size_t which)
{
	const struct launch_config *config = profile_config(events->profile, event->activity);
	int32_t size = !config ? -1 : which < 3 ? config->grid[which] : config->block[which - 3];
	return size < 0 ? value_missing() : value_int(size);
}

#define DIMENSION(id, which)                                                                       \
	static struct value event_##id(const struct nsys_events *events,                           \
				       const struct nsys_event *event)                             \
	{                                                                                          \
		return dimension(events, event, which);                                            \
	}
DIMENSION(grid_x, 0)
DIMENSION(grid_y, 1)
DIMENSION(grid_z, 2)
DIMENSION(block_x, 3)
DIMENSION(block_y, 4)
DIMENSION(block_z, 5)

static struct value triple(const struct nsys_events *events, const struct nsys_event *event,
			   const struct value *texts)
{
	uint32_t config = events->profile->activity_config[event->activity];
	return config == NO_ROW ? value_missing() : texts[config];
}

static struct value event_grid_xyz(const struct nsys_events *events, const struct nsys_event *event)
{
	return triple(events, event, events->grids);
}

static struct value event_block_xyz(const struct nsys_events *events,
				    const struct nsys_event *event)
{
	return triple(events, event, events->blocks);
}

static struct value event_regs_per_thread(const struct nsys_events *events,
					  const struct nsys_event *event)
{
	const struct launch_config *config = profile_config(events->profile, event->activity);
	return !config || config->regs_per_thread < 0 ? value_missing()
						      : value_int(config->regs_per_thread);
}

static int64_t static_of(const struct nsys_events *events, const struct nsys_event *event)
{
	int64_t bytes = nsys_number_of(
		events->profile,
		nsys_activity_attribute(events->profile, event->activity, ACTIVITY_STATIC_MEMORY));
	return bytes == NO_VALUE ? 0 : bytes;
}

static struct value event_static_bytes(const struct nsys_events *events,
				       const struct nsys_event *event)
{
	const struct launch_config *config = profile_config(events->profile, event->activity);
	return !config || config->shared_mem_bytes < 0 ? value_missing()
						       : value_int(static_of(events, event));
}

static struct value event_dynamic_bytes(const struct nsys_events *events,
					const struct nsys_event *event)
{
	const struct launch_config *config = profile_config(events->profile, event->activity);
	return !config || config->shared_mem_bytes < 0
		       ? value_missing()
		       : value_int(config->shared_mem_bytes - static_of(events, event));
}

static struct value event_bytes(const struct nsys_events *events, const struct nsys_event *event)
{
	return cell_int(events->profile->activity_bytes[event->activity]);
}

/* nsys stats divides integers. */
static struct value event_bytes_per_s(const struct nsys_events *events,
				      const struct nsys_event *event)
{
	int64_t bytes = events->profile->activity_bytes[event->activity];
	int64_t dur = events->profile->activity_dur[event->activity], rate;
	if (bytes == NO_VALUE || dur <= 0 ||
	    __builtin_mul_overflow(bytes, INT64_C(1000000000) / dur, &rate))
		return value_missing();
	return value_int(rate);
}

static struct value event_source_memory(const struct nsys_events *events,
					const struct nsys_event *event)
{
	return events->sources[events->profile->activity_name[event->activity]];
}

static struct value event_target_memory(const struct nsys_events *events,
					const struct nsys_event *event)
{
	return events->targets[events->profile->activity_name[event->activity]];
}

static struct value event_gpu_name(const struct nsys_events *events, const struct nsys_event *event)
{
	return events->devices[events->profile->activity_track[event->activity]];
}

static struct value event_device_id(const struct nsys_events *events,
				    const struct nsys_event *event)
{
	return value_int(profile_activity_device(events->profile, event->activity));
}

static struct value event_stream(const struct nsys_events *events, const struct nsys_event *event)
{
	return cell_int(
		events->profile->tracks[events->profile->activity_track[event->activity]].tid);
}

static struct value context(const struct nsys_events *events, const struct nsys_event *event,
			    const char *key)
{
	return cell_int(nsys_number_of(
		events->profile, nsys_activity_attribute(events->profile, event->activity, key)));
}

static struct value event_context(const struct nsys_events *events, const struct nsys_event *event)
{
	return context(events, event, ACTIVITY_CONTEXT);
}

static struct value event_green_context(const struct nsys_events *events,
					const struct nsys_event *event)
{
	return context(events, event, ACTIVITY_GREEN_CONTEXT);
}

/* ---- columns ---- */

#define CELL(id) event_##id,
nsys_event_cell *const nsys_api_cells[] = { API_COLUMNS(CELL) };
nsys_event_cell *const nsys_gpu_cells[] = { GPU_COLUMNS(CELL) };
nsys_event_cell *const nsys_exec_cells[] = { EXEC_COLUMNS(CELL) };
nsys_event_cell *const nsys_mpi_cells[] = { MPI_COLUMNS(CELL) };

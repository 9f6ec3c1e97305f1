/*
 * Memory: allocations, as one row or two, and unified memory counters, one row per migration or
 * fault.
 */
#include "input/cuda/cuda_memory.h"
#include "input/nvprof/nvprof_private.h"

static uint32_t nvprof_memory_process_of(struct nvprof *nvprof, int64_t pid)
{
	return builder_process(nvprof->builder, pid == NO_VALUE ? nvprof->pid : pid, 0);
}

/* Rows from allocation to release; without an end never released. */
static void read_lifetimes(struct nvprof *nvprof)
{
	enum { START, END, KIND, ADDRESS, BYTES, PID, DEVICE, COLUMNS };
	sqlite_each (rows, nvprof->database, "CUPTI_ACTIVITY_KIND_MEMORY",
		     "start! end! memoryKind address! bytes! processId deviceId", COLUMNS) {
		struct cuda_allocation allocation = { .time = sqlite_int(rows, START),
						      .address = sqlite_int(rows, ADDRESS),
						      .bytes = sqlite_int(rows, BYTES),
						      .kind = sqlite_int(rows, KIND),
						      .numbering = CUDA_MEMORY_FROM_1,
						      .device = sqlite_int(rows, DEVICE) };
		int64_t end = sqlite_int(rows, END);
		allocation.track =
			cuda_memory_track(nvprof->builder, nvprof->profile,
					  nvprof_memory_process_of(nvprof, sqlite_int(rows, PID)));
		if (!cuda_memory_add(nvprof->builder, nvprof->profile, &allocation) ||
		    end == NO_VALUE || end == 0 || end < allocation.time)
			continue;
		allocation.time = end;
		allocation.release = true;
		cuda_memory_add(nvprof->builder, nvprof->profile, &allocation);
		nvprof->profile->events--; /* both events came from one row */
	}
}

static void read_operations(struct nvprof *nvprof)
{
	enum { TIME, OPERATION, KIND, ADDRESS, BYTES, PID, DEVICE, CORRELATION, COLUMNS };
	enum { ALLOCATION = 1, RELEASE = 2 };
	AUTO_HASH struct hash *tracks = cuda_call_tracks(nvprof->profile);
	sqlite_each (rows, nvprof->database, "CUPTI_ACTIVITY_KIND_MEMORY2",
		     "timestamp! memoryOperationType! memoryKind address! bytes! processId "
		     "deviceId correlationId",
		     COLUMNS) {
		int64_t operation = sqlite_int(rows, OPERATION);
		uint32_t process = nvprof_memory_process_of(nvprof, sqlite_int(rows, PID));
		const struct cuda_allocation allocation = {
			.time = sqlite_int(rows, TIME),
			.address = sqlite_int(rows, ADDRESS),
			.bytes = sqlite_int(rows, BYTES),
			.kind = sqlite_int(rows, KIND),
			.numbering = CUDA_MEMORY_FROM_1,
			.device = sqlite_int(rows, DEVICE),
			.release = operation == RELEASE,
			.track = cuda_call_track(
				tracks, process, sqlite_int(rows, CORRELATION),
				cuda_memory_track(nvprof->builder, nvprof->profile, process))
		};
		if (operation == ALLOCATION || operation == RELEASE)
			cuda_memory_add(nvprof->builder, nvprof->profile, &allocation);
	}
}

/* ---- unified memory ---- */

/* counterKind */
enum { TO_DEVICE = 1, TO_HOST = 2, HOST_FAULT = 3, DEVICE_FAULT = 4, TO_ANOTHER = 8 };

enum { KIND, VALUE, START, END, ADDRESS, SOURCE, TARGET, STREAM, PID, FLAGS, COLUMNS };
static const char columns[] =
	"counterKind! value! start! end! address srcId dstId streamId processId flags";

/* A migration is a copy without a launch; copyKind 11 to 13 are unified memory. */
static void add_migration(struct nvprof *nvprof, const struct sqlite_rows *rows, int64_t kind)
{
	enum { UVM_TO_DEVICE = 11, UVM_TO_HOST, UVM_TO_ANOTHER };
	struct activity activity = activity_of(ACTIVITY_MEMCPY);
	activity.bytes = sqlite_int(rows, VALUE);
	activity.start = sqlite_int(rows, START);
	int64_t device = sqlite_int(rows, kind == TO_HOST ? SOURCE : TARGET);
	int64_t stream = sqlite_int(rows, STREAM);
	if (!row_times(nvprof->profile, TIMES_ZERO_START, activity.start, sqlite_int(rows, END),
		       &activity.dur))
		return;
	activity.track = builder_track(nvprof->builder,
				       nvprof_memory_process_of(nvprof, sqlite_int(rows, PID)),
				       stream == UINT32_MAX ? -1 : stream, 0,
				       cuda_small(device) >= 0 ? (int32_t)device : 0);
	activity.name = cuda_copy_name(nvprof->profile,
				       kind == TO_DEVICE ? UVM_TO_DEVICE
				       : kind == TO_HOST ? UVM_TO_HOST
							 : UVM_TO_ANOTHER,
				       NO_VALUE, NO_VALUE, CUDA_MEMORY_FROM_1);
	builder_activity(nvprof->builder, &activity);
}

static void add_fault(struct nvprof *nvprof, const struct sqlite_rows *rows, int64_t kind)
{
	struct page_fault fault = {
		.line = NO_VALUE,
		.start = sqlite_int(rows, START),
		.address = sqlite_int(rows, ADDRESS),
		.count = NO_VALUE,
	};
	uint32_t process = nvprof_memory_process_of(nvprof, sqlite_int(rows, PID));
	int64_t end = kind == HOST_FAULT ? fault.start : sqlite_int(rows, END);
	if (!row_times(nvprof->profile, TIMES_ZERO_START, fault.start, end, &fault.dur))
		return;
	if (kind == HOST_FAULT) { /* its value is the program counter on the host */
		cuda_page_fault_host(nvprof->builder, nvprof->profile, process, &fault);
		return;
	}
	fault.count = sqlite_int(rows, VALUE);
	fault.access = cuda_access_name(sqlite_int(rows, FLAGS));
	cuda_page_fault_device(nvprof->builder, nvprof->profile, process, sqlite_int(rows, SOURCE),
			       &fault);
}

static void read_counters(struct nvprof *nvprof)
{
	sqlite_each (rows, nvprof->database, "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER", columns,
		     COLUMNS) {
		int64_t kind = sqlite_int(rows, KIND);
		if (kind == TO_DEVICE || kind == TO_HOST || kind == TO_ANOTHER)
			add_migration(nvprof, rows, kind);
		else if (kind == HOST_FAULT || kind == DEVICE_FAULT)
			add_fault(nvprof, rows, kind);
	}
}

void nvprof_read_memory(struct nvprof *nvprof)
{
	read_lifetimes(nvprof);
	read_operations(nvprof);
	cuda_memory_finish(nvprof->profile);
	read_counters(nvprof);
}

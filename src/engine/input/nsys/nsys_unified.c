/*
 * Unified memory page faults; the migrations they cause are among the copies.
 */
#include "input/cuda/cuda_memory.h"
#include "input/nsys/nsys_private.h"

static void read_host_faults(struct nsys *nsys)
{
	enum { START, PROCESS, ADDRESS, FUNCTION, FILE_NAME, LINE, COLUMNS };
	sqlite_each (rows, nsys->database, "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
		     "start! globalPid address CpuInstruction SourceFile|sourceFile "
		     "SourceLine|sourceLine",
		     COLUMNS) {
		struct page_fault fault = {
			.start = sqlite_int(rows, START),
			.address = sqlite_int(rows, ADDRESS),
			.count = NO_VALUE,
			.function = nsys_string(nsys, sqlite_int(rows, FUNCTION)),
			.file = nsys_string(nsys, sqlite_int(rows, FILE_NAME)),
			.line = sqlite_int(rows, LINE),
		};
		nsys->profile->events++;
		if (fault.start != NO_VALUE)
			cuda_page_fault_host(nsys->builder, nsys->profile,
					     nsys_process(nsys, sqlite_int(rows, PROCESS)), &fault);
	}
}

static void read_device_faults(struct nsys *nsys)
{
	enum { START, END, PROCESS, DEVICE, ADDRESS, COUNT, ACCESS, COLUMNS };
	sqlite_each (rows, nsys->database, "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
		     "start! end! globalPid deviceId address numberOfPageFaults faultAccessType",
		     COLUMNS) {
		struct page_fault fault = {
			.address = sqlite_int(rows, ADDRESS),
			.count = sqlite_int(rows, COUNT),
			.line = NO_VALUE,
			.access = cuda_access_name(sqlite_int(rows, ACCESS)),
		};
		if (!nsys_times(nsys, rows, START, END, &fault.start, &fault.dur))
			continue;
		fault.dur = fault.dur > 0 ? fault.dur : 0;
		uint32_t process = nsys_process(nsys, sqlite_int(rows, PROCESS));
		cuda_page_fault_device(nsys->builder, nsys->profile, process,
				       nsys_device(nsys, process, sqlite_int(rows, DEVICE)),
				       &fault);
	}
}

void nsys_read_unified(struct nsys *nsys)
{
	if (sqlite_database_has(nsys->database, "CUDA_UM_CPU_PAGE_FAULT_EVENTS"))
		builder_fact(nsys->builder, UNIFIED_FAULTS,
			     profile_intern(nsys->profile, "recorded"));
	read_host_faults(nsys);
	read_device_faults(nsys);
}

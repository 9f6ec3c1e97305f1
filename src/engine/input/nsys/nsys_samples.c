/*
 * Device memory allocations and sampled hardware metrics.
 */
#include "input/cuda/cuda_memory.h"
#include "input/nsys/nsys_private.h"

/* Allocations refer to their process and runtime call. */
static void read_memory(struct nsys *nsys)
{
	enum { START, PROCESS, DEVICE, ADDRESS, BYTES, KIND, OPERATION, CORRELATION, COLUMNS };
	enum { RELEASE = 1 };
	struct sqlite_rows *rows = sqlite_rows_open(
		nsys->database, "CUDA_GPU_MEMORY_USAGE_EVENTS",
		"start! globalPid deviceId address! bytes! memKind memoryOperationType! "
		"correlationId",
		COLUMNS);
	if (!rows)
		return;
	AUTO_HASH struct hash *tracks = cuda_call_tracks(nsys->profile);
	while (sqlite_rows_next(&rows)) {
		uint32_t process = nsys_process(nsys, sqlite_int(rows, PROCESS));
		const struct cuda_allocation allocation = {
			.time = sqlite_int(rows, START),
			.address = sqlite_int(rows, ADDRESS),
			.bytes = sqlite_int(rows, BYTES),
			.kind = sqlite_int(rows, KIND),
			.numbering = CUDA_MEMORY_FROM_0,
			.device = nsys_device(nsys, process, sqlite_int(rows, DEVICE)),
			.release = sqlite_int(rows, OPERATION) == RELEASE,
			.track = cuda_call_track(
				tracks, process, sqlite_int(rows, CORRELATION),
				cuda_memory_track(nsys->builder, nsys->profile, process)),
		};
		cuda_memory_add(nsys->builder, nsys->profile, &allocation);
	}
	cuda_memory_finish(nsys->profile);
}

/* ---- sampled metrics ---- */

static uint64_t metric_key(int64_t type, int64_t metric)
{
	return hash_pair((uint64_t)type, (uint64_t)metric);
}

static void read_metric_names(struct nsys *nsys, struct hash *names)
{
	sqlite_each (rows, nsys->database, "TARGET_INFO_GPU_METRICS",
		     "typeId! metricId! metricName:text!", 3) {
		size_t length;
		const char *name = sqlite_text(rows, 2, &length);
		if (name)
			hash_add(names, metric_key(sqlite_int(rows, 0), sqlite_int(rows, 1)),
				 intern_add(nsys->profile->strings, name, length));
	}
}

static void read_metrics(struct nsys *nsys, struct hash *names)
{
	enum { TIME, TYPE, METRIC, VALUE, COLUMNS };
	sqlite_each (rows, nsys->database, "GPU_METRICS", "timestamp! typeId! metricId! value!",
		     COLUMNS) {
		int64_t type = sqlite_int(rows, TYPE);
		uint32_t name = hash_first(names, metric_key(type, sqlite_int(rows, METRIC)));
		struct counter counter = {
			.time = sqlite_int(rows, TIME),
			.value = sqlite_real(rows, VALUE),
			.name = name == NO_ROW ? profile_intern(nsys->profile, "unnamed metric")
					       : name,
		};
		nsys->profile->events++;
		if (counter.time == NO_VALUE || type == NO_VALUE)
			continue;
		/* The low byte of the type is the GPU. */
		counter.track = builder_track(nsys->builder, nsys_process(nsys, NO_VALUE), NO_VALUE,
					      profile_intern(nsys->profile, "metrics"),
					      (int32_t)(type & 0xff));
		counter.series = counter.name;
		builder_counter(nsys->builder, &counter);
	}
}

void nsys_read_samples(struct nsys *nsys)
{
	AUTO_HASH struct hash *names = hash_new(64);
	read_memory(nsys);
	read_metric_names(nsys, names);
	read_metrics(nsys, names);
}

/*
 * Target information: devices, capture time, versions and diagnostics. Only the listed capture
 * options are read, because the options include the environment of the profiled process, which may
 * contain secrets.
 */
#include "base/text_slice.h"
#include "input/cuda/cuda_names.h"
#include "input/dlprof/dlprof.h"
#include "input/nsys/nsys_private.h"

/* ---- devices ---- */

/* The ordinal each program assigned to each GPU. */
struct ordinal_pair {
	int64_t gpu, ordinal, pid;
};

struct nsys_target_ordinals {
	GROWING(struct ordinal_pair, pair, count);
};

/* When processes see different GPUs, each from ordinal 0, use the GPUs' own numbers. */
static void disambiguate_ordinals(struct nsys *nsys, struct nsys_target_ordinals *ordinals)
{
	bool differ = false;
	AUTO_HASH struct hash *first = hash_new(16); /* ordinal → GPU that has it */
	for (size_t i = 0; i < ordinals->count; i++) {
		uint32_t same = hash_last(first, (uint64_t)ordinals->pair[i].ordinal);
		if (same == NO_ROW)
			hash_add(first, (uint64_t)ordinals->pair[i].ordinal, (uint32_t)i);
		else
			differ |= ordinals->pair[same].gpu != ordinals->pair[i].gpu;
	}
	for (size_t i = 0; differ && i < ordinals->count; i++) {
		int64_t gpu = ordinals->pair[i].gpu, pid = ordinals->pair[i].pid;
		if (gpu < 0 || gpu >= INT32_MAX)
			continue;
		hash_add(nsys->devices,
			 hash_pair((uint64_t)pid, (uint64_t)ordinals->pair[i].ordinal),
			 (uint32_t)gpu);
		ordinals->pair[i].ordinal = gpu;
	}
}

enum { ID, CUDA, NAME, WARPS, FIELDS, FIELD_COUNT = 9, GPU_COLUMNS = FIELDS + FIELD_COUNT };
static const char gpu_columns[] =
	"id! cuDevice name:text maxWarpsPerSm totalMemory computeMajor computeMinor smCount "
	"threadsPerWarp maxRegistersPerSm maxShmemPerSm memoryBandwidth clockRate";
static const size_t gpu_fields[] = {
	GPU_FIELD_ROWS offsetof(struct device, memory_bandwidth),
	offsetof(struct device, clock_hz),
};

static void nsys_target_add_device(struct nsys *nsys, const struct sqlite_rows *rows, int64_t id)
{
	if (id < 0 || id > INT32_MAX)
		return;
	size_t length;
	struct device *device = builder_device(nsys->builder, (int32_t)id);
	if (!device)
		return;
	const char *name = sqlite_text(rows, NAME, &length);
	if (name)
		device->name = intern_add(nsys->profile->strings, name, length);
	for (size_t i = 0; i < sizeof gpu_fields / sizeof *gpu_fields; i++)
		*(int64_t *)(void *)((char *)device + gpu_fields[i]) = sqlite_int(rows, FIELDS + i);
	int64_t warps = sqlite_int(rows, WARPS), threads;
	if (warps != NO_VALUE && device->warp_size != NO_VALUE &&
	    !__builtin_mul_overflow(warps, device->warp_size, &threads))
		device->max_threads_per_sm = threads;
}

static void nsys_target_read_devices(struct nsys *nsys)
{
	struct nsys_target_ordinals ordinals = { 0 };
	sqlite_each (rows, nsys->database, "TARGET_INFO_CUDA_DEVICE", "gpuId! cudaId! pid", 3)
		*mem_push(ordinals.pair, ordinals.count) =
			(struct ordinal_pair){ sqlite_int(rows, 0), sqlite_int(rows, 1),
					       sqlite_int(rows, 2) };
	disambiguate_ordinals(nsys, &ordinals);
	sqlite_each (rows, nsys->database, "TARGET_INFO_GPU", gpu_columns, GPU_COLUMNS) {
		int64_t id = sqlite_int(rows, ID), cuda = sqlite_int(rows, CUDA);
		for (size_t i = 0; i < ordinals.count; i++)
			if (ordinals.pair[i].gpu == id)
				nsys_target_add_device(nsys, rows, ordinals.pair[i].ordinal);
		if (!ordinals.count)
			nsys_target_add_device(nsys, rows, cuda != NO_VALUE ? cuda : id);
	}
	mem_free(ordinals.pair);
}

/* ---- metadata ---- */

typedef void version_printer(struct buffer *out, const char *text, size_t length);

/* 5154304 and 52510517 are 515.43.04 and 525.105.17; later exports have the version as text. */
static void driver_version(struct buffer *out, const char *text, size_t length)
{
	enum { BRANCH = 3, UPDATE = 2, DIGITS_MIN = 7, DIGITS_MAX = 8 };
	bool digits = !text[strspn(text, "0123456789")];
	if (!digits || length < DIGITS_MIN || length > DIGITS_MAX)
		buffer_add(out, text, length);
	else
		buffer_printf(out, "%.*s.%.*s.%s", BRANCH, text, (int)length - BRANCH - UPDATE,
			      text + BRANCH, text + length - UPDATE);
}

/* Name-value tables, and the names read from each. */
static const struct fact_table {
	const char *table;
	struct {
		const char *name, *key;
		version_printer *print;
	} derived[8];
} fact_tables[] = { NSYS_FACT_ROWS };

static void nsys_target_add_fact(struct nsys *nsys, const struct fact_table *table,
				 const char *name, const char *value, size_t length)
{
	size_t count = sizeof table->derived / sizeof *table->derived;
	for (size_t i = 0; i < count && table->derived[i].name; i++) {
		struct buffer text = { 0 };
		if (strcmp(table->derived[i].name, name) != 0 || strcmp(value, "unknown") == 0)
			continue;
		(table->derived[i].print ?: buffer_add)(&text, value, length);
		builder_metadata(nsys->builder,
				 profile_intern(nsys->profile, table->derived[i].key),
				 profile_take(nsys->profile, &text));
	}
}

static void read_derived(struct nsys *nsys, const struct fact_table *table)
{
	sqlite_each (rows, nsys->database, table->table, "name:text! value:text!", 2) {
		size_t length, name_length;
		const char *name = sqlite_text(rows, 0, &name_length);
		const char *value = sqlite_text(rows, 1, &length);
		if (name && value)
			nsys_target_add_fact(nsys, table, name, value, length);
	}
}

/* DLProf adds what it found out about the machine to the export that it analyzes. */
static void read_dlprof_facts(struct nsys *nsys)
{
	enum { COLUMNS = DLPROF_NSYS - DLPROF_CPU_MODEL + 1 };
	sqlite_each (rows, nsys->database, "SystemInfo",
		     "cpuModel:text driverVersion:text framework:text cudaVersion:text "
		     "cudnnVersion:text nsysVersion:text",
		     COLUMNS)
		for (size_t i = 0; i < COLUMNS; i++) {
			size_t length;
			const char *value = sqlite_text(rows, i, &length);
			if (value && length)
				builder_fact(nsys->builder, dlprof_fact_keys[DLPROF_CPU_MODEL + i],
					     intern_add(nsys->profile->strings, value, length));
		}
}

/* ---- diagnostics ---- */

/* Warnings and errors are shown; lost events count as damage. */
static void read_diagnostics(struct nsys *nsys)
{
	enum { SEVERITY, TEXT, COLUMNS, WARNING = 2, ERROR = 3, SHOWN_MAX = 50 };
	struct sqlite_rows *rows = sqlite_rows_open(nsys->database, "DIAGNOSTIC_EVENT",
						    "severity! text:text!", COLUMNS);
	int shown = 0;
	while (sqlite_rows_next(&rows)) {
		size_t length;
		int64_t severity = sqlite_int(rows, SEVERITY);
		const char *text = sqlite_text(rows, TEXT, &length);
		if (!text || (severity != WARNING && severity != ERROR) || shown++ >= SHOWN_MAX)
			continue;
		builder_metadata(nsys->builder,
				 profile_print(nsys->profile, "%s %d of the profiler",
					       severity == ERROR ? "error" : "warning", shown),
				 intern_add(nsys->profile->strings, text, length));
		if (text_holds_one(text, "lost|dropped|overflow|incomplete"))
			profile_damage(nsys->profile, "events lost by the profiler",
				       "see its warnings", UINT64_MAX);
	}
}

void nsys_read_target(struct nsys *nsys)
{
	nsys_target_read_devices(nsys);
	sqlite_each (rows, nsys->database, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs!", 1)
		if (sqlite_int(rows, 0) != NO_VALUE)
			nsys->profile->epoch_ns = sqlite_int(rows, 0);
	for (size_t i = 0; i < sizeof fact_tables / sizeof *fact_tables; i++)
		read_derived(nsys, &fact_tables[i]);
	read_dlprof_facts(nsys);
	read_diagnostics(nsys);
}

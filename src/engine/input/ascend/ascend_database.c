/*
 * Reads the databases of torch_npu's profiler and of msprof. Names and types are ids of STRING_IDS;
 * a connection id links device work to the CANN call that launched it, and through CONNECTION_IDS
 * to the operator that queued the call.
 */
#include "base/error.h"
#include "input/ascend/ascend_private.h"
#include "input/readers.h"

/* ---- what the parts share ---- */

uint32_t ascend_process(struct ascend *ascend)
{
	if (ascend->process == NO_ROW)
		ascend->process = builder_process(ascend->builder, NO_VALUE, 0);
	return ascend->process;
}

/* The process is in the upper half. */
uint32_t ascend_thread(struct ascend *ascend, int64_t global)
{
	if (global == NO_VALUE)
		return builder_track(ascend->builder, ascend_process(ascend), NO_VALUE, 0, -1);
	uint32_t process = builder_process(ascend->builder, (int64_t)((uint64_t)global >> 32), 0);
	if (ascend->process == NO_ROW)
		ascend->process = process;
	return builder_track(ascend->builder, process, global & UINT32_MAX, 0, -1);
}

int64_t ascend_connection(int64_t id)
{
	return id < 0 || id == UINT32_MAX ? NO_VALUE : id;
}

/* ---- strings, devices, rank ---- */

static void ascend_database_read_devices(struct ascend *ascend)
{
	sqlite_each (rows, ascend->database, "NPU_INFO", "id! name:text!", 2) {
		int64_t id = sqlite_int(rows, 0);
		uint32_t name = sqlite_intern(rows, 1);
		struct device *device = id >= 0 && id < DEVICE_NUMBER_MAX
						? builder_device(ascend->builder, ascend_npu(id))
						: NULL;
		if (device && name)
			device->name = name;
		ascend->device = id;
	}
}

/* A file of one process has one rank. */
static void read_rank(struct ascend *ascend)
{
	size_t count = 0;
	int64_t rank = NO_VALUE;
	struct sqlite_rows *rows =
		sqlite_rows_open(ascend->database, "RANK_DEVICE_MAP", "rankId!", 1);
	for (; sqlite_rows_next(&rows); count++)
		rank = sqlite_int(rows, 0);
	if (count == 1 && rank >= 0)
		ascend->profile->rank = rank;
}

/* Versions; never the variables of the environment, which the table holds too. */
static void read_metadata(struct ascend *ascend)
{
	sqlite_each (rows, ascend->database, "META_DATA", "name:text! value:text!", 2) {
		size_t length;
		const char *name = sqlite_text(rows, 0, &length);
		bool wanted = name && strcmp(name, "SCHEMA_VERSION") == 0;
		uint32_t value = wanted ? sqlite_intern(rows, 1) : 0;
		builder_fact(ascend->builder, "schema version", value);
	}
}

static void read_host_name(struct ascend *ascend)
{
	struct sqlite_rows *rows =
		sqlite_rows_open(ascend->database, "HOST_INFO", "hostName:text!", 1);
	uint32_t name = sqlite_rows_next(&rows) ? sqlite_intern(rows, 0) : 0;
	builder_fact(ascend->builder, "host_name", name);
	sqlite_rows_close(rows);
}

/* ---- the reader ---- */

static bool recognize_database(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "STRING_IDS") &&
	       (sqlite_database_has(database, "TASK") ||
		sqlite_database_has(database, "CANN_API") ||
		sqlite_database_has(database, "PYTORCH_API"));
}

static void ascend_database_read_all(struct ascend *ascend)
{
	sqlite_database_expect(
		ascend->database,
		"STRING_IDS,TASK,COMPUTE_TASK_INFO,CANN_API,PYTORCH_API,TASK_PMU_INFO", "");
	ascend->strings = sqlite_strings(ascend->database, "STRING_IDS", "id! value:text!");
	ascend_database_read_devices(ascend);
	read_rank(ascend);
	read_metadata(ascend);
	read_host_name(ascend);
	ascend_read_host(ascend);
	ascend_read_device(ascend);
	ascend_read_memory(ascend);
	ascend_read_counters(ascend);
}

static bool read_database(struct sqlite_database *database, struct builder *builder,
			  struct error *error)
{
	struct profile *profile = database->profile;
	struct ascend ascend = {
		.database = database,
		.profile = profile,
		.builder = builder,
		.tasks = hash_new(1024),
		.operators = hash_new(1024),
		.process = NO_ROW,
	};
	ascend_database_read_all(&ascend);
	hash_free(ascend.strings);
	id_table_clear(&ascend.computes);
	id_table_clear(&ascend.copies);
	hash_free_all(ascend.tasks, ascend.operators);
	mem_free(ascend.calls);
	return true;
}

const struct reader ascend_database_reader = {
	.format = "Ascend profiler database (SQLite)",
	.recognize_database = recognize_database,
	.read_database = read_database,
	.empty = "is a database of Ascend's profiler without tasks, calls or counters"
};

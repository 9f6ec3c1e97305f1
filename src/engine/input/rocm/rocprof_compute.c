/*
 * The analysis database of rocprof-compute: dispatches, and metrics of kernels.
 */
#include "base/error.h"
#include "base/hash.h"
#include "input/rocm/rocm.h"
#include "input/rocm/rocm_readers.h"
#include "input/sqlite/sqlite_table.h"

#include <math.h>
#include <string.h>

struct definition {
	uint32_t name, id, section, unit; /* interned */
};

struct compute {
	struct sqlite_database *database;
	struct profile *profile;
	struct builder *builder;
	struct hash *kernels; /* id → interned name */
	struct hash *firsts;  /* id of a kernel → its first dispatch */
	struct hash *ids;     /* id of a metric → index of its definition */
	struct definition *definitions;
	size_t count, capacity;
};

static uint32_t text_at(const struct compute *compute, struct sqlite_rows *rows, int column)
{
	size_t length;
	const char *text = sqlite_text(rows, column, &length);
	return text ? intern_add(compute->profile->strings, text, length) : 0;
}

static void read_kernels(struct compute *compute)
{
	enum { ID, NAME, COLUMNS };
	struct sqlite_rows *rows = sqlite_rows_open(compute->database, "compute_kernel",
						    "kernel_uuid! kernel_name:text!", COLUMNS);
	while (sqlite_rows_next(&rows))
		if (sqlite_int(rows, ID) != NO_VALUE)
			hash_add(compute->kernels, (uint64_t)sqlite_int(rows, ID),
				 text_at(compute, rows, NAME));
}

static void read_dispatches(struct compute *compute)
{
	enum { KERNEL, NUMBER, GPU, START, END, COLUMNS };
	uint32_t process = builder_process(compute->builder, NO_VALUE, 0);
	struct sqlite_rows *rows = sqlite_rows_open(
		compute->database, "compute_dispatch",
		"kernel_uuid! dispatch_id gpu_id start_timestamp! end_timestamp!", COLUMNS);
	while (sqlite_rows_next(&rows)) {
		size_t cursor;
		uint64_t id = (uint64_t)sqlite_int(rows, KERNEL);
		uint32_t name = hash_find(compute->kernels, id, &cursor);
		struct activity activity = { .kind = ACTIVITY_KERNEL,
					     .name = name == NO_ROW ? 0 : name,
					     .config = NO_ROW,
					     .start = sqlite_int(rows, START),
					     .correlation = NO_VALUE,
					     .external = sqlite_int(rows, NUMBER),
					     .bytes = NO_VALUE };
		if (!rocm_times(compute->profile, activity.start, sqlite_int(rows, END),
				&activity.dur))
			continue;
		activity.track = builder_track(compute->builder, process, NO_VALUE, 0,
					       rocm_device(sqlite_int(rows, GPU)));
		uint32_t row = builder_activity(compute->builder, &activity);
		if (hash_find(compute->firsts, id, &cursor) == NO_ROW)
			hash_add(compute->firsts, id, row);
	}
}

static void read_definitions(struct compute *compute)
{
	enum { UUID, NAME, ID, SECTION, PART, UNIT, COLUMNS };
	struct sqlite_rows *rows =
		sqlite_rows_open(compute->database, "compute_metric_definition",
				 "metric_uuid! name:text metric_id:text! table_name:text "
				 "sub_table_name:text unit:text",
				 COLUMNS);
	while (sqlite_rows_next(&rows)) {
		if (sqlite_int(rows, UUID) == NO_VALUE)
			continue;
		uint32_t section = text_at(compute, rows, SECTION);
		mem_grow(compute->definitions, compute->capacity, compute->count + 1);
		hash_add(compute->ids, (uint64_t)sqlite_int(rows, UUID), (uint32_t)compute->count);
		compute->definitions[compute->count++] = (struct definition){
			.name = text_at(compute, rows, NAME),
			.id = text_at(compute, rows, ID),
			.section = section ? section : text_at(compute, rows, PART),
			.unit = text_at(compute, rows, UNIT),
		};
	}
}

static void rocprof_compute_read_values(struct compute *compute)
{
	enum { METRIC, KERNEL, STATISTIC, VALUE, COLUMNS };
	struct sqlite_rows *rows =
		sqlite_rows_open(compute->database, "compute_kernel_metric_value",
				 "metric_uuid! kernel_uuid! value_name:text value!", COLUMNS);
	while (sqlite_rows_next(&rows)) {
		size_t cursor;
		uint32_t at = hash_find(compute->ids, (uint64_t)sqlite_int(rows, METRIC), &cursor);
		struct metric metric = {
			.value = sqlite_real(rows, VALUE),
			.activity = hash_find(compute->firsts, (uint64_t)sqlite_int(rows, KERNEL),
					      &cursor),
			.of_kernel = 1,
		};
		if (at == NO_ROW || metric.activity == NO_ROW) {
			profile_damage(compute->profile, "value without metric or kernel",
				       "skipped", UINT64_MAX);
			continue;
		}
		const struct definition *definition = &compute->definitions[at];
		metric.name = definition->id;
		metric.title = definition->name;
		metric.section = definition->section;
		metric.unit = definition->unit;
		metric.statistic = text_at(compute, rows, STATISTIC);
		builder_metric(compute->builder, &metric);
	}
}

static bool rocprof_compute_recognize(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "compute_kernel") &&
	       sqlite_database_has(database, "compute_dispatch");
}

static bool read_compute(struct sqlite_database *database, struct builder *builder,
			 struct error *error)
{
	static const char *const tables[] = { "compute_kernel", "compute_dispatch",
					      "compute_metric_definition",
					      "compute_kernel_metric_value" };
	struct compute compute = { .database = database,
				   .profile = database->profile,
				   .builder = builder,
				   .kernels = hash_new(64),
				   .firsts = hash_new(64),
				   .ids = hash_new(64) };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		sqlite_database_expect(database, tables[i]);
	read_kernels(&compute);
	read_dispatches(&compute);
	read_definitions(&compute);
	rocprof_compute_read_values(&compute);
	hash_free(compute.kernels);
	hash_free(compute.firsts);
	hash_free(compute.ids);
	mem_free(compute.definitions);
	if (sqlite_database_ok(database) && !database->profile->activities)
		return error_set(
			error, ERROR_INPUT,
			"is a rocprof-compute database without dispatches; analyze again with: rocprof-compute analyze --output-format db");
	return sqlite_database_ok(database);
}

const struct reader rocprof_compute_reader = { .format = "rocprof-compute analysis (SQLite)",
					       .recognize_database = rocprof_compute_recognize,
					       .read_database = read_compute };

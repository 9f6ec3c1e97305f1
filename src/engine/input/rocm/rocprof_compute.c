/*
 * The analysis database of rocprof-compute: dispatches, and metrics of kernels.
 */
#include "base/error.h"
#include "input/id_table.h"
#include "input/rocm/rocm.h"
#include "input/readers.h"
#include "input/sqlite/sqlite_table.h"

struct definition {
	uint32_t name, id, section, unit; /* interned */
};

struct compute {
	struct sqlite_database *database;
	struct profile *profile;
	struct builder *builder;
	struct hash *kernels;    /* id → interned name */
	struct hash *firsts;     /* id of a kernel → its first dispatch */
	struct id_table metrics; /* by id of a metric: definition */
};

static void read_dispatches(struct compute *compute)
{
	enum { KERNEL, NUMBER, GPU, START, END, COLUMNS };
	uint32_t process = builder_process(compute->builder, NO_VALUE, 0);
	sqlite_each (rows, compute->database, "compute_dispatch",
		     "kernel_uuid! dispatch_id gpu_id start_timestamp! end_timestamp!", COLUMNS) {
		int64_t kernel = sqlite_int(rows, KERNEL);
		uint32_t name = id_find(compute->kernels, kernel);
		struct activity activity = activity_of(ACTIVITY_KERNEL);
		activity.name = name == NO_ROW ? 0 : name;
		activity.start = sqlite_int(rows, START);
		activity.external = sqlite_int(rows, NUMBER);
		if (!rocm_times(compute->profile, activity.start, sqlite_int(rows, END),
				&activity.dur))
			continue;
		activity.track = builder_track(compute->builder, process, NO_VALUE, 0,
					       rocm_device(sqlite_int(rows, GPU)));
		uint32_t row = builder_activity(compute->builder, &activity);
		if (id_find(compute->firsts, kernel) == NO_ROW)
			id_add(compute->firsts, kernel, row);
	}
}

static void read_definitions(struct compute *compute)
{
	enum { UUID, NAME, ID, SECTION, PART, UNIT, COLUMNS };
	sqlite_each (rows, compute->database, "compute_metric_definition",
		     "metric_uuid! name:text metric_id:text! table_name:text "
		     "sub_table_name:text unit:text",
		     COLUMNS) {
		uint32_t section = sqlite_intern(rows, SECTION);
		struct definition *definition =
			id_table_add(&compute->metrics, sizeof *definition, sqlite_int(rows, UUID));
		definition->name = sqlite_intern(rows, NAME);
		definition->id = sqlite_intern(rows, ID);
		definition->section = section ? section : sqlite_intern(rows, PART);
		definition->unit = sqlite_intern(rows, UNIT);
	}
}

static void rocprof_compute_read_values(struct compute *compute)
{
	enum { METRIC, KERNEL, STATISTIC, VALUE, COLUMNS };
	sqlite_each (rows, compute->database, "compute_kernel_metric_value",
		     "metric_uuid! kernel_uuid! value_name:text value!", COLUMNS) {
		const struct definition *definition =
			id_table_find(&compute->metrics, sqlite_int(rows, METRIC));
		struct metric metric = {
			.value = sqlite_real(rows, VALUE),
			.activity = id_find(compute->firsts, sqlite_int(rows, KERNEL)),
			.of_kernel = 1,
		};
		if (!definition || metric.activity == NO_ROW) {
			profile_skip(compute->profile, "value without metric or kernel");
			continue;
		}
		metric.name = definition->id;
		metric.title = definition->name;
		metric.section = definition->section;
		metric.unit = definition->unit;
		metric.statistic = sqlite_intern(rows, STATISTIC);
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
	struct compute compute = { .database = database,
				   .profile = database->profile,
				   .builder = builder,
				   .firsts = hash_new(64) };
	sqlite_database_expect(database,
			       "compute_kernel,compute_dispatch,compute_metric_definition,"
			       "compute_kernel_metric_value",
			       "");
	compute.kernels =
		sqlite_strings(database, "compute_kernel", "kernel_uuid! kernel_name:text!");
	read_dispatches(&compute);
	read_definitions(&compute);
	rocprof_compute_read_values(&compute);
	hash_free_all(compute.kernels, compute.firsts);
	id_table_clear(&compute.metrics);
	return true;
}

const struct reader rocprof_compute_reader = {
	.format = "rocprof-compute analysis (SQLite)",
	.recognize_database = rocprof_compute_recognize,
	.read_database = read_compute,
	.empty =
		"is a rocprof-compute database without dispatches; analyze again with: rocprof-compute analyze --output-format db"
};

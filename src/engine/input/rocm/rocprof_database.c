/*
 * The database that rocprof writes beside its tables (results.db): kernels with their counters
 * (KERN), or with --hip-trace and --hsa-trace calls, and the operations and copies that calls of
 * HIP began, by their number.
 */
#include "input/readers.h"
#include "input/rocm/rocm.h"
#include "input/sqlite/sqlite_table.h"

enum { ROCPROF_DATABASE_COLUMNS(SQLITE_PLACE) COLUMNS };
static const char columns[] = ROCPROF_DATABASE_COLUMNS(SQLITE_COLUMN);

static void rocprof_database_add_call(struct builder *builder, struct profile *profile,
				      const struct sqlite_rows *rows, bool hip)
{
	struct rocm_range range = {
		.category = profile_intern(profile, hip ? "HIP_API" : "HSA_API"),
		.name = sqlite_intern(rows, NAME),
		.start = sqlite_int(rows, START),
		.correlation = hip ? sqlite_int(rows, NUMBER) : NO_VALUE,
	};
	if (!rocm_times(profile, range.start, sqlite_int(rows, END), &range.dur))
		return;
	range.track = builder_track(builder, builder_process(builder, sqlite_int(rows, PROCESS), 0),
				    sqlite_int(rows, THREAD), 0, -1);
	rocm_add_range(builder, profile, NULL, &range);
}

/* The name of a kernel is in quotes, as in the tables. */
static uint32_t rocprof_database_kernel(struct profile *profile, const struct sqlite_rows *rows)
{
	size_t length;
	const char *name = sqlite_text(rows, NAME, &length);
	bool quoted = name && length > 1 && name[0] == '"' && name[length - 1] == '"';
	AUTO_FREE char *plain = mem_strndup(quoted ? name + 1
					    : name ? name
						   : "",
					    quoted ? length - 2 : length);
	return intern_add(profile->strings, plain, rocm_kernel_length(plain));
}

static void rocprof_database_add_work(struct builder *builder, struct profile *profile,
				      const struct sqlite_rows *rows, enum activity_kind kind)
{
	struct activity activity = activity_of(kind);
	size_t length;
	int64_t stream = sqlite_int(rows, STREAM);
	activity.start = sqlite_int(rows, START);
	activity.correlation = sqlite_int(rows, NUMBER);
	if (!rocm_times(profile, activity.start, sqlite_int(rows, END), &activity.dur))
		return;
	activity.track =
		builder_track(builder, builder_process(builder, sqlite_int(rows, PROCESS), 0),
			      stream == NO_VALUE ? sqlite_int(rows, QUEUE) : stream, 0,
			      rocm_device(sqlite_int(rows, DEVICE)));
	activity.name = kind == ACTIVITY_KERNEL
				? rocprof_database_kernel(profile, rows)
				: rocm_copy_name(profile, sqlite_text(rows, NAME, &length),
						 ROCM_UNKNOWN, ROCM_UNKNOWN);
	activity.config =
		rocm_config(builder, &(struct rocm_launch){ { sqlite_int(rows, GRID), 1, 1 },
							    { sqlite_int(rows, BLOCK), 1, 1 },
							    sqlite_int(rows, REGISTERS),
							    sqlite_int(rows, SHARED),
							    true });
	builder_activity(builder, &activity);
}

static bool rocprof_database_read(struct sqlite_database *database, struct builder *builder,
				  struct error *error)
{
	struct profile *profile = database->profile;
	const char *kernels = sqlite_database_has(database, "OPS") ? "OPS" : "KERN";
	sqlite_database_expect(database, "HIP,HSA,OPS,COPY,KERN", "");
	sqlite_each (rows, database, "HIP", columns, COLUMNS)
		rocprof_database_add_call(builder, profile, rows, true);
	sqlite_each (rows, database, "HSA", columns, COLUMNS)
		rocprof_database_add_call(builder, profile, rows, false);
	sqlite_each (rows, database, kernels, columns, COLUMNS)
		rocprof_database_add_work(builder, profile, rows, ACTIVITY_KERNEL);
	sqlite_each (rows, database, "COPY", columns, COLUMNS)
		rocprof_database_add_work(builder, profile, rows, ACTIVITY_MEMCPY);
	return true;
}

static bool rocprof_database_recognize(const struct sqlite_database *database)
{
	return sqlite_database_has(database, "KERN") ||
	       (sqlite_database_has(database, "OPS") && sqlite_database_has(database, "COPY"));
}

const struct reader rocprof_database_reader = {
	.format = "rocprof database (SQLite)",
	.recognize_database = rocprof_database_recognize,
	.read_database = rocprof_database_read,
	.empty =
		"is a database of rocprof without timed kernels, copies or calls; record with: rocprof --hip-trace"
};

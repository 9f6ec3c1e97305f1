/*
 * Device rows of an Ascend database: tasks of streams, collectives.
 *
 * Kernels are the tasks that COMPUTE_TASK_INFO describes: the others wait, signal, copy, or are the
 * parts of collectives. Files without that table have only the type of the task to tell by.
 */
#include "input/ascend/ascend_private.h"
#include "input/kineto/category.h"

/* ---- what tasks are ---- */

static void read_computes(struct ascend *ascend)
{
	enum { TASK, NAME, BLOCKS, CORE, TYPE, SHAPES, COLUMNS };
	sqlite_each (rows, ascend->database, "COMPUTE_TASK_INFO",
		     "globalTaskId! name! blockDim|blockNum taskType opType inputShapes", COLUMNS) {
		struct ascend_compute *compute =
			id_table_add(&ascend->computes, sizeof *compute, sqlite_int(rows, TASK));
		compute->name = ascend_string(ascend, sqlite_int(rows, NAME));
		compute->type = ascend_string(ascend, sqlite_int(rows, TYPE));
		compute->core = ascend_string(ascend, sqlite_int(rows, CORE));
		compute->shapes = ascend_string(ascend, sqlite_int(rows, SHAPES));
		compute->blocks = sqlite_int(rows, BLOCKS);
	}
}

/* The sizes of the copies that collectives consist of. */
static void read_parts(struct ascend *ascend)
{
	sqlite_each (rows, ascend->database, "COMMUNICATION_TASK_INFO", "globalTaskId! size", 2) {
		int64_t size = sqlite_int(rows, 1);
		int64_t *kept = id_table_add(&ascend->copies, sizeof *kept, sqlite_int(rows, 0));
		*kept = size < 0 ? NO_VALUE : size;
	}
}

/* ---- tasks ---- */

static void ascend_device_describe(struct ascend *ascend, uint32_t activity,
				   const struct ascend_compute *compute)
{
	builder_activity_text(ascend->builder, activity, "Op Type", compute->type);
	builder_activity_text(ascend->builder, activity, "Task Type", compute->core);
	builder_activity_text(ascend->builder, activity, "Input Shapes", compute->shapes);
	builder_activity_number(ascend->builder, activity, "Block Dim", compute->blocks);
}

static uint32_t stream_of(struct ascend *ascend, int64_t pid, int64_t device, int64_t stream)
{
	uint32_t process =
		pid == NO_VALUE ? ascend_process(ascend) : builder_process(ascend->builder, pid, 0);
	ascend->device = device;
	return builder_track(ascend->builder, process, stream, 0, ascend_npu(device));
}

static enum activity_kind ascend_device_kind_of(const struct ascend *ascend, uint32_t type,
						bool described)
{
	const char *name = profile_string(ascend->profile, type);
	enum activity_kind kind =
		task_kind_find(category_of_lane("Ascend Hardware", NULL), name, strlen(name));
	return kind == ACTIVITY_KERNEL && described ? ACTIVITY_SYNC : kind;
}

static void read_tasks(struct ascend *ascend)
{
	enum { START, END, DEVICE, CONNECTION, TASK, PID, TYPE, STREAM, COLUMNS };
	bool described = ascend->computes.count > 0;
	sqlite_each (rows, ascend->database, "TASK",
		     "startNs! endNs! deviceId connectionId globalTaskId globalPid taskType "
		     "streamId",
		     COLUMNS) {
		int64_t task = sqlite_int(rows, TASK);
		const struct ascend_compute *compute = id_table_find(&ascend->computes, task);
		const int64_t *size = id_table_find(&ascend->copies, task);
		struct activity activity = activity_of(ACTIVITY_KERNEL);
		activity.start = sqlite_int(rows, START);
		activity.correlation = ascend_connection(sqlite_int(rows, CONNECTION));
		activity.name = ascend_string(ascend, sqlite_int(rows, TYPE));
		if (!row_times(ascend->profile, TIMES_BOTH, activity.start, sqlite_int(rows, END),
			       &activity.dur))
			continue;
		activity.kind = ascend_device_kind_of(ascend, activity.name, described);
		activity.track = stream_of(ascend, sqlite_int(rows, PID), sqlite_int(rows, DEVICE),
					   sqlite_int(rows, STREAM));
		if (compute) {
			activity.kind = ACTIVITY_KERNEL;
			activity.name = compute->name;
		} else if (activity.kind == ACTIVITY_MEMCPY && size) {
			activity.bytes = *size;
		}
		uint32_t row = builder_activity(ascend->builder, &activity);
		if (compute)
			ascend_device_describe(ascend, row, compute);
		id_add(ascend->tasks, task, row);
	}
}

/* ---- collectives ---- */

enum { ASCEND_OP_COLUMNS(SQLITE_PLACE) OP_COLUMNS };

static void add_collective(struct ascend *ascend, const struct sqlite_rows *rows,
			   const struct hash *types)
{
	struct activity activity = activity_of(ACTIVITY_COLLECTIVE);
	activity.name = ascend_string(ascend, sqlite_int(rows, OP_NAME));
	activity.start = sqlite_int(rows, OP_START);
	activity.correlation = ascend_connection(sqlite_int(rows, OP_CONNECTION));
	if (!row_times(ascend->profile, TIMES_BOTH, activity.start, sqlite_int(rows, OP_END),
		       &activity.dur))
		return;
	uint32_t group = ascend_string(ascend, sqlite_int(rows, OP_GROUP));
	int64_t device = sqlite_int(rows, OP_DEVICE);
	activity.track =
		builder_track(ascend->builder, ascend_process(ascend), NO_VALUE,
			      group ? group : profile_intern(ascend->profile, "collectives"),
			      ascend_npu(device < 0 ? ascend->device : device));
	uint32_t row = builder_activity(ascend->builder, &activity);
	uint32_t type = id_find(types, sqlite_int(rows, OP_TYPE));
	int64_t count = sqlite_int(rows, OP_COUNT);
	builder_activity_text(ascend->builder, row, "Process Group Name", group);
	if (type == NO_ROW || count < 0)
		return;
	builder_activity_attribute(ascend->builder, row, builder_key(ascend->builder, "data_type"),
				   type);
	builder_activity_number(ascend->builder, row, "count", count);
}

static void read_collectives(struct ascend *ascend)
{
	AUTO_HASH struct hash *types =
		sqlite_strings(ascend->database, "ENUM_HCCL_DATA_TYPE", "id! name:text!");
	sqlite_each (rows, ascend->database, "COMMUNICATION_OP", ASCEND_OP_COLUMNS(SQLITE_COLUMN),
		     OP_COLUMNS)
		add_collective(ascend, rows, types);
}

void ascend_read_device(struct ascend *ascend)
{
	read_computes(ascend);
	read_parts(ascend);
	read_tasks(ascend);
	read_collectives(ascend);
}

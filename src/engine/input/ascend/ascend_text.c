#include "input/ascend/ascend_text.h"

#include "base/error.h"
#include "input/ascend/ascend_private.h"
#include "input/readers.h"
#include "input/csv.h"
#include "input/json.h"
#include "input/kineto/category.h"
#include "input/source_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* Microseconds as ns; false for "N/A" and "". */
static bool ascend_text_time_of(const char *text, int64_t *ns)
{
	struct json_slice slice = { text, strlen(text), JSON_NUMBER, false };
	return *text && json_time_ns(&slice, ns);
}

/* A number of units of SCALE bytes; NO_VALUE where there is none. */
static int64_t size_of(const char *text, double scale)
{
	struct json_slice slice = { text, strlen(text), JSON_NUMBER, false };
	double number;
	if (!*text || !json_real(&slice, &number) || !(fabs(number * scale) < 9e18))
		return NO_VALUE;
	return llround(number * scale);
}

/* "NPU:3" is 3. */
static int32_t ascend_text_device_of(const char *text)
{
	const char *digits = text + strcspn(text, "0123456789");
	return ascend_npu(strtol(digits, NULL, 10));
}

/* ---- kernels ---- */

enum { NAME, TYPE, CORE, START, DUR, STREAM, DEVICE, BLOCKS, SHAPES, COLUMNS };

static const char *const kernel_columns[COLUMNS] = {
	[NAME] = "Name|Op Name",
	[TYPE] = "Type|OP Type",
	[CORE] = "Accelerator Core|Task Type",
	[START] = "Start Time(us)|Task Start Time(us)",
	[DUR] = "Duration(us)|Task Duration(us)",
	[STREAM] = "Stream ID",
	[DEVICE] = "Device_id|Device ID",
	[BLOCKS] = "Block Dim|Block Num",
	[SHAPES] = "Input Shapes",
};

/* Collectives have the core "HCCL". */
static enum activity_kind ascend_text_kind_of(const char *core)
{
	if (strcmp(core, "HCCL") == 0 || strcmp(core, "COMMUNICATION") == 0)
		return ACTIVITY_COLLECTIVE;
	return task_kind_find(category_of_lane("Ascend Hardware", NULL), core, strlen(core));
}

static void ascend_text_add_kernel(struct profile *profile, struct builder *builder,
				   const char *const *field)
{
	struct activity activity = activity_of(ACTIVITY_KERNEL);
	char *end;
	profile->events++;
	int64_t stop;
	if (!ascend_text_time_of(field[START], &activity.start) ||
	    !ascend_text_time_of(field[DUR], &activity.dur) || activity.dur < 0 ||
	    __builtin_add_overflow(activity.start, activity.dur, &stop)) {
		profile_damage(profile, "row without times", "skipped", UINT64_MAX);
		return;
	}
	long long stream = strtoll(field[STREAM], &end, 10);
	activity.kind = ascend_text_kind_of(field[CORE]);
	activity.name = profile_intern(profile, field[NAME]);
	activity.track = builder_track(
		builder, builder_process(builder, NO_VALUE, 0),
		end == field[STREAM] ? NO_VALUE : stream,
		activity.kind == ACTIVITY_COLLECTIVE ? profile_intern(profile, "collectives") : 0,
		ascend_text_device_of(field[DEVICE]));
	uint32_t row = builder_activity(builder, &activity);
	static const struct {
		int column;
		const char *key;
	} derived[] = { { TYPE, "Op Type" },
			{ CORE, "Task Type" },
			{ BLOCKS, "Block Dim" },
			{ SHAPES, "Input Shapes" } };
	for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
		if (*field[derived[i].column] && strcmp(field[derived[i].column], "N/A") != 0)
			builder_activity_text(builder, row, derived[i].key,
					      profile_intern(profile, field[derived[i].column]));
}

static bool read_kernels(struct source *source, struct profile *profile, struct builder *builder,
			 const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	struct csv csv;
	size_t column[COLUMNS];
	bool ok = true;
	if (!source_text(source, &text, error))
		return false;
	profile->text_bytes = text.length;
	csv_open(&csv, text.data, text.length);
	for (size_t i = 0; i < COLUMNS; i++)
		column[i] = csv_column(&csv, kernel_columns[i]);
	while (ok && csv_next(&csv)) {
		const char *field[COLUMNS];
		for (size_t i = 0; i < COLUMNS; i++)
			field[i] = csv_field(&csv, column[i]);
		ok = progress_heavy_row(progress, "reading kernels", (size_t)(csv.at - text.data),
					text.length, 1);
		if (csv.count > 1)
			ascend_text_add_kernel(profile, builder, field);
	}
	csv_close(&csv);
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return profile->activities ||
	       error_set(error, ERROR_INPUT, "is a table of Ascend kernels without any");
}

static bool recognize_kernels(const char *head, size_t length)
{
	const char *line = memchr(head, '\n', length);
	size_t first = line ? (size_t)(line - head) : length;
	static const char *const words[][2] = { { "Accelerator Core,", "Task Type," },
						{ "Start Time(us),", "Task Start Time(us)," },
						{ "Duration(us),", "Task Duration(us)," } };
	if (*head == '{' || *head == '[')
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!memmem(head, first, words[i][0], strlen(words[i][0])) &&
		    !memmem(head, first, words[i][1], strlen(words[i][1])))
			return false;
	return true;
}

const struct reader ascend_kernels_reader = { .format = "Ascend kernel table (CSV)",
					      .recognize = recognize_kernels,
					      .read = read_kernels };

/* ---- memory, beside the profile ---- */

enum {
	MEM_TIME,
	MEM_ALLOCATED,
	MEM_RESERVED,
	MEM_DEVICE,
	MEM_COMPONENT,
	MEM_SIZE,
	MEM_FREED,
	MEM_COLUMNS
};

static const char *const memory_columns[MEM_COLUMNS] = {
	[MEM_TIME] = "Timestamp(us)|Allocation Time(us)",
	[MEM_ALLOCATED] = "Total Allocated(MB)",
	[MEM_RESERVED] = "Total Reserved(MB)",
	[MEM_DEVICE] = "Device Type",
	[MEM_COMPONENT] = "Component",
	[MEM_SIZE] = "Size(KB)",
	[MEM_FREED] = "Release Time(us)",
};

struct beside {
	struct profile *profile;
	struct builder *builder;
	uint32_t track;
	int64_t rows; /* number of the allocation, which pairs it with its release */
};

static void ascend_text_add_total(struct beside *beside, struct memory_event event,
				  const char *const *field)
{
	event.category = profile_intern(beside->profile, field[MEM_COMPONENT]);
	event.total_allocated = size_of(field[MEM_ALLOCATED], 1 << 20);
	event.total_reserved = size_of(field[MEM_RESERVED], 1 << 20);
	builder_memory(beside->builder, &event);
}

static void ascend_text_add_allocation(struct beside *beside, struct memory_event event,
				       const char *const *field)
{
	event.bytes = size_of(field[MEM_SIZE], 1 << 10);
	event.address = beside->rows++;
	if (event.bytes <= 0)
		return;
	builder_memory(beside->builder, &event);
	event.bytes = -event.bytes;
	if (ascend_text_time_of(field[MEM_FREED], &event.time))
		builder_memory(beside->builder, &event);
}

static void add_memory(struct beside *beside, const char *const *field)
{
	enum { DEVICE_TYPE_NPU = 20 }; /* PyTorch's PrivateUse1 */
	struct memory_event event = {
		.address = NO_VALUE,
		.total_allocated = NO_VALUE,
		.total_reserved = NO_VALUE,
		.device_type = DEVICE_TYPE_NPU,
		.device_id = ascend_text_device_of(field[MEM_DEVICE]),
		.track = beside->track,
	};
	if (!ascend_text_time_of(field[MEM_TIME], &event.time))
		return;
	if (*field[MEM_COMPONENT])
		ascend_text_add_total(beside, event, field);
	else
		ascend_text_add_allocation(beside, event, field);
}

/* False when cancelled. */
static bool read_memory(struct beside *beside, struct buffer *text, const struct progress *progress)
{
	struct csv csv;
	size_t column[MEM_COLUMNS];
	bool ok = true;
	csv_open(&csv, text->data, text->length);
	for (size_t i = 0; i < MEM_COLUMNS; i++)
		column[i] = csv_column(&csv, memory_columns[i]);
	while (ok && csv_next(&csv)) {
		const char *field[MEM_COLUMNS];
		for (size_t i = 0; i < MEM_COLUMNS; i++)
			field[i] = csv_field(&csv, column[i]);
		ok = progress_heavy_row(progress, "reading memory", (size_t)(csv.at - text->data),
					text->length, 1);
		beside->profile->events++;
		add_memory(beside, field);
	}
	csv_close(&csv);
	return ok;
}

static bool is_ascend(const struct profile *profile)
{
	if (profile->format == ascend_kernels_reader.format)
		return true;
	for (size_t i = 0; i < profile->process_count; i++)
		if (strcmp(profile_string(profile, profile->processes[i].name),
			   "Ascend Hardware") == 0)
			return true;
	return false;
}

/* Append the contents of a file beside the profile; false when there is none that is readable. */
static bool ascend_text_read_file(const struct profile *profile, const char *name,
				  struct buffer *text)
{
	const char *slash = strrchr(profile->path, '/');
	struct buffer path = { 0 };
	if (slash)
		buffer_add(&path, profile->path, (size_t)(slash + 1 - profile->path));
	buffer_puts(&path, name);
	struct source *source = source_open(buffer_text(&path), NULL, NULL);
	bool done = source && source_text(source, text, NULL) && text->length;
	source_close(source);
	buffer_free(&path);
	return done;
}

/* profiler_info_0.json of the folder around the output has the rank in its name and contents. */
static void read_rank(struct profile *profile)
{
	char *file = ascend_folder_information(profile->path);
	struct buffer text = { 0 };
	struct json_slice object, value;
	struct source *source = file ? source_open(file, NULL, NULL) : NULL;
	if (source && source_text(source, &text, NULL) &&
	    json_document(buffer_text(&text), text.length, JSON_OBJECT, &object, NULL) &&
	    json_find_type(&object, "rank_id", JSON_NUMBER, &value))
		json_int(&value, &profile->rank);
	source_close(source);
	buffer_free(&text);
	mem_free(file);
}

bool ascend_read_beside(struct profile *profile, struct builder *builder,
			const struct progress *progress, struct error *error)
{
	static const char *const names[] = { "memory_record.csv", "operator_memory.csv" };
	bool ok = true;
	if (profile->partial || profile->filter || !is_ascend(profile))
		return true;
	uint32_t process = builder_process(builder, NO_VALUE, 0);
	struct beside beside = { profile, builder, builder_track(builder, process, NO_VALUE, 0, -1),
				 0 };
	for (size_t i = 0; i < sizeof names / sizeof *names && ok; i++) {
		struct buffer text = { 0 };
		if (ascend_text_read_file(profile, names[i], &text)) {
			profile->of_files = true;
			ok = read_memory(&beside, &text, progress);
		}
		buffer_free(&text);
	}
	ascend_mark_parts(profile);
	if (profile->rank == NO_VALUE)
		read_rank(profile);
	return ok || error_set(error, ERROR_CANCELLED, "cancelled");
}

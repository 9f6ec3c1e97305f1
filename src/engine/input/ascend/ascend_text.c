#include "input/ascend/ascend_text.h"

#include "base/any_of.h"
#include "base/error.h"
#include "input/ascend/ascend_private.h"
#include "input/readers.h"
#include "input/csv.h"
#include "input/json.h"
#include "input/kineto/category.h"
#include "input/text_lines.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- values ---- */

/* A number of units of SCALE bytes; NO_VALUE where there is none. */
static int64_t size_of(const struct csv *csv, size_t column, double scale)
{
	double bytes = csv_real(csv, column) * scale;
	return fabs(bytes) < 9e18 ? llround(bytes) : NO_VALUE;
}

/* "NPU:3" is 3. */
static int32_t ascend_text_device_of(const char *text)
{
	const char *digits = text + strcspn(text, "0123456789");
	return ascend_npu(strtol(digits, NULL, 10));
}

/* ---- kernels ---- */

enum { ASCEND_KERNEL_COLUMNS(CSV_COLUMN) COLUMNS };
static const char *const kernel_columns[] = { ASCEND_KERNEL_COLUMNS(CSV_NAMES) };

/* Collectives have the core "HCCL". */
static enum activity_kind ascend_text_kind_of(const char *core)
{
	if (strcmp(core, "HCCL") == 0 || strcmp(core, "COMMUNICATION") == 0)
		return ACTIVITY_COLLECTIVE;
	return task_kind_find(category_of_lane("Ascend Hardware", NULL), core, strlen(core));
}

static void ascend_text_add_kernel(struct profile *profile, struct builder *builder,
				   const struct csv *csv)
{
	struct activity activity = activity_of(ACTIVITY_KERNEL);
	char *end;
	profile->events++;
	int64_t stop;
	if (!csv_us(csv, START, &activity.start) || !csv_us(csv, DUR, &activity.dur) ||
	    activity.dur < 0 || __builtin_add_overflow(activity.start, activity.dur, &stop)) {
		profile_skip(profile, "row without times");
		return;
	}
	long long stream = strtoll(csv_cell(csv, STREAM), &end, 10);
	activity.kind = ascend_text_kind_of(csv_cell(csv, CORE));
	activity.name = profile_intern(profile, csv_cell(csv, NAME));
	activity.track = builder_track(
		builder, builder_process(builder, NO_VALUE, 0),
		end == csv_cell(csv, STREAM) ? NO_VALUE : stream,
		activity.kind == ACTIVITY_COLLECTIVE ? profile_intern(profile, "collectives") : 0,
		ascend_text_device_of(csv_cell(csv, DEVICE)));
	uint32_t row = builder_activity(builder, &activity);
	static const struct {
		size_t column;
		const char *key;
	} derived[] = { ASCEND_DERIVED_ROWS };
	for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
		const char *text = csv_cell(csv, derived[i].column);
		if (strcmp(text, "N/A") != 0)
			builder_activity_text(builder, row, derived[i].key,
					      profile_intern(profile, text));
	}
}

static bool read_kernels(struct input *input)
{
	struct csv csv =
		csv_open(input->text.data, input->text.length, "reading kernels", input->progress);
	csv_select(&csv, kernel_columns, COLUMNS);
	while (csv_next(&csv))
		if (csv.count > 1)
			ascend_text_add_kernel(input->profile, input->builder, &csv);
	return csv_close(&csv);
}

static bool recognize_kernels(const char *head, size_t length)
{
	const char *line = memchr(head, '\n', length);
	size_t first = line ? (size_t)(line - head) : length;
	return *head != '{' && *head != '[' &&
	       text_has_one(head, first, "Accelerator Core,|Task Type,") &&
	       text_has_one(head, first, "Start Time(us),|Task Start Time(us),") &&
	       text_has_one(head, first, "Duration(us),|Task Duration(us),");
}

const struct reader ascend_kernels_reader = { .format = "Ascend kernel table (CSV)",
					      .recognize = recognize_kernels,
					      .text_max = SOURCE_TEXT_MAX,
					      .read = read_kernels,
					      .empty = "is a table of Ascend kernels without any" };

/* ---- memory, beside the profile ---- */

enum { ASCEND_MEMORY_COLUMNS(CSV_COLUMN) MEM_COLUMNS };
static const char *const memory_columns[] = { ASCEND_MEMORY_COLUMNS(CSV_NAMES) };

struct beside {
	struct profile *profile;
	struct builder *builder;
	uint32_t track;
	int64_t rows; /* number of the allocation, which pairs it with its release */
};

static void ascend_text_add_total(struct beside *beside, struct memory_event event,
				  const struct csv *csv)
{
	event.category = profile_intern(beside->profile, csv_cell(csv, MEM_COMPONENT));
	event.total_allocated = size_of(csv, MEM_ALLOCATED, 1 << 20);
	event.total_reserved = size_of(csv, MEM_RESERVED, 1 << 20);
	builder_memory(beside->builder, &event);
}

static void ascend_text_add_allocation(struct beside *beside, struct memory_event event,
				       const struct csv *csv)
{
	event.bytes = size_of(csv, MEM_SIZE, 1 << 10);
	event.address = beside->rows++;
	if (event.bytes <= 0)
		return;
	builder_memory(beside->builder, &event);
	event.bytes = -event.bytes;
	if (csv_us(csv, MEM_FREED, &event.time))
		builder_memory(beside->builder, &event);
}

static void add_memory(struct beside *beside, const struct csv *csv)
{
	enum { DEVICE_TYPE_NPU = 20 }; /* PyTorch's PrivateUse1 */
	struct memory_event event = {
		.address = NO_VALUE,
		.total_allocated = NO_VALUE,
		.total_reserved = NO_VALUE,
		.device_type = DEVICE_TYPE_NPU,
		.device_id = ascend_text_device_of(csv_cell(csv, MEM_DEVICE)),
		.track = beside->track,
	};
	if (!csv_us(csv, MEM_TIME, &event.time))
		return;
	if (*csv_cell(csv, MEM_COMPONENT))
		ascend_text_add_total(beside, event, csv);
	else
		ascend_text_add_allocation(beside, event, csv);
}

/* False when cancelled. */
static bool read_memory(struct beside *beside, struct buffer *text, const struct progress *progress)
{
	struct csv csv = csv_open(text->data, text->length, "reading memory", progress);
	csv_select(&csv, memory_columns, MEM_COLUMNS);
	for (; csv_next(&csv); beside->profile->events++)
		add_memory(beside, &csv);
	return csv_close(&csv);
}

static bool is_ascend(const struct profile *profile)
{
	if (profile->format == ascend_kernels_reader.format)
		return true;
	return any_of(i, profile->process_count,
		      strcmp(profile_string(profile, profile->processes[i].name),
			     "Ascend Hardware") == 0);
}

/* Append a file beside the profile; false when there is none. One that cannot be read is damage. */
static bool read_file_beside(struct profile *profile, const char *path, struct buffer *text)
{
	bool there = path && access(path, F_OK) == 0;
	AUTO_SOURCE struct source *source = there ? source_open(path, NULL, NULL) : NULL;
	bool done = source && source_text(source, text, NULL);
	if (there && !done)
		profile_damage(profile, "file beside the trace", "not read", UINT64_MAX);
	return done && text->length;
}

static bool read_table_beside(struct profile *profile, const char *name, struct buffer *text)
{
	const char *slash = strrchr(profile->path, '/');
	AUTO_FREE char *path = mem_printf("%.*s%s", slash ? (int)(slash + 1 - profile->path) : 0,
					  profile->path, name);
	return read_file_beside(profile, path, text);
}

/* profiler_info_0.json of the folder around the output has the rank in its name and contents. */
static void read_rank(struct profile *profile)
{
	AUTO_FREE char *file = ascend_folder_information(profile->path);
	AUTO_BUFFER struct buffer text = { 0 };
	struct json_slice object, value;
	if (read_file_beside(profile, file, &text) &&
	    json_document(BUFFERED(&text), JSON_OBJECT, &object, NULL) &&
	    json_find_type(&object, "rank_id", JSON_NUMBER, &value))
		json_int(&value, &profile->rank);
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
		AUTO_BUFFER struct buffer text = { 0 };
		if (read_table_beside(profile, names[i], &text)) {
			profile->of_files = true;
			ok = read_memory(&beside, &text, progress);
		}
	}
	ascend_mark_parts(profile);
	if (profile->rank == NO_VALUE)
		read_rank(profile);
	return ok || error_cancelled(error);
}

/*
 * Reads what rocprofv3 writes as JSON.
 */
#include "input/id_table.h"
#include "input/json_stream.h"
#include "input/nvtx/nvtx.h"
#include "input/rocm/rocm.h"
#include "input/readers.h"

#define ROOT "rocprofiler-sdk-tool"

enum { KINDS_MAX = 4096 }; /* limit: kinds of records in a rocprofv3 JSON file */

struct rocprof_json_kind {
	uint32_t name, *operations; /* interned */
	size_t count;
};

struct symbol {
	uint32_t name;
	int64_t registers;
};

struct rocprof {
	struct profile *profile;
	struct builder *builder;
	struct nvtx *nvtx;
	/* of the process that is read */
	struct hash *devices; /* handle of an agent → GPU, or NO_ROW - 1 for a CPU */
	struct hash *symbol_ids, *messages;
	struct symbol *symbols;
	struct rocprof_json_kind *kinds;
	size_t symbol_count, kind_count;
	uint32_t gpus, process;
	struct buffer kept; /* records that come before what they refer to */
	unsigned seen;      /* bits: the members of referred[] that were read */
	struct error *error;
};

#define IS_CPU (NO_ROW - 1)

static bool rocprof_recognize(const char *head, size_t length)
{
	size_t blank = strspn(head, " \t\r\n");
	if (head[blank] != '{')
		return false;
	blank += 1 + strspn(head + blank + 1, " \t\r\n");
	return strncmp(head + blank, "\"" ROOT "\"", sizeof ROOT + 1) == 0;
}

/* ---- records ---- */

/* Members of a record; NO_VALUE where it has none. */
struct rocprof_json_record {
	int64_t kind, operation, thread, correlation, start, end, agent, queue, stream, kernel;
	int64_t bytes, from, to, shared, type, id, key, registers, accumulated, pid;
	int64_t grid[3], block[3];
};

#define PLACE(member) offsetof(struct rocprof_json_record, member)
static const struct {
	const char *name, *inner; /* inner: the member of an object that has the number */
	size_t place;
} members[] = { ROCPROF_MEMBERS_ROWS };

static void read_member(struct rocprof_json_record *record, const struct json_slice *key,
			const struct json_slice *value)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		struct json_slice inner = *value;
		if (!json_equal(key, members[i].name) ||
		    (members[i].inner &&
		     (value->type != JSON_OBJECT || !json_find(value, members[i].inner, &inner))))
			continue;
		if (inner.type == JSON_NUMBER)
			json_int(&inner, (int64_t *)(void *)((char *)record + members[i].place));
	}
}

/* Members of "dispatch_info" count as those of the record. */
static void read_members(struct rocprof_json_record *record, const struct json_slice *object,
			 bool nested)
{
	for (struct json_members at = json_members(object); json_each(&at);) {
		if (!nested && at.value.type == JSON_OBJECT && json_equal(&at.key, "dispatch_info"))
			read_members(record, &at.value, true);
		else
			read_member(record, &at.key, &at.value);
	}
}

static bool parse_record(struct stream *stream, struct rocprof_json_record *record,
			 struct json_slice *object)
{
	int64_t *numbers = (int64_t *)(void *)record;
	for (size_t i = 0; i < sizeof *record / sizeof *numbers; i++)
		numbers[i] = NO_VALUE;
	if (!stream_value(stream, object) || object->type != JSON_OBJECT)
		return false;
	read_members(record, object, false);
	return true;
}

/* ---- what records refer to ---- */

static void parse_agent(void *context, struct stream *stream, const char *key)
{
	enum { GPU = 2 };
	struct rocprof *rocprof = context;
	struct json_slice object;
	struct rocprof_json_record agent;
	if (!parse_record(stream, &agent, &object) || agent.id == NO_VALUE)
		return;
	if (agent.type != GPU) {
		hash_add(rocprof->devices, (uint64_t)agent.id, IS_CPU);
		return;
	}
	struct device *device = builder_device(rocprof->builder, (int32_t)rocprof->gpus);
	uint32_t name = json_find_text(&object, "product_name", rocprof->profile->strings);
	if (device && name)
		device->name = name;
	hash_add(rocprof->devices, (uint64_t)agent.id, rocprof->gpus++);
}

static void parse_symbol(void *context, struct stream *stream, const char *key)
{
	struct rocprof *rocprof = context;
	struct json_slice object;
	struct rocprof_json_record symbol;
	if (!parse_record(stream, &symbol, &object) || symbol.kernel == NO_VALUE)
		return;
	uint32_t name = json_find_text(&object, "formatted_kernel_name", rocprof->profile->strings);
	mem_grow(rocprof->symbols, rocprof->symbol_count + 1);
	rocprof->symbols[rocprof->symbol_count] = (struct symbol){
		.name = name ? name
			     : json_find_text(&object, "kernel_name", rocprof->profile->strings),
		.registers = symbol.registers >= 0 && symbol.registers <= INT32_MAX &&
					     symbol.accumulated >= 0 &&
					     symbol.accumulated <= INT32_MAX
				     ? symbol.registers + symbol.accumulated
				     : symbol.registers,
	};
	hash_add(rocprof->symbol_ids, (uint64_t)symbol.kernel, (uint32_t)rocprof->symbol_count++);
}

static void parse_kind(void *context, struct stream *stream, const char *key)
{
	struct rocprof *rocprof = context;
	struct json_slice object, list;
	if (!stream_value(stream, &object) || object.type != JSON_OBJECT ||
	    rocprof->kind_count == KINDS_MAX)
		return;
	struct rocprof_json_kind *kind = mem_push(rocprof->kinds, rocprof->kind_count);
	*kind = (struct rocprof_json_kind){ .name = json_find_text(&object, "kind",
								   rocprof->profile->strings) };
	if (!json_find_type(&object, "operations", JSON_ARRAY, &list))
		return;
	for (struct json_members at = json_members(&list); json_each(&at);) {
		*mem_push(kind->operations, kind->count) =
			at.value.type == JSON_STRING
				? json_intern(&at.value, rocprof->profile->strings)
				: 0;
	}
}

static void parse_message(void *context, struct stream *stream, const char *key)
{
	struct rocprof *rocprof = context;
	struct json_slice object;
	struct rocprof_json_record message;
	if (parse_record(stream, &message, &object) && message.key != NO_VALUE)
		hash_add(rocprof->messages, (uint64_t)message.key,
			 json_find_text(&object, "value", rocprof->profile->strings));
}

static void parse_strings(void *context, struct stream *stream, const char *key)
{
	if (strcmp(key, "buffer_records") == 0)
		stream_walk(stream, parse_kind, context);
	else if (strcmp(key, "marker_api") == 0)
		stream_walk(stream, parse_message, context);
	else
		stream_skip(stream);
}

/* ---- rows ---- */

static uint32_t operation_name(const struct rocprof *rocprof,
			       const struct rocprof_json_record *record)
{
	uint64_t kind = (uint64_t)record->kind, operation = (uint64_t)record->operation;
	return kind < rocprof->kind_count && operation < rocprof->kinds[kind].count
		       ? rocprof->kinds[kind].operations[operation]
		       : 0;
}

static void rocprof_json_parse_call(void *context, struct stream *stream, const char *key)
{
	struct rocprof *rocprof = context;
	struct json_slice object;
	struct rocprof_json_record record;
	if (!parse_record(stream, &record, &object))
		return;
	struct rocm_range range = { .start = record.start, .correlation = record.correlation };
	if (!rocm_times(rocprof->profile, record.start, record.end, &range.dur))
		return;
	uint32_t message = id_find(rocprof->messages, record.correlation);
	uint64_t kind = (uint64_t)record.kind;
	range.track = builder_track(rocprof->builder, rocprof->process, record.thread, 0, -1);
	range.name = operation_name(rocprof, &record);
	range.category = kind < rocprof->kind_count ? rocprof->kinds[kind].name : 0;
	range.message = message == NO_ROW ? 0 : message;
	bool marker = rocm_call_of(profile_string(rocprof->profile, range.category)) == ROCM_MARKER;
	if (marker && !range.dur)
		rocm_add_mark(rocprof->builder, &range);
	else
		rocm_add_range(rocprof->builder, rocprof->profile, rocprof->nvtx, &range);
}

/* Read a record of work on a device; false when it has no times. */
static bool parse_activity(struct rocprof *rocprof, struct stream *stream,
			   struct rocprof_json_record *record, struct activity *activity)
{
	struct json_slice object;
	if (!parse_record(stream, record, &object))
		return false;
	*activity = activity_of(ACTIVITY_KERNEL);
	activity->correlation = record->correlation;
	activity->start = record->start;
	return rocm_times(rocprof->profile, record->start, record->end, &activity->dur);
}

static uint32_t stream_track(const struct rocprof *rocprof,
			     const struct rocprof_json_record *record, uint32_t device)
{
	return builder_track(rocprof->builder, rocprof->process,
			     record->stream != NO_VALUE ? record->stream : record->queue, 0,
			     device < IS_CPU ? (int32_t)device : 0);
}

static void parse_kernel(void *context, struct stream *stream, const char *key)
{
	struct rocprof *rocprof = context;
	struct rocprof_json_record record;
	struct activity activity;
	if (!parse_activity(rocprof, stream, &record, &activity))
		return;
	uint32_t at = id_find(rocprof->symbol_ids, record.kernel);
	struct rocm_launch launch = { .registers = at == NO_ROW ? NO_VALUE
								: rocprof->symbols[at].registers,
				      .shared = record.shared,
				      .items = true };
	memcpy(launch.grid, record.grid, sizeof launch.grid);
	memcpy(launch.block, record.block, sizeof launch.block);
	activity.name = at == NO_ROW ? 0 : rocprof->symbols[at].name;
	activity.config = rocm_config(rocprof->builder, &launch);
	activity.track = stream_track(rocprof, &record, id_find(rocprof->devices, record.agent));
	builder_activity(rocprof->builder, &activity);
}

static enum rocm_side side_of(uint32_t device)
{
	if (device == NO_ROW)
		return ROCM_UNKNOWN;
	return device == IS_CPU ? ROCM_HOST : ROCM_DEVICE;
}

static void parse_copy(void *context, struct stream *stream, const char *key)
{
	struct rocprof *rocprof = context;
	struct rocprof_json_record record;
	struct activity activity;
	if (!parse_activity(rocprof, stream, &record, &activity))
		return;
	uint32_t from = id_find(rocprof->devices, record.from),
		 to = id_find(rocprof->devices, record.to);
	activity.kind = ACTIVITY_MEMCPY;
	activity.bytes = record.bytes;
	activity.name =
		rocm_copy_name(rocprof->profile,
			       profile_string(rocprof->profile, operation_name(rocprof, &record)),
			       side_of(from), side_of(to));
	activity.track = stream_track(rocprof, &record, to < IS_CPU ? to : from);
	builder_activity(rocprof->builder, &activity);
}

static void parse_rows(void *context, struct stream *stream, const char *key)
{
	static const struct {
		const char *name;
		stream_take *take;
	} lists[] = { ROCPROF_LIST_ROWS };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (strcmp(key, lists[i].name) == 0) {
			stream_walk(stream, lists[i].take, context);
			return;
		}
	stream_skip(stream);
}

/* ---- processes ---- */

static void parse_metadata(void *context, struct stream *stream)
{
	struct rocprof *rocprof = context;
	struct json_slice object;
	struct rocprof_json_record record;
	if (parse_record(stream, &record, &object) && record.pid != NO_VALUE)
		rocprof->process = builder_process(rocprof->builder, record.pid, 0);
}

/* What the records refer to. rocprofv3 writes it before them; a tool that sorts members does not.
 */
static const struct {
	const char *name;
	stream_take *take; /* of each entry; NULL: take_metadata takes the whole */
} referred[] = { ROCPROF_REFERRED_ROWS };

enum { REFERRED = sizeof referred / sizeof *referred, ALL_SEEN = (1 << REFERRED) - 1 };

static void rocprof_json_parse_member(void *context, struct stream *stream, const char *key)
{
	struct rocprof *rocprof = context;
	struct json_slice records;
	size_t at = 0;
	while (at < REFERRED && strcmp(key, referred[at].name) != 0)
		at++;
	if (at < REFERRED) {
		rocprof->seen |= 1u << at;
		if (referred[at].take)
			stream_walk(stream, referred[at].take, context);
		else
			parse_metadata(context, stream);
	} else if (strcmp(key, "buffer_records") != 0) {
		stream_skip(stream);
	} else if (rocprof->seen == ALL_SEEN) {
		stream_walk(stream, parse_rows, context);
	} else if (stream_value(stream, &records) && records.type == JSON_OBJECT) {
		buffer_add(&rocprof->kept, records.text, records.length);
	}
}

static void parse_kept(struct rocprof *rocprof)
{
	AUTO_SOURCE struct source *source = source_open_memory(
		rocprof->kept.data, rocprof->kept.length, UINT64_MAX, NULL, rocprof->error);
	struct stream stream = { .source = source, .error = rocprof->error };
	if (source)
		stream_walk(&stream, parse_rows, rocprof);
	buffer_free(&stream.text);
	buffer_free(&rocprof->kept);
}

static void parse_process(void *context, struct stream *stream, const char *key)
{
	struct rocprof *rocprof = context;
	rocprof->devices = hash_new(16);
	rocprof->symbol_ids = hash_new(1024);
	rocprof->messages = hash_new(64);
	rocprof->symbol_count = rocprof->gpus = 0;
	rocprof->process = builder_process(rocprof->builder, NO_VALUE, 0);
	rocprof->seen = 0;
	stream_walk(stream, rocprof_json_parse_member, rocprof);
	if (rocprof->kept.length)
		parse_kept(rocprof);
	for (size_t i = 0; i < rocprof->kind_count; i++)
		mem_free(rocprof->kinds[i].operations);
	rocprof->kind_count = 0;
	hash_free_all(rocprof->devices, rocprof->symbol_ids, rocprof->messages);
}

static void parse_root(void *context, struct stream *stream, const char *key)
{
	if (strcmp(key, ROOT) == 0)
		stream_walk(stream, parse_process, context);
	else
		stream_skip(stream);
}

static bool rocprof_read(struct input *input)
{
	struct stream stream = { .source = input->source, .error = input->error };
	struct rocprof rocprof = { .profile = input->profile,
				   .builder = input->builder,
				   .nvtx = nvtx_new(input->profile, input->builder),
				   .error = input->error };
	input->profile->ids_per_process = true;
	stream_walk(&stream, parse_root, &rocprof);
	nvtx_finish(rocprof.nvtx);
	nvtx_free(rocprof.nvtx);
	mem_free_all(rocprof.symbols, rocprof.kinds);
	return stream_finish(&stream, input->profile);
}

const struct reader rocprof_json_reader = {
	.format = "rocprofv3 output (JSON)",
	.recognize = rocprof_recognize,
	.read = rocprof_read,
	.empty = "is rocprofv3 output without kernels, API calls or markers"
};

#include "input/nvtx/nvtx.h"

#include "base/buffer.h"
#include "base/compare.h"
#include "base/hash.h"
#include "input/json.h"
#include "input/nvtx/nvtx_text.h"
#include "input/nvtx/pyprof_marker.h"

#include <stdlib.h>

enum { MODULES_MAX = 32 }; /* kept per call */

/* Kind of a range whose text is a dictionary. */
enum marker { MARKER_NONE, MARKER_CALL, MARKER_TRACE };

struct nvtx_range {
	int64_t start, end; /* INT64_MAX: never closed */
	int64_t record;     /* row number in the file's table; 0 */
	uint32_t track, name, info, domain;
	uint32_t text;   /* interned: the full text unless name and info contain it; 0 */
	uint32_t thread; /* its original track */
	uint32_t trace;  /* of MARKER_TRACE: index into traces */
	uint32_t first_attribute, attributes;
	uint8_t kind, nesting, marker;
	bool moved; /* to a track of its own */
	bool inside_trace;
};

/* A call trace. */
struct nvtx_trace {
	uint32_t stack; /* interned, innermost first */
	uint32_t first_module, modules;
};

struct nvtx {
	struct profile *profile;
	struct builder *builder;
	GROWING(struct nvtx_range, ranges, count);
	bool any_free, any_marker;
	struct hash *marked; /* text of a marker → the first range with it */
	GROWING(struct nvtx_trace, traces, trace_count);
	GROWING(uint32_t, modules, module_count); /* of all traces */
	struct attribute *attributes;             /* by range, in order; rows are not set */
	size_t attribute_count;
	uint32_t mark;     /* span of the last event, if it was a mark */
	unsigned settings; /* by name: a range has told it */
	/* open modules on the current track */
	struct {
		uint32_t name, span;
	} open[MODULES_MAX];
	size_t open_count;
	struct buffer scratch;
};

struct nvtx *nvtx_new(struct profile *profile, struct builder *builder)
{
	struct nvtx *nvtx = mem_zalloc(1, sizeof *nvtx);
	nvtx->profile = profile;
	nvtx->builder = builder;
	nvtx->marked = hash_new(16);
	nvtx->mark = NO_ROW;
	return nvtx;
}

FREE_OBJECT(nvtx_free, struct nvtx,
	    OWN(ranges) OWN(traces) OWN(modules) OWN(attributes) OWN_BY(hash_free, marked)
		    OWN_IN(buffer_free, scratch))

/* ---- texts ---- */

static uint32_t operator_info(struct nvtx *nvtx, const struct nvtx_text *read)
{
	if (read->sequence == NO_VALUE && read->op_id == NO_VALUE && !read->sizes)
		return NO_ROW;
	struct op_info info = {
		.forward_thread = read->sequence == NO_VALUE ? NO_VALUE
				  : read->is_backward        ? -1
							     : 0,
	};
	if (read->sizes) {
		buffer_clear(&nvtx->scratch);
		nvtx_text_shapes(&nvtx->scratch, read->sizes, read->sizes_length);
		info.shapes = intern_add(nvtx->profile->strings, BUFFERED(&nvtx->scratch));
	}
	return builder_op_ids(nvtx->builder, read->op_id, read->sequence, &info);
}

/* {'mod': …, 'op': …, 'args': […]}: an operator call from Python. */
static bool read_call(struct nvtx *nvtx, const struct literal *marker, struct nvtx_range *range)
{
	const struct literal *name = literal_get(marker, "op");
	struct op_info info = { .forward_thread = NO_VALUE };
	if (!name || name->kind != LITERAL_TEXT || !literal_get(marker, "mod"))
		return false;
	pyprof_arguments(nvtx->profile->strings, literal_get(marker, "args"), &info);
	range->marker = MARKER_CALL;
	range->kind = SPAN_OPERATOR;
	range->name = intern_add(nvtx->profile->strings, name->text, name->count);
	range->info = builder_op_ids(nvtx->builder, NO_VALUE, NO_VALUE, &info);
	return true;
}

/* {'traceMarker': […], 'funcStack': '/…'}: the Python stack of the enclosed calls. */
static bool nvtx_read_trace(struct nvtx *nvtx, const struct literal *marker,
			    struct nvtx_range *range)
{
	const struct literal *frames = literal_get(marker, "traceMarker");
	if (!literal_is_sequence(frames) || !frames->count)
		return false;
	const struct literal *innermost = literal_item(frames, frames->count - 1);
	if (innermost->kind != LITERAL_TEXT)
		return false;
	struct intern *strings = nvtx->profile->strings;
	mem_grow(nvtx->modules, nvtx->module_count + MODULES_MAX);
	struct nvtx_trace trace = {
		.stack = pyprof_stack(strings, frames),
		.first_module = (uint32_t)nvtx->module_count,
		.modules =
			(uint32_t)pyprof_modules(strings, literal_get(marker, "funcStack"),
						 nvtx->modules + nvtx->module_count, MODULES_MAX),
	};
	nvtx->module_count += trace.modules;
	range->marker = MARKER_TRACE;
	range->kind = SPAN_PYTHON;
	range->name = intern_add(strings, innermost->text, innermost->count);
	range->trace = (uint32_t)nvtx->trace_count;
	*mem_push(nvtx->traces, nvtx->trace_count) = trace;
	return true;
}

/* Iterations repeat the texts of markers: what FIRST says, RANGE does, too. */
static void repeat_marker(struct nvtx *nvtx, const struct nvtx_range *first,
			  struct nvtx_range *range)
{
	MEMBERS(range, first, TAKE(marker) TAKE(kind) TAKE(name) TAKE(text) TAKE(trace));
	if (first->info != NO_ROW) {
		struct op_ids ids = nvtx->profile->op_ids[first->info];
		struct op_info info = nvtx->profile->op_infos[ids.info];
		range->info = builder_op_ids(nvtx->builder, ids.external_id, ids.sequence, &info);
	}
}

static bool read_marker(struct nvtx *nvtx, const char *text, size_t length,
			struct nvtx_range *range)
{
	if (!length || text[0] != '{')
		return false;
	uint32_t string = intern_find(nvtx->profile->strings, text, length);
	uint32_t first = string == NO_ROW ? NO_ROW : hash_first(nvtx->marked, (uint64_t)string);
	if (first != NO_ROW) {
		repeat_marker(nvtx, &nvtx->ranges[first], range);
		return true;
	}
	AUTO_ARENA struct arena *arena = arena_new();
	const struct literal *marker = literal_parse(arena, text, length);
	bool known = marker && marker->kind == LITERAL_DICT &&
		     (read_call(nvtx, marker, range) || nvtx_read_trace(nvtx, marker, range));
	nvtx->any_marker |= known;
	if (!known)
		return false;
	range->text = intern_add(nvtx->profile->strings, text, length);
	hash_add(nvtx->marked, range->text, (uint32_t)nvtx->count);
	return true;
}

/*
 * {"model_config": {"detect_anomaly": true}}: settings of the program become metadata, with the
 * names of DLProf's table. The first one counts.
 */
static void read_settings(struct nvtx *nvtx, const char *text, size_t length)
{
	static const char *const names[] = { NVTX_SETTING_ROWS };
	struct json_cursor cursor = { .at = text, .end = text + length, .final = true };
	struct json_slice whole, settings, value;
	struct intern *strings = nvtx->profile->strings;
	if (length < sizeof NVTX_SETTINGS ||
	    memcmp(text, NVTX_SETTINGS, sizeof NVTX_SETTINGS - 1) != 0 ||
	    json_value(&cursor, &whole) != JSON_OK ||
	    !json_find(&whole, "model_config", &settings) || settings.type != JSON_OBJECT)
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (nvtx->settings & 1u << i || !json_find(&settings, names[i], &value) ||
		    (value.type != JSON_WORD && value.type != JSON_NUMBER))
			continue;
		nvtx->settings |= 1u << i;
		builder_fact(nvtx->builder,
			     strcmp(names[i], "profile") == 0 ? "autograd_profile" : names[i],
			     intern_add(strings, value.text, value.length));
	}
}

static void nvtx_read_text(struct nvtx *nvtx, const char *text, size_t length,
			   struct nvtx_range *range)
{
	static const char layer[] = "layer:"; /* PyProf's prefix of layer ranges */
	struct nvtx_text read;
	read_settings(nvtx, text, length);
	if (length > sizeof layer - 1 && memcmp(text, layer, sizeof layer - 1) == 0) {
		range->text = intern_add(nvtx->profile->strings, text, length);
		text += sizeof layer - 1;
		length -= sizeof layer - 1;
	}
	nvtx_text_read(&read, text, length);
	if (read.sizes)
		range->text = intern_add(nvtx->profile->strings, text, length);
	range->kind = read.is_operator ? SPAN_OPERATOR : SPAN_ANNOTATION;
	range->name = intern_add(nvtx->profile->strings, text, read.name_length);
	range->info = operator_info(nvtx, &read);
}

void nvtx_range(struct nvtx *nvtx, uint32_t track, const char *text, size_t length, uint32_t domain,
		int64_t start, int64_t end, enum nvtx_nesting nesting)
{
	int64_t dur;
	if (end != NO_VALUE && (end < start || __builtin_sub_overflow(end, start, &dur))) {
		profile_damage(nvtx->profile, "end before the start", "duration set to 0",
			       UINT64_MAX);
		end = start;
	}
	struct nvtx_range range = {
		.start = start,
		.end = end == NO_VALUE ? INT64_MAX : end,
		.track = track,
		.info = NO_ROW,
		.domain = domain,
		.nesting = (uint8_t)nesting,
		.first_attribute = (uint32_t)nvtx->attribute_count,
	};
	if (!read_marker(nvtx, text, length, &range))
		nvtx_read_text(nvtx, text, length, &range);
	*mem_push(nvtx->ranges, nvtx->count) = range;
	nvtx->any_free |= nesting != NVTX_NESTS;
	nvtx->mark = NO_ROW;
}

void nvtx_mark(struct nvtx *nvtx, uint32_t track, const char *text, size_t length, int64_t time)
{
	struct intern *strings = nvtx->profile->strings;
	read_settings(nvtx, text, length);
	nvtx->mark =
		builder_span(nvtx->builder, SPAN_INSTANT, track, intern_add(strings, text, length),
			     time, 0, builder_key(nvtx->builder, "nvtx_mark"));
}

void nvtx_attribute(struct nvtx *nvtx, uint32_t key, uint32_t text)
{
	if (nvtx->mark != NO_ROW) {
		builder_span_attribute(nvtx->builder, nvtx->mark, key, text);
		return;
	}
	if (!nvtx->count)
		return;
	*mem_push(nvtx->attributes, nvtx->attribute_count) =
		(struct attribute){ .key = key, .text = text };
	nvtx->ranges[nvtx->count - 1].attributes++;
}

void nvtx_record(struct nvtx *nvtx, int64_t record)
{
	if (nvtx->count && nvtx->mark == NO_ROW)
		nvtx->ranges[nvtx->count - 1].record = record;
}

/* ---- nesting ---- */

COMPARE_MEMBERS(compare_ranges, struct nvtx_range, UP(track) UP(start) DOWN(end))

/* The ranges open at a point of a track, outermost first. */
struct nvtx_stack {
	GROWING(size_t, range, depth);
};

/* Does a marker for OP enclose the operator of that name, with or without "aten::"? */
static bool is_marker_of(const struct nvtx *nvtx, const struct nvtx_range *call,
			 const struct nvtx_range *range)
{
	static const char prefix[] = "aten::";
	const char *name = profile_string(nvtx->profile, range->name);
	if (strncmp(name, prefix, sizeof prefix - 1) == 0)
		name += sizeof prefix - 1;
	return strcmp(name, profile_string(nvtx->profile, call->name)) == 0;
}

/*
 * Complete a range from enclosing ones: an operator gets its stack from the nearest trace, and
 * arguments from a marker for the same operator directly around it.
 */
static void inherit(struct nvtx *nvtx, const struct nvtx_stack *open, struct nvtx_range *range)
{
	const struct profile *profile = nvtx->profile;
	struct op_info info = { .forward_thread = NO_VALUE };
	bool nearest = true, is_operator = range->kind == SPAN_OPERATOR;
	if (is_operator && range->info == NO_ROW)
		range->info = builder_op_ids(nvtx->builder, NO_VALUE, NO_VALUE, &info);
	if (is_operator)
		info = profile->op_infos[profile->op_ids[range->info].info];
	for (size_t i = open->depth; i-- > 0 && !range->inside_trace;) {
		const struct nvtx_range *around = &nvtx->ranges[open->range[i]];
		range->inside_trace = around->marker == MARKER_TRACE;
		if (range->inside_trace)
			info.stack = nvtx->traces[around->trace].stack;
		if (is_operator && nearest && around->kind == SPAN_OPERATOR) {
			nearest = false;
			if (around->marker == MARKER_CALL && !info.shapes &&
			    is_marker_of(nvtx, around, range)) {
				uint32_t outer = profile->op_ids[around->info].info;
				MEMBERS(&info, &profile->op_infos[outer],
					TAKE(shapes) TAKE(types) TAKE(concrete));
			}
		}
	}
	if (is_operator)
		profile->op_ids[range->info].info = builder_op_info(nvtx->builder, &info);
}

static bool may_cross(const struct nvtx_range *range)
{
	return range->nesting == NVTX_FREE || range->nesting == NVTX_EITHER;
}

/* Move start/end ranges that cross, when range AT starts: it or the open ones. */
static void move_crossing(struct nvtx *nvtx, struct nvtx_stack *open, size_t at)
{
	struct nvtx_range *range = &nvtx->ranges[at];
	range->moved = range->nesting == NVTX_WANDERS;
	while (!range->moved && open->depth) {
		struct nvtx_range *above = &nvtx->ranges[open->range[open->depth - 1]];
		if (above->end > range->start && above->end >= range->end)
			break;
		if (above->end <= range->start)
			open->depth--;
		else if (may_cross(range))
			range->moved = true;
		else if (may_cross(above))
			above->moved = true, open->depth--;
		else
			break; /* both are push/pop: the file is inconsistent */
	}
	if (range->moved)
		return;
	if (nvtx->any_marker)
		inherit(nvtx, open, range);
	*mem_push(open->range, open->depth) = at;
}

static void nest_ranges(struct nvtx *nvtx)
{
	struct nvtx_stack open = { 0 };
	qsort(nvtx->ranges, nvtx->count, sizeof *nvtx->ranges, compare_ranges);
	for (size_t i = 0; i < nvtx->count; i++) {
		if (i && nvtx->ranges[i].track != nvtx->ranges[i - 1].track)
			open.depth = 0;
		move_crossing(nvtx, &open, i);
	}
	mem_free(open.range);
}

/* ---- extra tracks ---- */

enum { LANES_MAX = 64 }; /* per process; the last one also gets what fits nowhere */

struct nvtx_lane {
	GROWING(int64_t, ends, depth); /* of its open ranges, outermost first */
};

/* Add the range to the track if it nests there. */
static bool nests_on(struct nvtx_lane *lane, const struct nvtx_range *range)
{
	while (lane->depth && lane->ends[lane->depth - 1] <= range->start)
		lane->depth--;
	if (lane->depth && lane->ends[lane->depth - 1] < range->end)
		return false;
	*mem_push(lane->ends, lane->depth) = range->end;
	return true;
}

static uint32_t lane_track(struct nvtx *nvtx, uint32_t process, size_t number)
{
	uint32_t label = number ? profile_print(nvtx->profile, "NVTX ranges %zu", number + 1)
				: profile_intern(nvtx->profile, "NVTX ranges");
	return builder_track(nvtx->builder, process, NO_VALUE, label, -1);
}

/* At this point the track is the process. */
static int nvtx_compare_starts(const void *a, const void *b)
{
	return compare_ranges(*(struct nvtx_range *const *)a, *(struct nvtx_range *const *)b);
}

static void place_on_lanes(struct nvtx *nvtx, struct nvtx_range **moved, size_t count)
{
	struct nvtx_lane lanes[LANES_MAX] = { 0 };
	for (size_t i = 0; i < count; i++) {
		moved[i]->thread = moved[i]->track;
		moved[i]->track = nvtx->profile->tracks[moved[i]->track].process;
	}
	qsort(moved, count, sizeof *moved, nvtx_compare_starts);
	uint32_t process = NO_ROW;
	for (size_t i = 0; i < count; i++) {
		size_t lane = 0;
		if (moved[i]->track != process)
			for (size_t j = 0; j < LANES_MAX; j++)
				lanes[j].depth = 0;
		process = moved[i]->track;
		while (lane + 1 < LANES_MAX && !nests_on(&lanes[lane], moved[i]))
			lane++;
		moved[i]->track = lane_track(nvtx, process, lane);
	}
	for (size_t j = 0; j < LANES_MAX; j++)
		mem_free(lanes[j].ends);
}

static void move_free_ranges(struct nvtx *nvtx)
{
	AUTO_FREE struct nvtx_range **moved = mem_alloc(nvtx->count * sizeof *moved);
	size_t count = 0;
	for (size_t i = 0; i < nvtx->count; i++)
		if (nvtx->ranges[i].moved)
			moved[count++] = &nvtx->ranges[i];
	if (count)
		place_on_lanes(nvtx, moved, count);
}

/* ---- building ---- */

static int64_t nvtx_duration_of(const struct nvtx_range *range)
{
	return range->end == INT64_MAX ? -1 : range->end - range->start;
}

/*
 * Emit the modules of an outermost trace as spans that continue across adjacent traces with the
 * same modules.
 */
static void open_modules(struct nvtx *nvtx, const struct nvtx_range *range)
{
	const struct nvtx_trace *trace = &nvtx->traces[range->trace];
	const uint32_t *modules = nvtx->modules + trace->first_module;
	size_t same = 0;
	while (same < trace->modules && same < nvtx->open_count &&
	       nvtx->open[same].name == modules[same])
		builder_span_end(nvtx->builder, nvtx->open[same++].span, range->end);
	for (nvtx->open_count = same; nvtx->open_count < trace->modules; nvtx->open_count++) {
		nvtx->open[nvtx->open_count].name = modules[nvtx->open_count];
		nvtx->open[nvtx->open_count].span = builder_span(
			nvtx->builder, SPAN_MODULE, range->track, modules[nvtx->open_count],
			range->start, nvtx_duration_of(range), NO_ROW);
	}
}

/* Attributes of a range that its span does not contain. */
static void nvtx_add_attributes(struct nvtx *nvtx, const struct nvtx_range *range, uint32_t span)
{
	struct builder *builder = nvtx->builder;
	builder_span_text(builder, span, NVTX_DOMAIN, range->domain);
	if (range->nesting == NVTX_FREE || range->nesting == NVTX_WANDERS)
		builder_span_text(builder, span, NVTX_STYLE, builder_key(builder, "start/end"));
	builder_span_text(builder, span, NVTX_TEXT, range->text);
	if (range->end == INT64_MAX)
		builder_span_attribute(builder, span, builder_key(builder, NVTX_UNFINISHED), 0);
	if (range->nesting == NVTX_WANDERS)
		builder_span_attribute(builder, span, builder_key(builder, NVTX_WANDERED), 0);
	for (uint32_t i = 0; i < range->attributes; i++) {
		const struct attribute *own = &nvtx->attributes[range->first_attribute + i];
		builder_span_attribute(builder, span, own->key, own->text);
	}
	if (range->moved)
		builder_span_text(
			builder, span, NVTX_THREAD,
			profile_print(nvtx->profile, "%lld",
				      (long long)nvtx->profile->tracks[range->thread].tid));
}

static void emit_ranges(struct nvtx *nvtx, const struct nvtx_range *range)
{
	if (range->marker == MARKER_TRACE && !range->inside_trace && !range->moved &&
	    range->end != INT64_MAX)
		open_modules(nvtx, range);
	uint32_t span =
		builder_span(nvtx->builder, (enum span_kind)range->kind, range->track, range->name,
			     range->start, nvtx_duration_of(range), range->info);
	if (range->record)
		builder_span_record(nvtx->builder, span, range->record);
	nvtx_add_attributes(nvtx, range, span);
}

void nvtx_finish(struct nvtx *nvtx)
{
	if (nvtx->any_free || nvtx->any_marker) {
		nest_ranges(nvtx);
		move_free_ranges(nvtx);
	}
	for (size_t i = 0; i < nvtx->count; i++) {
		if (i && nvtx->ranges[i].track != nvtx->ranges[i - 1].track)
			nvtx->open_count = 0;
		emit_ranges(nvtx, &nvtx->ranges[i]);
	}
	nvtx->count = nvtx->attribute_count = 0;
}

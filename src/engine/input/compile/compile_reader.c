/*
 * Fills a compile log from the records of TORCH_TRACE; phases of compilations, which it times
 * (chromium_event), become spans of a track.
 */
#include "base/keyed.h"
#include "base/platform.h"
#include "input/compile/compile_payload.h"
#include "input/compile/compile_record.h"
#include "input/readers.h"
#include "input/text_lines.h"

#include <math.h>
#include <string.h>

enum {
	TEXTS_MAX = 1 << 22, /* limit: strings that a log interns itself */
	OPEN_MAX = 4096,     /* limit: phases that are open at a time */
	OUTCOMES_MAX = 256,  /* limit: bytes of the outcomes in a cache, one for each graph */
};

struct open_phase {
	int64_t thread, start;
	uint32_t name, id; /* the id of its compilation; 0: none */
};

struct compile_reading {
	struct profile *profile;
	struct builder *builder;
	struct compile_log *log;
	uint32_t *texts; /* by the log's own number; 0: unknown */
	size_t text_count, text_cap;
	struct keyed ids;    /* of compilations */
	uint32_t *latest;    /* by these: the last compilation with the id */
	struct keyed broken; /* the breaks, by what they are about */
	struct open_phase *open;
	size_t open_count, open_cap;
	struct compile_range graph; /* the last one of ATen operators */
	struct keyed nodes;         /* its nodes, by name */
	uint32_t *places; /* by these: "/a/train.py:12 in forward, code: x = self.fc1(x)" */
};

static uint32_t add_text(struct compile_reading *reading, struct text_slice text)
{
	return intern_add(reading->profile->strings, text.text, text.length);
}

static struct text_slice string_of(const struct json_slice *object, const char *name)
{
	struct json_slice value;
	return json_find_type(object, name, JSON_STRING, &value)
		       ? (struct text_slice){ value.text, value.length }
		       : (struct text_slice){ "", 0 };
}

/* The payload, as JSON of a type; false without. */
static bool payload_document(const struct compile_record *record, enum json_type type,
			     struct json_slice *document)
{
	return json_document(buffer_text(&record->payload), record->payload.length, type, document,
			     NULL);
}

/* ---- compilations ---- */

/* The place of the latest compilation of an id; it is added without one, or if it is NEW. */
static struct compile_item *compilation_of_id(struct compile_reading *reading, uint32_t id,
					      bool new)
{
	struct compile_items *all = &reading->log->items[OF_COMPILATION];
	uint32_t known = reading->ids.count;
	uint32_t *latest = keyed_item(&reading->ids, reading->latest, &id);
	if (new || reading->ids.count > known) {
		*latest = (uint32_t)all->count;
		compile_add(reading->log, OF_COMPILATION, id);
	}
	return &all->at[*latest];
}

/* The id as PyTorch prints it, without the attempt. */
static uint32_t id_of_record(struct compile_reading *reading, const struct compile_record *record)
{
	AUTO_BUFFER struct buffer id = { 0 };
	if (record->autograd != NO_VALUE)
		buffer_printf(&id, "!%lld%s", (long long)record->autograd,
			      record->frame != NO_VALUE ? "/" : "");
	if (record->frame != NO_VALUE)
		buffer_printf(&id, "%lld/%lld", (long long)record->frame,
			      record->number == NO_VALUE ? 0LL : (long long)record->number);
	return intern_add(reading->profile->strings, id.length ? id.data : "-", id.length ?: 1);
}

static struct compile_item *compilation_of(struct compile_reading *reading,
					   const struct compile_record *record)
{
	return compilation_of_id(reading, id_of_record(reading, record), false);
}

/* Another item of the compilation of a record. */
static struct compile_item *add_of_record(struct compile_reading *reading,
					  const struct compile_record *record,
					  enum compile_kind kind)
{
	return compile_add(reading->log, kind, id_of_record(reading, record));
}

static void add_number(int64_t *sum, int64_t number)
{
	if (number != NO_VALUE && (*sum == NO_VALUE || __builtin_add_overflow(*sum, number, sum)))
		*sum = number;
}

/* ---- strings and stacks ---- */

/* {"str": ["/a/train.py", 3]} */
static void take_text(struct compile_reading *reading, const struct compile_record *record)
{
	uint32_t text = 0;
	int64_t at = -1;
	for (struct json_members item = json_members(&record->value); json_each(&item);)
		if (item.value.type == JSON_STRING)
			text = json_intern(&item.value, reading->profile->strings);
		else if (!json_id(&item.value, &at))
			at = -1;
	if (at < 0 || at >= TEXTS_MAX)
		return;
	while (reading->text_count <= (size_t)at)
		*mem_push(reading->texts, reading->text_count, reading->text_cap) = 0;
	reading->texts[at] = text;
}

/* The innermost frame of a stack, and its file, a number of the log or a text. */
static bool last_frame(struct compile_reading *reading, const struct json_slice *object,
		       const char *name, struct json_slice *frame, uint32_t *file)
{
	struct json_slice stack;
	bool found = false;
	if (!json_find_type(object, name, JSON_ARRAY, &stack))
		return false;
	for (struct json_members at = json_members(&stack); json_each(&at); found = true)
		*frame = at.value;
	int64_t at = found ? json_find_id(frame, "filename") : NO_VALUE;
	*file = at >= 0 && (size_t)at < reading->text_count ? reading->texts[at] : 0;
	return found;
}

/* Frames are traced once more after a graph break; ids begin again when Dynamo is reset. */
static void take_start(struct compile_reading *reading, const struct compile_record *record)
{
	struct compile_item *compilation = compilation_of(reading, record);
	int64_t attempt = record->attempt > 0 && record->attempt < INT32_MAX ? record->attempt : 0;
	struct json_slice frame;
	uint32_t file;
	if (attempt < compilation->number[COMPILE_ATTEMPTS])
		compilation = compilation_of_id(reading, compilation->id, true);
	compilation->number[COMPILE_ATTEMPTS] = attempt + 1;
	if (!last_frame(reading, &record->value, "stack", &frame, &file))
		return;
	compilation->text[COMPILE_FILE] = file;
	compilation->number[COMPILE_LINE] = json_find_id(&frame, "line");
	compilation->text[COMPILE_FUNCTION] =
		json_find_text(&frame, "name", reading->profile->strings);
}

static void take_guard(struct compile_reading *reading, const struct compile_record *record)
{
	struct compile_item *guard = add_of_record(reading, record, OF_GUARD);
	struct intern *strings = reading->profile->strings;
	struct json_slice frame;
	uint32_t file;
	AUTO_BUFFER struct buffer place = { 0 };
	guard->text[GUARD_KIND] = intern_add(strings, "SYMBOLIC_SHAPE", 14);
	guard->text[GUARD_TEXT] = json_find_text(&record->value, "expr", strings);
	if (!last_frame(reading, &record->value, "user_stack", &frame, &file))
		return;
	buffer_printf(&place, "%s:%lld", intern_text(strings, file),
		      (long long)json_find_id(&frame, "line"));
	guard->text[GUARD_PLACE] = intern_add(strings, buffer_text(&place), place.length);
}

/* ---- metrics ---- */

/* A time in seconds or, of a name that ends in "_us", microseconds; NO_VALUE. */
static int64_t time_of(const struct json_slice *object, const char *name)
{
	struct json_slice value;
	double number;
	double unit = text_ends(name, strlen(name), "_us") ? 1e3 : 1e9;
	bool found =
		json_find_type(object, name, JSON_NUMBER, &value) && json_real(&value, &number);
	return found && number >= 0 && number * unit < 9e18 ? llround(number * unit) : NO_VALUE;
}

/* Of times that contain each other, what each has without the next one known. */
static void add_phases(struct compile_item *compilation, const struct json_slice *metrics)
{
	static const char *const names[][2] = {
		{ "entire_frame_compile_time_s", "dynamo_cumulative_compile_time_us" },
		{ "backend_compile_time_s", "aot_autograd_cumulative_compile_time_us" },
		{ "inductor_compile_time_s", "inductor_cumulative_compile_time_us" },
		{ "triton_compile_time_us", "triton_compile_time_us" },
	};
	int64_t inner = 0;
	for (int i = PHASE_TRITON - PHASE_DYNAMO; i >= 0; i--) {
		int64_t ns = time_of(metrics, names[i][0]);
		ns = ns == NO_VALUE ? time_of(metrics, names[i][1]) : ns;
		if (ns == NO_VALUE)
			continue;
		add_number(&compilation->number[PHASE_DYNAMO + i], ns > inner ? ns - inner : 0);
		inner = ns;
	}
	add_number(&compilation->number[COMPILE_TOTAL], inner ?: NO_VALUE);
}

/* A break of the compilation; those of one reason, place and stack are one item. */
static void add_break(struct compile_reading *reading, const struct compile_record *record,
		      const uint32_t texts[BREAK_TEXTS])
{
	size_t size = BREAK_TEXTS * sizeof *texts;
	uint32_t known = reading->broken.count, at = keyed_add(&reading->broken, texts, size);
	if (at == known)
		memcpy(add_of_record(reading, record, OF_BREAK)->text, texts, size);
	add_number(&reading->log->items[OF_BREAK].at[at].number[BREAK_COUNT], 1);
	add_number(&compilation_of(reading, record)->number[COMPILE_BREAKS], 1);
}

static void take_metrics(struct compile_reading *reading, const struct compile_record *record)
{
	static const struct {
		const char *name;
		enum compile_number number;
	} numbers[] = { { "co_firstlineno", COMPILE_LINE },
			{ "graph_node_count", COMPILE_NODES },
			{ "guard_count", COMPILE_GUARDS } };
	static const struct {
		const char *name;
		enum compile_text text;
	} texts[] = { { "co_name", COMPILE_FUNCTION },
		      { "co_filename", COMPILE_FILE },
		      { "recompile_reason", COMPILE_REASON },
		      { "fail_reason", COMPILE_FAILURE } };
	struct compile_item *self = compilation_of(reading, record);
	const struct json_slice *metrics = &record->value;
	struct json_slice reasons;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		int64_t number = json_find_id(metrics, numbers[i].name);
		if (number != NO_VALUE)
			self->number[numbers[i].number] = number;
	}
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		self->text[texts[i].text] =
			json_find_text(metrics, texts[i].name, reading->profile->strings)
				?: self->text[texts[i].text];
	if (self->number[COMPILE_START] == NO_VALUE)
		self->number[COMPILE_START] = time_of(metrics, "start_time");
	if (self->number[COMPILE_START] == NO_VALUE)
		self->number[COMPILE_START] = time_of(metrics, "start_time_us");
	add_phases(self, metrics);
	/* the log may have had the breaks themselves */
	bool known = self->number[COMPILE_BREAKS] > 0 ||
		     !json_find_type(metrics, "restart_reasons", JSON_ARRAY, &reasons);
	if (known)
		return;
	self->number[COMPILE_BREAKS] = 0;
	for (struct json_members at = json_members(&reasons); json_each(&at);)
		add_break(reading, record,
			  (uint32_t[BREAK_TEXTS]){
				  json_intern(&at.value, reading->profile->strings) });
}

static void take_runtime(struct compile_reading *reading, const struct compile_record *record)
{
	add_number(&compilation_of(reading, record)->number[PHASE_AUTOTUNE],
		   time_of(&record->value, "runtime_triton_autotune_time_us"));
}

/* ---- artifacts ---- */

/* "Graph break in user code at FILE:LINE", its reason, and the user's stack. */
static void take_break(struct compile_reading *reading, const struct compile_record *record)
{
	static const char at[] = " in user code at ", why[] = "Reason: ", from[] = "traceback:\n";
	struct intern *strings = reading->profile->strings;
	const char *text = buffer_text(&record->payload);
	const char *place = strstr(text, at), *reason = strstr(text, why),
		   *stack = strstr(text, from);
	uint32_t texts[BREAK_TEXTS] = { 0 };
	reason = reason ? reason + strlen(why) : text;
	stack = stack ? stack + strlen(from) : strchrnul(text, '\n');
	const char *end = strstr(stack, "\n\n") ?: strchr(stack, 0);
	texts[BREAK_REASON] = intern_add(strings, reason, strcspn(reason, "\n"));
	if (place && (place += strlen(at)))
		texts[BREAK_PLACE] = intern_add(strings, place, strcspn(place, "\n"));
	texts[BREAK_STACK] = intern_add(strings, stack, (size_t)(end - stack));
	add_break(reading, record, texts);
}

/* ["0/0: tensor 'x' size mismatch at index 0. expected 4, actual 8"]: of the latest code first. */
static void take_reasons(struct compile_reading *reading, const struct compile_record *record)
{
	uint32_t *reason = &compilation_of(reading, record)->text[COMPILE_REASON];
	struct json_slice list;
	if (*reason || !payload_document(record, JSON_ARRAY, &list))
		return;
	struct json_members first = json_members(&list);
	if (json_each(&first))
		*reason = json_intern(&first.value, reading->profile->strings);
}

/* "fx_graph_cache_miss", "aotautograd_cache_bypass", by the place after the first "_cache_". */
static void take_cache(struct compile_reading *reading, const struct compile_record *record)
{
	struct text_slice name = string_of(&record->value, "name"), outcome = name;
	struct compile_item *self = compilation_of(reading, record);
	uint32_t *kept = &self->text[COMPILE_AOT_CACHE];
	struct json_slice object;
	AUTO_BUFFER struct buffer text = { 0 };
	if (!slice_skip(&outcome, "aotautograd_cache_") && slice_skip(&outcome, "fx_graph_cache_"))
		kept = &self->text[COMPILE_FX_CACHE];
	buffer_printf(&text, "%s%s%.*s", profile_string(reading->profile, *kept), *kept ? ", " : "",
		      (int)outcome.length, outcome.text);
	if (text.length < OUTCOMES_MAX)
		*kept = intern_add(reading->profile->strings, text.data, text.length);
	if (payload_document(record, JSON_OBJECT, &object))
		self->text[COMPILE_BYPASS] =
			json_find_text(&object, "cache_bypass_reason", reading->profile->strings)
				?: self->text[COMPILE_BYPASS];
}

/* {"triton_poi_fused_mul_0": {"autotune_cache_state": "miss", "num_configs": 2, ...}} */
static void take_triton(struct compile_reading *reading, const struct compile_record *record)
{
	struct intern *strings = reading->profile->strings;
	struct json_slice object;
	if (!payload_document(record, JSON_OBJECT, &object))
		return;
	for (struct json_members at = json_members(&object); json_each(&at);) {
		struct compile_item *tuned = add_of_record(reading, record, OF_AUTOTUNE);
		tuned->text[TUNED_KERNEL] = json_intern(&at.key, strings);
		if (at.value.type != JSON_OBJECT)
			continue;
		tuned->number[TUNED_CONFIGS] = json_find_id(&at.value, "num_configs");
		tuned->text[TUNED_OUTCOME] =
			json_find_text(&at.value, "autotune_cache_state", strings);
		tuned->number[TUNED_NS] = time_of(&at.value, "compile_time_us");
	}
}

/* ["torch.ops._c10d_functional.all_reduce_.default", ...]: operations, not the waits for them. */
static void take_collectives(struct compile_reading *reading, const struct compile_record *record)
{
	AUTO_BUFFER struct buffer text = { 0 };
	struct json_slice list;
	if (!payload_document(record, JSON_ARRAY, &list))
		return;
	for (struct json_members at = json_members(&list); json_each(&at);) {
		struct text_slice name = { at.value.text, at.value.length };
		slice_skip(&name, "torch.ops._c10d_functional.");
		if (!slice_begins(name, "wait_tensor"))
			buffer_printf(&text, "%s%.*s", text.length ? ", " : "", (int)name.length,
				      name.text);
	}
	compilation_of(reading, record)->text[COMPILE_COLLECTIVES] =
		intern_add(reading->profile->strings, buffer_text(&text), text.length);
}

static void take_traced(struct compile_reading *reading, const struct compile_record *record)
{
	struct compile_item *self = compilation_of(reading, record);
	self->number[COMPILE_GRAPH] = compile_graph_hash(buffer_text(&record->payload));
	self->range = record->range;
}

static void take_guards(struct compile_reading *reading, const struct compile_record *record)
{
	add_of_record(reading, record, OF_GUARD)->range = record->range;
}

/* ---- generated code ---- */

/* Nodes of a graph of ATen operators, each with the place above it. */
static void take_graph(struct compile_reading *reading, const struct compile_record *record)
{
	const char *at = buffer_text(&record->payload), *end = at + record->payload.length, *line;
	size_t length;
	uint32_t place = 0;
	keyed_clear(&reading->nodes);
	mem_free(reading->places);
	reading->places = NULL;
	reading->nodes = (struct keyed){ 0 };
	reading->graph = record->range;
	while (text_line(&at, end, &line, &length)) {
		struct text_slice rest = slice_trim((struct text_slice){ line, length });
		const char *colon = memchr(rest.text, ':', rest.length);
		if (slice_skip(&rest, "# File: "))
			place = add_text(reading, rest);
		else if (slice_begins(rest, "#"))
			place = 0; /* "# No stacktrace found for following nodes" */
		else if (colon) {
			uint32_t name = add_text(reading, slice_until(rest, colon));
			*keyed_item(&reading->nodes, reading->places, &name) = place;
		}
	}
}

/* The module that a place calls: "fc1" of "train.py:12 in forward, code: x = self.fc1(x)". */
static struct text_slice module_of_place(const char *place)
{
	static const char self[] = "self.";
	const char *at = strstr(place, self), *name = at ? at + strlen(self) : "";
	size_t length = strcspn(name, "( =,+-*/@)");
	return (struct text_slice){ name, name[length] == '(' ? length : 0 };
}

/* The lists of a kernel's texts, by enum compile_text; the part that each was given last. */
struct kernel_lists {
	struct buffer list[KERNEL_TEXTS];
	struct text_slice last[KERNEL_TEXTS];
};

static void add_listed(struct kernel_lists *lists, enum compile_text text, struct text_slice part,
		       const char *separator)
{
	struct buffer *list = &lists->list[text];
	struct text_slice *last = &lists->last[text];
	if (!part.length ||
	    (part.length == last->length && memcmp(part.text, last->text, part.length) == 0))
		return;
	*last = part;
	buffer_printf(list, "%s%.*s", list->length ? separator : "", (int)part.length, part.text);
}

/* A node of a kernel, and the line of Python that it is from. */
static void add_graph_node(struct compile_reading *reading, struct kernel_lists *lists,
			   struct text_slice name)
{
	uint32_t id = add_text(reading, name), at = keyed_find(&reading->nodes, &id, sizeof id);
	const char *place =
		at == UINT32_MAX ? "" : profile_string(reading->profile, reading->places[at]);
	struct text_slice python = { place, strlen(place) };
	const char *in = slice_find(python, " in ");
	add_listed(lists, KERNEL_NODES, name, ", ");
	add_listed(lists, KERNEL_PLACES, in ? slice_until(python, in) : python, ", ");
	add_listed(lists, KERNEL_PYTHON, python, "\n");
	add_listed(lists, KERNEL_MODULES, module_of_place(place), ", ");
}

/* Set the nodes of a kernel, names in an array of JSON or separated by ", ", and their places. */
static void set_nodes(struct compile_reading *reading, struct compile_item *kernel,
		      struct text_slice names)
{
	static const char between[] = "[]\", \n";
	struct kernel_lists lists = { 0 };
	for (size_t at = 0, from; at < names.length;) {
		while (at < names.length && strchr(between, names.text[at]))
			at++;
		for (from = at; at < names.length && !strchr(between, names.text[at]);)
			at++;
		if (at > from)
			add_graph_node(reading, &lists,
				       (struct text_slice){ names.text + from, at - from });
	}
	for (int i = 0; i < KERNEL_TEXTS; i++)
		if (lists.list[i].length)
			kernel->text[i] = profile_take(reading->profile, &lists.list[i]);
}

/*
 * The name in "NAME = async_compile.cpp_pybind(" or, in C++, "async_compile.triton('NAME', "; empty
 * in other lines.
 */
static struct text_slice defined_in(struct text_slice line)
{
	static const char call[] = "async_compile.";
	const char *at = slice_find(line, call), *quote;
	struct text_slice none = { "", 0 };
	if (!at)
		return none;
	struct text_slice before = slice_trim(slice_until(line, at)),
			  after = slice_from(line, at + strlen(call));
	if (slice_ends(before, " ="))
		return slice_until(before, memchr(before.text, ' ', before.length));
	if (before.length || !slice_skip(&after, "triton('"))
		return none;
	quote = memchr(after.text, '\'', after.length);
	return quote ? slice_until(after, quote) : none;
}

/* "NAME:2", a debug handle: the kernel of that compilation; NULL. */
static struct compile_item *kernel_of_key(struct compile_reading *reading, uint32_t compilation,
					  struct text_slice key)
{
	struct compile_items *kernels = &reading->log->items[OF_KERNEL];
	const char *colon = platform_memrchr(key.text, ':', key.length);
	struct text_slice name = colon ? slice_until(key, colon) : key;
	uint32_t id = intern_find(reading->profile->strings, name.text, name.length);
	int64_t handle;
	for (size_t i = kernels->count; i-- && kernels->at[i].id == compilation;) {
		if (kernels->at[i].text[KERNEL_NAME] != id)
			continue;
		if (colon && slice_count(slice_from(key, colon + 1), &handle))
			kernels->at[i].number[KERNEL_HANDLE] = handle;
		return &kernels->at[i];
	}
	return NULL;
}

/* {"cppCodeToPost": {"triton_poi_fused_mul_0:3": ["mul", "relu"]}}: kernels and their nodes. */
static void take_mapping(struct compile_reading *reading, const struct compile_record *record)
{
	struct json_slice object, kernels;
	uint32_t compilation = id_of_record(reading, record);
	if (!payload_document(record, JSON_OBJECT, &object) ||
	    !json_find_type(&object, "cppCodeToPost", JSON_OBJECT, &kernels))
		return;
	for (struct json_members at = json_members(&kernels); json_each(&at);) {
		struct compile_item *kernel = kernel_of_key(
			reading, compilation, (struct text_slice){ at.key.text, at.key.length });
		if (kernel)
			set_nodes(reading, kernel,
				  (struct text_slice){ at.value.text, at.value.length });
	}
}

/* Kernels that generated code defines, with the comments above them. */
static void take_code(struct compile_reading *reading, const struct compile_record *record)
{
	static const char path[] = "# kernel path: ", mark[] = "Source Nodes: [";
	const char *text = buffer_text(&record->payload), *end = text + record->payload.length;
	const char *line, *at;
	struct text_slice nodes = { "", 0 }, own = { "", 0 };
	size_t length;
	for (int64_t number = 1; text_line(&text, end, &line, &length); number++) {
		struct text_slice rest = { line, length }, name = defined_in(rest);
		if (slice_skip(&rest, path))
			own = rest;
		else if ((at = slice_find(rest, mark)))
			nodes = slice_from(rest, at + strlen(mark));
		if (!name.length)
			continue;
		struct compile_item *kernel = add_of_record(reading, record, OF_KERNEL);
		kernel->text[KERNEL_NAME] = add_text(reading, name);
		kernel->text[KERNEL_OWN_FILE] = own.length ? add_text(reading, own) : 0;
		kernel->text[KERNEL_FILE] =
			json_find_text(&record->value, "filename", reading->profile->strings);
		kernel->number[KERNEL_LINE] = number;
		kernel->range = record->range;
		kernel->graph = reading->graph;
		at = memchr(nodes.text, ']', nodes.length);
		set_nodes(reading, kernel, at ? slice_until(nodes, at) : nodes);
		nodes.length = own.length = 0;
	}
}

/* ---- phases ---- */

/* The phase that a thread began last under this name, which is removed; false: none. */
static bool close_phase(struct compile_reading *reading, struct open_phase *phase)
{
	size_t at = reading->open_count;
	while (at && (reading->open[at - 1].thread != phase->thread ||
		      reading->open[at - 1].name != phase->name))
		at--;
	if (!at)
		return false;
	*phase = reading->open[at - 1];
	memmove(reading->open + at - 1, reading->open + at,
		(reading->open_count - at) * sizeof *reading->open);
	reading->open_count--;
	return true;
}

static void end_phase(struct compile_reading *reading, int64_t pid, struct open_phase phase)
{
	struct profile *profile = reading->profile;
	int64_t end = phase.start, ns;
	if (!close_phase(reading, &phase) || __builtin_sub_overflow(end, phase.start, &ns) ||
	    ns < 0) {
		profile_damage(profile, "phase that ends before it begins", "skipped", UINT64_MAX);
		return;
	}
	uint32_t track = builder_track(reading->builder, builder_process(reading->builder, pid, 0),
				       phase.thread, 0, -1);
	uint32_t category = profile->tracks[track].name = profile_intern(profile, CATEGORY_COMPILE);
	uint32_t span = builder_span(reading->builder, SPAN_OTHER, track, phase.name, phase.start,
				     ns, category);
	builder_span_text(reading->builder, span, COMPILE_ID, phase.id);
}

static void take_phase(struct compile_reading *reading, const struct compile_record *record)
{
	struct json_slice event, arguments, time;
	struct open_phase phase = { 0 };
	if (!payload_document(record, JSON_OBJECT, &event) || !json_find(&event, "ts", &time) ||
	    !json_time_ns(&time, &phase.start)) {
		profile_damage(reading->profile, "phase whose JSON is broken", "skipped",
			       record->range.offset);
		return;
	}
	phase.name = json_find_text(&event, "name", reading->profile->strings);
	phase.thread = json_find_id(&event, "tid");
	if (json_find_type(&event, "args", JSON_OBJECT, &arguments)) {
		struct text_slice id = string_of(&arguments, "compile_id");
		phase.id = id.length && !slice_is(id, "None") ? add_text(reading, id) : 0;
	}
	struct text_slice kind = string_of(&event, "ph");
	if (slice_is(kind, "B") && reading->open_count < OPEN_MAX)
		*mem_push(reading->open, reading->open_count, reading->open_cap) = phase;
	else if (slice_is(kind, "E"))
		end_phase(reading, record->pid, phase);
}

/* ---- which record is taken how ---- */

/* Events and names of artifacts. */
static const struct log_event {
	const char *name;
	void (*take)(struct compile_reading *reading, const struct compile_record *record);
	bool payload; /* is read */
} events[] = {
	{ "chromium_event", take_phase, true },
	{ "str", take_text, false },
	{ "dynamo_start", take_start, false },
	{ "guard_added", take_guard, false },
	{ "guard_added_fast", take_guard, false },
	{ "compilation_metrics", take_metrics, false },
	{ "bwd_compilation_metrics", take_metrics, false },
	{ "compilation_metrics_runtime", take_runtime, false },
	{ "dynamo_output_graph", take_traced, true },
	{ "inductor_post_grad_graph", take_graph, true },
	{ "after_post_grad_graph", take_graph, true },
	{ "inductor_output_code", take_code, true },
	{ "graph_dump", take_code, true },
	{ "dynamo_cpp_guards_str", take_guards, false },
	{ "dynamo_graph_break_reason", take_break, true },
	{ "recompile_reasons", take_reasons, true },
	{ "triton_kernel_info", take_triton, true },
	{ "inductor_collective_schedule", take_collectives, true },
	{ "inductor_provenance_tracking_node_mappings", take_mapping, true },
	{ "fx_graph_cache_hit", take_cache, true },
	{ "fx_graph_cache_miss", take_cache, true },
	{ "fx_graph_cache_bypass", take_cache, true },
	{ "aotautograd_cache_hit", take_cache, true },
	{ "aotautograd_cache_miss", take_cache, true },
	{ "aotautograd_cache_bypass", take_cache, true },
};

static const struct log_event *event_of(const struct compile_record *record)
{
	struct text_slice name =
		json_equal(&record->event, "artifact")
			? string_of(&record->value, "name")
			: (struct text_slice){ record->event.text, record->event.length };
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (slice_is(name, events[i].name))
			return &events[i];
	return NULL;
}

static bool wants_payload(void *context, const struct compile_record *record)
{
	const struct log_event *event = event_of(record);
	return event && event->payload;
}

static void take_record(void *context, const struct compile_record *record)
{
	struct compile_reading *reading = context;
	struct profile *profile = reading->profile;
	const struct log_event *event = event_of(record);
	if (profile->rank == NO_VALUE && record->rank >= 0 && record->rank <= INT32_MAX)
		profile->rank = record->rank;
	if (record->frame != NO_VALUE)
		compilation_of(reading, record);
	if (event)
		event->take(reading, record);
}

/* ---- the file ---- */

static bool read_compile_log(struct input *input)
{
	struct compile_reading reading = { .profile = input->profile,
					   .builder = input->builder,
					   .log = mem_zalloc(1, sizeof *reading.log) };
	struct compile_records records = { input, wants_payload, take_record, &reading };
	reading.log->path = mem_strdup(input->profile->path);
	input->profile->compile = reading.log;
	bool done = compile_records_read(&records);
	if (reading.open_count)
		profile_damage_many(input->profile, "phase without an end", "skipped", UINT64_MAX,
				    reading.open_count);
	keyed_clear(&reading.ids);
	keyed_clear(&reading.broken);
	keyed_clear(&reading.nodes);
	mem_free_all(reading.texts, reading.latest, reading.open, reading.places);
	return done;
}

static bool recognize_compile_log(const char *head, size_t length)
{
	return compile_record_begins(head);
}

const struct reader compile_log_reader = {
	.format = "torch.compile log (TORCH_TRACE)",
	.recognize = recognize_compile_log,
	.read = read_compile_log,
	.is_telemetry = true,
};

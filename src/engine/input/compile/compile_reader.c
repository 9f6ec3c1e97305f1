/*
 * Fills a compile log from structured logs of torch.compile (TORCH_TRACE): lines of glog form,
 * whose JSON names an event, each with its payload, lines after a tab. Phases of compilations,
 * which the log times (chromium_event), become spans of a track.
 */
#include "base/keyed.h"
#include "input/json.h"
#include "input/readers.h"
#include "input/text_lines.h"
#include "model/compile_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	RECORDS_CHUNK = 1 << 20,
	RECORD_MAX = 1 << 26, /* limit: bytes of a line or payload of a log; longer ones are cut */
	OPEN_MAX = 4096,      /* limit: phases that are open at a time */
	OUTCOMES_MAX = 256,   /* limit: bytes of the outcomes in a cache, one for each graph */
};

struct log_event;

/* {"artifact": {...}, "frame_id": 0}: its first member is the event. */
struct compile_record {
	struct buffer json, payload;    /* the line's; the lines after it, without their tabs */
	struct json_slice event, value; /* in JSON */
	int64_t pid, rank, frame, number, attempt, autograd; /* NO_VALUE */
	uint64_t offset;                                     /* in the text */
	const struct log_event *taken;                       /* how; NULL: it is not */
	bool open;                                           /* its payload may go on */
};

struct open_phase {
	int64_t thread, start;
	uint32_t name, id; /* the id of its compilation; 0: none */
};

struct compile_reading {
	struct profile *profile;
	struct builder *builder;
	struct compile_log *log;
	struct compile_record record;
	struct keyed ids;    /* of compilations */
	uint32_t *latest;    /* by these: the last compilation with the id */
	struct keyed broken; /* the breaks, by what they are about */
	struct open_phase *open;
	size_t open_count, open_cap;
};

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

static void add_number(int64_t *sum, int64_t number)
{
	if (number != NO_VALUE && (*sum == NO_VALUE || __builtin_add_overflow(*sum, number, sum)))
		*sum = number;
}

/* Frames are traced once more after a graph break; ids begin again when Dynamo is reset. */
static void take_start(struct compile_reading *reading, const struct compile_record *record)
{
	struct compile_item *compilation = compilation_of(reading, record);
	int64_t attempt = record->attempt > 0 && record->attempt < INT32_MAX ? record->attempt : 0;
	if (attempt < compilation->number[COMPILE_ATTEMPTS])
		compilation = compilation_of_id(reading, compilation->id, true);
	compilation->number[COMPILE_ATTEMPTS] = attempt + 1;
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
	struct compile_item *self = compilation_of(reading, record);
	struct compile_items *breaks = &reading->log->items[OF_BREAK];
	size_t size = BREAK_TEXTS * sizeof *texts;
	uint32_t known = reading->broken.count, at = keyed_add(&reading->broken, texts, size);
	if (at == known)
		memcpy(compile_add(reading->log, OF_BREAK, self->id)->text, texts, size);
	add_number(&breaks->at[at].number[BREAK_COUNT], 1);
	add_number(&self->number[COMPILE_BREAKS], 1);
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
	add_phases(self, metrics);
	/* the log may have had the breaks themselves */
	if (self->number[COMPILE_BREAKS] > 0 ||
	    !json_find_type(metrics, "restart_reasons", JSON_ARRAY, &reasons))
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
		struct compile_item *tuned =
			compile_add(reading->log, OF_AUTOTUNE, id_of_record(reading, record));
		tuned->text[TUNED_KERNEL] = json_intern(&at.key, strings);
		if (at.value.type != JSON_OBJECT)
			continue;
		tuned->number[TUNED_CONFIGS] = json_find_id(&at.value, "num_configs");
		tuned->text[TUNED_OUTCOME] =
			json_find_text(&at.value, "autotune_cache_state", strings);
		tuned->number[TUNED_NS] = time_of(&at.value, "compile_time_us");
	}
}

/* ---- generated code ---- */

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

static uint32_t add_text(struct compile_reading *reading, struct text_slice text)
{
	return intern_add(reading->profile->strings, text.text, text.length);
}

/* Kernels that generated code defines, with the comments above them. */
static void take_code(struct compile_reading *reading, const struct compile_record *record)
{
	static const char mark[] = "Source Nodes: [";
	const char *text = buffer_text(&record->payload), *end = text + record->payload.length;
	const char *line, *at;
	uint32_t nodes = 0;
	size_t length;
	for (int64_t number = 1; text_line(&text, end, &line, &length); number++) {
		struct text_slice rest = { line, length }, name = defined_in(rest);
		if ((at = slice_find(rest, mark))) {
			rest = slice_from(rest, at + strlen(mark));
			at = memchr(rest.text, ']', rest.length);
			nodes = add_text(reading, at ? slice_until(rest, at) : rest);
		}
		if (!name.length)
			continue;
		struct compile_item *kernel =
			compile_add(reading->log, OF_KERNEL, id_of_record(reading, record));
		kernel->text[KERNEL_NAME] = add_text(reading, name);
		kernel->text[KERNEL_NODES] = nodes;
		kernel->text[KERNEL_FILE] =
			json_find_text(&record->value, "filename", reading->profile->strings);
		kernel->number[KERNEL_LINE] = number;
		nodes = 0;
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
			       record->offset);
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
	{ "dynamo_start", take_start, false },
	{ "compilation_metrics", take_metrics, false },
	{ "compilation_metrics_runtime", take_runtime, false },
	{ "inductor_output_code", take_code, true },
	{ "graph_dump", take_code, true },
	{ "dynamo_graph_break_reason", take_break, true },
	{ "triton_kernel_info", take_triton, true },
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

/* ---- records ---- */

/* The JSON of "V0524 12:48:44.657000 1401 torch/a.py:19] {", or NULL; the process. */
static const char *json_of_line(struct text_slice line, int64_t *pid)
{
	char head[64];
	int day, hour, minute, used = 0;
	long long id;
	size_t length = line.length < sizeof head - 1 ? line.length : sizeof head - 1;
	memcpy(head, line.text, length);
	head[length] = 0;
	if (!strchr("VDIWEC", *head) ||
	    sscanf(head + 1, "%4d %2d:%2d:%*f %lld %n", &day, &hour, &minute, &id, &used) != 4 ||
	    !used)
		return NULL;
	const char *json = slice_find(line, "] {");
	*pid = id;
	return json ? json + 2 : NULL;
}

static void finish_record(struct compile_reading *reading)
{
	struct compile_record *record = &reading->record;
	struct profile *profile = reading->profile;
	if (!record->open)
		return;
	record->open = false;
	if (profile->rank == NO_VALUE && record->rank >= 0 && record->rank <= INT32_MAX)
		profile->rank = record->rank;
	if (record->frame != NO_VALUE)
		compilation_of(reading, record);
	if (record->taken)
		record->taken->take(reading, record);
}

/* The event and what surrounds it. */
static void take_members(struct compile_record *record, const struct json_slice *object)
{
	struct {
		const char *name;
		int64_t *number;
	} const numbers[] = { { "rank", &record->rank },
			      { "frame_id", &record->frame },
			      { "frame_compile_id", &record->number },
			      { "attempt", &record->attempt },
			      { "compiled_autograd_id", &record->autograd } };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		*numbers[i].number = json_find_id(object, numbers[i].name);
	struct json_members first = json_members(object);
	if (!json_each(&first))
		return;
	record->event = first.key;
	record->value = first.value;
	record->taken = event_of(record);
	record->open = true;
}

static void begin_record(struct compile_reading *reading, struct text_slice line, uint64_t offset)
{
	struct compile_record *record = &reading->record;
	struct json_slice object;
	finish_record(reading);
	buffer_clear(&record->json);
	buffer_clear(&record->payload);
	record->offset = offset;
	const char *json = json_of_line(line, &record->pid);
	if (!json) {
		profile_damage(reading->profile, "line that is no record", "skipped", offset);
		return;
	}
	reading->profile->events++;
	buffer_add(&record->json, json, (size_t)(line.text + line.length - json));
	if (json_document(record->json.data, record->json.length, JSON_OBJECT, &object, NULL))
		take_members(record, &object);
	else
		profile_damage(reading->profile, "record whose JSON is broken", "skipped", offset);
}

static void take_line(struct compile_reading *reading, struct text_slice line, uint64_t offset)
{
	struct compile_record *record = &reading->record;
	bool payload = line.length && *line.text == '\t';
	if (line.length && !payload)
		begin_record(reading, line, offset);
	if (!payload || !record->open || !record->taken || !record->taken->payload ||
	    record->payload.length + line.length > RECORD_MAX)
		return;
	buffer_add(&record->payload, line.text + 1, line.length - 1);
	buffer_putc(&record->payload, '\n');
}

/* Take the whole lines of TEXT, at its end the rest too; returns the bytes taken. */
static size_t take_lines(struct compile_reading *reading, const struct buffer *text,
			 uint64_t offset, bool last)
{
	size_t at = 0;
	while (at < text->length) {
		const char *line = text->data + at;
		const char *end = memchr(line, '\n', text->length - at);
		size_t length = end ? (size_t)(end - line) : text->length - at;
		if (!end && !last && length < RECORD_MAX)
			break;
		take_line(reading, (struct text_slice){ line, length }, offset + at);
		at += length + (end != NULL);
	}
	return at;
}

/* ---- the file ---- */

static bool read_records(struct compile_reading *reading, struct input *input)
{
	AUTO_BUFFER struct buffer text = { 0 };
	uint64_t offset = 0;
	ptrdiff_t got;
	do {
		mem_grow(text.data, text.capacity, text.length + RECORDS_CHUNK + 1);
		got = source_read(input->source, text.data + text.length, RECORDS_CHUNK,
				  input->error);
		text.length += got > 0 ? (size_t)got : 0;
		size_t taken = take_lines(reading, &text, offset, got == 0);
		memmove(text.data, text.data + taken, text.length - taken);
		text.length -= taken;
		offset += taken;
		source_report(input->source, profile_rows(input->profile), input->profile->events);
	} while (got > 0);
	finish_record(reading);
	input->profile->text_bytes = offset;
	return got == 0;
}

static bool read_compile_log(struct input *input)
{
	struct compile_reading reading = { .profile = input->profile, .builder = input->builder };
	reading.log = input->profile->compile = mem_zalloc(1, sizeof *reading.log);
	bool done = read_records(&reading, input);
	if (reading.open_count)
		profile_damage_many(input->profile, "phase without an end", "skipped", UINT64_MAX,
				    reading.open_count);
	keyed_clear(&reading.ids);
	keyed_clear(&reading.broken);
	buffer_free(&reading.record.json);
	buffer_free(&reading.record.payload);
	mem_free_all(reading.latest, reading.open);
	return done;
}

static bool recognize_compile_log(const char *head, size_t length)
{
	const char *end = strchrnul(head, '\n');
	int64_t pid;
	return *head == 'V' &&
	       json_of_line((struct text_slice){ head, (size_t)(end - head) }, &pid);
}

const struct reader compile_log_reader = {
	.format = "torch.compile log (TORCH_TRACE)",
	.recognize = recognize_compile_log,
	.read = read_compile_log,
	.is_telemetry = true,
};

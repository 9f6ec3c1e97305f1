/*
 * Fills a compile log from the records of TORCH_TRACE; phases of compilations, which it times
 * (chromium_event), become spans of a track.
 */
#include "base/any_of.h"
#include "base/platform.h"
#include "base/text.h"
#include "input/compile/compile_payload.h"
#include "input/compile/compile_private.h"
#include "input/readers.h"
#include "input/text_lines.h"

#include <math.h>

enum {
	TEXTS_MAX = 1 << 22, /* limit: strings that a log interns itself */
	OPEN_MAX = 4096,     /* limit: phases that are open at a time */
	OUTCOMES_MAX = 256,  /* limit: bytes of the outcomes in a cache, one for each graph */
};

static struct text_slice string_of(const struct json_slice *object, const char *name)
{
	struct json_slice value;
	return json_find_type(object, name, JSON_STRING, &value)
		       ? (struct text_slice){ value.text, value.length }
		       : (struct text_slice){ "", 0 };
}

bool compile_document(const struct compile_record *record, enum json_type type,
		      struct json_slice *document)
{
	return json_document(record->payload.text, record->payload.length, type, document, NULL);
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

uint32_t compile_id_of(struct compile_reading *reading, const struct compile_record *record)
{
	const int64_t numbers[] = { record->autograd, record->frame, record->number };
	AUTO_BUFFER struct buffer id = { 0 };
	if (reading->id && memcmp(numbers, reading->id_of, sizeof numbers) == 0)
		return reading->id;
	memcpy(reading->id_of, numbers, sizeof numbers);
	if (record->autograd != NO_VALUE)
		buffer_printf(&id, "!%lld%s", (long long)record->autograd,
			      record->frame != NO_VALUE ? "/" : "");
	if (record->frame != NO_VALUE)
		buffer_printf(&id, "%lld/%lld", (long long)record->frame,
			      record->number == NO_VALUE ? 0LL : (long long)record->number);
	return reading->id = intern_add(reading->profile->strings, id.length ? id.data : "-",
					id.length ?: 1);
}

static struct compile_item *compilation_of(struct compile_reading *reading,
					   const struct compile_record *record)
{
	return compilation_of_id(reading, compile_id_of(reading, record), false);
}

struct compile_item *compile_add_of(struct compile_reading *reading,
				    const struct compile_record *record, enum compile_kind kind)
{
	return compile_add(reading->log, kind, compile_id_of(reading, record));
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
		*mem_push(reading->texts, reading->text_count) = 0;
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
	struct compile_item *guard = compile_add_of(reading, record, OF_GUARD);
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
	guard->text[GUARD_PLACE] = intern_add(strings, BUFFERED(&place));
}

/* ---- metrics ---- */

/* A time in seconds or, of a name that ends in "_us", microseconds; NO_VALUE. */
static int64_t time_of(const struct json_slice *name, const struct json_slice *value)
{
	double number;
	double unit = text_ends(name->text, name->length, "_us") ? 1e3 : 1e9;
	bool found = value->type == JSON_NUMBER && json_real(value, &number);
	return found && number >= 0 && number * unit < 9e18 ? llround(number * unit) : NO_VALUE;
}

/* The time NAME of an object; NO_VALUE. */
static int64_t find_time(const struct json_slice *object, const char *name)
{
	const struct json_slice key = { .text = name, .length = strlen(name) };
	struct json_slice value;
	return json_find(object, name, &value) ? time_of(&key, &value) : NO_VALUE;
}

/* Of times that contain each other, what each has without the next one known. */
static void add_phases(struct compile_item *compilation, const int64_t ns[])
{
	int64_t inner = 0;
	for (int i = PHASE_TRITON; i >= PHASE_DYNAMO; i--) {
		if (ns[i] == NO_VALUE)
			continue;
		add_if_known(&compilation->number[i], ns[i] > inner ? ns[i] - inner : 0);
		inner = ns[i];
	}
	add_if_known(&compilation->number[COMPILE_TOTAL], inner ?: NO_VALUE);
}

/* A break of the compilation; those of one reason, place and stack are one item. */
static void add_break(struct compile_reading *reading, const struct compile_record *record,
		      const uint32_t texts[BREAK_TEXTS])
{
	size_t size = BREAK_TEXTS * sizeof *texts;
	uint32_t known = reading->broken.count, at = keyed_add(&reading->broken, texts, size);
	if (at == known)
		memcpy(compile_add_of(reading, record, OF_BREAK)->text, texts, size);
	add_if_known(&reading->log->items[OF_BREAK].at[at].number[BREAK_COUNT], 1);
	add_if_known(&compilation_of(reading, record)->number[COMPILE_BREAKS], 1);
}

/* A member of the metrics, and which number or text of the compilation it is. */
static const struct logged_metric {
	const char *name;
	enum { METRIC_NUMBER, METRIC_TEXT, METRIC_BREAKS, METRIC_TIME } form;
	int which; /* number or text; of two members with one, the first here is taken */
} metrics[] = { COMPILE_METRICS_ROWS };

static void take_metrics(struct compile_reading *reading, const struct compile_record *record)
{
	struct intern *strings = reading->profile->strings;
	struct compile_item *self = compilation_of(reading, record);
	struct json_slice reasons = { 0 };
	const struct logged_metric *from[COMPILE_NUMBERS] = { 0 };
	int64_t ns[COMPILE_NUMBERS], number;
	for (size_t i = 0; i < COMPILE_NUMBERS; i++)
		ns[i] = NO_VALUE;
	/* once over the members: among them are whole configurations */
	for (struct json_members at = json_members(&record->value); json_each(&at);) {
		const struct logged_metric *metric =
			first_of(one, metrics, sizeof metrics / sizeof *metrics,
				 text_is(at.key.text, at.key.length, one->name));
		if (!metric)
			continue;
		if (metric->form == METRIC_NUMBER && json_id(&at.value, &number))
			self->number[metric->which] = number;
		else if (metric->form == METRIC_TEXT && at.value.type == JSON_STRING)
			self->text[metric->which] =
				json_intern(&at.value, strings) ?: self->text[metric->which];
		else if (metric->form == METRIC_BREAKS && at.value.type == JSON_ARRAY)
			reasons = at.value;
		else if (metric->form == METRIC_TIME &&
			 (number = time_of(&at.key, &at.value)) != NO_VALUE &&
			 (!from[metric->which] || metric < from[metric->which])) {
			ns[metric->which] = number;
			from[metric->which] = metric;
		}
	}
	if (self->number[COMPILE_START] == NO_VALUE)
		self->number[COMPILE_START] = ns[COMPILE_START];
	add_phases(self, ns);
	add_if_known(&self->number[PHASE_AUTOTUNE], ns[PHASE_AUTOTUNE]);
	/* the log may have had the breaks themselves */
	if (self->number[COMPILE_BREAKS] > 0 || !reasons.length)
		return;
	self->number[COMPILE_BREAKS] = 0;
	for (struct json_members at = json_members(&reasons); json_each(&at);)
		add_break(reading, record,
			  (uint32_t[BREAK_TEXTS]){ json_intern(&at.value, strings) });
}

/* ---- artifacts ---- */

/* "Graph break in user code at FILE:LINE", its reason, and the user's stack. */
static void take_break(struct compile_reading *reading, const struct compile_record *record)
{
	static const char at[] = " in user code at ", why[] = "Reason: ", from[] = "traceback:\n";
	struct intern *strings = reading->profile->strings;
	AUTO_BUFFER struct buffer payload = { 0 };
	compile_payload_text(record->payload, &payload);
	const char *text = buffer_text(&payload);
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
	if (*reason || !compile_document(record, JSON_ARRAY, &list))
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
	if (slice_is(outcome, "bypass") && compile_document(record, JSON_OBJECT, &object))
		self->text[COMPILE_BYPASS] =
			json_find_text(&object, "cache_bypass_reason", reading->profile->strings)
				?: self->text[COMPILE_BYPASS];
}

/* {"triton_poi_fused_mul_0": {"autotune_cache_state": "miss", "num_configs": 2, ...}} */
static void take_triton(struct compile_reading *reading, const struct compile_record *record)
{
	struct intern *strings = reading->profile->strings;
	struct json_slice object;
	if (!compile_document(record, JSON_OBJECT, &object))
		return;
	for (struct json_members at = json_members(&object); json_each(&at);) {
		struct compile_item *tuned = compile_add_of(reading, record, OF_AUTOTUNE);
		tuned->text[TUNED_KERNEL] = json_intern(&at.key, strings);
		if (at.value.type != JSON_OBJECT)
			continue;
		tuned->number[TUNED_CONFIGS] = json_find_id(&at.value, "num_configs");
		tuned->text[TUNED_OUTCOME] =
			json_find_text(&at.value, "autotune_cache_state", strings);
		tuned->number[TUNED_NS] = find_time(&at.value, "compile_time_us");
	}
}

/* ["torch.ops._c10d_functional.all_reduce_.default", ...]: operations, not the waits for them. */
static void take_collectives(struct compile_reading *reading, const struct compile_record *record)
{
	AUTO_BUFFER struct buffer text = { 0 };
	struct json_slice list;
	if (!compile_document(record, JSON_ARRAY, &list))
		return;
	for (struct json_members at = json_members(&list); json_each(&at);) {
		struct text_slice name = { at.value.text, at.value.length };
		slice_skip(&name, "torch.ops._c10d_functional.");
		if (!slice_begins(name, "wait_tensor"))
			buffer_printf(&text, "%s%.*s", text.length ? ", " : "", (int)name.length,
				      name.text);
	}
	compilation_of(reading, record)->text[COMPILE_COLLECTIVES] =
		intern_add(reading->profile->strings, BUFFERED(&text));
}

static void take_traced(struct compile_reading *reading, const struct compile_record *record)
{
	struct compile_item *self = compilation_of(reading, record);
	self->number[COMPILE_GRAPH] = compile_graph_hash(record->payload);
	self->range = record->range;
}

static void take_guards(struct compile_reading *reading, const struct compile_record *record)
{
	compile_add_of(reading, record, OF_GUARD)->range = record->range;
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
		profile_skip(profile, "phase that ends before it begins");
		return;
	}
	uint32_t track = builder_track(reading->builder, builder_process(reading->builder, pid, 0),
				       phase.thread, 0, -1);
	uint32_t category = profile->tracks[track].name = profile_intern(profile, CATEGORY_COMPILE);
	uint32_t span = builder_span(reading->builder, SPAN_OTHER, track, phase.name, phase.start,
				     ns, category);
	builder_span_text(reading->builder, span, COMPILE_ID, phase.id);
}

/* In one pass over the payload, whose arguments may be long and matter where a phase is. */
static void take_phase(struct compile_reading *reading, const struct compile_record *record)
{
	struct text_slice text = record->payload, id;
	const char *end = platform_memrchr(text.text, '}', text.length) ?: text.text;
	const char *begin = memchr(text.text, '{', (size_t)(end - text.text)) ?: end;
	struct json_members at = { .cursor = { begin < end ? begin + 1 : end, end,
					       .final = true } };
	struct json_slice kind = { 0 }, name = { 0 }, arguments = { 0 };
	struct open_phase phase = { .thread = NO_VALUE };
	bool timed = false;
	while (json_each(&at))
		if (json_equal(&at.key, "ts"))
			timed = json_time_ns(&at.value, &phase.start);
		else if (json_equal(&at.key, "tid") && !json_id(&at.value, &phase.thread))
			phase.thread = NO_VALUE;
		else if (json_equal(&at.key, "name"))
			name = at.value;
		else if (json_equal(&at.key, "args"))
			arguments = at.value;
		else if (json_equal(&at.key, "ph"))
			kind = at.value;
	if (!timed || at.cursor.at < end)
		profile_damage(reading->profile, "phase whose JSON is broken", "skipped",
			       record->range.offset);
	else if (json_equal(&kind, "B") || json_equal(&kind, "E")) {
		id = string_of(&arguments, "compile_id");
		phase.name = json_intern(&name, reading->profile->strings);
		phase.id = id.length && !slice_is(id, "None") ? compile_add_text(reading, id) : 0;
		if (json_equal(&kind, "E"))
			end_phase(reading, record->pid, phase);
		else if (reading->open_count < OPEN_MAX)
			*mem_push(reading->open, reading->open_count) = phase;
	}
}

/* ---- which record is taken how ---- */

/* Events and names of artifacts. */
static const struct log_event {
	const char *name;
	void (*take)(struct compile_reading *reading, const struct compile_record *record);
} events[] = { LOG_EVENTS_ROWS };

static const struct log_event *kind_of(const struct compile_record *record)
{
	struct text_slice name =
		json_equal(&record->event, "artifact")
			? string_of(&record->value, "name")
			: (struct text_slice){ record->event.text, record->event.length };
	return first_of(at, events, sizeof events / sizeof *events, slice_is(name, at->name));
}

static void take_record(void *context, const struct compile_record *record)
{
	struct compile_reading *reading = context;
	struct profile *profile = reading->profile;
	if (profile->rank == NO_VALUE && record->rank >= 0 && record->rank <= INT32_MAX)
		profile->rank = record->rank;
	if (record->frame != NO_VALUE)
		compilation_of(reading, record);
	if (record->kind)
		record->kind->take(reading, record);
}

/* ---- the file ---- */

/* "dedicated_log_torch_trace_rank_1_a1b2.log": PyTorch names files after their ranks. */
static int64_t rank_of_name(const char *path)
{
	static const char mark[] = "torch_trace_rank_";
	const char *at = strstr(text_file_name(path), mark), *digits = at ? at + strlen(mark) : "";
	struct text_slice number = { digits, strspn(digits, "0123456789") };
	int64_t rank;
	return slice_count(number, &rank) && rank <= INT32_MAX ? rank : NO_VALUE;
}

static bool read_compile_log(struct input *input)
{
	struct compile_reading reading = { .profile = input->profile,
					   .builder = input->builder,
					   .log = mem_zalloc(1, sizeof *reading.log) };
	struct compile_records records = { input, kind_of, take_record, &reading };
	reading.log->path = mem_strdup(input->profile->path);
	input->profile->compile = reading.log;
	input->profile->rank = rank_of_name(input->profile->path);
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
	.joins = JOINS_ALL,
};

/*
 * Packets of a Perfetto trace: tracks, interned names of a sequence, and begins, ends, instants and
 * counters. Packets of other data sources (the kernel's scheduler, heaps) are counted, not read.
 */
#include "input/readers.h"

#include "input/kineto/category.h"
#include "input/kineto/kineto_rows.h"
#include "input/perfetto/pftrace_clock.h"
#include "input/perfetto/pftrace_json.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>

/* Fields of a packet. */
enum { PERFETTO_PACKET_ROWS(_) };

enum { OPEN_MAX = 1 << 20 }; /* limit: ranges open at once in a Perfetto trace */

/* A track of the file: a thread, or a line of its own. */
struct pf_track {
	uint64_t id, parent;
	int64_t pid, tid; /* NO_VALUE: neither process nor thread */
	uint32_t name, process_name;
	bool counter, incremental; /* its values are differences */
	double unit, value;        /* of a counter */
	uint32_t track;            /* of the profile; NO_ROW: not yet */
	uint32_t last;             /* the innermost open range, NO_ROW */
};

/* A range that has begun; SPAN is the row of an activity with this bit. */
#define PFTRACE_ACTIVITY (UINT32_C(1) << 31)
struct pftrace_open {
	uint32_t span, around;
};

struct pftrace {
	struct profile *profile;
	struct builder *builder;
	const struct progress *progress;
	GROWING(struct pf_track, tracks, track_count);
	struct hash *by_id; /* id of a track → its index */
	struct pf_interned interned;
	struct rows *rows;     /* of events of a category that Kineto has */
	struct buffer text;    /* of the current one */
	struct hash *defaults; /* sequence → index of its default track */
	struct hash *flows;    /* id of a flow that has begun → 0 */
	struct pf_clocks clocks;
	GROWING(struct pftrace_open, open, open_count);
	int64_t latest;
	uint64_t events, others;
};

/* ---- tracks ---- */

static struct pf_track *pftrace_track_of(struct pftrace *trace, uint64_t id)
{
	uint32_t at = hash_first(trace->by_id, id);
	if (at != NO_ROW)
		return &trace->tracks[at];
	hash_add(trace->by_id, id, (uint32_t)trace->track_count);
	struct pf_track *track = mem_push(trace->tracks, trace->track_count);
	*track = (struct pf_track){ .id = id,
				    .pid = NO_VALUE,
				    .tid = NO_VALUE,
				    .track = NO_ROW,
				    .last = NO_ROW,
				    .unit = 1 };
	return track;
}

static int64_t number_in(struct proto message, uint32_t number)
{
	struct proto_field field;
	int64_t value;
	return proto_find(message, number, &field) && proto_signed(&field, &value) ? value
										   : NO_VALUE;
}

/* 4 factor of the values, 5 incremental. */
static void read_counter(struct pf_track *track, struct proto message)
{
	int64_t unit = number_in(message, 4), incremental = number_in(message, 5);
	track->counter = true;
	track->incremental = incremental != NO_VALUE && incremental != 0;
	track->unit = unit == NO_VALUE || unit == 0 ? 1 : (double)unit;
}

/* 1 id, 2 name, 3 process {1 pid, 6 name}, 4 thread {1 pid, 2 tid, 5 name}, 5 parent, 8 counter. */
static void read_track(struct pftrace *trace, struct proto message)
{
	enum { ID = 1, NAME = 2, PROCESS = 3, THREAD = 4, PARENT = 5, COUNTER = 8 };
	struct intern *strings = trace->profile->strings;
	struct proto_field field, part;
	uint64_t id = 0;
	if (proto_find(message, ID, &field))
		proto_unsigned(&field, &id);
	struct pf_track *track = pftrace_track_of(trace, id);
	while (proto_next(&message, &field)) {
		struct proto inner = proto_in(&field);
		if (field.number == NAME && field.length) {
			track->name = proto_text(&field, strings);
		} else if (field.number == PARENT) {
			proto_unsigned(&field, &track->parent);
		} else if (field.number == COUNTER) {
			read_counter(track, inner);
		} else if (field.number == PROCESS) {
			track->pid = number_in(inner, 1);
			if (proto_find(inner, 6, &part))
				track->process_name = proto_text(&part, strings);
		} else if (field.number == THREAD) {
			track->pid = number_in(inner, 1);
			track->tid = number_in(inner, 2);
			if (proto_find(inner, 5, &part) && !track->name)
				track->name = proto_text(&part, strings);
		}
	}
}

/* The process of a track: its own, or that of a track around it. */
static int64_t pftrace_process_of(struct pftrace *trace, const struct pf_track *track)
{
	enum { DEPTH = 16 };
	for (int i = 0; i < DEPTH && track->pid == NO_VALUE && track->parent; i++) {
		uint32_t at = hash_first(trace->by_id, track->parent);
		if (at == NO_ROW)
			break;
		track = &trace->tracks[at];
	}
	return track->pid;
}

static int64_t thread_of(const struct pf_track *track)
{
	return track->tid != NO_VALUE ? track->tid : (int64_t)(track->id & INT64_MAX);
}

static uint32_t pftrace_place_of(struct pftrace *trace, struct pf_track *track)
{
	if (track->track != NO_ROW)
		return track->track;
	uint32_t process = builder_process(trace->builder, pftrace_process_of(trace, track), 0);
	track->track = builder_track(trace->builder, process, thread_of(track), 0, -1);
	if (track->name)
		trace->profile->tracks[track->track].name = track->name;
	if (track->process_name)
		trace->profile->processes[process].name = track->process_name;
	return track->track;
}

/* ---- events of Kineto's categories: PyTorch, rocprofv3 ---- */

/* NULL: none. A range is work of a device only if it has arguments or a flow, as that has. */
static const struct category *pftrace_category_of(const struct pftrace *trace,
						  const struct pf_event *event)
{
	const char *name = profile_string(trace->profile, event->category);
	const struct category *category = *name ? category_find(name, strlen(name)) : NULL;
	if (!category || (category->lane != LANE_SPAN && category->lane != LANE_ACTIVITY))
		return NULL;
	struct proto_field field;
	bool work = category->lane == LANE_ACTIVITY;
	bool told = event->flow_count || proto_find(event->message, PF_ARGUMENT, &field);
	return work && !told ? NULL : category;
}

/* Is it a launch call or the work of one? Their flows are links, not arrows. */
static bool is_launch(const struct category *category)
{
	return category && (category->lane == LANE_ACTIVITY || category->kind == SPAN_RUNTIME);
}

/* Add a range; the row that it became, or NO_ROW. */
static uint32_t add_of_category(struct pftrace *trace, struct pf_track *track,
				const struct pf_event *event, const struct category *category)
{
	const struct profile *profile = trace->profile;
	uint32_t spans = profile->spans, activities = profile->activities;
	int64_t flow = is_launch(category) && event->flow_count ? event->flows[0] : NO_VALUE;
	struct event parsed;
	if (category->lane == LANE_SPAN)
		pftrace_place_of(trace, track); /* names the thread */
	pf_json_write(&trace->text, &trace->interned, event, pftrace_process_of(trace, track),
		      thread_of(track), flow);
	const char *text = buffer_text(&trace->text);
	struct json_cursor cursor = { .at = text, .end = text + trace->text.length, .final = true };
	if (event_parse(&cursor, &parsed, NULL) == JSON_OK)
		rows_add_event(trace->rows, &parsed, UINT64_MAX);
	if (profile->activities > activities)
		return activities | PFTRACE_ACTIVITY;
	return profile->spans > spans ? spans : NO_ROW;
}

static void end_row(struct pftrace *trace, uint32_t row, int64_t time)
{
	if (!(row & PFTRACE_ACTIVITY)) {
		builder_span_end(trace->builder, row, time);
		return;
	}
	struct profile *profile = trace->profile;
	uint32_t activity = row & ~PFTRACE_ACTIVITY;
	int64_t dur = time - profile->activity_start[activity];
	profile->activity_dur[activity] = dur > 0 ? dur : 0;
}

/* ---- events ---- */

static void begin_range(struct pftrace *trace, const struct pf_event *event)
{
	struct pf_track *track = pftrace_track_of(trace, event->track);
	const struct category *category = pftrace_category_of(trace, event);
	if (trace->open_count == OPEN_MAX) {
		profile_skip(trace->profile, "more ranges than can be open");
		return;
	}
	uint32_t span = category ? add_of_category(trace, track, event, category) : NO_ROW;
	if (span == NO_ROW)
		span = builder_span(trace->builder, SPAN_ANNOTATION, pftrace_place_of(trace, track),
				    event->name, event->time, 0, NO_ROW);
	*mem_push(trace->open, trace->open_count) = (struct pftrace_open){ span, track->last };
	track->last = (uint32_t)trace->open_count - 1;
}

static void end_range(struct pftrace *trace, const struct pf_event *event)
{
	struct pf_track *track = pftrace_track_of(trace, event->track);
	if (track->last == NO_ROW) {
		profile_skip(trace->profile, "end of a range that did not begin");
		return;
	}
	struct pftrace_open *open = &trace->open[track->last];
	end_row(trace, open->span, event->time);
	track->last = open->around;
	open->span = NO_ROW;
	while (trace->open_count && trace->open[trace->open_count - 1].span == NO_ROW)
		trace->open_count--;
}

/* The first event of a flow is its tail; arrows lead to the others. */
static void add_flows(struct pftrace *trace, const struct pf_event *event, uint32_t track)
{
	for (size_t i = 0; i < event->flow_count; i++) {
		uint64_t id = (uint64_t)event->flows[i];
		bool start = hash_last(trace->flows, id) == NO_ROW;
		if (start)
			hash_add(trace->flows, id, 0);
		struct flow flow = { .time = event->time,
				     .id = event->flows[i],
				     .track = track,
				     .kind = FLOW_OTHER,
				     .start = start };
		builder_flow(trace->builder, &flow);
	}
}

static void add_counter(struct pftrace *trace, struct pf_track *track, const struct pf_event *event)
{
	double value = event->value * track->unit;
	if (track->incremental)
		value = track->value += value;
	struct counter counter = { .time = event->time,
				   .track = pftrace_place_of(trace, track),
				   .name = track->name,
				   .series = track->name,
				   .value = value };
	if (isfinite(value))
		builder_counter(trace->builder, &counter);
}

static void pftrace_add_event(struct pftrace *trace, const struct pf_event *event)
{
	enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };
	struct pf_track *track = pftrace_track_of(trace, event->track);
	trace->latest = event->time > trace->latest ? event->time : trace->latest;
	trace->events++;
	if (event->type == BEGIN) {
		begin_range(trace, event);
	} else if (event->type == END) {
		end_range(trace, event);
	} else if (event->type == INSTANT) {
		builder_span(trace->builder, SPAN_INSTANT, pftrace_place_of(trace, track),
			     event->name, event->time, 0, 0);
	} else if (event->type == COUNTER && isfinite(event->value)) {
		add_counter(trace, track, event);
	}
	if ((event->type == BEGIN && !is_launch(pftrace_category_of(trace, event))) ||
	    event->type == INSTANT)
		add_flows(trace, event, track->track);
}

static void add_flow_id(struct pf_event *event, const struct proto_field *field)
{
	uint64_t id;
	if (event->flow_count < PF_FLOWS_MAX && proto_unsigned(field, &id))
		event->flows[event->flow_count++] = (int64_t)id;
}

/* The category is the first: by id, several of them PACKED or one, or as a text. */
static void read_category(struct pftrace *trace, const struct proto_field *field,
			  struct pf_event *event)
{
	struct proto packed = proto_in(field);
	uint64_t id;
	if (!event->category &&
	    (field->bytes ? proto_next_packed(&packed, &id) : proto_unsigned(field, &id)))
		event->category =
			pf_interned_text(&trace->interned, event->sequence, PF_CATEGORIES, id);
}

/*
 * 3 id of the category or 22 category, 9 type, 10 id of the name or 23 name, 11 track,
 * 30 or 44 value, flows.
 */
static void pftrace_read_event(struct pftrace *trace, struct proto message, struct pf_event *event)
{
	enum {
		CATEGORY_ID = 3,
		TYPE = 9,
		NAME_ID = 10,
		TRACK = 11,
		CATEGORY = 22,
		NAME = 23,
		VALUE = 30,
		REAL_VALUE = 44,
	};
	event->message = message;
	for (struct proto_field field; proto_next(&message, &field);) {
		uint64_t number;
		int64_t whole;
		if (field.number == TYPE)
			proto_signed(&field, &event->type);
		else if (field.number == TRACK)
			proto_unsigned(&field, &event->track);
		else if (field.number == NAME)
			event->name = proto_text(&field, trace->profile->strings);
		else if (field.number == VALUE && proto_signed(&field, &whole))
			event->value = (double)whole;
		else if (field.number == REAL_VALUE)
			proto_real(&field, &event->value);
		/* 47 and 48, of the last event, of 64 bits; 36 and 42 in older traces */
		else if (field.number == 47 || field.number == 48 || field.number == 36 ||
			 field.number == 42)
			add_flow_id(event, &field);
		else if (field.number == CATEGORY_ID)
			read_category(trace, &field, event);
		else if (field.number == CATEGORY && !event->category)
			event->category = proto_text(&field, trace->profile->strings);
		else if (field.number == NAME_ID && proto_unsigned(&field, &number))
			event->name = pf_interned_text(&trace->interned, event->sequence, PF_NAMES,
						       number);
	}
}

/* 11 of events {11 track}, 58 clock. */
static void read_defaults(struct pftrace *trace, struct proto message, uint64_t sequence)
{
	struct proto_field field, track;
	uint64_t id;
	if (proto_find(message, PACKET_CLOCK, &field) && proto_unsigned(&field, &id))
		pf_clocks_choose(&trace->clocks, sequence, id);
	if (proto_find(message, 11, &field) && proto_find(proto_in(&field), 11, &track) &&
	    proto_unsigned(&track, &id)) {
		pftrace_track_of(trace, id);
		hash_add(trace->defaults, sequence, hash_first(trace->by_id, id));
	}
}

/* ---- packets ---- */

static void read_packet(struct pftrace *trace, struct proto message)
{
	struct proto_field field, event = { 0 };
	struct pf_event row = { .time = number_in(message, PACKET_TIMESTAMP), .value = NAN };
	struct proto walk = message;
	uint64_t sequence = 0, clock = 0;
	bool known = false;
	if (proto_find(message, PACKET_SEQUENCE, &field))
		proto_unsigned(&field, &sequence);
	while (proto_next(&walk, &field)) {
		known |= field.number >= PACKET_EVENT && field.number <= PACKET_FLAGS;
		if (field.number == PACKET_INTERNED)
			pf_interned_read(&trace->interned, proto_in(&field), sequence);
		else if (field.number == PACKET_DEFAULTS)
			read_defaults(trace, proto_in(&field), sequence);
		else if (field.number == PACKET_TRACK)
			read_track(trace, proto_in(&field));
		else if (field.number == PACKET_CLOCKS)
			pf_clocks_read(&trace->clocks, proto_in(&field), sequence);
		else if (field.number == PACKET_CLOCK)
			proto_unsigned(&field, &clock);
		else if (field.number == PACKET_EVENT)
			event = field;
		known |= field.number == PACKET_TRACK || field.number == PACKET_DEFAULTS ||
			 field.number == PACKET_CLOCKS;
	}
	trace->others += !known;
	if (walk.damaged)
		profile_damage(trace->profile, "damaged packet", "kept", UINT64_MAX);
	if (row.time != NO_VALUE && !pf_clocks_time(&trace->clocks, sequence, clock, &row.time))
		row.time = NO_VALUE;
	if (!event.bytes)
		return;
	uint32_t track = hash_last(trace->defaults, sequence);
	row.track = track == NO_ROW ? 0 : trace->tracks[track].id;
	row.sequence = sequence;
	pftrace_read_event(trace, proto_in(&event), &row);
	if (row.time == NO_VALUE || row.time < 0)
		profile_skip(trace->profile, "event without a time");
	else
		pftrace_add_event(trace, &row);
}

static bool read_packets(struct pftrace *trace, const struct buffer *text)
{
	struct proto message = proto_of(BUFFERED(text));
	struct proto_field field;
	for (uint64_t i = 0; proto_next(&message, &field); i++) {
		if (!progress_heavy_row(trace->progress, "reading packets", i, 0, 8))
			return false;
		if (field.number == PACKET && field.bytes)
			read_packet(trace, proto_in(&field));
	}
	if (message.damaged)
		trace->profile->truncated = true;
	for (size_t i = 0; i < trace->open_count; i++)
		if (trace->open[i].span != NO_ROW)
			end_row(trace, trace->open[i].span, trace->latest);
	return true;
}

static bool read_pftrace(struct input *input)
{
	struct pftrace trace = { .profile = input->profile,
				 .builder = input->builder,
				 .progress = input->progress,
				 .clocks = { .defaults = hash_new(16) },
				 .by_id = hash_new(64),
				 .interned = { input->profile, hash_new(256) },
				 .rows = rows_new(input->profile, input->builder),
				 .defaults = hash_new(16),
				 .flows = hash_new(16) };
	bool done = read_packets(&trace, &input->text);
	rows_finish(trace.rows);
	rows_free(trace.rows);
	input->profile->events = trace.events;
	if (done && !trace.events)
		done = error_input(
			input->error,
			"is a Perfetto trace without track events; record with the track_event data source");
	if (trace.others)
		builder_fact(trace.builder, "packets of other data sources, not loaded",
			     profile_print(trace.profile, "%" PRIu64, trace.others));
	hash_free_all(trace.by_id, trace.interned.texts);
	buffer_free(&trace.text);
	hash_free_all(trace.defaults, trace.flows);
	pf_clocks_clear(&trace.clocks);
	mem_free_all(trace.tracks, trace.open);
	return done;
}

/* ---- recognition ---- */

/* Packets of small fields, each with a sequence or a time; HEAD may end within one. */
static bool pftrace_recognize(const char *head, size_t length)
{
	struct proto message = proto_of(head, length);
	struct proto_field field, part;
	size_t packets = 0, marked = 0;
	if (length < 4 || head[0] != 0x0a)
		return false;
	while (proto_next(&message, &field)) {
		struct proto packet = proto_in(&field);
		if (field.number != PACKET || !field.bytes)
			return false;
		bool mark = false;
		while (proto_next(&packet, &part))
			mark |= (part.number == PACKET_TIMESTAMP ||
				 part.number == PACKET_SEQUENCE) &&
				part.wire == PROTO_VARINT;
		if (packet.damaged)
			return false;
		packets++;
		marked += mark;
	}
	return packets && marked * 2 >= packets;
}

const struct reader pftrace_reader = {
	.format = "Perfetto trace (protobuf)",
	.recognize = pftrace_recognize,
	.text_max = SOURCE_WHOLE_MAX,
	.read = read_pftrace,
};

/*
 * XSpace: planes (a device, a host), their lines (a stream, a thread), and events.
 *
 * Names are in maps of the plane, which may follow the lines. Times of a line are in ns, those of
 * its events in ps from there.
 */
#include "input/readers.h"

#include "base/error.h"
#include "base/text_slice.h"
#include "input/xplane/xplane_private.h"
#include "model/device_label.h"

#include <stdlib.h>

/* Fields of a plane. */
enum { PLANE_NAME = 2, PLANE_LINE = 3, PLANE_EVENTS = 4, PLANE_STAT_NAMES = 5, PLANE_STATS = 6 };

/* ---- maps of a plane ---- */

/* 1 key, 2 value; returns the value's name, its field 2, interned. */
static uint32_t map_entry(struct xplane *xplane, struct proto entry, uint64_t *key,
			  struct proto *value)
{
	struct proto_field field;
	*key = 0;
	if (proto_find(entry, 1, &field))
		proto_unsigned(&field, key);
	*value = proto_find(entry, 2, &field) ? proto_in(&field) : proto_of("", 0);
	return proto_find(*value, 2, &field) ? proto_text(&field, xplane->profile->strings) : 0;
}

int xplane_known_stat(const char *name)
{
#define XPLANE_TEXT(name) #name,
	static const char *const names[] = { XPLANE_STATS(XPLANE_TEXT) };
	for (int i = 0; i < XSTATS; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

/* A later entry of an id replaces an earlier one, as in any protobuf map. */
static void add_stat_name(struct xplane *xplane, struct proto entry)
{
	uint64_t id;
	struct proto value;
	uint32_t name = map_entry(xplane, entry, &id, &value);
	mem_grow(xplane->stats, xplane->stat_count + 1);
	xplane->stats[xplane->stat_count].name = name;
	xplane->stats[xplane->stat_count].known =
		xplane_known_stat(profile_string(xplane->profile, name));
	hash_add(xplane->stat_ids, id, (uint32_t)xplane->stat_count++);
}

/* 2 name, 4 display name, 5 statistics. */
static void add_event_kind(struct xplane *xplane, struct proto entry)
{
	uint64_t id;
	struct proto value;
	struct proto_field field;
	uint32_t name = map_entry(xplane, entry, &id, &value);
	if (!name && proto_find(value, 4, &field))
		name = proto_text(&field, xplane->profile->strings);
	hash_add(xplane->event_ids, id, (uint32_t)xplane->kind_count);
	*mem_push(xplane->kinds, xplane->kind_count) = (struct xplane_event_kind){ name, value };
}

static void read_maps(struct xplane *xplane, struct proto plane)
{
	hash_free_all(xplane->event_ids, xplane->stat_ids);
	xplane->event_ids = hash_new(64);
	xplane->stat_ids = hash_new(64);
	xplane->kind_count = xplane->stat_count = 0;
	for (struct proto_field field; proto_next(&plane, &field);) {
		if (field.number == PLANE_EVENTS)
			add_event_kind(xplane, proto_in(&field));
		else if (field.number == PLANE_STAT_NAMES)
			add_stat_name(xplane, proto_in(&field));
	}
}

/* ---- statistics: 1 id, then one of 2 real, 3 unsigned, 4 signed, 5 text, 7 id of a name ---- */

void xplane_no_stats(struct xplane_values *values)
{
	for (int i = 0; i < XSTATS; i++) {
		values->number[i] = NO_VALUE;
		values->text[i] = 0;
	}
}

static void read_stat(struct xplane *xplane, struct proto message, struct xplane_values *values)
{
	enum { REAL = 2, UNSIGNED = 3, SIGNED = 4, TEXT = 5, NAME = 7 };
	struct proto_field field;
	uint64_t id = 0, number;
	if (proto_find(message, 1, &field))
		proto_unsigned(&field, &id);
	uint32_t at = hash_last(xplane->stat_ids, id);
	int known = at == NO_ROW ? -1 : xplane->stats[at].known;
	if (known < 0 || values->text[known] || values->number[known] != NO_VALUE)
		return;
	while (proto_next(&message, &field)) {
		double real;
		if (field.number == REAL && proto_real(&field, &real)) {
			if (real > -9e15 && real < 9e15)
				values->number[known] = (int64_t)real;
		} else if ((field.number == UNSIGNED || field.number == SIGNED) &&
			   proto_unsigned(&field, &number)) {
			values->number[known] = (int64_t)number;
		} else if (field.number == TEXT) {
			values->text[known] = proto_text(&field, xplane->profile->strings);
		} else if (field.number == NAME && proto_unsigned(&field, &number)) {
			at = hash_last(xplane->stat_ids, number);
			values->text[known] = at == NO_ROW ? 0 : xplane->stats[at].name;
		}
	}
}

/* Read statistics, repeated as field NUMBER of MESSAGE, into VALUES, where they are still absent.
 */
static void xplane_read_stats(struct xplane *xplane, struct proto message, uint32_t number,
			      struct xplane_values *values)
{
	for (struct proto_field field; proto_next(&message, &field);)
		if (field.number == number && field.bytes)
			read_stat(xplane, proto_in(&field), values);
}

/* ---- events ---- */

/* Picoseconds as ns, to the nearest. */
static int64_t to_ns(uint64_t picoseconds)
{
	return (int64_t)(picoseconds / 1000 + (picoseconds % 1000 >= 500));
}

/* 1 kind, 2 offset or 5 number of occurrences, 3 duration. False for an aggregate. */
static bool xplane_read_event(struct xplane *xplane, struct proto message, int64_t line_start,
			      struct xplane_event *event)
{
	enum { KIND = 1, OFFSET = 2, DURATION = 3, OCCURRENCES = 5 };
	struct proto walk = message;
	uint64_t number, id = 0;
	bool placed = true;
	event->start = line_start;
	event->dur = 0;
	for (struct proto_field field; proto_next(&walk, &field);) {
		if (!proto_unsigned(&field, &number))
			continue;
		if (field.number == KIND)
			id = number;
		else if (field.number == OFFSET && (int64_t)number >= 0 &&
			 __builtin_add_overflow(line_start, to_ns(number), &event->start))
			event->start = line_start;
		else if (field.number == DURATION && (int64_t)number >= 0)
			event->dur = to_ns(number);
		else if (field.number == OCCURRENCES)
			placed = false;
	}
	if (walk.damaged)
		profile_damage(xplane->profile, "damaged event", "kept", UINT64_MAX);
	uint32_t at = hash_last(xplane->event_ids, id);
	event->kind = at == NO_ROW ? NULL : &xplane->kinds[at];
	return placed;
}

static void xplane_read_values(struct xplane *xplane, struct proto message,
			       struct xplane_event *event)
{
	xplane_no_stats(&event->values);
	xplane_read_stats(xplane, message, 4, &event->values);
	if (event->kind)
		xplane_read_stats(xplane, event->kind->stats, 5, &event->values);
}

/* ---- lines ---- */

/* What XLA derives from a GPU's streams repeats them. */
static enum xplane_use use_of(struct xplane *xplane, const char *name)
{
	if (xplane->kind == XPLANE_HOST)
		return XPLANE_SPANS;
	if (xplane->kind == XPLANE_OTHER)
		return XPLANE_SKIPPED;
	if (strcmp(name, "Steps") == 0) {
		if (xplane->steps_of < 0)
			xplane->steps_of = xplane->device;
		return XPLANE_STEPS;
	}
	if (xplane->kind == XPLANE_TPU)
		return strcmp(name, "XLA Ops") == 0 ? XPLANE_WORK : XPLANE_SKIPPED;
	return strncmp(name, "Stream", 6) == 0 ? XPLANE_WORK : XPLANE_SKIPPED;
}

/* 1 id, 2 name, 11 display name, 3 start. */
static void read_line_head(struct xplane *xplane, struct proto message, struct xplane_line *line)
{
	enum { ID = 1, NAME = 2, START = 3, DISPLAY_NAME = 11 };
	struct intern *strings = xplane->profile->strings;
	uint32_t display = 0;
	*line = (struct xplane_line){ 0 };
	for (struct proto_field field; proto_next(&message, &field);) {
		if (field.number == ID)
			proto_unsigned(&field, &line->id);
		else if (field.number == START)
			proto_signed(&field, &line->start);
		else if (field.number == NAME)
			line->name = proto_text(&field, strings);
		else if (field.number == DISPLAY_NAME)
			display = proto_text(&field, strings);
	}
	line->name = line->name ? line->name : display;
	raise_to(line->start, 0);
}

/* The number after '#' ("Stream #13(Compute)"), or the line's id. */
static int64_t stream_of(const char *name, uint64_t id)
{
	const char *hash = strchr(name, '#');
	char *end;
	long long number = hash ? strtoll(hash + 1, &end, 10) : 0;
	return hash && end != hash + 1 && number >= 0 ? number : (int64_t)id;
}

static uint32_t xplane_track_of(struct xplane *xplane, const struct xplane_line *line)
{
	const char *name = profile_string(xplane->profile, line->name);
	if (line->use == XPLANE_WORK)
		return builder_track(xplane->builder, xplane->process, stream_of(name, line->id), 0,
				     xplane->device);
	/* steps: beside the streams, whose ids are not negative */
	bool steps = line->use == XPLANE_STEPS;
	uint32_t track =
		builder_track(xplane->builder, xplane->process, steps ? -1 : (int64_t)line->id, 0,
			      steps ? xplane->device : -1);
	xplane->profile->tracks[track].name = line->name;
	return track;
}

void xplane_begin_line(struct xplane *xplane, struct xplane_line *line)
{
	line->use = use_of(xplane, profile_string(xplane->profile, line->name));
	line->events = 0;
	if (line->use == XPLANE_SKIPPED)
		xplane->derived++;
	else
		line->track = xplane_track_of(xplane, line);
}

void xplane_add_event(struct xplane *xplane, struct xplane_line *line,
		      const struct xplane_event *event)
{
	const char *name = profile_string(xplane->profile, line->name);
	if (line->use == XPLANE_WORK)
		xplane_add_activity(xplane, line->track, name, event);
	else if (line->use == XPLANE_STEPS)
		xplane_add_step(xplane, line->track, line->events++, event);
	else if (line->use == XPLANE_SPANS)
		xplane_add_span(xplane, line->track, event);
}

/* False when cancelled. */
static bool xplane_read_line(struct xplane *xplane, struct proto message)
{
	struct xplane_line line;
	struct xplane_event event;
	read_line_head(xplane, message, &line);
	xplane_begin_line(xplane, &line);
	if (line.use == XPLANE_SKIPPED)
		return true;
	xplane->latest = line.start > xplane->latest ? line.start : xplane->latest;
	for (struct proto_field field; proto_next(&message, &field);) {
		if (field.number != 4 || !field.bytes)
			continue;
		if (!progress_heavy_row(xplane->progress, "reading events", xplane->events++, 0, 8))
			return false;
		if (!xplane_read_event(xplane, proto_in(&field), line.start, &event)) {
			xplane->aggregates++;
			continue;
		}
		xplane_read_values(xplane, proto_in(&field), &event);
		xplane_add_event(xplane, &line, &event);
	}
	if (message.damaged)
		profile_damage(xplane->profile, "damaged line", "kept", UINT64_MAX);
	return true;
}

/* ---- planes ---- */

void xplane_begin_plane(struct xplane *xplane, const char *name)
{
	static const struct {
		const char *prefix;
		enum xplane_kind kind;
		enum device_kind device;
	} prefixes[] = { XPLANE_PREFIX_ROWS };
	xplane->kind = XPLANE_OTHER;
	if (strncmp(name, "/host:", 6) == 0 && strcmp(name, "/host:metadata") != 0)
		xplane->kind = XPLANE_HOST;
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t length = strlen(prefixes[i].prefix);
		if (strncmp(name, prefixes[i].prefix, length) != 0)
			continue;
		char *end;
		unsigned long number = strtoul(name + length, &end, 10);
		if (end == name + length || *end || number >= DEVICE_NUMBER_MAX)
			return;
		xplane->kind = prefixes[i].kind;
		xplane->device = device_of_kind(prefixes[i].device, (int32_t)number);
	}
}

static bool read_plane(struct xplane *xplane, struct proto plane)
{
	struct proto_field field;
	struct xplane_values values;
	struct proto walk = plane;
	const char *name = "";
	if (proto_find(plane, PLANE_NAME, &field))
		name = profile_string(xplane->profile,
				      proto_text(&field, xplane->profile->strings));
	xplane_begin_plane(xplane, name);
	read_maps(xplane, plane);
	xplane_no_stats(&values);
	xplane_read_stats(xplane, plane, PLANE_STATS, &values);
	if (values.number[XSTAT_profile_start_time] > 0)
		xplane->epoch = values.number[XSTAT_profile_start_time];
	if (xplane->kind == XPLANE_GPU || xplane->kind == XPLANE_TPU)
		xplane_set_device(xplane, &values);
	while (xplane->kind != XPLANE_OTHER && proto_next(&walk, &field))
		if (field.number == PLANE_LINE && field.bytes &&
		    !xplane_read_line(xplane, proto_in(&field)))
			return false;
	if (walk.damaged)
		profile_damage(xplane->profile, "damaged plane", "kept", UINT64_MAX);
	return true;
}

/* ---- the space ---- */

void xplane_add_fact(struct xplane *xplane, const char *key, const char *text)
{
	builder_fact(xplane->builder, key, profile_intern(xplane->profile, text));
}

void xplane_note_unread(struct xplane *xplane)
{
	AUTO_BUFFER struct buffer text = { 0 };
	if (xplane->aggregates) {
		buffer_printf(&text, "%" PRIu64, xplane->aggregates);
		xplane_add_fact(xplane, "events without a place in time, not loaded",
				buffer_text(&text));
	}
	buffer_clear(&text);
	if (xplane->derived) {
		buffer_printf(&text, "%" PRIu64, xplane->derived);
		xplane_add_fact(xplane, "lines derived from others, not loaded",
				buffer_text(&text));
	}
}

/* The last plane of a cut file ends where the file does. */
static struct proto cut_plane(const char *at, const char *end)
{
	struct proto message = proto_of(at, (size_t)(end - at));
	uint64_t length = 0;
	if (message.at < end && *message.at == 0x0a) {
		message.at++;
		while (message.at < end && *message.at & 0x80)
			message.at++;
		message.at += message.at < end;
		length = (uint64_t)(end - message.at);
	}
	return proto_of(end - length, (size_t)length);
}

/* The sum of "12 events dropped because of a full buffer; 3 events dropped because ...". */
static uint64_t dropped_events(const char *message)
{
	static const char words[] = " events dropped";
	uint64_t dropped = 0;
	for (const char *at = message; at; at = strchr(at + (*at == ' '), ' ')) {
		char *end;
		uint64_t count = strtoull(at, &end, 10);
		dropped += strncmp(end, words, sizeof words - 1) == 0 ? count : 0;
	}
	return dropped;
}

static bool read_space(struct xplane *xplane, const char *bytes, size_t length)
{
	enum { PLANE = 1, ERROR = 2, WARNING = 3, HOST = 4 };
	struct proto space = proto_of(bytes, length);
	const char *last = bytes;
	struct intern *strings = xplane->profile->strings;
	for (struct proto_field field; proto_next(&space, &field);) {
		last = space.at;
		if (field.number == PLANE && field.bytes && !read_plane(xplane, proto_in(&field)))
			return false;
		if (field.number == HOST && field.bytes && !xplane->host)
			xplane->host = proto_text(&field, strings);
		if ((field.number != ERROR && field.number != WARNING) || !field.bytes)
			continue;
		const char *message = intern_text(strings, proto_text(&field, strings));
		uint64_t dropped = dropped_events(message);
		xplane_add_fact(xplane, field.number == ERROR ? "error" : "warning", message);
		if (dropped)
			profile_damage_many(xplane->profile, "events lost by the profiler",
					    "see its warnings", UINT64_MAX, dropped);
	}
	if (!space.damaged)
		return true;
	xplane->profile->truncated = true;
	return read_plane(xplane, cut_plane(last, bytes + length));
}

void xplane_add_host(struct xplane *xplane, const char *suffix)
{
	struct intern *strings = xplane->profile->strings;
	const char *path = xplane->profile->path, *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path, *end = strstr(name, suffix);
	if (xplane->host)
		xplane_add_fact(xplane, "host_name", intern_text(strings, xplane->host));
	else if (end && end > name)
		xplane_add_fact(
			xplane, "host_name",
			intern_text(strings, intern_add(strings, name, (size_t)(end - name))));
}

static bool xplane_read_all(struct xplane *xplane, const struct buffer *text, struct error *error)
{
	static const int64_t year_2000 = INT64_C(946684800000000000);
	static const char replaced[] = "\xef\xbf\xbd";
	struct profile *profile = xplane->profile;
	if (!read_space(xplane, text->data, text->length))
		return false;
	profile->events = xplane->events;
	xplane_add_host(xplane, ".xplane.pb");
	if (xplane->latest < year_2000 && xplane->epoch != NO_VALUE)
		profile->epoch_ns = xplane->epoch;
	if (!xplane->events && memmem(text->data, text->length, replaced, 3))
		return error_input(
			error,
			"is an xplane.pb whose bytes were replaced as if it were text; copy it again as a binary file");
	if (!xplane->events)
		return error_input(
			error,
			"is an xplane.pb without events; record with jax.profiler.trace() around work");
	xplane_note_unread(xplane);
	xplane_add_fact(xplane, "not loaded", "HLO protos of /host:metadata");
	return true;
}

struct xplane xplane_begin(struct profile *profile, struct builder *builder,
			   const struct progress *progress)
{
	return (struct xplane){ .profile = profile,
				.builder = builder,
				.progress = progress,
				.process = builder_process(builder, NO_VALUE, 0),
				.epoch = NO_VALUE,
				.steps_of = -1,
				.step_ids = hash_new(16) };
}

static bool read_xplane(struct input *input)
{
	struct xplane xplane = xplane_begin(input->profile, input->builder, input->progress);
	bool done = xplane_read_all(&xplane, &input->text, input->error);
	xplane_put_steps(&xplane);
	hash_free_all(xplane.event_ids, xplane.stat_ids);
	mem_free_all(xplane.kinds, xplane.stats);
	return done;
}

/* ---- recognition ---- */

/* The first fields are planes, and one has a name; HEAD may end within it. */
static bool xplane_recognize(const char *head, size_t length)
{
	const char *end = head + length;
	if (length < 4 || head[0] != 0x0a)
		return false;
	if (memmem(head, length < 64 ? length : 64, "/host:", 6) &&
	    memmem(head, length, "\xef\xbf\xbd", 3))
		return true;
	while (head < end && *head == 0x0a) {
		struct proto plane = cut_plane(head, end);
		struct proto whole = proto_of(head, (size_t)(end - head));
		struct proto_field field;
		bool complete = proto_next(&whole, &field);
		if (complete)
			plane = proto_in(&field);
		while (proto_next(&plane, &field) && field.number <= PLANE_NAME)
			if (field.number == PLANE_NAME)
				return field.bytes &&
				       text_start((const char *)field.bytes, field.length,
						  "/host:|/device:|Task Environment|/");
		if (!complete)
			return false;
		head = whole.at;
	}
	return false;
}

const struct reader xplane_reader = {
	.format = "XSpace profile of XLA (protobuf)",
	.recognize = xplane_recognize,
	.text_max = SOURCE_WHOLE_MAX,
	.read = read_xplane,
};

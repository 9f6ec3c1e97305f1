/*
 * speedscope's JSON: profiles of one thread each, sampled or of opened and closed frames.
 */
#include "base/any_of.h"
#include "base/error.h"
#include "input/json.h"
#include "input/readers.h"
#include "model/python_stats.h"

#include <math.h>
#include <stdio.h>

struct speedscope {
	struct profile *profile;
	struct builder *builder;
	const struct progress *progress;
	uint32_t *labels; /* by frame: "file(line): name", interned */
	size_t label_count;
	uint32_t *path; /* open frames, or those of a sample */
	uint32_t *open; /* of an evented profile: spans of the path */
	uint32_t process;
	size_t profiles, read; /* in the file; without damage */
	const char *start;     /* of the text */
	uint32_t unit;         /* of the profiles, interned */
	bool mixed;            /* they have several */
	int quantity;          /* enum quantity of those read */
	char why[160];         /* the first damage */
};

/* The members of a profile. */
struct speedscope_member {
	struct json_slice type, name, unit, samples, weights, events;
};

enum quantity { QUANTITY_OTHER, QUANTITY_TIME, QUANTITY_BYTES };

static const struct {
	const char *name;
	double ns;
	enum quantity quantity;
} units[] = { SPEEDSCOPE_UNIT_ROWS };

static uint32_t speedscope_keep(struct speedscope *speedscope, const struct json_slice *slice)
{
	return json_intern(slice, speedscope->profile->strings);
}

static void say_unread(struct speedscope *speedscope, const struct speedscope_member *member,
		       const char *cause)
{
	struct profile *profile = speedscope->profile;
	uint32_t name = json_intern(&member->name, profile->strings);
	uint32_t key =
		profile_print(profile, "profile not read: %.40s", profile_string(profile, name));
	builder_metadata(speedscope->builder, key, profile_intern(profile, cause));
}

/* Damage of a profile, which then counts for nothing. */
static bool speedscope_damage(struct speedscope *speedscope, const struct speedscope_member *member,
			      const char *cause, const struct json_slice *where)
{
	const char *name =
		profile_string(speedscope->profile, speedscope_keep(speedscope, &member->name));
	uint64_t offset = where->text ? (uint64_t)(where->text - speedscope->start) : UINT64_MAX;
	profile_damage(speedscope->profile, cause, "profile skipped", offset);
	say_unread(speedscope, member, cause);
	if (!speedscope->why[0])
		snprintf(speedscope->why, sizeof speedscope->why, "%.40s, byte %llu: %s", name,
			 (unsigned long long)offset, cause);
	return false;
}

/* Profiles of another quantity than the first are left out: what they say cannot be added. */
static bool has_other_quantity(struct speedscope *speedscope,
			       const struct speedscope_member *member)
{
	enum quantity quantity = QUANTITY_OTHER;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (json_equal(&member->unit, units[i].name))
			quantity = units[i].quantity;
	bool other = speedscope->read && (int)quantity != speedscope->quantity;
	if (!other) {
		speedscope->quantity = (int)quantity;
		return false;
	}
	say_unread(speedscope, member, "its unit is of another quantity than the first profile's");
	return true;
}

/* ---- frames ---- */

/* "file(line): name"; without a line "file(?): name", without a file the name */
static uint32_t label_of(struct speedscope *speedscope, const struct json_slice *frame)
{
	struct json_slice name = { 0 }, file = { 0 };
	struct buffer label = { 0 };
	int64_t line = NO_VALUE;
	for (struct json_members at = json_members(frame); json_each(&at);)
		if (json_equal(&at.key, "name") && at.value.type == JSON_STRING)
			name = at.value;
		else if (json_equal(&at.key, "file") && at.value.type == JSON_STRING)
			file = at.value;
		else if (json_equal(&at.key, "line") && !json_int(&at.value, &line))
			line = NO_VALUE;
	if (file.length) {
		json_unescape(&label, &file);
		if (line == NO_VALUE || line < 0)
			buffer_puts(&label, "(?): ");
		else
			buffer_printf(&label, "(%lld): ", (long long)line);
	}
	if (name.text)
		json_unescape(&label, &name);
	return profile_take(speedscope->profile, &label);
}

static void read_frames(struct speedscope *speedscope, const struct json_slice *frames)
{
	if (frames->type != JSON_ARRAY)
		return;
	for (struct json_members at = json_members(frames); json_each(&at);) {
		*mem_push(speedscope->labels, speedscope->label_count) =
			at.value.type == JSON_OBJECT ? label_of(speedscope, &at.value) : 0;
	}
}

static bool take_frame_speedscope(const struct speedscope *speedscope,
				  const struct json_slice *value, uint32_t *frame)
{
	int64_t index;
	if (value->type != JSON_NUMBER || !json_int(value, &index) || index < 0 ||
	    (uint64_t)index >= speedscope->label_count)
		return false;
	*frame = (uint32_t)index;
	return true;
}

/* ---- profiles ---- */

/* ns of a unit; unknown ones count as plain numbers. */
static double unit_of(struct speedscope *speedscope, const struct speedscope_member *member)
{
	uint32_t unit = member->unit.text ? speedscope_keep(speedscope, &member->unit) : 0;
	speedscope->mixed |= speedscope->read && unit != speedscope->unit;
	speedscope->unit = unit;
	return looked_up(at, units, json_equal(&member->unit, at->name), at->ns, 1);
}

static uint32_t speedscope_track_of(struct speedscope *speedscope,
				    const struct speedscope_member *member)
{
	uint32_t track = builder_track(speedscope->builder, speedscope->process,
				       (int64_t)speedscope->profiles, 0, -1);
	speedscope->profile->tracks[track].name = speedscope_keep(speedscope, &member->name);
	return track;
}

/* A time or weight in ns; false beyond what can be counted. */
static bool speedscope_parse_number(const struct json_slice *value, double scale, double *ns)
{
	if (value->type != JSON_NUMBER || !json_real(value, ns))
		return false;
	*ns *= scale;
	return fabs(*ns) < 4e18; /* false for NaN */
}

/* The frames of a sample, outermost first, into the path. */
static bool parse_path(struct speedscope *speedscope, const struct json_slice *sample,
		       size_t *depth)
{
	*depth = 0;
	if (sample->type != JSON_ARRAY)
		return false;
	for (struct json_members at = json_members(sample); json_each(&at);) {
		mem_grow(speedscope->path, *depth + 1);
		if (!take_frame_speedscope(speedscope, &at.value, &speedscope->path[(*depth)++]))
			return false;
	}
	return true;
}

static uint32_t frame_of_path(struct speedscope *speedscope, size_t depth)
{
	struct python_stats *stats = speedscope->profile->python;
	uint32_t at = NO_ROW;
	for (size_t i = 0; i < depth; i++)
		at = frames_add(&stats->frames,
				python_function_of_label(stats, speedscope->profile->strings,
							 speedscope->labels[speedscope->path[i]]),
				at);
	return at;
}

/* Check (TRACK is NO_ROW) or add the samples. Sums are rounded, so that parts add up. */
static bool walk_samples(struct speedscope *speedscope, const struct speedscope_member *member,
			 double scale, uint32_t track)
{
	struct json_members samples = json_members(&member->samples);
	struct json_members weights = json_members(&member->weights);
	const struct json_slice *sample = &samples.value, *weight = &weights.value;
	double at = 0, part;
	uint64_t row = 0;
	size_t depth;
	while (json_each(&samples)) {
		if (!progress_row(speedscope->progress, "reading profiles", row++, 0))
			return false;
		if (!json_each(&weights))
			return speedscope_damage(speedscope, member, "fewer weights than samples",
						 sample);
		if (!speedscope_parse_number(weight, scale, &part) || part < 0 || at + part > 4e18)
			return speedscope_damage(speedscope, member, "weight not a positive number",
						 weight);
		if (!parse_path(speedscope, sample, &depth))
			return speedscope_damage(speedscope, member, "frame that does not exist",
						 sample);
		int64_t from = llround(at);
		at += part;
		if (track != NO_ROW && depth)
			python_sample_add(speedscope->profile->python,
					  &(struct python_sample){ frame_of_path(speedscope, depth),
								   track, llround(at) - from, 1 });
	}
	return !json_each(&weights) ||
	       speedscope_damage(speedscope, member, "fewer samples than weights", weight);
}

static bool read_sampled(struct speedscope *speedscope, const struct speedscope_member *member)
{
	if (member->samples.type != JSON_ARRAY || !member->samples.text ||
	    member->weights.type != JSON_ARRAY || !member->weights.text)
		return speedscope_damage(speedscope, member, "no samples and weights",
					 &member->type);
	double scale = unit_of(speedscope, member);
	if (!walk_samples(speedscope, member, scale, NO_ROW))
		return false;
	speedscope->profile->python = speedscope->profile->python ?: python_stats_new();
	return walk_samples(speedscope, member, scale, speedscope_track_of(speedscope, member));
}

struct speedscope_event {
	bool opens;
	uint32_t frame;
	double at;
};

static bool speedscope_parse_event(const struct speedscope *speedscope,
				   const struct json_slice *object, double scale,
				   struct speedscope_event *event)
{
	bool typed = false, framed = false, timed = false;
	if (object->type != JSON_OBJECT)
		return false;
	for (struct json_members at = json_members(object); json_each(&at);)
		if (json_equal(&at.key, "type")) {
			event->opens = json_equal(&at.value, "O");
			typed = event->opens || json_equal(&at.value, "C");
		} else if (json_equal(&at.key, "frame")) {
			framed = take_frame_speedscope(speedscope, &at.value, &event->frame);
		} else if (json_equal(&at.key, "at")) {
			timed = speedscope_parse_number(&at.value, scale, &event->at);
		}
	return typed && framed && timed;
}

static void apply_event(struct speedscope *speedscope, const struct speedscope_event *event,
			size_t depth, uint32_t track)
{
	int64_t at = llround(event->at);
	if (!event->opens) {
		builder_span_end(speedscope->builder, speedscope->open[depth - 1], at);
		return;
	}
	mem_grow(speedscope->open, depth + 1);
	speedscope->open[depth] = builder_span(speedscope->builder, SPAN_PYTHON, track,
					       speedscope->labels[event->frame], at, 0, NO_ROW);
}

/* Check (TRACK is NO_ROW) or add the events. */
static bool walk_events(struct speedscope *speedscope, const struct speedscope_member *member,
			double scale, uint32_t track)
{
	struct json_members at = json_members(&member->events);
	struct speedscope_event event;
	double last = -INFINITY;
	size_t depth = 0;
	uint64_t row = 0;
	while (json_each(&at)) {
		if (!progress_row(speedscope->progress, "reading profiles", row++, 0))
			return false;
		if (!speedscope_parse_event(speedscope, &at.value, scale, &event))
			return speedscope_damage(speedscope, member,
						 "event without type, frame or time", &at.value);
		if (event.at < last)
			return speedscope_damage(speedscope, member, "time that runs backwards",
						 &at.value);
		if (!event.opens && (!depth || speedscope->path[depth - 1] != event.frame))
			return speedscope_damage(speedscope, member,
						 "frame closed that is not the innermost",
						 &at.value);
		if (track != NO_ROW)
			apply_event(speedscope, &event, depth, track);
		if (event.opens) {
			*mem_push(speedscope->path, depth) = event.frame;
		} else {
			depth--;
		}
		last = event.at;
	}
	return !depth || speedscope_damage(speedscope, member, "frames that are never closed",
					   &member->events);
}

static bool read_evented(struct speedscope *speedscope, const struct speedscope_member *member)
{
	if (member->events.type != JSON_ARRAY || !member->events.text)
		return speedscope_damage(speedscope, member, "no events", &member->type);
	double scale = unit_of(speedscope, member);
	return walk_events(speedscope, member, scale, NO_ROW) &&
	       walk_events(speedscope, member, scale, speedscope_track_of(speedscope, member));
}

static void read_profile(struct speedscope *speedscope, const struct json_slice *object)
{
	struct speedscope_member member = { 0 };
	const struct {
		const char *name;
		struct json_slice *value;
	} members[] = { SPEEDSCOPE_MEMBER_ROWS };
	struct json_members at = json_members(object);
	speedscope->profiles++;
	while (object->type == JSON_OBJECT && json_each(&at))
		for (size_t i = 0; i < sizeof members / sizeof *members; i++)
			if (json_equal(&at.key, members[i].name))
				*members[i].value = at.value;
	if (!member.name.text || member.name.type != JSON_STRING)
		member.name = (struct json_slice){ .text = "", .type = JSON_STRING };
	bool done = false;
	if (has_other_quantity(speedscope, &member))
		return;
	if (json_equal(&member.type, "sampled"))
		done = read_sampled(speedscope, &member);
	else if (json_equal(&member.type, "evented"))
		done = read_evented(speedscope, &member);
	else
		speedscope_damage(speedscope, &member, "profile neither sampled nor evented",
				  object);
	speedscope->read += done;
}

/* ---- the document ---- */

static void read_profiles(struct speedscope *speedscope, const struct json_slice *profiles)
{
	if (profiles->type != JSON_ARRAY)
		return;
	for (struct json_members at = json_members(profiles); json_each(&at);)
		read_profile(speedscope, &at.value);
}

static void read_document(struct speedscope *speedscope, const struct json_slice *document)
{
	struct json_slice profiles = { .type = JSON_WORD }, shared = profiles;
	for (struct json_members at = json_members(document); json_each(&at);)
		if (json_equal(&at.key, "profiles"))
			profiles = at.value;
		else if (json_equal(&at.key, "shared"))
			shared = at.value;
		else if (json_equal(&at.key, "exporter") && at.value.type == JSON_STRING)
			builder_fact(speedscope->builder, "exporter",
				     speedscope_keep(speedscope, &at.value));
		else if (json_equal(&at.key, "name") && at.value.type == JSON_STRING)
			builder_fact(speedscope->builder, "name",
				     speedscope_keep(speedscope, &at.value));
	struct json_members at = json_members(&shared);
	while (shared.type == JSON_OBJECT && json_each(&at))
		if (json_equal(&at.key, "frames"))
			read_frames(speedscope, &at.value);
	speedscope->process = builder_process(speedscope->builder, NO_VALUE, 0);
	read_profiles(speedscope, &profiles);
	builder_fact(speedscope->builder, "unit",
		     speedscope->mixed ? intern_add(speedscope->profile->strings, "several", 7)
				       : speedscope->unit);
}

/* Weights without a unit count samples. */
static void note_unit(struct speedscope *speedscope)
{
	const char *unit = profile_string(speedscope->profile, speedscope->unit);
	struct python_stats *stats = speedscope->profile->python;
	if (!stats)
		return;
	if (strcmp(unit, "bytes") == 0)
		stats->sample_unit = SAMPLE_BYTES;
	else if (!strstr(unit, "seconds"))
		stats->sample_unit = SAMPLE_TAKEN;
}

static bool is_read(const struct speedscope *speedscope, struct error *error)
{
	if (!progress_update(speedscope->progress, "reading profiles", 0, 0, 0))
		return false;
	if (speedscope->read)
		return true;
	return error_input(error,
			   speedscope->why[0] ? "is a speedscope file without a valid profile (%s)"
					      : "is a speedscope file without a profile%s",
			   speedscope->why);
}

static bool read_speedscope(struct input *input)
{
	struct profile *profile = input->profile;
	struct speedscope speedscope = { .profile = profile,
					 .builder = input->builder,
					 .progress = input->progress,
					 .start = buffer_text(&input->text) };
	struct json_slice document;
	size_t wrong;
	if (!json_document(speedscope.start, input->text.length, JSON_OBJECT, &document, &wrong))
		return error_input(input->error,
				   "is a speedscope file, truncated or damaged at byte %zu", wrong);
	read_document(&speedscope, &document);
	note_unit(&speedscope);
	profile->events = profile->spans + (profile->python ? profile->python->sample_count : 0);
	mem_free_all(speedscope.labels, speedscope.path, speedscope.open);
	return is_read(&speedscope, input->error);
}

static bool speedscope_recognize(const char *head, size_t length)
{
	size_t blank = strspn(head, " \t\r\n");
	if (head[blank] != '{' || strstr(head, "\"traceEvents\""))
		return false;
	return strstr(head, "speedscope.app/file-format-schema") ||
	       (strstr(head, "\"profiles\"") &&
		(strstr(head, "\"sampled\"") || strstr(head, "\"evented\"")) &&
		(strstr(head, "\"unit\"") || strstr(head, "speedscope")));
}

const struct reader speedscope_reader = { .format = "speedscope profile (JSON)",
					  .recognize = speedscope_recognize,
					  .text_max = SOURCE_TEXT_MAX,
					  .read = read_speedscope };

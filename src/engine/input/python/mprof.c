#include "input/readers.h"

#include "input/text_lines.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- mprof ---- */

struct mprof {
	struct profile *profile;
	struct builder *builder;
	uint32_t process, track;
	uint32_t command;    /* interned; 0: none */
	int64_t first, last; /* times of the samples */
	double last_mib;
};

static const double mebi = 1048576;

static bool mprof_recognize(const char *head, size_t length)
{
	return (length > 8 && memcmp(head, "CMDLINE ", 8) == 0) ||
	       (length > 4 && memcmp(head, "MEM ", 4) == 0);
}

/* Decimal seconds to ns, without floating point. */
static bool mprof_parse_time(const char **text, int64_t *ns)
{
	char *end;
	long long seconds = strtoll(*text, &end, 10);
	if (end == *text || seconds < 0 || seconds > INT64_MAX / 1000000000 - 1)
		return false;
	*ns = seconds * 1000000000;
	int64_t unit = 100000000;
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end); end++, unit /= 10)
			*ns += (*end - '0') * unit;
	*text = end;
	return *end == ' ' || !*end;
}

static bool parse_real(const char **text, double *value)
{
	char *end;
	*value = strtod(*text, &end);
	if (end == *text || !isfinite(*value) || fabs(*value) > 1e12)
		return false;
	*text = end;
	return true;
}

static bool add_memory(struct mprof *mprof, const char *text)
{
	double mib;
	int64_t time;
	if (!parse_real(&text, &mib) || *text++ != ' ' || !mprof_parse_time(&text, &time))
		return false;
	struct memory_event event = { .time = time,
				      .address = NO_VALUE,
				      .bytes = (int64_t)((mib - mprof->last_mib) * mebi),
				      .total_allocated = (int64_t)(mib * mebi),
				      .total_reserved = NO_VALUE,
				      .device_type = 0,
				      .device_id = -1,
				      .track = mprof->track };
	mprof->last_mib = mib;
	mprof->first = time < mprof->first ? time : mprof->first;
	mprof->last = time > mprof->last ? time : mprof->last;
	builder_memory(mprof->builder, &event);
	return true;
}

static bool add_child(struct mprof *mprof, const char *text)
{
	char *end;
	double mib;
	int64_t time;
	long long pid = strtoll(text, &end, 10);
	text = end;
	if (*text++ != ' ' || !parse_real(&text, &mib) || *text++ != ' ' ||
	    !mprof_parse_time(&text, &time))
		return false;
	struct counter counter = {
		.time = time,
		.track = mprof->track,
		.value = mib * mebi,
		.name = profile_print(mprof->profile, "child %lld", pid),
		.series = profile_intern(mprof->profile, "bytes"),
	};
	builder_counter(mprof->builder, &counter);
	return true;
}

static void add_attribute(struct mprof *mprof, uint32_t span, const char *key, double mib)
{
	builder_span_text(mprof->builder, span, key, profile_print(mprof->profile, "%.4f", mib));
}

static bool mprof_add_call(struct mprof *mprof, const char *text)
{
	size_t name = strcspn(text, " ");
	const char *at = text + name;
	double from, to;
	int64_t start, end;
	if (!name || *at++ != ' ' || !parse_real(&at, &from) || *at++ != ' ' ||
	    !mprof_parse_time(&at, &start) || *at++ != ' ' || !parse_real(&at, &to) ||
	    *at++ != ' ' || !mprof_parse_time(&at, &end) || end < start)
		return false;
	uint32_t span = builder_span(mprof->builder, SPAN_PYTHON, mprof->track,
				     intern_add(mprof->profile->strings, text, name), start,
				     end - start, NO_ROW);
	add_attribute(mprof, span, "start MiB", from);
	add_attribute(mprof, span, "end MiB", to);
	return true;
}

static bool add_command(struct mprof *mprof, const char *text)
{
	mprof->command = profile_intern(mprof->profile, text);
	builder_metadata(mprof->builder, profile_intern(mprof->profile, "command line"),
			 mprof->command);
	return true;
}

static bool add_record(struct mprof *mprof, const char *line)
{
	static const struct {
		const char *field;
		bool (*add)(struct mprof *mprof, const char *rest);
	} fields[] = {
		{ "MEM ", add_memory },
		{ "CHLD ", add_child },
		{ "FUNC ", mprof_add_call },
		{ "CMDLINE ", add_command },
	};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		size_t length = strlen(fields[i].field);
		if (strncmp(line, fields[i].field, length) == 0)
			return fields[i].add(mprof, line + length);
	}
	return false;
}

static bool mprof_read(struct input *input)
{
	struct profile *profile = input->profile;
	struct builder *builder = input->builder;
	struct buffer copy = { 0 };
	struct mprof mprof = { .profile = profile, .builder = builder, .first = INT64_MAX };
	const char *start = buffer_text(&input->text), *at = start;
	const char *end = start + input->text.length, *line;
	size_t length;
	mprof.process = builder_process(builder, NO_VALUE, profile_intern(profile, "python"));
	mprof.track = builder_track(builder, mprof.process, 0, 0, -1);
	while (text_line(&at, end, &line, &length)) {
		buffer_clear(&copy);
		buffer_add(&copy, line, length);
		profile->events++;
		if (length && !add_record(&mprof, buffer_text(&copy)))
			profile_damage(profile, "line not an mprof record", "skipped",
				       (uint64_t)(line - start));
	}
	/* a span for the whole run, so that time starts at the first sample */
	if (mprof.first <= mprof.last)
		builder_span(builder, SPAN_ANNOTATION, mprof.track, mprof.command, mprof.first,
			     mprof.last - mprof.first, NO_ROW);
	buffer_free(&copy);
	return true;
}

const struct reader mprof_reader = { .format = "mprof memory samples",
				     .recognize = mprof_recognize,
				     .text_max = SOURCE_TEXT_MAX,
				     .read = mprof_read };

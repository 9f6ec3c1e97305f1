#include "input/readers.h"

#include "input/text_lines.h"

#include <inttypes.h>
#include <math.h>

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

/* Seconds since 1970, which a double has to the microsecond. */
static bool mprof_parse_time(struct text_slice *text, int64_t *ns)
{
	double seconds;
	if (!slice_real(slice_next(text), &seconds) || !(seconds >= 0 && seconds < 9e9))
		return false;
	*ns = llround(seconds * 1e6) * 1000;
	return true;
}

static bool parse_mib(struct text_slice *text, double *mib)
{
	return slice_real(slice_next(text), mib) && fabs(*mib) <= 1e12;
}

static bool add_memory(struct mprof *mprof, struct text_slice text)
{
	double mib;
	int64_t time;
	if (!parse_mib(&text, &mib) || !mprof_parse_time(&text, &time))
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

static bool add_child(struct mprof *mprof, struct text_slice text)
{
	double mib;
	int64_t time, pid;
	if (!slice_count(slice_next(&text), &pid) || !parse_mib(&text, &mib) ||
	    !mprof_parse_time(&text, &time))
		return false;
	struct counter counter = {
		.time = time,
		.track = mprof->track,
		.value = mib * mebi,
		.name = profile_print(mprof->profile, "child %" PRId64, pid),
		.series = profile_intern(mprof->profile, "bytes"),
	};
	builder_counter(mprof->builder, &counter);
	return true;
}

static void add_attribute(struct mprof *mprof, uint32_t span, const char *key, double mib)
{
	builder_span_text(mprof->builder, span, key, profile_print(mprof->profile, "%.4f", mib));
}

static bool mprof_add_call(struct mprof *mprof, struct text_slice text)
{
	struct text_slice name = slice_next(&text);
	double from, to;
	int64_t start, end;
	if (!parse_mib(&text, &from) || !mprof_parse_time(&text, &start) ||
	    !parse_mib(&text, &to) || !mprof_parse_time(&text, &end) || end < start)
		return false;
	uint32_t span = builder_span(mprof->builder, SPAN_PYTHON, mprof->track,
				     intern_add(mprof->profile->strings, name.text, name.length),
				     start, end - start, NO_ROW);
	add_attribute(mprof, span, "start MiB", from);
	add_attribute(mprof, span, "end MiB", to);
	return true;
}

static bool add_command(struct mprof *mprof, struct text_slice text)
{
	mprof->command = intern_add(mprof->profile->strings, text.text, text.length);
	builder_metadata(mprof->builder, profile_intern(mprof->profile, "command line"),
			 mprof->command);
	return true;
}

static bool add_record(struct mprof *mprof, struct text_slice line)
{
	if (slice_skip(&line, "MEM "))
		return add_memory(mprof, line);
	if (slice_skip(&line, "CHLD "))
		return add_child(mprof, line);
	if (slice_skip(&line, "FUNC "))
		return mprof_add_call(mprof, line);
	return slice_skip(&line, "CMDLINE ") && add_command(mprof, line);
}

static bool mprof_read(struct input *input)
{
	struct profile *profile = input->profile;
	struct builder *builder = input->builder;
	struct mprof mprof = { .profile = profile, .builder = builder, .first = INT64_MAX };
	const char *start = buffer_text(&input->text), *at = start;
	const char *end = start + input->text.length;
	mprof.process = builder_process(builder, NO_VALUE, profile_intern(profile, "python"));
	mprof.track = builder_track(builder, mprof.process, 0, 0, -1);
	for (struct text_slice line; text_line(&at, end, &line.text, &line.length);) {
		profile->events++;
		if (line.length && !add_record(&mprof, line))
			profile_damage(profile, "line not an mprof record", "skipped",
				       (uint64_t)(line.text - start));
	}
	/* a span for the whole run, so that time starts at the first sample */
	if (mprof.first <= mprof.last)
		builder_span(builder, SPAN_ANNOTATION, mprof.track, mprof.command, mprof.first,
			     mprof.last - mprof.first, NO_ROW);
	return true;
}

const struct reader mprof_reader = { .format = "mprof memory samples",
				     .recognize = mprof_recognize,
				     .text_max = SOURCE_TEXT_MAX,
				     .read = mprof_read };

#include "report/chrome_writer.h"

#include "base/mask.h"
#include "report/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

/* ---- values ---- */

void trace_string(struct trace_writer *writer, uint32_t id)
{
	const char *text = intern_text(writer->profile->strings, id);
	size_t length = intern_length(writer->profile->strings, id);
	format_json_text(writer->out, text, length);
}

void trace_us(struct trace_writer *writer, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	buffer_printf(writer->out, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", size / 1000,
		      (unsigned)(size % 1000));
}

static const char *skip_digits(const char *text)
{
	while (isdigit((unsigned char)*text))
		text++;
	return text;
}

/* The rest of TEXT after its leading number; NULL if there is none. */
static const char *skip_number(const char *text)
{
	const char *digits = text + (*text == '-');
	const char *end = skip_digits(digits);
	if (end == digits || (*digits == '0' && end > digits + 1))
		return NULL;
	if (*end == '.') {
		digits = end + 1;
		end = skip_digits(digits);
		if (end == digits)
			return NULL;
	}
	return end;
}

/*
 * True if TEXT is a number, boolean, null, or arrays of these and plain strings, as used for
 * shapes, strides and types. Anything else is written as a string.
 */
static bool is_plain_json(const char *text, size_t length)
{
	static const char *const words[] = { "true", "false", "null" };
	int depth = 0;
	bool value = false; /* just after a value */
	const char *end = text + length;
	for (const char *at = text; at < end;) {
		if (*at == '[' && !value) {
			depth++;
			at++;
		} else if (*at == ']' && depth && at[-1] != ',') {
			depth--;
			value = true;
			at++;
		} else if (*at == ',' && value && depth) {
			value = false;
			at++;
		} else if (*at == '"' && !value && depth) {
			for (at++; at < end && *at != '"'; at++)
				if (*at == '\\' || (unsigned char)*at < 0x20 || *at == 0x7f ||
				    (unsigned char)*at >= 0x80)
					return false;
			if (at++ == end)
				return false;
			value = true;
		} else if (!value) {
			const char *behind = skip_number(at);
			for (size_t i = 0; !behind && i < sizeof words / sizeof *words; i++)
				if (strncmp(at, words[i], strlen(words[i])) == 0)
					behind = at + strlen(words[i]);
			if (!behind)
				return false;
			at = behind;
			value = true;
		} else {
			return false;
		}
	}
	return value && !depth;
}

static void add_json(struct trace_writer *writer, const char *text, size_t length)
{
	if (is_plain_json(text, length))
		buffer_add(writer->out, text, length);
	else
		format_json_text(writer->out, text, length);
}

/* An interned string: verbatim if plain JSON, otherwise quoted. */
static void trace_json(struct trace_writer *writer, uint32_t id)
{
	add_json(writer, INTERNED(writer->profile->strings, id));
}

void trace_masked(struct trace_writer *writer, uint32_t key, uint32_t id)
{
	const struct intern *strings = writer->profile->strings;
	AUTO_BUFFER struct buffer masked = { 0 };
	mask_secrets(&masked, intern_text(strings, key), INTERNED(strings, id));
	add_json(writer, BUFFERED(&masked));
}

/* ---- arguments ---- */

void trace_arguments(struct trace_writer *writer)
{
	buffer_puts(writer->out, ",\"args\":{");
	writer->first_argument = writer->in_arguments = true;
}

void trace_key(struct trace_writer *writer, const char *name)
{
	buffer_printf(writer->out, "%s\"%s\":", writer->first_argument ? "" : ",", name);
	writer->first_argument = false;
}

void trace_int(struct trace_writer *writer, const char *name, int64_t value)
{
	if (value == NO_VALUE)
		return;
	trace_key(writer, name);
	buffer_printf(writer->out, "%" PRId64, value);
}

void trace_real(struct trace_writer *writer, const char *name, double value)
{
	if (!isfinite(value))
		return;
	trace_key(writer, name);
	buffer_printf(writer->out, "%.9g", value);
}

void trace_value(struct trace_writer *writer, const char *name, uint32_t text)
{
	if (!text || text == NO_ROW)
		return;
	trace_key(writer, name);
	trace_json(writer, text);
}

void trace_triple(struct trace_writer *writer, const char *name, const int32_t triple[3])
{
	if (triple[0] < 0)
		return;
	trace_key(writer, name);
	buffer_printf(writer->out, "[%d,%d,%d]", triple[0], triple[1], triple[2]);
}

void trace_attributes(struct trace_writer *writer, const struct attribute *attribute, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buffer_puts(writer->out, writer->first_argument ? "" : ",");
		writer->first_argument = false;
		trace_string(writer, attribute[i].key);
		buffer_putc(writer->out, ':');
		trace_json(writer, attribute[i].text);
	}
}

/* ---- events ---- */

void trace_process(struct trace_writer *writer, uint32_t process)
{
	const struct process *of = &writer->profile->processes[process];
	buffer_puts(writer->out, ",\"pid\":");
	if (of->pid != NO_VALUE)
		buffer_printf(writer->out, "%" PRId64, of->pid);
	else
		trace_string(writer, of->label);
}

static void add_lane(struct trace_writer *writer, uint32_t track)
{
	const struct track *lane = &writer->profile->tracks[track];
	trace_process(writer, lane->process);
	buffer_puts(writer->out, ",\"tid\":");
	if (lane->tid != NO_VALUE)
		buffer_printf(writer->out, "%" PRId64, lane->tid);
	else
		trace_string(writer, lane->label);
}

void trace_begin(struct trace_writer *writer, const char *phase, uint32_t track)
{
	buffer_printf(writer->out, "%s{\"ph\":\"%s\"", writer->first ? "" : ",\n", phase);
	writer->first = false;
	add_lane(writer, track);
}

void trace_time(struct trace_writer *writer, int64_t time)
{
	buffer_puts(writer->out, ",\"ts\":");
	trace_us(writer, writer->profile->base_ns + time);
}

bool trace_end(struct trace_writer *writer)
{
	enum { OFTEN = 1024 }; /* poll often: a row may have many attributes */
	buffer_puts(writer->out, writer->in_arguments ? "}}" : "}");
	writer->in_arguments = false;
	output_row(&writer->output);
	return writer->rows++ % OFTEN || progress_update(writer->progress, "Writing the trace",
							 writer->rows, writer->total, 0);
}

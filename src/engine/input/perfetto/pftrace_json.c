#include "input/perfetto/pftrace_json.h"

#include "input/rocm/rocm.h"

#include <inttypes.h>
#include <math.h>

/* ---- interned texts ---- */

static uint64_t text_key(uint64_t sequence, enum pf_table table, uint64_t number)
{
	return hash_pair(hash_pair(sequence, table), number);
}

/* Each {1 id, 2 text}. A later one of an id counts. */
void pf_interned_read(struct pf_interned *interned, struct proto message, uint64_t sequence)
{
	struct proto_field field, id, text;
	while (proto_next(&message, &field)) {
		uint64_t number;
		bool known = field.number == PF_CATEGORIES || field.number == PF_NAMES ||
			     field.number == PF_KEYS || field.number == PF_TEXTS;
		if (known && proto_find(proto_in(&field), 1, &id) && proto_unsigned(&id, &number) &&
		    proto_find(proto_in(&field), 2, &text))
			hash_add(interned->texts,
				 text_key(sequence, (enum pf_table)field.number, number),
				 proto_text(&text, interned->profile->strings));
	}
}

uint32_t pf_interned_text(const struct pf_interned *interned, uint64_t sequence,
			  enum pf_table table, uint64_t number)
{
	uint32_t text = hash_last(interned->texts, text_key(sequence, table, number));
	return text == NO_ROW ? 0 : text;
}

/* ---- values ---- */

static void put_text(struct buffer *out, const char *text, size_t length)
{
	buffer_putc(out, '"');
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] < ' ') {
			buffer_printf(out, "\\u%04x", text[i]);
			continue;
		}
		if (text[i] == '"' || text[i] == '\\')
			buffer_putc(out, '\\');
		buffer_putc(out, text[i]);
	}
	buffer_putc(out, '"');
}

static void put_string(struct buffer *out, const struct pf_interned *interned, uint32_t id)
{
	const char *text = profile_string(interned->profile, id);
	put_text(out, text, strlen(text));
}

enum { DEPTH_MAX = 8 }; /* limit: arrays in arrays of an argument; deeper ones are null */

/*
 * A DebugAnnotation: 2 truth, 3 or 4 whole number, 5 real, 6 or 9 text, 17 id of a text, 12 element
 * of an array.
 */
static void put_value(struct buffer *out, const struct pf_interned *interned, uint64_t sequence,
		      struct proto value, int depth)
{
	enum { TRUTH = 2, UNSIGNED, SIGNED, REAL, TEXT, JSON = 9, ELEMENT = 12, TEXT_ID = 17 };
	uint64_t number;
	double real;
	size_t before = out->length;
	for (struct proto_field field; depth < DEPTH_MAX && proto_next(&value, &field);) {
		bool whole = proto_unsigned(&field, &number);
		if (field.number == ELEMENT) {
			buffer_putc(out, out->length == before ? '[' : ',');
			put_value(out, interned, sequence, proto_in(&field), depth + 1);
		} else if (out->length != before)
			continue;
		else if ((field.number == TEXT || field.number == JSON) && field.bytes)
			put_text(out, field.bytes, field.length);
		else if (field.number == REAL && proto_real(&field, &real) && isfinite(real))
			buffer_printf(out, "%.17g", real);
		else if (field.number == TEXT_ID && whole)
			put_string(out, interned,
				   pf_interned_text(interned, sequence, PF_TEXTS, number));
		else if (field.number >= TRUTH && field.number <= SIGNED && whole)
			buffer_printf(out, "%" PRId64, (int64_t)number);
	}
	if (out->length == before)
		buffer_puts(out, "null");
	else if (buffer_text(out)[before] == '[')
		buffer_putc(out, ']');
}

/* ---- arguments ---- */

/* What rocprofv3 calls arguments that Kineto has, too; of a copy the device it is to or from. */
static const char *key_of(const char *key, const char *name)
{
	static const char *const keys[][2] = { PFTRACE_KEY_ROWS };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(key, keys[i][0]) == 0)
			return keys[i][1];
	bool to_device = strstr(name, "TO_DEVICE") != NULL;
	return strcmp(key, to_device ? "dst_agent" : "src_agent") == 0 ? "device" : key;
}

/* The number in a value of JSON such as "GPU-2", from byte FROM of OUT on; else the value. */
static void keep_number(struct buffer *out, size_t from)
{
	const char *text = buffer_text(out) + from, *digits = strpbrk(text, "0123456789");
	size_t length = digits ? strspn(digits, "0123456789") : 0;
	if (*text != '"' || !length)
		return;
	memmove(out->data + from, digits, length);
	out->length = from + length;
}

static uint32_t argument_key(const struct pf_interned *interned, uint64_t sequence,
			     struct proto argument)
{
	enum { KEY_ID = 1, KEY = 10 };
	struct proto_field field;
	uint64_t number;
	if (proto_find(argument, KEY, &field))
		return proto_text(&field, interned->profile->strings);
	if (!proto_find(argument, KEY_ID, &field) || !proto_unsigned(&field, &number))
		return 0;
	return pf_interned_text(interned, sequence, PF_KEYS, number);
}

static void put_arguments(struct buffer *out, const struct pf_interned *interned,
			  const struct pf_event *event, int64_t flow)
{
	const struct profile *profile = interned->profile;
	const char *name = profile_string(profile, event->name), *separator = "";
	struct proto message = event->message;
	for (struct proto_field field; proto_next(&message, &field);) {
		struct proto argument = proto_in(&field);
		if (field.number != PF_ARGUMENT)
			continue;
		uint32_t id = argument_key(interned, event->sequence, argument);
		const char *key = key_of(profile_string(profile, id), name);
		buffer_puts(out, separator);
		put_text(out, key, strlen(key));
		buffer_putc(out, ':');
		size_t from = out->length;
		put_value(out, interned, event->sequence, argument, 0);
		if (strcmp(key, "device") == 0 || strcmp(key, "stream") == 0)
			keep_number(out, from);
		if (strcmp(key, "correlation") == 0)
			flow = NO_VALUE;
		separator = ",";
	}
	if (flow != NO_VALUE)
		buffer_printf(out, "%s\"correlation\":%" PRId64, separator, flow);
}

void pf_json_write(struct buffer *out, const struct pf_interned *interned,
		   const struct pf_event *event, int64_t pid, int64_t tid, int64_t flow)
{
	const char *name = profile_string(interned->profile, event->name);
	bool copy = strncmp(name, "MEMORY_COPY_", 12) == 0;
	buffer_clear(out);
	buffer_puts(out, "{\"ph\":\"X\",\"dur\":0,\"cat\":");
	put_string(out, interned, event->category);
	buffer_puts(out, ",\"name\":");
	put_string(out, interned,
		   copy ? rocm_copy_name(interned->profile, name, ROCM_UNKNOWN, ROCM_UNKNOWN)
			: event->name);
	if (pid != NO_VALUE)
		buffer_printf(out, ",\"pid\":%" PRId64, pid);
	buffer_printf(out, ",\"tid\":%" PRId64 ",\"ts\":%" PRId64 ".%03d,\"args\":{", tid,
		      event->time / 1000, (int)(event->time % 1000));
	put_arguments(out, interned, event, flow);
	buffer_puts(out, "}}");
}

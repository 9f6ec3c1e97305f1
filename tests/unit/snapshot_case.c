#include "snapshot_case.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static void number(struct pickler *pickler, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		buffer_putc(&pickler->out, (char)(value >> 8 * i));
}

struct pickler pickler_new(int protocol)
{
	struct pickler pickler = { .protocol = protocol };
	if (protocol >= 2) {
		buffer_putc(&pickler.out, (char)0x80);
		buffer_putc(&pickler.out, protocol == PICKLE_JIT ? 2 : (char)protocol);
	}
	return pickler;
}

void pickle_int(struct pickler *pickler, int64_t value)
{
	if (pickler->protocol == 0) {
		buffer_printf(&pickler->out, "I%" PRId64 "\n", value);
	} else if (value >= 0 && value < 256) {
		buffer_putc(&pickler->out, 'K');
		number(pickler, (uint64_t)value, 1);
	} else if (value >= 0 && value < 65536) {
		buffer_putc(&pickler->out, 'M');
		number(pickler, (uint64_t)value, 2);
	} else if (value >= INT32_MIN && value <= INT32_MAX) {
		buffer_putc(&pickler->out, 'J');
		number(pickler, (uint64_t)value, 4);
	} else if (pickler->protocol >= 2) {
		buffer_add(&pickler->out, "\x8a\x08", 2);
		number(pickler, (uint64_t)value, 8);
	} else {
		buffer_printf(&pickler->out, "L%" PRId64 "L\n", value);
	}
}

void pickle_text(struct pickler *pickler, const char *text)
{
	size_t length = strlen(text);
	bool brief = pickler->protocol >= 4 && pickler->protocol != PICKLE_JIT;
	if (pickler->protocol == 0) {
		buffer_printf(&pickler->out, "V%s\n", text);
		return;
	}
	buffer_putc(&pickler->out, brief ? (char)0x8c : 'X');
	number(pickler, length, brief ? 1 : 4);
	buffer_add(&pickler->out, text, length);
	if (brief)
		buffer_putc(&pickler->out, (char)0x94);
}

void pickle_begin(struct pickler *pickler, char kind)
{
	if (pickler->protocol == PICKLE_JIT)
		buffer_puts(&pickler->out, "ctorch.jit._pickle\nrestore_type_tag\n(");
	if (pickler->protocol == 0)
		buffer_putc(&pickler->out, '(');
	else
		buffer_puts(&pickler->out, kind == '[' ? "](" : "}(");
}

void pickle_end(struct pickler *pickler, char kind)
{
	if (pickler->protocol == 0)
		buffer_putc(&pickler->out, kind == '[' ? 'l' : 'd');
	else
		buffer_putc(&pickler->out, kind == '[' ? 'e' : 'u');
	if (pickler->protocol == PICKLE_JIT) {
		pickle_text(pickler, "List[Any]");
		buffer_puts(&pickler->out, "tR");
	}
}

void pickle_stop(struct pickler *pickler)
{
	buffer_putc(&pickler->out, '.');
}

void pickle_pair(struct pickler *pickler, const char *key, int64_t value)
{
	pickle_text(pickler, key);
	pickle_int(pickler, value);
}

void pickle_words(struct pickler *pickler, const char *key, const char *text)
{
	pickle_text(pickler, key);
	pickle_text(pickler, text);
}

/* ---- snapshots ---- */

static void frame(struct pickler *pickler, const char *name, const char *file, int64_t line)
{
	pickle_begin(pickler, '{');
	pickle_words(pickler, "name", name);
	pickle_words(pickler, "filename", file);
	pickle_pair(pickler, "line", line);
	pickle_end(pickler, '{');
}

void pickle_frames(struct pickler *pickler, char stack)
{
	pickle_text(pickler, "frames");
	pickle_begin(pickler, '[');
	if (stack)
		frame(pickler, "malloc", "??", 0);
	if (stack == 'u') {
		frame(pickler, "forward", "/usr/lib/site-packages/linear.py", 125);
		frame(pickler, "step", "/home/me/train.py", 7);
		frame(pickler, "main", "/home/me/main.py", 1);
	}
	pickle_end(pickler, '[');
}

static void entry(struct pickler *pickler, const char *action, int64_t address, int64_t size,
		  int64_t time, char stack)
{
	bool failed = strcmp(action, "oom") == 0;
	pickle_begin(pickler, '{');
	pickle_words(pickler, "action", action);
	pickle_pair(pickler, failed ? "device_free" : "addr", address);
	pickle_pair(pickler, "size", size);
	pickle_pair(pickler, "stream", 0);
	pickle_pair(pickler, "time_us", INT64_C(1700000000000000) + time);
	pickle_frames(pickler, stack);
	pickle_end(pickler, '{');
}

static void block(struct pickler *pickler, int64_t address, int64_t size, int64_t requested,
		  const char *state, char stack)
{
	pickle_begin(pickler, '{');
	pickle_pair(pickler, "address", address);
	pickle_pair(pickler, "size", size);
	pickle_pair(pickler, "requested_size", requested);
	pickle_words(pickler, "state", state);
	pickle_frames(pickler, stack);
	pickle_end(pickler, '{');
}

static void segment(struct pickler *pickler, int64_t size, bool blocks)
{
	pickle_begin(pickler, '{');
	pickle_pair(pickler, "device", 0);
	pickle_pair(pickler, "address", 4096);
	pickle_pair(pickler, "total_size", size);
	pickle_pair(pickler, "stream", 0);
	pickle_words(pickler, "segment_type", "small");
	pickle_text(pickler, "blocks");
	pickle_begin(pickler, '[');
	if (blocks) {
		block(pickler, 4096, 512, 100, "active_allocated", 'u');
		block(pickler, 4608, 512, 200, "active_allocated", 'n');
		block(pickler, 5120, 3072, 0, "inactive", 0);
	}
	pickle_end(pickler, '[');
	pickle_end(pickler, '{');
}

static void trace(struct pickler *pickler)
{
	pickle_begin(pickler, '[');
	entry(pickler, "segment_alloc", 4096, 4096, 0, 0);
	entry(pickler, "alloc", 5120, 300, 1, 'u');
	entry(pickler, "alloc", 4608, 200, 2, 'n');
	entry(pickler, "free_requested", 5120, 300, 3, 'u');
	entry(pickler, "free_completed", 5120, 300, 4, 'u');
	entry(pickler, "free_completed", INT64_C(1) << 40, 50, 5, 0);
	entry(pickler, "oom", 7, 5000, 6, 'u');
	pickle_end(pickler, '[');
}

static void annotation(struct pickler *pickler, const char *stage, int64_t time)
{
	pickle_begin(pickler, '{');
	pickle_words(pickler, "stage", stage);
	pickle_words(pickler, "name", "Optimizer.step");
	pickle_pair(pickler, "device", 0);
	pickle_pair(pickler, "time_us", INT64_C(1700000000000000) + time);
	pickle_end(pickler, '{');
}

void pickle_snapshot(struct pickler *pickler)
{
	pickle_begin(pickler, '{');
	pickle_text(pickler, "segments");
	pickle_begin(pickler, '[');
	segment(pickler, 4096, true);
	pickle_end(pickler, '[');
	pickle_text(pickler, "device_traces");
	pickle_begin(pickler, '[');
	trace(pickler);
	pickle_end(pickler, '[');
	pickle_text(pickler, "external_annotations");
	pickle_begin(pickler, '[');
	annotation(pickler, "START", 2);
	annotation(pickler, "END", 5);
	pickle_end(pickler, '[');
	pickle_end(pickler, '{');
	pickle_stop(pickler);
}

void pickle_trace(struct pickler *pickler, const struct pickle_entry *entries, size_t count)
{
	int64_t reserved = 0;
	for (size_t i = 0; i < count; i++)
		if (strncmp(entries[i].action, "segment", 7) == 0)
			reserved += strcmp(entries[i].action, "segment_free") ? entries[i].size
									      : -entries[i].size;
	pickle_begin(pickler, '{');
	pickle_text(pickler, "segments");
	pickle_begin(pickler, '[');
	segment(pickler, reserved, false);
	pickle_end(pickler, '[');
	pickle_text(pickler, "device_traces");
	pickle_begin(pickler, '[');
	pickle_begin(pickler, '[');
	for (size_t i = 0; i < count; i++)
		entry(pickler, entries[i].action, entries[i].address, entries[i].size, (int64_t)i,
		      entries[i].stack);
	pickle_end(pickler, '[');
	pickle_end(pickler, '[');
	pickle_end(pickler, '{');
	pickle_stop(pickler);
}

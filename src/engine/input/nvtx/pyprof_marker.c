#include "input/nvtx/pyprof_marker.h"

#include "base/buffer.h"
#include "base/platform.h"
#include "base/text.h"

static void add_shape(struct buffer *out, const struct literal *shape)
{
	buffer_putc(out, '[');
	for (size_t i = 0; literal_is_sequence(shape) && i < shape->count; i++) {
		buffer_puts(out, i ? "," : "");
		literal_repr(out, literal_item(shape, i));
	}
	buffer_putc(out, ']');
}

/* Numbers and lists of numbers are concrete values, which Kineto records too. */
static void pyprof_marker_add_value(struct buffer *out, const struct literal *value)
{
	bool plain = value && (value->kind == LITERAL_INT || value->kind == LITERAL_BOOL);
	struct literal list;
	if (literal_is_sequence(value)) {
		plain = true;
		for (size_t i = 0; i < value->count; i++)
			plain &= literal_item(value, i)->kind == LITERAL_INT;
		list = *value;
		list.kind = LITERAL_LIST;
		value = &list;
	}
	buffer_putc(out, '"');
	if (plain)
		literal_repr(out, value);
	buffer_putc(out, '"');
}

void pyprof_arguments(struct intern *strings, const struct literal *args, struct op_info *info)
{
	AUTO_BUFFER struct buffer shapes = { 0 }, types = { 0 }, values = { 0 };
	for (size_t i = 0; literal_is_sequence(args) && i < args->count; i++) {
		const struct literal *argument = literal_item(args, i);
		const struct literal *type = literal_get(argument, "dtype");
		buffer_puts(&shapes, i ? "," : "[");
		buffer_puts(&types, i ? ",\"" : "[\"");
		buffer_puts(&values, i ? "," : "[");
		add_shape(&shapes, literal_get(argument, "shape"));
		pyprof_marker_add_value(&values, literal_get(argument, "value"));
		type = type ? type : literal_get(argument, "type");
		if (type && type->kind == LITERAL_TEXT)
			text_escape(&types, type->text, strcspn(type->text, "\"\\"));
		buffer_putc(&types, '"');
	}
	if (shapes.length) {
		buffer_putc(&shapes, ']');
		buffer_putc(&types, ']');
		buffer_putc(&values, ']');
		info->shapes = intern_add(strings, shapes.data, shapes.length);
		info->types = intern_add(strings, types.data, types.length);
		info->concrete = intern_add(strings, values.data, values.length);
	}
}

uint32_t pyprof_stack(struct intern *strings, const struct literal *trace)
{
	AUTO_BUFFER struct buffer stack = { 0 };
	for (size_t i = literal_is_sequence(trace) ? trace->count : 0; i-- > 0;) {
		const struct literal *entry = literal_item(trace, i);
		buffer_puts(&stack, stack.length ? ";" : "");
		if (entry->kind == LITERAL_TEXT)
			buffer_add(&stack, entry->text, entry->count);
	}
	return intern_add(strings, BUFFERED(&stack));
}

/* A path element is "Class::function", plus "(2)" when it was called again. */
static size_t module_length(const char *part, size_t length)
{
	const char *colons = memmem(part, length, "::", 2);
	return colons ? (size_t)(colons - part) : 0;
}

static void name_module(struct buffer *name, const char *part, size_t length)
{
	const char *again =
		length && part[length - 1] == ')' ? platform_memrchr(part, '(', length) : NULL;
	buffer_clear(name);
	buffer_add(name, part, module_length(part, length));
	if (again)
		buffer_add(name, again, (size_t)(part + length - again));
}

size_t pyprof_modules(struct intern *strings, const struct literal *path, uint32_t *modules,
		      size_t max)
{
	size_t count = 0, last_length = 0;
	const char *last = "";
	AUTO_BUFFER struct buffer name = { 0 };
	if (!path || path->kind != LITERAL_TEXT)
		return 0;
	for (const char *part = path->text; *part && count < max;) {
		size_t length = strcspn(part, "/"), own = module_length(part, length);
		bool same = own == last_length && memcmp(part, last, own) == 0;
		if (own && !same) {
			name_module(&name, part, length);
			modules[count++] = intern_add(strings, name.data, name.length);
			last = part;
			last_length = own;
		}
		part += length + (part[length] == '/');
	}
	return count;
}

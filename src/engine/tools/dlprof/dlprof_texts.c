#include "base/any_of.h"
#include "tools/dlprof/dlprof_derive.h"

#include "base/buffer.h"
#include "base/literal.h"
#include "base/platform.h"
#include "base/text.h"

#include <inttypes.h>

static const char conv2d_input[] = "N,C,H,W;K,C,R,S";

static const struct dlprof_format formats[] = {
	{ "conv2d", conv2d_input, "N,K,P,Q", "SH,SW;PH,PW;DH,DW;G" },
	{ "linear", "N,K;M,K", "N,M", "" },
	{ "matmul mm __matmul__", "M,K;K,N", "M,N", "" },
};

const struct dlprof_format *dlprof_format_of(const char *type)
{
	return first_of(at, formats, sizeof formats / sizeof *formats,
			text_is_listed(at->types, type));
}

/* ---- paths ---- */

/* "/<module>/Conv2d::_call_impl(2)/conv2d" without angle brackets, "(2)" as "[2]". */
static void put_path(struct buffer *out, const struct literal *path)
{
	for (size_t i = 0; i < path->count; i++) {
		char c = path->text[i];
		if (c != '<' && c != '>')
			buffer_putc(out, (char)(c == '(' ? '[' : c == ')' ? ']' : c));
	}
}

bool dlprof_function_path(const struct profile *profile, uint32_t span, struct buffer *out)
{
	uint32_t key = profile_find(profile, NVTX_TEXT), text = NO_ROW;
	for (uint32_t at = span; key != NO_ROW && at != NO_ROW && text == NO_ROW;
	     at = profile->span_parent[at])
		if (profile->span_kind[at] == SPAN_PYTHON)
			text = profile_span_attribute(profile, at, key);
	if (text == NO_ROW)
		return false;
	AUTO_ARENA struct arena *arena = arena_new();
	const char *marker = profile_string(profile, text);
	const struct literal *path =
		literal_get(literal_parse(arena, marker, strlen(marker)), "funcStack");
	bool known = path && path->kind == LITERAL_TEXT;
	if (known)
		put_path(out, path);
	return known;
}

/* ---- stacks ---- */

/* "net.py(12): forward" and "net.py:12" are the line net.py:12; other names are no lines. */
static void put_frame(struct buffer *out, const char *name, size_t length)
{
	const char *line = memmem(name, length, "): ", 3);
	const char *open = line ? platform_memrchr(name, '(', (size_t)(line - name)) : NULL;
	const char *colon = platform_memrchr(name, ':', length);
	bool plain = colon && colon + 1 < name + length &&
		     strspn(colon + 1, "0123456789") >= (size_t)(name + length - colon - 1);
	if (!open && !plain)
		return;
	buffer_puts(out, out->length ? "\n" : "");
	if (plain)
		buffer_add(out, name, length);
	else
		buffer_printf(out, "%.*s:%.*s", (int)(open - name), name, (int)(line - open - 1),
			      open + 1);
}

/* STACK is recorded innermost first, separated by ';'. */
static void put_recorded(struct buffer *out, const char *stack)
{
	size_t length = strlen(stack);
	while (length) {
		const char *start = platform_memrchr(stack, ';', length);
		size_t from = start ? (size_t)(start - stack) + 1 : 0;
		put_frame(out, stack + from, length - from);
		length = from ? from - 1 : 0;
	}
}

void dlprof_stack(const struct profile *profile, uint32_t span, struct buffer *out)
{
	enum { FRAMES_MAX = 1024 };
	const struct op_info *info = profile_op_info(profile, span);
	const char *recorded = info ? profile_string(profile, info->stack) : "";
	uint32_t frames[FRAMES_MAX];
	size_t count = 0;
	put_recorded(out, recorded);
	if (*recorded)
		return;
	for (uint32_t at = profile->span_parent[span]; at != NO_ROW && count < FRAMES_MAX;
	     at = profile->span_parent[at])
		if (profile->span_kind[at] == SPAN_PYTHON)
			frames[count++] = profile->span_name[at];
	while (count--) {
		const char *name = profile_string(profile, frames[count]);
		put_frame(out, name, strlen(name));
	}
}

/* ---- arguments ---- */

/* The recorded arguments of a call. */
struct dlprof_arguments {
	struct arena *arena;
	const struct literal *shapes, *types, *values;
};

static const struct literal *arguments_list(struct arena *arena, const struct profile *profile,
					    uint32_t id)
{
	const char *text = profile_string(profile, id);
	const struct literal *list = *text ? literal_parse(arena, text, strlen(text)) : NULL;
	return literal_is_sequence(list) ? list : NULL;
}

static struct dlprof_arguments arguments_of(const struct profile *profile,
					    const struct op_info *info)
{
	struct arena *arena = arena_new();
	return (struct dlprof_arguments){ arena, arguments_list(arena, profile, info->shapes),
					  arguments_list(arena, profile, info->types),
					  arguments_list(arena, profile, info->concrete) };
}

/* The dimensions of an argument that is a tensor; NULL. */
static const struct literal *tensor(const struct dlprof_arguments *arguments, size_t at)
{
	const struct literal *shape = literal_item(arguments->shapes, at);
	bool is = literal_is_sequence(shape) && shape->count &&
		  !literal_is_sequence(literal_item(shape, 0));
	return is ? shape : NULL;
}

/* Dimension AT, -1: unknown. */
static int64_t dimension(const struct literal *shape, size_t at)
{
	int64_t value;
	return literal_int(literal_item(shape, at), &value) && value >= 0 ? value : -1;
}

const char *dlprof_data_type(const struct profile *profile, const struct op_info *info)
{
	static const char *const names[][2] = { RECORDED_TYPE_ROWS };
	struct dlprof_arguments arguments = arguments_of(profile, info);
	const struct literal *type = NULL;
	const char *found = "";
	for (size_t i = 0; arguments.types && i < arguments.types->count && !type; i++)
		if (!arguments.shapes || tensor(&arguments, i))
			type = literal_item(arguments.types, i);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (literal_is_text(type, names[i][0]) || literal_is_text(type, names[i][1]))
			found = names[i][1];
	arena_free(arguments.arena);
	return found;
}

static void put_shape(struct buffer *out, const struct literal *shape)
{
	buffer_putc(out, '[');
	for (size_t i = 0; i < shape->count; i++) {
		buffer_puts(out, i ? "," : "");
		literal_repr(out, literal_item(shape, i));
	}
	buffer_putc(out, ']');
}

void dlprof_input_shapes(const struct profile *profile, const struct op_info *info,
			 struct buffer *out)
{
	struct dlprof_arguments arguments = arguments_of(profile, info);
	size_t count = 0;
	buffer_putc(out, '[');
	for (size_t i = 0; arguments.shapes && i < arguments.shapes->count; i++) {
		if (!tensor(&arguments, i))
			continue;
		buffer_puts(out, count++ ? "," : "");
		put_shape(out, tensor(&arguments, i));
	}
	buffer_putc(out, ']');
	arena_free(arguments.arena);
}

/* ---- convolutions and products ---- */

enum { STRIDE = 3, PADDING, DILATION, GROUPS };

/* Number INNER of an argument, OTHERWISE if it was not passed; -1: unknown. */
static int64_t passed(const struct dlprof_arguments *arguments, size_t at, size_t inner,
		      int64_t otherwise)
{
	const struct literal *text = literal_item(arguments->values, at), *value = NULL;
	int64_t number;
	if (at >= arguments->shapes->count)
		return otherwise;
	if (text && text->kind == LITERAL_TEXT)
		value = literal_parse(arguments->arena, text->text, text->count);
	if (literal_is_sequence(value))
		value = literal_item(value, value->count == 1 ? 0 : inner);
	return literal_int(value, &number) && number >= 0 ? number : -1;
}

/* Elements of the output along dimension D, from 2; -1: unknown. */
static int64_t size_along(const struct dlprof_arguments *arguments, const struct literal *x,
			  const struct literal *w, size_t d)
{
	int64_t in = dimension(x, d), filter = dimension(w, d);
	int64_t stride = passed(arguments, STRIDE, d - 2, 1);
	int64_t padding = passed(arguments, PADDING, d - 2, 0);
	int64_t dilation = passed(arguments, DILATION, d - 2, 1), room;
	if (in < 0 || filter < 0 || stride < 1 || padding < 0 || dilation < 0 ||
	    __builtin_mul_overflow(dilation, filter - 1, &room) ||
	    __builtin_sub_overflow(in - 1, room, &room) ||
	    __builtin_add_overflow(room, padding, &room) ||
	    __builtin_add_overflow(room, padding, &room))
		return -1;
	return room < 0 ? -1 : room / stride + 1;
}

static void put_conv(struct buffer *out, const struct dlprof_arguments *arguments,
		     const struct literal *x, const struct literal *w)
{
	int64_t p = size_along(arguments, x, w, 2), q = size_along(arguments, x, w, 3);
	if (x->count == 4 && w->count == 4 && p >= 0 && q >= 0)
		buffer_printf(out, "[[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]]",
			      dimension(x, 0), dimension(w, 0), p, q);
}

/* [..., K] with a weight [M, K], or (BY_ROWS) [M, K] with [K, N]. */
static void put_product(struct buffer *out, const struct literal *x, const struct literal *w,
			bool by_rows)
{
	if (w->count != 2 || (by_rows && x->count != 2) ||
	    dimension(x, x->count - 1) != dimension(w, by_rows ? 0 : 1))
		return;
	buffer_puts(out, "[[");
	for (size_t i = 0; i + 1 < x->count; i++)
		buffer_printf(out, "%" PRId64 ",", dimension(x, i));
	buffer_printf(out, "%" PRId64 "]]", dimension(w, by_rows ? 1 : 0));
}

void dlprof_output_shapes(const struct profile *profile, const struct op_info *info,
			  const struct dlprof_format *format, struct buffer *out)
{
	struct dlprof_arguments arguments = arguments_of(profile, info);
	const struct literal *x = tensor(&arguments, 0), *w = tensor(&arguments, 1);
	if (x && w && format->input == conv2d_input)
		put_conv(out, &arguments, x, w);
	else if (x && w)
		put_product(out, x, w, *format->output == 'M');
	arena_free(arguments.arena);
}

void dlprof_parameters(const struct profile *profile, const struct op_info *info,
		       const struct dlprof_format *format, struct buffer *out)
{
	struct dlprof_arguments arguments = arguments_of(profile, info);
	int64_t of[GROUPS - STRIDE + 1][2];
	bool known = *format->parameters && arguments.shapes;
	for (size_t i = STRIDE; known && i <= GROUPS; i++)
		for (size_t d = 0; d < 2; d++)
			known &= (of[i - STRIDE][d] = passed(&arguments, i, d, -1)) >= 0 ||
				 (i == GROUPS && d);
	if (known) {
		buffer_puts(out, "[");
		for (size_t i = 0; i < GROUPS - STRIDE; i++)
			buffer_printf(out, "[%" PRId64 ",%" PRId64 "],", of[i][0], of[i][1]);
		buffer_printf(out, "[%" PRId64 "]]", of[GROUPS - STRIDE][0]);
	}
	arena_free(arguments.arena);
}

#include "base/any_of.h"
#include "tools/pyprof/pyprof_kernels.h"

#include "base/literal.h"
#include "base/text.h"

/* The arguments of a call that PyProf has a formula for. */
enum pyprof_arguments_form {
	TENSORS, /* COUNT tensors */
	NUMBERS, /* COUNT tensors or numbers */
	CONVOLUTION,
};

static const struct pyprof_arguments_call {
	const char *names; /* of operators, without aten::, with blanks between */
	const char *mod;
	const char *op; /* NULL: that of the name */
	enum pyprof_arguments_form form;
	size_t count;
} calls[] = { PYPROF_CALLS_ROWS };

/* Names of element types that PyProf knows, and bfloat16. */
static const struct {
	const char *recorded, *name;
} types[] = { RECORDED_TYPE_ROWS };

static const char *type_name(const struct literal *type)
{
	return looked_up(at, types, literal_is_text(type, at->recorded), at->name, NULL);
}

/* What is recorded of a call: lists by argument. */
struct pyprof_arguments_recorded {
	struct arena *arena;
	const struct literal *shapes, *types, *values;
	struct buffer out;
	size_t written;
};

static void begin_argument(struct pyprof_arguments_recorded *recorded)
{
	buffer_puts(&recorded->out, recorded->written++ ? ", {'name': '', " : "{'name': '', ");
}

static void put_sizes(struct buffer *out, const struct literal *sizes)
{
	buffer_putc(out, '(');
	for (size_t i = 0; i < sizes->count; i++) {
		buffer_puts(out, i ? ", " : "");
		literal_repr(out, &sizes->items[i]);
	}
	buffer_puts(out, sizes->count == 1 ? ",)" : ")");
}

static bool are_sizes(const struct literal *list)
{
	int64_t size;
	bool good = literal_is_sequence(list);
	for (size_t i = 0; good && i < list->count; i++)
		good = literal_int(&list->items[i], &size) && size >= 0;
	return good;
}

static bool put_tensor(struct pyprof_arguments_recorded *recorded, size_t at)
{
	const struct literal *shape = literal_item(recorded->shapes, at);
	const char *type = type_name(literal_item(recorded->types, at));
	if (!type || !are_sizes(shape))
		return false;
	begin_argument(recorded);
	buffer_puts(&recorded->out, "'type': 'tensor', 'shape': ");
	put_sizes(&recorded->out, shape);
	buffer_printf(&recorded->out, ", 'dtype': '%s'}", type);
	return true;
}

/* The recorded value of an argument, "[1, 1]" or "2.5"; NULL without one. */
static const struct literal *pyprof_arguments_value_of(struct pyprof_arguments_recorded *recorded,
						       size_t at)
{
	const struct literal *text = literal_item(recorded->values, at);
	return text && text->kind == LITERAL_TEXT && text->count
		       ? literal_parse(recorded->arena, text->text, text->count)
		       : NULL;
}

static bool put_number(struct pyprof_arguments_recorded *recorded, size_t at)
{
	const struct literal *value = pyprof_arguments_value_of(recorded, at);
	if (!value || (value->kind != LITERAL_INT && value->kind != LITERAL_REAL))
		return false;
	begin_argument(recorded);
	buffer_printf(&recorded->out,
		      "'type': '%s', 'value': ", value->kind == LITERAL_INT ? "int" : "float");
	literal_repr(&recorded->out, value);
	buffer_putc(&recorded->out, '}');
	return true;
}

/* Input, weight, bias, then two sizes for each of stride, padding and dilation, and the groups. */
static bool put_convolution(struct pyprof_arguments_recorded *recorded)
{
	if (!put_tensor(recorded, 0) || !put_tensor(recorded, 1))
		return false;
	if (!put_tensor(recorded, 2)) {
		begin_argument(recorded);
		buffer_puts(&recorded->out, "'type': 'NoneType', 'value': None}");
	}
	for (size_t at = 3; at < 6; at++) {
		const struct literal *pair = pyprof_arguments_value_of(recorded, at);
		if (!are_sizes(pair) || pair->count != 2)
			return false;
		begin_argument(recorded);
		buffer_puts(&recorded->out, "'type': 'tuple', 'value': ");
		put_sizes(&recorded->out, pair);
		buffer_putc(&recorded->out, '}');
	}
	return put_number(recorded, 6);
}

/* What prof.py asserts of products: sizes that fit, one type. */
static bool is_product(const struct pyprof_arguments_recorded *recorded,
		       const struct pyprof_arguments_call *call)
{
	size_t a = call->count - 2, rank = strcmp(call->names, "bmm") == 0 ? 3 : 2;
	const struct literal *left = literal_item(recorded->shapes, a);
	const struct literal *right = literal_item(recorded->shapes, a + 1);
	int64_t inner, outer;
	if (!are_sizes(left) || !are_sizes(right) || left->count != rank || right->count != rank)
		return false;
	for (size_t i = 1; i < call->count; i++)
		if (type_name(literal_item(recorded->types, i)) !=
		    type_name(literal_item(recorded->types, 0)))
			return false;
	return literal_int(&left->items[rank - 1], &inner) &&
	       literal_int(&right->items[rank - 2], &outer) && inner == outer;
}

/* Of two tensors, the shorter shape fits the end of the longer one, as prof.py broadcasts. */
static bool broadcasts(const struct pyprof_arguments_recorded *recorded)
{
	const struct literal *a = literal_item(recorded->shapes, 0);
	const struct literal *b = literal_item(recorded->shapes, 1);
	if (!are_sizes(a) || !are_sizes(b))
		return are_sizes(a);
	for (size_t i = 1; i <= a->count && i <= b->count; i++) {
		int64_t x = 0, y = 0;
		literal_int(&a->items[a->count - i], &x);
		literal_int(&b->items[b->count - i], &y);
		if (x != y && x != 1 && y != 1)
			return false;
	}
	return true;
}

static bool put_arguments(struct pyprof_arguments_recorded *recorded,
			  const struct pyprof_arguments_call *call)
{
	bool good = true;
	if (call->form == CONVOLUTION)
		return put_convolution(recorded);
	if (call->form == TENSORS && call->count > 1 && !is_product(recorded, call))
		return false;
	if (call->form == NUMBERS && !broadcasts(recorded))
		return false;
	for (size_t i = 0; good && i < call->count; i++)
		good = (call->form == NUMBERS && put_number(recorded, i)) ||
		       put_tensor(recorded, i);
	return good;
}

static const struct literal *parse(struct arena *arena, const struct profile *profile,
				   uint32_t string)
{
	const char *text = profile_string(profile, string);
	return string ? literal_parse(arena, text, strlen(text)) : NULL;
}

/* *OP: what PyProf calls it. */
static const struct pyprof_arguments_call *pyprof_arguments_call_of(const struct profile *profile,
								    uint32_t span, const char **op)
{
	const char *name = profile_string(profile, profile->span_name[span]);
	if (strncmp(name, "aten::", 6) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (text_is_listed(calls[i].names, name + 6)) {
			*op = calls[i].op ?: name + 6;
			return &calls[i];
		}
	return NULL;
}

/* The innermost call with a formula at or around SPAN. */
static uint32_t span_called(const struct profile *profile, uint32_t span)
{
	const char *op;
	while (span != NO_ROW && !pyprof_arguments_call_of(profile, span, &op))
		span = profile->span_parent[span];
	return span;
}

static void set_only(struct pyprof_texts *texts, struct arena *arena, const char *text)
{
	texts->item = arena_alloc(arena, sizeof *texts->item);
	texts->item[0] = text;
	texts->count = 1;
}

void pyprof_arguments_add(struct pyprof_kernel *kernel, struct arena *arena,
			  const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	uint32_t owner = derived->activity_operator[kernel->activity];
	uint32_t span = span_called(profile, owner);
	const struct op_info *info = span == NO_ROW ? NULL : profile_op_info(profile, span);
	if (kernel->backward || !info)
		return;
	struct pyprof_arguments_recorded recorded = {
		.arena = arena,
		.shapes = parse(arena, profile, info->shapes),
		.types = parse(arena, profile, info->types),
		.values = parse(arena, profile, info->concrete),
	};
	const char *op;
	const struct pyprof_arguments_call *call = pyprof_arguments_call_of(profile, span, &op);
	buffer_printf(&recorded.out, "{'mod': '%s', 'op': '%s', 'args': [", call->mod, op);
	if (put_arguments(&recorded, call)) {
		buffer_puts(&recorded.out, "]}");
		set_only(&kernel->marker, arena,
			 arena_strndup(arena, recorded.out.data, recorded.out.length));
		set_only(&kernel->mod, arena, call->mod);
		set_only(&kernel->op, arena, op);
	}
	buffer_free(&recorded.out);
}

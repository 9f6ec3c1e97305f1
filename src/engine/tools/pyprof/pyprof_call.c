#include "tools/pyprof/pyprof_call.h"

#include "base/any_of.h"

/* ---- types ---- */

static const struct pyprof_call_type {
	const char *name, *code, *tensor_code; /* as printed by most classes, and in tensors */
	int64_t size;
} types[] = { PYPROF_TYPE_ROWS };

static const struct pyprof_call_type *find_type(const char *name)
{
	for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

int64_t pyprof_type_size(const char *type)
{
	const struct pyprof_call_type *known = find_type(type);
	return known ? known->size : 0;
}

/* ---- word lists ---- */

bool pyprof_contains(const char *text, const char *words)
{
	size_t length;
	for (; *words; words += length + (words[length] != 0)) {
		length = strcspn(words, " ");
		if (memmem(text, strlen(text), words, length))
			return true;
	}
	return false;
}

bool pyprof_from(const struct pyprof_call *call, const char *mods)
{
	return text_is_listed(mods, call->mod);
}

const char *pyprof_tensor_core(const char *kernel)
{
	return pyprof_contains(kernel,
			       "h884 s884 h1688 s1688 hmma i8816 16816 dgrad_1x1_stride_2x2 "
			       "first_layer_wgrad_kernel conv1x1 conv2d_c1_k1 direct_group "
			       "xmma_implicit_gemm xmma_sparse_conv "
			       "xmma_warp_specialized_implicit_gemm xmma_gemm "
			       "xmma_sparse_gemm c1688")
		       ? "1"
		       : "0";
}

/* ---- arguments ---- */

size_t pyprof_args(const struct pyprof_call *call)
{
	return call->args->count;
}

const struct literal *pyprof_arg(const struct pyprof_call *call, size_t at)
{
	return literal_item(call->args, at);
}

static bool is_named(const struct literal *argument, const char *name)
{
	return literal_is_text(literal_get(argument, "name"), name);
}

size_t pyprof_positionals(const struct pyprof_call *call)
{
	return count_where(i, call->args->count, is_named(pyprof_arg(call, i), ""));
}

const struct literal *pyprof_positional(const struct pyprof_call *call, size_t at)
{
	for (size_t i = 0; i < call->args->count; i++)
		if (is_named(pyprof_arg(call, i), "") && at-- == 0)
			return pyprof_arg(call, i);
	return NULL;
}

size_t pyprof_args_but_out(const struct pyprof_call *call)
{
	return count_where(i, call->args->count, !is_named(pyprof_arg(call, i), "out"));
}

const struct literal *pyprof_named(const struct pyprof_call *call, size_t at, const char *name)
{
	const struct literal *found = NULL;
	for (size_t i = 0; i < call->args->count; i++) {
		const struct literal *argument = pyprof_arg(call, i);
		if (is_named(argument, "out"))
			continue;
		if (at-- == 0 && is_named(argument, ""))
			return argument;
		if (!found && is_named(argument, name))
			found = argument;
	}
	return found;
}

bool pyprof_is(const struct literal *argument, const char *type)
{
	return literal_is_text(literal_get(argument, "type"), type);
}

bool pyprof_same(const struct literal *a, const struct literal *b, const char *key)
{
	const struct literal *x = literal_get(a, key), *y = literal_get(b, key);
	AUTO_BUFFER struct buffer one = { 0 }, other = { 0 };
	if (!x || !y || x->kind != y->kind)
		return false;
	literal_repr(&one, x);
	literal_repr(&other, y);
	return strcmp(buffer_text(&one), buffer_text(&other)) == 0;
}

/* ---- operands ---- */

static void count_elements(struct pyprof_call *call, struct pyprof_operand *operand)
{
	operand->count = 1;
	for (size_t i = 0; i < operand->dims; i++)
		operand->count = pyprof_times(call, operand->count, operand->dim[i]);
	operand->bytes = pyprof_times(call, operand->count, operand->size);
}

bool pyprof_shape(struct pyprof_call *call, const struct literal *shape, const char *type,
		  struct pyprof_operand *operand)
{
	const struct pyprof_call_type *known = find_type(type);
	if (!known || (shape && !literal_is_sequence(shape)) ||
	    (shape && shape->count > PYPROF_DIMS_MAX))
		return false;
	*operand = (struct pyprof_operand){ .type = known->name,
					    .size = known->size,
					    .dims = shape ? shape->count : 0 };
	for (size_t i = 0; i < operand->dims; i++)
		if (!literal_int(literal_item(shape, i), &operand->dim[i]) || operand->dim[i] < 0)
			return false;
	count_elements(call, operand);
	return true;
}

bool pyprof_operand(struct pyprof_call *call, const struct literal *argument,
		    struct pyprof_operand *operand)
{
	const struct literal *shape = literal_get(argument, "shape");
	const struct literal *type = literal_get(argument, shape ? "dtype" : "type");
	return type && type->kind == LITERAL_TEXT && pyprof_shape(call, shape, type->text, operand);
}

bool pyprof_tensor(struct pyprof_call *call, const struct literal *argument,
		   struct pyprof_operand *operand)
{
	return literal_get(argument, "shape") && pyprof_operand(call, argument, operand);
}

bool pyprof_broadcast(struct pyprof_call *call, const struct pyprof_operand *operands, size_t count,
		      struct pyprof_operand *out)
{
	*out = operands[0];
	for (size_t i = 1; i < count; i++)
		out->dims = operands[i].dims > out->dims ? operands[i].dims : out->dims;
	for (size_t d = 0; d < out->dims; d++) {
		int64_t dim = 1;
		for (size_t i = 0; i < count; i++) {
			size_t missing = out->dims - operands[i].dims;
			int64_t own = d < missing ? 1 : operands[i].dim[d - missing];
			if (own != 1 && dim != 1 && own != dim)
				return false;
			dim = own != 1 ? own : dim;
		}
		out->dim[d] = dim;
	}
	count_elements(call, out);
	return true;
}

/* ---- results ---- */

wide pyprof_times(struct pyprof_call *call, wide a, wide b)
{
	wide product;
	const wide max = (wide)1 << 120; /* leaves room for a few additions */
	if (!__builtin_mul_overflow(a, b, &product) && product < max && product > -max)
		return product;
	call->overflow = true;
	return 0;
}

void pyprof_work(struct pyprof_call *call, wide flops, wide bytes)
{
	call->flops = (struct pyprof_number){ .integer = flops };
	call->bytes = (struct pyprof_number){ .integer = bytes };
}

void pyprof_put_wide(struct buffer *out, wide value)
{
	char digits[48], *at = digits + sizeof digits;
	bool negative = value < 0;
	*--at = 0;
	do {
		int digit = (int)(value % 10);
		*--at = (char)('0' + (digit < 0 ? -digit : digit));
		value /= 10;
	} while (value);
	if (negative)
		*--at = '-';
	buffer_puts(out, at);
}

void pyprof_param(struct pyprof_call *call, const char *key, wide value)
{
	buffer_printf(&call->params, "%s=", key);
	pyprof_put_wide(&call->params, value);
	buffer_putc(&call->params, ',');
}

void pyprof_param_literal(struct pyprof_call *call, const char *key, const struct literal *value)
{
	buffer_printf(&call->params, "%s=", key);
	if (value->kind == LITERAL_TEXT)
		buffer_add(&call->params, value->text, value->count);
	else
		literal_repr(&call->params, value);
	buffer_putc(&call->params, ',');
}

void pyprof_param_type(struct pyprof_call *call, const char *type)
{
	const struct pyprof_call_type *known = find_type(type);
	buffer_printf(&call->params, "%s,", known ? known->code : "");
}

void pyprof_param_tensor(struct pyprof_call *call, const struct literal *tensor)
{
	pyprof_param_literal(call, "T", literal_get(tensor, "shape"));
	pyprof_param_type(call, literal_get(tensor, "dtype")->text);
}

void pyprof_param_operand(struct pyprof_call *call, const struct pyprof_operand *operand)
{
	buffer_puts(&call->params, call->params.length ? ";[" : "[");
	for (size_t i = 0; i < operand->dims; i++)
		buffer_printf(&call->params, "%s%lld", i ? "," : "", (long long)operand->dim[i]);
	buffer_printf(&call->params, "]%s", find_type(operand->type)->tensor_code);
}

/* ---- class lookup ---- */

enum { ANY_COUNT = 1 << 30 };

static const struct pyprof_class_row {
	const char *ops; /* NULL: the elementwise ones */
	pyprof_class *compute;
	const char *mods;  /* of the operator; NULL: any */
	const char *from;  /* mods of the marker; NULL: any */
	size_t least, max; /* number of arguments */
} classes[] = { PYPROF_CLASSES_ROWS };
static const struct pyprof_class_row elementwise = { .compute = pyprof_elementwise,
						     .max = ANY_COUNT };
static const struct pyprof_class_row foo = { .compute = pyprof_foo, .max = ANY_COUNT };

static const struct pyprof_class_row *find_class(const char *mod, const char *op)
{
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		bool named = classes[i].ops ? text_is_listed(classes[i].ops, op)
					    : pyprof_is_pointwise(op);
		if (named && (!classes[i].mods || text_is_listed(classes[i].mods, mod)))
			return &classes[i];
	}
	return pyprof_is_elementwise(op) ? &elementwise : &foo;
}

static void remove_blanks(struct buffer *text)
{
	size_t kept = 0;
	for (size_t i = 0; i < text->length; i++)
		if (text->data[i] != ' ')
			text->data[kept++] = text->data[i];
	text->length = kept;
	if (text->data)
		text->data[kept] = 0;
}

static bool try_class(struct pyprof_call *call, const struct pyprof_class_row *row)
{
	size_t count = pyprof_args(call);
	buffer_clear(&call->params);
	call->overflow = false;
	call->shown_op = call->op;
	call->tensor = "-";
	pyprof_work(call, 0, 0);
	return count >= row->least && count <= row->max &&
	       (!row->from || text_is_listed(row->from, call->mod)) && row->compute(call) &&
	       !call->overflow;
}

void pyprof_compute(struct pyprof_call *call, const char *mod, const char *op)
{
	if (try_class(call, find_class(mod, op)) || try_class(call, &foo)) {
		remove_blanks(&call->params);
		return;
	}
	buffer_clear(&call->params);
	buffer_puts(&call->params, "na=na,");
	call->shown_op = op;
	call->tensor = "na";
}

/*
 * PyProf's classes of data movement, losses and Adam.
 */
#include "tools/pyprof/pyprof_call.h"

bool pyprof_convert(struct pyprof_call *call)
{
	struct pyprof_operand x;
	if (!pyprof_operand(call, pyprof_arg(call, 0), &x))
		return false;
	int64_t size = strcmp(call->op, "to") == 0 ? x.size : pyprof_type_size(call->op);
	pyprof_param_operand(call, &x);
	pyprof_work(call, 0, x.bytes + x.count * size);
	return true;
}

bool pyprof_embedding(struct pyprof_call *call)
{
	struct pyprof_operand index, table;
	if (!pyprof_operand(call, pyprof_arg(call, 0), &index) ||
	    !pyprof_operand(call, pyprof_arg(call, 1), &table) || table.dims != 2)
		return false;
	wide rows = pyprof_times(call, pyprof_times(call, index.count, table.dim[1]), table.size);
	pyprof_param_operand(call, &index);
	pyprof_param_operand(call, &table);
	pyprof_work(call, 0, call->forward ? index.bytes + 2 * rows : call->sub ? 0 : 3 * rows);
	return true;
}

bool pyprof_cat(struct pyprof_call *call)
{
	wide bytes = 0;
	const struct literal *first = pyprof_arg(call, 0);
	if (!literal_get(first, "dtype"))
		return false;
	for (size_t i = 0; i < pyprof_args(call); i++) {
		const struct literal *argument = pyprof_arg(call, i);
		struct pyprof_operand x;
		if (!pyprof_is(argument, "tensor"))
			continue;
		if (!pyprof_same(argument, first, "dtype") || !pyprof_operand(call, argument, &x))
			return false;
		pyprof_param_operand(call, &x);
		bytes += 2 * x.bytes;
	}
	pyprof_work(call, 0, call->sub ? 0 : bytes);
	return true;
}

static bool has_type(const struct literal *argument, const char *type)
{
	return literal_is_text(literal_get(argument, "dtype"), type);
}

bool pyprof_masked_scatter(struct pyprof_call *call)
{
	const struct literal *to = pyprof_arg(call, 0), *mask = pyprof_arg(call, 1);
	const struct literal *from = pyprof_arg(call, 2);
	struct pyprof_operand x;
	if (!pyprof_is(to, "tensor") || !pyprof_is(mask, "tensor") || !pyprof_is(from, "tensor") ||
	    !has_type(mask, "uint8") || !pyprof_same(to, from, "dtype") ||
	    !pyprof_same(to, mask, "shape") || !pyprof_tensor(call, to, &x))
		return false;
	pyprof_param_tensor(call, to);
	pyprof_work(call, 0, call->sub ? 0 : 2 * x.bytes + x.count);
	return true;
}

bool pyprof_nonzero(struct pyprof_call *call)
{
	struct pyprof_operand x;
	if (!pyprof_tensor(call, pyprof_arg(call, 0), &x))
		return false;
	pyprof_param_tensor(call, pyprof_arg(call, 0));
	pyprof_work(call, 0, call->sub ? 0 : x.bytes + x.count * (wide)x.dims * 8);
	return true;
}

bool pyprof_index_select(struct pyprof_call *call)
{
	const struct literal *input = pyprof_named(call, 0, "input");
	const struct literal *along = pyprof_named(call, 1, "dim");
	const struct literal *index = pyprof_named(call, 2, "index");
	struct pyprof_operand x, i, out;
	int64_t dim;
	if (pyprof_args_but_out(call) != 3 || !pyprof_is(input, "tensor") ||
	    !pyprof_is(index, "tensor") || !pyprof_is(along, "int") || !has_type(index, "int64") ||
	    !literal_int(literal_get(along, "value"), &dim) || !pyprof_tensor(call, input, &x) ||
	    !pyprof_tensor(call, index, &i) || i.dims != 1 || dim >= (int64_t)x.dims ||
	    dim < -(int64_t)x.dims)
		return false;
	out = x;
	out.dim[dim < 0 ? dim + (int64_t)x.dims : dim] = i.dim[0];
	if (!pyprof_broadcast(call, &out, 1, &out))
		return false;
	pyprof_param_literal(call, "T", literal_get(input, "shape"));
	pyprof_param(call, "D", dim);
	pyprof_param(call, "I", i.dim[0]);
	pyprof_param_type(call, x.type);
	pyprof_work(call, 0, 2 * out.bytes + i.bytes);
	return true;
}

bool pyprof_masked_select(struct pyprof_call *call)
{
	const struct literal *input = pyprof_named(call, 0, "input");
	const struct literal *mask = pyprof_named(call, 1, "mask");
	struct pyprof_operand x, m;
	if (pyprof_args_but_out(call) != 2 || !has_type(mask, "uint8") ||
	    !pyprof_tensor(call, input, &x) || !pyprof_tensor(call, mask, &m))
		return false;
	pyprof_param_literal(call, "T", literal_get(input, "shape"));
	pyprof_param_literal(call, "M", literal_get(mask, "shape"));
	pyprof_param_type(call, x.type);
	pyprof_work(call, 0, 2 * x.bytes + m.count);
	return true;
}

bool pyprof_mse(struct pyprof_call *call)
{
	const struct literal *input = pyprof_named(call, 0, "input");
	const struct literal *target = pyprof_named(call, 1, "target");
	const struct literal *reduction = pyprof_named(call, 2, "reduction");
	const struct literal *how = literal_get(reduction, "value");
	struct pyprof_operand x;
	if (!pyprof_is(input, "tensor") || !pyprof_is(target, "tensor") ||
	    !pyprof_same(input, target, "shape") || !pyprof_same(input, target, "dtype") ||
	    !pyprof_is(reduction, "str") || !how || how->kind != LITERAL_TEXT ||
	    !text_is_listed("none mean sum", how->text) || !pyprof_tensor(call, input, &x))
		return false;
	wide moved = x.count * ((call->forward ? 2 : 3) + (strcmp(how->text, "none") == 0));
	pyprof_param_tensor(call, input);
	pyprof_param_literal(call, "red", how);
	pyprof_work(call, 2 * moved + 1, moved * x.size);
	return true;
}

/* Apex's fused Adam: arguments start with weight, half weight, two moments and the gradient. */
bool pyprof_adam(struct pyprof_call *call)
{
	enum { WEIGHT, HALF, MOMENT, VARIANCE, GRADIENT };
	const struct literal *weight = pyprof_arg(call, WEIGHT), *half = pyprof_arg(call, HALF);
	const struct literal *gradient = pyprof_arg(call, GRADIENT);
	const struct literal *half_shape = literal_get(half, "shape");
	struct pyprof_operand w, g;
	if ((pyprof_args(call) != 12 && pyprof_args(call) != 14) ||
	    !literal_is_sequence(half_shape))
		return false;
	int64_t empty = -1;
	bool no_half = half_shape->count == 1 && literal_int(literal_item(half_shape, 0), &empty) &&
		       empty == 0;
	if (!no_half && !pyprof_same(weight, half, "shape"))
		return false;
	static const size_t alike[] = { MOMENT, VARIANCE, GRADIENT };
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
		if (!pyprof_same(weight, pyprof_arg(call, alike[i]), "shape"))
			return false;
	if (!has_type(weight, "float32") || !has_type(pyprof_arg(call, MOMENT), "float32") ||
	    !has_type(pyprof_arg(call, VARIANCE), "float32") || !pyprof_tensor(call, weight, &w) ||
	    !pyprof_tensor(call, gradient, &g))
		return false;
	pyprof_param_literal(call, "T", literal_get(weight, "shape"));
	pyprof_param_type(call, w.type);
	pyprof_param_type(call, g.type);
	bool mixed = !has_type(gradient, "float32");
	pyprof_work(call, 0, call->sub ? 0 : 24 * w.count + w.count * g.size * (mixed ? 2 : 1));
	return true;
}

bool pyprof_randperm(struct pyprof_call *call)
{
	int64_t count;
	if (!pyprof_is(pyprof_arg(call, 0), "int") ||
	    !literal_int(literal_get(pyprof_arg(call, 0), "value"), &count))
		return false;
	pyprof_param(call, "N", count);
	pyprof_work(call, 3 * (wide)count, 8 * (wide)count);
	return true;
}

static bool fill(struct pyprof_call *call, const struct pyprof_operand *x)
{
	pyprof_param_operand(call, x);
	pyprof_work(call, 0, x->bytes);
	return true;
}

static bool is_list(const struct literal *argument)
{
	return pyprof_is(argument, "list") || pyprof_is(argument, "tuple");
}

/* ones and zeros: sizes as list or arguments; always counted as float32. */
bool pyprof_filled(struct pyprof_call *call)
{
	const struct literal *first = pyprof_arg(call, 0);
	struct literal sizes[PYPROF_DIMS_MAX];
	struct literal shape = { .kind = LITERAL_LIST, .items = sizes };
	struct pyprof_operand x;
	if (is_list(first))
		return pyprof_args(call) == 1 &&
		       pyprof_shape(call, literal_get(first, "value"), "float", &x) &&
		       fill(call, &x);
	for (size_t i = 0; i < pyprof_positionals(call); i++) {
		const struct literal *argument = pyprof_positional(call, i);
		const struct literal *value = literal_get(argument, "value");
		if (!pyprof_is(argument, "int"))
			continue;
		if (!value || shape.count == PYPROF_DIMS_MAX)
			return false;
		sizes[shape.count++] = *value;
	}
	return pyprof_is(first, "int") && pyprof_shape(call, &shape, "float", &x) && fill(call, &x);
}

bool pyprof_full(struct pyprof_call *call)
{
	const struct literal *value = pyprof_arg(call, 1), *type = literal_get(value, "type");
	struct pyprof_operand x;
	return is_list(pyprof_arg(call, 0)) &&
	       (pyprof_is(value, "int") || pyprof_is(value, "float")) &&
	       literal_get(pyprof_arg(call, 0), "value") &&
	       pyprof_shape(call, literal_get(pyprof_arg(call, 0), "value"), type->text, &x) &&
	       fill(call, &x);
}

bool pyprof_copy(struct pyprof_call *call)
{
	const struct literal *to = pyprof_arg(call, 0), *from = pyprof_arg(call, 1);
	struct pyprof_operand x, y;
	if (!pyprof_same(to, from, "type") || !pyprof_same(to, from, "shape") ||
	    !pyprof_tensor(call, to, &x) || !pyprof_tensor(call, from, &y))
		return false;
	pyprof_param_literal(call, "T", literal_get(from, "shape"));
	pyprof_param_type(call, y.type);
	pyprof_param_type(call, x.type);
	pyprof_work(call, 0, x.bytes + y.bytes);
	return true;
}

bool pyprof_any(struct pyprof_call *call)
{
	const struct literal *argument = pyprof_arg(call, 0);
	struct pyprof_operand x;
	if (pyprof_is(argument, "bool")) {
		buffer_puts(&call->params, "T=(1,),bool,");
		pyprof_work(call, 0, 1);
		return true;
	}
	if (!pyprof_is(argument, "tensor") || !pyprof_tensor(call, argument, &x))
		return false;
	pyprof_param_tensor(call, argument);
	pyprof_work(call, 0, x.bytes);
	return true;
}

/* Any other operator: lists the tensors. */
bool pyprof_foo(struct pyprof_call *call)
{
	static const char *const keys[] = { "shape", "dtype" };
	for (size_t part = 0; part < 2; part++) {
		size_t shown = 0;
		buffer_puts(&call->params, part ? "[" : "T=[");
		for (size_t i = 0; i < pyprof_args(call); i++) {
			const struct literal *argument = pyprof_arg(call, i);
			if (!pyprof_is(argument, "tensor"))
				continue;
			if (!literal_get(argument, keys[part]))
				return false;
			buffer_puts(&call->params, shown++ ? "," : "");
			literal_repr(&call->params, literal_get(argument, keys[part]));
		}
		buffer_puts(&call->params, part ? "]" : "],");
	}
	return true;
}

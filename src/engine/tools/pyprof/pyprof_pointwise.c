/*
 * PyProf's class of elementwise operators with one to four operands.
 */
#include "base/any_of.h"
#include "tools/pyprof/pyprof_call.h"

enum { OPERANDS_MAX = 4 };

enum pyprof_pointwise_group { UNARY, COSTLY, BINARY, COMPARISON, POWER, TERNARY, UNKNOWN, GROUPS };

static const struct {
	enum pyprof_pointwise_group group;
	const char *ops;
} groups[] = { PYPROF_POINTWISE_ROWS };

static enum pyprof_pointwise_group pyprof_pointwise_group_of(const char *op)
{
	return looked_up(at, groups, text_is_listed(at->ops, op), at->group, GROUPS);
}

bool pyprof_is_pointwise(const char *op)
{
	return pyprof_pointwise_group_of(op) != GROUPS;
}

/* The positional arguments, all of which must be tensors or numbers. */
static bool read_operands(struct pyprof_call *call, struct pyprof_operand *in, size_t *count)
{
	*count = pyprof_positionals(call);
	if (*count > OPERANDS_MAX)
		return false;
	for (size_t i = 0; i < *count; i++) {
		const struct literal *argument = pyprof_positional(call, i);
		if ((!pyprof_is(argument, "tensor") && !pyprof_is(argument, "int") &&
		     !pyprof_is(argument, "float")) ||
		    !pyprof_operand(call, argument, &in[i]))
			return false;
		pyprof_param_operand(call, &in[i]);
	}
	return true;
}

static wide sum_bytes(const struct pyprof_operand *in, size_t count)
{
	wide bytes = 0;
	for (size_t i = 0; i < count; i++)
		bytes += in[i].bytes;
	return bytes;
}

static bool binary_backward(struct pyprof_call *call, const struct pyprof_operand *out)
{
	if (text_is_listed("add __add__ sub __sub__ __isub__", call->op))
		pyprof_work(call, 0, 2 * out->bytes);
	else if (text_is_listed("__mul__ __imul__ __rmul__ div __truediv__", call->op))
		pyprof_work(call, out->count, 3 * out->bytes);
	else
		return false;
	return true;
}

static bool binary(struct pyprof_call *call, enum pyprof_pointwise_group group,
		   const struct pyprof_operand *in)
{
	struct pyprof_operand out;
	if (!pyprof_broadcast(call, in, 2, &out))
		return false;
	if (!call->forward && group != POWER)
		return binary_backward(call, &out);
	pyprof_work(call, out.count * (group == POWER ? 20 : 1),
		    sum_bytes(in, 2) + (group == COMPARISON ? out.count : out.bytes));
	return true;
}

/* Numbers among the operands are ignored. */
static bool ternary(struct pyprof_call *call, struct pyprof_operand *in, size_t count)
{
	struct pyprof_operand out;
	size_t tensors = 0;
	for (size_t i = 0; i < count; i++)
		if (in[i].dims)
			in[tensors++] = in[i];
	if (tensors != 3 || !pyprof_broadcast(call, in, 3, &out))
		return false;
	pyprof_work(call, out.count * 3, sum_bytes(in, 3) + out.bytes);
	return true;
}

bool pyprof_pointwise(struct pyprof_call *call)
{
	struct pyprof_operand in[OPERANDS_MAX];
	size_t count;
	if (!read_operands(call, in, &count))
		return false;
	enum pyprof_pointwise_group group = pyprof_pointwise_group_of(call->op);
	switch (group) {
	case UNARY:
	case COSTLY:
		if (!count || (group == COSTLY && count != 1))
			return false;
		pyprof_work(call, in[0].count * (group == COSTLY ? 20 : 1), 2 * in[0].bytes);
		return true;
	case BINARY:
	case COMPARISON:
	case POWER: return count == 2 && binary(call, group, in);
	case TERNARY: return ternary(call, in, count);
	default: return false;
	}
}

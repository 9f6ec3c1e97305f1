/*
 * PyProf's classes whose work is proportional to the elements of one tensor.
 */
#include "base/any_of.h"
#include "tools/pyprof/pyprof_call.h"

enum { ANY_COUNT = 99 };

enum pick {
	PICK_FIRST,      /* first argument */
	PICK_POSITIONAL, /* first positional argument */
	PICK_INPUT,      /* first if positional, otherwise the one named "input" */
};

static const struct pyprof_elementwise_row {
	const char *ops, *mods; /* mods NULL: any */
	enum pick pick;
	bool tensor;               /* must not be a scalar */
	bool by_operand;           /* params as "[2,3]fp32" instead of "T=(2,3),fp32," */
	uint8_t least, max;        /* number of arguments; positional ones for PICK_POSITIONAL */
	uint8_t flops, one_more;   /* per element, and added once */
	bool flops_once;           /* only for the call's first kernel */
	uint8_t forward, backward; /* bytes moved as a multiple of the tensor's */
	bool scalar_more;          /* plus one element */
	bool bytes_once;
} rows[] = { PYPROF_ELEMENTWISE_ROWS };

static const struct pyprof_elementwise_row *find_row(const char *op)
{
	return first_of(at, rows, sizeof rows / sizeof *rows, text_is_listed(at->ops, op));
}

bool pyprof_is_elementwise(const char *op)
{
	return find_row(op) != NULL;
}

static const struct literal *pick_input(const struct pyprof_call *call,
					const struct pyprof_elementwise_row *row)
{
	switch (row->pick) {
	case PICK_FIRST: return pyprof_arg(call, 0);
	case PICK_POSITIONAL: return pyprof_positional(call, 0);
	default: return pyprof_named(call, 0, "input");
	}
}

bool pyprof_elementwise(struct pyprof_call *call)
{
	const struct pyprof_elementwise_row *row = find_row(call->op);
	struct pyprof_operand x;
	if (!row || (row->mods && !pyprof_from(call, row->mods)))
		return false;
	size_t count = row->pick == PICK_POSITIONAL ? pyprof_positionals(call)
		       : row->pick == PICK_INPUT    ? pyprof_args_but_out(call)
						    : pyprof_args(call);
	const struct literal *input = pick_input(call, row);
	if (count < row->least || count > row->max ||
	    !(row->tensor ? pyprof_tensor : pyprof_operand)(call, input, &x))
		return false;
	bool first = call->sub == 0;
	wide flops = x.count * row->flops + row->one_more;
	wide bytes = x.bytes * (call->forward ? row->forward : row->backward) +
		     (row->scalar_more ? x.size : 0);
	pyprof_work(call, row->flops_once && !first ? 0 : flops,
		    row->bytes_once && !first ? 0 : bytes);
	if (row->by_operand)
		pyprof_param_operand(call, &x);
	else
		pyprof_param_tensor(call, input);
	return true;
}

/*
 * PyProf's classes whose work is proportional to the elements of one tensor.
 */
#include "tools/pyprof/pyprof_call.h"

enum { ANY_COUNT = 99 };

#define FUNCTIONAL "torch.nn.functional"

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
} rows[] = {
	{ "sum", "torch Tensor", PICK_INPUT, true, false, 1, ANY_COUNT, 1, 0, false, 1, 1, false,
	  true },
	{ "mean", "torch Tensor", PICK_POSITIONAL, false, true, 1, 2, 1, 1, true, 1, 1, true,
	  true },
	{ "norm", "torch Tensor", PICK_FIRST, true, false, 1, ANY_COUNT, 2, 1, true, 1, 1, false,
	  true },
	{ "dropout", FUNCTIONAL, PICK_FIRST, false, true, 1, ANY_COUNT, 5, 0, false, 2, 2, false,
	  false },
	{ "reshape", "Tensor", PICK_FIRST, true, false, 1, ANY_COUNT, 0, 0, false, 0, 0, false,
	  false },
	{ "gather", "torch Tensor", PICK_INPUT, true, false, 3, 3, 0, 0, false, 2, 2, false,
	  false },
	{ "softmax", FUNCTIONAL, PICK_POSITIONAL, false, true, 1, 2, 40, 0, false, 3, 5, false,
	  false },
	{ "log_softmax", "torch Tensor " FUNCTIONAL, PICK_POSITIONAL, false, true, 1, 2, 21, 0,
	  false, 3, 5, false, false },
	{ "batch_norm", NULL, PICK_FIRST, true, true, 1, ANY_COUNT, 8, 0, false, 4, 5, false,
	  true },
	{ "ones_like zeros_like zero_", "torch Tensor", PICK_FIRST, true, true, 1, 1, 0, 0, false,
	  1, 1, false, false },
	{ "fill_", "Tensor", PICK_FIRST, false, true, 2, 2, 0, 0, false, 1, 1, false, false },
	{ "clone contiguous", "Tensor", PICK_FIRST, true, false, 1, 1, 0, 0, false, 2, 2, false,
	  false },
	{ "celu elu elu_ hardshrink hardtanh hardtanh_ leaky_relu leaky_relu_ logsigmoid prelu relu "
	  "relu_ relu6 rrelu rrelu_ selu softplus softshrink softsign tanhshrink threshold "
	  "threshold_",
	  "torch Tensor " FUNCTIONAL, PICK_POSITIONAL, true, true, 1, ANY_COUNT, 1, 0, false, 2, 3,
	  false, false }
};

static const struct pyprof_elementwise_row *find_row(const char *op)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (text_is_listed(rows[i].ops, op))
			return &rows[i];
	return NULL;
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

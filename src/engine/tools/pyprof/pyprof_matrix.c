/*
 * PyProf's classes of matrix multiplications.
 */
#include "tools/pyprof/pyprof_call.h"

#include <stdlib.h>

/* Two operands of equal type with DIMS dimensions each. */
static bool read_pair(struct pyprof_call *call, const struct literal *a, const struct literal *b,
		      size_t dims, struct pyprof_operand *x, struct pyprof_operand *y)
{
	return pyprof_tensor(call, a, x) && pyprof_tensor(call, b, y) && x->dims == dims &&
	       y->dims == dims && pyprof_same(a, b, "dtype");
}

static wide product3(struct pyprof_call *call, wide a, wide b, wide c)
{
	return pyprof_times(call, pyprof_times(call, a, b), c);
}

/* Total elements of the three matrices of a product. */
static wide elements(struct pyprof_call *call, wide m, wide n, wide k)
{
	return pyprof_times(call, m, n) + pyprof_times(call, m, k) + pyprof_times(call, n, k);
}

/* A row-major product as seen by a column-major library: M and N swapped. */
static bool gemm(struct pyprof_call *call, const struct pyprof_operand *a,
		 const struct pyprof_operand *b)
{
	size_t last = a->dims - 1;
	wide m = a->dim[last - 1], k = a->dim[last], n = b->dim[last];
	wide batch = last == 2 ? a->dim[0] : 1;
	if (k != b->dim[last - 1] || (last == 2 && a->dim[0] != b->dim[0]))
		return false;
	if (last == 2)
		pyprof_param(call, "B", batch);
	pyprof_param(call, "M", n);
	pyprof_param(call, "N", m);
	pyprof_param(call, "K", k);
	pyprof_param_type(call, a->type);
	call->tensor = pyprof_tensor_core(call->kernel);
	pyprof_work(call, 2 * pyprof_times(call, batch, product3(call, m, n, k)),
		    product3(call, a->size, batch, elements(call, m, n, k)));
	return true;
}

bool pyprof_mm(struct pyprof_call *call)
{
	struct pyprof_operand a, b;
	return read_pair(call, pyprof_arg(call, 0), pyprof_arg(call, 1), 2, &a, &b) &&
	       gemm(call, &a, &b);
}

bool pyprof_bmm(struct pyprof_call *call)
{
	struct pyprof_operand a, b;
	return pyprof_positionals(call) == 2 &&
	       read_pair(call, pyprof_positional(call, 0), pyprof_positional(call, 1), 3, &a, &b) &&
	       gemm(call, &a, &b);
}

bool pyprof_addmm(struct pyprof_call *call)
{
	struct pyprof_operand a, b, c;
	const struct literal *added = pyprof_positional(call, 0);
	const struct literal *left = pyprof_positional(call, 1);
	return pyprof_positionals(call) == 3 &&
	       read_pair(call, left, pyprof_positional(call, 2), 2, &a, &b) &&
	       pyprof_tensor(call, added, &c) && pyprof_same(added, left, "dtype") &&
	       gemm(call, &a, &b);
}

/* ---- matmul ---- */

/* A vector becomes a row on the left, a column on the right. */
static bool as_matrices(struct pyprof_operand *a, struct pyprof_operand *b)
{
	if (!a->dims || !b->dims)
		return false;
	if (a->dims == 1) {
		a->dim[1] = a->dim[0];
		a->dim[0] = 1;
		a->dims = 2;
	}
	if (b->dims == 1) {
		b->dim[1] = 1;
		b->dims = 2;
	}
	return a->dim[a->dims - 1] == b->dim[b->dims - 2];
}

static bool batch_of(struct pyprof_call *call, const struct pyprof_operand *a,
		     const struct pyprof_operand *b, wide *batch)
{
	struct pyprof_operand sides[2] = { *a, *b }, out;
	sides[0].dims -= 2;
	sides[1].dims -= 2;
	if (!pyprof_broadcast(call, sides, 2, &out))
		return false;
	*batch = out.count;
	return true;
}

bool pyprof_matmul(struct pyprof_call *call)
{
	static const char helpers[] =
		"kernelPointwiseApply2 reduce_1Block_kernel elementwise_kernel";
	const struct literal *left = pyprof_arg(call, 0), *right = pyprof_arg(call, 1);
	struct pyprof_operand a, b;
	wide batch;
	bool known = pyprof_from(call, strcmp(call->op, "matmul") == 0 ? "torch" : "Tensor");
	if (!known ||
	    !(pyprof_contains(call->kernel, helpers) ||
	      pyprof_contains(call->kernel, "dot_kernel gemm gemv")) ||
	    !pyprof_tensor(call, left, &a) || !pyprof_tensor(call, right, &b) ||
	    !pyprof_same(left, right, "dtype") || !as_matrices(&a, &b) ||
	    !batch_of(call, &a, &b, &batch))
		return false;
	wide m = a.dim[a.dims - 2], k = a.dim[a.dims - 1], n = b.dim[b.dims - 1];
	bool helper = text_is_listed(helpers, call->kernel);
	pyprof_param_literal(call, "A", literal_get(left, "shape"));
	pyprof_param_literal(call, "B", literal_get(right, "shape"));
	pyprof_param_type(call, a.type);
	if (!helper && strcmp(call->kernel, "dot_kernel") != 0)
		call->tensor = pyprof_tensor_core(call->kernel);
	/* PyProf ignores the batch size in bytes */
	pyprof_work(call, helper ? 0 : 2 * pyprof_times(call, batch, product3(call, m, n, k)),
		    helper ? 2 * a.bytes : pyprof_times(call, a.size, elements(call, m, n, k)));
	return true;
}

/* ---- linear ---- */

struct linear {
	const struct literal *x, *w, *type;
	wide m, n, k; /* output features, rows, input features */
	int64_t size;
	struct buffer rows; /* N as printed: a number, or the tuple of leading dimensions */
};

static bool read_linear(struct pyprof_call *call, struct linear *linear)
{
	struct pyprof_operand x, w, bias;
	linear->x = pyprof_arg(call, 0);
	linear->w = pyprof_arg(call, 1);
	if (!pyprof_tensor(call, linear->x, &x) || !pyprof_tensor(call, linear->w, &w) ||
	    w.dims != 2 || !x.dims || x.dim[x.dims - 1] != w.dim[1] ||
	    !pyprof_same(linear->x, linear->w, "dtype"))
		return false;
	if (pyprof_args(call) == 3 && !pyprof_is(pyprof_arg(call, 2), "NoneType") &&
	    !(pyprof_is(pyprof_arg(call, 2), "tensor") &&
	      pyprof_tensor(call, pyprof_arg(call, 2), &bias) && bias.dims == 1 &&
	      bias.dim[0] == w.dim[0]))
		return false;
	linear->type = literal_get(linear->x, "dtype");
	linear->m = w.dim[0];
	linear->k = w.dim[1];
	linear->n = 1;
	linear->size = x.size;
	for (size_t i = 0; i + 1 < x.dims; i++) {
		linear->n = pyprof_times(call, linear->n, x.dim[i]);
		buffer_printf(&linear->rows, "%s%lld",
			      i            ? ","
			      : x.dims > 2 ? "("
					   : "",
			      (long long)x.dim[i]);
	}
	buffer_puts(&linear->rows, x.dims == 1 ? "()" : x.dims > 2 ? ")" : "");
	return true;
}

static void put_rows(struct pyprof_call *call, const char *key, const struct linear *linear)
{
	buffer_printf(&call->params, "%s=%s,", key, buffer_text(&linear->rows));
}

static void linear_params(struct pyprof_call *call, const struct linear *linear)
{
	if (!call->forward && call->sub > 1) {
		pyprof_param_literal(call, "X", literal_get(linear->x, "shape"));
		pyprof_param_literal(call, "W", literal_get(linear->w, "shape"));
	} else if (!call->forward && call->sub == 1) {
		pyprof_param(call, "M", linear->k);
		pyprof_param(call, "N", linear->m);
		put_rows(call, "K", linear);
	} else {
		pyprof_param(call, "M", call->forward ? linear->m : linear->k);
		put_rows(call, "N", linear);
		pyprof_param(call, "K", call->forward ? linear->k : linear->m);
	}
	pyprof_param_type(call, linear->type->text);
}

static bool linear_kernel(struct pyprof_call *call, const struct linear *linear)
{
	wide m = linear->m, n = linear->n, k = linear->k;
	if (pyprof_contains(call->kernel, "gemm gemv dot_kernel splitKreduce_kernel "
					  "reduce_1Block_kernel cutlass")) {
		bool counted = call->forward || call->sub == 0 || call->sub == 1;
		linear_params(call, linear);
		call->shown_op = "linear";
		call->tensor = pyprof_tensor_core(call->kernel);
		/* as in PyProf, only the last term is multiplied by the element size */
		pyprof_work(call, counted ? 2 * product3(call, m, n, k) : 0,
			    counted ? pyprof_times(call, m, n) + pyprof_times(call, m, k) +
					      product3(call, n, k, linear->size)
				    : 0);
		return true;
	}
	if (!pyprof_contains(call->kernel, "kernelReduceContigDim kernelReduceNoncontigDim_shared "
					   "elementwise_kernel reduce_kernel kernelPointwiseApply2 "
					   "2d_grouped_direct_kernel"))
		return false;
	call->shown_op = "bias";
	pyprof_param(call, "M", m);
	put_rows(call, "N", linear);
	pyprof_param_type(call, linear->type->text);
	pyprof_work(call, pyprof_times(call, m, n), 2 * product3(call, m, n, linear->size));
	return true;
}

bool pyprof_linear(struct pyprof_call *call)
{
	struct linear linear = { 0 };
	bool done = read_linear(call, &linear) && linear_kernel(call, &linear);
	buffer_free(&linear.rows);
	return done;
}

/* ---- recurrent cells ---- */

struct pyprof_matrix_cell {
	wide input, hidden, batch, gates; /* gates: number of stacked matrices, 4 or 3 */
	int64_t size;
	const char *type;
};

struct product {
	const char *role;
	wide m, n, k;
};

/* Tile size in a kernel name ("128x64"), the only part with an x. */
static bool read_tile(const char *kernel, long tile[2])
{
	int found = 0;
	for (const char *part = kernel; *part; part += strcspn(part, "_"), part += *part == '_') {
		size_t length = strcspn(part, "_");
		char *end;
		if (!memchr(part, 'x', length) || memmem(part, length, "slice", 5))
			continue;
		tile[0] = strtol(part, &end, 10);
		if (end == part || *end != 'x' || found++)
			return false;
		const char *second = end + 1;
		tile[1] = strtol(second, &end, 10);
		if (end == second || end != part + length)
			return false;
	}
	return found == 1;
}

/* Infers from the tile size which gradient a kernel computes; role NULL: unknown. */
static bool backward_product(struct pyprof_call *call, const struct pyprof_matrix_cell *cell,
			     struct product *out)
{
	long tile[2];
	wide all = cell->gates * cell->hidden;
	out->role = NULL;
	if (!strstr(call->kernel, "gemm") || !pyprof_contains(call->kernel, "sgemm 884gemm hgemm"))
		return true;
	if (!read_tile(call->kernel, tile))
		return false;
	wide m = (wide)tile[0] * call->grid[0], n = (wide)tile[1] * call->grid[1];
	bool recurrent = m == cell->hidden, layer = !recurrent && m == cell->input;
	if (!recurrent && !layer)
		return true;
	const char *role = recurrent ? "recur" : "layer";
	if (text_ends_with(call->kernel, "_nn"))
		*out = (struct product){ role, m, recurrent ? cell->batch : n, all };
	else if (text_ends_with(call->kernel, "_nt") && n != all)
		return false;
	else if (text_ends_with(call->kernel, "_nt"))
		*out = (struct product){ role, m, n, cell->batch };
	return true;
}

static struct product forward_product(const struct pyprof_call *call,
				      const struct pyprof_matrix_cell *cell)
{
	wide all = cell->gates * cell->hidden;
	switch (call->sub % 3) {
	case 0: return (struct product){ "layer", all, cell->batch, cell->input };
	case 1: return (struct product){ "recur", all, cell->batch, cell->hidden };
	default: return (struct product){ NULL, 0, 0, 0 };
	}
}

static bool read_cell(struct pyprof_call *call, struct pyprof_matrix_cell *cell)
{
	const struct literal *input = pyprof_arg(call, 0), *hidden = pyprof_arg(call, 1);
	struct pyprof_operand x, h;
	if (!read_pair(call, input, hidden, 2, &x, &h) || x.dim[0] != h.dim[0])
		return false;
	*cell = (struct pyprof_matrix_cell){ x.dim[1], h.dim[1],
					     x.dim[0], strcmp(call->mod, "LSTMCell") == 0 ? 4 : 3,
					     x.size,   x.type };
	return true;
}

bool pyprof_rnn_cell(struct pyprof_call *call)
{
	struct pyprof_matrix_cell cell;
	struct product gemm_of;
	if (!read_cell(call, &cell))
		return false;
	if (call->forward)
		gemm_of = forward_product(call, &cell);
	else if (!backward_product(call, &cell, &gemm_of))
		return false;
	if (strstr(call->kernel, "gemm"))
		call->tensor = pyprof_tensor_core(call->kernel);
	if (gemm_of.role) {
		buffer_printf(&call->params, "gemm=%s,", gemm_of.role);
		pyprof_param(call, "M", gemm_of.m);
		pyprof_param(call, "N", gemm_of.n);
		pyprof_param(call, "K", gemm_of.k);
		pyprof_work(call, 2 * product3(call, gemm_of.m, gemm_of.n, gemm_of.k),
			    pyprof_times(call, elements(call, gemm_of.m, gemm_of.n, gemm_of.k),
					 cell.size));
	} else {
		wide pointwise = call->forward ? (2 * cell.gates + 3) *
							 pyprof_times(call, cell.hidden, cell.batch)
					       : 0;
		buffer_printf(&call->params, "cell=%s,", call->mod);
		pyprof_param(call, "X", cell.input);
		pyprof_param(call, "H", cell.hidden);
		pyprof_param(call, "B", cell.batch);
		pyprof_work(call, 0, pyprof_times(call, pointwise, cell.size));
	}
	pyprof_param_type(call, cell.type);
	return true;
}

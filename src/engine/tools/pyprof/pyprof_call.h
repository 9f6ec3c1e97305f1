/*
 * A kernel and its call according to PyProf's argument marker: input and result of PyProf's
 * operator classes (pyprof_*.c).
 *
 * A class returns false where PyProf's own would have terminated.
 */
#pragma once

#include "base/buffer.h"
#include "base/literal.h"
#include "base/text.h"

typedef __int128 wide; /* Python integers are unbounded; this covers anything a device can do */

struct pyprof_number {
	bool is_real; /* was divided: Python prints a float */
	double real;
	wide integer;
};

struct pyprof_call {
	const struct literal *args; /* list of dicts */
	const char *mod, *op;       /* from the marker */
	const char *kernel;         /* short name */
	bool forward;
	int64_t sub; /* index of the kernel within the call, from 0 */
	int32_t grid[2];

	/* results */
	const char *shown_op;
	struct buffer params;
	const char *tensor; /* "1", "0", "-", "na" */
	struct pyprof_number flops, bytes;
	bool overflow; /* a number exceeded the limit */
};

enum { PYPROF_DIMS_MAX = 32 };

/* A tensor, or a scalar, which has no dimensions. */
struct pyprof_operand {
	int64_t dim[PYPROF_DIMS_MAX];
	size_t dims;
	const char *type;
	int64_t size; /* bytes per element */
	wide count, bytes;
};

/* ---- arguments ---- */

size_t pyprof_args(const struct pyprof_call *call);
const struct literal *pyprof_arg(const struct pyprof_call *call, size_t at);
/* Number of positional (unnamed) arguments. */
size_t pyprof_positionals(const struct pyprof_call *call);
const struct literal *pyprof_positional(const struct pyprof_call *call, size_t at);
/* Argument AT if unnamed, otherwise the one with this NAME, ignoring "out"; NULL. */
const struct literal *pyprof_named(const struct pyprof_call *call, size_t at, const char *name);
size_t pyprof_args_but_out(const struct pyprof_call *call);

bool pyprof_is(const struct literal *argument, const char *type); /* compares its "type" */
/* True if both have equal texts under KEY. */
bool pyprof_same(const struct literal *a, const struct literal *b, const char *key);
bool pyprof_from(const struct pyprof_call *call,
		 const char *mods); /* one of these, blank-separated */

/* False for a type of unknown size or an invalid shape. */
bool pyprof_operand(struct pyprof_call *call, const struct literal *argument,
		    struct pyprof_operand *operand);
bool pyprof_tensor(struct pyprof_call *call, const struct literal *argument,
		   struct pyprof_operand *operand); /* fails for scalars */
bool pyprof_shape(struct pyprof_call *call, const struct literal *shape, const char *type,
		  struct pyprof_operand *operand);
/* The broadcast shape of COUNT operands, with the first one's type. */
bool pyprof_broadcast(struct pyprof_call *call, const struct pyprof_operand *operands, size_t count,
		      struct pyprof_operand *out);

int64_t pyprof_type_size(const char *type); /* 0 if unknown */

/* ---- results ---- */

wide pyprof_times(struct pyprof_call *call, wide a, wide b);
void pyprof_work(struct pyprof_call *call, wide flops, wide bytes);

void pyprof_param(struct pyprof_call *call, const char *key, wide value);
void pyprof_param_literal(struct pyprof_call *call, const char *key, const struct literal *value);
void pyprof_param_type(struct pyprof_call *call, const char *type);
void pyprof_param_tensor(struct pyprof_call *call,
			 const struct literal *tensor); /* T=(2,3),fp32, */
/* "[2,3]fp32", with ";" before all but the first. */
void pyprof_param_operand(struct pyprof_call *call, const struct pyprof_operand *operand);

bool pyprof_contains(const char *text, const char *words); /* one of these, blank-separated */
const char *pyprof_tensor_core(const char *kernel); /* "1" or "0", by PyProf's list of names */

void pyprof_put_wide(struct buffer *out, wide value);

/* ---- classes: false where PyProf would have terminated ---- */

typedef bool pyprof_class(struct pyprof_call *call);
pyprof_class pyprof_linear, pyprof_rnn_cell, pyprof_matmul, pyprof_mm, pyprof_bmm, pyprof_addmm,
	pyprof_conv, pyprof_pointwise, pyprof_convert, pyprof_embedding, pyprof_cat,
	pyprof_masked_scatter, pyprof_nonzero, pyprof_index_select, pyprof_masked_select,
	pyprof_mse, pyprof_adam, pyprof_randperm, pyprof_filled, pyprof_full, pyprof_copy,
	pyprof_any, pyprof_foo, pyprof_elementwise;

bool pyprof_is_pointwise(const char *op);
bool pyprof_is_elementwise(const char *op); /* has a row in the table of pyprof_elementwise.c */

/*
 * Compute the results of CALL (params initially empty) with the class of operator OP of module MOD.
 * Where PyProf would have terminated, list the tensors, as for an operator without a class.
 */
void pyprof_compute(struct pyprof_call *call, const char *mod, const char *op);

/*
 * Matrix products: two FLOPs per multiplication and addition, eight of complex numbers, as
 * torch.utils.flop_counter and PyProf count them. The additions of a bias or of C are left out, as
 * they are there; its bytes are not.
 */
#include "analysis/work/work_private.h"

#include <math.h>

/* BATCH products [m, k] × [k, n] of A and B into elements of SIZE bytes. */
static bool product(struct work *work, const double shape[4], const struct operand *a,
		    const struct operand *b, double size)
{
	double results = shape[0] * shape[1] * shape[2];
	work->flops = 2 * results * shape[3] * a->packed * (a->class == TYPE_COMPLEX ? 4 : 1);
	work->bytes = work_bytes(a) + work_bytes(b) + results * size;
	return true;
}

/* C of addmm(C, A, B, beta, alpha) is not read if beta is 0. */
static double bytes_of_c(const struct arguments *arguments, int first)
{
	double beta;
	bool read = !work_concrete_int(arguments, (size_t)first + 2, 0, &beta) || beta != 0;
	return first && read ? work_bytes(work_operand(arguments, first - 1)) : 0;
}

/* [m, k] × [k, n], optionally batched: mm, addmm, bmm, baddbmm. */
MODEL_COUNTER(work_product)
{
	const struct operand *a = work_operand(arguments, model->first);
	const struct operand *b = work_operand(arguments, model->first + 1);
	if (!a || !b || a->dims < 2 || a->dims > 3 || b->dims != a->dims)
		return false;
	size_t last = a->dims - 1;
	if (a->dim[last] != b->dim[last - 1] || (last == 2 && a->dim[0] != b->dim[0]))
		return false;
	const double shape[] = { last == 2 ? a->dim[0] : 1, a->dim[last - 1], b->dim[last],
				 a->dim[last] };
	double size = a->size;
	if (strcmp(work_plain_name(arguments->call->name), "_int_mm") == 0)
		size = 4; /* int8 × int8 gives int32 */
	else if (!model->first)
		size = work_dtype_size(arguments, 2, size);
	product(work, shape, a, b, size);
	work->bytes += bytes_of_c(arguments, model->first);
	return true;
}

/* The rows of the first matrix are distributed over the matrices of the second. */
MODEL_COUNTER(work_grouped)
{
	const struct operand *a = work_operand(arguments, model->first);
	const struct operand *b = work_operand(arguments, model->first + 1);
	if (!a || !b || a->dims != 2 || b->dims != 3 || a->dim[1] != b->dim[1])
		return false;
	const double shape[] = { 1, a->dim[0], b->dim[2], a->dim[1] };
	product(work, shape, a, b, a->size == 1 ? NAN : a->size);
	return true;
}

/* matmul: vectors, matrices and broadcast batches. */
MODEL_COUNTER(work_matmul)
{
	const struct operand *a = work_operand(arguments, model->first);
	const struct operand *b = work_operand(arguments, model->first + 1);
	if (!a || !b || !a->dims || !b->dims)
		return false;
	double m = a->dims > 1 ? a->dim[a->dims - 2] : 1, k = a->dim[a->dims - 1];
	double n = b->dims > 1 ? b->dim[b->dims - 1] : 1, batch = 1;
	if ((b->dims > 1 ? b->dim[b->dims - 2] : b->dim[0]) != k)
		return false;
	size_t outer_a = a->dims > 2 ? a->dims - 2 : 0, outer_b = b->dims > 2 ? b->dims - 2 : 0;
	for (size_t i = 0; i < outer_a || i < outer_b; i++) {
		double x = i < outer_a ? a->dim[outer_a - 1 - i] : 1;
		double y = i < outer_b ? b->dim[outer_b - 1 - i] : 1;
		if (x != y && x != 1 && y != 1)
			return false;
		batch *= x == 1 ? y : x;
	}
	const double shape[] = { batch, m, n, k };
	product(work, shape, a, b, a->size);
	work->bytes += bytes_of_c(arguments, model->first);
	return true;
}

/* (x [.., k], weight [n, k], bias, …); aiter::gemm_a16w16 has the result's type behind. */
MODEL_COUNTER(work_linear)
{
	const struct operand *x = work_operand(arguments, 0), *w = work_operand(arguments, 1);
	const struct operand *bias = work_operand(arguments, 2);
	if (!x || !w || !x->dims || w->dims != 2 || x->dim[x->dims - 1] != w->dim[1])
		return false;
	double k = w->dim[1];
	const double shape[] = { 1, k ? x->count / k : 0, w->dim[0], k };
	product(work, shape, x, w, work_dtype_size(arguments, 3, x->size));
	work->bytes += work_bytes(bias);
	return true;
}

/* ---- scaled products: scales and bias are read as well ---- */

/*
 * Where the result's type is: _scaled_mm(a, b, scale_a, scale_b, bias, scale_result, out_dtype),
 * before PyTorch 2.5 (a, b, bias, out_dtype, scale_a, …); fp8_scaled_mm(a, b, scales_a, scales_b,
 * out_dtype). Otherwise it is the first operand's.
 */
static double scaled_result(const struct arguments *arguments, double otherwise)
{
	if (strstr(arguments->call->name, "8_scaled_mm"))
		return work_dtype_size(arguments, 4, NAN);
	return work_dtype_size(arguments, work_operand(arguments, 3) ? 6 : 3, otherwise);
}

/* [m, k] × [k, n] */
MODEL_COUNTER(work_scaled)
{
	const struct operand *a = work_operand(arguments, 0), *b = work_operand(arguments, 1);
	if (!a || !b || a->dims != 2 || b->dims != 2 || a->dim[1] != b->dim[0])
		return false;
	const double shape[] = { 1, a->dim[0], b->dim[1], a->dim[1] };
	product(work, shape, a, b, scaled_result(arguments, a->size));
	work->bytes += work_bytes_from(arguments, 2);
	return true;
}

/*
 * Into a tensor among the arguments: _C::cutlass_scaled_mm(out, a, b [k, n], scales…) with FIRST 1,
 * aiter::gemm_a8w8_ck(a, b [n, k], scales, scales, out) with FIRST 0. Every tensor moves once.
 */
MODEL_COUNTER(work_gemm_into)
{
	const struct operand *a = work_operand(arguments, model->first);
	const struct operand *b = work_operand(arguments, model->first + 1);
	const struct operand *out = work_operand(arguments, model->first ? 0 : 4);
	if (!a || !b || a->dims != 2 || b->dims != 2)
		return false;
	bool turned = !model->first; /* b is [n, k] */
	if (a->dim[1] != b->dim[turned])
		return false;
	double n = b->dim[!turned];
	work->flops = 2 * a->dim[0] * n * a->dim[1] * a->packed;
	work->bytes = work_bytes_from(arguments, 0);
	if (!out || out->dims != 2 || out->dim[0] != a->dim[0] || out->dim[1] != n)
		work->bytes = NAN;
	return true;
}

/*
 * Mixture of experts: x [tokens, k], w1 [experts, n or 2 n, k], w2 [experts, k, n], weights
 * [tokens, chosen]: each token passes through its chosen experts. Which experts are read is not
 * recorded, so the bytes are unknown. Packed weights, whose shapes do not match, are unknown
 * altogether.
 */
MODEL_COUNTER(work_moe)
{
	const struct operand *x = work_operand(arguments, 0), *w1 = work_operand(arguments, 1);
	const struct operand *w2 = work_operand(arguments, 2), *chosen = work_operand(arguments, 3);
	if (!x || !w1 || !w2 || !chosen || x->dims != 2 || w1->dims != 3 || w2->dims != 3 ||
	    chosen->dims != 2 || chosen->dim[0] != x->dim[0])
		return false;
	double k = x->dim[1], n = w2->dim[2];
	if (w1->dim[2] != k || w2->dim[1] != k || (w1->dim[1] != n && w1->dim[1] != 2 * n))
		return false;
	work->flops = 2 * chosen->count * (w1->dim[1] * k + k * n);
	work->bytes = NAN;
	return true;
}

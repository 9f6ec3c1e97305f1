/*
 * Normalizations, and fused kernels of inference servers (vLLM, SGLang, AITER) whose arguments say
 * what is read and written.
 */
#include "analysis/work/work_private.h"

/* All tensors are read, and one like the first is written; saved statistics are negligible. */
MODEL_COUNTER(work_norm)
{
	const struct operand *x = work_operand(arguments, model->first);
	if (!x)
		return false;
	work->flops = model->flops * x->count;
	work->bytes = work_bytes(x) + work_bytes_from(arguments, 0);
	return true;
}

/* Indexes of the weight, the bias and the mask of wanted gradients; NONE: not an argument. */
enum { NONE = 0 };

static const struct gradients {
	const char *names;
	uint8_t weight, bias, mask;
} norm_gradients[] = { NORM_GRADIENT_ROWS };

static bool is_wanted(const struct arguments *arguments, const struct gradients *gradients,
		      size_t at, size_t count)
{
	const struct literal *mask = work_concrete(arguments, gradients->mask);
	if (!gradients->mask || !literal_is_sequence(mask))
		return true;
	return at < mask->count && at < count && literal_item(mask, at)->integer;
}

/*
 * (gradient, x, …, output_mask): both and the statistics and weight are read, but not the bias; the
 * wanted gradients of x, weight and bias are written.
 */
MODEL_COUNTER(work_norm_backward)
{
	const char *name = work_plain_name(arguments->call->name);
	const struct operand *g = work_operand(arguments, 0), *x = work_operand(arguments, 1);
	const struct gradients *gradients = work_line_of(norm_gradients, name);
	if (!g || !x || g->count != x->count || !gradients)
		return false;
	const struct operand *weight = work_operand(arguments, gradients->weight);
	bool scales_only = strstr(name, "rms_norm"); /* has no bias */
	work->flops = model->flops * x->count;
	work->bytes = is_wanted(arguments, gradients, 0, 3) ? work_bytes(x) : 0;
	for (size_t i = 0; i < arguments->count; i++) {
		if (i != gradients->bias || !gradients->bias)
			work->bytes += work_bytes(work_operand(arguments, (int)i));
	}
	for (size_t i = 1; i < 3 && weight; i++)
		if (is_wanted(arguments, gradients, i, scales_only ? 2 : 3) &&
		    !(scales_only && i == 2))
			work->bytes += work_bytes(weight);
	return true;
}

/*
 * The model's roles, a letter for each operand: r read, w written, u updated (read and written), n
 * read and a new tensor like it written, - neither. FLOPs are per element of operand FIRST.
 */
MODEL_COUNTER(work_by_roles)
{
	const struct operand *x = work_operand(arguments, model->first);
	if (!x)
		return false;
	work->flops = model->flops * x->count;
	work->bytes = 0;
	for (int i = 0; model->roles[i]; i++) {
		if (model->roles[i] != '-')
			work->bytes += work_bytes(work_operand(arguments, i)) *
				       (strchr("un", model->roles[i]) ? 2 : 1);
	}
	return true;
}

/*
 * Rotary embedding in place (positions, query, key, head_size, table [positions, rotated]): two
 * multiplications and an addition per rotated element, with a row of the table per position.
 */
MODEL_COUNTER(work_rotary)
{
	const struct operand *places = work_operand(arguments, 0), *q = work_operand(arguments, 1);
	const struct operand *k = work_operand(arguments, 2), *table = work_operand(arguments, 4);
	double head;
	if (!places || !q || !table || table->dims != 2 ||
	    !work_concrete_int(arguments, 3, 0, &head) || head < table->dim[1])
		return false;
	double share = table->dim[1] / head, keys = k ? k->count : 0;
	work->flops = model->flops * share * (q->count + keys);
	work->bytes = work_bytes(places) + places->count * table->dim[1] * table->size +
		      2 * share * (q->count + keys) * q->size;
	return true;
}

/* (key, value, key cache, value cache, slots): written in the type of the caches. */
MODEL_COUNTER(work_store_cache)
{
	const struct operand *slots = work_operand(arguments, 4);
	work->flops = 0;
	work->bytes = work_bytes(slots);
	for (int i = 0; i < 2; i++) {
		const struct operand *from = work_operand(arguments, i);
		const struct operand *to = work_operand(arguments, i + 2);
		if (!from || !to)
			return false;
		work->bytes += from->count * (from->size + to->size);
	}
	return true;
}

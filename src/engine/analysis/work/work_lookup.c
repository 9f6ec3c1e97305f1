/*
 * Models of indexing operators: embeddings, gather and scatter, losses by class; also other losses
 * and recurrent cells.
 */
#include "analysis/work/work_private.h"

#include <math.h>

/* table [rows, size], index: one row is read and written per index. */
MODEL_COUNTER(work_embedding)
{
	const struct operand *table = work_operand(arguments, 0),
			     *index = work_operand(arguments, 1);
	if (table && index && table->dims != 2 && index->dims == 2) {
		table = work_operand(arguments, 1); /* argument order of torch.nn.functional */
		index = work_operand(arguments, 0);
	}
	if (!table || !index || table->dims != 2)
		return false;
	double elements = index->count * table->dim[1];
	work->flops = model->flops * elements;
	work->bytes = work_bytes(index) + (model->flops > 0 ? 1 : 2) * elements * table->size;
	return true;
}

/* (gradient, index, rows, …): gradient rows are added to a zeroed table. */
MODEL_COUNTER(work_embedding_backward)
{
	const struct operand *g = work_operand(arguments, 0), *index = work_operand(arguments, 1);
	double rows;
	if (!g || !index || !g->dims)
		return false;
	if (!work_concrete_int(arguments, 2, 0, &rows))
		rows = NAN;
	work->flops = g->count;
	work->bytes = work_bytes(g) + work_bytes(index) + rows * g->dim[g->dims - 1] * g->size;
	return true;
}

/* ---- indexing: (self, dim, index, …) ---- */

/* COUNT elements are moved; an addition also reads the destination. */
static bool work_lookup_move(struct work *work, const struct operand *index, double count,
			     double size, bool adds)
{
	work->flops = adds ? count : 0;
	work->bytes = work_bytes(index) + count * size * (adds ? 3 : 2);
	return true;
}

/* All elements at the indexes of one dimension; the gradient is accumulated. */
MODEL_COUNTER(work_index_select)
{
	const struct operand *x = work_operand(arguments, 0), *index = work_operand(arguments, 2);
	double dim;
	if (!x || !index || !work_concrete_int(arguments, 1, 0, &dim))
		return false;
	dim += dim < 0 ? (double)x->dims : 0;
	if (dim < 0 || dim >= (double)x->dims || !(x->dim[(size_t)dim] > 0))
		return false;
	return work_lookup_move(work, index, x->count / x->dim[(size_t)dim] * index->count, x->size,
				arguments->call->backward);
}

/* One element per index; the gradient is accumulated. */
MODEL_COUNTER(work_gather)
{
	const struct operand *x = work_operand(arguments, 0), *index = work_operand(arguments, 2);
	return x && index &&
	       work_lookup_move(work, index, index->count, x->size, arguments->call->backward);
}

/* As many elements as the source (argument FIRST) or the index has. */
MODEL_COUNTER(work_scatter)
{
	const struct operand *x = work_operand(arguments, 0), *index = work_operand(arguments, 2);
	const struct operand *source = work_operand(arguments, model->first);
	if (!x || !index || (model->first && !source))
		return false;
	return work_lookup_move(work, index, source && model->first ? source->count : index->count,
				x->size, model->flops > 0 && !arguments->call->backward);
}

/* cat, stack: the whole list is read and written. */
MODEL_COUNTER(work_join)
{
	const struct operand *list = work_operand(arguments, 0);
	if (!list)
		return false;
	work->flops = 0;
	work->bytes = 2 * work_bytes(list);
	return true;
}

/* ---- losses ---- */

enum { NOT_REDUCED }; /* value of the argument `reduction`: none, mean, sum */

static bool is_reduced(const struct arguments *arguments, int at)
{
	double reduction;
	return !work_concrete_int(arguments, (size_t)at, 0, &reduction) || reduction != NOT_REDUCED;
}

/* nll_loss(input, target, weight, reduction, …): one element per target is read and summed. */
MODEL_COUNTER(work_class_loss)
{
	const struct operand *x = work_operand(arguments, 0), *target = work_operand(arguments, 1);
	if (!x || !target)
		return false;
	double results = is_reduced(arguments, model->first) ? 1 : target->count;
	work->flops = target->count;
	work->bytes = work_bytes(target) + (target->count + results) * x->size;
	if (arguments->call->backward) /* the whole gradient is written */
		work->bytes = work_bytes(target) + work_bytes(x);
	return true;
}

/* (gradient, input, target, …) */
MODEL_COUNTER(work_class_loss_backward)
{
	const struct operand *x = work_operand(arguments, 1), *target = work_operand(arguments, 2);
	if (!x || !target)
		return false;
	work->flops = target->count;
	work->bytes = work_bytes(target) + work_bytes(x);
	return true;
}

/* Log-softmax, whose work the model gives, and the loss by class or probability. */
MODEL_COUNTER(work_cross_entropy)
{
	const struct operand *x = work_operand(arguments, 0), *target = work_operand(arguments, 1);
	if (!x || !target)
		return false;
	double loss = target->count == x->count ? 2 * x->count : target->count;
	work->flops = model->flops * x->count + loss;
	work->bytes = work_bytes(x) + work_bytes(target) +
		      (arguments->call->backward ? work_bytes(x) : x->size);
	return true;
}

/*
 * Elementwise, then summed unless `reduction` (argument FIRST) is none. The gradient is written in
 * full.
 */
MODEL_COUNTER(work_loss)
{
	const struct operand *x = work_operand(arguments, 0), *target = work_operand(arguments, 1);
	if (!x || !target)
		return false;
	double count = fmax(x->count, target->count);
	bool backward = arguments->call->backward, reduced = is_reduced(arguments, model->first);
	work->flops = count * (model->flops + (backward || reduced));
	work->bytes =
		work_bytes(x) + work_bytes(target) + (reduced && !backward ? 1 : count) * x->size;
	return true;
}

/* ---- recurrent cells ---- */

/*
 * input [positions, batch, size]: every weight matrix (list FIRST) is applied per position and row.
 */
MODEL_COUNTER(work_recurrent)
{
	const struct operand *x = work_operand(arguments, 0);
	const struct operand *weights = work_operand(arguments, model->first);
	const char *text = arguments->call->shapes;
	const struct literal *shapes = literal_parse(arguments->arena, text, strlen(text));
	const struct literal *list = literal_item(shapes, (size_t)model->first);
	double products = 0;
	if (!x || x->dims != 3 || !weights || !literal_is_sequence(list))
		return false;
	for (size_t i = 0; i < list->count; i++) {
		const struct literal *shape = literal_item(list, i);
		int64_t rows, columns;
		if (literal_is_sequence(shape) && shape->count == 2 &&
		    literal_int(literal_item(shape, 0), &rows) &&
		    literal_int(literal_item(shape, 1), &columns))
			products += (double)rows * (double)columns;
	}
	work->flops = 2 * x->dim[0] * x->dim[1] * products;
	work->bytes = NAN; /* intermediate traffic depends on the implementation */
	return products > 0;
}

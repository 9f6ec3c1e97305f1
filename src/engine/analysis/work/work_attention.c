/*
 * Attention: two products per pair of a query and a key.
 *
 * A causal mask halves the pairs where the call records it, as FlashAttention's benchmarks and
 * TraceLens count; torch.utils.flop_counter counts all pairs. The backward pass is five products
 * instead of two (it computes the scores again): 2.5 times the FLOPs, as both count.
 */
#include "analysis/work/work_private.h"

#include <math.h>

enum { NONE = 0 }; /* no such argument: the query's place */

/* Indexes of arguments. */
static const struct work_attention_layout {
	const char *names;
	uint8_t query;    /* key and value follow */
	uint8_t causal;   /* a flag, or a kind of mask: 0 none, 1 and 2 causal */
	uint8_t lengths;  /* offsets of packed sequences (keys' follow), then the longest of each */
	uint8_t window;   /* keys before a query that count; -1: all */
	bool heads_first; /* [batch, heads, places, size]; else [batch, places, heads, size] */
	bool backward;
} layouts[] = { ATTENTION_ROWS };

static bool is_causal(const struct arguments *arguments, const struct work_attention_layout *layout)
{
	double mask;
	return work_is_true(arguments, layout->causal) ||
	       (work_concrete_int(arguments, layout->causal, 0, &mask) && mask > 0);
}

static bool has_window(const struct arguments *arguments,
		       const struct work_attention_layout *layout)
{
	double before;
	return layout->window && work_concrete_int(arguments, layout->window, 0, &before) &&
	       before >= 0;
}

/*
 * Pairs for one head of all sequences; NaN: unknown. Packed sequences [places, heads, size] are
 * known if they have the same length, which follows from the longest.
 */
static double pairs_of(const struct arguments *arguments,
		       const struct work_attention_layout *layout, const struct operand *q,
		       const struct operand *k)
{
	size_t place = q->dims - (layout->heads_first ? 2 : 3);
	const struct operand *offsets =
		layout->lengths ? work_operand(arguments, layout->lengths) : NULL;
	double longest_q, longest_k;
	if (has_window(arguments, layout))
		return NAN;
	if (!offsets)
		return q->dims == 4 ? q->dim[0] * q->dim[place] * k->dim[place] : NAN;
	double places_q = q->count / (q->dim[q->dims - 1] * q->dim[q->dims - 2]);
	double places_k = k->count / (k->dim[k->dims - 1] * k->dim[k->dims - 2]);
	bool known = work_concrete_int(arguments, layout->lengths + 2u, 0, &longest_q) &&
		     work_concrete_int(arguments, layout->lengths + 3u, 0, &longest_k);
	double sequences = offsets->count - 1;
	if (!known || sequences < 1 || sequences * longest_q != places_q ||
	    sequences * longest_k != places_k)
		return NAN;
	return sequences * longest_q * longest_k;
}

/* Query, key and value are read and the output written; backward also with their gradients. */
MODEL_COUNTER(work_attention)
{
	const struct work_attention_layout *layout =
		work_line_of(layouts, work_plain_name(arguments->call->name));
	if (!layout)
		return false;
	const struct operand *q = work_operand(arguments, layout->query);
	const struct operand *k = work_operand(arguments, layout->query + 1);
	const struct operand *v = work_operand(arguments, layout->query + 2);
	if (!q || !k || !v || q->dims < 3 || q->dims > 4 || k->dims != q->dims ||
	    v->dims != q->dims || !q->count)
		return false;
	size_t last = q->dims - 1, head = layout->heads_first ? q->dims - 3 : q->dims - 2;
	double size_q = q->dim[last], size_v = v->dim[last];
	if (k->dim[last] != size_q || (q->dims == 3 && layout->heads_first))
		return false;
	double pairs = pairs_of(arguments, layout, q, k) * q->dim[head];
	work->flops = 2 * pairs * (size_q + size_v) * (is_causal(arguments, layout) ? 0.5 : 1);
	work->bytes = work_bytes(q) + work_bytes(k) + work_bytes(v) +
		      q->count / size_q * size_v * q->size;
	if (layout->backward || arguments->call->backward) {
		work->flops *= model->flops;
		work->bytes *= 2;
	}
	return true;
}

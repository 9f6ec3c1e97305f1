/*
 * Mixtures of experts whose ranks exchange tokens: what each rank computes for its experts.
 *
 * Two all-to-alls of a step and a thread, one after the other, send tokens to the ranks of their
 * experts and back, if the products in between return to the width that the first one reads. These
 * products, and the backward ones of them, are the experts' time. A rank receives the sum of the
 * splits' sizes; where these are not recorded, the rows of the products that return.
 */
#pragma once

#include "derived/selection.h"

/* A layer of experts on one rank, sums over STEPS that count. */
struct expert_load {
	uint32_t node; /* the layer around the exchange; 0: none */
	int64_t steps, tokens, sent, ns;
};

struct expert_loads {
	struct expert_load *items; /* in the order of the forward pass */
	size_t count, room;
};

/* None without evidence. False when cancelled; free with mem_free(loads->items) either way. */
bool experts_find(struct expert_loads *loads, const struct selection *selection,
		  const struct progress *progress);

/* The loads of a rank. */
struct rank_experts {
	int64_t rank;
	struct expert_loads loads;
};

/* Of a layer on all ranks that have it, per step. */
struct expert_layer {
	size_t ranks, slowest; /* how many; an index */
	double tokens, ns;     /* means */
	/*
	 * What the slowest rank takes longer than an even share of the tokens that the ranks send
	 * would: than the mean, unless more are computed than were sent.
	 */
	double cost_ns;
};
struct expert_layer expert_layer_of(const struct rank_experts *ranks, size_t count, size_t layer);

/* A sum of the load by its steps. */
static inline double expert_mean(const struct expert_load *load, int64_t sum)
{
	return load->steps ? (double)sum / (double)load->steps : 0;
}

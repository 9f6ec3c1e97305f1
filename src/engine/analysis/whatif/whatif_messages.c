#include "analysis/whatif/whatif_messages.h"

#include "analysis/collectives.h"

#include <math.h>

/* Operations of a name, a group and a size; of any size. */
struct whatif_message {
	int64_t name, group, bytes;
};

enum { ANY_BYTES = -2 };

struct whatif_messages {
	struct keyed kinds;
	int64_t *longer; /* by kind: the shortest, ns, and one more */
};

static int64_t *shortest_of(struct whatif_messages *all, const struct collective *message,
			    int64_t bytes)
{
	const struct whatif_message kind = { message->name, message->group, bytes };
	return keyed_item(&all->kinds, all->longer, &kind);
}

static void note_shortest(struct whatif_messages *all, const struct collective *message,
			  int64_t bytes)
{
	int64_t *longer = shortest_of(all, message, bytes);
	int64_t ns = message->end - message->start;
	*longer = *longer && *longer <= ns ? *longer : ns + 1;
}

/* Sums of the bytes and the shortest times of the sizes of a name and group, ns. */
struct whatif_sizes {
	double n, x, y, xx, xy;
};

/* By kind of any size, those of its sizes; the caller frees. */
static struct whatif_sizes *sum_sizes(const struct whatif_messages *all)
{
	struct whatif_sizes *sums = mem_zalloc((size_t)all->kinds.count + 1, sizeof *sums);
	for (uint32_t i = 0; i < all->kinds.count; i++) {
		struct whatif_message kind =
			*(const struct whatif_message *)keyed_key(&all->kinds, i);
		double x = (double)kind.bytes, y = (double)(all->longer[i] - 1);
		if (kind.bytes < 0)
			continue;
		kind.bytes = ANY_BYTES;
		struct whatif_sizes *sum = &sums[keyed_find(&all->kinds, &kind, sizeof kind)];
		sum->n++;
		sum->x += x;
		sum->y += y;
		sum->xx += x * x;
		sum->xy += x * y;
	}
	return sums;
}

/* Where the line through the sizes begins; of one size, and at most, the shortest. */
static double latency_of(const struct whatif_sizes *sum, double shortest)
{
	double wide = sum->n * sum->xx - sum->x * sum->x;
	double slope = wide > 0 ? (sum->n * sum->xy - sum->x * sum->y) / wide : 0;
	double latency = slope > 0 ? (sum->y - slope * sum->x) / sum->n : shortest;
	return fmax(0, fmin(latency, shortest));
}

float *whatif_message_parts(const struct derived *derived, enum whatif_what what,
			    const struct progress *progress)
{
	const uint32_t count = derived->profile->activities;
	struct rank_summary *summary = mem_zalloc(1, sizeof *summary);
	struct whatif_messages all = { .longer = NULL };
	float *parts = mem_zalloc((size_t)count + 1, sizeof *parts);
	summary->strings = intern_new();
	bool ok = collectives_collect(derived, summary, progress);
	for (size_t i = 0; i < summary->collective_count; i++) {
		note_shortest(&all, &summary->collectives[i], summary->collectives[i].bytes);
		note_shortest(&all, &summary->collectives[i], ANY_BYTES);
	}
	AUTO_FREE struct whatif_sizes *sizes = sum_sizes(&all);
	for (uint32_t i = 0; i < count && ok; i++) {
		size_t at = collective_of_activity(derived, summary, i);
		if (at == SIZE_MAX)
			continue;
		const struct collective *message = &summary->collectives[at];
		int64_t bytes = what == WHATIF_LATENCY ? ANY_BYTES : message->bytes;
		const int64_t *of = shortest_of(&all, message, bytes);
		double ns = (double)(message->end - message->start), least = (double)(*of - 1);
		if (what == WHATIF_LATENCY)
			least = latency_of(&sizes[of - all.longer], least);
		double part = ns > 0 ? least / ns : 1;
		parts[i] = (float)(what == WHATIF_STRAGGLER ? 1 - part : part);
	}
	rank_summary_free(summary);
	keyed_clear(&all.kinds);
	mem_free(all.longer);
	if (!ok)
		mem_free(parts);
	return ok ? parts : NULL;
}

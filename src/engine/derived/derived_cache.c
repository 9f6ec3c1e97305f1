#include "derived/derived_cache.h"

#include "derived/derived.h"

#include <stdatomic.h>

struct derived_cached {
	const struct derived_slot *slot;
	void *made;
	struct derived_cached *next;
};

static struct derived_cached *find_cached(struct derived_cached *first,
					  const struct derived_slot *slot)
{
	while (first && first->slot != slot)
		first = first->next;
	return first;
}

const void *derived_cache_get(const struct derived *derived, const struct derived_slot *slot,
			      const void *from, const struct progress *progress)
{
	_Atomic(struct derived_cached *) *first = &((struct derived *)derived)->cached;
	struct derived_cached *head = atomic_load(first), *kept = find_cached(head, slot);
	void *made = kept ? NULL : slot->make(from, progress);
	if (!made)
		return kept ? kept->made : NULL;
	struct derived_cached *own = mem_alloc(sizeof *own);
	do {
		kept = find_cached(head, slot);
		*own = (struct derived_cached){ slot, made, head };
	} while (!kept && !atomic_compare_exchange_strong(first, &head, own));
	if (!kept)
		return made;
	slot->free(made);
	mem_free(own);
	return kept->made;
}

void derived_cache_free(struct derived *derived)
{
	for (struct derived_cached *at = derived->cached, *next; at; at = next) {
		next = at->next;
		at->slot->free(at->made);
		mem_free(at);
	}
}

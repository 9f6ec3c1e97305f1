#include "table/table_work.h"

uint32_t *table_find_parents(const struct table_work *work)
{
	uint32_t *parent = mem_zalloc(work->count, sizeof *parent);
	bool ok = true;
	for_rows (ok, i, work->count, work->progress, "finding parents") {
		uint32_t depth = table_depth(work->table, row_at(work, i));
		uint32_t above = i ? (uint32_t)i - 1 : NO_PLACE;
		while (above != NO_PLACE && table_depth(work->table, row_at(work, above)) >= depth)
			above = parent[above];
		parent[i] = above;
	}
	return mem_if(ok, parent);
}

void dictionary_grow(struct dictionary *dictionary)
{
	mem_free(dictionary->slots);
	dictionary->slots = NULL;
	dictionary->mask = dictionary->mask ? dictionary->mask * 2 + 1 : 255;
	dictionary->slots = mem_zalloc(dictionary->mask + 1, sizeof *dictionary->slots);
	for (size_t i = 0; i < dictionary->count; i++)
		dictionary->slots[dictionary_slot(dictionary, &dictionary->texts[i])] =
			(uint32_t)i + 1;
}

FREE_MEMBERS(dictionary_free, struct dictionary, OWN(texts) OWN(slots))

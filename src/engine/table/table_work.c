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

static size_t slot_of(const struct dictionary *dictionary, struct value text)
{
	uint64_t hash = ((uint64_t)(uintptr_t)text.text ^ text.length * 0xc2b2ae3d27d4eb4fu) *
			0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 24) & dictionary->mask;
	for (;; at = (at + 1) & dictionary->mask) {
		uint32_t number = dictionary->slots[at];
		if (!number || (dictionary->texts[number - 1].text == text.text &&
				dictionary->texts[number - 1].length == text.length))
			return at;
	}
}

static void grow_dictionary(struct dictionary *dictionary)
{
	mem_free(dictionary->slots);
	dictionary->slots = NULL;
	dictionary->mask = dictionary->mask ? dictionary->mask * 2 + 1 : 255;
	dictionary->slots = mem_zalloc(dictionary->mask + 1, sizeof *dictionary->slots);
	for (size_t i = 0; i < dictionary->count; i++)
		dictionary->slots[slot_of(dictionary, dictionary->texts[i])] = (uint32_t)i + 1;
}

uint32_t dictionary_add(struct dictionary *dictionary, struct value text)
{
	if (dictionary->count * 2 >= dictionary->mask)
		grow_dictionary(dictionary);
	size_t at = slot_of(dictionary, text);
	if (!dictionary->slots[at]) {
		*mem_push(dictionary->texts, dictionary->count, dictionary->capacity) = text;
		dictionary->slots[at] = (uint32_t)dictionary->count;
	}
	return dictionary->slots[at] - 1;
}

FREE_MEMBERS(dictionary_free, struct dictionary, OWN(texts) OWN(slots))

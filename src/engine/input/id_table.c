#include "input/id_table.h"

uint32_t id_string(struct profile *profile, const struct hash *strings, int64_t id)
{
	uint32_t string = id_find(strings, id);
	if (string == NO_ROW && id != NO_VALUE)
		profile_damage(profile, "name missing in the string table", "kept without a name",
			       UINT64_MAX);
	return string == NO_ROW ? 0 : string;
}

void *id_table_add(struct id_table *table, size_t size, int64_t id)
{
	table->places = table->places ?: hash_new(64);
	table->items = mem_room(table->items, table->count + 1, size);
	id_add(table->places, id, (uint32_t)table->count);
	table->size = size;
	return memset((char *)table->items + table->count++ * size, 0, size);
}

void *id_table_find(const struct id_table *table, int64_t id)
{
	uint32_t at = id_find(table->places, id);
	return at == NO_ROW ? NULL : (char *)table->items + at * table->size;
}

CLEAR_MEMBERS(id_table_clear, struct id_table, OWN_BY(hash_free, places) OWN(items))

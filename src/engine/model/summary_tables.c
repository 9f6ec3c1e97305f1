#include "model/summary_tables.h"

#include "base/mem.h"

struct summary_tables *summary_tables_new(void)
{
	return mem_zalloc(1, sizeof(struct summary_tables));
}

void summary_tables_free(struct summary_tables *tables)
{
	for (size_t i = 0; tables && i < tables->count; i++)
		mem_free_all(tables->items[i].column, tables->items[i].cells,
			     tables->items[i].depth);
	if (tables)
		mem_free(tables->items);
	mem_free(tables);
}

size_t summary_tables_size(const struct summary_tables *tables)
{
	size_t size = tables ? sizeof *tables + tables->count * sizeof *tables->items : 0;
	for (size_t i = 0; tables && i < tables->count; i++) {
		const struct summary_table *table = &tables->items[i];
		size += table->columns * sizeof *table->column +
			(size_t)table->columns * table->rows * sizeof *table->cells +
			(table->depth ? table->rows * sizeof *table->depth : 0);
	}
	return size;
}

#include "model/kept.h"

#include "base/mem.h"

struct kept *kept_new(void)
{
	return mem_zalloc(1, sizeof(struct kept));
}

void kept_free(struct kept *kept)
{
	for (size_t i = 0; kept && i < kept->count; i++) {
		mem_free(kept->tables[i].column);
		mem_free(kept->tables[i].cells);
		mem_free(kept->tables[i].depth);
	}
	if (kept)
		mem_free(kept->tables);
	mem_free(kept);
}

size_t kept_size(const struct kept *kept)
{
	size_t size = kept ? sizeof *kept + kept->count * sizeof *kept->tables : 0;
	for (size_t i = 0; kept && i < kept->count; i++) {
		const struct kept_table *table = &kept->tables[i];
		size += table->columns * sizeof *table->column +
			(size_t)table->columns * table->rows * sizeof *table->cells +
			(table->depth ? table->rows * sizeof *table->depth : 0);
	}
	return size;
}

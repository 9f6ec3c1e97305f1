#include "input/sqlite/sqlite_pages.h"

#include "base/ahead.h"

struct sqlite_ahead {
	struct sqlite_ahead *next, **list;
	struct sqlite_pages *pages;
	struct page_batch batch[AHEAD_BATCHES];
	struct ahead ahead;
};

static bool read_batch(void *context, size_t place)
{
	struct sqlite_ahead *ahead = context;
	sqlite_pages_read(ahead->pages, &ahead->batch[place]);
	return ahead->batch[place].next == PAGES_ROW;
}

struct sqlite_ahead *sqlite_ahead_new(struct sqlite_pages *pages, struct sqlite_ahead **list)
{
	struct sqlite_ahead *ahead = mem_zalloc(1, sizeof *ahead);
	ahead->pages = pages;
	ahead->list = list;
	ahead->next = *list;
	*list = ahead;
	ahead_begin(&ahead->ahead, read_batch, ahead);
	return ahead;
}

void sqlite_ahead_free(struct sqlite_ahead *ahead)
{
	if (!ahead)
		return;
	struct sqlite_ahead **at = ahead->list;
	while (*at != ahead)
		at = &(*at)->next;
	*at = ahead->next;
	ahead_end(&ahead->ahead);
	for (size_t i = 0; i < AHEAD_BATCHES; i++)
		page_batch_clear(&ahead->batch[i]);
	sqlite_pages_close(ahead->pages);
	mem_free(ahead);
}

void sqlite_ahead_free_all(struct sqlite_ahead **list)
{
	while (*list)
		sqlite_ahead_free(*list);
}

const struct page_batch *sqlite_ahead_next(struct sqlite_ahead *ahead)
{
	return &ahead->batch[ahead_next(&ahead->ahead)];
}

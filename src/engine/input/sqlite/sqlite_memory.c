#include "input/sqlite/sqlite_memory.h"

#include "base/mem.h"

#include <pthread.h>
#include <sqlite3.h>

/*
 * SQLite allocates and frees a few small blocks for each row or group of a query. Those freed last
 * are kept by the thread, by size, so that this takes neither locks nor the general allocator.
 */
enum {
	STEP = 16,     /* sizes are multiples of it */
	SIZES = 16,    /* sizes kept */
	KEPT_MAX = 64, /* blocks of each */
};

/* Before each block. */
struct sqlite_memory_block {
	size_t size;                      /* of what follows */
	struct sqlite_memory_block *next; /* where that begins, while it is kept */
};

#define HEADER offsetof(struct sqlite_memory_block, next)

struct sqlite_memory_kept {
	struct sqlite_memory_block *first[SIZES + 1];
	unsigned count[SIZES + 1];
	bool will_be_freed; /* with the thread */
};

static _Thread_local struct sqlite_memory_kept kept;
static pthread_key_t key;

static struct sqlite_memory_block *block_of(void *memory)
{
	return (struct sqlite_memory_block *)((char *)memory - HEADER);
}

static void *memory_of(struct sqlite_memory_block *block)
{
	return block ? (char *)block + HEADER : NULL;
}

static int round_up(int size)
{
	return (size + STEP - 1) & ~(STEP - 1);
}

static struct sqlite_memory_block *new_block(struct sqlite_memory_block *old, size_t size)
{
	struct sqlite_memory_block *block = mem_may_realloc(old, HEADER + size);
	if (block)
		block->size = size;
	return block;
}

static void *sqlite_memory_allocate(int wanted)
{
	size_t size = (size_t)round_up(wanted), at = size / STEP;
	struct sqlite_memory_block *block = at <= SIZES ? kept.first[at] : NULL;
	if (!block)
		return memory_of(new_block(NULL, size));
	kept.first[at] = block->next;
	kept.count[at]--;
	return memory_of(block);
}

static void free_kept(void *context)
{
	struct sqlite_memory_kept *all = context;
	for (size_t at = 0; at <= SIZES; at++)
		for (struct sqlite_memory_block *block = all->first[at], *next; block;
		     block = next) {
			next = block->next;
			mem_free(block);
		}
	*all = (struct sqlite_memory_kept){ 0 };
}

static void sqlite_memory_release(void *memory)
{
	if (!memory)
		return;
	struct sqlite_memory_block *block = block_of(memory);
	size_t at = block->size / STEP;
	if (at > SIZES || kept.count[at] == KEPT_MAX) {
		mem_free(block);
		return;
	}
	if (!kept.will_be_freed)
		kept.will_be_freed = pthread_setspecific(key, &kept) == 0;
	block->next = kept.first[at];
	kept.first[at] = block;
	kept.count[at]++;
}

static int block_size(void *memory)
{
	return memory ? (int)block_of(memory)->size : 0;
}

static void *reallocate(void *old, int wanted)
{
	return memory_of(new_block(block_of(old), (size_t)round_up(wanted)));
}

static int sqlite_memory_begin(void *context)
{
	return SQLITE_OK;
}

static void end(void *context) {}

static void configure(void)
{
	static const struct sqlite3_mem_methods methods = {
		sqlite_memory_allocate,
		sqlite_memory_release,
		reallocate,
		block_size,
		round_up,
		sqlite_memory_begin,
		end,
		NULL,
	};
	if (pthread_key_create(&key, free_kept) != 0)
		return;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* SQLite's own count, under a lock */
}

void sqlite_count_memory(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, configure);
}

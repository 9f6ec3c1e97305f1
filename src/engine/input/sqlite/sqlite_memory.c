#include "input/sqlite/sqlite_memory.h"

#include "base/mem.h"

#include <pthread.h>
#include <sqlite3.h>

static void *allocate(int size)
{
	return mem_may_realloc(NULL, (size_t)size);
}

static void *reallocate(void *old, int size)
{
	return mem_may_realloc(old, (size_t)size);
}

static int block_size(void *memory)
{
	return memory ? (int)mem_size(memory) : 0;
}

static int round_up(int size)
{
	return (size + 7) & ~7;
}

static int begin(void *context)
{
	(void)context;
	return SQLITE_OK;
}

static void end(void *context)
{
	(void)context;
}

static void configure(void)
{
	static const struct sqlite3_mem_methods methods = {
		allocate, mem_free, reallocate, block_size, round_up, begin, end, NULL,
	};
	sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void sqlite_count_memory(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, configure);
}

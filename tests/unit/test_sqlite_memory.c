/* Blocks of SQLite's: sizes, contents, counting, threads. */
#include "test.h"

#include "base/mem.h"
#include "input/sqlite/sqlite_memory.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 500, ROUNDS = SLOW ? 6000 : 20000, SIZE_MAX_TRIED = 600, LARGE = 3 << 20 };

struct held {
	unsigned char *block;
	int size;
	unsigned char byte; /* in each place */
};

static bool is_whole(const struct held *held)
{
	for (int i = 0; i < held->size; i++)
		if (held->block[i] != held->byte)
			return false;
	return (uintptr_t)held->block % 8 == 0 && sqlite3_msize(held->block) >= (size_t)held->size;
}

/* Allocate, resize and free in any order; false when a block lost its bytes. */
static bool use_blocks(unsigned seed)
{
	static const int sizes[] = { 1, 8, 16, 17, 24, 40, 255, 256, 257, SIZE_MAX_TRIED, LARGE };
	struct held *held = calloc(BLOCKS, sizeof *held);
	bool whole = true;
	for (int round = 0; round < ROUNDS && whole; round++) {
		struct held *at = &held[rand_r(&seed) % BLOCKS];
		int size = rand_r(&seed) % 50
				   ? 1 + rand_r(&seed) % SIZE_MAX_TRIED
				   : sizes[rand_r(&seed) % (sizeof sizes / sizeof *sizes)];
		whole = !at->block || is_whole(at);
		if (at->block && rand_r(&seed) % 2) {
			sqlite3_free(at->block);
			*at = (struct held){ 0 };
			continue;
		}
		at->block = sqlite3_realloc(at->block, size);
		at->size = size < at->size ? size : at->size;
		whole = whole && at->block && (!at->size || is_whole(at));
		at->size = size;
		at->byte = (unsigned char)round;
		memset(at->block, at->byte, (size_t)size);
	}
	for (int i = 0; i < BLOCKS; i++)
		sqlite3_free(held[i].block);
	free(held);
	return whole;
}

TEST(blocks_keep_their_bytes)
{
	for (unsigned seed = 1; seed < 4; seed++)
		assert_true(use_blocks(seed));
}

static void *use_in_thread(void *seed)
{
	return use_blocks(*(unsigned *)seed) ? seed : NULL;
}

/* What a thread keeps is freed with it. */
TEST(threads_leave_nothing)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	unsigned seed[THREADS];
	size_t before = mem_used();
	for (int round = 0; round < 3; round++) {
		for (unsigned i = 0; i < THREADS; i++) {
			seed[i] = 10 + i;
			assert_int_equal(pthread_create(&thread[i], NULL, use_in_thread, &seed[i]),
					 0);
		}
		for (unsigned i = 0; i < THREADS; i++) {
			void *whole;
			pthread_join(thread[i], &whole);
			assert_ptr_equal(whole, &seed[i]);
		}
	}
	assert_int_equal(mem_used(), before);
}

static void *free_all(void *blocks)
{
	for (void **at = blocks; *at; at++)
		sqlite3_free(*at);
	return NULL;
}

TEST(blocks_may_be_freed_by_another_thread)
{
	enum { GIVEN = 1000 };
	void *blocks[GIVEN + 1] = { NULL };
	pthread_t thread;
	for (int i = 0; i < GIVEN; i++)
		blocks[i] = sqlite3_malloc(40);
	size_t before = mem_used();
	assert_int_equal(pthread_create(&thread, NULL, free_all, blocks), 0);
	pthread_join(thread, NULL);
	assert_true(mem_used() + GIVEN * 40 <= before);
}

/* Of many blocks freed only some are kept. */
TEST(few_blocks_are_kept)
{
	enum { MANY = 100000, KEPT_BYTES_MAX = 300000 };
	void **blocks = calloc(MANY + 1, sizeof *blocks);
	size_t before = mem_used();
	for (int i = 0; i < MANY; i++)
		blocks[i] = sqlite3_malloc(8 + i % 300);
	assert_true(mem_used() > before + MANY * 100);
	free_all(blocks);
	assert_true(mem_used() < before + KEPT_BYTES_MAX);
	free(blocks);
}

static int count_memory(void **state)
{
	sqlite_count_memory();
	return 0;
}

TEST_PROGRAM(count_memory, NULL)

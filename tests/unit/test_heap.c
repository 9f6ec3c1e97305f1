/*
 * Blocks of all sizes, which cross the border between the two allocators, keep their bytes while
 * they grow, shrink, move and are freed in any order.
 */
#include "test.h"

#include "base/huge_pages.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BLOCKS = 40, ROUNDS = 300, THREADS = 4, MB = 1 << 20 };

struct block {
	unsigned char *bytes;
	size_t size;
	unsigned char mark;
};

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Around the smallest block of the heap, and up to several huge pages. */
static size_t any_size(uint64_t *seed)
{
	static const size_t middle[] = { 64, HEAP_BLOCK_MIN, HEAP_BLOCK_MIN * 2, 3 << 20 };
	size_t around = middle[next(seed) % (sizeof middle / sizeof *middle)];
	return around / 2 + next(seed) % around;
}

static bool is_whole(const struct block *block)
{
	for (size_t i = 0; i < block->size; i += 509)
		if (block->bytes[i] != block->mark)
			return false;
	return !block->size || block->bytes[block->size - 1] == block->mark;
}

static void fill(struct block *block, size_t size, uint64_t *seed)
{
	block->size = size;
	block->mark = (unsigned char)next(seed);
	memset(block->bytes, block->mark, size);
}

static bool change(struct block *block, uint64_t *seed)
{
	size_t size = any_size(seed), kept = size < block->size ? size : block->size;
	if (!is_whole(block))
		return false;
	switch (block->bytes ? next(seed) % 3 : 2) {
	case 0:
		mem_free(block->bytes);
		*block = (struct block){ 0 };
		return true;
	case 1:
		block->bytes = mem_realloc(block->bytes, size, 1);
		block->size = kept;
		if (!is_whole(block))
			return false;
		break;
	default:
		mem_free(block->bytes);
		block->bytes = mem_zalloc(size, 1);
		for (size_t i = 0; i < size; i += 61)
			if (block->bytes[i])
				return false;
	}
	fill(block, size, seed);
	return mem_size(block->bytes) >= size;
}

static void *change_many(void *context)
{
	uint64_t seed = (uint64_t)(uintptr_t)context * 0x9e3779b97f4a7c15 + 1;
	struct block blocks[BLOCKS] = { 0 };
	bool good = true;
	for (int i = 0; i < ROUNDS && good; i++)
		good = change(&blocks[next(&seed) % BLOCKS], &seed);
	for (int i = 0; i < BLOCKS; i++) {
		good &= is_whole(&blocks[i]);
		mem_free(blocks[i].bytes);
	}
	return good ? context : NULL;
}

TEST(blocks_keep_their_bytes)
{
	size_t before = mem_used();
	assert_non_null(change_many((void *)7));
	assert_int_equal(mem_used(), before);
}

TEST(threads_get_their_own_blocks)
{
	pthread_t thread[THREADS];
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, change_many, (void *)(i + 1)), 0);
	for (int i = 0; i < THREADS; i++) {
		void *good;
		pthread_join(thread[i], &good);
		assert_non_null(good);
	}
}

/* Where the heap has no room, or there is none, blocks are malloc's. */
TEST(sizes_outside_are_left_to_malloc)
{
	assert_null(heap_alloc(HEAP_BLOCK_MIN - 1));
	assert_null(heap_alloc((size_t)HEAP_BLOCK_MAX + 1));
	char *small = mem_alloc(HEAP_BLOCK_MIN - 1);
	assert_false(heap_owns(small));
	mem_free(small);
	char *large = heap_alloc(HEAP_BLOCK_MIN);
	if (!large)
		return;
	assert_true(heap_owns(large));
	assert_true(heap_resize(large, 4 * HEAP_BLOCK_MIN));
	assert_true(heap_size(large) >= 4 * HEAP_BLOCK_MIN);
	assert_false(heap_resize(large, (size_t)HEAP_BLOCK_MAX + 1));
	heap_free(large);
}

static long page_faults(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* What is freed and taken again, in a gap and at the top, stays in memory, however often. */
TEST(memory_taken_again_stays)
{
	enum { SIZE = 8 << 20, AGAIN = 100 };
	unsigned char *below = heap_alloc(SIZE), *between = heap_alloc(HEAP_BLOCK_MIN);
	if (!below || !between)
		skip();
	long first = 0;
	for (int round = 0; round <= AGAIN; round++) {
		unsigned char *top = heap_alloc(SIZE);
		assert_non_null(top);
		memset(top, round, SIZE);
		memset(below, round, SIZE);
		heap_free(top);
		heap_free(below);
		below = heap_alloc(SIZE);
		first = round ? first : page_faults();
	}
	assert_true(page_faults() - first < AGAIN / 2);
	heap_free(below);
	heap_free(between);
}

/* Bytes of this process that are in memory. */
static size_t resident(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void *fresh(size_t size)
{
	return memset(mem_alloc(size), 1, size);
}

static void grow(void *context)
{
	char **block = context;
	*block = mem_realloc(*block, 50, MB);
}

/* Unused memory that is kept, and a block beside its copy, count where there is a limit. */
TEST(a_limit_is_of_what_is_resident)
{
	enum { SPARE = 64 * MB, LIMIT = 60 * MB + SPARE };
	char *probe = heap_alloc(MB);
	if (!probe)
		skip();
	heap_free(probe);
	heap_keep(0);
	size_t before = resident();
	mem_set_limit(mem_used() + LIMIT - SPARE);
	char *block = fresh(40 * MB), *after = fresh(HEAP_BLOCK_MIN);
	char *kept = fresh(30 * MB), *above = fresh(HEAP_BLOCK_MIN);
	mem_free(kept);
	char *large = fresh(70 * MB);
	assert_true(resident() < before + LIMIT);
	assert_true(mem_try(grow, &block) > 0); /* 40 MB, 50 for the copy */
	mem_set_limit(0);
	assert_int_equal(mem_try(grow, &block), 0);
	mem_free(after);
	mem_free(above);
	mem_free(large);
	mem_free(block);
}

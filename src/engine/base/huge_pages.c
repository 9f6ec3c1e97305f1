#include "base/huge_pages.h"

#include "base/binary_search.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	PAGE = 4096,
	HUGE = 2 << 20,
	IDLE_MAX = 32 << 20, /* kept; or half of all */
	HEADER = 64,         /* before each block: its length; keeps blocks on cache lines */
};

/* Address space, not memory; a huge page more than is used. */
static const size_t region_size = (size_t)1 << 40;

/* Unused pages below the top, by address; neighbours are joined. */
struct huge_pages_gap {
	size_t at, length;
	size_t idle; /* bytes of it that are still in memory, at most */
};

static struct {
	pthread_mutex_t lock;
	char *region; /* NULL: not reserved */
	bool tried;
	size_t top;     /* everything from here on is unused, … */
	size_t touched; /* …from here on also untouched */
	size_t idle;    /* of all gaps */
	struct huge_pages_gap *gaps;
	size_t count, capacity;
} heap = { .lock = PTHREAD_MUTEX_INITIALIZER };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_CHECKED true /* sanitizers watch malloc's blocks */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_CHECKED true
#endif
#endif
#ifndef IS_CHECKED
#define IS_CHECKED false
#endif

static bool reserve(void)
{
	if (heap.tried)
		return heap.region;
	heap.tried = true;
	if (IS_CHECKED)
		return false;
	char *start = mmap(NULL, region_size + 2 * HUGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (start == MAP_FAILED)
		return false;
	start += -(uintptr_t)start & (HUGE - 1);
	madvise(start, region_size, MADV_HUGEPAGE); /* best effort */
	__atomic_store_n(&heap.region, start, __ATOMIC_RELEASE);
	return true;
}

static size_t pages(size_t size)
{
	return (size + HEADER + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static size_t *length_of(const void *block)
{
	return (size_t *)(void *)((char *)(uintptr_t)block - HEADER);
}

static size_t offset_of(const void *block)
{
	return (size_t)((const char *)block - HEADER - heap.region);
}

/* ---- gaps ---- */

/* The first gap that ends at or after AT. */
static size_t gap_near(size_t at)
{
	return search_first(i, 0, heap.count, heap.gaps[i].at + heap.gaps[i].length >= at);
}

static void remove_gap(size_t i)
{
	heap.count--;
	memmove(heap.gaps + i, heap.gaps + i + 1, (heap.count - i) * sizeof *heap.gaps);
}

/* False when out of memory: the pages are then lost, which is only address space. */
static bool insert_gap(size_t i, struct huge_pages_gap gap)
{
	if (heap.count == heap.capacity) {
		size_t capacity = heap.capacity * 2 + 64;
		struct huge_pages_gap *grown = realloc(heap.gaps, capacity * sizeof *grown);
		if (!grown)
			return false;
		heap.gaps = grown;
		heap.capacity = capacity;
	}
	memmove(heap.gaps + i + 1, heap.gaps + i, (heap.count - i) * sizeof *heap.gaps);
	heap.gaps[i] = gap;
	heap.count++;
	return true;
}

/* Give the huge pages from FROM to TO back to the system. */
static void huge_pages_release(size_t from, size_t to)
{
	from = (from + HUGE - 1) & ~(size_t)(HUGE - 1);
	to &= ~(size_t)(HUGE - 1);
	if (from < to)
		madvise(heap.region + from, to - from, MADV_DONTNEED);
}

/* Unused bytes above the top that are still in memory. */
static size_t idle_above(void)
{
	return heap.touched > heap.top ? heap.touched - heap.top : 0;
}

/* Give back what is unused, if it is more than MOST. */
static void release_idle(size_t most)
{
	if (heap.idle + idle_above() <= most)
		return;
	for (size_t i = 0; i < heap.count; i++) {
		huge_pages_release(heap.gaps[i].at, heap.gaps[i].at + heap.gaps[i].length);
		heap.gaps[i].idle = 0;
	}
	huge_pages_release(heap.top, heap.touched + HUGE);
	heap.touched = heap.top;
	heap.idle = 0;
}

/* Some memory is kept for columns that grow: a page that was given back costs another fault. */
static size_t kept_idle(void)
{
	return heap.top / 2 > IDLE_MAX ? heap.top / 2 : IDLE_MAX;
}

static void give_back(size_t at, size_t length)
{
	size_t i = gap_near(at);
	struct huge_pages_gap gap = { at, length, length };
	heap.idle += length;
	if (i < heap.count && heap.gaps[i].at + heap.gaps[i].length == at) {
		gap.at = heap.gaps[i].at;
		gap.length += heap.gaps[i].length;
		gap.idle += heap.gaps[i].idle;
		remove_gap(i);
	}
	if (i < heap.count && heap.gaps[i].at == at + length) {
		gap.length += heap.gaps[i].length;
		gap.idle += heap.gaps[i].idle;
		remove_gap(i);
	}
	heap.touched = heap.touched > heap.top ? heap.touched : heap.top;
	if (gap.at + gap.length == heap.top) {
		heap.top = gap.at;
		heap.idle -= gap.idle;
	} else if (!insert_gap(i, gap)) {
		heap.idle -= gap.idle;
	}
	release_idle(kept_idle());
}

/* Take the first LENGTH bytes of a gap; what is left may be what is in memory. */
static void shorten_gap(size_t i, size_t length)
{
	struct huge_pages_gap *gap = &heap.gaps[i];
	size_t left = gap->length - length, idle = gap->idle < left ? gap->idle : left;
	heap.idle -= gap->idle - idle;
	*gap = (struct huge_pages_gap){ gap->at + length, left, idle };
	if (!left)
		remove_gap(i);
}

/* Take LENGTH bytes of the smallest gap that has them, or from the top; region_size: no room. */
static size_t huge_pages_take(size_t length)
{
	size_t best = heap.count;
	for (size_t i = 0; i < heap.count; i++)
		if (heap.gaps[i].length >= length &&
		    (best == heap.count || heap.gaps[i].length < heap.gaps[best].length))
			best = i;
	if (best == heap.count) {
		size_t at = heap.top;
		if (region_size - at < length)
			return region_size;
		heap.top += length;
		return at;
	}
	size_t at = heap.gaps[best].at;
	shorten_gap(best, length);
	return at;
}

/* Take LENGTH bytes at AT, if they are unused. */
static bool take_at(size_t at, size_t length)
{
	if (at == heap.top) {
		heap.top += region_size - at < length ? 0 : length;
		return heap.top != at;
	}
	size_t i = gap_near(at + 1);
	if (i == heap.count || heap.gaps[i].at != at || heap.gaps[i].length < length)
		return false;
	shorten_gap(i, length);
	return true;
}

/* ---- blocks ---- */

bool heap_owns(const void *memory)
{
	const char *region = __atomic_load_n(&heap.region, __ATOMIC_ACQUIRE);
	uintptr_t at = (uintptr_t)memory;
	return region && at >= (uintptr_t)region && at - (uintptr_t)region < region_size;
}

size_t heap_size(const void *block)
{
	return *length_of(block) - HEADER;
}

void *heap_alloc(size_t size)
{
	if (size < HEAP_BLOCK_MIN || size > HEAP_BLOCK_MAX)
		return NULL;
	pthread_mutex_lock(&heap.lock);
	size_t at = reserve() ? huge_pages_take(pages(size)) : region_size;
	pthread_mutex_unlock(&heap.lock);
	if (at == region_size)
		return NULL;
	char *block = heap.region + at + HEADER;
	*length_of(block) = pages(size);
	return block;
}

bool heap_resize(void *block, size_t size)
{
	size_t before = *length_of(block), after = pages(size), at = offset_of(block);
	bool fits = size <= HEAP_BLOCK_MAX;
	if (fits && before != after) {
		pthread_mutex_lock(&heap.lock);
		if (after > before)
			fits = take_at(at + before, after - before);
		else
			give_back(at + after, before - after);
		pthread_mutex_unlock(&heap.lock);
	}
	if (fits)
		*length_of(block) = after;
	return fits;
}

void heap_free(void *block)
{
	size_t at = offset_of(block), length = *length_of(block);
	pthread_mutex_lock(&heap.lock);
	give_back(at, length);
	pthread_mutex_unlock(&heap.lock);
}

void heap_keep(size_t most)
{
	pthread_mutex_lock(&heap.lock);
	release_idle(most);
	pthread_mutex_unlock(&heap.lock);
}

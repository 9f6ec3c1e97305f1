#include "base/sort.h"

#include "base/mem.h"

struct sorting_data {
	size_t size;
	int (*compare)(const void *a, const void *b);
	const struct progress *progress;
	size_t compares;
	bool stopped;
};

/* May another compare be made? Stays false once cancelled. */
static bool sort_check_cancelled(struct sorting_data *sorting)
{
	if (!sorting->stopped &&
	    !progress_row(sorting->progress, "sorting", sorting->compares++, 0))
		sorting->stopped = true;
	return !sorting->stopped;
}

static void swap(char *a, char *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char byte = a[i];
		a[i] = b[i];
		b[i] = byte;
	}
}

static void reverse(char *items, size_t count, size_t size)
{
	for (size_t i = 0; i < count / 2; i++)
		swap(items + i * size, items + (count - 1 - i) * size, size);
}

/* The length of the first run; a strictly descending one is reversed. */
static size_t next_run(struct sorting_data *sorting, char *items, size_t count)
{
	size_t size = sorting->size, length = 1;
	if (count < 2)
		return count;
	if (sorting->compare(items, items + size) <= 0) {
		while (length < count && sort_check_cancelled(sorting) &&
		       sorting->compare(items + (length - 1) * size, items + length * size) <= 0)
			length++;
		return length;
	}
	while (length < count && sort_check_cancelled(sorting) &&
	       sorting->compare(items + (length - 1) * size, items + length * size) > 0)
		length++;
	reverse(items, length, size);
	return length;
}

/* Merge two adjacent runs into OUT. */
static void sort_merge(struct sorting_data *sorting, const char *a, size_t a_count, size_t b_count,
		       char *out)
{
	size_t size = sorting->size;
	const char *a_end = a + a_count * size, *b = a_end, *b_end = b + b_count * size;
	while (a < a_end && b < b_end && sort_check_cancelled(sorting)) {
		const char **from = sorting->compare(a, b) <= 0 ? &a : &b;
		memcpy(out, *from, size);
		*from += size;
		out += size;
	}
	memcpy(out, a, (size_t)(a_end - a));
	memcpy(out + (a_end - a), b, (size_t)(b_end - b));
}

/* One round: merge pairs of runs from ITEMS into OUT; returns the number of runs left. */
static size_t merge_neighbours(struct sorting_data *sorting, const char *items, char *out,
			       size_t *run, size_t runs)
{
	size_t at = 0, left = 0;
	for (size_t i = 0; i < runs; i += 2) {
		size_t a = run[i], b = i + 1 < runs ? run[i + 1] : 0;
		sort_merge(sorting, items + at * sorting->size, a, b, out + at * sorting->size);
		run[left++] = a + b;
		at += a + b;
	}
	return left;
}

bool sort_runs(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b),
	       const struct progress *progress)
{
	struct sorting_data sorting = { size, compare, progress, 0, false };
	char *from = items;
	size_t *run = NULL, runs = 0;
	for (size_t at = 0; at < count && !sorting.stopped; at += run[runs++]) {
		mem_grow(run, runs + 1);
		run[runs] = next_run(&sorting, from + at * size, count - at);
	}
	char *room = runs > 1 ? mem_alloc(count * size) : NULL, *to = room;
	while (runs > 1 && !sorting.stopped) {
		runs = merge_neighbours(&sorting, from, to, run, runs);
		char *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != items)
		memcpy(items, from, count * size);
	mem_free_all(room, run);
	return !sorting.stopped;
}

#include "derived/sequences.h"

#include "base/hash.h"
#include "model/profile.h"

/* Shorter sequences match by chance; at most LENGTHS_MAX lengths are searched. */
enum { SEQUENCE_MIN = 4, LENGTHS_MAX = 64 };

/* Starts of runs of one length, by the hash of their names. */
struct sequences_windows {
	size_t length;
	struct hash *starts;
};

/* NO_ROW is between two sequences and at the ends. */
struct sequences {
	GROWING(uint32_t, names, count);
	struct sequences_windows windows[LENGTHS_MAX];
	size_t window_count;
};

/* Rolling polynomial hash over the names. */
#define BASE UINT64_C(0x9fb21c651e98df25)

static uint64_t hash_names(const uint32_t *names, size_t count)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < count; i++)
		hash = hash * BASE + names[i] + UINT64_C(1);
	return hash;
}

static void add_sequences(struct sequences *sequences, uint32_t name)
{
	mem_grow(sequences->names, sequences->count + 2);
	sequences->names[sequences->count++] = name;
	sequences->names[sequences->count] = NO_ROW;
}

struct sequences *sequences_new(void)
{
	struct sequences *sequences = mem_zalloc(1, sizeof *sequences);
	add_sequences(sequences, NO_ROW);
	return sequences;
}

void sequences_free(struct sequences *sequences)
{
	if (!sequences)
		return;
	for (size_t i = 0; i < sequences->window_count; i++)
		hash_free(sequences->windows[i].starts);
	mem_free_all(sequences->names, sequences);
}

uint32_t sequences_add(struct sequences *sequences, uint32_t name)
{
	add_sequences(sequences, name);
	return (uint32_t)(sequences->count - 1);
}

static const struct sequences_windows *windows_of(struct sequences *sequences, size_t length)
{
	const uint32_t *names = sequences->names;
	for (size_t i = 0; i < sequences->window_count; i++)
		if (sequences->windows[i].length == length)
			return &sequences->windows[i];
	if (sequences->window_count == LENGTHS_MAX || length < SEQUENCE_MIN ||
	    length >= sequences->count)
		return NULL;
	struct sequences_windows *windows = &sequences->windows[sequences->window_count++];
	*windows = (struct sequences_windows){ length, hash_new(sequences->count - length + 1) };
	uint64_t hash = hash_names(names, length), first = 1;
	for (size_t i = 1; i < length; i++)
		first *= BASE;
	for (size_t i = 0;; i++) {
		hash_add(windows->starts, hash, (uint32_t)i);
		if (i + length == sequences->count)
			return windows;
		hash -= first * (names[i] + UINT64_C(1));
		hash = hash * BASE + names[i + length] + UINT64_C(1);
	}
}

static bool is_run(const struct sequences *sequences, uint32_t place, const uint32_t *names,
		   size_t count)
{
	return memcmp(sequences->names + place, names, count * sizeof *names) == 0;
}

uint32_t sequences_last(struct sequences *sequences, const uint32_t *names, size_t count)
{
	const struct sequences_windows *windows = windows_of(sequences, count);
	uint32_t at = windows ? hash_last(windows->starts, hash_names(names, count)) : NO_ROW;
	return at == NO_ROW || !is_run(sequences, at, names, count) ? NO_ROW : at;
}

size_t sequences_find(struct sequences *sequences, const uint32_t *names, size_t count,
		      uint32_t *places, size_t max)
{
	const struct sequences_windows *windows = windows_of(sequences, count);
	size_t found = 0, cursor;
	bool whole = false;
	if (!windows)
		return 0;
	for (uint32_t at = hash_find(windows->starts, hash_names(names, count), &cursor);
	     at != NO_ROW; at = hash_next(windows->starts, &cursor)) {
		if (!is_run(sequences, at, names, count))
			continue;
		/* a sequence of its own: what is before the first and after the last is NO_ROW */
		bool is = sequences->names[at - 1] == NO_ROW &&
			  sequences->names[at + count] == NO_ROW;
		if (is && !whole)
			found = 0;
		if (is >= whole && found < max)
			places[found++] = at;
		whole |= is;
	}
	return found;
}

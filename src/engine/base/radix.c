#include "base/radix.h"

#include "base/mem.h"

#include <string.h>

uint64_t key_of_int(int64_t value)
{
	return (uint64_t)value ^ (uint64_t)1 << 63;
}

int64_t int_of_key(uint64_t key)
{
	return (int64_t)(key ^ (uint64_t)1 << 63);
}

uint64_t key_of_real(double value)
{
	uint64_t bits;
	value += 0.0; /* -0 is 0 */
	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

struct keys keys_new(size_t room)
{
	return (struct keys){ mem_alloc(room * sizeof(uint64_t)),
			      mem_alloc(room * sizeof(uint32_t)), 0 };
}

void keys_free(struct keys *keys)
{
	mem_free(keys->key);
	mem_free(keys->place);
}

enum { DIGITS = 8, DIGIT_VALUES = 256 };

/* One pass: distribute FROM into TO by one byte of the key. */
static bool distribute(const struct keys *from, struct keys *to, int digit,
		       const size_t counts[DIGIT_VALUES], const struct progress *progress)
{
	size_t next[DIGIT_VALUES], sum = 0;
	for (int i = 0; i < DIGIT_VALUES; i++) {
		next[i] = sum;
		sum += counts[i];
	}
	for (size_t i = 0; i < from->count; i++) {
		size_t at = next[from->key[i] >> digit * 8 & 0xff]++;
		if (!progress_row(progress, "sorting", i, from->count))
			return false;
		to->key[at] = from->key[i];
		to->place[at] = from->place[i];
	}
	to->count = from->count;
	return true;
}

static bool is_sorted(const struct keys *keys)
{
	for (size_t i = 1; i < keys->count; i++)
		if (keys->key[i - 1] > keys->key[i])
			return false;
	return true;
}

bool radix_sort(struct keys *keys, const struct progress *progress)
{
	if (is_sorted(keys))
		return true;
	size_t(*counts)[DIGIT_VALUES] = mem_zalloc(DIGITS, sizeof *counts);
	bool on = true;
	for (size_t i = 0; i < keys->count && on; i++) {
		on = progress_row(progress, "sorting", i, keys->count);
		for (int digit = 0; digit < DIGITS; digit++)
			counts[digit][keys->key[i] >> digit * 8 & 0xff]++;
	}
	struct keys other = keys_new(keys->count);
	for (int digit = 0; digit < DIGITS && keys->count && on; digit++) {
		if (counts[digit][keys->key[0] >> digit * 8 & 0xff] == keys->count)
			continue; /* all keys share this byte */
		on = distribute(keys, &other, digit, counts[digit], progress);
		if (!on)
			break;
		struct keys swap = *keys;
		*keys = other;
		other = swap;
	}
	keys_free(&other);
	mem_free(counts);
	return on;
}

#include "tools/pyprof/pyprof_kernels.h"

#include "base/text.h"

enum { SET_SMALLEST = 8, RUN = 9, PERTURB_SHIFT = 5 };

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

/* TEXT as CPython stores it: units of one, two or four bytes, as the highest code point needs. */
static void put_units(struct buffer *out, const char *text)
{
	int32_t point, highest = 0;
	size_t length = strlen(text), at;
	for (at = 0; at<length; highest = point> highest ? point : highest)
		at += text_decode(text + at, length - at, &point);
	int width = highest < 0x100 ? 1 : highest < 0x10000 ? 2 : 4;
	for (at = 0; at < length;) {
		at += text_decode(text + at, length - at, &point);
		for (int i = 0; i < width; i++)
			buffer_putc(out, (char)(point >> 8 * i));
	}
}

/* SipHash-1-3 with a key of zero. */
static uint64_t hash_text(const char *text)
{
	AUTO_BUFFER struct buffer units = { 0 };
	put_units(&units, text);
	char length = (char)units.length;
	while (units.length % sizeof(uint64_t) != 7)
		buffer_putc(&units, 0);
	buffer_putc(&units, length);
	uint64_t v[4] = { 0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261,
			  0x7465646279746573 };
	for (size_t at = 0; at < units.length; at += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, units.data + at, sizeof word);
		v[3] ^= word;
		mix(v);
		v[0] ^= word;
	}
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		mix(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

struct set {
	const char **slot;
	size_t mask, fill;
};

/* Slot of TEXT, or the free slot for it. */
static const char **find_slot(const struct set *set, const char *text)
{
	uint64_t hash = hash_text(text), perturb = hash;
	size_t at = hash & set->mask;
	for (;;) {
		size_t run = at + RUN <= set->mask ? RUN : 0;
		for (size_t i = 0; i <= run; i++)
			if (!set->slot[at + i] || strcmp(set->slot[at + i], text) == 0)
				return &set->slot[at + i];
		perturb >>= PERTURB_SHIFT;
		at = (at * 5 + 1 + perturb) & set->mask;
	}
}

static void python_set_grow(struct set *set)
{
	struct set old = *set;
	size_t size = SET_SMALLEST, wanted = old.fill > 50000 ? old.fill * 2 : old.fill * 4;
	while (size <= wanted)
		size *= 2;
	set->slot = mem_zalloc(size, sizeof *set->slot);
	set->mask = size - 1;
	for (size_t i = 0; i <= old.mask; i++)
		if (old.slot[i])
			*find_slot(set, old.slot[i]) = old.slot[i];
	mem_free(old.slot);
}

const char *python_set_first(const char *const *texts, size_t count)
{
	if (count < 2)
		return count ? texts[0] : NULL;
	struct set set = { mem_zalloc(SET_SMALLEST, sizeof *set.slot), SET_SMALLEST - 1, 0 };
	for (size_t i = 0; i < count; i++) {
		const char **slot = find_slot(&set, texts[i]);
		if (*slot)
			continue;
		*slot = texts[i];
		if (++set.fill * 5 >= set.mask * 3)
			python_set_grow(&set);
	}
	size_t first = 0;
	while (!set.slot[first])
		first++;
	const char *text = set.slot[first];
	mem_free(set.slot);
	return text;
}

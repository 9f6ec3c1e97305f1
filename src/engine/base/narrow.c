#include "base/narrow.h"

#include <string.h>

/* Of a word of a block, all ones being 0. */
struct narrow_word {
	uint32_t least;
	unsigned width; /* bytes of a distance from it */
};

static struct narrow_word measure(const uint32_t *rows, size_t count, size_t words)
{
	uint32_t least = UINT32_MAX, most = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t value = rows[i * words] + 1;
		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	uint32_t span = most - least;
	unsigned width = !span ? 0 : span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : 4;
	return (struct narrow_word){ least, width };
}

/* These two are made for each width: copies of a known length are single instructions. */
__attribute__((always_inline)) static inline void narrow(unsigned char *restrict out,
							 const uint32_t *restrict rows,
							 size_t count, size_t words, uint32_t first,
							 unsigned width)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t distance = rows[i * words] - first;
		memcpy(out + i * width, &distance, width);
	}
}

/* Returns the highest distance. */
__attribute__((always_inline)) static inline uint32_t widen(uint32_t *restrict rows, size_t count,
							    size_t words,
							    const unsigned char *restrict from,
							    uint32_t first, unsigned width)
{
	uint32_t highest = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t distance = 0;
		memcpy(&distance, from + i * width, width);
		rows[i * words] = first + distance;
		highest = distance > highest ? distance : highest;
	}
	return highest;
}

unsigned char *narrow_pack(unsigned char *out, const uint32_t *rows, size_t count, size_t words)
{
	for (size_t i = 0; i < words; i++) {
		struct narrow_word word = measure(rows + i, count, words);
		uint32_t first = word.least - 1;
		*out = (unsigned char)word.width;
		memcpy(out + 1, &word.least, sizeof word.least);
		out += NARROW_WORD_MIN;
		switch (word.width) {
		case 1: narrow(out, rows + i, count, words, first, 1); break;
		case 2: narrow(out, rows + i, count, words, first, 2); break;
		case 4: narrow(out, rows + i, count, words, first, 4); break;
		}
		out += word.width * count;
	}
	return out;
}

const unsigned char *narrow_unpack(const unsigned char *at, const unsigned char *end,
				   uint32_t *rows, size_t count, size_t words,
				   struct narrow_bounds *bounds)
{
	for (size_t i = 0; i < words; i++) {
		uint32_t least, highest = 0;
		if (end - at < NARROW_WORD_MIN)
			return NULL;
		unsigned width = *at;
		memcpy(&least, at + 1, sizeof least);
		at += NARROW_WORD_MIN;
		if ((size_t)(end - at) < width * count)
			return NULL;
		switch (width) {
		case 0: widen(rows + i, count, words, at, least - 1, 0); break;
		case 1: highest = widen(rows + i, count, words, at, least - 1, 1); break;
		case 2: highest = widen(rows + i, count, words, at, least - 1, 2); break;
		case 4: highest = widen(rows + i, count, words, at, least - 1, 4); break;
		default: return NULL;
		}
		if (least + highest < least)
			return NULL;
		at += width * count;
		bounds[i].least = least < bounds[i].least ? least : bounds[i].least;
		bounds[i].most =
			least + highest > bounds[i].most ? least + highest : bounds[i].most;
	}
	return at;
}

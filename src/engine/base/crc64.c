#include "base/crc64.h"

#ifdef HAVE_ISAL

#include <isa-l.h>

uint64_t crc64(uint64_t before, const void *data, size_t size)
{
	return crc64_ecma_refl(before, data, size);
}

#else

#include <pthread.h>
#include <string.h>

#define POLYNOMIAL 0xc96c5795d7870f42

enum { SLICES = 8 };

static uint64_t tables[SLICES][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
	for (unsigned i = 0; i < 256; i++) {
		uint64_t crc = i;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][i] = crc;
	}
	for (int slice = 1; slice < SLICES; slice++)
		for (unsigned i = 0; i < 256; i++) {
			uint64_t crc = tables[slice - 1][i];
			tables[slice][i] = crc >> 8 ^ tables[0][crc & 255];
		}
}

/* Slicing by 8: eight table lookups for eight bytes, independent of each other. */
uint64_t crc64(uint64_t before, const void *data, size_t size)
{
	const unsigned char *at = data;
	uint64_t crc = ~before;
	pthread_once(&once, make_tables);
	for (; size >= SLICES; size -= SLICES, at += SLICES) {
		uint64_t word; /* little-endian, as configure requires */
		memcpy(&word, at, sizeof word);
		word ^= crc;
		crc = 0;
		for (int slice = 0; slice < SLICES; slice++)
			crc ^= tables[SLICES - 1 - slice][word >> (8 * slice) & 255];
	}
	for (; size; size--)
		crc = crc >> 8 ^ tables[0][(crc ^ *at++) & 255];
	return ~crc;
}

#endif

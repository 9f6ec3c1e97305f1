#include "base/radix.h"

#include "base/mem.h"
#include "base/parallel.h"

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

enum { DIGITS = 8, DIGIT_VALUES = 256, PIECE_MIN = 1 << 16 /* keys worth a thread */ };

/*
 * One pass: distribute the keys by one byte. Pieces are counted and then moved by several threads,
 * each piece after the equal bytes of those before it, which keeps the order stable.
 */
struct pass {
	const struct keys *from;
	struct keys *to;
	int digit;
	size_t pieces;
	size_t (*next)[DIGIT_VALUES]; /* by piece: counts, then positions */
};

static const char stage[] = "sorting";

static size_t piece_start(const struct pass *pass, size_t piece)
{
	return pass->from->count * piece / pass->pieces;
}

static unsigned digit_of(const struct pass *pass, size_t i)
{
	return pass->from->key[i] >> pass->digit * 8 & 0xff;
}

static bool count_piece(void *context, size_t piece, const struct progress *progress)
{
	const struct pass *pass = context;
	size_t end = piece_start(pass, piece + 1);
	memset(pass->next[piece], 0, sizeof pass->next[piece]);
	for (size_t i = piece_start(pass, piece); i < end; i++)
		pass->next[piece][digit_of(pass, i)]++;
	return progress_update(progress, stage, 0, 0, 0);
}

static bool move_piece(void *context, size_t piece, const struct progress *progress)
{
	const struct pass *pass = context;
	size_t end = piece_start(pass, piece + 1), *next = pass->next[piece];
	for (size_t i = piece_start(pass, piece); i < end; i++) {
		size_t at = next[digit_of(pass, i)]++;
		if (!progress_row(progress, stage, i, pass->from->count))
			return false;
		pass->to->key[at] = pass->from->key[i];
		pass->to->place[at] = pass->from->place[i];
	}
	return true;
}

static void count_to_positions(const struct pass *pass)
{
	size_t sum = 0;
	for (int value = 0; value < DIGIT_VALUES; value++)
		for (size_t piece = 0; piece < pass->pieces; piece++) {
			size_t here = pass->next[piece][value];
			pass->next[piece][value] = sum;
			sum += here;
		}
}

static bool distribute(struct pass *pass, const struct progress *progress)
{
	if (!parallel_try(pass->pieces, count_piece, pass, stage, progress, NULL))
		return false;
	count_to_positions(pass);
	pass->to->count = pass->from->count;
	return parallel_try(pass->pieces, move_piece, pass, stage, progress, NULL);
}

static bool is_sorted(const struct keys *keys)
{
	for (size_t i = 1; i < keys->count; i++)
		if (keys->key[i - 1] > keys->key[i])
			return false;
	return true;
}

/* The bits in which the keys differ. */
static uint64_t varying_bits(const struct keys *keys)
{
	uint64_t bits = 0;
	for (size_t i = 1; i < keys->count; i++)
		bits |= keys->key[i] ^ keys->key[0];
	return bits;
}

bool radix_sort(struct keys *keys, const struct progress *progress)
{
	if (is_sorted(keys))
		return true;
	uint64_t bits = varying_bits(keys);
	size_t pieces = keys->count / PIECE_MIN + 1, threads = parallel_threads();
	struct keys other = keys_new(keys->count);
	struct pass pass = { keys, &other, 0, pieces < threads ? pieces : threads, NULL };
	pass.next = mem_alloc(pass.pieces * sizeof *pass.next);
	bool on = true;
	for (; pass.digit < DIGITS && on; pass.digit++) {
		if (!(bits >> pass.digit * 8 & 0xff))
			continue;
		on = distribute(&pass, progress);
		struct keys swap = *keys;
		*keys = other;
		other = swap;
	}
	keys_free(&other);
	mem_free(pass.next);
	return on;
}

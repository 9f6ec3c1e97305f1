#include "base/radix.h"

#include "base/mem.h"
#include "base/parallel.h"

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

FREE_MEMBERS(keys_free, struct keys, OWN(key) OWN(place))

enum { BYTE = 8, KEY_BITS = 64, DIGIT_VALUES = 256, PIECE_MIN = 1 << 16 /* keys worth a thread */ };

/*
 * One pass: distribute the keys by one byte. Pieces are counted and then moved by several threads,
 * each piece after the equal bytes of those before it, which keeps the order stable.
 */
struct pass {
	const struct keys *from;
	struct keys *to;
	bool packed;    /* places are in the keys */
	unsigned shift; /* of the byte */
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
	return pass->from->key[i] >> pass->shift & (DIGIT_VALUES - 1);
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
		if (!pass->packed)
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

/* Sort by the bytes from bit FROM on in which KEYS differ (VARYING); places move, too, or are
 * PACKED. */
static bool sort_bytes(struct keys *keys, unsigned from, uint64_t varying, bool packed,
		       const struct progress *progress)
{
	size_t pieces = keys->count / PIECE_MIN + 1, threads = parallel_threads();
	struct keys other = { mem_alloc(keys->count * sizeof *other.key),
			      packed ? NULL : mem_alloc(keys->count * sizeof *other.place), 0 };
	struct pass pass = {
		keys, &other, packed, from, pieces < threads ? pieces : threads, NULL
	};
	pass.next = mem_alloc(pass.pieces * sizeof *pass.next);
	bool ok = true;
	for (; pass.shift < KEY_BITS && ok; pass.shift += BYTE) {
		if (!(varying >> pass.shift & (DIGIT_VALUES - 1)))
			continue;
		ok = distribute(&pass, progress);
		uint64_t *swap = keys->key;
		keys->key = other.key;
		other.key = swap;
		uint32_t *places = keys->place;
		keys->place = packed ? places : other.place;
		other.place = packed ? NULL : places;
	}
	keys_free(&other);
	mem_free(pass.next);
	return ok;
}

/* What keys and places need. */
struct radix_extent {
	uint64_t least, most;
	uint64_t varying; /* bits in which the keys differ */
	uint32_t places;  /* bits of all places */
};

static struct radix_extent extent_of(const struct keys *keys)
{
	struct radix_extent extent = { keys->key[0], keys->key[0], 0, 0 };
	for (size_t i = 0; i < keys->count; i++) {
		uint64_t key = keys->key[i];
		extent.least = key < extent.least ? key : extent.least;
		extent.most = key > extent.most ? key : extent.most;
		extent.varying |= key ^ keys->key[0];
		extent.places |= keys->place[i];
	}
	return extent;
}

static unsigned bits_of(uint64_t value)
{
	return value ? KEY_BITS - (unsigned)__builtin_clzll(value) : 0;
}

/* Key and place in 64 bits, which takes two thirds of the memory, and one stream instead of two. */
struct radix_packing {
	struct keys *keys;
	uint64_t least; /* of the keys */
	unsigned place_bits;
};

static void pack(void *context, size_t from, size_t to)
{
	const struct radix_packing *packing = context;
	uint64_t *key = packing->keys->key;
	for (size_t i = from; i < to; i++)
		key[i] = (key[i] - packing->least) << packing->place_bits | packing->keys->place[i];
}

static void unpack(void *context, size_t from, size_t to)
{
	const struct radix_packing *packing = context;
	uint64_t *key = packing->keys->key, mask = ((uint64_t)1 << packing->place_bits) - 1;
	for (size_t i = from; i < to; i++) {
		packing->keys->place[i] = (uint32_t)(key[i] & mask);
		key[i] = (key[i] >> packing->place_bits) + packing->least;
	}
}

static bool sort_packed(struct keys *keys, const struct radix_extent *extent,
			const struct progress *progress)
{
	struct radix_packing packing = { keys, extent->least, bits_of(extent->places) };
	uint64_t bits = UINT64_MAX >> (KEY_BITS - bits_of(extent->most - extent->least));
	return parallel_ranges(keys->count, pack, &packing, stage, progress) &&
	       sort_bytes(keys, packing.place_bits, bits << packing.place_bits, true, progress) &&
	       parallel_ranges(keys->count, unpack, &packing, stage, progress);
}

bool radix_sort(struct keys *keys, const struct progress *progress)
{
	if (is_sorted(keys))
		return true;
	struct radix_extent extent = extent_of(keys);
	if (bits_of(extent.most - extent.least) + bits_of(extent.places) <= KEY_BITS)
		return sort_packed(keys, &extent, progress);
	return sort_bytes(keys, 0, extent.varying, false, progress);
}

#include "input/json_scan.h"

#if defined __aarch64__ && defined __GNUC__
#include <arm_neon.h>
#endif

static const char *quote_bytewise(const char *at, const char *end)
{
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

#if defined __x86_64__ && defined __GNUC__

__attribute__((target("avx2"))) static const char *quote_avx2(const char *at, const char *end)
{
	const __m256i quote = _mm256_set1_epi8('"'), slash = _mm256_set1_epi8('\\');
	for (; end - at >= 32; at += 32) {
		__m256i block = _mm256_loadu_si256((const __m256i *)(const void *)at);
		unsigned mask = (unsigned)_mm256_movemask_epi8(_mm256_or_si256(
			_mm256_cmpeq_epi8(block, quote), _mm256_cmpeq_epi8(block, slash)));
		if (mask)
			return at + __builtin_ctz(mask);
	}
	return quote_bytewise(at, end);
}

static const char *quote_sse2(const char *at, const char *end)
{
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
	for (; end - at >= 16; at += 16) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
		int mask = _mm_movemask_epi8(
			_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, slash)));
		if (mask)
			return at + __builtin_ctz((unsigned)mask);
	}
	return quote_bytewise(at, end);
}

const char *scan_quote_far(const char *at, const char *end)
{
	return scan_has_avx2() ? quote_avx2(at, end) : quote_sse2(at, end);
}
#else
const char *scan_quote_far(const char *at, const char *end)
{
	return quote_bytewise(at, end);
}
#endif

/* ---- nested values ---- */

/* Where the bytes of a block are of a kind: bit I for byte I. */
enum { BLOCK = 32 };
struct json_scan_marks {
	uint32_t quotes, slashes, opens, closes, commas; /* commas and colons */
};

typedef struct json_scan_marks mark_block(const char *block);

/* Bit I of the result: is the number of bits of MARKS up to I odd? */
static inline uint32_t odd_up_to(uint32_t marks)
{
	for (unsigned shift = 1; shift < BLOCK; shift *= 2)
		marks ^= marks << shift;
	return marks;
}

/* The bit of the bracket that closes the last of DEPTH, or 0. */
static inline uint32_t find_last_close(uint32_t opens, uint32_t closes, size_t depth)
{
	for (size_t closed = 1; closes; closes &= closes - 1, closed++) {
		uint32_t bit = closes & -closes;
		if (depth + (unsigned)__builtin_popcount(opens & (bit - 1)) == closed)
			return bit;
	}
	return 0;
}

/* Inlined into each form, with the function that marks its blocks. */
__attribute__((always_inline)) static inline const char *
pass_nested(const char *at, const char *end, size_t *depth, mark_block *mark)
{
	const char *opening = at;           /* the quote that began the last string */
	uint32_t in_string = 0, closed = 0; /* all bits: the block begins in, bit 0: after one */
	for (; end - at >= BLOCK; at += BLOCK) {
		struct json_scan_marks marks = mark(at);
		uint32_t inside = odd_up_to(marks.quotes) ^ in_string;
		uint32_t after = (marks.quotes & ~inside) << 1 | closed;
		uint32_t odd = marks.slashes | (after & ~(marks.commas | marks.closes));
		uint32_t opens = marks.opens & ~inside, closes = marks.closes & ~inside;
		size_t closing = (unsigned)__builtin_popcount(closes);
		uint32_t last = closing < *depth ? 0 : find_last_close(opens, closes, *depth);
		if (last && !(odd & (last | (last - 1)))) {
			*depth = 0;
			return at + __builtin_ctz(last) + 1;
		}
		if (odd)
			break;
		*depth += (unsigned)__builtin_popcount(opens) - closing;
		if (marks.quotes & inside)
			opening = at + (BLOCK - 1) - __builtin_clz(marks.quotes & inside);
		in_string = 0 - (inside >> (BLOCK - 1));
		closed = (marks.quotes & ~inside) >> (BLOCK - 1);
	}
	return in_string || closed ? opening : at;
}

/* Of a vector TEXT; FOLDED has its [ and ] as { and }. OF(vector, c) is the mask of bytes c. */
#define ADD_MARKS(marks, of, text, folded)                                                         \
	do {                                                                                       \
		(marks).quotes |= of(text, '"');                                                   \
		(marks).slashes |= of(text, '\\');                                                 \
		(marks).opens |= of(folded, '{');                                                  \
		(marks).closes |= of(folded, '}');                                                 \
		(marks).commas |= of(text, ',') | of(text, ':');                                   \
	} while (0)

#if defined __x86_64__ && defined __GNUC__
__attribute__((target("avx2"), always_inline)) static inline struct json_scan_marks
mark_avx2(const char *block)
{
	__m256i text = _mm256_loadu_si256((const __m256i *)(const void *)block);
	__m256i folded = _mm256_or_si256(text, _mm256_set1_epi8(0x20)); /* [ to {, ] to } */
#define marks_of(bytes, c)                                                                         \
	(uint32_t) _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c)))
	struct json_scan_marks marks = { 0 };
	ADD_MARKS(marks, marks_of, text, folded);
	return marks;
#undef marks_of
}

__attribute__((target("avx2,popcnt"))) static const char *
nested_avx2(const char *at, const char *end, size_t *depth)
{
	return pass_nested(at, end, depth, mark_avx2);
}

static struct json_scan_marks mark_sse2(const char *block)
{
	struct json_scan_marks marks = { 0 };
	for (int half = 0; half < 2; half++) {
		__m128i text = _mm_loadu_si128((const __m128i *)(const void *)block + half);
		__m128i folded = _mm_or_si128(text, _mm_set1_epi8(0x20));
#define marks_of(bytes, c)                                                                         \
	(uint32_t) _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))) << 16 * half
		ADD_MARKS(marks, marks_of, text, folded);
#undef marks_of
	}
	return marks;
}

static const char *nested_sse2(const char *at, const char *end, size_t *depth)
{
	return pass_nested(at, end, depth, mark_sse2);
}

#elif defined __aarch64__ && defined __GNUC__
/* Bit I: is byte I of EQUAL all ones? */
static inline uint32_t mask_neon(uint8x16_t equal)
{
	static const uint8_t bits[16] = {
		1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128
	};
	uint8x16_t kept = vandq_u8(equal, vld1q_u8(bits));
	return vaddv_u8(vget_low_u8(kept)) | (uint32_t)vaddv_u8(vget_high_u8(kept)) << 8;
}

static struct json_scan_marks mark_neon(const char *block)
{
	struct json_scan_marks marks = { 0 };
	for (int half = 0; half < 2; half++) {
		uint8x16_t text = vld1q_u8((const uint8_t *)block + 16 * half);
		uint8x16_t folded = vorrq_u8(text, vdupq_n_u8(0x20));
#define marks_of(bytes, c) mask_neon(vceqq_u8(bytes, vdupq_n_u8(c))) << 16 * half
		ADD_MARKS(marks, marks_of, text, folded);
#undef marks_of
	}
	return marks;
}

static const char *nested_neon(const char *at, const char *end, size_t *depth)
{
	return pass_nested(at, end, depth, mark_neon);
}
#endif

static struct json_scan_marks mark_plain(const char *block)
{
	struct json_scan_marks marks = { 0 };
	for (unsigned i = 0; i < BLOCK; i++) {
		char c = block[i];
		uint32_t bit = UINT32_C(1) << i;
		marks.quotes |= c == '"' ? bit : 0;
		marks.slashes |= c == '\\' ? bit : 0;
		marks.opens |= c == '[' || c == '{' ? bit : 0;
		marks.closes |= c == ']' || c == '}' ? bit : 0;
		marks.commas |= c == ',' || c == ':' ? bit : 0;
	}
	return marks;
}

static const char *nested_plain(const char *at, const char *end, size_t *depth)
{
	return pass_nested(at, end, depth, mark_plain);
}

static bool always(void)
{
	return true;
}

const struct scan_form scan_forms[] = {
#if defined __x86_64__ && defined __GNUC__
	{ "avx2", scan_has_avx2, nested_avx2 },
	{ "sse2", always, nested_sse2 },
#elif defined __aarch64__ && defined __GNUC__
	{ "neon", always, nested_neon },
#endif
	{ "plain", always, nested_plain },
};
const size_t scan_form_count = sizeof scan_forms / sizeof *scan_forms;

const char *scan_nested(const char *at, const char *end, size_t *depth)
{
#if defined __x86_64__ && defined __GNUC__
	return scan_has_avx2() ? nested_avx2(at, end, depth) : nested_sse2(at, end, depth);
#else
	return scan_forms[0].scan(at, end, depth);
#endif
}

/* ---- hashes of arrays ---- */

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
	return hash ^ hash >> 32;
}

const char *scan_hash(const char *at, const char *end, uint64_t *hash)
{
	const char *start = at, *last = end - at > SCAN_HASHED ? at + SCAN_HASHED : end;
	uint64_t word = 0, mixed = 0;
	size_t depth = 0;
	for (; at < last; at++) {
		word = word << 8 | (unsigned char)*at;
		if ((at - start) % 8 == 7)
			mixed = mix(mixed, word);
		depth += *at == '[';
		if (*at == ']' && --depth == 0) {
			*hash = mix(mixed, word);
			return at + 1;
		}
	}
	return NULL;
}

#if defined __x86_64__ && defined __GNUC__
/* LENGTH bytes of 0xff are read from its end backwards by the bytes to keep. */
static const uint8_t kept_bytes[2 * BLOCK] = { 255, 255, 255, 255, 255, 255, 255, 255,
					       255, 255, 255, 255, 255, 255, 255, 255,
					       255, 255, 255, 255, 255, 255, 255, 255,
					       255, 255, 255, 255, 255, 255, 255, 255 };

__attribute__((target("avx2,popcnt"))) const char *scan_hash_avx2(const char *at, const char *end,
								  uint64_t *hash)
{
	const __m256i opening = _mm256_set1_epi8('['), closing = _mm256_set1_epi8(']');
	const __m256i factor = _mm256_set1_epi32(0x1e98df25);
	const char *last = end - at > SCAN_HASHED ? at + SCAN_HASHED : end;
	__m256i mixed = _mm256_setzero_si256();
	size_t depth = 0;
	for (; last - at >= BLOCK; at += BLOCK) {
		__m256i text = _mm256_loadu_si256((const __m256i *)(const void *)at);
		uint32_t opens = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(text, opening));
		uint32_t closes = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(text, closing));
		uint32_t close = closes ? find_last_close(opens, closes, depth) : 0;
		if (close) {
			const uint8_t *keep = kept_bytes + BLOCK - 1 - __builtin_ctz(close);
			text = _mm256_and_si256(
				text, _mm256_loadu_si256((const __m256i *)(const void *)keep));
		}
		mixed = _mm256_mullo_epi32(_mm256_xor_si256(mixed, text), factor);
		mixed = _mm256_xor_si256(mixed, _mm256_srli_epi32(mixed, 15));
		if (close) {
			uint64_t word[4];
			memcpy(word, &mixed, sizeof word);
			*hash = mix(mix(word[0], word[1]),
				    word[2] + (word[3] << 29 | word[3] >> 35));
			return at + __builtin_ctz(close) + 1;
		}
		depth += (size_t)__builtin_popcount(opens);
		depth -= (size_t)__builtin_popcount(closes);
	}
	return NULL;
}
#endif

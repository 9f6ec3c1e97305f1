/*
 * SIMD inner loops over JSON text, with scalar fallbacks; none reads past END.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#endif

/* The first quote or backslash from AT on, or END; for texts that may be long. */
const char *scan_quote_far(const char *at, const char *end);

/* Likewise; most strings end within the first blocks. */
static inline const char *scan_quote(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
	for (int blocks = 0; blocks < 6 && end - at >= 16; blocks++, at += 16) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
		int mask = _mm_movemask_epi8(
			_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, slash)));
		if (mask)
			return at + __builtin_ctz((unsigned)mask);
	}
#endif
	return scan_quote_far(at, end);
}

/*
 * From AT, on or after the first bracket of a nested value and outside of strings, with *DEPTH
 * brackets open: pass over blocks of text whose strings have no escapes and are followed by , : ]
 * or
 * }. Returns the position after the bracket that closes the last, with *DEPTH 0, or a position
 * outside of strings from where the rest must be read otherwise. Updates *DEPTH.
 */
typedef const char *scan_nested_form(const char *at, const char *end, size_t *depth);
scan_nested_form scan_nested;

/* Its forms, best first; those the processor lacks are not usable. The last is the plain one. */
struct scan_form {
	const char *name;
	bool (*is_usable)(void);
	scan_nested_form *scan;
};
extern const struct scan_form scan_forms[];
extern const size_t scan_form_count;

/* The first non-blank byte from AT on, or END; usually one of the first. */
static inline const char *scan_blank(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i space = _mm_set1_epi8(' '), line = _mm_set1_epi8('\n');
	const __m128i tab = _mm_set1_epi8('\t'), feed = _mm_set1_epi8('\r');
	if (at == end || (unsigned char)*at > ' ')
		return at;
	if (*at == ' ' && end - at > 1 && (unsigned char)at[1] > ' ')
		return at + 1;
	for (; end - at >= 16; at += 16) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i usual =
			_mm_or_si128(_mm_cmpeq_epi8(block, space), _mm_cmpeq_epi8(block, line));
		__m128i rare =
			_mm_or_si128(_mm_cmpeq_epi8(block, tab), _mm_cmpeq_epi8(block, feed));
		unsigned mask = (unsigned)_mm_movemask_epi8(_mm_or_si128(usual, rare));
		if (mask != 0xffff)
			return at + __builtin_ctz(~mask);
	}
#endif
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* The end of a run of digits, '-', '.' and '/' from AT on. */
static inline const char *scan_number(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i below = _mm_set1_epi8('-' - 1), above = _mm_set1_epi8('9' + 1);
	for (; end - at >= 16; at += 16) {
		__m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
		int mask = _mm_movemask_epi8(
			_mm_and_si128(_mm_cmpgt_epi8(block, below), _mm_cmplt_epi8(block, above)));
		if (mask != 0xffff)
			return at + __builtin_ctz(~(unsigned)mask);
	}
#endif
	while (at < end && *at >= '-' && *at <= '9')
		at++;
	return at;
}

/*
 * Likewise where at least 16 bytes follow. Most numbers are short; a word of them is scanned sooner
 * than a vector, and the next value waits for the end of this one. Above the first byte that ends
 * the number the word may be wrong: carries go up.
 */
static inline const char *scan_number_near(const char *at, const char *end)
{
	uint64_t word, ends;
	memcpy(&word, at, sizeof word);
	ends = ((word - 0x2d2d2d2d2d2d2d2d) | (word + 0x4646464646464646)) & 0x8080808080808080;
	return ends ? at + __builtin_ctzll(ends) / 8 : scan_number(at + 8, end);
}

/* Are the first SCAN_MASKED bytes of A and B, both readable, equal where MASK has a bit? */
enum { SCAN_MASKED = 32 };
typedef bool scan_equal_form(const char *a, const char *b, uint32_t mask);
static inline bool scan_equal_masked(const char *a, const char *b, uint32_t mask)
{
#ifdef __SSE2__
	__m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
				     _mm_loadu_si128((const __m128i *)(const void *)b));
	__m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(a + 16)),
				      _mm_loadu_si128((const __m128i *)(const void *)(b + 16)));
	uint32_t equal = (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
	return (mask & ~equal) == 0;
#else
	for (; mask; mask >>= 1, a++, b++)
		if (mask & 1 && *a != *b)
			return false;
	return true;
#endif
}

/* The first quote or backslash from AT on, or END, where at least 2 * SCAN_MASKED bytes follow. */
typedef const char *scan_quote_form(const char *at, const char *end);

/*
 * Hash the array that starts at AT: up to the bracket that closes it, where no brackets in strings
 * mislead. Returns the position after that bracket; NULL beyond SCAN_HASHED bytes and near END.
 */
enum { SCAN_HASHED = 512 };
typedef const char *scan_hash_form(const char *at, const char *end, uint64_t *hash);
scan_hash_form scan_hash;

#if defined __x86_64__ && defined __GNUC__
/* Both for functions that are called only where the processor has AVX2. */
__attribute__((target("avx2"))) static inline bool
scan_equal_masked_avx2(const char *a, const char *b, uint32_t mask)
{
	__m256i equal = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)a),
					  _mm256_loadu_si256((const __m256i *)(const void *)b));
	return (mask & ~(uint32_t)_mm256_movemask_epi8(equal)) == 0;
}

__attribute__((target("avx2"))) static inline uint32_t scan_quotes_avx2(const char *block)
{
	__m256i text = _mm256_loadu_si256((const __m256i *)(const void *)block);
	return (uint32_t)_mm256_movemask_epi8(
		_mm256_or_si256(_mm256_cmpeq_epi8(text, _mm256_set1_epi8('"')),
				_mm256_cmpeq_epi8(text, _mm256_set1_epi8('\\'))));
}

__attribute__((target("avx2"))) static inline const char *scan_quote_near_avx2(const char *at,
									       const char *end)
{
	uint64_t marks = scan_quotes_avx2(at) | (uint64_t)scan_quotes_avx2(at + SCAN_MASKED)
							<< SCAN_MASKED;
	return marks ? at + __builtin_ctzll(marks) : scan_quote_far(at + 2 * SCAN_MASKED, end);
}

scan_hash_form scan_hash_avx2;

static inline bool scan_has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}
#endif

/* Inlined memcmp(a, b, length) == 0. */
static inline bool scan_equal(const char *a, const char *b, size_t length)
{
#ifdef __SSE2__
	if (length >= 16) {
		const char *last = a + length - 16;
		for (; a < last; a += 16, b += 16) {
			__m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
			__m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
			if (_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) != 0xffff)
				return false;
		}
		b -= a - last;
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)last);
		__m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
		return _mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) == 0xffff;
	}
#else
	if (length > 16)
		return memcmp(a, b, length) == 0;
#endif
	/* Two overlapping loads cover every length up to 16. */
	if (length >= 8) {
		unsigned long long x[2], y[2];
		memcpy(&x[0], a, 8);
		memcpy(&x[1], a + length - 8, 8);
		memcpy(&y[0], b, 8);
		memcpy(&y[1], b + length - 8, 8);
		return x[0] == y[0] && x[1] == y[1];
	}
	if (length >= 4) {
		unsigned x[2], y[2];
		memcpy(&x[0], a, 4);
		memcpy(&x[1], a + length - 4, 4);
		memcpy(&y[0], b, 4);
		memcpy(&y[1], b + length - 4, 4);
		return x[0] == y[0] && x[1] == y[1];
	}
	while (length && *a == *b)
		a++, b++, length--;
	return length == 0;
}

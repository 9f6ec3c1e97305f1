#include "input/json_scan.h"

static const char *quote_bytewise(const char *at, const char *end)
{
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

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
	return __builtin_cpu_supports("avx2") ? quote_avx2(at, end) : quote_sse2(at, end);
}
#else
const char *scan_quote_far(const char *at, const char *end)
{
	return quote_bytewise(at, end);
}
#endif

#include "test.h"

#include "base/error.h"
#include "base/pattern.h"
#include "base/pattern_literals.h"

#include <string.h>

static bool matches(const char *expression, const char *text)
{
	struct pattern *pattern = pattern_new(expression, NULL);
	assert_non_null(pattern);
	bool found = pattern_match(pattern, text, strlen(text), NULL, NULL);
	assert_true(pattern_completed(pattern, NULL));
	pattern_free(pattern);
	return found;
}

TEST(case_is_smart)
{
	assert_true(matches("conv", "aten::Conv2d"));
	assert_false(matches("Conv", "aten::conv2d"));
	assert_true(matches("\\Sonv", "CONV"));
	assert_true(matches("\\p{Lu}onv", "Conv"));
}

TEST(finds_match_range)
{
	struct pattern *pattern = pattern_new("[0-9]+x[0-9]+", NULL);
	size_t start = 0, end = 0;
	assert_true(pattern_match(pattern, "sgemm_128x64_nn", 15, &start, &end));
	assert_int_equal(start, 6);
	assert_int_equal(end, 12);
	assert_false(pattern_match(pattern, "sgemm_128x64_nn", 8, &start, &end));
	pattern_rest(pattern);
	assert_true(pattern_match(pattern, "sgemm_128x64_nn", 15, &start, &end));
	assert_int_equal(start, 6);
	pattern_free(pattern);
}

static bool may_match(const char *expression, const char *characters)
{
	struct pattern *pattern = pattern_new(expression, NULL);
	assert_non_null(pattern);
	bool may = pattern_may_match(pattern, characters);
	pattern_free(pattern);
	return may;
}

/* False only if no text of these characters can match. */
TEST(rejects_impossible_characters)
{
	static const char numbers[] = "0123456789. msKMG";
	assert_false(may_match("conv", numbers));
	assert_false(may_match("relu|conv", numbers));
	assert_false(may_match("1.*x", numbers));
	assert_true(may_match("1.*s", numbers));
	assert_true(may_match("12|conv", numbers));
	assert_true(may_match("g", numbers)); /* smart case: lower case matches both */
	assert_true(may_match("k", numbers));
	assert_true(may_match(".*", numbers));
	assert_true(may_match("", numbers));
	assert_true(may_match("(?=x)?5", numbers));
	assert_true(may_match("[^a]", numbers));
}

TEST(tolerates_invalid_utf8)
{
	assert_true(matches("tail", "\xff\xfe tail"));
	assert_true(matches("head", "head \xe6\xbc"));
	struct pattern *pattern = pattern_new("b", NULL);
	assert_true(pattern_match(pattern, "a\0b", 3, NULL, NULL));
	assert_false(pattern_match(pattern, "", 0, NULL, NULL));
	pattern_free(pattern);
}

TEST(reports_position_of_syntax_error)
{
	struct error error = { 0 };
	assert_null(pattern_new("conv(", &error));
	assert_int_equal(error.code, ERROR_USAGE);
	assert_non_null(strstr(error.message, "byte 5"));
	assert_memory_equal(error.brief, "invalid at byte 5: ", 19);
	assert_null(pattern_new("\xff", &error));
	assert_int_equal(error.code, ERROR_USAGE);
	char endless[8192];
	memset(endless, 'a', sizeof endless);
	endless[sizeof endless - 1] = 0;
	assert_null(pattern_new(endless, &error));
	assert_int_equal(error.code, ERROR_USAGE);
}

TEST(limits_backtracking)
{
	struct pattern *pattern = pattern_new("(a+)+$", NULL);
	char text[64];
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = 'b';
	struct error error = { 0 };
	assert_true(pattern_completed(pattern, &error));
	assert_false(pattern_match(pattern, text, sizeof text, NULL, NULL));
	assert_false(pattern_completed(pattern, &error));
	assert_int_equal(error.code, ERROR_LIMIT);
	pattern_free(pattern);
}

/* A rule finds the same before and after it is compiled to machine code. */
TEST(rule_matches_as_a_pattern)
{
	static const char *const texts[] = { "aten::conv2d", "aten::mm", "volta_sgemm_128x64_nn",
					     "\xff conv",    "",         "Memcpy HtoD" };
	struct pattern *rule = pattern_new_rule("(?<![a-z])mm(?![a-z])|conv|s?gemm_\\w+$");
	struct pattern *pattern = pattern_new("(?<![a-z])mm(?![a-z])|conv|s?gemm_\\w+$", NULL);
	for (size_t i = 0; i < 10000; i++) {
		const char *text = texts[i % (sizeof texts / sizeof *texts)];
		size_t start[2] = { 0 }, end[2] = { 0 };
		bool found = pattern_match(pattern, text, strlen(text), &start[0], &end[0]);
		assert_int_equal(pattern_match(rule, text, strlen(text), &start[1], &end[1]),
				 found);
		assert_int_equal(start[1], start[0]);
		assert_int_equal(end[1], end[0]);
	}
	pattern_free(pattern);
	pattern_free(rule);
}

static bool may_fit(const char *expression, const char *text)
{
	struct pattern_literals literals;
	struct letter_pairs pairs;
	pattern_literals_find(&literals, expression);
	letter_pairs_of(&pairs, text, strlen(text));
	return pattern_literals_fit(&literals, &pairs);
}

/* No text that matches lacks the literals of the expression, whatever stands around them. */
TEST(literals_fit_every_match)
{
	static const char *const expressions[] = { "conv|s?gemm_\\w+$",
						   "(?<![a-z])(h|i|wg)mma(?![a-z])",
						   "splitk_?reduce|postgsu",
						   "^(void )?(dot|scal)_kern",
						   "(wgrad|dgrad)(2d)?_(alg[01]_)?x",
						   "(ab|cd)*ef+",
						   "(ab|cd){0}ef",
						   "(?=conv)\\w+2d",
						   "(?i:CONV)2d",
						   "a{2}|conv",
						   "[c]onv.d",
						   "gemm#?|",
						   "\\x63onv|mma",
						   "(conv|c)2d",
						   "()|gemm",
						   "kernel",
						   "Conv",
						   "conv2d|m[0-9]+n" };
	static const char *const texts[] = { "aten::Conv2d",
					     "c2d",
					     "volta_sgemm_128x64_nn",
					     "wgmma",
					     "IMMA.16",
					     "gemmx splitKreduce",
					     "split_reduce",
					     "void scal_kernel<float>",
					     "dot_kern",
					     "dgrad2d_alg0_x",
					     "wgrad_x",
					     "ef",
					     "cdabeff",
					     "m16n8k16",
					     "\xe2\x84\xaa"
					     "ernel",
					     "",
					     "a" };
	size_t left_out = 0, found = 0;
	for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
		for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
			bool match = matches(expressions[i], texts[j]);
			found += match;
			left_out += !may_fit(expressions[i], texts[j]);
			assert_true(!match || may_fit(expressions[i], texts[j]));
		}
	assert_true(found > 30);
	assert_true(left_out > 100);
}

TEST(literals_of_alternatives)
{
	assert_false(may_fit("(s|h|gc)(gemm|cudnn)|_dgemm", "at::native::vectorized_elementwise"));
	assert_true(may_fit("(s|h|gc)(gemm|cudnn)|_dgemm", "ampere_SGEMM_32x32"));
	assert_false(may_fit("(?<![a-z])(h|i|wg)mma(?![a-z])", "softmax_warp_forward"));
	assert_true(may_fit("softmax|[a-z]+", "x")); /* of one alternative nothing is known */
	assert_true(may_fit("(?#softmax)x", "x"));
	assert_true(may_fit("softmax?", "softma"));
	assert_true(may_fit("softmax", "SOFTMAX \xff"));
}

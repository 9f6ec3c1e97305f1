/* Invalid JSON strings: unescaped quotes, log lines, other encodings. */
#include "trace_case.h"

#include <stdio.h>

/* One damaged event between two valid ones, which must both survive. */
#define BETWEEN(event)                                                                             \
	DOCUMENT(OPERATOR("before", "10", "5") "," event "," OPERATOR("after", "90", "5"))
#define NAMED(name)                                                                                \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,"              \
	"\"ts\":50,\"dur\":7,\"args\":{\"External id\":12}}"

static struct profile *open_between(const char *text)
{
	struct profile *profile = trace_open(text);

	assert_int_equal(profile->spans, 3);
	assert_string_equal(span_text(profile, 0), "before");
	assert_string_equal(span_text(profile, 2), "after");
	assert_int_equal(profile->span_dur[0], 5000);
	assert_int_equal(profile->span_start[2] - profile->span_start[0], 80000);
	return profile;
}

static void assert_named(const char *text, const char *name, uint64_t damages)
{
	struct profile *profile = open_between(text);

	assert_string_equal(span_text(profile, 1), name);
	assert_int_equal(profile->span_dur[1], 7000);
	assert_int_equal(profile_op_ids(profile, 1)->external_id, 12);
	assert_int_equal(damage_count(profile, NULL), damages);
	profile_free(profile);
}

TEST(plain_escapes)
{
	assert_named(BETWEEN(NAMED("a\\\"b\\\\c\\/d\\u00e9\\ud83d\\ude00\\n")),
		     "a\"b\\c/d\xc3\xa9\xf0\x9f\x98\x80\n", 0);
}

TEST(escapes_in_capitals)
{
	assert_named(BETWEEN(NAMED("\\u00E9\\uD83D\\uDE00\\u20AC\\u00Bc")),
		     "\xc3\xa9\xf0\x9f\x98\x80\xe2\x82\xac\xc2\xbc", 0);
}

TEST(escapes_in_category)
{
	assert_named(
		BETWEEN("{\"ph\":\"X\",\"cat\":\"cpu\\u005fop\",\"name\":\"mm\",\"pid\":1,\"tid\":1,"
			"\"ts\":50,\"dur\":7,\"args\":{\"External id\":12}}"),
		"mm", 0);
}

TEST(quote_in_name)
{
	assert_named(BETWEEN(NAMED("say \"hi\" now")), "say \"hi\" now", 1);
}

TEST(quote_at_the_end_of_name)
{
	assert_named(BETWEEN(NAMED("operator\"\"")), "operator\"\"", 1);
}

TEST(windows_path)
{
	assert_named(BETWEEN(NAMED("C:\\Users\\x.py(3): f")), "C:\\Users\\x.py(3): f", 1);
}

/* The last backslash is no escape, if the string ends there. */
TEST(windows_folder)
{
	assert_named(BETWEEN(NAMED("C:\\data\\")), "C:\\data\\", 1);
	assert_named(BETWEEN(NAMED("C:\\data\\\" said")), "C:\\data\" said", 1);
}

TEST(newline_in_name)
{
	assert_named(BETWEEN(NAMED("two\nlines")), "two\nlines", 1);
}

TEST(control_byte_in_name)
{
	assert_named(BETWEEN(NAMED("bell\x07")), "bell\x07", 1);
}

TEST(not_utf8)
{
	struct profile *profile = open_between(BETWEEN(NAMED("caf\xe9")));
	assert_string_equal(span_text(profile, 1), "caf\xe9");
	profile_free(profile);
}

TEST(zero_byte_escape)
{
	struct profile *profile = open_between(BETWEEN(NAMED("a\\u0000b")));
	assert_int_equal(intern_length(profile->strings, profile->span_name[1]), 3);
	profile_free(profile);
}

TEST(braces_in_name)
{
	assert_named(BETWEEN(NAMED("lambda()#1}::operator() const::{\\\"ph\\\": [")),
		     "lambda()#1}::operator() const::{\"ph\": [", 0);
}

TEST(quote_in_concrete_inputs)
{
	struct profile *profile = open_between(BETWEEN(
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"fill\",\"pid\":1,\"tid\":1,\"ts\":50,"
		"\"dur\":7,\"args\":{\"External id\":12,\"Concrete Inputs\": [\"\", \"{\"a\": 1}\", "
		"\"False\"], \"Input Dims\": [[2, 3], [], []], \"Ev Idx\": 4}}"));
	const struct op_info *info = profile_op_info(profile, 1);

	assert_string_equal(span_text(profile, 1), "fill");
	assert_int_equal(profile_op_ids(profile, 1)->external_id, 12);
	assert_string_equal(profile_string(profile, info->shapes), "[[2,3],[],[]]");
	assert_int_equal(damage_count(profile, NULL), 1);
	profile_free(profile);
}

TEST(duplicate_key)
{
	struct profile *profile = open_between(BETWEEN(
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"old\",\"pid\":1,\"tid\":1,\"ts\":49,"
		"\"ts\":50,\"dur\":7,\"name\":\"new\",\"args\":{\"External id\":1,"
		"\"External id\":12}}"));

	assert_string_equal(span_text(profile, 1), "new");
	assert_int_equal(profile->span_start[1] - profile->span_start[0], 40000);
	assert_int_equal(profile_op_ids(profile, 1)->external_id, 12);
	assert_in_range(damage_count(profile, NULL), 2, 3);
	profile_free(profile);
}

/* A phase that is none does not replace another, in whichever order and near the end of the text.
 */
TEST(odd_phases)
{
	static const struct {
		const char *members;
		size_t spans, duplicates, without;
	} cases[] = {
		{ "\"ph\":\"X\"", 1, 0, 0 },
		{ "\"ph\":\"\"", 0, 0, 1 },
		{ "\"ph\":5", 0, 0, 1 },
		{ "\"ph\":null", 0, 0, 1 },
		{ "\"ph\":[\"X\"]", 0, 0, 1 },
		{ "\"ph\":\"\",\"ph\":\"X\"", 1, 0, 0 },
		{ "\"ph\":\"X\",\"ph\":7", 1, 1, 0 },
		{ "\"ph\" : \"M\",\"ph\":\"X\"", 1, 1, 0 },
	};
	static const char rest[] = "\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,"
				   "\"ts\":1,\"dur\":2}";
	for (size_t i = 0; i < sizeof cases / sizeof *cases * 2; i++) {
		char text[1024], room[256] = "";
		snprintf(room, i % 2 ? sizeof room : 1, "%200s", "");
		snprintf(text, sizeof text,
			 DOCUMENT(EVENT("cpu_op", "b", "1", "1", "9", "2", "{}") ",{%s,%s") "%s",
			 cases[i / 2].members, rest, room);
		struct profile *profile = trace_open(text);
		assert_int_equal(profile->spans, 1 + cases[i / 2].spans);
		assert_int_equal(damage_count(profile, "duplicate key in an event"),
				 cases[i / 2].duplicates);
		assert_int_equal(damage_count(profile, "event without a phase"),
				 cases[i / 2].without);
		profile_free(profile);
	}
}

TEST(bare_words)
{
	struct profile *profile = trace_open(DOCUMENT(LAUNCH(
		"1",
		"5") ","
		     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":10,"
		     "\"dur\":7,\"args\":{\"device\":0,\"stream\":7,\"correlation\":5,"
		     "\"blocks per SM\": inf,\"warps per SM\": -nan,\"est. achieved occupancy %\": NaN,"
		     "\"grid\": [2, 3, 4]}}," OPERATOR("after", "90", "5")));
	uint32_t kernel = activity_named(profile, "k");
	const struct launch_config *config = profile_config(profile, kernel);

	assert_int_equal(profile->activity_dur[kernel], 7000);
	assert_int_equal(profile->activity_correlation[kernel], 5);
	assert_true(config->blocks_per_sm != config->blocks_per_sm ||
		    config->blocks_per_sm > 1e30f);
	assert_true(config->occupancy_pct != config->occupancy_pct);
	assert_int_equal(config->grid[2], 4);
	span_named(profile, "after");
	profile_free(profile);
}

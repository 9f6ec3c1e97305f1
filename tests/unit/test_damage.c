/* Traces truncated anywhere or with corrupted bytes open partially or are refused. */
#include "trace_case.h"

#include <isa-l.h>

enum { CUTS = 200, FLIPS = 300 };

static uint64_t random_state = 42;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (random_state >> 33) % limit;
}

static bool is_nested(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->spans; i++) {
		uint32_t parent = profile->span_parent[i];
		if (profile->span_size[i] < 1 || profile->span_dur[i] < 0)
			return false;
		if (parent != NO_ROW && (parent >= i || parent + profile->span_size[parent] <
								i + profile->span_size[i]))
			return false;
	}
	return true;
}

static bool is_linked(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (launch != NO_ROW &&
		    (launch >= profile->spans || profile->span_kind[launch] != SPAN_RUNTIME))
			return false;
	}
	return true;
}

/* Returns the number of events read, or -1 if the trace was refused with a message. */
static int64_t open_damaged(const void *bytes, size_t length)
{
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(bytes, length, &error);

	if (!profile) {
		assert_int_equal(error.code, ERROR_INPUT);
		assert_true(error.message[0] != 0);
		return -1;
	}
	assert_true(is_nested(profile));
	assert_true(is_linked(profile));
	int64_t events = (int64_t)profile->events;
	profile_free(profile);
	return events;
}

static void test_truncated_json_keeps_events_before_cut(void **state)
{
	size_t length;
	char *text = trace_generate("--steps 1 --layers 4 --stacks 4", &length);
	int64_t whole = open_damaged(text, length);

	(void)state;
	assert_true(whole > 800);
	for (int i = 0; i < CUTS; i++) {
		size_t at = random_below(length);
		int64_t events = open_damaged(text, at);
		/* events are of similar size: expect most of those before the cut */
		int64_t expected = whole * (int64_t)at / (int64_t)length;
		assert_true(events <= whole);
		if (at > 8192)
			assert_in_range(events, expected / 2, expected * 3 / 2 + 10);
	}
	mem_free(text);
}

static void test_truncated_gzip_keeps_events_before_cut(void **state)
{
	size_t length;
	char *text = trace_generate("--steps 1 --layers 4 --stacks 4", &length);
	unsigned char *packed = mem_alloc(length);
	struct isal_zstream stream;

	(void)state;
	isal_deflate_init(&stream);
	stream.gzip_flag = IGZIP_GZIP;
	stream.end_of_stream = 1;
	stream.next_in = (uint8_t *)text;
	stream.avail_in = (uint32_t)length;
	stream.next_out = packed;
	stream.avail_out = (uint32_t)length;
	assert_int_equal(isal_deflate(&stream), COMP_OK);
	size_t size = stream.total_out;
	int64_t whole = open_damaged(packed, size), opened = 0;
	for (int i = 0; i < CUTS; i++) {
		int64_t events = open_damaged(packed, random_below(size));
		assert_true(events <= whole);
		opened += events > 0;
	}
	assert_true(opened > CUTS * 3 / 4);
	mem_free(packed);
	mem_free(text);
}

static void test_corrupted_bytes_cost_few_events(void **state)
{
	static const char bytes[] = "\"\\{}[],:0-. \n\x01\x80\xff"
				    "e";
	size_t length;
	char *text = trace_generate("--steps 1 --layers 1 --stacks 0", &length);
	char *copy = mem_alloc(length);
	int64_t whole = open_damaged(text, length);

	(void)state;
	for (int i = 0; i < FLIPS; i++) {
		memcpy(copy, text, length);
		for (uint64_t flips = 1 + random_below(6); flips--;)
			copy[random_below(length)] = bytes[random_below(sizeof bytes)];
		/* a few corrupted bytes cost a few events, never the rest of the file */
		int64_t events = open_damaged(copy, length);
		assert_in_range(events, whole - whole / 10, whole + 10);
	}
	mem_free(copy);
	mem_free(text);
}

static void test_missing_pieces_cost_few_events(void **state)
{
	size_t length;
	char *text = trace_generate("--steps 1 --layers 1 --stacks 0", &length);
	char *copy = mem_alloc(length);
	int64_t whole = open_damaged(text, length);

	(void)state;
	for (int i = 0; i < FLIPS; i++) {
		size_t from = random_below(length), gap = random_below(length / 20);
		if (gap > length - from)
			gap = length - from;
		memcpy(copy, text, from);
		memcpy(copy + from, text + from + gap, length - from - gap);
		int64_t events = open_damaged(copy, length - gap);
		if (from > 4096)
			assert_in_range(events, whole - whole / 8, whole + 10);
	}
	mem_free(copy);
	mem_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated_json_keeps_events_before_cut),
		cmocka_unit_test(test_truncated_gzip_keeps_events_before_cut),
		cmocka_unit_test(test_corrupted_bytes_cost_few_events),
		cmocka_unit_test(test_missing_pieces_cost_few_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

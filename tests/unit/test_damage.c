/* Traces truncated anywhere or with corrupted bytes open partially or are refused. */
#include "trace_case.h"

#include <isa-l.h>
#include <math.h>
#include <stdio.h>

enum { CUTS = 200, FLIPS = 300 };

static uint64_t random_state = 42;

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

TEST(truncated_json_keeps_events_before_cut)
{
	size_t length;
	char *text = trace_generate("--steps 1 --layers 4 --stacks 4", &length);
	int64_t whole = open_damaged(text, length);

	assert_true(whole > 800);
	for (int i = 0; i < CUTS; i++) {
		size_t at = random_below(&random_state, length);
		int64_t events = open_damaged(text, at);
		/* events are of similar size: expect most of those before the cut */
		int64_t expected = whole * (int64_t)at / (int64_t)length;
		assert_true(events <= whole);
		if (at > 8192)
			assert_in_range(events, expected / 2, expected * 3 / 2 + 10);
	}
	mem_free(text);
}

TEST(truncated_gzip_keeps_events_before_cut)
{
	size_t length;
	char *text = trace_generate("--steps 1 --layers 4 --stacks 4", &length);
	unsigned char *packed = mem_alloc(length);
	struct isal_zstream stream;

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
		int64_t events = open_damaged(packed, random_below(&random_state, size));
		assert_true(events <= whole);
		opened += events > 0;
	}
	assert_true(opened > CUTS * 3 / 4);
	mem_free(packed);
	mem_free(text);
}

TEST(corrupted_bytes_cost_few_events)
{
	static const char bytes[] = "\"\\{}[],:0-. \n\x01\x80\xff"
				    "e";
	size_t length;
	char *text = trace_generate("--steps 1 --layers 1 --stacks 0", &length);
	char *copy = mem_alloc(length);
	int64_t whole = open_damaged(text, length);

	for (int i = 0; i < FLIPS; i++) {
		memcpy(copy, text, length);
		for (uint64_t flips = 1 + random_below(&random_state, 6); flips--;)
			copy[random_below(&random_state, length)] =
				bytes[random_below(&random_state, sizeof bytes)];
		/* a few corrupted bytes cost a few events, never the rest of the file */
		int64_t events = open_damaged(copy, length);
		assert_in_range(events, whole - whole / 10, whole + 10);
	}
	mem_free(copy);
	mem_free(text);
}

TEST(missing_pieces_cost_few_events)
{
	size_t length;
	char *text = trace_generate("--steps 1 --layers 1 --stacks 0", &length);
	char *copy = mem_alloc(length);
	int64_t whole = open_damaged(text, length);

	for (int i = 0; i < FLIPS; i++) {
		size_t from = random_below(&random_state, length),
		       gap = random_below(&random_state, length / 20);
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

/* Two ids of 2^63 or more are not one: what they would link is not linked, and counted. */
TEST(large_ids_stay_apart)
{
	struct profile *profile = trace_open(DOCUMENT(
		LAUNCH("1", "9223372036854775809") "," LAUNCH("5", "9223372036854775810") "," LAUNCH("8", "9223372036854775806") "," KERNEL("a", "10", "1", "9223372036854775809") "," KERNEL(
			"b", "20", "1",
			"18446744073709551615") "," KERNEL("c", "30", "1",
							   "9223372036854775806") "," EVENT("cpu_op",
											    "d",
											    "1",
											    "9223372036854775811",
											    "40",
											    "1",
											    "{}") "," EVENT("cpu_op",
													    "e",
													    "1",
													    "9223372036854775812",
													    "40",
													    "1",
													    "{}")));

	assert_int_equal(profile->activity_launch[activity_named(profile, "a")], NO_ROW);
	assert_int_equal(profile->activity_launch[activity_named(profile, "b")], NO_ROW);
	assert_int_not_equal(profile->activity_launch[activity_named(profile, "c")], NO_ROW);
	assert_int_equal(damage_count(profile, "id of 2^63 or more"), 4);
	assert_int_not_equal(profile->span_track[span_named(profile, "d")],
			     profile->span_track[span_named(profile, "e")]);
	profile_free(profile);
}

#define COPY(ts, bytes)                                                                            \
	EVENT("gpu_memcpy", "Memcpy HtoD", "0", "7", ts, "1", "{\"bytes\":" bytes "}")
#define OCCUPIED(name, percent)                                                                    \
	EVENT("kernel", name, "0", "7", "10", "1", "{\"est. achieved occupancy %\":" percent "}")
#define ALLOCATED(ts, bytes, total)                                                                \
	"{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" ts                       \
	",\"args\":{\"Bytes\":" bytes ",\"Total Allocated\":" total                                \
	",\"Addr\":16,\"Device Id\":0,\"Device Type\":1}}"

/* Sizes and shares that no device has are unknown, so that no sum contains them. */
TEST(absurd_device_values_are_unknown)
{
	struct profile *profile = trace_open(DOCUMENT(
		OCCUPIED("a", "1000000000") "," OCCUPIED("b", "-1") "," OCCUPIED("c", "100") "," COPY("20", "-100") "," COPY("30", "9223372036854775807") "," COPY(
			"40",
			"17592186044417") "," COPY("50",
						   "17592186044416") "," ALLOCATED("60",
										   "9000000000000000000",
										   "9000000000000000000") "," ALLOCATED("70",
															"-512",
															"-512")));

	assert_true(isnan(profile->configs[profile->activity_config[activity_named(profile, "a")]]
				  .occupancy_pct));
	assert_true(isnan(profile->configs[profile->activity_config[activity_named(profile, "b")]]
				  .occupancy_pct));
	assert_true(profile->configs[profile->activity_config[activity_named(profile, "c")]]
			    .occupancy_pct == 100);
	assert_int_equal(damage_count(profile, "occupancy below 0 or above 100 %"), 2);
	assert_int_equal(profile->activity_bytes[3], NO_VALUE);
	assert_int_equal(profile->activity_bytes[4], NO_VALUE);
	assert_int_equal(profile->activity_bytes[5], NO_VALUE);
	assert_int_equal(profile->activity_bytes[6], INT64_C(1) << 44);
	assert_int_equal(damage_count(profile, "size below 0 or above 16 TiB"), 5);
	assert_int_equal(profile->memory_events[0].bytes, 0);
	assert_int_equal(profile->memory_events[0].total_allocated, NO_VALUE);
	assert_int_equal(profile->memory_events[1].bytes, -512);
	assert_int_equal(profile->memory_events[1].total_allocated, -512);
	profile_free(profile);
}

/* What info says of the damage CAUSE, in TEXT of SIZE bytes. */
static void reported(const struct run *run, const char *cause, char *text, size_t size)
{
	struct table *table = trace_view(run, "info", NULL, NULL);
	*text = '\0';
	for (size_t row = 0; row < table->rows; row++)
		if (!strcmp(table_cell(table, row, "metric").text, cause))
			snprintf(text, size, "%s", table_cell(table, row, "value").text);
	table_free(table);
}

TEST(info_reports_absurd_device_values)
{
	static const char document[] = DOCUMENT(OCCUPIED("a", "1000000000") "," OCCUPIED(
		"b", "-1") "," OCCUPIED("c", "100") "," COPY("20", "-100"));
	struct run *run = trace_run_bytes(document, sizeof document - 1);
	char text[80];
	reported(run, "occupancy below 0 or above 100 %", text, sizeof text);
	assert_string_equal(text, "2 times, treated as missing");
	reported(run, "size below 0 or above 16 TiB", text, sizeof text);
	assert_string_equal(text, "once, treated as missing");
	run_free(run);
}

#define MATMUL(ts, id) EVENT("cpu_op", "aten::mm", "1", "1", ts, "5", "{\"External id\":" id "}")

/* Repeated ids tell a repetition from an operator that calls itself. */
TEST(info_counts_events_recorded_twice)
{
	static const char twice[] = DOCUMENT(
		MATMUL("1", "3") "," LAUNCH("2", "1") "," KERNEL("gemm", "9", "4", "1") "," MATMUL(
			"1", "3") "," LAUNCH("2", "1") "," KERNEL("gemm", "9", "4", "1"));
	static const char once[] = DOCUMENT(
		MATMUL("1", "3") "," MATMUL("1", "4") "," OPERATOR("aten::to", "7", "1") "," OPERATOR(
			"aten::to", "7",
			"1") "," LAUNCH("2", "1") "," LAUNCH("2",
							     "2") "," KERNEL("gemm", "9", "4",
									     "1") "," KERNEL("gemm",
											     "13",
											     "4",
											     "2"));
	char text[80];
	struct run *run = trace_run_bytes(twice, sizeof twice - 1);
	reported(run, "event recorded twice", text, sizeof text);
	assert_string_equal(text, "3 times, kept");
	run_free(run);
	run = trace_run_bytes(once, sizeof once - 1);
	reported(run, "event recorded twice", text, sizeof text);
	assert_string_equal(text, "");
	run_free(run);
}

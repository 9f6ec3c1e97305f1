/*
 * Fast paths of the trace reader (known layouts, several threads) give exactly the profile of the
 * sequential parser.
 */
#include "trace_case.h"
#include "file_case.h"

#include "base/buffer.h"
#include "input/kineto/kineto.h"
#include "model/builder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct kineto_options plainly = { .threads = 1, .no_layouts = true };

/* The profile of a file; NULL with ERROR if refused. */
static struct profile *read_file(const char *path, const struct kineto_options *options,
				 struct error *error)
{
	struct source *source = source_open(path, NULL, error);
	assert_non_null(source);
	struct profile *profile = profile_new(path);
	struct builder *builder = builder_new(profile);
	const struct input input = {
		.source = source, .profile = profile, .builder = builder, .error = error
	};
	bool done = kineto_read_with(&input, options) && profile_finish(builder, NULL, error);
	builder_free(builder);
	source_close(source);
	if (done)
		return profile;
	profile_free(profile);
	return NULL;
}

#define same_column(a, b, count, column)                                                           \
	assert_memory_equal((a)->column ? (void *)(a)->column : "",                                \
			    (b)->column ? (void *)(b)->column : "",                                \
			    (a)->count * sizeof *(a)->column)

static void assert_same_strings(const struct profile *a, const struct profile *b)
{
	assert_int_equal(intern_count(a->strings), intern_count(b->strings));
	for (uint32_t i = 0; i < intern_count(a->strings); i++) {
		assert_int_equal(intern_length(a->strings, i), intern_length(b->strings, i));
		assert_memory_equal(intern_text(a->strings, i), intern_text(b->strings, i),
				    intern_length(a->strings, i));
	}
}

static void assert_same_rows(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->spans, b->spans);
	same_column(a, b, spans, span_start);
	same_column(a, b, spans, span_dur);
	same_column(a, b, spans, span_name);
	same_column(a, b, spans, span_track);
	same_column(a, b, spans, span_parent);
	same_column(a, b, spans, span_size);
	same_column(a, b, spans, span_info);
	same_column(a, b, spans, span_kind);
	assert_int_equal(a->activities, b->activities);
	same_column(a, b, activities, activity_start);
	same_column(a, b, activities, activity_dur);
	same_column(a, b, activities, activity_correlation);
	same_column(a, b, activities, activity_external);
	same_column(a, b, activities, activity_bytes);
	same_column(a, b, activities, activity_name);
	same_column(a, b, activities, activity_track);
	same_column(a, b, activities, activity_config);
	same_column(a, b, activities, activity_launch);
	same_column(a, b, activities, activity_kind);
	same_column(a, b, activities, activity_order);
}

static void assert_same_tables(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->op_info_count, b->op_info_count);
	same_column(a, b, op_info_count, op_infos);
	assert_int_equal(a->op_id_count, b->op_id_count);
	same_column(a, b, op_id_count, op_ids);
	assert_int_equal(a->call_info_count, b->call_info_count);
	same_column(a, b, call_info_count, call_infos);
	assert_int_equal(a->config_count, b->config_count);
	same_column(a, b, config_count, configs);
	assert_int_equal(a->span_attribute_count, b->span_attribute_count);
	same_column(a, b, span_attribute_count, span_attributes);
	assert_int_equal(a->activity_attribute_count, b->activity_attribute_count);
	same_column(a, b, activity_attribute_count, activity_attributes);
	assert_int_equal(a->memory_count, b->memory_count);
	/* compared member by member: the structs have padding */
	for (size_t i = 0; i < a->memory_count; i++) {
		const struct memory_event *x = &a->memory_events[i], *y = &b->memory_events[i];
		assert_memory_equal(x, y, offsetof(struct memory_event, track));
		assert_int_equal(x->track, y->track);
	}
	assert_int_equal(a->flow_count, b->flow_count);
	for (size_t i = 0; i < a->flow_count; i++) {
		assert_int_equal(a->flows[i].time, b->flows[i].time);
		assert_int_equal(a->flows[i].id, b->flows[i].id);
		assert_int_equal(a->flows[i].track, b->flows[i].track);
		assert_int_equal(a->flows[i].kind, b->flows[i].kind);
		assert_int_equal(a->flows[i].start, b->flows[i].start);
	}
	assert_int_equal(a->counter_count, b->counter_count);
	for (size_t i = 0; i < a->counter_count; i++) {
		assert_int_equal(a->counters[i].time, b->counters[i].time);
		assert_int_equal(a->counters[i].track, b->counters[i].track);
		assert_int_equal(a->counters[i].name, b->counters[i].name);
		assert_int_equal(a->counters[i].series, b->counters[i].series);
		assert_memory_equal(&a->counters[i].value, &b->counters[i].value, sizeof(double));
	}
	assert_int_equal(a->metadata_count, b->metadata_count);
	same_column(a, b, metadata_count, metadata);
}

static void assert_same_lanes(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->process_count, b->process_count);
	for (size_t i = 0; i < a->process_count; i++) {
		assert_int_equal(a->processes[i].label, b->processes[i].label);
		assert_int_equal(a->processes[i].group, b->processes[i].group);
		assert_int_equal(a->processes[i].pid, b->processes[i].pid);
		assert_int_equal(a->processes[i].name, b->processes[i].name);
	}
	assert_int_equal(a->track_count, b->track_count);
	for (size_t i = 0; i < a->track_count; i++) {
		assert_int_equal(a->tracks[i].process, b->tracks[i].process);
		assert_int_equal(a->tracks[i].tid, b->tracks[i].tid);
		assert_int_equal(a->tracks[i].label, b->tracks[i].label);
		assert_int_equal(a->tracks[i].name, b->tracks[i].name);
		assert_int_equal(a->tracks[i].device, b->tracks[i].device);
		assert_int_equal(a->tracks[i].sort_index, b->tracks[i].sort_index);
		assert_int_equal(a->tracks[i].first_span, b->tracks[i].first_span);
		assert_int_equal(a->tracks[i].spans, b->tracks[i].spans);
		assert_int_equal(a->tracks[i].first_activity, b->tracks[i].first_activity);
		assert_int_equal(a->tracks[i].activities, b->tracks[i].activities);
	}
}

static void assert_same_damage(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->damage_count, b->damage_count);
	for (size_t i = 0; i < a->damage_count; i++) {
		assert_string_equal(a->damages[i].cause, b->damages[i].cause);
		assert_string_equal(a->damages[i].action, b->damages[i].action);
		assert_int_equal(a->damages[i].count, b->damages[i].count);
		assert_int_equal(a->damages[i].offset, b->damages[i].offset);
	}
	assert_int_equal(a->truncated, b->truncated);
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->text_bytes, b->text_bytes);
	assert_int_equal(a->base_ns, b->base_ns);
	assert_int_equal(a->epoch_ns, b->epoch_ns);
	assert_int_equal(a->end_ns, b->end_ns);
	assert_int_equal(a->rank, b->rank);
}

/* Reads PATH with OPTIONS and compares with EXPECTED; NULL: refused with EXPECTED_ERROR. */
static void assert_same(const char *path, const struct kineto_options *options,
			const struct profile *expected, const struct error *expected_error)
{
	struct error error = { 0 };
	struct profile *profile = read_file(path, options, &error);
	if (!expected || !profile) {
		assert_null(expected);
		assert_null(profile);
		assert_int_equal(error.code, expected_error->code);
		assert_string_equal(error.message, expected_error->message);
		return;
	}
	assert_same_strings(profile, expected);
	assert_same_lanes(profile, expected);
	assert_same_rows(profile, expected);
	assert_same_tables(profile, expected);
	assert_same_damage(profile, expected);
	profile_free(profile);
}

/* Reads with layouts on 2 and 3 threads, in blocks of FIRST, FIRST + STEP, … bytes below LAST. */
static void assert_all_ways(const char *path, size_t first, size_t last, size_t step)
{
	struct error error = { 0 };
	struct profile *expected = read_file(path, &plainly, &error);
	assert_same(path, &(struct kineto_options){ .threads = 1 }, expected, &error);
	for (size_t block = first, i = 0; block < last; block += step, i++) {
		struct kineto_options options = { .threads = 2 + (unsigned)i % 2,
						  .block = block,
						  .no_layouts = i % 7 == 6 };
		assert_same(path, &options, expected, &error);
	}
	profile_free(expected);
}

static void with_file(const void *bytes, size_t length, size_t first, size_t last, size_t step)
{
	char path[] = "trace-same-XXXXXX";
	write_temporary(path, bytes, length);
	assert_all_ways(path, first, last, step);
	unlink(path);
}

TEST(generated)
{
	size_t length;
	char *text = trace_generate("--steps 1 --layers 2 --stacks 4", &length);
	with_file(text, length, 700, 40000, 1711);
	mem_free(text);
}

/* Annotations without a device, before and after the kernels of their stream, of ranks merged to
 * one file. */
TEST(annotations_of_merged_ranks)
{
	enum { EVENTS = 600, RANKS = 3, STREAMS = 2 };
	struct buffer text = { 0 };

	buffer_puts(&text, "{\"traceEvents\": [");
	for (int i = 0; i < EVENTS; i++) {
		int rank = i % RANKS, stream = i / RANKS % STREAMS,
		    pid = 100000000 * rank + 2 + rank;
		buffer_printf(
			&text,
			"{\"ph\": \"X\", \"cat\": \"gpu_user_annotation\", \"name\": \"forward\", "
			"\"pid\": %d, \"tid\": %d, \"ts\": %d, \"dur\": 5},\n",
			pid, stream, 10 * i);
		buffer_printf(
			&text,
			"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": %d, "
			"\"tid\": %d, \"ts\": %d, \"dur\": 4, \"args\": {\"device\": %d, "
			"\"stream\": %d}}%s\n",
			pid, stream, 10 * i, 2 + rank, stream, i + 1 < EVENTS ? "," : "]}");
	}
	char path[] = "trace-same-XXXXXX";
	write_temporary(path, text.data, text.length);
	assert_all_ways(path, 700, 40000, 1711);
	struct error error = { 0 };
	struct profile *profile =
		read_file(path, &(struct kineto_options){ .threads = 4, .block = 9000 }, &error);
	for (uint32_t i = 0; i < profile->spans; i++) {
		const struct track *track = &profile->tracks[profile->span_track[i]];
		assert_in_range(track->device, 2, 4);
		assert_int_equal(track->activities, EVENTS / RANKS / STREAMS);
	}
	profile_free(profile);
	unlink(path);
	buffer_free(&text);
}

/* ---- synthetic traces, with events that complicate finding a block boundary ---- */

static uint32_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

static const char *pick(const char *const *choices)
{
	uint32_t count = 0;
	while (choices[count])
		count++;
	return choices[draw(count)];
}

static void add_blank(struct buffer *out)
{
	static const char *const blanks[] = {
		"", "", "", " ", "\n", "\n    ", "\t", "\r\n ", NULL
	};
	buffer_puts(out, pick(blanks));
}

static void add_member(struct buffer *out, const char *key, const char *value)
{
	if (out->data[out->length - 1] != '{')
		buffer_putc(out, ',');
	add_blank(out);
	buffer_printf(out, "\"%s\":", key);
	add_blank(out);
	buffer_puts(out, value);
	add_blank(out);
}

static const char *const names[] = {
	"\"aten::mm\"",
	"\"aten::add\"",
	"\"a \\\"quoted\\\" name\"",
	"\"\\u00e9t\\u00e9\"",
	"\"}, {\\\"ph\\\": \"",
	"\"},{'ph': 1\"",
	"\"\"",
	"\"nn.Module: Linear_0\"",
	"\"[memory]\"",
	"\"ProfilerStep#1\"",
	"\"a name that is longer than any block of sixteen "
	"bytes, and than thirty-two, and than sixty-four, ninety-six and one hundred and twenty\"",
	NULL
};

static void add_args(struct buffer *out)
{
	static const char *const members[][2] = {
		{ "External id", "12" },
		{ "External id", "7" },
		{ "correlation", "99" },
		{ "Input Dims", "[[1, 2], [3], []]" },
		{ "Input Dims", "[[1,2],[]]" },
		{ "Input type", "[\"float\", \"}, {\", \"\"]" },
		{ "Call stack", "\"a.py(1): f\"" },
		{ "device", "0" },
		{ "device", "1" },
		{ "stream", "7" },
		{ "stream", "20" },
		{ "grid", "[1,2,3]" },
		{ "blocks per SM", "1.25" },
		{ "Ev Idx", "5" },
		{ "stray", "{\"a\": [ {\"ph\": \"X\"}, {\"ph\": \"X\"} ]}" },
		{ "word", "null" },
		{ "word", "true" },
		{ "word", "-3.5e7" },
		{ "word", "\"text\"" },
		{ "Bytes", "-512" },
		{ "x", "1" },
		{ "", "2" },
		{ "External Id", "3" }
	};
	buffer_putc(out, '{');
	for (uint32_t i = draw(7); i > 0; i--) {
		uint32_t member = draw(sizeof members / sizeof *members);
		add_member(out, members[member][0], members[member][1]);
	}
	buffer_putc(out, '}');
}

/* ODD of 1000 events need to be repaired, skipped or paired. */
static void add_event(struct buffer *out, uint32_t number, uint32_t odd)
{
	static const char *const oddities[] = { "\"ph\": \"B\",",
						"\"ph\":\"E\",",
						"\"ph\":\"M\", \"name\":\"thread_name\",",
						"\"ts\": nan,",
						"\"dur\": -4,",
						"\"name\": \"a \\x19 b\",",
						"\"name\":\"con\x01trol\",",
						"\"name\": \"not \"escaped\" at all\",",
						"\"args\": 5,",
						"\"args\":\"text\",",
						"\"tid\":3 \"pid\":4,",
						"\"tid\":\"3\"\n\"pid\":4,",
						"\"dur\":12-3,",
						"\"s\":\"t\",\"bp\":\"e\",",
						"\"ph\": \"b\", \"id\": 3,",
						"\"ph\": \"e\", \"id\": 3,",
						"\"ph\": \"s\", \"id\": \"0x1\",",
						"\"ph\": \"C\",",
						"\"pid\": \"CPU functions\",",
						"\"pid\": \"[TP00] 83\",",
						"]",
						"},",
						"{",
						",",
						NULL };
	static const char *const phases[] = { "\"X\"", "\"X\"", "\"X\"", "\"i\"",
					      "\"s\"", "\"f\"", NULL };
	static const char *const categories[] = { "\"cpu_op\"",       "\"kernel\"",
						  "\"cuda_runtime\"", "\"python_function\"",
						  "\"fwdbwd\"",       "\"something\"",
						  "\"gpu_memcpy\"",   NULL };
	static const char *const lanes[] = { "1", "1", "2", "\"stream 7\"", "0", NULL };
	char time[32];
	uint32_t order = draw(3);
	buffer_putc(out, '{');
	add_blank(out);
	if (draw(1000) < odd)
		buffer_puts(out, pick(oddities));
	if (order == 0)
		add_member(out, "name", pick(names));
	add_member(out, "ph", pick(phases));
	add_member(out, "cat", pick(categories));
	add_member(out, "pid", pick(lanes));
	add_member(out, "tid", pick(lanes));
	snprintf(time, sizeof time, "%u.%03u", 1000 + number * 3, draw(1000));
	add_member(out, "ts", time);
	snprintf(time, sizeof time, draw(2) ? "%u.%u" : "%u", draw(30), draw(100));
	add_member(out, "dur", time);
	if (order)
		add_member(out, "name", pick(names));
	if (draw(4) == 0)
		add_member(out, "id", "17");
	if (draw(4)) {
		add_member(out, "args", "");
		add_args(out);
	}
	buffer_putc(out, '}');
}

static struct buffer make_trace(uint32_t seed, uint32_t events, uint32_t odd)
{
	struct buffer out = { 0 };
	random_state = seed;
	buffer_puts(&out, "{\"schemaVersion\": 1, \"traceEvents\": [");
	for (uint32_t i = 0; i < events; i++) {
		if (i)
			buffer_puts(&out, ",");
		add_blank(&out);
		add_event(&out, i, odd);
		add_blank(&out);
	}
	buffer_puts(&out, "], \"displayTimeUnit\": \"ms\"}");
	return out;
}

TEST(any_layout)
{
	for (uint32_t seed = 1; seed <= 12; seed++) {
		if (!test_sampled(seed, 3))
			continue;
		struct buffer trace = make_trace(seed, 400, 0);
		with_file(trace.data, trace.length, 600, 12000, 977);
		buffer_free(&trace);
	}
}

TEST(odd_events)
{
	for (uint32_t seed = 1; seed <= 24; seed++) {
		if (!test_sampled(seed, 4))
			continue;
		struct buffer trace = make_trace(seed, 300, seed % 3 == 0 ? 300 : 12);
		with_file(trace.data, trace.length, 600, 9000, 1237);
		buffer_free(&trace);
	}
}

/* All block sizes of a range, so that every event boundary becomes a block boundary. */
TEST(every_cut)
{
	struct buffer trace = make_trace(77, 60, 20);
	with_file(trace.data, trace.length, 200, 1400, 1);
	buffer_free(&trace);
}

TEST(truncated_anywhere)
{
	struct buffer trace = make_trace(5, 24, 30);
	for (size_t length = 0; length <= trace.length; length++)
		if (test_sampled(length, 3))
			with_file(trace.data, length, 400, 401, 1);
	buffer_free(&trace);
}

/* More lanes than the reader learns layouts for. */
TEST(many_lanes)
{
	struct buffer out = { 0 };
	buffer_puts(&out, "{\"schemaVersion\":1,\"traceEvents\":[");
	for (int i = 0; i < 3000; i++)
		buffer_printf(
			&out,
			"%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"n%d\",\"pid\":%d,\"tid\":%d,"
			"\"ts\":%d,\"dur\":2,\"args\":{\"device\":%d,\"stream\":%d}}",
			i ? "," : "", i % 3 ? "kernel" : "cpu_op", i % 50, i % 7, i % 211, i * 4,
			i % 5, i % 97);
	buffer_puts(&out, "]}");
	with_file(out.data, out.length, 2000, 60000, 13001);
	buffer_free(&out);
}

static void add_operator(struct buffer *out, int number)
{
	static const char *const arrays[] = { "[]",
					      "[[], []]",
					      "[[4, 1024, 768], [768]]",
					      "[[4, 1024, 768], [769]]",
					      "[[4, 1024, 768], [768]",
					      "[[4,1024,768],[768]]",
					      "[\"float\", \"\", \"]\"]",
					      "[\"float\", \"\", \"]\", \"}, {\"]",
					      "[\"a \\\"quoted\\\" one\", \"\\u00e9\"]",
					      NULL };
	static const char *const texts[] = { "\"\"",       "\"PyTorch\"",     "0",     "1",
					     "null",       "\"a \\\"b\\\"\"", "\"0\"", "[1, 2]",
					     "\"a\\\\b\"", "\"a\\b\"",        NULL };
	buffer_printf(out,
		      ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
		      "\"ts\":%d,\"dur\":2,\"args\":{\"Input Dims\":",
		      number * 4);
	if (draw(8))
		buffer_puts(out, pick(arrays));
	else
		for (uint32_t i = 0, count = 20 + draw(3); i <= count; i++)
			buffer_puts(out, i == 0       ? "[[1024, 768]"
					 : i == count ? "]"
						      : ", [1024, 768]");
	buffer_printf(out, ", \"Trace name\": %s", pick(texts));
	buffer_printf(out, ", \"Trace iteration\": %s}}", draw(3) ? "\"PyTorch\"" : pick(texts));
}

static void add_kernel(struct buffer *out, int number)
{
	static const char *const grids[] = {
		"[1, 1, 1]", "[80, 1, 1]",     "[80,1,1]",
		"[80, 1]",   "\"[80, 1, 1]\"", "[ 80, 1, 99999999999999999999999 ]",
		NULL
	};
	static const char *const numbers[] = {
		"0", "32", "\"32\"", "null", "32.0000000000000000000000000000001", NULL
	};
	static const char *const percents[] = { "0", "50", "101", "-1", "1e400", "\"x\"", NULL };
	buffer_printf(out,
		      ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
		      "\"ts\":%d,\"dur\":2,\"args\":{\"grid\": %s",
		      number * 4, draw(2) ? "[80, 1, 1]" : pick(grids));
	buffer_printf(out, ", \"block\": %s", draw(4) ? "[64, 1, 1]" : pick(grids));
	buffer_printf(out, ", \"registers per thread\": %s", draw(4) ? "32" : pick(numbers));
	buffer_printf(out, ", \"shared memory\": %s", draw(4) ? "0" : pick(numbers));
	if (draw(2))
		buffer_printf(out, ", \"warps per SM\": %s", pick(numbers));
	buffer_printf(out, ", \"est. achieved occupancy %%\": %s}}", pick(percents));
}

/* What is remembered of values: arrays, arguments without a column, configurations of launches. */
TEST(values_that_come_again)
{
	for (uint32_t seed = 1; seed <= 8; seed++) {
		if (!test_sampled(seed, 4))
			continue;
		struct buffer out = { 0 };
		random_state = seed;
		buffer_puts(&out, "{\"schemaVersion\":1,\"traceEvents\":[" OPERATOR("a", "0", "1"));
		for (int i = 1; i < 600; i++)
			(draw(3) ? add_operator : add_kernel)(&out, i);
		buffer_puts(&out, "]}");
		with_file(out.data, out.length, 2000, 60000, 9001);
		buffer_free(&out);
	}
}

/* A value as long as a block in a valid event: nothing to repair at any block size. */
TEST(long_event)
{
	struct buffer out = { 0 };
	buffer_puts(
		&out,
		"{\"schemaVersion\":1,\"traceEvents\":[" OPERATOR(
			"first", "1",
			"5") ","
			     "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"ts\":7,\"dur\":1,\"name\":\"");
	for (int i = 0; i < 400000; i++)
		buffer_putc(&out, 'x');
	buffer_puts(&out, "\"}");
	for (int i = 0; i < 20; i++)
		buffer_puts(&out, "," OPERATOR("later", "20", "5"));
	buffer_puts(&out, "]}");
	struct profile *profile = trace_open(buffer_text(&out));
	assert_int_equal(profile->events, 22);
	assert_int_equal(damage_count(profile, NULL), 0);
	profile_free(profile);
	with_file(out.data, out.length, 1000, 500000, 60013);
	buffer_free(&out);
}

/* ---- real traces ---- */

static void read_folder(const char *folder, size_t *files)
{
	enum { LENGTH_MAX = SLOW ? 12000 : 120000 };
	DIR *directory = opendir(folder);
	struct dirent *entry;
	while (directory && (entry = readdir(directory))) {
		char path[2048];
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] == '.')
			continue;
		if (entry->d_type == DT_DIR) {
			read_folder(path, files);
			continue;
		}
		FILE *file = fopen(path, "r");
		if (!file || !strstr(entry->d_name, ".json")) {
			if (file)
				fclose(file);
			continue;
		}
		fseek(file, 0, SEEK_END);
		bool small = ftell(file) > 0 && ftell(file) < LENGTH_MAX;
		fclose(file);
		if (small) {
			assert_all_ways(path, 3000, 150000, 49007);
			++*files;
		}
	}
	if (directory)
		closedir(directory);
}

TEST(real_traces)
{
	size_t files = 0;
	static const char *const folders[] = { "kineto", "chrome_other", "bad" };
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (corpus_path(folders[i]))
			read_folder(corpus_path(folders[i]), &files);
	if (!files)
		skip();
	print_message("%zu traces\n", files);
}

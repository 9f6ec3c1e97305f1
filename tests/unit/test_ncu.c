/* Nsight Compute reports: kernels, metrics, rules, devices, damage. */
#include "proto_case.h"
#include "file_case.h"
#include "trace_case.h"

#include "base/mem.h"
#include "input/ncu/ncu_private.h"
#include "input/proto/proto.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- a report ---- */

static void put_length(struct buffer *out, size_t length)
{
	for (int i = 0; i < 4; i++)
		buffer_putc(out, (char)(length >> 8 * i));
}

static void put_value(struct buffer *out, uint32_t number, double value, const char *text)
{
	struct buffer inner = { 0 };
	if (text)
		proto_put_text(&inner, 1, text);
	else
		proto_put_real(&inner, 3, value);
	proto_put(out, number, &inner);
	buffer_free(&inner);
}

static void put_triple(struct buffer *out, uint32_t number, int x, int y)
{
	struct buffer inner = { 0 };
	proto_put_int(&inner, 1, (uint64_t)x);
	proto_put_int(&inner, 2, (uint64_t)y);
	proto_put_int(&inner, 3, 1);
	proto_put(out, number, &inner);
	buffer_free(&inner);
}

/* The names of metrics, in the order of the string table. */
enum { TIME, BYTES, OPCODES, CHIP, EMPTY, STATIC, DYNAMIC, NAMES };
static const char *const names[NAMES] = { "gpu__time_duration.sum",
					  "dram__bytes_read.sum",
					  "sass__inst_executed_per_opcode",
					  "device__attribute_chip_name",
					  "no_value.pct",
					  "launch__shared_mem_per_block_static",
					  "launch__shared_mem_per_block_dynamic" };

static void put_metric(struct buffer *out, uint64_t name, double value, const char *text)
{
	struct buffer metric = { 0 };
	proto_put_int(&metric, 1, name);
	put_value(&metric, 2, value, text);
	proto_put(out, 13, &metric);
	buffer_free(&metric);
}

/* With two instances, FADD and FMUL. */
static void put_opcodes(struct buffer *out)
{
	struct buffer metric = { 0 }, instance = { 0 };
	proto_put_int(&metric, 1, OPCODES);
	put_value(&metric, 2, 30, NULL);
	put_value(&instance, 1, 0, "FADD");
	put_value(&instance, 2, 10, NULL);
	proto_put(&metric, 3, &instance);
	put_value(&instance, 1, 0, "FMUL");
	put_value(&instance, 2, 20, NULL);
	proto_put(&metric, 3, &instance);
	proto_put(out, 13, &metric);
	buffer_free(&metric);
	buffer_free(&instance);
}

static void put_section_and_rule(struct buffer *out)
{
	struct buffer label = { 0 }, header = { 0 }, section = { 0 };
	proto_put_text(&label, 1, names[BYTES]);
	proto_put_text(&label, 2, "Bytes Read");
	proto_put(&header, 2, &label);
	proto_put_text(&section, 2, "Memory");
	proto_put(&section, 4, &header);
	proto_put(out, 17, &section);
	proto_put_text(&label, 1, "Look at the @section:Mem:Memory@ section.");
	proto_put(&header, 1, &label);
	proto_put_int(&label, 1, 2);
	proto_put_real(&label, 2, 25);
	proto_put(&header, 10, &label);
	proto_put(&label, 1, &header);
	proto_put_text(&section, 1, "SOL");
	proto_put(&section, 3, &label);
	proto_put(out, 19, &section);
	buffer_free(&label);
	buffer_free(&header);
	buffer_free(&section);
}

static void put_result(struct buffer *out, const char *name, int stream, double duration)
{
	proto_put_text(out, 7, name);
	put_triple(out, 10, 4, 2);
	put_triple(out, 11, 128, 1);
	proto_put_int(out, 22, 1);
	proto_put_int(out, 23, (uint64_t)stream);
	if (duration >= 0)
		put_metric(out, TIME, duration, NULL);
	put_metric(out, BYTES, 4096, NULL);
	put_metric(out, BYTES, 4096, NULL);
	put_metric(out, CHIP, 0, "GA100");
	put_metric(out, STATIC, 100, NULL);
	put_metric(out, DYNAMIC, 28, NULL);
	put_opcodes(out);
	struct buffer empty = { 0 };
	proto_put_int(&empty, 1, EMPTY);
	proto_put(out, 13, &empty);
	buffer_free(&empty);
	put_section_and_rule(out);
}

static void put_block(struct buffer *out, struct buffer *header, struct buffer *payload)
{
	proto_put_int(header, 5, payload->length);
	put_length(out, header->length);
	buffer_add(out, buffer_text(header), header->length);
	buffer_add(out, buffer_text(payload), payload->length);
	buffer_clear(header);
	buffer_clear(payload);
}

static void put_entry(struct buffer *payload, struct buffer *message)
{
	put_length(payload, message->length);
	buffer_add(payload, buffer_text(message), message->length);
	buffer_clear(message);
}

static void put_session(struct buffer *header)
{
	struct buffer device = { 0 }, attribute = { 0 }, session = { 0 };
	proto_put_int(&device, 1, 0);
	proto_put_text(&device, 2, "NVIDIA A100");
	proto_put_text(&attribute, 1, "device__attribute_multiprocessor_count");
	put_value(&attribute, 2, 108, NULL);
	proto_put(&device, 3, &attribute);
	proto_put_int(&session, 2, 1700000000);
	proto_put(&session, 6, &device);
	proto_put_text(&session, 9, "SECRET=1");
	proto_put(header, 3, &session);
	buffer_free(&device);
	buffer_free(&attribute);
	buffer_free(&session);
}

/* Kernels a, b (unmeasured), c of streams 7, 8, 7; a source before them. */
static struct buffer report(void)
{
	struct buffer out = { 0 }, header = { 0 }, payload = { 0 }, entry = { 0 }, table = { 0 };
	buffer_add(&out, "NVR\0\2\0\0\0\x08\x07", 10);
	put_session(&header);
	put_block(&out, &header, &payload);
	for (int i = 0; i < NAMES; i++)
		proto_put_text(&table, 1, names[i]);
	proto_put_int(&header, 1, 1);
	proto_put_int(&header, 2, 2);
	proto_put(&header, 4, &table);
	proto_put_text(&entry, 1, "a source");
	put_entry(&payload, &entry);
	put_result(&entry, "a(int)", 7, 1000);
	put_entry(&payload, &entry);
	put_result(&entry, "b", 8, -1);
	put_entry(&payload, &entry);
	put_block(&out, &header, &payload);
	proto_put_int(&header, 2, 1);
	put_result(&entry, "c", 7, 500);
	put_entry(&payload, &entry);
	put_block(&out, &header, &payload);
	buffer_free(&header);
	buffer_free(&payload);
	buffer_free(&entry);
	buffer_free(&table);
	return out;
}

/* ---- tests ---- */

/* The row of a launch with this id; rows are in the order of the report. */
TEST(kernels_are_in_the_order_of_the_report)
{
	struct buffer bytes = report();
	struct run *run = trace_run_bytes(bytes.data, bytes.length);
	struct table *table = trace_view(run, "launches", NULL, NULL);
	static const char *const kernels[] = { "a(int)", "b", "c" };
	assert_int_equal(table->rows, 3);
	for (size_t row = 0; row < 3; row++) {
		assert_int_equal(table_number(table, row, "id"), (int64_t)row);
		assert_cell(table, row, "name", kernels[row]);
		assert_cell(table, row, "grid", "4,2,1");
		assert_cell(table, row, "block", "128,1,1");
		assert_int_equal(table_number(table, row, "stream"), row == 1 ? 8 : 7);
		assert_int_equal(table_number(table, row, "shared_mem_bytes"), 128);
	}
	assert_int_equal(table_number(table, 0, "dur_ns"), 1000);
	assert_int_equal(table_cell(table, 1, "dur_ns").kind, VALUE_MISSING);
	table_free(table);
	table = trace_view(run, "kernels", NULL, NULL);
	for (size_t row = 0; row < 3; row++)
		if (table_cell(table, row, "name").text[0] == 'b')
			assert_int_equal(table_cell(table, row, "total_ns").kind, VALUE_MISSING);
	table_free(table);
	run_free(run);
	buffer_free(&bytes);
}

static size_t metric_row(const struct table *table, const char *metric, const char *instance)
{
	for (size_t row = 0; row < table->rows; row++) {
		struct value name = table_cell(table, row, "metric");
		struct value part = table_cell(table, row, "instance");
		if (name.length == strlen(metric) && !memcmp(name.text, metric, name.length) &&
		    (instance ? part.kind == VALUE_TEXT && !strcmp(part.text, instance)
			      : part.kind == VALUE_MISSING))
			return row;
	}
	fail_msg("no metric %s", metric);
	return 0;
}

/* Printed rates are scaled to a second, whatever the unit of time; other ratios by what is above.
 */
TEST(rates_are_of_a_second)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = { { "byte/second", 1 },   { "Gbyte/second", 1e9 }, { "byte/ns", 1e9 },
		      { "Kbyte/us", 1e9 },    { "byte/usecond", 1e6 }, { "inst/cycle", 1 },
		      { "Kbyte/block", 1e3 }, { "usecond", 1e3 } };
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		assert_float_equal(ncu_unit_scale(units[i].unit, strlen(units[i].unit)),
				   units[i].scale, units[i].scale * 1e-9);
}

TEST(metrics_have_units_sections_and_instances)
{
	struct buffer bytes = report();
	struct run *run = trace_run_bytes(bytes.data, bytes.length);
	struct table *table = trace_view(run, "metrics", NULL, NULL);
	assert_int_equal(table->rows, 3 * (NAMES + 2) - 1);
	size_t row = metric_row(table, names[BYTES], NULL);
	assert_cell(table, row, "unit", "bytes");
	assert_cell(table, row, "section", "Memory");
	assert_cell(table, row, "title", "Bytes Read");
	assert_true(table_cell(table, row, "value").real == 4096);
	assert_cell(table, metric_row(table, names[TIME], NULL), "unit", "ns");
	assert_cell(table, metric_row(table, names[EMPTY], NULL), "unit", "%");
	assert_int_equal(table_cell(table, metric_row(table, names[EMPTY], NULL), "value").kind,
			 VALUE_MISSING);
	assert_cell(table, metric_row(table, names[CHIP], NULL), "text", "GA100");
	assert_true(table_cell(table, metric_row(table, names[OPCODES], "FMUL"), "value").real ==
		    20);
	table_free(table);
	run_free(run);
	buffer_free(&bytes);
}

TEST(the_device_and_no_environment)
{
	struct buffer bytes = report();
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(bytes.data, bytes.length, &error);
	assert_string_equal(profile_string(profile, profile_device(profile, 0)->name),
			    "NVIDIA A100");
	assert_int_equal(profile_device(profile, 0)->sm_count, 108);
	assert_int_equal(profile->epoch_ns, INT64_C(1700000000000000000));
	assert_int_equal(intern_find(profile->strings, "SECRET=1", 8), NO_ROW);
	assert_non_null(profile_metadata(profile, "not loaded"));
	size_t count;
	uint32_t kernel = activity_named(profile, "a(int)");
	const struct attribute *attributes = profile_activity_attributes(profile, kernel, &count);
	const char *rule = NULL;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(profile_string(profile, attributes[i].key), "rule SOL"))
			rule = profile_string(profile, attributes[i].text);
	assert_string_equal(rule, "Look at the Memory section (estimated global speedup 25.0 %)");
	profile_free(profile);
	buffer_free(&bytes);
}

/* Cut anywhere: what was read before, labeled, or one sentence. */
/* One row of what the rules say of RUN, with this evidence. */
static void check_advice(const struct run *run, const char *evidence)
{
	struct table *table = trace_view(run, "advice", NULL, NULL);
	size_t found = 0;
	for (size_t row = 0; row < table->rows; row++) {
		struct value id = table_cell(table, row, "detector");
		if (id.kind != VALUE_TEXT || strcmp(id.text, "ncu:SOL") != 0)
			continue;
		assert_cell(table, row, "severity", "stored");
		assert_cell(table, row, "source", "Nsight Compute");
		assert_cell(table, row, "evidence", evidence);
		found++;
	}
	assert_int_equal(found, 1);
	table_free(table);
}

TEST(rules_are_advice)
{
	struct buffer bytes = report();
	struct run *run = trace_run_bytes(bytes.data, bytes.length);
	check_advice(run, "a(int), the longest of 3 kernels: Look at the Memory section (estimated "
			  "global speedup 25.0 %).");
	run_free(run);
	buffer_free(&bytes);
}

/* The rules of a kernel are known of its launches in a timeline. */
TEST(rules_are_joined)
{
	static const char trace[] = DOCUMENT(
		EVENT("kernel", "c", "0", "7", "10", "5", "{\"device\":0,\"stream\":7,\"grid\":[4,2,1],\"block\":[128,1,1]}") "," EVENT(
			"kernel", "d", "0", "7", "20", "5",
			"{\"device\":0,\"stream\":7,\"grid\":[4,2,1],\"block\":[128,1,1]}"));
	struct buffer bytes = report();
	char paths[2][32] = { "ncu-trace-XXXXXX", "ncu-report-XXXXXX" };
	const char *both[2] = { paths[0], paths[1] };
	struct error error = { 0 };
	write_temporary(paths[0], trace, sizeof trace - 1);
	write_temporary(paths[1], bytes.data, bytes.length);
	struct run *run = run_open(both, 2, NULL, NULL, &error);
	unlink(paths[0]);
	unlink(paths[1]);
	assert_non_null(run);
	check_advice(run, "c: Look at the Memory section (estimated global speedup 25.0 %).");
	run_free(run);
	buffer_free(&bytes);
}

TEST(cut_reports)
{
	struct buffer bytes = report();
	for (size_t length = 4; length < bytes.length; length++) {
		struct error error = { 0 };
		struct profile *profile = trace_open_bytes(bytes.data, length, &error);
		if (profile)
			assert_true(profile->truncated || profile->damage_count ||
				    profile->activities == 2);
		else
			assert_true(strlen(error.message) > 5);
		profile_free(profile);
	}
	buffer_free(&bytes);
}

/* Each byte replaced: opens, or one sentence. */
TEST(damaged_reports)
{
	struct buffer bytes = report();
	for (size_t at = 4; at < bytes.length; at++) {
		static const char wrong[] = { 0, (char)0xff, 0x7f, 0x0b };
		for (size_t i = 0; i < sizeof wrong; i += at % 2 + 1) {
			struct error error = { 0 };
			char right = bytes.data[at];
			bytes.data[at] = wrong[i];
			struct profile *profile =
				trace_open_bytes(bytes.data, bytes.length, &error);
			assert_true(profile || strlen(error.message) > 5);
			profile_free(profile);
			bytes.data[at] = right;
		}
	}
	buffer_free(&bytes);
}

TEST(the_walker_checks_lengths)
{
	static const struct {
		const char *bytes;
		size_t length, fields;
		bool damaged;
	} cases[] = {
		{ "\x08\x01", 2, 1, false },
		{ "\x08", 1, 0, true }, /* no number */
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, 0, true },
		{ "\x0a\x05"
		  "abc",
		  5, 0, true }, /* longer than the rest */
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, 0, true },
		{ "\x00\x01", 2, 0, true },                  /* field 0 */
		{ "\x0f\x01", 2, 0, true },                  /* wire type 7 */
		{ "\x0b\x08\x01\x0c\x10\x02", 6, 1, false }, /* a group, skipped */
		{ "\x0c", 1, 0, true },                      /* its end alone */
		{ "\x0b\x0b", 2, 0, true },                  /* never ends */
		{ "\x0d\x00\x00\x80\x3f\x11\0\0\0\0\0\0\xf0\x3f", 14, 2, false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct proto message = proto_of(cases[i].bytes, cases[i].length);
		struct proto_field field;
		size_t fields = 0;
		double real;
		while (proto_next(&message, &field)) {
			fields++;
			if (proto_real(&field, &real))
				assert_true(real == 1);
		}
		assert_int_equal(fields, cases[i].fields);
		assert_int_equal(message.damaged, cases[i].damaged);
	}
}

/* Results of ranges, after those of kernels, are counted; alone they are refused as what they are.
 */
TEST(results_of_ranges)
{
	for (int kernels = 0; kernels < 2; kernels++) {
		struct buffer out = { 0 }, header = { 0 }, payload = { 0 }, entry = { 0 };
		struct error error = { 0 };
		buffer_add(&out, "NVR\0\2\0\0\0\x08\x07", 10);
		proto_put_int(&header, 2, (uint64_t)kernels);
		proto_put_int(&header, 7, 2);
		for (int i = 0; i < kernels + 2; i++) {
			put_result(&entry, "f", 7, 100);
			put_entry(&payload, &entry);
		}
		put_block(&out, &header, &payload);
		struct profile *profile = trace_open_bytes(out.data, out.length, &error);
		if (kernels)
			assert_int_equal(profile->activities, 1);
		else
			assert_non_null(
				strstr(error.message, "of ranges or graphs, without kernels"));
		profile_free(profile);
		buffer_free(&out);
		buffer_free(&header);
		buffer_free(&payload);
		buffer_free(&entry);
	}
}

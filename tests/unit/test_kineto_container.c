/* The container of the events: brackets, compression, truncated and overwritten files. */
#include "trace_case.h"

#include "base/buffer.h"
#include "input/open.h"

#include <isa-l.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

static const char sample[] = DOCUMENT(OPERATOR("first", "10", "5") "," OPERATOR(
	"second", "20", "5") "," OPERATOR("third", "30", "5"));

static void assert_sample(const struct profile *profile)
{
	assert_int_equal(profile->spans, 3);
	assert_string_equal(span_text(profile, 0), "first");
	assert_string_equal(span_text(profile, 1), "second");
	assert_string_equal(span_text(profile, 2), "third");
	assert_int_equal(profile->span_dur[2], 5000);
}

static void assert_opens_as_sample(const char *text, uint64_t damages)
{
	struct profile *profile = trace_open(text);

	assert_sample(profile);
	assert_int_equal(damage_count(profile, NULL), damages);
	profile_free(profile);
}

TEST(object_document)
{
	assert_opens_as_sample(sample, 0);
}

TEST(bare_array)
{
	assert_opens_as_sample("[" OPERATOR("first", "10", "5") "," OPERATOR(
				       "second", "20", "5") "," OPERATOR("third", "30", "5") "]",
			       0);
}

TEST(leading_blanks)
{
	assert_opens_as_sample(
		" \n\t\r\n [ " OPERATOR("first", "10", "5") " ,\n " OPERATOR(
			"second", "20", "5") ",\n" OPERATOR("third", "30", "5") "\n]\n",
		0);
}

TEST(byte_order_mark)
{
	struct profile *profile = trace_open("\xef\xbb\xbf" DOCUMENT(OPERATOR("first", "1", "2")));
	assert_int_equal(profile->spans, 1);
	profile_free(profile);
}

/* Appended to BYTES: a unit of UTF-16. */
static void put_unit(struct buffer *bytes, unsigned unit, bool big)
{
	buffer_putc(bytes, (char)(big ? unit >> 8 : unit));
	buffer_putc(bytes, (char)(big ? unit : unit >> 8));
}

/*
 * Of both orders of bytes, longer than what is read at once; a pair is one character, half of one
 * alone is left out, as is half a unit at the end.
 */
TEST(utf_16_is_read)
{
	enum { BLANKS = 300001 };
	static const char start[] = "{\"schemaVersion\":1,\"traceEvents\":[",
			  event[] = OPERATOR("*", "10", "5");
	for (int big = 0; big < 2; big++) {
		struct buffer bytes = { 0 };
		struct error error = { 0 };
		put_unit(&bytes, 0xfeff, big);
		for (const char *at = start; *at; at++)
			put_unit(&bytes, (unsigned char)*at, big);
		for (int i = 0; i < BLANKS; i++)
			put_unit(&bytes, ' ', big);
		for (const char *at = event; *at; at++) {
			if (*at != '*') {
				put_unit(&bytes, (unsigned char)*at, big);
				continue;
			}
			static const unsigned name[] = { 'a',    0xe9,   0x20ac, 0xd83d,
							 0xde00, 0xde00, 0xd83d, 'z' };
			for (size_t i = 0; i < sizeof name / sizeof *name; i++)
				put_unit(&bytes, name[i], big);
		}
		put_unit(&bytes, ']', big);
		put_unit(&bytes, '}', big);
		buffer_putc(&bytes, '\n');
		struct profile *profile =
			trace_open_bytes(buffer_text(&bytes), bytes.length, &error);
		assert_string_equal(error.message, "");
		assert_int_equal(profile->spans, 1);
		assert_string_equal(profile_string(profile, profile->span_name[0]),
				    "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
		profile_free(profile);
		buffer_free(&bytes);
	}
}

TEST(array_not_closed)
{
	assert_opens_as_sample("[" OPERATOR("first", "10", "5") "," OPERATOR(
				       "second", "20", "5") "," OPERATOR("third", "30", "5"),
			       1);
}

TEST(array_not_closed_after_comma)
{
	assert_opens_as_sample(
		"[\n" OPERATOR("first", "10", "5") ",\n" OPERATOR(
			"second", "20", "5") ",\n" OPERATOR("third", "30", "5") ",\n",
		1);
}

TEST(document_not_closed)
{
	char text[sizeof sample];

	memcpy(text, sample, sizeof text);
	text[strlen(text) - 1] = 0; /* without the last brace */
	assert_opens_as_sample(text, 1);
	text[strlen(text) - 1] = 0; /* and without the bracket */
	assert_opens_as_sample(text, 2);
}

TEST(trailing_comma)
{
	assert_opens_as_sample(DOCUMENT(OPERATOR("first", "10", "5") "," OPERATOR(
				       "second", "20", "5") "," OPERATOR("third", "30", "5") ","),
			       1);
}

TEST(comma_missing)
{
	assert_opens_as_sample(DOCUMENT(OPERATOR("first", "10", "5") OPERATOR(
				       "second", "20", "5") "," OPERATOR("third", "30", "5")),
			       1);
}

TEST(truncated_inside_event)
{
	const char *third = strstr(sample, "\"third\"");
	struct error error;
	struct profile *profile = trace_open_bytes(sample, (size_t)(third - sample), &error);

	assert_non_null(profile);
	assert_int_equal(profile->spans, 2);
	assert_true(profile->truncated);
	assert_true(damage_count(profile, NULL) > 0);
	profile_free(profile);
}

TEST(long_name_at_start)
{
	char text[3000];

	snprintf(text, sizeof text, "{\"%0*d\":1,\"traceEvents\":[]}", 2000, 7);
	struct profile *profile = trace_open(text);
	assert_int_equal(damage_count(profile, NULL), 0);
	assert_int_equal(profile->events, 0);
	profile_free(profile);
}

TEST(metadata_after_events)
{
	struct profile *profile = trace_open("{\"traceEvents\":[" OPERATOR(
		"first", "10",
		"5") "],\"schemaVersion\":1,"
		     "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8},"
		     "\"with_stack\":1,\"mine\":{\"nested\":[1,2]},\"text\":\"a \\\"b\\\"\"}");

	assert_int_equal(profile->spans, 1);
	assert_int_equal(profile->rank, 3);
	assert_int_equal(profile->world_size, 8);
	assert_string_equal(profile_metadata(profile, "with_stack"), "1");
	assert_string_equal(profile_metadata(profile, "text"), "a \"b\"");
	assert_string_equal(profile_metadata(profile, "mine"), "{\"nested\":[1,2]}");
	assert_int_equal(damage_count(profile, NULL), 0);
	profile_free(profile);
}

/* ---- compression ---- */

static size_t gzip(const char *text, size_t length, unsigned char *out, size_t size)
{
	struct isal_zstream stream;

	isal_deflate_init(&stream);
	stream.gzip_flag = IGZIP_GZIP;
	stream.end_of_stream = 1;
	stream.next_in = (uint8_t *)(uintptr_t)text;
	stream.avail_in = (uint32_t)length;
	stream.next_out = out;
	stream.avail_out = (uint32_t)size;
	assert_int_equal(isal_deflate(&stream), COMP_OK);
	assert_int_equal(stream.avail_in, 0);
	return stream.total_out;
}

static void assert_compressed_sample(const void *bytes, size_t length, uint64_t damages)
{
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(bytes, length, &error);

	assert_non_null(profile);
	assert_sample(profile);
	assert_int_equal(damage_count(profile, NULL), damages);
	assert_int_equal(profile->text_bytes, strlen(sample));
	profile_free(profile);
}

TEST(gzip_one_member)
{
	unsigned char packed[4096];

	assert_compressed_sample(packed, gzip(sample, strlen(sample), packed, sizeof packed), 0);
}

TEST(gzip_several_members)
{
	unsigned char packed[4096];
	size_t length = 0, part = 37;

	for (size_t at = 0; at < strlen(sample); at += part) {
		size_t rest = strlen(sample) - at;
		length += gzip(sample + at, rest < part ? rest : part, packed + length,
			       sizeof packed - length);
	}
	assert_compressed_sample(packed, length, 0);
}

TEST(gzip_truncated)
{
	/* long enough that a prefix holds events, whatever the compressor's block structure */
	enum { EVENTS = 4000 };
	char *text = malloc(EVENTS * 128);
	unsigned char *packed = malloc(EVENTS * 128);
	size_t length = (size_t)sprintf(text, "{\"traceEvents\":[");
	struct error error = { 0 };

	for (int i = 0; i < EVENTS; i++)
		length += (size_t)sprintf(text + length, "%s" OPERATOR("op%d", "%d", "5"),
					  i ? "," : "", i * 7919 % EVENTS, i * 10);
	length += (size_t)sprintf(text + length, "]}");
	size_t size = gzip(text, length, packed, EVENTS * 128);
	struct profile *profile = trace_open_bytes(packed, size * 2 / 3, &error);
	assert_non_null(profile);
	assert_in_range(profile->spans, EVENTS / 3, EVENTS - 1);
	assert_true(profile->truncated);
	assert_true(damage_count(profile, NULL) > 0);
	profile_free(profile);
	free(packed);
	free(text);
}

TEST(gzip_wrong_checksum)
{
	unsigned char packed[4096];
	size_t length = gzip(sample, strlen(sample), packed, sizeof packed);

	packed[length - 7] ^= 0x55;
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(packed, length, &error);
	assert_non_null(profile);
	assert_sample(profile);
	assert_true(damage_count(profile, NULL) > 0);
	profile_free(profile);
}

TEST(zstd_frames)
{
	unsigned char packed[4096];
	size_t half = 100, length;

	length = ZSTD_compress(packed, sizeof packed, sample, half, 3);
	length += ZSTD_compress(packed + length, sizeof packed - length, sample + half,
				strlen(sample) - half, 3);
	assert_compressed_sample(packed, length, 0);
}

/* ---- spliced and foreign files ---- */

TEST(spliced)
{
	struct profile *profile = trace_open("{\"schemaVersion\":1,\"traceEvents\":[" OPERATOR(
		"first", "10", "5") ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"na"
				    "{\"schemaVersion\":1,\"traceEvents\":[" OPERATOR(
					    "second", "20", "5") "," OPERATOR("third", "30",
									      "5") "]}");

	assert_sample(profile);
	assert_true(damage_count(profile, NULL) > 0);
	profile_free(profile);
}

TEST(log_line_between_events)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR(
		"first", "10",
		"5") ",\n"
		     "INFO:2025-03-11 10:11:12 41:41 ActivityProfiler.cpp:213] done\n" OPERATOR(
			     "second", "20", "5") "," OPERATOR("third", "30", "5")));

	assert_sample(profile);
	assert_true(damage_count(profile, NULL) > 0);
	profile_free(profile);
}

TEST(no_events)
{
	struct profile *profile = trace_open(DOCUMENT(""));
	assert_int_equal(profile->spans, 0);
	assert_int_equal(profile->activities, 0);
	assert_int_equal(damage_count(profile, NULL), 0);
	profile_free(profile);
}

TEST(other_chrome_trace)
{
	struct profile *profile = trace_open(
		"[{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"tensor\"}},"
		"{\"ph\":\"B\",\"name\":\"NEGOTIATE\",\"ts\":100,\"pid\":1},"
		"{\"ph\":\"i\",\"name\":\"0\",\"s\":\"p\",\"ts\":103,\"pid\":1},"
		"{\"ph\":\"B\",\"name\":\"inner\",\"ts\":105,\"pid\":1},"
		"{\"ph\":\"E\",\"ts\":110,\"pid\":1},"
		"{\"ph\":\"E\",\"ts\":120,\"pid\":1},");
	uint32_t outer = span_named(profile, "NEGOTIATE"), inner = span_named(profile, "inner");

	assert_int_equal(profile->span_dur[outer], 20000);
	assert_int_equal(profile->span_dur[inner], 5000);
	assert_int_equal(profile->span_parent[inner], outer);
	profile_free(profile);
}

#define ASYNC(phase, category, id, thread, time)                                                   \
	"{\"ph\":\"" phase "\",\"cat\":\"" category "\",\"id\":" id ",\"name\":\"" category id     \
	"\",\"pid\":1,\"tid\":" thread ",\"ts\":" time "}"

/* Async spans may end on any thread; a nested one of the same kind ends first. */
TEST(asynchronous_spans_end_on_any_thread)
{
	struct profile *profile = trace_open(DOCUMENT(
		ASYNC("b", "send", "1", "1", "10") "," ASYNC("b", "recv", "1", "1", "20") "," ASYNC("b", "send", "2", "1", "30") "," ASYNC(
			"b", "send",
			"2", "3",
			"40") "," ASYNC("e", "send", "2", "3",
					"45") "," ASYNC("e", "send", "2", "3",
							"90") "," ASYNC("e", "send", "1", "2",
									"60") "," ASYNC("e", "recv",
											"1", "2",
											"70") "," ASYNC("e",
													"recv",
													"1",
													"2",
													"80")));
	int64_t lengths = 0;

	assert_int_equal(profile->spans, 4);
	assert_int_equal(profile->span_dur[span_named(profile, "send1")], 50000);
	assert_int_equal(profile->span_dur[span_named(profile, "recv1")], 50000);
	for (uint32_t i = 0; i < profile->spans; i++)
		lengths += profile->span_dur[i];
	assert_int_equal(lengths, 50000 + 50000 + 60000 + 5000);
	assert_int_equal(damage_count(profile, "end without begin"), 1);
	assert_int_equal(damage_count(profile, "begin without end"), 0);
	profile_free(profile);
}

TEST(not_a_profile)
{
	static const char *const texts[] = { "",
					     " ",
					     "hello, world\n",
					     "{\"name\": \"package\", \"version\": 3}",
					     "[1, 2, 3]",
					     "[]x",
					     "\x7f"
					     "ELF\x02\x01\x01",
					     "%PDF-1.7",
					     "null",
					     "\"traceEvents\"",
					     "{",
					     "[" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_refused(texts[i], strlen(texts[i]));
	}
	assert_refused("\0\0\0\0\0\0\0\0", 8);
}

TEST(compressed_but_not_a_profile)
{
	unsigned char packed[256];

	assert_refused(packed, gzip("hello, world\n", 13, packed, sizeof packed));
	assert_refused("\x1f\x8b", 2);
	assert_refused("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10);
	assert_refused("\x28\xb5\x2f\xfd", 4);
}

TEST(missing_file)
{
	struct error error = { 0 };

	assert_null(profile_open("no-such-file.json", NULL, &error));
	assert_int_equal(error.code, ERROR_INPUT);
	assert_null(profile_open(".", NULL, &error));
	assert_int_equal(error.code, ERROR_INPUT);
}

/* Unsupported formats are named, with advice on what to do. */
TEST(files_of_unsupported_tools_are_named)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *says;
	} files[] = {
		{ "QDSTRM\0\1\2", 9, "nsys export -t sqlite" },
		{ "\x08\x01\x12\x0eQuadDAnalysis\0", 18,
		  "Nsight Systems report; run: nsys export" },
		{ "NVIDIA Tegra Profiler Report 1.\n\vLocal (CLI)\x12\a\b\0", 49,
		  "Nsight Systems report; run: nsys export" },
		{ "\xff\x00\x01\x02", 4,
		  "is not a known profile (binary that begins ff 00 01 02); open what" },
		{ "iteration 1 | loss 0.5\nrest", 27,
		  "(text that begins 'iteration 1 | loss 0.5')" },
		{ "\x0a\x01x\x12\x01y", 6, "(a protobuf message with fields 1, 2); of those," },
		{ "{\"head\":{\"callFrame\":{}},\"samples\":[]}", 38, "heap profile of V8" },
		{ "{\"a\":1,\"b\":[2]}", 15, "not a profile; its members are a, b" },
		{ "NVR\0\x10\0\0\0", 8, "Nsight Compute" },
		{ "\x02\0CUPTI\0", 8, "CUPTI" },
		{ "PAR1\0", 5, "Parquet" },
		{ "ARROW1\0\0", 8, "Arrow" },
		{ "\x89HDF\r\n\x1a\n", 8, "HDF5" },
		{ "====\nTIMES\n====\nload 1.98ms\n", 28,
		  "is not a known profile (text that begins" },
		{ "==123== NVPROF is profiling process 123, command: ./a\n", 54, "nvprof -o" },
		{ "# To display the perf.data header info, please use --header\n", 60,
		  "perf script" },
		{ "Function,CPU Time,CPI\nmain,1.5,0.4\n", 35, "report of Intel VTune" },
		{ "Function,CPU Time,CPU Time:Effective Time\nmain,1.5,1.4\n", 55,
		  "report of Intel VTune" },
		{ "Function,Hardware Event Count:INST_RETIRED\nmain,15\n", 51,
		  "report of Intel VTune" },
		{ "Step,Computing,Communication(Not Overlapped)\n1,5,2\n", 51,
		  "folders of the ranks" },
		{ "perf_total_per_op_us[             ADD] =   0.042 ms\n", 52, "llama.cpp" },
		{ "PK\x03\x04", 4, "zip archive" },
		{ "\xfd\x37zXZ\0\0\x04", 8, "with xz; run: xz -dc FILE | strata -" },
		{ "BZh91AY&SY", 10, "with bzip2; run: bzip2 -dc FILE | strata -" },
		{ "\xff\xfeh\0i\0", 6, "is not a known profile (UTF-16 of text that begins" },
		{ "\xfe\xff\0h\0i", 6, "is not a known profile (UTF-16 of text that begins" },
		{ "\xff\xfe", 2, "is empty" },
		{ "{\0\n\0\"\0", 6, "UTF-16LE text; run: iconv -f UTF-16LE -t UTF-8" },
		{ "[\0{\0", 4, "UTF-16LE text; run: iconv -f UTF-16LE -t UTF-8" },
		{ "\0{\0\n", 4, "UTF-16BE text; run: iconv -f UTF-16BE -t UTF-8" },
		{ "\0[\0{", 4, "UTF-16BE text; run: iconv -f UTF-16BE -t UTF-8" },
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct error error = { 0 };
		assert_null(trace_open_bytes(files[i].bytes, files[i].length, &error));
		if (!strstr(error.message, files[i].says))
			fail_msg("\"%s\" does not say: %s", error.message, files[i].says);
	}
}

static void assert_says(const void *bytes, size_t length, const char *says)
{
	struct error error = { 0 };
	assert_null(trace_open_bytes(bytes, length, &error));
	if (!strstr(error.message, says))
		fail_msg("\"%s\" does not say: %s", error.message, says);
}

TEST(tar_archives_are_named)
{
	static const char says[] = "is a tar archive; run: tar -xf FILE";
	unsigned char packed[4096];
	char tar[1024] = "trace.json";
	memcpy(tar + 257, "ustar\0", 7);
	assert_says(tar, sizeof tar, says);
	assert_says(packed, gzip(tar, sizeof tar, packed, sizeof packed), says);
	assert_says(packed, ZSTD_compress(packed, sizeof packed, tar, sizeof tar, 3), says);
	/* in a trace it is text */
	struct buffer trace = { 0 };
	buffer_printf(&trace, "{\"a\":\"%251sustar\",%s", "", sample + 1);
	assert_memory_equal(trace.data + 257, "ustar", 5);
	assert_opens_as_sample(trace.data, 0);
	buffer_free(&trace);
}

/* Windows up to zstd's own default are read; longer ones are refused for what they are. */
TEST(zstd_windows)
{
	unsigned char packed[4096];
	/* streamed: the size is not known at the start, so that the frame names its window */
	ZSTD_CCtx *stream = ZSTD_createCCtx();
	ZSTD_outBuffer out = { packed, sizeof packed, 0 };
	ZSTD_inBuffer in = { sample, strlen(sample), 0 };
	ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush);
	assert_int_equal(ZSTD_compressStream2(stream, &out, &in, ZSTD_e_end), 0);
	ZSTD_freeCCtx(stream);
	for (int log = 20; log <= 31; log++) {
		packed[5] = (unsigned char)((log - 10) << 3);
		if (log <= 27)
			assert_compressed_sample(packed, out.pos, 0);
		else
			assert_says(packed, out.pos,
				    "a zstd window of more than 128 MiB; run: zstd -dc --long=31");
	}
}

/* What memray writes of a capture: statistics, tables of allocations, speedscope's JSON. */
#include "text_profile_case.h"

#include <stdio.h>

#define HEADER "allocator,num_allocations,size,tid,thread_name,stack_trace\n"

static const char table[] =
	HEADER "MALLOC,3,4096,1,MainThread (1),load;/a/data.py;12|main;/a/train.py;60\n"
	       "MMAP,1,1048576,1,MainThread (1),\"empty;/a/b,c.py;3|main;/a/train.py;61\"\n"
	       "CALLOC,2,64,7,,main;/a/train.py;61\n"
	       "FREE,,,7,,\n";

TEST(stacks_of_allocations_are_bytes)
{
	struct run *run = trace_run(table);
	struct table *stacks = trace_view(run, "stacks", NULL, NULL);
	assert_int_equal(stacks->column[table_column(stacks, "value_ns")]->unit, UNIT_BYTES);
	table_free(stacks);
	assert_rows(run, "stacks", NULL, NULL, "value_ns,calls,stack",
		    "4096,3,/a/train.py(60): main;/a/data.py(12): load\n"
		    "64,2,/a/train.py(61): main\n"
		    "1048576,1,/a/train.py(61): main;/a/b,c.py(3): empty\n");
	assert_rows(run, "streams", NULL, NULL, "track,samples", "MainThread (1),4\nthread 7,2\n");
	assert_int_equal(damage_count(run->ranks[0].profile, "row without a count and a size"), 1);
	run_free(run);
	assert_survives(BYTES(table));
}

TEST(places_that_allocate_most)
{
	struct run *run = trace_run(data_text("memray_stats.json"));
	struct table *info = trace_view(run, "info", NULL, NULL);
	assert_rows(run, "python", NULL, NULL, "function,file,line,memory_bytes,self_ns",
		    "empty,/a/b.py,3,1048576,\nload,C:/a.py,12,4096,\n"
		    "<stack trace unavailable>,,,64,\n");
	assert_int_equal(table_number(info, row_with(info, "metric", "peak"), "value"), 1050000);
	assert_int_equal(damage_count(run->ranks[0].profile, "place without a size"), 1);
	table_free(info);
	run_free(run);
	assert_survives(DATA("memray_stats.json"));
}

/* memray puts bytes and counts into one file of speedscope's: they have no sum. */
TEST(bytes_and_counts_are_not_added)
{
	struct run *run = trace_run(
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		"\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":["
		"{\"type\":\"sampled\",\"name\":\"Memory\",\"unit\":\"bytes\",\"samples\":[[0]],"
		"\"weights\":[4096]},{\"type\":\"sampled\",\"name\":\"Allocations\","
		"\"unit\":\"none\",\"samples\":[[0]],\"weights\":[3]}]}");
	struct table *info = trace_view(run, "info", NULL, NULL);
	assert_rows(run, "stacks", NULL, NULL, "value_ns,stack", "4096,f\n");
	assert_cell(info, row_with(info, "metric", "profile not read: Allocations"), "value",
		    "its unit is of another quantity than the first profile's");
	assert_cell(info, row_with(info, "metric", "unit"), "value", "bytes");
	table_free(info);
	run_free(run);
}

TEST(captures_and_pages_are_refused_with_the_command)
{
	static const struct {
		const char *bytes, *part;
		size_t length;
	} cases[] = {
		{ "memray\0\14\0", "memray transform csv", 9 },
		{ "\x04\x22\x4d\x18\x40", "memray transform csv", 5 },
		{ "<!DOCTYPE html><html>", "web page", 21 },
		{ "\n<!DOCTYPE html>\n<head><title>memray - flamegraph report</title>",
		  "of the capture, run: memray transform csv", 64 },
		{ HEADER, "without allocations", sizeof HEADER - 1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error error = { 0 };
		assert_null(trace_open_bytes(cases[i].bytes, cases[i].length, &error));
		assert_non_null(strstr(error.message, cases[i].part));
	}
}

/* What a page says further on is no table of a log. */
TEST(pages_are_no_logs)
{
	char text[8192];
	struct error error = { 0 };
	int length = snprintf(text, sizeof text,
			      "<!DOCTYPE html><script>var pyinstrumentHTMLRenderer=0</script>%*s"
			      "\n ncalls  tottime  percall  cumtime  percall "
			      "filename:lineno(function)\n",
			      5000, "");
	assert_null(trace_open_bytes(text, (size_t)length, &error));
	assert_non_null(strstr(error.message, "pyinstrument -r speedscope"));
}

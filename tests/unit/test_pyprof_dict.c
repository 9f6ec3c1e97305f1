/*
 * Profiles from PyProf's net.dict files.
 */
#include "trace_case.h"

#include "base/buffer.h"

#include "report/preset.h"
#include "tools/pyprof/pyprof_kernels.h"

#define LINE(name, dur, layer, marker, seq, id, sub, dir, op)                                      \
	"{'kShortName': '" name "', 'kDuration': " dur ", 'layer': [" layer                        \
	"], 'trace': ['a.py:1', "                                                                  \
	"'b.py:2'], 'reprMarkers': [], 'marker': [" marker "], 'seqMarker': [" seq                 \
	"], 'seqId': [" id "], 'subSeqId': " sub ", 'altSeqId': [], 'dir': '" dir                  \
	"', 'mod': ['na'], 'op': [" op "], "                                                       \
	"'tid': 17, 'device': 1, 'stream': 7, 'grid': (2, 1, 1), 'block': (64, 1, 1), "            \
	"'kLongName': 'void " name "<int>()', 'rDuration': 5}\n"
#define MARKER                                                                                     \
	"\"{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3), " \
	"'dtype': 'float16'}, {'name': '', 'type': 'int', 'value': 4}]}\""
#define FORWARD                                                                                    \
	LINE("gemm", "100", "'block', 'fc'", MARKER, "'mm, seq = 5'", "5", "0", "fprop", "'mm'")
#define REDUCE                                                                                     \
	LINE("reduce", "20", "'block', 'fc'", MARKER, "'mm, seq = 5'", "5", "1", "fprop", "'mm'")
#define BACKWARD LINE("wgrad", "50", "", "", "'MmBackward, seq = 5'", "5", "0", "bprop", "'Mm'")

TEST(lines_become_consecutive_kernels)
{
	struct profile *profile = trace_open(FORWARD REDUCE BACKWARD);
	assert_string_equal(profile->format, "PyProf net.dict");
	assert_int_equal(profile->activities, 3);
	assert_int_equal(profile->events, 3);
	assert_int_equal(damage_count(profile, NULL), 0);
	uint32_t wgrad = activity_named(profile, "void wgrad<int>()");
	assert_int_equal(profile->activity_start[wgrad], 120);
	assert_int_equal(profile->activity_dur[wgrad], 50);
	assert_int_equal(profile_activity_device(profile, wgrad), 1);
	assert_int_equal(profile_config(profile, wgrad)->grid[0], 2);
	assert_int_equal(profile_config(profile, wgrad)->block[0], 64);
	assert_int_equal(profile->tracks[profile->activity_track[wgrad]].tid, 7);
	profile_free(profile);
}

TEST(line_details_are_kept)
{
	struct profile *profile = trace_open(FORWARD BACKWARD);
	uint32_t row = activity_named(profile, "void wgrad<int>()");
	size_t count, found = 0;
	const struct attribute *attributes = profile_activity_attributes(profile, row, &count);
	for (size_t i = 0; i < count; i++) {
		const char *key = profile_string(profile, attributes[i].key);
		const char *text = profile_string(profile, attributes[i].text);
		found += strcmp(key, "seqMarker") == 0 &&
			 strcmp(text, "['MmBackward, seq = 5']") == 0;
		found += strcmp(key, "line") == 0 && strcmp(text, "2") == 0;
		found += strcmp(key, "dir") == 0 && strcmp(text, "bprop") == 0;
		found += strcmp(key, "rDuration") == 0 && strcmp(text, "5") == 0;
	}
	assert_int_equal(found, 4);
	profile_free(profile);
}

TEST(kernels_of_one_call_share_an_operator)
{
	struct profile *profile = trace_open(FORWARD REDUCE FORWARD);
	uint32_t calls = 0;
	for (uint32_t i = 0; i < profile->spans; i++)
		calls += profile->span_kind[i] == SPAN_OPERATOR;
	assert_int_equal(calls, 2);
	uint32_t mm = span_named(profile, "mm");
	assert_int_equal(profile->span_dur[mm], 120);
	const struct op_info *info = profile_op_info(profile, mm);
	assert_int_equal(profile_op_ids(profile, mm)->sequence, 5);
	assert_string_equal(profile_string(profile, info->shapes), "[[2,3],[]]");
	assert_string_equal(profile_string(profile, info->types), "[\"float16\",\"int\"]");
	assert_string_equal(profile_string(profile, info->stack), "b.py:2;a.py:1");
	uint32_t layer = profile->span_parent[mm];
	assert_string_equal(span_text(profile, layer), "fc");
	assert_string_equal(span_text(profile, profile->span_parent[layer]), "block");
	profile_free(profile);
}

TEST(backward_links_to_forward_and_layer)
{
	struct run *run = trace_run(FORWARD REDUCE BACKWARD);
	struct table *links = trace_view(run, "links", NULL, NULL);
	assert_int_equal(links->rows, 1);
	assert_string_equal(table_cell(links, 0, "backward").text, "MmBackward");
	assert_string_equal(table_cell(links, 0, "layer").text, "block/fc");
	table_free(links);
	run_free(run);
}

TEST(damage_is_counted)
{
	struct profile *profile = trace_open(
		FORWARD
		"\nno such table: NVTX_EVENTS\n{'a': 1}\n"
		"{'kShortName': 'x', 'kDuration': -4, 'grid': 'no', 'stream': [], 'tid': None, "
		"'device': 99999999999, 'marker': ['os.system()', 3], 'seqId': 'x', 'layer': {}}\n" BACKWARD
		"{'kShortName': 'cut");
	assert_int_equal(profile->activities, 3);
	assert_int_equal(damage_count(profile, "line not a Python dictionary"), 3);
	assert_int_equal(damage_count(profile, "line without a kernel name"), 1);
	assert_int_equal(damage_count(profile, "kernel without a valid duration"), 1);
	profile_free(profile);
	assert_refused("{'a': 1}\n", 9);
}

static bool prints_escape(const struct table *table, format_writer *write, struct style style)
{
	struct extract_options options = { .limit = SIZE_MAX, .all_columns = true };
	struct extract extract;
	struct output output = { 0 };
	assert_true(extract_make(&extract, table, &options, NULL, NULL));
	assert_true(write(&output, &extract, &style, NULL, NULL));
	assert_non_null(strstr(buffer_text(&output.text), "[2J"));
	bool found = memchr(output.text.data, '\033', output.text.length) != NULL;
	buffer_free(&output.text);
	extract_clear(&extract);
	return found;
}

/* To files, the name is written as it is. */
TEST(control_bytes_do_not_reach_terminals)
{
	struct run *run = trace_run(
		LINE("\033[2Jgemm", "100", "'fc'", MARKER, "", "5", "0", "fprop", "'mm'"));
	struct scope scope;
	scope_init(&scope);
	struct table *table =
		view_build(preset_find("pyprof")->view, run, &scope, NULL, NULL, NULL);
	assert_non_null(table);
	for (int terminal = 0; terminal < 2; terminal++) {
		struct style narrow = { .width = 300, .terminal = terminal };
		struct style wide = { .terminal = terminal };
		assert_int_equal(prints_escape(table, pyprof_print, narrow), !terminal);
		assert_int_equal(prints_escape(table, pyprof_print, wide), !terminal);
		assert_int_equal(prints_escape(table, pyprof_print_csv, wide), !terminal);
	}
	table_free(table);
	run_free(run);
}

static bool has_fact(const struct table *table, const char *metric)
{
	for (size_t row = 0; row < table->rows; row++)
		if (strcmp(table_cell(table, row, "metric").text, metric) == 0)
			return true;
	return false;
}

TEST(times_are_modeled_and_say_so)
{
	struct run *run = trace_run_bytes(FORWARD BACKWARD, strlen(FORWARD BACKWARD));
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	struct table *info = trace_view(run, "info", NULL, NULL);
	struct table *utilization = trace_view(run, "utilization", NULL, NULL);

	assert_rows(run, "operators", NULL, NULL,
		    "name,calls,gpu_total_ns,cpu_total_ns,avg_ns,idle_total_ns",
		    "mm,1,100,,,\nMmBackward,1,50,,,\n");
	assert_true(has_fact(overview, "times"));
	assert_false(has_fact(overview, "duration"));
	assert_false(has_fact(overview, "gpu_util_pct"));
	assert_false(has_fact(overview, "kernel_pct"));
	assert_true(has_fact(info, "duration, modeled"));
	assert_int_equal(utilization->rows, 0);
	table_free(utilization);
	table_free(info);
	table_free(overview);
	run_free(run);
}

/* Calls that last as long as their kernels are the reader's: nothing is said of host times. */
TEST(nothing_is_said_of_host_times)
{
	struct buffer lines = { 0 };
	for (int i = 0; i < 30; i++)
		buffer_puts(&lines, LINE("gemm", "90000", "'block', 'fc'", MARKER, "'mm'", "5", "0",
					 "fprop", "'mm'"));
	struct run *run = trace_run_bytes(lines.data, lines.length);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	size_t unknown = 0;
	for (size_t row = 0; row < advice->rows; row++)
		unknown += !strcmp(table_cell(advice, row, "detector").text, "blocking_launches") &&
			   !strcmp(table_cell(advice, row, "severity").text, "unknown");
	assert_int_equal(unknown, 1);
	table_free(advice);
	run_free(run);
	buffer_free(&lines);
}

/* Kernels measured by Nsight Compute, and execution traces, opened beside a timeline. */
#include "trace_case.h"
#include "file_case.h"

#include "base/mem.h"
#include "session/join.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LAUNCHED(name, ts, grid)                                                                   \
	EVENT("kernel", name, "0", "7", ts, "10",                                                  \
	      "{\"device\":0,\"stream\":7,\"correlation\":" ts ",\"grid\":[" grid                  \
	      "],\"block\":[128,1,1]}")

static const char timeline[] =
	DOCUMENT(LAUNCHED("void a::f<float, 4>(float*)", "100", "8,1,1") "," LAUNCHED(
		"void a::f<float, 4>(float*)", "200",
		"8,1,1") "," LAUNCHED("void a::f<float, 4>(float*)", "300",
				      "9,1,1") "," LAUNCHED("g", "400", "8,1,1"));

/* A result of kernel NAME with these measured values. */
#define RESULT(id, name, values)                                                                   \
	"\"" id "\",\"1\",\"p\",\"h\",\"" name "\",\"1\",\"7\",\"(128, 1, 1)\","                   \
	"\"(8, 1, 1)\",\"0\",\"8.0\"," values "\n"

static const char report[] =
	"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","
	"\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"gpu__time_duration.sum\","
	"\"dram__bytes_read.sum\",\"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum\","
	"\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\",\"dram__bytes_write.sum\"\n"
	"\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"nsecond\",\"byte\",\"inst\",\"inst\",\"byte\"\n"
	/* the median of three is the second */
	RESULT("0", "f(float *)", "900,1,1,1,1") RESULT("1", "f(float *)", "500,4000,100,50,96")
		RESULT("2", "f(float *)", "100,2,2,2,2") RESULT("3", "other", "7,2,2,2,2");

static struct run *open_files(const char *trace_text, const char *report_text)
{
	char trace[] = "join-trace-XXXXXX", measured[] = "join-report-XXXXXX";
	const char *paths[] = { measured, trace };
	struct error error = { 0 };
	write_temporary(trace, trace_text, strlen(trace_text));
	write_temporary(measured, report_text, strlen(report_text));
	struct run *run = run_open(paths, 2, NULL, NULL, &error);
	unlink(trace);
	unlink(measured);
	if (!run)
		fail_msg("refused: %s", error.message);
	return run;
}

static struct run *open_both(void)
{
	return open_files(timeline, report);
}

TEST(launches_have_measured_work)
{
	struct run *run = open_both();
	struct table *table = trace_view(run, "launches", NULL, NULL);
	assert_int_equal(run->rank_count, 1);
	assert_int_equal(table->rows, 4);
	for (size_t row = 0; row < 2; row++) {
		assert_int_equal(table_number(table, row, "flops"), 200);
		assert_int_equal(table_number(table, row, "bytes"), 4096);
		assert_non_null(strstr(table_cell(table, row, "peak_note").text, "measured"));
		assert_int_equal(table_number(table, row, "dur_ns"), 10000);
	}
	for (size_t row = 2; row < 4; row++) {
		assert_int_equal(table_cell(table, row, "flops").kind, VALUE_MISSING);
		assert_int_equal(table_cell(table, row, "peak_note").kind, VALUE_MISSING);
	}
	table_free(table);
	run_free(run);
}

TEST(metrics_are_of_the_kernel)
{
	struct run *run = open_both();
	struct table *table = trace_view(run, "metrics", NULL, NULL);
	assert_int_equal(table->rows, 5);
	assert_int_equal(table_cell(table, 0, "launch").kind, VALUE_MISSING);
	assert_true(table_cell(table, 0, "value").real == 500);
	table_free(table);
	table = trace_view(run, "info", NULL, NULL);
	size_t derived = 0;
	for (size_t row = 0; row < table->rows; row++) {
		const char *metric = table_cell(table, row, "metric").text;
		const char *value = table_cell(table, row, "value").text;
		derived +=
			!strcmp(metric, "launches of measured kernels") && !strcmp(value, "2 of 4");
		derived += !strcmp(metric, "measured kernels without a launch here") &&
			   !strcmp(value, "1 of 2");
	}
	assert_int_equal(derived, 2);
	table_free(table);
	run_free(run);
}

TEST(reports_alone_are_the_run)
{
	struct run *run = trace_run(report);
	struct table *table = trace_view(run, "launches", NULL, NULL);
	assert_int_equal(table->rows, 4);
	assert_int_equal(table_number(table, 1, "bytes"), 4096);
	table_free(table);
	run_free(run);
}

/* Launch calls are missing by nature: nothing to find. */
TEST(a_report_has_no_unlinked_work)
{
	struct run *run = trace_run(report);
	struct table *table = trace_view(run, "advice", NULL, NULL);
	for (size_t row = 0; row < table->rows; row++)
		if (!strcmp(table_cell(table, row, "detector").text, "unlinked_work"))
			assert_string_equal(table_cell(table, row, "severity").text, "unknown");
	table_free(table);
	run_free(run);
}

/* ---- execution traces ---- */

#define CALLED(name, ts, arguments) EVENT("cpu_op", name, "7", "1", ts, "20", "{" arguments "}")
#define CALLS(mm, add)                                                                             \
	DOCUMENT(CALLED("aten::mm", "0", mm) "," CALLED("aten::add", "40", add) "," EVENT(         \
		"cuda_runtime", "cudaLaunchKernel", "7", "1", "2", "2",                            \
		"{\"correlation\":1}") "," KERNEL("gemm", "10", "10", "1"))
#define NODE(name, id, inputs)                                                                     \
	"{\"id\":1" id ",\"name\":\"" name "\",\"ctrl_deps\":30,\"inputs\":{" inputs               \
	"},\"attrs\":[{\"name\":\"scope\",\"value\":0},{\"name\":\"rf_id\",\"value\":" id "}]}"
#define NODES                                                                                                                                                                                    \
	NODE("aten::mm", "5",                                                                                                                                                                    \
	     "\"values\":[[1,2],[3,4]],\"shapes\":[[64,32],[32,16]],"                                                                                                                            \
	     "\"types\":[\"Tensor(float)\",\"Tensor(float)\"]")                                                                                                                                  \
	"," NODE(                                                                                                                                                                                \
		"aten::add", "6",                                                                                                                                                                \
		"\"values\":[[1],[2,3],true,4,\"<None>\"],\"shapes\":[[7],[[],[]],[],[],[]],"                                                                                                    \
		"\"types\":[\"Tensor(c10::Half)\",\"GenericList[Int,Int]\",\"Bool\",\"Int\",\"None\"]") ",{\"id\":30,\"name\":\"## forward ##\",\"ctrl_deps\":1,\"attrs\":[{\"name\":\"rf_id\"," \
													"\"value\":4},{\"name\":\"scope\",\"value\":7}]}"
#define EXECUTION(pid, nodes)                                                                      \
	"{\"schema\":\"1.1.0-chakra.0.0.4\",\"pid\":" pid ",\"start_ts\":1,\"nodes\":[" nodes "]}"

static const char calls[] = CALLS("\"External id\":9,\"Record function id\":5",
				  "\"External id\":10,\"Record function id\":6");

static void assert_inputs(const char *trace, const char *execution, const char *rows)
{
	struct run *run = open_files(trace, execution);
	assert_int_equal(run->rank_count, 1);
	assert_rows(run, "calls", NULL, NULL, "name,input_shapes,input_types", rows);
	run_free(run);
}

TEST(operators_have_inputs_of_the_execution_trace)
{
	static const char rows[] =
		"aten::mm,[[64,32],[32,16]],[\"float\",\"float\"]\n"
		"aten::add,[[7],[],[],[],[]],[\"c10::Half\",\"ScalarList\",\"Scalar\",\"Scalar\",\"\"]\n";
	assert_inputs(calls, EXECUTION("7", NODES), rows);
	/* earlier traces have the same numbers as external ids */
	assert_inputs(CALLS("\"External id\":5", "\"External id\":6"), EXECUTION("7", NODES), rows);
	/* earlier execution traces have attributes and inputs in the node */
	assert_inputs(
		calls,
		"{\"schema\":\"1.0.1\",\"pid\":7,\"start_ts\":1,\"nodes\":[{\"name\":\"aten::mm\","
		"\"id\":2,\"rf_id\":5,\"parent\":1,\"scope\":0,\"inputs\":[[1,2],[3,4]],"
		"\"input_shapes\":[[64,32],[32,16]],"
		"\"input_types\":[\"Tensor(float)\",\"Tensor(float)\"]}]}",
		"aten::mm,[[64,32],[32,16]],[\"float\",\"float\"]\naten::add,,\n");
}

/* Not of a function of Python or of the runtime, whatever ids they have. */
TEST(inputs_are_those_of_operators)
{
#define OF_KIND(category, ts) EVENT(category, "aten::mm", "7", "1", ts, "30", "{" RECORD "}")
#define RECORD "\"Record function id\":5"
	static const char trace[] = DOCUMENT(OF_KIND("cuda_runtime", "0") "," CALLED(
		"aten::mm", "40", RECORD) "," OF_KIND("cuda_runtime", "80"));
	assert_inputs(trace, EXECUTION("7", NODES),
		      "aten::mm,[[64,32],[32,16]],[\"float\",\"float\"]\n");
}

TEST(inputs_make_work_known)
{
	struct run *run = open_files(calls, EXECUTION("7", NODES));
	assert_rows(run, "launches", NULL, NULL, "name,flops",
		    "gemm,65536\n"); /* 2 * 64 * 32 * 16 */
	const struct profile *profile = run->ranks[0].profile;
	const char *concrete = "";
	bool parent = false;
	for (uint32_t i = 0; i < profile->spans; i++) {
		size_t count;
		const struct attribute *at = profile_span_attributes(profile, i, &count);
		if (!strcmp(span_text(profile, i), "aten::add"))
			concrete = profile_string(profile, profile_op_info(profile, i)->concrete);
		for (size_t k = 0; k < count; k++)
			parent |= !strcmp(profile_string(profile, at[k].text), "## forward ##");
	}
	assert_string_equal(concrete, "[\"\",\"[2,3]\",\"True\",\"4\",\"\"]");
	assert_true(parent);
	run_free(run);
}

TEST(other_calls_have_no_inputs)
{
	static const char nothing[] = "aten::mm,,\naten::add,,\n";
	/* another process, another function with the id, lists of different lengths, no lists */
	assert_inputs(calls, EXECUTION("8", NODES), nothing);
	assert_inputs(calls,
		      EXECUTION("7", NODE("aten::mul", "5",
					  "\"values\":[1],\"shapes\":[[1]],\"types\":[\"Int\"]")),
		      nothing);
	assert_inputs(calls,
		      EXECUTION("7", NODE("aten::mm", "5",
					  "\"values\":[],\"shapes\":[[1]],\"types\":[\"Int\"]")),
		      nothing);
	assert_inputs(
		calls,
		EXECUTION("7", NODE("aten::mm", "5", "\"values\":1,\"shapes\":{},\"types\":[7]")),
		nothing);
	/* what the timeline has is kept */
	assert_inputs(CALLS("\"Record function id\":5,\"Input Dims\":[[9]]", "\"External id\":10"),
		      EXECUTION("7", NODES), "aten::mm,[[9]],[\"float\",\"float\"]\naten::add,,\n");
}

TEST(base_names)
{
	static const char *const names[][2] = {
		{ "f", "f" },
		{ "void at::native::f<int, (int)4>(long)", "f" },
		{ "at::native::(anonymous namespace)::softmax(float *)", "softmax" },
		{ "void at::native::<unnamed>::softmax<4>(float *)", "softmax" },
		{ "triton_poi_fused_0", "triton_poi_fused_0" },
		{ "", "" },
		{ "<", "" },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t length;
		const char *base = join_base_name(names[i][0], &length);
		assert_int_equal(length, strlen(names[i][1]));
		assert_memory_equal(base, names[i][1], length);
	}
}

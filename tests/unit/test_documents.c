/* Small JSON documents of other tools: TensorRT, Proton, ONNX Runtime, execution traces, timelines.
 */
#include "trace_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "model/snapshot.h"
#include "model/totals.h"

#include <stdlib.h>

#define PROTON                                                                                     \
	"[{\"children\":[{\"children\":[{\"children\":[],\"frame\":{\"name\":\"inner\"},"          \
	"\"metrics\":{\"time (ns)\":40,\"count\":2,\"flops8\":10,\"flops16\":20,\"bytes\":8}}],"   \
	"\"frame\":{\"name\":\"outer\",\"type\":\"function\"},\"metrics\":{}}],"                   \
	"\"frame\":{\"name\":\"ROOT\"},\"metrics\":{\"count\":0}},"                                \
	"{\"CUDA\":{\"0\":{\"arch\":\"90\",\"num_sms\":132}}}]"
#define LAYERS                                                                                     \
	"[{\"count\":3},{\"name\":\"conv\",\"timeMs\":1.5,\"averageMs\":0.5,\"percentage\":75},"   \
	"{\"name\":\"relu \\u00e9\",\"timeMs\":0.5,\"averageMs\":0.1},{\"name\":7,\"timeMs\":1}]"
#define TIMES                                                                                      \
	"[{\"startH2dMs\":1,\"endH2dMs\":1.1,\"startComputeMs\":1.1,\"h2dMs\":0.1,"                \
	"\"computeMs\":0.5,\"d2hMs\":0,\"latencyMs\":0.6},"                                        \
	"{\"startH2dMs\":1.59,\"h2dMs\":0.1,\"computeMs\":0.4,\"d2hMs\":0.1,\"latencyMs\":0.6}]"
#define ENGINE                                                                                     \
	"{\"Layers\":[{\"Name\":\"conv\",\"LayerType\":\"Conv\"},\"relu\"],"                       \
	"\"Bindings\":[\"in\",\"out\"]}"
#define OLD_TRACE                                                                                  \
	"{\"schema\":\"1.0.1\",\"pid\":7,\"nodes\":["                                              \
	"{\"name\":\"[pytorch|profiler|thread]\",\"id\":2,\"scope\":7},"                           \
	"{\"name\":\"aten::mm\",\"id\":3,\"scope\":0,\"input_shapes\":[[2,3],[3,4]]},"             \
	"{\"name\":\"aten::mm\",\"id\":4,\"scope\":0,\"input_shapes\":[[5,3],[3,4]]},{\"id\":1}]}"
#define NEW_TRACE                                                                                  \
	"{\"schema\":\"1.1.0-chakra.0.0.4\",\"start_ts\":1,\"nodes\":["                            \
	"{\"id\":2,\"name\":\"run\",\"attrs\":[{\"name\":\"scope\",\"value\":7}]},"                \
	"{\"id\":3,\"name\":\"aten::mm\",\"inputs\":{\"shapes\":[[2,3],[3,4]]},"                   \
	"\"attrs\":[{\"name\":\"scope\",\"value\":0}]}]}"
#define TIMELINE                                                                                   \
	"[[-1,1,100,0],[-1,1,50,2],[1000,2,30,4],[1000,2,30,4],[2000,4,-30,4],"                    \
	"[3000,3,-100,0],[3000,3,100,0],[4000,2,5,99],[5000,4,-77,3],\"x\"]"
#define ORT(category, name, ts, dur, args)                                                         \
	"{\"cat\" :\"" category "\",\"pid\" :7,\"tid\" :8,\"dur\" :" dur ",\"ts\" :" ts            \
	",\"ph\" :\"X\",\"name\" :\"" name "\",\"args\" :" args "}"
#define NODE                                                                                       \
	"{\"op_name\" :\"Conv\",\"provider\" :\"CUDAExecutionProvider\","                          \
	"\"input_type_shape\" :[{\"float\":[1,8]},{\"int64\":[4]}]}"
#define SESSION                                                                                                                           \
	"[\n" ORT("Session", "session_initialization", "1", "50", "{}") ",\n" ORT("Node", "c1_fence_before", "100", "0", "{}") "," ORT(   \
		"Node", "c1_kernel_time", "100", "10",                                                                                    \
		NODE) "," ORT("Kernel", "gemm", "105", "4",                                                                               \
			      "{\"stream\":\"7\",\"grid_x\":\"2\",\"grid_y\":\"1\",\"grid_z\":\"1\"}") "," ORT("Session",                 \
													       "model_run",               \
													       "90",                      \
													       "30",                      \
													       "{}") "," ORT("Session",   \
															     "model_run", \
															     "200",       \
															     "40",        \
															     "{}") ",5]"

TEST(proton)
{
	struct run *run = trace_run(PROTON);
	struct table *layers = trace_view(run, "layers", NULL, NULL);
	struct table *stacks = trace_view(run, "stacks", NULL, NULL);
	struct table *operators = trace_view(run, "operators", NULL, NULL);

	assert_int_equal(layers->rows, 2);
	assert_int_equal(table_number(layers, 0, "gpu_total_ns"), 40);
	assert_int_equal(table_number(layers, 0, "gpu_self_ns"), 0);
	assert_int_equal(table_cell(layers, 0, "calls").kind, VALUE_MISSING);
	assert_cell(layers, 1, "path", "outer/inner");
	assert_int_equal(table_number(layers, 1, "depth"), 1);
	assert_int_equal(table_number(layers, 1, "flops"), 30);
	assert_int_equal(stacks->rows, 1);
	assert_cell(stacks, 0, "stack", "outer;inner");
	assert_int_equal(operators->rows, 0);
	table_free(layers);
	table_free(stacks);
	table_free(operators);
	run_free(run);
}

TEST(tensorrt_layers)
{
	struct run *run = trace_run(LAYERS);
	struct table *operators = trace_view(run, "operators", NULL, NULL);

	assert_int_equal(operators->rows, 2);
	assert_int_equal(table_number(operators, 0, "calls"), 3);
	assert_int_equal(table_number(operators, 0, "gpu_total_ns"), 1500000);
	assert_int_equal(table_number(operators, 0, "gpu_self_ns"), 1500000);
	assert_true(table_cell(operators, 0, "gpu_avg_ns").real == 500000); /* averageMs */
	assert_int_equal(table_cell(operators, 0, "gpu_min_ns").kind, VALUE_MISSING);
	assert_int_equal(table_cell(operators, 0, "cpu_total_ns").kind, VALUE_MISSING);
	assert_int_equal(damage_count(run->ranks[0].profile, "layer without name or time"), 1);
	table_free(operators);
	run_free(run);

	run = trace_run(ENGINE);
	struct table *layers = trace_view(run, "layers", NULL, NULL);
	assert_int_equal(layers->rows, 2);
	assert_cell(layers, 0, "kind", "Conv");
	assert_int_equal(table_cell(layers, 1, "kind").kind, VALUE_MISSING);
	assert_int_equal(table_cell(layers, 0, "gpu_total_ns").kind, VALUE_MISSING);
	table_free(layers);
	run_free(run);
}

TEST(tensorrt_runs_are_steps)
{
	struct run *run = trace_run(TIMES);
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	assert_int_equal(steps->rows, 2);
	for (size_t row = 0; row < 2; row++) {
		assert_int_equal(table_number(steps, row, "dur_ns"), 600000);
		assert_int_equal(table_number(steps, row, "kernel_ns"), row ? 400000 : 500000);
		assert_int_equal(table_number(steps, row, "memcpy_ns"), row ? 200000 : 100000);
	}
	table_free(steps);
	run_free(run);
}

/* trtexec records no launches, so none are missing. */
TEST(tensorrt_runs_are_not_unlinked)
{
	struct run *run = trace_run(TIMES);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	bool found = false;
	for (size_t row = 0; row < advice->rows; row++) {
		if (strcmp(table_cell(advice, row, "detector").text, "unlinked_work") != 0)
			continue;
		assert_string_equal(table_cell(advice, row, "severity").text, "unknown");
		found = true;
	}
	assert_true(found);
	table_free(advice);
	run_free(run);
}

TEST(execution_traces)
{
	struct run *run = trace_run(OLD_TRACE);
	struct table *by_name = trace_view(run, "operators", NULL, NULL);
	struct table *by_shape = trace_view(run, "operators", NULL, "shape");

	assert_int_equal(by_name->rows, 1);
	assert_int_equal(table_number(by_name, 0, "calls"), 2);
	assert_int_equal(table_cell(by_name, 0, "gpu_total_ns").kind, VALUE_MISSING);
	assert_int_equal(by_shape->rows, 2);
	assert_cell(by_shape, 0, "input_shapes", "[[2,3],[3,4]]");
	table_free(by_name);
	table_free(by_shape);
	run_free(run);

	run = trace_run(NEW_TRACE);
	by_shape = trace_view(run, "operators", NULL, "shape");
	assert_int_equal(by_shape->rows, 1);
	assert_cell(by_shape, 0, "input_shapes", "[[2,3],[3,4]]");
	table_free(by_shape);
	run_free(run);
}

/* A number or word that the first block read from the file ends in goes on in the next. */
TEST(values_go_on_in_the_next_block)
{
	enum { BLOCK = 1 << 18 };
	static const char begin[] =
		"{\"schema\":\"1.0.1\",\"nodes\":[{\"name\":\"aten::mm\",\"id\":3,\"scope\":0,"
		"\"input_shapes\":[[2,3],[3,4]]}],\"value\":";
	static const char *const values[] = { "7654321", "false", "-1.25e7", "\"a b\"", "[1,2]" };
	for (size_t i = 0; i < 5 * sizeof values / sizeof *values; i++) {
		struct buffer text = { 0 };
		const char *value = values[i / 5];
		buffer_puts(&text, begin);
		while (text.length + i % 5 < BLOCK)
			buffer_putc(&text, ' ');
		buffer_printf(&text, "%s,\"finish_ts\":5}", value);
		struct profile *profile = trace_open(buffer_text(&text));
		assert_int_equal(damage_count(profile, NULL), 0);
		profile_free(profile);
		buffer_free(&text);
	}
}

/* A tool that rewrites a document may sort its members. */
TEST(sorted_members)
{
	static const struct {
		const char *text, *format;
	} cases[] = {
		{ "[{\"computeMs\":0.5,\"d2hMs\":0,\"h2dMs\":0.1,\"latencyMs\":0.6,\"startH2dMs\":1}]",
		  "TensorRT output (JSON)" },
		{ "[{\"count\":3},{\"averageMs\":0.5,\"name\":\"conv\",\"timeMs\":1.5}]",
		  "TensorRT output (JSON)" },
		{ "{\"nodes\":[{\"fw_parent\":0,\"id\":3,\"name\":\"aten::mm\",\"rf_id\":1,"
		  "\"scope\":0}],\"pid\":7,\"schema\":\"1.0.1\"}",
		  "PyTorch execution trace (JSON)" },
		{ "{\"nodes\":[{\"attrs\":[{\"name\":\"rf_id\",\"value\":1},{\"name\":\"fw_parent\","
		  "\"value\":0},{\"name\":\"scope\",\"value\":0}],\"id\":3,\"name\":\"aten::mm\"}],"
		  "\"schema\":\"1.1.0-chakra.0.0.4\",\"start_ts\":1}",
		  "PyTorch execution trace (JSON)" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct profile *profile = trace_open(cases[i].text);
		assert_string_equal(profile->format, cases[i].format);
		profile_free(profile);
	}
}

TEST(memory_timelines)
{
	struct run *run = trace_run(TIMELINE);
	struct table *memory = trace_view(run, "memory", NULL, NULL);
	struct table *events = trace_view(run, "memory-events", NULL, NULL);
	const struct snapshot *snapshot = run->ranks[0].profile->snapshot;

	assert_int_equal(snapshot->devices[0].before, 150);
	assert_int_equal(snapshot->devices[0].peak, 210);
	assert_int_equal(snapshot->devices[0].peak_entry, 3);
	assert_int_equal(memory->rows, 4);
	for (size_t row = 0; row < memory->rows; row++) {
		struct value name = table_cell(memory, row, "name");
		bool activation = name.length == 10 && !memcmp(name.text, "activation", 10);
		if (activation) {
			assert_int_equal(table_number(memory, row, "peak_bytes"), 60);
			assert_int_equal(table_number(memory, row, "end_bytes"), 30);
		}
	}
	assert_int_equal(events->rows, 6);
	assert_int_equal(table_cell(events, 0, "free_ns").kind, VALUE_MISSING);
	table_free(memory);
	table_free(events);
	run_free(run);
}

TEST(onnxruntime)
{
	struct run *run = trace_run(SESSION);
	const struct profile *profile = run->ranks[0].profile;
	struct table *calls = trace_view(run, "calls", NULL, NULL);
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	const struct op_info *info = profile_op_info(profile, span_named(profile, "Conv"));

	assert_int_equal(calls->rows, 1);
	assert_cell(calls, 0, "layer", "c1");
	assert_int_equal(steps->rows, 2);
	assert_int_equal(table_number(steps, 1, "dur_ns"), 40000);
	assert_string_equal(profile_string(profile, info->shapes), "[[1,8],[4]]");
	assert_string_equal(profile_string(profile, info->types), "[\"float\",\"int64\"]");
	assert_int_equal(profile_config(profile, activity_named(profile, "gemm"))->grid[0], 2);
	table_free(calls);
	table_free(steps);
	run_free(run);
}

/* The first versions name no node. */
TEST(onnxruntime_without_names)
{
	struct run *run = trace_run(
		"[" ORT("Node", "_fence_before", "9", "1", "{\"op_name\":\"Conv\"}") "," ORT(
			"Node", "_kernel_time", "10", "90", "{\"op_name\":\"Conv\"}") "]");
	assert_rows(run, "calls", NULL, NULL, "name,layer", "Conv,Conv\n");
	run_free(run);
}

/* Kernels name their node, which ran last before them: no call that launched them is recorded. */
TEST(onnxruntime_kernels_belong_to_their_node)
{
#define OP(type) "{\"op_name\":\"" type "\"}"
#define OF(node) "{\"stream\":\"7\",\"parent_name\":\"" node "\"}"
	struct run *run = trace_run(
		"[" ORT("Session", "model_run", "90", "300", "{}") "," ORT("Node", "c1_kernel_time", "100", "10", OP("Conv")) "," ORT("Kernel", "gemm", "105", "4", OF("c1_kernel_time")) "," ORT(
			"Node", "c2_kernel_time", "120", "10",
			OP("Conv")) "," ORT("Kernel", "copy", "150", "6",
					    OF("c1_kernel_time")) "," ORT("Kernel", "lost", "160",
									  "7",
									  OF("c9_kernel_time")) "," ORT("Node",
													"c1_kernel_time",
													"200",
													"10",
													OP("Relu")) "," ORT("Kernel",
															    "gemm",
															    "205",
															    "8",
															    OF("c1_kernel_time")) "]");
	assert_rows(run, "launches", NULL, NULL, "name,operator,layer,api_start_ns",
		    "gemm,Conv,c1,\ncopy,Conv,c1,\nlost,,,\ngemm,Relu,c1,\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,gpu_total_ns",
		    "Conv,2,10000\nRelu,1,8000\n");
	assert_rows(run, "modules", NULL, NULL, "path,gpu_total_ns", "c1,18000\nc2,0\n");
	run_free(run);
}

static const char *const documents[] = { PROTON,    LAYERS,    TIMES,    ENGINE,
					 OLD_TRACE, NEW_TRACE, TIMELINE, SESSION };

/* Cut anywhere: what was read before, or one sentence. */
TEST(cut_documents)
{
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
		for (size_t length = 1; length < strlen(documents[i]); length++) {
			struct error error = { 0 };
			struct profile *profile = trace_open_bytes(documents[i], length, &error);
			assert_true(profile || strlen(error.message) > 5);
			profile_free(profile);
		}
}

/* Each byte replaced by each of some that matter. */
TEST(changed_documents)
{
	static const char bytes[] = "[]{}\",:-9e\\x";
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		size_t length = strlen(documents[i]);
		char *copy = mem_strdup(documents[i]);
		for (size_t at = 0; at < length; at++) {
			copy[at] = bytes[(at * 7 + i) % (sizeof bytes - 1)];
			profile_free(trace_open_bytes(copy, length, NULL));
			copy[at] = documents[i][at];
		}
		mem_free(copy);
	}
}

TEST(absurd_depth_and_numbers)
{
	struct buffer text = { 0 };
	buffer_puts(&text, "[");
	for (int i = 0; i < 3000; i++)
		buffer_puts(&text, "{\"frame\":{\"name\":\"a\"},\"metrics\":{\"time (ns)\":9e300,"
				   "\"count\":-9e18},\"children\":[");
	struct profile *profile = trace_open_bytes(text.data, text.length, NULL);
	profile_free(profile);
	for (int i = 0; i < 3000; i++)
		buffer_puts(&text, "]}");
	buffer_puts(&text, "]");
	profile = trace_open_bytes(text.data, text.length, NULL);
	assert_non_null(profile);
	assert_true(damage_count(profile, "scope without a name, or too deep") > 0);
	profile_free(profile);
	buffer_free(&text);
	profile_free(trace_open_bytes("[[-1,1,9223372036854775807,0],[1,2,-9223372036854775808,0]]",
				      59, NULL));
}

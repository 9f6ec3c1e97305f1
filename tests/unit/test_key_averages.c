/* PyTorch's key_averages(): rows by PyTorch's rules, and the printed table. */
#include "trace_case.h"

#include "session/load.h"
#include "base/buffer.h"
#include "base/demangle.h"
#include "report/preset.h"
#include "tools/torch/key_averages.h"

#include <stdlib.h>
#include <unistd.h>

/* A run with a hand-made profile. */
struct made {
	struct run *run;
	struct scope scope;
	struct table *table;
};

static void make(struct made *made, const char *text, const char *group)
{
	struct error error = { 0 };
	made->run = trace_run(text);
	scope_init(&made->scope);
	made->table = view_build(&view_key_averages, made->run, &made->scope, group, NULL, &error);
	if (!made->table)
		fail_msg("%s", error.message);
}

static void drop(struct made *made)
{
	table_free(made->table);
	scope_clear(&made->scope);
	run_free(made->run);
}

static int64_t cell(const struct made *made, const char *name, const char *id)
{
	return table_value(made->table, row_with(made->table, "name", name),
			   (size_t)table_column(made->table, id))
		.integer;
}

static const char *text_cell(const struct made *made, size_t row, const char *id)
{
	struct value value = table_value(made->table, row, (size_t)table_column(made->table, id));
	return value.kind == VALUE_TEXT ? value.text : "";
}

#define NUMBERED(name, ts, dur, id)                                                                \
	EVENT("cpu_op", name, "1", "1", ts, dur, "{\"External id\":" id "}")
#define ANNOTATION(name, ts, dur) EVENT("user_annotation", name, "1", "1", ts, dur, "{}")
#define MEMORY(ts, bytes)                                                                          \
	"{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":2,\"ts\":" ts                       \
	",\"args\":{\"Device Type\":0,\"Device Id\":-1,\"Addr\":1,\"Bytes\":" bytes "}}"

TEST(self_excludes_children)
{
	struct made made;
	make(&made,
	     DOCUMENT(ANNOTATION("step", "0", "100") "," OPERATOR("a", "10", "40") "," OPERATOR(
		     "b", "20", "10") "," OPERATOR("a", "60", "30")),
	     NULL);
	assert_int_equal(made.table->rows, 3);
	assert_string_equal(text_cell(&made, 0, "name"), "step");
	assert_int_equal(cell(&made, "step", "cpu_self_ns"), 30000);
	assert_int_equal(cell(&made, "a", "calls"), 2);
	assert_int_equal(cell(&made, "a", "cpu_total_ns"), 70000);
	assert_int_equal(cell(&made, "a", "cpu_self_ns"), 60000);
	drop(&made);
}

/* PyTorch would nest b in outer if outer ended one fraction later. */
TEST(equal_ends_nest)
{
	struct made made;
	make(&made,
	     DOCUMENT(OPERATOR("outer", "0", "30") "," OPERATOR("a", "10",
								"10") "," OPERATOR("b", "15", "5")),
	     NULL);
	assert_int_equal(cell(&made, "outer", "cpu_self_ns"), 20000);
	assert_int_equal(cell(&made, "a", "cpu_self_ns"), 5000);
	drop(&made);
}

/* Operators within one microsecond are siblings if their sequence numbers say so. */
TEST(sequence_numbers_order_within_a_microsecond)
{
	struct made made;
	make(&made,
	     DOCUMENT(NUMBERED("late", "10", "5", "8") "," NUMBERED("early", "10", "0", "7")),
	     NULL);
	assert_int_equal(cell(&made, "late", "cpu_self_ns"), 5000);
	assert_int_equal(cell(&made, "early", "calls"), 1);
	assert_int_equal(cell(&made, "early", "async"), 0);
	drop(&made);
}

TEST(nested_calls_of_same_name_fold)
{
	struct made made;
	make(&made,
	     DOCUMENT(OPERATOR("to", "0", "50") "," OPERATOR("to", "5", "40") "," OPERATOR(
		     "to", "10",
		     "20") "," OPERATOR("copy", "12",
					"10") "," OPERATOR("to", "60",
							   "30") "," OPERATOR("to", "61",
									      "5") "," OPERATOR("to",
												"70",
												"5")),
	     NULL);
	assert_int_equal(cell(&made, "to", "calls"), 4);
	assert_int_equal(cell(&made, "to", "cpu_total_ns"), 90000);
	assert_int_equal(cell(&made, "to", "cpu_self_ns"), 40000 + 20000 + 10000);
	drop(&made);
}

TEST(overlap_without_nesting_is_async)
{
	struct made made;
	make(&made,
	     DOCUMENT(OPERATOR("a", "0", "10") "," OPERATOR("b", "5", "10") "," OPERATOR(
		     "nccl:x", "20", "5") "," OPERATOR("c", "6", "2")),
	     NULL);
	assert_int_equal(cell(&made, "b", "async"), 1);
	assert_int_equal(cell(&made, "b", "cpu_total_ns"), 10000);
	assert_int_equal(cell(&made, "b", "cpu_self_ns"), 0);
	assert_int_equal(cell(&made, "nccl:x", "async"), 1);
	assert_int_equal(cell(&made, "a", "cpu_self_ns"), 8000);
	drop(&made);
}

TEST(names_are_rewritten_or_dropped)
{
	struct made made;
	make(&made,
	     DOCUMENT(ANNOTATION("ProfilerStep#4", "0", "10") "," ANNOTATION(
		     "ProfilerStep#5", "20", "10") "," OPERATOR("aten::is_leaf", "21",
								"1") "," OPERATOR("t", "24", "1")),
	     NULL);
	assert_int_equal(made.table->rows, 2);
	assert_int_equal(cell(&made, "ProfilerStep*", "calls"), 2);
	assert_int_equal(cell(&made, "ProfilerStep*", "cpu_self_ns"), 19000);
	assert_int_equal(cell(&made, "t", "calls"), 1);
	drop(&made);
}

/*
 * Memory records of any thread count for a running event; those at its end are past it; the rest
 * become rows.
 */
TEST(memory_is_attributed_by_time)
{
	struct made made;
	make(&made,
	     DOCUMENT(OPERATOR("outer", "10", "20") "," OPERATOR("inner", "12", "5") "," MEMORY(
		     "5",
		     "1") "," MEMORY("10",
				     "2") "," MEMORY("12",
						     "4") "," MEMORY("17",
								     "8") "," MEMORY("30",
										     "16") "," MEMORY("31",
												      "-3")),
	     NULL);
	assert_int_equal(cell(&made, "outer", "cpu_mem_bytes"), 14);
	assert_int_equal(cell(&made, "outer", "cpu_self_mem_bytes"), 10);
	assert_int_equal(cell(&made, "inner", "cpu_mem_bytes"), 4);
	assert_int_equal(cell(&made, "[memory]", "calls"), 3);
	assert_int_equal(cell(&made, "[memory]", "cpu_self_mem_bytes"), 14);
	assert_int_equal(cell(&made, "[memory]", "cpu_total_ns"), 0);
	drop(&made);
}

#define DEVICE_TRACE                                                                               \
	DOCUMENT(OPERATOR("outer", "0", "30") "," OPERATOR("mm", "2", "20") "," LAUNCH(            \
		"5", "9") "," KERNEL("gemm", "40", "60", "9"))

TEST(device_events_are_rows)
{
	struct made made;
	make(&made, DEVICE_TRACE, NULL);
	assert_int_equal(cell(&made, "gemm", "on_device"), 1);
	assert_int_equal(cell(&made, "gemm", "gpu_self_ns"), 60000);
	assert_int_equal(cell(&made, "gemm", "cpu_total_ns"), 0);
	assert_int_equal(cell(&made, "mm", "gpu_self_ns"), 60000);
	assert_int_equal(cell(&made, "mm", "cpu_self_ns"), 18000);
	assert_int_equal(cell(&made, "outer", "gpu_total_ns"), 60000);
	assert_int_equal(cell(&made, "outer", "gpu_self_ns"), 0);
	assert_int_equal(cell(&made, "cudaLaunchKernel", "cpu_self_ns"), 2000);
	drop(&made);
}

#define STACKS_TRACE                                                                                                                                                                                                                                                                                                                                                \
	DOCUMENT(EVENT(                                                                                                                                                                                                                                                                                                                                             \
		"cpu_op", "mul", "1", "1", "0", "5",                                                                                                                                                                                                                                                                                                                \
		"{\"Input Dims\":[[2,3],[]],"                                                                                                                                                                                                                                                                                                                       \
		"\"Sequence number\":7,\"Fwd thread id\":0,\"Call stack\":\"f.py;main.py;\"}") "," EVENT("cpu_op",                                                                                                                                                                                                                                                  \
													 "mul",                                                                                                                                                                                                                                                     \
													 "1",                                                                                                                                                                                                                                                       \
													 "1",                                                                                                                                                                                                                                                       \
													 "10",                                                                                                                                                                                                                                                      \
													 "5",                                                                                                                                                                                                                                                       \
													 "{\"Input Dims\":[[4]],"                                                                                                                                                                                                                                   \
													 "\"Call stack\":\"torch/autograd/__init__.py: backward;g.py;main.py;\"}") "," EVENT("cpu_op", "autograd::engine::evaluate_function: MulBackward0", "1", "2", "20", "9", "{\"Sequence number\":7,\"Fwd thread id\":1}") "," EVENT("cpu_op", "MulBackward0", \
																																									  "1",                      \
																																									  "2",                      \
																																									  "21",                     \
																																									  "5",                      \
																																									  "{\"Sequence number\":7,\"Fwd thread id\":1}"))

TEST(grouping)
{
	struct made made;
	make(&made, STACKS_TRACE, "shape");
	assert_int_equal(made.table->rows, 4);
	assert_string_equal(text_cell(&made, 0, "input_shapes"), "[[2,3],[]]");
	assert_string_equal(text_cell(&made, 1, "input_shapes"), "[[4]]");
	assert_string_equal(text_cell(&made, 2, "input_shapes"), "[]");
	drop(&made);
	make(&made, STACKS_TRACE, "stack=1");
	assert_int_equal(made.table->rows, 4);
	assert_string_equal(text_cell(&made, 0, "stack"), "f.py");
	assert_string_equal(text_cell(&made, 1, "stack"), "g.py");
	drop(&made);
	make(&made, STACKS_TRACE, "shape-stack=5");
	assert_string_equal(text_cell(&made, 0, "stack"), "f.py;main.py");
	/* the stack of a backward operator is that of its forward one */
	assert_string_equal(text_cell(&made, row_with(made.table, "name", "MulBackward0"), "stack"),
			    "f.py;main.py");
	drop(&made);
}

TEST(group_by_stack_depth)
{
	struct made made;
	struct error error = { 0 };
	make(&made, STACKS_TRACE, NULL);
	assert_null(view_build(&view_key_averages, made.run, &made.scope, "stack=x", NULL, &error));
	assert_int_equal(error.code, ERROR_USAGE);
	assert_false(view_has_group(&view_key_averages, "shape=1"));
	drop(&made);
}

TEST(scopes)
{
	struct made made;
	struct error error = { 0 };
	make(&made, DEVICE_TRACE, NULL);
	table_free(made.table);
	assert_true(scope_set(&made.scope, "time", "1us..30us", &error));
	made.table = view_build(&view_key_averages, made.run, &made.scope, NULL, NULL, &error);
	assert_int_equal(made.table->rows, 2);
	assert_int_equal(cell(&made, "mm", "cpu_self_ns"), 18000);
	drop(&made);
}

/* ---- the table ---- */

static char *print(const struct made *made, const char *sort, size_t limit)
{
	const struct preset *preset = preset_find("key-averages");
	struct extract_options options = { .sort = sort, .limit = limit, .all_columns = true };
	struct style style = { 0 };
	struct extract extract;
	struct output output;
	struct error error = { 0 };
	char path[] = "key-averages-XXXXXX", block[8192];
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_true(extract_make(&extract, made->table, &options, NULL, &error));
	assert_true(output_open(&output, NULL, fd, false, &error));
	assert_true(preset->forms[0].write(&output, &extract, &style, NULL, &error));
	assert_true(output_commit(&output, &error));
	extract_clear(&extract);
	ssize_t length = pread(fd, block, sizeof block - 1, 0);
	assert_true(length >= 0);
	block[length] = 0;
	close(fd);
	unlink(path);
	return mem_strdup(block);
}

#define DASHES12 "------------  "
#define SEVEN_DASHES DASHES12 DASHES12 DASHES12 DASHES12 DASHES12 DASHES12 DASHES12 "\n"

TEST(table_matches_pytorch)
{
	struct made made;
	make(&made,
	     DOCUMENT(OPERATOR("aten::mm", "0", "1500") "," OPERATOR("aten::t", "10", "500")),
	     NULL);
	char *text = print(&made, "cpu_total_ns:desc", 100);
	assert_string_equal(text, SEVEN_DASHES
			    "        Name    Self CPU %      Self CPU   CPU total %     "
			    "CPU total  CPU time avg    # of Calls  \n" SEVEN_DASHES
			    "    aten::mm        66.67%       1.000ms       100.00%  "
			    "     1.500ms       1.500ms             1  \n"
			    "     aten::t        33.33%     500.000us        33.33%  "
			    "   500.000us     500.000us             1  \n" SEVEN_DASHES
			    "Self CPU time total: 1.500ms\n");
	mem_free(text);
	drop(&made);
}

TEST(widths_and_sums_cover_all_rows)
{
	struct made made;
	make(&made, DEVICE_TRACE, NULL);
	char *text = print(&made, "gpu_self_ns:desc", 1);
	assert_non_null(strstr(text, "                  mm  "));
	assert_non_null(strstr(text, "      60.000us       100.00%      60.000us      60.000us"));
	assert_null(strstr(text, "gemm"));
	assert_non_null(
		strstr(text, "Self CPU time total: 30.000us\nSelf CUDA time total: 60.000us\n"));
	mem_free(text);
	drop(&made);
}

TEST(long_names_shapes_and_stacks_are_truncated)
{
	struct made made;
	make(&made,
	     DOCUMENT(OPERATOR("aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeff", "0", "0")),
	     NULL);
	char *text = print(&made, NULL, 100);
	assert_non_null(
		strstr(text, "\naaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeff...  "));
	assert_non_null(strstr(text, "           NaN       0.000us           NaN"));
	mem_free(text);
	drop(&made);
	make(&made, STACKS_TRACE, "shape-stack=5");
	text = print(&made, NULL, 1);
	assert_non_null(strstr(text, "      [[2, 3], []]  f.py         \n"));
	const char *last = strstr(text, "                    main.py      \n");
	assert_non_null(last);
	/* a blank line as wide as the table ends a stack */
	last = strchr(last, '\n') + 1;
	assert_int_equal(strspn(last, " "), strcspn(text, "\n"));
	assert_int_equal(strcspn(last, "\n"), strcspn(text, "\n"));
	mem_free(text);
	drop(&made);
}

TEST(no_rows_print_nothing)
{
	struct made made;
	make(&made, DOCUMENT(""), NULL);
	char *text = print(&made, NULL, 100);
	assert_string_equal(text, "");
	mem_free(text);
	drop(&made);
}

TEST(every_sort_key)
{
	const struct preset *preset = preset_find("key-averages");
	struct error error = { 0 };
	for (const struct preset_key *key = NULL; (key = preset_next_key(preset, key));) {
		struct extract_options options = { .limit = SIZE_MAX, .all_columns = true };
		options.sort = preset_sort(preset, key->name, &error);
		assert_true(extract_check(preset->view, &options, &error));
	}
	assert_null(preset_sort(preset, "flops", &error));
	assert_int_equal(error.code, ERROR_USAGE);
}

/* ---- names ---- */

TEST(symbols_are_demangled)
{
	struct buffer out = { 0 };
	if (!demangle(&out, "_ZN5torch3addEv")) {
		print_message("SKIP: built without a demangler\n");
		skip();
	}
	assert_string_equal(out.data, "torch::add()");
	assert_false(demangle(&out, "aten::add"));
	assert_string_equal(out.data, "torch::add()");
	/* each template argument doubles the previous one: forty would make a terabyte */
	buffer_clear(&out);
	struct buffer bomb = { 0 };
	buffer_puts(&bomb, "_Z1fI1AIiES_IS0_S0_E");
	for (int i = 1; i < 36; i++)
		buffer_printf(&bomb, "S_IS%c_S%c_E", i < 10 ? '0' + i : 'A' + i - 10,
			      i < 10 ? '0' + i : 'A' + i - 10);
	buffer_puts(&bomb, "Evv");
	demangle(&out, bomb.data);
	assert_true(out.length <= 64 << 10);
	buffer_free(&bomb);
	buffer_free(&out);
}

/* What Python profilers print: tables in text, whole, damaged and among other lines. */
#include "text_profile_case.h"

#include "model/frame_name.h"
#include "model/python_stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TIMED_LINES(line, text, inner)                                                             \
	"Timer unit: 1 s\n\nTotal time: 6 s\nFile: a.py\nFunction: outer at line 1\n\n"            \
	"Line #      Hits         Time  Per Hit   % Time  Line Contents\n"                         \
	"==============================================================\n"                         \
	"     2        10          " line "     0.4     66.7      " text "\n"                      \
	"     3        10          2.0     0.2     33.3      z = y + 1\n\n"                        \
	"Total time: 3.9 s\nFile: b.py\nFunction: Net.inner at line 9\n\n"                         \
	"Line #      Hits         Time  Per Hit   % Time  Line Contents\n"                         \
	"==============================================================\n"                         \
	"    10        10          " inner "     0.39   100.0      return x\n"

/* A line takes its time with that of the functions it calls, which have theirs in other rows. */
TEST(shares_of_timed_lines_are_of_what_is_counted_once)
{
	static const struct {
		const char *text;
		double share; /* of the second line, of 2 s */
	} cases[] = {
		{ TIMED_LINES("4.0", "y = self.inner(x)", "3.9"), 200. / 6 },
		{ TIMED_LINES("4.0", "y = [inner(x), 1]", "1.0"), 200. / 6 },
		/* as often, and for as long */
		{ TIMED_LINES("4.0", "y = model(x)", "3.9"), 200. / 6 },
		{ TIMED_LINES("4.0", "y = model(x)", "3.0"), 200. / 9 },
		{ TIMED_LINES("4.0", "y = inner_2(x)", "3.0"), 200. / 9 },
		{ TIMED_LINES("4.0", "y = x.inner + inner", "3.0"), 200. / 9 },
		/* never more than the function itself */
		{ TIMED_LINES("40.0", "y = inner(x)", "3.0"), 200. / 42 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = trace_run(cases[i].text);
		struct table *table = trace_view(run, "python", NULL, NULL);
		double share = value_number(
			table_cell(table, row_with(table, "code", "z = y + 1"), "share_pct"), 0);
		if (fabs(share - cases[i].share) > 0.001)
			fail_msg("case %zu: %f %%, not %f", i, share, cases[i].share);
		table_free(table);
		run_free(run);
	}
}

TEST(memory_of_lines)
{
	struct run *run;
	struct table *table = text_look(DATA("printed_memory.txt"), &run, "python", NULL);
	assert_int_equal(table->rows, 5);
	size_t grow = row_with(table, "function", "def grow():");
	size_t x = row_with(table, "function", "x = \"1.0 MiB | 2\"");
	assert_true(is_blank(table, grow, "memory_level_bytes") && is_blank(table, grow, "calls"));
	assert_true(cell_is(table, x, "file", "/a/m.py"));
	assert_int_equal(table_number(table, x, "line"), 10);
	assert_int_equal(table_number(table, x, "calls"), 2);
	assert_int_equal(table_number(table, x, "memory_level_bytes"), 146931712);
	assert_int_equal(table_number(table, x, "memory_bytes"), -120061952);
	assert_true(is_blank(table, x, "self_ns"));
	size_t old = row_with(table, "file", "old.py");
	assert_true(is_blank(table, old, "calls"));
	assert_int_equal(table_number(table, old, "memory_bytes"), 0);
	assert_false(is_blank(table, old, "memory_bytes"));
	assert_int_equal(damage_count(run->ranks[0].profile, "line not a row of its table"), 1);
	text_done(run, table);
}

/* Of a comparison, the growth was added; line 0 is all lines of a file. */
TEST(memory_of_tracemalloc)
{
	static const char text[] =
		"[ Top 3 ]\nC:\\a b\\m.py:6: size=520 KiB, count=1001, average=532 B\n"
		"n.py:0: size=2812 B, count=25, average=112 B\nepoch 1\n"
		"o.py:9: size=1.5 MiB (-3 KiB), count=13 (+13), average=64 B\n"
		"p.py:9: size=1.5 miles, count=13 (+13), average=64 B\n";
	struct run *run;
	struct table *table = text_look(BYTES(text), &run, "python", NULL);
	assert_string_equal(run->ranks[0].profile->format, "tracemalloc statistics");
	assert_int_equal(table->rows, 3);
	assert_true(cell_is(table, 0, "file", "C:\\a b\\m.py"));
	assert_int_equal(table_number(table, 0, "line"), 6);
	assert_int_equal(table_number(table, 0, "calls"), 1001);
	assert_int_equal(table_number(table, 0, "memory_bytes"), 520 * 1024);
	assert_true(is_blank(table, 0, "memory_level_bytes") && is_blank(table, 0, "self_ns"));
	assert_true(cell_is(table, 1, "file", "n.py") && is_blank(table, 1, "line"));
	assert_int_equal(table_number(table, 2, "memory_bytes"), -3 * 1024);
	assert_int_equal(table_number(table, 2, "memory_level_bytes"), 3 << 19);
	text_done(run, table);
	assert_survives(BYTES(text));
}

TEST(imports_are_functions_in_a_tree)
{
	struct run *run;
	struct table *table = text_look(DATA("printed_imports.txt"), &run, "python", NULL);
	size_t c = row_with(table, "function", "c"), a = row_with(table, "function", "a");
	assert_int_equal(table->rows, 5);
	assert_int_equal(table_number(table, c, "calls"), 2);
	assert_int_equal(table_number(table, c, "self_ns"), 15000);
	assert_int_equal(table_number(table, a, "total_ns"), 1215000);
	assert_true(is_blank(table, row_with(table, "function", "sys"), "self_ns"));
	assert_true(cell_is(table, a, "name", "a"));
	table_free(table);
	table = trace_view(run, "stacks", NULL, NULL);
	assert_int_equal(table->rows, 5);
	assert_int_equal(table_number(table, row_with(table, "stack", "a;b;c"), "value_ns"), 10000);
	assert_int_equal(table_number(table, row_with(table, "stack", "a;c"), "value_ns"), 5000);
	assert_int_equal(table_number(table, row_with(table, "stack", "failed"), "value_ns"), 7000);
	text_done(run, table);
}

TEST(bottleneck_has_functions_and_operators)
{
	struct run *run;
	struct table *table = text_look(DATA("printed_bottleneck.txt"), &run, "python", NULL);
	size_t sleep = row_with(table, "name", "{built-in method time.sleep}");
	assert_int_equal(table->rows, 2);
	assert_int_equal(table_number(table, sleep, "calls"), 3);
	assert_int_equal(table_number(table, sleep, "primitive_calls"), 1);
	assert_int_equal(table_number(table, sleep, "self_ns"), 3001000000);
	assert_int_equal(table_number(table, sleep, "total_per_call_ns"), 3001000000);
	size_t never = row_with(table, "function", "never (called)");
	assert_true(cell_is(table, never, "file", "C:\\a b\\m.py"));
	assert_true(is_blank(table, never, "self_per_call_ns"));
	table_free(table);
	table = trace_view(run, "operators", NULL, NULL);
	assert_int_equal(table->rows, 1);
	assert_true(cell_is(table, 0, "name", "aten::add"));
	assert_true(cell_is(table, 0, "section", "autograd CPU"));
	assert_int_equal(table_number(table, 0, "calls"), 2);
	assert_int_equal(table_number(table, 0, "cpu_self_ns"), 2000000);
	assert_int_equal(table_number(table, 0, "cpu_total_ns"), 3000000);
	assert_true(is_blank(table, 0, "gpu_self_ns"));
	table_free(table);
	table = trace_view(run, "info", NULL, NULL);
	assert_int_equal(
		table_number(table, row_with(table, "metric", "self CPU time total"), "value"),
		2000000);
	assert_true(cell_is(table, row_with(table, "metric", "PyTorch"), "value",
			    "2.0 compiled w/ CUDA 11.7"));
	assert_true(cell_is(table, row_with(table, "metric", "Python"), "value", "3.10"));
	assert_true(cell_is(table, row_with(table, "metric", "CUDA"), "value", "11.7.64"));
	assert_true(cell_is(table, row_with(table, "metric", "numpy"), "value", "1.24.2"));
	assert_true(cell_is(table, row_with(table, "metric", "torch"), "value", "(2.0.0)"));
	text_done(run, table);
}

TEST(lightning_reports_follow_each_other)
{
	struct run *run;
	struct table *table = text_look(DATA("printed_lightning.txt"), &run, "python", NULL);
	size_t fit = row_with(table, "name", "a|b{'c': \"d, e\"}"),
	       a = row_with(table, "name", "a");
	size_t step = row_with(table, "name", "m.py:3(<lambda>)");
	assert_int_equal(table->rows, 3);
	assert_true(cell_is(table, fit, "section", "FIT"));
	assert_int_equal(table_number(table, fit, "calls"), 3);
	assert_int_equal(table_number(table, fit, "total_ns"), 6000000000);
	assert_true(is_blank(table, fit, "self_ns"));
	/* shares of the stated 6 s, and the mean that is stated where calls are not */
	assert_float_equal(table_amount(table, fit, table_need(table, "share_pct")), 100, 1e-9);
	assert_int_equal(table_number(table, fit, "total_per_call_ns"), 2000000000);
	assert_true(is_blank(table, a, "share_pct"));
	assert_int_equal(table_number(table, a, "total_per_call_ns"), 1000000);
	assert_true(cell_is(table, a, "section", "") && is_blank(table, a, "calls"));
	assert_int_equal(table_number(table, a, "total_ns"), 250000000);
	assert_true(cell_is(table, step, "section", "[X]m.step"));
	assert_int_equal(damage_count(run->ranks[0].profile, "line not a row of its table"), 1);
	text_done(run, table);
}

/* Reports of one section add up, and the mean follows from the calls. */
TEST(lightning_reports_of_a_section_add_up)
{
#define FIT_REPORT(action, mean, calls, total)                                                     \
	"FIT Profiler Report\n\n----\n"                                                            \
	"| Action | Mean duration (s) | Num calls | Total time (s) | Percentage % |\n----\n"       \
	"| Total | - | 9 | 9.0 | 100 % |\n----\n"                                                  \
	"| " action " | " mean " | " calls " | " total " | 50.0 |\n----\n\n"
	static const char text[] = FIT_REPORT("a", "2.0", "3", "6.0")
		FIT_REPORT("a", "0.5", "4", "2.0") FIT_REPORT("b", "0.5", "2", "1.0");
	struct run *run;
	struct table *table = text_look(BYTES(text), &run, "python", NULL);
	size_t a = row_with(table, "name", "a"), b = row_with(table, "name", "b");
	assert_int_equal(table->rows, 2);
	assert_int_equal(table_number(table, a, "calls"), 7);
	assert_int_equal(table_number(table, a, "total_ns"), 8000000000);
	assert_int_equal(table_number(table, a, "total_per_call_ns"), 8000000000 / 7);
	assert_int_equal(table_number(table, b, "total_ns"), 1000000000);
	text_done(run, table);
}

/* A table that is cut has shares of all functions, whichever are listed, and however often. */
TEST(shares_are_of_the_time_that_pstats_states)
{
#define LISTED_FUNCTIONS                                                                           \
	"         9000 function calls (8000 primitive calls) in 10.000 seconds\n\n"                \
	"   Ordered by: internal time\n"                                                           \
	"   List reduced from 500 to 2 due to restriction <2>\n\n"                                 \
	"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"                \
	"      100    4.000    0.040    5.000    0.050 a.py:1(f)\n"                                \
	"       10    1.000    0.100   10.000    1.000 a.py:9(main)\n\n"
	struct run *run = trace_run(LISTED_FUNCTIONS LISTED_FUNCTIONS);
	assert_rows(run, "python", NULL, NULL, "function,self_ns,share_pct",
		    "f,4000000000,40\nmain,1000000000,10\n");
	run_free(run);
}

/* print_stats and, after strip_dirs, print_stats again; then another profile. */
TEST(functions_printed_again_without_folders_count_once)
{
#define ALL_FUNCTIONS(calls, folder)                                                               \
	"         " calls " function calls in 5.000 seconds\n\n"                                   \
	"   Ordered by: internal time\n\n"                                                         \
	"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"                \
	"      100    4.000    0.040    4.000    0.040 " folder "a.py:1(f)\n"                      \
	"       10    1.000    0.100    5.000    0.500 " folder "a.py:9(main)\n\n"
	struct run *run = trace_run(ALL_FUNCTIONS("110", "/lib/") ALL_FUNCTIONS("110", "")
					    ALL_FUNCTIONS("111", ""));
	assert_rows(run, "python", NULL, NULL, "section,function,self_ns,share_pct,file",
		    ",f,4000000000,40,/lib/a.py\n"
		    ",main,1000000000,10,/lib/a.py\n"
		    "profile 2,f,4000000000,40,a.py\n"
		    "profile 2,main,1000000000,10,a.py\n");
	run_free(run);
}

TEST(callers_alone_are_rows)
{
	struct run *run;
	struct table *table = text_look(DATA("printed_callers.txt"), &run, "python", NULL);
	assert_int_equal(table->rows, 3);
	assert_true(cell_is(table, 0, "name", "m.py:1(f)"));
	assert_true(cell_is(table, 0, "caller", "m.py:1(f)"));
	assert_int_equal(table_number(table, 0, "calls"), 3);
	assert_true(cell_is(table, 1, "caller", "m.py:9(g)"));
	assert_true(cell_is(table, 2, "name", "m.py:1(f)") &&
		    cell_is(table, 2, "caller", "m.py:9(g)"));
	text_done(run, table);
}

/* A table whose cells may be empty is cut where its rule has gaps. */
TEST(columns_of_torch_follow_the_rule)
{
	static const char aligned[] =
		"---------  ------------  ------------  ------------  ------------  ------------  \n"
		"     Name      Self CPU     CPU total     Self CUDA    # of Calls  Input Shapes  \n"
		"---------  ------------  ------------  ------------  ------------  ------------  \n"
		"     f\xc3\xbcnf       1.000ms       2.000ms                           4      [[2, 3]]  \n"
		"aten::mul       1.000ms       2.000ms       1.000us             5            []  \n"
		"---------  ------------  ------------  ------------  ------------  ------------  \n";
	struct run *run;
	struct table *table = text_look(BYTES(aligned), &run, "operators", "shape");
	assert_int_equal(table->rows, 2);
	size_t five = row_with(table, "name", "f\xc3\xbcnf");
	assert_int_equal(table_number(table, five, "calls"), 4);
	assert_true(table_cell(table, five, "avg_ns").real == 500000);
	assert_true(is_blank(table, five, "gpu_avg_ns"));
	assert_true(is_blank(table, five, "gpu_self_ns"));
	assert_true(cell_is(table, five, "input_shapes", "[[2, 3]]"));
	assert_int_equal(table_number(table, row_with(table, "name", "aten::mul"), "gpu_self_ns"),
			 1000);
	text_done(run, table);
}

static void assert_split(const char *text, const char *function, const char *file, int64_t line)
{
	struct frame_name parts;
	frame_name_split(&parts, text, strlen(text));
	assert_int_equal(parts.function.length, strlen(function));
	assert_memory_equal(parts.function.text, function, parts.function.length);
	assert_int_equal(parts.file.length, strlen(file));
	assert_memory_equal(parts.file.text, file, parts.file.length);
	assert_true(parts.line == line);
}

/* What is near a form of a name is a function and no more. */
TEST(names_of_no_form_are_whole)
{
	static const char *const names[] = {
		"f(a.py:3)", "(a.py:3)", " (a.py:3)", "f (a.py:3", "f (3)", "f ()",
		"a.py:3",    "a.py:",    "f:g:3",     "a.py:f:",   ")",     "f a.py:3)",
		"f (x)",     "f(a b) c", "a.py(3)",   "",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_split(names[i], names[i], "", NO_VALUE);
	assert_split("f (a.py:3)", "f", "a.py", 3);
	assert_split("f (g) (a.py:3)", "f (g)", "a.py", 3);
	assert_split("a.py:f:3", "f", "a.py", 3);
	assert_split("a.py(3): f", "f", "a.py", 3);
}

TEST(times_of_lines)
{
	struct run *run = trace_run(data_text("printed_timed_lines.txt"));
	assert_string_equal(run->ranks[0].profile->format, "line_profiler output");
	assert_rows(run, "python", NULL, "line", "function,line,calls,self_ns,code,file",
		    "step,12,,,def step(x):,train.py\n"
		    "step,13,100,500000000,y = 1 + 2 * 3,train.py\n"
		    "step,14,10,1000000000,return y,train.py\n"
		    "step,15,,,1 2 3 4 5,train.py\n"
		    "(unknown function),3,1,33000,,/x/y.py\n");
	assert_rows(run, "python", NULL, "function", "function,line,self_ns",
		    "step,12,1500000000\n(unknown function),,33000\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
}

/* A time too long for its column has one digit: 2e+10 of 22.31 s is anything from 15 to 22.31 s. */
TEST(times_of_lines_with_one_digit)
{
	struct run *run =
		trace_run("Timer unit: 1e-09 s\n\nTotal time: 22.31 s\nFile: train.py\n"
			  "Function: step at line 12\n\n"
			  "Line #      Hits         Time  Per Hit   % Time  Line Contents\n"
			  "==============================================================\n"
			  "    12                                           def step(x):\n"
			  "    13       100      2e+10    2e+08     80.0      y = f(x)\n"
			  "    14       100 4462000000.0 44620000.0  20.0      return y\n"
			  "    15       100      2e+05   2000.0      0.0      pass\n");
	assert_rows(run, "python", NULL, "line", "line,self_ns",
		    "12,\n13,17848000000\n14,4462000000\n15,200000\n");
	run_free(run);
	run = trace_run("Timer unit: 1e-09 s\n\nFile: train.py\nFunction: step at line 12\n\n"
			"Line #      Hits         Time  Per Hit   % Time  Line Contents\n"
			"==============================================================\n"
			"    13       100      2e+10    2e+08     80.0      y = f(x)\n");
	assert_rows(run, "python", NULL, "line", "line,self_ns", "13,20000000000\n"); /* no total */
	run_free(run);
}

#define RULE                                                                                       \
	"------------  ----------  -----------  -----------  ------------  ------------  ----------\n"
#define HEAD "        Name    Self CPU    CPU total    Self CUDA    CUDA total    # of Calls"

/* A kernel is no operator, and what a range spans on the GPU is neither. */
TEST(gpu_work_of_a_table_is_kernels)
{
	struct run *run = trace_run(
		RULE HEAD
		"\n" RULE
		"ProfilerStep*   100.000us    300.000us      0.000us     250.000us             3\n"
		"ProfilerStep*     0.000us      0.000us    260.000us     260.000us             3\n"
		"     aten::mm   200.000us    200.000us    250.000us     250.000us            10\n"
		"        sgemm     0.000us      0.000us    200.000us     200.000us             8\n"
		"        relu_     0.000us      0.000us     50.000us      50.000us             2\n"
		"  Stream Sync     0.000us      0.000us     90.000us      90.000us             4\n"
		"  Memcpy HtoD     0.000us      0.000us      7.000us       7.000us             1\n" RULE
		"Self CPU time total: 300.000us\n"
		"Self CUDA time total: 257.000us\n");
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns,avg_ns,share_pct,family",
		    "sgemm,8,200000,25000,80,GEMM\nrelu_,2,50000,25000,20,pointwise\n");
	assert_rows(run, "kernels", NULL, "family", "name,depth,calls,total_ns,share_pct",
		    "GEMM,0,8,200000,80\nsgemm,1,8,200000,\n"
		    "pointwise,0,2,50000,20\nrelu_,1,2,50000,\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,gpu_self_ns,gpu_total_ns",
		    "ProfilerStep*,3,0,250000\naten::mm,10,250000,250000\n"
		    "Memcpy HtoD,1,7000,7000\n");
	run_free(run);
}

TEST(rows_with_a_stack_are_all_read)
{
	struct run *run = trace_run(
		"---------  -----------  -----------  ----------  ----------------------------  \n"
		"     Name     Self CPU    CPU total  # of Calls  Source Location               \n"
		"---------  -----------  -----------  ----------  ----------------------------  \n"
		"aten::add      3.000us      4.000us           2  model.py(12): forward         \n"
		"                                                 train.py(40): step            \n"
		"                                                                               \n"
		"aten::add      5.000us      6.000us           1  <built-in method add>         \n"
		"\n"
		"---------  -----------  -----------  ----------  ----------------------------  \n"
		"Self CPU time total: 8.000us\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,cpu_self_ns,cpu_total_ns,stack",
		    "aten::add,2,3000,4000,model.py(12): forward;train.py(40): step\n"
		    "aten::add,1,5000,6000,<built-in method add>\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
}

/* PyTorch prints the FLOPs below the heading of the source, and the source below that of FLOPs. */
TEST(rows_with_a_stack_and_flops)
{
	struct run *run = trace_run(
		"---------  -----------  -----------  ----------  -------------------  ----------  \n"
		"     Name     Self CPU    CPU total  # of Calls  Source Location      Total MFLOPs  \n"
		"---------  -----------  -----------  ----------  -------------------  ----------  \n"
		" aten::mm      3.000us      4.000us           1  2.500                v0.py(30): forward  \n"
		"                                                                      v0.py(60): <module>  \n"
		"                                                                                  \n"
		" aten::mm      2.000us      4.000us           1  2.500                v0.py(31): forward  \n"
		"                                                                                  \n"
		"aten::add      1.000us      1.000us           2  --                                       \n"
		"---------  -----------  -----------  ----------  -------------------  ----------  \n"
		"Self CPU time total: 6.000us\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,cpu_self_ns,stack,flops",
		    "aten::mm,1,3000,v0.py(30): forward;v0.py(60): <module>,2.5e+06\n"
		    "aten::mm,1,2000,v0.py(31): forward,2.5e+06\n"
		    "aten::add,2,1000,,\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
}

TEST(flops_have_the_unit_of_their_heading)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = { { "Total FLOPs", 1 },
		      { "Total KFLOPs", 1e3 },
		      { "Total MFLOPs", 1e6 },
		      { "Total GFLOPs", 1e9 },
		      { "Total TFLOPs", 1e12 } };
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		char text[1000];
		snprintf(text, sizeof text,
			 "---------  -----------  -----------  ----------  -------------\n"
			 "     Name     Self CPU    CPU total  # of Calls  %13s\n"
			 "---------  -----------  -----------  ----------  -------------\n"
			 " aten::mm      3.000us      4.000us           1          2.500\n"
			 "---------  -----------  -----------  ----------  -------------\n"
			 "Self CPU time total: 3.000us\n",
			 units[i].unit);
		struct run *run = trace_run(text);
		struct table *table = trace_view(run, "operators", NULL, NULL);
		struct value flops = table_cell(table, 0, "flops");
		assert_int_equal(flops.kind, VALUE_REAL);
		assert_true(flops.real == 2.5 * units[i].scale);
		table_free(table);
		run_free(run);
	}
}

TEST(sums_without_events_pass_no_check)
{
	struct run *run = trace_run("Name       Self CPU    CPU total    # of Calls\n"
				    "---------  ----------  -----------  ------------\n"
				    "aten::add  3.000us     4.000us      2\n");
	struct table *advice = trace_view(run, "advice", NULL, "all");
	assert_true(advice->rows > 0);
	for (size_t row = 0; row < advice->rows; row++) {
		bool known = strcmp(table_cell(advice, row, "detector").text, "hot_spot") == 0 ||
			     strcmp(table_cell(advice, row, "detector").text, "slow_cpu_code") == 0;
		assert_int_equal(known,
				 strcmp(table_cell(advice, row, "severity").text, "unknown") != 0);
	}
	table_free(advice);
	advice = trace_view(run, "advice", NULL, NULL);
	assert_int_equal(advice->rows, 1);
	table_free(advice);
	run_free(run);
}

/* The answer of DETECTOR to a table of these rows; NULL: it says nothing. */
static void assert_table_says(const char *text, const char *detector, const char *said)
{
	struct run *run = trace_run(text);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	const char *evidence = NULL;
	for (size_t row = 0; row < advice->rows; row++)
		if (!strcmp(table_cell(advice, row, "detector").text, detector))
			evidence = table_cell(advice, row, "evidence").text;
	if (!said)
		assert_null(evidence);
	else
		assert_string_equal(evidence ? evidence : "nothing", said);
	table_free(advice);
	run_free(run);
}

#define COPIED                                                                                     \
	RULE HEAD                                                                                  \
		"\n" RULE                                                                          \
		"      aten::_slow_conv2d_forward  100.000ms  150.000ms  40.000ms  60.000ms  4\n"  \
		"                        aten::mm   30.000ms   30.000ms   0.000us   0.000us  9\n"  \
		"           cudaDeviceSynchronize   40.000ms   40.000ms   0.000us   0.000us  1\n"  \
		"          ampere_sgemm_128x32_nn    0.000us    0.000us  50.000ms  50.000ms  8\n"  \
		"Memcpy DtoH (Device -> Pageable)    0.000us    0.000us  30.000ms  30.000ms  7\n"  \
		"  Memcpy DtoD (Device -> Device)    0.000us    0.000us   4.000ms   4.000ms  2\n" RULE

/* Sums say what does not need a timeline: the program is bound by the CPU, and by which work. */
TEST(tables_say_what_sums_decide)
{
	static const char slow[] =
		COPIED "Self CPU time total: 200.000ms\nSelf CUDA time total: 90.000ms\n";
	static const char even[] =
		COPIED "Self CPU time total: 200.000ms\nSelf CUDA time total: 110.000ms\n";
	static const char unstated[] = COPIED;
	assert_table_says(
		slow, "host_bound",
		"Operators take 200.00 ms on the CPU, their work on the GPU 90.00 ms: it is busy for "
		"45.0 % of that at most; the longest: aten::_slow_conv2d_forward 50.0 %, aten::mm 15.0 %.");
	assert_table_says(even, "host_bound", NULL);
	assert_table_says(unstated, "host_bound", NULL);
	assert_table_says(slow, "hot_spot", NULL);
	assert_table_says(
		slow, "pageable_copies",
		"Copies from and to pageable memory take 30.00 ms of 90.00 ms GPU time (33.3 %), in 7 "
		"calls.");
	assert_table_says(slow, "exposed_copies", NULL); /* all are pageable */
	assert_table_says(slow, "device_copies", NULL);  /* 4.4 % */
	assert_table_says(unstated, "device_copies", NULL);
	assert_table_says(
		slow, "slow_cpu_code",
		"60.00 ms in 4 calls of aten::_slow_conv2d_forward (66.7 % of GPU time): convolutions "
		"without cuDNN.");
	assert_table_says(
		slow, "tf32_off",
		"Products and convolutions in FP32 without TF32 take 50.00 ms in 8 calls (89.3 % of kernel "
		"time); 100.0 % of it in ampere_sgemm_128x32_nn.");
	assert_table_says(slow, "double_precision", NULL);
}

/* nvprof does not tell of which memory they are, nor what ran beside them. */
TEST(tables_tell_of_many_copies_between_host_and_gpu)
{
#define NVPROF_ROWS(ms)                                                                            \
	"Time(%),Time,Calls,Avg,Min,Max,Name\n"                                                    \
	"26.00%," ms "ms,3,2.0ms,2.0ms,2.0ms,[CUDA memcpy HtoD]\n"                                 \
	"4.00%,4.0ms,1,4.0ms,4.0ms,4.0ms,[CUDA memcpy DtoD]\n"                                     \
	"70.00%,20.0ms,10,2.0ms,2.0ms,2.0ms,solve(float*)\n"
	assert_table_says(
		NVPROF_ROWS("16.0"), "exposed_copies",
		"Copies between host and GPU take 16.00 ms of 40.00 ms GPU time (40.0 %), in 3 "
		"calls.");
	assert_table_says(NVPROF_ROWS("7.0"), "exposed_copies", NULL); /* 22.6 % */
}

TEST(tables_of_the_host_have_a_hot_spot)
{
	static const char table[] = "Name       Self CPU    CPU total    # of Calls\n"
				    "---------  ----------  -----------  ------------\n"
				    "aten::mm   40.000ms    40.000ms     1\n"
				    "aten::add  30.000ms    40.000ms     2\n"
				    "aten::mm   20.000ms    20.000ms     1\n"
				    "aten::mul  4.000ms     4.000ms      2\n";
	assert_table_says(table, "hot_spot",
			  "94.00 ms CPU self time of operators: aten::mm 63.8 %, aten::add 31.9 %; "
			  "no GPU work was recorded.");
	assert_table_says(table, "slow_cpu_code", NULL);
}

/* The engine of autograd computes in threads of its own: the call that waits for them is no work.
 */
TEST(a_wait_for_the_backward_pass_is_no_hot_spot)
{
#define BACKWARD(total)                                                                            \
	"Name                                      Self CPU    CPU total    # of Calls\n"          \
	"----------------------------------------  ----------  -----------  ------------\n"        \
	"<built-in method run_backward of torch>   60.000ms    " total "    1\n"                   \
	"AddmmBackward0                            30.000ms    30.000ms     2\n"                   \
	"aten::mm                                  30.000ms    30.000ms     2\n"                   \
	"aten::mul                                 15.000ms    15.000ms     2\n"
	assert_table_says(BACKWARD("60.000ms"), "hot_spot",
			  "75.00 ms CPU self time of operators: AddmmBackward0 40.0 %, "
			  "aten::mm 40.0 %, aten::mul 20.0 %; no GPU work was recorded.");
	/* with time of its operators in it, what is left is its own */
	assert_table_says(BACKWARD("90.000ms"), "hot_spot",
			  "135.00 ms CPU self time of operators: <built-in method run_backward of "
			  "torch> 44.4 %, AddmmBackward0 22.2 %, aten::mm 22.2 %; no GPU work was "
			  "recorded.");
#undef BACKWARD
}

TEST(names_of_frames)
{
	assert_split("a/m.py(12): f", "f", "a/m.py", 12);
	assert_split("a.py(1):___init__", "__init__", "a.py", 1);
	assert_split("m.c(?): f", "f", "m.c", NO_VALUE);
	assert_split("f (a/m.py:12)", "f", "a/m.py", 12);
	assert_split("f (<frozen importlib._bootstrap>:7)", "f", "<frozen importlib._bootstrap>",
		     7);
	assert_split("read (/lib/libc.so.6)", "read", "/lib/libc.so.6", NO_VALUE);
	assert_split("a/m.py:f:12", "f", "a/m.py", 12);
	assert_split("std::vector<int>::push(int)", "std::vector<int>::push(int)", "", NO_VALUE);
	assert_split("thread (0x7F)", "thread (0x7F)", "", NO_VALUE);
	assert_split("", "", "", NO_VALUE);
	assert_split("T0:1234", "T0:1234", "", NO_VALUE);
}

/* Actions and their time are needed, whatever else there is. */
TEST(headings_of_lightning_have_actions_and_times)
{
	static const struct {
		const char *heading, *row;
		bool read;
	} cases[] = {
		{ "Action | Total time (s)", "a | 0.25", true },
		{ "Action | Other | Total time (s)", "a | 1 | 0.25", true },
		{ "Action | Mean duration (s)", "a | 0.25", false },
		{ "Other | Total time (s)", "a | 0.25", false },
		{ "Total time (s) | Action", "0.25 | a", false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char path[] = "printed-XXXXXX";
		const char *const paths[] = { path };
		struct error error = { 0 };
		AUTO_FREE char *text = mem_printf("Profiler Report\n\n%s\n-------\n%s\n",
						  cases[i].heading, cases[i].row);
		write_temporary(path, text, strlen(text));
		struct run *run = run_open(paths, 1, NULL, NULL, &error);
		struct table *table = run ? trace_view(run, "python", NULL, NULL) : NULL;
		if ((table && table->rows == 1) != cases[i].read)
			fail_msg("%s: %s", cases[i].heading, error.message);
		table_free(table);
		run_free(run);
		unlink(path);
	}
}

TEST(damaged_text_is_read_or_refused)
{
	assert_survives(DATA("printed_timed_lines.txt"));
	assert_survives(DATA("printed_imports.txt"));
	assert_survives(DATA("printed_bottleneck.txt"));
	assert_survives(DATA("printed_lightning.txt"));
	assert_survives(DATA("printed_callers.txt"));
	assert_survives(DATA("printed_memory.txt"));
}

TEST(absurd_numbers_do_not_overflow)
{
	static const char large[] = "import time: 9223372036854775807 | 9223372036854775807 |   a\n"
				    "import time: 9223372036854775 | 9223372036854775 |   b\n"
				    "import time: 9223372036854775 | 9223372036854775 |   b\n";
	static const char seconds[] =
		"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
		"9223372036854775807  1e300  1e300  1e300  1e300 a.py:9223372036854775807(f)\n"
		"9223372036854775807  9e9  1e300  1e300  1e300 a.py:99999999999999999999(f)\n";
	struct run *run;
	struct table *table = text_look(BYTES(large), &run, "stacks", NULL);
	assert_int_equal(table->rows, 1);
	text_done(run, table);
	table = text_look(BYTES(seconds), &run, "python", NULL);
	assert_int_equal(table->rows, 2);
	text_done(run, table);
}

/* Tables in logs: with prefixes, of several processes, printed more than once. */
#include "text_profile_case.h"

#include "base/buffer.h"
#include "input/text_format.h"
#include "views/views.h"

#define RULE                                                                                       \
	"------------  ----------  -----------  -----------  ------------  ------------  ----------\n"
#define HEAD                                                                                       \
	"        Name    Self CPU    CPU total    Self CUDA    CUDA total    # of Calls    Mem\n"

/* One profile in two orders is one; others have sections of their own. */
TEST(tables_of_one_profile_are_one)
{
	struct run *run = trace_run(
		RULE HEAD RULE
		"    aten::mm   200.000us    300.000us    250.000us     250.000us            10   1 b\n"
		"       sgemm     0.000us      0.000us    200.000us     200.000us             8   0 b\n" RULE
		"Self CPU time total: 500.000us\nSelf CUDA time total: 260.000us\n\n" RULE HEAD RULE
		"   aten::add    90.000us     90.000us     10.000us      10.000us             4   1 b\n"
		"    aten::mm   200.000us    300.000us    250.000us     250.000us            10   1 b\n" RULE
		"Self CPU time total: 500.000us\nSelf CUDA time total: 260.000us\n\n"
		"--- compiled ---\n" RULE HEAD RULE
		"    compiled     0.000us      0.000us    120.000us     120.000us             1   0 b\n"
		"    aten::mm   100.000us    100.000us    110.000us     110.000us            10   1 b\n"
		"       sgemm     0.000us      0.000us    105.000us     105.000us             8   0 b\n" RULE
		"Self CPU time total: 400.000us\nSelf CUDA time total: 110.000us\n");
	assert_rows(run, "operators", NULL, NULL, "name,section,calls,gpu_self_ns",
		    "aten::mm,table 1,10,250000\naten::add,table 1,4,10000\n"
		    "aten::mm,table 2,10,110000\n");
	assert_rows(run, "kernels", NULL, NULL, "name,section,calls,total_ns",
		    "sgemm,table 1,8,200000\nsgemm,table 2,8,105000\n");
	assert_int_equal(run->ranks[0].profile->events, 6);
	run_free(run);
}

#define WORKER(n, time) "(Worker_" n " pid=" n "7) INFO 11-05 " time " [worker.py:210] "

static const char logged[] =
	WORKER("0", "13:22:49") "loading the model\n" WORKER("0", "13:22:50") HEAD
	"\033[36m"
	"(Worker_1 pid=17)\033[0m INFO 11-05 13:22:50 [worker.py:210] " HEAD WORKER(
		"0", "13:22:50") RULE WORKER("1", "13:22:51") RULE
		WORKER("0", "13:22:51") "    aten::mm   200.000us    300.000us    250.000us     250.000us            10   1 b\n" WORKER("1", "13:22:51") "    aten::mm   210.000us    310.000us    251.000us     251.000us            11   1 b\n" WORKER(
			"0",
			"13:22:52") "nccl_allred…     0.000us      0.000us    240.000us     240.000us             9   0 b\n" WORKER("1",
																    "13:22:52")
			RULE WORKER("0", "13:22:52") RULE WORKER(
				"1",
				"13:22:52") "Self CPU time total: 500.000us\n"
					    "(Worker_0 pid=07) INFO 11-05 13:22:52 [worker.py:210]\n"
					    "done\n";

/* Loggers and launchers put a name and the time before each line, and mix lines of processes. */
TEST(lines_of_processes_are_told_apart)
{
	struct run *run = trace_run(logged);
	assert_rows(run, "operators", NULL, NULL, "name,section,calls,cpu_self_ns,gpu_self_ns",
		    "aten::mm,(Worker_0 pid=07) INFO [worker.py:210],10,200000,250000\n"
		    "aten::mm,(Worker_1 pid=17) INFO [worker.py:210],11,210000,251000\n");
	assert_rows(run, "kernels", NULL, "family", "name,calls,total_ns",
		    "communication,9,240000\nnccl_allred…,9,240000\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
}

/* Versions write bytes as "Kb" or "KB". */
TEST(units_of_bytes)
{
	struct run *run = trace_run(
		"     Name    Self CPU    CPU total       CPU Mem  Self CUDA Mem    # of Calls\n"
		"aten::add     1.000us      1.000us      33.50 KB        -2.00 GB             2\n"
		"aten::mul     1.000us      1.000us      33.50 Kb            0 B             1\n");
	assert_rows(run, "operators", NULL, NULL, "name,cpu_mem_bytes,gpu_self_mem_bytes",
		    "aten::add,34304,-2147483648\naten::mul,34304,0\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
}

TEST(one_prefix_names_no_section)
{
	struct run *run = trace_run(
		"g4: train.py: a start\n"
		"g4: " HEAD "g4: " RULE
		"g4:     aten::mm   200.000us    300.000us    250.000us     250.000us            10   1 b\n"
		"g4: " RULE "g4: Self CPU time total: 500.000us\n"
		"g4:\n");
	assert_rows(run, "operators", NULL, NULL, "name,section,calls", "aten::mm,,10\n");
	run_free(run);
}

/* A message of several lines has its prefix on the first alone. */
/* Rows of printed tables lead nowhere: no event of theirs is recorded. */
TEST(sums_lead_to_no_events)
{
	static const char *const views[] = { "operators", "kernels" };
	struct run *run = trace_run(
		RULE HEAD RULE
		"    aten::mm   200.000us    300.000us    250.000us     250.000us            10   1 b\n"
		"       sgemm     0.000us      0.000us    200.000us     200.000us             8   0 b\n");
	for (size_t i = 0; i < 2; i++) {
		struct table *table = trace_view(run, views[i], NULL, NULL);
		struct scope scope, inner;
		const struct view *next;
		scope_init(&scope);
		assert_int_equal(table->rows, 1);
		assert_false(view_drill(run, table_ref(table, 0), &scope, &next, &inner));
		table_free(table);
	}
	run_free(run);
}

TEST(a_prefix_before_one_line_stays)
{
	struct run *run = trace_run(
		"2024-01-01 INFO - " RULE HEAD RULE
		"    aten::mm   200.000us    300.000us    250.000us     250.000us            10   1 b\n" RULE
		"2024-01-01 INFO - next\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls", "aten::mm,10\n");
	run_free(run);
}

/* Output of a program may come before the table, also more than is looked at first. */
TEST(tables_are_found_deep_in_logs)
{
	static const char line[] = "[step] loss 0.25, 1234 tokens per second\n";
	static const size_t counts[] = { 200, 5000 };
	for (size_t i = 0; i < 2; i++) {
		struct buffer text = { 0 };
		for (size_t n = 0; n < counts[i]; n++)
			buffer_puts(&text, line);
		buffer_puts(
			&text,
			"g4: start\ng4: " HEAD "g4: " RULE
			"g4:     aten::mm   200.000us    300.000us    250.000us     250.000us            10   1 b\n");
		struct run *run = trace_run(buffer_text(&text));
		assert_rows(run, "operators", NULL, NULL, "name,calls", "aten::mm,10\n");
		run_free(run);
		buffer_free(&text);
	}
}

/* Lines that end with a number are no stacks. */
TEST(a_log_is_no_list_of_stacks)
{
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(
		BYTES("step 1 loss 0.25 tokens 1234\nstep 2 loss 0.24 tokens 1250\n"), &error);
	assert_null(profile);
	assert_non_null(strstr(error.message, "is not a known profile"));
}

TEST(damaged_logs_are_read_or_refused)
{
	assert_survives(BYTES(logged));
}

/* Text of other runtimes is refused as every unknown file. */
TEST(other_tables_are_unknown)
{
	static const char *const texts[] = {
		"Name  Calls  CPU Total / Avg / Max / Min / Ratio(%)\nmm  2  1 / 1 / 1 / 1 / 100\n",
		"Metric: CompileTime\n  TotalSamples: 2\n  Accumulator: 01s401ms\n",
		"iteration 1 | elapsed time per iteration (ms): 123.4 |\ntime (ms) | forward: 5.25\n",
		"\t[node type]\t[avg ms]\t[Name]\n\tCONV_2D\t4.0\t[a, b]:0\n",
		"Name  Duration (us)  Percent  Device  Count  Argument Shapes\nmm  9.5  50.5  cpu0  2  \n",
		"conv EXECUTED layerType: Convolution realTime: 462 cpu: 86 execType: GPU\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct error error = { 0 };
		assert_null(trace_open_bytes(texts[i], strlen(texts[i]), &error));
		assert_non_null(strstr(error.message, "is not a known profile"));
	}
}

/* ---- the shell of text formats ---- */

static struct text_slice slice(const char *text)
{
	return (struct text_slice){ text, strlen(text) };
}

TEST(parts_of_lines)
{
	struct text_slice line = slice("key: two words  3,5  end"), rest = line;
	assert_false(slice_skip(&rest, "word"));
	assert_true(slice_skip(&rest, "key:"));
	assert_true(slice_is(slice_cell(&rest), "two words"));
	assert_true(slice_is(slice_last(&rest), "end"));
	assert_true(slice_is(slice_trim(rest), "3,5"));
	assert_true(slice_is(slice_last(&rest), "3,5"));
	assert_int_equal(slice_last(&rest).length, 0);
	assert_int_equal(slice_cell(&rest).length, 0);
	const char *colon = slice_find(line, ":");
	assert_true(slice_is(slice_until(line, colon), "key"));
	assert_int_equal(slice_from(line, colon).length, line.length - 3);
}

TEST(numbers_with_units)
{
	static const struct text_unit units[] = { { "ms", 1e-3 }, { "s", 1 }, { NULL, 0 } };
	double value;
	assert_true(slice_scaled(slice("1.5ms"), units, &value) && value == 0.0015);
	assert_true(slice_scaled(slice("2 s"), units, &value) && value == 2);
	assert_false(slice_scaled(slice("2 us"), units, &value));
	assert_false(slice_scaled(slice("2"), units, &value));
	assert_false(slice_scaled(slice("s"), units, &value));
	assert_true(slice_commas(slice("1,575,151.5"), &value) && value == 1575151.5);
	assert_false(slice_commas(slice(","), &value));
	assert_false(slice_commas(slice("1,575 s"), &value));
}

static const char *heading_of(struct text_slice line)
{
	return slice_find(line, "Table of");
}

/* Not in JSON, and both parts of a mark where it has two. */
TEST(formats_are_known_by_marks)
{
	static const struct text_format marked = { .marks = { { "== tool" }, { "called", "by" } } };
	static const struct text_format headed = { .heading = heading_of };
	assert_true(text_format_recognize(&marked, BYTES("a\n== tool\n")));
	assert_true(text_format_recognize(&marked, BYTES("was called by\n")));
	assert_false(text_format_recognize(&marked, BYTES("was called\n")));
	assert_false(text_format_recognize(&marked, BYTES("{ \"== tool\": 1 }")));
	assert_false(text_format_recognize(&marked, BYTES("")));
	assert_true(text_format_recognize(&headed, BYTES("x\nx Table of y\n")));
	assert_false(text_format_recognize(&headed, BYTES("Table\nof")));
}

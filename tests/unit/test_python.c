/* Output files of Python profilers: valid, damaged and malicious. */
#include "advice_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "base/literal.h"
#include "input/python/marshal.h"
#include "model/python_stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES(text) (text), sizeof(text) - 1

/* marshal version 4: {("a.py", 3, "f"): (1, 2, 0.5, 1.5, {("b.py", 9, "g"): (2, 1, 0.5, 1.5)})} */
static const char pstats[] = "\xfb"
			     "\x29\x03"
			     "\xda\x04"
			     "a.py"
			     "\xe9\x03\0\0\0"
			     "\xda\x01"
			     "f"
			     "\x29\x05"
			     "\xe9\x01\0\0\0"
			     "\xe9\x02\0\0\0"
			     "g\0\0\0\0\0\0\xe0\x3f"
			     "g\0\0\0\0\0\0\xf8\x3f"
			     "\x7b"
			     "\x29\x03"
			     "z\x04"
			     "b.py"
			     "i\x09\0\0\0"
			     "z\x01g"
			     "\x29\x04"
			     "r\5\0\0\0"
			     "r\4\0\0\0"
			     "g\0\0\0\0\0\0\xe0\x3f"
			     "g\0\0\0\0\0\0\xf8\x3f"
			     "0"
			     "0";

/* Protocol 2: a LineStats with one function of two lines, in units of a microsecond. */
static const char lprof[] =
	"\x80\x02"
	"c_line_profiler\nLineStats\nq\x01)\x81q\x02}q\x03(X\7\0\0\0timingsq\4}q\5"
	"X\4\0\0\0m.pyK\x07X\4\0\0\0work\x87q\6]q\7(K\x08K\x02M\xe8\x03\x87q\x08K\x09K\x02"
	"\x8a\5\0\0\0\0\1\x87"
	"es"
	"X\4\0\0\0unitG"
	"\x3e\xb0\xc6\xf7\xa0\xb5\xed\x8d"
	"ub.";

/* Protocol 4: a Snapshot of two blocks of a line, one of another, and what is no block. */
static const char blocks[] =
	"\200\004\214\013tracemalloc\224\214\010Snapshot\224\223)\201}(\214\006tracesh\000"
	"\214\007_Traces\223)\201}\214\007_traces]("
	"(K\000Kd\214\004a.pyK\004\206\214\004b.pyK\011\206\206K\002t"
	"(K\000K<\214\004a.pyK\004\206\205K\001t"
	"(K\000K\007\214\004c.pyK\000\206\205K\001t"
	"K\000\214\001x\206esb\214\017traceback_limitK\002ub.";

static void assert_text(const struct table *table, size_t row, const char *column, const char *text)
{
	struct value value = table_cell(table, row, column);
	assert_int_equal(value.kind == VALUE_TEXT ? value.length : 0, strlen(text));
	assert_memory_equal(value.kind == VALUE_TEXT ? value.text : "", text, strlen(text));
}

static void assert_row(const struct table *table, size_t row, const char *function,
		       const char *file, int64_t line, int64_t calls, int64_t self_ns)
{
	assert_true(row < table->rows);
	assert_text(table, row, "function", function);
	assert_text(table, row, "file", file);
	assert_int_equal(table_number(table, row, "line"), line);
	assert_int_equal(table_number(table, row, "calls"), calls);
	assert_int_equal(table_number(table, row, "self_ns"), self_ns);
}

TEST(cprofile)
{
	struct run *run = trace_run_bytes(BYTES(pstats));
	struct table *table = trace_view(run, "python", NULL, NULL);
	struct table *callers = trace_view(run, "python", NULL, "caller");

	assert_int_equal(table->rows, 1);
	assert_row(table, 0, "f", "a.py", 3, 2, 500000000);
	assert_int_equal(table_number(table, 0, "primitive_calls"), 1);
	assert_int_equal(table_number(table, 0, "total_ns"), 1500000000);
	assert_int_equal(callers->rows, 1);
	assert_row(callers, 0, "f", "a.py", 3, 2, 500000000);
	assert_text(callers, 0, "caller", "b.py:9(g)");
	table_free(callers);
	table_free(table);
	run_free(run);
}

/* Enter on a function shows its callers and callees; on one of those, the other function's. */
TEST(enter_walks_callers_and_callees)
{
	struct run *run = trace_run_bytes(BYTES(pstats));
	struct table *table = trace_view(run, "python", NULL, NULL);
	struct scope scope, inner, further;
	const struct view *next;

	scope_init(&scope);
	assert_true(view_drill(run, table_ref(table, 0), &scope, &next, &inner));
	assert_string_equal(next->name, "python");
	struct table *edges = trace_view(run, "python", &inner, NULL);
	assert_int_equal(edges->rows, 1);
	assert_row(edges, 0, "f", "a.py", 3, 2, 500000000);
	assert_text(edges, 0, "caller", "b.py:9(g)");
	assert_int_equal(table_number(edges, 0, "total_per_call_ns"), 1500000000);
	assert_true(view_drill(run, table_ref(edges, 0), &inner, &next, &further));
	assert_int_not_equal(inner.function, further.function);
	struct table *back = trace_view(run, "python", &further, NULL);
	assert_int_equal(back->rows, 1);
	struct buffer crumb = { 0 };
	view_breadcrumb(run, &further, &crumb);
	assert_string_equal(crumb.data, "run > g");
	buffer_free(&crumb);
	scope_clear(&inner);
	scope_clear(&further);
	table_free(back);
	table_free(edges);
	table_free(table);
	run_free(run);
}

TEST(total_time_takes_the_place_of_a_duration)
{
	struct run *run = trace_run_bytes(BYTES(pstats));
	struct table *info = trace_view(run, "info", NULL, NULL);
	struct table *functions = trace_view(run, "python", NULL, NULL);
	int64_t self = 0;
	bool found = false;
	for (size_t row = 0; row < functions->rows; row++)
		self += table_number(functions, row, "self_ns");
	for (size_t row = 0; row < info->rows; row++) {
		const char *metric = table_cell(info, row, "metric").text;
		assert_string_not_equal(metric, "duration");
		if (strcmp(metric, "time in functions") == 0) {
			found = true;
			assert_int_equal(table_number(info, row, "value"), self);
		}
	}
	assert_true(found && self > 0);
	table_free(functions);
	table_free(info);
	run_free(run);
}

TEST(line_profiler)
{
	struct run *run = trace_run_bytes(BYTES(lprof));
	struct table *table = trace_view(run, "python", NULL, NULL);
	struct table *functions = trace_view(run, "python", NULL, "function");

	assert_int_equal(table->rows, 2);
	assert_row(table, 0, "work", "m.py", 8, 2, 1000000);
	assert_row(table, 1, "work", "m.py", 9, 2, INT64_C(4294967296000));
	assert_int_equal(functions->rows, 1);
	assert_int_equal(table_number(functions, 0, "self_ns"), INT64_C(4294968296000));
	table_free(functions);
	table_free(table);
	run_free(run);
}

TEST(blocks_of_tracemalloc_by_line)
{
	struct run *run = trace_run_bytes(BYTES(blocks));
	assert_string_equal(run->ranks[0].profile->format, "tracemalloc snapshot");
	assert_rows(run, "python", NULL, NULL, "file,line,calls,memory_bytes,self_ns",
		    "a.py,4,2,160,\nc.py,,1,7,\n");
	assert_int_equal(damage_count(run->ranks[0].profile, "entry not a block with its place"),
			 1);
	run_free(run);
}

TEST(sampled_stacks)
{
	static const char stacks[] = "a.py(1):_main;b.py(22):___init__ 30\na.py(1):_main 5\n"
				     "a.py(1):_main;a.py(1):_main 7\n";
	struct run *run = trace_run_bytes(BYTES(stacks));
	struct table *table = trace_view(run, "python", NULL, NULL);
	struct table *sums = trace_view(run, "stacks", NULL, NULL);

	assert_int_equal(table->rows, 2);
	assert_row(table, 0, "main", "a.py", 1, 0, 12000);
	assert_int_equal(table_number(table, 0, "total_ns"), 42000);
	assert_row(table, 1, "__init__", "b.py", 22, 0, 30000);
	assert_int_equal(sums->rows, 3);
	table_free(sums);
	table_free(table);
	run_free(run);
}

TEST(scalene)
{
	static const char scalene[] =
		"{\"alloc_samples\": 1, \"files\": {\"x.py\": {\"functions\": [], \"lines\": [{\"line\": "
		"\"  y = f(x) \\\\u003c a \\\\u0026 b\\n\", \"lineno\": 4, \"n_cpu_percent_c\": 10.0, \"n_cpu_percent_python\": "
		"20, \"n_sys_percent\": 5, \"n_malloc_mb\": 2.0, \"n_gpu_percent\": 50, "
		"\"n_gpu_peak_memory_mb\": 3, \"n_copy_mb_s\": 1.5, \"new\": [1]}, {\"line\": \"z\", "
		"\"lineno\": 5}], \"leaks\": {\"4\": {\"likelihood\": 0.75, \"velocity_mb_s\": 2}}}}, "
		"\"elapsed_time_sec\": 2.0, \"gpu\": %s}";
	for (int gpu = 0; gpu <= 1; gpu++) {
		char text[1024];
		int length = snprintf(text, sizeof text, scalene, gpu ? "true" : "false");
		struct run *run = trace_run_bytes(text, (size_t)length);
		struct table *table = trace_view(run, "python", NULL, NULL);

		assert_int_equal(table->rows, 2);
		assert_row(table, 0, "y = f(x) < a & b", "x.py", 4, 0, 700000000);
		assert_int_equal(table_number(table, 0, "memory_bytes"), 2097152);
		assert_int_equal(table_number(table, 0, "python_ns"), 400000000);
		assert_int_equal(table_number(table, 0, "native_ns"), 200000000);
		assert_int_equal(table_number(table, 0, "system_ns"), 100000000);
		assert_int_equal(table_cell(table, 0, "gpu_ns").kind,
				 gpu ? VALUE_INT : VALUE_MISSING);
		assert_int_equal(table_number(table, 0, "gpu_ns"), gpu ? 1000000000 : 0);
		assert_true(!gpu || table_cell(table, 0, "gpu_peak_bytes").real == 3145728);
		assert_true(table_cell(table, 0, "copy_bytes_per_s").real == 1572864);
		assert_true(table_cell(table, 0, "leak_pct").real == 75);
		assert_true(table_cell(table, 0, "leak_bytes_per_s").real == 2097152);
		assert_int_equal(table_cell(table, 1, "leak_pct").kind, VALUE_MISSING);
		assert_int_equal(table_cell(table, 1, "python_ns").kind, VALUE_MISSING);
		table_free(table);
		run_free(run);
	}
}

TEST(scalene_memory_over_time)
{
	struct run *run = trace_run(
		"{\"alloc_samples\": 3, \"elapsed_time_sec\": 2.0, \"max_footprint_mb\": 8.5,"
		"\"max_footprint_fname\": \"x.py\", \"max_footprint_lineno\": 4, \"files\": {\"x.py\": {"
		"\"lines\": [{\"line\": \"a\", \"lineno\": 4, \"n_peak_mb\": 6, \"n_avg_mb\": 1.5}]}},"
		"\"samples\": [[1000, 2.0], [\"x\", 1], [5000, 8.5], [6000], 3, [9000, 4]]}");
	assert_rows(run, "python", NULL, NULL, "line,memory_peak_bytes,memory_avg_bytes",
		    "4,6.29146e+06,1.57286e+06\n");
	assert_rows(run, "memory-curve", NULL, NULL, "time_ns,allocated_bytes",
		    "0,2097152\n4000,8912896\n8000,4194304\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 3);
	struct table *info = trace_view(run, "info", NULL, NULL);
	assert_int_equal(table_number(info, row_with(info, "metric", "max footprint"), "value"),
			 8912896);
	assert_int_equal(
		table_number(info, row_with(info, "metric", "max footprint in line"), "value"), 4);
	table_free(info);
	run_free(run);
}

TEST(mprof)
{
	static const char samples[] = "CMDLINE python x.py\nMEM 10.5 100.1\n"
				      "FUNC m.f 10.5 100.2 30 101.25 1\nMEM 30.5 101.0\n"
				      "CHLD 7 5.5 101.0\nnonsense\nMEM 20 102\n";
	struct run *run = trace_run_bytes(BYTES(samples));
	struct table *curve = trace_view(run, "memory-curve", NULL, NULL);
	struct table *table = trace_view(run, "python", NULL, NULL);

	assert_int_equal(curve->rows, 3);
	assert_int_equal(table_number(curve, 0, "time_ns"), 0);
	assert_int_equal(table_number(curve, 1, "allocated_bytes"), 31981568);
	assert_int_equal(table_number(curve, 2, "time_ns"), 1900000000);
	assert_row(table, 0, "m.f", "", 0, 1, 1050000000);
	assert_int_equal(damage_count(run->ranks[0].profile, "line not an mprof record"), 1);
	table_free(table);
	table_free(curve);
	run_free(run);
}

/* In a trace, a function sums its calls; recursive calls count once in its total. */
TEST(functions_of_trace)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("python_function", "m.py(3): f", "1", "1", "0", "100", "{}") "," EVENT(
			"python_function", "m.py(9): g", "1", "1", "10", "60",
			"{}") "," EVENT("python_function", "m.py(3): f", "1", "1", "20", "30",
					"{}") "," OPERATOR("aten::mm", "25",
							   "5") "," EVENT("python_function",
									  "m.py(3): f", "1", "1",
									  "200", "10", "{}")));
	struct table *table = trace_view(run, "python", NULL, NULL);

	assert_int_equal(table->rows, 2);
	assert_row(table, 0, "f", "m.py", 3, 3, (40 + 30 + 10) * 1000);
	assert_int_equal(table_number(table, 0, "primitive_calls"), 2);
	assert_int_equal(table_number(table, 0, "total_ns"), 110000);
	assert_row(table, 1, "g", "m.py", 9, 1, 30000);
	table_free(table);
	run_free(run);
}

/* Methods of several objects are one function; the first nests in the second here. */
TEST(methods_of_objects_are_one_row)
{
	struct run *run = trace_run(DOCUMENT(EVENT(
		"python_function", "<built-in method items of dict object at 0x7f12>", "1", "1",
		"0", "100",
		"{}") "," EVENT("python_function",
				"<built-in method items of dict object at 0x7f34>", "1", "1", "10",
				"60",
				"{}") "," EVENT("python_function",
						"<built-in method items of list object at 0x7f12>",
						"1", "1", "200", "10", "{}")));
	struct table *table = trace_view(run, "python", NULL, NULL);
	struct table *spans = trace_view(run, "spans", NULL, NULL);

	assert_int_equal(table->rows, 2);
	assert_string_equal(table_text(table, 0, "function"), "<built-in method items of dict>");
	assert_string_equal(table_text(table, 0, "name"), "<built-in method items of dict>");
	assert_int_equal(table_number(table, 0, "calls"), 2);
	assert_int_equal(table_number(table, 0, "primitive_calls"), 1);
	assert_int_equal(table_number(table, 0, "self_ns"), 100000);
	assert_int_equal(table_number(table, 0, "total_ns"), 100000);
	assert_string_equal(table_text(table, 1, "function"), "<built-in method items of list>");
	assert_string_equal(table_text(spans, 0, "name"),
			    "<built-in method items of dict object at 0x7f12>");
	table_free(spans);
	table_free(table);
	run_free(run);
}

/* ---- damage ---- */

/* Truncated anywhere, or with any byte changed: read or refused. */
static void assert_survives(const char *bytes, size_t length)
{
	static const unsigned char others[] = { 0, 0xff, 'r', '{', '(', 0x80 };
	char *copy = malloc(length);
	for (size_t i = 0; i < length; i++) {
		struct error error = { 0 };
		profile_free(trace_open_bytes(bytes, i, &error));
		for (size_t k = 0; k < sizeof others; k++) {
			memcpy(copy, bytes, length);
			copy[i] = (char)others[k];
			profile_free(trace_open_bytes(copy, length, &error));
		}
	}
	free(copy);
}

TEST(damaged_files_are_read_or_refused)
{
	assert_survives(BYTES(pstats));
	assert_survives(BYTES(lprof));
	assert_survives(BYTES(blocks));
	assert_refused(pstats, sizeof pstats - 10);
	assert_refused(lprof, sizeof lprof - 10);
}

static const struct literal *parse(const struct literal *(*parser)(struct arena *, const char *,
								   size_t, struct error *),
				   struct arena *arena, const char *bytes, size_t length)
{
	struct error error = { 0 };
	const struct literal *object = parser(arena, bytes, length, &error);
	assert_true(object || error.message[0]);
	return object;
}

/* A pickle that would execute code is refused, for every opcode that could. */
TEST(pickle_executes_nothing)
{
	assert_refused(BYTES("ccopy_reg\n_reconstructor\n(cos\nsystem\nS'id'\ntR."));
	assert_refused(BYTES("\x80\x02"
			     "cos\nsystem\nX\2\0\0\0id\x85R."));
	assert_refused(BYTES("\x80\4\x8c\2os\x8c\6system\x93\x8c\2id\x85R."));
	assert_refused(BYTES("\x80\2cline_profiler\nLineStats\nX\2\0\0\0id\x85R."));
	assert_refused(BYTES("\x80\2cline_profiler\nLineStats\n)\x81"
			     "X\2\0\0\0idb."));
	assert_refused(BYTES("\x80\2}X\6\0\0\0timings}sX\4\0\0\0unitK\1s}b."));
	assert_refused(BYTES("\x80\2("));
	assert_refused(BYTES("\x80\2."));
	assert_refused(BYTES("\x80\2Nr\xff\xff\xff\x7f."));
}

/* Objects of the accepted class are their state, in every way that Python writes them. */
TEST(object_is_its_state)
{
	static const char old[] = "ccopy_reg\n_reconstructor\np0\n(c_line_profiler\nLineStats\np1\n"
				  "c__builtin__\nobject\np2\nNtp3\nRp4\n(dp5\nVtimings\np6\n(dp7\n"
				  "(Vm.py\np8\nI7\nVwork\np9\ntp10\n(lp11\n(I8\nI2\nI1000\ntp12\nas"
				  "sVunit\np13\nF1e-06\nsb.";
	struct run *run = trace_run_bytes(BYTES(old));
	struct table *table = trace_view(run, "python", NULL, NULL);

	assert_int_equal(table->rows, 1);
	assert_row(table, 0, "work", "m.py", 8, 2, 1000000);
	table_free(table);
	run_free(run);
}

TEST(marshal_references_and_sizes)
{
	struct arena *arena = arena_new();
	char deep[1000];

	memset(deep, ')', sizeof deep);
	for (size_t i = 1; i < sizeof deep; i += 2)
		deep[i] = 1;
	assert_null(parse(marshal_parse, arena, deep, sizeof deep));
	/* a container in itself, a reference to a missing object, impossible sizes */
	assert_null(parse(marshal_parse, arena, BYTES("\xa9\x01r\0\0\0\0")));
	assert_null(parse(marshal_parse, arena, BYTES("r\1\0\0\0")));
	assert_null(parse(marshal_parse, arena, BYTES("(\xff\xff\xff\x7f")));
	assert_null(parse(marshal_parse, arena, BYTES("(\xff\xff\xff\xff")));
	const struct literal *large = parse(marshal_parse, arena, BYTES("l\3\0\0\0\1\0\0\0\2\0"));
	assert_int_equal(large->integer, 1 + (INT64_C(2) << 30));
	large = parse(marshal_parse, arena, BYTES("l\xfe\xff\xff\xff\1\0\1\0"));
	assert_int_equal(large->integer, -(1 + (INT64_C(1) << 15)));
	/* beyond 64 bits it is a real number, of either sign */
	large = parse(marshal_parse, arena, BYTES("l\5\0\0\0\0\0\0\0\0\0\0\0\1\0"));
	assert_int_equal(large->kind, LITERAL_REAL);
	assert_true(large->real == 0x1p60);
	large = parse(marshal_parse, arena, BYTES("l\xfb\xff\xff\xff\0\0\0\0\0\0\0\0\1\0"));
	assert_true(large->real == -0x1p60);
	assert_int_equal(parse(marshal_parse, arena, BYTES("T"))->integer, 1);
	assert_int_equal(parse(marshal_parse, arena, BYTES("F"))->integer, 0);
	assert_int_equal(parse(marshal_parse, arena, BYTES("F"))->kind, LITERAL_BOOL);
	arena_free(arena);
}

/* marshal: functions f0, f1, … of a.py at lines 1, 2, …, each called once, with these seconds */
static struct run *functions_of(const double *seconds, int count)
{
	struct buffer bytes = { 0 };
	buffer_puts(&bytes, "{");
	for (int i = 0; i < count; i++) {
		buffer_add(&bytes, BYTES(")\3z\4a.py"));
		buffer_add(&bytes, (char[]){ 'i', (char)(i + 1), 0, 0, 0 }, 5);
		buffer_add(&bytes, (char[]){ 'z', 2, 'f', (char)('0' + i) }, 4);
		buffer_add(&bytes, BYTES(")\5i\1\0\0\0i\1\0\0\0"));
		for (int times = 0; times < 2; times++) {
			buffer_puts(&bytes, "g");
			buffer_add(&bytes, (const char *)&seconds[i], sizeof *seconds);
		}
		buffer_puts(&bytes, "{0");
	}
	buffer_puts(&bytes, "0");
	struct run *run = trace_run_bytes(buffer_text(&bytes), bytes.length);
	buffer_free(&bytes);
	return run;
}

/* The function with most time of its own: a finding from a tenth of all, serious from two fifths.
 */
TEST(the_hottest_function_is_a_finding)
{
	static const struct {
		double seconds[11];
		int count;
		const char *severity, *evidence;
	} cases[] = {
		{ { 1, 4, 3, 2 },
		  4,
		  "high",
		  "4.00 s of 10.00 s (40.0 %) is spent in f1 at a.py:2, 1 call" },
		{ { 3, 2, 2, 2 },
		  4,
		  "medium",
		  "3.00 s of 9.00 s (33.3 %) is spent in f0 at a.py:1, 1 call" },
		{ { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 10, "medium", "1.00 s of 10.00 s (10.0 %)" },
		{ { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 11, "silent", "10 % of all self time" },
		{ { 0, 0 }, 2, "unknown", "No time was recorded" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = functions_of(cases[i].seconds, cases[i].count);
		struct table *advice = trace_view(run, "advice", NULL, "all");
		size_t row = advice_row(advice, "hot_spot");
		const char *evidence = table_cell(advice, row, "evidence").text;
		assert_null(strstr(evidence, "findings above"));
		assert_string_equal(advice_answer(advice, "hot_spot"), cases[i].severity);
		if (!strstr(evidence, cases[i].evidence))
			fail_msg("case %zu: %s", i, evidence);
		struct ref ref = table_ref(advice, row);
		assert_int_equal(ref.kind, REF_FACT);
		if (advice_fired(cases[i].severity))
			assert_int_equal(ref.b, view_number(view_find("python")));
		table_free(advice);
		run_free(run);
	}
}

/* Where no function is hot: the user's innermost that holds at least half, called repeatedly. */
TEST(time_that_passes_through_a_function_is_a_finding)
{
	struct buffer text = { 0 };
	buffer_puts(
		&text,
		"         3 function calls in 13.000 seconds\n\n"
		"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
		"        1    1.000    1.000   13.000   13.000 /my/run.py:1(main)\n"
		"        8    1.000    1.000   10.000    1.000 /my/net.py:3(forward)\n"
		"        8    1.000    1.000    5.000    1.000 /my/net.py:9(gate)\n"
		"        8    1.000    1.000    9.000    1.000 /x/site-packages/m.py:3(call)\n"
		"        8    0.000    0.000    2.000    0.000 /x/site-packages/pandas/f.py:3(iterrows)\n"
		"        8    0.000    0.000    3.000    0.000 /x/numpy/f.py:3(_vectorize_call)\n"
		"        8    0.000    0.000    1.000    0.000 /x/copy.py:3(deepcopy)\n");
	for (int i = 0; i < 9; i++)
		buffer_printf(
			&text,
			"        8    1.000    1.000    1.000    1.000 /x/site-packages/m.py:%d(f)\n",
			i + 10);
	buffer_puts(&text, "\n");
	struct run *run = trace_run(buffer_text(&text));
	struct table *advice = trace_view(run, "advice", NULL, "all");
	assert_string_equal(advice_answer(advice, "hot_spot"), "medium");
	assert_non_null(
		strstr(table_cell(advice, advice_row(advice, "hot_spot"), "evidence").text,
		       "10.00 s of 13.00 s (76.9 %) passes through forward at my/net.py:3"));
	assert_non_null(
		strstr(table_cell(advice, advice_row(advice, "slow_cpu_code"), "evidence").text,
		       "a loop in Python take 3.00 s of 13.00 s"));
	table_free(advice);
	run_free(run);
	buffer_free(&text);
}

TEST(function_events_of_viztracer_and_py_spy)
{
	struct run *run = trace_run("{\"traceEvents\":[" EVENT(
		"fee", "train (a/train.py:12)", "5", "5", "100.5", "50.5",
		"{}") "," EVENT("fee", "builtins.len", "5", "5", "110", "2",
				"{}") "],\"viztracer_metadata\":{}}");
	assert_rows(run, "python", NULL, NULL, "function,file,line,calls,self_ns,total_ns",
		    "train,a/train.py,12,1,48500,50500\nbuiltins.len,,,1,2000,2000\n");
	run_free(run);
	run = trace_run("[{\"args\":{\"filename\":\"a.py\",\"line\":null},\"cat\":\"py-spy\","
			"\"name\":\"f\",\"ph\":\"B\",\"pid\":7,\"tid\":0,\"ts\":10},"
			"{\"args\":{},\"cat\":\"py-spy\",\"name\":\"f\",\"ph\":\"E\","
			"\"pid\":7,\"tid\":0,\"ts\":30}]");
	assert_rows(run, "python", NULL, NULL, "function,calls,self_ns", "f,1,20000\n");
	run_free(run);
}

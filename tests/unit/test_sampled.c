/* Stacks of sampling profilers: speedscope's JSON and the output of perf script. */
#include "text_profile_case.h"

#include "base/buffer.h"
#include "model/python_stats.h"

#include <stdio.h>

#define SCHEMA "\"$schema\":\"https://www.speedscope.app/file-format-schema.json\""
#define FRAMES                                                                                     \
	"\"shared\":{\"frames\":[{\"name\":\"f\",\"file\":\"a.py\",\"line\":3},"                   \
	"{\"name\":\"g;h\",\"file\":\"b.c\"},{\"name\":\"n\",\"line\":null,\"col\":null}]}"

static const char sampled[] =
	"{" SCHEMA ",\"profiles\":[{\"type\":\"sampled\",\"name\":\"T1\",\"unit\":\"seconds\","
	"\"startValue\":0,\"endValue\":0.6,\"samples\":[[0,1],[0,1,0],[0],[]],"
	"\"weights\":[0.1,0.2,0.3,1]},{\"type\":\"sampled\",\"name\":\"T2\",\"unit\":\"seconds\","
	"\"samples\":[[2]],\"weights\":[0.5]}]," FRAMES ",\"exporter\":\"py-spy@0.4\"}";

static const char evented[] =
	"{" SCHEMA "," FRAMES ",\"profiles\":[{\"type\":\"evented\",\"name\":\"main\","
	"\"unit\":\"microseconds\",\"events\":["
	"{\"type\":\"O\",\"frame\":0,\"at\":5},{\"type\":\"O\",\"frame\":1,\"at\":5},"
	"{\"type\":\"O\",\"frame\":0,\"at\":6},{\"type\":\"C\",\"frame\":0,\"at\":8},"
	"{\"type\":\"C\",\"frame\":1,\"at\":9},{\"type\":\"C\",\"frame\":0,\"at\":15}]},"
	"{\"type\":\"evented\",\"name\":\"bad\",\"unit\":\"microseconds\",\"events\":["
	"{\"type\":\"O\",\"frame\":0,\"at\":5},{\"type\":\"C\",\"frame\":1,\"at\":6}]}]}";

TEST(weights_are_times_of_stacks)
{
	struct run *run;
	struct table *table = text_look(BYTES(sampled), &run, "stacks", NULL);
	assert_int_equal(table->rows, 4);
	size_t deep = row_with(table, "stack", "a.py(3): f;b.c(?): g:h;a.py(3): f");
	assert_int_equal(table_number(table, deep, "value_ns"), 200000000);
	assert_int_equal(table_number(table, row_with(table, "stack", "n"), "value_ns"), 500000000);
	table_free(table);
	table = trace_view(run, "python", NULL, NULL);
	assert_int_equal(table->rows, 3);
	size_t f = row_with(table, "function", "f"), g = row_with(table, "function", "g;h");
	assert_int_equal(table_number(table, f, "self_ns"), 500000000);
	assert_int_equal(table_number(table, f, "total_ns"), 600000000);
	assert_int_equal(table_number(table, f, "line"), 3);
	assert_true(cell_is(table, g, "file", "b.c") && is_blank(table, g, "line"));
	assert_true(is_blank(table, row_with(table, "function", "n"), "file"));
	table_free(table);
	table = trace_view(run, "streams", NULL, NULL);
	assert_int_equal(table->rows, 2);
	assert_int_equal(table_number(table, row_with(table, "track", "T1"), "samples"), 3);
	assert_true(is_blank(table, 0, "busy_ns"));
	text_done(run, table);
}

/* Running sums are rounded, not each weight. */
TEST(fractions_of_weights_add_up)
{
	static const char thirds[] =
		"{" SCHEMA "," FRAMES ",\"profiles\":[{\"type\":\"sampled\",\"name\":\"T\","
		"\"unit\":\"nanoseconds\",\"samples\":[[0],[0],[0],[0],[1],[2]],"
		"\"weights\":[0.4,0.4,0.4,0.4,2.4,0.75]}]}";
	struct run *run = trace_run_bytes(BYTES(thirds));
	assert_rows(run, "stacks", NULL, NULL, "stack,value_ns",
		    "a.py(3): f,2\nb.c(?): g:h,2\nn,1\n");
	run_free(run);
}

/* A body of a module that runs in line 7 says that lines are those that ran. */
TEST(lines_that_ran_are_of_one_function)
{
	static const char text[] =
		"<module> (a.py:%d);work (a.py:30);work (a.py:33) 3\n<module> (a.py:1);work (a.py:31) 2\n"
		"<module> (a.py:1);<lambda> (a.py:4) 1\n<module> (a.py:1);<lambda> (a.py:5) 1\n"
		"<module> (a.py:1);work (b.py:31) 1\n";
	for (int line = 1; line <= 7; line += 6) {
		char stacks[sizeof text];
		int length = snprintf(stacks, sizeof stacks, text, line);
		struct run *run;
		struct table *table = text_look(stacks, (size_t)length, &run, "python", "merged");
		bool ran = line > 1;
		assert_int_equal(table->rows, ran ? 5 : 7); /* two lambdas; work of two files */
		assert_true(cell_is(table, 1, "function", "work"));
		assert_int_equal(table_number(table, 1, "self_ns"), ran ? 5 : 0);
		assert_int_equal(table_number(table, 1, "total_ns"), ran ? 5 : 3);
		assert_int_equal(table_number(table, 1, "line"), 30);
		/* the first of its lines, which runs later */
		assert_int_equal(
			table_number(table, row_with(table, "function", "<module>"), "line"), 1);
		table_free(table);
		table = trace_view(run, "python", NULL, NULL);
		assert_int_equal(table->rows, ran ? 8 : 7); /* as recorded */
		table_free(table);
		table = trace_view(run, "python", NULL, "line");
		assert_int_equal(table->rows, ran ? 8 : 0);
		text_done(run, table);
	}
}

/* The first 4 KiB say nothing of the format. */
TEST(long_frames_before_the_profiles)
{
	struct buffer text = { 0 };
	struct run *run;
	buffer_puts(&text, "{\"shared\":{\"frames\":[");
	for (int i = 0; i < 200; i++)
		buffer_printf(&text, "%s{\"name\":\"function_%d\",\"file\":\"a.py\"}", i ? "," : "",
			      i);
	buffer_puts(&text, "]},\"profiles\":[{\"type\":\"sampled\",\"name\":\"T1\",\"unit\":"
			   "\"seconds\",\"samples\":[[0,7]],\"weights\":[0.5]}]}");
	struct table *table = text_look(text.data, text.length, &run, "stacks", NULL);
	assert_int_equal(table->rows, 1);
	assert_int_equal(table_number(table, 0, "value_ns"), 500000000);
	text_done(run, table);
	buffer_free(&text);
}

TEST(samples_of_a_thread)
{
	struct run *run;
	struct table *table = text_look(BYTES(sampled), &run, "stacks", NULL);
	struct scope scope;
	table_free(table);
	scope_init(&scope);
	scope.track = 1;
	table = trace_view(run, "python", &scope, NULL);
	assert_int_equal(table->rows, 1);
	assert_true(cell_is(table, 0, "function", "n"));
	scope_clear(&scope);
	text_done(run, table);
}

TEST(opened_and_closed_frames_are_spans)
{
	struct run *run;
	struct table *table = text_look(BYTES(evented), &run, "spans", NULL);
	assert_int_equal(table->rows, 3);
	table_free(table);
	table = trace_view(run, "python", NULL, NULL);
	size_t f = row_with(table, "function", "f");
	assert_int_equal(table_number(table, f, "calls"), 2);
	assert_int_equal(table_number(table, f, "self_ns"), 8000);
	assert_int_equal(table_number(table, f, "total_ns"), 10000);
	table_free(table);
	table = trace_view(run, "info", NULL, NULL);
	size_t bad = row_with(table, "metric", "profile not read: bad");
	assert_true(cell_is(table, bad, "value", "frame closed that is not the innermost"));
	assert_true(cell_is(table, row_with(table, "metric", "unit"), "value", "microseconds"));
	text_done(run, table);
}

/* A thread without a sample leaves the spans of the others. */
TEST(spans_beside_a_profile_without_samples)
{
	static const char both[] =
		"{" SCHEMA "," FRAMES ",\"profiles\":[{\"type\":\"sampled\",\"name\":\"idle\","
		"\"unit\":\"microseconds\",\"samples\":[],\"weights\":[]},"
		"{\"type\":\"evented\",\"name\":\"main\",\"unit\":\"microseconds\",\"events\":["
		"{\"type\":\"O\",\"frame\":0,\"at\":5},{\"type\":\"C\",\"frame\":0,\"at\":15}]}]}";
	struct run *run;
	struct table *table = text_look(BYTES(both), &run, "python", NULL);
	assert_int_equal(table->rows, 1);
	assert_true(cell_is(table, 0, "function", "f"));
	assert_int_equal(table_number(table, 0, "total_ns"), 10000);
	text_done(run, table);
}

/* A stack of each thread, the innermost frame first in the file. */
TEST(dumps_of_threads)
{
	struct run *run = trace_run(data_text("sampled_dump.txt"));
	assert_string_equal(run->ranks[0].profile->format, "py-spy dump");
	assert_rows(run, "stacks", NULL, NULL, "stack,calls",
		    "<module> (train.py:60);step (train.py:40);forward (model.py:12),1\n"
		    "select (libc.so.6);wait (threading.py:324),1\n");
	assert_rows(run, "streams", NULL, NULL, "track,samples",
		    "12 (active+gil): \"MainThread\",1\n0x7F5A00 (idle): \"loader (1)\",1\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
	run = trace_run(data_text("sampled_dump.json"));
	assert_rows(run, "stacks", NULL, NULL, "stack", "<module> (/a/t.py);f (m.py:12)\n");
	assert_rows(run, "streams", NULL, NULL, "track", "140735 (active+gil): \"MainThread\"\n");
	assert_int_equal(damage_count(run->ranks[0].profile, "thread without frames"), 1);
	run_free(run);
	assert_survives(DATA("sampled_dump.txt"));
	assert_survives(DATA("sampled_dump.json"));
}

/* The second dump of a thread is another sample. */
TEST(dumps_of_faulthandler)
{
	static const char text[] =
		"loading\nFatal Python error: Segmentation fault\n\n"
		"Thread 0x00007f10 [loader] (most recent call first):\n"
		"  File \"/a b/t.py\", line 4 in <lambda>\n  File \"t.py\", line 982 in run\n\n"
		"Current thread 0x00007f20 (most recent call first):\n"
		"  File \"a.py\", line 8 in step\n  File \"a.py\", line 9 in <module>\n"
		"Timeout (0:00:01)!\n  File \"a.py\", line 1 in not_a_frame\n"
		"Thread 0x00007f20 (most recent call first):\n  File \"a.py\", line 7 in step\n"
		"  File \"a.py\", line ??? in <module>\n  ...\n";
	struct run *run = trace_run(text);
	assert_string_equal(run->ranks[0].profile->format, "faulthandler");
	assert_rows(run, "stacks", NULL, NULL, "stack,calls",
		    "run (t.py:982);<lambda> (/a b/t.py:4),1\n<module> (a.py:9);step (a.py:8),1\n"
		    "<module> (a.py);step (a.py:7),1\n");
	assert_rows(run, "streams", NULL, NULL, "track,samples",
		    "0x00007f10 [loader],1\n0x00007f20,2\n");
	/* one moment has no time: threads are counted */
	assert_rows(run, "python", NULL, "merged", "function,self_ns,total_ns",
		    "run,0,1\n<lambda>,1,1\n<module>,0,2\nstep,2,2\n");
	assert_int_equal(run->ranks[0].profile->python->sample_unit, SAMPLE_COUNT);
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	run_free(run);
	assert_survives(BYTES(text));
}

TEST(damaged_profiles_count_for_nothing)
{
	static const char *const bad[] = {
		"\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[]",
		"\"type\":\"sampled\",\"samples\":[],\"weights\":[1]",
		"\"type\":\"sampled\",\"samples\":[[3]],\"weights\":[1]",
		"\"type\":\"sampled\",\"samples\":[[-1]],\"weights\":[1]",
		"\"type\":\"sampled\",\"samples\":[[0.5e400]],\"weights\":[1]",
		"\"type\":\"sampled\",\"samples\":[0],\"weights\":[1]",
		"\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[-1]",
		"\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[1e300]",
		"\"type\":\"sampled\",\"samples\":{},\"weights\":3",
		"\"type\":\"sampled\"",
		"\"type\":\"evented\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1}]",
		"\"type\":\"evented\",\"events\":[{\"type\":\"C\",\"frame\":0,\"at\":1}]",
		"\"type\":\"evented\",\"events\":[{\"type\":\"O\",\"frame\":9,\"at\":1}]",
		"\"type\":\"evented\",\"events\":[{\"type\":\"X\",\"frame\":0,\"at\":1}]",
		"\"type\":\"evented\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":2},"
		"{\"type\":\"C\",\"frame\":0,\"at\":1}]",
		"\"type\":\"evented\",\"events\":[7]",
		"\"type\":7",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct buffer text = { 0 };
		struct error error = { 0 };
		buffer_printf(&text, "{" SCHEMA "," FRAMES ",\"profiles\":[{\"name\":\"p\",%s}]}",
			      bad[i]);
		assert_null(trace_open_bytes(text.data, text.length, &error));
		assert_int_equal(error.code, ERROR_INPUT);
		assert_non_null(strstr(error.message, "without a valid profile (p, byte "));
		buffer_free(&text);
	}
}

TEST(perf_samples_have_their_command_at_the_root)
{
	struct run *run;
	struct table *table = text_look(DATA("sampled_perf.txt"), &run, "stacks", NULL);
	assert_int_equal(table->rows, 4);
	row_with(table, "stack", "Web Content;main;a::b(int, char)");
	row_with(table, "stack", "Web Content;main");
	row_with(table, "stack", "swapper;[unknown]");
	row_with(table, "stack", "lost");
	table_free(table);
	table = trace_view(run, "streams", NULL, NULL);
	assert_int_equal(table->rows, 3);
	assert_int_equal(table_number(table, row_with(table, "track", "Web Content"), "samples"),
			 2);
	table_free(table);
	table = trace_view(run, "info", NULL, NULL);
	assert_int_equal(table_number(table, row_with(table, "metric", "duration"), "value"),
			 2000000);
	assert_true(cell_is(table, row_with(table, "metric", "samples of cycles:u"), "value", "2"));
	assert_int_equal(damage_count(run->ranks[0].profile, "line not a sample or a frame"), 1);
	text_done(run, table);
}

/* The offset begins with the last plus, and with 0x. */
TEST(symbols_of_perf_may_hold_a_plus)
{
	struct run *run = trace_run("p 1 [000] 1.000001: 1 cycles: \n"
				    "\t  11 operator+(a const&, b)+0x12 (/lib/a.so)\n"
				    "\t  12 a::operator+<int> (/lib/a.so)\n"
				    "\t  13 main+0x1 (/bin/p)\n\n");
	assert_rows(run, "stacks", NULL, NULL, "stack,calls",
		    "p;main;a::operator+<int>;operator+(a const&, b),1\n");
	run_free(run);
}

/* perf script -F leaves fields out; the same stack each time. */
TEST(perf_samples_without_time_or_event)
{
#define STACK "\t    7fab01 foo+0x10 (/lib/a.so)\n\t    7fac01 main (/bin/p)\n\n"
	static const char *const headings[] = {
		"my prog 42 cycles: \n",
		"my prog 42/42 [001] 250000 cycles:u: \n",
		"my prog 42 [001] cycles:u:\n",
		"my prog  42\n",
		"my prog 42/42 [003]\n",
		"my prog 42 [003] 100.000001: \n",
		"my prog 42 100.000001: 1 cycles:\n",
	};
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
		struct buffer text = { 0 };
		buffer_printf(&text, "%s" STACK "%s" STACK, headings[i], headings[i]);
		struct run *run = trace_run_bytes(text.data, text.length);
		assert_rows(run, "stacks", NULL, NULL, "stack,calls", "my prog;main;foo,2\n");
		assert_rows(run, "streams", NULL, NULL, "track,samples", "my prog,2\n");
		run_free(run);
		buffer_free(&text);
	}
	/* words and numbers are no samples */
	assert_refused(BYTES("total 42\n  add more (x)\n"));
	assert_refused(BYTES("my prog 42:\n  beef0123 foo\n"));
}

TEST(damage_is_read_or_refused)
{
	assert_survives(BYTES(sampled));
	assert_survives(BYTES(evented));
	assert_survives(DATA("sampled_perf.txt"));
}

TEST(refusals_say_what_to_run)
{
	static const char *const files[][2] = {
		{ "PERFILE2\x68\1\1\1", "run: perf script -i FILE" },
		{ "MOJ\3\1\1", "run: mojo2austin FILE" },
		{ "<svg version=\"1.1\">", "py-spy record -f speedscope" },
		{ "  _     ._   __/__   _ _  _  _ _/_\n /_//_/// /_\\ / //_// / //_'/ //\n",
		  "pyinstrument -r speedscope" },
		{ "{\"start_time\": 1.5, \"start_call_stack\": [], \"frame_tree\": {}}",
		  "pyinstrument -r speedscope" },
		{ "Start (ns),End (ns),Range\n1,2,f\n", "nsys export -t sqlite" },
		{ "|====|\n|      PyTorch CUDA memory summary, device ID 0      |\n",
		  "_record_memory_history" },
		{ "node name | total execution time | accelerator execution time | cpu\n",
		  "tf.profiler.experimental.start" },
		{ "====================\nTRITON KERNELS BANDWIDTH INFO (/tmp/4t/c4tz.py)\n"
		  "0.104ms    \t0.101 GB \t  969.60GB/s \t 45.64% \t triton_poi_fused_add_0\n",
		  "TORCH_TRACE=DIR" },
		{ "| NVIDIA-SMI 550.54   Driver Version: 550.54   CUDA Version: 12.4 |\n",
		  "not a profile" },
		{ "\x18\1\1\1\1\1\1\1xxxx\x09xxxxxxxx\x1a\x0d"
		  "brain.Event:2",
		  "TensorBoard" },
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct error error = { 0 };
		assert_null(trace_open_bytes(files[i][0], strlen(files[i][0]), &error));
		assert_int_equal(error.code, ERROR_INPUT);
		assert_non_null(strstr(error.message, files[i][1]));
	}
}

/* Times may have several units; the file has the one of all. */
TEST(profiles_of_a_file_have_one_unit_or_several)
{
	static const char *const units[] = { "seconds", "milliseconds", "nanoseconds" };
	for (size_t i = 0; i < 9; i++) {
		AUTO_BUFFER struct buffer text = { 0 };
		struct error error;
		const char *first = units[i / 3], *second = units[i % 3];
		buffer_puts(&text, "{" SCHEMA "," FRAMES ",\"profiles\":[");
		for (int at = 0; at < 2; at++)
			buffer_printf(&text,
				      "%s{\"type\":\"sampled\",\"name\":\"p\",\"unit\":\"%s\","
				      "\"startValue\":0,\"endValue\":5,\"samples\":[[0]],"
				      "\"weights\":[5]}",
				      at ? "," : "", at ? second : first);
		buffer_puts(&text, "]}");
		struct profile *profile = trace_open_bytes(buffer_text(&text), text.length, &error);
		assert_non_null(profile);
		assert_string_equal(profile_metadata(profile, "unit"),
				    i / 3 == i % 3 ? first : "several");
		profile_free(profile);
	}
}

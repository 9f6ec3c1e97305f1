/* Collapsed stacks and flame graphs drawn as pictures: their units, order and callers. */
#include "text_profile_case.h"

#include "model/python_stats.h"

#include <string.h>

/* What the numbers of collapsed stacks are, by who wrote them. */
TEST(units_of_collapsed_stacks)
{
	static const char spy[] = "main (a.py:3);f (b.py:9) 4\nmain (a.py:3) 1\n";
	static const char austin[] =
		"# austin: 3.6.0\n# mode: wall\n\nP1;T1;a.py:main:3;b.py:f:9 500\n";
	struct run *run;
	struct table *table = text_look(BYTES(spy), &run, "stacks", NULL);
	assert_int_equal(table_number(table, 0, "calls") + table_number(table, 1, "calls"), 5);
	assert_non_null(strstr(table->note, "counts samples"));
	assert_int_equal(run->ranks[0].profile->python->sample_unit, SAMPLE_TAKEN);
	text_done(run, table);
	/* any other writer counts, too */
	table = text_look(BYTES("main;a 10\nmain;b 4\n"), &run, "stacks", NULL);
	assert_int_equal(table_number(table, 0, "value_ns"), 10);
	assert_int_equal(table_number(table, 0, "calls"), 10);
	text_done(run, table);
	table = text_look(BYTES("# mode: wall\n\n# memory: yes\nP1;T1;main 10\n"), &run, "stacks",
			  NULL);
	assert_int_equal(run->ranks[0].profile->python->sample_unit, SAMPLE_BYTES);
	text_done(run, table);
	table = text_look(BYTES(austin), &run, "python", NULL);
	assert_int_equal(table_number(table, row_with(table, "function", "f"), "self_ns"), 500000);
	assert_int_equal(table_number(table, row_with(table, "function", "f"), "line"), 9);
	text_done(run, table);
}

/* torch.profiler writes the innermost frame last or, in newer versions, first. */
TEST(collapsed_stacks_begin_at_the_root)
{
	static const char turned[] = "<built-in_method_a>;m.py(3):_f;m.py(1):_<module> 4\n"
				     "<built-in_method_b>;m.py(4):_g;m.py(1):_<module> 1\n";
	static const char usual[] =
		"<built-in_method_exec>;m.py(1):_<module>;<built-in_method_a> 4\n"
		"<built-in_method_exec>;m.py(1):_<module>;m.py(4):_g 1\n";
	static const struct {
		const char *bytes, *stack;
	} cases[] = {
		{ turned, "m.py(1):_<module>;m.py(3):_f;<built-in_method_a>" },
		{ usual, "<built-in_method_exec>;m.py(1):_<module>;<built-in_method_a>" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run;
		struct table *table =
			text_look(cases[i].bytes, strlen(cases[i].bytes), &run, "stacks", NULL);
		struct value stack = table_cell(table, 0, "stack");
		assert_int_equal(table->rows, 2);
		assert_int_equal(stack.length, strlen(cases[i].stack));
		assert_memory_equal(stack.text, cases[i].stack, stack.length);
		text_done(run, table);
	}
}

/* A flame graph as flamegraph.pl draws it, in pixels from the bottom, and as inferno does, in
   samples from the top: a frame is called by the one around it in the row before, and keeps what
   its own callees do not cover. */
TEST(flame_graphs_as_pictures)
{
#define PICTURE                                                                                    \
	"<?xml version=\"1.0\"?>\n<svg width=\"1200\">\n<!-- Flame graph stack visualization. -->\n"
#define PIXELS(title, x, y, width)                                                                 \
	"<g ><title>" title "</title><rect x=\"" x "\" y=\"" y "\" width=\"" width                 \
	"\" height=\"15.0\" rx=\"2\" /><text x=\"1\">m..</text></g>\n"
#define SAMPLES(title, y, from, width)                                                             \
	"<g><title>" title "</title><rect x=\"1%\" y=\"" y "\" width=\"2%\" fg:x=\"" from          \
	"\" fg:w=\"" width "\"/></g>"
	static const char pixels[] = PICTURE "<title>none</title>" PIXELS(
		"all (1,000 samples, 100%)", "10.0", "100",
		"1180.0") PIXELS("main (a.py:3) (1,000 samples, 100%)", "10.0", "84", "1180.0")
		PIXELS("f&lt;int&gt; &amp;&#39;&quot; (600 samples, 60.00%)", "10.0", "68", "708.0")
			PIXELS("g (b.py:20) (300 samples, 30.00%)", "718.1", "68", "353.9")
				PIXELS("h (c.py:1) (100 samples, 10.00%)", "718.0", "52",
				       "118.1") "</svg>\n";
	static const char samples[] = PICTURE SAMPLES("all (10 bytes, 100%)", "36", "0", "10")
		SAMPLES("f (4 bytes, 40%)", "52", "6", "4")
			SAMPLES("g (6 bytes, 60%)", "52", "0", "6")
				SAMPLES("g (6 bytes, 60%)", "68", "0", "6")
					SAMPLES("h (1 bytes, 10%)", "84", "5", "1") "</svg>";
	static const char empty[] = PICTURE "</svg>";
	struct run *run;
	struct table *table = text_look(BYTES(pixels), &run, "python", NULL);
	size_t f = row_with(table, "function", "f<int> &'\"");
	size_t g = row_with(table, "function", "g"), outer = row_with(table, "function", "main");
	assert_int_equal(table->rows, 4); /* "all" is no function */
	assert_int_equal(table_number(table, f, "self_ns"), 600);
	assert_int_equal(table_number(table, g, "self_ns"), 200);
	assert_int_equal(table_number(table, g, "total_ns"), 300);
	assert_int_equal(table_number(table, g, "line"), 20);
	assert_int_equal(table_number(table, outer, "self_ns"), 100);
	text_done(run, table);
	table = text_look(BYTES(samples), &run, "stacks", NULL);
	assert_int_equal(run->ranks[0].profile->python->sample_unit, SAMPLE_BYTES);
	assert_int_equal(table->rows, 3);
	assert_int_equal(table_number(table, row_with(table, "stack", "g;g"), "value_ns"), 5);
	assert_int_equal(table_number(table, row_with(table, "stack", "g;g;h"), "value_ns"), 1);
	assert_int_equal(table_number(table, row_with(table, "stack", "f"), "value_ns"), 4);
	text_done(run, table);
	assert_refused(BYTES(empty));
#undef PICTURE
#undef PIXELS
#undef SAMPLES
}

/* Files in the callgrind format: names by number, relative lines, calls, recursion, damage. */
#include "text_profile_case.h"

#include "model/python_stats.h"

/* Names end in the place; a recursive call counts in the total of no one. */
TEST(functions_of_yappi)
{
	struct run *run = trace_run(data_text("callgrind_yappi.txt"));
	struct table *info = trace_view(run, "info", NULL, NULL);
	assert_string_equal(run->ranks[0].profile->format, "callgrind file");
	assert_rows(run, "python", NULL, NULL, "function,file,line,calls,self_ns,total_ns",
		    "main,/a/train.py,60,,1000000000,4001000000\n"
		    "Net.forward,/a/model.py,3,6,2500000000,3000000000\n"
		    "len,__builtin__,,8,501000000,501000000\n");
	assert_cell(info, row_with(info, "metric", "command"), "value", "train.py --x");
	assert_int_equal(run->ranks[0].profile->python->caller_count, 4);
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 0);
	table_free(info);
	run_free(run);
}

TEST(addresses_and_relative_lines)
{
	struct run *run = trace_run(data_text("callgrind_relative.txt"));
	assert_rows(run, "python", NULL, NULL, "function,file,line,calls,self_ns,total_ns",
		    "main,file1.c,,,20,820\nfunc1,file1.c,,1,100,400\n"
		    "func2,file2.c,20,5,700,700\n");
	assert_int_equal(damage_count(run->ranks[0].profile, "line that is no part of the format"),
			 1);
	run_free(run);
}

TEST(counts_of_instructions_are_no_times)
{
	static const char counts[] =
		"version: 1\ncreator: callgrind-3.19\nevents: Ir Dr\nfn=main\n3 100 5\n";
	static const char ticks[] = "events: Ticks\nfl=a.c\nfn=main\n3 100\n";
	static const char pickled[] = "\x80\x02"
				      "cyappi\nYFuncStats\nq\x01)\x81.";
	static const char empty[] = "events: ns\nfl=a.c\nfn=main\n";
	const struct {
		const char *text, *part;
	} cases[] = { { counts, "counts \"Ir\", not times" },
		      { ticks, "counts \"Ticks\"" },
		      { pickled, "type=\"pstat\"" },
		      { empty, "no function with a cost" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error error = { 0 };
		assert_null(trace_open_bytes(cases[i].text, strlen(cases[i].text), &error));
		assert_non_null(strstr(error.message, cases[i].part));
	}
}

TEST(damaged_files_are_read_or_refused)
{
	static const char odd[] =
		"# callgrind format\nevents: ns\n5 5\ncalls=1\nfn=(99999999999999999999)\n"
		"-9 -5\nfn=(1)\n+9223372036854775807 1\n+9223372036854775807 1\n"
		"3 1e300\ncfn=(1)\ncalls=9223372036854775807 0\n0 5\n"
		"cfn=(1)\ncalls=9223372036854775807 0\n0 5\n4 2\n";
	assert_survives(DATA("callgrind_yappi.txt"));
	assert_survives(DATA("callgrind_relative.txt"));
	struct run *run = trace_run(odd);
	assert_true(damage_count(run->ranks[0].profile, "line not a cost of a function") >= 3);
	run_free(run);
}

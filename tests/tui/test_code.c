/* From a kernel of a trace to its generated code, by a log of torch.compile beside it. */
#include "expect.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDEST = 150 };

/* Start in VIEW on a trace with Kineto's fields and the log made for it. */
static struct pty *open_compiled(const char *view)
{
	const char *folder = scratch("compiled");
	mkdir(folder, 0700);
	write_text_in(folder, "trace.json", data_text("compiled_trace.json"));
	write_text_in(folder, "dedicated_log_torch_trace_rank_0_a1b2.log",
		      data_text("torch_trace.txt"));
	struct pty *pty = run_strata(utf8, ROWS, WIDEST, "--view", view, scratch("compiled"), NULL);
	expect_text(pty, " 1/");
	pty_settle(pty);
	return pty;
}

static int remove_run(void **state)
{
	remove_folder(scratch("compiled"));
	return expectation_teardown(state);
}

static void quit(struct pty *pty)
{
	pty_send(pty, "Q");
	expect_exit(pty, 0);
}

#define COMPILED(name) TEST_AROUND(name, expectation_setup, remove_run)

static void open_three_parts(struct pty *pty)
{
	pty_send(pty, "v");
	expect_text(pty, "Generated code");
	expect_text(pty, "FX nodes");
	expect_text(pty, "model.py:13 in forward");
	expect_text(pty, "y = self.act(x) * 2");
	expect_text(pty, ">    4 ");
	expect_text(pty, ">    5 ");
	expect_text(pty, "/tmp/torchinductor_u/ab/cab.py:7");
	expect_text(pty, ">    7  triton_poi_fused_mul_relu_0 =");
}

/* Two keys: to the row of the kernel, the first, and v. */
COMPILED(kernel_leads_to_its_python_line_and_its_generated_code)
{
	struct pty *pty = open_compiled("overview");
	press(pty, "4", "[4 Kernels]");
	pty_settle(pty);
	open_three_parts(pty);
	quit(pty);
}

COMPILED(launch_and_generated_kernel_lead_there_too)
{
	struct pty *pty = open_compiled("launches");
	open_three_parts(pty);
	press(pty, "q:view generated\r", "Generated Kernels");
	pty_settle(pty);
	open_three_parts(pty);
	quit(pty);
}

COMPILED(keys_move_the_part_that_tab_goes_to)
{
	struct pty *pty = open_compiled("kernels");
	open_three_parts(pty);
	press(pty, "\t/mul\r", "no match for 'mul'");
	press(pty, "\t/mul:\r", "1 of 1 matches 'mul:'");
	press(pty, "q", "[4 Kernels]");
	quit(pty);
}

COMPILED(dashboard_of_a_log_leads_to_its_compilations)
{
	const char *path = scratch("log.txt"), *text = data_text("torch_trace.txt");
	write_whole(path, text, strlen(text));
	struct pty *pty = run_strata(utf8, ROWS, WIDEST, "--view=dashboard", path, NULL);
	expect_text(pty, "Compilation  1.43 s");
	expect_text(pty, "D Dynamo 26.3 %");
	expect_text(pty, "Recompilations  Recompile");
	expect_text(pty, "size of x changed in dimension 0");
	expect_text(pty, "Graph Breaks  Breaks");
	press(pty, "c", "[3 Compilations]");
	expect_selected(pty, "0/0         forward");
	quit(pty);
	remove(path);
}

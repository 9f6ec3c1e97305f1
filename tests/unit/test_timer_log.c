/* Timers that training runs print: of Megatron-LM, DeepSpeed, old and new, in a tree; damage. */
#include "text_profile_case.h"

static const char megatron[] =
	"time (ms) | model-setup: 900.00 | data-iterators-setup: 3300.10\n"
	" iteration        1/    1000 | elapsed time per iteration (ms): 250.0 | lm loss: 7.4E+00 |\n"
	"time (ms) | forward-compute: 50.5 | backward-compute: 150 | backward-send: 0.25 | "
	"backward-send-recv: 2.5 | optimizer: 20.5 | optimizer-clip: soon\n"
	" iteration        2/    1000 | elapsed time per iteration (ms): 240.0 | lm loss: 7.3E+00 |\n"
	"time (ms) | forward-compute: 49.5 | backward-compute: 150 | optimizer: 19.5 | "
	"optimizer-clip: 3.0\n";

static void test_timers_are_parts_of_iterations(void **state)
{
	struct run *run = trace_run(megatron);
	assert_string_equal(run->ranks[0].profile->format, "training log with timers");
	assert_rows(run, "layers", NULL, NULL, "name,depth,calls,cpu_total_ns",
		    "iteration,0,2,490000000\n"
		    "forward-compute,1,2,100000000\n"
		    "backward-compute,1,2,300000000\n"
		    "backward-send,1,1,250000\n"
		    "backward-send-recv,1,1,2500000\n"
		    "optimizer,1,2,40000000\n"
		    "optimizer-clip,2,1,3000000\n"
		    "model-setup,0,1,900000000\n"
		    "data-iterators-setup,0,1,3300100000\n");
	struct table *layers = trace_view(run, "layers", NULL, NULL);
	assert_true(table_cell(layers, 0, "avg_ns").real == 245e6);
	assert_true(ref_equal(table_ref(layers, 2), (struct ref){ REF_TOTAL, 2, NO_ROW, NO_ROW }));
	table_free(layers);
	run_free(run);
}

static const char across_ranks[] =
	"[2024-09-16 22:59:19] -  iteration=       1/  635782 | elapsed_time_per_iteration_ms=300.5 | loss=1\n"
	"INFO:timers:(min, max) time across ranks (ms):\n"
	"  forward-backward ...............................: (260.39, 261.09)\n"
	"  forward-compute ................................: (60.00, 61.00)\n"
	"  optimizer ......................................: 30.5\n"
	"[2024-09-16 22:59:19] args: 1\n";

/* The slowest rank counts; what follows the list is no timer. */
static void test_timers_across_ranks(void **state)
{
	struct run *run = trace_run(across_ranks);
	assert_rows(run, "layers", NULL, NULL, "name,depth,cpu_total_ns",
		    "iteration,0,300500000\nforward-backward,1,261090000\n"
		    "forward-compute,2,61000000\noptimizer,1,30500000\n");
	run_free(run);
}

#define PREFIX "100%|###| 1/1 [00:01<00:00][2024-06-21 10:50:42,167] [INFO] [Rank 0] "
static const char deepspeed[] = PREFIX
	"step=1, skipped=0, lr=[1.8e-08], mom=[(0.9, 0.999)]\n" PREFIX
	"time (ms) | fwd: 25.50 (experts: 8.19) | bwd: 77.00 | bwd_inner: 75.00 | step: 2.00\n";

static void test_timers_without_iterations(void **state)
{
	struct run *run = trace_run(deepspeed);
	assert_rows(run, "layers", NULL, NULL, "name,depth,cpu_total_ns",
		    "fwd,0,25500000\nbwd,0,77000000\nbwd_inner,1,75000000\nstep,0,2000000\n");
	run_free(run);
}

static void test_damaged_timers_are_read_or_refused(void **state)
{
	assert_survives(BYTES(megatron));
	assert_survives(BYTES(across_ranks));
	assert_survives(BYTES(deepspeed));
	assert_survives(BYTES("time (ms) | a: 1e999 | b: -1 | c: 9e11 | c: 9e11\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timers_are_parts_of_iterations),
		cmocka_unit_test(test_timers_across_ranks),
		cmocka_unit_test(test_timers_without_iterations),
		cmocka_unit_test(test_damaged_timers_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

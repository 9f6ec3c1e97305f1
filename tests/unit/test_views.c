/* Views over small traces, their cells compared with values counted by hand. */
#include "step_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "derived/derived.h"
#include "model/python_stats.h"

#include <stdio.h>

TEST(links_pair_forward_and_backward_calls)
{
	struct run *run = trace_run(DOCUMENT(TWO_STEPS));

	assert_rows(run, "links", NULL, NULL, "seq,forward,backward,forward_ns,backward_ns",
		    "5,aten::mm,MmBackward0,10000,20000\n6,aten::mm,MmBackward0,30000,40000\n");
	run_free(run);
}

/* The engine's wrapper has the number of its function, which is what is linked. */
TEST(functions_are_linked_not_their_wrappers)
{
	struct run *run = trace_run(DOCUMENT(FORWARD("aten::mm", "10", "20", "5") "," BACKWARD(
		"autograd::engine::evaluate_function: MmBackward0", "60", "40",
		"5") "," BACKWARD("MmBackward0", "65", "30", "5")));

	assert_rows(run, "links", NULL, NULL, "seq,forward,backward", "5,aten::mm,MmBackward0\n");
	run_free(run);
}

TEST(launches_name_their_operator_and_its_forward)
{
	struct run *run = trace_run(DOCUMENT(TWO_STEPS "," KERNEL("orphan", "390", "5", "9")));

	assert_rows(run, "launches", NULL, NULL, "name,step,operator,forward,seq,start_ns,dur_ns",
		    "gemm,1,aten::mm,,5,20000,10000\n"
		    "gemm_bw,1,MmBackward0,aten::mm,5,80000,20000\n"
		    "gemm,2,aten::mm,,6,220000,30000\n"
		    "gemm_bw,2,MmBackward0,aten::mm,6,280000,40000\n"
		    "orphan,2,,,,390000,5000\n");
	run_free(run);
}

/* Two launch calls in 20 us; their kernels are 5 us apart. */
#define GAP                                                                                        \
	EVENT("cpu_op", "aten::mm", "1", "1", "10", "20", "{}")                                    \
	"," LAUNCH("12", "1") "," LAUNCH("20", "2") "," KERNEL("a", "20", "10", "1") "," KERNEL(   \
		"b", "35", "10", "2")

TEST(operators_have_overhead_and_idle_time)
{
	struct run *run = trace_run(DOCUMENT(GAP));

	assert_rows(
		run, "operators", NULL, NULL,
		"name,gpu_avg_ns,gpu_min_ns,gpu_max_ns,overhead_total_ns,idle_total_ns,idle_max_ns",
		"aten::mm,20000,20000,20000,16000,5000,5000\n");
	run_free(run);
}

TEST(labels_are_rows_and_steps_are_not)
{
	struct run *run = trace_run(DOCUMENT(STEP("1", "0", "200") "," EVENT(
		"user_annotation", "LABEL", "1", "1", "5", "30", "{}") "," GAP));

	assert_rows(run, "operators", NULL, "label",
		    "name,calls,gpu_total_ns,gpu_self_ns,cpu_total_ns,cpu_self_ns,idle_total_ns",
		    "LABEL,1,20000,,30000,10000,5000\n");
	run_free(run);
}

/* The name of an operator leaves its calls; of a module, the calls within it. */
TEST(calls_of_a_module_are_those_within_it)
{
	struct run *run = trace_run(DOCUMENT(MODULE("Net_0", "0", "100") "," OPERATOR(
		"aten::mm", "10", "20") "," OPERATOR("aten::add", "40", "20")));
	const struct profile *profile = run->ranks[0].profile;
	struct scope scope;

	scope_init(&scope);
	scope.operator_name = profile->span_name[span_named(profile, "nn.Module: Net_0")];
	assert_rows(run, "calls", &scope, NULL, "name", "aten::mm\naten::add\n");
	scope.operator_name = profile->span_name[span_named(profile, "aten::mm")];
	assert_rows(run, "calls", &scope, NULL, "name", "aten::mm\n");
	scope_clear(&scope);
	run_free(run);
}

/* The largest of recorded totals; those without a time are no candidates. */
TEST(overview_of_totals_names_the_largest)
{
	struct run *run = trace_run("[{\"count\":2},{\"name\":\"conv\",\"timeMs\":1,"
				    "\"averageMs\":0.5,\"percentage\":25},{\"name\":\"dense\","
				    "\"timeMs\":3,\"averageMs\":1.5,\"percentage\":75}]");

	struct table *table = trace_view(run, "overview", NULL, NULL);
	size_t found = 0;
	for (size_t row = 0; row < table->rows; row++)
		if (!strcmp(table_cell(table, row, "metric").text, "most time")) {
			assert_string_equal(table_cell(table, row, "value").text, "dense");
			found++;
		}
	assert_int_equal(found, 1);
	table_free(table);
	run_free(run);
}

/* A kernel in scope leaves its launches and what encloses them. */
TEST(a_kernel_keeps_its_launching_calls)
{
	struct run *run = trace_run(DOCUMENT(TWO_STEPS));
	const struct profile *profile = run->ranks[0].profile;
	struct scope scope;

	scope_init(&scope);
	scope.kernel_name = intern_find(profile->strings, "gemm_bw", 7);
	assert_rows(run, "spans", &scope, NULL, "name,start_ns",
		    "MmBackward0,60000\ncudaLaunchKernel,70000\n"
		    "MmBackward0,260000\ncudaLaunchKernel,270000\n");
	run_free(run);
}

/* Launches of several streams are listed by their start, whatever the order of the streams. */
#define ON_STREAM(name, stream, ts, dur, correlation)                                              \
	EVENT("kernel", name, "0", stream, ts, dur,                                                \
	      "{\"device\":0,\"stream\":" stream ",\"correlation\":" correlation "}")
TEST(launches_are_listed_by_start)
{
	struct run *run = trace_run(DOCUMENT(
		ON_STREAM("d", "7", "40", "5", "1") "," ON_STREAM("f", "7", "60", "5", "2") "," ON_STREAM(
			"b", "8", "20",
			"5",
			"3") "," ON_STREAM("e", "8", "50", "5",
					   "4") "," ON_STREAM("a", "9", "10", "5",
							      "5") "," ON_STREAM("c", "9", "30",
										 "5",
										 "6") "," ON_STREAM("0",
												    "10",
												    "5",
												    "5",
												    "7")));

	assert_rows(run, "launches", NULL, NULL, "name,start_ns",
		    "0,0\na,5000\nb,15000\nc,25000\nd,35000\ne,45000\nf,55000\n");
	run_free(run);
}

/* ---- facts ---- */

static void assert_fact(const struct run *run, const char *view, const char *section,
			const char *metric, double expected)
{
	struct table *table = trace_view(run, view, NULL, NULL);
	for (size_t row = 0; row < table->rows; row++) {
		if (strcmp(table_cell(table, row, "section").text, section) != 0 ||
		    strcmp(table_cell(table, row, "metric").text, metric) != 0)
			continue;
		struct value value = table_cell(table, row, "value");
		double real = value.kind == VALUE_INT ? (double)value.integer : value.real;
		if (value.kind == VALUE_MISSING || real != expected)
			fail_msg("%s: %g instead of %g", metric, real, expected);
		table_free(table);
		return;
	}
	fail_msg("no %s in %s of %s", metric, section, view);
}

/* Means of the two steps of 200 us: kernels take 30 and 70 us. */
TEST(overview_shows_means_of_steps)
{
	struct run *run = trace_run(DOCUMENT(TWO_STEPS));

	assert_fact(run, "overview", "step time", "steps averaged", 2);
	assert_fact(run, "overview", "step time", "dur_ns", 200000);
	assert_fact(run, "overview", "step time", "kernel_ns", 50000);
	assert_fact(run, "overview", "compute", "compute_ns", 50000);
	double idle = 0;
	struct table *table = trace_view(run, "overview", NULL, NULL);
	for (size_t row = 0; row < table->rows; row++) {
		const char *metric = table_cell(table, row, "metric").text;
		size_t length = strlen(metric);
		if (strcmp(table_cell(table, row, "section").text, "idle") == 0 && length > 3 &&
		    strcmp(metric + length - 3, "_ns") == 0) {
			struct value value = table_cell(table, row, "value");
			assert_true(strncmp(metric, "idle_", 5) == 0);
			idle += value.kind == VALUE_REAL ? value.real : (double)value.integer;
		}
	}
	assert_true(idle == 150000);
	assert_fact(run, "overview", "step time", "memcpy_ns", 0);
	table_free(table);
	run_free(run);
}

/* Without steps: one from the first operator to the last. */
TEST(one_step_spans_the_operators)
{
	struct run *run = trace_run(
		DOCUMENT(EVENT("python_function", "main", "1", "1", "0", "400", "{}") "," OPERATOR(
			"aten::mm", "150", "50") "," OPERATOR("aten::add", "100",
							      "20") "," OPERATOR("aten::mul", "220",
										 "10")));

	assert_rows(run, "steps", NULL, NULL, "start_ns,dur_ns", "100000,130000\n");
	run_free(run);
}

#define ON_DEVICE(device, ts, dur, correlation)                                                    \
	EVENT("kernel", "gemm", device, "7", ts, dur,                                              \
	      "{\"device\":" device ",\"stream\":7,\"correlation\":" correlation "}")
#define ALLOCATED(type, device, ts, total)                                                         \
	"{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1," \
	"\"tid\":1,\"ts\":" ts ",\"args\":{\"Device Type\":" type ",\"Device Id\":" device         \
	",\"Bytes\":64,\"Addr\":4096,\"Total Allocated\":" total "}}"

TEST(peaks_of_memory_are_of_their_device)
{
	struct run *run = trace_run(DOCUMENT(
		ON_DEVICE("0", "0", "10", "1") "," ON_DEVICE("1", "20", "10", "2") "," ALLOCATED("1", "0", "1", "100") "," ALLOCATED(
			"1", "1", "2",
			"700") "," ALLOCATED("1", "0", "3",
					     "300") "," ALLOCATED("0", "-1", "4",
								  "9000") "," ALLOCATED("1", "1",
											"5",
											"500")));

	assert_fact(run, "overview", "device 0", "peak_memory_bytes", 300);
	assert_fact(run, "overview", "device 1", "peak_memory_bytes", 700);
	run_free(run);
}

TEST(info_dates_the_capture)
{
	struct run *run =
		trace_run("{\"baseTimeNanoseconds\":1700000000000000000,\"traceEvents\":[" OPERATOR(
			"aten::mm", "0", "1") "]}");
	struct run *undated = trace_run(DOCUMENT(OPERATOR("aten::mm", "0", "1")));
	struct table *info = trace_view(run, "info", NULL, NULL),
		     *other = trace_view(undated, "info", NULL, NULL);
	size_t found = 0;

	for (size_t row = 0; row < info->rows; row++)
		if (strcmp(table_cell(info, row, "metric").text, "began") == 0) {
			assert_string_equal(table_cell(info, row, "value").text,
					    "2023-11-14 22:13:20 UTC");
			found++;
		}
	assert_int_equal(found, 1);
	for (size_t row = 0; row < other->rows; row++)
		assert_string_not_equal(table_cell(other, row, "metric").text, "began");
	table_free(info);
	table_free(other);
	run_free(undated);
	run_free(run);
}

/* A segment of the path leads to the launch or the call that it is. */
TEST(segments_lead_to_their_events)
{
	struct run *run =
		trace_run(DOCUMENT(OPERATOR("aten::mm", "0", "20") "," LAUNCH("5", "1") "," KERNEL(
			"gemm", "30", "50", "1") "," LAUNCH("8", "2") "," KERNEL("gemm", "80", "50",
										 "2")));
	struct table *path = trace_view(run, "critical-path", NULL, NULL);
	size_t calls = 0, launches = 0;

	for (size_t row = 0; row < path->rows; row++) {
		struct ref ref = table_ref(path, row);
		calls += ref.kind == REF_CALL;
		launches += ref.kind == REF_LAUNCH;
		if (ref.kind == REF_LAUNCH)
			assert_int_equal(table_number(path, row, "dur_ns"), 50000);
	}
	assert_true(calls > 0);
	assert_int_equal(launches, 2);
	table_free(path);
	run_free(run);
}

/* Zeros of the device are left out where there is none. */
TEST(host_runs_show_no_device_time)
{
	struct run *run =
		trace_run(DOCUMENT(STEP("1", "0", "100") "," OPERATOR("aten::mm", "10", "50")));
	struct table *table = trace_view(run, "overview", NULL, NULL);

	assert_fact(run, "overview", "step time", "cpu_exec_ns", 50000);
	for (size_t row = 0; row < table->rows; row++)
		assert_string_not_equal(table_cell(table, row, "metric").text, "memcpy_ns");
	table_free(table);
	run_free(run);
}

/* Digits end the name of a backward function, nothing else does. */
TEST(backward_functions_are_told_by_their_names)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("AddBackward0", "0", "5") "," OPERATOR(
		"AddBackward", "10",
		"5") "," OPERATOR("AddBackward-", "20",
				  "5") "," OPERATOR("AddBackward12", "30",
						    "5") "," OPERATOR("AddBackward:", "40", "5")));

	assert_rows(run, "calls", NULL, NULL, "name,pass",
		    "AddBackward0,bwd\nAddBackward,bwd\nAddBackward-,fwd\n"
		    "AddBackward12,bwd\nAddBackward:,fwd\n");
	run_free(run);
}

/* Work launched before the capture is counted up to the first linked kernel, over all streams. */
TEST(the_head_counts_work_queued_before_the_capture)
{
	struct run *run = trace_run(DOCUMENT(
		KERNEL("a", "0", "10", "91") "," KERNEL("b", "20", "10", "92") "," ON_STREAM("c", "8", "40", "10", "93") "," OPERATOR(
			"aten::mm", "55",
			"20") "," LAUNCH("57",
					 "1") "," KERNEL("gemm", "80", "10",
							 "1") "," ON_STREAM("d", "8", "100", "10",
									    "94") "," ON_STREAM("e",
												"9",
												"45",
												"10",
												"95")));
	struct table *info = trace_view(run, "info", NULL, NULL);
	size_t found = 0;

	for (size_t row = 0; row < info->rows; row++)
		if (strcmp(table_cell(info, row, "metric").text, "head") == 0) {
			assert_string_equal(table_cell(info, row, "value").text,
					    "4 GPU events queued before the capture");
			found++;
		}
	assert_int_equal(found, 1);
	table_free(info);
	run_free(run);
}

/* In two gaps of 90 us a thread waits for 80, mostly in one call and then mostly in the other; it
 * launches in both. */
TEST(gaps_by_the_call_that_owns_them)
{
#define CALL(name, ts, dur) EVENT("cuda_runtime", name, "1", "1", ts, dur, "{}")
	struct run *run = trace_run(DOCUMENT(
		LAUNCH("0", "1") "," KERNEL("gemm", "10", "50", "1") "," CALL("cudaStreamSynchronize", "60", "20") "," CALL(
			"cudaDeviceSynchronize", "80",
			"60") "," LAUNCH("140",
					 "2") "," KERNEL("gemm", "150", "50",
							 "2") "," CALL("cudaStreamSynchronize",
								       "200",
								       "50") "," CALL("cudaDeviceSynchronize",
										      "250",
										      "30") "," LAUNCH("280",
												       "3") "," KERNEL("gemm",
														       "290",
														       "50",
														       "3")));

	assert_rows(
		run, "gaps", NULL, "work", "cpu_work,cause,dur_ns,calls",
		"cudaStreamSynchronize,sync,80000,1\ncudaDeviceSynchronize,sync,80000,1\ncudaLaunchKernel,launch,20000,2\n");
	run_free(run);
}

static void assert_note(const struct run *run, const char *view, const char *group,
			const char *words)
{
	struct table *table = trace_view(run, view, NULL, group);
	assert_int_equal(table->rows, 0);
	assert_non_null(table->note);
	if (!strstr(table->note, words))
		fail_msg("%s", table->note);
	table_free(table);
}

TEST(notes_say_how_to_record_python)
{
	struct run *run = trace_run(DOCUMENT(TWO_STEPS));

	assert_note(run, "python", "line", "Lines are recorded by line_profiler");
	assert_note(run, "python", "caller", "Callers are recorded by cProfile");
	assert_note(run, "python", "function", "No Python calls here.");
	assert_note(run, "python", NULL, "No Python calls here.");
	run_free(run);
}

/* Python frames around a call, innermost first, are its stack if it has none of its own. */
TEST(operators_are_grouped_by_enclosing_frames)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("python_function", "main", "1", "1", "0", "100", "{}") "," MODULE("Net_0", "10", "80") "," EVENT(
			"user_annotation", "range", "1",
			"1", "12", "70",
			"{}") "," EVENT("python_function", "f", "1", "1", "20", "30",
					"{}") "," OPERATOR("aten::mm", "22",
							   "10") "," OPERATOR("aten::mm", "60",
									      "20") "," OPERATOR("aten::mm",
												 "110",
												 "30")));

	assert_rows(run, "operators", NULL, "stack", "name,stack,calls,cpu_total_ns",
		    "aten::mm,f;nn.Module: Net_0;main,1,10000\n"
		    "aten::mm,nn.Module: Net_0;main,1,20000\n"
		    "aten::mm,,1,30000\n");
	run_free(run);
}

/* ---- details ---- */

static char *detail_of(const struct run *run, struct ref ref)
{
	struct buffer out = { 0 };
	struct scope scope;
	scope_init(&scope);
	view_detail(run, &scope, ref, &out);
	return out.data;
}

/* As Python stacks: from the innermost frame on. */
TEST(recorded_stack_is_joined_by_arrows)
{
	struct run *run =
		trace_run(DOCUMENT(EVENT("cpu_op", "aten::mm", "1", "1", "0", "9",
					 "{\"Call stack\":\"b.py(2): f;a.py(1): <module>;\"}")));
	char *text = detail_of(run, (struct ref){ .kind = REF_CALL });
	assert_non_null(strstr(text, "Stack\tb.py(2): f < a.py(1): <module>\n"));
	mem_free(text);
	run_free(run);
}

TEST(details_of_functions_have_their_line)
{
	struct run *run = trace_run(
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		"\"shared\":{\"frames\":[{\"name\":\"f\",\"file\":\"a.py\",\"line\":3},"
		"{\"name\":\"g\",\"file\":\"b.so\"}]},\"profiles\":[{\"type\":\"sampled\","
		"\"name\":\"main\",\"unit\":\"seconds\",\"samples\":[[0,1]],"
		"\"weights\":[0.1]}]}");
	const struct python_stats *stats = run->ranks[0].profile->python;
	struct scope scope;

	scope_init(&scope);
	assert_int_equal(stats->function_count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		bool known = stats->functions[i].line != NO_VALUE;
		char *text = detail_of(run, (struct ref){ REF_FUNCTION, i, 0, 0 });
		assert_int_equal(strstr(text, "Line\t") != NULL, known);
		assert_int_equal(strstr(text, "Line\t3\n") != NULL, known);
		mem_free(text);
	}
	assert_true(stats->functions[0].line != stats->functions[1].line);
	run_free(run);
}

/* The place where events are missing is given where it is one. */
TEST(info_says_where_damage_is)
{
	static const char text[] = "{\"schemaVersion\":1,\"traceEvents\":[" OPERATOR(
		"aten::mm", "0", "10") "," EVENT("kernel", "gemm", "0", "7", "2", "5",
						 "{\"device\":0,\"stream\":7,\"correlation\":1,"
						 "\"est. achieved occupancy %\":1000}") ",{\"ph\"";
	struct run *run = trace_run(text);
	char place[64];
	struct table *info = trace_view(run, "info", NULL, NULL);
	size_t found = 0;

	snprintf(place, sizeof place, "once, skipped, at byte %zu",
		 sizeof text - 1 - strlen("{\"ph\""));
	for (size_t row = 0; row < info->rows; row++) {
		const char *value = table_cell(info, row, "value").text;
		if (strcmp(table_cell(info, row, "section").text, "damage") != 0)
			continue;
		found++;
		if (strncmp(table_cell(info, row, "metric").text, "truncated", 9) == 0)
			assert_string_equal(value, place);
		else
			assert_string_equal(value, "once, treated as missing");
	}
	assert_int_equal(found, 2);
	table_free(info);
	run_free(run);
}

TEST(details_of_a_copy_and_its_operator)
{
	struct run *run = trace_run(DOCUMENT(FORWARD("aten::copy_", "10", "20", "4") "," EVENT(
		"cuda_runtime", "cudaMemcpyAsync", "1", "1", "12", "3",
		"{\"correlation\":1}") "," EVENT("gpu_memcpy", "Memcpy HtoD", "0", "7", "20", "10",
						 "{\"device\":0,\"stream\":7,\"correlation\":1,\"bytes\":2048}")));
	char *copy = detail_of(run, (struct ref){ REF_LAUNCH, 0, 0, 0 });
	char *call = detail_of(
		run,
		(struct ref){ REF_CALL, span_named(run->ranks[0].profile, "aten::copy_"), 0, 0 });

	assert_non_null(strstr(copy, "Bytes\t2.00 KiB\n"));
	assert_non_null(strstr(copy, "Operator\taten::copy_\n"));
	assert_non_null(strstr(call, "Seq\t4\n"));
	mem_free(call);
	mem_free(copy);
	run_free(run);
}

/* Of host calls and of kernels, as in operators and kernels. */
TEST(layers_have_durations_of_their_calls)
{
	static const char columns[] = "name,calls,avg_ns,min_ns,max_ns,stddev_ns";
	struct run *run = trace_run(DOCUMENT(
		MODULE("Net_0", "0", "100") "," OPERATOR("aten::mm", "10", "10") "," LAUNCH(
			"12",
			"1") "," OPERATOR("aten::mm", "30",
					  "16") "," LAUNCH("32",
							   "2") "," KERNEL("gemm", "20", "3",
									   "1") "," KERNEL("gemm",
											   "40",
											   "11",
											   "2")));

	assert_rows(run, "layers", NULL, NULL, columns,
		    "run,1,,,,\nNet_0,1,100000,100000,100000,\n"
		    "aten::mm,2,13000,10000,16000,4242.64\n"
		    "gemm,2,7000,3000,11000,5656.85\n");
	assert_rows(run, "operators", NULL, NULL, columns,
		    "aten::mm,2,13000,10000,16000,4242.64\n");
	run_free(run);
}

/* A reader may leave columns without rows where others begin. */
TEST(steps_of_kernels_alone_have_their_time)
{
	struct run *run = trace_run(
		DOCUMENT(KERNEL("gemm", "10", "3", "1") "," KERNEL("gemm", "20", "5", "2")));
	struct profile *profile = (struct profile *)run->ranks[0].profile;
	int64_t *starts = profile->span_start;

	profile->span_start = profile->activity_start;
	assert_rows(run, "steps", NULL, NULL, "dur_ns,kernel_ns,other_ns", "15000,8000,7000\n");
	profile->span_start = starts;
	run_free(run);
}

/* With all their kernels in the sums, whatever kernel they are of. */
TEST(kernels_are_grouped_by_family)
{
	struct run *run = trace_run(DOCUMENT(KERNEL("sgemm_nn", "10", "3", "1") "," KERNEL(
		"sgemm_nt", "20", "7", "2") "," KERNEL("sgemm_nn", "30", "11",
						       "3") "," KERNEL("ncclDevKernel_AllReduce",
								       "50", "2", "4")));

	assert_rows(run, "kernels", NULL, "family",
		    "depth,name,family,calls,total_ns,avg_ns,min_ns,max_ns,stddev_ns,share_pct",
		    "0,GEMM,GEMM,3,21000,7000,3000,11000,4000,91.3043\n"
		    "1,sgemm_nn,GEMM,2,14000,7000,3000,11000,5656.85,\n"
		    "1,sgemm_nt,GEMM,1,7000,7000,7000,7000,,\n"
		    "0,communication,communication,1,2000,2000,2000,2000,,8.69565\n"
		    "1,ncclDevKernel_AllReduce,communication,1,2000,2000,2000,2000,,\n");
	run_free(run);
}

/*
 * A module is called twice; its operator and the backward call of it have kernels of 10, 20, 30 and
 * 40 us: 30 us belong to the first call and 70 us to the second.
 */
TEST(layers_have_gpu_time_of_their_calls)
{
	static const char columns[] = "name,calls,gpu_total_ns,gpu_avg_ns,gpu_min_ns,gpu_max_ns";
	struct run *run = trace_run(DOCUMENT(
		TWO_STEPS "," MODULE("Net_0", "5", "30") "," MODULE("Net_0", "205", "30")));

	assert_rows(run, "layers", NULL, NULL, columns,
		    "run,1,100000,,,\nNet_0,2,100000,50000,30000,70000\n"
		    "aten::mm,2,40000,20000,10000,30000\ngemm,2,40000,20000,10000,30000\n"
		    "MmBackward0,2,60000,30000,20000,40000\ngemm_bw,2,60000,30000,20000,40000\n");
	assert_rows(run, "layers", NULL, "passes", columns,
		    "run,1,100000,,,\nforward,0,40000,,,\nNet_0,2,40000,20000,10000,30000\n"
		    "aten::mm,2,40000,20000,10000,30000\ngemm,2,40000,20000,10000,30000\n"
		    "backward,0,60000,,,\nNet_0,0,60000,,,\n"
		    "MmBackward0,2,60000,30000,20000,40000\ngemm_bw,2,60000,30000,20000,40000\n");
	assert_rows(run, "modules", NULL, NULL,
		    "name,calls,gpu_total_ns,gpu_avg_ns,gpu_min_ns,gpu_max_ns,avg_ns,stddev_ns",
		    "Net_0,2,40000,20000,10000,30000,30000,0\n");
	assert_rows(run, "operators", NULL, NULL, columns,
		    "aten::mm,2,40000,20000,10000,30000\n"
		    "MmBackward0,2,60000,30000,20000,40000\n");
	run_free(run);
}

/* Only what is in scope: the backward call of step 1 without its forward call's launch. */
TEST(gpu_time_of_calls_follows_the_scope)
{
	struct run *run = trace_run(DOCUMENT(
		TWO_STEPS "," MODULE("Net_0", "5", "30") "," MODULE("Net_0", "205", "30")));
	struct scope scope;

	scope_init(&scope);
	assert_true(scope_set(&scope, "steps", "2", NULL));
	assert_rows(run, "layers", &scope, NULL, "name,calls,gpu_avg_ns,gpu_min_ns,gpu_max_ns",
		    "run,1,,,\nNet_0,1,70000,70000,70000\naten::mm,1,30000,30000,30000\n"
		    "gemm,1,30000,30000,30000\nMmBackward0,1,40000,40000,40000\n"
		    "gemm_bw,1,40000,40000,40000\n");
	scope_clear(&scope);
	run_free(run);
}

/* A call that launched nothing took 0; nothing is known where no GPU work is recorded. */
TEST(gpu_time_of_calls_is_blank_without_a_gpu)
{
	static const char columns[] = "name,gpu_avg_ns,gpu_min_ns,gpu_max_ns";
	struct run *host = trace_run(DOCUMENT(OPERATOR("aten::mm", "10", "20")));
	struct run *run = trace_run(DOCUMENT(OPERATOR("aten::mm", "10", "20") "," OPERATOR(
		"aten::mm", "40", "20") "," LAUNCH("42", "1") "," KERNEL("gemm", "50", "8", "1")));

	assert_rows(host, "operators", NULL, NULL, columns, "aten::mm,,,\n");
	assert_rows(host, "operators", NULL, NULL, "name,idle_total_ns,idle_avg_ns",
		    "aten::mm,,\n");
	assert_rows(host, "layers", NULL, NULL, columns, "run,,,\naten::mm,,,\n");
	assert_rows(run, "operators", NULL, NULL, columns, "aten::mm,4000,0,8000\n");
	assert_rows(run, "layers", NULL, NULL, columns,
		    "run,,,\naten::mm,4000,0,8000\ngemm,8000,8000,8000\n");
	run_free(host);
	run_free(run);
}

/* Whatever their order in the file. */
TEST(devices_are_listed_by_number)
{
	struct run *run = trace_run(
		"{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":7,\"name\":\"a\"},"
		"{\"id\":0,\"name\":\"b\"},{\"id\":1,\"name\":\"c\"}],\"traceEvents\":[" OPERATOR(
			"aten::mm", "0", "9") "]}");
	struct table *info = trace_view(run, "info", NULL, NULL);
	size_t row = row_with(info, "value", "b");

	assert_cell(info, row, "section", "device 0");
	assert_true(row < row_with(info, "value", "c"));
	assert_true(row_with(info, "value", "c") < row_with(info, "value", "a"));
	table_free(info);
	run_free(run);
}

/* Detectors at the limits of their conditions: just enough, and just too little. */
#include "advice_case.h"

#include "base/buffer.h"
#include "base/mem.h"

static void check(const char *trace, const char *detector, const char *answer, const char *evidence)
{
	struct run *run = trace_run(trace);
	assert_answer(run, NULL, detector, answer, evidence);
	run_free(run);
}

#define TWO_DEVICES DEVICE("0") "," DEVICE("1")
#define OF_WORLD(size)                                                                             \
	"{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":0,\"world_size\":" size                \
	"},\"deviceProperties\":[" TWO_DEVICES                                                     \
	"],\"traceEvents\":[" STEP("1", "0", "1000") "," WORK("gemm", "0", "500", "1", "") "]}"

/* Of several processes, each has its own devices. */
TEST(unused_devices_are_those_of_a_single_process)
{
	check(OF_WORLD("1"), "unused_devices", "fires", "1 of 2 GPUs");
	check(OF_WORLD("2"), "unused_devices", "silent", "One of 2 processes");
	check(MACHINE(TWO_DEVICES, STEP("1", "0", "1000") "," WORK("gemm", "0", "500", "1", "")),
	      "unused_devices", "fires", "1 of 2 GPUs");
	check(MACHINE(DEVICE("0"), STEP("1", "0", "1000") "," WORK("gemm", "0", "500", "1", "")),
	      "unused_devices", "silent", "1 of 1 GPUs");
	check(DOCUMENT(WORK("gemm", "0", "500", "1", "")), "unused_devices", "unknown", NULL);
	check(MACHINE(TWO_DEVICES, STEP("1", "0", "1000") "," WORK("gemm", "0", "500", "1",
								   "") "," LAUNCH("600", "77")),
	      "unused_devices", "unknown", "Not all work that was launched");
	check(MACHINE(TWO_DEVICES, STEP("1", "0", "1000") "," WORK("ncclDevKernel_AllReduce", "0",
								   "500", "1", "")),
	      "unused_devices", "unknown", "number of processes");
}

/* What is missing to compare GPU events with their launch calls. */
TEST(launch_calls_that_were_not_recorded)
{
	check(DOCUMENT(OPERATOR("aten::mm", "0", "9")), "clock", "unknown", "No GPU events were");
	check(DEVICE_ONLY, "clock", "unknown", "No launch calls were");
	check(DOCUMENT(LAUNCH("0", "2") "," KERNEL("gemm", "20", "5", "1")), "clock", "unknown",
	      "No GPU event is linked");
	check(DOCUMENT(LAUNCH("0", "1") "," KERNEL("gemm", "20", "5", "1")), "clock", "silent",
	      "None of 1");
	check(DOCUMENT(LAUNCH("30", "1") "," KERNEL("gemm", "20", "5", "1")), "clock", "fires",
	      "1 of 1 GPU events");
	check("{'kShortName': 'gemm', 'kDuration': 5, 'layer': [], 'trace': [], 'reprMarkers': [],"
	      " 'marker': [], 'seqMarker': [], 'seqId': [], 'subSeqId': 0, 'altSeqId': [],"
	      " 'dir': 'fprop', 'mod': [], 'op': [], 'tid': 1, 'device': 0, 'stream': 7,"
	      " 'grid': [1, 1, 1], 'block': [1, 1, 1], 'kLongName': 'gemm', 'rStartTime': 1}\n",
	      "clock", "unknown", "without a timeline");
}

/* COUNT pairs of a launch call of LAUNCH us and its kernel of KERNEL us, a pair each 100 us. */
static void add_pairs(struct buffer *text, int first, int count, int launch, int kernel)
{
	for (int i = first; i < first + count; i++)
		buffer_printf(
			text,
			",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d}}"
			",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"add\",\"pid\":0,\"tid\":7,"
			"\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}}",
			100 * i, launch, i + 1, 100 * i + launch, kernel, i + 1);
}

static void check_pairs(int small, int large, const char *evidence)
{
	struct buffer text = { 0 };
	buffer_puts(&text, "{\"schemaVersion\":1,\"traceEvents\":[" STEP("1", "0", "20000"));
	add_pairs(&text, 0, small, 30, 5);
	add_pairs(&text, small, large, 30, 10);
	buffer_puts(&text, "]}");
	check(buffer_text(&text), "launch_bound", "fires", evidence);
	buffer_free(&text);
}

/* If most kernels are short. */
TEST(launch_bound_names_short_kernels)
{
	check_pairs(60, 59, "119 launches, 50.4 % of the kernels are shorter than 10 us");
	check_pairs(60, 60, "at 100.0 % of 120 launches.");
}

/* Calls that capture a graph, with ten launches for each kernel that ran. */
TEST(a_captured_graph_is_told_from_launched_work)
{
	static const char *const categories[] = { "cuda_runtime", "cpu_op" };
	for (int i = 0; i < 2; i++) {
		struct buffer text = { 0 };
		buffer_printf(
			&text,
			"{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"%s\",\"name\":"
			"\"cudaStreamBeginCapture\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1,\"args\":{}}",
			categories[i]);
		for (int launch = 0; launch < 20; launch++)
			buffer_printf(
				&text,
				",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
				"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}}",
				2 + 2 * launch, launch + 1);
		buffer_puts(&text, "," KERNEL("gemm", "100", "500", "1") "]}");
		check(buffer_text(&text), "graph_capture", i == 0 ? "fires" : "silent",
		      i == 0 ? "20 launch calls did not execute" : NULL);
		buffer_free(&text);
	}
}

/* Another kernel's work would hide in the idle time of a part. */
TEST(unused_memory_needs_all_work)
{
	struct run *run = trace_run(HEALTHY);
	struct scope scope;
	scope_init(&scope);
	scope.kernel_name = activity_named(run->ranks[0].profile, "ampere_fp16_s16816gemm");
	scope.kernel_name = run->ranks[0].profile->activity_name[scope.kernel_name];
	assert_answer(run, NULL, "unused_memory", "silent", "Memory peaks at 60.0 %");
	assert_answer(run, &scope, "unused_memory", "unknown", NULL);
	scope_clear(&scope);
	run_free(run);
}

/* Time in libraries is that of the user's function around them. */
TEST(library_time_is_that_of_the_callers_code)
{
	check(DOCUMENT(PYTHON("train.py(5): step", "0",
			      "1000") "," PYTHON("torch/nn/functional.py(9): relu", "100", "800")),
	      "hot_spot", "fires",
	      "1.00 ms of 1.00 ms CPU self time (100.0 %) is in train.py(5): step");
}

/* Launch calls of a millisecond and more, while the device works, are waiting for the queue. */
TEST(a_full_queue_holds_launch_calls_up)
{
	const char *evidence = "1 launch call of 1 ms or more, 1.00 ms in all, while the GPU works";
#define QUEUE(category, dur)                                                                       \
	DOCUMENT(STEP("1", "0", "10000") "," LAUNCH("10", "1") "," KERNEL(                         \
		"gemm", "20", "9900",                                                              \
		"1") "," EVENT(category, "cudaLaunchKernel", "1", "1", "1000", dur,                \
			       "{\"correlation\":2}") "," EVENT("cuda_runtime",                    \
								"cudaLaunchKernel", "1", "1",      \
								"4000", "900",                     \
								"{\"correlation\":3}"))
	check(QUEUE("cuda_runtime", "1000"), "queue_full", "fires", evidence);
	check(QUEUE("cuda_runtime", "999"), "queue_full", "silent", "0 launch calls");
	check(QUEUE("python_function", "1000"), "queue_full", "silent", "0 launch calls");
	/* a call may wait for its own kernel, if it is not known which that is */
#define UNLINKED_QUEUE                                                                             \
	DOCUMENT(STEP("1", "0", "10000") "," EVENT(                                                \
		"cuda_runtime", "cudaLaunchKernel", "1", "1", "1000", "4000",                      \
		"{\"correlation\":2}") "," KERNEL("gemm", "20", "9900", "1"))
	check(UNLINKED_QUEUE, "queue_full", "unknown", "No GPU event is linked");
	check(UNLINKED_QUEUE, "blocking_launches", "unknown", "No GPU event is linked");
}

#define DDP(more)                                                                                  \
	MACHINE(DEVICE("0"), STEP("1", "0", "1000") "," OPERATOR(                                  \
				     "DistributedDataParallel.forward", "0",                       \
				     "300") "," WORK("gemm", "0", "500", "1", "") more)

TEST(distributed_runs_use_nccl)
{
	check(DDP(""), "backend", "fires", NULL);
	check(DDP("," OPERATOR("nccl:all_reduce", "600", "50")), "backend", "silent",
	      "NCCL operations were recorded.");
	check(DOCUMENT(WORK("gemm", "0", "500", "1", "")), "backend", "silent",
	      "DistributedDataParallel is not used.");
}

/*
 * Twelve gaps between kernels, of LEAST us, LEAST + MORE us and so on, but the one AT is LONG us:
 * what the check for a cold start says.
 */
static void check_long_gap(int at, int longest, int least, int more, const char *answer,
			   const char *evidence)
{
	struct buffer text = { 0 };
	int time = 100;
	buffer_printf(&text,
		      "{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\","
		      "\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":%d,\"args\":{}}",
		      longest + 2900);
	for (int i = 0; i < 13; i++) {
		time += i == at ? longest : least + i * more;
		buffer_printf(
			&text,
			",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}}"
			",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
			"\"ts\":%d,\"dur\":50,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}}",
			time - 2, i + 1, time, i + 1);
		time += 50;
	}
	buffer_puts(&text, "]}");
	check(buffer_text(&text), "capture_startup", answer, evidence);
	buffer_free(&text);
}

/* Wherever it is, a gap of 20 ms that happens once. */
TEST(a_single_long_gap_is_a_cold_start)
{
	for (int at = 1; at < 12; at++)
		check_long_gap(at, 20000, 2, 0, "fires", "20.00 ms");
}

/* More than a hundred times the median: of gaps of 103 us, 106 us … 133 us and it, 121 us.
 */
TEST(a_cold_start_is_long_compared_with_the_median)
{
	check_long_gap(12, 12101, 100, 3, "fires", "12.10 ms");
	check_long_gap(12, 12099, 100, 3, "silent", NULL);
}

/* A kernel of DUR after AT of 100,000 us, which begin with a call of FIRST: what is examined if
 * that is less than half. */
static void check_rest(int first, int at, int dur, const char *answer, const char *evidence)
{
	struct buffer text = { 0 };
	buffer_printf(
		&text,
		"{\"schemaVersion\":1,\"traceEvents\":[" OPERATOR("aten::empty", "0", "%d") "," OPERATOR(
			"aten::mm", "99990",
			"10") ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
			      "\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":1}},{\"ph\":\"X\","
			      "\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d,"
			      "\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}}]}",
		first, at, at, dur);
	check(buffer_text(&text), "capture_startup", answer, evidence);
	buffer_free(&text);
}

/* The findings are of the GPU work; where that is the smaller part, they begin with it. */
TEST(a_small_part_of_the_capture_leads)
{
	check_rest(6900, 70000, 10000, "fires",
		   "of 10.00 ms of the 100.00 ms capture (10.0 %): 70.00 ms pass before the first "
		   "GPU work, 20.00 ms after the last");
	check_rest(
		7100, 70000, 10000, "fires",
		"70.00 ms pass before the first GPU work, 7.10 ms of that in aten::empty, 20.00 ms");
	check_rest(10, 40000, 49000, "fires", "49.00 ms of the 100.00 ms");
	check_rest(10, 40000, 51000, "silent", NULL);
}

/* COUNT kernels of 20 us, one each 100 us, whose first launch takes LOAD us more, and those of a
 * second name. */
static void check_loads(bool before, int load, int others, const char *detector, const char *answer,
			const char *evidence)
{
	struct buffer text = { 0 };
	int time = 10;
	buffer_printf(
		&text, "{\"schemaVersion\":1,\"traceEvents\":[%s",
		before ? EVENT("user_annotation", "imports", "1", "1", "-9000", "8000", "{}") ","
		       : "");
	buffer_puts(&text, OPERATOR("aten::mm", "0", "9"));
	for (int i = 0; i < 12; i++) {
		int call = 5 + (i == 3 ? load : i == 6 ? others : 0);
		buffer_printf(
			&text,
			",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d}}"
			",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,"
			"\"ts\":%d,\"dur\":20,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}}",
			time, call, i + 1, i < 3 ? "add" : "gemm", time + call, i + 1);
		time += call + 20;
	}
	buffer_puts(&text, "]}");
	check(buffer_text(&text), detector, answer, evidence);
	buffer_free(&text);
}

/* The first launch of a kernel loads it, however short; a later one of the same length does not. */
TEST(a_first_launch_loads_its_kernel)
{
	check_loads(false, 200, 0, "capture_startup", "fires", "1 one-off gap: 205.00 us");
	check_loads(false, 0, 200, "capture_startup", "silent", NULL);
	check_loads(false, 40, 0, "capture_startup", "silent", NULL); /* 9 times the others */
	check_loads(false, 200, 200, "capture_startup", "fires", "205.00 us in cudaLaunchKernel");
	check_loads(false, 200, 0, "capture_head", "silent", NULL);
	/* a start-up beside which it is short is said in its place */
	check_loads(true, 200, 0, "capture_startup", "fires",
		    "9.02 ms pass before the first GPU work");
}

/* Pages of unified memory that the driver moves are no copies that a program could join. */
TEST(migrations_are_no_small_copies)
{
	static const char *const names[] = { "Memcpy HtoD (Pinned -> Device)",
					     "Memcpy UVM HtoD (Unknown -> Unknown)" };
	for (int i = 0; i < 2; i++) {
		struct buffer text = { 0 };
		buffer_puts(&text, "{\"schemaVersion\":1,\"traceEvents\":[" LAUNCH(
					   "0", "1") "," KERNEL("gemm", "10", "10", "1"));
		for (int copy = 0; copy < 40; copy++)
			buffer_printf(
				&text,
				",{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"%s\",\"pid\":0,"
				"\"tid\":7,\"ts\":%d,\"dur\":10,\"args\":{\"device\":0,\"stream\":7,"
				"\"bytes\":4096}}",
				names[i], 40 + copy * 40);
		buffer_puts(&text, "]}");
		check(buffer_text(&text), "small_copies", i ? "silent" : "fires", NULL);
		check(buffer_text(&text), "launch_bound", i ? "silent" : "fires", NULL);
		buffer_free(&text);
	}
}

/* A GPU that is listed but not used is no reason for silence, nor for idle time of it. */
TEST(a_listed_gpu_hides_no_hot_spot)
{
	const char *cpu = MACHINE(DEVICE("0"),
				  OPERATOR("aten::conv2d", "0", "900") "," EVENT(
					  "overhead", "CUPTI flush", "1", "1", "950", "50", "{}"));
	check(cpu, "hot_spot", "fires", "in aten::conv2d");
	check(cpu, "profiler_overhead", "unknown", "No GPU events");
	check(cpu, "no_device_work", "silent", NULL);
	check(MACHINE(DEVICE("0"), OPERATOR("aten::mm", "0", "900") "," LAUNCH("9", "1")),
	      "hot_spot", "silent", "GPU work was launched");
	check(MACHINE(DEVICE("0"), OPERATOR("aten::normal_", "0", "900") "," OPERATOR(
					   "aten::mm", "900", "50") "," LAUNCH("920", "1")),
	      "hot_spot", "fires", "in aten::normal_; it calls nothing of the GPU's interface");
	check(MACHINE(DEVICE("0"), OPERATOR("aten::view", "0", "90") "," OPERATOR(
					   "aten::mm", "90", "50") "," LAUNCH("100", "1")),
	      "hot_spot", "silent", "GPU work was launched");
}

/* A range around the whole recording is no hot spot, as of a profile of memory over time. */
TEST(a_range_around_all_is_no_hot_spot)
{
#define RANGE(name, start, dur) EVENT("user_annotation", name, "1", "1", start, dur, "{}")
	check(DOCUMENT(RANGE("run.py", "0", "900")), "hot_spot", "unknown", "No operators");
	check(DOCUMENT(RANGE("run.py", "0", "900") "," RANGE("load", "100", "700")), "hot_spot",
	      "fires", "is in load");
#undef RANGE
}

/* A call unlike the others of its name is the problem, also where GPU work was not recorded. */
TEST(a_slow_first_call_is_no_hot_spot)
{
#define CALLS(name, other, first)                                                                  \
	DOCUMENT(OPERATOR(name, "0", first) "," OPERATOR(name, "20000", "400") "," OPERATOR(       \
		name, "21000", "300") "," OPERATOR(other, "22000", "20"))
	check(CALLS("aten::conv2d", "aten::relu", "9000"), "hot_spot", "fires",
	      "is in the first of 3 calls of aten::conv2d; the next longest takes 400.00 us");
	check(CALLS("aten::conv2d", "aten::relu", "3900"), "hot_spot", "fires",
	      "is in aten::conv2d; no GPU");
	check(CALLS("aten::cudnn_convolution", "aten::cudnn_batch_norm", "9000"), "hot_spot",
	      "fires", "the first of 3");
	check(CALLS("aten::cudnn_convolution", "aten::cudnn_batch_norm", "3900"), "hot_spot",
	      "silent", "not recorded");
#undef CALLS
}

/* Marked steps without the GPU work are no steps, which is said; messages are counted. */
TEST(marks_without_work_are_told)
{
	const char *trace =
		DOCUMENT(STEP("1", "0", "36") "," KERNEL("gemm", "50", "400", "1") "," KERNEL(
			"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "500", "300",
			"2") "," KERNEL("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "800", "200",
					"3"));
	check(trace, "no_steps", "fires", "1 marked step holds under 20 % of GPU time");
	check(trace, "communication", "fires", "in 2 messages");
}

/* What communication runs beside is no faster without it: a product that hides it gains nothing. */
TEST(kernels_beside_communication_gain_nothing)
{
	static const char *const at[] = { "500", "100" };
	for (int i = 0; i < 2; i++) {
		struct buffer text = { 0 };
		buffer_printf(
			&text,
			MACHINE(A100,
				STEP("1", "0", "1000") "," LAUNCH("1", "1") "," LAUNCH("4", "2") "," KERNEL(
					"ampere_sgemm_128x64_nn", "100", "400",
					"1") ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\","
					     "\"pid\":0,\"tid\":8,\"ts\":%s,\"dur\":400,"
					     "\"args\":{\"device\":0,\"stream\":8,\"correlation\":2}}"),
			at[i]);
		struct run *run = trace_run(buffer_text(&text));
		struct table *advice = trace_view(run, "advice", NULL, NULL);
		size_t row = advice_row(advice, "tf32_off");
		assert_int_equal(table_number(advice, row, "cost_ns") > 0, i == 0);
		table_free(advice);
		run_free(run);
		buffer_free(&text);
	}
}

/* A finding without rows or a time of its own leads to a view. */
TEST(findings_lead_to_their_rows_or_a_view)
{
	struct run *run = trace_run(
		MACHINE(TWO_DEVICES, STEP("1", "0", "1000") "," WORK("gemm", "0", "500", "1", "")));
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	struct ref ref = table_ref(advice, advice_row(advice, "unused_devices"));
	assert_int_equal(ref.kind, REF_FACT);
	assert_int_equal(ref.b, view_number(view_find("devices")));
	table_free(advice);
	run_free(run);
}

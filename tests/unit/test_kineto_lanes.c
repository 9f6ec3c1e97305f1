/* Devices of all makers, and lanes of what runs on no thread. */
#include "trace_case.h"
#include "model/device_label.h"

#include "model/device_label.h"

#include "derived/derived.h"
#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>

#define NAME(what, pid, tid, name)                                                                 \
	"{\"ph\":\"M\",\"name\":\"" what "\",\"pid\":" pid ",\"tid\":" tid                         \
	",\"args\":{\"name\":\"" name "\"}}"
#define BARE(name, pid, tid, ts, dur, args)                                                        \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":" tid ",\"ts\":" ts           \
	",\"dur\":" dur ",\"args\":" args "}"
#define ARROW(phase, cat, id, pid, tid, ts)                                                        \
	"{\"ph\":\"" phase "\",\"cat\":\"" cat "\",\"name\":\"arrow\",\"id\":" id ",\"pid\":" pid  \
	",\"tid\":" tid ",\"ts\":" ts "}"
#define APART(phase, cat, name, id, ts)                                                            \
	"{\"ph\":\"" phase "\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"id\":" id               \
	",\"pid\":1,\"tid\":1,\"ts\":" ts "}"
#define COUNT_OF(cat, name, pid, ts, args)                                                         \
	"{\"ph\":\"C\"" cat ",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":0,\"ts\":" ts          \
	",\"args\":" args "}"

static const struct track *device_track(const struct profile *profile, const char *name)
{
	return &profile->tracks[profile->activity_track[activity_named(profile, name)]];
}

static const struct track *host_track(const struct profile *profile, const char *name)
{
	return &profile->tracks[profile->span_track[span_named(profile, name)]];
}

static enum activity_kind kind_of(const struct profile *profile, const char *name)
{
	return (enum activity_kind)profile->activity_kind[activity_named(profile, name)];
}

TEST(mtia_commands_are_device_work)
{
	struct profile *profile = trace_open(DOCUMENT(
		EVENT("mtia_runtime", "runFunction", "1", "1", "1", "2", "{\"correlation\":9,\"device\":17,\"stream_id\":101}") "," EVENT(
			"mtia_ccp_events", "merge", "17", "3808", "5", "4",
			"{\"correlation\":9,\"stream\":101}") ","
							      "" EVENT(
								      "mtia_ccp_events",
								      "dma_request", "17", "3672",
								      "10", "3",
								      "{\"stream\":105,\"size\":1024}")));
	uint32_t copy = activity_named(profile, "dma_request");

	assert_int_equal(kind_of(profile, "merge"), ACTIVITY_KERNEL);
	assert_int_equal(kind_of(profile, "dma_request"), ACTIVITY_MEMCPY);
	assert_int_equal(profile->activity_bytes[copy], 1024);
	assert_int_equal(device_track(profile, "merge")->device, 17);
	assert_int_equal(device_track(profile, "merge")->tid, 101);
	assert_int_equal(device_track(profile, "dma_request")->tid, 105);
	assert_int_equal(profile->activity_launch[activity_named(profile, "merge")],
			 span_named(profile, "runFunction"));
	profile_free(profile);
}

TEST(categories_of_other_devices)
{
	static const struct {
		const char *category;
		bool activity;
		int kind;
	} cases[] = {
		{ "hpu_op", true, ACTIVITY_KERNEL },
		{ "xpu_sync", true, ACTIVITY_SYNC },
		{ "cuda_event", true, ACTIVITY_SYNC },
		{ "gpu_collective", true, ACTIVITY_COLLECTIVE },
		{ "xpu_runtime", false, SPAN_RUNTIME },
		{ "privateuse1_runtime", false, SPAN_RUNTIME },
		{ "mlu_runtime", false, SPAN_RUNTIME },
		{ "os_runtime", false, SPAN_OTHER },
		{ "musa_driver", false, SPAN_RUNTIME },
		{ "mlu_memcpy", true, ACTIVITY_MEMCPY },
		{ "gpu_memset", true, ACTIVITY_MEMSET },
		{ "mlu_user_annotation", false, SPAN_GPU_ANNOTATION },
		{ "collective_comm", false, SPAN_RUNTIME },
		{ "enqueue", false, SPAN_RUNTIME },
		{ "cuda_profiler_range", false, SPAN_GPU_ANNOTATION },
		{ "xpu_scope_profiler", false, SPAN_GPU_ANNOTATION },
		{ "mtia_insight", false, SPAN_GPU_ANNOTATION },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[512];
		snprintf(text, sizeof text, DOCUMENT(EVENT("%s", "x", "2", "7", "1", "2", "{}")),
			 cases[i].category);
		struct profile *profile = trace_open(text);
		assert_int_equal(profile->activities, cases[i].activity);
		assert_int_equal(cases[i].activity ? profile->activity_kind[0]
						   : profile->span_kind[0],
				 cases[i].kind);
		if (cases[i].activity || cases[i].kind == SPAN_GPU_ANNOTATION)
			assert_int_equal(
				profile->tracks[cases[i].activity ? profile->activity_track[0]
								  : profile->span_track[0]]
					.device,
				2);
		profile_free(profile);
	}
}

/* Of events without a category names tell what has a correlation id, or a grid; ranges are no
 * kernels. */
TEST(names_tell_what_events_without_a_category_are)
{
	struct profile *profile = trace_open(DOCUMENT(
		BARE("aten::add", "9", "1", "1", "5", "{}") "," BARE("cudaLaunchKernel", "9", "1", "2", "1", "{\"correlation\":3}") "," BARE(
			"void add<float>(int)",
			"9", "7", "4", "2",
			"{\"correlationId\":3}") "," BARE("[MEMCPY] HtoD", "9", "7", "7", "2",
							  "{\"correlationId\":4}") "," BARE("sum",
											    "9",
											    "7",
											    "9",
											    "1",
											    "{\"grid\":[1,1,1]}") "," BARE("copy<int>",
															   "9",
															   "1",
															   "12",
															   "1",
															   "{}") "," BARE("request",
																	  "9",
																	  "1",
																	  "14",
																	  "1",
																	  "{\"correlationId\":\"4e-6b\"}")));
	assert_int_equal(profile->activities, 3);
	assert_int_equal(kind_of(profile, "void add<float>(int)"), ACTIVITY_KERNEL);
	assert_int_equal(kind_of(profile, "[MEMCPY] HtoD"), ACTIVITY_MEMCPY);
	assert_int_equal(kind_of(profile, "sum"), ACTIVITY_KERNEL);
	assert_int_equal(device_track(profile, "sum")->device, 0);
	assert_int_equal(profile->activity_launch[activity_named(profile, "void add<float>(int)")],
			 span_named(profile, "cudaLaunchKernel"));
	assert_int_equal(profile->span_kind[span_named(profile, "aten::add")], SPAN_OPERATOR);
	assert_int_equal(profile->span_kind[span_named(profile, "copy<int>")], SPAN_OTHER);
	assert_int_equal(profile->span_kind[span_named(profile, "request")], SPAN_OTHER);
	profile_free(profile);
}

/* A stream and the name of a function are those of a kernel; so is no range, wait or generated
 * operator. */
TEST(streams_tell_kernels_without_a_category)
{
	struct profile *profile = trace_open(DOCUMENT(
		BARE("Cijk_Ailk_Bljk_SB_MT64x16", "2", "0", "1", "5", "{\"correlation\":3,\"device\":2,\"stream\":0}") "," BARE(
			"Stream Wait Event", "2", "0", "7", "1",
			"{\"correlation\":4,\"device\":2,\"stream\":0}") "," BARE("triton_poi_fused_0",
										  "9", "1", "0",
										  "1",
										  "{\"grid\":\"grid(12,)\",\"stream\":0}")));
	assert_int_equal(profile->activities, 1);
	assert_int_equal(kind_of(profile, "Cijk_Ailk_Bljk_SB_MT64x16"), ACTIVITY_KERNEL);
	assert_int_equal(device_track(profile, "Cijk_Ailk_Bljk_SB_MT64x16")->device, 2);
	profile_free(profile);
}

/* Waits, launches and communication of other makers have the roles of CUDA's. */
TEST(calls_of_other_devices_have_roles)
{
	static const struct {
		const char *name;
		uint16_t role;
	} cases[] = {
		{ "cnQueueSync", NAME_BLOCKING },
		{ "musaStreamSynchronize", NAME_BLOCKING },
		{ "topsDeviceSynchronize", NAME_BLOCKING },
		{ "cudaThreadSynchronize", NAME_BLOCKING },
		{ "cuStreamSynchronize_ptsz", NAME_BLOCKING },
		{ "cuMemcpyDtoH_v2", NAME_BLOCKING },
		{ "cudaMemcpyFromSymbol", NAME_BLOCKING },
		{ "cuMemcpyDtoHAsync_v2", 0 },
		{ "cudaMemcpy2DAsync", 0 },
		{ "cncl:all_reduce", NAME_COMMUNICATION },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[512];
		snprintf(text, sizeof text,
			 DOCUMENT(EVENT("mlu_runtime", "%s", "2", "7", "1", "2", "{}")),
			 cases[i].name);
		struct run *run = trace_run(text);
		const struct profile *profile = run->ranks[0].profile;
		assert_int_equal(run->ranks[0].derived->role[profile->span_name[0]], cases[i].role);
		run_free(run);
	}
}

TEST(metrics_become_counters_of_the_device)
{
	struct run *run = trace_run(DOCUMENT(EVENT(
		"cuda_profiler_range", "conv1", "2", "7", "1", "2",
		"{\"sm__warps_active\":12.5,\"dram__bytes\":64,\"unit\":\"text\"}") "," COUNT_OF(",\"cat\":\"hardware_counters\"",
												 "sm_active",
												 "\"GPU 3 Counters\"",
												 "2",
												 "{\"\":40}")));
	struct table *counters = trace_view(run, "counters", NULL, NULL);
	const struct profile *profile = run->ranks[0].profile;

	assert_int_equal(counters->rows, 3);
	assert_int_equal(profile->counter_count, 3);
	for (size_t i = 0; i < profile->counter_count; i++) {
		const struct counter *counter = &profile->counters[i];
		bool sampled = strcmp(profile_string(profile, counter->name), "sm_active") == 0;
		assert_int_equal(profile->tracks[counter->track].device, sampled ? 3 : 2);
	}
	assert_float_equal(profile->counters[0].value, 12.5, 0);
	table_free(counters);
	run_free(run);
}

/* ---- Ascend ---- */

/* Layers of host process 20 on device 3: 20 << 10 | layer << 5 | 3. */
#define CANN "20707"
#define HARDWARE "20899"
#define HCCL "20963"
#define OVERLAP "21219"
#define HBM "21027"

static const char ascend[] = "[" NAME("process_name", "20", "0", "Python") "," NAME(
	"process_name",
	CANN, "0", "CANN") "," NAME("process_name",
				    HARDWARE, "0", "Ascend Hardware") "," NAME("process_name", HCCL, "0", "HCCL") "," NAME("process_name", OVERLAP, "0", "Overlap Analysis") "," NAME("process_name", HBM, "0", "HBM") "," NAME("thread_name", HCCL, "0", "Group 0 Communication") "," NAME("thread_name", HCCL, "1", "Plane 0") "," EVENT("cpu_op", "ProfilerStep#1", "20", "1", "95", "100", "{}") "," EVENT("cpu_op", "aten::mm", "20",
																																																	       "1",
																																																	       "\"100.000\"", "10", "{\"Sequence number\":4}") "," EVENT("enqueue",
																																																									 "Enqueue", "20", "1", "102", "1", "{\"correlation_id\":8}") "," EVENT("dequeue", "Dequeue", "20", "2", "111", "8", "{\"correlation_id\":8}") "," BARE("Node@launch",
																																																																											       CANN, "2", "112", "2", "{\"level\":\"node\",\"connection_id\":9}") "," BARE("hcom launch",
																																																																																					   CANN, "2",
																																																																																					   "115",
																																																																																					   "2", "{\"connection_id\":10}") "," BARE("MatMul",
																																																																																										   HARDWARE,
																																																																																										   "4",
																																																																																										   "120",
																																																																																										   "30", "{\"Task Type\":\"AI_CORE\",\"connection_id\":9}") "," BARE("EVENT_WAIT",
																																																																																																		     HARDWARE, "5", "120", "40", "{\"Task Type\":\"EVENT_WAIT_SQE\"}") "," BARE("SDMA",
																																																																																																												HARDWARE, "5",
																																																																																																												"160",
																																																																																																												"5", "{\"Task Type\":\"SDMA\",\"connection_id\":10}") "," BARE("new",
																																																																																																																			       HARDWARE,
																																																																																																																			       "5", "165",
																																																																																																																			       "5", "{\"Task Type\":\"A_NEW_TYPE\"}") "," BARE("hcom_allReduce__586_0_1",
																																																																																																																									       HCCL,
																																																																																																																									       "0", "140",
																																																																																																																									       "30",
																																																																																																																									       "{\"connection_id\":10,\"data_type\":\"FP32\",\"count\":1000}") "," BARE("Notify_Wait",
																																																																																																																																			HCCL,
																																																																																																																																			"1", "140", "20", "{}") "," BARE("Computing",
																																																																																																																																							 OVERLAP,
																																																																																																																																							 "0", "120",
																																																																																																																																							 "30", "{}") "," COUNT_OF("", "HBM 0/Read", HBM, "125", "{\"MB/s\":7}") "," ARROW("s",
																																																																																																																																																	  "async_npu", "77", "20",
																																																																																																																																																	  "1",
																																																																																																																																																	  "100") "," ARROW("f",
																																																																																																																																																			   "async_npu",
																																																																																																																																																			   "77",
																																																																																																																																																			   HARDWARE,
																																																																																																																																																			   "4",
																																																																																																																																																			   "120") "]";

TEST(ascend_tasks_by_their_type)
{
	struct profile *profile = trace_open(ascend);

	assert_int_equal(profile->activities, 5);
	assert_int_equal(kind_of(profile, "MatMul"), ACTIVITY_KERNEL);
	assert_int_equal(kind_of(profile, "EVENT_WAIT"), ACTIVITY_SYNC);
	assert_int_equal(kind_of(profile, "SDMA"), ACTIVITY_MEMCPY);
	assert_int_equal(kind_of(profile, "new"), ACTIVITY_SYNC);
	assert_int_equal(kind_of(profile, "hcom_allReduce__586_0_1"), ACTIVITY_COLLECTIVE);
	assert_int_equal(device_track(profile, "MatMul")->device, device_of_kind(DEVICE_NPU, 3));
	assert_int_equal(device_track(profile, "MatMul")->tid, 4);
	assert_int_equal(host_track(profile, "Notify_Wait")->device, device_of_kind(DEVICE_NPU, 3));
	assert_int_equal(profile->span_kind[span_named(profile, "Notify_Wait")],
			 SPAN_GPU_ANNOTATION);
	assert_int_equal(profile->span_kind[span_named(profile, "Computing")], SPAN_GPU_ANNOTATION);
	assert_int_equal(profile->tracks[profile->counters[0].track].device,
			 device_of_kind(DEVICE_NPU, 3));
	profile_free(profile);
}

/* A collective counts by its tasks, as it is shown. */
TEST(ascend_events_are_those_shown)
{
	struct run *run = trace_run(ascend);
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	size_t row = 0; /* the first of two rows: what the file has, and what is linked */

	while (!cell_is(overview, row, "metric", "GPU events"))
		row++;
	assert_int_equal(launches->rows, run->ranks[0].profile->activities - 1);
	assert_int_equal(table_number(overview, row, "value"), launches->rows);
	table_free(overview);
	table_free(launches);
	run_free(run);
}

TEST(ascend_calls_are_on_the_threads_of_the_program)
{
	struct profile *profile = trace_open(ascend);
	uint32_t call = span_named(profile, "Node@launch");

	assert_int_equal(profile->span_kind[call], SPAN_RUNTIME);
	assert_ptr_equal(host_track(profile, "Node@launch"), host_track(profile, "Dequeue"));
	assert_int_equal(profile->span_parent[call], span_named(profile, "Dequeue"));
	assert_int_equal(profile->activity_launch[activity_named(profile, "MatMul")], call);
	profile_free(profile);
}

TEST(launches_from_a_queue_belong_to_the_operator)
{
	struct run *run = trace_run(ascend);
	const struct derived *derived = run->ranks[0].derived;
	const struct profile *profile = derived->profile;
	uint32_t owner = span_named(profile, "aten::mm");
	struct table *operators = trace_view(run, "operators", NULL, NULL);

	assert_int_equal(derived->activity_operator[activity_named(profile, "MatMul")], owner);
	assert_int_equal(derived_self(derived, owner),
			 9000); /* without Enqueue, with Node@launch */
	assert_int_equal(operators->rows, 1);
	assert_int_equal(table_number(operators, 0, "gpu_self_ns"), 30000);
	table_free(operators);
	run_free(run);
}

TEST(collectives_are_communication_and_no_launches)
{
	struct run *run = trace_run(ascend);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	struct table *collectives = trace_view(run, "collectives", NULL, NULL);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	assert_int_equal(table_number(steps, 0, "exposed_communication_ns"), 20000);
	assert_int_equal(table_number(steps, 0, "compute_overlapped_ns"), 10000);
	assert_int_equal(launches->rows, 4);
	assert_int_equal(collectives->rows, 1);
	assert_string_equal(table_cell(collectives, 0, "name").text, "allReduce");
	assert_int_equal(table_number(collectives, 0, "total_ns"), 30000);
	assert_int_equal(table_number(collectives, 0, "total_bytes"), 4000);
	assert_int_equal(table_number(ranks, 0, "communication_ns"), 30000);
	assert_int_equal(table_number(ranks, 0, "overlap_ns"), 10000);
	assert_int_equal(table_number(ranks, 0, "computation_ns"), 30000);
	table_free(steps);
	table_free(ranks);
	table_free(collectives);
	table_free(launches);
	run_free(run);
}

/* More than several threads read at once: all see the names of processes. */
TEST(a_long_trace_of_ascend_is_read_alike)
{
	enum { TASKS = 40000 };
	struct buffer text = { 0 };

	buffer_puts(&text, "[" NAME("process_name", HARDWARE, "0", "Ascend Hardware"));
	for (int i = 0; i < TASKS; i++)
		buffer_printf(&text,
			      ",{\"ph\":\"X\",\"name\":\"task %d\",\"pid\":" HARDWARE
			      ",\"tid\":4,\"ts\":%d,\"dur\":1,\"args\":{\"Task Type\":\"%s\"}}",
			      i % 7, i, i % 2 ? "AI_CORE" : "EVENT_WAIT_SQE");
	buffer_puts(&text, "]");
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(buffer_text(&text), text.length, &error);
	uint32_t kernels = 0;
	assert_non_null(profile);
	assert_int_equal(profile->activities, TASKS);
	for (uint32_t i = 0; i < profile->activities; i++)
		kernels += profile->activity_kind[i] == ACTIVITY_KERNEL;
	assert_int_equal(kernels, TASKS / 2);
	profile_free(profile);
	buffer_free(&text);
}

/* ---- asynchronous spans ---- */

TEST(asynchronous_spans_have_lanes_of_their_own)
{
	struct profile *profile = trace_open(DOCUMENT(
		OPERATOR("aten::mm", "1", "20") "," APART("b", "request", "first", "1", "2") "," APART("b", "request", "second", "2", "4") "," APART(
			"b", "request", "inner", "1",
			"5") "," APART("n", "request", "mark", "1",
				       "6") "," APART("e", "request", "inner", "1",
						      "7") "," APART("e", "request", "first", "1",
								     "30") "," APART("e", "request",
										     "second", "2",
										     "40") "," APART("b",
												     "other",
												     "third",
												     "1",
												     "8") "," APART("e",
														    "other",
														    "third",
														    "1",
														    "9") "," APART("b",
																   "request",
																   "later",
																   "3",
																   "30") "," APART("e",
																		   "request",
																		   "later",
																		   "3",
																		   "35")));
	const struct track *first = host_track(profile, "first");

	assert_ptr_not_equal(first, host_track(profile, "aten::mm"));
	assert_ptr_not_equal(first, host_track(profile, "second"));
	assert_ptr_not_equal(first, host_track(profile, "third"));
	assert_ptr_equal(first, host_track(profile, "inner"));
	assert_ptr_equal(first, host_track(profile, "mark"));
	assert_ptr_equal(first, host_track(profile, "later"));
	assert_string_equal(profile_string(profile, first->label), "async request");
	assert_string_equal(profile_string(profile, host_track(profile, "second")->label),
			    "async request 2");
	assert_int_equal(profile->span_parent[span_named(profile, "first")], NO_ROW);
	assert_int_equal(profile->span_parent[span_named(profile, "later")], NO_ROW);
	assert_int_equal(profile->span_parent[span_named(profile, "inner")],
			 span_named(profile, "first"));
	assert_int_equal(profile->span_dur[span_named(profile, "first")], 28000);
	assert_int_equal(profile->span_size[span_named(profile, "aten::mm")], 1);
	assert_int_equal(damage_count(profile, NULL), 0);
	profile_free(profile);
}

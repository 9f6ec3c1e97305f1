/* Arguments, processes, lanes and ids in all forms that trace writers use. */
#include "trace_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct track *track_of(const struct profile *profile, uint32_t span)
{
	return &profile->tracks[profile->span_track[span]];
}

static const struct process *process_of(const struct profile *profile, uint32_t span)
{
	return &profile->processes[track_of(profile, span)->process];
}

TEST(args_missing)
{
	struct profile *profile = trace_open(DOCUMENT(
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}"
		",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":3,\"dur\":2}"));
	uint32_t kernel = activity_named(profile, "k");

	assert_int_equal(profile->span_dur[span_named(profile, "a")], 2000);
	assert_int_equal(profile->activity_dur[kernel], 2000);
	assert_int_equal(profile->activity_correlation[kernel], NO_VALUE);
	assert_int_equal(profile->activity_launch[kernel], NO_ROW);
	assert_int_equal(profile_activity_device(profile, kernel), 0);
	assert_int_equal(damage_count(profile, NULL), 0);
	profile_free(profile);
}

/* Operators that say the same share their details; their ids are their own. */
TEST(equal_details_stand_once)
{
	struct profile *profile = trace_open(DOCUMENT(
		EVENT("cpu_op", "a", "1", "1", "1", "2", "{\"External id\":1,\"Input Dims\":[[2]]}") "," EVENT(
			"cpu_op", "b", "1", "1", "4", "2",
			"{\"External id\":2,\"Input Dims\":[[3]]}") "," EVENT("cpu_op", "a", "1",
									      "1", "7", "2",
									      "{\"External id\":3,\"Input Dims\":[[2]]}")));
	const struct op_info *first = profile_op_info(profile, 0);

	assert_int_equal(profile->op_id_count, 3);
	assert_int_equal(profile->op_info_count, 2);
	assert_ptr_equal(profile_op_info(profile, 2), first);
	assert_string_equal(profile_string(profile, first->shapes), "[[2]]");
	assert_string_equal(profile_string(profile, profile_op_info(profile, 1)->shapes), "[[3]]");
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(profile_op_ids(profile, i)->external_id, i + 1);
	profile_free(profile);
}

TEST(args_not_an_object)
{
	static const char *const values[] = { "null", "3", "\"text\"", "[1,2]", "true", "{}" };

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		char text[512];
		snprintf(text, sizeof text,
			 DOCUMENT(EVENT("cpu_op", "a", "1", "1", "1", "2", "%s") "," EVENT(
				 "cpu_op", "b", "1", "1", "5", "2", "{\"External id\":4}")),
			 values[i]);
		struct profile *profile = trace_open(text);
		assert_int_equal(profile->span_dur[span_named(profile, "a")], 2000);
		assert_int_equal(profile_op_ids(profile, span_named(profile, "b"))->external_id, 4);
		profile_free(profile);
	}
}

TEST(process_names)
{
	struct profile *profile = trace_open(DOCUMENT(
		EVENT("cpu_op", "text", "\"[TP00-DP01] 83\"", "83", "1", "2", "{}") "," EVENT(
			"cpu_op", "digits", "\"4711\"", "\"4712\"", "1", "2",
			"{}") "," EVENT("overhead", "minus", "-1", "0", "1", "2",
					"{}") "," EVENT("Trace", "spans", "\"Spans\"",
							"\"PyTorch Profiler\"", "1", "2",
							"{}") "," EVENT("cpu_op", "empty", "\"\"",
									"\"\"", "1", "2", "{}")));
	const struct process *text = process_of(profile, span_named(profile, "text"));
	const struct process *spans = process_of(profile, span_named(profile, "spans"));
	uint32_t digits = span_named(profile, "digits");

	assert_int_equal(profile->spans, 5);
	assert_string_equal(profile_string(profile, text->group), "[TP00-DP01]");
	assert_int_equal(text->pid, 83);
	assert_int_equal(process_of(profile, digits)->pid, 4711);
	assert_int_equal(track_of(profile, digits)->tid, 4712);
	assert_int_equal(process_of(profile, span_named(profile, "minus"))->pid, -1);
	assert_string_equal(profile_string(profile, spans->label), "Spans");
	assert_string_equal(
		profile_string(profile, track_of(profile, span_named(profile, "spans"))->label),
		"PyTorch Profiler");
	assert_int_equal(damage_count(profile, NULL), 0);
	profile_free(profile);
}

TEST(old_stream_names)
{
	struct profile *profile = trace_open(DOCUMENT(
		EVENT("Operator", "aten::add", "\"25738\"", "\"25738\"", "1", "9", "{}") "," EVENT(
			"Runtime", "cudaLaunchKernel", "\"25738\"", "\"25738\"", "2", "1",
			"{\"correlation\":33,\"external id\":1}") "," EVENT("Kernel", "k", "0",
									    "\"stream 7\"", "4",
									    "2",
									    "{\"stream\":7,\"correlation\":33,\"external id\":1}")));
	uint32_t kernel = activity_named(profile, "k");
	uint32_t launch = profile->activity_launch[kernel];

	assert_int_equal(profile->span_kind[span_named(profile, "aten::add")], SPAN_OPERATOR);
	assert_int_equal(profile->span_kind[launch], SPAN_RUNTIME);
	assert_int_equal(profile->tracks[profile->activity_track[kernel]].tid, 7);
	profile_free(profile);
}

TEST(wide_streams)
{
	struct profile *profile = trace_open(DOCUMENT(EVENT(
		"kernel", "wide", "2", "94838745178816", "1", "2",
		"{\"device\":2,\"stream\":94838745178816}") "," EVENT("kernel", "lowest", "2",
								      "-9223372036854775808", "1",
								      "2", "{\"device\":2}")));
	uint32_t wide = activity_named(profile, "wide"), lowest = activity_named(profile, "lowest");

	assert_int_equal(profile->tracks[profile->activity_track[wide]].tid,
			 INT64_C(94838745178816));
	assert_int_equal(profile_activity_device(profile, wide), 2);
	assert_true(profile->activity_track[wide] != profile->activity_track[lowest]);
	profile_free(profile);
}

TEST(thread_and_stream_with_equal_id)
{
	struct profile *profile = trace_open(
		DOCUMENT(EVENT("python_function", "boot", "0", "7", "1", "50",
			       "{\"Python id\":1}") "," EVENT("kernel", "k", "0", "7", "10", "2",
							      "{\"device\":0,\"stream\":7}")));

	assert_int_equal(profile->spans, 1);
	assert_int_equal(profile->activities, 1);
	assert_true(profile->span_track[0] != profile->activity_track[0]);
	assert_int_equal(track_of(profile, 0)->device, -1);
	profile_free(profile);
}

TEST(many_names_for_one_process)
{
	enum { NAMES = 62000 };
	char *text = malloc(NAMES * 96 + 4096);
	size_t length = (size_t)sprintf(text, "{\"traceEvents\":[");

	for (int i = 0; i < NAMES; i++)
		length += (size_t)sprintf(
			text + length,
			"{\"name\":\"process_name\",\"ph\":\"M\",\"ts\":1,\"pid\":%d,\"tid\":0,"
			"\"args\":{\"name\":\"python\"}},",
			i % 4);
	sprintf(text + length, "%s]}", OPERATOR("a", "1", "2"));
	struct profile *profile = trace_open(text);
	assert_int_equal(profile->spans, 1);
	assert_int_equal(profile->events, NAMES + 1);
	assert_in_range(profile->process_count, 4, 5);
	assert_string_equal(profile_string(profile, process_of(profile, 0)->name), "python");
	profile_free(profile);
	free(text);
}

TEST(thread_names)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR("a", "1", "2") "," EVENT(
		"kernel", "k", "0", "7", "10", "2",
		"{\"device\":0,\"stream\":7}") ","
					       "{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":1,\"pid\":0,\"tid\":7,"
					       "\"args\":{\"name\":\"stream 7 \"}},"
					       "{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":1,\"pid\":1,\"tid\":1,"
					       "\"args\":{\"name\":\"thread 1 (python)\"}}"));

	assert_string_equal(profile_string(profile, track_of(profile, 0)->name),
			    "thread 1 (python)");
	assert_string_equal(
		profile_string(profile, profile->tracks[profile->activity_track[0]].name),
		"stream 7 ");
	profile_free(profile);
}

TEST(nested_input_dims)
{
	struct profile *profile =
		trace_open(DOCUMENT(EVENT("cpu_op", "aten::cat", "1", "1", "1", "2",
					  "{\"Input Dims\": [[[2, 3], [4, 3]], [], [[]]], "
					  "\"Input type\": [\"TensorList\", \"Scalar\", \"\"]}")));
	const struct op_info *info = profile_op_info(profile, 0);

	assert_string_equal(profile_string(profile, info->shapes), "[[[2,3],[4,3]],[],[[]]]");
	assert_string_equal(profile_string(profile, info->types),
			    "[\"TensorList\",\"Scalar\",\"\"]");
	profile_free(profile);
}

static const char *attribute_text(const struct profile *profile, uint32_t span, const char *key)
{
	size_t count;
	const struct attribute *attributes = profile_span_attributes(profile, span, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(profile_string(profile, attributes[i].key), key))
			return profile_string(profile, attributes[i].text);
	return NULL;
}

TEST(truncated_group_ranks)
{
	struct profile *profile = trace_open(DOCUMENT(
		EVENT("cpu_op", "record_param_comms", "1", "1", "1", "2",
		      "{\"Collective name\": \"allreduce\", \"In msg nelems\": 1024, "
		      "\"Process Group Ranks\": \"[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..., 255]\", "
		      "\"dtype\": \"Float\"}")));

	assert_string_equal(attribute_text(profile, 0, "Process Group Ranks"),
			    "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..., 255]");
	assert_string_equal(attribute_text(profile, 0, "Collective name"), "allreduce");
	assert_string_equal(attribute_text(profile, 0, "In msg nelems"), "1024");
	assert_null(attribute_text(profile, 0, "no such key"));
	assert_int_equal(damage_count(profile, NULL), 0);
	profile_free(profile);
}

TEST(external_id_zero)
{
	struct profile *profile = trace_open(DOCUMENT(EVENT("cpu_op", "a", "1", "1", "1", "9", "{\"External id\":0}") "," EVENT(
		"cpu_op", "b", "1", "1", "11", "9",
		"{\"External id\":0}") "," EVENT("cuda_runtime", "cudaLaunchKernel", "1", "1", "12",
						 "2",
						 "{\"External id\":0,\"correlation\":3}") "," EVENT("kernel",
												    "k",
												    "0",
												    "7",
												    "15",
												    "2",
												    "{\"External id\":0,\"correlation\":3,\"device\":0,\"stream\":7}")));
	uint32_t launch = profile->activity_launch[activity_named(profile, "k")];

	assert_int_equal(profile->span_parent[launch], span_named(profile, "b"));
	assert_int_equal(profile_op_ids(profile, span_named(profile, "a"))->external_id, 0);
	profile_free(profile);
}

TEST(launch_parameters)
{
	struct profile *profile = trace_open(DOCUMENT(
		EVENT("kernel", "k", "0", "7", "15", "2",
		      "{\"queued\":0,\"device\":0,\"context\":1,\"stream\":7,\"correlation\":3,"
		      "\"registers per thread\":128,\"shared memory\":49152,\"blocks per SM\":1.5,"
		      "\"warps per SM\":12,\"grid\":[162, 2, 1],\"block\":[256, 1, 1],"
		      "\"est. achieved occupancy %\":19}")));
	const struct launch_config *config = profile_config(profile, 0);

	assert_int_equal(config->regs_per_thread, 128);
	assert_int_equal(config->shared_mem_bytes, 49152);
	assert_true(config->blocks_per_sm == 1.5f && config->warps_per_sm == 12);
	assert_true(config->occupancy_pct == 19);
	assert_int_equal(config->grid[0], 162);
	assert_int_equal(config->block[0], 256);
	profile_free(profile);
}

#define OCCUPANCY(ts, warps, percent)                                                              \
	EVENT("kernel", "k", "0", "7", ts, "2",                                                    \
	      "{\"device\":0,\"stream\":7,\"warps per SM\":" warps                                 \
	      ",\"est. achieved occupancy %\":" percent "}")

/* 0 is what the profiler writes if it cannot compute it, unless the GPU is nearly empty. */
TEST(occupancy_of_a_full_gpu_is_not_zero)
{
	struct profile *profile = trace_open(DOCUMENT(OCCUPANCY("10", "1", "0") "," OCCUPANCY(
		"20", "0.99", "0") "," OCCUPANCY("30", "1", "2")));
	assert_true(isnan(profile_config(profile, 0)->occupancy_pct));
	assert_true(profile_config(profile, 1)->occupancy_pct == 0);
	assert_true(profile_config(profile, 2)->occupancy_pct == 2);
	profile_free(profile);
}

TEST(memory_records)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR(
		"a", "1",
		"9") ","
		     "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\","
		     "\"pid\":1,\"tid\":1,\"ts\":5,\"args\":{\"Total Reserved\":2097152,"
		     "\"Total Allocated\":1024,\"Bytes\":-512,\"Addr\":140244832223232,"
		     "\"Device Id\":0,\"Device Type\":1}},"
		     "{\"ph\":\"i\",\"name\":\"[memory]\",\"s\":\"t\",\"pid\":1,\"tid\":1,\"ts\":3,"
		     "\"args\":{\"Device Type\":0,\"Device Id\":-1,\"Bytes\":64}}"));
	const struct memory_event *events = profile->memory_events;

	assert_int_equal(profile->memory_count, 2);
	assert_int_equal(events[0].bytes, 64); /* sorted by time */
	assert_int_equal(events[0].device_id, -1);
	assert_int_equal(events[0].total_allocated, NO_VALUE);
	assert_int_equal(events[1].bytes, -512);
	assert_int_equal(events[1].address, INT64_C(140244832223232));
	assert_int_equal(events[1].total_reserved, 2097152);
	profile_free(profile);
}

TEST(unknown_category_is_kept)
{
	struct profile *profile = trace_open(DOCUMENT(EVENT(
		"quantum_op", "q", "1", "1", "1", "2",
		"{\"qubits\":3}") ","
				  "{\"ph\":\"X\",\"name\":\"bare\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1}"));
	uint32_t span = span_named(profile, "q");

	assert_int_equal(profile->span_kind[span], SPAN_OTHER);
	assert_string_equal(attribute_text(profile, span, "qubits"), "3");
	assert_int_equal(profile->span_kind[span_named(profile, "bare")], SPAN_OTHER);
	profile_free(profile);
}

/* PyTorch Lightning marks modules itself: formerly as operators, now as annotations. */
TEST(lightning_modules)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("cpu_op", "[pl][module]Net: net", "1", "1", "1", "90",
		      "{}") "," EVENT("user_annotation", "[pl][module]torch.nn.Linear: net.fc", "1",
				      "1", "5", "20", "{}") "," OPERATOR("aten::mm", "6", "9")));
	struct table *table = trace_view(run, "modules", NULL, NULL);

	assert_int_equal(table->rows, 2);
	for (size_t row = 0; row < 2; row++) {
		struct value path = table_cell(table, row, "path");
		struct value class = table_cell(table, row, "class");
		bool inner = path.length == strlen("net/net.fc");
		assert_memory_equal(path.text, "net/net.fc", path.length);
		assert_memory_equal(class.text, inner ? "torch.nn.Linear" : "Net", class.length);
		assert_int_equal(table_number(table, row, "operators"), inner);
	}
	table_free(table);
	run_free(run);
}

TEST(device_properties)
{
	struct profile *profile = trace_open(
		"{\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA B200\",\"totalGlobalMem\":191503138816,"
		"\"computeMajor\":10,\"computeMinor\":0,\"numSms\":148,\"warpSize\":32,"
		"\"maxThreadsPerMultiprocessor\":2048},{\"id\":1,\"name\":\"\"}],"
		"\"traceEvents\":[" OPERATOR("a", "1", "2") "]}");
	const struct device *device = profile_device(profile, 0);

	assert_int_equal(profile->device_count, 2);
	assert_string_equal(profile_string(profile, device->name), "NVIDIA B200");
	assert_int_equal(device->memory_bytes, INT64_C(191503138816));
	assert_int_equal(device->sm_count, 148);
	assert_int_equal(device->compute_major, 10);
	assert_int_equal(profile_device(profile, 1)->sm_count, NO_VALUE);
	assert_null(profile_device(profile, 2));
	profile_free(profile);
}

/* Exactly these lanes, in any order. */
static void assert_lanes(const struct run *run, const char *const *names, size_t count)
{
	struct table *streams = trace_view(run, "streams", NULL, NULL);

	assert_int_equal(streams->rows, count);
	for (size_t i = 0; i < count; i++) {
		size_t row = 0;
		while (row < streams->rows &&
		       strcmp(table_cell(streams, row, "track").text, names[i]) != 0)
			row++;
		if (row == streams->rows)
			fail_msg("no lane named %s", names[i]);
	}
	table_free(streams);
}

/* Threads with equal names get their id appended; unnamed ones get the name of their process. */
TEST(threads_with_equal_names_are_distinguished)
{
	static const char text[] =
		"{\"traceEvents\":["
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":\"tensor\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":11,\"args\":{\"name\":\"worker\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":12,\"args\":{\"name\":\"worker\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":13,\"args\":{\"name\":\"main\"}},"
		"{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":11,\"ts\":1,\"dur\":5},"
		"{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":12,\"ts\":1,\"dur\":5},"
		"{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":13,\"ts\":1,\"dur\":5},"
		"{\"ph\":\"X\",\"name\":\"d\",\"pid\":5,\"ts\":1,\"dur\":5}]}";
	static const char *const names[] = { "worker 11", "worker 12", "main", "tensor" };
	struct run *run = trace_run(text);

	assert_lanes(run, names, 4);
	/* no advice on PyTorch options for a trace not written by PyTorch */
	struct table *layers = trace_view(run, "layers", NULL, NULL);
	assert_non_null(layers->note);
	assert_null(strstr(layers->note, "with_stack"));
	table_free(layers);
	run_free(run);
}

/* Lanes with equal ids on a device or thread are distinguished by process. */
TEST(lanes_are_distinguished_by_process)
{
	static const char text[] =
		"{\"traceEvents\":["
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1,"
		"\"dur\":5,\"args\":{\"device\":0,\"stream\":7}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":9,\"tid\":7,\"ts\":9,"
		"\"dur\":5,\"args\":{\"device\":0,\"stream\":7}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":9,\"tid\":8,\"ts\":20,"
		"\"dur\":5,\"args\":{\"device\":0,\"stream\":8}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":11,\"args\":{\"name\":\"main\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":2,\"tid\":11,\"args\":{\"name\":\"main\"}},"
		"{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":11,\"ts\":1,\"dur\":5},"
		"{\"ph\":\"X\",\"name\":\"b\",\"pid\":2,\"tid\":11,\"ts\":1,\"dur\":5}]}";
	static const char *const names[] = { "GPU0 stream 7, process 0", "GPU0 stream 7, process 9",
					     "GPU0 stream 8", "main, process 1",
					     "main, process 2" };
	struct run *run = trace_run(text);

	assert_lanes(run, names, 5);
	run_free(run);
}

/* On ROCm, kernels of the device described as 0 run as device 2: the description applies to 2. */
TEST(rocm_device_is_matched_to_its_kernels)
{
	static const char text[] =
		"{\"deviceProperties\":[{\"id\":0,\"name\":\"AMD Instinct MI300X\",\"numSms\":304}],"
		"\"traceEvents\":["
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"attn_fwd\",\"pid\":2,\"tid\":0,\"ts\":1,"
		"\"dur\":5,\"args\":{\"device\":2,\"stream\":0,\"grid\":[76,1,1],"
		"\"block\":[64,1,1]}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipExtModuleLaunchKernel\",\"pid\":1,"
		"\"tid\":1,\"ts\":10,\"dur\":1,\"args\":{\"correlation\":3}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"of threads\",\"pid\":2,\"tid\":0,\"ts\":20,"
		"\"dur\":2,\"args\":{\"device\":2,\"stream\":0,\"correlation\":3,\"grid\":[77824,1,1],"
		"\"block\":[256,1,1]}}]}";
	struct run *run = trace_run(text);
	const struct profile *profile = run->ranks[0].profile;
	struct table *kernels = trace_view(run, "kernels", NULL, NULL);

	assert_ptr_equal(profile_device(profile, 2), &profile->devices[0]);
	assert_ptr_equal(profile_device(profile, 0), &profile->devices[0]);
	assert_null(profile_device(profile, 1));
	assert_float_equal(table_cell(kernels, 0, "blocks_per_sm").real, 0.25, 1e-9);
	assert_float_equal(table_cell(kernels, 1, "blocks_per_sm").real, 1, 1e-9);
	table_free(kernels);
	run_free(run);
}

/* ROCm's tracer counts the processors of the machine before its devices, the allocator does not. */
TEST(rocm_memory_is_on_the_device_of_its_kernels)
{
	static const char format[] =
		"{\"deviceProperties\":[{\"id\":0,\"name\":\"first\"},{\"id\":1,\"name\":\"second\"},"
		"{\"id\":2,\"name\":\"third\"}],\"traceEvents\":["
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":2,\"tid\":0,\"ts\":1,\"dur\":5,"
		"\"args\":{\"device\":2,\"stream\":0}},"
		"{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,"
		"\"ts\":2,\"args\":{\"Addr\":1,\"Bytes\":512,\"Total Allocated\":512,"
		"\"Device Type\":%d,\"Device Id\":0}}]}";
	enum { CUDA = 1 };

	for (int type = CUDA; type <= DEVICE_TYPE_HIP; type += DEVICE_TYPE_HIP - CUDA) {
		char text[1024];
		snprintf(text, sizeof text, format, type);
		struct profile *profile = trace_open(text);
		bool hip = type == DEVICE_TYPE_HIP;
		int32_t device = profile_activity_device(profile, 0);
		assert_int_equal(profile->memory_events[0].device_id, 0);
		assert_int_equal(device, hip ? 0 : 2);
		assert_ptr_equal(profile_device(profile, device), &profile->devices[device]);
		profile_free(profile);
	}
}

/* Fields since PyTorch 2.9, in the view of all that has no column. */
TEST(arguments_without_a_column_are_attributes)
{
	struct run *run = trace_run(DOCUMENT(EVENT("cpu_op", "triton_mm", "1", "1", "1", "9", "{\"External id\":1,\"kernel_file\":\"/tmp/c.py\",\"kernel_kwargs\":\"BLOCK=32\"}") "," EVENT(
		"cuda_runtime", "cudaGraphLaunch", "1", "1", "2", "3",
		"{\"External id\":1,\"correlation\":7}") "," EVENT("kernel", "mm", "0", "7", "5",
								   "3",
								   "{\"External id\":1,\"correlation\":7,\"device\":0,\"stream\":7,\"graph node id\":42,"
								   "\"priority\":-1,\"channel\":3,\"occupancy\":{\"limiting\":\"registers\"}}") "," EVENT("cpu_op",
																			  "record_param_comms",
																			  "1",
																			  "1",
																			  "20",
																			  "9",
																			  "{\"External id\":2,\"In split size\":\"[1, 2]\",\"Out split size\":\"[2, 1]\"}")));
	assert_rows(run, "attributes", NULL, NULL, "kind,id,name,attribute,text",
		    "span,0,triton_mm,kernel_file,/tmp/c.py\n"
		    "span,0,triton_mm,kernel_kwargs,BLOCK=32\n"
		    "span,2,record_param_comms,In split size,[1, 2]\n"
		    "span,2,record_param_comms,Out split size,[2, 1]\n"
		    "launch,0,mm,graph node id,42\nlaunch,0,mm,priority,-1\nlaunch,0,mm,channel,3\n"
		    "launch,0,mm,occupancy,{\"limiting\":\"registers\"}\n");
	run_free(run);
}

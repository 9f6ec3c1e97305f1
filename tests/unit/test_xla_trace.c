/* Chrome traces that XLA's profilers make of an XSpace: devices, streams, hosts, steps. */
#include "trace_case.h"
#include "file_case.h"

#include "base/mem.h"
#include "model/device_label.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

TEST(streams_of_a_gpu_have_kernels_and_copies)
{
	struct run *run = trace_run(data_text("xla_trace_gpu.json"));
	const struct profile *profile = run->ranks[0].profile;
	uint32_t kernel = activity_named(profile, "gemm_fusion");
	uint32_t copy = activity_named(profile, "Memcpy DtoD");
	assert_int_equal(profile->activities, 2);
	assert_int_equal(profile->activity_dur[kernel], 4250);
	assert_int_equal(profile_config(profile, kernel)->grid[0], 32);
	assert_int_equal(profile->activity_bytes[copy], 64);
	assert_int_equal(profile->tracks[profile->activity_track[copy]].device, 1);
	assert_int_equal(profile->tracks[profile->activity_track[copy]].tid, 13);
	assert_int_equal(damage_count(profile, NULL), 0);
	run_free(run);
}

TEST(host_threads_have_calls_functions_and_steps)
{
	struct run *run = trace_run(data_text("xla_trace_gpu.json"));
	const struct profile *profile = run->ranks[0].profile;
	assert_int_equal(profile->span_kind[span_named(profile, "cuLaunchKernel")], SPAN_RUNTIME);
	assert_int_equal(profile->span_kind[span_named(profile, "core.py(12): bind")], SPAN_PYTHON);
	assert_rows(run, "steps", NULL, NULL, "step,dur_ns", "3,30000\n");
	run_free(run);
}

TEST(operations_of_a_tpu_are_its_work)
{
	struct run *run = trace_run(data_text("xla_trace_tpu.json"));
	const struct profile *profile = run->ranks[0].profile;
	assert_rows(run, "kernels", NULL, NULL, "name,calls,total_ns", "fusion.1,1,40500\n");
	assert_rows(run, "steps", NULL, NULL, "step,dur_ns", "7,50000\n");
	assert_int_equal(profile->tracks[profile->activity_track[0]].device,
			 device_of_kind(DEVICE_TPU, 0));
	run_free(run);
}

TEST(collectives_of_a_tpu_are_communication)
{
	struct run *run = trace_run(
		"{\"traceEvents\":["
		"{\"ph\":\"M\",\"pid\":3,\"name\":\"process_name\","
		"\"args\":{\"name\":\"/device:TPU:0\"}},"
		"{\"ph\":\"M\",\"pid\":3,\"tid\":3,\"name\":\"thread_name\","
		"\"args\":{\"name\":\"XLA Ops\"}},"
		"{\"ph\":\"X\",\"pid\":3,\"tid\":3,\"ts\":10,\"dur\":4,\"name\":\"fusion.1\"},"
		"{\"ph\":\"X\",\"pid\":3,\"tid\":3,\"ts\":14,\"dur\":6,\"name\":\"all-reduce.3\"}"
		"]}");
	assert_rows(run, "ranks", NULL, NULL, "communication_ns,computation_ns", "6000,4000\n");
	run_free(run);
}

/* Without a duration, or with a negative one, an event is an instant. */
TEST(events_without_a_duration_are_instants)
{
	struct run *run = trace_run(
		"{\"traceEvents\":["
		"{\"ph\":\"M\",\"pid\":3,\"name\":\"process_name\","
		"\"args\":{\"name\":\"/device:TPU:0\"}},"
		"{\"ph\":\"M\",\"pid\":3,\"tid\":3,\"name\":\"thread_name\","
		"\"args\":{\"name\":\"XLA Ops\"}},"
		"{\"ph\":\"X\",\"pid\":3,\"tid\":3,\"ts\":10,\"dur\":4,\"name\":\"a\"},"
		"{\"ph\":\"X\",\"pid\":3,\"tid\":3,\"ts\":20,\"name\":\"b\"},"
		"{\"ph\":\"X\",\"pid\":3,\"tid\":3,\"ts\":30,\"dur\":-5,\"name\":\"c\"},"
		"{\"ph\":\"X\",\"pid\":3,\"tid\":3,\"ts\":40,\"dur\":\"x\",\"name\":\"d\"}"
		"]}");
	assert_rows(run, "launches", NULL, NULL, "name,dur_ns", "a,4000\nb,0\nc,0\nd,0\n");
	run_free(run);
}

TEST(cut_traces_open_with_what_is_complete)
{
	struct profile *profile = trace_open(data_text("xla_trace_gpu.json"));
	profile_free(profile);
	for (size_t length = 2; length < strlen(data_text("xla_trace_gpu.json")) - 3; length++) {
		struct error error = { 0 };
		profile = trace_open_bytes(data_text("xla_trace_gpu.json"), length, &error);
		assert_true(profile ? profile->truncated && profile->events > 0
				    : error.message[0] != 0);
		profile_free(profile);
	}
}

/* The file that strata opens of a folder with these two, "" for none. */
static char *opened_of(const char *first, const char *second)
{
	const char *const texts[] = { data_text("xla_trace_gpu.json"),
				      data_text("xla_trace_tpu.json") };
	const char *names[] = { first, second };
	char folder[] = "traces-XXXXXX";
	struct error error = { 0 };
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < 2; i++) {
		write_text_in(folder, names[i], texts[i]);
	}
	const char *named[] = { folder };
	struct run *run = run_open(named, 1, NULL, NULL, &error);
	assert_non_null(run);
	char *name = mem_strdup(strrchr(run->ranks[0].path, '/') + 1);
	assert_int_equal(run->runs, 1);
	run_free(run);
	remove_folder(folder);
	return name;
}

TEST(a_folder_opens_the_space_not_the_traces_made_of_it)
{
	char *name = opened_of("a.trace.json.gz", "a.xplane.pb");
	assert_string_equal(name, "a.xplane.pb");
	mem_free(name);
	name = opened_of("perfetto_trace.json.gz", "a.xplane.pb");
	assert_string_equal(name, "a.xplane.pb");
	mem_free(name);
}

TEST(traces_of_several_hosts_are_ranks)
{
	char folder[] = "hosts-XXXXXX";
	struct error error = { 0 };
	assert_non_null(mkdtemp(folder));
	write_text_in(folder, "a.trace.json", data_text("xla_trace_gpu.json"));
	write_text_in(folder, "b.trace.json", data_text("xla_trace_gpu.json"));
	const char *named[] = { folder };
	struct run *run = run_open(named, 1, NULL, NULL, &error);
	assert_non_null(run);
	assert_rows(run, "ranks", NULL, NULL, "rank,host", "0,a\n1,b\n");
	run_free(run);
	remove_folder(folder);
}

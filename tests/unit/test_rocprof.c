/* rocprofv3 JSON: records by kind and operation, agents, damaged documents. */
#include "text_profile_case.h"

#include <stdio.h>
#include <stdlib.h>

#define START "{\"rocprofiler-sdk-tool\":[{"
#define REFERRED                                                                                   \
	"\"metadata\":{\"pid\":7,\"command\":[\"a\"]},\"agents\":["                                \
	"{\"id\":{\"handle\":3},\"type\":1},{\"id\":{\"handle\":5},\"type\":2,"                    \
	"\"product_name\":\"MI350X\"}],\"strings\":{\"callback_records\":[[1,[2]]],"               \
	"\"buffer_records\":[{\"kind\":\"NONE\",\"operations\":[]},"                               \
	"{\"kind\":\"HIP_RUNTIME_API\",\"operations\":[\"x\",\"hipLaunchKernel\"]},"               \
	"{\"kind\":\"MEMORY_COPY\",\"operations\":[\"MEMORY_COPY_HOST_TO_HOST\"]},"                \
	"{\"kind\":\"MARKER_CORE_API\",\"operations\":[\"roctxRangePushA\"]}],"                    \
	"\"marker_api\":[{\"key\":9,\"value\":\"step \\u0031\"}]},"                                \
	"\"kernel_symbols\":[{\"kernel_id\":4,\"formatted_kernel_name\":\"gemm(float*)\","         \
	"\"arch_vgpr_count\":32,\"accum_vgpr_count\":4}]"
#define HEAD START REFERRED ",\"buffer_records\":{"
#define KERNELS                                                                                    \
	"\"kernel_dispatch\":[{\"kind\":11,\"operation\":2,\"correlation_id\":{\"internal\":1,"    \
	"\"external\":0},\"start_timestamp\":120,\"end_timestamp\":130,\"dispatch_info\":{"        \
	"\"agent_id\":{\"handle\":5},\"queue_id\":{\"handle\":16},\"kernel_id\":4,"                \
	"\"group_segment_size\":8,\"workgroup_size\":{\"x\":64,\"y\":1,\"z\":1},"                  \
	"\"grid_size\":{\"x\":128,\"y\":3,\"z\":1}},\"stream_id\":{\"handle\":2}}]"
#define CALLS                                                                                      \
	"\"hip_api\":[{\"kind\":1,\"operation\":1,\"correlation_id\":{\"internal\":1},"            \
	"\"start_timestamp\":100,\"end_timestamp\":110,\"thread_id\":8}],"                         \
	"\"marker_api\":[{\"kind\":3,\"operation\":0,\"correlation_id\":{\"internal\":9},"         \
	"\"start_timestamp\":90,\"end_timestamp\":200,\"thread_id\":8}],"                          \
	"\"memory_copy\":[{\"kind\":2,\"operation\":0,\"start_timestamp\":140,"                    \
	"\"end_timestamp\":150,\"bytes\":64,\"src_agent_id\":{\"handle\":5},"                      \
	"\"dst_agent_id\":{\"handle\":5}},{\"kind\":2,\"operation\":99,"                           \
	"\"start_timestamp\":150,\"end_timestamp\":160,\"src_agent_id\":{\"handle\":3},"           \
	"\"dst_agent_id\":{\"handle\":5}}]"
#define DOCUMENT_OF(rows) HEAD rows "}}]}"
#define SORTED(rows) START "\"buffer_records\":{" rows "}," REFERRED "}]}"

static void assert_records(struct profile *profile)
{
	uint32_t gemm = activity_named(profile, "gemm(float*)");
	const struct launch_config *config = profile_config(profile, gemm);
	const struct track *track = &profile->tracks[profile->activity_track[gemm]];
	uint32_t call = span_named(profile, "hipLaunchKernel");

	assert_string_equal(profile->format, "rocprofv3 output (JSON)");
	assert_int_equal(profile->activity_launch[gemm], call);
	assert_int_equal(profile->span_parent[call], span_named(profile, "step 1"));
	assert_int_equal(config->grid[0], 2);
	assert_int_equal(config->regs_per_thread, 36);
	assert_int_equal(track->tid, 2);
	assert_int_equal(track->device, 0);
	assert_int_equal(profile->activity_bytes[activity_named(profile, "Memcpy HtoH")], 64);
	activity_named(profile, "Memcpy HtoD");
	assert_string_equal(profile_string(profile, profile_device(profile, 0)->name), "MI350X");
	profile_free(profile);
}

TEST(records)
{
	assert_records(trace_open(DOCUMENT_OF(KERNELS "," CALLS)));
}

TEST(records_before_what_they_refer_to)
{
	assert_records(trace_open(SORTED(KERNELS "," CALLS)));
}

/* Cut anywhere: what was read before, or one sentence. */
TEST(cut_documents)
{
	static const char whole[] = DOCUMENT_OF(CALLS "," KERNELS);

	for (size_t length = sizeof "{\"rocprofiler-sdk-tool\""; length + 1 < sizeof whole;
	     length++) {
		struct error error = { 0 };
		struct profile *profile = trace_open_bytes(whole, length, &error);
		if (profile)
			assert_true(profile->truncated);
		else
			assert_true(strlen(error.message) > 5);
		profile_free(profile);
	}
}

TEST(hostile_documents)
{
	static const char *const rows[] = {
		"\"hip_api\":[1,\"x\",null,[[[]]],{}]," KERNELS,
		"\"hip_api\":{\"a\":{\"b\":1}},\"odd\":[[[[[[1]]]]]]," KERNELS,
		"\"hip_api\":[{\"kind\":-1,\"operation\":9223372036854775807,\"start_timestamp\":"
		"-9223372036854775808,\"end_timestamp\":9223372036854775807}]," KERNELS,
		"\"memory_copy\":[{\"kind\":[],\"correlation_id\":7,\"start_timestamp\":1e300,"
		"\"end_timestamp\":\"x\"}]," KERNELS,
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[8192];
		snprintf(text, sizeof text, HEAD "%s}}]}", rows[i]);
		struct profile *profile = trace_open(text);
		activity_named(profile, "gemm(float*)");
		profile_free(profile);
	}
	char *deep = malloc(100000);
	memset(deep, '[', 100000);
	memcpy(deep, "{\"rocprofiler-sdk-tool\":", 24);
	assert_refused(deep, 100000);
	free(deep);
	assert_refused(DOCUMENT_OF(""), sizeof DOCUMENT_OF("") - 1);
}

/* Times are in the arguments, in ns; arrows link calls and work. */
TEST(traces_of_rocprof)
{
	struct run *run = trace_run(data_text("rocprof_old_trace.json"));
	const struct profile *profile = run->ranks[0].profile;
	assert_string_equal(profile->format, "rocprof trace (JSON)");
	assert_rows(run, "launches", NULL, NULL, "name,kind,dur_ns,launch_delay_ns",
		    "Memcpy HtoD,memcpy,50800,199900\nadd(int),kernel,30250,19750\n");
	assert_rows(run, "spans", NULL, NULL, "name,dur_ns",
		    "hipMemcpy,300900\nhipLaunchKernel,10100\n");
	assert_int_equal(profile->tracks[profile->activity_track[1]].device, 4);
	assert_int_equal(damage_count(profile, NULL), 0);
	run_free(run);
	assert_survives(DATA("rocprof_old_trace.json"));
}

/* nvprof databases: call ids, marker pairs, rows without measurements. */
#include "base/buffer.h"
#include "base/demangle.h"
#include "database_case.h"

#define STRINGS                                                                                    \
	"CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);"                         \
	"INSERT INTO StringTable VALUES (0,'-- null --'),(1,'gemm'),(2,'step'),(3,'Tesla V100'),"  \
	"(4,'mul, seq = 7'),(5,'MulBackward0, seq = 7'),(6,'_Z4gemmPf'),(7,'_Z is none');"
#define CALLS(api)                                                                                 \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_" #api " (_id_ INTEGER PRIMARY KEY, cbid INT,"           \
	"start INT, end INT, processId INT, threadId INT, correlationId INT);"
#define KERNELS                                                                                    \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (_id_ INTEGER PRIMARY KEY,"            \
	"start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT,"        \
	"name INT, registersPerThread INT);"
#define MARKERS                                                                                    \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (_id_ INTEGER PRIMARY KEY, flags INT,"            \
	"timestamp INT, id INT, objectKind INT, objectId BLOB, name INT, domain INT);"
/* thread 0xd3dc3740 of process 0x3e42 */
#define THREAD "2,x'423e00004037dcd300000000'"
#define OTHER_THREAD "2,x'423e000000d7ff1a00000000'"

TEST(call_ids_have_names)
{
	struct profile *profile = database_open(
		STRINGS CALLS(RUNTIME) CALLS(DRIVER) KERNELS
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (cbid,start,end,processId,threadId,"
		"correlationId) VALUES (211,100,110,15938,-740542656,1),(9999,120,130,15938,1,2);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER (cbid,start,end,processId,threadId,"
		"correlationId) VALUES (307,102,108,15938,-740542656,3);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start,end,deviceId,streamId,"
		"correlationId,name,registersPerThread) VALUES (200,250,0,7,1,1,32);");
	uint32_t launch = span_named(profile, "cudaLaunchKernel");

	assert_int_equal(profile->activity_launch[activity_named(profile, "gemm")], launch);
	assert_int_equal(profile_config(profile, 0)->regs_per_thread, 32);
	assert_int_equal(profile->tracks[profile->span_track[launch]].tid, 0xd3dc3740);
	assert_int_equal(profile->span_parent[span_named(profile, "cuLaunchKernel")], launch);
	span_named(profile, "cbid_9999");
	profile_free(profile);
}

TEST(markers_are_pairs)
{
	struct profile *profile = database_open(
		STRINGS CALLS(RUNTIME) MARKERS
		"INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (flags,timestamp,id,objectKind,objectId,"
		"name,domain) VALUES (4,300,11," THREAD ",0,0),(2,100,11," THREAD ",2,0),"
		"(2,150,12," THREAD ",4,0),(4,160,12," THREAD ",0,0),"
		"(2,200,13," OTHER_THREAD ",5,0),(4,220,13," OTHER_THREAD ",0,0),"
		"(1,170,14," THREAD ",1,0),(4,500,99," THREAD ",0,0),(2,400,15," THREAD ",1,0);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (cbid,start,end,processId,threadId,"
		"correlationId) VALUES (31,155,158,15938,-740542656,1);");
	uint32_t step = span_named(profile, "step"), mul = span_named(profile, "mul");

	assert_int_equal(profile->span_dur[step], 200);
	assert_int_equal(profile->span_parent[mul], step);
	assert_int_equal(profile->span_kind[mul], SPAN_OPERATOR);
	assert_int_equal(profile->span_parent[span_named(profile, "cudaMemcpy")], mul);
	uint32_t backward = span_named(profile, "MulBackward0");
	assert_int_equal(profile_op_ids(profile, backward)->sequence, 7);
	assert_int_equal(damage_count(profile, "end without begin"), 1);
	assert_int_equal(damage_count(profile, "begin without end"), 1);
	profile_free(profile);
}

/* Times outside any possible capture are discarded. */
TEST(impossible_times_are_discarded)
{
	struct profile *profile = database_open(
		STRINGS MARKERS KERNELS
		"INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (flags,timestamp,id,objectKind,objectId,"
		"name,domain) VALUES (2,-9223372036854775807,1," THREAD ",2,0),"
		"(4,9223372036854775807,1," THREAD ",0,0),(2,50,2," THREAD ",2,0),"
		"(4,60,2," THREAD ",0,0),(2,100,3,2,x'42',2,0),(2,100,4,2,NULL,2,0);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start,end,name) VALUES"
		"(-9223372036854775807,9223372036854775807,1),(50,60,1);");

	assert_int_equal(profile->spans, 1);
	assert_int_equal(profile->activities, 1);
	profile_free(profile);
}

/* Unmeasured rows are all zeros; absolute times need 64 bits. */
TEST(rows_without_times_are_counted)
{
	struct profile *profile = database_open(
		STRINGS KERNELS
		"INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start,end,name) VALUES (0,0,1),"
		"(1583978810959705735,1583978810959712359,1),"
		"(1583978810959705800,1583978810959705700,1);");

	assert_int_equal(profile->activities, 2);
	assert_int_equal(profile->base_ns, 1583978810959705735);
	assert_int_equal(profile->activity_dur[0], 6624);
	assert_int_equal(damage_count(profile, "row without times"), 1);
	assert_int_equal(damage_count(profile, "end before the start"), 1);
	profile_free(profile);
}

/* nvprof stores mangled symbols; they are demangled if the build has a demangler. */
TEST(kernel_symbols_are_demangled)
{
	struct buffer readable = { 0 };
	struct profile *profile = database_open(
		STRINGS KERNELS
		"INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start,end,name) VALUES (1,2,6),"
		"(3,4,6),(5,6,7);");
	bool able = demangle(&readable, "_Z4gemmPf");

	for (uint32_t i = 0; i < 2; i++)
		assert_string_equal(profile_string(profile, profile->activity_name[i]),
				    able ? "gemm(float*)" : "_Z4gemmPf");
	activity_named(profile, "_Z is none");
	buffer_free(&readable);
	profile_free(profile);
}

TEST(devices_and_contexts_are_known)
{
	struct profile *profile = database_open(
		STRINGS KERNELS
		"CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE (id INT, name INT, globalMemorySize INT,"
		"globalMemoryBandwidth INT, coreClockRate INT, numMultiprocessors INT,"
		"maxWarpsPerMultiprocessor INT, numThreadsPerWarp INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES (2,3,4096,898048000,1530000,80,"
		"64,32);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_CONTEXT (contextId INT, deviceId INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_CONTEXT VALUES (5,2);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (type INT, start INT, end INT,"
		"correlationId INT, contextId INT, streamId INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (3,10,20,1,5,7);");
	const struct device *device = profile_device(profile, 2);

	assert_string_equal(profile_string(profile, device->name), "Tesla V100");
	assert_int_equal(device->memory_bandwidth, 898048000000);
	assert_int_equal(device->clock_hz, 1530000000);
	assert_int_equal(device->max_threads_per_sm, 2048);
	assert_int_equal(profile_activity_device(profile, activity_named(profile, "Stream Sync")),
			 2);
	profile_free(profile);
}

TEST(empty_database_is_refused)
{
	assert_database_refused(STRINGS KERNELS, "without kernels");
}

#define ONE_CALL                                                                                   \
	STRINGS                                                                                    \
	CALLS(RUNTIME)                                                                             \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (cbid,start,end,processId,threadId,"              \
	"correlationId) VALUES (20,100,110,15938,5,1);"

TEST(allocations_as_lifetimes_or_operations)
{
	struct profile *profile = database_open(
		ONE_CALL
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMORY (_id_ INTEGER PRIMARY KEY, memoryKind INT,"
		" address INT, bytes INT, start INT, end INT, processId INT, deviceId INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMORY VALUES (1,3,4096,512,120,200,15938,0),"
		"(2,2,8192,64,130,0,15938,0);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMORY2 (_id_ INTEGER PRIMARY KEY,"
		" memoryOperationType INT, memoryKind INT, correlationId INT, address INT, bytes INT,"
		" timestamp INT, processId INT, deviceId INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMORY2 VALUES (1,1,3,1,5000,1000,150,15938,0),"
		"(2,2,3,0,5000,1000,160,15938,0),(3,0,3,0,5000,1000,170,15938,0);");
	/* time, bytes, in use on device or host */
	static const int64_t expected[][3] = {
		{ 20, 512, 512 },   { 30, 64, 64 },   { 50, 1000, 1512 },
		{ 60, -1000, 512 }, { 100, -512, 0 },
	};

	assert_int_equal(profile->memory_count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(profile->memory_events[i].time, expected[i][0]);
		assert_int_equal(profile->memory_events[i].bytes, expected[i][1]);
		assert_int_equal(profile->memory_events[i].total_allocated, expected[i][2]);
	}
	assert_int_equal(profile->memory_events[1].device_type, 0); /* pinned */
	assert_int_equal(profile->tracks[profile->memory_events[2].track].tid, 5);
	profile_free(profile);
}

TEST(unified_memory_counters_are_copies_and_faults)
{
	struct profile *profile = database_open(
		ONE_CALL
		"CREATE TABLE CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER (_id_ INTEGER PRIMARY KEY,"
		" counterKind INT, value INT, start INT, end INT, address INT, srcId INT, dstId INT,"
		" streamId INT, processId INT, flags INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER VALUES"
		"(1,1,65536,200,230,4096,4294967295,1,4294967295,15938,0),"
		"(2,2,4096,240,250,4096,1,4294967295,4294967295,15938,0),"
		"(3,3,77,260,0,4096,0,0,0,15938,0),(4,4,9,270,290,4096,1,0,0,15938,1),"
		"(5,6,1,300,310,4096,1,0,0,15938,0);");
	uint32_t in = activity_named(profile, "Memcpy UVM HtoD");
	uint32_t out = activity_named(profile, "Memcpy UVM DtoH");

	assert_int_equal(profile->activities, 2);
	assert_int_equal(profile->activity_bytes[in], 65536);
	assert_int_equal(profile->activity_dur[in], 30);
	assert_int_equal(profile_activity_device(profile, in), 1);
	assert_int_equal(profile_activity_device(profile, out), 1);
	assert_int_equal(profile->span_kind[span_named(profile, "CPU page fault")], SPAN_INSTANT);
	assert_int_equal(profile->span_dur[span_named(profile, "GPU page faults")], 20);
	profile_free(profile);
}

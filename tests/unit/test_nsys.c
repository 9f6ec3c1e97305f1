/* Nsight Systems exports: kernels, calls, names, missing and invalid data. */
#include "database_case.h"

#include "base/buffer.h"
#include "session/load.h"
#include "views/views.h"

/* Two processes number their calls from 1: each kernel belongs to its own process's call. */
TEST(correlation_is_per_process)
{
	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_KERNELS NSYS_CALLS
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
		"(100,110," NSYS_THREAD(7, 8) ",1,2),(105,115," NSYS_THREAD(
			9,
			10) ",1,3);"
			    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,streamId,correlationId,"
			    "globalPid,demangledName) VALUES"
			    "(200,250,0,7,1," NSYS_PROCESS(7) ",1),(300,350,1,7,1," NSYS_PROCESS(
				    9) ",1),"
				       "(400,450,1,7,2," NSYS_PROCESS(9) ",1);");

	assert_int_equal(profile->activities, 3);
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (profile->activity_correlation[i] == 2) {
			assert_int_equal(launch, NO_ROW);
			continue;
		}
		assert_int_not_equal(launch, NO_ROW);
		assert_int_equal(profile->tracks[profile->activity_track[i]].process,
				 profile->tracks[profile->span_track[launch]].process);
	}
	/* version suffixes are removed; a driver call remains one */
	span_named(profile, "cudaLaunchKernel");
	span_named(profile, "cuLaunchKernel");
	profile_free(profile);
}

/*
 * The kernel add waits for gemm on the other stream, not for small on its own: the event that was
 * recorded last before the wait says so. An earlier record of the event is of small's stream.
 */
#define WAITS                                                                                                                                                         \
	NSYS_STRINGS NSYS_KERNELS NSYS_CALLS                                                                                                                          \
		"INSERT INTO StringIds VALUES (5,'small'),(6,'add'),(7,'cudaEventRecord'),"                                                                           \
		"(8,'cudaStreamWaitEvent'),(9,'cudaEventSynchronize');"                                                                                               \
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"                                                                                                      \
		"(0,1," NSYS_THREAD(7, 8) ",1,2),(2,3," NSYS_THREAD(                                                                                                  \
			7,                                                                                                                                            \
			8) ",2,2),"                                                                                                                                   \
			   "(4,5," NSYS_THREAD(7, 8) ",10,7),(6,7," NSYS_THREAD(                                                                                      \
				   7,                                                                                                                                 \
				   8) ",11,7),"                                                                                                                       \
				      "(8,9," NSYS_THREAD(7, 8) ",12,8),(10,12," NSYS_THREAD(                                                                         \
					      7,                                                                                                                      \
					      8) ",13,2);"                                                                                                            \
						 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,streamId,"                                               \
						 "correlationId,globalPid,demangledName) VALUES"                                                                      \
						 "(10,11000,0,7,1," NSYS_PROCESS(7) ",1),(14,10900,0,8,2," NSYS_PROCESS(7) ",5),(140000,145000,0,8,13," NSYS_PROCESS( \
							 7) ",6);"                                                                                                    \
							    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INT, streamId INT,"                                \
							    "correlationId INT, globalPid INT, eventId INT, eventSyncId INT);"                                        \
							    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT,"                                   \
							    "deviceId INT, streamId INT, correlationId INT, globalPid INT, syncType INT,"                             \
							    "eventId INT, eventSyncId INT);"                                                                          \
							    "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES"                                                       \
							    "(0,8,10," NSYS_PROCESS(7) ",5,100),(0,7,11," NSYS_PROCESS(                                               \
								    7) ",5,101),"                                                                                     \
								       "(0,8,11," NSYS_PROCESS(9) ",5,101),(0,8,99," NSYS_PROCESS(                                    \
									       7) ",5,102);"                                                                          \
										  "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"                            \
										  "(8,9,0,8,12," NSYS_PROCESS(                                                        \
											  7) ",2,5,101);"

static void assert_row(const struct table *table, size_t row, int64_t dur, const char *kind,
		       const char *name)
{
	assert_int_equal(table_number(table, row, "dur_ns"), dur);
	assert_string_equal(table_cell(table, row, "kind").text, kind);
	assert_string_equal(table_cell(table, row, "name").text, name);
}

TEST(recorded_waits_are_on_the_critical_path)
{
	struct run *run = database_run(WAITS);
	struct table *path = trace_view(run, "critical-path", NULL, NULL);
	assert_int_equal(path->rows, 3); /* from the first work: what precedes is startup */
	assert_row(path, 0, 10990, "compute", "gemm");
	assert_row(path, 1, 129000, "queue", "add");
	assert_row(path, 2, 5000, "compute", "add");
	table_free(path);
	run_free(run);
}

/* The host waits for gemm by an event, though small ends just before the call returns. */
TEST(recorded_host_waits_are_on_the_critical_path)
{
	struct run *run = database_run(
		WAITS "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 11300, end = 11400 "
		      "WHERE demangledName = 6;"
		      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 11200, end = 11205 "
		      "WHERE correlationId = 13;"
		      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 11100 WHERE demangledName = 5;"
		      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (20,11200," NSYS_THREAD(
			      7, 8) ",14,9);"
				    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
				    "(20,11200,0,4294967295,14," NSYS_PROCESS(7) ",1,5,101);");
	struct table *path = trace_view(run, "critical-path", NULL, NULL);
	assert_int_equal(path->rows, 4);
	assert_row(path, 0, 10990, "compute", "gemm");
	assert_row(path, 1, 200, "sync", "cudaEventSynchronize");
	assert_row(path, 2, 100, "launch", "cudaLaunchKernel");
	assert_row(path, 3, 100, "compute", "add");
	table_free(path);
	run_free(run);
}

/* Startup before and teardown after the work of the device are not in the buckets. */
TEST(buckets_are_of_the_analysis_window)
{
	struct run *run = database_run(
		NSYS_STRINGS NSYS_KERNELS NSYS_CALLS
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
		"(100,110," NSYS_THREAD(7, 8) ",1,2),(9999000,9999900," NSYS_THREAD(
			7,
			8) ",2,3);"
			   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,streamId,correlationId,"
			   "globalPid,demangledName) VALUES"
			   "(6000000,6050000,0,7,1," NSYS_PROCESS(
				   7) ",1),(6080000,6100000,0,7,3," NSYS_PROCESS(7) ",1);");
	struct table *buckets = trace_view(run, "utilization", NULL, NULL);
	int busy = 0;
	assert_int_equal(buckets->rows, 100);
	assert_int_equal(table_number(buckets, 0, "start_ns"), 6000000 - 100);
	assert_int_equal(table_number(buckets, 99, "start_ns"), 6099000 - 100);
	for (size_t row = 0; row < buckets->rows; row++)
		busy += table_cell(buckets, row, "gpu_util_pct").real > 99;
	assert_int_equal(busy, 70);
	table_free(buckets);
	run_free(run);
}

/* Without a process id in the kernel table, the correlation id alone must do. */
TEST(kernels_without_process_join_by_correlation)
{
	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_CALLS
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, \"end\" INT, streamId INT,"
		"correlationId INT, shortName INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2," NSYS_THREAD(
			7, 8) ",5,2);"
			      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3,4,7,5,1);");

	assert_string_equal(profile_string(profile, profile->activity_name[0]), "gemm");
	assert_int_not_equal(profile->activity_launch[0], NO_ROW);
	profile_free(profile);
}

TEST(kernels_keep_their_launch_parameters)
{
	struct profile *profile =
		database_open(NSYS_STRINGS NSYS_KERNELS
			      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
			      "(10,30,1,7,1," NSYS_PROCESS(7) ",1,2,3,4,128,2,1,40,1024,512);");
	const struct launch_config *config = profile_config(profile, 0);

	assert_int_equal(config->grid[0], 2);
	assert_int_equal(config->grid[2], 4);
	assert_int_equal(config->block[0], 128);
	assert_int_equal(config->regs_per_thread, 40);
	assert_int_equal(config->shared_mem_bytes, 1536);
	assert_int_equal(profile_activity_device(profile, 0), 1);
	assert_int_equal(profile->activity_dur[0], 20);
	profile_free(profile);
}

/* The first bits of a process are its machine. */
TEST(machines_have_devices_of_their_own)
{
	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_KERNELS "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
					  "(10,30,1,7,1,(2<<48)|(7<<24),1,2,3,4,128,2,1,40,0,0),"
					  "(40,60,1,7,1,(3<<48)|(7<<24),1,2,3,4,128,2,1,40,0,0),"
					  "(70,80,0,7,1,(4<<48)|(7<<24),1,2,3,4,128,2,1,40,0,0);");
	static const int devices[] = { 1, 65, 128 };
	assert_int_equal(profile->activities, 3);
	for (uint32_t i = 0; i < profile->activities; i++)
		assert_int_equal(profile_activity_device(profile, i), devices[i]);
	profile_free(profile);
}

TEST(copies_memsets_and_waits_have_pytorch_names)
{
	struct profile *profile = database_open(
		NSYS_STRINGS
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT,"
		"streamId INT, correlationId INT, globalPid INT, bytes INT, copyKind INT,"
		"srcKind INT, dstKind INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1,2,0,7,1,0,64,1,0,2),"
		"(3,4,0,7,2,0,32,2,3,1);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT,"
		"streamId INT, correlationId INT, globalPid INT, bytes INT, memKind INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (5,6,0,7,3,0,16,2);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT,"
		"deviceId INT, streamId INT, correlationId INT, globalPid INT, syncType INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (7,8,0,4294967295,4,0,4);");

	assert_int_equal(profile->activity_bytes[activity_named(
				 profile, "Memcpy HtoD (Pageable -> Device)")],
			 64);
	/*
	 * in old releases the memory kind codes are identified by the side that must be the device
	 */
	assert_int_equal(profile->activity_bytes[activity_named(
				 profile, "Memcpy DtoH (Device -> Pageable)")],
			 32);
	assert_int_equal(profile->activity_bytes[activity_named(profile, "Memset (Device)")], 16);
	uint32_t sync = activity_named(profile, "Context Sync");
	assert_int_equal(profile->activity_kind[sync], ACTIVITY_SYNC);
	assert_int_equal(profile->tracks[profile->activity_track[sync]].tid, -1);
	profile_free(profile);
}

#define CONTEXT_WAITS                                                                              \
	NSYS_STRINGS                                                                               \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT,"               \
	"contextId INT, streamId INT, correlationId INT, globalPid INT, bytes INT);"               \
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1,2,0,1,7,1,0,16),(3,4,1,2,7,2,0,16),"     \
	"(5,6,0,1,7,3,0,16);"                                                                      \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT,"      \
	"contextId INT, streamId INT, correlationId INT, globalPid INT, syncType INT);"            \
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (7,8,0,2,4294967295,4,0,4),"       \
	"(9,10,0,1,7,5,0,3),(11,12,0,9,7,6,0,2);"

/* The device of a synchronization is recorded as 0: the one of its context counts. */
TEST(synchronizations_are_on_the_gpu_of_their_context)
{
	struct profile *profile = database_open(CONTEXT_WAITS);
	static const struct {
		const char *name;
		int32_t device;
		int64_t stream;
		const char *lane;
	} expected[] = { { "Context Sync", 1, -1, "GPU1 no stream" },
			 { "Stream Sync", 0, 7, "GPU0 stream 7" },
			 { "Stream Wait Event", 0, 7, "GPU0 stream 7" } };
	for (size_t i = 0; i < 3; i++) {
		uint32_t index = profile->activity_track[activity_named(profile, expected[i].name)];
		const struct track *track = &profile->tracks[index];
		struct buffer lane = { 0 };
		track_name(profile, index, &lane);
		assert_int_equal(track->device, expected[i].device);
		assert_int_equal(track->tid, expected[i].stream);
		assert_string_equal(buffer_text(&lane), expected[i].lane);
		buffer_free(&lane);
	}
	profile_free(profile);
	struct run *run = database_run(CONTEXT_WAITS);
	assert_rows(run, "launches", NULL, NULL, "kind,device,stream",
		    "memset,GPU0,7\nmemset,GPU1,7\nmemset,GPU0,7\nsync,GPU1,\nsync,GPU0,7\n"
		    "sync,GPU0,7\n");
	run_free(run);
}

TEST(bad_rows_are_counted)
{
	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_KERNELS NSYS_CALLS
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,globalPid,demangledName) VALUES"
		"(0,0,0,1),(50,40,0,1),(NULL,9,0,1),(60,NULL,0,1),(70,80,0,99),"
		"(-9223372036854775807,9223372036854775807,0,1);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (90,NULL,1,1,2);");

	assert_int_equal(profile->activities, 2);
	assert_int_equal(damage_count(profile, "row without a start"), 3);
	assert_int_equal(damage_count(profile, "end before the start"), 1);
	assert_int_equal(damage_count(profile, "GPU event without an end"), 1);
	assert_int_equal(damage_count(profile, "name missing in the string table"), 1);
	assert_int_equal(damage_count(profile, "begin without end"), 1);
	profile_free(profile);
}

TEST(values_of_wrong_types_read_as_missing)
{
	struct profile *profile = database_open(
		NSYS_STRINGS
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId,"
		"correlationId, globalPid, demangledName);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10,20,0,'seven',x'00',0,1.5),"
		"('soon',20,0,7,1,0,1);");

	assert_int_equal(profile->activities, 1);
	assert_int_equal(profile->activity_correlation[0], NO_VALUE);
	assert_int_equal(damage_count(profile, "value of the wrong type"), 4);
	profile_free(profile);
}

TEST(integral_reals_are_integers)
{
	struct profile *profile = database_open(
		NSYS_STRINGS
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId,"
		"correlationId, globalPid, gridX, demangledName);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10.0,20,0,7.0,5.0,0,1e300,1.0);");

	assert_int_equal(profile->activities, 1);
	assert_int_equal(profile->activity_dur[0], 10);
	assert_int_equal(profile->activity_correlation[0], 5);
	assert_int_equal(profile->tracks[profile->activity_track[0]].tid, 7);
	assert_int_equal(damage_count(profile, "value of the wrong type"), 1);
	profile_free(profile);
}

TEST(latest_table_revision_is_read)
{
	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_KERNELS
		"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO CUPTI_ACTIVITY_KIND_KERNEL_V2;"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V3 AS SELECT *"
		" FROM CUPTI_ACTIVITY_KIND_KERNEL_V2;"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V3 (start,end,demangledName)"
		" VALUES (1,3,1);");

	assert_int_equal(profile->activities, 1);
	profile_free(profile);
}

TEST(table_lacking_columns_is_skipped)
{
	struct profile *profile =
		database_open(NSYS_STRINGS NSYS_CALLS
			      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (begin INT, finish INT);"
			      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2);"
			      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2,1,1,2);");

	assert_int_equal(profile->activities, 0);
	assert_int_equal(damage_count(profile, "table lacks a required column"), 1);
	profile_free(profile);
}

TEST(views_and_virtual_tables_are_ignored)
{
	static const char kernels[] =
		NSYS_STRINGS "CREATE TABLE hidden (start INT, end INT, demangledName INT);"
			     "INSERT INTO hidden VALUES (1,2,1);"
			     "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM hidden;";
	assert_database_refused(kernels, "in place of table CUPTI_ACTIVITY_KIND_KERNEL");

	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_CALLS
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2,1,1,2);"
		"CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start, 2 AS end;"
		"CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_MEMCPY USING fts5(start, end);");
	assert_int_equal(profile->activities, 0);
	assert_int_equal(damage_count(profile, "view in place of a table"), 1);
	profile_free(profile);
}

/* SQLite index entries are not table rows. */
TEST(indexes_are_not_used)
{
	struct profile *profile = database_open(
		NSYS_STRINGS NSYS_KERNELS
		"CREATE INDEX covering ON CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId,"
		"streamId, correlationId, globalPid, demangledName);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,demangledName) VALUES (1,2,1);"
		"PRAGMA writable_schema = 1;"
		"UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master"
		" WHERE name = 'StringIds') WHERE name = 'covering';");

	assert_int_equal(profile->activities, 1);
	assert_int_equal(profile->activity_dur[0], 1);
	profile_free(profile);
}

TEST(empty_export_is_refused)
{
	assert_database_refused("CREATE TABLE a (b); CREATE TABLE c (d);", "(tables a, c)");
	assert_database_refused("PRAGMA user_version = 1", "without tables");
	assert_database_refused(NSYS_STRINGS NSYS_KERNELS NSYS_CALLS, "nsys profile -t cuda,nvtx");
	assert_database_refused(NSYS_STRINGS "CREATE TABLE META_DATA_EXPORT (name, value);",
				"nsys profile -t cuda,nvtx");
	assert_database_refused(NSYS_STRINGS "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);",
				"nsys profile -t cuda,nvtx");
}

TEST(os_and_library_calls_are_kept)
{
	struct profile *profile = database_open(
		NSYS_STRINGS
		"CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT);"
		"INSERT INTO OSRT_API VALUES (1,20," NSYS_THREAD(
			7,
			8) ",4);"
			   "CREATE TABLE PROFILER_OVERHEAD (start INT, end INT, globalTid INT, nameId INT);"
			   "INSERT INTO PROFILER_OVERHEAD VALUES (10,30," NSYS_THREAD(7, 8) ",1);");
	uint32_t poll = span_named(profile, "poll"), overhead = span_named(profile, "gemm");

	assert_int_equal(profile->span_kind[poll], SPAN_OTHER);
	assert_int_equal(profile->span_kind[overhead], SPAN_OVERHEAD);
	assert_int_not_equal(profile->span_track[poll], profile->span_track[overhead]);
	assert_int_equal(profile->tracks[profile->span_track[poll]].tid, 8);
	assert_int_equal(damage_count(profile, NULL), 0);
	profile_free(profile);
}

TEST(graph_replay_without_kernels_is_reported)
{
	struct profile *profile = database_open(
		NSYS_STRINGS
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, deviceId INT,"
		"graphId INT, streamId INT, correlationId INT, globalPid INT);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1,9,0,5,7,1,0),"
		"(11,19,0,5,7,2,0);");

	activity_named(profile, "CUDA graph 5 (kernels not recorded)");
	assert_int_equal(damage_count(profile, "CUDA graph without kernels"), 2);
	profile_free(profile);
}

/* ---- metadata ---- */

#define ONE_CALL                                                                                   \
	NSYS_STRINGS NSYS_CALLS                                                                    \
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (5,6," NSYS_THREAD(7, 8) ",1,2);"

TEST(devices_are_described_by_ordinal)
{
	struct profile *profile = database_open(
		ONE_CALL
		"CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, totalMemory INT, smCount INT,"
		"memoryBandwidth INT, clockRate INT, maxWarpsPerSm INT, threadsPerWarp INT,"
		"computeMajor INT, computeMinor INT);"
		"INSERT INTO TARGET_INFO_GPU VALUES (3,'H100',1000,132,2000,1500,64,32,9,0);"
		"CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT);"
		"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3,0),(3,1);");
	const struct device *device = profile_device(profile, 1);

	assert_non_null(device);
	assert_string_equal(profile_string(profile, device->name), "H100");
	assert_int_equal(device->sm_count, 132);
	assert_int_equal(device->max_threads_per_sm, 2048);
	assert_int_equal(device->memory_bandwidth, 2000);
	assert_int_equal(device->clock_hz, 1500);
	assert_null(profile_device(profile, 3));
	profile_free(profile);
}

/* The program's environment is in the file and must not be imported. */
TEST(environment_is_not_imported)
{
	struct profile *profile =
		database_open(ONE_CALL "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
				       "INSERT INTO META_DATA_CAPTURE VALUES"
				       "('PROCESS_0:ENVIRONMENT_VARIABLE','API_TOKEN=tell-nobody'),"
				       "('CUDA_GRAPH_TRACE_OPTIONS:MODE','Graph');");

	assert_string_equal(profile_metadata(profile, "CUDA graph trace"), "Graph");
	for (uint32_t i = 0; i < intern_count(profile->strings); i++)
		assert_null(strstr(intern_text(profile->strings, i), "tell-nobody"));
	profile_free(profile);
}

TEST(processes_threads_and_the_clock_are_named)
{
	struct profile *profile = database_open(
		ONE_CALL
		"CREATE TABLE PROCESSES (globalPid INT, pid INT, name TEXT);"
		"INSERT INTO PROCESSES VALUES (" NSYS_PROCESS(
			7) ",70000007,'python');"
			   "CREATE TABLE ThreadNames (nameId INT, globalTid INT);"
			   "INSERT INTO ThreadNames VALUES (1," NSYS_THREAD(
				   7,
				   8) ");"
				      "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INT);"
				      "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);"
				      "CREATE TABLE DIAGNOSTIC_EVENT (severity INT, text TEXT);"
				      "INSERT INTO DIAGNOSTIC_EVENT VALUES (1,'all is well'),(2,'12 events were lost');");
	const struct track *track = &profile->tracks[profile->span_track[0]];
	const struct process *process = &profile->processes[track->process];

	assert_int_equal(process->pid,
			 70000007); /* needs more than the 24 bits of the encoded pid */
	assert_string_equal(profile_string(profile, process->name), "python");
	assert_string_equal(profile_string(profile, track->name), "gemm");
	assert_int_equal(profile->epoch_ns, 1700000000000000000);
	assert_int_equal(profile->base_ns, 5);
	assert_string_equal(profile_metadata(profile, "warning 1 of the profiler"),
			    "12 events were lost");
	assert_int_equal(damage_count(profile, "events lost by the profiler"), 1);
	profile_free(profile);
}

TEST(memory_and_metrics_are_read)
{
	struct profile *profile = database_open(
		ONE_CALL
		"CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INT, globalPid INT, deviceId INT,"
		"address INT, bytes INT, memoryOperationType INT);"
		"INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (20,0,1,4096,512,1),"
		"(10,0,1,4096,512,0);"
		"CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);"
		"INSERT INTO GPU_METRICS VALUES (15,258,4,37);"
		"CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);"
		"INSERT INTO TARGET_INFO_GPU_METRICS VALUES (258,4,'SMs Active');");

	assert_int_equal(profile->memory_count, 2);
	assert_int_equal(profile->memory_events[0].bytes, 512);
	assert_int_equal(profile->memory_events[1].bytes, -512);
	assert_int_equal(profile->memory_events[1].device_id, 1);
	assert_int_equal(profile->memory_events[0].total_allocated, 512);
	assert_int_equal(profile->memory_events[1].total_allocated, 0);
	assert_int_equal(profile->counter_count, 1);
	assert_string_equal(profile_string(profile, profile->counters[0].name), "SMs Active");
	assert_int_equal(profile->tracks[profile->counters[0].track].device, 2);
	assert_true(profile->counters[0].value == 37);
	profile_free(profile);
}

/* By time: device +100 and +50, host +7, then device -100, then a free of an unseen block. */
TEST(memory_in_use_is_per_device)
{
	struct profile *profile = database_open(
		ONE_CALL
		"CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INT, globalPid INT, deviceId INT,"
		"address INT, bytes INT, memKind INT, memoryOperationType INT, correlationId INT);"
		"INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
		"(40," NSYS_PROCESS(7) ",0,1,100,2,1,NULL),(10," NSYS_PROCESS(
			7) ",0,1,100,2,0,1),"
			   "(20," NSYS_PROCESS(7) ",0,2,50,4,0,NULL),(30," NSYS_PROCESS(
				   7) ",0,3,7,1,0,NULL),"
				      "(50," NSYS_PROCESS(7) ",0,9,80,2,1,NULL),(60," NSYS_PROCESS(
					      7) ",0,4,-5,2,0,NULL);");
	static const int64_t total[] = { 100, 150, 7, 50, 0 };

	assert_int_equal(profile->memory_count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(profile->memory_events[i].total_allocated, total[i]);
	assert_int_equal(profile->memory_events[2].device_type, 0);
	assert_int_equal(profile->memory_events[2].device_id, -1);
	/* the allocating thread is found through its call */
	assert_int_equal(profile->tracks[profile->memory_events[0].track].tid, 8);
	assert_int_equal(profile->tracks[profile->memory_events[1].track].tid, NO_VALUE);
	assert_int_equal(damage_count(profile, "memory event without time or size"), 1);
	profile_free(profile);
}

TEST(page_faults_have_own_lanes)
{
	struct profile *profile = database_open(
		ONE_CALL
		"CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (start INT, globalPid INT, address INT,"
		" CpuInstruction INT);"
		"INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES (7," NSYS_PROCESS(
			7) ",4096,4);"
			   "CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INT, end INT, globalPid INT,"
			   " deviceId INT, address INT, numberOfPageFaults INT, faultAccessType INT);"
			   "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (8,20," NSYS_PROCESS(
				   7) ",1,-1,12,2),"
				      "(NULL,20," NSYS_PROCESS(7) ",1,-1,12,2);");
	uint32_t host = span_named(profile, "CPU page fault");
	uint32_t device = span_named(profile, "GPU page faults");
	static const char *const texts[][2] = { { "address", "0xffffffffffffffff" },
						{ PAGE_FAULT_COUNT, "12" },
						{ "access", "write" } };
	size_t count;
	const struct attribute *attributes = profile_span_attributes(profile, device, &count);

	assert_int_equal(profile->span_kind[host], SPAN_INSTANT);
	assert_int_equal(profile->tracks[profile->span_track[host]].device, -1);
	assert_int_equal(profile->span_dur[device], 12);
	assert_int_equal(profile->tracks[profile->span_track[device]].device, 1);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;
		while (k < 3 && strcmp(profile_string(profile, attributes[i].key), texts[k][0]))
			k++;
		assert_true(k < 3);
		assert_string_equal(profile_string(profile, attributes[i].text), texts[k][1]);
	}
	attributes = profile_span_attributes(profile, host, &count);
	assert_int_equal(count, 2); /* address and function */
	profile_free(profile);
}

TEST(metrics_have_mean_and_bounds)
{
	struct run *run = database_run(
		ONE_CALL
		"CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);"
		"INSERT INTO GPU_METRICS VALUES (5,256,4,10),(6,256,4,40),(7,256,4,25),(6,257,4,7),"
		"(6,256,5,1),(NULL,256,4,99);"
		"CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);"
		"INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256,4,'SMs Active'),(257,4,'SMs Active');");
	struct table *table = trace_view(run, "counters", NULL, NULL);

	assert_int_equal(table->rows, 3);
	assert_string_equal(table_cell(table, 0, "name").text, "SMs Active");
	assert_string_equal(table_cell(table, 0, "device").text, "GPU0");
	assert_int_equal(table_cell(table, 0, "value_count").integer, 3);
	assert_true(table_cell(table, 0, "mean_value").real == 25);
	assert_true(table_cell(table, 0, "min_value").real == 10);
	assert_true(table_cell(table, 0, "max_value").real == 40);
	assert_true(table_cell(table, 0, "last_value").real == 25);
	assert_string_equal(table_cell(table, 1, "device").text, "GPU1");
	assert_string_equal(table_cell(table, 2, "name").text, "unnamed metric");
	table_free(table);
	run_free(run);
}

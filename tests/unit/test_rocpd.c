/* rocpd databases: schemas by their tables, ids inside one recording, markers, copies, counters. */
#include "database_case.h"

#include <stdio.h>

/* The tables of schema 3 with suffix S, as rocprofv3 names them. */
#define INFO(s)                                                                                    \
	"CREATE TABLE rocpd_metadata" s " (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);"         \
	"CREATE TABLE rocpd_string" s " (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);"         \
	"CREATE TABLE rocpd_info_node" s " (id INTEGER PRIMARY KEY, hash INT, hostname TEXT);"     \
	"CREATE TABLE rocpd_info_process" s " (id INTEGER PRIMARY KEY, nid INT, pid INT);"         \
	"CREATE TABLE rocpd_info_thread" s                                                         \
	" (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT, name TEXT);"                         \
	"CREATE TABLE rocpd_info_agent" s                                                          \
	" (id INTEGER PRIMARY KEY, type TEXT, absolute_index INT, product_name TEXT);"             \
	"CREATE TABLE rocpd_info_kernel_symbol" s                                                  \
	" (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT, arch_vgpr_count INT,"      \
	" accum_vgpr_count INT);"                                                                  \
	"CREATE TABLE rocpd_info_pmc" s                                                            \
	" (id INTEGER PRIMARY KEY, agent_id INT, name TEXT, units TEXT);"                          \
	"INSERT INTO rocpd_metadata" s " VALUES (1,'schema_version','3.0.3');"                     \
	"INSERT INTO rocpd_string" s " (id,string) VALUES (1,''),(2,'HIP_RUNTIME_API_EXT'),"       \
	"(3,'hipLaunchKernel'),(4,'KERNEL_DISPATCH'),(5,'MARKER_CORE_RANGE_API'),"                 \
	"(6,'roctxThreadRangeA'),(7,'MARKER_CORE_API'),(8,'MEMORY_COPY_HOST_TO_DEVICE'),"          \
	"(9,'odd');"                                                                               \
	"INSERT INTO rocpd_info_node" s " VALUES (1,77,'node0');"                                  \
	"INSERT INTO rocpd_info_process" s " VALUES (40,1,4000);"                                  \
	"INSERT INTO rocpd_info_thread" s " VALUES (41,1,40,4001,'main');"                         \
	"INSERT INTO rocpd_info_agent" s " VALUES (5,'GPU',9,'MI300X b'),(6,'GPU',4,'MI300X a'),"  \
	"(7,'CPU',0,'EPYC');"                                                                      \
	"INSERT INTO rocpd_info_kernel_symbol" s " VALUES (1,'_Z4gemmPf.kd','gemm(float*)',64,8)," \
	"(2,'plain.kd',NULL,NULL,NULL);"                                                           \
	"INSERT INTO rocpd_info_pmc" s " VALUES (1,6,'SQ_WAVES','');"
#define ROWS(s)                                                                                    \
	"CREATE TABLE rocpd_event" s                                                               \
	" (id INTEGER PRIMARY KEY, category_id INT, stack_id INT, parent_stack_id INT,"            \
	" correlation_id INT, extdata JSONB);"                                                     \
	"CREATE TABLE rocpd_region" s                                                              \
	" (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT, start INT, end INT, name_id INT,"    \
	" event_id INT);"                                                                          \
	"CREATE TABLE rocpd_track" s                                                               \
	" (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT, name_id INT);"                       \
	"CREATE TABLE rocpd_sample" s                                                              \
	" (id INTEGER PRIMARY KEY, track_id INT, timestamp INT, event_id INT);"                    \
	"CREATE TABLE rocpd_kernel_dispatch" s                                                     \
	" (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT, agent_id INT, kernel_id INT,"        \
	" queue_id INT, stream_id INT, start INT, end INT, group_segment_size INT,"                \
	" workgroup_size_x INT, workgroup_size_y INT, workgroup_size_z INT, grid_size_x INT,"      \
	" grid_size_y INT, grid_size_z INT, event_id INT);"                                        \
	"CREATE TABLE rocpd_memory_copy" s                                                         \
	" (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT, start INT, end INT, name_id INT,"    \
	" dst_agent_id INT, src_agent_id INT, size INT, queue_id INT, stream_id INT,"              \
	" event_id INT);"                                                                          \
	"CREATE TABLE rocpd_memory_allocate" s                                                     \
	" (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT, agent_id INT, type TEXT,"            \
	" level TEXT, start INT, end INT, address INT, size INT, event_id INT);"                   \
	"CREATE TABLE rocpd_pmc_event" s                                                           \
	" (id INTEGER PRIMARY KEY, event_id INT, sample_id INT, pmc_id INT, value REAL);"
#define SCHEMA(s) INFO(s) ROWS(s)
/* A kernel at START for 10 ns that the call with stack id 11 launched. */
#define LAUNCHED(s, start)                                                                         \
	"INSERT INTO rocpd_event" s " (id,category_id,stack_id) VALUES (1,2,11),(2,4,11);"         \
	"INSERT INTO rocpd_region" s " VALUES (1,1,40,41," start "," start "+5,3,1);"              \
	"INSERT INTO rocpd_kernel_dispatch" s " VALUES (1,1,40,41,6,1,0,2," start "+20," start     \
	"+30,512,64,2,1,130,4,1,2);"

TEST(kernels_have_blocks_device_and_call)
{
	struct profile *profile = database_open(SCHEMA("_u") LAUNCHED("_u", "100"));
	uint32_t gemm = activity_named(profile, "gemm(float*)");
	const struct launch_config *config = profile_config(profile, gemm);
	const struct track *track = &profile->tracks[profile->activity_track[gemm]];

	assert_string_equal(profile->format, "rocpd database (SQLite)");
	assert_int_equal(profile->activity_launch[gemm], span_named(profile, "hipLaunchKernel"));
	assert_int_equal(config->grid[0], 3); /* 130 work-items of 64 */
	assert_int_equal(config->grid[1], 2);
	assert_int_equal(config->block[0], 64);
	assert_int_equal(config->regs_per_thread, 72);
	assert_int_equal(config->shared_mem_bytes, 512);
	assert_int_equal(track->device, 0); /* by the machine's order, not by id */
	assert_int_equal(track->tid, 2);
	assert_int_equal(profile->processes[track->process].pid, 4000);
	assert_string_equal(profile_string(profile, profile_device(profile, 0)->name), "MI300X a");
	profile_free(profile);
}

TEST(early_suffix_and_rows_without_events)
{
	struct profile *profile = database_open(
		INFO("cc38") "CREATE TABLE rocpd_kernel_dispatchcc38 (pid INT, agent_id INT,"
			     "kernel_id INT, start INT, end INT);"
			     "CREATE TABLE rocpd_memory_copycc38 (start INT, end INT,"
			     "dst_agent_id INT, src_agent_id INT, size INT);"
			     "CREATE TABLE rocpd_regioncc38 (start INT, end INT, name_id INT);"
			     "INSERT INTO rocpd_kernel_dispatchcc38 VALUES (40,5,2,10,20);"
			     "INSERT INTO rocpd_memory_copycc38 VALUES (20,30,7,5,64);"
			     "INSERT INTO rocpd_regioncc38 VALUES (5,50,9);");

	activity_named(profile, "plain");
	assert_int_equal(profile->activity_bytes[activity_named(profile, "Memcpy DtoH")], 64);
	assert_int_equal(profile->span_kind[span_named(profile, "odd")], SPAN_ANNOTATION);
	profile_free(profile);
}

/* Rows of schema 4 name a track, which has what the columns had; categories have a table. */
TEST(tracks_stand_for_columns)
{
	struct profile *profile = database_open(
		INFO("_v") "CREATE TABLE rocpd_info_category_v (id INTEGER PRIMARY KEY, name TEXT);"
			   "INSERT INTO rocpd_info_category_v VALUES (1,'HIP_RUNTIME_API');"
			   "CREATE TABLE rocpd_track_v (id INTEGER PRIMARY KEY, nid INT, pid INT,"
			   "tid INT, agent_id INT, queue_id INT, stream_id INT);"
			   "INSERT INTO rocpd_track_v VALUES (1,1,40,41,NULL,NULL,NULL),"
			   "(2,1,40,41,5,1,3);"
			   "CREATE TABLE rocpd_event_v (id INTEGER PRIMARY KEY, category_id INT,"
			   "stack_id INT);"
			   "INSERT INTO rocpd_event_v VALUES (1,1,11),(2,4,11);"
			   "CREATE TABLE rocpd_region_v (track_id INT, name_id INT, start INT,"
			   "end INT, event_id INT);"
			   "INSERT INTO rocpd_region_v VALUES (1,3,100,105,1);"
			   "CREATE TABLE rocpd_kernel_dispatch_v (track_id INT, kernel_id INT,"
			   "start INT, end INT, event_id INT);"
			   "INSERT INTO rocpd_kernel_dispatch_v VALUES (2,1,120,130,2);");
	uint32_t call = span_named(profile, "hipLaunchKernel");
	const struct track *track = &profile->tracks[profile->activity_track[0]];

	assert_int_equal(profile->span_kind[call], SPAN_RUNTIME);
	assert_int_equal(profile->tracks[profile->span_track[call]].tid, 4001);
	assert_int_equal(profile->activity_launch[0], call);
	assert_int_equal(track->device, 1);
	assert_int_equal(track->tid, 3);
	profile_free(profile);
}

/* Ids of one recording mean something else in another. */
TEST(recordings_are_apart)
{
	struct profile *profile =
		database_open(SCHEMA("_a") LAUNCHED("_a", "100") SCHEMA("_b") LAUNCHED(
			"_b",
			"1000") "UPDATE rocpd_info_process_b SET pid = 5000;"
				"UPDATE rocpd_info_kernel_symbol_b SET display_name = 'other' WHERE id = 1;"
				"UPDATE rocpd_info_node_b SET hash = 78, hostname = 'node1';");
	uint32_t gemm = activity_named(profile, "gemm(float*)");
	uint32_t other = activity_named(profile, "other");

	assert_int_equal(profile->span_start[profile->activity_launch[gemm]], 0);
	assert_int_equal(profile->span_start[profile->activity_launch[other]], 900);
	const struct process *process =
		&profile->processes[profile->tracks[profile->activity_track[other]].process];
	assert_int_equal(process->pid, 5000);
	assert_string_equal(profile_string(profile, process->label), "[node1] 5000");
	profile_free(profile);
}

TEST(markers_have_their_message)
{
	/* the third message is JSONB: an object of two texts */
	struct profile *profile = database_open(SCHEMA("_u") LAUNCHED(
		"_u",
		"100") "INSERT INTO rocpd_event_u (id,category_id,stack_id,extdata) VALUES"
		       "(3,5,12,'{\"message\": \"step \\\"1\\\"\"}'),(4,7,13,'{\"x\":1,\"message\":\"mark\"}'),"
		       "(5,5,14,x'cc0d776d657373616765476c617465'),(6,5,15,'{\"message\":');"
		       "INSERT INTO rocpd_region_u VALUES (2,1,40,41,90,200,6,3),(3,1,40,41,210,220,6,5),"
		       "(4,1,40,41,230,240,6,6);"
		       "INSERT INTO rocpd_track_u VALUES (1,1,40,41,NULL);"
		       "INSERT INTO rocpd_sample_u VALUES (1,1,150,4);");
	uint32_t step = span_named(profile, "step \"1\"");

	assert_int_equal(profile->span_kind[step], SPAN_ANNOTATION);
	assert_int_equal(profile->span_parent[span_named(profile, "hipLaunchKernel")], step);
	assert_int_equal(profile->span_kind[span_named(profile, "mark")], SPAN_INSTANT);
	assert_int_equal(profile->span_dur[span_named(profile, "roctxThreadRangeA")], 10);
	profile_free(profile);
}

TEST(allocations_are_paired_by_address)
{
	struct profile *profile = database_open(SCHEMA("_u") LAUNCHED(
		"_u",
		"100") "INSERT INTO rocpd_memory_allocate_u (pid,tid,agent_id,type,level,start,end,address,"
		       "size) VALUES (40,41,NULL,'FREE','REAL',180,181,4096,0),"
		       "(40,41,5,'ALLOC','REAL',110,111,4096,100),(40,41,7,'ALLOC','REAL',112,113,8192,7),"
		       "(40,41,NULL,'FREE','REAL',190,191,1,0),(40,41,NULL,'FREE','REAL',195,196,4096,0),"
		       "(40,41,5,'ALLOC','VIRTUAL',110,111,4096,1000000);");

	assert_int_equal(profile->memory_count, 3);
	assert_int_equal(profile->memory_events[0].bytes, 100);
	assert_int_equal(profile->memory_events[0].device_id, 1);
	assert_int_equal(profile->memory_events[1].device_id, -1);
	assert_int_equal(profile->memory_events[2].bytes, -100);
	assert_int_equal(profile->memory_events[2].total_allocated, 0);
	assert_int_equal(damage_count(profile, "release of memory that was not allocated here"), 2);
	profile_free(profile);
}

/* Values of streams of counters are not those of the kernel that ran. */
TEST(counters_of_kernels_are_metrics)
{
	struct run *run = database_run(SCHEMA("_u") LAUNCHED(
		"_u",
		"100") "INSERT INTO rocpd_kernel_dispatch_u (id,pid,agent_id,kernel_id,stream_id,start,end)"
		       " VALUES (2,40,6,2,2,90,95);"
		       "INSERT INTO rocpd_track_u VALUES (1,1,40,41,9);"
		       "INSERT INTO rocpd_sample_u VALUES (7,1,110,NULL);"
		       "INSERT INTO rocpd_pmc_event_u (event_id,sample_id,pmc_id,value) VALUES"
		       "(2,NULL,1,2.5),(2,7,1,9.0),(2,99,1,9.0),(1,NULL,1,9.0);");
	struct table *table = trace_view(run, "metrics", NULL, NULL);

	assert_int_equal(table->rows, 1);
	assert_int_equal(table_number(table, 0, "launch"), 1);
	table_free(table);
	run_free(run);
}

TEST(streaming_counters_have_times)
{
	struct profile *profile = database_open(SCHEMA("_u") LAUNCHED(
		"_u",
		"100") "INSERT INTO rocpd_track_u VALUES (1,1,40,41,9);"
		       "INSERT INTO rocpd_sample_u VALUES (7,1,110,NULL),(8,1,112,NULL);"
		       "INSERT INTO rocpd_pmc_event_u (event_id,sample_id,pmc_id,value) VALUES"
		       "(NULL,7,1,2.5),(2,NULL,99,1.0);");

	assert_int_equal(profile->counter_count, 1);
	assert_int_equal(profile->counters[0].time, 10);
	assert_true(profile->counters[0].value == 2.5);
	assert_int_equal(profile->tracks[profile->counters[0].track].device, 0);
	assert_int_equal(profile->span_kind[span_named(profile, "odd")], SPAN_INSTANT);
	assert_int_equal(damage_count(profile, "counter without name or value"), 1);
	profile_free(profile);
}

/* Every column of another type, absurd numbers, views in place of tables. */
TEST(hostile_rows)
{
	char sql[16384];

	for (size_t i = 0; i < HOSTILE_VALUES; i++) {
		snprintf(
			sql, sizeof sql,
			SCHEMA("_u") LAUNCHED(
				"_u",
				"100") "INSERT INTO rocpd_kernel_dispatch_u SELECT NULL,%1$s,%1$s,%1$s,%1$s,%1$s,"
				       "%1$s,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s;"
				       "INSERT INTO rocpd_memory_copy_u SELECT NULL,%1$s,%1$s,%1$s,110,%1$s,%1$s,"
				       "%1$s,%1$s,%1$s,%1$s,%1$s,%1$s;"
				       "INSERT INTO rocpd_memory_allocate_u SELECT NULL,%1$s,%1$s,%1$s,%1$s,"
				       "'ALLOC',%1$s,%1$s,%1$s,%1$s,%1$s,%1$s;"
				       "INSERT INTO rocpd_region_u SELECT NULL,%1$s,%1$s,%1$s,110,%1$s,%1$s,%1$s;"
				       "INSERT INTO rocpd_event_u SELECT NULL,5,%1$s,%1$s,%1$s,%1$s;"
				       "INSERT INTO rocpd_sample_u SELECT NULL,%1$s,%1$s,%1$s;"
				       "INSERT INTO rocpd_pmc_event_u SELECT NULL,%1$s,%1$s,%1$s,%1$s;",
			database_hostile_values[i]);
		struct profile *profile = database_open(sql);
		activity_named(profile, "gemm(float*)");
		profile_free(profile);
	}
	struct profile *profile = database_open(SCHEMA("_u") LAUNCHED(
		"_u",
		"100") "DROP TABLE rocpd_region_u;"
		       "CREATE VIEW rocpd_region_u AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
		       " SELECT i + 1 FROM n) SELECT i AS start, i AS end, i AS name_id FROM n;");
	assert_int_equal(profile->spans, 0);
	assert_int_equal(damage_count(profile, "view in place of a table"), 1);
	profile_free(profile);
}

TEST(empty_database_is_refused)
{
	assert_database_refused(SCHEMA("_u"), "rocpd database without kernels");
	assert_database_refused("CREATE TABLE rocpd_metadata (id INT);", "no known profiler");
	/* rocprof's has two such tables */
	assert_database_refused("CREATE TABLE OPS (BeginNs INT, EndNs INT, Name TEXT);",
				"no known profiler (tables OPS)");
}

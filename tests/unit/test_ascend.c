/* Ascend: databases, tables of kernels, folders of runs, memory beside them; hostile values. */
#include "model/device_label.h"
#include "file_case.h"
#include "database_case.h"

#include "base/buffer.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRINGS                                                                                         \
	"CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);"                                 \
	"INSERT INTO STRING_IDS VALUES (1,'KERNEL_AICORE'),(2,'MatMul'),(3,'SDMA'),"                    \
	"(4,'EVENT_WAIT'),(5,'launch'),(6,'aten::mm'),(7,'Dequeue@mm'),(8,'2,3;'||char(13,10)||'3,4')," \
	"(9,'float;'||char(13,10)||'float'),(10,'PTA+GE'),(11,'hcom_allReduce__1_0_1'),(12,'group'),"   \
	"(13,'a.py(1): f'),(14,'main.py(2): main'),(15,'nn.Module: Linear_0'),(16,'PTA'),"              \
	"(17,'ProfilerStep#3'),(18,'Notify Wait'),(19,'mac_ratio');"                                    \
	"CREATE TABLE ENUM_API_TYPE (id INTEGER, name TEXT);"                                           \
	"INSERT INTO ENUM_API_TYPE VALUES (10000,'node'),(20000,'acl');"                                \
	"CREATE TABLE ENUM_HCCL_DATA_TYPE (id INTEGER, name TEXT);"                                     \
	"INSERT INTO ENUM_HCCL_DATA_TYPE VALUES (4,'FP32');"
#define TASKS                                                                                      \
	"CREATE TABLE TASK (startNs INT, endNs INT, deviceId INT, connectionId INT,"               \
	" globalTaskId INT, globalPid INT, taskType INT, streamId INT);"
#define COMPUTE                                                                                    \
	"CREATE TABLE COMPUTE_TASK_INFO (name INT, globalTaskId INT, blockDim INT, taskType INT);"
#define CALLS                                                                                      \
	"CREATE TABLE CANN_API (startNs INT, endNs INT, type INT, globalTid INT,"                  \
	" connectionId INT, name INT);"
#define PYTORCH                                                                                    \
	"CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INT, connectionId INT,"     \
	" name INT, sequenceNumber INT, inputDtypes INT, inputShapes INT, callchainId INT,"        \
	" type INT);"                                                                              \
	"CREATE TABLE CONNECTION_IDS (id INT, connectionId INT);"                                  \
	"CREATE TABLE PYTORCH_CALLCHAINS (id INT, stack INT, stackDepth INT);"
#define THREAD(tid) "((7 << 32) + " #tid ")"

/* An operator on one thread queues a launch that another thread makes. */
#define RUN                                                                                                                                             \
	STRINGS TASKS COMPUTE CALLS PYTORCH                                                                                                             \
		"CREATE TABLE NPU_INFO (id INT, name TEXT);INSERT INTO NPU_INFO VALUES (2,'Ascend910B');"                                               \
		"INSERT INTO PYTORCH_API VALUES"                                                                                                        \
		"('1000','1100'," THREAD(                                                                                                               \
			8) ",0,6,5,9,8,1,50001),"                                                                                                       \
			   "('900','1200'," THREAD(                                                                                                     \
				   8) ",NULL,17,NULL,NULL,NULL,NULL,50001),"                                                                            \
				      "('990','1110'," THREAD(                                                                                          \
					      8) ",NULL,15,NULL,NULL,NULL,NULL,50003),"                                                                 \
						 "('1120','1130'," THREAD(                                                                              \
							 9) ",1,7,NULL,NULL,NULL,NULL,50002);"                                                          \
							    "INSERT INTO CONNECTION_IDS VALUES (0,40),(0,41),(1,41);"                                   \
							    "INSERT INTO PYTORCH_CALLCHAINS VALUES (1,14,1),(1,13,0);"                                  \
							    "INSERT INTO CANN_API VALUES (1121,1125,10000," THREAD(                                     \
								    9) ",40,5);"                                                                        \
								       "INSERT INTO TASK VALUES (1150,1170,2,40,100,7,1,3),(1170,1190,2,40,101,7,3,3)," \
								       "(1190,1250,2,4294967295,102,7,4,3),(1140,1149,2,NULL,103,7,1,4);"               \
								       "INSERT INTO COMPUTE_TASK_INFO VALUES (2,100,24,1);"

TEST(kernels_are_compute_tasks)
{
	struct profile *profile = database_open(RUN);
	uint32_t kernel = activity_named(profile, "MatMul");
	uint32_t launch = profile->activity_launch[kernel];

	assert_int_equal(profile->activities, 4);
	assert_int_equal(profile->activity_kind[kernel], ACTIVITY_KERNEL);
	assert_int_equal(profile->activity_kind[activity_named(profile, "SDMA")], ACTIVITY_MEMCPY);
	assert_int_equal(profile->activity_kind[activity_named(profile, "EVENT_WAIT")],
			 ACTIVITY_SYNC);
	assert_int_equal(profile->activity_kind[activity_named(profile, "KERNEL_AICORE")],
			 ACTIVITY_SYNC);
	assert_string_equal(span_text(profile, launch), "launch");
	int32_t npu = device_of_kind(DEVICE_NPU, 2);
	assert_int_equal(profile_activity_device(profile, kernel), npu);
	assert_string_equal(profile_string(profile, profile_device(profile, npu)->name),
			    "Ascend910B");
	profile_free(profile);
}

TEST(operators)
{
	struct run *run = database_run(RUN);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	struct profile *profile = database_open(RUN);
	const struct op_info *info = profile_op_info(profile, span_named(profile, "aten::mm"));
	struct value op;

	for (size_t row = 0; row < launches->rows; row++) {
		struct value name = table_cell(launches, row, "name");
		if (name.length == 6 && memcmp(name.text, "MatMul", 6) == 0)
			op = table_cell(launches, row, "operator");
	}
	assert_int_equal(op.length, 8);
	assert_memory_equal(op.text, "aten::mm", 8);
	assert_string_equal(profile_string(profile, info->shapes), "[[2,3],[3,4]]");
	assert_string_equal(profile_string(profile, info->types), "[\"float\",\"float\"]");
	assert_string_equal(profile_string(profile, info->stack), "a.py(1): f;main.py(2): main");
	assert_int_equal(profile_op_ids(profile, span_named(profile, "aten::mm"))->sequence, 5);
	assert_int_equal(profile->span_kind[span_named(profile, "ProfilerStep#3")],
			 SPAN_ANNOTATION);
	assert_int_equal(profile->span_kind[span_named(profile, "nn.Module: Linear_0")],
			 SPAN_MODULE);
	assert_int_equal(profile->span_kind[span_named(profile, "Dequeue@mm")], SPAN_OTHER);
	table_free(launches);
	run_free(run);
	profile_free(profile);
}

/* The work of a call is what its operators queued for other threads, too. */
TEST(scope_of_a_call_has_queued_work)
{
	struct run *run = database_run(RUN);
	struct profile *profile = database_open(RUN);
	struct scope scope;
	scope_init(&scope);
	scope.call = span_named(profile, "aten::mm");
	struct table *launches = trace_view(run, "launches", &scope, NULL);
	assert_int_equal(launches->rows, 2);
	assert_true(value_compare(table_cell(launches, 0, "name"), value_text("MatMul")) == 0);
	table_free(launches);
	scope.call = span_named(profile, "Dequeue@mm");
	launches = trace_view(run, "launches", &scope, NULL);
	assert_int_equal(launches->rows, 2);
	table_free(launches);
	scope_clear(&scope);
	run_free(run);
	profile_free(profile);
}

/* msprof's files have neither operators nor, in old versions, compute tasks. */
TEST(without_compute_tasks_the_type_tells)
{
	struct profile *profile =
		database_open(STRINGS TASKS CALLS "INSERT INTO TASK VALUES (10,20,0,1,1,7,1,3),"
						  "(20,30,0,1,2,7,18,3);");
	assert_int_equal(profile->activity_kind[activity_named(profile, "KERNEL_AICORE")],
			 ACTIVITY_KERNEL);
	assert_int_equal(profile->activity_kind[activity_named(profile, "Notify Wait")],
			 ACTIVITY_SYNC);
	profile_free(profile);
}

/* They name no device: they are on that of the tasks, if the file does not list devices. */
TEST(collectives_are_on_the_device_of_the_tasks)
{
	struct run *run = database_run(
		RUN "DELETE FROM NPU_INFO;CREATE TABLE COMMUNICATION_OP (opName INT, startNs INT,"
		    " endNs INT, connectionId INT, groupName INT, dataType INT, count INT);"
		    "INSERT INTO COMMUNICATION_OP VALUES (11,1150,1250,40,12,4,256);");
	struct table *devices = trace_view(run, "devices", NULL, NULL);
	assert_int_equal(devices->rows, 1);
	assert_string_equal(table_text(devices, 0, "device"), "NPU2");
	table_free(devices);
	run_free(run);
}

TEST(collectives_memory_and_metrics)
{
	struct run *run = database_run(
		RUN "CREATE TABLE COMMUNICATION_OP (opName INT, startNs INT, endNs INT,"
		    " connectionId INT, groupName INT, dataType INT, count INT);"
		    "INSERT INTO COMMUNICATION_OP VALUES (11,1150,1250,40,12,4,256);"
		    "CREATE TABLE MEMORY_RECORD (component INT, timestamp INT, totalAllocated INT,"
		    " totalReserved INT, deviceId INT);"
		    "INSERT INTO MEMORY_RECORD VALUES (10,1000,500,900,2),(16,1000,300,900,2),"
		    "(10,1100,700,900,2);"
		    "CREATE TABLE OP_MEMORY (name INT, size INT, allocationTime INT,"
		    " releaseTime INT, deviceId INT);"
		    "INSERT INTO OP_MEMORY VALUES (6,64,1050,NULL,2),(6,32,1060,1070,2);"
		    "CREATE TABLE TASK_PMU_INFO (globalTaskId INT, name INT, value NUMERIC);"
		    "INSERT INTO TASK_PMU_INFO VALUES (100,19,0.5),(999,19,1);");
	struct table *collectives = trace_view(run, "collectives", NULL, NULL);
	struct table *curve = trace_view(run, "memory-curve", NULL, NULL);
	struct table *events = trace_view(run, "memory-events", NULL, NULL);
	struct table *metrics = trace_view(run, "metrics", NULL, NULL);

	assert_int_equal(collectives->rows, 1);
	assert_int_equal(table_number(collectives, 0, "total_ns"), 100);
	assert_int_equal(table_number(collectives, 0, "total_bytes"), 1024);
	assert_int_equal(curve->rows, 3);
	assert_int_equal(table_cell(curve, 0, "category").length, 6);
	assert_int_equal(table_number(curve, 2, "allocated_bytes"), 700);
	/* PTA is part of PTA+GE: peaks are of the sum */
	for (size_t i = 0; i < 3; i++) {
		const struct memory_event *event = &run->ranks[0].profile->memory_events[i];
		assert_int_equal(event->part, event->total_allocated == 300);
	}
	assert_int_equal(events->rows, 2);
	assert_int_equal(table_cell(events, 0, "operator").length, 8);
	assert_int_equal(metrics->rows, 1);
	table_free(collectives);
	table_free(curve);
	table_free(events);
	table_free(metrics);
	run_free(run);
}

TEST(hostile_rows)
{
	char sql[16384];

	for (size_t i = 0; i < HOSTILE_VALUES; i++) {
		snprintf(sql, sizeof sql,
			 RUN "INSERT INTO TASK SELECT %1$s,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s;"
			     "INSERT INTO TASK SELECT 1150,1160,%1$s,%1$s,%1$s,%1$s,%1$s,%1$s;"
			     "INSERT INTO COMPUTE_TASK_INFO SELECT %1$s,%1$s,%1$s,%1$s;"
			     "INSERT INTO CANN_API SELECT 1100,%1$s,%1$s,%1$s,%1$s,%1$s;"
			     "INSERT INTO PYTORCH_API SELECT 1100,1110,%1$s,%1$s,%1$s,%1$s,%1$s,"
			     "%1$s,%1$s,50001;"
			     "INSERT INTO CONNECTION_IDS SELECT %1$s,%1$s;"
			     "INSERT INTO PYTORCH_CALLCHAINS SELECT %1$s,%1$s,%1$s;"
			     "CREATE TABLE MEMORY_RECORD (component, timestamp, totalAllocated,"
			     " totalReserved, deviceId);"
			     "INSERT INTO MEMORY_RECORD SELECT %1$s,%1$s,%1$s,%1$s,%1$s;"
			     "CREATE TABLE OP_MEMORY (name, size, allocationTime, releaseTime,"
			     " deviceId);INSERT INTO OP_MEMORY SELECT %1$s,%1$s,%1$s,%1$s,%1$s;"
			     "CREATE TABLE TASK_PMU_INFO (globalTaskId, name, value);"
			     "INSERT INTO TASK_PMU_INFO SELECT %1$s,%1$s,%1$s;"
			     "CREATE TABLE HBM (deviceId, timestampNs, bandwidth, hbmId, type);"
			     "INSERT INTO HBM SELECT %1$s,%1$s,%1$s,%1$s,%1$s;",
			 database_hostile_values[i]);
		struct profile *profile = database_open(sql);
		activity_named(profile, "MatMul");
		profile_free(profile);
	}
	assert_database_refused(STRINGS TASKS, "Ascend's profiler without tasks");
}

/* ---- text ---- */

#define KERNELS                                                                                    \
	"Step Id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),"        \
	"Block Dim,Input Shapes\r\n"                                                               \
	"2,1,16,\"Mat \"\"Mul\"\"\",MatMul,AI_CORE,1000.500\t,2.25,24,\"\"\"2,3;3,4\"\"\"\r\n"     \
	"2,N/A,N/A,hcom_broadcast__1_0,hcom_broadcast_,HCCL,1010,5,0,N/A\r\n"                      \
	"2,3,16,late,Cast,AI_CPU,N/A,1,1,\r\n"                                                     \
	"short\r\n"

TEST(a_table_of_kernels)
{
	struct profile *profile = trace_open(KERNELS);
	uint32_t kernel = activity_named(profile, "Mat \"Mul\"");

	assert_int_equal(profile->activities, 2);
	assert_int_equal(profile->activity_kind[kernel], ACTIVITY_KERNEL);
	assert_int_equal(profile->activity_dur[kernel], 2250);
	assert_int_equal(profile->activity_kind[activity_named(profile, "hcom_broadcast__1_0")],
			 ACTIVITY_COLLECTIVE);
	assert_int_equal(damage_count(profile, "row without times"), 1);
	profile_free(profile);
	profile = trace_open(KERNELS "3,9,16,late,MatMul,AI_CORE,1020,-1,1\n");
	assert_int_equal(profile->activities, 2);
	assert_int_equal(damage_count(profile, "row without times"), 2);
	profile_free(profile);
	for (size_t length = 1; length < sizeof KERNELS - 1; length++)
		profile_free(trace_open_bytes(KERNELS, length, NULL));
}

TEST(folders_are_ranks)
{
	char folder[] = "/tmp/strata-ascend-XXXXXX", path[512], output[600], command[700];
	const char *paths[] = { folder };
	struct error error = { 0 };
	assert_non_null(mkdtemp(folder));
	for (int rank = 3; rank <= 4; rank++) {
		snprintf(path, sizeof path, "%s/run_%d_ascend_pt", folder, rank);
		snprintf(output, sizeof output, "%s/ASCEND_PROFILER_OUTPUT", path);
		assert_int_equal(mkdir(path, 0700), 0);
		assert_int_equal(mkdir(output, 0700), 0);
		write_text_in(output, "kernel_details.csv", KERNELS);
		write_text_in(output, "memory_record.csv",
			      "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),"
			      "Device Type\nPTA,1000,1.5,4,NPU:0\nPTA+GE,1001,2.5,4,NPU:0\n"
			      "APP,1002,,8,NPU:0\nPTA+GE,x,1,1,NPU:0\n");
		write_text_in(output, "operator_memory.csv",
			      "Name,Size(KB),Allocation Time(us),Release Time(us),Device Type\n"
			      "aten::empty,4,1003,1005,NPU:0\naten::add,2,1004,,NPU:0\n"
			      "aten::mm,0,1004,1005,NPU:0\naten::mul,1,x,1005,NPU:0\n");
		snprintf(command, sizeof command, "{\"a\": [1], \"rank_id\": %d}", rank);
		write_text_in(path, rank == 3 ? "profiler_info_3.json" : "profiler_info.json",
			      command);
	}
	struct run *run = run_open(paths, 1, &(struct load_options){ 0 }, NULL, &error);
	assert_non_null(run);
	assert_int_equal(run->rank_count, 2);
	assert_int_equal(run->ranks[0].number, 3);
	assert_int_equal(run->ranks[1].number, 4);
	struct table *curve = trace_view(run, "memory-curve", NULL, NULL);
	assert_int_equal(curve->rows, 2);
	assert_int_equal(table_number(curve, 1, "allocated_bytes"), 5 << 19);
	table_free(curve);
	/* what is allocated is released, where the time of it is known */
	struct table *events = trace_view(run, "memory-events", NULL, NULL);
	assert_int_equal(events->rows, 2);
	assert_int_equal(table_number(events, 0, "size_bytes"), 4096);
	assert_int_equal(table_number(events, 0, "dur_ns"), 2000);
	assert_int_equal(table_number(events, 1, "size_bytes"), 2048);
	assert_int_equal(table_number(events, 1, "alloc_ns") - table_number(events, 0, "alloc_ns"),
			 1000);
	assert_true(cell_is(events, 1, "free_ns", "") && cell_is(events, 1, "dur_ns", ""));
	table_free(events);
	run_free(run);
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* The heading of such a table in a trace is a name. */
TEST(a_trace_that_names_the_columns_is_a_trace)
{
	static const char list[] =
		"[" OPERATOR("Task Type,Start Time(us),Duration(us),", "1", "2") "]";
	static const char document[] =
		DOCUMENT(OPERATOR("Task Type,Start Time(us),Duration(us),", "1", "2"));
	struct run *runs[] = { trace_run(list), trace_run(document) };
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		assert_rows(runs[i], "operators", NULL, NULL, "name,calls,cpu_total_ns",
			    "Task Type,Start Time(us),Duration(us),,1,2000\n");
		run_free(runs[i]);
	}
}

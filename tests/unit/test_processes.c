/* Several ranks in one file: each is compared with a file of that rank alone. */
#include "database_case.h"
#include "explorer_case.h"

#include "analysis/rank_summary.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "model/processes.h"
#include "picture/dashboard/dashboard.h"

#include <unistd.h>

#define RANGES(pid)                                                                                \
	"INSERT INTO NVTX_EVENTS VALUES"                                                           \
	"(1000,9000,59,'step#1',NULL," NSYS_THREAD(                                                \
		pid, 1) ",NULL,0),"                                                                \
			"(1100,4000,59,'forward',NULL," NSYS_THREAD(                               \
				pid, 1) ",NULL,0),"                                                \
					"(1200,1300,59,'ncclAllReduce',NULL," NSYS_THREAD(         \
						pid, 1) ",NULL,0);"
#define CALLS(pid)                                                                                 \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"                                           \
	"(1210,1220," NSYS_THREAD(pid, 1) ",1,2),(1230,1240," NSYS_THREAD(                         \
		pid, 1) ",2,2),"                                                                   \
			"(1250,1260," NSYS_THREAD(pid, 1) ",3,2),(1310,1320," NSYS_THREAD(         \
				pid, 1) ",4,2);"
/* Three reductions that start at START and end together, and a kernel outside them. */
#define KERNELS(pid, device, start)                                                                \
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,streamId,correlationId,"       \
	"globalPid,demangledName,gridX) VALUES"                                                    \
	"(" start ",2000," device ",7,1," NSYS_PROCESS(                                            \
		pid) ",5,1),"                                                                      \
		     "(1000+" start ",3000," device ",7,2," NSYS_PROCESS(                          \
			     pid) ",5,1),"                                                         \
				  "(2000+" start ",4000," device                                   \
				  ",7,3," NSYS_PROCESS(pid) ",5,1),"                               \
							    "(5000,6000+" #pid "," device          \
							    ",7,4," NSYS_PROCESS(pid) ",1,2);"
#define PROCESS(pid, device, start) RANGES(pid) CALLS(pid) KERNELS(pid, device, start)
#define TABLES                                                                                     \
	NSYS_STRINGS NSYS_KERNELS NSYS_CALLS NSYS_RANGES                                           \
		"INSERT INTO StringIds VALUES (5,'ncclDevKernel_AllReduce_Sum_f32_RING_LL'),"      \
		"(6,'torchrun');"                                                                  \
		"CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, correlationId INT,"     \
		"nameId INT);"
/* The launcher process waits and uses no device. */
#define LAUNCHER "INSERT INTO OSRT_API VALUES (500,9900," NSYS_THREAD(5, 1) ",NULL,4);"
#define BOTH TABLES LAUNCHER PROCESS(7, "0", "1500") PROCESS(9, "1", "1900")

static struct table *rows_of(const struct run *run, const char *view, int rank)
{
	struct scope scope;
	scope_init(&scope);
	scope.rank = rank;
	return trace_view(run, view, &scope, NULL);
}

/* ---- each rank equals a file of its own ---- */

static void assert_same_spans(const struct profile *a, const struct profile *b, int64_t later)
{
	assert_int_equal(a->spans, b->spans);
	for (uint32_t i = 0; i < a->spans; i++) {
		assert_int_equal(a->span_start[i], b->span_start[i] + later);
		assert_int_equal(a->span_dur[i], b->span_dur[i]);
		assert_int_equal(a->span_kind[i], b->span_kind[i]);
		assert_int_equal(a->span_parent[i], b->span_parent[i]);
		assert_int_equal(a->span_size[i], b->span_size[i]);
		assert_string_equal(span_text(a, i), span_text(b, i));
		const struct call_info *x = profile_call_info(a, i), *y = profile_call_info(b, i);
		assert_int_equal(!x, !y);
		if (x)
			assert_int_equal(x->correlation, y->correlation);
	}
}

static void assert_same_activities(const struct profile *a, const struct profile *b, int64_t later)
{
	assert_int_equal(a->activities, b->activities);
	for (uint32_t i = 0; i < a->activities; i++) {
		assert_int_equal(a->activity_start[i], b->activity_start[i] + later);
		assert_int_equal(a->activity_dur[i], b->activity_dur[i]);
		assert_int_equal(a->activity_launch[i], b->activity_launch[i]);
		assert_int_equal(profile_activity_device(a, i), profile_activity_device(b, i));
		assert_int_equal(profile_config(a, i)->grid[0], profile_config(b, i)->grid[0]);
		assert_string_equal(profile_string(a, a->activity_name[i]),
				    profile_string(b, b->activity_name[i]));
	}
}

TEST(rank_equals_file_of_its_own)
{
	struct profile *whole = database_open(BOTH);
	struct profile *alone[] = { database_open(TABLES PROCESS(7, "0", "1500")),
				    database_open(TABLES PROCESS(9, "1", "1900")) };
	size_t count;
	uint32_t *ranks = processes_of_ranks(whole, &count);

	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++) {
		struct profile *part = processes_extract(whole, ranks[i], NULL, NULL);
		/* the launcher has waited since 500, the ranks are active from 1000 */
		assert_int_equal(alone[i]->base_ns - part->base_ns, 500);
		assert_same_spans(part, alone[i], 500);
		assert_same_activities(part, alone[i], 500);
		assert_int_equal(part->process_count, 1);
		assert_int_equal(part->end_ns, whole->end_ns);
		assert_int_equal(part->rank, NO_VALUE);
		profile_free(part);
		profile_free(alone[i]);
	}
	struct error error = { 0 };
	assert_null(processes_extract(whole, 77, NULL, &error));
	assert_int_equal(error.code, ERROR_INPUT);
	mem_free(ranks);
	profile_free(whole);
}

TEST(single_process_is_single_rank)
{
	size_t count;
	struct profile *profile = database_open(TABLES LAUNCHER PROCESS(7, "0", "1500"));
	assert_null(processes_of_ranks(profile, &count));
	assert_int_equal(count, 0);
	profile_free(profile);
	/* nor is a process with only memory operations a rank */
	profile = database_open(TABLES PROCESS(
		7, "0",
		"1500") "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT,"
			"streamId INT, correlationId INT, globalPid INT, bytes INT);"
			"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (5,6,1,7,3," NSYS_PROCESS(
				9) ",16);");
	assert_null(processes_of_ranks(profile, &count));
	profile_free(profile);
}

/* ---- the run ---- */

TEST(processes_are_compared_as_ranks)
{
	struct run *run = database_run(BOTH);
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);

	assert_int_equal(run->rank_count, 2);
	assert_int_equal(ranks->rows, 2);
	for (size_t row = 0; row < 2; row++) {
		assert_int_equal(table_number(ranks, row, "rank"), row);
		assert_int_equal(table_number(ranks, row, "pid"), row ? 9 : 7);
		assert_string_equal(table_cell(ranks, row, "device").text, row ? "GPU1" : "GPU0");
		/* process 9 arrives 400 ns later at each of three reductions */
		assert_int_equal(table_number(ranks, row, "sync_ns"), row ? 0 : 1200);
		assert_int_equal(table_number(ranks, row, "transfer_ns"), 300);
		assert_int_equal(table_number(ranks, row, "straggler"), row == 1);
		assert_int_equal(table_number(ranks, row, "computation_ns"), row ? 1009 : 1007);
	}
	table_free(ranks);
	run_free(run);
}

/* By default all ranks are shown; ids do not change when one is selected. */
TEST(selected_rank_is_shown_alone)
{
	static const size_t kernels[] = { 8, 4, 4 };
	struct run *run = database_run(BOTH);
	struct table *all = rows_of(run, "launches", ANY_RANK);
	size_t seen = 0;

	assert_int_equal(all->rows, kernels[0]);
	for (int rank = 0; rank < 2; rank++) {
		struct table *one = rows_of(run, "launches", rank);
		assert_int_equal(one->rows, kernels[rank + 1]);
		for (size_t i = 0; i < one->rows; i++)
			for (size_t j = 0; j < all->rows; j++) {
				if (table_number(one, i, "id") != table_number(all, j, "id"))
					continue;
				assert_int_equal(table_number(one, i, "start_ns"),
						 table_number(all, j, "start_ns"));
				assert_int_equal(table_number(one, i, "correlation"),
						 table_number(all, j, "correlation"));
				assert_string_equal(table_cell(one, i, "device").text,
						    table_cell(all, j, "device").text);
				seen++;
			}
		table_free(one);
	}
	assert_int_equal(seen, all->rows);
	table_free(all);
	struct error error = { 0 };
	assert_null(run_acquire(run, 2, NULL, &error));
	assert_int_equal(error.code, ERROR_USAGE);
	run_free(run);
}

/* Ranks do the same work: its layers are listed, not the processes. */
TEST(dashboard_lists_layers_of_processes)
{
	struct run *run = database_run(BOTH);
	struct error error = { 0 };
	struct scope scope;
	scope_init(&scope);
	struct dashboard *dashboard = dashboard_build(run, &scope, NULL, &error);
	const struct panel *layers = NULL;
	assert_non_null(dashboard);
	for (size_t i = 0; i < dashboard->count; i++)
		if (strcmp(dashboard->panels[i].title, "Top Layers") == 0)
			layers = &dashboard->panels[i];
	assert_non_null(layers);
	assert_int_equal(layers->count, 1);
	assert_string_equal(layers->lines[0].label, "forward ×2");
	assert_string_equal(layers->lines[0].extra, "3.82 us");
	dashboard_free(dashboard);
	run_free(run);
}

/* Two nodes, one file each: all ranks are there, and are reloaded after being dropped. */
TEST(files_with_several_ranks_form_one_run)
{
	struct error error = { 0 };
	char *path[] = { database_file(BOTH), database_file(BOTH) };
	struct run *run = run_open((const char *const *)path, 2, NULL, NULL, &error);

	assert_non_null(run);
	assert_null(run->whole);
	assert_int_equal(run->rank_count, 4);
	for (int rank = 0; rank < 4; rank++) {
		struct table *launches = rows_of(run, "launches", rank);
		assert_int_equal(launches->rows, 4);
		assert_string_equal(table_cell(launches, 0, "device").text,
				    rank % 2 ? "GPU1" : "GPU0");
		table_free(launches);
	}
	run_free(run);
	for (size_t i = 0; i < 2; i++) {
		unlink(path[i]);
		mem_free(path[i]);
	}
}

/* ---- rank numbers ---- */

/*
 * The range that NCCL pushes when it creates a communicator: domain and schema, sizes, then two
 * numbers.
 */
#define MADE(process, at, members, rank)                                                           \
	"INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid,domainId,binaryData) VALUES"  \
	"(" at "," at                                                                              \
	"+9,59,'ncclCommInitRank'," NSYS_THREAD(process, 1) ",1,x'"                                \
							    "0100000000000000"                     \
							    "0200000100000000"                     \
							    "0800000000000000"                     \
							    "2800000000000000" members             \
							    "000000" rank "000000');"

TEST(rank_number_from_nccl)
{
	struct run *run = database_run(
		TABLES
		"ALTER TABLE NVTX_EVENTS ADD COLUMN binaryData TEXT;"
		"CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INT, schemaId INT, idx INT,"
		"flags INT, type INT, name TEXT, offset INT);"
		"INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
		"(1,16777218,0,NULL,5,'No. of ranks',0),(1,16777218,1,NULL,5,'Rank',4);" MADE(
			7, "1400", "08", "05") MADE(7, "1420", "02", "01")
			MADE(9, "1400", "08", "04") CALLS(7) CALLS(9) KERNELS(7, "0", "1500")
				KERNELS(9, "1", "1900"));
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);

	assert_int_equal(ranks->rows, 2);
	assert_int_equal(table_number(ranks, 0, "rank"), 4);
	assert_int_equal(table_number(ranks, 0, "pid"), 9);
	assert_int_equal(table_number(ranks, 1, "rank"), 5);
	assert_int_equal(table_number(ranks, 1, "pid"), 7);
	assert_int_equal(run->ranks[0].summary->world_size, 8);
	table_free(ranks);
	run_free(run);
}

TEST(rank_number_from_mpi)
{
	struct run *run = database_run(
		BOTH "CREATE TABLE MPI_RANKS (globalTid INT, rank INT);"
		     "INSERT INTO MPI_RANKS VALUES (" NSYS_THREAD(7, 1) ",3),(" NSYS_THREAD(
			     9, 1) ",2),"
				   "(" NSYS_THREAD(5, 1) ",-1);");
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);

	assert_int_equal(table_number(ranks, 0, "rank"), 2);
	assert_int_equal(table_number(ranks, 0, "pid"), 9);
	assert_int_equal(table_number(ranks, 1, "rank"), 3);
	table_free(ranks);
	run_free(run);
	struct profile *profile = database_open(TABLES PROCESS(
		7, "0", "1500") "CREATE TABLE MPI_RANKS (globalTid INT, rank INT);"
				"INSERT INTO MPI_RANKS VALUES (" NSYS_THREAD(7, 1) ",6);");
	assert_int_equal(profile->rank, 6);
	profile_free(profile);
}

/* A process restricted to one GPU calls it 0; a table maps it to the physical one. */
TEST(visible_devices_map_to_physical)
{
	static const char gpus[] =
		"CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT);"
		"CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, smCount INT);"
		"INSERT INTO TARGET_INFO_GPU VALUES (4,'four',104),(6,'six',106);";
	static const char *const rows[] = {
		"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (6,0,7),(4,0,9);", /* one GPU each */
		"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (6,0,7),(6,0,9);", /* one shared GPU */
	};
	for (size_t shared = 0; shared < 2; shared++) {
		struct buffer sql = { 0 };
		buffer_printf(&sql, "%s%s%s",
			      TABLES PROCESS(7, "0", "1500") PROCESS(9, "0", "1900"), gpus,
			      rows[shared]);
		struct run *run = database_run(buffer_text(&sql));
		struct table *ranks = trace_view(run, "ranks", NULL, NULL);
		const struct profile *profile = run->whole->profile;
		assert_string_equal(table_cell(ranks, 0, "device").text, shared ? "GPU0" : "GPU4");
		assert_string_equal(table_cell(ranks, 1, "device").text, shared ? "GPU0" : "GPU6");
		assert_int_equal(table_number(ranks, 0, "pid"), shared ? 7 : 9);
		assert_int_equal(profile_device(profile, shared ? 0 : 4)->sm_count,
				 shared ? 106 : 104);
		table_free(ranks);
		run_free(run);
		buffer_free(&sql);
	}
}

/* ---- merged traces ---- */

#define OF_RANK(label, device, correlation)                                                        \
	EVENT("cpu_op", "aten::mm", "\"" label " 83\"", "1", "10", "20", "{}")                     \
	"," EVENT("cuda_runtime", "cudaLaunchKernel", "\"" label " 83\"", "1", "12", "3",          \
		  "{\"correlation\":" correlation                                                  \
		  "}") "," EVENT("kernel", "gemm", "\"" label " " device "\"", "7", "20", "9",     \
				 "{\"device\":" device                                             \
				 ",\"stream\":7,\"correlation\":" correlation "}")

TEST(process_labels_of_merged_trace_are_ranks)
{
	struct run *run =
		trace_run(DOCUMENT(OF_RANK("[TP10]", "2", "5") "," OF_RANK("[TP9]", "3", "5")));
	struct table *ranks = trace_view(run, "ranks", NULL, NULL);

	assert_int_equal(ranks->rows, 2);
	assert_string_equal(table_cell(ranks, 0, "device").text, "GPU3"); /* TP9 is the first */
	assert_string_equal(table_cell(ranks, 1, "device").text, "GPU2");
	table_free(ranks);
	for (int rank = 0; rank < 2; rank++) {
		struct table *launches = rows_of(run, "launches", rank);
		assert_int_equal(launches->rows, 1);
		assert_string_equal(table_cell(launches, 0, "operator").text, "aten::mm");
		table_free(launches);
	}
	run_free(run);
}

/* On the timeline of all: its device, then its threads, beside those of the others. */
TEST(ranks_of_a_file_have_rules_with_their_numbers)
{
	static const char *const rules[] = { "-- rank 0 GPU0 --", "-- rank 1 GPU1 --",
					     "-- rank 0 CPU --", "-- rank 1 CPU --" };
	struct explorer explorer;
	char *path = database_file(BOTH);
	const char *paths[] = { path };
	explorer_open(&explorer, paths, 1);
	explorer_type(&explorer, "5");
	explorer_expect(&explorer, " rank 0 GPU0 ");
	const char *at = buffer_text(&explorer.screen);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		at = strstr(at, rules[i]);
		if (!at)
			fail_msg("no rule %s in order", rules[i]);
	}
	explorer_close(&explorer);
	unlink(path);
	mem_free(path);
}

/* Also those of which only some rows were read, as many as were left out, or none. */
TEST(a_summary_has_all_devices_with_work)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("kernel", "a", "0", "7", "0", "10", "{\"device\":0,\"stream\":7}") "," EVENT(
			"kernel", "b", "1", "7", "0", "20", "{\"device\":1,\"stream\":7}")));
	struct profile *profile = run->ranks[0].profile;
	for (uint32_t out = 0; out < 3; out++) {
		for (uint32_t t = 0; t < profile->track_count; t++)
			profile->tracks[t].activities_out = out;
		struct rank_summary *summary = rank_summarize(run->ranks[0].derived, NULL);
		assert_int_equal(summary->device, 1);
		assert_int_equal(summary->device_count, 2);
		rank_summary_free(summary);
	}
	run_free(run);
}

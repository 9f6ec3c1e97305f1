#include "generate.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- databases ---- */

static void run_sql(sqlite3 *database, const char *sql)
{
	char *message = NULL;
	if (sqlite3_exec(database, sql, NULL, NULL, &message) == SQLITE_OK)
		return;
	fprintf(stderr, "generate: %s\n", message);
	exit(1);
}

static void make_database(const char *path, const char *const *schema, size_t count,
			  const char *rows, long kernels)
{
	sqlite3 *database;
	if (sqlite3_open(path, &database) != SQLITE_OK)
		exit(1);
	for (size_t i = 0; i < count; i++)
		run_sql(database, schema[i]);
	char *sql = sqlite3_mprintf(rows, kernels);
	run_sql(database, sql);
	sqlite3_free(sql);
	sqlite3_close(database);
}

/* A training loop: each operator launches a kernel; 40 kernel names, two threads. */
void generate_nsys(const char *path, long kernels)
{
	static const char *const schema[] = {
		"PRAGMA journal_mode = OFF",
		"PRAGMA synchronous = OFF",
		"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)",
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT,"
		"contextId INT, streamId INT, correlationId INT, globalPid INT,"
		"demangledName INT, shortName INT, mangledName INT, registersPerThread INT,"
		"gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT,"
		"staticSharedMemory INT, dynamicSharedMemory INT, graphNodeId INT)",
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT,"
		"globalTid INT, correlationId INT, nameId INT, returnValue INT)",
		"CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, rangeId INT,"
		"text TEXT, globalTid INT, endGlobalTid INT, textId INT, domainId INT)",
		"INSERT INTO StringIds VALUES (1000, 'cudaLaunchKernel_v7000')",
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)"
		"INSERT INTO StringIds SELECT i, 'void kernel_' || i || '<float>(float *)' FROM n",
	};
	static const char rows[] =
		"CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
		" SELECT i + 1 FROM n WHERE i < %ld) SELECT i FROM n;"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10000 + 3000, i * 10000 + 9000,"
		"0, 1, 7, i, 7 << 24, i %% 40, i %% 40, NULL, 32, i %% 64 + 1, 1, 1, 256, 1, 1, 0,"
		"1024, NULL FROM n;"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10000 + 1000, i * 10000 + 2000,"
		"0, (7 << 24) + 8 + i %% 2, i, 1000, 0 FROM n;"
		"INSERT INTO NVTX_EVENTS SELECT i * 10000, i * 10000 + 5000, 59, NULL,"
		"'aten::op' || (i %% 50) || ', seq = ' || i || ', op_id = ' || i,"
		"(7 << 24) + 8 + i %% 2, NULL, NULL, 0 FROM n;";
	make_database(path, schema, sizeof schema / sizeof *schema, rows, kernels);
}

/* The same loop. Names are in a dictionary: 40 kernels from 1, 1,000 ops from 100, 50 shapes. */
void generate_dlprof(const char *path, long kernels)
{
	static const char *const schema[] = {
		"PRAGMA journal_mode = OFF",
		"PRAGMA synchronous = OFF",
		"CREATE TABLE dictionary (id INTEGER PRIMARY KEY, string TEXT)",
		"CREATE TABLE read_only_system_config (id INTEGER PRIMARY KEY, is_valid INT,"
		"num_gpus TEXT, cpu_model TEXT, driver_version TEXT, framework TEXT,"
		"cuda_version TEXT, cudnn_version TEXT, nsys_version TEXT, dlprof_version TEXT,"
		"dlprof_build TEXT, profile_name TEXT, mode_enum INT, mode_string TEXT)",
		"CREATE TABLE read_only_gpu_infos (id INTEGER PRIMARY KEY, device_id INT,"
		"gpu_name TEXT, compute_capability_major INT, compute_capability_minor INT,"
		"sm_count INT)",
		"CREATE TABLE read_only_domains (id INTEGER PRIMARY KEY, domain_name_id INT)",
		"CREATE TABLE read_only_ops (id INTEGER PRIMARY KEY, domain_id INT, op_id_id INT,"
		"op_id TEXT, op_name TEXT, op_type_id INT, device_id INT, tc_support_status INT,"
		"data_type_id INT, data_format_id INT, output_format_id INT,"
		"parameters_format_id INT, direction_id INT, stack_trace TEXT)",
		"CREATE TABLE read_only_op_instances (id INTEGER PRIMARY KEY,"
		"read_only_ops_id INT, cpu_start INT, cpu_stop INT, process_id INT, thread_id INT,"
		"input_names_id INT, input_shapes_id INT, output_names_id INT,"
		"output_shapes_id INT, parameters_id INT)",
		"CREATE TABLE read_only_grid_block (id INTEGER PRIMARY KEY, x INT, y INT, z INT)",
		"CREATE TABLE read_only_kernels (id INTEGER PRIMARY KEY, read_only_ops_id INT,"
		"op_instance INT, name_id INT, long_name_id INT, uses_tc INT, api_start INT,"
		"api_stop INT, gpu_start INT, gpu_stop INT, grid_id INT, block_id INT,"
		"device_id INT, process_id INT, thread_id INT)",
		"CREATE TABLE aggregations (id INTEGER PRIMARY KEY, start_timestamp INT)",
		"CREATE TABLE iteration_list (id INTEGER PRIMARY KEY, aggr_id INT, iter_value INT,"
		"start_time INT, stop_time INT)",
		"INSERT INTO read_only_system_config VALUES (1, 1, '1', 'CPU', '515', 'PyTorch',"
		"'11.7', '8', '2022.1', 'v1.8.0', '1', '', 4, 'pytorch')",
		"INSERT INTO read_only_gpu_infos VALUES (1, 0, 'Tesla V100', 7, 0, 80)",
		"INSERT INTO read_only_domains VALUES (1, 50)",
		"INSERT INTO aggregations VALUES (1, 0)",
		"INSERT INTO dictionary VALUES (50, 'default-domain'), (51, 'float32'), (52, 'fprop'),"
		"(53, 'cudaLaunchKernel')",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
		"INSERT INTO dictionary SELECT i, 'void kernel_' || i || '<float>(float *)' FROM n",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
		"INSERT INTO dictionary SELECT i + 100, 'OP_' || i FROM n",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)"
		"INSERT INTO dictionary SELECT i + 2000, '[[' || i || ', 64]]' FROM n",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
		"INSERT INTO read_only_ops SELECT i, 1, i + 100, 'OP_' || i, '/model/block_' ||"
		"i / 10 || '/op_' || i, i % 10 + 101, 0, 0, 51, 51, 51, 51, 52, 'model.py:' || i"
		" FROM n",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 64)"
		"INSERT INTO read_only_grid_block SELECT i, i, 1, 1 FROM n",
	};
	static const char rows[] =
		"CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
		" SELECT i + 1 FROM n WHERE i < %ld) SELECT i FROM n;"
		"INSERT INTO read_only_op_instances SELECT i, (i - 1) %% 1000 + 1, i * 10000,"
		"i * 10000 + 5000, 7, 8 + i %% 2, 50, 2001 + i %% 50, 50, 2001 + i %% 50, 50 FROM n;"
		"INSERT INTO read_only_kernels SELECT i, (i - 1) %% 1000 + 1, (i - 1) / 1000, 53,"
		"i %% 40 + 1, 0, i * 10000 + 1000, i * 10000 + 2000, i * 10000 + 3000,"
		"i * 10000 + 9000, i %% 64 + 1, 64, 0, 7, 8 + i %% 2 FROM n;"
		"INSERT INTO iteration_list SELECT i / 40, 1, i / 40, i * 10000,"
		"i * 10000 + 400000 FROM n WHERE i %% 40 = 0;";
	make_database(path, schema, sizeof schema / sizeof *schema, rows, kernels);
}

/* The same loop. A kernel and its call have the same stack id, as have a range and its event. */
void generate_rocpd(const char *path, long kernels)
{
	static const char *const schema[] = {
		"PRAGMA journal_mode = OFF",
		"PRAGMA synchronous = OFF",
		"CREATE TABLE rocpd_metadata_x (id INTEGER PRIMARY KEY, tag TEXT, value TEXT)",
		"CREATE TABLE rocpd_string_x (id INTEGER PRIMARY KEY, guid TEXT, string TEXT)",
		"CREATE TABLE rocpd_info_node_x (id INTEGER PRIMARY KEY, hash INT, hostname TEXT)",
		"CREATE TABLE rocpd_info_process_x (id INTEGER PRIMARY KEY, nid INT, pid INT)",
		"CREATE TABLE rocpd_info_thread_x (id INTEGER PRIMARY KEY, nid INT, pid INT,"
		"tid INT, name TEXT)",
		"CREATE TABLE rocpd_info_agent_x (id INTEGER PRIMARY KEY, type TEXT,"
		"absolute_index INT, product_name TEXT)",
		"CREATE TABLE rocpd_info_kernel_symbol_x (id INTEGER PRIMARY KEY, kernel_name TEXT,"
		"display_name TEXT, arch_vgpr_count INT, accum_vgpr_count INT)",
		"CREATE TABLE rocpd_event_x (id INTEGER PRIMARY KEY, category_id INT, stack_id INT,"
		"parent_stack_id INT, correlation_id INT, extdata JSONB)",
		"CREATE TABLE rocpd_region_x (id INTEGER PRIMARY KEY, nid INT, pid INT, tid INT,"
		"start INT, end INT, name_id INT, event_id INT)",
		"CREATE TABLE rocpd_kernel_dispatch_x (id INTEGER PRIMARY KEY, nid INT, pid INT,"
		"tid INT, agent_id INT, kernel_id INT, queue_id INT, stream_id INT, start INT,"
		"end INT, group_segment_size INT, workgroup_size_x INT, workgroup_size_y INT,"
		"workgroup_size_z INT, grid_size_x INT, grid_size_y INT, grid_size_z INT,"
		"event_id INT)",
		"INSERT INTO rocpd_metadata_x VALUES (1, 'schema_version', '3.0.3')",
		"INSERT INTO rocpd_string_x (id, string) VALUES (1, 'HIP_RUNTIME_API_EXT'),"
		"(2, 'hipLaunchKernel'), (3, 'KERNEL_DISPATCH'), (4, 'MARKER_CORE_RANGE_API'),"
		"(5, 'roctxThreadRangeA')",
		"INSERT INTO rocpd_info_node_x VALUES (1, 77, 'node0')",
		"INSERT INTO rocpd_info_process_x VALUES (1, 1, 7)",
		"INSERT INTO rocpd_info_thread_x VALUES (1, 1, 1, 8, 'main'), (2, 1, 1, 9, 'aux')",
		"INSERT INTO rocpd_info_agent_x VALUES (1, 'GPU', 1, 'MI300X')",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
		"INSERT INTO rocpd_info_kernel_symbol_x SELECT i, '_Z9kernel_' || i || 'Pf.kd',"
		"'void kernel_' || i || '<float>(float *)', 64, 0 FROM n",
	};
	static const char rows[] =
		"CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
		" SELECT i + 1 FROM n WHERE i < %ld) SELECT i FROM n;"
		"INSERT INTO rocpd_event_x SELECT i * 3, 1, i, 0, 0, '{}' FROM n;"
		"INSERT INTO rocpd_event_x SELECT i * 3 + 1, 3, i, 0, 0, '{}' FROM n;"
		"INSERT INTO rocpd_event_x SELECT i * 3 + 2, 4, 0, 0, 0,"
		"'{\"message\": \"aten::op' || (i %% 50) || '\"}' FROM n;"
		"INSERT INTO rocpd_region_x SELECT i * 2, 1, 1, 1 + i %% 2, i * 10000 + 1000,"
		"i * 10000 + 2000, 2, i * 3 FROM n;"
		"INSERT INTO rocpd_region_x SELECT i * 2 + 1, 1, 1, 1 + i %% 2, i * 10000,"
		"i * 10000 + 5000, 5, i * 3 + 2 FROM n;"
		"INSERT INTO rocpd_kernel_dispatch_x SELECT i, 1, 1, 1 + i %% 2, 1, i %% 40 + 1, 0,"
		"7, i * 10000 + 3000, i * 10000 + 9000, 1024, 256, 1, 1, 256 * (i %% 64 + 1), 1, 1,"
		"i * 3 + 1 FROM n;";
	make_database(path, schema, sizeof schema / sizeof *schema, rows, kernels);
}

/* ---- memory snapshots ---- */

enum { FRAMES = 2000, DEPTH = 24, TEXT_MAX = 64, LIVE = 4096 };

enum text {
	ACTION,
	ADDRESS,
	SIZE,
	STREAM,
	TIME,
	STACK,
	NAME,
	FILE_NAME,
	LINE,
	ALLOC,
	FREE_REQUESTED,
	FREE_COMPLETED,
	TEXTS
};

struct pickler {
	FILE *file;
	uint32_t memo;                         /* values stored so far */
	uint32_t texts[TEXTS], frames[FRAMES]; /* where they are stored, from 1; 0: not yet */
};

static void put(struct pickler *pickler, int opcode, uint64_t value, int width)
{
	putc(opcode, pickler->file);
	for (int i = 0; i < width; i++)
		putc((int)(value >> 8 * i & 0xff), pickler->file);
}

static void put_text(struct pickler *pickler, const char *text)
{
	put(pickler, 0x8c, strlen(text), 1);
	fputs(text, pickler->file);
	put(pickler, 0x94, 0, 0);
	pickler->memo++;
}

static void get(struct pickler *pickler, uint32_t at)
{
	put(pickler, at - 1 < 256 ? 'h' : 'j', at - 1, at - 1 < 256 ? 1 : 4);
}

static void put_known(struct pickler *pickler, enum text text)
{
	static const char *const texts[TEXTS] = { "action", "addr",           "size",
						  "stream", "time_us",        "frames",
						  "name",   "filename",       "line",
						  "alloc",  "free_requested", "free_completed" };
	if (pickler->texts[text]) {
		get(pickler, pickler->texts[text]);
		return;
	}
	put_text(pickler, texts[text]);
	pickler->texts[text] = pickler->memo;
}

static void put_number(struct pickler *pickler, enum text key, uint64_t value)
{
	put_known(pickler, key);
	if (value < 256)
		put(pickler, 'K', value, 1);
	else if (value <= INT32_MAX)
		put(pickler, 'J', value, 4);
	else {
		put(pickler, 0x8a, 8, 1);
		for (int i = 0; i < 8; i++)
			putc((int)(value >> 8 * i & 0xff), pickler->file);
	}
}

/* An empty list or dictionary, stored, and the mark of what it holds. */
static uint32_t begin(struct pickler *pickler, char kind)
{
	put(pickler, kind, 0, 0);
	put(pickler, 0x94, 0, 0);
	put(pickler, '(', 0, 0);
	return ++pickler->memo;
}

static void put_frame(struct pickler *pickler, uint32_t frame)
{
	char text[TEXT_MAX];
	if (pickler->frames[frame]) {
		get(pickler, pickler->frames[frame]);
		return;
	}
	pickler->frames[frame] = begin(pickler, '}');
	put_known(pickler, NAME);
	snprintf(text, sizeof text, "function_%u", frame);
	put_text(pickler, text);
	put_known(pickler, FILE_NAME);
	snprintf(text, sizeof text, "/home/user/project/part_%u.py", frame / 20);
	put_text(pickler, text);
	put_number(pickler, LINE, frame % 500 + 1);
	put(pickler, 'u', 0, 0);
}

/* The list of frames; that of an earlier entry if STACK is not 0. Returns where it is stored. */
static uint32_t put_stack(struct pickler *pickler, uint64_t seed, uint32_t stack)
{
	put_known(pickler, STACK);
	if (stack) {
		get(pickler, stack);
		return stack;
	}
	stack = begin(pickler, ']');
	for (uint32_t i = 0; i < DEPTH; i++)
		put_frame(pickler, (uint32_t)((seed % 97 * 31 + i * 17) % FRAMES));
	put(pickler, 'e', 0, 0);
	return stack;
}

static uint32_t put_entry(struct pickler *pickler, enum text action, uint64_t block, uint64_t time,
			  uint32_t stack)
{
	begin(pickler, '}');
	put_known(pickler, ACTION);
	put_known(pickler, action);
	put_number(pickler, ADDRESS, (UINT64_C(1) << 40) + block % LIVE * (1 << 20));
	put_number(pickler, SIZE, 512 * (block % 1000 + 1));
	put_number(pickler, STREAM, 0);
	put_number(pickler, TIME, UINT64_C(1700000000000000) + time);
	stack = put_stack(pickler, block, stack);
	put(pickler, 'u', 0, 0);
	return stack;
}

/* Blocks are freed LIVE allocations later. */
long generate_snapshot(const char *path, uint64_t bytes)
{
	struct pickler pickler = { .file = fopen(path, "wb") };
	static uint32_t stacks[LIVE];
	long entries = 0;
	if (!pickler.file)
		exit(1);
	put(&pickler, 0x80, 4, 1);
	begin(&pickler, '}');
	put_text(&pickler, "segments");
	begin(&pickler, ']');
	put(&pickler, 'e', 0, 0);
	put_text(&pickler, "device_traces");
	begin(&pickler, ']');
	begin(&pickler, ']');
	for (uint64_t i = 0; (uint64_t)ftell(pickler.file) < bytes; i++) {
		if (i >= LIVE) {
			uint32_t stack = stacks[i % LIVE];
			put_entry(&pickler, FREE_REQUESTED, i - LIVE, i * 10, stack);
			put_entry(&pickler, FREE_COMPLETED, i - LIVE, i * 10 + 1, stack);
			entries += 2;
		}
		stacks[i % LIVE] = put_entry(&pickler, ALLOC, i, i * 10 + 2, 0);
		entries++;
	}
	fputs("eeu.", pickler.file);
	if (fclose(pickler.file) != 0)
		exit(1);
	return entries;
}

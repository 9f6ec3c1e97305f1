/*
 * open_database [KERNELS [MIB]]: measures opening an Nsight Systems export, compared with a plain
 * loop over the same columns in SQLite, and memory in bytes per row; then a rocpd and a DLProf
 * database of as many kernels, and a memory snapshot of this size.
 */
#include "generate.h"
#include "moment.h"

#include "session/load.h"
#include "base/error.h"
#include "base/mem.h"
#include "model/profile.h"
#include "model/run.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* CPU time of all threads is measured, too: it shows the work done even on a busy machine. */
static void keep_best(struct moment *best, struct moment start)
{
	struct moment end = now();
	if (best->wall == 0 || end.wall - start.wall < best->wall)
		best->wall = end.wall - start.wall;
	if (best->cpu == 0 || end.cpu - start.cpu < best->cpu)
		best->cpu = end.cpu - start.cpu;
}

static volatile int64_t seen; /* prevents the compiler from removing the loop */

/* Every column that strata reads of the tables with many rows. */
static const char *const nsys_columns[] = {
	"SELECT id, value FROM StringIds",
	"SELECT start, end, deviceId, streamId, correlationId, globalPid, demangledName,"
	"shortName, mangledName, registersPerThread, gridX, gridY, gridZ, blockX, blockY,"
	"blockZ, staticSharedMemory, dynamicSharedMemory, graphNodeId"
	" FROM CUPTI_ACTIVITY_KIND_KERNEL",
	"SELECT start, end, globalTid, correlationId, nameId FROM"
	" CUPTI_ACTIVITY_KIND_RUNTIME",
	"SELECT start, end, eventType, text, textId, globalTid, endGlobalTid, domainId"
	" FROM NVTX_EVENTS",
	NULL,
};

static const char *const dlprof_columns[] = {
	"SELECT id, string FROM dictionary",
	"SELECT id, read_only_ops_id, cpu_start, cpu_stop, process_id, thread_id,"
	"input_shapes_id, output_shapes_id, parameters_id FROM read_only_op_instances",
	"SELECT id, read_only_ops_id, op_instance, name_id, api_start, api_stop, process_id,"
	"thread_id, gpu_start, gpu_stop, device_id, long_name_id, uses_tc, grid_id, block_id"
	" FROM read_only_kernels",
	"SELECT id, aggr_id, iter_value, start_time, stop_time FROM iteration_list",
	NULL,
};

static void read_bare(const char *path, const char *const *statements)
{
	sqlite3 *database;
	sqlite3_stmt *statement;
	int64_t sum = 0;
	if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL))
		exit(1);
	for (size_t i = 0; statements[i]; i++) {
		if (sqlite3_prepare_v2(database, statements[i], -1, &statement, NULL))
			exit(1);
		int columns = sqlite3_column_count(statement);
		while (sqlite3_step(statement) == SQLITE_ROW)
			for (int column = 0; column < columns; column++)
				if (sqlite3_column_type(statement, column) == SQLITE_TEXT)
					sum += *sqlite3_column_text(statement, column);
				else
					sum += sqlite3_column_int64(statement, column);
		sqlite3_finalize(statement);
	}
	sqlite3_close(database);
	seen = sum;
}

enum { ROUNDS = 3 };

/* Time until the profile can be shown, the best of some rounds; fails the program on an error. */
static struct moment time_to_open(const char *path, double *row_bytes)
{
	struct moment ready = { 0, 0 };
	struct error error = { 0 };
	for (int round = 0; round < ROUNDS; round++) {
		struct moment start = now();
		struct run *run = run_open(&path, 1, NULL, NULL, &error);
		if (!run) {
			fprintf(stderr, "open_database: %s\n", error.message);
			exit(1);
		}
		keep_best(&ready, start);
		const struct profile *profile = run->ranks[0].profile;
		*row_bytes = (double)profile_size(profile) /
			     ((double)profile->spans + profile->activities + 1);
		run_free(run);
	}
	return ready;
}

static struct moment time_bare_loop(const char *path, const char *const *statements)
{
	struct moment bare = { 0, 0 };
	read_bare(path, statements); /* from here on the file is in the page cache */
	for (int round = 0; round < ROUNDS; round++) {
		struct moment start = now();
		read_bare(path, statements);
		keep_best(&bare, start);
	}
	return bare;
}

static void new_file(char *path)
{
	int fd = mkstemp(path);
	if (fd < 0)
		exit(2);
	close(fd);
}

int main(int argc, char **argv)
{
	char path[] = "open-database-XXXXXX", other[] = "open-rocpd-XXXXXX";
	char snapshot[] = "open-snapshot-XXXXXX", dlprof[] = "open-dlprof-XXXXXX";
	long kernels = argc > 1 ? atol(argv[1]) : 1000000;
	uint64_t bytes = argc > 2 ? (uint64_t)atoll(argv[2]) << 20 : 300 << 20;
	double each, ignored;
	struct rusage usage;
	if (kernels < 1)
		return 2;
	new_file(path);
	new_file(other);
	new_file(snapshot);
	new_file(dlprof);
	generate_nsys(path, kernels);
	struct moment bare = time_bare_loop(path, nsys_columns), ready = time_to_open(path, &each);
	getrusage(RUSAGE_SELF, &usage);
	generate_rocpd(other, kernels);
	struct moment rocpd = time_to_open(other, &ignored);
	generate_dlprof(dlprof, kernels);
	struct moment bare_dlprof = time_bare_loop(dlprof, dlprof_columns);
	struct moment ops = time_to_open(dlprof, &ignored);
	long entries = generate_snapshot(snapshot, bytes);
	struct moment pickle = time_to_open(snapshot, &ignored);
	unlink(path);
	unlink(other);
	unlink(snapshot);
	unlink(dlprof);
	printf("%ld kernels, as many calls and ranges\n", kernels);
	printf("Nsight Systems: bare loop %.3f s, ready to show %.3f s: %.2f times, %.2f by CPU time\n",
	       bare.wall, ready.wall, ready.wall / bare.wall, ready.cpu / bare.cpu);
	printf("%.0f bytes a row in the profile; at the peak %.0f in all\n", each,
	       (double)usage.ru_maxrss * 1024 / (3.0 * (double)kernels));
	printf("rocpd: ready to show %.3f s: %.2f times Nsight Systems, %.2f by CPU time\n",
	       rocpd.wall, rocpd.wall / ready.wall, rocpd.cpu / ready.cpu);
	printf("DLProf: bare loop %.3f s, ready to show %.3f s: %.2f times, %.2f by CPU time\n",
	       bare_dlprof.wall, ops.wall, ops.wall / bare_dlprof.wall, ops.cpu / bare_dlprof.cpu);
	double rows = 3.0 * (double)kernels / (double)entries;
	printf("memory snapshot of %ld entries, %.0f MB: ready to show %.3f s: %.2f times as many"
	       " rows of Nsight Systems, %.2f by CPU time\n",
	       entries, (double)bytes / 1e6, pickle.wall, pickle.wall / ready.wall * rows,
	       pickle.cpu / ready.cpu * rows);
	return 0;
}

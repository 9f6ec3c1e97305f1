/*
 * open_database [KERNELS]: measures opening an Nsight Systems export, compared with a plain loop
 * over the same columns in SQLite, and memory in bytes per row.
 */
#include "session/load.h"
#include "base/error.h"
#include "base/mem.h"
#include "model/profile.h"
#include "model/run.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run_sql(sqlite3 *database, const char *sql)
{
	char *message = NULL;
	if (sqlite3_exec(database, sql, NULL, NULL, &message) == SQLITE_OK)
		return;
	fprintf(stderr, "open_database: %s\n", message);
	exit(1);
}

/* A training loop: each operator launches a kernel; 40 kernel names, two threads. */
static void generate(const char *path, long kernels)
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
		"'aten::op' || i %% 50 || ', seq = ' || i || ', op_id = ' || i,"
		"(7 << 24) + 8 + i %% 2, NULL, NULL, 0 FROM n;";
	sqlite3 *database;
	if (sqlite3_open(path, &database) != SQLITE_OK)
		exit(1);
	for (size_t i = 0; i < sizeof schema / sizeof *schema; i++)
		run_sql(database, schema[i]);
	char *sql = sqlite3_mprintf(rows, kernels);
	run_sql(database, sql);
	sqlite3_free(sql);
	sqlite3_close(database);
}

static volatile int64_t seen; /* prevents the compiler from removing the loop */

/* Read every value of the columns that strata reads. */
static void read_bare(const char *path)
{
	static const char *const statements[] = {
		"SELECT id, value FROM StringIds",
		"SELECT start, end, deviceId, streamId, correlationId, globalPid, demangledName,"
		"shortName, mangledName, registersPerThread, gridX, gridY, gridZ, blockX, blockY,"
		"blockZ, staticSharedMemory, dynamicSharedMemory, graphNodeId"
		" FROM CUPTI_ACTIVITY_KIND_KERNEL",
		"SELECT start, end, globalTid, correlationId, nameId FROM"
		" CUPTI_ACTIVITY_KIND_RUNTIME",
		"SELECT start, end, eventType, text, textId, globalTid, endGlobalTid, domainId"
		" FROM NVTX_EVENTS",
	};
	sqlite3 *database;
	sqlite3_stmt *statement;
	int64_t sum = 0;
	if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL))
		exit(1);
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
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

static double best(double a, double b)
{
	return a < b ? a : b;
}

int main(int argc, char **argv)
{
	enum { ROUNDS = 3 };
	char path[] = "open-database-XXXXXX";
	const char *paths[] = { path };
	long kernels = argc > 1 ? atol(argv[1]) : 1000000;
	double bare = 1e9, ready = 1e9, each = 0;
	struct error error = { 0 };
	struct rusage usage;
	int fd = mkstemp(path);
	if (fd < 0 || kernels < 1)
		return 2;
	close(fd);
	generate(path, kernels);
	read_bare(path); /* from here on the file is in the page cache */
	for (int round = 0; round < ROUNDS; round++) {
		double start = now();
		read_bare(path);
		bare = best(bare, now() - start);
		start = now();
		struct run *run = run_open(paths, 1, NULL, NULL, &error);
		if (!run)
			break;
		ready = best(ready, now() - start);
		const struct profile *profile = run->ranks[0].profile;
		each = (double)profile_size(profile) /
		       ((double)profile->spans + profile->activities);
		run_free(run);
	}
	unlink(path);
	if (error.code) {
		fprintf(stderr, "open_database: %s\n", error.message);
		return 1;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld kernels, as many calls and ranges\n", kernels);
	printf("bare loop %.3f s, ready to show %.3f s: %.2f times\n", bare, ready, ready / bare);
	printf("%.0f bytes a row in the profile; at the peak %.0f in all\n", each,
	       (double)usage.ru_maxrss * 1024 / (3.0 * (double)kernels));
	return 0;
}

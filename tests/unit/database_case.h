/*
 * Small databases made by SQL in a test, opened through the reader.
 */
#ifndef STRATA_TESTS_DATABASE_CASE_H
#define STRATA_TESTS_DATABASE_CASE_H

#include "trace_case.h"

/* Numbers of a process and of a thread as Nsight Systems writes them. */
#define NSYS_PROCESS(pid) "(" #pid " << 24)"
#define NSYS_THREAD(pid, tid) "((" #pid " << 24) + " #tid ")"

/* The tables of an Nsight export that most cases need; rows are added by the case. */
#define NSYS_STRINGS                                                                               \
	"CREATE TABLE StringIds (id INTEGER, value TEXT);"                                         \
	"INSERT INTO StringIds VALUES (1,'gemm'),(2,'cudaLaunchKernel_v7000'),"                    \
	"(3,'cuLaunchKernel_ptsz'),(4,'poll');"
#define NSYS_KERNELS                                                                               \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT,"               \
	"streamId INT, correlationId INT, globalPid INT, demangledName INT, gridX INT,"            \
	"gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, registersPerThread INT,"        \
	"staticSharedMemory INT, dynamicSharedMemory INT);"
#define NSYS_CALLS                                                                                 \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,"             \
	"correlationId INT, nameId INT);"
#define NSYS_RANGES                                                                                \
	"CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT,"      \
	"globalTid INT, endGlobalTid INT, domainId INT);"

/* A new file made by SQL; the caller unlinks and frees (mem_free) the path. */
char *database_file(const char *sql);

/* The profile of it; the test fails when it is refused.  The caller frees it. */
struct profile *database_open(const char *sql);

/* The same with the facts derived; the caller frees it with run_free. */
struct run *database_run(const char *sql);

/* The test fails unless it is refused by a sentence with this in it. */
void assert_database_refused(const char *sql, const char *sentence);

#endif

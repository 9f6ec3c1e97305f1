/*
 * Creates small databases with SQL in a test and opens them with the reader.
 */
#pragma once

#include "trace_case.h"

/* Process and thread ids as encoded by Nsight Systems. */
#define NSYS_PROCESS(pid) "(" #pid " << 24)"
#define NSYS_THREAD(pid, tid) "((" #pid " << 24) + " #tid ")"

/* The tables of an Nsight Systems export that most cases need; each case adds rows. */
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

/* Literals of SQL that a column of times, ids or names should not hold. */
enum { HOSTILE_VALUES = 6 };
extern const char *const database_hostile_values[HOSTILE_VALUES];

/* Create a database file; the caller unlinks it and frees the path (mem_free). */
char *database_file(const char *sql);

/* Open it; fails the test on error. The caller frees the profile. */
struct profile *database_open(const char *sql);

/* Open it and derive facts; the caller frees the run with run_free. */
struct run *database_run(const char *sql);

/* Fails the test unless it is refused with a message containing SENTENCE. */
void assert_database_refused(const char *sql, const char *sentence);

/*
 * Small traces written into a test, opened through the reader.
 */
#ifndef STRATA_TESTS_TRACE_CASE_H
#define STRATA_TESTS_TRACE_CASE_H

#include "session/load.h"
#include "base/error.h"
#include "model/profile.h"
#include "table/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* One event: an operator of process 1, thread 1 (times in us), and a document around events. */
#define EVENT(category, name, pid, tid, ts, dur, args)                                             \
	"{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name "\",\"pid\":" pid                \
	",\"tid\":" tid ",\"ts\":" ts ",\"dur\":" dur ",\"args\":" args "}"
#define OPERATOR(name, ts, dur) EVENT("cpu_op", name, "1", "1", ts, dur, "{}")
#define LAUNCH(ts, correlation)                                                                    \
	EVENT("cuda_runtime", "cudaLaunchKernel", "1", "1", ts, "2",                               \
	      "{\"correlation\":" correlation "}")
#define KERNEL(name, ts, dur, correlation)                                                         \
	EVENT("kernel", name, "0", "7", ts, dur,                                                   \
	      "{\"device\":0,\"stream\":7,\"correlation\":" correlation "}")
#define DOCUMENT(events) "{\"schemaVersion\":1,\"traceEvents\":[" events "]}"

/* The profile of these bytes; the caller frees it.  trace_open fails the test when it is refused.
 */
struct profile *trace_open(const char *text);
struct profile *trace_open_bytes(const void *bytes, size_t length, struct error *error);

/* The same with the facts derived: a run of one rank; the caller frees it with run_free. */
struct run *trace_run(const char *text);
struct run *trace_run_bytes(const void *bytes, size_t length);

/* A view of a run in a scope (NULL: everything) and its cells; a missing number reads as 0. */
struct table *trace_view(const struct run *run, const char *view, const struct scope *scope,
			 const char *group);
struct value table_cell(const struct table *table, size_t row, const char *column);
int64_t table_number(const struct table *table, size_t row, const char *column);

/* What tracegen writes with these options (mem_free it); LENGTH may be NULL. */
char *trace_generate(const char *options, size_t *length);

/* The test fails unless the bytes are refused with a sentence as input that cannot be read. */
void assert_refused(const void *bytes, size_t length);

/* The first row of this name; the test fails when there is none. */
uint32_t span_named(const struct profile *profile, const char *name);
uint32_t activity_named(const struct profile *profile, const char *name);

const char *span_text(const struct profile *profile, uint32_t span);

/* How often a cause was counted; NULL: all causes together. */
uint64_t damage_count(const struct profile *profile, const char *cause);

#endif

/*
 * Builds small traces in a test and opens them with the reader.
 */
#pragma once

#include "test.h"
#include "session/load.h"
#include "base/error.h"
#include "model/profile.h"
#include "table/view.h"

#include <string.h>

/* Events (times in us; OPERATOR and LAUNCH in process 1, thread 1) and the enclosing document. */
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

/* Parse; the caller frees the profile. trace_open fails the test on error. */
struct profile *trace_open(const char *text);
struct profile *trace_open_bytes(const void *bytes, size_t length, struct error *error);

/* Parse and derive facts: a run of one rank. The caller frees it with run_free. */
struct run *trace_run(const char *text);
struct run *trace_run_bytes(const void *bytes, size_t length);

/* Build a view in a scope (NULL: everything) and read its numbers; a missing one reads as 0. */
struct table *trace_view(const struct run *run, const char *view, const struct scope *scope,
			 const char *group);
int64_t table_number(const struct table *table, size_t row, const char *column);

const char *table_text(const struct table *table, size_t row, const char *column); /* or "" */
bool same_cell(struct value a, struct value b);

/* Does the cell hold TEXT ("": is it blank)? */
bool cell_is(const struct table *table, size_t row, const char *column, const char *text);

/* The only row with TEXT in COLUMN; fails the test if there is none. */
size_t row_with(const struct table *table, const char *column, const char *text);
void assert_cell(const struct table *table, size_t row, const char *column, const char *text);

/*
 * Build a view, and fail unless these columns (ids with commas between) of its rows read ROWS: a
 * line for each, with cells as "3", "0.5", "text" or nothing, and commas between.
 */
void assert_rows(const struct run *run, const char *view, const struct scope *scope,
		 const char *group, const char *columns, const char *rows);

/* Output of tracegen with these options; free with mem_free. LENGTH may be NULL. */
char *trace_generate(const char *options, size_t *length);

/* Fails the test unless the bytes are refused with ERROR_INPUT and a message. */
void assert_refused(const void *bytes, size_t length);

/* Each cut from LEAST bytes on, and each byte changed, opens or is refused with a message. */
void assert_survives_damage(struct buffer *bytes, size_t least);

/* First row with this name; fails the test if there is none. */
uint32_t span_named(const struct profile *profile, const char *name);
uint32_t activity_named(const struct profile *profile, const char *name);

const char *span_text(const struct profile *profile, uint32_t span);

/* Occurrences of a damage cause; NULL: of all causes. */
uint64_t damage_count(const struct profile *profile, const char *cause);

/* The timeline of a run without a scope. The caller frees it with timeline_free. */
struct timeline *timeline_whole(const struct run *run);

/*
 * The Profile: what a reader found, in columns.
 *
 * A row is named by its index.  Host spans (operators, Python functions, annotations, runtime calls
 * …) and device activities (kernels, copies, sets, synchronisations) are two families of parallel
 * arrays.  Once profile_finish (builder.h) has returned, nothing here changes, so every thread may
 * read without a lock.  Times are integer nanoseconds from the profile's own zero; `base_ns`
 * plus `epoch_ns` is what to add for absolute time.
 */
#ifndef STRATA_MODEL_PROFILE_H
#define STRATA_MODEL_PROFILE_H

#include "base/intern.h"
#include "base/mem.h"
#include "model/read_filter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dlprof;       /* tools/dlprof/dlprof.h */
struct frame;        /* model/frames.h */
struct python_stats; /* model/python_stats.h */
struct store;        /* base/store.h */

#define NO_ROW UINT32_MAX  /* "none" for every row index and interned id below */
#define NO_VALUE INT64_MIN /* "not in the file" for integers */

/* What a host span is, by the category the file gives it (never by its process or thread). */
enum span_kind {
	SPAN_OPERATOR,       /* cpu_op */
	SPAN_ANNOTATION,     /* user_annotation: record_function, steps, optimizer, data loader */
	SPAN_MODULE,         /* python_function of an nn.Module call */
	SPAN_PYTHON,         /* python_function */
	SPAN_RUNTIME,        /* runtime and driver API calls */
	SPAN_OVERHEAD,       /* the profiler's own */
	SPAN_GPU_ANNOTATION, /* shadow of an annotation on a stream: not work */
	SPAN_INSTANT,        /* a point in time */
	SPAN_OTHER,          /* any category strata does not know; see span_category */
	SPAN_KINDS
};

enum activity_kind {
	ACTIVITY_KERNEL,
	ACTIVITY_MEMCPY,
	ACTIVITY_MEMSET,
	ACTIVITY_SYNC, /* lies on a device lane but is not work */
	ACTIVITY_KINDS
};

const char *span_kind_name(enum span_kind kind);         /* "operator", "runtime"… */
const char *activity_kind_name(enum activity_kind kind); /* "kernel", "memcpy"… */

/*
 * These structs have no gaps between their members: an index keeps them as they lie in memory, and
 * what is in a gap is never set.
 */

/* A process of the file; merged files hold several ranks, told apart by a label. */
struct process {
	uint32_t label; /* interned: the text of a non-numeric pid ("[TP00-…] 83"), else 0 */
	uint32_t group; /* interned: what joins are keyed by beside an id ("[TP00-…]"), else 0 */
	int64_t pid;    /* NO_VALUE when the file has no number */
	uint32_t name;  /* interned process_name, else 0 */
	int32_t rank;   /* of the job, where the file tells it of each process; else -1 */
};

/* One lane: a host thread, or a stream of a device. */
struct track {
	uint32_t process; /* index into processes */
	uint32_t label;   /* interned text of a non-numeric tid, else 0 */
	int64_t tid;      /* thread id or stream id */
	uint32_t name;    /* interned thread_name, else 0 */
	int32_t device;   /* ordinal for streams, -1 for host threads */
	int64_t sort_index;
	uint32_t first_span, spans;          /* its range of span rows */
	uint32_t first_activity, activities; /* its range of activity rows */
	/* of a profile of some steps: rows that were left out, and how many of them came before */
	uint32_t spans_out, spans_out_before, activities_out, activities_out_before;
	uint32_t span_shift, activity_shift; /* what makes a row its number among all of the file */
};

struct device {
	int32_t id;
	int32_t work_id;      /* the ordinal of what runs on it: nearly always the same */
	uint32_t name;        /* interned, 0 when unknown */
	int64_t memory_bytes; /* NO_VALUE when unknown, as all below */
	int64_t compute_major, compute_minor;
	int64_t sm_count, warp_size, max_threads_per_sm, regs_per_sm, shared_mem_per_sm;
	int64_t memory_bandwidth, clock_hz; /* bytes/s; of the multiprocessors */
};

/* What Kineto knows of an operator or annotation call beyond its times. */
struct op_info {
	int64_t external_id, sequence; /* NO_VALUE when absent */
	int64_t forward_thread;        /* the same; 0: a forward operator, -1: on an unknown one */
	uint32_t shapes, types, strides, concrete, stack, hierarchy; /* interned, 0 absent */
};

struct call_info { /* of a runtime call */
	int64_t correlation, external_id;
};

/* Launch parameters repeat, so each distinct set is kept once. */
struct launch_config {
	int32_t grid[3], block[3];         /* -1 when absent */
	int32_t regs_per_thread;           /* -1 when absent */
	float occupancy_pct;               /* NaN when absent */
	int64_t shared_mem_bytes;          /* -1 when absent */
	float blocks_per_sm, warps_per_sm; /* NaN when absent */
};

/* Rows that were read but not kept; those a day away from what was wanted do not count. */
struct left_out {
	uint64_t rows, spans[SPAN_KINDS];
	int64_t start, end; /* the first start and the last end, absolute; of no rows nothing */
	int64_t kept_from, kept_to; /* host spans outside of this are not there; absolute */
	bool layers;                /* there are annotations in the file that may be layers */
};

/* A value the columns have no place for, kept as the file has it. */
struct attribute {
	uint32_t row;  /* span or activity row */
	uint32_t key;  /* interned */
	uint32_t text; /* interned: JSON text, strings without their quotes */
};

/* Categories of spans of no other kind. */
#define CATEGORY_SYSTEM "os_runtime" /* calls of the operating system's libraries */

/* Of instants of a trace that are samples; their stack, innermost frame first, frames apart by
 * '\n'. */
#define CATEGORY_SAMPLE "cpu_sample"
#define SAMPLE_STACK "stack"

#define CATEGORY_PAGE_FAULT "page_fault" /* of unified memory; instants those of the host */

/* Key of an attribute of page faults of a device: how many of one page there were. */
#define PAGE_FAULT_COUNT "page faults"

/* Key of an attribute of calls: the name in the file, where Nsight itself shows it with its
 * version. */
#define CALL_RECORDED_AS "recorded as"

/* The same: the call stack it was recorded with, innermost frame first, frames apart by ';'. */
#define CALL_RECORDED_STACK "call stack"

/* Keys of attributes of NVTX ranges. */
#define NVTX_DOMAIN "domain"         /* where it is not the default one */
#define NVTX_PAYLOAD "payload"       /* a number or JSON that came with it */
#define NVTX_STYLE "style"           /* of a range that was started and ended, not pushed */
#define NVTX_TEXT "text"             /* the whole of it, where name and sequence do not say it */
#define NVTX_THREAD "thread"         /* of a range that got a lane of its own: where it began */
#define NVTX_UNFINISHED "unfinished" /* it was never closed; no text */

struct memory_event {
	int64_t time, address, bytes;            /* bytes < 0 is a release */
	int64_t total_allocated, total_reserved; /* NO_VALUE when absent */
	int32_t device_type, device_id;          /* 0 is the CPU; id -1 there */
	uint32_t track, unused;
};

enum flow_kind { FLOW_FORWARD_BACKWARD, FLOW_LAUNCH, FLOW_OTHER };
struct flow { /* one end of an arrow */
	int64_t time, id;
	uint32_t track;
	uint8_t kind;  /* enum flow_kind */
	uint8_t start; /* 1: tail, 0: head */
	uint16_t unused;
};

struct counter {
	int64_t time;
	uint32_t track, name, series, unused;
	double value;
};

/* A look at what a thread was doing. */
struct stack_sample {
	int64_t time;
	uint32_t track;
	uint32_t frame; /* the innermost; NO_ROW when the stack is not known */
};

/* Why a thread left its processor. */
enum thread_state {
	THREAD_UNKNOWN,
	THREAD_RUNNABLE, /* it would have gone on: another took its place */
	THREAD_BLOCKED,  /* it waited for something */
};

/* A thread had a processor.  Of one thread they are disjoint and in order of time. */
struct thread_run {
	int64_t start, dur;
	uint32_t track;
	uint32_t left; /* enum thread_state */
};

struct metadata {
	uint32_t key, value;
}; /* interned; value as JSON text, strings bare */

/* One way in which the input was damaged, with how often and the first place. */
struct damage {
	const char *cause;  /* static or the store's, "unescaped quote in a string" */
	const char *action; /* the same: "repaired", "skipped", "set aside", "kept" */
	uint64_t count;
	uint64_t offset; /* byte of the first, in the uncompressed text; UINT64_MAX: none */
};

struct profile {
	struct arena *arena;
	struct intern *strings;
	char *path;
	const char *format; /* "Kineto trace (JSON, gzip)" */
	uint64_t file_bytes, text_bytes;
	uint64_t events; /* rows of the file of any kind */

	int64_t epoch_ns; /* what the file says to add to its times; 0 */
	int64_t base_ns;  /* the file's time of zero */
	int64_t end_ns;   /* last end, from zero */
	bool truncated;
	bool partial;                     /* the begin of a file that was still being read */
	uint8_t recorder;                 /* enum recorder (recording.h) */
	bool no_python;                   /* Python functions were left out, as was asked */
	const struct read_filter *filter; /* while it is read: what is kept; NULL: all */
	struct left_out left_out;
	bool some_steps; /* only rows of steps STEP_FIRST..STEP_LAST are there */
	int64_t step_first, step_last;
	bool ids_per_process; /* every process counts its correlation ids and sequence numbers */

	/* host spans, by track, each track in preorder */
	uint32_t spans;
	int64_t *span_start, *span_dur;
	uint32_t *span_name;
	uint32_t *span_track;
	uint32_t *span_parent; /* row, NO_ROW at the top of a thread */
	uint32_t *span_size;   /* rows of the subtree, itself included */
	uint32_t *span_info;   /* into op_info or call_info by kind; NO_ROW when none */
	uint8_t *span_kind;

	/* device activities, by track, each track by start */
	uint32_t activities;
	int64_t *activity_start, *activity_dur;
	int64_t *activity_correlation; /* NO_VALUE when absent */
	int64_t *activity_external;    /* NO_VALUE when absent */
	int64_t *activity_bytes;       /* copies and sets; NO_VALUE when absent */
	uint32_t *activity_name;
	uint32_t *activity_track;
	uint32_t *activity_config; /* into launch_configs; NO_ROW when none */
	uint32_t *activity_launch; /* the runtime call's span row; NO_ROW: not in this profile */
	uint8_t *activity_kind;
	uint32_t *activity_order; /* its place among the activities as the file has them */

	struct op_info *op_infos;
	size_t op_info_count, op_info_cap;
	struct call_info *call_infos;
	size_t call_info_count, call_info_cap;
	struct launch_config *configs;
	size_t config_count, config_cap;
	struct attribute *span_attributes;
	size_t span_attribute_count, span_attribute_cap;
	struct attribute *activity_attributes;
	size_t activity_attribute_count, activity_attribute_cap;

	struct memory_event *memory_events;
	size_t memory_count, memory_cap; /* by time */
	struct flow *flows;
	size_t flow_count, flow_cap;
	struct counter *counters;
	size_t counter_count, counter_cap;
	struct frame *frames;
	size_t frame_count, frame_cap; /* of samples */
	struct stack_sample *samples;
	size_t sample_count, sample_cap; /* by track, time */
	struct thread_run *runs;
	size_t run_count, run_cap; /* by track, time */
	int64_t sample_period;     /* the usual time between two looks at one thread; 0: none */
	struct process *processes;
	size_t process_count, process_cap;
	struct track *tracks;
	size_t track_count, track_cap;
	struct device *devices;
	size_t device_count, device_cap;
	struct metadata *metadata;
	size_t metadata_count, metadata_cap;
	struct damage *damages;
	size_t damage_count, damage_cap;

	int64_t rank, world_size; /* NO_VALUE when the file does not say */

	struct dlprof *dlprof;       /* what DLProf stored in its own database; NULL otherwise */
	struct python_stats *python; /* what a profiler of Python stored; NULL otherwise */

	struct store *store; /* in which columns and strings lie, read-only; NULL: its own */
};

struct profile *profile_new(const char *path);
void profile_free(struct profile *profile); /* NULL is fine */

const char *profile_string(const struct profile *profile, uint32_t id); /* NO_ROW gives "" */

/* Call parameters of a span; NULL when it has none of that kind. */
const struct op_info *profile_op_info(const struct profile *profile, uint32_t span);
const struct call_info *profile_call_info(const struct profile *profile, uint32_t span);
const struct launch_config *profile_config(const struct profile *profile, uint32_t activity);

/* Attributes of a row: *COUNT of them from the returned pointer (sorted tables, binary search). */
const struct attribute *profile_span_attributes(const struct profile *profile, uint32_t span,
						size_t *count);
const struct attribute *profile_activity_attributes(const struct profile *profile,
						    uint32_t activity, size_t *count);

/* The number of a row among all rows of the file, those that were left out included. */
static inline uint32_t profile_span_id(const struct profile *profile, uint32_t span)
{
	return span + profile->tracks[profile->span_track[span]].span_shift;
}

static inline uint32_t profile_activity_id(const struct profile *profile, uint32_t activity)
{
	return activity + profile->tracks[profile->activity_track[activity]].activity_shift;
}

const struct device *profile_device(const struct profile *profile, int32_t id); /* or NULL */
int32_t profile_activity_device(const struct profile *profile, uint32_t activity);

/* Metadata value by key ("cupti_version"), or NULL. */
const char *profile_metadata(const struct profile *profile, const char *key);

/* Count one more damaged place of CAUSE (both texts static). */
void profile_damage(struct profile *profile, const char *cause, const char *action,
		    uint64_t offset);
void profile_damage_many(struct profile *profile, const char *cause, const char *action,
			 uint64_t offset, uint64_t count);

/* Spans and activities of the file, those that were left out included. */
struct row_counts {
	uint64_t spans, activities;
};
struct row_counts profile_all_rows(const struct profile *profile);

/* Events of the file so far; of one of which only some are kept, those. */
uint64_t profile_rows(const struct profile *profile);

/* Count ROWS more that were left out; the first of them began at START, the last ended at END. */
void profile_leave_out(struct profile *profile, uint64_t rows, int64_t start, int64_t end);

/* Spans of a kind in the file, those that were left out included. */
uint64_t profile_all_spans(const struct profile *profile, enum span_kind kind);

/* What correlation ids and sequence numbers of a lane are keyed by beside the number. */
uint32_t profile_id_space(const struct profile *profile, uint32_t track);

/* Bytes held, strings included. */
size_t profile_size(const struct profile *profile);

#endif

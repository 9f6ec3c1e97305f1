/*
 * The Profile: all rows of a capture in columns, immutable once finished.
 *
 * A row is named by its index. Host spans (operators, Python functions, annotations, runtime calls
 * …) and device activities (kernels, copies, sets, synchronizations) are two families of parallel
 * arrays. After profile_finish (builder.h) any thread may read without a lock. Times are integer
 * nanoseconds from the profile's zero; add `base_ns` and `epoch_ns` for absolute time.
 */
#pragma once

#include "base/intern.h"
#include "base/listed.h"
#include "text_tables.h"

struct hash;
struct progress;
struct buffer;

/*
 * What a reader keeps when only some steps of a trace are wanted.
 *
 * Annotations that mark steps may be anywhere in the file, so it is read twice: a survey keeps only
 * what identifies the steps and the rows that belong to them; the second pass keeps only rows of
 * the wanted steps (session/step_survey.h). Both create all tracks in the same order, even for rows
 * dropped.
 */

struct read_filter {
	/*
	 * The survey: keep annotations, operators that may be steps according to IS_STEP (NULL:
	 * all), calls and device activities, without arguments, and only the first two with names.
	 */
	bool survey;
	bool (*is_step)(const char *name, size_t length); /* called from any thread */

	/*
	 * A survey of what steps that are not marked may be found by: all operators, modules, calls
	 * and device activities, with names.
	 */
	bool thorough;

	/* Otherwise: keep spans and activities that overlap these ranges; absolute times. */
	int64_t host_from, host_to;
	int64_t device_from, device_to;
};

struct frame;          /* model/frames.h */
struct python_stats;   /* model/python_stats.h */
struct snapshot;       /* model/snapshot.h */
struct flight;         /* model/flight.h */
struct compile_log;    /* model/compile_log.h */
struct requests;       /* model/requests.h */
struct totals;         /* model/totals.h */
struct summary_tables; /* model/summary_tables.h */
struct store;          /* base/store.h */

#define NO_ROW UINT32_MAX /* "none" for all row indexes and interned ids below */
#define ATTRIBUTE_RECORD_ID "Record function id"
#define NO_VALUE INT64_MIN /* "absent" for integers */

/* Members that nothing tells yet: SET_UNKNOWN(row, UNKNOWN(calls) UNKNOWN(self_s)). */
#define SET_UNKNOWN(object, members)                                                               \
	do {                                                                                       \
		__auto_type unknown_in = (object);                                                 \
		members                                                                            \
	} while (0)
#define UNKNOWN(member)                                                                            \
	unknown_in->member = _Generic(unknown_in->member, double                                   \
				      : __builtin_nan(""), uint32_t                                \
				      : NO_ROW, int64_t                                            \
				      : NO_VALUE);

/* The sum of two; NO_VALUE unless both are known, and it is not too large. */
static inline int64_t sum_known(int64_t a, int64_t b)
{
	int64_t sum;
	return a == NO_VALUE || b == NO_VALUE || __builtin_add_overflow(a, b, &sum) ? NO_VALUE
										    : sum;
}

/* Add NUMBER to SUM, each known or not, unless that is too large. */
static inline void add_if_known(int64_t *sum, int64_t number)
{
	int64_t all = *sum == NO_VALUE ? number : sum_known(*sum, number);
	*sum = all == NO_VALUE ? *sum : all;
}

/* Kind of a host span, from the category in the file (never from its process or thread). */
enum span_kind { SPAN_KIND_ROWS(LISTED) SPAN_KINDS };

enum activity_kind { ACTIVITY_KIND_ROWS(LISTED) ACTIVITY_KINDS };

const char *span_kind_name(enum span_kind kind);         /* "operator", "runtime"… */
const char *activity_kind_name(enum activity_kind kind); /* "kernel", "memcpy"… */

/* The structs below have no padding: an index stores their bytes, and padding is uninitialized. */

/* A process; merged files hold several ranks, distinguished by label. */
struct process {
	uint32_t label; /* interned: the text of a non-numeric pid ("[TP00-…] 83"), else 0 */
	uint32_t group; /* interned: processes that share ids ("[TP00-…]"), else 0 */
	int64_t pid;    /* NO_VALUE when not numeric */
	uint32_t name;  /* interned process_name, else 0 */
	int32_t rank;   /* in the job, if recorded per process; else -1 */
};

/* A track: a host thread, or a stream of a device. */
struct track {
	uint32_t process; /* index into processes */
	uint32_t label;   /* interned text of a non-numeric tid, else 0 */
	int64_t tid;      /* thread id or stream id */
	uint32_t name;    /* interned thread_name, else 0 */
	int32_t device;   /* ordinal for streams, -1 for host threads */
	int64_t sort_index;
	int64_t priority;                    /* of the thread, NO_VALUE when unknown */
	uint32_t first_span, spans;          /* range of span rows */
	uint32_t first_activity, activities; /* range of activity rows */
	/* with a step filter: rows omitted, and how many of them precede the kept ones */
	uint32_t spans_out, spans_out_before, activities_out, activities_out_before;
	uint32_t span_shift, activity_shift; /* row number in the whole file minus row */
};

struct device {
	int32_t id;
	int32_t work_id;      /* the ordinal used by its activities; nearly always equal to id */
	uint32_t name;        /* interned, 0 when unknown */
	int64_t memory_bytes; /* NO_VALUE when unknown, also below */
	int64_t compute_major, compute_minor;
	int64_t sm_count, warp_size, max_threads_per_sm, regs_per_sm, shared_mem_per_sm;
	int64_t memory_bandwidth, clock_hz; /* bytes/s; SM clock */
};

/* Of an operator or annotation call; ids are NO_VALUE when absent, below -1 a reader's own. */
struct op_ids {
	int64_t external_id, sequence;
	uint32_t info;                 /* into op_infos */
} __attribute__((packed, aligned(4))); /* the most common row of large profiles */

/* Details of such calls; each distinct set is stored once. */
struct op_info {
	int64_t forward_thread; /* NO_VALUE: absent; 0: a forward operator, -1: unknown thread */
#define OP_INFO_TEXTS(_) _(shapes) _(types) _(strides) _(concrete) _(stack) _(hierarchy)
	uint32_t shapes, types, strides, concrete, stack, hierarchy; /* interned, 0 absent */
};

struct call_info { /* of a runtime call */
	int64_t correlation, external_id;
};

/* Launch parameters; each distinct set is stored once. */
struct launch_config {
	int32_t grid[3], block[3];         /* -1 when absent */
	int32_t regs_per_thread;           /* -1 when absent */
	float occupancy_pct;               /* NaN when absent */
	int64_t shared_mem_bytes;          /* -1 when absent */
	float blocks_per_sm, warps_per_sm; /* NaN when absent */
};

/* Rows that were read but filtered out, apart from those outside the capture. */
struct left_out {
	uint64_t rows, spans[SPAN_KINDS];
	int64_t start, end;         /* first start and last end, absolute; undefined without rows */
	int64_t kept_from, kept_to; /* host spans outside this range are omitted; absolute */
	bool layers;                /* the file has annotations that may be layers */
};

/* A value without a column of its own, as in the file. */
struct attribute {
	uint32_t row;  /* span or activity row */
	uint32_t key;  /* interned */
	uint32_t text; /* interned: JSON, strings unquoted */
};

/* Categories of SPAN_OTHER. */
#define CATEGORY_SYSTEM "os_runtime" /* operating system runtime library calls */
#define CATEGORY_OPENMP "openmp"
#define CATEGORY_OPENACC "openacc"
#define CATEGORY_COMPILE "torch.compile" /* phases of compilations, and the attribute of one: */
#define COMPILE_ID "compile id"

/*
 * Instants that are samples, and the attribute with their stack: innermost frame first, separated
 * by '\n'.
 */
#define CATEGORY_SAMPLE "cpu_sample"
#define SAMPLE_STACK "stack"

#define CATEGORY_PAGE_FAULT "page_fault" /* of unified memory; host faults are instants */

/* Attribute of device page faults: number of faults on a page. */
#define PAGE_FAULT_COUNT "page faults"

#define SAMPLES_OF "samples of "                    /* metadata: and an event of perf */
#define UNIFIED_FAULTS "unified memory page faults" /* metadata: they were recorded */

/* Attributes of host page faults: the function, and the line of its source. */
#define PAGE_FAULT_FUNCTION "function"
#define PAGE_FAULT_FILE "source file"
#define PAGE_FAULT_LINE "source line"

/* Attributes of a call: the versioned name in the file, unless it is the name; what it returned. */
#define CALL_RECORDED_AS "recorded as"
#define CALL_RESULT "result"

/* Attribute of a call: its call stack, innermost frame first, separated by ';'. */
#define CALL_RECORDED_STACK "call stack"
#define CALL_NODE "graph node id" /* a node of a CUDA graph that the call made */

/* Attributes of NVTX ranges. */
#define NVTX_DOMAIN "domain"   /* unless it is the default domain */
#define NVTX_PAYLOAD "payload" /* a number or JSON */
#define NVTX_STYLE "style"     /* of a start/end range (not push/pop) */
#define NVTX_TEXT "text"       /* full text, when name and sequence do not contain it */
#define NVTX_THREAD "thread"   /* of a range on a track of its own: the thread it started on */
#define NVTX_UNFINISHED "unfinished"            /* never closed; empty */
#define NVTX_WANDERED "ended on another thread" /* empty */

/* MPI calls, and their attributes; sizes in bytes. */
#define CATEGORY_MPI "mpi"
#define MPI_CLASS "class" /* "p2p", "collectives", "start-wait", "other" */
#define MPI_TAG "tag"
#define MPI_PEER "peer rank"
#define MPI_ROOT "root rank"
#define MPI_SIZE "message bytes"
#define MPI_SENT "sent bytes" /* of a collective, as below */
#define MPI_RECEIVED "received bytes"

/* Attributes of device activities. */
#define ACTIVITY_CONTEXT "context id"
#define ACTIVITY_NODE "original graph node id" /* that a call made (CALL_NODE) */
#define ACTIVITY_WAIT_STREAM "wait_on_stream"  /* Kineto's names: the event waited for, */
#define ACTIVITY_WAIT_RECORD "wait_on_cuda_event_record_corr_id" /* and the call recording it */
#define ACTIVITY_GREEN_CONTEXT "green context id"
#define ACTIVITY_STATIC_MEMORY                                                                     \
	"static shared memory bytes" /* unless 0; part of shared_mem_bytes                         \
				      */
#define ACTIVITY_SCOPE "HLO scope"   /* functions around an operation, "jit(f)/jit(main)/dot" */
#define ACTIVITY_MODULES "modules"   /* of code that torch.compile generated: "fc1, act" */
#define ACTIVITY_UNTIMED "duration not measured" /* empty; its duration is 0 */
#define METRIC_RULE "rule "      /* and a name: what a rule of the profiler says of the kernel */
#define MEMORY_ADDRESS "address" /* of a page fault or migrated pages: "0x7f…" */

#define DEVICE_TYPE_HIP 6 /* of a memory event; PyTorch's numbers */

struct memory_event {
	int64_t time, address, bytes;            /* bytes < 0 is a release */
	int64_t total_allocated, total_reserved; /* NO_VALUE when absent */
	int16_t device_type;                     /* 0 is the CPU */
	uint16_t part;     /* 1: CATEGORY is part of another one that is the whole */
	int32_t device_id; /* -1: the CPU */
	uint32_t track;
	uint32_t category; /* interned: whose totals these are, without an allocation; 0: none */
};

enum flow_kind { FLOW_FORWARD_BACKWARD, FLOW_LAUNCH, FLOW_OTHER };
struct flow { /* one end of a flow arrow */
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

/* Counters of devices; of the second name the beginning, values are 0 and 1. */
#define COUNTER_POWER "power (W)"
#define COUNTER_THROTTLED "throttled by "

/* Metadata of telemetry: of what clock its times are, and of a trace what became of it. */
#define TELEMETRY_CLOCK "clock of the samples"
#define TELEMETRY_UNIX "Unix time"
#define TELEMETRY_JOINED "telemetry"

/* A measured value of a device activity, such as a hardware counter of a kernel. */
struct metric {
	double value; /* NaN when it is a text */
	uint32_t activity;
	uint32_t of_kernel;  /* 1: of all launches of the activity's name, not of this one */
	uint32_t name, unit; /* interned, as below; 0: none */
	uint32_t section, title, statistic;
	uint32_t instance; /* a part: an address, an operation; 0: the whole */
	uint32_t text;
	uint32_t unused;
};

/* A call stack sample. */
struct stack_sample {
	int64_t time;
	uint32_t track;
	uint32_t frame; /* innermost frame; NO_ROW when the stack is unknown */
};

/* Why a thread was descheduled. */
enum thread_state {
	THREAD_UNKNOWN,
	THREAD_RUNNABLE, /* preempted */
	THREAD_BLOCKED,
};

/* An on-CPU interval; the intervals of a thread are disjoint and sorted by time. */
struct thread_run {
	int64_t start, dur;
	uint32_t track;
	uint32_t left; /* enum thread_state */
};

struct metadata {
	uint32_t key, value;
}; /* interned; value as JSON text, strings bare */

/* One kind of damage in the input, with its count and first position. */
struct damage {
	const char *cause;  /* static or owned by the strings, "unescaped quote in a string" */
	const char *action; /* likewise: "repaired", "skipped", "set aside", "kept" */
	uint64_t count;
	uint64_t offset; /* of the first, in the uncompressed text; UINT64_MAX: none */
};

/* Data a reader keeps for its own tool. */
struct tool_data {
	void (*free)(struct tool_data *data);
	size_t (*size)(const struct tool_data *data); /* bytes */
};

/*
 * The columns of a profile, each listed once: type, name, and what its values number. Recorded
 * columns are filled by the builder, the others when the profile is finished.
 */
#define PROFILE_SPAN_RECORDED(_)                                                                   \
	_(int64_t, span_start, NUMBER)                                                             \
	_(int64_t, span_dur, NUMBER)                                                               \
	_(uint32_t, span_name, STRING)                                                             \
	_(uint32_t, span_track, TRACK)                                                             \
	_(uint32_t, span_info, INFO) /* into op_ids or call_infos, by kind; NO_ROW: none */        \
	_(uint8_t, span_kind, NUMBER)
#define PROFILE_SPAN_COLUMNS(_)                                                                    \
	PROFILE_SPAN_RECORDED(_)                                                                   \
	_(uint32_t, span_parent, ROW)  /* row, NO_ROW at the top of a thread */                    \
	_(uint32_t, span_size, NUMBER) /* rows of the subtree, including itself */
#define PROFILE_ACTIVITY_RECORDED(_)                                                               \
	_(int64_t, activity_start, NUMBER)                                                         \
	_(int64_t, activity_dur, NUMBER)                                                           \
	_(int64_t, activity_correlation, NUMBER) /* NO_VALUE when absent */                        \
	_(int64_t, activity_external, NUMBER)    /* NO_VALUE when absent */                        \
	_(int64_t, activity_bytes, NUMBER)       /* copies and sets; NO_VALUE when absent */       \
	_(uint32_t, activity_name, STRING)                                                         \
	_(uint32_t, activity_track, TRACK)                                                         \
	_(uint32_t, activity_config, CONFIG) /* into configs; NO_ROW: none */                      \
	_(uint8_t, activity_kind, NUMBER)
#define PROFILE_ACTIVITY_COLUMNS(_)                                                                \
	PROFILE_ACTIVITY_RECORDED(_)                                                               \
	_(uint32_t, activity_launch, ROW)   /* span row of the launching call; NO_ROW: not here */ \
	_(uint32_t, activity_order, NUMBER) /* position among the activities in file order */

/* Its other tables: type of a row, array, prefix of its count, count in an index. */
#define PROFILE_TABLES(_)                                                                          \
	_(struct op_ids, op_ids, op_id, OP_IDS)                                                    \
	_(struct op_info, op_infos, op_info, OP_INFOS)                                             \
	_(struct call_info, call_infos, call_info, CALL_INFOS)                                     \
	_(struct launch_config, configs, config, CONFIGS)                                          \
	_(struct attribute, span_attributes, span_attribute, SPAN_ATTRIBUTES)                      \
	_(struct attribute, activity_attributes, activity_attribute, ACTIVITY_ATTRIBUTES)          \
	_(struct memory_event, memory_events, memory, MEMORY) /* by time */                        \
	_(struct flow, flows, flow, FLOWS)                                                         \
	_(struct counter, counters, counter, COUNTERS)                                             \
	_(struct metric, metrics, metric, METRICS)       /* in file order */                       \
	_(struct frame, frames, frame, FRAMES)           /* of samples */                          \
	_(struct stack_sample, samples, sample, SAMPLES) /* by track, time */                      \
	_(struct thread_run, runs, run, RUNS)            /* by track, time */
#define PROFILE_LISTS(_)                                                                           \
	_(struct process, processes, process, PROCESSES)                                           \
	_(struct track, tracks, track, TRACKS)                                                     \
	_(struct device, devices, device, DEVICES)                                                 \
	_(struct metadata, metadata, metadata, METADATA)

#define DECLARE_COLUMN(type, column, ids) type *column;
#define DECLARE_TABLE(type, rows, prefix, counter)                                                 \
	type *rows;                                                                                \
	size_t prefix##_count;

struct profile {
	struct arena *arena;
	struct intern *strings;
	char *path;
	const char *format; /* "Kineto trace (JSON, gzip)" */
	uint64_t file_bytes, text_bytes;
	uint64_t events; /* rows in the file, all kinds */

	int64_t epoch_ns; /* offset from file times to Unix time; 0 */
	int64_t base_ns;  /* file time of zero */
	int64_t end_ns;   /* the latest end, from zero */
	bool truncated;
	bool of_files;   /* files beside were read with it: an index would not see them change */
	bool partial;    /* the start of a file that is still being read */
	uint8_t tool;    /* index in tools[] (tool.h) of the writer */
	bool record_ids; /* reading: keep them as attributes (ATTRIBUTE_RECORD_ID) */
	bool no_python;  /* Python functions were not loaded, as requested */
	const char *sample_type; /* while reading: of a profile of several, the one wanted; NULL */
	const struct read_filter *filter; /* while reading: the rows to keep; NULL: all */
	struct left_out left_out;
	bool some_steps; /* only rows of steps step_first..step_last are loaded */
	int64_t step_first, step_last;
	bool ids_in_order;    /* the number of an activity is its position in the file */
	bool ids_per_process; /* correlation ids and sequence numbers are per process */

	/* host spans by track, each track in preorder */
	uint32_t spans;
	PROFILE_SPAN_COLUMNS(DECLARE_COLUMN)
	/* Row number in the file's table, for reports that print it; 0: none. NULL without any. */
	uint32_t *span_record;
	size_t span_records; /* spans, or 0 when span_record is NULL */

	/* device activities by track, each track by start */
	uint32_t activities;
	PROFILE_ACTIVITY_COLUMNS(DECLARE_COLUMN)

	PROFILE_TABLES(DECLARE_TABLE)
	PROFILE_LISTS(DECLARE_TABLE)
	int64_t sample_period; /* median sampling interval of a thread, ns; 0: none */
	GROWING(struct damage, damages, damage_count);

	int64_t rank, world_size; /* NO_VALUE when the file does not say */

	struct tool_data *tool_data; /* private to its tool; NULL: none */
	struct python_stats *python; /* contents of a Python profile; NULL otherwise */

	struct snapshot *snapshot; /* contents of a memory snapshot; NULL otherwise */

	struct totals *totals;         /* what a file says without events; NULL: nothing */
	struct flight *flight;         /* entries of a flight recorder; NULL: none */
	struct compile_log *compile;   /* what a log of torch.compile says; NULL: none */
	struct requests *requests;     /* to an inference server; NULL: unknown */
	struct summary_tables *tables; /* what a summary keeps of its trace; NULL: it is none */
	uint32_t part;                 /* of a file of summaries: which, from 0 */

	struct store *store; /* maps columns and strings read-only; NULL: they are owned */
};

struct profile *profile_new(const char *path);
void profile_free(struct profile *profile); /* NULL is fine */

const char *profile_string(const struct profile *profile, uint32_t id); /* NO_ROW gives "" */
uint32_t profile_find(const struct profile *profile, const char *text); /* its id, or NO_ROW */
/* The id of a string (of NULL: 0), of a buffer, and of what FORMAT prints, at most 255 bytes. */
uint32_t profile_intern(struct profile *profile, const char *text);
uint32_t profile_take(struct profile *profile, struct buffer *text); /* which is freed */
uint32_t profile_print(struct profile *profile, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Details of a row; NULL when it has none of that kind. */
static inline const struct op_ids *profile_op_ids(const struct profile *profile, uint32_t span)
{
	uint8_t kind = profile->span_kind[span];
	if ((kind != SPAN_OPERATOR && kind != SPAN_ANNOTATION) ||
	    profile->span_info[span] == NO_ROW)
		return NULL;
	return &profile->op_ids[profile->span_info[span]];
}

static inline const struct op_info *profile_op_info(const struct profile *profile, uint32_t span)
{
	const struct op_ids *ids = profile_op_ids(profile, span);
	return ids ? &profile->op_infos[ids->info] : NULL;
}

/* Sequence number of a row, or -1. */
static inline int64_t profile_sequence(const struct profile *profile, uint32_t span)
{
	const struct op_ids *ids = profile_op_ids(profile, span);
	return ids && ids->sequence >= 0 ? ids->sequence : -1;
}

/* The same; blank for a span without. */
const struct op_info *profile_arguments(const struct profile *profile, uint32_t span);

const struct call_info *profile_call_info(const struct profile *profile, uint32_t span);

static inline const struct launch_config *profile_config(const struct profile *profile,
							 uint32_t activity)
{
	uint32_t config = profile->activity_config[activity];
	return config == NO_ROW ? NULL : &profile->configs[config];
}

/* Attributes of a row, *COUNT of them (binary search). */
const struct attribute *profile_span_attributes(const struct profile *profile, uint32_t span,
						size_t *count);
const struct attribute *profile_activity_attributes(const struct profile *profile,
						    uint32_t activity, size_t *count);

/* The text of the first attribute of a row with a key (of NO_ROW: none), an id; or NO_ROW. */
uint32_t profile_span_attribute(const struct profile *profile, uint32_t span, uint32_t key);
uint32_t profile_activity_attribute(const struct profile *profile, uint32_t activity, uint32_t key);

/* The number of a row among all rows of the file, including omitted ones. */
static inline uint32_t profile_span_id(const struct profile *profile, uint32_t span)
{
	return span + profile->tracks[profile->span_track[span]].span_shift;
}

static inline uint32_t profile_activity_id(const struct profile *profile, uint32_t activity)
{
	if (profile->ids_in_order)
		return profile->activity_order[activity];
	return activity + profile->tracks[profile->activity_track[activity]].activity_shift;
}

const struct device *profile_device(const struct profile *profile, int32_t id); /* or NULL */
enum { CAPABILITY_MAX = 48 };
/* The compute capability, "8.0", written to OUT; NULL when unknown. */
const char *device_capability(const struct device *device, char out[CAPABILITY_MAX]);
/* Does anything in the profile belong to device ID (-1, the CPU, always does)? */
bool profile_has_device(const struct profile *profile, int64_t id);

static inline int32_t profile_activity_device(const struct profile *profile, uint32_t activity)
{
	return profile->tracks[profile->activity_track[activity]].device;
}

static inline int64_t profile_span_end(const struct profile *profile, uint32_t span)
{
	return profile->span_start[span] + profile->span_dur[span];
}

static inline int64_t profile_activity_end(const struct profile *profile, uint32_t activity)
{
	return profile->activity_start[activity] + profile->activity_dur[activity];
}

/*
 * From the start of its launch call to the start of an activity. NO_VALUE without a call, and where
 * the activity starts first: then the clocks of host and device disagree.
 */
static inline int64_t profile_launch_delay(const struct profile *profile, uint32_t activity)
{
	uint32_t call = profile->activity_launch[activity];
	if (call == NO_ROW || profile->activity_start[activity] < profile->span_start[call])
		return NO_VALUE;
	return profile->activity_start[activity] - profile->span_start[call];
}

/* Is the activity a kernel, a copy or a set? */
static inline bool profile_is_work(const struct profile *profile, uint32_t activity)
{
	return profile->activity_kind[activity] < ACTIVITY_SYNC;
}

/* Are the sums of a Python profiler all that there is, without a timeline? */
static inline bool profile_is_sums(const struct profile *profile)
{
	return profile->python && !profile->spans && !profile->activities;
}

/* Is a span a Python function, or a module, which is one? */
static inline bool profile_is_python(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_PYTHON || profile->span_kind[span] == SPAN_MODULE;
}

/* Was the duration of an activity measured? If not, it is 0. */
bool profile_activity_timed(const struct profile *profile, uint32_t activity);
/* Has it events on a time axis, more than the order of kernels that were not timed? */
bool profile_has_times(const struct profile *profile);

/* Has it counters, and no events? */
bool profile_is_counters(const struct profile *profile);

/* Are there no events but the profiler's own work? */
bool profile_lacks_events(const struct profile *profile);

/* Metadata value by key ("cupti_version"), or NULL. */
const char *profile_metadata(const struct profile *profile, const char *key);

/* Count damage of CAUSE at OFFSET (both texts static). */
void profile_damage(struct profile *profile, const char *cause, const char *action,
		    uint64_t offset);
void profile_damage_many(struct profile *profile, const char *cause, const char *action,
			 uint64_t offset, uint64_t count);
/* For what is skipped at no offset that is known. */
void profile_skip(struct profile *profile, const char *cause);

/* Spans and activities of the file, including omitted ones; of collectives, their tasks. */
struct row_counts {
	uint64_t spans, activities;
};
struct row_counts profile_all_rows(const struct profile *profile);

/* Events of the file so far; with a step filter, those kept. */
uint64_t profile_rows(const struct profile *profile);

/* Count ROWS omitted rows that start at START and end at END. */
void profile_leave_out(struct profile *profile, uint64_t rows, int64_t start, int64_t end);

/* Spans of a kind in the file, including omitted ones. */
uint64_t profile_all_spans(const struct profile *profile, enum span_kind kind);

/* The id space of a track's correlation ids and sequence numbers. */
uint32_t profile_id_space(const struct profile *profile, uint32_t track);

/* By which profile_index_calls finds the calls with a correlation id, in the id space of TRACK. */
uint64_t profile_call_key(const struct profile *profile, uint32_t track, int64_t correlation);
struct hash *profile_index_calls(const struct profile *profile, const char *stage,
				 const struct progress *progress); /* NULL when cancelled */

/* Distinct devices of the TRACKS marked, NULL: of those with activities, ascending; mem_free. */
int32_t *profile_devices_of(const struct profile *profile, const bool *tracks, size_t *count);

/* Bytes of memory, including strings. */
size_t profile_size(const struct profile *profile);

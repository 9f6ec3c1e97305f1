/*
 * Traces with performance problems, and the detectors' answers to them.
 */
#pragma once

#include "trace_case.h"

#define MACHINE(devices, events)                                                                   \
	"{\"schemaVersion\":1,\"deviceProperties\":[" devices "],\"traceEvents\":[" events "]}"
#define DEVICE(id)                                                                                 \
	"{\"id\":" id ",\"name\":\"Device\",\"totalGlobalMem\":1000000,\"computeMajor\":8,"        \
	"\"computeMinor\":0,\"numSms\":100}"
#define A100                                                                                         \
	"{\"id\":0,\"name\":\"NVIDIA A100-SXM4-40GB\",\"totalGlobalMem\":1000000,"                   \
	"\"computeMajor\":8,\"computeMinor\":0,\"numSms\":108,\"maxThreadsPerMultiprocessor\":2048," \
	"\"regsPerMultiprocessor\":65536,\"sharedMemPerMultiprocessor\":167936}"
#define STEP(number, ts, dur)                                                                      \
	EVENT("user_annotation", "ProfilerStep#" number, "1", "1", ts, dur, "{}")
#define CALL(name, ts, dur) EVENT("cuda_runtime", name, "1", "1", ts, dur, "{\"correlation\":99}")
#define PYTHON(name, ts, dur) EVENT("python_function", name, "1", "1", ts, dur, "{}")
#define ON_DEVICE(category, name, device, ts, dur, correlation, more)                              \
	EVENT(category, name, device, "7", ts, dur,                                                \
	      "{\"device\":" device ",\"stream\":7,\"correlation\":" correlation more "}")
#define COPY(name, ts, dur, correlation, bytes)                                                    \
	ON_DEVICE("gpu_memcpy", name, "0", ts, dur, correlation, ",\"bytes\":" bytes)
#define MEMORY(ts, allocated, reserved)                                                            \
	"{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1," \
	"\"tid\":1,\"ts\":" ts ",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":64,"        \
	"\"Addr\":4096,\"Total Allocated\":" allocated ",\"Total Reserved\":" reserved "}}"

/* An operator and the kernel it launches (up to 1000 us). */
#define WORK(kernel, ts, dur, correlation, more)                                                   \
	OPERATOR("aten::mm", ts "00", "50")                                                        \
	"," LAUNCH(ts "10", correlation) "," ON_DEVICE("kernel", kernel, "0", ts "20", dur,        \
						       correlation, more)
#define GOOD                                                                                       \
	",\"blocks per SM\":4.0,\"est. achieved occupancy %\":50,\"grid\":[432,1,1],"              \
	"\"block\":[256,1,1],\"registers per thread\":128,\"shared memory\":49152"
/* 203 TFLOP/s of an A100's 312 */
#define GOOD_PRODUCT                                                                               \
	"{\"Input Dims\":[[4608,4608],[4608,4608]],\"Input type\":[\"c10::Half\",\"c10::Half\"]}"
#define GOOD_STEP(number, ts)                                                                      \
	STEP(number, ts "00", "1000")                                                              \
	"," EVENT("cpu_op", "aten::mm", "1", "1", ts "00", "20", GOOD_PRODUCT) "," LAUNCH(         \
		ts "05", number) "," ON_DEVICE("kernel", "ampere_fp16_s16816gemm", "0", ts "20",   \
					       "970", number,                                      \
					       GOOD) "," EVENT("user_annotation",                  \
							       "Optimizer.step#SGD.step", "1",     \
							       "1", ts "60", "5",                  \
							       "{}") "," MEMORY(ts "15", "600000", \
										"700000")

/* No problem, and every kind of event recorded. */
#define HEALTHY                                                                                    \
	MACHINE(A100,                                                                              \
		PYTHON("train.py(1): main", "10", "4000") "," GOOD_STEP("1", "0") "," GOOD_STEP(   \
			"2", "10") "," GOOD_STEP("3", "20") "," GOOD_STEP("4", "30"))
/* One operator: almost no detector has enough data. */
#define POOR DOCUMENT(OPERATOR("aten::mm", "0", "10"))
/* A kernel without a launch. */
#define DEVICE_ONLY DOCUMENT(ON_DEVICE("kernel", "gemm", "0", "0", "10", "1", ""))

/* ---- cases of detectors; tests/unit/test_advice_rules requires one that fires for each ---- */

struct detector_case {
	const char *detector;
	const char *fires;
	const char *report_unknown; /* NULL: needs no data that may be missing */
	int64_t cost_us;            /* of the firing trace; -1: none, 0: not checked */
	const char *evidence;       /* a part of it, or NULL */
};

extern const struct detector_case detector_cases[];
extern const size_t detector_case_count;

/* A kernel of one operator call, after the one before it; durations in us. */
struct launch {
	const char *kernel, *op, *shapes, *type;
	int dur;
	const char *more; /* attributes of the kernel */
};

enum { LAUNCHES_MAX = 16 };

struct kernel_case {
	const char *detector, *answer; /* "fires", "silent", "unknown" */
	const char *device;
	struct launch launches[LAUNCHES_MAX];
	int repeat;           /* times the launches are repeated */
	int cost_us;          /* when it fires; 0: not checked */
	const char *evidence; /* a part of it, or NULL */
};

extern const struct kernel_case kernel_cases[];
extern const size_t kernel_case_count;

/* The launches one after another, within one step. */
struct run *kernel_case_run(const struct kernel_case *expected);

/* Arguments of the kernel of a communication. */
#define MESSAGE(name, elements, sequence)                                                          \
	",\"Collective name\":\"" name "\",\"In msg nelems\":" elements                            \
	",\"Out msg nelems\":" elements ",\"Group size\":2,\"dtype\":\"Float\","                   \
	"\"Process Group Name\":\"default_pg\",\"Process Group Ranks\":\"[0, 1]\","                \
	"\"Seq\":" sequence

/* An event, or REPEAT of them, one EVERY us; times in us. */
struct rule_event {
	/*
	 * 'S' step, 'O' operator, 'A' annotation, 'P' Python function, 'R' runtime call, 'K'
	 * kernel, 'C' copy, 'N' kernel of a second stream, the last three with a launch call of 2
	 * us; 'X' JSON as it is
	 */
	char kind;
	const char *name;
	int at, dur;
	const char *args; /* members of a JSON object, each after a comma; NULL: none */
	int repeat, every;
};

enum { RULE_EVENTS_MAX = 16, RULE_RANKS_MAX = 2 };

/* What a detector looks at: the events of each rank, or a database. */
struct rule_trace {
	struct rule_event events[RULE_RANKS_MAX][RULE_EVENTS_MAX];
	int64_t world;                     /* ranks of the job; 0: not recorded */
	const char *devices;               /* their properties; NULL: not recorded */
	const char *hosts[RULE_RANKS_MAX]; /* of the ranks; NULL: not recorded */
	const char *sql;
};

struct rule_case {
	const char *detector;
	const char *evidence; /* a part of it */
	int cost_us;          /* -1: none, 0: not checked */
	struct rule_trace fires, silent;
};
#define REDUCE "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
extern const struct rule_case communication_cases[];
extern const size_t communication_case_count;
/* Those and all others; NULL past the last. */
const struct rule_case *rule_case_at(size_t i);
/* Traces on which a detector is just silent, of those whose firing trace is a detector_case. */
struct near_case {
	const char *detector;
	const char *evidence; /* a part of it */
	struct rule_trace trace;
};
extern const struct near_case near_cases[];
extern const size_t near_case_count;
struct run *rule_case_run(const struct rule_trace *trace);

/* Row of a detector in the advice view; fails the test if there is none. */
size_t advice_row(const struct table *advice, const char *detector);

/* Severity: low, medium, high, "silent" or "unknown"; advice_fired: one of the first three. */
const char *advice_answer(const struct table *advice, const char *detector);
bool advice_fired(const char *severity);

/* ANSWER: "fires", "silent" or "unknown"; EVIDENCE: a part of it, or NULL. */
void assert_answer(const struct run *run, const struct scope *scope, const char *detector,
		   const char *answer, const char *evidence);

struct buffer;
/* Append COUNT launches, one EVERY us, of an ACTIVITY (members of its event) that takes DUR us. */
void add_launches(struct buffer *events, int count, int every, int dur, const char *activity);

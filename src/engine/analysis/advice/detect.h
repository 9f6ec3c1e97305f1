/*
 * Diagnosis data and helpers shared by the families of detectors.
 */
#pragma once

#include "analysis/advice/detectors.h"
#include "analysis/device_metrics.h"
#include "analysis/work/device_peaks.h"
#include "derived/kernel_family.h"
#include "derived/selection.h"
#include "base/number.h"
#include "model/device_label.h"

/*
 * Drift of the clock: by part of the window, how many times longer the kernels take than in the
 * fastest part; 1 unless nearly all kinds of kernels agree (detect_slowdown.c).
 */
enum { DRIFT_PARTS = 9 };
struct drift {
	int64_t start, end; /* of the window */
	double percent;     /* by which the last third is slower than the first */
	double slower[DRIFT_PARTS];
};

/*
 * Rates refer to the steps that count: complete and in scope, without a slow first one if there are
 * others, clipped to the scope's time; without marked steps, to the work of the critical device
 * (analysis/work_window.h). The head of the capture and a cold start do not count
 * (analysis/analysis_window.h).
 */
struct diagnosis {
	const struct run *run;
	const struct ranks_compared *compared;
	const struct selection *selection;
	const struct profile *profile;
	const struct derived *derived;
	struct intervals window;  /* the time that counts */
	int64_t steps;            /* the number of steps in it */
	int64_t dur;              /* its length */
	bool whole_steps;         /* it leaves out nothing of the complete steps in scope */
	struct interval head;     /* left out: waits for work from before the capture */
	int64_t head_ns;          /* of the steps in it */
	uint32_t blocked;         /* the host's wait in it, a span; NO_ROW */
	struct intervals one_off; /* left out: the gaps of a cold start */
	int64_t one_off_ns;
	bool serving;                  /* steps are iterations of an inference server */
	bool plain;                    /* no operators: not a PyTorch program */
	bool capturing;                /* a graph was captured: launches did not execute */
	bool stacks;                   /* Python functions are most of the host spans */
	int64_t cause_ns[TIME_CAUSES]; /* in the window */
	const struct causes *causes;
	const struct device_causes *device; /* the critical one */
	struct device_rates rates;          /* of that device; zero and NaN without */
	struct intervals idle;              /* in the window */
	const struct device_metrics *devices;
	size_t device_count; /* devices with kernels in scope */

	/* detect_lookup.c */
	uint32_t *name_marks; /* by name: bits of enum name_mark */
	uint32_t any_marks;   /* of all names in use */
	uint16_t any_roles;
	const struct work_counts *work;         /* NULL: no device work */
	const struct kernel_name *kernel_names; /* by name, of kernels; kernel_family.h */
	struct kernel_sum *kernel_sums;         /* by name: of the critical device that count */
	int64_t kernel_ns;                      /* of these: kernel time, communication included */
	bool whole_kernels;                     /* no kernel in scope is left out of that */
	uint32_t *call_type_of;       /* by string: types of a call, index into call_types */
	struct call_type *call_types; /* the first: not recorded */
	uint8_t *span_counts;         /* by row: in scope and starting in the window */
	uint8_t *activity_marks;      /* by row: bits of enum activity_mark */
	bool any_kernel;              /* among the activities that count */
	uint32_t *codes; /* by span: user function or stack around it, 0; NULL: all 0 */
	const struct progress *progress; /* of the current detector */
	uint32_t *layer_of; /* by node: enclosing layer, 0 none; processes are not layers */
	uint8_t *launching; /* by track: launched device work of the window */
	struct drift drift;
};

enum activity_mark {
	ACTIVITY_COUNTS = 1,   /* in scope, and starts in the window; with it: */
	ACTIVITY_CRITICAL = 2, /* of the critical device, whose time the gains are */
	ACTIVITY_JUDGED = 4,   /* likewise, a kernel without communication */
};

/* What a name implies for its rows. */
enum { NAME_MARK_ROWS(LISTED_BIT) };
enum name_mark { NAME_MARK_ROWS(LISTED_FLAG) };

struct kernel_sum {
	int64_t ns;
	uint32_t kernels;
	float least, most; /* bytes that each block of a grid moves, by the name; 0: not told */
};

/* Of calls: of the first tensor the name of its elements' type, and the peaks in FLOP/s. */
struct call_type {
	char name[32];                    /* "": not recorded, or longer */
	double plain_flops, tensor_flops; /* without and with tensor cores; NaN: unknown */
	bool half;                        /* any argument is of half precision */
};

/* Compute and free the lookup tables above; false when cancelled. Needs the window. */
bool diagnosis_prepare(struct diagnosis *diagnosis, const struct progress *progress);
void diagnosis_release(struct diagnosis *diagnosis);

static inline bool name_has(const struct diagnosis *diagnosis, uint32_t name, enum name_mark mark)
{
	return diagnosis->name_marks[name] & mark;
}

/* Are all events of a profiler that knows kinds of unknown ones? GPU work may be among them. */
bool lacks_kinds(const struct profile *profile);

/*
 * Did the program use a GPU whose work is not recorded, by two names of MARK_GPU_ONLY, which NAMES
 * receives, or by memory of a GPU?
 */
bool used_unrecorded_gpu(const struct diagnosis *diagnosis, struct buffer *names);

/* Append what the profiler says of recording the GPU, twice at most. Did it fail? */
bool quote_profiler(const struct profile *profile, struct buffer *out);

/* The name of the innermost operator around a span, which may be it; NO_ROW. */
static inline uint32_t operator_around(const struct diagnosis *diagnosis, uint32_t span)
{
	uint32_t around = derived_operator_around(diagnosis->derived, span);
	return around == NO_ROW ? NO_ROW : diagnosis->profile->span_name[around];
}

/* The innermost user function around a span, which may be it, or else its stack; 0. */
static inline uint32_t code_around(const struct diagnosis *diagnosis, uint32_t span)
{
	return diagnosis->codes ? diagnosis->codes[span] : 0;
}

bool in_window(const struct diagnosis *diagnosis, int64_t time);

/* Find the drift of the clock; needs the other tables. Detectors of a cancelled run do not run. */
void drift_find(struct diagnosis *diagnosis, const struct progress *progress);

/* The part of the window that TIME is in, or the nearest one. */
static inline int drift_part(const struct drift *drift, int64_t time)
{
	double part =
		DRIFT_PARTS * (double)(time - drift->start) / (double)(drift->end - drift->start);
	return part < 0 ? 0 : part < DRIFT_PARTS ? (int)part : DRIFT_PARTS - 1;
}

/* The time of a kernel at the clock of the fastest part of the window: what it lacks is its own. */
static inline double kernel_own_ns(const struct diagnosis *diagnosis, uint32_t activity)
{
	const struct profile *profile = diagnosis->profile;
	int part = drift_part(&diagnosis->drift, profile->activity_start[activity]);
	return (double)profile->activity_dur[activity] / diagnosis->drift.slower[part];
}

/* Index of the rank that is examined; SIZE_MAX: all ranks of the only file. */
size_t diagnosis_rank(const struct diagnosis *diagnosis);

/* Rows in scope that start in the window. */
static inline bool span_counts(const struct diagnosis *diagnosis, uint32_t span)
{
	return diagnosis->span_counts[span];
}

static inline bool activity_counts(const struct diagnosis *diagnosis, uint32_t activity)
{
	return diagnosis->activity_marks[activity] & ACTIVITY_COUNTS;
}

/* Does it count, and is it of the critical device, whose time the gains are? */
static inline bool is_critical(const struct diagnosis *diagnosis, uint32_t activity)
{
	return diagnosis->activity_marks[activity] & ACTIVITY_CRITICAL;
}

/* Is it one of the kernels that checks judge? */
static inline bool counts_as_kernel(const struct diagnosis *diagnosis, uint32_t activity)
{
	return diagnosis->activity_marks[activity] & ACTIVITY_JUDGED;
}

/* Is it the next work of the same stream? BEFORE may be NO_ROW. */
static inline bool is_next_work(const struct profile *profile, uint32_t before, uint32_t activity)
{
	return before != NO_ROW && before + 1 == activity &&
	       profile->activity_track[before] == profile->activity_track[activity];
}

/* For loops over spans with one of these marks, or roles (derived.h): all spans, or none. */
static inline uint32_t spans_marked(const struct diagnosis *diagnosis, uint32_t marks)
{
	return diagnosis->any_marks & marks ? diagnosis->profile->spans : 0;
}

static inline uint32_t spans_in_role(const struct diagnosis *diagnosis, uint16_t roles)
{
	return diagnosis->any_roles & roles ? diagnosis->profile->spans : 0;
}

/* For loops over rows: may the detector continue with ROW? If not, its results are discarded. */
static inline bool detect_row(const struct diagnosis *diagnosis, uint64_t row)
{
	return progress_row(diagnosis->progress, "running checks", row, 0);
}

/* Likewise for rows that take a search each. */
static inline bool detect_heavy_row(const struct diagnosis *diagnosis, uint64_t row)
{
	return progress_heavy_row(diagnosis->progress, "running checks", row, 0, 8);
}

/* The first host span of this name, or NO_ROW. */
uint32_t first_span_named(const struct diagnosis *diagnosis, const char *name);

/* ---- spans that match ---- */

/* CONTEXT is the one of the check. */
typedef bool match_span(const struct diagnosis *diagnosis, uint32_t span, void *context);

struct span_check {
	match_span *match;
	uint32_t spans;                 /* how many to go through */
	void *context;                  /* for MATCH */
	bool outermost;                 /* leave out those inside of others */
	const struct intervals *within; /* merged; NULL: the idle time */
};

/* Of the spans in scope that start in the window and match. */
struct span_sum {
	int64_t calls, ns;  /* their number, and the sum of their durations */
	int64_t covered_ns; /* the time that they cover */
	int64_t claimed_ns; /* WITHIN, which FINDING claims */
	uint32_t longest;   /* NO_ROW */
};
/* FINDING may be NULL. */
struct span_sum sum_spans(const struct diagnosis *diagnosis, struct finding *finding,
			  const struct span_check *check);

/* An algorithm with a faster form, of operators or Python functions. */
struct slow_code {
	const char *within,
		*name; /* parts of the name of the call; of a function: file (NULL: any), name */
	const char *what, *instead;
	const char *title; /* NULL: that of slow algorithms; else of functions in Python profiles */
	int percent;       /* of all time from which it counts; 0: a twentieth */
	bool imports;      /* likewise where the hottest function works for it */
};
/* What lowers pageable copies of ALL ns, of which TO_HOST are to the host. */
void choose_pinning(struct finding *finding, double to_host, double all);

/* Parts of the names of copies within a GPU. */
#define DEVICE_COPIES "DtoD|DeviceToDevice|Device -> Device"

/* By the name of a call as recorded; NULL. */
const struct slow_code *slow_code_of(const char *name);

/* What to do about a hot call of the GPU's interface. */
const char *call_advice(const char *call);

/* What to do about convolutions of such an operator that launch kernels. */
#define WITHOUT_CUDNN                                                                              \
	"Convolve by cuDNN: torch.backends.cudnn.enabled = True, and a PyTorch built with it."

/* Of a profile of Python functions: the code that takes longest, of data LOADING or other. */
void judge_python_functions(const struct diagnosis *diagnosis, struct finding *finding,
			    bool loading);

/* By the name of a call: is it one of a mode for debugging autograd? */
bool is_debug_call(const char *name);

/* What the profiler recorded of a setting of the program. */
enum setting { SETTING_UNKNOWN, SETTING_OFF, SETTING_ON };
enum setting recorded_setting(const struct profile *profile, const char *key);

/*
 * ---- answers; the format is the evidence ----
 *
 * A detector sets the cost and claims before or after it answers, and need not take them back: they
 * stand only if it fired. The cost gives the severity, at least `severity` of the finding, which is
 * `least` of the detector unless that sets it.
 */

void report_problem(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void report_ok(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* HOW to record what is missing (static; NULL: impossible). */
void report_unknown(struct finding *finding, const char *how, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Profiles of this kind never tell: no check that passed, and nothing that is missing. */
void report_elsewhere(struct finding *finding, const char *why);

/* Set the subject, unless FINDING has one. */
void set_subject(struct finding *finding, enum finding_subject subject, uint32_t row);

/* Note in the evidence that recording stacks lengthened what the host did. */
void qualify_by_stacks(const struct diagnosis *diagnosis, struct finding *finding);

/* How to record steps, or more of them. */
const char *how_to_get_steps(const struct diagnosis *diagnosis);

/*
 * True with kernels in the window; otherwise the answer is set to unknown. For detectors that need
 * them under conditions: see `needs` of struct detector.
 */
bool need_kernels(const struct diagnosis *diagnosis, struct finding *finding);
/* Likewise for kernels with times, so that the work of devices is known. */
bool need_devices(const struct diagnosis *diagnosis, struct finding *finding);
/* Likewise for detectors of missing device work, which need all of the work in scope. */
bool need_all_work(const struct diagnosis *diagnosis, struct finding *finding);
/* Likewise for several ranks; MATCHED: whose operations were matched with each other. */
bool need_ranks(const struct diagnosis *diagnosis, struct finding *finding, bool matched);
/*
 * Where the rank of the profile waits for others in matched operations, by the clock of the
 * profile: merged, replaces OUT. Empty when the ranks are not matched.
 */
void waits_for_peers(const struct diagnosis *diagnosis, struct intervals *out);
/*
 * How long the rank of the profile would compute in place of waiting if the ranks, which exchange
 * their work, shared it out evenly; 0: unknown, or it computes as much as the mean.
 */
int64_t wait_of_shared_work(const struct diagnosis *diagnosis);
/* Kernels that could hide what is EXPOSED (ns) of another kind: the time in which only they run. */
int64_t kernels_beside(const struct diagnosis *diagnosis, int64_t exposed);

/* Texts valid until the end of the block. */
#define DURATION(ns) number_duration((char[NUMBER_MAX]){ 0 }, (ns))
#define BYTES(bytes) number_bytes((char[NUMBER_MAX]){ 0 }, (double)(bytes))
#define AMOUNT(known, bytes) ((known) ? BYTES(bytes) : "an unknown amount")
#define PERCENT(part, whole)                                                                       \
	number_percent((char[NUMBER_MAX]){ 0 }, percent_of((double)(part), (double)(whole)))
#define DEVICE(id) device_label((char[DEVICE_LABEL_MAX]){ 0 }, (id))
/*
 * Keep of IDLE (merged) when every launching thread is off-CPU; false: their scheduling was not
 * recorded.
 */
bool keep_off_cpu(const struct diagnosis *diagnosis, struct intervals *idle);

double percent_of(double part, double whole); /* 0 when WHOLE is 0 */

/*
 * "12.3 % of step time". Each word has one denominator (doc/glossary.md), so that the same figure
 * stands in the row of that name: step time is that of the steps view, kernel time that of the
 * kernels view. A window or a device that leaves out a part of it is called "the time examined" or
 * "kernel time examined".
 */
enum { SHARE_MAX = NUMBER_MAX + 40 };
#define SHARE ((char[SHARE_MAX]){ 0 })
char *share_of_time(char text[SHARE_MAX], const struct diagnosis *diagnosis, int64_t ns);
char *share_of_kernels(char text[SHARE_MAX], const struct diagnosis *diagnosis, int64_t ns);
/* Of a Python profile, in its unit: "1.00 s of 2.00 s (50.0 %)", "1 of 2 samples (50.0 %)". */
char *share_of_python(char text[SHARE_MAX], const struct profile *profile, int64_t part,
		      int64_t whole);

/* The percentage of the window. */
static inline double window_percent(const struct diagnosis *diagnosis, int64_t ns)
{
	return percent_of((double)ns, (double)diagnosis->dur);
}

#define COUNT(count) number_count((char[NUMBER_MAX]){ 0 }, (int64_t)(count))
#define PLURAL(count) ((count) == 1 ? "" : "s")

/* ---- the detectors ---- */

typedef void detect_function(const struct diagnosis *diagnosis, struct finding *finding);

/* What a detector runs. */
struct detector_code {
	const char *id;
	detect_function *detect;
	/* in place of DETECT, without its needs, where the profile is a memory snapshot, or a table
	 * of operators; NULL: as it is */
	detect_function *judge_snapshot, *judge_table;
};

/*
 * Run the detector of FINDING, which has no answer yet. When cancelled, the answer means nothing.
 */
void detect_one(const struct diagnosis *diagnosis, struct finding *finding,
		const struct detector_code *code);

#define DETECTOR_DECLARED(id, name, sums) detect_function detect_##name;
DETECTOR_LIST(DETECTOR_DECLARED)

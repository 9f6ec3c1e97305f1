/*
 * What the families of detectors share: the diagnosis they look at and how they answer.
 */
#ifndef STRATA_ANALYSIS_ADVICE_DETECT_H
#define STRATA_ANALYSIS_ADVICE_DETECT_H

#include "analysis/causes.h"
#include "analysis/advice/detectors.h"
#include "analysis/device_metrics.h"
#include "facts/facts.h"
#include "facts/selection.h"
#include "base/number.h"

#include <inttypes.h>

/*
 * Rates are taken over the steps that count: whole ones in scope, without a slow first one when
 * there are others; within the scope's time.
 */
struct diagnosis {
	const struct run *run;
	const struct selection *selection;
	const struct profile *profile;
	const struct facts *facts;
	struct intervals window;       /* the steps that count */
	int64_t steps;                 /* how many those are */
	int64_t dur;                   /* their time together */
	int64_t cause_ns[TIME_CAUSES]; /* in them, summed */
	const struct causes *causes;
	struct intervals idle; /* in the window */
	const struct device_metrics *devices;
	size_t device_count; /* devices with kernels in scope */

	/* detect_lookup.c */
	uint16_t *name_marks; /* by name: enum name_mark */
	uint8_t *span_counts,
		*activity_counts;        /* by row: it is in scope and begins in the window */
	bool any_kernel;                 /* one of those that count */
	struct code_place *places;       /* by span */
	const struct progress *progress; /* of the detector that asks */
	uint32_t *layer_of; /* by node: the layer around it, 0 none; processes are none */
	uint8_t *launching; /* by track: device work of the window was launched there */
};

/* What a name says of the rows that have it. */
enum name_mark {
	MARK_IN_USE = 1,
	MARK_OWN_CODE = 2,  /* of Python functions: a user's */
	MARK_POINTWISE = 4, /* of kernels */
	MARK_LAYOUT = 8,
	MARK_HOST_COPY = 16, /* of copies */
	MARK_PAGEABLE = 32,
	MARK_PINNED = 64,
	MARK_PLAIN_ATTENTION = 128, /* of operators */
	MARK_LAUNCH = 256,          /* of runtime calls */
	MARK_MANY_AT_ONCE = 512,    /* many parameters are updated by one */
	MARK_DEBUG_MODE = 1024,
	MARK_CONVERSION = 2048, /* of operators: a tensor in another type or layout */
};

/* Where a span is: its operator's name (NO_ROW), and function of the user's own or stack (0). */
struct code_place {
	uint32_t operator, code;
};

/* Fill and free what is named above; false when cancelled.  The window must be known. */
bool diagnosis_look_up(struct diagnosis *diagnosis, const struct progress *progress);
void diagnosis_forget(struct diagnosis *diagnosis);

static inline bool name_has(const struct diagnosis *diagnosis, uint32_t name, enum name_mark mark)
{
	return diagnosis->name_marks[name] & mark;
}

bool in_window(const struct diagnosis *diagnosis, int64_t time);

/* Rows in scope that begin in the window. */
static inline bool span_counts(const struct diagnosis *diagnosis, uint32_t span)
{
	return diagnosis->span_counts[span];
}

static inline bool activity_counts(const struct diagnosis *diagnosis, uint32_t activity)
{
	return diagnosis->activity_counts[activity];
}

/* For loops over rows: shall the detector go on with ROW?  What it has found is of no use when not.
 */
static inline bool detect_row(const struct diagnosis *diagnosis, uint64_t row)
{
	return progress_row(diagnosis->progress, "running checks", row, 0);
}

/* The first host span of this name, or NO_ROW. */
uint32_t first_span_named(const struct diagnosis *diagnosis, const char *name);

/* ---- answers; the text is the evidence ---- */

/* COST (or NO_VALUE) is weighed against the time of the window; at least as grave as LEAST. */
void fire(const struct diagnosis *diagnosis, struct finding *finding, int64_t cost,
	  enum severity least, const char *format, ...) __attribute__((format(printf, 5, 6)));
void stay_silent(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* HOW to record what is missing (static, NULL: no way). */
void cannot_tell(struct finding *finding, const char *how, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* How to record steps where there are none, else more of them. */
const char *how_to_get_steps(const struct diagnosis *diagnosis);

/* True when there are kernels in the window; else it has answered that it cannot tell. */
bool need_kernels(const struct diagnosis *diagnosis, struct finding *finding);
/* The same where what the devices do not do is meant: all of the work must be in scope as well. */
bool need_all_work(const struct diagnosis *diagnosis, struct finding *finding);
bool need_memory_events(const struct diagnosis *diagnosis, struct finding *finding);

/* Texts that live to the end of the block. */
#define DURATION(ns) number_duration((char[NUMBER_MAX]){ 0 }, (ns))
#define BYTES(bytes) number_bytes((char[NUMBER_MAX]){ 0 }, (double)(bytes))
#define PERCENT(part, whole)                                                                       \
	number_percent((char[NUMBER_MAX]){ 0 }, percent_of((double)(part), (double)(whole)))
double percent_of(double part, double whole); /* 0 of nothing */

/* ---- where in the code ---- */

/* Cost by operator, kernel, Python function and layer; zero it before use. */
struct blame {
	const struct diagnosis *diagnosis;
	int64_t *operator_ns, *kernel_ns, *place_ns; /* by string id */
	int64_t *layer_ns;                           /* by node */
	int64_t total;
};
void blame_span(struct blame *blame, uint32_t span, int64_t ns);
void blame_activity(struct blame *blame, uint32_t activity, int64_t ns);
/*
 * The time of idle gaps with CAUSE goes to what the threads that launch work were in; to what the
 * others were in only where those say nothing of it.
 */
void blame_cause(struct blame *blame, const struct diagnosis *diagnosis, enum time_cause cause);
/*
 * When it fired: say in the evidence where most of it is and make that the subject, SUBJECT_KERNEL
 * or SUBJECT_OPERATOR, else the layer.  Frees what BLAME holds either way.
 */
void blame_settle(struct blame *blame, struct finding *finding, enum subject subject);

/* ---- the families ---- */

typedef void detect_function(const struct diagnosis *diagnosis, struct finding *finding);

detect_function detect_launch_bound, detect_host_bound, detect_synchronisation,
	detect_small_kernels, detect_compilation, detect_optimizer, detect_debug_modes;
detect_function detect_dataloader, detect_pageable_copies, detect_exposed_copies,
	detect_small_copies;
detect_function detect_low_utilisation, detect_unused_devices, detect_uneven_devices,
	detect_tensor_cores, detect_few_blocks, detect_low_occupancy, detect_pointwise,
	detect_layouts, detect_conversions, detect_plain_attention;
detect_function detect_allocation, detect_memory_capacity, detect_unused_memory,
	detect_fragmentation, detect_memory_growth;
detect_function detect_off_cpu, detect_unified_memory, detect_hot_spot;
detect_function detect_data_parallel, detect_backend, detect_communication, detect_straggler;
detect_function detect_no_steps, detect_few_steps, detect_slow_start, detect_uneven_steps,
	detect_profiler_overhead, detect_stack_cost, detect_no_device_work, detect_unlinked_work,
	detect_clock;

#endif

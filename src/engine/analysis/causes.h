/*
 * Attributes step time to GPU work and to causes of idle time, for each device.
 */
#pragma once

#include "analysis/analysis_window.h"

/* The time of one device, against its own work alone. */
struct device_causes {
	int32_t device; /* NO_DEVICE: without device work, the time of the host */
	struct work_window window;
	struct gaps gaps; /* the idle causes, in the analysis window */
	/*
	 * Disjoint; of a device without the causes in the gaps. CAUSE_COMPUTE is what they leave
	 * of the steps, and has no set.
	 */
	struct intervals set[TIME_CAUSES];
	int64_t ns[TIME_CAUSES]; /* over all steps */
	/* not with the gaps alone, nor are the idle times above */
	int64_t (*step_ns)[TIME_CAUSES];        /* by step; sums exactly to the step */
	struct analysis_window analysis_window; /* what findings and shares refer to */
};

#define NO_DEVICE (INT32_MIN + 1)

struct causes {
	struct device_causes *devices; /* at least one; by ordinal */
	size_t device_count;
	/*
	 * Whose time a step shows: of devices that take part in the same communication (as many
	 * operations with the same names) the one that waits least in it, else the one with most
	 * work.
	 */
	size_t critical;
	uint8_t *span_cause; /* by span: the idle cause it implies */
	bool is_completion;  /* gaps, sets and causes of spans belong to the cached gaps */
};

static inline const struct device_causes *critical_device(const struct causes *causes)
{
	return &causes->devices[causes->critical];
}

/* Those of DEVICE, or NULL. */
const struct device_causes *causes_of_device(const struct causes *causes, int32_t device);

/* Time that a device of the run works, by NS of device_causes or of a step. */
int64_t causes_busy(const int64_t ns[TIME_CAUSES]);

/*
 * The causes over the rows of SELECTION: the cached ones if it selects all rows, else computed into
 * OWN. Without device work, idle time is attributed to what any thread was doing. The caller clears
 * OWN with causes_free either way. NULL when cancelled.
 */
const struct causes *derived_causes(const struct selection *selection, struct causes *own,
				    const struct progress *progress);
/* Only the gaps, which take about half of the memory. */
const struct causes *derived_gaps(const struct selection *selection, struct causes *own,
				  const struct progress *progress);
void causes_free(struct causes *causes); /* accepts all zero */

/* ---- cause_times.c ---- */

/* All within WITHIN, which is merged and in the steps; not of CAUSE_COMPUTE. */

/* Visit the time of CAUSE: in order, intervals that touch as one. */
typedef void cause_visitor(void *context, int64_t start, int64_t end);
void causes_visit(const struct device_causes *device, enum time_cause cause,
		  const struct intervals *within, cause_visitor *visit, void *context);

/* OUT is overwritten with it, merged. */
void causes_set_in(const struct device_causes *device, enum time_cause cause,
		   const struct intervals *within, struct intervals *out);

/* OUT is overwritten with what no device work covers, merged. */
void causes_idle_in(const struct device_causes *device, const struct intervals *within,
		    struct intervals *out);

/* The time of each cause, and the longest without a break, empty for none or CAUSE_COMPUTE. */
void causes_measure_in(const struct device_causes *device, const struct intervals *within,
		       int64_t ns[TIME_CAUSES], struct interval longest[TIME_CAUSES]);

/* Find the time of each cause, over all and by step; false when cancelled. */
bool causes_add_up(struct device_causes *device, const struct derived *derived,
		   const struct progress *progress);

/* ---- of host spans ---- */

/* By span (enum time_cause). mem_free; NULL when cancelled. */
uint8_t *causes_of_spans(const struct selection *selection, const struct progress *progress);

/*
 * Steps: the iterations of a run.
 */
#pragma once

#include "derived/serving.h"
#include "derived/step_source.h"

struct derived_options;

struct step {
	int64_t number;                   /* from the annotation, else the index */
	uint32_t name;                    /* interned */
	uint32_t span;                    /* its annotation, NO_ROW when synthetic */
	int64_t host_start, host_end;     /* of the annotation */
	int64_t start, end;               /* chained: extends to the end of its last device work */
	int64_t device_start, device_end; /* of the work it launched; NO_VALUE: none */
	uint32_t launched;                /* number of device activities launched */
	bool partial;                     /* captured incompletely: excluded from averages */
	bool slow_start;                  /* the first step, if over twice the median */
	uint8_t phase;                    /* enum phase, of an iteration of a server */
	uint8_t inferred;                 /* is the phase? */
	struct request_batch batch;       /* likewise */
};

/*
 * Find the steps, chain them and attribute device activities (fills steps, step_count,
 * activity_step, window_*). A step is a host annotation with NAME_STEP; without any, steps are from
 * another source (step_source.h), or one step "0" covers everything. Chaining as in the TensorBoard
 * plugin: start = max(previous end, host start), end = max(host end, end of the last device
 * activity launched inside). OPTIONS may be NULL.
 */
bool steps_find(struct derived *derived, struct intern *strings,
		const struct derived_options *options, const struct progress *progress);

/* Does SCOPE keep the step, by its number and phase? */
bool scope_has_step(const struct scope *scope, const struct step *step);

/* Steps that a survey of the same file found and chained. */
struct known_steps {
	struct step *steps;
	uint32_t count;
	uint32_t basis; /* interned */
	enum step_source source;
};

/*
 * Adopt COUNT > 0 steps (now owned by DERIVED); device activities are attributed as by
 * steps_find. BY_EXECUTION attributes them to the step they ran in instead of the one that launched
 * them.
 */
bool steps_adopt(struct derived *derived, const struct known_steps *known, bool by_execution,
		 const struct progress *progress);

/*
 * Replace the steps by COUNT > 0 others (now owned by DERIVED) of which only names, numbers and
 * host times are set. They are neither chained nor partial; device activities are attributed to the
 * step their launch call started in.
 */
void steps_replace(struct derived *derived, struct step *steps, uint32_t count);

/* Durations of the complete steps, ascending; *COUNT of them, the caller frees with mem_free. */
int64_t *steps_sorted_durations(const struct derived *derived, size_t *count);

/* Regular step durations. */
struct step_spread {
	int64_t low, high; /* Tukey fences; steps outside are outliers */
	int64_t median;
	size_t count; /* of complete steps */
};

/*
 * Tukey's fences over complete steps: 1.5 interquartile ranges beyond the quartiles, and at least 5
 * % of the median. False with fewer than four complete steps.
 */
bool steps_spread(const struct derived *derived, struct step_spread *spread);

/*
 * What the time of a finding is spent in: its costs by operator, kernel, Python function,
 * annotation and layer.
 */
#pragma once

#include "analysis/causes.h"
#include "base/buffer.h"

struct diagnosis;
struct finding;

struct blame {                                       /* all zero: nothing is blamed */
	int64_t *operator_ns, *kernel_ns, *place_ns; /* by string id */
	int64_t *range_ns;                           /* of innermost annotations, by string id */
	int64_t *layer_ns;                           /* by node */
	int64_t total;
	uint32_t last, last_range; /* the span blamed last, and the annotation around it; NO_ROW */
	bool name_operators;       /* even where kernels are known */
};

/* The string with the highest cost above 0, of the first COUNT; NO_ROW: none. COSTS may be NULL. */
uint32_t most_costly(const int64_t *costs, size_t count);
/*
 * "aten::mm 45.0 %, aten::addmm 35.2 %": up to MOST strings with the highest COSTS, each of LEAST
 * percent of ALL or more. Clears the costs of these.
 */
void add_costly(const struct diagnosis *diagnosis, struct buffer *out, int64_t *costs, double all,
		int most, double least);

void blame_span(const struct diagnosis *diagnosis, struct finding *finding, uint32_t span,
		int64_t ns);
/* For its duration. */
void blame_activity(const struct diagnosis *diagnosis, struct finding *finding, uint32_t activity);
/* Of an interned NAME, whose single events were not recorded. */
void blame_kernels(const struct diagnosis *diagnosis, struct finding *finding, uint32_t name,
		   int64_t ns);
/*
 * Attribute idle gaps of CAUSE WITHIN (merged) to what the launching threads were doing, or where
 * unknown to the other threads.
 */
void blame_cause_in(const struct diagnosis *diagnosis, struct finding *finding,
		    enum time_cause cause, const struct intervals *within);
/* Is half of it or more in one Python function? */
bool blame_has_one_place(const struct diagnosis *diagnosis, const struct blame *blame);
/*
 * If FINDING fired, name the main contributors in the evidence and set the subject: a kernel if
 * activities were blamed, else an operator, the layer or an annotation. Clears the blame either
 * way. Done for each detector after it ran; earlier by those that add to the evidence afterwards.
 */
void blame_settle(const struct diagnosis *diagnosis, struct finding *finding);

/* Make CPU events of a name (interned) the subject, unless FINDING has one. */
void set_subject_events(const struct diagnosis *diagnosis, struct finding *finding, uint32_t name);

/* A name, escaped and truncated: names of kernels can be a page of template arguments. */
void add_name(struct buffer *out, const char *name);
/* A Python function, or the first frame of a stack in the user's code. */
void add_place(struct buffer *out, const char *text);
struct frame_name;
/* "step at app/train.py:7" */
void add_python_function(struct buffer *out, const struct frame_name *function);

/*
 * The facts: what is derived once from a finished Profile and shared by all views.
 *
 * Arrays are parallel to the profile's rows.  Immutable after facts_build, except `derived`.
 */
#ifndef STRATA_FACTS_FACTS_H
#define STRATA_FACTS_FACTS_H

#include "facts/layers.h"
#include "facts/links.h"
#include "facts/steps.h"
#include "facts/tensor_core.h"
#include "model/profile.h"

struct device_peaks;
struct error;
struct progress;

/* How to derive; all zero is the default. */
struct facts_options {
	const char *step_name; /* regular expression of step names, NULL: ProfilerStep#N */
	const struct device_peaks *peaks; /* the user's own; outlives the facts; may be NULL */
	bool attribute_by_execution; /* GPU work belongs to the step it ran in, not its launch */
};

/* What a higher layer caches with the facts; the facts free it. */
struct derived {
	void (*free)(struct derived *derived);
};

/* What a name means, by string id. */
enum name_role {
	NAME_STEP = 1, /* ProfilerStep#N, or what --step-name says */
	NAME_DATALOADER = 2,
	NAME_OPTIMIZER = 4,
	NAME_COMMUNICATION = 8,    /* host side */
	NAME_BACKWARD_ENGINE = 16, /* autograd::engine::evaluate_function: … */
	NAME_DATA_PARALLEL = 32,   /* DataParallel.forward and its distributed sister */
	NAME_BLOCKING = 64,        /* a runtime call that waits for the device */
	NAME_COMMUNICATION_KERNEL = 128,
	NAME_BACKWARD = 512,      /* a backward function: FooBackward0, AccumulateGrad */
	NAME_GRAPH_LAUNCH = 1024, /* a runtime call that replays a graph */
	NAME_COLLECTIVE = 256,    /* an annotation that stands for the operator it marks */
	NAME_ALLOCATOR = 2048,    /* a call that gets or returns memory of a device */
	NAME_COMPILE = 4096,      /* code is compiled or loaded */
};

/* What a host span is in the operator tree. */
enum span_flag {
	SPAN_IN_TREE = 1,     /* operator, module, step, data loader, optimizer, communication */
	SPAN_IS_OPERATOR = 2, /* a row of the operators view */
	SPAN_FOLDED = 4,   /* the same operator again directly inside itself: one with its parent */
	SPAN_ELIGIBLE = 8, /* tensor cores could do it */
	SPAN_BACKWARD = 16,    /* part of a backward pass */
	SPAN_CAN_LAUNCH = 32,  /* may own runtime calls */
	SPAN_INSIDE_CALL = 64, /* in a runtime call, which has taken its time from what is above */
	SPAN_HOLDS_ELIGIBLE = 128, /* eligible for what is inside it alone */
};

struct facts {
	const struct profile *profile;
	bool stored;            /* the arrays lie in the profile's store */
	uint32_t names;         /* strings of the profile before the facts added theirs */
	uint16_t *role;         /* by string id below names: enum name_role bits */
	uint8_t *kernel_tensor; /* the same: enum tensor_use, of kernel names */

	uint8_t *span_flags;
	uint32_t *span_owner;        /* nearest enclosing span of the operator tree; of a runtime
					call the operator that made it; NO_ROW */
	int64_t *span_self;          /* duration less children and runtime calls, of tree spans */
	int64_t *gpu_prefix;         /* [spans + 1]: device time launched directly, summed */
	uint32_t *gpu_count_prefix;  /* [spans + 1]: activities launched directly, summed */
	uint32_t *activity_operator; /* owner of the launch, NO_ROW */
	uint32_t
		*activity_twin; /* of graph kernels: the same kernel of an eager run; may be NULL */
	uint32_t *activity_step; /* index of the step that launched it, NO_ROW */

	struct step *steps;
	uint32_t step_count;
	bool steps_from_profile; /* false: one step stands for the whole */
	uint32_t key_node;       /* interned id of the op whose iterations they are; 0 none */
	int64_t window_start, window_end; /* first step's start, last whole step's end */

	struct link_table links;
	struct layer_tree layers;

	const struct device_peaks *peaks;  /* the user's own; may be NULL */
	_Atomic(struct derived *) derived; /* analysis/shared.h; NULL until something is cached */
};

/* NULL with ERROR when cancelled.  OPTIONS may be NULL.  The caller frees with facts_free. */
struct facts *facts_build(struct profile *profile, const struct facts_options *options,
			  const struct progress *progress, struct error *error);
/* With COUNT steps already known (0: find them); takes STEPS. */
struct facts *facts_build_with_steps(struct profile *profile, const struct facts_options *options,
				     struct step *steps, uint32_t count,
				     const struct progress *progress, struct error *error);
/* The steps alone, and which device activities belong to them. */
struct facts *facts_find_steps(struct profile *profile, const struct facts_options *options,
			       const struct progress *progress, struct error *error);
void facts_free(struct facts *facts); /* NULL is fine */

/* Device time of what was launched anywhere under a span. */
static inline int64_t facts_gpu_total(const struct facts *facts, uint32_t span)
{
	return facts->gpu_prefix[span + facts->profile->span_size[span]] - facts->gpu_prefix[span];
}

/* How long SPAN ran inside OUTER, in which it starts but which it may overrun. */
int64_t facts_time_inside(const struct facts *facts, uint32_t span, uint32_t outer);

/* Index of the step in whose interval TIME lies, or NO_ROW. */
uint32_t facts_step_at(const struct facts *facts, int64_t time);

/* The activity whose launch tells the layer of this one: its twin, or itself. */
static inline uint32_t facts_layer_source(const struct facts *facts, uint32_t activity)
{
	uint32_t twin = facts->activity_twin ? facts->activity_twin[activity] : NO_ROW;
	return twin == NO_ROW ? activity : twin;
}

/*
 * The span whose row, and all around it, an activity's time on the device counts for: the operator
 * that launched it; or the call itself where that is in a module inside the operator, which then
 * has it as well, and where it is none, but a step or an annotation.  NO_ROW without a launch.
 */
uint32_t facts_work_row(const struct facts *facts, uint32_t activity);

bool facts_is_communication(const struct facts *facts, uint32_t activity);

#endif

/*
 * Derived data: what is computed once from a finished Profile and shared by all views.
 *
 * Arrays are parallel to the profile's rows. Immutable after derived_build, except `cached`.
 */
#pragma once

#include "derived/layers.h"
#include "derived/links.h"
#include "derived/steps.h"
#include "derived/tensor_core.h"

struct derived_cached;
struct device_peaks;
struct inference;
struct inferences;
struct launch_records;

/* All zero is the default. */
struct derived_options {
	const char *steps_from; /* a source of steps or a range (step_source.h); NULL: any */
	const char *step_name;  /* regular expression of step names, NULL: ProfilerStep#N */
	const struct device_peaks *peaks; /* user-described; must outlive the result; may be NULL */
	/* of traces that captured the graphs and of other ranks (inferences.h); used while it
	   is built */
	struct launch_records *const *records;
	size_t record_count;
	unsigned lacks; /* what other ranks fill: bits of enum known_work (launch_records.h) */
	bool attribute_by_execution; /* GPU work belongs to the step it ran in, not its launch */
};

/* Roles of a name, by string id. */
enum { NAME_ROLE_ROWS(LISTED_BIT) };
enum name_role { NAME_ROLE_ROWS(LISTED_FLAG) };
enum { NAME_STEPS = NAME_STEP | NAME_NUMBERED_STEP };

/* What a name is of, by string id. */
enum name_use { NAME_OF_KERNEL = 1, NAME_OF_OPERATOR = 2 /* a row of the operators view */ };

/* Properties of a host span in the operator tree. */
enum span_flag { SPAN_FLAG_ROWS(_) };

struct derived {
	const struct profile *profile;
	bool stored;            /* the arrays belong to the profile's store */
	uint32_t names;         /* number of profile strings before derived ones were added */
	uint16_t *role;         /* by string id below names: bits of enum name_role */
	uint8_t *kernel_tensor; /* likewise: enum tensor_use that a kernel name tells */
	uint8_t *name_uses;     /* likewise: bits of enum name_use */

	uint8_t *span_flags;
	uint32_t *span_owner;       /* innermost enclosing tree span, NO_ROW */
	uint32_t *gpu_count_prefix; /* [spans + 1]: prefix counts of activities launched directly */
	int64_t *gpu_prefix;        /* [activities + 1]: their time, by such a count */
	uint32_t *activity_operator; /* innermost operator around the launch call, NO_ROW */
	uint32_t *activity_twin;     /* of graph kernels: eager counterpart; may be NULL */
	struct inferences *inferred; /* from other traces (inferences.h); may be NULL */
	uint8_t *activity_tensor;    /* of kernels: enum tensor_use (tensor_core.h) */
	uint32_t *activity_step;     /* index of the step that launched it, NO_ROW */

	struct step *steps;
	uint32_t step_count;
	bool steps_from_profile; /* false: one step covers everything */
	uint32_t step_source;    /* enum step_source; STEPS_NONE unless steps_from_profile */
	uint32_t step_basis;     /* interned: the mark, range or period; 0 none */
	uint32_t empty_steps;    /* marked ones that held too little work to be steps */
	uint32_t key_node; /* interned id of the operator whose iterations are the steps; 0 none */
	int64_t window_start, window_end; /* first step's start, last complete step's end */

	struct link_table links;
	struct layer_tree layers;

	const struct device_peaks *peaks;        /* user-described; may be NULL */
	_Atomic(struct derived_cached *) cached; /* derived_cache.h; NULL: nothing yet */
};

/* NULL with ERROR when cancelled.  OPTIONS may be NULL.  The caller frees with derived_free. */
struct derived *derived_build(struct profile *profile, const struct derived_options *options,
			      const struct progress *progress, struct error *error);
/* With known steps, whose ownership is transferred (NULL: find them). */
struct derived *derived_build_with_steps(struct profile *profile,
					 const struct derived_options *options,
					 const struct known_steps *known,
					 const struct progress *progress, struct error *error);
/* Only the steps and their device activities. */
struct derived *derived_find_steps(struct profile *profile, const struct derived_options *options,
				   const struct progress *progress, struct error *error);
void derived_free(struct derived *derived); /* NULL is fine */

/* Device time launched in the subtree of a span. */
static inline int64_t derived_gpu_total(const struct derived *derived, uint32_t span)
{
	const uint32_t *count = derived->gpu_count_prefix;
	return derived->gpu_prefix[count[span + derived->profile->span_size[span]]] -
	       derived->gpu_prefix[count[span]];
}

/* Duration of a span of the tree outside of those in it and of runtime calls; of others 0. */
int64_t derived_self(const struct derived *derived, uint32_t span);

/* Time of SPAN within OUTER, in which it starts but which it may overrun. */
int64_t derived_time_inside(const struct derived *derived, uint32_t span, uint32_t outer);

/*
 * The same without what is covered up to *COVERED, which advances; the spans of an OUTER must come
 * by start, and *COVERED begin at its start.
 */
int64_t derived_time_covered(const struct derived *derived, uint32_t span, uint32_t outer,
			     int64_t *covered);

/* The innermost span of a track with start <= TIME < end, or NO_ROW. */
uint32_t derived_span_at(const struct derived *derived, uint32_t track, int64_t time);

/* The innermost operator around SPAN or SPAN itself; NO_ROW. */
uint32_t derived_operator_around(const struct derived *derived, uint32_t span);

/* Index of the step around TIME, or NO_ROW; NEAR is a guess, and becomes a better one. */
uint32_t derived_step_near(const struct derived *derived, int64_t time, size_t *near);
uint32_t derived_step_at(const struct derived *derived, int64_t time); /* without a guess */

/* The activity that determines this one's layer: its counterpart, or itself. */
static inline uint32_t derived_layer_source(const struct derived *derived, uint32_t activity)
{
	uint32_t twin = derived->activity_twin ? derived->activity_twin[activity] : NO_ROW;
	return twin == NO_ROW ? activity : twin;
}

/*
 * The span that an activity's device time is added to, and so to all its ancestors: the launching
 * operator; or the launch call itself if a module inside the operator encloses it or there is no
 * operator. NO_ROW without a launch.
 */
uint32_t derived_work_row(const struct derived *derived, uint32_t activity);

/* Likewise of a launch call, OWNER being the operator around it. */
uint32_t derived_row_of_call(const struct derived *derived, uint32_t call, uint32_t owner);

/* What was inferred of an activity from other traces; NULL: nothing. */
const struct inference *derived_inference(const struct derived *derived, uint32_t activity);

/* That, if it tells the arguments of the activity's operator; NULL: it does not. */
const struct inference *derived_inferred_arguments(const struct derived *derived,
						   uint32_t activity);

/* Name of the operator of an activity; without one the inferred one; NO_ROW. */
uint32_t derived_operator_name(const struct derived *derived, uint32_t activity);

/* Is it known or inferred of which pass the work of an activity is, and is it a backward one? */
bool derived_knows_pass(const struct derived *derived, uint32_t activity);
bool derived_is_backward(const struct derived *derived, uint32_t activity);

/*
 * What the TensorBoard plugin takes for the launcher: the innermost operator, step, data loader,
 * optimizer or collective annotation around the launch call; NO_ROW.
 */
uint32_t derived_launcher(const struct derived *derived, uint32_t activity);

/* Does the driver move pages of unified memory? */
static inline bool derived_is_migration(const struct derived *derived, uint32_t activity)
{
	const struct profile *profile = derived->profile;
	return profile->activity_kind[activity] == ACTIVITY_MEMCPY &&
	       derived->role[profile->activity_name[activity]] & NAME_MIGRATION;
}

static inline bool derived_is_communication(const struct derived *derived, uint32_t activity)
{
	const struct profile *profile = derived->profile;
	if (profile->activity_kind[activity] == ACTIVITY_COLLECTIVE)
		return true;
	return profile->activity_kind[activity] == ACTIVITY_KERNEL &&
	       derived->role[profile->activity_name[activity]] & NAME_COMMUNICATION_KERNEL;
}

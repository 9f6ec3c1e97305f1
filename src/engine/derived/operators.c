#include "derived/operators.h"

#include "derived/derived.h"
#include "base/any_of.h"
#include "base/hash.h"
#include "base/parallel.h"

/*
 * Owners are on the same track, so tracks are processed in parallel. Threads only mark which names
 * and types occur; each is then classified once.
 */
struct attribution {
	struct derived *derived;
	uint8_t *names, *types, *kernels; /* by string id: enum mark */
	size_t kernel_pieces;             /* of the strings among which kernels' names are */
};

enum operators_mark { UNSEEN, SEEN, FITS };

static const char stage[] = "finding operators";

/* Atomic: several threads may mark an id. */
static void mark_seen(uint8_t *marks, uint32_t id)
{
	__atomic_store_n(&marks[id], SEEN, __ATOMIC_RELAXED);
}

/* The role of a span in the tree, by kind and name. */
static uint8_t flags_of(const struct derived *derived, uint32_t span)
{
	const struct profile *profile = derived->profile;
	uint16_t role = derived->role[profile->span_name[span]];
	switch (profile->span_kind[span]) {
	case SPAN_OPERATOR:
		if (role & (NAME_STEP | NAME_DATALOADER | NAME_OPTIMIZER | NAME_DATA_PARALLEL))
			return SPAN_IN_TREE;
		return SPAN_IN_TREE | SPAN_IS_OPERATOR;
	case SPAN_ANNOTATION:
		if (role & (NAME_STEP | NAME_DATALOADER | NAME_OPTIMIZER | NAME_COLLECTIVE))
			return SPAN_IN_TREE;
		return 0;
	case SPAN_MODULE: return SPAN_IN_TREE;
	default: return 0;
	}
}

/* Set flags and, for every span, the nearest enclosing span of the tree; parents come first. */
static bool attribute_lane(const struct attribution *attribution, size_t lane,
			   const struct progress *progress)
{
	struct derived *derived = attribution->derived;
	const struct profile *profile = derived->profile;
	uint32_t first = profile->tracks[lane].first_span;
	uint32_t end = first + profile->tracks[lane].spans;
	bool ok = true;
	for (uint32_t i = first; i < end && ok; i++) {
		ok = progress_row(progress, stage, i, profile->spans);
		uint32_t parent = profile->span_parent[i];
		uint8_t flags = derived->span_flags[i] = flags_of(derived, i);
		derived->span_owner[i] = parent == NO_ROW ? NO_ROW
					 : derived->span_flags[parent] & SPAN_IN_TREE
						 ? parent
						 : derived->span_owner[parent];
		if (flags & SPAN_IS_OPERATOR)
			mark_seen(attribution->names, profile->span_name[i]);
	}
	return ok;
}

/* ---- launches by another thread ---- */

/* Ids that a reader gave, rather than the file, are below -1. */
static bool is_queued(int64_t external_id)
{
	return external_id < -1 && external_id != NO_VALUE;
}

/*
 * The operators that queue launches for another thread to make, by their ids; *QUEUED is NULL where
 * no launch is queued. False when cancelled.
 */
static bool find_queued(const struct derived *derived, struct hash **queued,
			const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	bool any = any_of(i, profile->op_id_count, is_queued(profile->op_ids[i].external_id));
	*queued = any ? hash_new(profile->op_id_count) : NULL;
	bool ok = true;
	for_rows (ok, i, *queued ? profile->spans : 0, progress, stage) {
		const struct op_ids *ids = profile_op_ids(profile, i);
		if (ids && is_queued(ids->external_id) && derived->span_flags[i] & SPAN_IS_OPERATOR)
			hash_add(*queued, (uint64_t)ids->external_id, i);
	}
	return ok;
}

/* The operator that launched the activity or queued its launch; without a call, by its id. */
static uint32_t operator_of(const struct derived *derived, const struct hash *queued,
			    uint32_t activity)
{
	const struct profile *profile = derived->profile;
	uint32_t call = profile->activity_launch[activity], owner = NO_ROW;
	const struct call_info *info = call == NO_ROW ? NULL : profile_call_info(profile, call);
	int64_t id = info             ? info->external_id
		     : call == NO_ROW ? profile->activity_external[activity]
				      : NO_VALUE;
	if (queued && is_queued(id))
		owner = hash_last(queued, (uint64_t)id);
	return owner != NO_ROW ? owner : derived_operator_around(derived, call);
}

/* ---- device time ---- */

bool operators_sum_times(const struct derived *derived, const uint8_t *wanted, int64_t *sum,
			 uint32_t *count, const char *stage_name, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	AUTO_FREE uint32_t *row = mem_alloc(((size_t)profile->activities + 1) * sizeof *row);
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage_name) {
		row[i] = derived_work_row(derived, i);
		if ((wanted && !wanted[i]) || !profile_is_work(profile, i))
			row[i] = NO_ROW;
		if (row[i] != NO_ROW)
			count[row[i] + 1]++;
	}
	for_rows (ok, i, profile->spans, progress, stage_name)
		count[i + 1] += count[i];
	for (uint32_t i = 0; i < profile->activities && ok; i++)
		if (row[i] != NO_ROW)
			sum[count[row[i] + 1]] += profile->activity_dur[i];
	for (uint32_t i = 0; i < profile->activities && ok; i++)
		sum[i + 1] += sum[i];
	return ok;
}

static bool attribute_device(struct derived *derived, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	AUTO_HASH struct hash *queued = NULL;
	if (!find_queued(derived, &queued, progress))
		return false;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		derived->activity_operator[i] = operator_of(derived, queued, i);
		if (profile->activity_launch[i] != NO_ROW)
			derived->span_flags[profile->activity_launch[i]] |= SPAN_LAUNCHES;
	}
	return ok && operators_sum_times(derived, NULL, derived->gpu_prefix,
					 derived->gpu_count_prefix, stage, progress);
}

/* ---- repeated operators, types for tensor cores ---- */

/* Does the operator do nothing but call one of its own name, the only one in the tree inside? */
static bool is_repeat(const struct derived *derived, uint32_t span, uint32_t parent,
		      uint32_t children)
{
	const struct profile *profile = derived->profile;
	return derived->span_flags[parent] & SPAN_IS_OPERATOR && children == 1 &&
	       profile->span_name[parent] == profile->span_name[span] &&
	       derived->gpu_count_prefix[parent + 1] == derived->gpu_count_prefix[parent];
}

/* Fold what repeats the operator around it; mark the types of operators eligible by name. */
static bool fold_lane(void *context, size_t lane, const struct progress *progress)
{
	const struct attribution *attribution = context;
	struct derived *derived = attribution->derived;
	const struct profile *profile = derived->profile;
	uint32_t first = profile->tracks[lane].first_span;
	uint32_t end = first + profile->tracks[lane].spans;
	AUTO_FREE uint32_t *children = mem_zalloc(end - first, sizeof *children);
	bool ok = true;
	for (uint32_t i = first; i < end && ok; i++) {
		ok = progress_row(progress, stage, i, profile->spans);
		if (derived->span_flags[i] & SPAN_IN_TREE && derived->span_owner[i] != NO_ROW)
			children[derived->span_owner[i] - first]++;
	}
	for (uint32_t i = first; i < end && ok; i++) {
		ok = progress_row(progress, stage, i, profile->spans);
		if (!(derived->span_flags[i] & SPAN_IS_OPERATOR))
			continue;
		uint32_t parent = derived->span_owner[i];
		if (parent != NO_ROW && is_repeat(derived, i, parent, children[parent - first]))
			derived->span_flags[i] |= SPAN_FOLDED;
		const struct op_info *info = attribution->names[profile->span_name[i]] == FITS
						     ? profile_op_info(profile, i)
						     : NULL;
		if (info && info->types)
			mark_seen(attribution->types, info->types);
	}
	return ok;
}

/* ---- tensor cores ---- */

/* Both compile their own rules: a pattern is not thread safe. */
static void classify_operators(void *context, size_t from, size_t to)
{
	const struct attribution *attribution = context;
	const struct intern *strings = attribution->derived->profile->strings;
	struct tensor_rules *rules = tensor_rules_new();
	for (uint32_t id = (uint32_t)from; id < to; id++)
		if (attribution->names[id] == SEEN && tensor_operator(rules, INTERNED(strings, id)))
			attribution->names[id] = FITS;
	tensor_rules_free(rules);
}

enum { KERNEL_NAMES = 1 << 14 }; /* strings of a piece */

static void classify_kernels(const struct attribution *attribution, size_t piece)
{
	const struct intern *strings = attribution->derived->profile->strings;
	struct tensor_rules *rules = tensor_rules_new();
	uint32_t from = (uint32_t)piece * KERNEL_NAMES, left = intern_count(strings) - from;
	for (uint32_t id = from; id < from + (left < KERNEL_NAMES ? left : KERNEL_NAMES); id++)
		if (attribution->kernels[id] == SEEN)
			attribution->derived->kernel_tensor[id] =
				(uint8_t)tensor_use_of_kernel(rules, INTERNED(strings, id));
	tensor_rules_free(rules);
}

static void judge_types(const struct attribution *attribution)
{
	const struct intern *strings = attribution->derived->profile->strings;
	for (uint32_t id = 0; id < intern_count(strings); id++)
		if (attribution->types[id] == SEEN && tensor_types_fit(intern_text(strings, id)))
			attribution->types[id] = FITS;
}

static bool is_eligible(const struct attribution *attribution, uint32_t span)
{
	const struct derived *derived = attribution->derived;
	const struct profile *profile = derived->profile;
	if (!(derived->span_flags[span] & SPAN_IS_OPERATOR) ||
	    attribution->names[profile->span_name[span]] != FITS)
		return false;
	const struct op_info *info = profile_op_info(profile, span);
	return !info || !info->types || attribution->types[info->types] == FITS;
}

static bool mark_eligible(void *context, size_t lane, const struct progress *progress)
{
	const struct attribution *attribution = context;
	const struct derived *derived = attribution->derived;
	uint32_t first = derived->profile->tracks[lane].first_span;
	uint32_t end = first + derived->profile->tracks[lane].spans;
	uint8_t *flags = derived->span_flags;
	/* Children follow their parents: iterate backwards to propagate eligibility upwards. */
	for (uint32_t i = end; i-- > first;) {
		if (!progress_row(progress, stage, i, end))
			return false;
		uint32_t owner = derived->span_owner[i];
		if (is_eligible(attribution, i))
			flags[i] |= SPAN_ELIGIBLE;
		else if (flags[i] & SPAN_ELIGIBLE)
			flags[i] |= SPAN_HOLDS_ELIGIBLE;
		if (flags[i] & SPAN_ELIGIBLE && owner != NO_ROW && flags[owner] & SPAN_IS_OPERATOR)
			flags[owner] |= SPAN_ELIGIBLE;
	}
	return true;
}

static bool see_kernels(const struct attribution *attribution, const struct progress *progress)
{
	const struct profile *profile = attribution->derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage)
		if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			attribution->kernels[profile->activity_name[i]] = SEEN;
	return ok;
}

static void make_columns(struct derived *derived)
{
	const struct profile *profile = derived->profile;
	size_t spans = (size_t)profile->spans + 1, activities = (size_t)profile->activities + 1;
	derived->span_flags = mem_alloc(spans);
	derived->span_owner = mem_alloc(spans * sizeof *derived->span_owner);
	derived->gpu_prefix = mem_zalloc(activities, sizeof *derived->gpu_prefix);
	derived->gpu_count_prefix = mem_zalloc(spans, sizeof *derived->gpu_count_prefix);
	derived->activity_operator = mem_alloc(activities * sizeof *derived->activity_operator);
	derived->kernel_tensor = mem_zalloc(intern_count(profile->strings), 1);
	derived->name_uses = mem_zalloc(intern_count(profile->strings), 1);
}

static void note_uses(const struct attribution *attribution, uint32_t names)
{
	for (uint32_t id = 0; id < names; id++)
		attribution->derived->name_uses[id] =
			(attribution->kernels[id] ? NAME_OF_KERNEL : 0) |
			(attribution->names[id] ? NAME_OF_OPERATOR : 0);
}

/* Kernels first, as their names take as long as most lanes. */
static bool classify_or_attribute(void *context, size_t i, const struct progress *progress)
{
	const struct attribution *attribution = context;
	if (i >= attribution->kernel_pieces)
		return attribute_lane(attribution, i - attribution->kernel_pieces, progress);
	classify_kernels(attribution, i);
	return progress_update(progress, stage, 0, 0, 0);
}

static bool attribute_operators(struct attribution *attribution, uint32_t names,
				const struct progress *progress)
{
	size_t lanes = attribution->derived->profile->track_count;
	attribution->kernel_pieces = (names + KERNEL_NAMES - 1) / KERNEL_NAMES;
	if (!see_kernels(attribution, progress) ||
	    !parallel_try_rows(profile_rows(attribution->derived->profile),
			       attribution->kernel_pieces + lanes, classify_or_attribute,
			       attribution, stage, progress, NULL) ||
	    !attribute_device(attribution->derived, progress) ||
	    !parallel_ranges(names, classify_operators, attribution, stage, progress) ||
	    !parallel_try_rows(profile_rows(attribution->derived->profile), lanes, fold_lane,
			       attribution, stage, progress, NULL))
		return false;
	judge_types(attribution);
	return parallel_try_rows(profile_rows(attribution->derived->profile), lanes, mark_eligible,
				 attribution, stage, progress, NULL);
}

bool operators_attribute(struct derived *derived, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	uint32_t names = intern_count(profile->strings);
	struct attribution attribution = {
		.derived = derived,
		.names = mem_zalloc(names, 1),
		.types = mem_zalloc(names, 1),
		.kernels = mem_zalloc(names, 1),
	};
	make_columns(derived);
	bool done = attribute_operators(&attribution, names, progress);
	note_uses(&attribution, names);
	mem_free_all(attribution.kernels, attribution.names, attribution.types);
	return done;
}

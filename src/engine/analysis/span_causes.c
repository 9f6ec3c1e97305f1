#include "analysis/causes.h"

#include "derived/selection.h"

static const char stage[] = "finding causes";

/* What is known of a call beyond its name. */
enum call_mark { MARK_WAITS = 1, MARK_ONE_OFF, MARK_LAUNCHES };

/* Mark the calls that blocked until their copy was done. */
static bool mark_waiting_copies(const struct profile *profile, uint8_t *marks,
				const struct progress *progress)
{
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t launch = profile->activity_launch[i];
		if (launch != NO_ROW && profile->activity_kind[i] == ACTIVITY_MEMCPY &&
		    profile_activity_end(profile, i) <= profile_span_end(profile, launch))
			marks[launch] = MARK_WAITS;
	}
	return ok;
}

/* Timelines without launches, as TensorFlow's, name work on a device after its operator. */
static bool mark_launching(const struct profile *profile, uint8_t *marks,
			   const struct progress *progress)
{
	AUTO_FREE uint8_t *work = mem_zalloc(intern_count(profile->strings) + 1, 1);
	bool ok = true;
	for (uint32_t i = 0; i < profile->activities; i++) {
		if (profile->activity_launch[i] != NO_ROW)
			return true;
		work[profile->activity_name[i]] = 1;
	}
	for_rows (ok, i, profile->spans, progress, stage)
		if (profile->span_kind[i] == SPAN_OPERATOR && work[profile->span_name[i]])
			marks[i] = MARK_LAUNCHES;
	return ok;
}

/* ---- first calls ---- */

/*
 * A first call initializes something if most later ones of its kind are this many times shorter:
 * of a runtime function, context creation, lazy loading of a library, the search for an algorithm,
 * if it is no shorter than this; of the launches of a kernel, loading the kernel, however short.
 * Where a kernel is launched once, it is compared with all launches.
 */
enum { ONE_OFF_FACTOR = 100, ONE_OFF_MIN_NS = 1000000, ONE_OFF_CALLS = 3, LOAD_FACTOR = 10 };

/* The calls of a runtime function, or the launches of a kernel. */
struct call_kind {
	uint32_t first, later, shorter; /* NO_ROW; how many later ones, and much shorter ones */
};

typedef void visit_call(struct call_kind *kind, const struct profile *profile, uint32_t span,
			int factor);

/* KINDS by name, of functions and of kernels. */
static bool visit_calls(struct call_kind *kinds, const struct profile *profile, visit_call *visit,
			const struct progress *progress)
{
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage)
		if (profile->span_kind[i] == SPAN_RUNTIME)
			visit(&kinds[profile->span_name[i]], profile, i, ONE_OFF_FACTOR);
	for_rows (ok, i, profile->activities, progress, stage)
		if (profile->activity_kind[i] == ACTIVITY_KERNEL &&
		    profile->activity_launch[i] != NO_ROW)
			visit(&kinds[profile->activity_name[i]], profile,
			      profile->activity_launch[i], LOAD_FACTOR);
	return ok;
}

static void find_first(struct call_kind *kind, const struct profile *profile, uint32_t span,
		       int factor)
{
	if (kind->first == NO_ROW || profile->span_start[span] < profile->span_start[kind->first])
		kind->first = span;
}

static void compare_with_first(struct call_kind *kind, const struct profile *profile, uint32_t span,
			       int factor)
{
	kind->later += span != kind->first;
	kind->shorter += profile->span_dur[span] < profile->span_dur[kind->first] / factor;
}

/* Durations below which half of all launches stay, to a factor of two. */
static int64_t usual_launch(const struct profile *profile)
{
	uint32_t bins[64] = { 0 }, all = 0, below = 0;
	int bin = 0;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (profile->activity_kind[i] != ACTIVITY_KERNEL || launch == NO_ROW)
			continue;
		bins[63 - __builtin_clzll((uint64_t)profile->span_dur[launch] | 1)]++;
		all++;
	}
	while (bin < 62 && (below += bins[bin]) < (all + 1) / 2)
		bin++;
	return (int64_t)1 << (bin < 62 ? bin + 1 : 62);
}

static bool is_first_of_kind(const struct call_kind *kind, const struct derived *derived,
			     size_t name, int64_t usual)
{
	const struct profile *profile = derived->profile;
	int64_t dur = profile->span_dur[kind->first];
	if (profile->span_name[kind->first] != name) /* launches of a kernel */
		return kind->later ? 2 * kind->shorter > kind->later : dur / LOAD_FACTOR > usual;
	return dur >= ONE_OFF_MIN_NS && kind->later + 1 >= ONE_OFF_CALLS &&
	       2 * kind->shorter > kind->later && !(derived->role[name] & NAME_BLOCKING);
}

static bool mark_one_offs(const struct derived *derived, uint8_t *marks,
			  const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	size_t names = intern_count(profile->strings);
	AUTO_FREE struct call_kind *kinds = mem_zalloc(names + 1, sizeof *kinds);
	for (size_t name = 0; name < names; name++)
		kinds[name].first = NO_ROW;
	bool ok = visit_calls(kinds, profile, find_first, progress) &&
		  visit_calls(kinds, profile, compare_with_first, progress);
	int64_t usual = ok ? usual_launch(profile) : 0;
	for (size_t name = 0; name < names && ok; name++)
		if (kinds[name].first != NO_ROW && !marks[kinds[name].first] &&
		    is_first_of_kind(&kinds[name], derived, name, usual))
			marks[kinds[name].first] = MARK_ONE_OFF;
	return ok;
}

/* ---- one span ---- */

static enum time_cause cause_of_call(uint16_t role, uint8_t mark)
{
	if (mark == MARK_ONE_OFF)
		return CAUSE_COMPILE;
	if (role & NAME_BLOCKING || mark == MARK_WAITS)
		return CAUSE_SYNC;
	if (role & NAME_ALLOCATOR)
		return CAUSE_ALLOCATOR;
	return role & NAME_COMPILE ? CAUSE_COMPILE : CAUSE_LAUNCH;
}

/* The cause a span implies by itself; CAUSE_UNKNOWN: use the enclosing span's. */
static enum time_cause own_cause(const struct derived *derived, uint32_t span, uint8_t mark)
{
	const struct profile *profile = derived->profile;
	uint32_t name = profile->span_name[span];
	uint16_t role = derived->role[name];
	switch (profile->span_kind[span]) {
	case SPAN_RUNTIME: return cause_of_call(role, mark);
	case SPAN_OVERHEAD: return role & NAME_COMPILE ? CAUSE_COMPILE : CAUSE_OVERHEAD;
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION:
		if (role & NAME_STEPS)
			return CAUSE_UNKNOWN;
		if (role & NAME_DATALOADER)
			return CAUSE_DATALOADER;
		break;
	case SPAN_GPU_ANNOTATION:
	case SPAN_INSTANT: return CAUSE_UNKNOWN;
	default: break;
	}
	if (role & NAME_COMPILE)
		return CAUSE_COMPILE;
	const uint32_t *count = derived->gpu_count_prefix;
	if ((profile->span_kind[span] == SPAN_OPERATOR || role & NAME_DISPATCH) &&
	    (mark == MARK_LAUNCHES || count[span + profile->span_size[span]] > count[span]))
		return CAUSE_LAUNCH;
	return CAUSE_HOST;
}

/* These causes override those of spans inside them. */
static bool rules_inside(enum time_cause cause)
{
	return cause == CAUSE_OVERHEAD || cause == CAUSE_DATALOADER || cause == CAUSE_COMPILE;
}

uint8_t *causes_of_spans(const struct selection *selection, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	uint8_t *cause = mem_alloc((size_t)profile->spans + 1);
	AUTO_FREE uint8_t *marks = mem_zalloc((size_t)profile->spans + 1, 1);
	bool ok = mark_waiting_copies(profile, marks, progress) &&
		  mark_launching(profile, marks, progress) &&
		  mark_one_offs(selection->derived, marks, progress);
	for_rows (ok, i, profile->spans, progress, stage) {
		uint32_t parent = profile->span_parent[i];
		enum time_cause above =
			parent == NO_ROW ? CAUSE_UNKNOWN : (enum time_cause)cause[parent];
		enum time_cause own = !selection_has_span(selection, i)
					      ? CAUSE_UNKNOWN
					      : own_cause(selection->derived, i, marks[i]);
		if (own == CAUSE_UNKNOWN || (own == CAUSE_HOST && above != CAUSE_UNKNOWN) ||
		    (rules_inside(above) && own != CAUSE_OVERHEAD))
			own = above;
		cause[i] = (uint8_t)own;
	}
	return mem_if(ok, cause);
}

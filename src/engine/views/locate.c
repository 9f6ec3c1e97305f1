/*
 * Finds the time range of a row of any view.
 */
#include "session/load.h"
#include "views/views.h"

struct locate_search {
	const struct profile *profile;
	const struct derived *derived;
	const struct selection *selection;
	struct ref ref; /* the row */
	const struct progress *progress;
};

/* ---- single events ---- */

static bool at(struct location *location, enum ref_kind kind, uint32_t row, int64_t from,
	       int64_t to)
{
	location->event = (struct ref){ kind, row, 0, 0 };
	location->from = from;
	location->to = to;
	return true;
}

static bool at_span(const struct profile *profile, uint32_t span, struct location *location)
{
	if (span >= profile->spans)
		return false;
	int64_t start = profile->span_start[span];
	return at(location, REF_CALL, span, start, start + profile->span_dur[span]);
}

static bool at_activity(const struct profile *profile, uint32_t activity, struct location *location)
{
	if (activity >= profile->activities)
		return false;
	int64_t start = profile->activity_start[activity];
	return at(location, REF_LAUNCH, activity, start, start + profile->activity_dur[activity]);
}

/* ---- longest of several events ---- */

static const char stage[] = "finding the longest";

static bool is_wanted_call(const struct locate_search *search, uint32_t span)
{
	const struct ref *ref = &search->ref;
	if (ref->kind == REF_LAYER)
		return search->derived->layers.span_node[span] == ref->a &&
		       search->derived->span_flags[span] & SPAN_IS_CALL;
	if (ref->kind == REF_EVENTS)
		return search->profile->span_name[span] == ref->a;
	return is_call_of_operator(search->derived, span, *ref);
}

static bool is_wanted_activity(const struct locate_search *search, uint32_t activity)
{
	const struct ref *ref = &search->ref;
	if (ref->kind == REF_LAYER) {
		uint32_t node = search->derived->layers.activity_node[activity];
		return node >= ref->a && node - ref->a < search->derived->layers.nodes[ref->a].size;
	}
	uint32_t owner =
		derived_launcher(search->derived, activity); /* as the rows of properties */
	return search->profile->activity_name[activity] == ref->a &&
	       (ref->b == NO_ROW ||
		(owner != NO_ROW && search->profile->span_name[owner] == ref->b)) &&
	       (ref->c == NO_ROW || search->profile->activity_config[activity] == ref->c);
}

static bool is_wanted(const struct locate_search *search, bool call, uint32_t row)
{
	return call ? is_wanted_call(search, row) && selection_has_span(search->selection, row)
		    : is_wanted_activity(search, row) &&
			       selection_has_activity(search->selection, row);
}

/* The longest of the calls, or of the activities. */
static bool longest_of(struct locate_search *search, bool calls, struct location *location)
{
	const struct profile *profile = search->profile;
	const int64_t *dur = calls ? profile->span_dur : profile->activity_dur;
	uint32_t rows = calls ? profile->spans : profile->activities, best = NO_ROW;
	bool ok = true;
	for_rows (ok, i, rows, search->progress, stage)
		if ((best == NO_ROW || dur[i] > dur[best]) && is_wanted(search, calls, i))
			best = i;
	return ok && best != NO_ROW && (calls ? at_span : at_activity)(profile, best, location);
}

static bool longest(const struct run *run, const struct scope *scope, struct ref ref,
		    const struct rank *rank, struct location *location,
		    const struct progress *progress)
{
	AUTO(selection_free) struct selection selection = { 0 };
	bool found = false;
	if (ref.kind == REF_LAYER && ref.a >= rank->derived->layers.count)
		return false;
	if (selection_make(&selection, run, scope, progress, NULL)) {
		struct locate_search search = { .profile = rank->profile,
						.derived = rank->derived,
						.selection = &selection,
						.ref = ref,
						.progress = progress };
		found = (ref.kind != REF_KERNEL && longest_of(&search, true, location)) ||
			(ref.kind != REF_OPERATOR && ref.kind != REF_EVENTS &&
			 longest_of(&search, false, location));
	}
	return found;
}

/* ---- all rows ---- */

static bool locate(const struct run *run, const struct scope *scope, const struct rank *rank,
		   struct ref ref, struct location *location, const struct progress *progress)
{
	const struct step *steps = rank->derived->steps;
	switch (ref.kind) {
	case REF_STEP:
		return ref.a < rank->derived->step_count &&
		       at(location, REF_STEP, ref.a, steps[ref.a].start, steps[ref.a].end);
	case REF_CALL:
	case REF_LINK: return at_span(rank->profile, ref.a, location);
	case REF_LAUNCH: return at_activity(rank->profile, ref.a, location);
	case REF_TIME:
		location->from = ref_start(ref);
		location->to = ref_end(ref);
		return true;
	case REF_TRACK:
		location->event = ref;
		location->to = rank->profile->end_ns;
		return ref.a < rank->profile->track_count;
	case REF_MODULE:
		return longest(run, scope, (struct ref){ REF_LAYER, ref.c, 0, 0 }, rank, location,
			       progress);
	case REF_REPEAT:
		return ref.a != NO_ROW &&
		       longest(run, scope, (struct ref){ REF_LAYER, ref.a, 0, 0 }, rank, location,
			       progress);
	case REF_LAYER:
	case REF_OPERATOR:
	case REF_EVENTS:
	case REF_KERNEL: return longest(run, scope, ref, rank, location, progress);
	default: return false;
	}
}

bool view_locate(const struct run *run, const struct scope *scope, struct ref ref,
		 struct location *location, const struct progress *progress)
{
	AUTO_RANK const struct rank *rank = run_acquire(run, scope->rank, progress, NULL);
	if (!rank)
		return false;
	if (ref.kind == REF_FINDING)
		ref = advice_subject(ref);
	*location = (struct location){ 0 };
	return locate(run, scope, rank, ref, location, progress);
}

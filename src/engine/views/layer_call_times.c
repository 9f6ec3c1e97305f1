/*
 * GPU time of each call in the layer tree.
 */
#include "views/views.h"

static const char stage[] = "summing layers";

/* SPAN, or the call around it; ABOVE: by span (layers_calls_above). */
static uint32_t call_around(const struct derived *derived, const uint32_t *above, uint32_t span)
{
	return derived->span_flags[span] & SPAN_IS_CALL ? span : above[span];
}

static bool same_pass(const struct derived *derived, uint32_t span, uint32_t other)
{
	return !((derived->span_flags[span] ^ derived->span_flags[other]) & SPAN_BACKWARD);
}

/* The call of NODE around the forward call of SPAN, or NO_ROW. */
static uint32_t forward_call(const struct derived *derived, const uint32_t *above, uint32_t span,
			     uint32_t node)
{
	const struct layer_tree *layers = &derived->layers;
	uint32_t count;
	const struct link *links = links_of(derived, span, false, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t call = call_around(derived, above, links[i].forward);
		if (call == NO_ROW || layer_enclosing(derived, layers->span_node[call]) != node)
			continue;
		while (call != NO_ROW && layers->span_node[call] != node)
			call = above[call];
		return call;
	}
	return NO_ROW;
}

/* The call that SPAN's time also counts for: one of the node above its own; NO_ROW. */
static uint32_t call_above(const struct derived *derived, const uint32_t *calls_above,
			   uint32_t span)
{
	const struct layer_tree *layers = &derived->layers;
	uint32_t node = layers->nodes[layers->span_node[span]].parent;
	uint32_t above = calls_above[span], forward = NO_ROW;
	bool backward = derived->span_flags[span] & SPAN_BACKWARD;
	if (backward && node != NO_ROW && (above == NO_ROW || !same_pass(derived, span, above)))
		forward = forward_call(derived, calls_above, span, node);
	if (forward != NO_ROW)
		return forward;
	return above != NO_ROW && layers->span_node[above] == node ? above : NO_ROW;
}

/* Add the time of work to the calls that launched it. */
static bool add_launched(const struct selection *selection, const uint32_t *above, int64_t *gpu,
			 const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	const struct layer_tree *layers = &selection->derived->layers;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t at = derived_work_row(selection->derived, i);
		if (at == NO_ROW || !profile_is_work(profile, i) ||
		    !selection_has_activity(selection, i) ||
		    layers->nodes[layers->activity_node[i]].parent != layers->span_node[at])
			continue;
		uint32_t call = call_around(selection->derived, above, at);
		if (call != NO_ROW)
			gpu[call] += profile->activity_dur[i];
	}
	return ok;
}

int64_t *layer_call_gpu(const struct selection *selection, const uint32_t *calls_above,
			bool passes_apart, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	const struct derived *derived = selection->derived;
	int64_t *gpu = mem_zalloc((size_t)profile->spans + 1, sizeof *gpu);
	AUTO_FREE uint8_t *late = layers_late_tracks(derived);
	bool ok = add_launched(selection, calls_above, gpu, progress);
	for (int pass = 2; pass-- > 0;) { /* backward calls before those that they count for */
		for (size_t t = profile->track_count; t-- > 0;) {
			uint32_t first = profile->tracks[t].first_span;
			uint32_t i = first + (late[t] == pass ? profile->tracks[t].spans : 0);
			while (i-- > first && ok) {
				ok = progress_row(progress, stage, i, profile->spans);
				if (!gpu[i] || !(derived->span_flags[i] & SPAN_IS_CALL))
					continue;
				uint32_t above = call_above(derived, calls_above, i);
				if (above != NO_ROW &&
				    (!passes_apart || same_pass(derived, i, above)))
					gpu[above] += gpu[i];
			}
		}
	}
	return mem_if(ok, gpu);
}

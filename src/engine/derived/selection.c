#include "derived/selection.h"

#include "base/buffer.h"
#include "base/error.h"
#include "derived/operators.h"
#include "model/device_label.h"

static const char stage[] = "applying the scope";

uint32_t selection_step_of_span(const struct derived *derived, uint32_t span)
{
	size_t near = derived->step_count / 2;
	return selection_step_near(derived, span, &near);
}

static bool by_steps(const struct scope *scope)
{
	return scope->has_steps || scope->phases;
}

/* Work outside of steps is of no phase. */
bool selection_has_step(const struct selection *selection, uint32_t step)
{
	const struct scope *scope = selection->scope;
	if (step == NO_ROW)
		return !scope->has_steps && (!scope->phases || scope->phases >> PHASE_NONE & 1);
	return scope_has_step(scope, &selection->derived->steps[step]);
}

bool selection_counts_step(const struct selection *selection, uint32_t index)
{
	const struct scope *scope = selection->scope;
	const struct step *step = &selection->derived->steps[index];
	if (scope->has_time && (step->start >= scope->time_last || step->end <= scope->time_first))
		return false;
	return selection_has_step(selection, index) && (scope->has_steps || !step->partial);
}

static bool time_in_scope(const struct scope *scope, int64_t time)
{
	return !scope->has_time || (time >= scope->time_first && time < scope->time_last);
}

bool selection_fits_span(const struct selection *selection, uint32_t span, const uint8_t *layers)
{
	const struct scope *scope = selection->scope;
	const struct profile *profile = selection->profile;
	const struct track *track = &profile->tracks[profile->span_track[span]];
	if (!time_in_scope(scope, profile->span_start[span]))
		return false;
	if (by_steps(scope) &&
	    !selection_has_step(selection, selection_step_of_span(selection->derived, span)))
		return false;
	if (track->device < 0 && !scope_list_has(&scope->threads, track->tid))
		return false;
	if (layers && !layers[selection->derived->layers.span_node[span]])
		return false;
	return scope->track == NO_ROW || profile->span_track[span] == scope->track ||
	       profile->tracks[scope->track].device >= 0;
}

static bool launched_on(const struct selection *selection, uint32_t activity,
			const struct scope_list *threads)
{
	const struct profile *profile = selection->profile;
	uint32_t launch = profile->activity_launch[activity];
	return !threads->count ||
	       (launch != NO_ROW &&
		scope_list_has(threads, profile->tracks[profile->span_track[launch]].tid));
}

static bool on_track(const struct selection *selection, uint32_t activity)
{
	const struct profile *profile = selection->profile;
	uint32_t track = selection->scope->track, launch = profile->activity_launch[activity];
	return track == NO_ROW || profile->activity_track[activity] == track ||
	       (profile->tracks[track].device < 0 && launch != NO_ROW &&
		profile->span_track[launch] == track);
}

bool selection_fits_activity(const struct selection *selection, uint32_t activity,
			     const uint8_t *layers)
{
	const struct scope *scope = selection->scope;
	const struct profile *profile = selection->profile;
	const struct track *track = &profile->tracks[profile->activity_track[activity]];
	if (!time_in_scope(scope, profile->activity_start[activity]) ||
	    !scope_list_has(&scope->devices, track->device) ||
	    !scope_list_has(&scope->streams, track->tid))
		return false;
	if (by_steps(scope) &&
	    !selection_has_step(selection,
				selection_step_of_activity(selection->derived, activity)))
		return false;
	if (scope->kernel_name != NO_ROW && profile->activity_name[activity] != scope->kernel_name)
		return false;
	if (layers && !layers[selection->derived->layers.activity_node[activity]])
		return false;
	return launched_on(selection, activity, &scope->threads) && on_track(selection, activity);
}

/* ---- narrowing to the subtrees of a call or of an operator's calls ---- */

static bool is_wanted_call(const struct selection *selection, uint32_t span)
{
	const struct scope *scope = selection->scope;
	const struct profile *profile = selection->profile;
	if (scope->call != NO_ROW)
		return span == scope->call;
	if (profile->span_name[span] != scope->operator_name ||
	    !(selection->derived->span_flags[span] & SPAN_IN_TREE))
		return false;
	const struct op_info *info = profile_op_info(profile, span);
	return (scope->operator_shapes == NO_ROW ||
		(info ? info->shapes : 0) == scope->operator_shapes) &&
	       (scope->operator_stack == NO_ROW ||
		(info ? info->stack : 0) == scope->operator_stack);
}

static bool mark_calls(const struct selection *selection, uint8_t *marks,
		       const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	uint32_t looked = 0;
	for (uint32_t i = 0; i < profile->spans;) {
		if (!progress_row(progress, stage, looked++, profile->spans))
			return false;
		if (!is_wanted_call(selection, i)) {
			i++;
			continue;
		}
		memset(marks + i, 1, profile->span_size[i]);
		i += profile->span_size[i];
	}
	return true;
}

/*
 * MARKS is 1 by node for layers in scope, NULL when all are. False with ERROR when PATH matches
 * none.
 */
static bool mark_layers(const struct selection *selection, uint8_t **marks, struct error *error)
{
	const struct scope *scope = selection->scope;
	const struct layer_tree *layers = &selection->derived->layers;
	*marks = NULL;
	if (scope->layer == NO_ROW && !scope->under)
		return true;
	*marks = mem_zalloc((size_t)layers->count + 1, 1);
	if (scope->under && !layers_match(selection->derived, scope->under, *marks))
		return error_set(error, ERROR_USAGE, "unknown layer \"%s\"", scope->under);
	if (scope->layer != NO_ROW && scope->layer < layers->count) {
		uint32_t first = scope->layer, size = layers->nodes[first].size;
		for (uint32_t i = 0; i < layers->count; i++)
			(*marks)[i] =
				(!scope->under || (*marks)[i]) && i >= first && i < first + size;
	}
	return true;
}

/* With a kernel selected, host rows are the ancestors of its launches. */
static bool keep_launchers(struct selection *selection, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	AUTO_FREE uint8_t *keep = mem_zalloc((size_t)profile->spans + 1, 1);
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		if (!selection->activity[i])
			continue;
		for (uint32_t at = profile->activity_launch[i]; at != NO_ROW && !keep[at];
		     at = profile->span_parent[at])
			keep[at] = 1;
		for (uint32_t at = selection->derived->activity_operator[i];
		     at != NO_ROW && !keep[at]; at = profile->span_parent[at])
			keep[at] = 1;
	}
	for_rows (ok, i, profile->spans, progress, stage)
		selection->span[i] &= keep[i];
	return ok;
}

/* Inside a marked call: its launch call is, or the operator that queued it for another thread. */
static bool is_called(const struct selection *selection, uint32_t activity, const uint8_t *calls)
{
	uint32_t call = selection->profile->activity_launch[activity];
	uint32_t owner = selection->derived->activity_operator[activity];
	return (call != NO_ROW && calls[call]) || (owner != NO_ROW && calls[owner]);
}

static bool select_rows(struct selection *selection, const uint8_t *layers, const uint8_t *calls,
			const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	selection->span = mem_alloc((size_t)profile->spans + 1);
	selection->activity = mem_alloc((size_t)profile->activities + 1);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage)
		selection->span[i] =
			selection_fits_span(selection, i, layers) && (!calls || calls[i]);
	for_rows (ok, i, profile->activities, progress, stage)
		selection->activity[i] = selection_fits_activity(selection, i, layers) &&
					 (!calls || is_called(selection, i, calls));
	return ok &&
	       (selection->scope->kernel_name == NO_ROW || keep_launchers(selection, progress));
}

/* Prefix sums like those of derived data, over the activities in scope. */
static bool sum_selected(struct selection *selection, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	selection->own_gpu_prefix =
		mem_zalloc((size_t)profile->activities + 1, sizeof *selection->own_gpu_prefix);
	selection->own_count_prefix =
		mem_zalloc((size_t)profile->spans + 1, sizeof *selection->own_count_prefix);
	return operators_sum_times(selection->derived, selection->activity,
				   selection->own_gpu_prefix, selection->own_count_prefix, stage,
				   progress);
}

/* False when cancelled; selection_free frees partial results. */
static bool narrow(struct selection *selection, const uint8_t *layers,
		   const struct progress *progress)
{
	const struct scope *scope = selection->scope;
	bool by_call = scope->call != NO_ROW || scope->operator_name != NO_ROW;
	AUTO_FREE uint8_t *calls =
		by_call ? mem_zalloc((size_t)selection->profile->spans + 1, 1) : NULL;
	return (!calls || mark_calls(selection, calls, progress)) &&
	       select_rows(selection, layers, calls, progress) && sum_selected(selection, progress);
}

static void set_window(struct selection *selection)
{
	const struct scope *scope = selection->scope;
	const struct derived *derived = selection->derived;
	selection->window_start = derived->window_start;
	selection->window_end = derived->window_end;
	if (scope->has_steps) {
		bool any = false;
		for (uint32_t i = 0; i < derived->step_count; i++) {
			if (!selection_has_step(selection, i))
				continue;
			if (!any)
				selection->window_start = derived->steps[i].start;
			selection->window_end = derived->steps[i].end;
			any = true;
		}
	}
	if (scope->has_time) {
		int64_t last = selection->profile->end_ns;
		selection->window_start = scope->time_first > 0 ? scope->time_first : 0;
		selection->window_end = scope->time_last < last ? scope->time_last : last;
	}
}

static bool selection_is_whole(const struct scope *scope)
{
	return !by_steps(scope) && !scope->has_time && !scope->devices.count &&
	       !scope->streams.count && !scope->threads.count && scope->layer == NO_ROW &&
	       scope->operator_name == NO_ROW && scope->kernel_name == NO_ROW &&
	       scope->call == NO_ROW && scope->track == NO_ROW && !scope->under;
}

/* ---- what a scope names exists ---- */

/* The least id above AFTER of the streams or host threads; false: none. */
static bool next_track_id(const struct profile *profile, bool streams, int64_t after, int64_t *id)
{
	bool found = false;
	for_each (track, profile->tracks, profile->track_count) {
		if ((track->device >= 0) != streams || track->tid <= after ||
		    (found && track->tid >= *id))
			continue;
		*id = track->tid;
		found = true;
	}
	return found;
}

/* Every id of LIST must be one of a stream, or of a host thread. */
static bool tracks_exist(const struct profile *profile, const struct scope_list *list, bool streams,
			 struct error *error)
{
	enum { NAMED = 8 };
	const char *what = streams ? "stream" : "thread";
	int64_t id = INT64_MIN, found = INT64_MIN;
	for (int i = 0; i < list->count; i++) {
		if (list->id[i] > INT64_MIN &&
		    next_track_id(profile, streams, list->id[i] - 1, &found) &&
		    found == list->id[i])
			continue;
		AUTO_BUFFER struct buffer known = { 0 };
		for (int n = 0; n <= NAMED && next_track_id(profile, streams, id, &id); n++)
			if (n == NAMED)
				buffer_puts(&known, ", ...");
			else
				buffer_printf(&known, "%s%" PRId64, n ? ", " : "", id);
		return known.length ? error_set(error, ERROR_USAGE,
						"unknown %s %" PRId64 "; the %ss are %s", what,
						list->id[i], what, known.data)
				    : error_set(error, ERROR_USAGE,
						"unknown %s %" PRId64 "; the profile has no %ss",
						what, list->id[i], what);
	}
	return true;
}

static bool devices_exist(const struct profile *profile, const struct scope_list *list,
			  struct error *error)
{
	for (int i = 0; i < list->count; i++) {
		if (profile_has_device(profile, list->id[i]))
			continue;
		AUTO_BUFFER struct buffer known = { 0 };
		char label[DEVICE_LABEL_MAX];
		for (size_t n = 0; n < profile->device_count; n++)
			buffer_printf(&known, ", %s", device_label(label, profile->devices[n].id));
		return error_set(error, ERROR_USAGE,
				 "unknown device %" PRId64 "; the devices are CPU%s", list->id[i],
				 buffer_text(&known));
	}
	return true;
}

/* Some step must be in scope. */
static bool steps_exist(const struct derived *derived, const struct scope *scope,
			struct error *error)
{
	uint32_t count = derived->step_count, i = 0;
	while (i < count && (derived->steps[i].number < scope->step_first ||
			     derived->steps[i].number > scope->step_last))
		i++;
	if (i < count || !scope->has_steps)
		return true;
	if (!count || !derived->steps_from_profile)
		return error_set(error, ERROR_USAGE, "unknown step; the profile has no steps");
	return error_set(error, ERROR_USAGE, "unknown step; the steps are %" PRId64 "..%" PRId64,
			 derived->steps[0].number, derived->steps[count - 1].number);
}

bool selection_exists(const struct rank *rank, const struct scope *scope, struct error *error)
{
	return devices_exist(rank->profile, &scope->devices, error) &&
	       tracks_exist(rank->profile, &scope->streams, true, error) &&
	       tracks_exist(rank->profile, &scope->threads, false, error) &&
	       (rank->profile->some_steps || steps_exist(rank->derived, scope, error));
}

bool selection_make(struct selection *selection, const struct run *run, const struct scope *scope,
		    const struct progress *progress, struct error *error)
{
	*selection = (struct selection){ .scope = scope };
	const struct rank *rank = run_rank(run, scope->rank);
	if (!rank)
		return error_set(error, ERROR_USAGE, "unknown rank %d", scope->rank);
	selection->profile = rank->profile;
	selection->derived = rank->derived;
	set_window(selection);
	if (selection_is_whole(scope))
		return true;
	AUTO_FREE uint8_t *layers = NULL;
	if (!mark_layers(selection, &layers, error))
		return false;
	if (narrow(selection, layers, progress))
		return true;
	selection_free(selection);
	return error_cancelled(error);
}

CLEAR_MEMBERS(selection_free, struct selection,
	      OWN(span) OWN(activity) OWN(own_gpu_prefix) OWN(own_count_prefix))

static const uint32_t *counts_of(const struct selection *selection)
{
	return selection->own_count_prefix ? selection->own_count_prefix
					   : selection->derived->gpu_count_prefix;
}

int64_t selection_gpu_total(const struct selection *selection, uint32_t span)
{
	const int64_t *sum = selection->own_gpu_prefix ? selection->own_gpu_prefix
						       : selection->derived->gpu_prefix;
	const uint32_t *count = counts_of(selection);
	return sum[count[span + selection->profile->span_size[span]]] - sum[count[span]];
}

uint32_t selection_gpu_count(const struct selection *selection, uint32_t span)
{
	const uint32_t *count = counts_of(selection);
	return count[span + selection->profile->span_size[span]] - count[span];
}

#include "analysis/samples.h"

bool samples_lane_is_selected(const struct selection *selection, uint32_t track)
{
	const struct scope *scope = selection->scope;
	const struct track *lane = &selection->profile->tracks[track];
	return lane->device < 0 && scope_list_has(&scope->threads, lane->tid) &&
	       (scope->track == NO_ROW || scope->track == track);
}

bool sample_is_selected(const struct selection *selection, const struct stack_sample *sample)
{
	const struct scope *scope = selection->scope;
	if (!samples_lane_is_selected(selection, sample->track) ||
	    (scope->has_time &&
	     (sample->time < scope->time_first || sample->time >= scope->time_last)) ||
	    !selection_has_step(selection, derived_step_at(selection->derived, sample->time)))
		return false;
	if (scope->layer == NO_ROW && scope->operator_name == NO_ROW &&
	    scope->kernel_name == NO_ROW && scope->call == NO_ROW && !scope->under)
		return true;
	uint32_t span = derived_span_at(selection->derived, sample->track, sample->time);
	return span != NO_ROW && selection_has_span(selection, span);
}

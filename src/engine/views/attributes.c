/*
 * The attributes view: what the file says of single events and no column has, such as the graph
 * node of a kernel, its occupancy with limiting factors, or the file of a compiled kernel.
 */
#include "views/views.h"

static void set_attribute(struct table *table, size_t row, const struct selection *selection,
			  const struct attribute *attribute, uint32_t name, uint32_t step)
{
	const struct profile *profile = selection->profile;
	table_set(table, row, "name", cell_text(profile, name));
	table_set(table, row, "attribute", cell_text(profile, attribute->key));
	table_set(table, row, "text", cell_text(profile, attribute->text));
	table_set(table, row, "step", cell_step(selection->derived, step));
}

bool build_attributes(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	size_t spans = profile->span_attribute_count;
	size_t count = spans + profile->activity_attribute_count;
	for (size_t i = 0; i < count; i++) {
		bool host = i < spans;
		const struct attribute *attribute = host ? &profile->span_attributes[i]
							 : &profile->activity_attributes[i - spans];
		uint32_t at = attribute->row;
		if (!progress_heavy_row(query->progress, "listing attributes", i, count, 8))
			return false;
		if (host ? !selection_has_span(selection, at)
			 : !selection_has_activity(selection, at))
			continue;
		size_t row = table_add_row(table,
					   (struct ref){ host ? REF_CALL : REF_LAUNCH, at, 0, 0 });
		table_set(table, row, "kind", value_text(host ? "span" : "launch"));
		table_set(table, row, "id",
			  value_int(host ? profile_span_id(profile, at)
					 : profile_activity_id(profile, at)));
		set_attribute(table, row, selection, attribute,
			      host ? profile->span_name[at] : profile->activity_name[at],
			      host ? selection_step_of_span(selection->derived, at)
				   : selection_step_of_activity(selection->derived, at));
	}
	if (!count)
		table_note(table,
			   "The file says no more of events than the columns of other views.");
	return true;
}

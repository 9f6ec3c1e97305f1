/*
 * The calls view: single operator calls, cells computed on demand.
 */
#include "views/views.h"
#include "view_columns.h"
#include "base/any_of.h"

/* The span at the other end of the call's first link; NO_ROW. */
static uint32_t call_partner(const struct derived *derived, uint32_t span)
{
	uint32_t count;
	const struct link *links = links_of(derived, span, true, &count);
	if (count)
		return links->backward;
	links = links_of(derived, span, false, &count);
	return count ? links->forward : NO_ROW;
}

static struct value compute_call(const struct table *table, size_t row, size_t column)
{
	const struct profile *profile = table->selection.profile;
	const struct derived *derived = table->selection.derived;
	const struct value *layer_paths = table->state; /* by node */
	uint32_t span = (uint32_t)row, partner;
	switch ((enum calls_column)column) {
		CALLS_CELLS(LISTED_CASE)
	case CALLS_partner:
		partner = call_partner(derived, span);
		return partner == NO_ROW ? value_missing()
					 : value_int(profile_span_id(profile, partner));
	default: return table_number_at(table, row, column);
	}
}

COMPUTE_NUMBERS(CALLS_NUMBERS)

/* ---- building ---- */

/*
 * True if the scope names an operator: show only its calls. Otherwise it names something that
 * encloses operators.
 */
static bool names_an_operator(const struct selection *selection)
{
	uint32_t name = selection->scope->operator_name;
	return name != NO_ROW &&
	       any_of(i, selection->profile->spans,
		      selection->profile->span_name[i] == name &&
			      selection->derived->span_flags[i] & SPAN_IS_OPERATOR);
}

bool build_calls(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	bool by_name = names_an_operator(selection);
	const struct profile *profile = selection->profile;
	if (!table_add_where(
		    table, i, profile->spans, query->progress, "finding calls",
		    selection_has_span(selection, i) &&
			    (!by_name || profile->span_name[i] == query->scope->operator_name) &&
			    selection->derived->span_flags[i] & SPAN_IS_OPERATOR))
		return false;
	table->state = layer_path_cells(table, selection->derived);
	table->compute = compute_call;
	table->compute_numbers = compute_numbers;
	table->kind = REF_CALL;
	return table_note_none(table, "No operator calls here.");
}

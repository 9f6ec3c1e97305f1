/*
 * The calls view: single operator calls, cells computed on demand.
 */
#include "views/views.h"

#define CALL_COLUMNS(_)                                                                            \
	_(id)                                                                                      \
	_(name)                                                                                    \
	_(step)                                                                                    \
	_(thread)                                                                                  \
	_(start_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(cpu_self_ns)                                                                             \
	_(gpu_total_ns)                                                                            \
	_(input_shapes)                                                                            \
	_(input_types)                                                                             \
	_(seq)                                                                                     \
	_(pass)                                                                                    \
	_(partner)                                                                                 \
	_(layer)                                                                                   \
	_(stack)

#define CALL_COLUMN(id) CALL_##id,
enum call_column { CALL_COLUMNS(CALL_COLUMN) };

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
	switch ((enum call_column)column) {
	case CALL_id: return value_int(profile_span_id(profile, span));
	case CALL_name: return cell_text(profile, profile->span_name[span]);
	case CALL_step: return cell_step(derived, selection_step_of_span(derived, span));
	case CALL_thread: return cell_int(profile->tracks[profile->span_track[span]].tid);
	case CALL_start_ns: return value_int(profile->span_start[span]);
	case CALL_dur_ns: return value_int(profile->span_dur[span]);
	case CALL_cpu_self_ns: return value_int(derived->span_self[span]);
	case CALL_gpu_total_ns: return value_int(selection_gpu_total(&table->selection, span));
	case CALL_input_shapes: return cell_text(profile, profile_arguments(profile, span)->shapes);
	case CALL_input_types: return cell_text(profile, profile_arguments(profile, span)->types);
	case CALL_seq: return cell_sequence(profile_arguments(profile, span));
	case CALL_pass: return cell_pass(derived->span_flags[span] & SPAN_BACKWARD);
	case CALL_partner:
		partner = call_partner(derived, span);
		return partner == NO_ROW ? value_missing()
					 : value_int(profile_span_id(profile, partner));
	case CALL_layer:
		return layer_paths[layer_enclosing(derived, derived->layers.span_node[span])];
	case CALL_stack: return cell_text(profile, profile_arguments(profile, span)->stack);
	}
	return value_missing();
}

/* ---- building ---- */

/*
 * True if the scope names an operator: show only its calls. Otherwise it names something that
 * encloses operators.
 */
static bool names_an_operator(const struct selection *selection)
{
	uint32_t name = selection->scope->operator_name;
	for (uint32_t i = 0; name != NO_ROW && i < selection->profile->spans; i++)
		if (selection->profile->span_name[i] == name &&
		    selection->derived->span_flags[i] & SPAN_IS_OPERATOR)
			return true;
	return false;
}

static bool build_calls(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	bool by_name = names_an_operator(selection);
	for (uint32_t i = 0; i < selection->profile->spans; i++) {
		if (!progress_row(query->progress, "finding calls", i, selection->profile->spans))
			return false;
		if (selection->derived->span_flags[i] & SPAN_IS_OPERATOR &&
		    selection_has_span(selection, i) &&
		    (!by_name || selection->profile->span_name[i] == query->scope->operator_name))
			table_add_computed(table, i);
	}
	table->state = layer_path_cells(table, selection->derived);
	table->compute = compute_call;
	table->kind = REF_CALL;
	if (!table->rows)
		table_note(table, "No operator calls here.");
	return true;
}

const struct view view_calls = {
	.name = "calls",
	.title = "Calls",
	.row = "one call of an operator",
	.summary = "Operator calls with shapes, types, layer and forward or backward partner.",
	.columns = COLUMN_LIST(CALL_COLUMNS),
	.default_columns = "name,step,start_ns,dur_ns,cpu_self_ns,gpu_total_ns,pass,input_shapes,"
			   "layer",
	.keeps_selection = true,
	.build = build_calls,
};

/*
 * Single calls of operators, their cells computed when they are looked at.
 */
#include "base/buffer.h"
#include "views/views.h"

/* Columns in the view's order. */
enum {
	CALL_ID,
	CALL_NAME,
	CALL_STEP,
	CALL_THREAD,
	CALL_START,
	CALL_DUR,
	CALL_CPU_SELF,
	CALL_GPU_TOTAL,
	CALL_SHAPES,
	CALL_TYPES,
	CALL_SEQ,
	CALL_PASS,
	CALL_PARTNER,
	CALL_LAYER,
	CALL_STACK,
};

struct calls {
	uint32_t *rows;            /* span rows */
	struct value *layer_paths; /* by node; filled at the build: tables are read by any thread */
};

static void free_calls(void *state)
{
	struct calls *calls = state;
	mem_free(calls->rows);
	mem_free(calls->layer_paths);
	mem_free(calls);
}

static struct value partner_of(const struct facts *facts, uint32_t span)
{
	uint32_t count;
	const struct link *links = links_of(facts, span, true, &count);
	if (count)
		return value_int(profile_span_id(facts->profile, links->backward));
	links = links_of(facts, span, false, &count);
	return count ? value_int(profile_span_id(facts->profile, links->forward)) : value_missing();
}

static struct value step_of(const struct facts *facts, uint32_t span)
{
	uint32_t step = selection_step_of_span(facts, span);
	return step == NO_ROW ? value_missing() : value_int(facts->steps[step].number);
}

static struct value info_value(const struct profile *profile, uint32_t span, size_t column)
{
	const struct op_info *info = profile_op_info(profile, span);
	if (!info)
		return value_missing();
	switch (column) {
	case CALL_SHAPES: return cell_text(profile, info->shapes);
	case CALL_TYPES: return cell_text(profile, info->types);
	case CALL_SEQ: return info->sequence < 0 ? value_missing() : value_int(info->sequence);
	case CALL_STACK: return cell_text(profile, info->stack);
	default: return value_missing();
	}
}

static struct value compute_call(const struct table *table, size_t row, size_t column)
{
	const struct calls *calls = table->state;
	const struct profile *profile = table->selection.profile;
	const struct facts *facts = table->selection.facts;
	uint32_t span = calls->rows[row];
	switch (column) {
	case CALL_ID: return value_int(profile_span_id(profile, span));
	case CALL_NAME: return cell_text(profile, profile->span_name[span]);
	case CALL_STEP: return step_of(facts, span);
	case CALL_THREAD: return cell_int(profile->tracks[profile->span_track[span]].tid);
	case CALL_START: return value_int(profile->span_start[span]);
	case CALL_DUR: return value_int(profile->span_dur[span]);
	case CALL_CPU_SELF: return value_int(facts->span_self[span]);
	case CALL_GPU_TOTAL: return value_int(selection_gpu_total(&table->selection, span));
	case CALL_PASS:
		return value_text(layer_pass_name(
			facts->span_flags[span] & SPAN_BACKWARD ? PASS_BACKWARD : PASS_FORWARD));
	case CALL_PARTNER: return partner_of(facts, span);
	case CALL_LAYER:
		return calls->layer_paths[layer_enclosing(facts, facts->layers.span_node[span])];
	default: return info_value(profile, span, column);
	}
}

static struct ref compute_ref(const struct table *table, size_t row)
{
	const struct calls *calls = table->state;
	return (struct ref){ REF_CALL, calls->rows[row], 0, 0 };
}

/* The scope may name an operator, whose calls are wanted alone, or what merely encloses operators.
 */
static bool names_an_operator(const struct selection *selection)
{
	uint32_t name = selection->scope->operator_name;
	for (uint32_t i = 0; name != NO_ROW && i < selection->profile->spans; i++)
		if (selection->profile->span_name[i] == name &&
		    selection->facts->span_flags[i] & SPAN_IS_OPERATOR)
			return true;
	return false;
}

static bool build_calls(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	struct calls *calls = mem_zalloc(1, sizeof *calls);
	size_t capacity = 0;
	table->state = calls;
	table->free_state = free_calls;
	bool by_name = names_an_operator(selection);
	for (uint32_t i = 0; i < selection->profile->spans; i++) {
		if (!progress_row(query->progress, "finding calls", i, selection->profile->spans))
			return false;
		if (!(selection->facts->span_flags[i] & SPAN_IS_OPERATOR) ||
		    !selection_has_span(selection, i) ||
		    (by_name && selection->profile->span_name[i] != query->scope->operator_name))
			continue;
		mem_grow(calls->rows, capacity, table->rows + 1);
		calls->rows[table->rows++] = i;
	}
	calls->layer_paths = layer_path_cells(table, selection->facts);
	table->compute = compute_call;
	table->compute_ref = compute_ref;
	table->used = UINT64_MAX;
	if (!table->rows)
		table_note(table, "There are no operator calls here.");
	return true;
}

const struct view view_calls = {
	.name = "calls",
	.title = "Calls",
	.row = "one call of an operator",
	.summary = "Single calls of operators with shapes, types, layer and partner.",
	.columns = "id,name,step,thread,start_ns,dur_ns,cpu_self_ns,gpu_total_ns,input_shapes,"
		   "input_types,seq,pass,partner,layer,stack",
	.default_columns = "name,step,start_ns,dur_ns,cpu_self_ns,gpu_total_ns,pass,input_shapes,"
			   "layer",
	.default_sort = "",
	.keeps_selection = true,
	.build = build_calls,
};

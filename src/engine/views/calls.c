/*
 * The calls view: single operator calls, cells computed on demand.
 */
#include "base/buffer.h"
#include "views/views.h"

/* The cells are computed by call_<id>(). */
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

struct calls_data {
	uint32_t *rows; /* span rows */
	struct value
		*layer_paths; /* by node; filled when built, since cells are read from any thread */
};

static void free_calls(void *state)
{
	struct calls_data *calls = state;
	mem_free(calls->rows);
	mem_free(calls->layer_paths);
	mem_free(calls);
}

/* ---- cells ---- */

static struct value call_id(const struct table *table, uint32_t span)
{
	return value_int(profile_span_id(table->selection.profile, span));
}

static struct value call_name(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	return cell_text(profile, profile->span_name[span]);
}

static struct value call_step(const struct table *table, uint32_t span)
{
	const struct derived *derived = table->selection.derived;
	uint32_t step = selection_step_of_span(derived, span);
	return step == NO_ROW ? value_missing() : value_int(derived->steps[step].number);
}

static struct value call_thread(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	return cell_int(profile->tracks[profile->span_track[span]].tid);
}

static struct value call_start_ns(const struct table *table, uint32_t span)
{
	return value_int(table->selection.profile->span_start[span]);
}

static struct value call_dur_ns(const struct table *table, uint32_t span)
{
	return value_int(table->selection.profile->span_dur[span]);
}

static struct value call_cpu_self_ns(const struct table *table, uint32_t span)
{
	return value_int(table->selection.derived->span_self[span]);
}

static struct value call_gpu_total_ns(const struct table *table, uint32_t span)
{
	return value_int(selection_gpu_total(&table->selection, span));
}

static struct value call_input_shapes(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	const struct op_info *info = profile_op_info(profile, span);
	return info ? cell_text(profile, info->shapes) : value_missing();
}

static struct value call_input_types(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	const struct op_info *info = profile_op_info(profile, span);
	return info ? cell_text(profile, info->types) : value_missing();
}

static struct value call_stack(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	const struct op_info *info = profile_op_info(profile, span);
	return info ? cell_text(profile, info->stack) : value_missing();
}

static struct value call_seq(const struct table *table, uint32_t span)
{
	const struct op_info *info = profile_op_info(table->selection.profile, span);
	return !info || info->sequence < 0 ? value_missing() : value_int(info->sequence);
}

static struct value call_pass(const struct table *table, uint32_t span)
{
	bool backward = table->selection.derived->span_flags[span] & SPAN_BACKWARD;
	return value_text(layer_pass_name(backward ? PASS_BACKWARD : PASS_FORWARD));
}

static struct value call_partner(const struct table *table, uint32_t span)
{
	const struct derived *derived = table->selection.derived;
	uint32_t count;
	const struct link *links = links_of(derived, span, true, &count);
	if (count)
		return value_int(profile_span_id(derived->profile, links->backward));
	links = links_of(derived, span, false, &count);
	return count ? value_int(profile_span_id(derived->profile, links->forward))
		     : value_missing();
}

static struct value call_layer(const struct table *table, uint32_t span)
{
	const struct derived *derived = table->selection.derived;
	const struct calls_data *calls = table->state;
	return calls->layer_paths[layer_enclosing(derived, derived->layers.span_node[span])];
}

static struct value compute_call(const struct table *table, size_t row, size_t column)
{
	typedef struct value cell(const struct table *, uint32_t);
#define CELL(id) call_##id,
	static cell *const cells[] = { CALL_COLUMNS(CELL) };
	const struct calls_data *calls = table->state;
	return cells[column](table, calls->rows[row]);
}

static struct ref calls_compute_ref(const struct table *table, size_t row)
{
	const struct calls_data *calls = table->state;
	return (struct ref){ REF_CALL, calls->rows[row], 0, 0 };
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
	struct calls_data *calls = mem_zalloc(1, sizeof *calls);
	size_t capacity = 0;
	table->state = calls;
	table->free_state = free_calls;
	bool by_name = names_an_operator(selection);
	for (uint32_t i = 0; i < selection->profile->spans; i++) {
		if (!progress_row(query->progress, "finding calls", i, selection->profile->spans))
			return false;
		if (!(selection->derived->span_flags[i] & SPAN_IS_OPERATOR) ||
		    !selection_has_span(selection, i) ||
		    (by_name && selection->profile->span_name[i] != query->scope->operator_name))
			continue;
		mem_grow(calls->rows, capacity, table->rows + 1);
		calls->rows[table->rows++] = i;
	}
	calls->layer_paths = layer_path_cells(table, selection->derived);
	table->compute = compute_call;
	table->compute_ref = calls_compute_ref;
	table->used = UINT64_MAX;
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
	.default_sort = "",
	.keeps_selection = true,
	.build = build_calls,
};

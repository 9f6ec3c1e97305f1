/*
 * The spans view: every event of host threads, whatever its kind; cells computed on demand.
 */
#include "views/views.h"

#include <string.h>

/* The cells are computed by span_<id>(). */
#define SPAN_COLUMNS(_)                                                                            \
	_(id)                                                                                      \
	_(name)                                                                                    \
	_(kind)                                                                                    \
	_(category)                                                                                \
	_(domain)                                                                                  \
	_(payload)                                                                                 \
	_(step)                                                                                    \
	_(pid)                                                                                     \
	_(thread)                                                                                  \
	_(depth)                                                                                   \
	_(start_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(self_ns)                                                                                 \
	_(gpu_total_ns)                                                                            \
	_(launched)                                                                                \
	_(correlation)                                                                             \
	_(stack)

struct spans {
	uint32_t *rows; /* span rows */
};

static void free_spans(void *state)
{
	struct spans *spans = state;
	mem_free(spans->rows);
	mem_free(spans);
}

/* ---- cells ---- */

static const struct track *spans_track_of(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	return &profile->tracks[profile->span_track[span]];
}

static struct value span_id(const struct table *table, uint32_t span)
{
	return value_int(profile_span_id(table->selection.profile, span));
}

static struct value span_name(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	return cell_text(profile, profile->span_name[span]);
}

static struct value span_kind(const struct table *table, uint32_t span)
{
	return value_text(
		span_kind_name((enum span_kind)table->selection.profile->span_kind[span]));
}

/* Where the kind says too little: "os_runtime", "cublas", "mpi". */
static bool has_category(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_OTHER || profile->span_kind[span] == SPAN_INSTANT;
}

static struct value span_category(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	return has_category(profile, span) ? cell_text(profile, profile->span_info[span])
					   : value_missing();
}

static struct value spans_attribute(const struct table *table, uint32_t span, const char *key)
{
	const struct profile *profile = table->selection.profile;
	size_t count;
	const struct attribute *attributes = profile_span_attributes(profile, span, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(profile_string(profile, attributes[i].key), key) == 0)
			return cell_text(profile, attributes[i].text);
	return value_missing();
}

static struct value span_domain(const struct table *table, uint32_t span)
{
	return spans_attribute(table, span, NVTX_DOMAIN);
}

static struct value span_payload(const struct table *table, uint32_t span)
{
	return spans_attribute(table, span, NVTX_PAYLOAD);
}

static struct value span_step(const struct table *table, uint32_t span)
{
	const struct derived *derived = table->selection.derived;
	uint32_t step = selection_step_of_span(derived, span);
	return step == NO_ROW ? value_missing() : value_int(derived->steps[step].number);
}

static struct value span_pid(const struct table *table, uint32_t span)
{
	return cell_int(
		table->selection.profile->processes[spans_track_of(table, span)->process].pid);
}

static struct value span_thread(const struct table *table, uint32_t span)
{
	return cell_int(spans_track_of(table, span)->tid);
}

static struct value span_depth(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	int64_t depth = 0;
	for (uint32_t at = profile->span_parent[span]; at != NO_ROW; at = profile->span_parent[at])
		depth++;
	return value_int(depth);
}

static struct value span_start_ns(const struct table *table, uint32_t span)
{
	return value_int(table->selection.profile->span_start[span]);
}

static struct value span_dur_ns(const struct table *table, uint32_t span)
{
	return value_int(table->selection.profile->span_dur[span]);
}

static struct value span_self_ns(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	int64_t self = profile->span_dur[span];
	uint32_t end = span + profile->span_size[span];
	for (uint32_t child = span + 1; child < end; child += profile->span_size[child])
		self -= profile->span_dur[child];
	return value_int(self > 0 ? self : 0);
}

static struct value span_gpu_total_ns(const struct table *table, uint32_t span)
{
	return value_int(selection_gpu_total(&table->selection, span));
}

static struct value span_launched(const struct table *table, uint32_t span)
{
	return value_int(selection_gpu_count(&table->selection, span));
}

static struct value span_correlation(const struct table *table, uint32_t span)
{
	const struct call_info *info = profile_call_info(table->selection.profile, span);
	return info ? cell_int(info->correlation) : value_missing();
}

static struct value span_stack(const struct table *table, uint32_t span)
{
	const struct profile *profile = table->selection.profile;
	const struct op_info *info = profile_op_info(profile, span);
	struct value stack = info ? cell_text(profile, info->stack) : value_missing();
	return stack.kind != VALUE_MISSING ? stack
					   : spans_attribute(table, span, CALL_RECORDED_STACK);
}

static struct value compute_span(const struct table *table, size_t row, size_t column)
{
	typedef struct value cell(const struct table *, uint32_t);
#define CELL(id) span_##id,
	static cell *const cells[] = { SPAN_COLUMNS(CELL) };
	const struct spans *spans = table->state;
	return cells[column](table, spans->rows[row]);
}

static struct ref span_ref(const struct table *table, size_t row)
{
	const struct spans *spans = table->state;
	return (struct ref){ REF_CALL, spans->rows[row], 0, 0 };
}

/* ---- building ---- */

/* Samples have a view of their own; what lies on devices is no host event. */
static bool is_host_span(const struct profile *profile, uint32_t span)
{
	if (profile->span_kind[span] == SPAN_GPU_ANNOTATION ||
	    profile->tracks[profile->span_track[span]].device >= 0)
		return false;
	return !has_category(profile, span) ||
	       strcmp(profile_string(profile, profile->span_info[span]), CATEGORY_SAMPLE) != 0;
}

static bool build_spans(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	struct spans *spans = mem_zalloc(1, sizeof *spans);
	size_t capacity = 0;
	table->state = spans;
	table->free_state = free_spans;
	for (uint32_t i = 0; i < selection->profile->spans; i++) {
		if (!progress_row(query->progress, "finding CPU events", i,
				  selection->profile->spans))
			return false;
		if (!selection_has_span(selection, i) || !is_host_span(selection->profile, i))
			continue;
		mem_grow(spans->rows, capacity, table->rows + 1);
		spans->rows[table->rows++] = i;
	}
	table->compute = compute_span;
	table->compute_ref = span_ref;
	table->used = UINT64_MAX;
	if (!table->rows)
		table_note(table, "No CPU events here.");
	return true;
}

const struct view view_spans = {
	.name = "spans",
	.title = "Spans",
	.row = "one CPU event",
	.summary = "All CPU events: operators, ranges, API and OS calls, Python functions.",
	.columns = COLUMN_LIST(SPAN_COLUMNS),
	.default_columns = "name,kind,category,domain,step,thread,depth,start_ns,dur_ns,self_ns,"
			   "launched",
	.default_sort = "",
	.keeps_selection = true,
	.build = build_spans,
};

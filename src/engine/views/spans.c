/*
 * The spans view: every event of host threads, whatever its kind; cells computed on demand.
 */
#include "views/views.h"
#include "view_columns.h"

static const struct track *track_of(const struct profile *profile, uint32_t span)
{
	return &profile->tracks[profile->span_track[span]];
}

/* Where the kind says too little: "os_runtime", "cublas", "mpi". */
static bool has_category(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_OTHER || profile->span_kind[span] == SPAN_INSTANT;
}

static struct value spans_attribute(const struct profile *profile, uint32_t span, const char *key)
{
	uint32_t text = profile_span_attribute(profile, span, profile_find(profile, key));
	return text == NO_ROW ? value_missing() : cell_text(profile, text);
}

static struct value span_depth(const struct profile *profile, uint32_t span)
{
	int64_t depth = 0;
	for (uint32_t at = profile->span_parent[span]; at != NO_ROW; at = profile->span_parent[at])
		depth++;
	return value_int(depth);
}

static struct value span_self(const struct profile *profile, uint32_t span)
{
	int64_t self = profile->span_dur[span];
	uint32_t end = span + profile->span_size[span];
	for (uint32_t child = span + 1; child < end; child += profile->span_size[child])
		self -= profile->span_dur[child];
	return value_int(self > 0 ? self : 0);
}

static struct value span_stack(const struct profile *profile, uint32_t span)
{
	struct value stack = cell_text(profile, profile_arguments(profile, span)->stack);
	return stack.kind != VALUE_MISSING ? stack
					   : spans_attribute(profile, span, CALL_RECORDED_STACK);
}

static struct value compute_span(const struct table *table, size_t row, size_t column)
{
	const struct profile *profile = table->selection.profile;
	uint32_t span = (uint32_t)row;
	const struct call_info *call;
	switch ((enum spans_column)column) {
		SPANS_CELLS(LISTED_CASE)
	case SPANS_correlation:
		call = profile_call_info(profile, span);
		return call ? cell_int(call->correlation) : value_missing();
	default: return table_number_at(table, row, column);
	}
}

COMPUTE_NUMBERS(SPANS_NUMBERS)

/* ---- building ---- */

/* Samples have a view of their own; what lies on devices is no host event. */
static bool is_host_span(const struct profile *profile, uint32_t span)
{
	if (profile->span_kind[span] == SPAN_GPU_ANNOTATION || track_of(profile, span)->device >= 0)
		return false;
	return !has_category(profile, span) ||
	       strcmp(profile_string(profile, profile->span_info[span]), CATEGORY_SAMPLE) != 0;
}

bool build_spans(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	if (!table_add_where(table, i, profile->spans, query->progress, "finding CPU events",
			     selection_has_span(selection, i) && is_host_span(profile, i)))
		return false;
	bool others = profile->spans && (memchr(profile->span_kind, SPAN_OTHER, profile->spans) ||
					 memchr(profile->span_kind, SPAN_INSTANT, profile->spans));
	if (!others)
		table->used &= ~(UINT64_C(1) << SPANS_category);
	if (profile_find(profile, NVTX_DOMAIN) == NO_ROW)
		table->used &= ~(UINT64_C(1) << SPANS_domain);
	table->compute = compute_span;
	table->compute_numbers = compute_numbers;
	table->kind = REF_CALL;
	return table_note_none(table, "No CPU events here.");
}

/*
 * What torch.compile did, by its log: compilations, graph breaks, guards, autotuning, and the
 * generated kernels.
 */
#include "analysis/rank_summary.h"
#include "input/compile/compile_payload.h"
#include "input/text_lines.h"
#include "views/views.h"

/* Views, and their columns of texts and numbers of items, by kind. */
static const struct {
	const struct view *view;
	const char *texts[COMPILE_TEXTS], *numbers[COMPILE_NUMBERS];
} shown[COMPILE_KINDS] = { COMPILE_SHOWN_ROWS };

static size_t add_item(struct table *table, const struct profile *profile, enum compile_kind kind,
		       const struct compile_item *item, struct ref ref)
{
	size_t row = table_add_row(table, ref);
	table_set(table, row, "compile_id", cell_text(profile, item->id));
	for (int i = 0; i < COMPILE_TEXTS; i++)
		if (shown[kind].texts[i])
			table_set(table, row, shown[kind].texts[i],
				  cell_text(profile, item->text[i]));
	for (int i = 0; i < COMPILE_NUMBERS; i++)
		if (shown[kind].numbers[i])
			table_set(table, row, shown[kind].numbers[i], cell_int(item->number[i]));
	return row;
}

static struct value buffer_cell(struct table *table, const struct buffer *text)
{
	return text->length ? table_printf(table, "%s", buffer_text(text)) : value_missing();
}

/* What the first rank compiled instead. */
static void add_difference(struct table *table, size_t row, const struct view_query *query,
			   const struct compile_item *item)
{
	const struct rank *rank = run_rank(query->run, query->scope->rank);
	const struct rank_summary *summary = rank->summary;
	const char *id = profile_string(query->selection->profile, item->id);
	AUTO_BUFFER struct buffer text = { 0 };
	uint32_t at = compiled_with_id(summary, id);
	if (at == UINT32_MAX || summary->compiled[at].range.offset != item->range.offset)
		return; /* another has the id since Dynamo was reset */
	compiled_difference(query->run, (size_t)(rank - query->run->ranks), at, &text);
	table_set(table, row, "differs", buffer_cell(table, &text));
}

static size_t add_compilation(struct table *table, const struct profile *profile,
			      const struct compile_item *item)
{
	const char *reason = profile_string(profile, item->text[COMPILE_REASON]);
	int64_t zero, start, ns = item->number[COMPILE_TOTAL];
	AUTO_BUFFER struct buffer words = { 0 }, how = { 0 };
	if (__builtin_add_overflow(profile->epoch_ns, profile->base_ns, &zero) ||
	    __builtin_sub_overflow(item->number[COMPILE_START], zero, &start) || start < 0)
		start = NO_VALUE;
	size_t row =
		add_item(table, profile, OF_COMPILATION, item,
			 start == NO_VALUE || ns == NO_VALUE ? NO_REF : ref_of_time(-1, start, ns));
	compile_reason_words(reason, &words, &how);
	table_set(table, row, "start_ns", cell_int(start));
	table_set(table, row, "recompile_ns", cell_int(*reason ? ns : NO_VALUE));
	table_set(table, row, "reason", buffer_cell(table, &words));
	table_set(table, row, "how", buffer_cell(table, &how));
	table_set(table, row, "outcome",
		  value_text(item->text[COMPILE_FAILURE]        ? "failed"
			     : item->number[COMPILE_NODES] == 0 ? "empty"
			     : item->number[COMPILE_BREAKS] > 0 ? "graph break"
			     : ns != NO_VALUE                   ? "compiled"
								: NULL));
	return row;
}

/* "| | +- TENSOR_MATCH: check_tensor(L['x'], ...)   # f(x)  # train.py:12 in f" */
static void add_guard(struct table *table, const struct profile *profile,
		      const struct compile_item *item, struct text_slice line)
{
	const char *at = slice_find(line, "+- "), *comment;
	struct text_slice rest = at ? slice_from(line, at + 3) : line;
	const char *colon = at ? slice_find(rest, ": ") : NULL;
	if (!colon || slice_begins(rest, "GuardManager"))
		return;
	size_t row = add_item(table, profile, OF_GUARD, item, NO_REF);
	table_set(table, row, "kind",
		  table_printf(table, "%.*s", (int)(colon - rest.text), rest.text));
	rest = slice_from(rest, colon + 2);
	if ((comment = slice_find(rest, "  # "))) {
		struct text_slice place = slice_trim(slice_from(rest, comment + 4));
		table_set(table, row, "source",
			  table_printf(table, "%.*s", (int)place.length, place.text));
		rest = slice_trim(slice_until(rest, comment));
	}
	table_set(table, row, "guard", table_printf(table, "%.*s", (int)rest.length, rest.text));
}

static void add_guards(struct table *table, const struct profile *profile,
		       const struct compile_item *item)
{
	AUTO_BUFFER struct buffer text = { 0 };
	const char *line;
	size_t length;
	if (!compile_payload_read(profile->compile->path, item->range, &text))
		table_note(table, "The log has changed since it was opened.");
	for (const char *at = buffer_text(&text), *end = at + text.length;
	     text_line(&at, end, &line, &length);)
		add_guard(table, profile, item, (struct text_slice){ line, length });
}

bool build_compiles(struct table *table, const struct view_query *query)
{
	const struct profile *profile = query->selection->profile;
	const struct compile_log *log = profile->compile;
	enum compile_kind kind = 0;
	while (shown[kind].view != table->view)
		kind++;
	for (size_t i = 0; log && i < log->items[kind].count; i++) {
		const struct compile_item *item = &log->items[kind].at[i];
		struct ref ref = { kind == OF_KERNEL ? REF_CODE : REF_NONE, (uint32_t)i, 0, 0 };
		if (!progress_heavy_row(query->progress, "listing items of the log", i,
					log->items[kind].count, 1 << 10))
			return false;
		if (kind == OF_COMPILATION)
			add_difference(table, add_compilation(table, profile, item), query, item);
		else if (kind == OF_GUARD && !item->text[GUARD_TEXT])
			add_guards(table, profile, item);
		else
			add_item(table, profile, kind, item, ref);
	}
	return true;
}

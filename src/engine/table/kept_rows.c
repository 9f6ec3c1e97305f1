#include "table/kept_rows.h"

#include "base/buffer.h"
#include "input/summary_file/summary_file.h"
#include "model/kept.h"
#include "table/kept_scope.h"

#include <inttypes.h>
#include <string.h>

static void note_trace(struct table *table, const char *what)
{
	const struct profile *profile = table->held->profile;
	struct buffer path = { 0 };
	if (summary_file_find_trace(table->held->path,
				    profile_string(profile, profile->kept->trace),
				    profile->kept->trace_bytes, &path))
		table_note(table, "%s; its trace is %s (--from-trace or :from-trace opens it).",
			   what, buffer_text(&path));
	else
		table_note(table, "%s; its trace is not there, or has changed: %s.", what,
			   buffer_text(&path));
	buffer_free(&path);
}

/* ---- rows ---- */

static const struct kept_table *find_table(const struct table *table, const char *group)
{
	const struct profile *profile = table->held->profile;
	const struct kept *kept = profile->kept;
	const char *named = group && table->view->groups[0] && strcmp(group, table->view->groups[0])
				    ? group
				    : "";
	for (size_t i = 0; i < kept->count; i++)
		if (!strcmp(profile_string(profile, kept->tables[i].view), table->view->name) &&
		    !strcmp(profile_string(profile, kept->tables[i].group), named))
			return &kept->tables[i];
	return NULL;
}

static struct value cell_value(const struct profile *profile, const struct kept_cell *cell)
{
	switch ((enum kept_kind)cell->kind) {
	case KEPT_INT: return value_int(cell->integer);
	case KEPT_REAL: return value_real(cell->real);
	case KEPT_TEXT:
		return value_bytes(intern_text(profile->strings, cell->text),
				   intern_length(profile->strings, cell->text));
	case KEPT_MISSING:
	case KEPT_KINDS: break;
	}
	return value_missing();
}

static void kept_rows_add_rows(struct table *table, const struct kept_table *kept)
{
	const struct profile *profile = table->held->profile;
	size_t before = table->rows;
	for (uint32_t row = 0; row < kept->rows; row++) {
		table_add_row(table, (struct ref){ .kind = REF_NONE });
		if (kept->is_tree)
			table_set_depth(table, before + row, kept->depth[row]);
	}
	table->is_tree |= kept->is_tree;
	for (uint32_t i = 0; i < kept->columns; i++) {
		int column = table_column(table, profile_string(profile, kept->column[i]));
		const struct kept_cell *cells = &kept->cells[(size_t)i * kept->rows];
		for (uint32_t row = 0; row < kept->rows && column >= 0; row++)
			table_set_at(table, before + row, (size_t)column,
				     cell_value(profile, &cells[row]));
	}
}

void kept_rows_add(struct table *table, const struct view_query *query)
{
	const struct profile *profile = table->held->profile;
	const struct kept_table *kept = find_table(table, query->group);
	bool grouped = query->group && table->view->groups[0] &&
		       strcmp(query->group, table->view->groups[0]) != 0;
	bool narrowed = kept_scope_is_narrowed(query->scope);
	if (narrowed && (grouped || !kept_scope_fits(table->view, query->scope))) {
		note_trace(table, "A summary keeps this view of the whole recording, and no part "
				  "of it");
		return;
	}
	if (!kept && table->held->statistics) {
		note_trace(table,
			   "Of this rank the merge kept statistics, not rows (merge --all-ranks "
			   "keeps both)");
		return;
	}
	if (!kept) {
		note_trace(table, "A summary keeps no rows of this view");
		return;
	}
	kept_rows_add_rows(table, kept);
	if (narrowed)
		kept_scope_apply(table, query->scope);
	const char *note = profile_string(profile, kept->note);
	struct buffer what = { 0 };
	if (kept->rows_of > kept->rows) {
		buffer_printf(&what, "%s%sThe summary keeps %" PRIu32 " of %" PRIu64 " rows", note,
			      *note ? " " : "", kept->rows, kept->rows_of);
		note_trace(table, buffer_text(&what));
	} else if (*note) {
		table_note(table, "%s", note);
	}
	buffer_free(&what);
}

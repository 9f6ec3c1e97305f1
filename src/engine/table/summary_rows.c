#include "table/summary_rows.h"

#include "base/any_of.h"
#include "input/summary_file/summary_file.h"
#include "model/summary_tables.h"

#include <inttypes.h>

static void note_trace(struct table *table, const char *what)
{
	const struct profile *profile = table->held->profile;
	AUTO_BUFFER struct buffer path = { 0 };
	if (summary_file_find_trace(table->held->path, profile->tables->trace,
				    profile->tables->trace_bytes, &path))
		table_note(table, "%s; its trace is %s (--from-trace or :from-trace opens it).",
			   what, buffer_text(&path));
	else
		table_note(table, "%s; its trace is not there, or has changed: %s.", what,
			   buffer_text(&path));
}

/* ---- rows ---- */

static const struct summary_table *find_table(const struct table *table, const char *group)
{
	const struct profile *profile = table->held->profile;
	const struct summary_tables *tables = profile->tables;
	const char *named = group && table->view->groups[0] && strcmp(group, table->view->groups[0])
				    ? group
				    : "";
	return first_of(at, tables->items, tables->count,
			!strcmp(profile_string(profile, at->view), table->view->name) &&
				!strcmp(profile_string(profile, at->group), named));
}

static struct value cell_value(const struct profile *profile, const struct summary_cell *cell)
{
	switch ((enum summary_cell_kind)cell->kind) {
	case SUMMARY_CELL_INT: return value_int(cell->integer);
	case SUMMARY_CELL_REAL: return value_real(cell->real);
	case SUMMARY_CELL_TEXT: return value_bytes(INTERNED(profile->strings, cell->text));
	default: return value_missing();
	}
}

static void summary_rows_append(struct table *table, const struct summary_table *rows)
{
	const struct profile *profile = table->held->profile;
	size_t before = table->rows;
	for (uint32_t row = 0; row < rows->rows; row++) {
		table_add_row(table, NO_REF);
		if (rows->is_tree)
			table_set_depth(table, before + row, rows->depth[row]);
	}
	table->is_tree |= rows->is_tree;
	for (uint32_t i = 0; i < rows->columns; i++) {
		int column = table_column(table, profile_string(profile, rows->column[i]));
		const struct summary_cell *cells = &rows->cells[(size_t)i * rows->rows];
		for (uint32_t row = 0; row < rows->rows && column >= 0; row++)
			table_set_at(table, before + row, (size_t)column,
				     cell_value(profile, &cells[row]));
	}
}

void summary_rows_add(struct table *table, const struct view_query *query)
{
	const struct profile *profile = table->held->profile;
	const struct summary_table *rows = find_table(table, query->group);
	bool grouped = query->group && table->view->groups[0] &&
		       strcmp(query->group, table->view->groups[0]) != 0;
	bool narrowed = summary_scope_is_narrowed(query->scope);
	if (narrowed && (grouped || !summary_scope_fits(table->view, query->scope))) {
		note_trace(table, "A summary keeps this view of the whole recording, and no part "
				  "of it");
		return;
	}
	if (!rows && table->held->statistics) {
		note_trace(table,
			   "Of this rank the merge kept statistics, not rows (merge --all-ranks "
			   "keeps both)");
		return;
	}
	if (!rows) {
		note_trace(table, "A summary keeps no rows of this view");
		return;
	}
	summary_rows_append(table, rows);
	if (narrowed)
		summary_scope_apply(table, query->scope);
	const char *note = profile_string(profile, rows->note);
	AUTO_BUFFER struct buffer what = { 0 };
	if (rows->rows_of > rows->rows) {
		buffer_printf(&what, "%s%sThe summary keeps %" PRIu32 " of %" PRIu64 " rows", note,
			      *note ? " " : "", rows->rows, rows->rows_of);
		note_trace(table, buffer_text(&what));
	} else if (*note) {
		table_note(table, "%s", note);
	}
}

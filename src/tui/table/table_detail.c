/*
 * The details of a table's row: what its view knows of the event or group, and cells that the
 * screen does not show in full.
 */
#include "model/python_stats.h"
#include "tui/table/table_plan.h"

#include <strings.h>

/* Is the cell the file or line of a built-in function? */
static bool is_no_place(const struct table *table, size_t row, size_t column)
{
	const char *id = table->column[column]->id;
	int file = table_column(table, "file");
	if (file < 0 || (strcmp(id, "file") != 0 && strcmp(id, "line") != 0))
		return false;
	struct value value = table_value(table, row, (size_t)file);
	return value.kind == VALUE_TEXT && python_is_builtin_file(value.text, strlen(value.text));
}

/* Do other rows have an entry of this label in a place of its own? */
static bool is_placed(const struct table_pane *self, int set, const char *label)
{
	return self->body.columns >= STRIP_STEADY && strip_places_have(&self->places, set, label);
}

/* The row's cells: sentences do not fit columns, and some rows have no other details. */
static void add_cells(const struct table_pane *self, size_t row, int set, struct buffer *out)
{
	const struct table *table = self->box->table;
	struct value before = value_missing();
	for (size_t c = 0; c < table->columns; c++) {
		struct value value = table_value(table, row, c);
		bool again = c > 0 && value.kind == VALUE_TEXT && before.kind == VALUE_TEXT &&
			     !strcmp(value.text, before.text);
		before = value;
		again &= !is_placed(self, set, table->column[c]->title);
		if (again || (value.kind == VALUE_MISSING && !self->order->sums[c].tells) ||
		    is_no_place(table, row, c))
			continue;
		buffer_printf(out, "%s\t", table->column[c]->title);
		if (value.kind != VALUE_MISSING)
			table_format(out, table, row, c, false);
		buffer_putc(out, '\n');
	}
}

/* For single events the details are complete; for aggregated rows, sums are added. */
static bool is_summed(struct ref ref)
{
	return ref.kind == REF_LAYER || ref.kind == REF_REPEAT || ref.kind == REF_MODULE ||
	       ref.kind == REF_OPERATOR || ref.kind == REF_KERNEL || ref.kind == REF_STEP ||
	       ref.kind == REF_TRACK || ref.kind == REF_ALLOCATION || ref.kind == REF_FUNCTION ||
	       ref.kind == REF_EVENTS;
}

/* True if the details already have this label (in any case). */
static bool has_label(const struct buffer *out, const char *title)
{
	struct strip_line line;
	for (const char *at = buffer_text(out); strip_next(&at, &line);)
		if (line.label_length == strlen(title) &&
		    !strncasecmp(line.label, title, line.label_length))
			return true;
	return false;
}

/* True if an entry has this text. */
static bool has_text(const struct buffer *out, const struct buffer *text)
{
	struct strip_line line;
	for (const char *at = buffer_text(out); strip_next(&at, &line);)
		if (text->length && line.text_length == text->length &&
		    !memcmp(line.text, text->data, text->length))
			return true;
	return false;
}

/*
 * Add a cell, unless the details have it: of its name or, where no other row has a text in its
 * place, of the same text.
 */
static void add_cell(const struct table_pane *self, int set, const char *title,
		     const struct buffer *text, bool once, struct buffer *out)
{
	bool placed = is_placed(self, set, title);
	if (!has_label(out, title) && (placed || !once || !has_text(out, text)))
		buffer_printf(out, "%s\t%s\n", title, buffer_text(text));
}

/* Cells not yet in the details; those that do not fit the screen come first. */
static void add_sums(struct table_pane *self, size_t row, int set, struct buffer *out)
{
	const struct table *table = self->box->table;
	AUTO_BUFFER struct buffer text = { 0 };
	struct plan plan;
	table_plan(self, &plan, self->body);
	for (int shown = 0; shown <= 1; shown++) {
		for (size_t c = 0; c < table->columns; c++) {
			struct value value = table_value(table, row, c);
			const char *title = table->column[c]->title;
			bool placed = plan_has(&plan, (int)c);
			if (table->column[c]->of_tree || placed != shown ||
			    is_no_place(table, row, c))
				continue;
			buffer_clear(&text);
			table_format(&text, table, row, c, false);
			bool known = value.kind != VALUE_MISSING;
			bool tells = self->order->sums[c].tells ||
				     (text.length && (!known || is_placed(self, set, title)));
			if (tells && (!known || text.length > 0))
				add_cell(self, set, title, &text, value.kind == VALUE_TEXT, out);
		}
	}
}

/* Cells not yet in the details that do not fit their columns, or that other rows have there. */
static void add_elided(struct table_pane *self, size_t row, int set, struct buffer *out)
{
	const struct table *table = self->box->table;
	AUTO_BUFFER struct buffer text = { 0 };
	for (size_t c = 0; c < table->columns && c < 64; c++) {
		const char *title = table->column[c]->title;
		buffer_clear(&text);
		if (!is_no_place(table, row, c) &&
		    (self->elided >> c & 1 || is_placed(self, set, title)))
			table_format(&text, table, row, c, false);
		if (text.length > 0)
			add_cell(self, set, title, &text, true, out);
	}
}

/* ---- the event of a row ---- */

/* The column of this title; -1: none. */
static int column_titled(const struct table *table, const char *title, size_t length)
{
	for (size_t c = 0; c < table->columns; c++)
		if (strlen(table->column[c]->title) == length &&
		    !strncasecmp(table->column[c]->title, title, length))
			return (int)c;
	return -1;
}

/* Do the details say the cell, maybe with more ("821 us in 1 GPU event"), or in another form? */
static bool says_cell(const struct strip_line *line, const struct buffer *cell)
{
	if (strip_label_is(line, "Grid") || strip_label_is(line, "Block") ||
	    strip_label_is(line, "Stack") || strip_label_is(line, "Pass"))
		return line->text_length > 0;
	return line->text_length >= cell->length && !memcmp(line->text, BUFFERED(cell)) &&
	       (line->text_length == cell->length || line->text[cell->length] == ' ');
}

/*
 * A row may be part of its event, such as a segment of the critical path, or about it, such as a
 * block of memory: where they differ, the row's cell counts, and the other figure is the event's.
 */
static void tell_row_from_event(const struct table *table, size_t row, struct buffer *out)
{
	struct buffer told = { 0 };
	AUTO_BUFFER struct buffer cell = { 0 };
	const char *at = buffer_text(out);
	struct strip_line line;
	while (*at != '\n' && strip_next(&at, &line)) { /* a second row follows a blank line */
		int length = (int)(line.text + line.text_length - line.label);
		int column = column_titled(table, line.label, line.label_length);
		buffer_clear(&cell);
		if (column >= 0 && !is_no_place(table, row, (size_t)column))
			table_format(&cell, table, row, (size_t)column, false);
		const char *title = cell.length ? table->column[column]->title : "";
		bool again = cell.length && has_label(&told, title);
		bool says = says_cell(&line, &cell);
		if (!cell.length)
			buffer_printf(&told, "%.*s\n", length, line.label);
		else if (!again && says)
			buffer_printf(&told, "%s\t%.*s\n", title, (int)line.text_length, line.text);
		else if (!again)
			buffer_printf(&told, "%s\t%s\n", title, buffer_text(&cell));
		if (cell.length && !says && line.text_length)
			buffer_printf(&told, "Event %.*s\n", length, line.label);
	}
	buffer_puts(&told, at);
	buffer_free(out);
	*out = told;
}

/* Details of a row, which is REF. */
static void add_detail(struct table_pane *self, struct tui *tui, size_t row, struct ref ref,
		       struct buffer *out)
{
	if (ref.kind == REF_FINDING) {
		add_cells(self, row, pane_strip_set(ref), out);
		buffer_putc(out, '\n');
	}
	if (tui->run && ref.kind != REF_NONE)
		view_detail(tui->run, &self->pane.level->scope, ref, out);
	if (row != SIZE_MAX)
		tell_row_from_event(self->box->table, row, out);
	if (row != SIZE_MAX && is_summed(ref))
		add_sums(self, row, pane_strip_set(ref), out);
	else if (row != SIZE_MAX && out->length > 0)
		add_elided(self, row, pane_strip_set(ref), out);
	if (out->length == 0 && row != SIZE_MAX)
		add_cells(self, row, pane_strip_set(ref), out);
	if (ref.kind == REF_RANK && row != SIZE_MAX && self->note_left_out)
		buffer_printf(out, "Note\t%s\n", self->box->table->note);
}

/* Room in the strip for the details of the first lines and of others, evenly spaced. */
static void sample_details(struct table_pane *self, struct tui *tui)
{
	enum { FIRST = 50, SPREAD = 50 };
	AUTO_BUFFER struct buffer text = { 0 };
	size_t step = self->line_count / SPREAD + 1;
	if (table_is_stale(self, tui) ||
	    (self->places_of == self->order && self->places_lines == self->line_count))
		return;
	self->places_of = self->order;
	self->places_lines = self->line_count;
	strip_places_free(&self->places);
	for (size_t line = 0; line < self->line_count; line += line < FIRST ? 1 : step) {
		size_t row = table_line_row(self, line);
		buffer_clear(&text);
		struct ref ref = table_ref(self->box->table, row);
		add_detail(self, tui, row, ref, &text);
		strip_drop_long_forms(&text);
		strip_places_note(&self->places, pane_strip_set(ref), buffer_text(&text));
	}
}

void table_detail(struct pane *pane, struct tui *tui, struct buffer *out)
{
	struct table_pane *self = table_pane_of(pane);
	size_t row = self->box ? table_selected(self) : SIZE_MAX;
	if (row != SIZE_MAX && self->body.columns >= STRIP_STEADY)
		sample_details(self, tui);
	add_detail(self, tui, row, pane_ref(pane, tui), out);
}

#include "input/layer_table/layer_table.h"

#include "base/buffer.h"
#include "base/error.h"
#include "input/json.h"
#include "input/layer_table/layer_table_private.h"
#include "input/log_lines.h"
#include "input/source_text.h"
#include "model/builder.h"

#include <string.h>

static void layer_table_parse_line(struct layer_table *table, struct text_slice whole)
{
	struct text_slice line = slice_trim(whole);
	if (table->layout && table->layout->row(table, line))
		return;
	table->layout = NULL;
	for (size_t i = 0; layer_layouts[i] && !table->layout; i++)
		if (layer_layouts[i]->begin(table, line))
			table->layout = layer_layouts[i];
	if (table->layout == &counters_layout)
		table->layout->row(table, line);
}

static const char *find_heading(struct text_slice line)
{
	const char *at = NULL;
	for (size_t i = 0; layer_layouts[i] && !at; i++)
		at = layer_layouts[i]->begin(NULL, line);
	return at;
}

static bool parse_lines(struct layer_table *table, const struct log_lines *lines, const char *start,
			const struct progress *progress)
{
	bool ok = true;
	for (size_t i = 0; i < lines->count && ok; i++) {
		ok = progress_row(progress, "finding tables", i, 0);
		table->offset = (uint64_t)(lines->lines[i].text - start);
		layer_table_parse_line(table, lines->lines[i]);
	}
	return ok;
}

static void layer_table_finish(struct layer_table *table)
{
	struct totals *totals = table->totals;
	struct intern *strings = table->profile->strings;
	totals->layers = totals->operators = true;
	for (size_t i = 0; i < totals->count; i++)
		totals->by_kind |= totals->rows[i].kind != 0;
	totals->flat = totals->by_kind; /* else operators say the same */
	totals_add_up(totals);
	totals_fact(totals, strings, "model", "layers", (int64_t)totals->count);
	if (table->iterations != NO_VALUE)
		totals_fact(totals, strings, "model", "iterations", table->iterations);
	if (table->left_out)
		totals_fact(totals, strings, "model", "layers not run", table->left_out);
	table->profile->events = totals->count;
	table->profile->format = table->format;
}

static bool read_tables(struct source *source, struct profile *profile, struct builder *builder,
			const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	struct log_lines lines;
	if (!source_text(source, &text, error))
		return false;
	profile->totals = totals_new();
	profile->text_bytes = text.length;
	struct layer_table table = { .profile = profile,
				     .totals = profile->totals,
				     .iterations = NO_VALUE,
				     .delegate = NO_ROW };
	log_lines_take(&lines, &text, find_heading);
	bool ok = parse_lines(&table, &lines, buffer_text(&text), progress);
	log_lines_free(&lines);
	layer_table_finish(&table);
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return profile->totals->count ||
	       error_set(error, ERROR_INPUT, "has a heading of times of layers, but no layer");
}

static bool has_heading(const char *head, size_t length, bool trtexec)
{
	const char *at = head, *end = head + length;
	struct text_slice line;
	if (json_begins(head) || strlen(head) < length)
		return false;
	while (text_line(&at, end, &line.text, &line.length)) {
		if (trtexec_layout.begin(NULL, line))
			return trtexec;
		if (!trtexec && find_heading(line))
			return true;
	}
	return false;
}

static bool recognize_trtexec(const char *head, size_t length)
{
	return has_heading(head, length, true);
}

static bool layer_table_recognize(const char *head, size_t length)
{
	return has_heading(head, length, false);
}

const struct reader trtexec_table_reader = { .recognize = recognize_trtexec,
					     .read = read_tables,
					     .in_log = true };
const struct reader layer_table_reader = { .recognize = layer_table_recognize,
					   .read = read_tables,
					   .in_log = true };

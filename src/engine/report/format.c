#include "report/format.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"

#include <string.h>

static const struct format formats[] = {
	{ "table", "txt", false, format_write_table, NULL, false },
	{ "csv", "csv", true, format_write_csv, NULL, false },
	{ "tsv", "tsv", true, format_write_tsv, NULL, false },
	{ "json", "json", true, format_write_json, NULL, true },
	{ "ndjson", "ndjson", true, format_write_ndjson, "jsonl", true },
	{ "markdown", "md", false, format_write_markdown, "md", false },
	{ "html", "html", false, format_write_html, NULL, false },
};

enum { FORMATS = sizeof formats / sizeof *formats };

const struct format *format_find(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++) {
		const char *alias = formats[i].alias;
		if (strcmp(formats[i].name, name) == 0 || (alias && strcmp(alias, name) == 0))
			return &formats[i];
	}
	return NULL;
}

const struct format *format_at(size_t index)
{
	return index < FORMATS ? &formats[index] : NULL;
}

bool format_go_on(const struct extract *extract, size_t row, const struct progress *progress,
		  struct error *error)
{
	if (progress_heavy_row(progress, "writing", row, extract->row_count, 128))
		return true;
	return error_set(error, ERROR_CANCELLED, "cancelled");
}

void format_text(struct buffer *out, const char *text, size_t length, bool terminal)
{
	if (terminal)
		text_escape(out, text, length);
	else
		buffer_add(out, text, length);
}

/* ---- parallel formatting ---- */

enum { PIECES = 8, PIECE_ROWS = 1024 };

struct pieces {
	const struct extract *extract;
	const struct style *style;
	format_rows *rows;
	size_t first; /* row of the first piece */
	struct buffer text[PIECES];
};

static bool make_piece(void *context, size_t i, const struct progress *progress)
{
	struct pieces *pieces = context;
	size_t from = pieces->first + i * PIECE_ROWS, to = from + PIECE_ROWS;
	size_t end = pieces->extract->row_count;
	buffer_clear(&pieces->text[i]);
	pieces->rows(&pieces->text[i], pieces->extract, pieces->style, from, to < end ? to : end);
	return progress_update(progress, "writing", from, end, from);
}

bool format_in_pieces(struct output *output, const struct extract *extract,
		      const struct style *style, format_rows *rows, const struct progress *progress,
		      struct error *error)
{
	struct pieces pieces = { .extract = extract, .style = style, .rows = rows };
	bool done = true;
	/* stop after a write error: the output is lost */
	for (size_t at = 0; at < extract->row_count && done && !output->failure;
	     at += PIECES * PIECE_ROWS) {
		size_t left = (extract->row_count - at + PIECE_ROWS - 1) / PIECE_ROWS;
		size_t count = left < PIECES ? left : PIECES;
		pieces.first = at;
		done = parallel_try(count, make_piece, &pieces, "writing", progress, error);
		for (size_t i = 0; i < count && done; i++) {
			buffer_add(&output->text, buffer_text(&pieces.text[i]),
				   pieces.text[i].length);
			output_row(output);
		}
	}
	for (size_t i = 0; i < PIECES; i++)
		buffer_free(&pieces.text[i]);
	return done;
}

#include "tui/widget/strip.h"

#include "base/text.h"
#include "picture/grid.h"
#include "picture/role.h"
#include "text_tables.h"

#include <ctype.h>
#include <limits.h>

/* Minimum strip height for wrapping long texts to a second row. */
enum { WRAP_FROM = 3 };

/* Columns of a name with a row of its own and of a path, and of the lines of a sentence. */
enum { NAME_COLUMNS = 62, SENTENCE_COLUMNS = 130 };

/* Columns at the end of a row in which a path is elided rather than in the next. */
enum { PATH_MIN = 45 };

/* Places in a row where an entry may start. */
enum { STOPS = 8 };

/* Columns of a label and of the gap after its text. */
enum { LABEL = 15 };

/* Position of the next entry; DRY: measure without drawing. */
struct strip {
	struct grid *grid;
	struct rect at;
	int row, column;
	int max, facts_max; /* maximum lines of a text: for cells, for facts */
	int widest, path;   /* columns of a text that may be shortened; of a path or a list */
	bool dry;
	bool blank;   /* the entry at hand is not drawn */
	bool common;  /* without the entries that few rows have */
	int reserved; /* columns at the end of the last row */
	int groups;   /* how many more of them start a row each */
	bool steady;  /* entries keep their places from row to row */
	int stop; /* entries start at multiples of it, so that equal ones stay from row to row */
};

static int end_of_row(const struct strip *strip)
{
	bool last = strip->row == strip->at.row + strip->at.rows - 1;
	return strip->at.column + strip->at.columns - (last ? strip->reserved : 0);
}

static void strip_put_text(struct strip *strip, int room, enum role role, const char *text,
			   size_t length, bool whole)
{
	while (length > 0 && text[length - 1] == ' ') /* it holds a place */
		length--;
	if (strip->dry || strip->blank || strip->row >= strip->at.row + strip->at.rows)
		return;
	if (whole)
		grid_put(strip->grid, strip->row, strip->column, room, role, text, length);
	else
		grid_field(strip->grid, strip->row, strip->column, room, role, GRID_LEFT, text,
			   length);
}

/* The first stop at or after COLUMN. */
static int next_stop(const struct strip *strip, int column)
{
	int begin = strip->at.column + 1;
	return begin + (column - begin + strip->stop - 1) / strip->stop * strip->stop;
}

bool strip_next(const char **at, struct strip_line *line)
{
	size_t length = strcspn(*at, "\n"), label = strcspn(*at, "\t\n");
	size_t skip = label < length ? label + 1 : length;
	*line = (struct strip_line){ *at, *at + skip, label, length - skip };
	*at += length + ((*at)[length] == '\n');
	return *at > line->label;
}

bool strip_label_is(const struct strip_line *line, const char *label)
{
	return strlen(label) == line->label_length &&
	       !memcmp(line->label, label, line->label_length);
}

/* Names of kernels and stacks have a row each, if the entries below are to keep theirs. */
static bool has_row(const struct strip *strip, const struct strip_line *line)
{
	return strip->steady && (strip_label_is(line, "Name") || strip_label_is(line, "Before") ||
				 strip_label_is(line, "After") || strip_label_is(line, "Stack"));
}

static bool is_path(const struct strip_line *line)
{
	return strip_label_is(line, "Layer") || strip_label_is(line, "Path");
}

/* Lines that the text of LINE may have; a stack one, for its inner and outer frames. */
static int lines_max(const struct strip *strip, const struct strip_line *line)
{
	enum { SENTENCE_LINES = 2 };
	if (strip_label_is(line, "Stack") || has_row(strip, line) ||
	    (strip->steady && is_path(line)))
		return 1;
	int most = line->label_length > 0 && isupper((unsigned char)*line->label)
			   ? strip->max
			   : strip->facts_max;
	return strip->steady && most > SENTENCE_LINES ? SENTENCE_LINES : most;
}

static bool fits_lines(struct grid *grid, const char *text, size_t length, int lines, int columns)
{
	while (lines-- > 1 && length > 0) {
		size_t first = grid_wrap(grid, text, length, columns);
		text += first;
		length -= first;
	}
	return grid_width(grid, text, length) <= columns;
}

/*
 * A text too long for the MAX lines that it may have is elided before it is wrapped, since each
 * line on its own would be shortened as if it were all of the name.
 */
static bool elide_whole(const struct strip *strip, int max, int columns, const char *text,
			size_t length, struct buffer *out)
{
	enum { ATTEMPTS = 4, RAGGED = 8 }; /* lines end at blanks, often an eighth early */
	struct grid *grid = strip->grid;
	int left = strip->at.row + strip->at.rows - strip->row;
	int lines = strip->dry || left > max ? max : left;
	while (length > 0 && text[length - 1] == ' ') /* it holds a place */
		length--;
	if (lines < 1 || columns <= RAGGED)
		return false;
	if (!text_is_symbol(text, length) &&
	    (lines < 2 || fits_lines(grid, text, length, lines, columns)))
		return false;
	for (int i = 0; i < ATTEMPTS; i++) {
		buffer_clear(out);
		text_elide(out, text, length,
			   (size_t)(lines * columns - i * (lines - 1) * columns / RAGGED),
			   !grid->ascii);
		if (fits_lines(grid, BUFFERED(out), lines, columns))
			break;
	}
	return true;
}

/* Drop MARK from the start of the label; false if it is not there. */
static bool take_mark(struct strip_line *line, char mark)
{
	bool marked = line->label_length > 0 && *line->label == mark;
	line->label += marked;
	line->label_length -= marked;
	return marked;
}

/* Columns of a path after other entries: the rest of the row rather than the next one. */
static int path_width(const struct strip *strip, int columns, int rest)
{
	int most = rest < strip->widest ? rest : strip->widest;
	return rest < PATH_MIN || columns < most ? columns : most;
}

/* A text in up to MAX lines that end at END; returns the columns of the last one. */
static int put_lines(struct strip *strip, int end, int max, const char *text, size_t length)
{
	struct grid *grid = strip->grid;
	int last = strip->at.row + strip->at.rows - 1, body;
	AUTO_BUFFER struct buffer whole = { 0 };
	if (elide_whole(strip, max, end - strip->column, text, length, &whole)) {
		text = buffer_text(&whole);
		length = whole.length;
	}
	body = grid_width(grid, text, length);
	for (int row = 1; row < max && body > end - strip->column; row++) {
		if (!strip->dry && strip->row >= last)
			break; /* the rest is elided in this row */
		size_t first = grid_wrap(grid, text, length, end - strip->column);
		if (first == 0)
			break;
		strip_put_text(strip, end - strip->column, ROLE_TEXT, text, first, true);
		text += first;
		length -= first;
		body = grid_width(grid, text, length);
		strip->row++;
		end = end < end_of_row(strip) ? end : end_of_row(strip);
	}
	lower_to(body, end - strip->column);
	if (body > 0)
		strip_put_text(strip, body, ROLE_TEXT, text, length, false);
	return body;
}

static void put_entry(struct strip *strip, struct strip_line line)
{
	struct grid *grid = strip->grid;
	bool group = take_mark(&line, STRIP_GROUP), rare = take_mark(&line, STRIP_RARE);
	bool shortens = take_mark(&line, STRIP_SHORTENS);
	strip->blank = take_mark(&line, STRIP_BLANK);
	bool list = take_mark(&line, STRIP_LIST);
	const char *text = line.text;
	size_t text_length = line.text_length;
	if (rare && strip->common)
		return;
	int head = grid_width(grid, line.label, line.label_length);
	int body = grid_width(grid, text, text_length), begin = strip->at.column + 1;
	int end = end_of_row(strip);
	int max = strip->steady && (shortens || list) ? 1 : lines_max(strip, &line);
	bool own = has_row(strip, &line);
	int widest = list || is_path(&line) ? strip->path : strip->widest;
	if ((shortens || list) && !own && strip->steady && body > widest)
		body = widest;
	if (is_path(&line) && strip->steady && body > NAME_COLUMNS - head)
		body = NAME_COLUMNS - head;
	if (is_path(&line) && strip->steady && strip->column > begin &&
	    !(group && strip->groups > 0))
		body = path_width(strip, body, end - strip->column - head - 1);
	if (strip->column > begin &&
	    (own || (group && strip->groups > 0) || strip->column + head + 1 + body > end)) {
		strip->row++;
		strip->column = begin;
		end = end_of_row(strip);
	}
	int row_end = end, most = own ? NAME_COLUMNS : SENTENCE_COLUMNS;
	bool wraps = max > 1 && head + 1 + body > end - strip->column;
	bool whole = own && !shortens && strip_label_is(&line, "Name");
	if (strip->steady && (own || wraps) && !whole && end > begin + most)
		end = begin + most;
	strip->groups -= group;
	int first_row = strip->row;
	strip_put_text(strip, end - strip->column, ROLE_LABEL, line.label, line.label_length, true);
	strip->column += head + 1;
	if (max == 1 && end > strip->column + body)
		end = strip->column + body;
	body = put_lines(strip, end, max, text, text_length);
	bool alone = strip_label_is(&line, "Name") || strip->row > first_row;
	strip->column =
		strip->steady && alone
			? row_end /* a row of its own */
			: next_stop(strip, strip->column + body + (strip->stop > 1 ? 2 : 3));
}

/* Maximum lines for cells and facts; groups with a row; distance of stops. By preference. */
struct allowance {
	int cell, fact;
	int groups, stop, widest, path;
};

static bool is_steady(const char *text, struct rect at)
{
	return *text == STRIP_GROUP && at.columns >= STRIP_STEADY;
}

/* All entries; returns the number of lines. */
static int put_entries(struct grid *grid, struct rect at, const char *text, struct allowance max,
		       bool dry, bool common, int reserved)
{
	struct strip strip = {
		.grid = grid,
		.at = at,
		.row = at.row,
		.column = at.column + 1,
		.max = max.cell,
		.facts_max = max.fact,
		.widest = max.widest,
		.path = max.path,
		.dry = dry,
		.common = common,
		.reserved = reserved,
		.steady = is_steady(text, at),
		.groups = max.groups,
		.stop = max.stop,
	};
	for (struct strip_line line; strip.row < at.row + at.rows && strip_next(&text, &line);)
		put_entry(&strip, line);
	return strip.row - at.row + 1 + (*text != '\0');
}

/* A mark at the end that entries are left out; returns its columns. */
static int put_more(struct grid *grid, struct rect at)
{
	int columns = grid->ascii ? 3 : 1;
	grid_puts(grid, at.row + at.rows - 1, at.column + at.columns - columns, columns, ROLE_DIM,
		  grid->ascii ? "..." : "…");
	return columns + 1;
}

/* Cells, which hold sentences, have priority over facts, which hold kernel names. */
void strip_entries(struct grid *grid, struct rect at, const char *text)
{
	enum { GROUPS = 5, GROUPS_FIRST = 3 };
	const bool steady = is_steady(text, at);
	const int stop = at.columns / STOPS > 0 ? at.columns / STOPS : 1;
	const int more = 4 * stop - LABEL, less = 3 * stop - LABEL, least = 2 * stop - LABEL;
	const int first = steady ? GROUPS_FIRST : 0; /* rows of groups rather than long texts */
	const struct allowance allowances[] = { ALLOWANCE_ROWS };
	const size_t last = sizeof allowances / sizeof *allowances - (steady ? 1 : 2);
	size_t choice = 0;
	while (choice < last &&
	       put_entries(grid, at, text, allowances[choice], true, true, 0) > at.rows)
		choice++;
	const struct allowance max = at.rows < WRAP_FROM
					     ? (struct allowance){ 1, 1, 0, 1, INT_MAX, INT_MAX }
					     : allowances[choice];
	bool all = put_entries(grid, at, text, max, true, false, 0) <= at.rows;
	put_entries(grid, at, text, max, false, false, all ? 0 : put_more(grid, at));
}

void strip_sentence(struct grid *grid, struct rect body, const char *line)
{
	enum { MARGIN = 1 };
	int columns = body.columns - 2 * MARGIN;
	for (int row = 0; row < body.rows && *line && columns > 0; row++) {
		size_t length = strlen(line), fits = grid_wrap(grid, line, length, columns);
		if (row == body.rows - 1 && fits < length) { /* what is left out is marked */
			grid_field(grid, body.row + row, body.column + MARGIN, columns, ROLE_DIM,
				   GRID_LEFT, line, length);
			return;
		}
		grid_put(grid, body.row + row, body.column + MARGIN, columns, ROLE_DIM, line, fits);
		line += fits + strspn(line + fits, " ");
		if (fits == 0)
			return;
	}
}

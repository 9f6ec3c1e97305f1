#include "picture/dashboard/panel_draw.h"

#include "base/any_of.h"
#include "base/number.h"
#include "base/text.h"
#include "picture/dashboard/panel_pen.h"
#include "picture/plot/flame.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { PANEL_LAYOUT_ROWS(_) };

static int at_most(int count, int most)
{
	return count < most ? count : most;
}

/* ---- title ---- */

/* Of a list that is complete with enough room, how much of it is shown: "2 of 8". */
static void note_shown(const struct pen *pen, char text[48])
{
	const struct panel *panel = pen->panel;
	int rows = pen->rect.rows - (panel->kind == PANEL_STACK && pen->rect.rows > 1);
	size_t whole = panel->whole > panel->count ? panel->whole : panel->count;
	int shown = at_most(rows, (int)panel->count);
	if ((panel->kind != PANEL_BARS || pen->framed) && panel->kind != PANEL_FACTS &&
	    (size_t)shown < whole)
		snprintf(text, 48, "%d of %zu", shown, whole);
}

/*
 * Where there is no room, without what is in parentheses at its end, else cut: the names of kernels
 * beside lists in the middle. The caller frees it.
 */
static char *fit_summary(const struct pen *pen, int columns)
{
	const char *summary = pen->panel->summary ?: "", *more = strstr(summary, " (");
	size_t length = strlen(summary);
	AUTO_BUFFER struct buffer fits = { 0 };
	if (more && summary[length - 1] == ')' && grid_width(pen->grid, summary, length) > columns)
		length = (size_t)(more - summary);
	(pen->panel->kind == PANEL_BARS ? text_elide : text_cut)(
		&fits, summary, length, columns > 0 ? (size_t)columns : 0, !pen->grid->ascii);
	return mem_strdup(buffer_text(&fits));
}

/* At the right end of a frame, with blanks around it; false without room. */
static bool put_in_frame(struct pen *pen, int column, int room, int role, const char *summary,
			 const char *more)
{
	AUTO_FREE char *text = mem_printf(" %s%s%s ", summary, *summary && *more ? "  " : "", more);
	int width = grid_width(pen->grid, text, strlen(text));
	if (width > room)
		return false;
	if (width > 2)
		pen_put(pen, column + room + 2 - width, width, role, text);
	return true;
}

/* Beside the title of a band; at the right end of a frame. */
static void draw_meta(struct pen *pen, struct dashboard_rect rect, int column)
{
	const struct panel *panel = pen->panel;
	char shown[48] = "";
	bool gain = panel->kind == PANEL_FINDINGS &&
		    any_of(i, panel->count, panel->lines[i].value && *panel->lines[i].value);
	int role = pen->framed ? ROLE_LABEL : ROLE_HEADER;
	int room = rect.column + rect.columns - column - 4;
	note_shown(pen, shown);
	AUTO_FREE char *more =
		mem_printf("%s%s%s", shown, *shown && gain ? "  " : "", gain ? "gain at most" : "");
	int meta = (int)strlen(more) + (*more ? 2 : 0);
	int summary =
		panel->summary ? grid_width(pen->grid, panel->summary, strlen(panel->summary)) : 0;
	if (pen->framed) {
		AUTO_FREE char *fits = fit_summary(pen, room - 2);
		if (!put_in_frame(pen, column, room, role, panel->summary ?: "", more))
			put_in_frame(pen, column, room, role, fits, "");
		return;
	}
	AUTO_FREE char *fits = fit_summary(pen, room + 1);
	pen_put(pen, column + 2, room + 1, role, fits);
	if (*more && room > summary + meta)
		pen_put(pen, column + room + 5 - meta, meta - 2, role, more);
}

/* A line of the frame, or a band. */
static void draw_title(struct pen *pen, struct dashboard_rect rect)
{
	int role = pen->framed ? ROLE_TOTAL : ROLE_HEADER, column = rect.column + 1 + pen->framed;
	AUTO_FREE char *title = mem_printf(pen->framed ? " %s " : "%s", pen->panel->title);
	if (pen->framed)
		grid_frame(pen->grid, rect.row, rect.column, rect.rows, rect.columns);
	else
		grid_fill(pen->grid, pen->row, rect.column, rect.columns, role, ' ');
	if (pen_has_cursor(pen) && pen->framed) { /* little is sent when it moves on */
		grid_repaint(pen->grid, rect.row, rect.column, 2, ROLE_BORDER, ROLE_ACCENT);
		for (int row = rect.row + 1; row < rect.row + rect.rows - 1; row++)
			grid_puts(pen->grid, row, rect.column, 1, ROLE_ACCENT,
				  pen->grid->ascii ? "|" : "┃");
	}
	column += pen_put(pen, column, rect.columns - 2,
			  pen_has_cursor(pen) ? ROLE_TAB_ACTIVE : role, title);
	draw_meta(pen, rect, column);
}

/* ---- labels ---- */

/* Another name of the panel that reads like this one in COLUMNS, from byte FROM on; NULL: none. */
static const char *find_alike(const struct panel *panel, size_t line, size_t from,
			      const struct grid *grid, size_t columns)
{
	const char *own = panel->lines[line].label, *found = NULL;
	AUTO_BUFFER struct buffer shown = { 0 }, other = { 0 };
	text_elide(&shown, own + from, strlen(own + from), columns, !grid->ascii);
	for (size_t i = 0; i < panel->count && !found; i++) {
		const char *label = panel->lines[i].label;
		if (strncmp(label, own, from + ALIKE) != 0) /* for speed: others hardly ever do */
			continue;
		buffer_clear(&other);
		text_elide(&other, label + from, strlen(label + from), columns, !grid->ascii);
		if (!strcmp(buffer_text(&shown), buffer_text(&other)) && strcmp(own, label) != 0)
			found = label + from;
	}
	return found;
}

static void draw_name(const struct panel *panel, size_t index, size_t from, struct grid *grid,
		      int row, int column, int columns)
{
	AUTO_BUFFER struct buffer text = { 0 };
	struct panel_line *line = &panel->lines[index];
	int shown = grid->ascii ? -columns : columns;
	if (line->shown_columns != shown) {
		const char *label = line->label + from;
		const char *alike = find_alike(panel, index, from, grid, (size_t)columns);
		if (!alike || !text_elide_apart(&text, label, strlen(label), alike, strlen(alike),
						(size_t)columns, !grid->ascii))
			text_elide(&text, label, strlen(label), (size_t)columns, !grid->ascii);
		mem_replace(line->shown, mem_strdup(buffer_text(&text)));
		line->shown_columns = shown;
	}
	grid_field(grid, row, column, columns, ROLE_TEXT, GRID_LEFT, line->shown,
		   strlen(line->shown));
}

/*
 * A label that does not fit keeps what is before a colon, such as the cause of a gap, and where no
 * other line begins so and room is small only that. Names that lose their ends and would read alike
 * keep where they begin to differ ("sgemm~1024, 5, 5~", "sgemm~128, 6, 7~").
 */
static void draw_label(const struct panel *panel, size_t line, struct grid *grid, int row,
		       int column, int columns)
{
	enum { REST_MIN = 6 };
	const char *label = panel->lines[line].label, *rest = strstr(label, ": ");
	size_t from = rest ? (size_t)(rest + 2 - label) : 0;
	int head = grid_width(grid, label, from);
	if (grid_width(grid, label, strlen(label)) <= columns) {
		grid_field(grid, row, column, columns, ROLE_TEXT, GRID_LEFT, label, strlen(label));
		return;
	}
	bool small = head + REST_MIN > columns,
	     several = any_of(i, panel->count,
			      i != line && !strncmp(panel->lines[i].label, label, from));
	if (head > columns + 2 || (several && small))
		from = 0;
	else
		grid_put(grid, row, column, columns, ROLE_TEXT, label, small ? from - 2 : from);
	head = from ? head : 0;
	if (head + REST_MIN <= columns)
		draw_name(panel, line, from, grid, row, column + head, columns - head);
}

/* The greater of WIDEST and the columns of TEXT, which may be NULL. */
static int wider(const struct pen *pen, int widest, const char *text)
{
	int width = text ? grid_width(pen->grid, text, strlen(text)) : 0;
	return width > widest ? width : widest;
}

static void measure_lines(struct pen *pen)
{
	for_each (line, pen->panel->lines, pen->panel->count) {
		pen->label = wider(pen, pen->label, line->label);
		pen->value = wider(pen, pen->value, line->value);
		pen->extra = wider(pen, pen->extra, line->extra);
	}
}

static int label_columns(const struct pen *pen, int least, int most)
{
	return at_most(pen->label > least ? pen->label : least, most);
}

static void draw_bar_line(struct pen *pen, size_t index)
{
	const struct panel_line *line = &pen->panel->lines[index];
	int columns = pen->rect.columns, column = pen->rect.column;
	bool signs = pen->panel->lines[0].sign != NULL;
	bool shares = signs || pen->panel->lines[0].value[0];
	int extra = columns >= EXTRA_FROM || !shares ? at_most(pen->extra, EXTRA_MAX) : 0;
	int value = signs ? EXTRA_COLUMNS : shares ? VALUE_COLUMNS : 0;
	int left = columns - value - 3 - 2 * signs - (extra ? extra + 1 : 0);
	int most = left - (left > BAR_PART * BAR_MIN ? left / BAR_PART : BAR_MIN);
	if (most < LABEL_WHOLE)
		most = at_most(LABEL_WHOLE, left - BAR_LEAST);
	int label = label_columns(pen, LABEL_MIN, most > LABEL_MIN ? most : LABEL_MIN);
	int bar = left - label;
	column++;
	if (signs) {
		pen_put(pen, column, 1, line->role, line->sign);
		column += 2;
	}
	draw_label(pen->panel, index, pen->grid, pen->row, column, label);
	column += label + 1;
	grid_bar(pen->grid, pen->row, column, bar, line->role, line->share);
	column += bar > 0 ? bar : 0;
	pen_put_right(pen, column, value, signs ? line->role : ROLE_TEXT, line->value);
	column += value + 1;
	if (extra && line->extra)
		pen_put_right(pen, column, extra, ROLE_DIM, line->extra);
}

/* A line in each row but the last LEFT. */
static void draw_lines(struct pen *pen, void (*draw)(struct pen *pen, size_t index), int left)
{
	int end = pen->rect.row + pen->rect.rows - left;
	size_t i = pen_first_shown(pen, (size_t)(end > pen->row ? end - pen->row : 1));
	for (; i < pen->panel->count && pen->row < end; i++, pen->row++) {
		pen_stop_here(pen, i);
		draw(pen, i);
	}
}

/* ---- stacks ---- */

static void draw_stack(struct pen *pen, int column, int columns, const struct panel_line *line)
{
	double share = 0;
	int at = 0;
	for (size_t i = 0; i < line->part_count; i++) {
		share += line->parts[i].share;
		int end = (int)lround((share < 1 ? share : 1) * columns);
		for (; at < end; at++)
			time_part_draw(line->parts[i].part, pen->grid, pen->row, column + at,
				       line->parts[i].part->role);
	}
}

static void draw_stack_line(struct pen *pen, size_t index)
{
	const struct panel_line *line = &pen->panel->lines[index];
	int column = pen->rect.column + 1, columns = pen->rect.columns - 1;
	int label = label_columns(pen, 3, STACK_LABEL);
	bool extra = line->extra && columns >= EXTRA_FROM;
	int value = pen->panel->lines[0].value[0] ? STACK_VALUE : 0;
	int bar = columns - label - 2 - value - (extra ? EXTRA_COLUMNS : 0);
	if (line->sign)
		pen_put(pen, column - 1, 1, ROLE_WARNING, line->sign);
	pen_put(pen, column, label, ROLE_TEXT, line->label);
	pen_put_right(pen, column + label + 1 + bar, value, ROLE_TEXT, line->value);
	if (extra)
		pen_put_right(pen, column + label + 1 + bar + value, EXTRA_COLUMNS, ROLE_WARNING,
			      line->extra);
	for (int i = pen->thick; i > 0; i--, pen->row += i > 0)
		draw_stack(pen, column + label + 1, bar, line);
}

/* Entry I of the legend: a part of the first line, with its share if there is only one line. */
static int legend_entry(const struct panel *panel, size_t i, bool brief, char text[64])
{
	const struct panel_part *part = &panel->lines[0].parts[i];
	const char *name = brief && part->part->brief ? part->part->brief : part->part->name;
	char percent[NUMBER_MAX];
	if (panel->count == 1)
		snprintf(text, 64, "%s %s %%", name, number_percent(percent, 100 * part->share));
	else
		snprintf(text, 64, "%s", name);
	return (int)strlen(text) + 2; /* with its sign */
}

/* The legend of a stack: which parts it names, a bit each, and how. */
struct legend {
	uint32_t shown;
	bool brief;
};

/*
 * Its rows, which PEN draws unless it is NULL; the mark of what is left out takes the end of row
 * MOST.
 */
static int lay_legend(const struct panel *panel, struct legend legend, int columns, int most,
		      struct pen *pen)
{
	char text[64];
	int row = 1, column = 1, left = pen ? pen->rect.column : 0;
	for (size_t i = 0; i < panel->lines[0].part_count; i++) {
		const struct time_part *part = panel->lines[0].parts[i].part;
		if (!(legend.shown >> i & 1))
			continue;
		int width = legend_entry(panel, i, legend.brief, text);
		bool marked = row == most && legend.shown != UINT32_MAX;
		if (column > 1 && column + width > columns - (marked ? LEGEND_MARK : 0)) {
			row++;
			column = 1;
		}
		if (pen) {
			int at = pen->row + row - 1, room = columns - column - 2;
			time_part_draw(part, pen->grid, at, left + column, part->role);
			grid_puts(pen->grid, at, left + column + 2, room, ROLE_LABEL, text);
		}
		column += width + 2;
	}
	if (pen && legend.shown != UINT32_MAX)
		grid_puts(pen->grid, pen->row + row - 1, left + column, columns - column, ROLE_DIM,
			  pen->grid->ascii ? "..." : "…");
	return row;
}

/* All parts, else with brief names, else without the smallest ones. */
static struct legend choose_legend(const struct panel *panel, int columns, int rows)
{
	const struct panel_line *line = &panel->lines[0];
	struct legend legend = { .shown = UINT32_MAX };
	legend.brief = lay_legend(panel, legend, columns, rows, NULL) > rows;
	while (lay_legend(panel, legend, columns, rows, NULL) > rows) {
		size_t least = SIZE_MAX;
		for (size_t i = 0; i < line->part_count; i++)
			if (legend.shown >> i & 1 &&
			    (least == SIZE_MAX || line->parts[i].share < line->parts[least].share))
				least = i;
		if (least == SIZE_MAX)
			break;
		legend.shown &= ~(UINT32_C(1) << least);
	}
	return legend;
}

/* In the rows that are left free by lines and legend, bars grow. */
static void draw_stacks(struct pen *pen)
{
	const struct panel *panel = pen->panel;
	int columns = pen->rect.columns, end = pen->rect.row + pen->rect.rows;
	int all = lay_legend(panel, (struct legend){ .shown = UINT32_MAX }, columns, INT_MAX, NULL);
	int thick = (pen->rect.rows - all) / (int)panel->count;
	pen->thick = !pen->framed || thick < 1 ? 1 : at_most(thick, BAR_ROWS);
	draw_lines(pen, draw_stack_line, pen->rect.rows > 1);
	int left = end - pen->row;
	if (left > 0)
		pen->row +=
			lay_legend(panel, choose_legend(panel, columns, left), columns, left, pen);
}

/* ---- curves ---- */

/* Value of the samples in cell AT of CELLS. */
static double sample_of(const struct panel_line *line, int at, int cells)
{
	size_t from = line->sample_count * (size_t)at / (size_t)cells;
	size_t to = line->sample_count * (size_t)(at + 1) / (size_t)cells, known = 0;
	double sum = 0, most = NAN;
	for (size_t i = from; i < (to > from ? to : from + 1); i++) {
		if (isnan(line->samples[i]))
			continue;
		sum += line->samples[i];
		most = fmax(most, line->samples[i]);
		known++;
	}
	return line->peaks ? most : known ? sum / (double)known : NAN;
}

/* Over ROWS rows from the current one on. */
static void draw_curve(struct pen *pen, int column, int columns, const struct panel_line *line,
		       int rows)
{
	static const char blocks[][4] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	int cells = (size_t)columns < line->sample_count ? columns : (int)line->sample_count;
	int wide = cells ? columns / cells : 0; /* of few samples */
	wide = rows > 1 || wide < 4 ? wide : 4;
	for (int i = 0; i < cells; i++) {
		double value = sample_of(line, i, cells);
		if (isnan(value) || !(line->high > 0))
			continue;
		int level = (int)(value / line->high * 8 * rows);
		double good = (value - line->bad) / (line->good - line->bad) * ROLE_VALUES;
		int role = good >= ROLE_VALUES ? ROLE_COUNT - 1
					       : ROLE_VALUE_1 + (good > 0 ? (int)good : 0);
		role = line->good == line->bad ? (int)line->role : role;
		for (int row = rows - 1; row >= 0 && (level >= 0 || row == rows - 1); row--) {
			int part = level < 0 ? 0 : level > 7 ? 7 : level;
			for (int at = 0; at < wide; at++)
				grid_put(pen->grid, pen->row + row, column + i * wide + at, 1, role,
					 pen->grid->ascii ? &"_.:-=+*#"[part] : blocks[part],
					 pen->grid->ascii ? 1 : 3);
			level -= 8;
		}
	}
}

static void draw_curve_line(struct pen *pen, size_t index)
{
	const struct panel_line *line = &pen->panel->lines[index];
	int columns = pen->rect.columns - MARGIN, column = pen->rect.column + 1;
	int label = label_columns(pen, 5, CURVE_LABEL);
	int value = at_most(pen->value, columns / 2);
	if (line->sign)
		pen_put(pen, column - 1, 1, ROLE_WARNING, line->sign);
	pen_put(pen, column, label, ROLE_TEXT, line->label);
	draw_curve(pen, column + label + 1, columns - label - value - 3, line, 1);
	pen_put_right(pen, pen->rect.column + columns - value, value, ROLE_TEXT, line->value);
}

/* Label and value, and the curve below them. */
static void draw_tall(struct pen *pen)
{
	int each = pen->rect.rows / (int)pen->panel->count;
	each = each < 2 ? 2 : each;
	size_t line = pen_first_shown(pen, (size_t)(pen->rect.rows / each));
	for (; line < pen->panel->count && pen_has_rows_left(pen); line++) {
		const struct panel_line *curve = &pen->panel->lines[line];
		int end = pen->rect.row + pen->rect.rows - pen->row;
		pen_stop_here(pen, line);
		pen_put_right(pen, pen->rect.column + 1, pen->rect.columns - 1 - MARGIN, ROLE_TEXT,
			      curve->value);
		pen_put(pen, pen->rect.column + 1, pen->rect.columns, ROLE_TEXT, curve->label);
		pen->row++;
		draw_curve(pen, pen->rect.column + 1, pen->rect.columns - 1 - MARGIN, curve,
			   (each < end ? each : end) - 1);
		pen->row += each - 1;
	}
}

static void draw_curves(struct pen *pen)
{
	if (pen->framed && pen->rect.rows >= 2 * (int)pen->panel->count)
		draw_tall(pen);
	else
		draw_lines(pen, draw_curve_line, 0);
}

/* ---- findings and facts ---- */

/* "takes 16.0 % of step time": the evidence beside a title that it begins with. */
static const char *beside_title(const struct panel_line *line)
{
	size_t length = strlen(line->label);
	bool repeats =
		strncmp(line->detail, line->label, length) == 0 && line->detail[length] == ' ';
	return line->detail + (repeats ? length + 1 : 0);
}

/* The title and, unless it has rows of its own, the evidence as far as it fits. */
static void draw_finding(struct pen *pen, const struct panel_line *line, bool evidence)
{
	int value = *line->value ? VALUE_COLUMNS + 1 : 0;
	int column = pen->rect.column + 3, columns = pen->rect.columns - 3 - MARGIN - value;
	bool minor = line->role == ROLE_DIM;
	if (line->sign)
		pen_put(pen, column - 2, 1, line->role, line->sign);
	pen_put_sentence(pen, column, columns, minor ? ROLE_TEXT : ROLE_TOTAL, line->label);
	pen_put_right(pen, column + columns, value, ROLE_TOTAL, line->value);
	int used = grid_width(pen->grid, line->label, strlen(line->label)) + 2;
	if (evidence && line->detail && columns - used >= EVIDENCE_LEAST)
		pen_put_sentence(pen, column + used, columns - used, ROLE_DIM, beside_title(line));
}

/* The evidence, over several rows. */
static void draw_evidence(struct pen *pen, const char *text, int rows)
{
	int column = pen->rect.column + EVIDENCE_INDENT;
	int columns = pen->rect.columns - EVIDENCE_INDENT - MARGIN;
	for (; rows > 0 && *text; rows--, pen->row++) {
		size_t fits = grid_wrap(pen->grid, text, strlen(text), columns);
		if (rows == 1 || !fits) {
			pen_put_sentence(pen, column, columns, ROLE_DIM, text);
			pen->row++;
			return;
		}
		grid_put(pen->grid, pen->row, column, columns, ROLE_DIM, text, fits);
		text += fits;
	}
}

/* Rows of the evidence of line I: three of the first one, two of the others; WHOLE: all. */
static int evidence_rows(const struct panel *panel, size_t i, struct grid *grid, int columns,
			 bool whole)
{
	const char *text = panel->lines[i].detail;
	int rows = 0, most = whole ? INT_MAX : i == 0 ? 3 : 2;
	for (; text && *text && rows < most; rows++) {
		size_t fits =
			grid_wrap(grid, text, strlen(text), columns - EVIDENCE_INDENT - MARGIN);
		if (!fits)
			return rows + 1;
		text += fits;
	}
	return rows;
}

/* What is left beyond the title and a few rows for each is for the rest of the evidence. */
static void draw_findings(struct pen *pen)
{
	const struct panel *panel = pen->panel;
	int left = pen->rect.rows, columns = pen->rect.columns;
	size_t shown = panel->count < (size_t)left ? panel->count : (size_t)left;
	int spare = left - (int)shown, more = spare;
	for (size_t i = 0; i < panel->count; i++)
		more -= evidence_rows(panel, i, pen->grid, columns, false);
	for (size_t i = pen_first_shown(pen, shown); i < panel->count && pen_has_rows_left(pen);
	     i++) {
		int few = evidence_rows(panel, i, pen->grid, columns, false);
		int rest = evidence_rows(panel, i, pen->grid, columns, true) - few;
		rest = at_most(rest, more > 0 ? more : 0);
		int rows = at_most(few + rest, spare);
		more -= rest;
		spare -= rows;
		draw_finding(pen, &panel->lines[i], !rows);
		pen_stop_here(pen, i);
		pen->row++;
		draw_evidence(pen, panel->lines[i].detail, rows);
	}
}

static void draw_fact(struct pen *pen, size_t index)
{
	const struct panel_line *line = &pen->panel->lines[index];
	bool further = index >= pen->panel->count - pen->panel->minor;
	int label = further ? FACT_NAME : FACT_LABEL, column = pen->rect.column + 1;
	grid_field(pen->grid, pen->row, column, label - 1, ROLE_LABEL, GRID_LEFT, line->label,
		   strlen(line->label));
	pen_put_sentence(pen, column + label, pen->rect.columns - 1 - label - further, ROLE_TEXT,
			 line->value);
}

/* How many facts fit beside each other. */
static int fact_columns(int columns)
{
	return columns < FACT_COLUMNS ? 1 : columns / FACT_COLUMNS;
}

/* Those of the file, a row each, and further ones in columns below them. */
static void draw_facts(struct pen *pen)
{
	const struct dashboard_rect rect = pen->rect;
	size_t first = pen->panel->count - pen->panel->minor;
	int beside = fact_columns(rect.columns), left = rect.rows - (int)first;
	int rows = at_most(left, ((int)pen->panel->minor + beside - 1) / beside);
	draw_lines(pen, draw_fact, pen->framed && left > 0 ? left : 0);
	if (!pen->framed || rows < 1)
		return;
	size_t at = first + pen_first_shown(pen, first + (size_t)(rows * beside));
	pen->rect.columns = (rect.columns - 1) / beside;
	for (int i = 0; i < rows * beside && at < pen->panel->count; i++, at++) {
		pen->rect.column = rect.column + i / rows * pen->rect.columns;
		pen->row = rect.row + (int)first + i % rows;
		pen_stop_here(pen, at);
		draw_fact(pen, at);
	}
}

/* ---- flame graphs ---- */

static void draw_flame(struct pen *pen)
{
	int height = pen->rect.rows / flame_levels(pen->panel->plot->flame, pen->rect.columns - 2);
	const struct flame_look look = { .marks = pen->grid->ascii ? PLOT_ASCII : PLOT_BLOCKS,
					 .filled = pen->stops != NULL,
					 .height = pen->grid->ascii ? 1
								    : at_most(height, FLAME_ROWS) };
	struct dashboard_rect rect = pen->rect;
	flame_draw(pen->panel->plot->flame, &look, pen->grid,
		   (struct plot_rect){ rect.row, rect.column + 1, rect.rows, rect.columns - 2 });
	pen_stop_here(pen, 0);
}

/* ---- a panel ---- */

struct panel_size panel_size(const struct panel *panel, struct grid *grid, int columns, bool framed)
{
	int count = (int)(panel->count - panel->minor), title = 1, all = title + count;
	int grown = all + (int)panel->minor;
	int least = title + at_most(count, LEAST_LINES);
	int enough = title + at_most(count, panel->band == BAND_TIME ? count : ENOUGH_LINES);
	columns -= framed;
	switch (panel->kind) {
	case PANEL_STACK:
		all += lay_legend(panel, (struct legend){ .shown = UINT32_MAX }, columns, INT_MAX,
				  NULL);
		return (struct panel_size){ { title + 2, all, all,
					      framed ? all + (BAR_ROWS - 1) * count : 0 } };
	case PANEL_FINDINGS:
		enough = all;
		for (size_t i = 0; i < panel->count; i++) {
			enough += evidence_rows(panel, i, grid, columns, false);
			all += evidence_rows(panel, i, grid, columns, true);
		}
		return (struct panel_size){ { least, enough, all } };
	case PANEL_CURVES:
		return (struct panel_size){ { least, all, all,
					      framed ? title + TALL_ROWS * count : 0 } };
	case PANEL_TALL:
		return (struct panel_size){ { title + 4, title + 8 * count, title + 16 * count } };
	case PANEL_BARS: return (struct panel_size){ { least, enough, all, grown } };
	case PANEL_FACTS:
		grown = fact_columns(columns);
		grown = count + ((int)panel->minor + grown - 1) / grown;
		return (struct panel_size){ { 1, count, count, framed ? grown : 0 } };
	case PANEL_FLAME: {
		int levels = flame_levels(panel->plot->flame, columns - 2);
		grown = framed ? title + at_most(levels * FLAME_ROWS, FLAME_LEVELS) : 0;
		if (panel->band == BAND_FLAME)
			return (struct panel_size){ { title + at_most(levels, 4), 0, 0, grown } };
		return (struct panel_size){ { title + at_most(levels, 4),
					      title + at_most(levels, 10),
					      title + at_most(levels, FLAME_LEVELS), grown } };
	}
	}
	return (struct panel_size){ { 0, 0, 0 } };
}

int panel_wants(const struct panel *panel, struct grid *grid, int even)
{
	enum { LABEL_LONG = 60, REST_MIN = 14 };
	struct pen pen = { .panel = panel, .grid = grid };
	if (panel->kind != PANEL_BARS)
		return even;
	measure_lines(&pen);
	int wants = at_most(pen.label, LABEL_LONG) * 3 / 2 + pen.value + pen.extra + REST_MIN;
	return wants > EXTRA_FROM ? wants : EXTRA_FROM + 1;
}

void panel_draw(const struct dashboard *dashboard, size_t index, struct grid *grid,
		struct dashboard_rect rect, bool framed, struct dashboard_stops *stops)
{
	static void (*const draw[])(struct pen * pen) = { PANEL_DRAW };
	static void (*const lines[])(struct pen * pen, size_t index) = { PANEL_DRAW_LINE };
	const struct panel *panel = &dashboard->panels[index];
	bool titled = (panel->kind != PANEL_FACTS || framed) && rect.rows > 1;
	int edge = framed && titled;
	struct dashboard_rect inside = { rect.row + titled, rect.column, rect.rows - titled - edge,
					 rect.columns - edge }; /* the cursor is on the frame */
	struct pen pen = { dashboard, index, panel, grid, inside, stops, edge, 1, rect.row };
	if (titled)
		draw_title(&pen, rect);
	pen.row = inside.row;
	measure_lines(&pen);
	if (panel->kind < sizeof draw / sizeof *draw && draw[panel->kind])
		draw[panel->kind](&pen);
	else
		draw_lines(&pen, lines[panel->kind], 0);
}

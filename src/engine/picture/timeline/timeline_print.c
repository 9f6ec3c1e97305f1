/*
 * The timeline as a report: text or SVG.
 */
#include "base/any_of.h"
#include "base/error.h"
#include "base/number.h"
#include "picture/grid_svg.h"
#include "picture/picture.h"
#include "picture/timeline/timeline.h"

enum { GUTTER_MAX = 32, GUTTER_MIN = 8, COLUMNS_MIN = 20, COLUMNS_MAX = 4096 };

struct sheet {
	struct grid grid;
	const struct timeline *timeline;
	const struct timeline_line *lines;
	size_t count;
	struct timeline_window window;
	struct timeline_style style;
	bool letters; /* rows of letters tell the kinds, which colors tell in an SVG */
	int row;      /* of the grid, the next to draw */
};

static void lay_out_sheet(struct sheet *sheet, int64_t from, int64_t to, int width)
{
	int gutter = GUTTER_MIN;
	width = width < COLUMNS_MIN ? COLUMNS_MIN : width > COLUMNS_MAX ? COLUMNS_MAX : width;
	grid_resize(&sheet->grid, 1, width);
	sheet->grid.ascii = sheet->style.ascii;
	for (size_t i = 0; i < sheet->count; i++) {
		const char *label = timeline_label(sheet->timeline, &sheet->lines[i]);
		int columns = grid_width(&sheet->grid, label, strlen(label));
		gutter = columns > gutter ? columns : gutter;
	}
	gutter = gutter > GUTTER_MAX ? GUTTER_MAX : gutter;
	gutter = (gutter > width / 3 ? width / 3 : gutter) + 2;
	sheet->window = (struct timeline_window){
		.from = from, .to = to, .column = gutter + 1, .columns = width - gutter - 2
	};
	if (to - from < 2 * sheet->window.columns)
		sheet->window.to = from + 2 * sheet->window.columns;
}

static void frame(struct sheet *sheet, const char *label, char letter)
{
	int gutter = sheet->window.column - 1, row = sheet->row;
	grid_field(&sheet->grid, row, 0, gutter - 2, ROLE_TEXT, GRID_LEFT, label, strlen(label));
	grid_put(&sheet->grid, row, gutter - 1, 1, ROLE_TEXT, &letter, 1);
	grid_rule(&sheet->grid, row, sheet->window.column - 1, 1, true);
	grid_rule(&sheet->grid, row, sheet->window.column + sheet->window.columns, 1, true);
}

static bool has_letters(const struct sheet *sheet, size_t line)
{
	return sheet->letters && timeline_has_letters(sheet->timeline, sheet->lines[line].lane);
}

static int rows_needed(const struct sheet *sheet)
{
	int rows = 1;
	for (size_t i = 0; i < sheet->count; i++)
		rows += 1 + has_letters(sheet, i);
	return rows;
}

static void draw_lines(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++) {
		const struct timeline_line *line = &sheet->lines[i];
		frame(sheet, timeline_label(sheet->timeline, line),
		      sheet->letters ? timeline_letter(sheet->timeline, line->lane) : ' ');
		timeline_draw_lane(&sheet->grid, sheet->row++, sheet->timeline, line->lane,
				   &sheet->window, &sheet->style);
		if (!has_letters(sheet, i))
			continue;
		frame(sheet, "", ' ');
		timeline_draw_letters(&sheet->grid, sheet->row++, sheet->timeline, line->lane,
				      &sheet->window);
	}
}

static void add_scale(const struct sheet *sheet, struct buffer *out)
{
	char text[NUMBER_MAX];
	buffer_printf(out, "Each cell is %s. ",
		      number_duration(text, (sheet->window.to - sheet->window.from) /
						    sheet->window.columns));
	buffer_puts(out, sheet->style.ascii
				 ? "@ one event fills it; busy: # 3/4 and more, = 1/2, - 1/4, "
				   ". less"
				 : "█ one event fills it; ▓ many do; ▁ to ▇ eighths busy");
	buffer_puts(out, "; blank: idle.");
}

static void add_clocks(const struct sheet *sheet, const char *before, const char *after,
		       struct buffer *out)
{
	const struct lane *lanes = sheet->timeline->lanes->lane;
	if (!any_of(i, sheet->count, lanes[sheet->lines[i].lane].kind == LANE_RANK))
		return;
	buffer_printf(out, "%sOther ranks: ", before);
	timeline_ranks_note(sheet->timeline, out);
	buffer_printf(out, ".%s", after);
}

static void print_legend(const struct sheet *sheet, struct buffer *out)
{
	unsigned groups = timeline_groups(sheet->timeline, sheet->lines, sheet->count);
	const char *before = "Letters mark the main kind: ";
	add_scale(sheet, out);
	buffer_putc(out, '\n');
	for (int group = 0; group < LANE_GROUPS; group++) {
		if (!(groups & 1U << group))
			continue;
		buffer_printf(out, "%s%c %s%s", before, lane_group_letter((enum lane_group)group),
			      lane_group_name((enum lane_group)group),
			      group < GROUPS_PLAIN ? "" : " in the backward pass");
		before = ", ";
	}
	if (groups)
		buffer_puts(out, ".\n");
	add_clocks(sheet, "", "\n", out);
}

/* In the last rows of the grid. */
static void draw_color_rows(struct sheet *sheet)
{
	unsigned groups = timeline_groups(sheet->timeline, sheet->lines, sheet->count);
	AUTO_BUFFER struct buffer scale = { 0 };
	int columns = sheet->grid.columns, at = 0;
	add_scale(sheet, &scale);
	add_clocks(sheet, " ", "", &scale);
	grid_puts(&sheet->grid, sheet->row++, 0, columns, ROLE_DIM, buffer_text(&scale));
	for (int group = 0; group < GROUPS_PLAIN; group++) {
		int role = timeline_role((enum lane_group)group);
		if (!(lane_groups_plain(groups) & 1U << group))
			continue;
		at += grid_puts(&sheet->grid, sheet->row, at, columns - at, role,
				sheet->style.ascii ? "# " : "█ ");
		at += grid_puts(&sheet->grid, sheet->row, at, columns - at, ROLE_TEXT,
				lane_group_name((enum lane_group)group)) +
		      2;
	}
}

void timeline_print(const struct timeline *timeline, const struct timeline_line *lines,
		    size_t count, int64_t from, int64_t to, int width, unsigned how,
		    struct buffer *out)
{
	enum { LEGEND_ROWS = 2 };
	bool svg = how & TIMELINE_SVG;
	struct sheet sheet = { .timeline = timeline,
			       .lines = lines,
			       .count = count,
			       .style = { .ascii = how & TIMELINE_ASCII, .labels = true },
			       .letters = !svg };
	lay_out_sheet(&sheet, from, to, width);
	grid_resize(&sheet.grid, rows_needed(&sheet) + (svg ? LEGEND_ROWS : 0), sheet.grid.columns);
	frame(&sheet, "", ' ');
	timeline_draw_ruler(&sheet.grid, sheet.row++, &sheet.window);
	draw_lines(&sheet);
	if (svg) {
		draw_color_rows(&sheet);
		struct grid_inks inks = grid_inks_of_report();
		grid_svg(&sheet.grid, &inks, out);
	} else {
		sheet.grid.color = how & TIMELINE_COLOR;
		grid_dump(&sheet.grid, out);
		print_legend(&sheet, out);
	}
	grid_free(&sheet.grid);
}

/* ---- a report ---- */

static bool prepare_lines(struct timeline *timeline, const struct timeline_line *lines,
			  size_t count, const struct picture_query *query)
{
	AUTO_FREE uint32_t *lanes = mem_alloc((count + 1) * sizeof *lanes);
	for (size_t i = 0; i < count; i++)
		lanes[i] = lines[i].lane;
	return timeline_prepare(timeline, lanes, count, query->progress, query->error);
}

static bool print(const struct picture_query *query, struct buffer *out)
{
	struct timeline *timeline =
		timeline_new(query->run, query->scope, query->progress, query->error);
	int64_t from, to;
	size_t count, fixed;
	if (!timeline)
		return false;
	/* reports show annotations and operators of every thread */
	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].fold == TIMELINE_FOLDED)
			timeline->tracks[i].fold = TIMELINE_OPEN;
	struct timeline_line *lines =
		timeline_lines(timeline, timeline->tracks, timeline->track_count, &count, &fixed);
	bool good = timeline_bounds(timeline, query->scope, &from, &to, query->error) &&
		    prepare_lines(timeline, lines, count, query);
	if (good)
		timeline_print(timeline, lines, count, from, to, query->width,
			       (query->svg ? TIMELINE_SVG : 0) |
				       (query->ascii ? TIMELINE_ASCII : 0) |
				       (query->color ? TIMELINE_COLOR : 0),
			       out);
	mem_free(lines);
	timeline_free(timeline);
	return good;
}

const struct picture picture_timeline = {
	.name = "timeline",
	.title = "Timeline",
	.summary = "Threads and streams over time, with steps, annotations and GPU utilization.",
	.key = '5',
	.has_svg = true,
	.print = print,
};

/*
 * The timeline as a text report.
 */
#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/number.h"
#include "picture/picture.h"
#include "picture/role.h"
#include "picture/timeline/timeline.h"

#include <string.h>

enum { GUTTER_MAX = 32, GUTTER_MIN = 8, COLUMNS_MIN = 20, COLUMNS_MAX = 4096 };

struct sheet {
	struct grid grid;
	const struct timeline *timeline;
	const struct timeline_line *lines;
	size_t count;
	struct timeline_window window;
	struct timeline_style style;
	struct buffer *out;
};

static void lay_out(struct sheet *sheet, int64_t from, int64_t to, int width)
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

/* Flush the single grid row as a line of text. */
static void flush(struct sheet *sheet)
{
	grid_row_text(&sheet->grid, 0, sheet->out);
	buffer_putc(sheet->out, '\n');
	grid_clear(&sheet->grid);
}

static void frame(struct sheet *sheet, const char *label, char letter)
{
	int gutter = sheet->window.column - 1;
	grid_field(&sheet->grid, 0, 0, gutter - 2, ROLE_TEXT, GRID_LEFT, label, strlen(label));
	grid_put(&sheet->grid, 0, gutter - 1, 1, ROLE_TEXT, &letter, 1);
	grid_puts(&sheet->grid, 0, sheet->window.column - 1, 1, ROLE_BORDER, "|");
	grid_puts(&sheet->grid, 0, sheet->window.column + sheet->window.columns, 1, ROLE_BORDER,
		  "|");
}

static void print_lines(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++) {
		const struct timeline_line *line = &sheet->lines[i];
		frame(sheet, timeline_label(sheet->timeline, line),
		      timeline_letter(sheet->timeline, line->lane));
		timeline_draw_lane(&sheet->grid, 0, sheet->timeline, line->lane, &sheet->window,
				   &sheet->style);
		flush(sheet);
		if (!timeline_has_letters(sheet->timeline, line->lane))
			continue;
		frame(sheet, "", ' ');
		timeline_draw_letters(&sheet->grid, 0, sheet->timeline, line->lane, &sheet->window);
		flush(sheet);
	}
}

static void print_legend(struct sheet *sheet)
{
	char text[NUMBER_MAX];
	buffer_printf(sheet->out, "Each cell is %s. ",
		      number_duration(text, (sheet->window.to - sheet->window.from) /
						    sheet->window.columns));
	buffer_puts(sheet->out,
		    sheet->style.ascii
			    ? "@ one event fills it; busy: # 3/4 and more, = 1/2, - 1/4, "
			      ". less"
			    : "█ one event fills it; ▓ many do; ▁ to ▇ eighths busy");
	buffer_puts(sheet->out, "; blank: idle.\nLetters mark the main kind:");
	for (int group = 0; group < LANE_GROUPS; group++)
		buffer_printf(sheet->out, "%s %c %s", group ? "," : "",
			      lane_group_letter((enum lane_group)group),
			      lane_group_name((enum lane_group)group));
	buffer_puts(sheet->out, ".\n");
}

void timeline_print(const struct timeline *timeline, const struct timeline_line *lines,
		    size_t count, int64_t from, int64_t to, int width, bool ascii,
		    struct buffer *out)
{
	struct sheet sheet = { .timeline = timeline,
			       .lines = lines,
			       .count = count,
			       .style = { .ascii = ascii, .labels = true },
			       .out = out };
	lay_out(&sheet, from, to, width);
	frame(&sheet, "", ' ');
	timeline_draw_ruler(&sheet.grid, 0, &sheet.window);
	flush(&sheet);
	print_lines(&sheet);
	print_legend(&sheet);
	grid_free(&sheet.grid);
}

/* ---- a report ---- */

/* Reports show annotations and operators of every thread. */
static void unfold(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].fold == TIMELINE_FOLDED)
			timeline->tracks[i].fold = TIMELINE_OPEN;
}

static bool prepare(struct timeline *timeline, const struct timeline_line *lines, size_t count,
		    const struct picture_query *query)
{
	uint32_t *lanes = mem_alloc((count + 1) * sizeof *lanes);
	for (size_t i = 0; i < count; i++)
		lanes[i] = lines[i].lane;
	bool good = timeline_prepare(timeline, lanes, count, query->progress, query->error);
	mem_free(lanes);
	return good;
}

static bool print(const struct picture_query *query, struct buffer *out)
{
	struct timeline *timeline =
		timeline_new(query->run, query->scope, query->progress, query->error);
	int64_t from, to;
	size_t count, fixed;
	if (!timeline)
		return false;
	unfold(timeline);
	struct timeline_line *lines =
		timeline_lines(timeline, timeline->tracks, timeline->track_count, &count, &fixed);
	bool good = timeline_bounds(timeline, query->scope, &from, &to, query->error) &&
		    prepare(timeline, lines, count, query);
	if (good)
		timeline_print(timeline, lines, count, from, to, query->width, query->ascii, out);
	mem_free(lines);
	timeline_free(timeline);
	return good;
}

const struct picture picture_timeline = {
	.name = "timeline",
	.title = "Timeline",
	.summary = "Threads and streams over time, with steps, annotations and GPU utilization.",
	.key = '5',
	.print = print,
};

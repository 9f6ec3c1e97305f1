/*
 * The timeline as text.
 */
#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/number.h"
#include "picture/picture.h"
#include "picture/role.h"
#include "picture/timeline.h"

#include <string.h>

enum { GUTTER_MOST = 32, GUTTER_LEAST = 8, COLUMNS_LEAST = 20, COLUMNS_MOST = 4096 };

struct sheet {
	struct grid grid;
	struct timeline *timeline;
	int64_t begin, end;
	struct timeline_line *lines;
	size_t count;
	struct timeline_window window;
	struct timeline_style style;
	struct buffer *out;
};

static void lay_out(struct sheet *sheet, int width)
{
	const struct timeline *timeline = sheet->timeline;
	size_t fixed;
	int gutter = GUTTER_LEAST;
	width = width < COLUMNS_LEAST ? COLUMNS_LEAST : width > COLUMNS_MOST ? COLUMNS_MOST : width;
	sheet->lines = timeline_lines(timeline, timeline->tracks, timeline->track_count,
				      &sheet->count, &fixed);
	grid_resize(&sheet->grid, 1, width);
	sheet->grid.ascii = sheet->style.ascii;
	for (size_t i = 0; i < sheet->count; i++) {
		const char *label = timeline_label(timeline, &sheet->lines[i]);
		int columns = grid_width(&sheet->grid, label, strlen(label));
		gutter = columns > gutter ? columns : gutter;
	}
	gutter = gutter > GUTTER_MOST ? GUTTER_MOST : gutter;
	gutter = (gutter > width / 3 ? width / 3 : gutter) + 2;
	sheet->window = (struct timeline_window){
		.from = sheet->begin, .to = sheet->end,
		.column = gutter + 1, .columns = width - gutter - 2,
	};
	if (sheet->window.to - sheet->window.from < 2 * sheet->window.columns)
		sheet->window.to = sheet->window.from + 2 * sheet->window.columns;
}

/* The one row of the grid, as a line of text. */
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
		timeline_draw_letters(&sheet->grid, 0, sheet->timeline, line->lane,
				      &sheet->window);
		flush(sheet);
	}
}

static void print_legend(struct sheet *sheet)
{
	char text[NUMBER_MAX];
	buffer_printf(sheet->out, "A cell is %s. ",
		      number_duration(text, (sheet->window.to - sheet->window.from) /
						    sheet->window.columns));
	buffer_puts(sheet->out, sheet->style.ascii
					? "@ one event fills it; busy: # 3/4 and more, = 1/2, - 1/4, "
					  ". less"
					: "█ one event fills it; ▓ many do; ▁ to ▇ eighths busy");
	buffer_puts(sheet->out, "; blank: idle.\nMost of it is");
	for (int group = 0; group < LANE_GROUPS; group++)
		buffer_printf(sheet->out, "%s %c %s", group ? "," : "",
			      lane_group_letter((enum lane_group)group),
			      lane_group_name((enum lane_group)group));
	buffer_puts(sheet->out, ".\n");
}

static bool prepare(struct sheet *sheet, const struct picture_query *query)
{
	uint32_t *lanes = mem_alloc((sheet->count + 1) * sizeof *lanes);
	for (size_t i = 0; i < sheet->count; i++)
		lanes[i] = sheet->lines[i].lane;
	bool good = timeline_prepare(sheet->timeline, lanes, sheet->count, query->progress,
				     query->error);
	mem_free(lanes);
	return good;
}

/* A text shows every thread as far as its annotations and operators go. */
static void unfold(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].fold == TIMELINE_FOLDED)
			timeline->tracks[i].fold = TIMELINE_OPEN;
}

static void print_all(struct sheet *sheet)
{
	frame(sheet, "", ' ');
	timeline_draw_ruler(&sheet->grid, 0, &sheet->window);
	flush(sheet);
	print_lines(sheet);
	print_legend(sheet);
}

static bool print(const struct picture_query *query, struct buffer *out)
{
	struct sheet sheet = {
		.timeline = timeline_new(query->run, query->scope, query->progress, query->error),
		.style = { .ascii = query->ascii, .labels = true },
		.out = out,
	};
	if (!sheet.timeline)
		return false;
	bool good = timeline_bounds(sheet.timeline, query->scope, &sheet.begin, &sheet.end,
				    query->error);
	if (good) {
		unfold(sheet.timeline);
		lay_out(&sheet, query->width);
		good = prepare(&sheet, query);
	}
	if (good)
		print_all(&sheet);
	mem_free(sheet.lines);
	grid_free(&sheet.grid);
	timeline_free(sheet.timeline);
	return good;
}

const struct picture picture_timeline = {
	.name = "timeline",
	.title = "Timeline",
	.summary = "What ran when: a line for each thread and stream, level by level, with steps, "
		   "annotations and how busy each device was.",
	.key = '5',
	.print = print,
};

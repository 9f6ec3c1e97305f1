/*
 * Flame graphs as pictures (SVG), as py-spy, inferno and flamegraph.pl draw them: each frame is a
 * box whose title says its name and samples, next to the row of the box that called it.
 */
#include "base/compare.h"
#include "base/platform.h"
#include "input/python/collapsed.h"
#include "input/readers.h"
#include "input/text_lines.h"
#include "model/python_stats.h"

#include <math.h>
#include <stdlib.h>

struct box {
	double row, from, width; /* row: of pixels, later from the outermost frame */
	int64_t count, inside;   /* samples; those of the boxes that it called */
	uint32_t label, frame;
};

COMPARE_MEMBERS(compare_boxes, struct box, UP(row) UP(from))

static bool flame_svg_recognize(const char *head, size_t length)
{
	struct text_slice text = { head, length };
	return slice_find(text, "<svg") && slice_find(text, "Flame graph stack visualization");
}

/* NAME in a text of XML, without its entities. */
static uint32_t intern_name(struct profile *profile, struct text_slice name)
{
	static const char *const entities[] = {
		"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&apos;"
	};
	AUTO_BUFFER struct buffer plain = { 0 };
	while (name.length) {
		size_t i = 0, count = sizeof entities / sizeof *entities;
		while (i < count && !slice_skip(&name, entities[i]))
			i++;
		buffer_putc(&plain, i < count ? "&<>\"''"[i] : *name.text);
		if (i == count)
			name = slice_from(name, name.text + 1);
	}
	return intern_add(profile->strings, buffer_text(&plain), plain.length);
}

/* "name (1,234 samples, 5.67%)"; the word after the number is its unit. */
static bool read_title(struct profile *profile, struct text_slice title, struct box *box,
		       enum weights *weights)
{
	double count;
	const char *open = platform_memrchr(title.text, '(', title.length);
	struct text_slice said = slice_from(title, open ? open + 1 : title.text);
	struct text_slice number = slice_next(&said);
	if (!open || open < title.text + 2 || !slice_commas(number, &count) || !(count >= 0) ||
	    count > 1e18)
		return false;
	box->count = (int64_t)count;
	*weights = slice_begins(slice_trim(said), "bytes") ? WEIGHTS_BYTES
		   : slice_begins(slice_trim(said), "us")  ? WEIGHTS_US
							   : WEIGHTS_SAMPLES;
	box->label = intern_name(profile, slice_until(title, open - 1));
	return true;
}

/* NaN when absent. */
static double attribute_of(struct text_slice tag, const char *name)
{
	const char *at = slice_find(tag, name);
	return at ? strtod(at + strlen(name), NULL) : NAN;
}

/* Where the box is: in samples, as inferno also says, or in pixels. */
static bool read_place(struct text_slice group, struct box *box)
{
	const char *at = slice_find(group, "<rect ");
	struct text_slice tag = slice_from(group, at ? at : group.text);
	const char *end = memchr(tag.text, '>', tag.length);
	tag = slice_until(tag, end ? end : tag.text);
	box->row = attribute_of(tag, " y=\"");
	box->from = attribute_of(tag, " fg:x=\"");
	box->width = attribute_of(tag, " fg:w=\"");
	if (!isfinite(box->from) || !isfinite(box->width)) {
		box->from = attribute_of(tag, " x=\"");
		box->width = attribute_of(tag, " width=\"");
	}
	return isfinite(box->row) && isfinite(box->from) && isfinite(box->width);
}

/* The row of the outermost frames is that of the first or last pixels in which more is covered. */
static void find_rows(struct box *boxes, size_t count)
{
	double first = INFINITY, last = -INFINITY, covered = 0;
	for (size_t i = 0; i < count; i++) {
		first = fmin(first, boxes[i].row);
		last = fmax(last, boxes[i].row);
	}
	for (size_t i = 0; i < count; i++)
		covered += boxes[i].row == last    ? boxes[i].width
			   : boxes[i].row == first ? -boxes[i].width
						   : 0;
	for (size_t i = 0; i < count; i++)
		boxes[i].row = fabs(boxes[i].row - (covered >= 0 ? last : first));
	qsort(boxes, count, sizeof *boxes, compare_boxes);
}

/* The box around the middle of ONE among those of the row before, from *AT, which advances, to END;
   NULL. */
static struct box *caller_of(struct box *boxes, const struct box *one, size_t *at, size_t end)
{
	double middle = one->from + one->width / 2;
	while (*at + 1 < end && boxes[*at + 1].from <= middle)
		++*at;
	struct box *caller = &boxes[*at];
	bool is = *at < end && caller->from <= middle && middle <= caller->from + caller->width;
	return is ? caller : NULL;
}

static void add_boxes(struct profile *profile, struct box *boxes, size_t count,
		      enum weights weights)
{
	uint32_t all = intern_add(profile->strings, "all", 3);
	size_t row = 0, before = 0; /* where the row and the one before it begin */
	for (size_t i = 0, at = 0; i < count; i++) {
		if (i && boxes[i].row > boxes[i - 1].row) {
			at = before = row;
			row = i;
		}
		struct box *caller = row ? caller_of(boxes, &boxes[i], &at, row) : NULL;
		if (caller)
			caller->inside += boxes[i].count;
		boxes[i].frame = !row && boxes[i].label == all
					 ? NO_ROW
					 : stacks_frame(profile, boxes[i].label,
							caller ? caller->frame : NO_ROW);
	}
	for (size_t i = 0; i < count; i++)
		if (boxes[i].count > boxes[i].inside)
			stacks_add(profile, boxes[i].frame, boxes[i].count - boxes[i].inside,
				   weights);
}

static bool read_flame_svg(struct input *input)
{
	static const char title[] = "<title>";
	struct profile *profile = input->profile;
	struct text_slice text = { buffer_text(&input->text), input->text.length };
	AUTO_FREE struct box *boxes = NULL;
	size_t count = 0;
	enum weights weights = WEIGHTS_SAMPLES;
	for (const char *at = slice_find(text, title); at; at = slice_find(text, title)) {
		text = slice_from(text, at + strlen(title));
		const char *next = slice_find(text, title);
		struct text_slice group = next ? slice_until(text, next) : text;
		const char *end = slice_find(group, "</title>");
		struct box box = { 0 };
		if (end && read_place(group, &box) &&
		    read_title(profile, slice_until(group, end), &box, &weights))
			*mem_push(boxes, count) = box;
		text = slice_from(text, group.text + group.length);
	}
	stacks_begin(profile, weights);
	if (count)
		find_rows(boxes, count);
	add_boxes(profile, boxes, count, weights);
	profile->events = profile->python->sample_count;
	return true;
}

const struct reader flame_svg_reader = { .format = "Flame graph (SVG)",
					 .recognize = flame_svg_recognize,
					 .text_max = SOURCE_TEXT_MAX,
					 .read = read_flame_svg,
					 .empty = "is a flame graph without frames" };

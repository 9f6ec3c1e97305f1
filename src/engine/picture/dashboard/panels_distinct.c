/*
 * Tells lines of one label apart: functions by their places, gaps by their devices, stacks by their
 * callers.
 */
#include "base/platform.h"
#include "base/text.h"
#include "model/frame_name.h"
#include "model/python_stats.h"
#include "picture/dashboard/panels.h"

#include <inttypes.h>

/* Bit i: another line of the panel has the label of line i and, unless NULL, another of CALLERS. */
static uint64_t repeated_lines(const struct panel *panel, const struct text_slice *callers)
{
	uint64_t repeated = 0;
	_Static_assert(TOP_MAX <= 64, "a bit for each line");
	for (size_t i = 0; i < panel->count; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(panel->lines[i].label, panel->lines[j].label) &&
			    (!callers || callers[i].length != callers[j].length ||
			     memcmp(callers[i].text, callers[j].text, callers[i].length) != 0))
				repeated |= UINT64_C(1) << i | UINT64_C(1) << j;
	return repeated;
}

/* ---- functions ---- */

/* "bpe.py(134): __lt__" */
static const char *place_label(struct dashboard_work *work, const struct table *table, size_t row,
			       const char *name)
{
	const char *file = panel_copy(work, table_cell(table, row, "file"));
	const char *line = panel_cell(work, table, row, table_need(table, "line"));
	if (!*file || !*line || python_is_builtin_file(file, strlen(file)))
		return name;
	return panel_text(work, "%s(%s): %s", text_file_name(file), line, name);
}

void panel_add_places(struct dashboard_work *work, struct panel *panel, const struct table *table,
		      const size_t *rows)
{
	uint64_t repeated = repeated_lines(panel, NULL);
	for (size_t i = 0; i < panel->count; i++)
		if (repeated >> i & 1)
			panel->lines[i].label =
				place_label(work, table, rows[i], panel->lines[i].label);
}

/* ---- devices ---- */

void panel_add_devices(struct dashboard_work *work, struct panel *panel, const struct table *table,
		       const size_t *rows)
{
	const char *devices[TOP_MAX];
	bool several = false;
	for (size_t i = 0; i < panel->count; i++) {
		devices[i] = panel_copy(work, table_cell(table, rows[i], "device"));
		several |= strcmp(devices[i], devices[0]) != 0;
	}
	for (size_t i = 0; several && i < panel->count; i++)
		if (*devices[i])
			panel->lines[i].label =
				panel_text(work, "%s %s", devices[i], panel->lines[i].label);
}

/* ---- stacks ---- */

/* The innermost frame before END of a collapsed stack ("root;caller;innermost"); length 0: none. */
static struct text_slice frame_before(const char *stack, const char *end)
{
	const char *start = end;
	while (start > stack && start[-1] != ';')
		start--;
	return (struct text_slice){ start, (size_t)(end - start) };
}

static struct text_slice caller_of(const char *stack, struct text_slice frame)
{
	return frame_before(stack, frame.text > stack ? frame.text - 1 : stack);
}

/* The innermost frame with a symbol ("[libcuda.so]" has none), else the innermost. */
static struct text_slice innermost_frame(const char *stack)
{
	struct text_slice last = frame_before(stack, stack + strlen(stack)), frame = last;
	while (frame.length && *frame.text == '[')
		frame = caller_of(stack, frame);
	return frame.length ? frame : last;
}

/* "resnet.py(141): forward", "<built-in conv2d of type>" */
static const char *frame_label(struct dashboard_work *work, struct text_slice frame)
{
	enum { FRAME_COLUMNS = 48 };
	struct frame_name parts;
	frame_name_split(&parts, frame.text, frame.length);
	if (parts.file.length && parts.line != NO_VALUE) {
		const char *slash = platform_memrchr(parts.file.text, '/', parts.file.length);
		const char *file = slash ? slash + 1 : parts.file.text;
		return panel_text(work, "%.*s(%" PRId64 "): %.*s",
				  (int)(parts.file.text + parts.file.length - file), file,
				  parts.line, (int)parts.function.length, parts.function.text);
	}
	if (*frame.text != '<') {
		size_t folders = text_folders(frame.text, frame.length);
		return panel_text(work, "%.*s", (int)(frame.length - folders),
				  frame.text + folders);
	}
	AUTO_BUFFER struct buffer text = { 0 };
	text_elide(&text, frame.text, frame.length, FRAME_COLUMNS, true);
	return panel_text(work, "%s", buffer_text(&text));
}

const char *panel_innermost(struct dashboard_work *work, const char *stack)
{
	return frame_label(work, innermost_frame(stack));
}

static size_t frame_count(const char *stack)
{
	size_t count = 1;
	for (; (stack = strchr(stack, ';')); stack++)
		count++;
	return count;
}

void panel_add_callers(struct dashboard_work *work, struct panel *panel, const struct table *table,
		       const size_t *rows)
{
	enum { FRAMES_MAX = 256 };
	const char *stacks[TOP_MAX];
	struct text_slice callers[TOP_MAX];
	for (size_t i = 0; i < panel->count; i++) {
		stacks[i] = panel_copy(work, table_cell(table, rows[i], "stack"));
		callers[i] = innermost_frame(stacks[i]);
	}
	for (int depth = 0; depth < FRAMES_MAX && repeated_lines(panel, NULL); depth++) {
		for (size_t i = 0; i < panel->count; i++)
			callers[i] = caller_of(stacks[i], callers[i]);
		uint64_t differing = repeated_lines(panel, callers);
		for (size_t i = 0; i < panel->count; i++)
			if (differing >> i & 1 && callers[i].length)
				panel->lines[i].label =
					panel_text(work, "%s < %s", panel->lines[i].label,
						   frame_label(work, callers[i]));
	}
	uint64_t repeated = repeated_lines(panel, NULL); /* frames without symbols alone differ */
	for (size_t i = 0; i < panel->count; i++)
		if (repeated >> i & 1)
			panel->lines[i].label =
				panel_text(work, "%s, %zu frames", panel->lines[i].label,
					   frame_count(stacks[i]));
}

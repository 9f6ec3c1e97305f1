/*
 * The order of the entries of the detail strip: identity, time, launch, data.
 */
#include "base/buffer.h"
#include "base/mem.h"
#include "tui/widget/strip.h"

#include <string.h>

enum group { GROUP_IDENTITY, GROUP_TIME, GROUP_LAUNCH, GROUP_DATA, GROUP_OTHER, GROUPS };

/* Labels of view_detail and titles of columns; a label starts with the text. */
static const struct {
	const char *label;
	enum group group;
	int columns; /* of most values: what follows keeps its place from row to row */
} labels[] = {
	{ "Name", GROUP_IDENTITY, 0 },
	{ "Kind", GROUP_IDENTITY, 0 },
	{ "Path", GROUP_IDENTITY, 0 },
	{ "Layer", GROUP_IDENTITY, 0 },
	{ "Line", GROUP_IDENTITY, 0 },
	{ "Forward Line", GROUP_IDENTITY, 0 },
	{ "Function", GROUP_IDENTITY, 0 },
	{ "File", GROUP_IDENTITY, 0 },
	{ "Pass", GROUP_IDENTITY, 0 },
	{ "Op Name", GROUP_IDENTITY, 0 },
	{ "Start", GROUP_TIME, 9 },
	{ "End", GROUP_TIME, 9 },
	{ "Duration", GROUP_TIME, 9 },
	{ "Self", GROUP_TIME, 9 },
	{ "Total", GROUP_TIME, 9 },
	{ "CPU", GROUP_TIME, 0 },
	{ "GPU", GROUP_TIME, 0 },
	{ "Overhead", GROUP_TIME, 0 },
	{ "Idle", GROUP_TIME, 0 },
	{ "Calls", GROUP_TIME, 0 },
	{ "Share", GROUP_TIME, 0 },
	{ "Grid", GROUP_LAUNCH, 12 },
	{ "Block", GROUP_LAUNCH, 12 },
	{ "Regs", GROUP_LAUNCH, 3 },
	{ "Shared Mem", GROUP_LAUNCH, 10 },
	{ "Blocks/SM", GROUP_LAUNCH, 8 },
	{ "Warps/SM", GROUP_LAUNCH, 8 },
	{ "Occupancy", GROUP_LAUNCH, 5 },
	{ "Queue Delay", GROUP_LAUNCH, 9 },
	{ "Launched By", GROUP_LAUNCH, 0 },
	{ "Launch Call", GROUP_LAUNCH, 0 },
	{ "Lane", GROUP_LAUNCH, 14 },
	{ "Operator", GROUP_LAUNCH, 0 },
	{ "Forward", GROUP_LAUNCH, 0 },
	{ "Backward", GROUP_LAUNCH, 0 },
	{ "Kernels", GROUP_LAUNCH, 0 },
	{ "Tensor Cores", GROUP_LAUNCH, 0 },
	{ "TC", GROUP_LAUNCH, 3 },
	{ "Data", GROUP_DATA, 0 },
	{ "CPU Mem", GROUP_DATA, 10 },
	{ "GPU Mem", GROUP_DATA, 10 },
	{ "Input Shapes", GROUP_DATA, 0 },
	{ "Input Types", GROUP_DATA, 0 },
	{ "FLOPs", GROUP_DATA, 0 },
	{ "FLOP/s", GROUP_DATA, 0 },
	{ "Bytes", GROUP_DATA, 0 },
	{ "% of Peak", GROUP_DATA, 0 },
	{ "Intensity", GROUP_DATA, 0 },
};

/* Figures of the spread of calls come last. */
static bool is_spread(const char *label, size_t length)
{
	static const char *const ends[] = { "Mean", "Min", "Max", "StdDev", "Median" };
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t size = strlen(ends[i]);
		if (size <= length && !strncmp(label + length - size, ends[i], size))
			return true;
	}
	return false;
}

static enum group group_of(const char *label, size_t length, int *columns)
{
	enum group best = GROUP_OTHER;
	size_t longest = 0;
	*columns = 0;
	if (is_spread(label, length))
		return GROUP_OTHER;
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		size_t size = strlen(labels[i].label);
		if (size <= length && size > longest && !strncmp(labels[i].label, label, size)) {
			best = labels[i].group;
			*columns = labels[i].columns;
			longest = size;
		}
	}
	return best;
}

/* The list of arguments in full, which Data has in short. */
static bool is_long_form(const struct buffer *text, const char *label, size_t length)
{
	static const char *const forms[] = { "Input Shapes", "Input Types", "Strides", "Inputs" };
	if (!strstr(buffer_text(text), "\nData\t"))
		return false;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strlen(forms[i]) == length && !strncmp(forms[i], label, length))
			return true;
	return false;
}

void strip_drop_long_forms(struct buffer *text)
{
	struct buffer kept = { 0 };
	for (const char *line = buffer_text(text); *line;) {
		size_t length = strcspn(line, "\n"), label = strcspn(line, "\t\n");
		if (!is_long_form(text, line, label))
			buffer_printf(&kept, "%.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	buffer_free(text);
	*text = kept;
}

void strip_group(struct buffer *text, strip_shows *shows, const struct pane *pane)
{
	struct buffer grouped = { 0 };
	const char *second = strstr(buffer_text(text), "\n\n"); /* of two rows, one after another */
	if (second && second[2])
		return;
	for (int group = 0; group < GROUPS; group++) {
		bool first = true;
		for (const char *line = buffer_text(text); *line;) {
			size_t length = strcspn(line, "\n"), label = strcspn(line, "\t\n");
			int columns, text_length = (int)(length - label) - 1;
			if (group_of(line, label, &columns) == (enum group)group &&
			    !shows(pane, line, label)) {
				if (first)
					buffer_putc(&grouped, STRIP_GROUP);
				first = false;
				buffer_printf(&grouped, "%.*s%*s\n", (int)length, line,
					      columns > text_length ? columns - text_length : 0,
					      "");
			}
			line += length + (line[length] == '\n');
		}
	}
	buffer_free(text);
	*text = grouped;
}

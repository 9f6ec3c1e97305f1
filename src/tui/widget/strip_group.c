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
} labels[] = {
	{ "Name", GROUP_IDENTITY },      { "Kind", GROUP_IDENTITY },
	{ "Path", GROUP_IDENTITY },      { "Layer", GROUP_IDENTITY },
	{ "Line", GROUP_IDENTITY },      { "Forward Line", GROUP_IDENTITY },
	{ "Function", GROUP_IDENTITY },  { "File", GROUP_IDENTITY },
	{ "Pass", GROUP_IDENTITY },      { "Op Name", GROUP_IDENTITY },
	{ "Start", GROUP_TIME },         { "End", GROUP_TIME },
	{ "Duration", GROUP_TIME },      { "Self", GROUP_TIME },
	{ "Total", GROUP_TIME },         { "CPU", GROUP_TIME },
	{ "GPU", GROUP_TIME },           { "Overhead", GROUP_TIME },
	{ "Idle", GROUP_TIME },          { "Calls", GROUP_TIME },
	{ "Share", GROUP_TIME },         { "Grid", GROUP_LAUNCH },
	{ "Block", GROUP_LAUNCH },       { "Regs", GROUP_LAUNCH },
	{ "Shared Mem", GROUP_LAUNCH },  { "Warps/SM", GROUP_LAUNCH },
	{ "Occupancy", GROUP_LAUNCH },   { "Queue Delay", GROUP_LAUNCH },
	{ "Launched By", GROUP_LAUNCH }, { "Launch Call", GROUP_LAUNCH },
	{ "Lane", GROUP_LAUNCH },        { "Operator", GROUP_LAUNCH },
	{ "Forward", GROUP_LAUNCH },     { "Backward", GROUP_LAUNCH },
	{ "Kernels", GROUP_LAUNCH },     { "Tensor Cores", GROUP_LAUNCH },
	{ "TC", GROUP_LAUNCH },          { "Data", GROUP_DATA },
	{ "CPU Mem", GROUP_DATA },       { "GPU Mem", GROUP_DATA },
	{ "Input Shapes", GROUP_DATA },  { "Input Types", GROUP_DATA },
	{ "FLOPs", GROUP_DATA },         { "FLOP/s", GROUP_DATA },
	{ "Bytes", GROUP_DATA },         { "% of Peak", GROUP_DATA },
	{ "Intensity", GROUP_DATA },
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

static enum group group_of(const char *label, size_t length)
{
	if (is_spread(label, length))
		return GROUP_OTHER;
	enum group best = GROUP_OTHER;
	size_t longest = 0;
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		size_t size = strlen(labels[i].label);
		if (size <= length && size > longest && !strncmp(labels[i].label, label, size)) {
			best = labels[i].group;
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

void strip_group(struct buffer *text, strip_shows *shows, const struct pane *pane)
{
	struct buffer grouped = { 0 };
	if (strstr(buffer_text(text), "\n\n")) /* two rows, one after another */
		return;
	for (int group = 0; group < GROUPS; group++) {
		for (const char *line = buffer_text(text); *line;) {
			size_t length = strcspn(line, "\n"), label = strcspn(line, "\t\n");
			if (group_of(line, label) == (enum group)group &&
			    !shows(pane, line, label) && !is_long_form(text, line, label))
				buffer_printf(&grouped, "%.*s\n", (int)length, line);
			line += length + (line[length] == '\n');
		}
	}
	buffer_free(text);
	*text = grouped;
}

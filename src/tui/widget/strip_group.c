/*
 * The order of the entries of the detail strip: identity, time, launch, data.
 */
#include "base/buffer.h"
#include "base/mem.h"
#include "tui/widget/strip.h"

#include <string.h>

enum group { GROUP_IDENTITY, GROUP_TIME, GROUP_LAUNCH, GROUP_DATA, GROUP_OTHER, GROUPS };

enum {
	NUMBER = 9, /* columns of most numbers */
	WIDE = 256, /* flag: a narrow strip has no room for it */
};

#define ABSENT "n/a"

/* Labels of view_detail and titles of columns, in their order; a label starts with the text. */
static const struct {
	const char *label;
	enum group group;
	int columns; /* of most values: what follows keeps its place from row to row */
} labels[] = {
	{ "Name", GROUP_IDENTITY, 0 },
	{ "Kind", GROUP_IDENTITY, 0 },
	{ "Path", GROUP_IDENTITY, 0 },
	{ "Layer", GROUP_IDENTITY, WIDE | 32 },
	{ "Line", GROUP_IDENTITY, WIDE | 33 },
	{ "Forward Line", GROUP_IDENTITY, WIDE | 25 },
	{ "Seq", GROUP_IDENTITY, WIDE | 6 },
	{ "Source", GROUP_IDENTITY, WIDE | 31 },
	{ "Thread", GROUP_IDENTITY, WIDE | 12 },
	{ "CPU Work", GROUP_IDENTITY, WIDE | 69 },
	{ "Function", GROUP_IDENTITY, 0 },
	{ "File", GROUP_IDENTITY, 0 },
	{ "Pass", GROUP_IDENTITY, 0 },
	{ "Op Name", GROUP_IDENTITY, 0 },
	{ "Start", GROUP_TIME, 9 },
	{ "End", GROUP_TIME, 9 },
	{ "Duration", GROUP_TIME, 9 },
	{ "Self", GROUP_TIME, 9 },
	{ "Total", GROUP_TIME, 9 },
	{ "CPU", GROUP_TIME, WIDE | 9 },
	{ "GPU", GROUP_TIME, WIDE | 9 },
	{ "Overhead", GROUP_TIME, WIDE | 9 },
	{ "Idle", GROUP_TIME, WIDE | 9 },
	{ "Calls", GROUP_TIME, 0 },
	{ "Share", GROUP_TIME, 0 },
	{ "Grid", GROUP_LAUNCH, 14 },
	{ "Block", GROUP_LAUNCH, 12 },
	{ "Regs", GROUP_LAUNCH, 3 },
	{ "Shared Mem", GROUP_LAUNCH, 10 },
	{ "Blocks/SM", GROUP_LAUNCH, 8 },
	{ "Warps/SM", GROUP_LAUNCH, 8 },
	{ "Occupancy", GROUP_LAUNCH, 5 },
	{ "Queue Delay", GROUP_LAUNCH, 9 },
	{ "Tensor Cores", GROUP_LAUNCH, 0 },
	{ "Launched By", GROUP_LAUNCH, WIDE | 26 },
	{ "Launch Call", GROUP_LAUNCH, 0 },
	{ "Operator", GROUP_LAUNCH, WIDE | 29 },
	{ "Forward", GROUP_LAUNCH, WIDE | 30 },
	{ "Backward", GROUP_LAUNCH, WIDE | 29 },
	{ "Lane", GROUP_LAUNCH, 14 },
	{ "Kernels", GROUP_LAUNCH, 0 },
	{ "TC", GROUP_LAUNCH, 3 },
	{ "Data", GROUP_DATA, 0 },
	{ "Input Shapes", GROUP_DATA, 0 },
	{ "Input Types", GROUP_DATA, 0 },
	{ "FLOPs", GROUP_DATA, 0 },
	{ "FLOP/s", GROUP_DATA, 0 },
	{ "Bytes", GROUP_DATA, 0 },
	{ "% of Peak", GROUP_DATA, 0 },
	{ "CPU Mem", GROUP_DATA, 10 },
	{ "GPU Mem", GROUP_DATA, 10 },
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

enum { LABELS = sizeof labels / sizeof *labels };

/* Index of the longest label that LABEL starts with; LABELS: none. */
static size_t label_of(const char *label, size_t length)
{
	size_t best = LABELS, longest = 0;
	for (size_t i = 0; i < LABELS && !is_spread(label, length); i++) {
		size_t size = strlen(labels[i].label);
		if (size <= length && size > longest && !strncmp(labels[i].label, label, size)) {
			best = i;
			longest = size;
		}
	}
	return best;
}

/* Does an argument have a shape? */
static bool has_tensors(const char *text)
{
	const char *shapes = strstr(text, "\nInput Shapes\t");
	return shapes && strcspn(shapes + 1, "0123456789") < strcspn(shapes + 1, "\n");
}

/* The list of arguments in full, which Data has in short or which has scalars only. */
static bool is_long_form(const struct buffer *text, const char *label, size_t length)
{
	static const char *const forms[] = { "Input Shapes", "Input Types", "Strides", "Inputs" };
	static const char data[] = "\nData\t";
	const char *brief = strstr(buffer_text(text), data);
	if (!brief || (brief[strlen(data)] == '\n' && has_tensors(buffer_text(text))))
		return false;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strlen(forms[i]) == length && !strncmp(forms[i], label, length))
			return true;
	return false;
}

/* Drop entries without a text unless ABSENT, and lists in full unless LONG_FORMS. */
static void keep(struct buffer *text, bool absent, bool long_forms)
{
	struct buffer kept = { 0 };
	for (const char *line = buffer_text(text); *line;) {
		size_t length = strcspn(line, "\n"), label = strcspn(line, "\t\n");
		if ((absent || label + 1 != length) &&
		    (long_forms || !is_long_form(text, line, label)))
			buffer_printf(&kept, "%.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	buffer_free(text);
	*text = kept;
}

void strip_drop_long_forms(struct buffer *text)
{
	keep(text, true, false);
}

void strip_drop_absent(struct buffer *text)
{
	keep(text, false, true);
}

struct grouping {
	strip_shows *shows;
	const struct pane *pane;
	int columns;
	struct buffer out;
};

/* The entry at LINE; STARTS: the first of its group. False if it is left out. */
static bool add_entry(struct grouping *self, const char *line, size_t index, bool starts)
{
	size_t length = strcspn(line, "\n"), label = strcspn(line, "\t\n");
	bool steady = self->columns >= STRIP_STEADY, empty = label + 1 == length;
	int wanted = index < LABELS ? labels[index].columns : WIDE | NUMBER;
	wanted = steady || !(wanted & WIDE) ? wanted & ~WIDE : 0;
	int have = empty ? (int)strlen(ABSENT) : (int)(length - label) - 1;
	if ((empty && !steady) || self->shows(self->pane, line, label))
		return false;
	if (starts)
		buffer_putc(&self->out, STRIP_GROUP);
	buffer_printf(&self->out, "%.*s%s%*s\n", (int)length, line, empty ? ABSENT : "",
		      wanted > have ? wanted - have : 0, "");
	return true;
}

void strip_group(struct buffer *text, strip_shows *shows, const struct pane *pane, int columns)
{
	struct grouping self = { shows, pane, columns, { 0 } };
	const char *second = strstr(buffer_text(text), "\n\n"); /* of two rows, one after another */
	enum group group = GROUPS;
	if (second && columns < STRIP_STEADY && second[2])
		return;
	if (second) { /* the first has a link to the second */
		text->length = (size_t)(second - text->data) + 1;
		text->data[text->length] = '\0';
	}
	for (size_t index = 0; index <= LABELS; index++) {
		enum group next = index < LABELS ? labels[index].group : GROUP_OTHER;
		for (const char *line = buffer_text(text); *line;) {
			if (label_of(line, strcspn(line, "\t\n")) == index &&
			    add_entry(&self, line, index, next != group))
				group = next;
			line += strcspn(line, "\n");
			line += *line == '\n';
		}
	}
	buffer_free(text);
	*text = self.out;
}

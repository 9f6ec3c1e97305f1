/*
 * Text that ncu prints: a line for each kernel, then sections with a table of metrics, and rules.
 *
 *   kernel(int) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
 *     Section: Launch Statistics
 *     ------------- ----------- ------------
 *     Metric Name   Metric Unit Metric Value
 *     ------------- ----------- ------------
 *     Registers Per Thread register/thread 42
 *     OPT   A sentence, continued on lines that are indented more.
 */
#include "base/buffer.h"
#include "base/platform.h"
#include "base/text_slice.h"
#include "input/ncu/ncu_printed.h"

#include <math.h>
#include <stdlib.h>

enum { SUM_COLUMNS = 5, TABLE_COLUMNS = 3, CONTINUED = 10 };

struct text {
	struct ncu *ncu;
	struct ncu_kernel kernel;
	bool open;
	struct buffer section, rule;
	struct buffer profiled, failure;    /* the kernel profiled last, and what ncu says of it */
	size_t widths[SUM_COLUMNS], indent; /* of the table; no width: outside of one */
	size_t columns;                     /* SUM_COLUMNS of a summary */
	struct buffer cells[SUM_COLUMNS];
};

static void end_rule(struct text *text)
{
	if (text->open && text->rule.length)
		ncu_rule(text->ncu, &text->kernel,
			 text->section.length ? buffer_text(&text->section) : "ncu",
			 text->rule.data, text->rule.length, "", NAN);
	buffer_clear(&text->rule);
}

/* A kernel whose launch failed is in the output, without a value. */
static void add_failure(struct text *text)
{
	const char *name = profile_string(text->ncu->profile, text->kernel.name);
	if (text->failure.length && isnan(text->kernel.dur_ns) &&
	    strncmp(name, BUFFERED(&text->profiled)) == 0)
		ncu_rule(text->ncu, &text->kernel, "Launch failed", text->failure.data,
			 text->failure.length, "", NAN);
}

static void end_kernel(struct text *text)
{
	end_rule(text);
	if (text->open)
		add_failure(text);
	if (text->open)
		ncu_kernel_end(text->ncu, &text->kernel);
	text->open = false;
	text->widths[0] = 0;
	buffer_clear(&text->section);
}

/* ---- the line of a kernel ---- */

static int64_t number_after(const char *line, const char *word)
{
	const char *at = strstr(line, word);
	char *end;
	if (!at)
		return NO_VALUE;
	at += strlen(word);
	long long value = strtoll(at, &end, 10);
	return end == at || value < 0 ? NO_VALUE : value;
}

/* The end of the name: before " (x, y, z)x(x, y, z)", or the date of old versions. */
static size_t name_length(const char *line, size_t length, struct ncu_kernel *kernel)
{
	const char *close = length && line[length - 1] == ')' ? line + length - 1 : NULL;
	const char *times = close ? platform_memrchr(line, 'x', length) : NULL;
	if (!times || times == line || times[-1] != ')' || times[1] != '(') {
		const char *comma = platform_memrchr(line, ',', length);
		return comma ? (size_t)(comma - line) : length;
	}
	const char *open = platform_memrchr(line, '(', (size_t)(times - line));
	ncu_printed_triple(times, kernel->block);
	if (!open)
		return length;
	ncu_printed_triple(open, kernel->grid);
	while (open > line && open[-1] == ' ')
		open--;
	return (size_t)(open - line);
}

/* What ends the name: ", Context 1, Stream 7", or ", Device 0, CC 9.0, Invocations 4". */
static const char *find_place(const char *line, const char *first, const char *then)
{
	const char *place = NULL, *at = line;
	while ((at = strstr(at, first)) != NULL)
		place = at++;
	return place && strstr(place, then) && line[0] == ' ' && place >= line + strspn(line, " ")
		       ? place
		       : NULL;
}

static bool begin_kernel(struct text *text, const char *line)
{
	const char *place = find_place(line, ", Context ", ", Stream ");
	const char *sums = place ? NULL : find_place(line, ", Device ", ", Invocations ");
	if (!place && !sums)
		return false;
	end_kernel(text);
	ncu_kernel_begin(&text->kernel);
	text->open = true;
	line += strspn(line, " ");
	place = place ? place : sums;
	text->kernel.context = number_after(place, "Context ");
	text->kernel.stream = number_after(place, "Stream ");
	text->kernel.device = number_after(place, "Device ");
	size_t length = name_length(line, (size_t)(place - line), &text->kernel);
	text->kernel.name = intern_add(text->ncu->profile->strings, line, length);
	if (sums) {
		int64_t invocations = number_after(sums, "Invocations ");
		text->kernel.invocations = invocations == NO_VALUE ? 0 : invocations;
	}
	const char *capability = strstr(place, "CC ");
	if (capability)
		ncu_printed_capability(text->ncu, text->kernel.device, capability + 3);
	return true;
}

/* ---- tables ---- */

/* A line of three or five runs of dashes begins or ends a table; it tells the widths. */
static bool is_rule(struct text *text, const char *line)
{
	size_t indent = strspn(line, " "), at = indent, widths[SUM_COLUMNS], count = 0;
	while (count < SUM_COLUMNS && (widths[count] = strspn(line + at, "-")) >= 4) {
		at += widths[count++];
		at += line[at] == ' ' && line[at + 1] == '-';
	}
	if ((count != TABLE_COLUMNS && count != SUM_COLUMNS) || line[at + strspn(line + at, " \r")])
		return false;
	memcpy(text->widths, widths, count * sizeof *widths);
	text->columns = count;
	text->indent = indent;
	return true;
}

/* The part of LINE in a column, without blanks around it. */
static void cut(struct buffer *cell, const char *line, size_t length, size_t from, size_t width)
{
	buffer_clear(cell);
	if (from >= length)
		return;
	size_t end = width < length - from ? from + width : length;
	while (from < end && line[from] == ' ')
		from++;
	while (end > from && strchr(" \r", line[end - 1]))
		end--;
	buffer_add(cell, line + from, end - from);
}

/* False when the line cannot be one of the table. */
static bool ncu_text_add_metric(struct text *text, const char *line)
{
	size_t at = text->indent, length = strlen(line);
	if (strspn(line, " ") < text->indent || length <= at)
		return false;
	for (size_t i = 0; i < text->columns; i++) {
		bool last = i + 1 == text->columns;
		cut(&text->cells[i], line, length, at, last ? length : text->widths[i]);
		at += text->widths[i] + 1;
	}
	struct ncu_printed printed = { .section = buffer_text(&text->section),
				       .name = buffer_text(&text->cells[0]),
				       .unit = buffer_text(&text->cells[1]),
				       .value = buffer_text(&text->cells[2]),
				       .as_printed = true };
	if (text->columns == SUM_COLUMNS) {
		printed.least = printed.value;
		printed.most = buffer_text(&text->cells[3]);
		printed.value = buffer_text(&text->cells[4]);
	}
	if (*printed.name && *printed.value && strcmp(printed.name, "Metric Name") != 0)
		ncu_printed_metric(text->ncu, &text->kernel, &printed);
	return true;
}

/* ---- rules ---- */

static bool begin_rule(struct text *text, const char *line)
{
	const char *from = line + strspn(line, " ");
	size_t kind = text_start(from, SIZE_MAX, "OPT |INF |WRN |ERR |OK  ");
	if (!kind)
		return false;
	end_rule(text);
	cut(&text->rule, from + kind, strlen(from + kind), 0, SIZE_MAX);
	return true;
}

static void continue_rule(struct text *text, const char *line)
{
	size_t indent = strspn(line, " "), length = strlen(line);
	if (!text->rule.length)
		return;
	if (indent < CONTINUED || indent == length) {
		end_rule(text);
		return;
	}
	while (length > indent && strchr(" \r", line[length - 1]))
		length--;
	buffer_putc(&text->rule, ' ');
	buffer_add(&text->rule, line + indent, length - indent);
}

/* ---- lines ---- */

/* ==PROF== Profiling "render" - 0: 0%....100% - 2 passes; ==ERROR== LaunchFailed */
static void read_message(struct text *text, const char *line)
{
	static const char profiling[] = "==PROF== Profiling \"", error[] = "==ERROR== ";
	if (strncmp(line, profiling, sizeof profiling - 1) == 0 && !text->failure.length) {
		line += sizeof profiling - 1;
		cut(&text->profiled, line, strcspn(line, "\""), 0, SIZE_MAX);
	} else if (strncmp(line, error, sizeof error - 1) == 0 && !text->failure.length) {
		line += sizeof error - 1;
		buffer_puts(&text->failure, "It was not measured: ");
		buffer_add(&text->failure, line, strcspn(line, "\r"));
	}
}

static void ncu_text_read_line(struct text *text, const char *line)
{
	const char *from = line + strspn(line, " ");
	read_message(text, line);
	if (begin_kernel(text, line) || !text->open)
		return;
	if (strncmp(from, "Section: ", 9) == 0) {
		end_rule(text);
		text->widths[0] = 0;
		cut(&text->section, from + 9, strlen(from + 9), 0, SIZE_MAX);
	} else if (is_rule(text, line)) {
		end_rule(text);
	} else if (begin_rule(text, line)) {
		text->widths[0] = 0;
	} else if (text->widths[0] && *from && *from != '\r') {
		if (!ncu_text_add_metric(text, line))
			text->widths[0] = 0;
	} else {
		text->widths[0] = 0;
		continue_rule(text, line);
	}
}

bool ncu_read_text(struct ncu *ncu, const char *bytes, size_t length)
{
	struct text text = { .ncu = ncu };
	AUTO_BUFFER struct buffer line = { 0 };
	const char *at = bytes, *end = bytes + length;
	bool ok = true;
	for (uint64_t i = 0; at < end && ok; i++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		buffer_clear(&line);
		buffer_add(&line, at, (size_t)(stop - at));
		ncu_text_read_line(&text, buffer_text(&line));
		at = stop + 1;
		ok = progress_heavy_row(ncu->progress, "reading lines", i, 0, 16);
	}
	end_kernel(&text);
	ncu_kernel_free(&text.kernel);
	buffer_free(&text.section);
	buffer_free(&text.rule);
	buffer_free(&text.profiled);
	buffer_free(&text.failure);
	for (int i = 0; i < SUM_COLUMNS; i++)
		buffer_free(&text.cells[i]);
	return ok;
}

/*
 * What ncu prints: CSV of the pages raw and details, or text. The program's own output and messages
 * ("==PROF== ...") may be between.
 */
#include "base/any_of.h"
#include "base/error.h"
#include "input/csv.h"
#include "input/ncu/ncu_printed.h"
#include "input/readers.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* How the heading of a page begins; a spreadsheet saves it without quotes. The last: of
 * --print-summary. */
static const char *const headings[] = {
	"\"ID\",\"Process ID\",", "ID,Process ID,Process Name,",
	"\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\""
};

static char *find_heading(const char *text, size_t length)
{
	char *found = NULL;
	for (size_t i = 0; i < sizeof headings / sizeof *headings && !found; i++)
		found = memmem(text, length, headings[i], strlen(headings[i]));
	return found;
}

/* ---- numbers ---- */

/* A number with or without separators of thousands; NaN if TEXT is something else. */
static double ncu_printed_number(const char *text)
{
	char plain[64], *end;
	size_t length = 0;
	for (; *text && length + 1 < sizeof plain; text++)
		if (*text != ',')
			plain[length++] = *text;
	plain[length] = 0;
	double value = strtod(plain, &end);
	return *text || end == plain || *end || !isfinite(value) ? NAN : value;
}

void ncu_printed_triple(const char *text, int32_t triple[3])
{
	int32_t found[3];
	for (int i = 0; i < 3; i++) {
		text += strcspn(text, "0123456789");
		char *end;
		long value = strtol(text, &end, 10);
		if (end == text || value < 0 || value > INT32_MAX)
			return;
		found[i] = (int32_t)value;
		text = end;
	}
	memcpy(triple, found, sizeof found);
}

static int64_t whole(const char *text)
{
	double value = ncu_printed_number(text);
	return value >= 0 && value < 9e15 ? (int64_t)value : NO_VALUE;
}

void ncu_printed_capability(struct ncu *ncu, int64_t id, const char *text)
{
	char *end;
	long major = strtol(text, &end, 10);
	long minor = *end == '.' ? strtol(end + 1, NULL, 10) : -1;
	struct device *device =
		id >= 0 && id <= INT32_MAX ? builder_device(ncu->builder, (int32_t)id) : NULL;
	if (!device || major <= 0 || major > 1000 || minor < 0 || minor > 1000)
		return;
	device->compute_major = major;
	device->compute_minor = minor;
}

static void add_statistic(struct ncu *ncu, struct ncu_kernel *kernel,
			  const struct ncu_printed *printed, const char *value,
			  const char *statistic)
{
	struct metric metric = { .value = ncu_printed_number(value) };
	const char *section = printed->section ? printed->section : "";
	metric.name = profile_intern(ncu->profile, printed->name);
	metric.section = profile_intern(ncu->profile, section);
	metric.statistic = profile_intern(ncu->profile, statistic);
	if (printed->as_printed)
		metric.unit = profile_intern(ncu->profile, printed->unit);
	else
		metric.value *= ncu_unit_scale(printed->unit, strlen(printed->unit));
	if (isnan(metric.value) && strcmp(value, "no data") != 0 && strcmp(value, "n/a") != 0 &&
	    strcmp(value, "nan") != 0)
		metric.text = profile_intern(ncu->profile, value);
	ncu_metric(ncu, kernel, &metric);
}

void ncu_printed_metric(struct ncu *ncu, struct ncu_kernel *kernel,
			const struct ncu_printed *printed)
{
	bool sum = printed->least && printed->most;
	if (sum && *printed->least)
		add_statistic(ncu, kernel, printed, printed->least, NCU_MINIMUM);
	if (sum && *printed->most)
		add_statistic(ncu, kernel, printed, printed->most, NCU_MAXIMUM);
	add_statistic(ncu, kernel, printed, printed->value, sum ? NCU_AVERAGE : "");
}

/* ---- columns ---- */

enum ncu_csv_column { NCU_PAGE_COLUMNS(CSV_COLUMN) COLUMNS };
static const char *const titles[] = { NCU_PAGE_COLUMNS(CSV_NAMES) };

struct pages {
	struct ncu *ncu;
	struct csv csv;
	char **units; /* of the columns of the page raw */
	size_t unit_count;
	struct ncu_kernel kernel;
	bool open;         /* a kernel is being read */
	struct buffer sum; /* what tells it from other kernels of a summary */
	char id[64];
};

/* Neither an identity nor an NVTX column. */
static bool is_metric(const struct pages *pages, size_t column)
{
	const char *name = pages->csv.header[column];
	return !any_of(i, COLUMNS, pages->csv.places[i] == column) && *name &&
	       !strstr(name, "Domain:") && !strstr(name, "_Range:");
}

/* ---- rows ---- */

static void end_kernel(struct pages *pages)
{
	if (pages->open)
		ncu_kernel_end(pages->ncu, &pages->kernel);
	pages->open = false;
}

static void begin_kernel(struct pages *pages)
{
	struct ncu *ncu = pages->ncu;
	struct ncu_kernel *kernel = &pages->kernel;
	const char *name = csv_cell(&pages->csv, KERNEL),
		   *process = csv_cell(&pages->csv, PROCESS_NAME);
	int64_t pid = whole(csv_cell(&pages->csv, PROCESS));
	end_kernel(pages);
	ncu_kernel_begin(kernel);
	pages->open = true;
	snprintf(pages->id, sizeof pages->id, "%s", csv_cell(&pages->csv, ID));
	ncu->process = builder_process(ncu->builder, pid, 0);
	if (*process)
		ncu->profile->processes[ncu->process].name = profile_intern(ncu->profile, process);
	kernel->name = profile_intern(ncu->profile, name);
	kernel->context = whole(csv_cell(&pages->csv, CONTEXT));
	kernel->stream = whole(csv_cell(&pages->csv, STREAM));
	kernel->device = whole(csv_cell(&pages->csv, GPU));
	ncu_printed_triple(csv_cell(&pages->csv, GRID), kernel->grid);
	ncu_printed_triple(csv_cell(&pages->csv, BLOCK), kernel->block);
	ncu_printed_capability(ncu, kernel->device, csv_cell(&pages->csv, CAPABILITY));
}

/* A kernel with a metric a column. */
static void add_raw(struct pages *pages)
{
	begin_kernel(pages);
	for (size_t c = 0; c < pages->csv.header_count; c++) {
		struct ncu_printed printed = { .name = pages->csv.header[c],
					       .unit = c < pages->unit_count ? pages->units[c] : "",
					       .value = csv_field(&pages->csv, c) };
		if (*printed.value && is_metric(pages, c))
			ncu_printed_metric(pages->ncu, &pages->kernel, &printed);
	}
	end_kernel(pages);
}

/* Is the row of another kernel of a summary than the last one? It has no id. */
static bool begins_sum(struct pages *pages)
{
	static const enum ncu_csv_column parts[] = { KERNEL, BLOCK, GRID, GPU, PROCESS };
	struct buffer key = { 0 };
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		buffer_printf(&key, "%s\n", csv_cell(&pages->csv, parts[i]));
	bool begins = !pages->open || strcmp(buffer_text(&key), buffer_text(&pages->sum)) != 0;
	buffer_free(&pages->sum);
	pages->sum = key;
	return begins;
}

static struct ncu_printed metric_of(const struct pages *pages, enum ncu_csv_column value)
{
	return (struct ncu_printed){ .section = csv_cell(&pages->csv, SECTION),
				     .name = csv_cell(&pages->csv, METRIC),
				     .unit = csv_cell(&pages->csv, UNIT),
				     .value = csv_cell(&pages->csv, value),
				     .as_printed = true };
}

/* Least, most and mean of a metric of all launches of a kernel. */
static void ncu_csv_add_sum(struct pages *pages)
{
	struct ncu_printed printed = metric_of(pages, AVERAGE);
	printed.least = csv_cell(&pages->csv, LEAST);
	printed.most = csv_cell(&pages->csv, MOST);
	if (begins_sum(pages)) {
		begin_kernel(pages);
		pages->kernel.invocations = whole(csv_cell(&pages->csv, INVOCATIONS));
	}
	if (pages->kernel.invocations == NO_VALUE)
		pages->kernel.invocations = 0;
	if (*printed.name && *printed.value)
		ncu_printed_metric(pages->ncu, &pages->kernel, &printed);
}

/* A metric or rule of a kernel. */
static void add_detail(struct pages *pages)
{
	struct ncu_printed printed = metric_of(pages, VALUE);
	const char *rule = csv_cell(&pages->csv, RULE), *text = csv_cell(&pages->csv, RULE_TEXT);
	if (!pages->open || strcmp(pages->id, csv_cell(&pages->csv, ID)) != 0)
		begin_kernel(pages);
	if (*printed.name)
		ncu_printed_metric(pages->ncu, &pages->kernel, &printed);
	if (*rule && *text)
		ncu_rule(pages->ncu, &pages->kernel, rule, text, strlen(text),
			 csv_cell(&pages->csv, SPEEDUP_TYPE),
			 ncu_printed_number(csv_cell(&pages->csv, SPEEDUP)));
}

/* The first row of the page raw, which has no id; it stays. */
static void keep_units(struct pages *pages)
{
	pages->units = pages->csv.fields;
	pages->unit_count = pages->csv.count;
	pages->csv.fields = NULL;
	pages->csv.count = 0;
}

static void ncu_csv_read_rows(struct pages *pages)
{
	struct csv *csv = &pages->csv;
	bool details = csv_has(csv, METRIC);
	bool sums = csv_has(csv, INVOCATIONS);
	const char *start = csv->at;
	for (uint64_t i = 0; csv_next(csv); i++) {
		const char *id = csv_field(csv, 0);
		if (!details && !sums && i == 0 && !*id) {
			keep_units(pages);
		} else if (!isdigit((unsigned char)*id) || isnan(ncu_printed_number(id)) ||
			   csv->count < 5) {
			if (*id && strncmp(id, "==", 2) != 0)
				profile_damage(pages->ncu->profile, "line that is no row",
					       "skipped", (uint64_t)(csv->at - start));
		} else if (sums) {
			ncu_csv_add_sum(pages);
		} else if (details) {
			add_detail(pages);
		} else {
			add_raw(pages);
		}
	}
	end_kernel(pages);
}

static bool read_csv(struct ncu *ncu, char *from, const char *end)
{
	struct pages pages = { .ncu = ncu };
	pages.csv = csv_open(from, (size_t)(end - from), "reading rows", ncu->progress);
	csv_select(&pages.csv, titles, COLUMNS);
	ncu_csv_read_rows(&pages);
	ncu_kernel_free(&pages.kernel);
	mem_free(pages.units);
	buffer_free(&pages.sum);
	return csv_close(&pages.csv);
}

/* ---- the whole ---- */

static bool refuse_empty(const struct buffer *text, struct error *error)
{
	static const char denied[] = "ERR_NVGPUCTRPERM", sums[] = ", Invocations ";
	const char *start = text->data;
	if (memmem(start, text->length, denied, sizeof denied - 1))
		return error_input(
			error,
			"is output of ncu without kernels: the driver denied it the GPU's counters (ERR_NVGPUCTRPERM); run as root: ncu -o FILE PROGRAM");
	if (memmem(start, text->length, sums, sizeof sums - 1))
		return error_input(
			error,
			"is output of ncu with sums that name no kernel; print it again with --print-summary per-kernel");
	return error_input(
		error, "is output of ncu without kernels; profile again with: ncu -o FILE PROGRAM");
}

static bool read_printed(struct input *input)
{
	struct buffer *text = &input->text;
	struct profile *profile = input->profile;
	AUTO(ncu_end) struct ncu ncu = ncu_begin(profile, input->builder, input->progress);
	char *from = find_heading(text->data, text->length);
	profile->format = from ? "Nsight Compute output (CSV)" : "Nsight Compute output (text)";
	bool done = from ? read_csv(&ncu, from, text->data + text->length)
			 : ncu_read_text(&ncu, text->data, text->length);
	if (done && !ncu.kernels)
		done = refuse_empty(text, input->error);
	return done;
}

/* Does "[12] app@host" stand on this line, and an indented one after it? So begins a process. */
static bool begins_process(const char *line)
{
	size_t length = strcspn(line, "\r\n"), digits = strspn(line + 1, "0123456789");
	if (!digits || strncmp(line + 1 + digits, "] ", 2) != 0 || !memchr(line, '@', length) ||
	    !line[length])
		return false;
	line += length;
	line += *line == '\r';
	return strncmp(line, "\n  ", 3) == 0;
}

static bool has_process(const char *head)
{
	for (const char *at = head; at; at = strstr(at, "\n["), at = at ? at + 1 : NULL)
		if (*at == '[' && begins_process(at))
			return true;
	return false;
}

/* Messages of ncu, the header of its CSV, or a process (ncu --import prints no messages). */
static bool ncu_csv_recognize(const char *head, size_t length)
{
	static const char *const messages[] = { "==PROF== ", "==WARNING== ", "==ERROR== " };
	if (find_heading(head, length))
		return true;
	for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
		const char *at = memmem(head, length, messages[i], strlen(messages[i]));
		if (at && (at == head || at[-1] == '\n'))
			return true;
	}
	return has_process(head);
}

const struct reader ncu_printed_reader = { .recognize = ncu_csv_recognize,
					   .text_max = SOURCE_WHOLE_MAX,
					   .read = read_printed,
					   .in_log = true,
					   .joins = JOINS_NAMED };

/*
 * What ncu prints: CSV of the pages raw and details, or text. The program's own output and messages
 * ("==PROF== ...") may be between.
 */
#include "base/buffer.h"
#include "base/error.h"
#include "input/ncu/ncu_printed.h"
#include "input/ncu/ncu_readers.h"
#include "input/source_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "\"ID\",\"Process ID\","

/* ---- cells ---- */

/* A row: cells lie one after the other in TEXT, each with a NUL. */
struct row {
	struct buffer text;
	size_t *starts;
	size_t count, capacity;
};

static const char *cell(const struct row *row, size_t column)
{
	return column < row->count ? row->text.data + row->starts[column] : "";
}

/* A cell from *AT, quoted or not, with its separator; false when the row ends with it. */
static bool read_cell(struct row *row, const char **at, const char *end)
{
	bool quoted = *at < end && **at == '"';
	const char *p = *at + quoted;
	mem_grow(row->starts, row->capacity, row->count + 1);
	row->starts[row->count++] = row->text.length;
	for (; p < end; p++) {
		if (quoted && *p == '"') {
			if (p + 1 >= end || p[1] != '"') {
				quoted = false;
				continue;
			}
			p++;
		} else if (!quoted && (*p == ',' || *p == '\n')) {
			break;
		}
		if (*p && *p != '\r')
			buffer_putc(&row->text, *p);
	}
	buffer_putc(&row->text, 0);
	*at = p < end ? p + 1 : end;
	return p < end && *p == ',';
}

static bool read_row(struct row *row, const char **at, const char *end)
{
	buffer_clear(&row->text);
	row->count = 0;
	if (*at >= end)
		return false;
	while (read_cell(row, at, end))
		;
	return true;
}

static void free_row(struct row *row)
{
	buffer_free(&row->text);
	mem_free(row->starts);
}

/* ---- numbers ---- */

double ncu_printed_number(const char *text)
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

void ncu_printed_metric(struct ncu *ncu, struct ncu_kernel *kernel,
			const struct ncu_printed *printed)
{
	struct intern *strings = ncu->profile->strings;
	struct metric metric = { .value = ncu_printed_number(printed->value) };
	const char *section = printed->section ? printed->section : "";
	metric.name = intern_add(strings, printed->name, strlen(printed->name));
	metric.section = intern_add(strings, section, strlen(section));
	if (printed->as_printed)
		metric.unit = intern_add(strings, printed->unit, strlen(printed->unit));
	else
		metric.value *= ncu_unit_scale(printed->unit, strlen(printed->unit));
	if (isnan(metric.value) && strcmp(printed->value, "no data") != 0 &&
	    strcmp(printed->value, "n/a") != 0 && strcmp(printed->value, "nan") != 0)
		metric.text = intern_add(strings, printed->value, strlen(printed->value));
	ncu_metric(ncu, kernel, &metric);
}

/* ---- columns ---- */

enum column {
	ID,
	PROCESS,
	PROCESS_NAME,
	HOST,
	KERNEL,
	TIME,
	CONTEXT,
	STREAM,
	BLOCK,
	GRID,
	GPU,
	CAPABILITY,
	SECTION,
	METRIC,
	UNIT,
	VALUE,
	RULE,
	RULE_TYPE,
	RULE_TEXT,
	SPEEDUP_TYPE,
	SPEEDUP,
	COLUMNS
};
static const char *const titles[COLUMNS] = {
	"ID",
	"Process ID",
	"Process Name",
	"Host Name",
	"Kernel Name",
	"Kernel Time",
	"Context",
	"Stream",
	"Block Size",
	"Grid Size",
	"Device",
	"CC",
	"Section Name",
	"Metric Name",
	"Metric Unit",
	"Metric Value",
	"Rule Name",
	"Rule Type",
	"Rule Description",
	"Estimated Speedup Type",
	"Estimated Speedup",
};

struct csv {
	struct ncu *ncu;
	const char *at, *end;
	struct row header, units, row;
	size_t place[COLUMNS]; /* SIZE_MAX: absent */
	struct ncu_kernel kernel;
	bool open; /* a kernel is being read */
	char id[64];
};

static const char *value_at(const struct csv *csv, enum column column)
{
	return csv->place[column] == SIZE_MAX ? "" : cell(&csv->row, csv->place[column]);
}

static void find_columns(struct csv *csv)
{
	for (int i = 0; i < COLUMNS; i++) {
		csv->place[i] = SIZE_MAX;
		for (size_t c = 0; c < csv->header.count; c++)
			if (csv->place[i] == SIZE_MAX &&
			    strcmp(cell(&csv->header, c), titles[i]) == 0)
				csv->place[i] = c;
	}
}

/* Neither an identity nor an NVTX column. */
static bool is_metric(const struct csv *csv, size_t column)
{
	const char *name = cell(&csv->header, column);
	for (int i = 0; i < COLUMNS; i++)
		if (csv->place[i] == column)
			return false;
	return *name && !strstr(name, "Domain:") && !strstr(name, "_Range:");
}

/* ---- rows ---- */

static void end_kernel(struct csv *csv)
{
	if (csv->open)
		ncu_kernel_end(csv->ncu, &csv->kernel);
	csv->open = false;
}

static void begin_kernel(struct csv *csv)
{
	struct ncu *ncu = csv->ncu;
	struct intern *strings = ncu->profile->strings;
	struct ncu_kernel *kernel = &csv->kernel;
	const char *name = value_at(csv, KERNEL), *process = value_at(csv, PROCESS_NAME);
	int64_t pid = whole(value_at(csv, PROCESS));
	end_kernel(csv);
	ncu_kernel_begin(kernel);
	csv->open = true;
	snprintf(csv->id, sizeof csv->id, "%s", value_at(csv, ID));
	ncu->process = builder_process(ncu->builder, pid, 0);
	if (*process)
		ncu->profile->processes[ncu->process].name =
			intern_add(strings, process, strlen(process));
	kernel->name = intern_add(strings, name, strlen(name));
	kernel->context = whole(value_at(csv, CONTEXT));
	kernel->stream = whole(value_at(csv, STREAM));
	kernel->device = whole(value_at(csv, GPU));
	ncu_printed_triple(value_at(csv, GRID), kernel->grid);
	ncu_printed_triple(value_at(csv, BLOCK), kernel->block);
	ncu_printed_capability(ncu, kernel->device, value_at(csv, CAPABILITY));
}

/* A kernel with a metric a column. */
static void add_raw(struct csv *csv)
{
	begin_kernel(csv);
	for (size_t c = 0; c < csv->row.count && c < csv->header.count; c++) {
		struct ncu_printed printed = { .name = cell(&csv->header, c),
					       .unit = cell(&csv->units, c),
					       .value = cell(&csv->row, c) };
		if (*printed.value && is_metric(csv, c))
			ncu_printed_metric(csv->ncu, &csv->kernel, &printed);
	}
	end_kernel(csv);
}

/* A metric or rule of a kernel. */
static void add_detail(struct csv *csv)
{
	struct ncu_printed printed = { .section = value_at(csv, SECTION),
				       .name = value_at(csv, METRIC),
				       .unit = value_at(csv, UNIT),
				       .value = value_at(csv, VALUE),
				       .as_printed = true };
	const char *rule = value_at(csv, RULE), *text = value_at(csv, RULE_TEXT);
	if (!csv->open || strcmp(csv->id, value_at(csv, ID)) != 0)
		begin_kernel(csv);
	if (*printed.name)
		ncu_printed_metric(csv->ncu, &csv->kernel, &printed);
	if (*rule && *text)
		ncu_rule(csv->ncu, &csv->kernel, rule, text, strlen(text),
			 value_at(csv, SPEEDUP_TYPE), ncu_printed_number(value_at(csv, SPEEDUP)));
}

static bool is_number(const char *text)
{
	return isdigit((unsigned char)*text) && !isnan(ncu_printed_number(text));
}

static bool read_rows(struct csv *csv)
{
	bool details = csv->place[METRIC] != SIZE_MAX;
	const char *start = csv->at;
	for (uint64_t i = 0; read_row(&csv->row, &csv->at, csv->end); i++) {
		if (!progress_heavy_row(csv->ncu->progress, "reading rows", i, 0, 64))
			return false;
		if (!details && i == 0 && !*cell(&csv->row, 0)) {
			struct row swap = csv->units;
			csv->units = csv->row;
			csv->row = swap;
		} else if (!is_number(cell(&csv->row, 0)) || csv->row.count < 5) {
			if (*cell(&csv->row, 0) && strncmp(cell(&csv->row, 0), "==", 2) != 0)
				profile_damage(csv->ncu->profile, "line that is no row", "skipped",
					       (uint64_t)(csv->at - start));
		} else if (details) {
			add_detail(csv);
		} else {
			add_raw(csv);
		}
	}
	end_kernel(csv);
	return true;
}

static bool read_csv(struct ncu *ncu, const char *from, const char *end)
{
	struct csv csv = { .ncu = ncu, .at = from, .end = end };
	read_row(&csv.header, &csv.at, end);
	find_columns(&csv);
	bool on = read_rows(&csv);
	ncu_kernel_free(&csv.kernel);
	free_row(&csv.header);
	free_row(&csv.units);
	free_row(&csv.row);
	return on;
}

/* ---- the whole ---- */

static bool read_printed(struct source *source, struct profile *profile, struct builder *builder,
			 const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	if (!source_whole(source, SOURCE_WHOLE_MAX, &text, error))
		return false;
	struct ncu ncu = ncu_begin(profile, builder, progress);
	const char *from = memmem(text.data, text.length, HEADER, sizeof HEADER - 1);
	const char *end = text.data + text.length;
	profile->text_bytes = text.length;
	profile->truncated = source_cut(source) != NULL;
	profile->format = from ? "Nsight Compute output (CSV)" : "Nsight Compute output (text)";
	bool done = from ? read_csv(&ncu, from, end) : ncu_read_text(&ncu, text.data, text.length);
	if (!done)
		error_set(error, ERROR_CANCELLED, "cancelled");
	else if (!ncu.kernels)
		done = error_set(
			error, ERROR_INPUT,
			"is output of ncu without kernels; profile again with: ncu -o FILE PROGRAM");
	ncu_end(&ncu);
	buffer_free(&text);
	return done;
}

/* Messages of ncu, or the header of its CSV. */
static bool recognize(const char *head, size_t length)
{
	static const char *const messages[] = { "==PROF== ", "==WARNING== " };
	if (memmem(head, length, HEADER, sizeof HEADER - 1))
		return true;
	for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
		const char *at = memmem(head, length, messages[i], strlen(messages[i]));
		if (at && (at == head || at[-1] == '\n'))
			return true;
	}
	return false;
}

const struct reader ncu_printed_reader = { .recognize = recognize,
					   .read = read_printed,
					   .is_measured = true };

/*
 * Tables that rocprof, rocprofv2 and rocprofv3 write: a row is a kernel, a copy, or a call, by the
 * columns that are there. A kernel's counters are columns (rocprof, rocprofv2) or rows (rocprofv3).
 */
#include "base/text.h"
#include "base/any_of.h"
#include "base/hash.h"
#include "input/csv.h"
#include "input/nvtx/nvtx.h"
#include "input/rocm/rocm.h"
#include "input/readers.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROCPROF_COLUMNS(CSV_COLUMN) COLUMNS };
static const char *const names[] = { ROCPROF_COLUMNS(CSV_NAMES) };

/* Columns that are no counters, besides those above. */
static const char others[] = { ROCPROF_OTHER_ROWS };

struct rocprof_csv_table {
	struct profile *profile;
	struct builder *builder;
	struct nvtx *nvtx;
	struct csv csv;
	bool *counts;            /* by column: it holds a counter */
	struct hash *dispatches; /* of a table with a counter a row: dispatch → activity */
	int64_t clock;           /* for kernels without times */
};

/* ---- cells ---- */

/* The number of "42" or "Agent 2"; NO_VALUE. */
static int64_t rocprof_csv_number(const struct rocprof_csv_table *table, size_t column)
{
	const char *text = csv_cell(&table->csv, column);
	char *end;
	if (strncmp(text, "Agent ", 6) == 0)
		text += 6;
	if (!isdigit((unsigned char)*text))
		return NO_VALUE;
	unsigned long long value = strtoull(text, &end, 10);
	return *end || value >= INT64_MAX ? NO_VALUE : (int64_t)value;
}

static uint32_t rocprof_csv_process_of(const struct rocprof_csv_table *table)
{
	return builder_process(table->builder, rocprof_csv_number(table, PROCESS), 0);
}

static uint32_t track_on(const struct rocprof_csv_table *table, int64_t device)
{
	int64_t stream = rocprof_csv_number(table, STREAM);
	return builder_track(table->builder, rocprof_csv_process_of(table),
			     stream == NO_VALUE ? rocprof_csv_number(table, QUEUE) : stream, 0,
			     rocm_device(device));
}

/* ---- kernels ---- */

/* Old tables have the numbers of work-items of the whole grid and group only. */
static uint32_t rocprof_csv_config_of(const struct rocprof_csv_table *table)
{
	bool whole = !csv_has(&table->csv, GRID_Y);
	int64_t registers = rocprof_csv_number(table, REGISTERS),
		accumulated = rocprof_csv_number(table, ACCUMULATED);
	struct rocm_launch launch = {
		.grid = { rocprof_csv_number(table, GRID),
			  whole ? 1 : rocprof_csv_number(table, GRID_Y),
			  whole ? 1 : rocprof_csv_number(table, GRID_Z) },
		.block = { rocprof_csv_number(table, BLOCK),
			   whole ? 1 : rocprof_csv_number(table, BLOCK_Y),
			   whole ? 1 : rocprof_csv_number(table, BLOCK_Z) },
		.registers = registers >= 0 && accumulated >= 0 && registers < INT32_MAX &&
					     accumulated < INT32_MAX
				     ? registers + accumulated
				     : registers,
		.shared = rocprof_csv_number(table, SHARED),
		.items = true,
	};
	return rocm_config(table->builder, &launch);
}

static void rocprof_csv_add_metric(const struct rocprof_csv_table *table, uint32_t activity,
				   const char *name, const char *text)
{
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end || !isfinite(value) || !*name)
		return;
	builder_metric(table->builder, &(struct metric){ .value = value,
							 .activity = activity,
							 .name = intern_add(table->profile->strings,
									    name, strlen(name)) });
}

static uint32_t rocprof_csv_add_kernel(struct rocprof_csv_table *table, uint64_t key)
{
	struct activity activity = activity_of(ACTIVITY_KERNEL);
	activity.name = intern_add(table->profile->strings, csv_cell(&table->csv, KERNEL),
				   rocm_kernel_length(csv_cell(&table->csv, KERNEL)));
	activity.correlation = rocprof_csv_number(table, CORRELATION);
	bool timed = csv_has(&table->csv, START) && csv_has(&table->csv, END);
	activity.start = timed ? rocprof_csv_number(table, START) : table->clock;
	if (timed && !rocm_times(table->profile, activity.start, rocprof_csv_number(table, END),
				 &activity.dur))
		return NO_ROW;
	activity.config = rocprof_csv_config_of(table);
	activity.track = track_on(table, rocprof_csv_number(table, DEVICE));
	uint32_t row = builder_activity(table->builder, &activity);
	if (!timed) {
		table->profile->events++;
		table->clock++;
		builder_activity_attribute(table->builder, row,
					   builder_key(table->builder, ACTIVITY_UNTIMED), 0);
	}
	hash_add(table->dispatches, key, row);
	return row;
}

static void parse_kernel(struct rocprof_csv_table *table)
{
	uint64_t key = hash_pair(hash_pair((uint64_t)rocprof_csv_number(table, PROCESS),
					   (uint64_t)rocprof_csv_number(table, DISPATCH)),
				 (uint64_t)rocprof_csv_number(table, DEVICE));
	/* with one of its counters; without, the first of it */
	uint32_t row = csv_has(&table->csv, COUNTER) ? hash_last(table->dispatches, key) : NO_ROW;
	if (row == NO_ROW)
		row = rocprof_csv_add_kernel(table, key);
	if (row == NO_ROW)
		return;
	if (csv_has(&table->csv, COUNTER))
		rocprof_csv_add_metric(table, row, csv_cell(&table->csv, COUNTER),
				       csv_cell(&table->csv, VALUE));
	for (size_t i = 0; i < table->csv.header_count; i++)
		if (table->counts[i])
			rocprof_csv_add_metric(table, row, table->csv.header[i],
					       csv_field(&table->csv, i));
}

/* ---- copies and calls ---- */

static void parse_copy(struct rocprof_csv_table *table)
{
	struct activity activity = activity_of(ACTIVITY_MEMCPY);
	activity.name = rocm_copy_name(table->profile, csv_cell(&table->csv, DIRECTION),
				       ROCM_UNKNOWN, ROCM_UNKNOWN);
	activity.start = rocprof_csv_number(table, START);
	activity.correlation = rocprof_csv_number(table, CORRELATION);
	bool to_host = strstr(csv_cell(&table->csv, DIRECTION), "TO_HOST") != NULL;
	if (!rocm_times(table->profile, activity.start, rocprof_csv_number(table, END),
			&activity.dur))
		return;
	activity.track = track_on(table, rocprof_csv_number(table, to_host ? FROM : TO));
	builder_activity(table->builder, &activity);
}

static void rocprof_csv_parse_call(struct rocprof_csv_table *table)
{
	const char *function = csv_cell(&table->csv, FUNCTION),
		   *domain = csv_cell(&table->csv, DOMAIN);
	struct rocm_range range = {
		.category = intern_add(table->profile->strings, domain, strlen(domain)),
		.name = intern_add(table->profile->strings, function, strlen(function)),
		.start = rocprof_csv_number(table, START),
		.correlation = rocprof_csv_number(table, CORRELATION),
	};
	if (!rocm_times(table->profile, range.start, rocprof_csv_number(table, END), &range.dur))
		return;
	range.track = builder_track(table->builder, rocprof_csv_process_of(table),
				    rocprof_csv_number(table, THREAD), 0, -1);
	if (rocm_call_of(domain) == ROCM_MARKER && !range.dur)
		rocm_add_mark(table->builder, &range);
	else
		rocm_add_range(table->builder, table->profile, table->nvtx, &range);
}

/* ---- tables ---- */

/* "Wave_Size_2" is of a later pass, where rocprof-compute joined several. */
static bool is_counter(const struct csv *csv, const char *name)
{
	char base[64];
	size_t length = strlen(name), end = length;
	while (end && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end && end < length && name[end - 1] == '_')
		length = end - 1;
	snprintf(base, sizeof base, "%.*s", (int)length, name);
	return length && !text_is_listed(others, base) &&
	       !any_of(k, COLUMNS,
		       csv_has(csv, k) && strcmp(csv->header[csv->places[k]], base) == 0);
}

static void find_columns(struct rocprof_csv_table *table)
{
	csv_select(&table->csv, names, COLUMNS);
	table->counts = mem_zalloc(table->csv.header_count + 1, sizeof *table->counts);
	for (size_t i = 0; i < table->csv.header_count; i++)
		table->counts[i] = is_counter(&table->csv, table->csv.header[i]);
}

/* False when cancelled. */
static bool rocprof_csv_read_table(struct rocprof_csv_table *table, struct buffer *text,
				   const struct progress *progress)
{
	table->csv = csv_open(text->data, text->length, "reading rows", progress);
	find_columns(table);
	table->dispatches = hash_new(1024);
	while (csv_next(&table->csv)) {
		if (table->csv.count < 2)
			continue; /* rocprofv2 has a blank line */
		if (*csv_cell(&table->csv, KERNEL))
			parse_kernel(table);
		else if (*csv_cell(&table->csv, DIRECTION))
			parse_copy(table);
		else if (*csv_cell(&table->csv, FUNCTION))
			rocprof_csv_parse_call(table);
		else
			profile_damage(table->profile, "line that is no row", "skipped",
				       (uint64_t)(table->csv.at - text->data));
	}
	hash_free(table->dispatches);
	mem_free(table->counts);
	return csv_close(&table->csv);
}

/* Of one run rocprofv3 writes PREFIX_kernel_trace.csv and these. */
static const char *const beside[] = { ROCPROF_BESIDE_ROWS };

static const char kernels_file[] = "kernel_trace.csv";

/* The tables beside that of kernels; not counters, which have kernels of their own. */
static bool read_beside(struct rocprof_csv_table *table, const struct progress *progress)
{
	const char *path = table->profile->path;
	size_t length = strlen(path), end = sizeof kernels_file - 1;
	bool ok = true;
	if (length < end || strcmp(path + length - end, kernels_file) != 0)
		return true;
	for (size_t i = 0; i + 1 < sizeof beside / sizeof *beside && ok; i++) {
		AUTO_BUFFER struct buffer name = { 0 }, text = { 0 };
		buffer_add(&name, path, length - end);
		buffer_puts(&name, beside[i]);
		AUTO_SOURCE struct source *source = source_open(buffer_text(&name), NULL, NULL);
		if (source && source_text(source, &text, NULL) && text.length) {
			table->profile->of_files = true;
			ok = rocprof_csv_read_table(table, &text, progress);
		}
	}
	return ok;
}

bool rocprof_is_beside(const char *name, char *kernels, size_t size)
{
	size_t length = strlen(name);
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		size_t end = strlen(beside[i]);
		if (length < end || strcmp(name + length - end, beside[i]) != 0 ||
		    length - end + sizeof kernels_file > size)
			continue;
		memcpy(kernels, name, length - end);
		memcpy(kernels + length - end, kernels_file, sizeof kernels_file);
		return true;
	}
	return false;
}

static bool rocprof_csv_read_rows(struct input *input)
{
	struct profile *profile = input->profile;
	struct rocprof_csv_table table = { .profile = profile,
					   .builder = input->builder,
					   .nvtx = nvtx_new(profile, input->builder) };
	bool ok = rocprof_csv_read_table(&table, &input->text, input->progress) &&
		  (profile->partial || read_beside(&table, input->progress));
	nvtx_finish(table.nvtx);
	nvtx_free(table.nvtx);
	return ok;
}

static bool rocprof_csv_recognize(const char *head, size_t length)
{
	static const char *const words[][2] = { ROCPROF_HEAD_ROWS };
	size_t first = strcspn(head, "\r\n");
	if (!strchr("\"IDGKC", *head))
		return false;
	return any_of(i, sizeof words / sizeof *words,
		      memmem(head, first, words[i][0], strlen(words[i][0])) &&
			      memmem(head, first, words[i][1], strlen(words[i][1])));
}

const struct reader rocprof_csv_reader = {
	.format = "rocprof output (CSV)",
	.recognize = rocprof_csv_recognize,
	.text_max = SOURCE_TEXT_MAX,
	.read = rocprof_csv_read_rows,
	.empty = "is a table of rocprof without kernels, copies or calls"
};

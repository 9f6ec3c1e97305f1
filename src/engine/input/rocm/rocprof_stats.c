/*
 * Sums that rocprof --stats and rocprofv3 --stats write (results.stats.csv, kernel_stats.csv): of
 * kernels, copies or calls; only the names tell which.
 */
#include "input/csv.h"
#include "input/rocm/rocm.h"
#include "input/readers.h"
#include "input/text_lines.h"
#include "model/python_stats.h"

#include <math.h>

enum { ROCPROF_SUM_COLUMNS(CSV_COLUMN) COLUMNS };
static const char *const names[] = { ROCPROF_SUM_COLUMNS(CSV_NAMES) };

/* A number of the row; NaN where there is none. */
static double rocprof_stats_number_of(const struct csv *csv, size_t column)
{
	double value = csv_real(csv, column);
	return value >= 0 && value < 9e18 ? value : NAN;
}

static enum operator_row rocprof_stats_kind_of(const char *name)
{
	static const char calls[] = "hip|__hip|hsa_|nccl|roctx|HIP_API|HSA_API|MARKER_API|RCCL_API";
	return text_begins_one(name, calls)                               ? ROW_OPERATOR
	       : text_begins_one(name, "CopyHost|CopyDevice|MEMORY_COPY") ? ROW_COPY
									  : ROW_KERNEL;
}

static void rocprof_stats_add_row(struct profile *profile, struct csv *csv)
{
	/* rocprof does not quote: the first of more fields than the header has are the name */
	for (size_t i = 0; i + csv->header_count < csv->count; i++)
		csv->fields[i][strlen(csv->fields[i])] = ',';
	for (size_t i = 1; csv->count > csv->header_count && i < csv->header_count; i++)
		csv->fields[i] = csv->fields[csv->count - csv->header_count + i];
	const char *name = csv_cell(csv, NAME);
	double total = rocprof_stats_number_of(csv, TOTAL);
	double calls = rocprof_stats_number_of(csv, CALLS);
	profile->events++;
	if (!*name || isnan(total)) {
		profile_skip(profile, "row without a time or name");
		return;
	}
	struct python_operator *row = python_operator_add(profile->python);
	row->kind = rocprof_stats_kind_of(name);
	row->name = intern_add(profile->strings, name, rocm_kernel_length(name));
	row->calls = calls < 9e15 ? (int64_t)calls : NO_VALUE;
	if (row->kind == ROW_OPERATOR) {
		row->cpu_self_s = row->cpu_total_s = total * 1e-9;
		return;
	}
	row->gpu_self_s = row->gpu_total_s = total * 1e-9;
	row->gpu_min_s = rocprof_stats_number_of(csv, MIN) * 1e-9;
	row->gpu_max_s = rocprof_stats_number_of(csv, MAX) * 1e-9;
	row->gpu_deviation_s = rocprof_stats_number_of(csv, DEVIATION) * 1e-9;
}

static bool read_sums(struct input *input)
{
	struct profile *profile = input->profile;
	struct csv csv =
		csv_open(input->text.data, input->text.length, "reading rows", input->progress);
	profile->python = python_stats_new();
	profile->python->has_totals = true;
	csv_select(&csv, names, COLUMNS);
	while (csv_next(&csv))
		if (csv.count > 1)
			rocprof_stats_add_row(profile, &csv);
	return csv_close(&csv);
}

static bool rocprof_stats_recognize(const char *head, size_t length)
{
	return text_begins_one(head, "\"Name\",\"Calls\",|Name,Calls,") &&
	       memmem(head, strcspn(head, "\r\n"), "TotalDurationNs", 15);
}

const struct reader rocprof_stats_reader = { .format = "rocprof sums (CSV)",
					     .recognize = rocprof_stats_recognize,
					     .text_max = SOURCE_TEXT_MAX,
					     .read = read_sums,
					     .empty = "is a table of sums of rocprof without any" };

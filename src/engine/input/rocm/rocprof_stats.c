/*
 * Sums that rocprof --stats and rocprofv3 --stats write (results.stats.csv, kernel_stats.csv): of
 * kernels, copies or calls; only the names tell which.
 */
#include "base/error.h"
#include "input/csv.h"
#include "input/json.h"
#include "input/rocm/rocm.h"
#include "input/readers.h"
#include "input/source_text.h"
#include "model/python_stats.h"

#include <math.h>
#include <string.h>

enum { NAME, CALLS, TOTAL, MIN, MAX, DEVIATION, COLUMNS };

static const char *const names[COLUMNS] = { "Name",  "Calls", "TotalDurationNs",
					    "MinNs", "MaxNs", "StdDev" };

static double rocprof_stats_number_of(const char *text)
{
	struct json_slice slice = { text, strlen(text), JSON_NUMBER, false };
	double value;
	return *text && json_real(&slice, &value) && value >= 0 && value < 9e18 ? value : NAN;
}

static bool begins_with_one(const char *name, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

#define BEGINS(name, prefixes)                                                                     \
	begins_with_one((name), (prefixes), sizeof(prefixes) / sizeof *(prefixes))

static enum operator_row rocprof_stats_kind_of(const char *name)
{
	static const char *const calls[] = { "hip",     "__hip",   "hsa_",       "nccl",    "roctx",
					     "HIP_API", "HSA_API", "MARKER_API", "RCCL_API" };
	static const char *const copies[] = { "CopyHost", "CopyDevice", "MEMORY_COPY" };
	return BEGINS(name, calls) ? ROW_OPERATOR : BEGINS(name, copies) ? ROW_COPY : ROW_KERNEL;
}

static bool rocprof_stats_add_row(struct profile *profile, const char *const *field)
{
	double total = rocprof_stats_number_of(field[TOTAL]),
	       calls = rocprof_stats_number_of(field[CALLS]);
	size_t length = strlen(field[NAME]);
	profile->events++;
	if (!length || isnan(total)) {
		profile_damage(profile, "row without a time or name", "skipped", UINT64_MAX);
		return false;
	}
	struct python_operator *row = python_operator_add(profile->python);
	row->kind = rocprof_stats_kind_of(field[NAME]);
	row->name = intern_add(profile->strings, field[NAME], rocm_kernel_length(field[NAME]));
	row->calls = calls < 9e15 ? (int64_t)calls : NO_VALUE;
	if (row->kind == ROW_OPERATOR) {
		row->cpu_total_s = total * 1e-9;
		return true;
	}
	row->gpu_self_s = row->gpu_total_s = total * 1e-9;
	row->gpu_min_s = rocprof_stats_number_of(field[MIN]) * 1e-9;
	row->gpu_max_s = rocprof_stats_number_of(field[MAX]) * 1e-9;
	row->gpu_deviation_s = rocprof_stats_number_of(field[DEVIATION]) * 1e-9;
	return true;
}

static bool read_sums(struct source *source, struct profile *profile, struct builder *builder,
		      const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	struct csv csv;
	size_t place[COLUMNS], rows = 0;
	bool ok = true;
	if (!source_text(source, &text, error))
		return false;
	profile->python = python_stats_new();
	profile->python->has_totals = true;
	profile->text_bytes = text.length;
	profile->truncated = source_cut(source) != NULL;
	csv_open(&csv, text.data, text.length);
	for (int i = 0; i < COLUMNS; i++)
		place[i] = csv_column(&csv, names[i]);
	while (ok && csv_next(&csv)) {
		const char *field[COLUMNS];
		for (int i = 0; i < COLUMNS; i++)
			field[i] = csv_field(&csv, place[i]);
		ok = progress_row(progress, "reading rows", profile->events, 0);
		rows += csv.count > 1 && rocprof_stats_add_row(profile, field);
	}
	csv_close(&csv);
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return rows || error_set(error, ERROR_INPUT, "is a table of sums of rocprof without any");
}

static bool rocprof_stats_recognize(const char *head, size_t length)
{
	size_t first = strcspn(head, "\r\n");
	return (strncmp(head, "\"Name\",\"Calls\",", 15) == 0 ||
		strncmp(head, "Name,Calls,", 11) == 0) &&
	       memmem(head, first, "TotalDurationNs", 15);
}

const struct reader rocprof_stats_reader = { .format = "rocprof sums (CSV)",
					     .recognize = rocprof_stats_recognize,
					     .read = read_sums };

#include "analysis/advice/python_callers.h"

#include "analysis/advice/blame.h"
#include "analysis/advice/own_code.h"
#include "model/python_stats.h"

enum { CALLERS_MAX = 64 };

bool python_is_sampled(const struct python_stats *stats)
{
	return stats->sample_count && !stats->has_totals;
}

const struct python_function *python_function_at(const struct python_stats *stats, uint32_t at)
{
	return &stats->functions[python_is_sampled(stats) ? stats->frames.frames[at].name : at];
}

uint32_t python_caller_of(const struct python_stats *stats, uint32_t at)
{
	const struct python_caller *most = NULL;
	if (python_is_sampled(stats))
		return stats->frames.frames[at].caller;
	for (size_t i = 0; i < stats->caller_count; i++)
		if (stats->callers[i].function == at &&
		    stats->callers[i].total_s > (most ? most->total_s : 0))
			most = &stats->callers[i];
	return most ? most->caller : NO_ROW;
}

int64_t *python_frame_times(const struct python_stats *stats)
{
	int64_t *ns = mem_zalloc(stats->frames.count + 1, sizeof *ns);
	for (size_t i = 0; i < stats->sample_count; i++)
		ns[stats->samples[i].frame] += stats->samples[i].value;
	return ns;
}

uint32_t python_place(const struct profile *profile, const struct python_row *row)
{
	const struct python_stats *stats = profile->python;
	uint32_t found = NO_ROW;
	if (!python_is_sampled(stats))
		return row->is_line ? NO_ROW : row->source;
	AUTO_FREE int64_t *ns = python_frame_times(stats);
	for (uint32_t i = 0; i < stats->frames.count; i++) {
		const struct python_function *function = python_function_at(stats, i);
		if (python_text(profile, function->name).text == row->function.text &&
		    python_text(profile, function->file).text == row->file.text &&
		    (found == NO_ROW || ns[i] > ns[found]))
			found = i;
	}
	return found;
}

void add_called_function(struct buffer *out, const struct profile *profile,
			 const struct python_function *function)
{
	add_python_function(out, &(struct frame_name){ python_text(profile, function->name),
						       python_text(profile, function->file),
						       function->line });
}

void add_own_caller(struct buffer *out, const struct profile *profile, uint32_t at)
{
	const struct python_stats *stats = profile->python;
	for (int i = 0; i < CALLERS_MAX && at != NO_ROW; i++) {
		const struct python_function *function = python_function_at(stats, at);
		if (is_own_path(profile_string(profile, function->file))) {
			buffer_puts(out, i ? ", called from " : "");
			if (i)
				add_called_function(out, profile, function);
			return;
		}
		at = python_caller_of(stats, at);
	}
}

const struct python_row *hottest_below(const struct python_rows *rows, int64_t self_ns)
{
	const struct python_row *found = NULL;
	for_each (row, rows->items, rows->count)
		if (row->self_ns > (found ? found->self_ns : 0) && row->self_ns < self_ns &&
		    wait_of(row->file, row->function) == WAIT_NONE)
			found = row;
	return found;
}

/* ---- imports ---- */

static bool is_import_system(const struct profile *profile, uint32_t at)
{
	return strstr(profile_string(profile, python_function_at(profile->python, at)->file),
		      "importlib._bootstrap");
}

bool python_is_of_import(const struct profile *profile, const struct python_row *row)
{
	uint32_t at = row ? python_place(profile, row) : NO_ROW;
	for (int i = 0; i < CALLERS_MAX && at != NO_ROW; i++) {
		const struct python_function *function = python_function_at(profile->python, at);
		if (is_import_system(profile, at))
			return true;
		if (is_own_path(profile_string(profile, function->file)) &&
		    *profile_string(profile, function->name) != '<')
			return false;
		at = python_caller_of(profile->python, at);
	}
	return false;
}

void add_importer(struct buffer *out, const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	uint32_t count = python_is_sampled(stats) ? (uint32_t)stats->frames.count : 0;
	AUTO_FREE int64_t *ns = python_frame_times(stats);
	AUTO_FREE int64_t *sums = mem_zalloc(count + 1, sizeof *sums);
	AUTO_FREE uint32_t *importer = mem_no_rows(count + 1); /* by frame */
	uint32_t most = NO_ROW;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t caller = python_caller_of(stats, i);
		if (caller == NO_ROW)
			continue;
		importer[i] = importer[caller];
		if (importer[i] == NO_ROW && is_import_system(profile, i) &&
		    is_own_path(profile_string(profile, python_function_at(stats, caller)->file)))
			importer[i] = caller;
		if (importer[i] == NO_ROW)
			continue;
		sums[importer[i]] += ns[i];
		if (most == NO_ROW || sums[importer[i]] > sums[most])
			most = importer[i];
	}
	if (most == NO_ROW)
		return;
	buffer_puts(out, ", most in that of ");
	add_called_function(out, profile, python_function_at(stats, most));
}

#include "analysis/python_rows.h"

#include "facts/facts.h"
#include "base/hash.h"
#include "model/python_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t python_ns(double seconds)
{
	if (isnan(seconds))
		return NO_VALUE;
	double ns = seconds * 1e9;
	return ns >= 9.2e18 ? INT64_MAX : ns <= -9.2e18 ? -INT64_MAX : llround(ns);
}

static int64_t bytes_of(double bytes)
{
	return isnan(bytes) ? NO_VALUE : fabs(bytes) < 9.2e18 ? llround(bytes) : INT64_MAX;
}

static struct text_slice whole(const struct profile *profile, uint32_t string)
{
	return (struct text_slice){ intern_text(profile->strings, string),
				    intern_length(profile->strings, string) };
}

static struct python_row *add_row(struct python_rows *rows)
{
	mem_grow(rows->items, rows->capacity, rows->count + 1);
	struct python_row *row = &rows->items[rows->count++];
	*row = (struct python_row){ .line = NO_VALUE,
				    .calls = NO_VALUE,
				    .primitive_calls = NO_VALUE,
				    .self_ns = NO_VALUE,
				    .total_ns = NO_VALUE,
				    .memory_bytes = NO_VALUE,
				    .source = NO_ROW };
	return row;
}

/* ---- recorded totals ---- */

static void name_row(struct python_row *row, const struct profile *profile,
		     const struct python_function *function)
{
	row->function = whole(profile, function->name);
	row->file = whole(profile, function->file);
	row->line = function->line;
}

static void add_functions(struct python_rows *rows, const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	for (size_t i = 0; i < stats->function_count; i++) {
		const struct python_function *function = &stats->functions[i];
		if (function->is_named_only)
			continue;
		struct python_row *row = add_row(rows);
		name_row(row, profile, function);
		row->calls = function->calls;
		row->primitive_calls = function->primitive_calls;
		row->self_ns = python_ns(function->self_s);
		row->total_ns = python_ns(function->total_s);
		row->memory_bytes = bytes_of(function->memory_bytes);
		row->source = (uint32_t)i;
	}
}

static void add_callers(struct python_rows *rows, const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	for (size_t i = 0; i < stats->caller_count; i++) {
		const struct python_caller *caller = &stats->callers[i];
		struct python_row *row = add_row(rows);
		name_row(row, profile, &stats->functions[caller->function]);
		row->caller = whole(profile, stats->functions[caller->caller].name);
		row->calls = caller->calls;
		row->primitive_calls = caller->primitive_calls;
		row->self_ns = python_ns(caller->self_s);
		row->total_ns = python_ns(caller->total_s);
	}
}

static void add_lines(struct python_rows *rows, const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	for (size_t i = 0; i < stats->line_count; i++) {
		const struct python_line *line = &stats->lines[i];
		struct python_row *row = add_row(rows);
		if (line->function != NO_ROW)
			name_row(row, profile, &stats->functions[line->function]);
		else
			row->function = whole(profile, line->text);
		row->file = whole(profile, line->file);
		row->line = line->line;
		row->calls = line->hits;
		row->self_ns = python_ns(line->self_s);
		row->memory_bytes = bytes_of(line->memory_bytes);
		row->source = (uint32_t)i;
	}
}

/* ---- totals from calls and samples ---- */

struct sums {
	struct python_rows *rows;
	struct hash *by_name;
};

/* Parse a frame name "path/file.py(12): function"; any other name is the function. */
static void split_frame(struct python_row *row, const char *text, size_t length)
{
	row->function = (struct text_slice){ text, length };
	for (size_t at = length; at-- > 1;) {
		if (text[at] != ':' || text[at - 1] != ')')
			continue;
		size_t open = at - 1;
		while (open && text[open - 1] != '(')
			open--;
		if (open < 2)
			return;
		char *end;
		long long line = strtoll(text + open, &end, 10);
		if (end != text + at - 1 || line < 0)
			return;
		/* Collapsed stacks have an underscore for the blank. */
		size_t name = at + 1 + (at + 1 < length && strchr(" _", text[at + 1]));
		row->file = (struct text_slice){ text, open - 1 };
		row->line = line;
		row->function = (struct text_slice){ text + name, length - name };
		return;
	}
}

/* Find or add the row of a frame. */
static size_t row_of(struct sums *sums, const char *text, size_t length, uint32_t key)
{
	uint32_t at = hash_last(sums->by_name, key);
	if (at != NO_ROW)
		return at;
	at = (uint32_t)sums->rows->count;
	struct python_row *row = add_row(sums->rows);
	split_frame(row, text, length);
	row->calls = row->primitive_calls = row->self_ns = row->total_ns = 0;
	hash_add(sums->by_name, key, at);
	return at;
}

static bool is_python(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] == SPAN_PYTHON || profile->span_kind[span] == SPAN_MODULE;
}

/* The nearest enclosing Python call, or NO_ROW. */
static uint32_t python_around(const struct profile *profile, uint32_t span)
{
	do
		span = profile->span_parent[span];
	while (span != NO_ROW && !is_python(profile, span));
	return span;
}

static const char stage[] = "summing functions";

static bool sum_spans(struct sums *sums, const struct selection *selection,
		      const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	uint32_t *open = mem_zalloc((size_t)intern_count(profile->strings) + 1, sizeof *open);
	uint32_t innermost = NO_ROW; /* of the open Python calls */
	bool on = true;
	for (uint32_t i = 0; i < profile->spans && on; i++) {
		on = progress_row(progress, stage, i, profile->spans);
		if (!is_python(profile, i))
			continue;
		uint32_t around = python_around(profile, i), name = profile->span_name[i];
		for (; innermost != around && innermost != NO_ROW;
		     innermost = python_around(profile, innermost))
			open[profile->span_name[innermost]]--;
		bool nested = open[name]++ > 0;
		innermost = i;
		if (!selection_has_span(selection, i))
			continue;
		size_t at = row_of(sums, profile_string(profile, name),
				   intern_length(profile->strings, name), name);
		struct python_row *row = &sums->rows->items[at];
		row->calls++;
		row->self_ns += profile->span_dur[i];
		if (!nested) {
			row->primitive_calls++;
			row->total_ns += profile->span_dur[i];
		}
		if (around != NO_ROW && selection_has_span(selection, around)) {
			uint32_t outer = hash_last(sums->by_name, profile->span_name[around]);
			sums->rows->items[outer].self_ns -=
				facts_time_inside(selection->facts, i, around);
		}
	}
	mem_free(open);
	return on;
}

/* Samples have times only, in us as written by torch and austin. */
static bool sum_samples(struct sums *sums, const struct profile *profile,
			const struct progress *progress)
{
	const struct python_stats *stats = profile->python;
	struct intern *frames = intern_new();
	size_t *last = NULL, capacity = 0; /* by row: the last sample counted, from 1 */
	bool on = true;
	for (size_t i = 0; i < stats->sample_count && on; i++) {
		on = progress_row(progress, stage, i, stats->sample_count);
		const char *at = profile_string(profile, stats->samples[i].stack);
		int64_t ns = stats->samples[i].value > INT64_MAX / 1000
				     ? INT64_MAX
				     : stats->samples[i].value * 1000;
		while (*at) {
			size_t length = strcspn(at, ";"), had = capacity;
			size_t row = row_of(sums, at, length, intern_add(frames, at, length));
			mem_grow(last, capacity, row + 1);
			if (capacity > had)
				memset(last + had, 0, (capacity - had) * sizeof *last);
			if (last[row] != i + 1)
				sums->rows->items[row].total_ns += ns;
			last[row] = i + 1;
			at += length + (at[length] == ';');
			if (!*at)
				sums->rows->items[row].self_ns += ns;
		}
	}
	for (size_t i = 0; i < sums->rows->count; i++)
		sums->rows->items[i].calls = sums->rows->items[i].primitive_calls = NO_VALUE;
	mem_free(last);
	intern_free(frames);
	return on;
}

/* ---- all rows ---- */

bool python_rows_make(struct python_rows *rows, const struct selection *selection,
		      enum python_grouping grouping, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	const struct python_stats *stats = profile->python;
	bool done = true;
	*rows = (struct python_rows){ 0 };
	struct sums sums = { rows, hash_new(64) };
	if (grouping == PYTHON_AS_RECORDED)
		grouping = stats && stats->line_count ? PYTHON_LINES : PYTHON_FUNCTIONS;
	if (!stats && grouping == PYTHON_FUNCTIONS)
		done = sum_spans(&sums, selection, progress);
	else if (stats && stats->sample_count && grouping == PYTHON_FUNCTIONS)
		done = sum_samples(&sums, profile, progress);
	else if (stats && grouping == PYTHON_FUNCTIONS)
		add_functions(rows, profile);
	else if (stats && grouping == PYTHON_LINES)
		add_lines(rows, profile);
	else if (stats && grouping == PYTHON_CALLERS)
		add_callers(rows, profile);
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].self_ns != NO_VALUE)
			rows->self_ns += rows->items[i].self_ns;
	hash_free(sums.by_name);
	return done;
}

void python_rows_free(struct python_rows *rows)
{
	mem_free(rows->items);
	*rows = (struct python_rows){ 0 };
}

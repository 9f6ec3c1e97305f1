#include "analysis/python_rows.h"

#include "analysis/samples.h"
#include "base/any_of.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/platform.h"
#include "base/text.h"
#include "model/python_stats.h"

#include <ctype.h>
#include <math.h>

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

struct text_slice python_text(const struct profile *profile, uint32_t string)
{
	return (struct text_slice){ INTERNED(profile->strings, string) };
}

static struct python_row *python_rows_add_row(struct python_rows *rows)
{
	struct python_row *row = mem_push(rows->items, rows->count);
	SET_UNKNOWN(row, UNKNOWN(line) UNKNOWN(calls) UNKNOWN(primitive_calls) UNKNOWN(self_ns)
				 UNKNOWN(total_ns) UNKNOWN(mean_ns) UNKNOWN(whole_ns)
					 UNKNOWN(memory_bytes) UNKNOWN(level_bytes) UNKNOWN(caller)
						 UNKNOWN(about) UNKNOWN(source));
	return row;
}

/* ---- recorded totals ---- */

static void name_row(struct python_row *row, const struct profile *profile,
		     const struct python_function *function)
{
	row->function = python_text(profile, function->name);
	row->file = python_text(profile, function->file);
	row->section = python_text(profile, function->section);
	row->line = function->line;
}

static const struct python_split *split_of(const struct python_stats *stats, uint32_t split)
{
	return split == NO_ROW ? NULL : &stats->splits[split];
}

static void add_functions(struct python_rows *rows, const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	for (size_t i = 0; i < stats->function_count; i++) {
		const struct python_function *function = &stats->functions[i];
		if (function->is_named_only)
			continue;
		struct python_row *row = python_rows_add_row(rows);
		name_row(row, profile, function);
		row->calls = function->calls;
		row->primitive_calls = function->primitive_calls;
		row->self_ns = python_ns(function->self_s);
		row->total_ns = python_ns(function->total_s);
		row->mean_ns = python_ns(function->mean_s);
		row->whole_ns = python_ns(python_whole_of(stats, function->section));
		row->memory_bytes = bytes_of(function->memory_bytes);
		row->split = split_of(stats, function->split);
		row->source = (uint32_t)i;
		row->about = stats->caller_count ? (uint32_t)i : NO_ROW;
	}
}

/* Of FUNCTION, its callers and callees; NO_ROW: of all. */
static void add_callers(struct python_rows *rows, const struct profile *profile, uint32_t function)
{
	const struct python_stats *stats = profile->python;
	for_each (caller, stats->callers, stats->caller_count) {
		if (function != NO_ROW && caller->function != function &&
		    caller->caller != function)
			continue;
		struct python_row *row = python_rows_add_row(rows);
		name_row(row, profile, &stats->functions[caller->function]);
		row->caller = caller->caller;
		row->about = caller->function == function ? caller->caller : caller->function;
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
		struct python_row *row = python_rows_add_row(rows);
		if (line->function != NO_ROW)
			name_row(row, profile, &stats->functions[line->function]);
		else
			row->function = python_text(profile, line->text);
		row->file = python_text(profile, line->file);
		row->line = line->line;
		row->calls = line->hits;
		row->self_ns = python_ns(line->self_s);
		row->memory_bytes = bytes_of(line->memory_bytes);
		row->level_bytes = bytes_of(line->level_bytes);
		row->split = split_of(stats, line->split);
		row->source = (uint32_t)i;
		row->is_line = true;
	}
}

/* ---- totals from calls and samples ---- */

struct python_rows_sums {
	struct python_rows *rows;
	uint32_t *key_of;   /* by name: what its row is found by + 1; 0: not known yet */
	uint32_t *row_of;   /* by that: the row + 1; 0: none */
	struct hash *first; /* by text in the rows' names: the first name with it */
};

/*
 * Methods of C differ by the address of their object, "<built-in method items of dict object at
 * 0x7f12>": they count as the first of the same name without it.
 */
static uint32_t python_rows_key_of(struct python_rows_sums *sums, const struct profile *profile,
				   uint32_t name)
{
	const char *text = profile_string(profile, name);
	size_t length = intern_length(profile->strings, name), end;
	if (sums->key_of[name])
		return sums->key_of[name] - 1;
	uint32_t key = name;
	if (text_address(text, length, &end)) {
		uint32_t shared = intern_add(sums->rows->names, text, end);
		key = hash_last(sums->first, shared);
		if (key == NO_ROW)
			hash_add(sums->first, shared, key = name);
	}
	sums->key_of[name] = key + 1;
	return key;
}

/* Find or add the row of the function with this key. */
static size_t python_rows_row_of(struct python_rows_sums *sums, const struct profile *profile,
				 uint32_t key)
{
	if (sums->row_of[key])
		return sums->row_of[key] - 1;
	struct python_row *row = python_rows_add_row(sums->rows);
	struct frame_name parts;
	struct text_slice text = python_text(profile, key);
	size_t end;
	if (text_address(text.text, text.length, &end)) {
		AUTO_BUFFER struct buffer name = { 0 };
		buffer_add(&name, text.text, end);
		buffer_putc(&name, '>');
		uint32_t id = intern_add(sums->rows->names, name.data, name.length);
		text.text = intern_text(sums->rows->names, id);
		text.length = name.length;
		row->has_own_name = true;
	}
	frame_name_split(&parts, text.text, text.length);
	MEMBERS(row, &parts, TAKE(function) TAKE(file) TAKE(line));
	row->calls = row->primitive_calls = row->self_ns = row->total_ns = 0;
	sums->row_of[key] = (uint32_t)sums->rows->count;
	return sums->rows->count - 1;
}

/* The nearest enclosing Python call, or NO_ROW. */
static uint32_t python_around(const struct profile *profile, uint32_t span)
{
	do
		span = profile->span_parent[span];
	while (span != NO_ROW && !profile_is_python(profile, span));
	return span;
}

static const char stage[] = "summing functions";

static bool sum_spans(struct python_rows_sums *sums, const struct selection *selection,
		      const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	AUTO_FREE uint32_t *open =
		mem_zalloc((size_t)intern_count(profile->strings) + 1, sizeof *open);
	uint32_t innermost = NO_ROW; /* of the open Python calls */
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		if (!profile_is_python(profile, i))
			continue;
		uint32_t around = python_around(profile, i);
		uint32_t key = python_rows_key_of(sums, profile, profile->span_name[i]);
		for (; innermost != around && innermost != NO_ROW;
		     innermost = python_around(profile, innermost))
			open[python_rows_key_of(sums, profile, profile->span_name[innermost])]--;
		bool nested = open[key]++ > 0;
		innermost = i;
		if (!selection_has_span(selection, i))
			continue;
		size_t at = python_rows_row_of(sums, profile, key);
		struct python_row *row = &sums->rows->items[at];
		row->calls++;
		row->self_ns += profile->span_dur[i];
		if (!nested) {
			row->primitive_calls++;
			row->total_ns += profile->span_dur[i];
		}
		if (around != NO_ROW && selection_has_span(selection, around)) {
			uint32_t outer =
				python_rows_key_of(sums, profile, profile->span_name[around]);
			sums->rows->items[sums->row_of[outer] - 1].self_ns -=
				derived_time_inside(selection->derived, i, around);
		}
	}
	return ok;
}

/* ---- samples ---- */

/* Frames as trees: first child and next sibling, NO_ROW: none. */
struct sampled {
	const struct python_stats *stats;
	uint32_t *child, *sibling;
	int64_t *self;    /* of the samples that end there */
	int64_t *value;   /* also of those in callees */
	uint32_t *key;    /* by function: the first one that is the same */
	uint32_t *open;   /* by key: its frames on the path to the current one */
	uint32_t *row_of; /* by key: row + 1 */
	struct python_rows *rows;
};

static bool is_module(const struct profile *profile, const struct python_function *function)
{
	return slice_is(python_text(profile, function->name), "<module>");
}

/* py-spy and austin write the line that ran; the body of a module is defined in its first line. */
static bool has_running_lines(const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	return any_of(i, stats->function_count,
		      stats->functions[i].line > 1 && is_module(profile, &stats->functions[i]));
}

/* "<lambda>" and "<listcomp>" in two lines are two functions, "<module>" is one. */
static bool is_unnamed(const struct profile *profile, const struct python_function *function)
{
	struct text_slice name = python_text(profile, function->name);
	return name.length && *name.text == '<' && !is_module(profile, function);
}

/* By function: the first one of its name and file, of which it is another line. mem_free. */
static uint32_t *functions_of_lines(const struct profile *profile, bool merges)
{
	const struct python_stats *stats = profile->python;
	uint32_t *key = mem_alloc((stats->function_count + 1) * sizeof *key);
	AUTO_HASH struct hash *first = hash_new(stats->function_count);
	for (uint32_t i = 0; i < stats->function_count; i++) {
		const struct python_function *function = &stats->functions[i];
		uint64_t place = hash_pair(function->name, function->file);
		key[i] = i;
		if (!merges || !function->file || is_unnamed(profile, function))
			continue;
		key[i] = hash_last(first, place);
		if (key[i] == NO_ROW)
			hash_add(first, place, key[i] = i);
	}
	return key;
}

/* Of the lines of one function, the row has the first. */
static struct python_row *sampled_row(struct sampled *sampled, const struct profile *profile,
				      uint32_t function)
{
	uint32_t *at = &sampled->row_of[sampled->key[function]];
	const struct python_function *source = &sampled->stats->functions[function];
	if (!*at) {
		struct python_row *row = python_rows_add_row(sampled->rows);
		name_row(row, profile, source);
		row->self_ns = row->total_ns = 0;
		*at = (uint32_t)sampled->rows->count;
	}
	struct python_row *row = &sampled->rows->items[*at - 1];
	lower_to(row->line, source->line);
	return row;
}

/* A recursive function counts once in its total: at its outermost frame. */
static void enter_frame(struct sampled *sampled, const struct profile *profile, uint32_t frame)
{
	uint32_t function = sampled->stats->frames.frames[frame].name;
	bool outermost = sampled->open[sampled->key[function]]++ == 0;
	if (!sampled->value[frame])
		return;
	struct python_row *row = sampled_row(sampled, profile, function);
	row->self_ns += sampled->self[frame];
	if (outermost)
		row->total_ns += sampled->value[frame];
}

/* Depth first; callers have lower numbers than callees. */
static bool walk_frames(struct sampled *sampled, const struct profile *profile, uint32_t root,
			const struct progress *progress)
{
	const struct frame *frames = sampled->stats->frames.frames;
	uint64_t steps = 0;
	for (uint32_t at = root; at != NO_ROW;) {
		if (!progress_row(progress, stage, steps++, sampled->stats->frames.count))
			return false;
		enter_frame(sampled, profile, at);
		uint32_t next = sampled->child[at];
		while (next == NO_ROW && at != NO_ROW) {
			sampled->open[sampled->key[frames[at].name]]--;
			next = sampled->sibling[at];
			at = frames[at].caller;
		}
		at = next;
	}
	return true;
}

static bool add_samples(struct sampled *sampled, const struct selection *selection,
			const struct progress *progress)
{
	const struct python_stats *stats = sampled->stats;
	bool ok = true;
	for_rows (ok, i, stats->sample_count, progress, stage) {
		const struct python_sample *sample = &stats->samples[i];
		if (sample->track != NO_ROW && !samples_lane_is_selected(selection, sample->track))
			continue;
		sampled->self[sample->frame] += sample->value;
	}
	return ok;
}

/* Values of frames grow by those of their callees; roots become siblings. Returns the first. */
static uint32_t grow_trees(struct sampled *sampled)
{
	const struct frames *frames = &sampled->stats->frames;
	uint32_t root = NO_ROW;
	for (size_t i = frames->count; i-- > 0;) {
		uint32_t caller = frames->frames[i].caller;
		uint32_t *first = caller == NO_ROW ? &root : &sampled->child[caller];
		sampled->value[i] += sampled->self[i];
		if (caller != NO_ROW)
			sampled->value[caller] += sampled->value[i];
		sampled->sibling[i] = *first;
		*first = (uint32_t)i;
	}
	return root;
}

/* Functions, or their lines. */
static bool sum_samples(struct python_rows *rows, const struct selection *selection,
			enum python_grouping grouping, const struct progress *progress)
{
	const struct python_stats *stats = selection->profile->python;
	size_t frames = stats->frames.count + 1, functions = stats->function_count + 1;
	struct sampled sampled = {
		.stats = stats,
		.child = mem_no_rows(frames),
		.sibling = mem_alloc(frames * sizeof(uint32_t)),
		.self = mem_zalloc(frames, sizeof(int64_t)),
		.value = mem_zalloc(frames, sizeof(int64_t)),
		.key = functions_of_lines(selection->profile,
					  grouping == PYTHON_MERGED &&
						  has_running_lines(selection->profile)),
		.open = mem_zalloc(functions, sizeof(uint32_t)),
		.row_of = mem_zalloc(functions, sizeof(uint32_t)),
		.rows = rows,
	};
	bool ok = add_samples(&sampled, selection, progress) &&
		  walk_frames(&sampled, selection->profile, grow_trees(&sampled), progress);
	mem_free_all(sampled.child, sampled.sibling, sampled.self, sampled.value, sampled.key,
		     sampled.open, sampled.row_of);
	return ok;
}

/* ---- lines with what they call ---- */

/* A line that calls little else takes at most so much more than the function. */
static const double alike = 1.05;

struct called {               /* a function whose lines were timed */
	int64_t first, calls; /* its first line that ran, and how often */
	double inside_s;      /* that lines of other functions have, too */
};

static uint64_t alike_key(int64_t calls, double seconds, int steps)
{
	return hash_pair((uint64_t)calls,
			 (uint64_t)llround(floor(log(seconds) / log(alike)) - steps));
}

/* The functions that TEXT calls by their last name, "f(x)" or "a.f(x)": NAMES, by function. */
static void add_named(struct called *called, const struct intern *names, const struct hash *of_name,
		      const struct python_line *line, struct text_slice text)
{
	for (size_t at = 0, length; at < text.length; at += length ? length : 1) {
		length = 0;
		while (at + length < text.length &&
		       (isalnum((unsigned char)text.text[at + length]) ||
			text.text[at + length] == '_'))
			length++;
		bool calls = at + length < text.length && text.text[at + length] == '(';
		uint32_t name = calls ? intern_find(names, text.text + at, length) : NO_ROW;
		uint32_t function = name == NO_ROW ? NO_ROW : hash_last(of_name, name);
		if (function != NO_ROW && function != line->function)
			called[function].inside_s += line->self_s;
	}
}

/* Count the calls of functions by their first line that ran; the last of CALLED: of none. */
static void count_calls(struct called *called, const struct python_stats *stats)
{
	for_each (line, stats->lines, stats->line_count) {
		struct called *at =
			&called[line->function == NO_ROW ? stats->function_count : line->function];
		if (line->hits > 0 && line->self_s > 0 && (!at->calls || line->line < at->first)) {
			at->first = line->line;
			at->calls = line->hits;
		}
	}
}

/*
 * The time that is counted twice, in a line and in the functions that it calls: those that its text
 * names; and one that was called as often as the line ran, and took as long.
 */
static int64_t nested_ns(const struct profile *profile)
{
	const struct python_stats *stats = profile->python;
	AUTO_FREE struct called *called = mem_zalloc(stats->function_count + 1, sizeof *called);
	AUTO_INTERN struct intern *names = intern_new();
	AUTO_HASH struct hash *of_name = hash_new(64), *of_time = hash_new(64);
	double nested = 0, all = 0, longest = 0;
	count_calls(called, stats);
	for (uint32_t i = 0; i < stats->function_count; i++) {
		struct text_slice name = python_text(profile, stats->functions[i].name);
		const char *dot = platform_memrchr(name.text, '.', name.length);
		size_t outer = dot ? (size_t)(dot + 1 - name.text) : 0; /* "Net.forward" */
		double total = called[i].calls ? stats->functions[i].total_s : 0;
		if (!(total > 0))
			continue;
		hash_add(of_name, intern_add(names, name.text + outer, name.length - outer), i);
		hash_add(of_time, alike_key(called[i].calls, total, 0), i);
		longest = fmax(longest, total);
		all += total;
	}
	for_each (line, stats->lines, stats->line_count) {
		if (line->function == NO_ROW || !(line->hits > 0) || !(line->self_s > 0))
			continue;
		add_named(called, names, of_name, line, python_text(profile, line->text));
		for (int steps = 0; steps < 2; steps++) {
			uint32_t at =
				hash_last(of_time, alike_key(line->hits, line->self_s, steps));
			double total = at == NO_ROW ? 0 : stats->functions[at].total_s;
			if (at != line->function && total <= line->self_s &&
			    line->self_s <= total * alike)
				called[at].inside_s = fmax(called[at].inside_s, total);
		}
	}
	for (size_t i = 0; i < stats->function_count; i++)
		if (called[i].inside_s > 0)
			nested += fmin(stats->functions[i].total_s, called[i].inside_s);
	return python_ns(fmin(nested, all - longest));
}

/* ---- all rows ---- */

static bool has_functions(const struct python_stats *stats)
{
	return stats->sample_count > 0 ||
	       any_of(i, stats->function_count, !stats->functions[i].is_named_only);
}

static enum python_grouping recorded_grouping(const struct python_stats *stats)
{
	if (stats && stats->line_count && (stats->has_totals || !stats->sample_count))
		return PYTHON_LINES;
	return stats && stats->caller_count && !has_functions(stats) ? PYTHON_CALLERS
								     : PYTHON_FUNCTIONS;
}

static void python_rows_add_up(struct python_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		int64_t self = rows->items[i].self_ns;
		if (self == NO_VALUE)
			continue;
		if (rows->self_ns == NO_VALUE)
			rows->self_ns = 0;
		if (__builtin_add_overflow(rows->self_ns, self, &rows->self_ns))
			rows->self_ns = INT64_MAX;
	}
}

/* Shares are of the whole, too, where a table was printed in part. */
static void add_left_out(struct python_rows *rows, const struct python_stats *stats)
{
	double rounding = rows->self_ns ? 0 : 0.001 * (double)(rows->count + 1); /* of 0.000 each */
	if (rows->self_ns != NO_VALUE && stats->left_out_s > rounding &&
	    __builtin_add_overflow(rows->self_ns, python_ns(stats->left_out_s), &rows->self_ns))
		rows->self_ns = INT64_MAX;
}

bool python_rows_make(struct python_rows *rows, const struct selection *selection,
		      enum python_grouping grouping, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	const struct python_stats *stats = profile->python;
	bool done = true;
	*rows = (struct python_rows){ .self_ns = NO_VALUE };
	rows->names = intern_new();
	size_t names = (size_t)intern_count(profile->strings) + 1;
	struct python_rows_sums sums = { rows, mem_zalloc(names, sizeof(uint32_t)),
					 mem_zalloc(names, sizeof(uint32_t)), hash_new(64) };
	uint32_t function = selection->scope->function;
	if (stats && function != NO_ROW)
		grouping = PYTHON_CALLERS;
	else if (grouping == PYTHON_AS_RECORDED)
		grouping = recorded_grouping(stats);
	bool functions = grouping == PYTHON_FUNCTIONS || grouping == PYTHON_MERGED;
	/* of functions that a profiler summed up beside a trace, the trace has the calls again */
	if (functions && (!stats || stats->sample_count || !stats->function_count))
		done = sum_spans(&sums, selection, progress);
	bool lines = stats && grouping == PYTHON_LINES && !stats->line_count &&
		     has_running_lines(profile);
	if (done && stats && (functions || lines) && !stats->has_totals && stats->sample_count)
		done = sum_samples(rows, selection, grouping, progress);
	if (stats && functions)
		add_functions(rows, profile);
	else if (stats && grouping == PYTHON_LINES)
		add_lines(rows, profile);
	else if (stats && grouping == PYTHON_CALLERS)
		add_callers(rows, profile, function);
	python_rows_add_up(rows);
	if (stats && stats->line_count && rows->self_ns != NO_VALUE)
		rows->self_ns -= nested_ns(profile);
	if (stats && functions)
		add_left_out(rows, stats);
	hash_free(sums.first);
	mem_free_all(sums.key_of, sums.row_of);
	return done;
}

CLEAR_MEMBERS(python_rows_free, struct python_rows, OWN(items) OWN_BY(intern_free, names))

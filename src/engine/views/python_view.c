/*
 * The python view: functions and source lines of a Python profile, of sampled stacks, or of a trace
 * with stacks.
 */
#include "analysis/python_rows.h"
#include "base/buffer.h"
#include "base/code_block.h"
#include "base/code_file.h"
#include "base/hash.h"
#include "model/python_stats.h"
#include "views/views.h"

#include <math.h>

enum { ROW_WEIGHT = 32 }; /* for progress_heavy_row: a row has many cells */

static struct value cell_stretch(struct text_slice stretch)
{
	return stretch.length ? value_bytes(stretch.text, stretch.length) : value_missing();
}

void python_measure(struct table *table, const struct python_stats *stats)
{
	static const char *const columns[] = { "value_ns", "self_ns", "total_ns",
					       "self_per_call_ns", "total_per_call_ns" };
	bool bytes = stats->sample_unit == SAMPLE_BYTES;
	const char *title = bytes ? "Bytes" : "Value";
	for (size_t i = 0; stats->sample_unit && i < sizeof columns / sizeof *columns; i++)
		table_measure(table, columns[i], bytes ? UNIT_BYTES : UNIT_COUNT, i ? NULL : title);
}

/* As pstats: "file:line(function)", "{name}" for built-ins; the function where no file is known. */
static struct value location(struct table *table, struct text_slice name, struct text_slice file,
			     int64_t line)
{
	if (!file.length && line == NO_VALUE)
		return cell_stretch(name);
	if (python_is_builtin_file(file.text, file.length) && line == 0) {
		bool marked =
			name.length > 1 && name.text[0] == '<' && name.text[name.length - 1] == '>';
		return table_printf(table, marked ? "{%.*s}" : "%.*s",
				    (int)(name.length - 2 * marked), name.text + marked);
	}
	return table_printf(table, "%.*s:%lld(%.*s)", (int)file.length, file.text,
			    line == NO_VALUE ? 0LL : (long long)line, (int)name.length, name.text);
}

static struct value caller_cell(struct table *table, const struct profile *profile, uint32_t caller)
{
	if (caller == NO_ROW)
		return value_missing();
	const struct python_function *function = &profile->python->functions[caller];
	return location(table, python_text(profile, function->name),
			python_text(profile, function->file), function->line);
}

/* Time of a call; of recursive functions the total is that of the outermost calls. */
static struct value per_call(int64_t ns, int64_t calls)
{
	return ns == NO_VALUE || calls == NO_VALUE || calls <= 0 ? value_missing()
								 : value_int(ns / calls);
}

static struct value cell_seconds(double seconds)
{
	return cell_int(python_ns(seconds));
}

/* Presets look up the source of a row that leads nowhere. */
static struct ref ref_of(const struct python_row *row)
{
	bool leads = row->about != NO_ROW;
	return (struct ref){ leads ? REF_FUNCTION : REF_NONE, leads ? row->about : row->source, 0,
			     0 };
}

/* ---- source lines ---- */

struct python_view_code { /* the file of the latest row */
	uint32_t file;
	struct buffer text;
	int64_t line; /* at START */
	size_t start;
	size_t lines, missing; /* rows that are lines; without a file */
};

static void open_code(struct python_view_code *code, const struct profile *profile, uint32_t file)
{
	if (file == code->file)
		return;
	code->file = file;
	code->line = 1;
	code->start = 0;
	buffer_clear(&code->text);
	code_file_python(&code->text, profile_string(profile, file), profile->path);
}

/* Lines mostly come in order. */
static struct value line_cell(struct table *table, struct python_view_code *code,
			      const struct python_line *line)
{
	const char *text = buffer_text(&code->text);
	size_t length = code->text.length;
	if (line->line < 1 || (uint64_t)line->line > length)
		return value_missing();
	if (line->line < code->line)
		code->start = code_line_start(text, length, (size_t)line->line);
	else
		code->start += code_line_start(text + code->start, length - code->start,
					       (size_t)(line->line - code->line) + 1);
	code->line = line->line;
	const char *at = text + code->start, *end = memchr(at, '\n', length - code->start);
	struct text_slice slice = { at, end ? (size_t)(end - at) : length - code->start };
	while (slice.length && slice.text[slice.length - 1] == '\r')
		slice.length--;
	while (slice.length && strchr(" \t\f", *slice.text)) {
		slice.text++;
		slice.length--;
	}
	return slice.length ? table_copy_text(table, slice.text, slice.length) : value_missing();
}

static struct value code_cell(struct table *table, const struct profile *profile,
			      const struct python_line *line, struct python_view_code *code)
{
	if (line->text)
		return cell_text(profile, line->text);
	code->lines++;
	open_code(code, profile, line->file);
	code->missing += code->text.length == 0;
	return line_cell(table, code, line);
}

static void note_code(struct table *table, const struct python_view_code *code)
{
	if (code->missing)
		table_note(table,
			   "Code is blank for %zu of %zu lines: their files are not here. "
			   "Open the profile from the folder that the names are relative to.",
			   code->missing, code->lines);
}

/* The text of a line and, of line_profiler, its share of the function's time. */
static void put_line(struct table *table, size_t row, const struct profile *profile,
		     const struct python_line *line, struct python_view_code *code)
{
	if (line->function == NO_ROW)
		return;
	double all_s = profile->python->functions[line->function].self_s;
	table_set_listed(table, row, "code", code_cell(table, profile, line, code));
	if (all_s > 0)
		table_set_listed(table, row, "function_share_pct",
				 cell_real(100 * line->self_s / all_s));
}

/* Lines of a function that line_profiler watched, but that never ran: its file has them. */
static void add_unrun(struct table *table, const struct profile *profile, uint32_t of,
		      const struct hash *ran, struct python_view_code *code)
{
	const struct python_function *function = &profile->python->functions[of];
	struct python_line line = { .function = of, .file = function->file, .self_s = NAN };
	open_code(code, profile, function->file);
	const char *text = buffer_text(&code->text);
	size_t length = code->text.length;
	if (function->line < 1 || (uint64_t)function->line > length)
		return;
	size_t start = code_line_start(text, length, (size_t)function->line);
	int64_t lines = (int64_t)code_block_lines(text + start, length - start);
	for (line.line = function->line; line.line < function->line + lines; line.line++) {
		if (hash_last(ran, hash_pair(of, (uint64_t)line.line)) != NO_ROW)
			continue;
		struct value cell = line_cell(table, code, &line);
		if (cell.kind == VALUE_MISSING)
			continue;
		size_t row = table_add_row(table, (struct ref){ REF_NONE, NO_ROW, 0, 0 });
		table_set(table, row, "function", cell_text(profile, function->name));
		table_set(table, row, "file", cell_text(profile, function->file));
		table_set(table, row, "line", value_int(line.line));
		table_set(table, row, "code", cell);
	}
}

static bool add_unrun_lines(struct table *table, const struct view_query *query,
			    struct python_view_code *code)
{
	const struct profile *profile = query->selection->profile;
	const struct python_stats *stats = profile->python;
	AUTO_HASH struct hash *ran = hash_new(stats->line_count);
	bool ok = true;
	for (size_t i = 0; i < stats->line_count; i++)
		hash_add(ran, hash_pair(stats->lines[i].function, (uint64_t)stats->lines[i].line),
			 (uint32_t)i);
	for_heavy_rows (ok, i, stats->function_count, query->progress, "reading code", ROW_WEIGHT)
		add_unrun(table, profile, (uint32_t)i, ran, code);
	return ok;
}

/* ---- rows ---- */

static void python_view_add_row(struct table *table, const struct profile *profile,
				const struct python_row *from, int64_t all,
				struct python_view_code *code)
{
	size_t row = table_add_row(table, ref_of(from));
	struct text_slice function = from->function;
	if (from->has_own_name)
		function.text = table_copy_text(table, function.text, function.length).text;
	PYTHON_CELLS(table_set_listed);
	if (from->self_ns != NO_VALUE)
		table_set_listed(table, row, "share_pct", cell_share(from->self_ns, all));
	else if (from->whole_ns != NO_VALUE && from->total_ns != NO_VALUE)
		table_set_listed(table, row, "share_pct",
				 cell_share(from->total_ns, from->whole_ns));
	table_set_listed(table, row, "memory_bytes", cell_int(from->memory_bytes));
	table_set_listed(table, row, "memory_level_bytes", cell_int(from->level_bytes));
	table_set_listed(table, row, "self_per_call_ns", per_call(from->self_ns, from->calls));
	int64_t outermost = from->primitive_calls == NO_VALUE ? from->calls : from->primitive_calls;
	table_set_listed(table, row, "total_per_call_ns",
			 from->mean_ns != NO_VALUE ? value_int(from->mean_ns)
						   : per_call(from->total_ns, outermost));
	const struct python_split *split = from->split;
	if (split) {
		PYTHON_SPLIT_CELLS(table_set_listed);
	}
	if (from->is_line)
		put_line(table, row, profile, &profile->python->lines[from->source], code);
	table_set_listed(table, row, "caller", caller_cell(table, profile, from->caller));
	table_set_listed(table, row, "section", cell_stretch(from->section));
}

/* Totals contain those of callees: their shares are of the program's time, not of their sum. */
static void python_view_set_whole(struct table *table, const struct profile *profile,
				  const struct python_rows *rows)
{
	const struct python_stats *stats = profile->python;
	double stated_s = 0;
	table->nested = "total_ns";
	if (rows->self_ns != NO_VALUE) {
		table->whole = (double)rows->self_ns;
		return;
	}
	for (size_t i = 0; stats && i < stats->whole_count; i++)
		stated_s += stats->wholes[i].total_s;
	table->whole = stated_s * 1e9;
	if (table->view != &view_python)
		return;
	table->default_sort = "total_ns:desc";
	table->default_columns = "function,caller,code,total_ns,share_pct,total_per_call_ns,calls,"
				 "memory_bytes,memory_level_bytes,section,file,line";
}

bool build_python(struct table *table, const struct view_query *query)
{
	enum python_grouping grouping = /* in the order of the groupings of the python view */
		(enum python_grouping)view_grouping(&view_python, query->group);
	AUTO(python_rows_free) struct python_rows rows = { 0 };
	struct python_view_code code = { 0 };
	bool ok = python_rows_make(&rows, query->selection, grouping, query->progress);
	if (query->selection->profile->python)
		python_measure(table, query->selection->profile->python);
	for_heavy_rows (ok, i, rows.count, query->progress, "listing functions", ROW_WEIGHT)
		python_view_add_row(table, query->selection->profile, &rows.items[i], rows.self_ns,
				    &code);
	if (ok && table->view == &view_python && rows.count && rows.items[0].is_line &&
	    !isnan(query->selection->profile->python->unit_s))
		ok = add_unrun_lines(table, query, &code);
	python_view_set_whole(table, query->selection->profile, &rows);
	if (!rows.count && grouping == PYTHON_LINES)
		table_note(
			table,
			"Lines are recorded by line_profiler (kernprof -l), memory_profiler, Scalene and py-spy.");
	else if (!rows.count && grouping == PYTHON_CALLERS)
		table_note(
			table,
			"Callers are recorded by cProfile, and printed by pstats (print_callers).");
	else if (!rows.count)
		table_note(
			table,
			"No Python calls here. Profiles of cProfile, line_profiler and Scalene have them too.");
	else if (query->scope->function != NO_ROW)
		table_note(table, "Callers of the function, and what it calls.");
	note_code(table, &code);
	buffer_free(&code.text);
	return ok;
}

#include "summary/batch.h"

#include "analysis/advice/summary_findings.h"
#include "analysis/packed_ranks.h"
#include "analysis/histogram.h"
#include "base/crc64.h"
#include "base/error.h"
#include "base/replace.h"
#include "base/text.h"
#include "model/summary_tables.h"
#include "session/file_sample.h"
#include "session/load.h"
#include "session/runs/run_files.h"
#include "session/summary_parts.h"
#include "views/findings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- what a summary keeps ---- */

/* Where they go, and what they and the findings among them name by number. */
struct kept_output {
	struct intern *texts;
	struct buffer *tables;
	struct intern *finding_texts;
	struct buffer *findings;
};

/* How a table with more rows than are kept is cut. */
enum kept_cut {
	CUT_SMALLEST, /* keep the rows with the largest COLUMN */
	CUT_DEEPEST,  /* of a tree: keep the rows down to a depth */
	CUT_BETWEEN,  /* of a curve: keep the row with the largest COLUMN of each equal stretch */
	CUT_LAST,     /* keep the first rows */
};

struct kept_view {
	const char *view, *group; /* NULL: the default */
	size_t rows_max;
	enum kept_cut cut;
	const char *column;
};

enum { CURVE_POINTS_MAX = 1000, SLOWEST_MAX = 100, PATHS_MAX = 256 << 10 };

static const struct kept_view kept_views[] = { KEPT_VIEWS_ROWS };

/* ---- which rows ---- */

struct kept_rows {
	uint32_t *at; /* ascending */
	size_t count;
	size_t total; /* rows that could be kept */
};

/* A fact about this process, not about the trace. */
static bool is_kept_fact(const struct table *table, size_t row)
{
	int metric = table_column(table, "metric");
	return metric < 0 || !value_is(table_value(table, row, (size_t)metric), "memory used");
}

static void keep_row(struct kept_rows *rows, size_t row)
{
	rows->at[rows->count++] = (uint32_t)row;
}

/* Bytes of the row's path, which grows with its depth. */
static size_t path_bytes(const struct table *table, size_t row)
{
	struct value path = table_cell_or_missing(table, row, "path");
	return path.kind == VALUE_TEXT ? path.length : 0;
}

static bool is_large(const struct table *table, size_t max)
{
	size_t bytes = 0;
	for (size_t row = 0; row < table->rows && bytes <= PATHS_MAX; row++)
		bytes += path_bytes(table, row);
	return table->rows > max || bytes > PATHS_MAX;
}

/* The deepest level down to which rows and paths are within the limits; the root stays. */
static void keep_upper(struct kept_rows *rows, const struct table *table, size_t max)
{
	size_t count = 0, bytes = 0;
	uint32_t depth = 0;
	for (; depth < table->rows; depth++) {
		size_t here = 0, more = 0;
		for (size_t row = 0; row < table->rows; row++) {
			here += table_depth(table, row) == depth;
			more += table_depth(table, row) == depth ? path_bytes(table, row) : 0;
		}
		if (!here || count + here > max || bytes + more > PATHS_MAX)
			break;
		count += here;
		bytes += more;
	}
	for (size_t row = 0; row < table->rows; row++)
		if (table_depth(table, row) < (depth ? depth : 1))
			keep_row(rows, row);
}

static void keep_largest_between(struct kept_rows *rows, const struct table *table, size_t max,
				 int column)
{
	for (size_t i = 0; i < max; i++) {
		size_t from = table->rows * i / max, end = table->rows * (i + 1) / max, best = from;
		for (size_t row = from + 1; row < end && column >= 0; row++)
			if (value_compare(table_value(table, row, (size_t)column),
					  table_value(table, best, (size_t)column)) > 0)
				best = row;
		keep_row(rows, best);
	}
}

static bool keep_largest(struct kept_rows *rows, const struct table *table, size_t max, int column,
			 const struct progress *progress, struct error *error)
{
	struct sort_key key = { column, true };
	size_t count;
	AUTO_FREE uint32_t *order = table_sort(table, &key, 1, NULL, &count, progress, error);
	AUTO_FREE bool *kept = mem_zalloc(table->rows + 1, sizeof *kept);
	for (size_t i = 0; order && i < count && i < max; i++)
		kept[order[i]] = true;
	for (size_t row = 0; row < table->rows; row++)
		if (kept[row])
			keep_row(rows, row);
	return order != NULL;
}

static bool choose_rows(struct kept_rows *rows, const struct table *table,
			const struct kept_view *how, const struct progress *progress,
			struct error *error)
{
	int column = how->column ? table_column(table, how->column) : -1;
	bool whole = table->rows <= how->rows_max;
	rows->total = table->rows;
	rows->at = mem_alloc((table->rows + 1) * sizeof *rows->at);
	if (table->is_tree && is_large(table, how->rows_max))
		keep_upper(rows, table, how->rows_max);
	else if (!whole && how->cut == CUT_BETWEEN)
		keep_largest_between(rows, table, how->rows_max, column);
	else if (!whole && how->cut == CUT_SMALLEST && column >= 0)
		return keep_largest(rows, table, how->rows_max, column, progress, error);
	else
		for (size_t row = 0; row < table->rows; row++) {
			bool kept = is_kept_fact(table, row);
			rows->total -= !kept;
			if (kept && rows->count < how->rows_max)
				keep_row(rows, row);
		}
	return true;
}

/* ---- packing ---- */

static enum summary_cell_kind cell_kind(struct value value)
{
	switch (value.kind) {
	case VALUE_INT: return SUMMARY_CELL_INT;
	case VALUE_REAL: return SUMMARY_CELL_REAL;
	case VALUE_TEXT: return SUMMARY_CELL_TEXT;
	default: return SUMMARY_CELL_MISSING;
	}
}

struct table_packing {
	const struct table *table;
	const struct kept_rows *rows;
	struct intern *texts;
	struct buffer *out;
};

static void pack_kinds(const struct table_packing *packing, size_t column)
{
	const struct kept_rows *rows = packing->rows;
	for (size_t i = 0, end; i < rows->count; i = end) {
		enum summary_cell_kind kind =
			cell_kind(table_value(packing->table, rows->at[i], column));
		for (end = i + 1; end < rows->count; end++)
			if (cell_kind(table_value(packing->table, rows->at[end], column)) != kind)
				break;
		packed_add(packing->out, kind);
		packed_add(packing->out, end - i);
	}
}

static void pack_column(const struct table_packing *packing, size_t column)
{
	int64_t before = 0;
	pack_kinds(packing, column);
	for (size_t i = 0; i < packing->rows->count; i++) {
		struct value value = table_value(packing->table, packing->rows->at[i], column);
		if (value.kind == VALUE_INT) {
			packed_add_signed(packing->out,
					  (int64_t)((uint64_t)value.integer - (uint64_t)before));
			before = value.integer;
		} else if (value.kind == VALUE_REAL) {
			packed_add_real(packing->out, value.real);
		} else if (value.kind == VALUE_TEXT) {
			packed_add_text(packing->out, packing->texts,
					value.length ? value.text : "", value.length);
		}
	}
}

static void pack_text(const struct table_packing *packing, const char *text)
{
	packed_add_text(packing->out, packing->texts, text ? text : "", text ? strlen(text) : 0);
}

static void pack_table(const struct table_packing *packing, const struct kept_view *how)
{
	const struct table *table = packing->table;
	size_t columns = 0;
	pack_text(packing, how->view);
	pack_text(packing, how->group);
	pack_text(packing, table->note);
	packed_add(packing->out, table->is_tree);
	packed_add(packing->out, packing->rows->total);
	for (size_t i = 0; i < table->columns; i++)
		columns += !table_column_is_empty(table, i);
	packed_add(packing->out, columns);
	for (size_t i = 0; i < table->columns; i++)
		if (!table_column_is_empty(table, i))
			pack_text(packing, table->column[i]->id);
	packed_add(packing->out, packing->rows->count);
	for (size_t i = 0; i < packing->rows->count && table->is_tree; i++)
		packed_add(packing->out, table_depth(table, packing->rows->at[i]));
	for (size_t i = 0; i < table->columns; i++)
		if (!table_column_is_empty(table, i))
			pack_column(packing, i);
}

/* ---- findings ---- */

static const char *cell_copy(const struct table *table, size_t row, const char *id,
			     struct intern *strings)
{
	struct value value = table_value(table, row, (size_t)table_need(table, id));
	if (value.kind != VALUE_TEXT)
		return "";
	return intern_text(strings, intern_add(strings, value.text, value.length));
}

static int64_t cell_number(const struct table *table, size_t row, const char *id)
{
	struct value value = table_value(table, row, (size_t)table_need(table, id));
	return value.kind == VALUE_INT ? value.integer : NO_VALUE;
}

static void pack_findings(const struct table *table, struct intern *texts, struct buffer *out)
{
	AUTO_INTERN struct intern *strings = intern_new();
	for (size_t row = 0; row < table->rows; row++) {
		if (severity_at(table, row) > SEVERITY_HEADLINE) /* says what cannot be told */
			continue;
		struct value gain = table_value(table, row, (size_t)table_need(table, "gain_pct"));
		struct summary_finding finding = {
			.detector = cell_copy(table, row, "detector", strings),
			.severity = cell_copy(table, row, "severity", strings),
			.title = cell_copy(table, row, "problem", strings),
			.evidence = cell_copy(table, row, "evidence", strings),
			.recommendation = cell_copy(table, row, "recommendation", strings),
			.cost_ns = cell_number(table, row, "cost_ns"),
			.scope_ns = cell_number(table, row, "scope_ns"),
			.gain_pct = gain.kind == VALUE_REAL ? gain.real : NAN,
		};
		summary_finding_pack(&finding, texts, out);
	}
}

/* Those of rank NUMBER of RUN. False with ERROR. */
static bool keep_tables(const struct run *run, int64_t number, const struct kept_output *output,
			const struct progress *progress, struct error *error)
{
	struct scope scope;
	bool ok = true;
	scope_init(&scope); /* without texts to free */
	scope.rank = (int)number;
	packed_add(output->tables, sizeof kept_views / sizeof *kept_views);
	for (size_t i = 0; i < sizeof kept_views / sizeof *kept_views && ok; i++) {
		const struct kept_view *how = &kept_views[i];
		struct kept_rows rows = { 0 };
		AUTO_TABLE struct table *table =
			view_build(view_find(how->view), run, &scope, how->group, progress, error);
		ok = table && choose_rows(&rows, table, how, progress, error);
		struct table_packing packing = { table, &rows, output->texts, output->tables };
		if (ok)
			pack_table(&packing, how);
		if (ok && strcmp(how->view, "advice") == 0)
			pack_findings(table, output->finding_texts, output->findings);
		mem_free(rows.at);
	}
	return ok;
}

/* Path of the summary: "DIRECTORY/trace.json.gz.summary_file". The caller frees. */
static char *summary_path(const struct summary_job *job)
{
	return mem_printf("%s/%s%s", job->directory, text_file_name(job->trace),
			  SUMMARY_FILE_SUFFIX);
}

/* ---- is it current ---- */

struct summarize_checking {
	const char *path, *made; /* of the trace as it is now */
	struct file_sample sample;
};

static bool check_trace(void *context, const struct summary_part *part, struct error *error)
{
	const struct summarize_checking *now = context;
	struct summary_file_trace trace;
	AUTO_INTERN struct intern *strings = intern_new();
	return summary_file_unpack_trace(part->block, strings, &trace) &&
	       strcmp(trace.path, now->path) == 0 && strcmp(trace.made, now->made) == 0 &&
	       trace.bytes == now->sample.size && trace.head == now->sample.head &&
	       trace.tail == now->sample.tail;
}

static bool is_newer(const char *path, const char *trace)
{
	struct stat summary, status;
	return stat(path, &summary) == 0 && stat(trace, &status) == 0 &&
	       (summary.st_mtim.tv_sec > status.st_mtim.tv_sec ||
		(summary.st_mtim.tv_sec == status.st_mtim.tv_sec &&
		 summary.st_mtim.tv_nsec >= status.st_mtim.tv_nsec));
}

/* All of it is read, so that a damaged one is written again. */
bool summary_is_current(const struct summary_job *job)
{
	AUTO_FREE char *path = summary_path(job);
	char *trace = realpath(job->trace, NULL);
	struct summarize_checking now = { .path = trace, .made = job->made };
	bool current = trace && is_newer(path, job->trace) &&
		       file_sample_path(&now.sample, job->trace) &&
		       summary_parts_visit(path, check_trace, &now, NULL, NULL);
	free(trace);
	return current;
}

/* ---- making ---- */

struct summary_making {
	const struct summary_job *job;
	const struct run *run;
	const char *name; /* of the file that is written */
	char *trace;      /* whole path of that of the rank */
	struct file_sample sample;
	const struct progress *progress;
	struct error *error;
	struct summary_file_part *parts;
	struct buffer blocks;
};

/* The rank as it is known; a position among files says nothing of other files. */
static int64_t known_rank(const struct summary_making *making, const struct rank *rank)
{
	int64_t named = run_files_number(making->trace);
	if (rank->process != NO_ROW || rank->profile->rank != NO_VALUE ||
	    making->run->rank_count > 1)
		return rank->number;
	return named != NO_VALUE ? named : making->job->rank;
}

static bool pack_histograms(const struct summary_making *making, const struct rank *rank,
			    struct intern *texts, struct buffer *out)
{
	AUTO(histograms_clear) struct histograms histograms = { 0 };
	histograms_init(&histograms);
	if (!histograms_collect(&histograms, rank->derived, rank->summary, making->progress))
		return error_cancelled(making->error);
	histograms_pack(&histograms, texts, out);
	return true;
}

static bool add_rank_block(struct summary_making *making, const struct rank *rank)
{
	struct buffer content[SUMMARY_FILE_SECTIONS] = { 0 };
	AUTO_INTERN struct intern *texts = intern_new(), *table_texts = intern_new();
	const struct file_sample *sample = &making->sample;
	const struct summary_file_trace trace = { .path = making->trace,
						  .made = making->job->made,
						  .bytes = sample->size,
						  .head = sample->head,
						  .tail = sample->tail };
	summary_file_pack_profile(rank->profile, trace, texts, &content[SUMMARY_FILE_PROFILE]);
	rank_summary_pack(rank->summary, texts, &content[SUMMARY_FILE_RANK]);
	struct kept_output output = { table_texts, &content[SUMMARY_FILE_TABLES], texts,
				      &content[SUMMARY_FILE_FINDINGS] };
	bool done =
		pack_histograms(making, rank, texts, &content[SUMMARY_FILE_HISTOGRAMS]) &&
		keep_tables(making->run, rank->number, &output, making->progress, making->error);
	packed_add_texts(&content[SUMMARY_FILE_TEXTS], texts);
	packed_add_texts(&content[SUMMARY_FILE_TABLE_TEXTS], table_texts);
	for (int section = 0; section < SUMMARY_FILE_SECTIONS; section++) {
		if (done)
			summary_file_add_section(&making->blocks,
						 (enum summary_file_section)section,
						 &content[section]);
		buffer_free(&content[section]);
	}
	return done;
}

/* Of a rank that is a summary itself: its block. */
static bool copy_block(struct summary_making *making, const struct rank *rank,
		       struct summary_file_part *part)
{
	AUTO_BUFFER struct buffer bytes = { 0 };
	AUTO_SOURCE struct source *source =
		source_open(rank->path, making->progress, making->error);
	AUTO(summary_file_close) struct summary_file summary_file = { 0 };
	bool done = source && summary_file_open(&summary_file, source, making->error) &&
		    (rank->part <= summary_file.count ||
		     error_input(making->error, "has fewer ranks than before")) &&
		    summary_file_read(&summary_file, rank->part - 1, &bytes, making->error);
	if (done) {
		*part = summary_file.parts[rank->part - 1];
		part->rank = rank->number;
		buffer_add(&making->blocks, bytes.data, bytes.length);
	}
	return done;
}

static bool find_trace(struct summary_making *making, const struct rank *rank)
{
	free(making->trace);
	making->trace = realpath(rank->path, NULL);
	return (making->trace && file_sample_path(&making->sample, making->trace)) ||
	       error_input(making->error, "cannot open: %s", strerror(errno));
}

static bool make_block(struct summary_making *making, size_t index, struct summary_file_part *part)
{
	AUTO_RANK const struct rank *rank = run_acquire(
		making->run, making->run->ranks[index].number, making->progress, making->error);
	size_t from = making->blocks.length;
	if (!rank)
		return false;
	bool done = find_trace(making, rank) && add_rank_block(making, rank);
	if (done) {
		part->rank = known_rank(making, rank);
		part->world = rank->summary->world_size;
		part->size = making->blocks.length - from;
		part->whole = part->checksum = crc64(0, making->blocks.data + from, part->size);
	}
	if (done && part->size > SUMMARY_FILE_BLOCK_MAX)
		return error_set(making->error, ERROR_LIMIT,
				 "the summary would exceed the limit of 256 MiB");
	return done;
}

static bool add_rank_part(struct summary_making *making, size_t index)
{
	const struct rank *rank = &making->run->ranks[index];
	struct summary_file_part *part = &making->parts[index];
	return rank->part ? copy_block(making, rank, part) : make_block(making, index, part);
}

static bool write_file(const struct summary_making *making)
{
	AUTO_BUFFER struct buffer head = { 0 };
	AUTO_FREE char *path = mem_printf("%s/%s", making->job->directory, making->name);
	summary_file_add_head(&head, making->parts, making->run->rank_count);
	struct replace *file = replace_begin(path, making->job->force, making->error);
	bool done = file && replace_write(file, head.data, head.length, making->error) &&
		    replace_write(file, making->blocks.data, making->blocks.length, making->error);
	return replace_end(file, done, making->error);
}

static bool summarize_make(struct summary_making *making)
{
	const struct run *run = making->run;
	bool ok = true;
	making->parts = mem_zalloc(run->rank_count, sizeof *making->parts);
	for (size_t i = 0; i < run->rank_count && ok; i++)
		ok = add_rank_part(making, i);
	ok = ok && index_create_directory(making->job->directory, 0700, making->error) &&
	     write_file(making);
	mem_free(making->parts);
	buffer_free(&making->blocks);
	free(making->trace);
	return ok;
}

bool summary_write_run(const char *const *paths, size_t count, const struct summary_job *job,
		       const char *name, const struct progress *progress, struct error *error)
{
	struct summary_making making = {
		.job = job, .name = name, .progress = progress, .error = error
	};
	struct run *run = run_open(paths, count, job->load, progress, error);
	making.run = run;
	bool done = run && summarize_make(&making);
	run_free(run);
	return done;
}

bool summary_write(const struct summary_job *job, const struct progress *progress,
		   struct error *error)
{
	AUTO_FREE char *path = summary_path(job);
	return summary_write_run(&job->trace, 1, job, strrchr(path, '/') + 1, progress, error);
}

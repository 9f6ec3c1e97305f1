/*
 * Finds the rows of a table that match an expression.
 */
#include "base/any_of.h"
#include "table/table_names.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/parallel.h"

#include <stdatomic.h>

static bool match_shown(const struct table *table, size_t row, size_t column,
			const struct pattern *pattern, struct buffer *scratch)
{
	struct value value = table_value(table, row, column);
	if (value.kind == VALUE_TEXT)
		return pattern_match(pattern, value.text, value.length, NULL, NULL);
	buffer_clear(scratch);
	table_format(scratch, table, row, column, false);
	return pattern_match(pattern, BUFFERED(scratch), NULL, NULL);
}

static bool may_match_numbers(const struct pattern *pattern)
{
	/* what formatted numbers consist of (value_format) */
	return pattern_may_match(pattern, "0123456789-+. /%nsumkMGTPEBiKFLOyeofa");
}

/* Caches results per text: names repeat millions of times, so each is matched once. */
struct table_search_judge {
	const struct table_work *work;
	const struct pattern *pattern;
	size_t column;
	struct dictionary texts;
	bool *verdicts;
	struct value last; /* the last text and its result */
	bool last_verdict;
	bool numbers; /* the pattern may match a number */
	struct buffer scratch;
};

static void judge_begin(struct table_search_judge *judge, const struct table_work *work,
			const struct pattern *pattern, size_t column)
{
	*judge = (struct table_search_judge){ .work = work, .pattern = pattern, .column = column };
	judge->numbers = may_match_numbers(pattern);
}

static bool judge_text(struct table_search_judge *judge, struct value text)
{
	if (judge->last.text == text.text && judge->last.length == text.length && text.text)
		return judge->last_verdict;
	size_t known = judge->texts.count;
	uint32_t name = dictionary_add(&judge->texts, &text);
	if (judge->texts.count > known) {
		mem_grow(judge->verdicts, judge->texts.count);
		judge->verdicts[name] =
			pattern_match(judge->pattern, text.text, text.length, NULL, NULL);
	}
	judge->last = text;
	return judge->last_verdict = judge->verdicts[name];
}

static bool judge_place(struct table_search_judge *judge, size_t place)
{
	const struct table_work *work = judge->work;
	uint32_t row = row_at(work, place);
	struct value value = table_value(work->table, row, judge->column);
	if (value.kind == VALUE_TEXT)
		return judge_text(judge, value);
	return judge->numbers &&
	       match_shown(work->table, row, judge->column, judge->pattern, &judge->scratch);
}

/* ---- parallel search ---- */

enum { PIECES_MAX = 32, PIECE_MIN = 1 << 14, BLOCK = 1 << 12, NAMES_MIN = 1 << 13 }; /* rows */

struct marking {
	const struct table_work *work;
	const struct pattern *pattern;
	const int *columns;
	size_t column_count;
	bool invert;
	const struct table_names *names; /* of many rows; NULL: judged like other columns */
	int name_column;
	bool *name_matches; /* by number of a name */
	size_t pieces;
	bool *marks; /* by place */
	atomic_bool gave_up;
};

/* Views have no texts in numeric columns; query results may. */
static bool may_match(const struct table *table, size_t column, const struct pattern *pattern)
{
	return !table->view || !column_is_number(table->column[column]) ||
	       may_match_numbers(pattern);
}

/* Mark the rows with a matching name; of those without a text it is judged as shown. */
static void mark_names(const struct marking *marking, struct table_search_judge *judge, size_t from,
		       size_t to)
{
	const uint32_t *number = marking->names->number;
	for (size_t i = from; i < to; i++) {
		uint32_t name = number[row_at(marking->work, i)];
		marking->marks[i] = name == NOT_A_TEXT ? judge->numbers && judge_place(judge, i)
						       : marking->name_matches[name];
	}
}

static void mark_block(const struct marking *marking, struct table_search_judge *judges,
		       size_t count, size_t from, size_t to)
{
	size_t c = 0;
	if (marking->names) /* theirs is the first */
		mark_names(marking, &judges[c++], from, to);
	for (; c < count; c++)
		for (size_t i = from; i < to; i++)
			if (!marking->marks[i])
				marking->marks[i] = judge_place(&judges[c], i);
	for (size_t i = from; i < to && marking->invert; i++)
		marking->marks[i] = !marking->marks[i];
}

static bool mark_piece(void *context, size_t piece, const struct progress *progress)
{
	struct marking *marking = context;
	const struct table_work *work = marking->work;
	size_t first = work->count * piece / marking->pieces, count = 0;
	size_t end = work->count * (piece + 1) / marking->pieces;
	struct pattern *pattern = pattern_share(marking->pattern);
	AUTO_FREE struct table_search_judge *judges =
		mem_zalloc(marking->column_count, sizeof *judges);
	bool ok = true;
	if (marking->names)
		judge_begin(&judges[count++], work, pattern, (size_t)marking->name_column);
	for (size_t i = 0; i < marking->column_count; i++) {
		int column = marking->columns[i];
		if ((!marking->names || column != marking->name_column) &&
		    may_match(work->table, (size_t)column, pattern))
			judge_begin(&judges[count++], work, pattern, (size_t)column);
	}
	for (size_t from = first; from < end && ok; from += BLOCK) {
		size_t to = from + BLOCK < end ? from + BLOCK : end;
		mark_block(marking, judges, count, from, to);
		ok = progress_update(progress, "searching", from - first, end - first, from);
	}
	for (size_t i = 0; i < count; i++) {
		dictionary_free(&judges[i].texts);
		buffer_free(&judges[i].scratch);
		mem_free(judges[i].verdicts);
	}
	if (!pattern_completed(pattern, NULL))
		marking->gave_up = true;
	pattern_free(pattern);
	return ok;
}

/* Number the names where they are searched in many rows. False when cancelled. */
static bool prepare_names(struct marking *marking)
{
	const struct table_work *work = marking->work;
	marking->name_column = table_name_column(work->table);
	bool searched =
		any_of(i, marking->column_count, marking->columns[i] == marking->name_column);
	if (!searched || work->count < NAMES_MIN)
		return true;
	marking->names = table_names_of(work->table, work->progress, work->error);
	if (marking->names)
		marking->name_matches = table_names_match(marking->names, marking->pattern,
							  work->progress, work->error);
	return marking->name_matches;
}

/*
 * Mark the positions where a column matches or, with INVERT, where none does. NULL with the work's
 * error when cancelled or the pattern takes too long; the caller frees it.
 */
static bool *mark_matches(const struct table_work *work, const struct pattern *pattern,
			  const int *columns, size_t column_count, bool invert)
{
	size_t pieces = work->count / PIECE_MIN + 1;
	struct marking marking = {
		.work = work,
		.pattern = pattern,
		.columns = columns,
		.column_count = column_count,
		.invert = invert,
		.pieces = pieces < PIECES_MAX ? pieces : PIECES_MAX,
		.marks = mem_zalloc(work->count, sizeof(bool)),
	};
	bool done =
		prepare_names(&marking) && parallel_try(marking.pieces, mark_piece, &marking,
							"searching", work->progress, work->error);
	mem_free(marking.name_matches);
	if (marking.gave_up)
		pattern_give_up(pattern);
	if (done && pattern_completed(pattern, work->error))
		return marking.marks;
	mem_free(marking.marks);
	return NULL;
}

static bool keep_ancestors(const struct table_work *work, bool *keep)
{
	AUTO_FREE uint32_t *parent = table_find_parents(work);
	for (size_t i = work->count; parent && i-- > 0;) {
		if (keep[i] && parent[i] != NO_PLACE)
			keep[parent[i]] = true;
	}
	return parent != NULL;
}

/* The marked positions; the caller frees them. */
static uint32_t *marked_places(const bool *marks, size_t count, size_t *marked)
{
	size_t at = 0;
	*marked = 0;
	for (size_t i = 0; i < count; i++)
		*marked += marks[i];
	uint32_t *places = mem_alloc((*marked + 1) * sizeof *places);
	for (size_t i = 0; i < count; i++) {
		places[at] = (uint32_t)i; /* overwritten unless marked */
		at += marks[i];
	}
	return places;
}

struct search_job {
	struct table_work work;
	const struct pattern *pattern;
	const int *columns;
	size_t column_count;
	bool invert;
	bool filters; /* keeps ancestors, and gives rows in place of positions */
	uint32_t *result;
	size_t count;
};

static bool search_work(void *context)
{
	struct search_job *job = context;
	const struct table_work *work = &job->work;
	bool *marks =
		mark_matches(work, job->pattern, job->columns, job->column_count, job->invert);
	if (!marks)
		return false;
	if (job->filters && work->table->is_tree && !keep_ancestors(work, marks)) {
		mem_free(marks);
		return error_cancelled(work->error);
	}
	job->result = marked_places(marks, work->count, &job->count);
	for (size_t i = 0; i < job->count && job->filters; i++)
		job->result[i] = row_at(work, job->result[i]);
	mem_free(marks);
	return true;
}

uint32_t *table_filter(const struct table *table, const struct pattern *pattern, int column,
		       bool invert, const uint32_t *rows, size_t *count_rows,
		       const struct progress *progress, struct error *error)
{
	require(pattern, "view %s: no pattern", table_label(table));
	if (column >= 0)
		require_column(table, column);
	if (!rows)
		*count_rows = table->rows;
	int searched = column >= 0 ? column : table_name_column(table);
	struct search_job job = { .work = { table, rows, *count_rows, progress, error },
				  .pattern = pattern,
				  .columns = &searched,
				  .column_count = searched >= 0,
				  .invert = invert && searched >= 0,
				  .filters = true };
	if (!mem_guard(search_work, &job, error))
		return NULL;
	*count_rows = job.count;
	return job.result;
}

bool table_row_matches(const struct table *table, size_t row, const int *columns, size_t count,
		       const struct pattern *pattern)
{
	AUTO_BUFFER struct buffer scratch = { 0 };
	bool matched = false;
	for (size_t i = 0; i < count && !matched; i++)
		matched = match_shown(table, row, (size_t)columns[i], pattern, &scratch);
	return matched;
}

uint32_t *table_matches(const struct table *table, const struct pattern *pattern,
			const int *columns, size_t column_count, const uint32_t *rows, size_t count,
			size_t *hits, const struct progress *progress, struct error *error)
{
	require(pattern, "view %s: no pattern", table_label(table));
	for (size_t i = 0; i < column_count; i++)
		require_column(table, columns[i]);
	struct search_job job = {
		.work = { table, rows, rows ? count : table->rows, progress, error },
		.pattern = pattern,
		.columns = columns,
		.column_count = column_count,
	};
	if (!mem_guard(search_work, &job, error))
		return NULL;
	*hits = job.count;
	return job.result;
}

/*
 * Sorts the rows of a table.
 */
#include "base/any_of.h"
#include "base/compare.h"
#include "table/table_work.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/radix.h"
#include "base/sort.h"

#include <math.h>

static bool table_order_check_cancelled(const struct table_work *work, const char *stage,
					size_t done)
{
	/* cells may be computed on demand */
	return progress_heavy_row(work->progress, stage, done, work->count, 4);
}

static const char stage[] = "sorting";

struct ranked_text {
	struct value text;
	uint32_t number;
};

COMPARE_ITEMS(compare_ranked, struct ranked_text, value_compare(x->text, y->text))

/* Ranks of texts by their bytes; equal texts have equal ranks. False when cancelled. */
static bool rank_texts(const struct table_work *work, struct ranked_text *texts, size_t count,
		       uint64_t *ranks)
{
	uint64_t rank = 0;
	bool ok = sort_runs(texts, count, sizeof *texts, compare_ranked, work->progress);
	for (size_t i = 0; i < count && ok; i++) {
		ok = table_order_check_cancelled(work, stage, i);
		rank += i && compare_ranked(&texts[i - 1], &texts[i]) != 0;
		ranks[texts[i].number] = rank;
	}
	return ok;
}

/* ---- sorting by one column ---- */

enum { PIECES_MAX = 16, PIECE_MIN = 1 << 14 }; /* rows */

enum table_order_cell { CELL_INT, CELL_REAL, CELL_TEXT, CELL_MISSING, CELLS };

/* The rows that one thread reads: how many of each kind, and their distinct texts. */
struct key_piece {
	size_t count[CELLS];
	struct dictionary texts;
	size_t first_text; /* number of its first text among those of all pieces */
};

/* Cells as keys, by place in ORDER; several threads fill it. */
struct column_keys {
	const struct table_work *work;
	size_t column;
	const uint32_t *order;
	bool descending, as_real;
	uint64_t *key;  /* of a text first its number in the piece, then its rank */
	uint8_t *kind;  /* enum cell */
	uint64_t *rank; /* by text of all pieces */
	size_t pieces;
	struct key_piece piece[PIECES_MAX];
};

static size_t piece_start(const struct column_keys *keys, size_t piece)
{
	return keys->work->count * piece / keys->pieces;
}

static enum table_order_cell table_order_cell_of(struct value value)
{
	return value.kind == VALUE_TEXT                         ? CELL_TEXT
	       : value.kind == VALUE_INT                        ? CELL_INT
	       : value.kind == VALUE_REAL && !isnan(value.real) ? CELL_REAL
								: CELL_MISSING;
}

static bool read_piece(void *context, size_t at, const struct progress *progress)
{
	struct column_keys *keys = context;
	const struct table_work *work = keys->work;
	struct key_piece *piece = &keys->piece[at];
	size_t end = piece_start(keys, at + 1);
	for (size_t i = piece_start(keys, at); i < end; i++) {
		/* cells may be computed on demand */
		if (!progress_heavy_row(progress, stage, i, work->count, 4))
			return false;
		struct value value =
			table_value(work->table, row_at(work, keys->order[i]), keys->column);
		enum table_order_cell cell = table_order_cell_of(value);
		keys->kind[i] = (uint8_t)cell;
		keys->key[i] = cell == CELL_TEXT   ? dictionary_add(&piece->texts, &value)
			       : cell == CELL_INT  ? key_of_int(value.integer)
			       : cell == CELL_REAL ? key_of_real(value.real)
						   : 0;
		piece->count[cell]++;
	}
	return true;
}

static bool rank_all_texts(struct column_keys *keys)
{
	size_t count = 0, at = 0;
	for (size_t i = 0; i < keys->pieces; i++) {
		keys->piece[i].first_text = count;
		count += keys->piece[i].texts.count;
	}
	AUTO_FREE struct ranked_text *texts = mem_alloc(count * sizeof *texts);
	for (size_t i = 0; i < keys->pieces; i++)
		for (size_t j = 0; j < keys->piece[i].texts.count; j++, at++)
			texts[at] =
				(struct ranked_text){ keys->piece[i].texts.texts[j], (uint32_t)at };
	keys->rank = mem_alloc(count * sizeof *keys->rank);
	return rank_texts(keys->work, texts, count, keys->rank);
}

/* Keys that compare as the cells do: integers beside reals are compared as reals. */
static bool convert_piece(void *context, size_t at, const struct progress *progress)
{
	struct column_keys *keys = context;
	const struct key_piece *piece = &keys->piece[at];
	size_t end = piece_start(keys, at + 1);
	bool same = !piece->texts.count && !keys->as_real && !keys->descending;
	for (size_t i = same ? end : piece_start(keys, at); i < end; i++) {
		if (keys->kind[i] == CELL_TEXT)
			keys->key[i] = keys->rank[piece->first_text + keys->key[i]];
		else if (keys->kind[i] == CELL_INT && keys->as_real)
			keys->key[i] = key_of_real((double)int_of_key(keys->key[i]));
		if (keys->descending)
			keys->key[i] = ~keys->key[i];
	}
	return progress_update(progress, stage, 0, 0, 0);
}

/* The keys of all cells, which are of one kind; no other kind needs them. */
static struct keys take_all(struct column_keys *keys)
{
	size_t count = keys->work->count;
	struct keys all = { keys->key, mem_alloc(count * sizeof *all.place), count };
	memcpy(all.place, keys->order, count * sizeof *all.place);
	keys->key = NULL;
	return all;
}

/* Append the places of a kind of cells to ORDER, sorted. */
static bool put_sorted(struct column_keys *keys, unsigned kinds, uint32_t *order, size_t *to)
{
	size_t count = 0;
	for (size_t i = 0; i < keys->pieces; i++)
		for (unsigned cell = 0; cell < CELLS; cell++)
			count += kinds >> cell & 1 ? keys->piece[i].count[cell] : 0;
	if (!count)
		return true;
	struct keys sorted = count == keys->work->count ? take_all(keys) : keys_new(count);
	for (size_t i = 0; sorted.count < count; i++)
		if (kinds >> keys->kind[i] & 1)
			keys_add(&sorted, keys->key[i], keys->order[i]);
	bool done = radix_sort(&sorted, keys->work->progress);
	memcpy(order + *to, sorted.place, count * sizeof *order);
	*to += count;
	keys_free(&sorted);
	return done;
}

static bool put_all(struct column_keys *keys, struct sort_key key, uint32_t *order)
{
	const unsigned numbers = 1 << CELL_INT | 1 << CELL_REAL, texts = 1 << CELL_TEXT;
	const unsigned missing = 1 << CELL_MISSING;
	size_t to = 0;
	return put_sorted(keys, key.missing_first ? missing : 0, order, &to) &&
	       put_sorted(keys, key.descending ? texts : numbers, order, &to) &&
	       put_sorted(keys, key.descending ? numbers : texts, order, &to) &&
	       put_sorted(keys, key.missing_first ? 0 : missing, order, &to);
}

static bool has_reals(const struct column_keys *keys)
{
	return sum_of(i, keys->pieces, keys->piece[i].count[CELL_REAL]);
}

/* Sort ORDER (positions) stably by one column into RESULT. */
static bool sort_by(const struct table_work *work, struct sort_key key, const uint32_t *order,
		    uint32_t *result)
{
	size_t pieces = work->count / PIECE_MIN + 1;
	struct column_keys keys = { .work = work,
				    .column = (size_t)key.column,
				    .order = order,
				    .descending = key.descending,
				    .key = mem_alloc(work->count * sizeof *keys.key),
				    .kind = mem_alloc(work->count),
				    .pieces = pieces < PIECES_MAX ? pieces : PIECES_MAX };
	bool done = parallel_try(keys.pieces, read_piece, &keys, stage, work->progress, NULL) &&
		    rank_all_texts(&keys);
	keys.as_real = has_reals(&keys);
	done = done &&
	       parallel_try(keys.pieces, convert_piece, &keys, stage, work->progress, NULL) &&
	       put_all(&keys, key, result);
	for (size_t i = 0; i < keys.pieces; i++)
		dictionary_free(&keys.piece[i].texts);
	mem_free_all(keys.rank, keys.key, keys.kind);
	return done;
}

/* ---- trees ---- */

/*
 * Turn ORDER, a flat sorted list of positions, into a preorder with siblings in that order.
 * Children are pushed onto their parent's list in reverse, so that the lists come out in order.
 */
static bool order_tree(const struct table_work *work, uint32_t *order)
{
	AUTO_FREE uint32_t *parent = table_find_parents(work);
	if (!parent)
		return false;
	AUTO_FREE uint32_t *child =
		mem_no_rows(work->count + 1); /* last element: children of no parent */
	AUTO_FREE uint32_t *next = mem_zalloc(work->count, sizeof *next);
	bool ok = true;
	for (size_t i = work->count; i-- > 0 && ok;) {
		uint32_t place = order[i];
		ok = table_order_check_cancelled(work, stage, i);
		uint32_t *head = &child[parent[place] == NO_PLACE ? work->count : parent[place]];
		next[place] = *head;
		*head = place;
	}
	uint32_t place = child[work->count];
	for (size_t at = 0; place != NO_PLACE && ok;) {
		ok = table_order_check_cancelled(work, stage, at);
		order[at++] = place;
		if (child[place] != NO_PLACE) {
			place = child[place];
			continue;
		}
		while (place != NO_PLACE && next[place] == NO_PLACE)
			place = parent[place];
		if (place != NO_PLACE)
			place = next[place];
	}
	return ok;
}

/* ---- interface ---- */

struct sort_job {
	struct table_work work;
	const struct sort_key *keys;
	size_t key_count;
	uint32_t *result;
};

static bool sort_work(void *context)
{
	struct sort_job *job = context;
	const struct table_work *work = &job->work;
	uint32_t *order = mem_alloc(work->count * sizeof *order);
	for (size_t i = 0; i < work->count; i++)
		order[i] = (uint32_t)i;
	uint32_t *sorted = mem_alloc(work->count * sizeof *sorted);
	bool done = true;
	for (size_t key = job->key_count; key-- > 0 && done;) {
		done = sort_by(work, job->keys[key], order, sorted);
		uint32_t *swap = order;
		order = sorted;
		sorted = swap;
	}
	mem_free(sorted);
	if (work->table->is_tree && job->key_count && done)
		done = order_tree(work, order);
	if (!done) {
		mem_free(order);
		return error_cancelled(work->error);
	}
	for (size_t i = 0; i < work->count && work->rows; i++)
		order[i] = work->rows[order[i]];
	job->result = order;
	return true;
}

uint32_t *table_sort(const struct table *table, const struct sort_key *keys, size_t count,
		     const uint32_t *rows, size_t *count_rows, const struct progress *progress,
		     struct error *error)
{
	for (size_t i = 0; i < count; i++)
		require_column(table, keys[i].column);
	if (!rows)
		*count_rows = table->rows;
	struct sort_job job = { { table, rows, *count_rows, progress, error }, keys, count, NULL };
	return mem_guard(sort_work, &job, error) ? job.result : NULL;
}

/*
 * Sorts the rows of a table.
 */
#include "table/table_work.h"

#include "base/error.h"
#include "base/radix.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool go_on(const struct table_work *work, const char *stage, size_t done)
{
	/* cells may be computed on demand */
	return progress_heavy_row(work->progress, stage, done, work->count, 4);
}

static const char stage[] = "sorting";

struct ranked_text {
	struct value text;
	uint32_t number;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_text *x = a, *y = b;
	return value_compare(x->text, y->text);
}

/* Rank of each dictionary entry by its bytes; equal texts have equal ranks. NULL when cancelled. */
static uint64_t *rank_texts(const struct table_work *work, const struct dictionary *dictionary)
{
	size_t count = dictionary->count;
	struct ranked_text *texts = mem_zalloc(count, sizeof *texts);
	for (size_t i = 0; i < count; i++)
		texts[i] = (struct ranked_text){ dictionary->texts[i], (uint32_t)i };
	bool on = sort_runs(texts, count, sizeof *texts, compare_ranked, work->progress);
	uint64_t *ranks = mem_zalloc(count, sizeof *ranks), rank = 0;
	for (size_t i = 0; i < count && on; i++) {
		on = go_on(work, stage, i);
		rank += i && compare_ranked(&texts[i - 1], &texts[i]) != 0;
		ranks[texts[i].number] = rank;
	}
	mem_free(texts);
	if (on)
		return ranks;
	mem_free(ranks);
	return NULL;
}

/* ---- sorting by one column ---- */

struct column_keys {
	struct keys numbers, texts, missing;
	struct dictionary dictionary;
};

static uint64_t key_of_number(struct value value, bool as_real)
{
	if (!as_real)
		return key_of_int(value.integer);
	return key_of_real(value.kind == VALUE_INT ? (double)value.integer : value.real);
}

/* First real number: convert the integers so far, since both are compared as reals. */
static void convert_to_reals(struct keys *numbers)
{
	for (size_t i = 0; i < numbers->count; i++)
		numbers->key[i] = key_of_real((double)int_of_key(numbers->key[i]));
}

static bool gather(const struct table_work *work, size_t column, const uint32_t *order,
		   struct column_keys *keys)
{
	bool any_real = false;
	for (size_t i = 0; i < work->count; i++) {
		if (!go_on(work, stage, i))
			return false;
		uint32_t place = order[i];
		struct value value = table_value(work->table, row_at(work, place), column);
		if (value.kind == VALUE_TEXT) {
			keys_add(&keys->texts, dictionary_add(&keys->dictionary, value), place);
		} else if (value.kind == VALUE_MISSING ||
			   (value.kind == VALUE_REAL && isnan(value.real))) {
			keys_add(&keys->missing, 0, place);
		} else {
			if (value.kind == VALUE_REAL && !any_real) {
				convert_to_reals(&keys->numbers);
				any_real = true;
			}
			keys_add(&keys->numbers, key_of_number(value, any_real), place);
		}
	}
	return true;
}

static bool sort_part(const struct table_work *work, struct keys *keys, bool descending)
{
	if (descending) {
		for (size_t i = 0; i < keys->count; i++)
			keys->key[i] = ~keys->key[i];
	}
	return radix_sort(keys, work->progress);
}

static size_t put(uint32_t *order, size_t at, const struct keys *keys)
{
	memcpy(order + at, keys->place, keys->count * sizeof *order);
	return at + keys->count;
}

/* Sort ORDER (positions) stably by one column. */
static bool sort_by(const struct table_work *work, struct sort_key key, uint32_t *order)
{
	struct column_keys keys = {
		keys_new(work->count), keys_new(work->count), keys_new(work->count), { 0 }
	};
	bool done = gather(work, (size_t)key.column, order, &keys);
	uint64_t *ranks = done ? rank_texts(work, &keys.dictionary) : NULL;
	for (size_t i = 0; ranks && i < keys.texts.count; i++)
		keys.texts.key[i] = ranks[keys.texts.key[i]];
	done = ranks && sort_part(work, &keys.numbers, key.descending) &&
	       sort_part(work, &keys.texts, key.descending);
	mem_free(ranks);
	if (done) {
		size_t at = key.missing_first ? put(order, 0, &keys.missing) : 0;
		at = put(order, at, key.descending ? &keys.texts : &keys.numbers);
		at = put(order, at, key.descending ? &keys.numbers : &keys.texts);
		if (!key.missing_first)
			put(order, at, &keys.missing);
	}
	keys_free(&keys.numbers);
	keys_free(&keys.texts);
	keys_free(&keys.missing);
	dictionary_free(&keys.dictionary);
	return done;
}

/* ---- trees ---- */

/*
 * Turn ORDER, a flat sorted list of positions, into a preorder with siblings in that order.
 * Children are pushed onto their parent's list in reverse, so that the lists come out in order.
 */
static bool order_tree(const struct table_work *work, uint32_t *order)
{
	uint32_t *parent = table_find_parents(work);
	if (!parent)
		return false;
	uint32_t *child = mem_zalloc(work->count + 1,
				     sizeof *child); /* last element: children of no parent */
	uint32_t *next = mem_zalloc(work->count, sizeof *next);
	memset(child, 0xff, (work->count + 1) * sizeof *child);
	bool on = true;
	for (size_t i = work->count; i-- > 0 && on;) {
		uint32_t place = order[i];
		on = go_on(work, stage, i);
		uint32_t *head = &child[parent[place] == NO_PLACE ? work->count : parent[place]];
		next[place] = *head;
		*head = place;
	}
	uint32_t place = child[work->count];
	for (size_t at = 0; place != NO_PLACE && on;) {
		on = go_on(work, stage, at);
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
	mem_free(parent);
	mem_free(child);
	mem_free(next);
	return on;
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
	uint32_t *order = mem_zalloc(work->count, sizeof *order);
	for (size_t i = 0; i < work->count; i++)
		order[i] = (uint32_t)i;
	bool done = true;
	for (size_t key = job->key_count; key-- > 0 && done;)
		done = sort_by(work, job->keys[key], order);
	if (work->table->is_tree && job->key_count && done)
		done = order_tree(work, order);
	if (!done) {
		mem_free(order);
		return error_set(work->error, ERROR_CANCELLED, "cancelled");
	}
	for (size_t i = 0; i < work->count; i++)
		order[i] = row_at(work, order[i]);
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

/*
 * Order and selection over a table.  "Place" is an index into the list of rows that is worked on.
 */
#include "view/table.h"

#include "base/buffer.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_EVERY = 1 << 16 };		/* rows between two looks at the progress callback */

struct work {
	const struct table *table;
	const uint32_t *rows;		/* NULL: every row */
	size_t count;
	const struct progress *progress;
	struct error *error;
};

static uint32_t row_at(const struct work *work, size_t place)
{
	return work->rows ? work->rows[place] : (uint32_t)place;
}

static bool go_on(const struct work *work, const char *stage, size_t done)
{
	if (done % CHECK_EVERY || progress_update(work->progress, stage, done, work->count, done))
		return true;
	return error_set(work->error, ERROR_CANCELLED, "interrupted");
}

/* ---- texts that repeat: each distinct address gets a small number ---- */

struct dictionary {
	struct value *texts;
	size_t count, capacity;
	uint32_t *slots;	/* number + 1; 0 is free */
	size_t mask;
};

static size_t slot_of(const struct dictionary *dictionary, struct value text)
{
	uint64_t hash = ((uint64_t)(uintptr_t)text.text ^ text.length << 48) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 24) & dictionary->mask;
	for (;; at = (at + 1) & dictionary->mask) {
		uint32_t number = dictionary->slots[at];
		if (!number || (dictionary->texts[number - 1].text == text.text &&
				dictionary->texts[number - 1].length == text.length))
			return at;
	}
}

static void grow_dictionary(struct dictionary *dictionary)
{
	mem_free(dictionary->slots);
	dictionary->mask = dictionary->mask ? dictionary->mask * 2 + 1 : 255;
	dictionary->slots = mem_zalloc(dictionary->mask + 1, sizeof *dictionary->slots);
	for (size_t i = 0; i < dictionary->count; i++)
		dictionary->slots[slot_of(dictionary, dictionary->texts[i])] = (uint32_t)i + 1;
}

static uint32_t dictionary_add(struct dictionary *dictionary, struct value text)
{
	if (dictionary->count * 2 >= dictionary->mask)
		grow_dictionary(dictionary);
	size_t at = slot_of(dictionary, text);
	if (!dictionary->slots[at]) {
		mem_grow(dictionary->texts, dictionary->capacity, dictionary->count + 1);
		dictionary->texts[dictionary->count++] = text;
		dictionary->slots[at] = (uint32_t)dictionary->count;
	}
	return dictionary->slots[at] - 1;
}

static void dictionary_free(struct dictionary *dictionary)
{
	mem_free(dictionary->texts);
	mem_free(dictionary->slots);
}

struct ranked_text {
	struct value text;
	uint32_t number;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_text *x = a, *y = b;
	return value_compare(x->text, y->text);
}

/* The rank of every number by its bytes; equal bytes at two addresses have one rank. */
static uint64_t *rank_texts(const struct dictionary *dictionary)
{
	size_t count = dictionary->count;
	struct ranked_text *texts = mem_zalloc(count, sizeof *texts);
	for (size_t i = 0; i < count; i++)
		texts[i] = (struct ranked_text){ dictionary->texts[i], (uint32_t)i };
	qsort(texts, count, sizeof *texts, compare_ranked);
	uint64_t *ranks = mem_zalloc(count, sizeof *ranks), rank = 0;
	for (size_t i = 0; i < count; i++) {
		rank += i && compare_ranked(&texts[i - 1], &texts[i]) != 0;
		ranks[texts[i].number] = rank;
	}
	mem_free(texts);
	return ranks;
}

/* ---- keys: one unsigned number a row whose order is the order of the values ---- */

static uint64_t key_of_int(int64_t value)
{
	return (uint64_t)value ^ (uint64_t)1 << 63;
}

static int64_t int_of_key(uint64_t key)
{
	return (int64_t)(key ^ (uint64_t)1 << 63);
}

static uint64_t key_of_real(double value)
{
	uint64_t bits;
	value += 0.0;	/* -0 is 0 */
	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Places with their keys; numbers, texts and missing values are sorted apart. */
struct keys {
	uint64_t *key;
	uint32_t *place;
	size_t count;
};

static struct keys keys_new(size_t count)
{
	return (struct keys){ mem_zalloc(count, sizeof(uint64_t)),
			      mem_zalloc(count, sizeof(uint32_t)), 0 };
}

static void keys_add(struct keys *keys, uint64_t key, uint32_t place)
{
	keys->key[keys->count] = key;
	keys->place[keys->count++] = place;
}

static void keys_free(struct keys *keys)
{
	mem_free(keys->key);
	mem_free(keys->place);
}

enum { DIGITS = 8, DIGIT_VALUES = 256 };

/* One pass of a stable radix sort: distribute FROM into TO by one byte of the key. */
static void distribute(const struct keys *from, struct keys *to, int digit,
		       const size_t counts[DIGIT_VALUES])
{
	size_t next[DIGIT_VALUES], sum = 0;
	for (int i = 0; i < DIGIT_VALUES; i++) {
		next[i] = sum;
		sum += counts[i];
	}
	for (size_t i = 0; i < from->count; i++) {
		size_t at = next[from->key[i] >> digit * 8 & 0xff]++;
		to->key[at] = from->key[i];
		to->place[at] = from->place[i];
	}
	to->count = from->count;
}

static void radix_sort(struct keys *keys)
{
	size_t(*counts)[DIGIT_VALUES] = mem_zalloc(DIGITS, sizeof *counts);
	for (size_t i = 0; i < keys->count; i++) {
		for (int digit = 0; digit < DIGITS; digit++)
			counts[digit][keys->key[i] >> digit * 8 & 0xff]++;
	}
	struct keys other = keys_new(keys->count);
	for (int digit = 0; digit < DIGITS && keys->count; digit++) {
		if (counts[digit][keys->key[0] >> digit * 8 & 0xff] == keys->count)
			continue;	/* the same in every key */
		distribute(keys, &other, digit, counts[digit]);
		struct keys swap = *keys;
		*keys = other;
		other = swap;
	}
	keys_free(&other);
	mem_free(counts);
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

/* A real came up: the integers gathered so far are compared with it as reals. */
static void reals_from_here(struct keys *numbers)
{
	for (size_t i = 0; i < numbers->count; i++)
		numbers->key[i] = key_of_real((double)int_of_key(numbers->key[i]));
}

static bool gather(const struct work *work, size_t column, const uint32_t *order,
		   struct column_keys *keys)
{
	bool any_real = false;
	for (size_t i = 0; i < work->count; i++) {
		if (!go_on(work, "sorting", i))
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
				reals_from_here(&keys->numbers);
				any_real = true;
			}
			keys_add(&keys->numbers, key_of_number(value, any_real), place);
		}
	}
	return true;
}

static void sort_part(struct keys *keys, bool descending)
{
	if (descending) {
		for (size_t i = 0; i < keys->count; i++)
			keys->key[i] = ~keys->key[i];
	}
	radix_sort(keys);
}

static size_t put(uint32_t *order, size_t at, const struct keys *keys)
{
	memcpy(order + at, keys->place, keys->count * sizeof *order);
	return at + keys->count;
}

/* Sort ORDER (places) by one column, stable. */
static bool sort_by(const struct work *work, struct sort_key key, uint32_t *order)
{
	struct column_keys keys = { keys_new(work->count), keys_new(work->count),
				    keys_new(work->count), { 0 } };
	bool done = gather(work, (size_t)key.column, order, &keys);
	if (done) {
		uint64_t *ranks = rank_texts(&keys.dictionary);
		for (size_t i = 0; i < keys.texts.count; i++)
			keys.texts.key[i] = ranks[keys.texts.key[i]];
		mem_free(ranks);
		sort_part(&keys.numbers, key.descending);
		sort_part(&keys.texts, key.descending);
		size_t at = put(order, 0, key.descending ? &keys.texts : &keys.numbers);
		at = put(order, at, key.descending ? &keys.numbers : &keys.texts);
		put(order, at, &keys.missing);
	}
	keys_free(&keys.numbers);
	keys_free(&keys.texts);
	keys_free(&keys.missing);
	dictionary_free(&keys.dictionary);
	return done;
}

/* ---- trees ---- */

static const uint32_t NONE = UINT32_MAX;

/* The place of every place's parent: the nearest before it that is less deep. */
static uint32_t *find_parents(const struct work *work)
{
	uint32_t *parent = mem_zalloc(work->count, sizeof *parent);
	for (size_t i = 0; i < work->count; i++) {
		uint32_t depth = table_depth(work->table, row_at(work, i));
		uint32_t above = i ? (uint32_t)i - 1 : NONE;
		while (above != NONE && table_depth(work->table, row_at(work, above)) >= depth)
			above = parent[above];
		parent[i] = above;
	}
	return parent;
}

/*
 * ORDER lists places as a flat sort leaves them; make it a preorder in which siblings keep that
 * order.  Children are pushed on their parent's list last first, so that lists come out right.
 */
static void order_tree(const struct work *work, uint32_t *order)
{
	uint32_t *parent = find_parents(work);
	uint32_t *child = mem_zalloc(work->count + 1, sizeof *child);	/* last: of no parent */
	uint32_t *next = mem_zalloc(work->count, sizeof *next);
	memset(child, 0xff, (work->count + 1) * sizeof *child);
	for (size_t i = work->count; i-- > 0;) {
		uint32_t place = order[i];
		uint32_t *head = &child[parent[place] == NONE ? work->count : parent[place]];
		next[place] = *head;
		*head = place;
	}
	uint32_t place = child[work->count];
	for (size_t at = 0; place != NONE;) {
		order[at++] = place;
		if (child[place] != NONE) {
			place = child[place];
			continue;
		}
		while (place != NONE && next[place] == NONE)
			place = parent[place];
		if (place != NONE)
			place = next[place];
	}
	mem_free(parent);
	mem_free(child);
	mem_free(next);
}

/* ---- entries ---- */

struct sort_job {
	struct work work;
	const struct sort_key *keys;
	size_t key_count;
	uint32_t *result;
};

static bool sort_work(void *context)
{
	struct sort_job *job = context;
	const struct work *work = &job->work;
	uint32_t *order = mem_zalloc(work->count, sizeof *order);
	for (size_t i = 0; i < work->count; i++)
		order[i] = (uint32_t)i;
	for (size_t key = job->key_count; key-- > 0;) {
		if (!sort_by(work, job->keys[key], order)) {
			mem_free(order);
			return false;
		}
	}
	if (work->table->is_tree && job->key_count)
		order_tree(work, order);
	for (size_t i = 0; i < work->count; i++)
		order[i] = row_at(work, order[i]);
	job->result = order;
	return true;
}

uint32_t *table_sort(const struct table *table, const struct sort_key *keys, size_t count,
		     const uint32_t *rows, size_t *count_rows, const struct progress *progress,
		     struct error *error)
{
	if (!rows)
		*count_rows = table->rows;
	struct sort_job job = { { table, rows, *count_rows, progress, error }, keys, count, NULL };
	return mem_guard(sort_work, &job, error) ? job.result : NULL;
}

struct filter_job {
	struct work work;
	const struct pattern *pattern;
	int column;
	bool invert;
	uint32_t *result;
	size_t kept;
};

static bool match_shown(const struct table *table, size_t row, size_t column,
			const struct pattern *pattern, struct buffer *scratch)
{
	struct value value = table_value(table, row, column);
	if (value.kind == VALUE_TEXT)
		return pattern_match(pattern, value.text, value.length, NULL, NULL);
	buffer_clear(scratch);
	table_format(scratch, table, row, column, false);
	return pattern_match(pattern, buffer_text(scratch), scratch->length, NULL, NULL);
}

/* All the characters that cells of numbers are shown with. */
static const char number_characters[] = "0123456789-+. /%nsumkMGTPEBiKFLOyeofa";

/* Verdicts on the texts of a column: names repeat a million times over, so each is matched once. */
struct judge {
	const struct work *work;
	const struct pattern *pattern;
	size_t column;
	struct dictionary texts;
	bool *verdicts;
	size_t verdict_cap;
	struct value last;		/* the text judged last, and how */
	bool last_verdict;
	bool numbers;			/* the pattern may match the text of a number */
	struct buffer scratch;
};

static void judge_begin(struct judge *judge, const struct work *work,
			const struct pattern *pattern, size_t column)
{
	*judge = (struct judge){ .work = work, .pattern = pattern, .column = column };
	judge->numbers = pattern_may_match(pattern, number_characters);
}

static void judge_end(struct judge *judge)
{
	dictionary_free(&judge->texts);
	buffer_free(&judge->scratch);
	mem_free(judge->verdicts);
}

static bool judge_text(struct judge *judge, struct value text)
{
	if (judge->last.text == text.text && judge->last.length == text.length && text.text)
		return judge->last_verdict;
	size_t known = judge->texts.count;
	uint32_t name = dictionary_add(&judge->texts, text);
	if (judge->texts.count > known) {
		mem_grow(judge->verdicts, judge->verdict_cap, judge->texts.count);
		judge->verdicts[name] = pattern_match(judge->pattern, text.text, text.length, NULL,
						      NULL);
	}
	judge->last = text;
	return judge->last_verdict = judge->verdicts[name];
}

static bool judge_place(struct judge *judge, size_t place)
{
	const struct work *work = judge->work;
	uint32_t row = row_at(work, place);
	struct value value = table_value(work->table, row, judge->column);
	if (value.kind == VALUE_TEXT)
		return judge_text(judge, value);
	return judge->numbers &&
	       match_shown(work->table, row, judge->column, judge->pattern, &judge->scratch);
}

/* Mark the places at which the column matches, or with INVERT those at which it does not. */
static bool mark_matches(const struct work *work, const struct pattern *pattern, size_t column,
			 bool invert, bool *marks)
{
	struct judge judge;
	bool done = true;
	judge_begin(&judge, work, pattern, column);
	for (size_t i = 0; i < work->count && (done = go_on(work, "searching", i)); i++) {
		if (!marks[i])
			marks[i] = judge_place(&judge, i) != invert;
	}
	judge_end(&judge);
	return done;
}

static void keep_ancestors(const struct work *work, bool *keep)
{
	uint32_t *parent = find_parents(work);
	for (size_t i = work->count; i-- > 0;) {
		if (keep[i] && parent[i] != NONE)
			keep[parent[i]] = true;
	}
	mem_free(parent);
}

/* The places that are marked; the caller frees. */
static uint32_t *marked_places(const bool *marks, size_t count, size_t *marked)
{
	size_t at = 0;
	*marked = 0;
	for (size_t i = 0; i < count; i++)
		*marked += marks[i];
	uint32_t *places = mem_zalloc(*marked, sizeof *places);
	for (size_t i = 0; i < count; i++) {
		if (marks[i])
			places[at++] = (uint32_t)i;
	}
	return places;
}

static bool filter_work(void *context)
{
	struct filter_job *job = context;
	const struct work *work = &job->work;
	int column = job->column >= 0 ? job->column : table_name_column(work->table);
	bool *keep = mem_zalloc(work->count, sizeof *keep);
	if (column >= 0 && !mark_matches(work, job->pattern, (size_t)column,
					  job->invert, keep)) {
		mem_free(keep);
		return false;
	}
	if (work->table->is_tree)
		keep_ancestors(work, keep);
	job->result = marked_places(keep, work->count, &job->kept);
	for (size_t i = 0; i < job->kept; i++)
		job->result[i] = row_at(work, job->result[i]);
	mem_free(keep);
	return true;
}

uint32_t *table_filter(const struct table *table, const struct pattern *pattern, int column,
		       bool invert, const uint32_t *rows, size_t *count_rows,
		       const struct progress *progress, struct error *error)
{
	if (!rows)
		*count_rows = table->rows;
	struct filter_job job = { { table, rows, *count_rows, progress, error },
				  pattern, column, invert, NULL, 0 };
	if (!mem_guard(filter_work, &job, error))
		return NULL;
	*count_rows = job.kept;
	return job.result;
}

bool table_row_matches(const struct table *table, size_t row, const int *columns, size_t count,
		       const struct pattern *pattern)
{
	struct buffer scratch = { 0 };
	bool matched = false;
	for (size_t i = 0; i < count && !matched; i++)
		matched = match_shown(table, row, (size_t)columns[i], pattern, &scratch);
	buffer_free(&scratch);
	return matched;
}

struct search_job {
	struct work work;
	const struct pattern *pattern;
	const int *columns;
	size_t column_count;
	uint32_t *result;
	size_t hits;
};

static bool search_work(void *context)
{
	struct search_job *job = context;
	const struct work *work = &job->work;
	bool *marks = mem_zalloc(work->count, sizeof *marks), done = true;
	for (size_t i = 0; i < job->column_count && done; i++)
		done = mark_matches(work, job->pattern, (size_t)job->columns[i], false, marks);
	if (done)
		job->result = marked_places(marks, work->count, &job->hits);
	mem_free(marks);
	return done;
}

uint32_t *table_matches(const struct table *table, const struct pattern *pattern,
		       const int *columns, size_t column_count, const uint32_t *rows,
		       size_t count, size_t *hits, const struct progress *progress,
		       struct error *error)
{
	struct search_job job = { { table, rows, rows ? count : table->rows, progress, error },
				  pattern, columns, column_count, NULL, 0 };
	if (!mem_guard(search_work, &job, error))
		return NULL;
	*hits = job.hits;
	return job.result;
}

#include "table/table_names.h"

#include "base/parallel.h"

#include <stdatomic.h>

enum { PIECES_MAX = 32, ROWS_MIN = 1 << 14, TEXTS_MIN = 256 }; /* per piece */

static const char stage[] = "searching";

static size_t pieces_of(size_t count, size_t min)
{
	size_t pieces = count / min + 1;
	return pieces < PIECES_MAX ? pieces : PIECES_MAX;
}

/* ---- numbering ---- */

/* Each piece numbers its texts; then all get the numbers of the table. */
struct numbering {
	const struct table *table;
	size_t column, pieces;
	struct table_names *names;
	struct dictionary texts[PIECES_MAX];
	uint32_t *number[PIECES_MAX]; /* of the table, by number in the piece */
};

static size_t first_row(const struct numbering *numbering, size_t piece)
{
	return numbering->table->rows * piece / numbering->pieces;
}

static bool number_piece(void *context, size_t piece, const struct progress *progress)
{
	struct numbering *numbering = context;
	uint32_t *number = numbering->names->number, last_number = 0;
	size_t end = first_row(numbering, piece + 1);
	struct value last = { .text = NULL };
	for (size_t row = first_row(numbering, piece); row < end; row++) {
		/* cells may be computed on demand */
		if (!progress_heavy_row(progress, stage, row, numbering->table->rows, 4))
			return false;
		struct value value = table_value(numbering->table, row, numbering->column);
		number[row] = NOT_A_TEXT;
		if (value.kind != VALUE_TEXT)
			continue;
		if (!last.text || value.text != last.text || value.length != last.length)
			last_number = dictionary_add(&numbering->texts[piece], &value);
		last = value;
		number[row] = last_number;
	}
	return true;
}

static bool renumber_piece(void *context, size_t piece, const struct progress *progress)
{
	struct numbering *numbering = context;
	uint32_t *number = numbering->names->number;
	size_t end = first_row(numbering, piece + 1);
	for (size_t row = first_row(numbering, piece); row < end; row++) {
		if (number[row] != NOT_A_TEXT)
			number[row] = numbering->number[piece][number[row]];
	}
	return progress_update(progress, stage, end, numbering->table->rows, end);
}

/* Number the texts of all pieces; the names take them over. */
static void merge_texts(struct numbering *numbering)
{
	AUTO(dictionary_free) struct dictionary all = { 0 };
	for (size_t i = 0; i < numbering->pieces; i++) {
		const struct dictionary *texts = &numbering->texts[i];
		numbering->number[i] = mem_alloc(texts->count * sizeof *numbering->number[i]);
		for (size_t j = 0; j < texts->count; j++)
			numbering->number[i][j] = dictionary_add(&all, &texts->texts[j]);
	}
	numbering->names->texts = all.texts;
	numbering->names->count = all.count;
	all.texts = NULL;
}

static struct table_names *number_names(const struct table *table, const struct progress *progress,
					struct error *error)
{
	struct numbering numbering = { .table = table,
				       .column = (size_t)table_name_column(table),
				       .pieces = pieces_of(table->rows, ROWS_MIN),
				       .names = mem_zalloc(1, sizeof(struct table_names)) };
	numbering.names->number = mem_alloc(table->rows * sizeof *numbering.names->number);
	bool done =
		parallel_try(numbering.pieces, number_piece, &numbering, stage, progress, error);
	if (done) {
		merge_texts(&numbering);
		done = parallel_try(numbering.pieces, renumber_piece, &numbering, stage, progress,
				    error);
	}
	for (size_t i = 0; i < numbering.pieces; i++) {
		dictionary_free(&numbering.texts[i]);
		mem_free(numbering.number[i]);
	}
	if (done)
		return numbering.names;
	table_names_free(numbering.names);
	return NULL;
}

const struct table_names *table_names_of(const struct table *table, const struct progress *progress,
					 struct error *error)
{
	struct table_names *none = NULL;
	/* Searching a table changes nothing that is seen of it. */
	struct table_names *_Atomic *kept = (struct table_names * _Atomic *)&table->names;
	struct table_names *names = atomic_load(kept);
	if (names)
		return names;
	names = number_names(table, progress, error);
	if (!names || atomic_compare_exchange_strong(kept, &none, names))
		return names;
	table_names_free(names); /* another thread was first */
	return none;
}

FREE_OBJECT(table_names_free, struct table_names, OWN(number) OWN(texts))

/* ---- matching ---- */

struct table_names_matching {
	const struct table_names *names;
	const struct pattern *pattern;
	size_t pieces;
	bool *matches;
	atomic_bool gave_up;
};

static bool match_piece(void *context, size_t piece, const struct progress *progress)
{
	struct table_names_matching *matching = context;
	const struct table_names *names = matching->names;
	struct pattern *pattern = pattern_share(matching->pattern);
	size_t end = names->count * (piece + 1) / matching->pieces;
	bool ok = true;
	for (size_t i = names->count * piece / matching->pieces; i < end && ok; i++) {
		struct value text = names->texts[i];
		ok = progress_row(progress, stage, i, names->count);
		matching->matches[i] = pattern_match(pattern, text.text, text.length, NULL, NULL);
	}
	if (!pattern_completed(pattern, NULL))
		matching->gave_up = true;
	pattern_free(pattern);
	return ok;
}

bool *table_names_match(const struct table_names *names, const struct pattern *pattern,
			const struct progress *progress, struct error *error)
{
	struct table_names_matching matching = { .names = names,
						 .pattern = pattern,
						 .pieces = pieces_of(names->count, TEXTS_MIN),
						 .matches =
							 mem_alloc(names->count * sizeof(bool)) };
	bool done = parallel_try(matching.pieces, match_piece, &matching, stage, progress, error);
	if (matching.gave_up)
		pattern_give_up(pattern);
	return mem_if(done, matching.matches);
}

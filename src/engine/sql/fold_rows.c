#include "sql/fold.h"

#include "table/table_work.h"

#include <math.h>

enum {
	BLOCK = 1024,       /* rows that are read at a time, column by column */
	GROUPS_ANY = 65536, /* as many groups are always fine, */
	ROWS_A_GROUP = 2,   /* more only if they save that much */
};

struct folding {
	const struct sql_fold *fold;
	const struct table *rows;
	struct table *table;
	uint32_t row[BLOCK], group[BLOCK]; /* of those that fulfill the conditions */
	struct value cell[BLOCK];          /* of one column */
	int column;                        /* which that is; -1: none */
	size_t count;
	struct dictionary group_of[64]; /* by column: by the values of the keys up to it */
	uint64_t size[FOLD_SUMS_MAX];   /* sum of absolute values */
	struct value *state;            /* by group, those of all sums */
	size_t groups, states, capacity;
};

static void read_column(struct folding *folding, int column)
{
	if (folding->column != column)
		table_read(folding->rows, (size_t)column, folding->row, folding->count,
			   folding->cell);
	folding->column = column;
}

/* ---- conditions ---- */

/* False if they compare something else than integers. */
static bool keep_rows(struct folding *folding, const struct fold_condition *condition)
{
	int64_t than = condition->than.integer;
	size_t kept = 0;
	bool done = condition->than.kind == VALUE_INT;
	read_column(folding, condition->column);
	for (size_t i = 0; i < folding->count; i++) {
		const struct value *cell = &folding->cell[i];
		int order = (cell->integer > than) - (cell->integer < than);
		folding->row[kept] = folding->row[i];
		kept += cell->kind == VALUE_INT && condition->orders >> (1 + order) & 1;
		done &= cell->kind == VALUE_INT || cell->kind == VALUE_MISSING;
	}
	folding->count = kept;
	folding->column = -1;
	return done;
}

/* ---- groups ---- */

static inline bool is_same(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->integer == b->integer &&
	       (a->kind != VALUE_TEXT || a->length == b->length);
}

/* The number of the group before is kept with the length, which missing cells have one of. */
static uint32_t find_group(struct dictionary *groups, uint32_t before, struct value value)
{
	if (value.kind == VALUE_MISSING)
		value.text = NULL;
	if (value.kind != VALUE_TEXT)
		value.length = value.kind == VALUE_MISSING ? UINT32_MAX : 0;
	value.length |= (size_t)before << 32;
	return dictionary_add(groups, value);
}

/* Divide groups by a key. False if a cell is neither missing nor of the kind of the column. */
static bool group_by(struct folding *folding, int column)
{
	enum value_kind kind =
		folding->rows->column[column]->unit == UNIT_TEXT ? VALUE_TEXT : VALUE_INT;
	const struct value *cell = folding->cell, *last = NULL;
	uint32_t before = 0, group = 0;
	read_column(folding, column);
	for (size_t i = 0; i < folding->count; i++, cell++) {
		if (!last || folding->group[i] != before || !is_same(cell, last)) {
			if (cell->kind != VALUE_MISSING &&
			    (cell->kind != kind ||
			     (kind == VALUE_TEXT && cell->length >= UINT32_MAX)))
				return false;
			last = cell;
			before = folding->group[i];
			group = find_group(&folding->group_of[column], before, *cell);
		}
		folding->group[i] = group;
	}
	folding->groups = folding->group_of[column].count;
	return true;
}

/* ---- sums ---- */

/* False if cells are no integers, or SQLite would round. */
static bool add_cells(struct folding *folding, size_t at)
{
	const struct fold_sum *sum = &folding->fold->sum[at];
	enum fold_function function = sum->function;
	size_t sums = folding->fold->sums;
	uint64_t size = folding->size[at];
	bool done = true;
	if (sum->column >= 0)
		read_column(folding, sum->column);
	for (size_t i = 0; i < folding->count; i++) {
		struct value *state = &folding->state[folding->group[i] * sums + at];
		const struct value *cell = &folding->cell[i];
		int64_t old = state->integer, new = cell->integer;
		if (sum->column >= 0 && (cell->kind == VALUE_MISSING ||
					 (cell->kind == VALUE_REAL && isnan(cell->real))))
			continue;
		done &= function == FOLD_COUNT || cell->kind == VALUE_INT;
		if (function == FOLD_COUNT)
			new = old + 1;
		else if (function == FOLD_SUM) {
			done &= !__builtin_add_overflow(
				size, new < 0 ? -(uint64_t) new : (uint64_t) new, &size);
			new += old;
		} else if (state->kind == VALUE_INT)
			new = (function == FOLD_MIN) == (old < new) ? old : new;
		state->kind = VALUE_INT;
		state->integer = new;
	}
	folding->size[at] = size;
	return done && size <= sum->most;
}

/* ---- all rows ---- */

static bool fold_block(struct folding *folding)
{
	const struct sql_fold *fold = folding->fold;
	bool done = true;
	folding->column = -1;
	for (int i = 0; i < fold->conditions && done; i++)
		done = keep_rows(folding, &fold->condition[i]);
	memset(folding->group, 0, sizeof folding->group);
	folding->groups = folding->count > 0 || folding->groups;
	for (int i = 0; i < view_columns(fold) && done; i++)
		done = !(fold->keys >> i & 1) || group_by(folding, i);
	while (folding->states < folding->groups * fold->sums)
		*mem_push(folding->state, folding->states, folding->capacity) = value_missing();
	for (size_t i = 0; i < fold->sums && done; i++)
		done = add_cells(folding, i);
	return done;
}

static bool fold_blocks(struct folding *folding, const struct progress *progress,
			struct error *error)
{
	size_t rows = folding->rows->rows;
	for (size_t first = 0; first < rows; first += BLOCK) {
		if (!progress_heavy_row(progress, "querying", first, rows, 4))
			return error_set(error, ERROR_CANCELLED, "interrupted");
		folding->count = rows - first < BLOCK ? rows - first : BLOCK;
		for (size_t i = 0; i < folding->count; i++)
			folding->row[i] = (uint32_t)(first + i);
		if (!fold_block(folding) || (folding->groups > GROUPS_ANY &&
					     folding->groups > (first + BLOCK) / ROWS_A_GROUP))
			return error_usage(error, "not to be folded");
	}
	return true;
}

static void add_groups(struct table *table, const struct folding *folding)
{
	const struct sql_fold *fold = folding->fold;
	for (uint32_t group = 0, at; group < folding->groups; group++) {
		size_t row = table_add_row(table, NO_REF);
		at = group;
		for (int key = view_columns(fold); key-- > 0;) {
			if (!(fold->keys >> key & 1))
				continue;
			struct value value = folding->group_of[key].texts[at];
			at = (uint32_t)(value.length >> 32);
			value.length = (uint32_t)value.length;
			table_set_at(table, row, (size_t)key, value);
		}
		for (size_t i = 0; i < fold->sums; i++)
			table_set_at(table, row, (size_t)view_columns(fold) + i,
				     folding->state[group * fold->sums + i]);
	}
}

void fold_stop(struct sql_fold *fold)
{
	struct folding *folding = fold->folding;
	if (!folding)
		return;
	for (int i = 0; i < view_columns(fold); i++)
		dictionary_free(&folding->group_of[i]);
	table_free(folding->table);
	mem_free_all(folding->state, folding);
	fold->folding = NULL;
}

struct table *fold_rows(struct sql_fold *fold, const struct table *rows,
			const struct progress *progress, struct error *error)
{
	struct folding *folding = fold->folding = mem_zalloc(1, sizeof *folding);
	struct table *table = NULL;
	folding->fold = fold;
	folding->rows = rows;
	folding->table = fold_table(fold);
	if (fold_blocks(folding, progress, error)) {
		add_groups(folding->table, folding);
		table = folding->table;
		folding->table = NULL;
	}
	fold_stop(fold);
	return table;
}

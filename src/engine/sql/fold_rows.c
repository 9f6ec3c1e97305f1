#include "sql/fold.h"

#include "base/any_of.h"
#include "table/table_work.h"

#include <math.h>

enum {
	BLOCK = 1024,       /* rows that are read at a time, column by column */
	GROUPS_ANY = 65536, /* as many groups are always fine, */
	ROWS_A_GROUP = 2,   /* more only if they save that much */
	MIXED = 16,         /* rows a change of groups, where fewer are mixed */
};

/* Of absolute values of cells, so that those of a block add up. */
#define CELL_MAX ((uint64_t)1 << 53)

/*
 * Groups of rows that agree in a column and in those before it: by their key, as address, and the
 * group of the columns before, as length.
 */
struct fold_level {
	struct dictionary groups;
	GROWING(uint32_t, rows, count); /* the first of each */
	bool mixed; /* rows after each other are often of several: not worth a guess */
};

struct fold_state {
	int64_t number;
	int64_t count; /* of cells that are not missing */
};

struct folding {
	const struct sql_fold *fold;
	const struct table *rows;
	struct table *table;
	uint32_t row[BLOCK], group[BLOCK]; /* of those that fulfill the conditions */
	int64_t cell[BLOCK];               /* of one column */
	int column;                        /* which that is; -1: none */
	unsigned kinds;                    /* of the cells */
	bool mixed;                        /* as the last level */
	size_t count;
	struct fold_level level[64];  /* by column: groups by the keys up to it */
	uint64_t size[FOLD_SUMS_MAX]; /* sum of absolute values */
	struct fold_state *state;     /* by group, those of all sums */
	size_t groups, states;
};

/* False if cells are of other kinds than KIND. */
static bool read_column(struct folding *folding, int column, enum value_kind kind)
{
	if (folding->column != column)
		folding->kinds = table_read(folding->rows, (size_t)column, folding->row,
					    folding->count, folding->cell);
	folding->column = column;
	return !(folding->kinds & ~(1u << kind | 1u << VALUE_MISSING));
}

/* ---- conditions ---- */

/* False if they compare something else than integers. */
static bool keep_rows(struct folding *folding, const struct fold_condition *condition)
{
	int64_t than = condition->than.integer;
	size_t kept = 0;
	if (!read_column(folding, condition->column, VALUE_INT))
		return false;
	for (size_t i = 0; i < folding->count; i++) {
		int64_t cell = folding->cell[i];
		int order = (cell > than) - (cell < than);
		folding->row[kept] = folding->row[i];
		kept += cell != NO_VALUE && condition->orders >> (1 + order) & 1;
	}
	folding->count = kept;
	folding->column = -1;
	return condition->than.kind == VALUE_INT;
}

/* ---- groups ---- */

/* Divide groups by a key. False if a cell is neither missing nor of the kind of the column. */
static __attribute__((noinline)) bool group_by(struct folding *folding, int column)
{
	struct fold_level *level = &folding->level[column];
	bool text = folding->rows->column[column]->unit == UNIT_TEXT;
	if (!read_column(folding, column, text ? VALUE_TEXT : VALUE_INT))
		return false;
	int64_t last = 0;
	uint32_t group = 0, before = NO_ROW, changes = 0;
	size_t count = folding->count;
	bool mixed = level->mixed;
	for (size_t i = 0; i < count; i++) {
		int64_t key = folding->cell[i];
		bool other = (key != last) | (folding->group[i] != before);
		last = key;
		before = folding->group[i];
		struct value value = { VALUE_TEXT, .text = (const char *)(intptr_t)key,
				       .length = before };
		if (mixed | other)
			group = dictionary_add(&level->groups, &value);
		if (group == level->count)
			*mem_push(level->rows, level->count) = folding->row[i];
		changes += other;
		folding->group[i] = group;
	}
	folding->mixed = level->mixed = changes > count / MIXED;
	folding->groups = level->count;
	return true;
}

/* ---- sums ---- */

/* Add up absolute values. False if SQLite would round sums of so much. */
static bool add_size(struct folding *folding, size_t at)
{
	uint64_t size = folding->size[at], large = 0;
	for (size_t i = 0; i < folding->count; i++) {
		int64_t cell = folding->cell[i] == NO_VALUE ? 0 : folding->cell[i];
		uint64_t most = cell < 0 ? -(uint64_t)cell : (uint64_t)cell;
		size += most;
		large |= most;
	}
	folding->size[at] = size;
	return size <= folding->fold->sum[at].most && large <= CELL_MAX;
}

/*
 * NUMBER of a group by the OLD one and each CELL that is KNOWN. Rows that follow each other are
 * often of one group, which stays at hand.
 */
#define ADD_CELLS(known, changed)                                                                  \
	for (size_t i = 0; i < count; i++) {                                                       \
		struct fold_state *next = &states[folding->group[i] * sums];                       \
		int64_t cell = folding->cell[i];                                                   \
		if (mixed | (next != of)) {                                                        \
			*of = state;                                                               \
			of = next;                                                                 \
			state = *of;                                                               \
		}                                                                                  \
		int64_t old = state.number;                                                        \
		state.number = (known) ? (changed) : old;                                          \
		state.count += (known);                                                            \
	}

/* False if cells are no integers, or SQLite would round. */
static __attribute__((noinline)) bool add_cells(struct folding *folding, size_t at)
{
	const struct fold_sum *sum = &folding->fold->sum[at];
	struct fold_state *states = folding->state + at, state = { 0 }, none, *of = &none;
	size_t sums = folding->fold->sums, count = folding->count;
	bool mixed = folding->mixed, all = sum->column < 0;
	enum fold_function function = sum->function;
	if (!all && !read_column(folding, sum->column, VALUE_INT) && function != FOLD_COUNT)
		return false;
	if (function == FOLD_SUM && !add_size(folding, at))
		return false;
	if (function == FOLD_COUNT)
		ADD_CELLS(all || cell != NO_VALUE, old);
	if (function == FOLD_SUM)
		ADD_CELLS(cell != NO_VALUE, old + cell);
	if (function == FOLD_MIN)
		ADD_CELLS(cell != NO_VALUE, !state.count || cell < old ? cell : old);
	if (function == FOLD_MAX)
		ADD_CELLS(cell != NO_VALUE, !state.count || cell > old ? cell : old);
	*of = state;
	return true;
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
		mem_push(folding->state, folding->states);
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
		table_underlying(folding->rows, first, folding->count, folding->row);
		if (!fold_block(folding) || (folding->groups > GROUPS_ANY &&
					     folding->groups > (first + BLOCK) / ROWS_A_GROUP))
			return error_usage(error, "not to be folded");
	}
	return true;
}

static void add_groups(struct table *table, const struct folding *folding)
{
	const struct sql_fold *fold = folding->fold;
	table_reserve(table, folding->groups);
	for (uint32_t group = 0, at; group < folding->groups; group++) {
		size_t row = table_add_row(table, NO_REF);
		at = group;
		for (int key = view_columns(fold); key-- > 0;) {
			if (!(fold->keys >> key & 1))
				continue;
			const struct fold_level *level = &folding->level[key];
			table_set_at(table, row, (size_t)key,
				     table_value_of(folding->rows, level->rows[at], (size_t)key));
			at = (uint32_t)level->groups.texts[at].length;
		}
		for (size_t i = 0; i < fold->sums; i++) {
			const struct fold_state *state = &folding->state[group * fold->sums + i];
			enum fold_function function = fold->sum[i].function;
			table_set_at(table, row, (size_t)view_columns(fold) + i,
				     function == FOLD_COUNT ? value_int(state->count)
				     : function == FOLD_AVG ? value_int(state[-1].count)
				     : state->count         ? value_int(state->number)
							    : value_missing());
		}
	}
}

/* False without an error: some agree, since texts may have several numbers. */
static bool order_groups(const struct sql_fold *fold, struct table *table,
			 const struct progress *progress, struct error *error)
{
	size_t rows = 0;
	AUTO_FREE uint32_t *order =
		table_sort(table, fold->key, fold->key_count, NULL, &rows, progress, error);
	bool differ = order;
	if (differ)
		table_keep(table, order, rows);
	for (size_t row = 1; row < rows && differ; row++)
		differ = any_of(
			i, fold->key_count,
			value_compare(table_value(table, row - 1, (size_t)fold->key[i].column),
				      table_value(table, row, (size_t)fold->key[i].column)));
	return differ;
}

STATIC_FREE_MEMBERS(fold_level_free, struct fold_level, OWN(rows) OWN_IN(dictionary_free, groups))

void fold_stop(struct sql_fold *fold)
{
	struct folding *folding = fold->folding;
	if (!folding)
		return;
	for (int i = 0; i < view_columns(fold); i++)
		fold_level_free(&folding->level[i]);
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
		table = !fold->alone || order_groups(fold, folding->table, progress, error)
				? folding->table
				: NULL;
		folding->table = table ? NULL : folding->table;
	}
	fold_stop(fold);
	return table;
}

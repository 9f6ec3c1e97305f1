#include "table/rank_rows.h"

#include "base/buffer.h"
#include "base/error.h"

struct rank_rows_part {
	struct table *table; /* NULL: its cells are stored */
	size_t first, rows;  /* of the table of all ranks */
	int64_t rank;
};

struct rank_rows {
	uint32_t view; /* its registry index; NO_ROW: rows of phases, which are those of the view */
	struct rank_rows_part *parts;
	size_t count;
};

static void free_parts(void *state)
{
	AUTO_FREE struct rank_rows *all = state;
	for (size_t i = 0; i < all->count; i++)
		table_free(all->parts[i].table);
	mem_free(all->parts);
}

struct value rank_rows_number(const struct run *run, const struct rank *rank, uint32_t track)
{
	if (rank != run->whole)
		return run->rank_count > 1 || rank->profile->rank != NO_VALUE
			       ? value_int(rank->number)
			       : value_missing();
	if (track == NO_ROW)
		return value_missing();
	uint32_t space = profile_id_space(rank->profile, track);
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].process == space)
			return value_int(run->ranks[i].number);
	return value_missing();
}

bool rank_rows_wanted(const struct view *view, const struct run *run, const struct scope *scope)
{
	return view->by_rank && run->rank_count > 1 && (scope->all_ranks || scope->ranks.count > 1);
}

/* A row leads to the view of its rank; its number tells rows of a rank apart. */
static struct ref ref_of(const struct rank_rows *all, const struct rank_rows_part *part, size_t row)
{
	if (all->view == NO_ROW)
		return table_ref(part->table, row);
	return (struct ref){ REF_RANK, (uint32_t)part->rank, all->view, (uint32_t)(row + 1) };
}

/* ---- computed cells ---- */

static const struct rank_rows_part *part_of(const struct rank_rows *all, size_t row)
{
	size_t after = search_first(i, (size_t)1, all->count, all->parts[i].first > row);
	return &all->parts[after - 1];
}

static struct value compute_cell(const struct table *table, size_t row, size_t column)
{
	const struct rank_rows_part *part = part_of(table->state, row);
	return table_value(part->table, row - part->first, column);
}

static struct ref rank_rows_compute_ref(const struct table *table, size_t row)
{
	const struct rank_rows_part *part = part_of(table->state, row);
	return ref_of(table->state, part, row - part->first);
}

/* ---- stored cells ---- */

/* Copy the rows: their texts belong to the rank. */
static bool store_rows(struct table *table, struct rank_rows_part *part,
		       const struct progress *progress)
{
	enum { ROW_WEIGHT = 32 }; /* for progress_heavy_row */
	const struct table *from = part->table;
	for (size_t row = 0; row < from->rows; row++) {
		if (!progress_heavy_row(progress, "joining ranks", row, from->rows, ROW_WEIGHT))
			return false;
		size_t to = table_add_row(table, ref_of(table->state, part, row));
		if (from->is_tree)
			table_set_depth(table, to, table_depth(from, row));
		for (size_t i = 0; i < from->columns; i++) {
			struct value value = table_value(from, row, i);
			if (value.kind == VALUE_TEXT)
				value = table_copy_text(table, value.text, value.length);
			if (value.kind != VALUE_MISSING)
				table_set_at(table, to, i, value);
		}
	}
	table->is_tree |= from->is_tree;
	table_free(part->table);
	part->table = NULL;
	return true;
}

/* ---- building ---- */

/* Show which rank or phase a row is of. */
static void show_part(struct table *table, const char *part, const char *columns)
{
	AUTO_BUFFER struct buffer text = { 0 };
	buffer_printf(&text, "%s,%s", part, columns);
	table->default_columns = table_copy_text(table, text.data, text.length).text;
}

static bool rank_rows_add_part(struct table *table, struct rank_rows *all, struct table *of_rank,
			       int64_t rank, const struct progress *progress, struct error *error)
{
	struct rank_rows_part *part = &all->parts[all->count++];
	*part = (struct rank_rows_part){ of_rank, table->rows, of_rank->rows, rank };
	if (of_rank->rows > UINT32_MAX - table->rows)
		return error_set(error, ERROR_LIMIT, "too many rows; use --rank R for one rank");
	if (all->count == 1) {
		table->note = of_rank->note ? table_copy_string(table, of_rank->note).text : NULL;
		show_part(table, all->view == NO_ROW ? "phase" : "rank",
			  table_default_columns(of_rank));
	}
	if (!of_rank->compute)
		return store_rows(table, part, progress);
	table->compute = compute_cell;
	table->compute_ref = rank_rows_compute_ref;
	table->used |= of_rank->used;
	table->rows += of_rank->rows;
	return true;
}

static struct rank_rows *new_rows(struct table *table, uint32_t view, size_t parts)
{
	struct rank_rows *all = mem_zalloc(1, sizeof *all);
	all->parts = mem_zalloc(parts, sizeof *all->parts);
	all->view = view;
	table->state = all;
	table->free_state = free_parts;
	table->used = 0;
	return all;
}

bool rank_rows_build(struct table *table, const struct view *view, const struct run *run,
		     const struct scope *scope, const char *group, const struct progress *progress,
		     struct error *error)
{
	struct rank_rows *all = new_rows(table, view_number(view), run->rank_count);
	struct error why = { ERROR_USAGE, "no such rank", "", "" };
	struct scope of_rank;
	scope_copy(&of_rank, scope);
	of_rank.all_ranks = false;
	bool ok = true;
	for (size_t i = 0; i < run->rank_count && ok; i++) {
		int64_t rank = run->ranks[i].number;
		if (!scope_list_has(&scope->ranks, rank))
			continue;
		of_rank.rank = (int)rank;
		of_rank.ranks = (struct scope_list){ { rank }, 1 };
		struct table *part = view_build(view, run, &of_rank, group, progress, &why);
		ok = part ? rank_rows_add_part(table, all, part, rank, progress, &why)
			  : why.code == ERROR_USAGE;
	}
	scope_clear(&of_rank);
	if (table->rows)
		table->note = NULL;
	if (ok && all->count)
		return true;
	if (error)
		*error = why;
	return false;
}

bool phase_rows_build(struct table *table, const struct view *view, const struct run *run,
		      const struct scope *scope, const struct derived *derived,
		      const struct progress *progress, struct error *error)
{
	struct rank_rows *all = new_rows(table, NO_ROW, PHASES);
	unsigned phases = 1 << PHASE_NONE;
	for (uint32_t i = 0; i < derived->step_count; i++)
		phases |= 1u << derived->steps[i].phase;
	AUTO(scope_clear) struct scope of_phase = { 0 };
	scope_copy(&of_phase, scope);
	bool ok = true;
	for (unsigned phase = 0; phase < PHASES && ok; phase++) {
		if (!(phases & (scope->phases ? scope->phases : phases) & 1u << phase))
			continue;
		of_phase.phases = 1u << phase;
		struct table *part = view_build(view, run, &of_phase, NULL, progress, error);
		if (part) /* which cleared it, but this view may still be cancelled */
			error_cancelled(error);
		ok = part && rank_rows_add_part(table, all, part, phase, progress, error);
	}
	return ok;
}

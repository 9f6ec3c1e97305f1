/*
 * The diff view: two runs side by side, with rows that are new, gone, slower or faster.
 */
#include "views/diff/diff.h"

#include "session/load.h"
#include "base/any_of.h"
#include "base/compare.h"
#include "base/data_table.h"
#include "base/error.h"
#include "base/platform.h"
#include "model/summary_tables.h"
#include "table/repeats.h"

#include <math.h>

/* In the order of the enums. */
static const char *const compared_views[] = { COMPARED_VIEW_ROWS };
static const char *const compared_rows[] = { "all", "modules", "layers", NULL };

const struct view *diff_view(const struct diff_grouping *grouping)
{
	return view_find(compared_views[grouping->of]);
}

const char *const diff_gpu_columns[3] = { "base_gpu_ns", "new_gpu_ns", "delta_gpu_ns" };
const char *const diff_cpu_columns[3] = { "base_cpu_ns", "new_cpu_ns", "delta_cpu_ns" };
static const char *const gpu_total_columns[3] = { "base_gpu_total_ns", "new_gpu_total_ns",
						  "delta_gpu_total_ns" };
static const char *const cpu_total_columns[3] = { "base_cpu_total_ns", "new_cpu_total_ns",
						  "delta_cpu_total_ns" };
const char *const diff_bytes_columns[3] = { "base_bytes", "new_bytes", "delta_bytes" };

int64_t diff_difference(int64_t base, int64_t new)
{
	return (new == NO_VALUE ? 0 : new) - (base == NO_VALUE ? 0 : base);
}

void diff_set(struct table *table, size_t row, const char *const columns[3], int64_t base,
	      int64_t new)
{
	if (base == NO_VALUE && new == NO_VALUE)
		return;
	table_set(table, row, columns[0], cell_int(base));
	table_set(table, row, columns[1], cell_int(new));
	table_set(table, row, columns[2], value_int(diff_difference(base, new)));
}

/* ---- the two rows of a pair ---- */

const struct diff_row *diff_row_of(const struct diff_side *side, uint32_t row)
{
	static const struct diff_row nothing = { .calls = NO_VALUE,
						 .gpu = NO_VALUE,
						 .cpu = NO_VALUE,
						 .bytes = NO_VALUE,
						 .gpu_total = NO_VALUE,
						 .cpu_total = NO_VALUE };
	return row == NO_ROW ? &nothing : &side->rows[row];
}

static const struct diff_row *base_row(const struct comparison *comparison, size_t pair)
{
	return diff_row_of(&comparison->base, comparison->pairs[pair].base);
}

static const struct diff_row *new_row(const struct comparison *comparison, size_t pair)
{
	return diff_row_of(&comparison->new, comparison->pairs[pair].new);
}

const struct diff_row *diff_named_row(const struct comparison *comparison, const struct pair *pair)
{
	return pair->new == NO_ROW ? diff_row_of(&comparison->base, pair->base)
				   : diff_row_of(&comparison->new, pair->new);
}

int64_t diff_time(const struct diff_row *row, bool device)
{
	if (row->label)
		return device ? row->gpu_total : row->cpu_total;
	return device ? row->gpu : row->cpu;
}

bool diff_is_kind(struct value kind, enum layer_kind layer)
{
	return value_is(kind, layer_kind_name(layer));
}

/* ---- order ---- */

static bool is_some(int64_t value)
{
	return value != NO_VALUE && value != 0;
}

/* True if the row itself has data in scope; ancestors in a tree are shown, too. */
static bool has_own(const struct diff_row *row, enum diff_rows rows)
{
	bool called = is_some(row->calls) && !row->run;
	return called || is_some(row->bytes) ||
	       (rows == DIFF_LAYERS && (is_some(row->gpu) || is_some(row->cpu)));
}

static bool is_shown(const struct comparison *comparison, size_t pair)
{
	enum diff_rows rows = comparison->grouping->rows;
	const struct diff_row *row = diff_named_row(comparison, &comparison->pairs[pair]);
	if (!pair || (rows == DIFF_LAYERS && !row->layer) ||
	    (rows == DIFF_MODULES && !diff_is_kind(row->kind, LAYER_MODULE)))
		return false;
	return has_own(base_row(comparison, pair), rows) ||
	       has_own(new_row(comparison, pair), rows);
}

/* Of the mean step; otherwise of all calls. */
static double time_difference(const struct comparison *comparison, size_t index, bool device)
{
	const struct diff_row *before = base_row(comparison, index);
	const struct diff_row *after = new_row(comparison, index);
	struct pair pair = comparison->pairs[index];
	if (!comparison->steps)
		return fabs((double)diff_difference(diff_time(before, device),
						    diff_time(after, device)));
	return fabs(diff_spread_at(&comparison->new, EXTENT_LISTED, device, pair.new)->time -
		    diff_spread_at(&comparison->base, EXTENT_LISTED, device, pair.base)->time);
}

/* What changed most, whichever resource: bytes, or device or host time; noise comes last. */
static void weigh(struct comparison *comparison)
{
	const double noise = 1e15; /* ns: longer than any run */
	comparison->weight = mem_zalloc(comparison->count, sizeof *comparison->weight);
	for (size_t i = 0; i < comparison->count; i++) {
		double *weight = &comparison->weight[i];
		if (comparison->grouping->bytes) {
			*weight = fabs((double)diff_difference(base_row(comparison, i)->bytes,
							       new_row(comparison, i)->bytes));
			continue;
		}
		*weight = fmax(time_difference(comparison, i, true),
			       time_difference(comparison, i, false));
		if (comparison->decisions[i].judged && comparison->decisions[i].change == SAME)
			*weight -= noise;
	}
}

static int by_weight(const void *a, const void *b, void *context)
{
	const struct comparison *comparison = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return COMPARE(comparison->weight[y], comparison->weight[x]) ?: COMPARE(x, y);
}

static void order_flat(struct comparison *comparison)
{
	for (uint32_t i = 0; i < comparison->count; i++)
		if (is_shown(comparison, i))
			comparison->order[comparison->shown++] = i;
	if (comparison->shown)
		platform_sort(comparison->order, comparison->shown, sizeof *comparison->order,
			      by_weight, comparison);
}

/* Preorder, siblings by weight. Children of a pair are adjacent, grouped by parent. */
static void order_tree(struct comparison *comparison)
{
	const struct pair *pairs = comparison->pairs;
	size_t count = comparison->count, depth = 0;
	AUTO_FREE uint32_t *first = mem_zalloc(count + 1, sizeof *first);
	AUTO_FREE uint32_t *sorted = mem_alloc(count * sizeof *sorted);
	AUTO_FREE uint32_t *stack = mem_alloc(count * sizeof *stack);
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	for (size_t i = 1, end; i < count; i = end) {
		for (end = i; end < count && pairs[end].parent == pairs[i].parent;)
			end++;
		first[pairs[i].parent] = (uint32_t)i;
		platform_sort(sorted + i, end - i, sizeof *sorted, by_weight, comparison);
	}
	stack[depth++] = 0;
	while (depth) {
		uint32_t pair = stack[--depth];
		uint32_t begin = first[pair], end = begin;
		/* without rows: its row was paired with a renamed one */
		if (pair && (pairs[pair].base != NO_ROW || pairs[pair].new != NO_ROW))
			comparison->order[comparison->shown++] = pair;
		while (begin && end < count && pairs[end].parent == pair)
			end++;
		while (end > begin)
			stack[depth++] = sorted[--end];
	}
}

/* ---- the table ---- */

static struct value diff_copy(struct table *table, struct value value)
{
	return value.kind == VALUE_TEXT ? table_copy_text(table, value.text, value.length) : value;
}

/* Outside the tree, rows are named by their path. */
static struct value diff_name_of(const struct comparison *comparison, const struct diff_row *row)
{
	if (comparison->grouping->of != DIFF_OF_LAYERS || comparison->grouping->tree)
		return row->name;
	return row->run ? value_text("(outside any layer)") : row->path;
}

static void set_noise(struct table *table, size_t row, const struct comparison *comparison,
		      size_t index)
{
	struct pair pair = comparison->pairs[index];
	struct decision by = comparison->decisions[index];
	const struct spread *base =
		diff_spread_at(&comparison->base, by.extent, by.device, pair.base);
	const struct spread *new = diff_spread_at(&comparison->new, by.extent, by.device, pair.new);
	const char *compared = diff_compared(comparison, index);
	if (compared)
		table_set(table, row, "compared", value_text(compared));
	if (base->variance > 0)
		table_set(table, row, "base_spread_ns", value_int(llround(sqrt(base->variance))));
	if (new->variance > 0)
		table_set(table, row, "new_spread_ns", value_int(llround(sqrt(new->variance))));
	if (base->time > 0 && new->time > 0)
		table_set(table, row, "ratio", value_real(new->time / base->time));
}

/* Show both names by default, as some row has two. */
static void show_both_names(struct table *table)
{
	const char *columns = table->view->default_columns, *rest = strstr(columns, ",verdict");
	table->default_columns =
		table_printf(table, "%.*s,base_name%s", (int)(rest - columns), columns, rest).text;
}

static void add_pair(struct table *table, const struct comparison *comparison, uint32_t index)
{
	const struct diff_row *base = base_row(comparison, index);
	const struct diff_row *new = new_row(comparison, index);
	const struct diff_row *named = diff_named_row(comparison, &comparison->pairs[index]);
	struct ref ref = comparison->pairs[index].new == NO_ROW ? NO_REF : new->ref;
	size_t row = table_add_row(table, ref);
	const char *verdict = diff_verdict(comparison, index);
	table_set(table, row, "kind", diff_copy(table, named->kind));
	if (named->qualifier.kind == VALUE_TEXT)
		table_set(table, row, "device", diff_copy(table, named->qualifier));
	table_set(table, row, "name", diff_copy(table, diff_name_of(comparison, named)));
	if (diff_is_renamed(comparison, index)) {
		if (!table->default_columns)
			show_both_names(table);
		table_set(table, row, "base_name",
			  diff_copy(table, diff_name_of(comparison, base)));
	}
	table_set(table, row, "base_calls", cell_int(base->calls));
	table_set(table, row, "new_calls", cell_int(new->calls));
	diff_set(table, row, diff_gpu_columns, base->gpu, new->gpu);
	diff_set(table, row, diff_cpu_columns, base->cpu, new->cpu);
	diff_set(table, row, gpu_total_columns, base->gpu_total, new->gpu_total);
	diff_set(table, row, cpu_total_columns, base->cpu_total, new->cpu_total);
	diff_set(table, row, diff_bytes_columns, base->bytes, new->bytes);
	if (verdict)
		table_set(table, row, "verdict", value_text(verdict));
	if (!comparison->grouping->bytes)
		set_noise(table, row, comparison, index);
	if (comparison->grouping->tree)
		table_set_depth(table, row, named->depth - 1);
}

static void add_pairs(struct table *table, struct comparison *comparison)
{
	weigh(comparison);
	comparison->order = mem_alloc(comparison->count * sizeof *comparison->order);
	table->is_tree = comparison->grouping->tree;
	if (table->is_tree)
		order_tree(comparison);
	else
		order_flat(comparison);
	for (size_t i = 0; i < comparison->shown; i++)
		add_pair(table, comparison, comparison->order[i]);
}

/* ---- the view ---- */

static const struct diff_grouping *find_grouping(const char *name)
{
	const struct diff_grouping *first = DATA_ROWS("groupings.txt", struct diff_grouping,
						      GROUPING_FIELD_ROWS),
				   *at = first;
	while (name && at->name && strcmp(at->name, name) != 0)
		at++;
	return name && at->name ? at : first;
}

static bool diff_compare(struct comparison *comparison, struct table *table,
			 const struct scope *scope, const struct progress *progress,
			 struct error *error)
{
	const struct diff_grouping *grouping = comparison->grouping;
	struct diff_side *base = &comparison->base, *new = &comparison->new;
	AUTO_INTERN struct intern *keys = intern_new();
	bool built = diff_side_build(base, grouping, new->rank, scope, keys, progress, error) &&
		     diff_side_build(new, grouping, new->rank, scope, keys, progress, error);
	if (!built)
		return false;
	if (base->absent && new->absent)
		return error_usage(error, "neither run has anything in this scope");
	if (grouping->of == DIFF_OF_STEPS) {
		(grouping->group ? diff_add_phases : diff_add_steps)(table, base, new);
		return true;
	}
	if (grouping->of == DIFF_OF_LAYERS)
		diff_pair_layers(comparison);
	base->steps = diff_number_steps(base, NULL);
	new->steps = diff_number_steps(new, NULL);
	if (base->steps >= SPREAD_STEPS && new->steps >= SPREAD_STEPS)
		comparison->steps = base->steps + new->steps;
	if (!grouping->bytes &&
	    (!diff_measure(base, grouping, comparison->steps, progress, error) ||
	     !diff_measure(new, grouping, comparison->steps, progress, error)))
		return false;
	comparison->pairs = align_trees(base->align, new->align, &comparison->count, progress);
	if (!comparison->pairs)
		return error_cancelled(error);
	if (!grouping->bytes)
		diff_pair_renamed(comparison);
	if (!grouping->bytes && !diff_decide(comparison, progress, error))
		return false;
	add_pairs(table, comparison);
	if (grouping->folded && !diff_fold_repeats(comparison, table, progress, error))
		return false;
	if (table->rows && !grouping->bytes)
		diff_note_comparable(table, comparison);
	else if (new->table &&new->table->note)
		table_note(table, "%s", new->table->note);
	return true;
}

/* Of a summary: by the kinds of the rows that it keeps. */
static bool keeps_layers(const struct profile *profile, const struct summary_table *table)
{
	if (strcmp(profile_string(profile, table->view), view_layers.name) != 0)
		return false;
	for (uint32_t column = 0; column < table->columns; column++) {
		const struct summary_cell *cells = table->cells + (size_t)column * table->rows;
		if (!strcmp(profile_string(profile, table->column[column]), "kind") &&
		    any_of(row, table->rows,
			   cells[row].kind == SUMMARY_CELL_TEXT &&
				   is_layer_kind(
					   value_text(profile_string(profile, cells[row].text)))))
			return true;
	}
	return false;
}

static bool has_layers(const struct rank *rank)
{
	const struct layer_tree *layers = &rank->derived->layers;
	const struct summary_tables *tables = rank->profile->tables;
	return any_of(i, tables ? tables->count : 0,
		      keeps_layers(rank->profile, &tables->items[i])) ||
	       any_of(i, layers->count,
		      is_layer_kind(
			      value_text(layer_kind_name((enum layer_kind)layers->nodes[i].kind))));
}

/* Files of sums have them, or say why not. */
static bool has_operators(const struct rank *rank)
{
	const struct profile *profile = rank->profile;
	return any_of(i, profile->spans, rank->derived->span_flags[i] & SPAN_IS_OPERATOR) ||
	       profile->tables || profile->totals || !profile->activities;
}

/*
 * Without layers in either run, a comparison by layer has a single row, or none: use operators,
 * else kernels; of files of functions those, and of memory snapshots what they held at the peak.
 * NULL: it has layers, or another comparison was asked for.
 */
static const char *instead_of(const struct comparison *comparison, const char *group)
{
	const struct rank *base = comparison->base.rank, *new = comparison->new.rank;
	const struct profile *before = base->profile, *after = new->profile;
	bool layers = comparison->grouping->rows == DIFF_LAYERS;
	if (before->snapshot && after->snapshot && (layers || !strcmp(group, "peak")))
		return "snapshot";
	if (!layers || has_layers(base) || has_layers(new))
		return NULL;
	if (before->python && after->python && !before->spans && !after->spans)
		return "functions";
	return has_operators(base) || has_operators(new) ? "operators" : "kernels";
}

bool build_diff(struct table *table, const struct view_query *query)
{
	struct comparison comparison = { .grouping = find_grouping(query->group) };
	if (!query->run->base) {
		table_note(table,
			   "No base to compare with: use strata diff BASE NEW, or --base BASE.");
		return true;
	}
	comparison.base.run = query->run->base;
	comparison.new.run = query->run;
	scope_init(&comparison.base.scope);
	scope_init(&comparison.new.scope);
	comparison.base.rank =
		run_acquire_base(query->run, query->scope->rank, query->progress, query->error);
	comparison.new.rank =
		run_acquire(query->run, query->scope->rank, query->progress, query->error);
	bool done = comparison.base.rank && comparison.new.rank;
	const char *instead = done ? instead_of(&comparison, query->group) : NULL;
	if (instead)
		comparison.grouping = find_grouping(instead);
	done = done &&
	       diff_compare(&comparison, table, query->scope, query->progress, query->error);
	if (done && !table->rows && !table->note)
		table_note(table, "Neither run has rows of this kind.");
	if (instead && table->rows && !comparison.grouping->bytes)
		table_note(table, "%s Without layers in either run, %s are compared.",
			   table->note ? table->note : "", instead);
	diff_side_free(&comparison.base);
	diff_side_free(&comparison.new);
	mem_free_all(comparison.pairs, comparison.order, comparison.weight, comparison.decisions);
	return done;
}

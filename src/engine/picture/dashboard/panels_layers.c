/*
 * The layers in which most time is spent. Repeated layers of a class are one line. The largest
 * line is replaced by what it consists of while it would say little.
 */
#include "base/any_of.h"
#include "base/compare.h"
#include "base/text.h"
#include "model/totals.h"
#include "picture/dashboard/panels.h"
#include "table/repeats.h"

#include <stdlib.h>

enum { LINES_MIN = 5, OPEN_ABOVE_PCT = 40, KEPT_PCT = 60, OPENED_MAX = 64, LEAST_PCT = 5 };

/* Rows of one class, all below rows of one class. */
struct layer_group {
	struct name_class class;
	uint32_t *rows;
	size_t count;
	double ns;   /* of layers without times: their number */
	bool closed; /* its parts explain too little of it */
};

struct layer_groups {
	struct layer_group *items;
	size_t count;
};

struct layer_rows {
	const struct table *table;
	int name, kind, time;
	bool summed; /* rows of sums are layers, of whichever kind */
};

static struct name_class row_class(struct value name)
{
	return name.kind == VALUE_TEXT ? name_class(name.text, name.length)
				       : (struct name_class){ .text = "" };
}

static bool is_shown_layer(const struct layer_rows *layers, size_t row)
{
	return layers->summed ||
	       is_layer_kind(table_value(layers->table, row, (size_t)layers->kind));
}

/* A layer below the layers of a group. */
struct layer_part {
	struct name_class class;
	uint32_t row;
};

struct layer_parts {
	struct layer_part *items;
	size_t count;
};

static int by_class(const void *a, const void *b)
{
	const struct layer_part *x = a, *y = b;
	size_t shorter = x->class.length < y->class.length ? x->class.length : y->class.length;
	return (shorter ? memcmp(x->class.text, y->class.text, shorter) : 0)
	       ?: COMPARE(x->class.length, y->class.length) ?: COMPARE(x->row, y->row);
}

/* Add the layers directly below ROW, and below its processes, which do the same work. */
static bool add_children(struct dashboard_work *work, struct layer_parts *parts,
			 const struct layer_rows *layers, size_t row)
{
	uint32_t depth = table_depth(layers->table, row), children = depth + 1;
	for (size_t i = row + 1; i < layers->table->rows; i++) {
		uint32_t below = table_depth(layers->table, i);
		if (!panel_go_on(work, layers->table, i))
			return false;
		if (below <= depth)
			break;
		if (below == depth + 1)
			children = below +
				   value_is(table_value(layers->table, i, (size_t)layers->kind),
					    "process");
		if (below != children || !is_shown_layer(layers, i) ||
		    !(table_amount(layers->table, i, layers->time) > 0))
			continue;
		*mem_push(parts->items, parts->count) = (struct layer_part){
			row_class(table_value(layers->table, i, (size_t)layers->name)), (uint32_t)i
		};
	}
	return true;
}

static void add_to_group(struct layer_groups *groups, const struct layer_rows *layers,
			 const struct layer_part *part)
{
	struct layer_group *group = groups->count ? &groups->items[groups->count - 1] : NULL;
	if (!group || group->class.length != part->class.length ||
	    memcmp(group->class.text, part->class.text, part->class.length) != 0) {
		group = mem_push(groups->items, groups->count);
		*group = (struct layer_group){ .class = part->class };
	}
	*mem_push(group->rows, group->count) = part->row;
	group->ns += table_amount(layers->table, part->row, layers->time);
}

/* Groups of the parts, which are sorted and freed. */
static struct layer_groups group_parts(struct layer_parts *parts, const struct layer_rows *layers)
{
	struct layer_groups groups = { 0 };
	if (parts->count)
		qsort(parts->items, parts->count, sizeof *parts->items, by_class);
	for (size_t i = 0; i < parts->count; i++)
		add_to_group(&groups, layers, &parts->items[i]);
	mem_free(parts->items);
	return groups;
}

static void groups_clear(struct layer_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		mem_free(groups->items[i].rows);
	mem_free(groups->items);
	*groups = (struct layer_groups){ 0 };
}

static size_t largest_open(const struct layer_groups *groups)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < groups->count; i++)
		if (!groups->items[i].closed &&
		    (best == SIZE_MAX || groups->items[i].ns > groups->items[best].ns))
			best = i;
	return best;
}

/* Replace group AT by its parts, unless these have too little of its time. */
static bool open_group(struct dashboard_work *work, struct layer_groups *groups, size_t at,
		       const struct layer_rows *layers)
{
	struct layer_parts below = { 0 };
	double sum = 0;
	bool good = true;
	for (size_t i = 0; good && i < groups->items[at].count; i++)
		good = add_children(work, &below, layers, groups->items[at].rows[i]);
	struct layer_groups parts = group_parts(&below, layers);
	for (size_t i = 0; i < parts.count; i++)
		sum += parts.items[i].ns;
	groups->items[at].closed = true;
	if (!good || sum * 100 < groups->items[at].ns * KEPT_PCT) {
		groups_clear(&parts);
		return good;
	}
	mem_free(groups->items[at].rows);
	groups->items[at] = groups->items[--groups->count];
	for (size_t i = 0; i < parts.count; i++)
		*mem_push(groups->items, groups->count) = parts.items[i];
	mem_free(parts.items);
	return true;
}

/* The groups to be shown. */
static bool choose_groups(struct dashboard_work *work, struct layer_groups *groups,
			  const struct layer_rows *layers, double whole)
{
	struct layer_parts below = { 0 };
	size_t at;
	bool good = add_children(work, &below, layers, 0);
	*groups = group_parts(&below, layers);
	for (int opened = 0; good && opened < OPENED_MAX; opened++) {
		at = largest_open(groups);
		if (at == SIZE_MAX || (groups->count >= LINES_MIN &&
				       groups->items[at].ns * 100 <= whole * OPEN_ABOVE_PCT))
			break;
		good = open_group(work, groups, at, layers);
	}
	return good;
}

/* Do the groups say where the time goes? Operators outside of all layers may have it. */
static bool is_worth_listing(const struct layer_groups *groups, double whole)
{
	double sum = sum_of(i, groups->count, groups->items[i].ns);
	return sum * 100 >= whole * LEAST_PCT;
}

COMPARE_MEMBERS(by_time, struct layer_group, DOWN(ns) UP(rows[0]))

static void add_lines(struct dashboard_work *work, const struct layer_rows *layers,
		      struct layer_groups *groups, double whole, const char *title,
		      const char *summary)
{
	struct panel *panel = panel_add(work->dashboard, PANEL_BARS, BAND_TOP, title);
	panel->summary = summary;
	qsort(groups->items, groups->count, sizeof *groups->items, by_time);
	for_each (group, groups->items, groups->count) {
		if (panel->count == TOP_MAX ||
		    (panel->count >= LINES_MIN && group->ns / whole < PANEL_SHARE_MIN))
			break;
		struct panel_line *line = panel_add_row(panel, layers->table, group->rows[0]);
		struct value name =
			table_value(layers->table, group->rows[0], (size_t)layers->name);
		line->role = ROLE_BAR;
		line->share = group->ns / whole;
		line->value = panel_percent(work, line->share);
		line->label = group->count > 1
				      ? panel_text(work, "%.*s ×%zu", (int)group->class.length,
						   group->class.text, group->count)
				      : panel_copy(work, name);
		line->label += text_folders(line->label, strlen(line->label));
		if (layers->name != layers->kind) /* which are counted */
			line->extra = panel_duration(work, group->ns);
	}
	panel->whole = groups->count;
	panel_scale(panel);
}

/* Of layers without times: how many there are of each kind. */
static bool add_kinds(struct dashboard_work *work, const struct layer_rows *layers)
{
	struct layer_parts parts = { 0 };
	struct layer_rows counted = *layers;
	for (size_t row = 0; row < layers->table->rows; row++) {
		struct value kind = table_value(layers->table, row, (size_t)layers->kind);
		if (!panel_go_on(work, layers->table, row)) {
			mem_free(parts.items);
			return false;
		}
		if (kind.kind != VALUE_TEXT)
			continue;
		*mem_push(parts.items, parts.count) =
			(struct layer_part){ { kind.text, kind.length }, (uint32_t)row };
	}
	size_t count = parts.count;
	AUTO(groups_clear) struct layer_groups kinds = group_parts(&parts, layers);
	for (size_t i = 0; i < kinds.count; i++)
		kinds.items[i].ns = (double)kinds.items[i].count;
	counted.name = layers->kind;
	if (kinds.count)
		add_lines(work, &counted, &kinds, (double)count, "Layer Kinds", "Layers");
	return true;
}

bool panels_add_layers(struct dashboard_work *work)
{
	const struct totals *totals = work->rank->profile->totals;
	if (work->rank->profile->snapshot) /* its blocks have no layers, and no time */
		return true;
	AUTO_TABLE struct table *table = panel_table(work, "layers", NULL);
	AUTO(groups_clear) struct layer_groups groups = { 0 };
	if (!table)
		return false;
	struct layer_rows layers = { .table = table,
				     .name = table_need(table, "name"),
				     .kind = table_need(table, "kind"),
				     .time = table_need(table, "gpu_total_ns"),
				     .summed = totals != NULL };
	if (table->rows && !(table_amount(table, 0, layers.time) > 0))
		layers.time = table_need(table, "cpu_total_ns");
	double whole = table->rows ? table_amount(table, 0, layers.time) : 0;
	bool good = !(whole > 0) || choose_groups(work, &groups, &layers, whole);
	if (good && is_worth_listing(&groups, whole) && groups.count)
		add_lines(work, &layers, &groups, whole, "Top Layers",
			  table->column[layers.time]->title);
	return good && (whole > 0 || !totals || add_kinds(work, &layers));
}

#include "tui/table/table_chart.h"

#include "base/any_of.h"

enum { TABLE_PLAN_LIMIT_ROWS(_) };

/* The name column, otherwise the first one shown; -1: none. */
static int leading_column(const struct table_pane *self)
{
	int named = table_column_as(self->box->table, COLUMN_NAME);
	for (int i = 0; i < self->column_count; i++)
		if (self->columns[i].index == named)
			return named;
	return named >= 0 && self->column_count > 0 ? self->columns[0].index : -1;
}

int table_wanted_width(const struct table_pane *self, int index)
{
	for (int i = 0; i < self->column_count; i++)
		if (self->columns[i].index == index)
			return self->columns[i].width;
	return 0;
}

/* The column to widen: the name, otherwise the first text longer than a word. */
static int wide_column(const struct table_pane *self)
{
	int leading = leading_column(self);
	for (int i = 0; i < self->column_count && leading < 0; i++)
		if (!column_is_number(self->box->table->column[self->columns[i].index]) &&
		    self->columns[i].width >= WORD_MAX)
			leading = self->columns[i].index;
	return leading;
}

/* The width it needs, leaving room for the sort column. */
static int width_max(const struct table_pane *self, const struct shown_column *shown, int columns)
{
	int sorted = self->applied.sort ? table_column(self->box->table, self->applied.sort) : -1;
	int beside = sorted == shown->index ? 0 : table_wanted_width(self, sorted);
	int max = columns - PLAN_GUTTER - 1 - (beside > 0 ? beside + GAP : 0);
	return shown->width < max ? shown->width : max;
}

static int least_width(const struct table_pane *self, const struct shown_column *shown, int columns)
{
	if (self->wide && shown->index == wide_column(self))
		return width_max(self, shown, columns);
	const struct column *column = self->box->table->column[shown->index];
	int named = table_column_as(self->box->table, COLUMN_NAME);
	bool name = shown->index == leading_column(self);
	/* several truncated sentences are useless: show fewer */
	bool sentence = named < 0 && column->width >= SENTENCE_FROM;
	int least = name ? columns / 3 : sentence ? columns * 7 / 20 : columns / 8;

	if (column_is_number(column))
		return shown->width;
	if (sentence && least > SENTENCE_MAX)
		least = SENTENCE_MAX;
	if (least < PLAN_TEXT_MIN)
		least = PLAN_TEXT_MIN;
	if (!name && least < (int)strlen(column->title))
		least = (int)strlen(column->title);
	return shown->width < least ? shown->width : least;
}

/* The first column, the second if it is the name, and pinned ones. */
static bool is_fixed(const struct table_pane *self, int i)
{
	int index = self->columns[i].index;
	return i == 0 || columns_is_pinned(self, index) ||
	       (i == 1 && index == table_name_column(self->box->table));
}

/* Order of shown columns: fixed, others; returns how many are fixed. */
static int arrange(const struct table_pane *self, int order[PLAN_MAX])
{
	int count = 0, fixed;
	for (int i = 0; i < self->column_count && count < PLAN_MAX; i++)
		if (is_fixed(self, i))
			order[count++] = i;
	fixed = count;
	for (int i = 0; i < self->column_count && count < PLAN_MAX; i++)
		if (!is_fixed(self, i))
			order[count++] = i;
	return fixed;
}

/* Columns that fit at minimum width; returns the remaining width. */
static int table_plan_fit(const struct table_pane *self, struct plan *plan, int columns, int bar)
{
	int order[PLAN_MAX], left = columns - PLAN_GUTTER - 1; /* of the sign for further columns */
	plan->count = 0;
	plan->more = false;
	plan->fixed = arrange(self, order);
	for (int k = 0; k < self->column_count && plan->count < PLAN_MAX; k++) {
		const struct shown_column *shown = &self->columns[order[k]];
		if (k >= plan->fixed && k < plan->fixed + self->scroll)
			continue;
		int gap = plan->count > 0 ? GAP : 0;
		int need = least_width(self, shown, columns) + gap;
		if (plan->count == 0 && need > left)
			need = left;
		bool with_bar = shown->index == bar && left >= need + 1 + PLAN_BAR_WIDTH;
		if (need > left) {
			plan->more = true;
			break;
		}
		left -= need + (with_bar ? 1 + PLAN_BAR_WIDTH : 0);
		plan->column[plan->count++] = (struct placed){
			.index = shown->index,
			.width = need - gap,
			.bar = with_bar,
		};
	}
	return left;
}

/* Widen the name, or the other columns, up to their needs. */
static int table_plan_grow(const struct table_pane *self, struct plan *plan, bool name, int left)
{
	int named = wide_column(self);
	for_each_mutable (placed, plan->column, plan->count) {
		int more = table_wanted_width(self, placed->index) - placed->width;
		if ((placed->index == named) != name || more <= 0)
			continue;
		more = more < left ? more : left;
		placed->width += more;
		left -= more;
	}
	return left;
}

/* Without a name column, repeatedly widen the narrowest text column. */
static void grow_narrowest(const struct table_pane *self, struct plan *plan, int left)
{
	while (left-- > 0) {
		struct placed *narrowest = NULL;
		for_each_mutable (placed, plan->column, plan->count)
			if (placed->width < table_wanted_width(self, placed->index) &&
			    (!narrowest || placed->width < narrowest->width))
				narrowest = placed;
		if (!narrowest)
			return;
		narrowest->width++;
	}
}

/*
 * Two thirds of the remaining width go to the name (or the column that describes the row), then
 * each column gets what it needs.
 */
static void table_plan_widen(const struct table_pane *self, struct plan *plan, int left)
{
	left = left / 3 + table_plan_grow(self, plan, true, left - left / 3);
	if (table_column_as(self->box->table, COLUMN_NAME) < 0) {
		grow_narrowest(self, plan, left);
	} else {
		left = table_plan_grow(self, plan, false, left);
		table_plan_grow(self, plan, true, left);
	}
	int at = PLAN_GUTTER;
	for (int i = 0; i < plan->count; i++) {
		plan->column[i].at = at;
		at += plan->column[i].width + GAP + (plan->column[i].bar ? 1 + PLAN_BAR_WIDTH : 0);
	}
}

bool plan_has(const struct plan *plan, int index)
{
	return any_of(i, plan->count, plan->column[i].index == index);
}

static void make_plan(struct table_pane *self, struct plan *plan, int columns)
{
	plan->chart = chart_reserved(self, columns);
	columns -= plan->chart;
	int sorted = self->applied.sort ? table_column(self->box->table, self->applied.sort) : -1;
	bool barred = columns >= BAR_FROM && !(plan->chart && chart_has_bar(self));
	int bar = barred ? columns_main(self) : -1;
	int order[PLAN_MAX], furthest = self->column_count - arrange(self, order) - 1;
	if (self->scroll > furthest)
		self->scroll = furthest > 0 ? furthest : 0;
	bool hunt = !self->scrolled && sorted >= 0 && table_wanted_width(self, sorted) > 0;
	if (hunt)
		self->scroll = 0;
	int left = table_plan_fit(self, plan, columns, bar);
	while (hunt && !plan_has(plan, sorted) && self->scroll < furthest) {
		self->scroll++;
		left = table_plan_fit(self, plan, columns, bar);
	}
	if (hunt && !plan_has(plan, sorted)) { /* it does not fit: show the first columns instead */
		self->scroll = 0;
		left = table_plan_fit(self, plan, columns, bar);
	}
	table_plan_widen(self, plan, left);
}

void table_plan(struct table_pane *self, struct plan *plan, struct rect body)
{
	make_plan(self, plan, body.columns);
	for (int i = 0; i < plan->count; i++)
		plan->column[i].at += body.column;
}

int table_column_at(struct table_pane *self, int columns, int at)
{
	struct plan plan;
	make_plan(self, &plan, columns);
	for (int i = 0; i < plan.count; i++)
		if (at >= plan.column[i].at && at < plan.column[i].at + plan.column[i].width + GAP)
			return plan.column[i].index;
	return -1;
}

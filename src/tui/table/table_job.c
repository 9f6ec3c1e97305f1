/*
 * Jobs of table panes: build, filter, sort, sum and search in the worker. A job works on copies of
 * everything except the table and its order, which are immutable.
 */
#include "tui/table/table_chart.h"

#include "sql/query.h"
#include "tui/core/pane_job.h"
#include "table/remap_rows.h"

#include <math.h>

struct table_job {
	struct pane_job job;
	unsigned stages;

	/* input */
	const struct view *view;
	char *sql;
	struct query query;
	char *search;
	int *search_columns; /* indexes of the shown columns */
	int search_column_count;
	struct ref target;
	size_t selected; /* row of the target at submission */
	struct table_box
		*before; /* the table of the run before, whose rows refer to nothing; NULL */
	unsigned later;  /* stages that a jump has interrupted */

	/* input and output */
	struct jump jump;
	bool jumps;
	struct table_box *box;
	struct table_order *order;
	uint32_t *hits;
	size_t hit_count;
	double hit_share;
	const char *hit_share_of;
	size_t target_row;
	bool resorted;      /* sorted by another column than requested, or grouped otherwise */
	size_t line, above; /* line for the cursor if its row is gone; rows shown above it */
	bool carried;
	bool again;
	struct buffer left_out; /* groupings without rows */
};

/* Stages in progress or interrupted. */
static unsigned pending(const struct table_pane *pane)
{
	const struct table_job *job = (const struct table_job *)pane->pane.job;
	return job ? job->stages | job->later : 0;
}

/* ---- worker thread ---- */

/* The table as displayed: a flattened tree is not a tree. */
static struct table seen(const struct table_job *self)
{
	struct table table = *self->box->table;
	if (self->query.flat)
		table.is_tree = false;
	return table;
}

static bool table_job_build(struct table_job *self, const struct progress *progress,
			    struct error *error)
{
	struct table *table;
	if (self->view)
		table = view_build(self->view, self->job.tui->run, &self->job.scope,
				   self->query.group, progress, error);
	else
		table = sql_query(self->job.tui->run, &self->job.scope, self->sql, progress, error);
	if (!table)
		return false;
	self->box = mem_zalloc(1, sizeof *self->box);
	self->box->table = table;
	self->box->references = 1;
	return true;
}

/* Where that is asked for, by the first grouping with rows. */
static bool build_some(struct table_job *self, const struct progress *progress, struct error *error)
{
	const char *first = self->query.group;
	while (table_job_build(self, progress, error)) {
		const struct table *table = self->box->table;
		const char *next =
			self->stages & TABLE_GO_ON && !table->rows
				? table_group_after(self->view, table->held, self->query.group)
				: first;
		if (next == first)
			return true;
		buffer_printf(&self->left_out, ", no rows by %s", self->query.group);
		self->query.group = next;
		table_box_drop(self->box);
		self->box = NULL;
		self->resorted = true;
	}
	return false;
}

const char *table_filter_colon(const char *filter)
{
	const char *colon = strchr(filter, ':');
	return colon && colon > filter && colon[1] != ':' ? colon : NULL;
}

static bool filter(struct table_job *self, const struct table *table,
		   const struct progress *progress, struct error *error)
{
	const char *text = self->query.filter;
	bool invert = *text == '!';
	int column = -1;
	text += invert;
	const char *colon = table_filter_colon(text);
	if (colon)
		column = table_column_named(table, text, (size_t)(colon - text));
	if (column >= 0)
		text = colon + 1;
	AUTO_PATTERN struct pattern *pattern = pattern_new(text, error);
	if (!pattern)
		return false;
	self->order->rows = table_filter(table, pattern, column, invert, NULL, &self->order->count,
					 progress, error);
	return self->order->rows != NULL;
}

static bool sort(struct table_job *self, const struct table *table, const struct progress *progress,
		 struct error *error)
{
	struct sort_key key = { table_column(table, self->query.sort), self->query.descending };
	if (key.column < 0)
		return true;
	uint32_t *sorted =
		table_sort(table, &key, 1, self->order->rows, &self->order->count, progress, error);
	if (!sorted)
		return false;
	mem_free(self->order->rows);
	self->order->rows = sorted;
	return true;
}

static void natural_order(struct table_order *order, const struct table *table)
{
	order->count = table->rows;
	order->rows = mem_alloc(table->rows * sizeof *order->rows);
	for (size_t i = 0; i < table->rows; i++)
		order->rows[i] = (uint32_t)i;
}

static void place_rows(struct table_order *order, const struct table *table)
{
	size_t bytes = table->rows * sizeof *order->positions;
	order->positions = mem_alloc(bytes);
	memset(order->positions, 0xff, bytes);
	for (size_t i = 0; i < order->count; i++)
		order->positions[order->rows[i]] = (uint32_t)i;
}

static bool table_job_add_up(struct table_job *self, const struct progress *progress)
{
	const struct table *table = self->box->table;
	struct table_order *order = self->order;
	order->sums = mem_zalloc(table->columns + 1, sizeof *order->sums);
	for (size_t column = 0; column < table->columns; column++) {
		struct column_sums *sums = &order->sums[column];
		bool amount = column_is_amount(table->column[column]);
		sums->tells = !amount && !table_column_is_empty(table, column);
		if (!amount)
			continue;
		for (size_t i = 0; i < order->count; i++) {
			size_t row = order->rows[i];
			double number = value_number(table_value(table, row, column), 0);
			raise_to(sums->largest, fabs(number));
			sums->tells |= number != 0;
			if (!table->is_tree || table_depth(table, row) == 0)
				sums->total += number;
			if (!progress_heavy_row(progress, "adding up", i, order->count, 8))
				return false;
		}
		if (table->column[column]->unit == UNIT_NS ||
		    table->column[column]->unit == UNIT_BYTES)
			order->amounts |= sums->tells ? AMOUNTS_TELL : AMOUNTS_BLANK;
	}
	return true;
}

/* The next default key that is not of GPU data. */
static bool use_other_key(struct table_job *self, const char *keys)
{
	while (*keys) {
		size_t length = strcspn(keys, ":,");
		char *id = mem_strndup(keys, length);
		int next = table_column(self->box->table, id);
		keys += strcspn(keys, ",");
		keys += *keys == ',';
		if (next >= 0 && !self->box->table->column[next]->device) {
			mem_free(self->query.sort);
			self->query.sort = id;
			return true;
		}
		mem_free(id);
	}
	return false;
}

/*
 * Default orders sort by GPU time: without any, use the next sort key; with some, the first again,
 * unless the user chose the order. This ignores the filter, so that the order does not change with
 * it.
 */
static void sort_by_available_key(struct table_job *self)
{
	const struct table *table = self->box->table;
	const char *keys = table_default_sort(table);
	if (!self->query.unchosen || self->query.filter)
		return;
	bool descending = self->query.descending;
	AUTO_FREE char *before = mem_strdup(self->query.sort);
	query_sort_by_default(&self->query, keys);
	int column = table_column(table, self->query.sort);
	if (column >= 0 && table->column[column]->device &&
	    !columns_have_device_work(table, self->order->sums))
		use_other_key(self, keys);
	self->resorted |=
		strcmp(before, self->query.sort) != 0 || self->query.descending != descending;
}

static bool order(struct table_job *self, const struct progress *progress, struct error *error)
{
	struct table table = seen(self);
	self->order = mem_zalloc(1, sizeof *self->order);
	self->order->references = 1;
	if (self->query.filter) {
		if (!filter(self, &table, progress, error))
			return false;
	} else {
		natural_order(self->order, &table);
	}
	if (!table_job_add_up(self, progress))
		return error_set(error, ERROR_CANCELLED, "canceled");
	sort_by_available_key(self);
	if (self->query.sort && !sort(self, &table, progress, error))
		return false;
	if (self->query.filter || self->query.sort)
		place_rows(self->order, &table);
	return chart_measure(self->order, self->box->table, self->view, self->query.sort,
			     progress) ||
	       error_set(error, ERROR_CANCELLED, "canceled");
}

/* First searched column that is an amount of time, for the share of the matches. */
static int share_column(const struct table_job *self)
{
	const struct table *table = self->box->table;
	for (int i = 0; i < self->search_column_count && !table->is_tree; i++) {
		const struct column *column = table->column[self->search_columns[i]];
		if (column->unit == UNIT_NS && column_has_shares(column))
			return self->search_columns[i];
	}
	return -1;
}

static bool find_hits(struct table_job *self, const struct progress *progress, struct error *error)
{
	const struct table *table = self->box->table;
	AUTO_PATTERN struct pattern *pattern = pattern_new(self->search, error);
	int share = share_column(self);
	double sum = 0;

	if (!pattern)
		return false;
	self->hits = table_matches(table, pattern, self->search_columns,
				   (size_t)self->search_column_count, self->order->rows,
				   self->order->count, &self->hit_count, progress, error);
	if (!self->hits)
		return false;
	for (size_t i = 0; i < self->hit_count && share >= 0; i++) {
		if (!progress_heavy_row(progress, "adding up", i, self->hit_count, 8))
			return error_set(error, ERROR_CANCELLED, "canceled");
		sum += value_number(
			table_value(table, self->order->rows[self->hits[i]], (size_t)share), 0);
	}
	self->hit_share = NAN;
	if (share >= 0 && self->order->sums[share].total > 0) {
		self->hit_share = 100 * sum / self->order->sums[share].total;
		const struct column *column = table->column[share];
		self->hit_share_of = column->quantity ? column->quantity : column->title;
	}
	return true;
}

static bool table_job_run(struct job *job, const struct progress *progress, struct error *error)
{
	struct table_job *self = (struct table_job *)job;
	if (self->jumps)
		return jump_find(&self->jump, self->box->table, self->order, self->job.tui->run,
				 &self->job.scope, progress) ||
		       error_set(error, ERROR_CANCELLED, "canceled");
	if (self->stages & TABLE_BUILD) {
		if (!build_some(self, progress, error))
			return false;
		if (self->target.kind != REF_NONE)
			self->target_row = table_find(self->box->table, self->target);
		else if (self->before)
			self->target_row = table_find_texts(self->box->table, self->before->table,
							    self->selected);
	}
	if (self->stages & TABLE_ORDER && !order(self, progress, error))
		return false;
	return !(self->stages & TABLE_HITS) || find_hits(self, progress, error);
}

/* ---- UI thread ---- */

/* Select the target in the new table, otherwise the previously selected row. */
static void place_cursor(struct table_pane *pane, const struct table_job *self, size_t row)
{
	if (self->stages & TABLE_BUILD)
		row = self->target_row;
	if (row != SIZE_MAX)
		table_select_row(pane, row);
	else
		table_select_line(pane, self->line);
	if (self->carried) /* keep the row's screen position */
		pane->top = pane->cursor > self->above ? pane->cursor - self->above : 0;
	pane->target = NO_REF;
}

/*
 * Row of the new table that corresponds to ROW of the pane's run, if its number is unchanged, else
 * SIZE_MAX. Sets *REF to what it is.
 */
static size_t same_row(const struct table_pane *pane, const struct table_job *self, size_t row,
		       struct ref *ref)
{
	const struct table *table = self->box->table;
	if (row >= pane->box->table->rows)
		return SIZE_MAX;
	*ref = carry_ref(pane->box->shared->run, self->job.tui->run, self->job.scope.rank,
			 table_ref(pane->box->table, row));
	return row < table->rows && ref_equal(table_ref(table, row), *ref) ? row : SIZE_MAX;
}

/*
 * The worker has found the row that was selected; if the cursor has moved since, find that one. ROW
 * of the old table is selected: the pane has the order of the new one already.
 */
static void carry_cursor(const struct table_pane *pane, struct table_job *self, size_t row)
{
	struct place *origin = &self->job.tui->search_origin;
	struct ref ref;
	self->carried = true;
	self->line = pane->cursor;
	self->above = pane->cursor - pane->top;
	if (row != self->selected)
		self->target_row = same_row(pane, self, row, &self->jump.ref);
	if (origin->pane == &pane->pane)
		origin->row = same_row(pane, self, origin->row, &ref);
}

static void take_table(struct table_pane *pane, struct table_job *self, size_t row)
{
	struct table_box *old = pane->box;
	if (old && old->shared != self->job.tui->shared)
		carry_cursor(pane, self, row);
	pane->box = take_hold(self->box);
	pane->box->shared = take_hold(self->job.tui->shared);
	pane->marked_count = 0;
	columns_reset(pane);
	AUTO_FREE uint8_t *expanded = pane->expanded;
	pane->expanded = NULL;
	tree_reset(pane);
	if (old && old->shared != pane->box->shared)
		tree_carry(pane, old, expanded);
	table_box_drop(old);
}

static void take_hits(struct table_pane *pane, struct table_job *self)
{
	mem_free(pane->hits);
	pane->hits = self->hits;
	self->hits = NULL;
	MEMBERS(pane, self, TAKE(hit_count) TAKE(hit_share) TAKE(hit_share_of));
	pane->hits_serial = self->job.search;
}

static void take_results(struct table_pane *pane, struct table_job *self)
{
	size_t row = pane->box ? table_selected(pane) : SIZE_MAX;
	bool built = self->stages & TABLE_BUILD;
	if (row == SIZE_MAX && !built)
		row = pane->selected_before; /* no row was visible */
	pane->selected_before = built ? SIZE_MAX : row;
	if (built)
		pane->alone = self->stages & TABLE_GO_ON &&
			      query_text_equal(pane->applied.group, self->query.group);
	query_clear(&pane->applied);
	query_copy(&pane->applied, &self->query);
	if (self->resorted) {
		query_clear(&pane->wanted);
		query_copy(&pane->wanted, &self->query);
	}
	if (self->stages & TABLE_ORDER) {
		table_order_drop(pane->order);
		pane->order = take_hold(self->order);
	}
	if (self->stages & TABLE_BUILD)
		take_table(pane, self, row);
	if (self->stages & TABLE_GO_ON)
		tui_say(self->job.tui, MESSAGE_INFO, "grouped by %s%s", self->query.group,
			buffer_text(&self->left_out));
	pane->pane.context = table_is_tree(pane) ? CONTEXT_TREE : CONTEXT_TABLE;
	if (self->stages & TABLE_ORDER) {
		pane->hits_serial = 0;
		pane->cursor = 0;
		tree_update(pane);
		place_cursor(pane, self, row);
		if (self->target_row == SIZE_MAX && self->jump.ref.kind != REF_NONE)
			table_jump(pane, self->job.tui, &self->jump);
	}
	if (self->stages & TABLE_HITS) {
		take_hits(pane, self);
		table_find_arrived(pane, self->job.tui);
	} else if (pane->pane.seek && self->job.tui->search.pattern) {
		/* asked for before the rows were there */
		table_request(pane, self->job.tui, TABLE_HITS);
	}
}

static void table_job_clear(struct job *job)
{
	struct table_job *self = (struct table_job *)job;
	table_box_drop(self->box);
	table_box_drop(self->before);
	query_clear(&self->query);
	buffer_free(&self->left_out);
	mem_free_all(self->sql, self->search, self->search_columns);
	table_order_drop(self->order);
	mem_free(self->hits);
}

/* Keep showing the old table; without one, close the pane. */
static void give_up(struct table_pane *pane, struct table_job *self, const struct error *error)
{
	struct tui *tui = self->job.tui;
	query_clear(&pane->wanted);
	query_copy(&pane->wanted, &pane->applied);
	pane->pane.seek = 0;
	pane->target = NO_REF;
	/* do not report jobs cancelled in favour of another one */
	bool left = self->again || tui_pane(tui) != &pane->pane;
	if (!pane->pane.beside && !(left && error->code == ERROR_CANCELLED))
		tui_say_error(tui, error);
	if (pane->box)
		return;
	bool shown = tui_pane(tui) == &pane->pane;
	nav_abandon(tui, &pane->pane);
	/* reopen the SQL prompt with the faulty query */
	if (shown && self->sql && error->code != ERROR_CANCELLED &&
	    tui->host->ask(tui, PROMPT_SQL, self->sql))
		tui_say_error(tui, error);
}

static void arrive_at(struct table_pane *pane, const struct table_job *self, bool good,
		      const struct error *error)
{
	struct tui *tui = self->job.tui;
	if (!good)
		tui_say_error(tui, error);
	if (!good || tui_pane(tui) != &pane->pane)
		return;
	jump_arrived(pane, tui, &self->jump);
	if (tui_pane(tui) == &pane->pane && (self->later || table_is_stale(pane, tui)))
		table_request(pane, tui, self->later);
}

static void table_job_arrive(struct job *job, bool good, const struct error *error)
{
	struct table_job *self = (struct table_job *)job;
	struct table_pane *pane = table_pane_of(self->job.pane);
	if (self->jumps)
		arrive_at(pane, self, good, error);
	else if (good)
		take_results(pane, self);
	else
		give_up(pane, self, error);
}

static bool same_query(const struct query *a, const struct query *b)
{
	return query_text_equal(a->sort, b->sort) && a->descending == b->descending &&
	       query_text_equal(a->filter, b->filter) && a->flat == b->flat;
}

static void copy_search(struct table_job *self, const struct table_pane *pane, struct tui *tui)
{
	self->search = mem_strdup(tui->search.text);
	self->job.search = tui->search.serial;
	self->search_columns =
		mem_alloc((size_t)(pane->column_count + 1) * sizeof *self->search_columns);
	for (int i = 0; i < pane->column_count; i++)
		self->search_columns[self->search_column_count++] = pane->columns[i].index;
}

static struct table_job *new_job(struct table_pane *pane, struct tui *tui, unsigned stages)
{
	static const struct pane_job_kind kind = { table_job_run, table_job_arrive,
						   table_job_clear };
	struct table_job *self = pane_job_new(sizeof *self, &kind, &pane->pane, tui,
					      pane->view ? pane->view->title : "SQL");
	self->stages = stages;
	self->view = pane->view;
	self->sql = pane->sql ? mem_strdup(pane->sql) : NULL;
	query_copy(&self->query, &pane->wanted);
	self->target_row = self->selected = SIZE_MAX;
	if (!(stages & TABLE_BUILD))
		self->box = take_hold(pane->box);
	if (!(stages & TABLE_ORDER))
		self->order = take_hold(pane->order);
	return self;
}

void table_jump(struct table_pane *pane, struct tui *tui, const struct jump *jump)
{
	struct table_job *self = new_job(pane, tui, 0);
	self->jumps = true;
	self->jump = *jump;
	self->later = pending(pane);
	pane_job_submit(&self->job);
}

void table_request(struct table_pane *pane, struct tui *tui, unsigned stages)
{
	stages |= pending(pane);
	if (!pane->box || table_is_stale(pane, tui) ||
	    !query_text_equal(pane->wanted.group, pane->applied.group))
		stages |= TABLE_BUILD;
	if (stages & TABLE_BUILD || !same_query(&pane->wanted, &pane->applied))
		stages |= TABLE_ORDER;
	if (stages & TABLE_BUILD || !tui->search.pattern)
		stages &= ~(unsigned)TABLE_HITS; /* no columns yet, or the search was cleared */
	if (stages == 0 || tui->quit)
		return;
	struct table_job *self = new_job(pane, tui, stages);
	/* keep the outdated table until the new one is built */
	self->again = table_is_stale(pane, tui);
	self->job.job.background = stages == TABLE_HITS || pane->pane.beside || self->again;
	self->target = pane->target;
	if (self->target.kind == REF_NONE && pane->box) {
		self->target = pane_ref(&pane->pane, tui);
		self->selected = table_selected(pane);
	}
	if (self->again && self->selected < pane->box->table->rows &&
	    table_ref(pane->box->table, self->selected).kind == REF_NONE)
		self->before = take_hold(pane->box);
	if (stages & TABLE_HITS)
		copy_search(self, pane, tui);
	pane_job_submit(&self->job);
}

#include "tui/table/table_pane.h"

#include "base/any_of.h"
#include "model/python_stats.h"
#include "session/load.h"
#include "picture/plot/plot.h"

/* ---- moving ---- */

static size_t last_on_screen(const struct table_pane *self)
{
	size_t end = self->top + (size_t)self->page;
	lower_to(end, self->line_count);
	return end > self->top ? end - 1 : self->top;
}

static bool move_cursor(struct table_pane *self, enum action action)
{
	int rows = action_rows(action, self->page);
	if (action == ACTION_PAGE_DOWN || action == ACTION_PAGE_UP)
		self->top = action_moved(self->top, rows);
	if (rows)
		table_select_line(self, action_moved(self->cursor, rows));
	switch (action) {
	case ACTION_FIRST: table_select_line(self, 0); return true;
	case ACTION_LAST: table_select_line(self, self->line_count); return true;
	case ACTION_WINDOW_TOP: table_select_line(self, self->top); return true;
	case ACTION_WINDOW_MIDDLE:
		table_select_line(self, self->top + (last_on_screen(self) - self->top) / 2);
		return true;
	case ACTION_WINDOW_BOTTOM: table_select_line(self, last_on_screen(self)); return true;
	case ACTION_CENTER: self->top = action_moved(self->cursor, -(self->page / 2)); return true;
	case ACTION_SCROLL_LEFT:
	case ACTION_SCROLL_RIGHT:
		self->scroll += action == ACTION_SCROLL_RIGHT ? 1 : self->scroll > 0 ? -1 : 0;
		self->scrolled = true;
		return true;
	default: return rows != 0;
	}
}

/* ---- the row ---- */

/* Time range in the row's columns, for rows without a reference. */
static struct location row_time(const struct table_pane *self)
{
	const struct table *table = self->box->table;
	struct location at = { 0 };
	size_t row = table_selected(self);
	int from = table_column_as(table, COLUMN_START);
	int dur = table_column_as(table, COLUMN_DURATION);
	if (from < 0 || row == SIZE_MAX)
		return at;
	struct value start = table_value(table, row, (size_t)from);
	struct value length = dur < 0 ? value_missing() : table_value(table, row, (size_t)dur);
	if (start.kind == VALUE_INT) {
		at.from = start.integer;
		at.to = start.integer + (length.kind == VALUE_INT ? length.integer : 0);
	}
	return at;
}

static void show_on_timeline(struct table_pane *self, struct tui *tui)
{
	struct ref ref = pane_ref(&self->pane, tui);
	struct location at = { 0 };
	if (ref.kind == REF_NONE || ref.kind == REF_FACT || ref.kind == REF_RANK ||
	    ref.kind == REF_FINDING)
		at = row_time(self);
	/* the time that a finding claims says more than the longest of its rows */
	if (ref.kind == REF_FINDING && at.to > at.from)
		ref = NO_REF;
	nav_timeline(tui, ref, &at);
}

/* The path of a layer in a row of a query result. */
static struct value row_path(const struct table_pane *self)
{
	size_t row = self->view ? SIZE_MAX : table_selected(self);
	return row == SIZE_MAX ? value_missing()
			       : table_cell_or_missing(self->box->table, row, "path");
}

/* Show the operators of the layer. False: the row names none. */
static bool drill_path(struct table_pane *self, struct tui *tui)
{
	struct pane_subject subject = { .kind = PANE_TABLE };
	subject.view = view_find(strchr(tui->tabs.digits, '3') ? "operators" : "launches");
	struct value path = row_path(self);
	AUTO(scope_clear) struct scope scope = { 0 };
	if (path.kind != VALUE_TEXT || !path.length)
		return false;
	AUTO_FREE char *text = mem_strndup(path.text, path.length);
	scope_copy(&scope, &self->pane.level->scope);
	scope_set_text(&scope.under, text);
	nav_push_new(tui, &subject, &scope);
	return true;
}

/* The name by which the rows of another view belong to the selected one; missing: there is none. */
static struct value name_drilled(const struct table_pane *self, const struct tui *tui, bool *memory)
{
	AUTO_RANK const struct rank *rank = run_peek(tui->run, self->pane.level->scope.rank);
	const struct profile *profile = rank ? rank->profile : NULL;
	const char *group = self->applied.group ?: "operator";
	size_t row = table_selected(self);
	if (!profile || !self->view || row == SIZE_MAX)
		return value_missing();
	*memory = profile->snapshot && strcmp(self->view->name, "memory") == 0 &&
		  (!strcmp(group, "operator") || !strcmp(group, "peak"));
	bool samples = profile->python && profile->python->sample_count &&
		       strcmp(self->view->name, "python") == 0;
	return *memory   ? table_cell_or_missing(self->box->table, row, "name")
	       : samples ? table_cell_or_missing(self->box->table, row, "function")
			 : value_missing();
}

/* Where callers are not recorded as such, a function leads to the stacks that it is in; who holds
 * memory to the allocations. */
static bool drill_name(struct table_pane *self, struct tui *tui)
{
	bool memory;
	struct value name = name_drilled(self, tui, &memory);
	AUTO_BUFFER struct buffer filter = { 0 };
	if (name.kind != VALUE_TEXT || !name.length)
		return false;
	buffer_puts(&filter, memory ? "owner:^" : "");
	pattern_quote(&filter, name.text, name.length);
	buffer_puts(&filter, memory ? "$" : "");
	struct pane_subject subject = { .kind = PANE_TABLE,
					.view = view_find(memory ? "memory-events" : "stacks") };
	subject.query.filter = filter.data;
	nav_push_new(tui, &subject, NULL);
	return true;
}

/* Query results lead to the layer whose path they have. */
static void table_act_drill(struct table_pane *self, struct tui *tui)
{
	struct ref ref = pane_ref(&self->pane, tui);
	if (ref.kind == REF_LAUNCH)
		show_on_timeline(self, tui);
	else if (ref.kind == REF_RUN)
		tui->host->open_run(tui, ref.a, ref.b);
	else if (ref.kind == REF_NONE && self->view && nav_shows_summary(tui))
		tui->host->act(tui, ACTION_FROM_TRACE);
	else if ((ref.kind == REF_REPEAT || ref.kind == REF_NONE) && table_is_tree(self))
		tree_act(self, ACTION_EXPAND_TOGGLE);
	else if (!drill_path(self, tui) && (!self->view || !nav_drill(tui, ref))) {
		if (ref.kind == REF_TIME && nav_has_timeline(tui))
			show_on_timeline(self, tui);
		else if (!drill_name(self, tui))
			tui->host->act(tui, ACTION_DETAIL_FULL);
	}
}

static const struct plot_kind *plot_of(const struct table_pane *self,
				       const struct plot_group **group)
{
	return self->view && self->box ? plot_of_view(self->view->name, self->applied.group, group)
				       : NULL;
}

static bool show_plot(struct table_pane *self, struct tui *tui)
{
	struct pane_subject subject = { .kind = PANE_PLOT };
	subject.plot = plot_of(self, &subject.plot_group);
	if (!subject.plot)
		return false;
	subject.target = pane_ref(&self->pane, tui);
	nav_push_new(tui, &subject, NULL);
	return true;
}

/* The text that names the row in a history: its path or kernel family, else its name. */
static struct value history_name(const struct table_pane *self)
{
	static const char *const ids[] = { "path", "family" };
	const struct table *table = self->box->table;
	size_t row = table_selected(self);
	if (table_selected_ref(self).kind == REF_STEP)
		return value_text("median step");
	for (size_t i = 0; i < 2 && row != SIZE_MAX; i++) {
		struct value value = table_cell_or_missing(table, row, ids[i]);
		if (value.kind == VALUE_TEXT && value.length)
			return value;
	}
	return table_selected_name(self);
}

static void show_history(struct table_pane *self, struct tui *tui)
{
	AUTO_BUFFER struct buffer filter = { 0 };
	struct value name = history_name(self);
	if (!tui->run->history) {
		tui_say(tui, MESSAGE_INFO,
			"no history: open that of a baseline (strata history NAME), or --base NAME");
		return;
	}
	buffer_puts(&filter, "^");
	if (name.kind == VALUE_TEXT)
		pattern_quote(&filter, name.text, name.length);
	buffer_puts(&filter, "$");
	const struct pane_subject subject = { .kind = PANE_TABLE,
					      .view = view_find("history"),
					      .query = { .group = "runs", .filter = filter.data } };
	nav_push_new(tui, &subject, NULL);
}

static void mark(struct table_pane *self)
{
	size_t row = table_selected(self);
	if (row == SIZE_MAX)
		return;
	table_toggle_mark(self, row);
	table_select_line(self, self->cursor + 1);
}

/* Search for exactly the selected name. */
static void search_name(struct table_pane *self, struct tui *tui)
{
	struct value name = table_selected_name(self);
	AUTO_BUFFER struct buffer text = { 0 };
	struct error error = { 0 };
	if (name.kind != VALUE_TEXT || name.length == 0)
		return;
	pattern_quote(&text, name.text, name.length);
	if (!search_set(&tui->search, buffer_text(&text), &error))
		tui_say_error(tui, &error);
	else
		table_find_from(self, tui, table_line_position(self, self->cursor) + 1);
}

static bool may_have_key_node(struct ref ref)
{
	enum {
		KINDS = 1 << REF_STEP | 1 << REF_LAYER | 1 << REF_OPERATOR | 1 << REF_CALL |
			1 << REF_LAUNCH | 1 << REF_LINK | 1 << REF_MODULE
	};
	return KINDS >> ref.kind & 1;
}

/* From a step, list its contents to choose from. */
static void choose_key_node(struct table_pane *self, struct tui *tui)
{
	struct ref ref = pane_ref(&self->pane, tui);
	if (ref.kind == REF_STEP) {
		table_act_drill(self, tui);
		tui_say(tui, MESSAGE_INFO,
			"press T on an operator or range to make it the step boundary");
	} else if (self->view && may_have_key_node(ref)) {
		tui->host->iterate(tui, &self->pane.level->scope, ref);
	} else {
		tui_say(tui, MESSAGE_WARNING, "no range or operator in this row");
	}
}

/* ---- the table ---- */

/* The grouping by phase says nothing where no step has one, that by functions beside other work,
 * that by properties of launches without any, one by what is to be typed without that. */
static bool says_something(const struct rank *rank, const char *group)
{
	const struct derived *derived = rank ? rank->derived : NULL;
	if (strchr(group, '='))
		return false;
	if (derived && !strcmp(group, "functions"))
		return derived->profile->python;
	if (derived && !strcmp(group, "properties"))
		return profile_all_rows(derived->profile).activities;
	return strcmp(group, "phase") != 0 || !derived ||
	       any_of(i, derived->step_count, derived->steps[i].phase != PHASE_NONE);
}

const char *table_group_after(const struct view *view, const struct rank *rank, const char *group)
{
	int at = view_grouping(view, group);
	do
		at = at + 1 < VIEW_GROUPS_MAX && view->groups[at + 1] ? at + 1 : 0;
	while (at && !says_something(rank, view->groups[at]));
	return view->groups[at];
}

/* The grouping to go on to; NULL: none. */
static const char *other_group(const struct table_pane *self)
{
	const char *group = self->view ? self->wanted.group ?: self->view->groups[0] : NULL;
	const char *next =
		group ? table_group_after(self->view, self->box->table->held, group) : NULL;
	return query_text_equal(next, group) ? NULL : next;
}

static void next_group(struct table_pane *self, struct tui *tui)
{
	const char *next = other_group(self);
	bool folded = self->view && query_text_equal(self->view->folded, self->wanted.group) &&
		      self->wanted.group;
	if (self->box->table->is_tree && !folded && (!next || !self->wanted.flat)) {
		self->wanted.flat ^= true;
		table_request(self, tui, 0);
		return;
	}
	self->wanted.flat = false;
	if (!next) {
		tui_say(tui, MESSAGE_INFO, "only one grouping here");
		return;
	}
	self->wanted.group = next;
	table_request(self, tui, TABLE_GO_ON);
}

static bool change_table(struct table_pane *self, struct tui *tui, enum action action)
{
	switch (action) {
	case ACTION_SORT_MENU: columns_open_sort_menu(self, tui); return true;
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
		columns_sort_neighbour(self, tui, action == ACTION_SORT_RIGHT ? 1 : -1);
		return true;
	case ACTION_SORT_INVERT:
		if (!self->wanted.sort) {
			tui_say(tui, MESSAGE_INFO, "not sorted by a column (s or > chooses one)");
			return true;
		}
		self->wanted.unchosen = false;
		self->wanted.descending ^= true;
		table_request(self, tui, 0);
		return true;
	case ACTION_PIN_COLUMN: columns_toggle_pin(self, tui); return true;
	case ACTION_COLUMNS: columns_open_chooser(self, tui); return true;
	case ACTION_GROUP: next_group(self, tui); return true;
	case ACTION_WIDEN_COLUMN: self->wide ^= true; return true;
	case ACTION_UNITS:
		self->units = (self->units + 1) % UNITS_COUNT;
		if (self->units == UNITS_PARENT && !table_is_tree(self))
			self->units++;
		for (int i = 0; i < self->column_count; i++) /* plain numbers are wider */
			self->columns[i].width = self->columns[i].own;
		return true;
	default: return false;
	}
}

static bool use_row(struct table_pane *self, struct tui *tui, enum action action)
{
	switch (action) {
	case ACTION_DRILL: table_act_drill(self, tui); return true;
	case ACTION_TIMELINE: show_on_timeline(self, tui); return true;
	case ACTION_FOLLOW_FORWARD:
	case ACTION_FOLLOW_BACK:
		jump_follow(self, tui, action == ACTION_FOLLOW_FORWARD);
		return true;
	case ACTION_SEARCH_NAME: search_name(self, tui); return true;
	case ACTION_MARK: mark(self); return true;
	case ACTION_UNMARK_ALL: self->marked_count = 0; return true;
	case ACTION_CHOOSE_KEY_NODE: choose_key_node(self, tui); return true;
	case ACTION_PLOT: return table_can(&self->pane, tui, action) && show_plot(self, tui);
	case ACTION_HISTORY: show_history(self, tui); return true;
	default: return false;
	}
}

bool table_act(struct pane *pane, struct tui *tui, enum action action)
{
	struct table_pane *self = table_pane_of(pane);
	if (!self->box)
		return false;
	return move_cursor(self, action) || jump_act(self, tui, action) || tree_act(self, action) ||
	       change_table(self, tui, action) || use_row(self, tui, action);
}

static bool can_drill(const struct table_pane *self, struct tui *tui)
{
	const struct view *next;
	AUTO(scope_clear) struct scope scope = { 0 };
	struct ref ref = pane_ref(&self->pane, tui);
	enum { OPENS = 1 << REF_LAUNCH | 1 << REF_REPEAT | 1 << REF_RUN | 1 << REF_ALLOCATION };
	bool memory;
	return OPENS >> ref.kind & 1 || row_path(self).kind == VALUE_TEXT ||
	       (ref.kind == REF_NONE && table_column(self->box->table, "stack") >= 0) ||
	       name_drilled(self, tui, &memory).kind == VALUE_TEXT ||
	       (ref.kind == REF_TIME && nav_has_timeline(tui)) ||
	       (self->view && view_drill(tui->run, ref, &self->pane.level->scope, &next, &scope));
}

const char *table_link(struct pane *pane, struct tui *tui, bool forward)
{
	const struct table_pane *self = table_pane_of(pane);
	if (!self->box || !self->line_count)
		return NULL;
	return view_link_name(tui->run, &pane->level->scope, pane_ref(pane, tui), self->view,
			      forward);
}

bool table_can(struct pane *pane, struct tui *tui, enum action action)
{
	struct table_pane *self = table_pane_of(pane);
	const struct plot_group *group;
	bool row = self->box && self->line_count > 0;
	switch (action) {
	case ACTION_DRILL:
		return row && (can_drill(self, tui) || (self->view && nav_shows_summary(tui)));
	case ACTION_TIMELINE:
		return row && table_selected_ref(self).kind != REF_RUN && nav_has_timeline(tui);
	case ACTION_GROUP:
		return self->box && self->box->table->rows > 0 &&
		       (self->box->table->is_tree || (!self->alone && other_group(self)));
	case ACTION_SORT_MENU:
	case ACTION_COLUMNS:
	case ACTION_SEARCH:
	case ACTION_FILTER: return self->box && self->box->table->rows > 0;
	case ACTION_PLOT:
		return row && plot_of(self, &group) && self->order->amounts != AMOUNTS_BLANK;
	case ACTION_UNMARK_ALL: return self->marked_count > 0;
	case ACTION_SECTION_NEXT:
	case ACTION_SECTION_PREVIOUS:
	case ACTION_LANE_NEXT:
	case ACTION_LANE_PREVIOUS: return row && jump_can(self, action);
	case ACTION_CHOOSE_KEY_NODE:
		return row && self->view && may_have_key_node(pane_ref(&self->pane, tui));
	case ACTION_HISTORY: return row && tui->run->history;
	case ACTION_MARK:
	case ACTION_DETAIL_FULL:
	case ACTION_SEARCH_NAME: return row;
	default:
		if (action_info(action)->group == GROUP_TREE)
			return row && tree_can(self, action);
		return self->box != NULL;
	}
}

/* ---- the mouse ---- */

void table_click(struct pane *pane, struct tui *tui, int row, int column, bool twice)
{
	struct table_pane *self = table_pane_of(pane);
	if (!self->box)
		return;
	if (row == self->first_row - 1) {
		int index = table_column_at(self, self->body.columns, column - self->body.column);
		if (index < 0)
			return;
		const char *id = self->box->table->column[index]->id;
		if (query_text_equal(self->wanted.sort, id))
			change_table(self, tui, ACTION_SORT_INVERT);
		else
			columns_sort_by(self, tui, id);
		return;
	}
	bool cards = cards_shown(self);
	size_t line =
		cards ? cards_line_at(self, tui, row) : self->top + (size_t)(row - self->first_row);
	if (row < self->first_row || (!cards && row >= self->first_row + self->page) ||
	    line >= self->line_count)
		return;
	table_select_line(self, line);
	if (table_on_sign(self, line, column))
		tui->host->act(tui, ACTION_EXPAND_TOGGLE);
	else if (twice)
		table_act_drill(self, tui);
}

/*
 * Draws the whole screen into the grid.
 */
#include "base/number.h"
#include "base/text.h"
#include "tui/app/app.h"

/* ---- top lines ---- */

/* "trace.json.gz  H100  5 steps": the name loses its end before what is said of it does. */
static void draw_headline(struct app *app, struct rect at, const char *text)
{
	enum { NAME_MIN = 16 };
	struct grid *grid = &app->tui.grid;
	const char *rest = strstr(text, "  ");
	int wanted = grid_width(grid, text, strlen(text)), kept = 0, name = at.columns;
	if (rest && !(app->tui.run && app->tui.run->base))
		kept = grid_width(grid, rest, strlen(rest));
	if (kept && wanted > at.columns && at.columns - kept >= NAME_MIN)
		name = at.columns - kept;
	else
		rest = NULL;
	grid_field(grid, at.row, at.column, name, ROLE_TITLE, rest ? GRID_PROSE : GRID_LEFT, text,
		   rest ? (size_t)(rest - text) : strlen(text));
	if (rest)
		grid_puts(grid, at.row, at.column + name, kept, ROLE_TITLE, rest);
}

static void draw_title(struct app *app, struct rect at)
{
	AUTO_BUFFER struct buffer text = { 0 };
	if (app->tui.run)
		view_headline(app->tui.run, &app->tui.nav.here->scope, &text);
	else if (app->options->path_count > 0)
		buffer_puts(&text, app->options->paths[0]);
	grid_fill(&app->tui.grid, at.row, at.column, at.columns, ROLE_TITLE, ' ');
	int used = 3 + grid_puts(&app->tui.grid, at.row, at.column + 1, at.columns - 1, ROLE_TITLE,
				 "strata");
	draw_headline(app, (struct rect){ at.row, at.column + used, 1, at.columns - used },
		      buffer_text(&text));
}

/* Tab titles in decreasing length: full, brief except for the active one, all brief, truncated. */
struct tab_style {
	bool whole, whole_active;
	int letters; /* maximum title length; 0: digits only */
};

static const struct tab_style tab_styles[] = { TAB_STYLE_ROWS };

/* The last tab, if it fits: the SQL prompt. */
static const char sql_tab[] = " ; SQL";

/* " 3 Operators" in this style; returns its columns. */
static int tab_text(char out[40], const struct tab *tab, bool active, const struct tab_style *style)
{
	bool whole = style->whole || (active && style->whole_active);
	if (style->letters == 0)
		return snprintf(out, 40, " %c", tab->key);
	return snprintf(out, 40, " %c %.*s", tab->key, style->letters,
			whole ? tab->title : tab->brief);
}

static int tabs_width(struct app *app, const char *active, const struct tab_style *style)
{
	char text[40];
	int width = 1;
	for (int i = 0; nav_tab(&app->tui, i).name; i++) {
		struct tab tab = nav_tab(&app->tui, i);
		width += tab_text(text, &tab, !strcmp(tab.name, active), style);
	}
	return width;
}

static bool has_tab(struct app *app, const char *name)
{
	int i = 0;
	while (nav_tab(&app->tui, i).name && strcmp(nav_tab(&app->tui, i).name, name) != 0)
		i++;
	return nav_tab(&app->tui, i).name;
}

static void draw_tabs(struct app *app, struct rect at)
{
	const struct pane *pane = app_pane(app);
	const char *name = pane ? pane->name : "";
	struct tab shown = nav_tab_named(name);
	char title[40];
	snprintf(title, sizeof title, "%.1s%s%s", &shown.key, shown.key ? " " : "",
		 shown.name ? shown.title : name);
	int room = at.columns - (has_tab(app, name) ? 0 : (int)strlen(title) + 1);
	const struct tab_style *style = tab_styles;
	int column = at.column, from = -1, to = 0;
	grid_fill(&app->tui.grid, at.row, at.column, at.columns, ROLE_TAB, ' ');
	while (style->letters > 0 && tabs_width(app, name, style) > room)
		style++;
	int spare = room - tabs_width(app, name, style);
	for (int i = 0; nav_tab(&app->tui, i).name; i++) {
		struct tab tab = nav_tab(&app->tui, i);
		bool active = !strcmp(tab.name, name);
		char text[40];
		int length = tab_text(text, &tab, active, style);
		from = active ? column : from;
		column += grid_put(&app->tui.grid, at.row, column, at.columns - column,
				   active ? ROLE_TAB_ACTIVE : ROLE_TAB, text, (size_t)length);
		to = active ? column : to;
	}
	if (spare >= (int)strlen(sql_tab))
		column += grid_puts(&app->tui.grid, at.row, column, at.columns - column, ROLE_TAB,
				    sql_tab);
	if (pane && from < 0) { /* a view without a digit: its title after the tabs */
		from = column++;
		column += grid_puts(&app->tui.grid, at.row, column, at.columns - column,
				    ROLE_TAB_ACTIVE, title);
		to = column;
	}
	if (from >= 0) {
		const char *ends = tui_shows_letters(&app->tui) ? "[]" : "  ";
		grid_fill(&app->tui.grid, at.row, from, 1, ROLE_TAB_ACTIVE, ends[0]);
		grid_fill(&app->tui.grid, at.row, to < at.columns ? to : at.columns - 1, 1,
			  ROLE_TAB_ACTIVE, ends[1]);
	}
}

/* The breadcrumb in COLUMNS columns; outer parts are dropped first. */
static void draw_crumb(struct app *app, int row, int column, int columns, const char *text)
{
	const char *begin = app->tui.grid.ascii ? "... > " : "… > ";
	const char *rest = text, *next;
	int used = grid_width(&app->tui.grid, begin, strlen(begin));
	if (grid_width(&app->tui.grid, text, strlen(text)) <= columns) {
		grid_puts(&app->tui.grid, row, column, columns, ROLE_BREADCRUMB, text);
		return;
	}
	while ((next = strstr(rest, " > ")) != NULL) {
		rest = next + 3;
		if (used + grid_width(&app->tui.grid, rest, strlen(rest)) <= columns)
			break;
	}
	used = grid_puts(&app->tui.grid, row, column, columns, ROLE_BREADCRUMB, begin);
	grid_field(&app->tui.grid, row, column + used, columns - used, ROLE_BREADCRUMB, GRID_LEFT,
		   rest, strlen(rest));
}

/* What is examined in this scope, at the right, as far as there is room from COLUMN on. */
static void draw_figures(struct app *app, struct rect at, int column)
{
	const struct level *here = app->tui.nav.here, *level = here;
	while (level && !level->figures)
		level = level->above;
	if (!level || !scope_equal(&level->scope, &here->scope))
		return;
	int room = at.column + at.columns - 1 - column;
	AUTO_FREE char *text = mem_strdup(level->figures);
	char *end = text + strlen(text);
	while (*text && grid_width(&app->tui.grid, text, strlen(text)) > room) {
		while (end > text && strncmp(end, "   ", 3) != 0)
			end--;
		*end = '\0';
	}
	int width = grid_width(&app->tui.grid, text, strlen(text));
	column += width < room ? room - width : 0;
	grid_cut(&app->tui.grid, at.row, column, room, ROLE_TEXT, text);
}

static void draw_breadcrumb(struct app *app, struct rect at)
{
	struct pane *pane = app_pane(app);
	AUTO_BUFFER struct buffer text = { 0 }, state = { 0 };
	if (app->tui.run) {
		const struct pane_subject subject = pane_subject(pane);
		struct scope scope = app->tui.nav.here->scope; /* shares its texts */
		scope.all_ranks &=
			subject.kind == PANE_TABLE && subject.view && subject.view->by_rank;
		view_breadcrumb(app->tui.run, &scope, &text);
		if (pane->ops->state)
			pane->ops->state(pane, &state);
	}
	int width = grid_width(&app->tui.grid, BUFFERED(&state));
	lower_to(width, at.columns * 2 / 3);
	int crumb = grid_width(&app->tui.grid, BUFFERED(&text));
	lower_to(crumb, at.columns - 2 - width);
	grid_fill(&app->tui.grid, at.row, at.column, at.columns, ROLE_BREADCRUMB, ' ');
	draw_crumb(app, at.row, at.column + 1, crumb, buffer_text(&text));
	grid_field(&app->tui.grid, at.row, at.column + 1 + crumb, width, ROLE_FILTER, GRID_LEFT,
		   BUFFERED(&state));
	if (app->tui.run)
		draw_figures(app, at, at.column + crumb + width + 4);
}

/* ---- work in progress ---- */

static void amount(struct buffer *out, const struct work_state *work)
{
	char text[NUMBER_MAX];
	bool whole = progress_is_reading(work->stage) || strcasestr(work->stage, "writing");

	if (work->total > 0) {
		buffer_printf(out, " %3.0f%%", 100.0 * (double)work->done / (double)work->total);
		if (work->done > 0 && whole) { /* otherwise another pass may follow */
			double spent = (double)(clock_ns() - work->started_ns);
			double left = spent * ((double)work->total / (double)work->done - 1);
			if (left > 2e9 && spent > 1e9)
				buffer_printf(out, ", %.0f s left", left / 1e9);
		}
	}
	if (work->rows > 0)
		buffer_printf(out, ", %s rows", number_count(text, (int64_t)work->rows));
}

static void draw_progress(struct app *app, struct rect at, const struct work_state *work)
{
	AUTO_BUFFER struct buffer text = { 0 };
	char done[NUMBER_MAX], total[NUMBER_MAX];
	int width = at.columns - 4 < 60 ? at.columns - 4 : 60;
	int row = at.row + at.rows / 3, column = at.column + (at.columns - width) / 2;
	buffer_printf(&text, "%s", work->stage && *work->stage ? work->stage : "opening");
	if (work->total > 0 && progress_is_reading(work->stage))
		buffer_printf(&text, " %s of %s", number_bytes(done, (double)work->done),
			      number_bytes(total, (double)work->total));
	amount(&text, work);
	grid_fill(&app->tui.grid, row, column, width, ROLE_BAR, ' ');
	grid_bar(&app->tui.grid, row, column, width, ROLE_BAR,
		 work->total > 0 ? (double)work->done / (double)work->total : 0);
	grid_field(&app->tui.grid, row + 1, column, width, ROLE_TEXT, GRID_LEFT, BUFFERED(&text));
	grid_puts(&app->tui.grid, row + 2, column, width, ROLE_DIM,
		  load_is_awaited(app) ? "q cancels and quits" : "Esc cancels");
}

static bool long_work(struct app *app, struct work_state *work)
{
	if (load_is_awaited(app))
		return worker_busy(app->reader, work);
	return worker_busy(app->tui.worker, work) && work_is_seen(work);
}

/* ---- the footer ---- */

/* Useful keys, best first; those without effect here are omitted. */
static const struct {
	enum action action;
	const char *label; /* NULL: what the link of the row leads to */
	bool of_row;       /* some rows of a view have it */
} hints[] = { HINTS_ROWS };

/* The name of the key of ACTION, <Enter> as Enter; 0: it has none. */
static size_t hint_key(struct app *app, enum action action, char name[TUI_KEY_NAME_MAX])
{
	tui_key key = action_key(action, app_pane(app)->context);
	size_t length = strlen(tui_key_name(key, name));
	if (key == TUI_KEY_NONE)
		return 0;
	if (length <= 2 || name[0] != '<')
		return length;
	memmove(name, name + 1, length - 2);
	return length - 2;
}

static int draw_hint(struct app *app, struct rect at, int column, int end, enum action action,
		     const char *label)
{
	char name[TUI_KEY_NAME_MAX];
	size_t length = hint_key(app, action, name);
	if (!length || column + (int)length + 1 + (int)strlen(label) > end)
		return column;
	int from = column;
	column +=
		grid_put(&app->tui.grid, at.row, column, end - column, ROLE_KEY, name, length) + 1;
	column += grid_puts(&app->tui.grid, at.row, column, end - column, ROLE_FOOTER, label);
	if (app->footer_hints < FOOTER_HINTS)
		app->footer_hint[app->footer_hints++] =
			(struct footer_hint){ from, column, action };
	return column + 2;
}

static bool can_hint(struct app *app, enum action action)
{
	if (action == ACTION_DIFF)
		return runs_can_compare(app);
	return app_can(app, action) && !(action == ACTION_EDIT && app_can(app, ACTION_SOURCE));
}

/* Its label; of a link what it leads to, "" if the selected row has none. */
static const char *hint_label(struct app *app, size_t i)
{
	struct pane *pane = app_pane(app);
	bool forward = hints[i].action == ACTION_FOLLOW_FORWARD;
	const char *label = hints[i].label;
	if (!label && pane->ops->link)
		label = pane->ops->link(pane, &app->tui, forward);
	return label ? label : "";
}

/* Columns of a hint; 0: it has no key. */
static int hint_width(struct app *app, size_t i)
{
	char name[TUI_KEY_NAME_MAX];
	size_t length = hint_key(app, hints[i].action, name);
	const char *label = hints[i].label ? hints[i].label : "Backward";
	return length ? (int)(length + 1 + strlen(label)) : 0;
}

/* Where all hints fit, the hints of the row are last, so that the others keep their places. */
enum { ALL_FIT = 150 };

/* Is there room for the least useful hint and the hints of the row, whatever the position? */
static bool frame_has_room(struct app *app, int columns)
{
	enum { POSITION = 16 };
	for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
		int width = hint_width(app, i);
		if (width > 0 && (hints[i].of_row || can_hint(app, hints[i].action)))
			columns -= width + 2;
	}
	return columns > POSITION;
}

/* The hints that do, or do not, depend on the row, while they fit; returns the next column. */
static int draw_hints_of(struct app *app, struct rect at, int column, int end, bool of_row)
{
	for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
		int width = hint_width(app, i), from = column;
		if (hints[i].of_row != of_row || width == 0 ||
		    (hints[i].action == ACTION_QUIT && !frame_has_room(app, at.columns)))
			continue;
		bool can = can_hint(app, hints[i].action);
		if (can)
			column = draw_hint(app, at, column, end, hints[i].action,
					   hint_label(app, i));
		if (can && column == from)
			return end; /* no room */
		if (of_row && column < from + width + 2)
			column = from + width + 2; /* as in other rows */
	}
	return column;
}

static void draw_hints(struct app *app, struct rect at, int end)
{
	enum { OPEN_WIDTH = sizeof "Enter Open " };
	int column = at.column + 1;
	if (split_shown(app))
		column = draw_hint(app, at, column, end, ACTION_VIEW_NEXT, "Other pane");
	if (app_pane(app) && at.columns >= ALL_FIT) {
		enum pane_kind kind = pane_subject(app_pane(app)).kind;
		if (!can_hint(app, ACTION_DRILL) && (kind == PANE_TABLE || kind == PANE_TIMELINE))
			column += OPEN_WIDTH; /* other rows have it */
		column = draw_hints_of(app, at, column, end, false);
		draw_hints_of(app, at, column, end, true);
		return;
	}
	for (size_t i = 0; i < sizeof hints / sizeof hints[0] && app_pane(app); i++)
		if (can_hint(app, hints[i].action))
			column = draw_hint(app, at, column, end, hints[i].action,
					   hint_label(app, i));
}

/* Progress of the reader while a preview is shown. */
static void add_reading(struct app *app, struct buffer *out)
{
	struct work_state work;
	char text[NUMBER_MAX];
	if (!worker_busy(app->reader, &work))
		return;
	if (!progress_is_reading(work.stage))
		buffer_printf(out, "%s  ", work.stage);
	else if (work.total > 0)
		buffer_printf(out, "reading %.0f%%  ",
			      100.0 * (double)work.done / (double)work.total);
	else
		buffer_printf(out, "reading, %s  ", number_bytes(text, (double)work.done));
}

/*
 * The last message. An overlong one that begins with a path loses the folders, another its last
 * sentences; one still too long is truncated at its end, with a mark, not in the middle.
 */
static void draw_message(struct app *app, struct rect at, int columns)
{
	static const int roles[] = { ROLE_MESSAGE, ROLE_WARNING, ROLE_ERROR };
	const char *text = app->message;
	size_t length = strlen(text);
	if (columns > 0 && text_width(text, length) > (size_t)columns)
		text += text_path_end(text, length, 1);
	size_t whole = length = strlen(text);
	while (length && columns > 0 && text_width(text, length) > (size_t)columns)
		do
			length--;
		while (length && (text[length - 1] != '.' || text[length] != ' '));
	AUTO_FREE char *shown = mem_strndup(text, length ?: whole);
	grid_cut(&app->tui.grid, at.row, at.column + 1, columns, roles[app->message_kind], shown);
}

/* Where there is room, a message is after the hints, of which those before it remain. */
static void draw_message_and_hints(struct app *app, struct rect at, int end)
{
	enum { GAP = 3 };
	int columns = grid_width(&app->tui.grid, app->message, strlen(app->message));
	if (at.columns >= ALL_FIT && columns + GAP < end - at.column) {
		draw_hints(app, at, end - columns - GAP);
		at.column = end - columns - 1;
	}
	draw_message(app, at, end - at.column - 1);
}

/* From this width on, the position includes a percentage. */
enum { POSITION_WHOLE_FROM = 40 };

static void draw_footer(struct app *app, struct rect at)
{
	struct pane *pane = app_pane(app);
	AUTO_BUFFER struct buffer position = { 0 }, text = { 0 };
	struct work_state work;
	app->footer_hints = 0;
	grid_fill(&app->tui.grid, at.row, at.column, at.columns, ROLE_FOOTER, ' ');
	if (app->loading && app->partial)
		add_reading(app, &position);
	what_if_count(app, &position);
	if (pane)
		pane->ops->position(pane, &position);
	/* drop the less useful parts first */
	const char *shown = buffer_text(&position), *blank = strrchr(shown, ' ');
	if (at.columns < POSITION_WHOLE_FROM && blank)
		shown = blank + 1;
	int width = (int)strlen(shown), end = at.column + at.columns - width - 2;
	if (width < at.columns)
		grid_puts(&app->tui.grid, at.row, at.column + at.columns - width - 1, width,
			  ROLE_FOOTER, shown);
	if (!load_is_awaited(app) && long_work(app, &work)) {
		buffer_printf(&text, "%s: %s", work.what, work.stage ? work.stage : "");
		amount(&text, &work);
		buffer_puts(&text, "; Esc cancels");
		grid_field(&app->tui.grid, at.row, at.column + 1, end - 1, ROLE_MESSAGE, GRID_LEFT,
			   BUFFERED(&text));
	} else if (app->message[0]) {
		draw_message_and_hints(app, at, end);
	} else if (!app->what_if.open) { /* it names its keys */
		draw_hints(app, at, end);
	}
}

/* ---- the whole screen ---- */

static void draw_body(struct app *app, struct rect body)
{
	struct pane *pane = app_pane(app);
	struct work_state work;
	if (pane)
		pane->ops->draw(pane, &app->tui, body);
	bool empty = !pane || pane->ops->row(pane) == SIZE_MAX;
	if ((load_is_awaited(app) || empty) && long_work(app, &work))
		draw_progress(app, body, &work);
}

/* Title and position of a pane; framed if focused. */
static void draw_caption(struct app *app, struct pane *pane, struct rect at, bool keys)
{
	AUTO_BUFFER struct buffer text = { 0 };
	const struct view *view = pane ? view_find(pane->name) : NULL;
	if (view)
		buffer_printf(&text, keys ? "[%s] " : " %s  ", view->title);
	if (pane)
		pane->ops->position(pane, &text);
	grid_fill(&app->tui.grid, at.row, at.column, at.columns, ROLE_TAB, ' ');
	grid_put(&app->tui.grid, at.row, at.column, at.columns, keys ? ROLE_TAB_ACTIVE : ROLE_TAB,
		 BUFFERED(&text));
}

static void draw_half(struct app *app, struct pane *pane, struct rect at, bool keys)
{
	struct rect body = { at.row + 1, at.column, at.rows - 1, at.columns };
	if (pane)
		pane->ops->draw(pane, &app->tui, body);
	else
		grid_puts(&app->tui.grid, body.row, body.column + 1, body.columns - 1, ROLE_DIM,
			  "Nothing to drill into.");
	for (int row = at.row; !keys && row < at.row + at.rows; row++)
		grid_repaint(&app->tui.grid, row, at.column, at.columns, ROLE_SELECTION, ROLE_MARK);
	draw_caption(app, pane, at, keys);
}

/* Both panes of a split, the focused one last, since it sets the cursor. */
static bool draw_split(struct app *app)
{
	struct layout *layout = &app->layout;
	struct rect first, second;
	bool inside = app->split.inside;
	if (!split_shown(app) || !split_divide(app, layout->body, &first, &second))
		return false;
	if (first.rows == layout->body.rows)
		grid_rule(&app->tui.grid, first.row, first.column + first.columns, first.rows,
			  true);
	else
		grid_rule(&app->tui.grid, first.row + first.rows, first.column, first.columns,
			  false);
	layout->body = inside ? second : first;
	layout->beside = inside ? first : second;
	draw_half(app, inside ? split_first(app) : split_second(app), layout->beside, false);
	draw_half(app, inside ? split_second(app) : split_first(app), layout->body, true);
	return true;
}

/* The detail strip below the body: full details of the selected row. */
static void draw_detail(struct app *app, struct rect at)
{
	struct pane *pane = app_pane(app);
	AUTO_BUFFER struct buffer text = { 0 };
	if (at.rows == 0 || !pane || !pane->ops->detail)
		return;
	pane->ops->detail(pane, &app->tui, &text);
	strip_drop_long_forms(&text);
	if (pane->ops->shows)
		strip_group(&text, pane->ops->shows, pane, pane->places,
			    pane_strip_set(pane_ref(pane, &app->tui)), at.columns);
	else
		strip_drop_absent(&text);
	strip_entries(&app->tui.grid, at, buffer_text(&text));
	source_link(app, at, buffer_text(&text));
}

/* Lines and blocks: U+2500 to U+259F. */
static bool is_block(const struct cell *cell)
{
	const unsigned char *bytes = (const unsigned char *)cell->bytes;
	return bytes[0] == 0xe2 && bytes[1] >= 0x94 &&
	       (bytes[1] < 0x96 || (bytes[1] == 0x96 && bytes[2] <= 0x9f));
}

/* What tells parts without color is calm where they have some: a letter stands once, no grid. */
static void calm_part(const struct grid *grid, int at)
{
	struct cell *cell = &grid->cells[at];
	bool left = at % grid->columns && !memcmp(cell - 1, cell, sizeof *cell);
	bool above = at >= grid->columns && !memcmp(cell - grid->columns, cell, sizeof *cell);
	if (!strcmp(cell->bytes, "▚"))
		strcpy(cell->bytes, "█");
	else if (cell->filled == FILLED_LETTER && (left || above))
		strcpy(cell->bytes, " ");
}

/*
 * A role with a background of its own is that color: blocks are drawn with it, and labels on them
 * are as elsewhere.
 */
static void fill_backgrounds(struct app *app)
{
	const struct grid *grid = &app->tui.grid;
	const int page = app->tui.theme.look[ROLE_TEXT].background;
	bool letters = tui_shows_letters(&app->tui);
	for (int i = grid->rows * grid->columns; i-- > 0;) {
		struct cell *cell = &grid->cells[i];
		const struct look *look = &app->tui.theme.look[cell->role];
		if (!letters && look->foreground >= 0)
			calm_part(grid, i);
		if ((cell->role >= ROLE_KERNEL || cell->role == ROLE_BAR ||
		     cell->role == ROLE_WARNING) &&
		    look->background != page && look->foreground >= 0)
			cell->filled = is_block(cell);
	}
}

static void draw_frame(struct app *app)
{
	struct layout *layout = &app->layout;
	struct pane *pane = app_pane(app);
	bool detail = app->tui.settings.detail && !app->what_if.open &&
		      (!pane || pane->ops->detail) &&
		      !(pane && pane->ops->no_strip && pane->ops->no_strip(pane));
	layout_compute(layout, app->tui.grid.rows, app->tui.grid.columns, detail);
	grid_clear(&app->tui.grid);
	buffer_clear(&app->links.now.link);
	buffer_clear(&app->links.now.plain);
	app->tui.grid.ascii = app->tui.settings.ascii;
	if (layout->too_small) {
		grid_puts(&app->tui.grid, 0, 0, app->tui.grid.columns, ROLE_WARNING, "too small");
		return;
	}
	if (app->what_if.open)
		what_if_draw(app, layout_take_panel(layout, WHAT_IF_ROWS));
	if (layout->title.rows)
		draw_title(app, layout->title);
	if (layout->tabs.rows)
		draw_tabs(app, layout->tabs);
	if (layout->breadcrumb.rows)
		draw_breadcrumb(app, layout->breadcrumb);
	if (layout->rule.rows)
		grid_rule(&app->tui.grid, layout->rule.row, 0, app->tui.grid.columns, false);
	if (!draw_split(app))
		draw_body(app, layout->body);
	draw_detail(app, layout->detail);
	if (app->prompt.open)
		prompt_draw(&app->prompt, &app->tui.grid, layout->footer.row,
			    app->tui.grid.columns);
	else
		draw_footer(app, layout->footer);
	if (app->tui.menu.open)
		menu_draw(&app->tui.menu, &app->tui.grid,
			  (struct rect){ layout->body.row, 0, layout->footer.row - layout->body.row,
					 app->tui.grid.columns });
}

/* While keys are typed the details of the row stay, in the same place: they are most of what
 * differs. */
void frame_draw(struct app *app)
{
	struct rect before = app->layout.detail, *detail = &app->layout.detail;
	draw_frame(app);
	bool stays = app->drawn == app_pane(app) && !memcmp(&before, detail, sizeof before);
	app->drawn = app_pane(app);
	app->tui.grid.later_row = detail->row;
	app->tui.grid.later_rows = stays && !keys_rest(app) ? detail->rows : 0;
	if (app->tui.colors > 0)
		fill_backgrounds(app);
}

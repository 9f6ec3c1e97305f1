/*
 * What if: asks for an edit of what is selected, and shows the run under it as the base run.
 */
#include "analysis/advice/detectors.h"
#include "analysis/whatif/whatif_scenario.h"
#include "session/load.h"
#include "tui/app/app.h"

static const char prefix[] = "whatif:";

/* The selected finding's detector, in a table of findings; a missing value elsewhere. */
static struct value selected_detector(const struct pane *pane)
{
	const struct table *table = pane->ops->table ? pane->ops->table(pane) : NULL;
	int column = table ? table_column(table, "detector") : -1;
	size_t row = pane->ops->row(pane);
	return column < 0 || row == SIZE_MAX ? value_missing()
					     : table_value(table, row, (size_t)column);
}

/* The edit of a finding, by the id or the headline of its detector; NULL: there is none. */
static const char *edit_of_finding(const char *name)
{
	const struct detector *detector = detectors();
	while (detector->id && strcmp(name, detector->id) != 0 &&
	       strcmp(name, detector->problem) != 0)
		detector++;
	return detector->id ? detector->edit : NULL;
}

/* What an edit calls work of this name; NULL: nothing recorded has it. */
static const char *target_of_name(struct app *app, const char *name)
{
	AUTO_RANK struct rank *rank = run_peek(app->tui.run, app->tui.nav.here->scope.rank);
	uint32_t id = rank ? profile_find(rank->profile, name) : NO_ROW;
	const uint16_t roles = NAME_COMMUNICATION | NAME_COMMUNICATION_KERNEL;
	if (!rank || id >= rank->derived->names)
		return NULL;
	return rank->derived->role[id] & roles ? "comm" : "kernels";
}

/* Work of these names, in lines; blanks and semicolons would end an edit and its name. */
static void edit_of_names(struct app *app, char *names, struct buffer *edit)
{
	char *rest = names;
	for (char *name; (name = strsep(&rest, "\n")) != NULL;) {
		size_t from = edit->length;
		const char *target = *name ? target_of_name(app, name) : NULL;
		if (!target)
			continue;
		buffer_puts(edit, from ? "; " : "");
		buffer_printf(edit, "%s:^", target);
		from = edit->length;
		pattern_quote(edit, name, strlen(name));
		for (size_t i = from; i < edit->length; i++)
			if (strchr(" ;", edit->data[i]))
				edit->data[i] = '.';
		buffer_puts(edit, "$ x0.5");
	}
}

void what_if_ask(struct app *app)
{
	struct pane *pane = app_pane(app);
	AUTO_BUFFER struct buffer names = { 0 }, line = { 0 }, edit = { 0 };
	struct value finding = selected_detector(pane);
	size_t count =
		finding.kind == VALUE_TEXT ? 1 : pane->ops->copy(pane, &app->tui, false, &names);
	if (finding.kind == VALUE_TEXT)
		buffer_add(&names, finding.text, finding.length);
	while (names.length && names.data[names.length - 1] == '\n')
		names.data[--names.length] = '\0';
	const char *of_finding = count == 1 ? edit_of_finding(buffer_text(&names)) : NULL;
	if (of_finding)
		buffer_puts(&edit, of_finding);
	else if (count && finding.kind != VALUE_TEXT)
		edit_of_names(app, names.data, &edit);
	if (!edit.length)
		app_say(app, MESSAGE_INFO, "no edit is known for this (:whatif EDIT tries one)");
	buffer_printf(&line, "whatif %s", buffer_text(&edit));
	app_ask(app, PROMPT_COMMAND, buffer_text(&line));
}

bool what_if_run(struct app *app, const char *argument, struct error *error)
{
	AUTO_FREE char *base = mem_printf("%s%s", prefix, argument);
	AUTO_FREE char *group = mem_printf("edit=%s", argument);
	const struct pane_subject table = { .kind = PANE_TABLE,
					    .view = view_find("whatif"),
					    .query.group = group };
	if (*argument && app->tui.run->rank_count > 1) /* the ranks wait for each other */
		nav_push_new(&app->tui, &table, NULL);
	else if (*argument)
		load_files(app, base);
	else
		nav_view(&app->tui, view_find("whatif"));
	return true;
}

const char *what_if_edits(const struct path_list *base)
{
	bool is = base->count && strncmp(base->path[0], prefix, sizeof prefix - 1) == 0;
	return is ? base->path[0] + sizeof prefix - 1 : NULL;
}

void what_if_say(struct app *app)
{
	const struct run *base = app->tui.run->base;
	AUTO_RANK struct rank *rank = base ? run_peek(base, app->tui.nav.here->scope.rank) : NULL;
	if (rank)
		app_say(app, MESSAGE_INFO, "what-if: %s",
			profile_metadata(rank->profile, WHATIF_SCENARIO));
}

/*
 * Help, generated from actions, commands, options, views and columns.
 */
#include "analysis/lanes.h"
#include "picture/picture.h"
#include "tui/app/app.h"
#include "tui/text/text_pane.h"

/* True if the action is bound in exactly this context. */
static bool bound_in(enum action action, enum context context, struct buffer *keys)
{
	buffer_clear(keys);
	action_keys(keys, action, context);
	return keys->length > 0;
}

static void add_context(struct pane *pane, enum context context, const char *before)
{
	AUTO_BUFFER struct buffer keys = { 0 };
	AUTO_FREE char *title = mem_printf("%s%s", before, context_title(context));
	text_pane_heading(pane, title);
	for (int group = 0; group < GROUP_COUNT; group++) {
		for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
			const struct action_info *info = action_info((enum action)i);
			if ((int)info->group != group || !bound_in((enum action)i, context, &keys))
				continue;
			AUTO_FREE char *text = mem_printf("%s  (%s)", info->help, info->name);
			text_pane_item(pane, buffer_text(&keys), text);
		}
	}
}

static void add_signs(struct pane *pane, bool ascii)
{
	static const struct {
		const char *sign, *plain, *meaning;
	} signs[] = { SIGN_ROWS };
	text_pane_heading(
		pane,
		"Signs of the timeline; letters: the kind that takes most time, a capital in the backward pass");
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		const char *sign = ascii ? signs[i].plain : signs[i].sign;
		if (sign)
			text_pane_item(pane, sign, signs[i].meaning);
	}
	for (int i = 0; i < GROUPS_PLAIN; i++) {
		const char letter[] = { lane_group_letter((enum lane_group)i), '\0' };
		text_pane_item(pane, letter, lane_group_name((enum lane_group)i));
	}
}

/* Actions without a key, which can be run by name. */
static void add_unbound(struct pane *pane)
{
	AUTO_BUFFER struct buffer keys = { 0 };
	bool headed = false;
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		bool bound = false;
		for (int context = 0; context < CONTEXT_COUNT; context++)
			bound |= bound_in((enum action)i, (enum context)context, &keys);
		if (bound)
			continue;
		if (!headed)
			text_pane_heading(pane, "Unbound actions (:bind CONTEXT KEY ACTION)");
		headed = true;
		text_pane_item(pane, action_info((enum action)i)->name,
			       action_info((enum action)i)->help);
	}
}

static void add_commands(struct pane *pane)
{
	text_pane_heading(pane, "Commands (:NAME); every action name above works, too");
	for (size_t i = 0; command_at(i); i++) {
		const struct command_info *info = command_at(i);
		AUTO_FREE char *label = mem_printf(":%s%s%s", info->name,
						   *info->arguments ? " " : "", info->arguments);
		text_pane_item(pane, label, info->help);
	}
	text_pane_item(pane, ":NUMBER", "Go to this row");
	text_pane_heading(pane, "Options (:set NAME, :set noNAME, or o)");
	for (size_t i = 0; option_at(i); i++)
		text_pane_item(pane, option_at(i)->name, option_at(i)->help);
}

static void add_view(struct pane *pane, char key, const char *name, const char *summary)
{
	AUTO_FREE char *label = mem_printf("%c %s", key ? key : ' ', name);
	text_pane_item(pane, label, summary);
}

static void add_views(struct pane *pane)
{
	for (size_t area = 0; view_area_at(area); area++) {
		AUTO_FREE char *title =
			mem_printf("Views of %s (number or :view NAME)", view_area_at(area));
		text_pane_heading(pane, title);
		for (size_t i = 0; view_at(i); i++)
			if (view_is_of(view_at(i), view_area_at(area)))
				add_view(pane, view_at(i)->key, view_at(i)->name,
					 view_at(i)->summary);
	}
	text_pane_heading(pane, "Pictures (likewise)");
	for (size_t i = 0; picture_at(i); i++)
		add_view(pane, picture_at(i)->key, picture_at(i)->name, picture_at(i)->summary);
	text_pane_heading(pane, "Columns");
	for (size_t i = 0; column_at(i); i++)
		text_pane_item(pane, column_at(i)->id, column_at(i)->definition);
}

struct pane *help_pane(enum context context, bool ascii)
{
	static const enum context order[] = { HELP_CONTEXTS };
	struct pane *pane = text_pane_new("help");
	text_pane_heading(
		pane,
		"Arrows move, Enter drills down, Backspace goes back, / searches (this help, too), Q quits");
	if (context != CONTEXT_ALL)
		add_context(pane, context, "Active keys, ");
	if (context == CONTEXT_TIMELINE)
		add_signs(pane, ascii);
	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
		if (order[i] != context || context == CONTEXT_ALL)
			add_context(pane, order[i], "Keys ");
	if (context != CONTEXT_TIMELINE)
		add_signs(pane, ascii);
	add_unbound(pane);
	add_commands(pane);
	add_views(pane);
	guidance_add(pane);
	return pane;
}

static void list_keys(FILE *out)
{
	AUTO_BUFFER struct buffer keys = { 0 };
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		const struct action_info *info = action_info((enum action)i);
		for (int context = 0; context < CONTEXT_COUNT; context++) {
			if (bound_in((enum action)i, (enum context)context, &keys))
				fprintf(out, "%s\t%s\t%s\t%s\n", info->name,
					context_title((enum context)context), buffer_text(&keys),
					info->help);
		}
	}
}

int tui_list_keys(const struct tui_options *options, FILE *out)
{
	struct app app = { .options = options };
	struct error error = { 0 };
	if (!config_read(&app, options->config, !options->ignore_config, &error)) {
		fprintf(stderr, "strata: %s\n", error.message);
		return 2;
	}
	list_keys(out);
	int status = fflush(out) == 0 ? 0 : 5;
	fputs(buffer_text(&app.config.problems), stderr);
	config_clear(&app.config);
	return status;
}

static void list_commands(FILE *out)
{
	for (size_t i = 0; command_at(i); i++)
		fprintf(out, "%s\t%s\t%s\n", command_at(i)->name, command_at(i)->arguments,
			command_at(i)->help);
}

static void list_themes(FILE *out)
{
	AUTO_BUFFER struct buffer names = { 0 };
	theme_names(&names);
	for (size_t i = 0; i < names.length; i++)
		putc(names.data[i] == ' ' ? '\n' : names.data[i], out);
	putc('\n', out);
}

bool tui_list(const char *what, FILE *out)
{
	static const struct {
		const char *name;
		void (*print)(FILE *out);
	} lists[] = { TUI_LISTS };
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		if (!strcmp(lists[i].name, what)) {
			lists[i].print(out);
			return true;
		}
	}
	return false;
}

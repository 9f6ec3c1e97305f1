#include "cli/command.h"

#include "analysis/advice/detectors.h"
#include "base/error.h"
#include "picture/picture.h"
#include "picture/plot/plot.h"

#include <string.h>

static const struct column columns[] = {
	{ "view", "View", UNIT_TEXT, 16, "View name." },
	{ "row", "Row", UNIT_TEXT, 24, "Meaning of a row." },
	{ "group_by", "Group By", UNIT_TEXT, 16, "Groupings; the first is the default." },
	{ "default_columns", "Default Columns", UNIT_TEXT, 40, "Columns of a table by default." },
	{ "columns", "Columns", UNIT_TEXT, 40, "All columns." },
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static struct value join_groups(struct table *table, const struct view *view)
{
	struct value joined = value_missing();
	for (int i = 0; i < VIEW_GROUPS_MAX && view->groups[i]; i++)
		joined = i ? table_printf(table, "%s,%s", joined.text, view->groups[i])
			   : value_text(view->groups[i]);
	return joined;
}

static struct table *list_views(void)
{
	struct table *table = table_new(NULL);
	for (size_t i = 0; i < COLUMNS; i++)
		table_add_column(table, &columns[i]);
	for (size_t i = 0; view_at(i); i++) {
		const struct view *view = view_at(i);
		size_t row = table_add_row(table, (struct ref){ .kind = REF_NONE });
		table_set_at(table, row, 0, value_text(view->name));
		table_set_at(table, row, 1, value_text(view->row));
		table_set_at(table, row, 2, join_groups(table, view));
		table_set_at(table, row, 3, value_text(view->default_columns));
		table_set_at(table, row, 4, value_text(view->columns));
	}
	return table;
}

/* Wrap the list of columns for reading. */
static void print_wrapped(const char *list)
{
	enum { WIDTH = 78 };
	size_t used = 0;
	while (*list) {
		size_t length = strcspn(list, ",");
		if (used && used + length + 2 > WIDTH) {
			printf(",\n");
			used = 0;
		}
		used += (size_t)printf("%s%.*s", used ? ", " : "    ", (int)length, list);
		list += length + (list[length] == ',');
	}
	printf("\n");
}

static void print_plots(void)
{
	printf("\nPlots (text or SVG from strata report; P or :plot in the explorer):\n");
	for (size_t i = 0; plot_at(i); i++) {
		const struct plot_kind *kind = plot_at(i);
		printf("  plot-%s: %s\n    group by", kind->name, kind->summary);
		for (int group = 0; group < PLOT_GROUPS_MAX && kind->groups[group].name; group++)
			printf("%s %s", group ? "," : "", kind->groups[group].name);
		printf("\n");
	}
}

static void print_pictures(void)
{
	printf("\nPictures (text from strata report; interactive in the explorer):\n");
	for (size_t i = 0; picture_at(i); i++)
		printf("  %s: %s\n", picture_at(i)->name, picture_at(i)->summary);
}

static int print_views(void)
{
	for (size_t i = 0; view_at(i); i++) {
		const struct view *view = view_at(i);
		printf("%s%s: a row is %s\n  %s\n", i ? "\n" : "", view->name, view->row,
		       view->summary);
		for (int group = 0; group < VIEW_GROUPS_MAX && view->groups[group]; group++)
			printf("%s %s", group ? "," : "  group by", view->groups[group]);
		printf("%s", view->groups[0] ? "\n" : "");
		print_wrapped(view->columns);
	}
	print_plots();
	print_pictures();
	return fflush(stdout) == 0 ? STATUS_DONE : STATUS_OUTPUT;
}

int command_views(struct session *session)
{
	const struct options *options = session->options;
	if (options->word_count) {
		error_set(&session->error, ERROR_USAGE, "strata views takes no argument \"%s\"",
			  options->words[0]);
		return session_fail(session);
	}
	if (options->format == format_at(0) && !options->output)
		return print_views();
	struct table *table = list_views();
	int status = print_table(session, table);
	table_free(table);
	return status;
}

void list_detectors(FILE *out)
{
	for (const struct detector *detector = detectors; detector->id; detector++)
		fprintf(out, "%s\t%s\t%s\n", detector->id, detector->problem, detector->condition);
}

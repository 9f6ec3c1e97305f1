#include "report/catalog.h"

#include <string.h>

static const struct column view_columns[] = {
	{ "view", "View", UNIT_TEXT, 16, "View name." },
	{ "row", "Row", UNIT_TEXT, 24, "Meaning of a row." },
	{ "group_by", "Group By", UNIT_TEXT, 16, "Groupings; the first is the default." },
	{ "default_columns", "Default Columns", UNIT_TEXT, 40, "Columns of a table by default." },
	{ "columns", "Columns", UNIT_TEXT, 40, "All columns." },
};

enum { COLUMNS = sizeof view_columns / sizeof *view_columns };

static struct value join_groups(struct table *table, const struct view *view)
{
	struct value joined = value_missing();
	for (int i = 0; i < VIEW_GROUPS_MAX && view->groups[i]; i++)
		joined = i ? table_printf(table, "%s,%s", joined.text, view->groups[i])
			   : value_text(view->groups[i]);
	return joined;
}

struct table *catalog_views(void)
{
	struct table *table = table_new(NULL);
	for (size_t i = 0; i < COLUMNS; i++)
		table_add_column(table, &view_columns[i]);
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

static const struct column help_columns[] = {
	{ "column", "Column", UNIT_TEXT, 16, "Column ID." },
	{ "default", "Default", UNIT_FLAG, 7, "Shown by default." },
	{ "unit", "Unit", UNIT_TEXT, 8, "Unit of its values." },
	{ "definition", "Definition", UNIT_TEXT, 40, "Definition." },
};

static bool is_listed(const char *list, const char *id)
{
	size_t length = strlen(id);
	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
		if (strncmp(at, id, length) == 0 && (at[length] == ',' || !at[length]))
			return true;
	}
	return false;
}

struct table *catalog_columns(const struct view *view)
{
	struct table *columns = table_new(view), *list = table_new(NULL);
	for (size_t i = 0; i < sizeof help_columns / sizeof *help_columns; i++)
		table_add_column(list, &help_columns[i]);
	for (size_t i = 0; i < columns->columns; i++) {
		const struct column *column = columns->column[i];
		size_t row = table_add_row(list, (struct ref){ .kind = REF_NONE });
		table_set_at(list, row, 0, value_text(column->id));
		table_set_at(list, row, 1, value_int(is_listed(view->default_columns, column->id)));
		table_set_at(list, row, 2, value_text(unit_name(column->unit)));
		table_set_at(list, row, 3, value_text(column->definition));
	}
	table_free(columns);
	return list;
}

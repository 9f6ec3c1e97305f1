#include "report/catalog.h"

#include "base/text_slice.h"

static const struct column view_columns[] = { VIEW_COLUMN_ROWS };

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
	struct table *table = table_with(view_columns, sizeof view_columns / sizeof *view_columns);
	const struct view *view;
	for (size_t i = 0; (view = view_at(i)); i++)
		table_add_values(table,
				 (struct value[]){ value_text(view->name), value_text(view->row),
						   join_groups(table, view),
						   value_text(view->default_columns),
						   value_text(view->columns) });
	return table;
}

static const struct column help_columns[] = { HELP_COLUMN_ROWS };

static bool is_listed(const char *list, const char *id)
{
	for (struct text_slice item; text_next_item(&list, &item);)
		if (slice_is(item, id))
			return true;
	return false;
}

struct table *catalog_columns(const struct view *view)
{
	AUTO_TABLE struct table *columns = table_new(view);
	struct table *list = table_with(help_columns, sizeof help_columns / sizeof *help_columns);
	for (size_t i = 0; i < columns->columns; i++) {
		const struct column *column = columns->column[i];
		bool shown = is_listed(view->default_columns, column->id);
		table_add_values(list, (struct value[]){ value_text(column->id), value_int(shown),
							 value_text(unit_name(column->unit)),
							 value_text(column->definition) });
	}
	return list;
}

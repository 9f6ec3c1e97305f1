#include "base/data_table.h"
#include "table/table.h"

#include <string.h>

static const char *const units[] = {
	[UNIT_TEXT] = "text",           [UNIT_COUNT] = "count", [UNIT_NS] = "ns",
	[UNIT_BYTES] = "bytes",         [UNIT_FLOP] = "flop",   [UNIT_FLOP_PER_S] = "flop/s",
	[UNIT_BYTES_PER_S] = "bytes/s", [UNIT_RATIO] = "ratio", [UNIT_PERCENT] = "percent",
	[UNIT_FLAG] = "flag",           [UNIT_ID] = "id",       NULL
};
static const char *const kinds[] = { "amount", "parts", "span", "mean", "point", NULL };
static const char *const roles[] = { "other",    "name",   "category", "step",  "start",
				     "duration", "device", "lane",     "scale", NULL };

#define AT(member) offsetof(struct column, member)
static const struct data_field column_fields[] = {
	{ NULL, DATA_TEXT, AT(id) },
	{ NULL, DATA_TEXT, AT(title) },
	{ NULL, DATA_WORD, AT(unit), units },
	{ NULL, DATA_INT, AT(width) },
	{ NULL, DATA_OPTIONS },
	{ NULL, DATA_TEXT, AT(definition) },
	{ "kind", DATA_WORD, AT(kind), kinds },
	{ "role", DATA_WORD, AT(role), roles },
	{ "part_of", DATA_TEXT, AT(part_of) },
	{ "quantity", DATA_TEXT, AT(quantity) },
	{ "section", DATA_INT, AT(section) },
	{ "device", DATA_FLAG, AT(device) },
	{ "separate", DATA_FLAG, AT(separate) },
	{ "colored", DATA_FLAG, AT(colored) },
	{ "mixed", DATA_FLAG, AT(mixed) },
	{ "estimated", DATA_FLAG, AT(estimated) },
	{ "change", DATA_FLAG, AT(change) },
	{ "prose", DATA_FLAG, AT(prose) },
	{ "of_tree", DATA_FLAG, AT(of_tree) },
};

static const struct column *all_columns(void)
{
	static struct data_table table = DATA_TABLE("columns.txt", column_fields, struct column);
	return data_table_rows(&table);
}

const char *unit_name(enum unit unit)
{
	return units[unit];
}

const struct column *column_at(size_t index)
{
	const struct column *column = all_columns();
	for (; column->id && index; index--)
		column++;
	return column->id ? column : NULL;
}

const struct column *column_find(const char *id)
{
	const struct column *column = all_columns();
	while (column->id && strcmp(column->id, id) != 0)
		column++;
	return column->id ? column : NULL;
}

bool column_is_amount(const struct column *column)
{
	switch (column->unit) {
	case UNIT_COUNT:
	case UNIT_NS:
	case UNIT_BYTES:
	case UNIT_FLOP: return column->kind != COLUMN_POINT;
	default: return false;
	}
}

bool column_has_shares(const struct column *column)
{
	return column_is_amount(column) && column->kind != COLUMN_MEAN;
}

bool column_is_number(const struct column *column)
{
	return column->unit != UNIT_TEXT;
}

#include "base/data_table.h"
#include "table/table.h"

static const char *const units[] = { UNIT_ROWS(LISTED_WORD) NULL };
static const char *const kinds[] = { COLUMN_KIND_ROWS(LISTED_WORD) NULL };
static const char *const roles[] = { COLUMN_ROLE_ROWS(LISTED_WORD) NULL };

static const struct column *all_columns(void)
{
	return DATA_ROWS("columns.txt", struct column, COLUMN_FIELD_ROWS);
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
	while (column->id && (*column->id != *id || strcmp(column->id, id) != 0))
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

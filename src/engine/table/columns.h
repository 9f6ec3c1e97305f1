/*
 * The two tables of columns (table/table.h).
 */
#ifndef STRATA_TABLE_COLUMNS_H
#define STRATA_TABLE_COLUMNS_H

#include "table/table.h"

extern const struct column tool_columns[]; /* columns_tools.c */
extern const size_t tool_column_count;

#endif

/*
 * The two parts of the vocabulary of columns (view/table.h).
 */
#ifndef STRATA_VIEW_COLUMNS_H
#define STRATA_VIEW_COLUMNS_H

#include "view/table.h"

extern const struct column tool_columns[];	/* columns_tools.c */
extern const size_t tool_column_count;

#endif

/*
 * What can be asked for, as tables: the views, and the columns of a view.
 */
#pragma once

#include "table/view.h"

/* The caller frees them. */
struct table *catalog_views(void);
struct table *catalog_columns(const struct view *view);

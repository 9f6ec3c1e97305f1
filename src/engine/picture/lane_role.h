/*
 * Colors of the groups of events on lanes, which kernels have wherever they are shown.
 */
#pragma once

#include "analysis/lanes.h"
#include "picture/role.h"
#include "table/table.h"

int timeline_role(enum lane_group group);
/* The group of this color, GROUPS_PLAIN: none; its letter, '\0': none. */
enum lane_group group_of_role(int role);
char letter_of_role(int role);
/* The color that kernels of a row's family have on the timeline; OTHERWISE: it has no family. */
enum role timeline_role_of_row(const struct table *table, size_t row, enum role otherwise);

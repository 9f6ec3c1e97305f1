#include "picture/lane_role.h"

int timeline_role(enum lane_group group)
{
	static const int roles[GROUPS_PLAIN] = { LANE_ROLE_ROWS };
	return roles[lane_group_plain(group)];
}

enum lane_group group_of_role(int role)
{
	int group = GROUPS_PLAIN;
	while (group > 0 && timeline_role((enum lane_group)(group - 1)) != role)
		group--;
	return (enum lane_group)(group ? group - 1 : GROUPS_PLAIN);
}

char letter_of_role(int role)
{
	enum lane_group group = group_of_role(role);
	return group == GROUPS_PLAIN ? '\0' : lane_group_letter(group);
}

enum role timeline_role_of_row(const struct table *table, size_t row, enum role otherwise)
{
	struct value family = table_cell_or_missing(table, row, "family");
	for (int i = 0; i < KERNEL_FAMILIES; i++)
		if (value_is(family, kernel_family_name((enum kernel_family)i)))
			return (enum role)timeline_role(
				lane_group_of_family((enum kernel_family)i));
	return otherwise;
}

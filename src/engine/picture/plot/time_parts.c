#include "picture/plot/time_parts.h"

#include "base/any_of.h"

#include <math.h>

static const struct time_part all_parts[] = { TIME_PARTS_ROWS };

const struct time_part *time_parts(const char *set)
{
	return first_of(at, all_parts, sizeof all_parts / sizeof *all_parts, !strcmp(at->set, set));
}

double time_part_value(const struct table *table, const struct time_part *part, size_t row)
{
	double value = value_number(table_cell(table, row, part->column), 0);
	if (part->minus)
		value -= value_number(table_cell(table, row, part->minus), 0);
	return fmax(value, 0);
}

double time_parts_sum(const struct plot *plot, const struct time_part *parts, size_t row)
{
	double sum = 0;
	for (size_t i = 0; parts[i].name; i++)
		sum += time_part_value(plot->table, &parts[i], row);
	return sum;
}

void plot_add_part(struct plot *plot, const struct time_part *part, const double *places)
{
	double sum = sum_of(row, plot->table->rows, time_part_value(plot->table, part, row));
	if (!(sum > 0))
		return;
	struct plot_series *series =
		plot_add_series(plot, 0, part->name, PLOT_STACK, part->role,
				(struct plot_glyphs){ { part->ascii }, { part->unicode } });
	for (size_t row = 0; row < plot->table->rows; row++)
		plot_add_point(series,
			       (struct plot_point){ .x = places[row] - 0.5,
						    .width = 1,
						    .y = time_part_value(plot->table, part, row),
						    .row = (uint32_t)row });
}

void time_part_draw(const struct time_part *part, struct grid *grid, int row, int column, int role)
{
	grid_part(grid, row, column, role, grid->ascii ? part->ascii : part->unicode);
}

/*
 * Step time of each rank and its parts, or that of its communication; one bar per row of the table.
 */
#include "picture/plot/time_parts.h"

#include <math.h>

static const struct plot_glyphs straggler_glyphs = { { "!" }, { "!" } };

static void mark_stragglers(struct plot *plot, const struct time_part *parts, const double *places)
{
	int straggler = table_column(plot->table, "straggler");
	if (straggler < 0)
		return;
	struct plot_series *series =
		plot_add_series(plot, 0, "Straggler", PLOT_POINTS, ROLE_WARNING, straggler_glyphs);
	for (size_t row = 0; row < plot->table->rows; row++)
		if (plot_cell(plot, row, straggler) > 0)
			plot_add_point(series,
				       (struct plot_point){ .x = places[row],
							    .y = time_parts_sum(plot, parts, row),
							    .row = (uint32_t)row });
}

bool plot_ranks_build(struct plot *plot)
{
	const struct table *table = plot->table;
	bool steps = strcmp(plot->group->name, "time") == 0;
	const struct time_part *parts = time_parts(steps ? "ranks" : "collectives");
	int rank = table_need(table, "rank");
	double highest = 0;
	plot->note = table->note;
	if (!plot_go_on(plot, 0))
		return false;
	/* at their numbers if these are consecutive, anything else at its position */
	bool numbered = plot_is_numbered(plot, rank);
	AUTO_FREE double *places = mem_zalloc(table->rows + 1, sizeof *places);
	for (size_t row = 0; row < table->rows; row++) {
		places[row] = numbered ? plot_cell(plot, row, rank) : (double)row;
		highest = fmax(highest, time_parts_sum(plot, parts, row));
	}
	double first = places[0], count = (double)table->rows;
	plot->x = (struct plot_axis){ numbered ? "Rank" : "Row", UNIT_ID, PLOT_LINEAR, first - 0.5,
				      first + fmax(count, 1) - 0.5 };
	plot_add_panel(plot, NULL,
		       (struct plot_axis){ steps ? "Step Time" : "Communication", UNIT_NS,
					   PLOT_LINEAR, 0, fmax(highest, 1) * 1.05 });
	for (size_t i = 0; highest > 0 && parts[i].name; i++)
		plot_add_part(plot, &parts[i], places);
	mark_stragglers(plot, parts, places);
	return true;
}

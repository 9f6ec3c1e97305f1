/*
 * Step times and their breakdown, one bar per step.
 */
#include "picture/plot/time_parts.h"

#include <math.h>

static const struct plot_glyphs outlier_glyphs = { { "!" }, { "!" } };
static const struct plot_glyphs partial_glyphs = { { "~" }, { "~" } };

struct steps {
	int step, dur, partial;
	bool numbered;  /* placed at their numbers, otherwise at their positions */
	double *places; /* by row */
};

/* Marks on bars: outliers among complete steps, or partial steps. */
static void add_marks(struct plot *plot, const struct steps *steps, bool partial,
		      const struct step_spread *spread)
{
	struct plot_series *series = plot_add_series(plot, 0, partial ? "Partial" : "Outlier",
						     PLOT_POINTS, partial ? ROLE_DIM : ROLE_WARNING,
						     partial ? partial_glyphs : outlier_glyphs);
	for (size_t row = 0; row < plot->table->rows; row++) {
		double dur = plot_cell(plot, row, steps->dur);
		bool is_partial = plot_cell(plot, row, steps->partial) > 0;
		bool far = spread && (dur < (double)spread->low || dur > (double)spread->high);
		if (partial ? is_partial : far && !is_partial)
			plot_add_point(series, (struct plot_point){ .x = steps->places[row],
								    .y = dur,
								    .row = (uint32_t)row });
	}
}

static void plot_steps_add_facts(struct plot *plot, const struct steps *steps,
				 const struct step_spread *spread)
{
	if (spread)
		plot_add_fact(
			plot, "Median", "%s; steps below %s or above %s are outliers",
			plot_quantity(plot, UNIT_NS, (double)spread->median),
			plot_quantity(plot, UNIT_NS, (double)(spread->low > 0 ? spread->low : 0)),
			plot_quantity(plot, UNIT_NS, (double)spread->high));
	else
		plot_add_fact(plot, "Outliers", "too few complete steps");
	if (!steps->numbered)
		plot_add_fact(plot, "Axis", "by position: step numbers have gaps");
}

bool plot_steps_build(struct plot *plot)
{
	const struct table *table = plot->table;
	struct steps steps = { .step = table_need(table, "step"),
			       .dur = table_need(table, "dur_ns"),
			       .partial = table_need(table, "partial") };
	const char *group = plot->group->name;
	const struct time_part *parts =
		time_parts(strcmp(group, "tensor-cores") == 0 ? "steps" : group);
	struct step_spread spread;
	bool told = steps_spread(table->held->derived, &spread);
	double highest = 0;
	if (!plot_go_on(plot, 0))
		return false;
	steps.numbered = plot_is_numbered(plot, steps.step);
	steps.places = mem_zalloc(table->rows + 1, sizeof *steps.places);
	for (size_t row = 0; row < table->rows; row++) {
		steps.places[row] = steps.numbered ? plot_cell(plot, row, steps.step) : (double)row;
		highest = fmax(highest, fmax(plot_cell(plot, row, steps.dur),
					     time_parts_sum(plot, parts, row)));
	}
	double first = steps.places[0];
	plot->x = (struct plot_axis){ steps.numbered ? "Step" : "Position", UNIT_ID, PLOT_LINEAR,
				      first - 0.5, first + (double)table->rows - 0.5 };
	plot_add_panel(plot, NULL,
		       (struct plot_axis){ "Step Time", UNIT_NS, PLOT_LINEAR, 0, highest * 1.05 });
	for (size_t i = 0; parts[i].name; i++)
		plot_add_part(plot, &parts[i], steps.places);
	add_marks(plot, &steps, false, told ? &spread : NULL);
	add_marks(plot, &steps, true, NULL);
	if (table->rows)
		plot_steps_add_facts(plot, &steps, told ? &spread : NULL);
	mem_free(steps.places);
	if (table->note)
		plot->note = table->note;
	return true;
}

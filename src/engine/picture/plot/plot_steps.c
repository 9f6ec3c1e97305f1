/*
 * Step times and their breakdown, one bar per step.
 */
#include "derived/derived.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "picture/plot/plot.h"
#include "picture/plot/time_parts.h"

#include <math.h>
#include <string.h>

static const struct plot_glyphs outlier_glyphs = { { "!", "!", "!" }, { "!", "!", "!" } };
static const struct plot_glyphs partial_glyphs = { { "~", "~", "~" }, { "~", "~", "~" } };

/* Steps are placed at their numbers if consecutive, otherwise at their positions. */
static bool are_consecutive(const struct plot *plot, int step)
{
	for (size_t row = 1; row < plot->table->rows; row++)
		if (plot_cell(plot, row, step) != plot_cell(plot, row - 1, step) + 1)
			return false;
	return plot->table->rows && fabs(plot_cell(plot, 0, step)) < 1e12;
}

struct steps {
	int step, dur, partial;
	bool numbered;
};

static double plot_steps_place_of(const struct plot *plot, const struct steps *steps, size_t row)
{
	return steps->numbered ? plot_cell(plot, row, steps->step) : (double)row;
}

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
			plot_add_point(series, (struct plot_point){
						       .x = plot_steps_place_of(plot, steps, row),
						       .y = dur,
						       .row = (uint32_t)row });
	}
}

static void plot_steps_add_facts(struct plot *plot, const struct steps *steps,
				 const struct step_spread *spread)
{
	struct buffer low = { 0 }, high = { 0 }, median = { 0 };
	if (spread) {
		plot_number(&low, UNIT_NS, (double)(spread->low > 0 ? spread->low : 0));
		plot_number(&high, UNIT_NS, (double)spread->high);
		plot_number(&median, UNIT_NS, (double)spread->median);
		plot_add_fact(plot, "Median", "%s; steps below %s or above %s are outliers",
			      median.data, low.data, high.data);
	} else {
		plot_add_fact(plot, "Outliers", "too few complete steps");
	}
	if (!steps->numbered)
		plot_add_fact(plot, "Axis", "by position: step numbers have gaps");
	buffer_free(&low);
	buffer_free(&high);
	buffer_free(&median);
}

static bool plot_steps_build(struct plot *plot, const struct progress *progress,
			     struct error *error)
{
	const struct table *table = plot->table;
	struct steps steps = { table_need(table, "step"), table_need(table, "dur_ns"),
			       table_need(table, "partial"), false };
	const struct time_part *parts =
		strcmp(plot->group->name, "causes") == 0         ? time_parts_by_cause
		: strcmp(plot->group->name, "tensor-cores") == 0 ? time_parts_by_tensor_core
								 : time_parts_by_class;
	struct step_spread spread;
	bool told = steps_spread(table->held->derived, &spread);
	double highest = 0;
	if (!plot_go_on(plot, 0, progress, error))
		return false;
	steps.numbered = are_consecutive(plot, steps.step);
	for (size_t row = 0; row < table->rows; row++)
		highest = fmax(highest, fmax(plot_cell(plot, row, steps.dur),
					     time_parts_sum(plot, parts, row)));
	double first = table->rows ? plot_steps_place_of(plot, &steps, 0) : 0;
	plot->x = (struct plot_axis){ steps.numbered ? "Step" : "Position", UNIT_ID, PLOT_LINEAR,
				      first - 0.5, first + (double)table->rows - 0.5 };
	plot_add_panel(plot, NULL,
		       (struct plot_axis){ "Step Time", UNIT_NS, PLOT_LINEAR, 0, highest * 1.05 });
	double *places = mem_alloc((table->rows + 1) * sizeof *places);
	for (size_t row = 0; row < table->rows; row++)
		places[row] = plot_steps_place_of(plot, &steps, row);
	for (size_t i = 0; parts[i].column; i++)
		plot_add_part(plot, &parts[i], places);
	mem_free(places);
	add_marks(plot, &steps, false, told ? &spread : NULL);
	add_marks(plot, &steps, true, NULL);
	if (table->rows)
		plot_steps_add_facts(plot, &steps, told ? &spread : NULL);
	if (table->note)
		plot->note = table->note;
	return true;
}

const struct plot_kind plot_steps = {
	.name = "steps",
	.title = "Step Times",
	.summary =
		"Step time by class of work, cause of idle time, or Tensor Core use; outliers are marked.",
	.range = PLOT_RANGE_STEPS,
	.groups = { { "classes", "Step Times by Class", "steps", NULL },
		    { "causes", "Step Times by Cause", "steps", NULL },
		    { "tensor-cores", "Kernel Time by Tensor Core Use, and Input", "steps",
		      NULL } },
	.build = plot_steps_build,
};

/*
 * Heat maps of ranks: what each mostly does over time, and how long its experts take by layer.
 */
#include "picture/plot/plot.h"

#include <math.h>

enum { BANDS_MAX = 512 }; /* more ranks share bands */

/* Of a rank at a time, and of a rank's experts in a layer. */
enum heat_state { COMPUTATION, COMMUNICATION, WAIT, IDLE, STATES, EXPERTS = STATES, SLOWEST, ALL };

/* Colors differ, and glyphs where there are none. */
static const struct {
	const char *name;
	enum role role;
	struct plot_glyphs glyphs; /* by share */
} states[ALL] = { HEAT_STATES };

struct heat_columns {
	int rank, start, dur, computation, communication, overlap, wait, idle;
};

/* What the rows of a cell add up to, ns. */
struct heat_sums {
	double state[STATES], recorded, worst;
	uint32_t row; /* the one with the highest share of waiting and idle time */
};

struct heat {
	struct plot *plot;
	struct heat_columns at;
	double width, start; /* of a bucket; of the first */
	size_t ranks, bands, buckets;
	struct heat_sums *sums; /* by bucket, then band */
};

static double heat_number(const struct heat *heat, size_t row, int column)
{
	double value = plot_cell(heat->plot, row, column);
	return isnan(value) ? 0 : value;
}

/* ---- the grid ---- */

static bool is_next_rank(const struct heat *heat, size_t row)
{
	return row &&
	       heat_number(heat, row, heat->at.rank) != heat_number(heat, row - 1, heat->at.rank);
}

static void find_grid(struct heat *heat)
{
	size_t rows = heat->plot->table->rows;
	double last = 0;
	heat->width = INFINITY;
	heat->start = INFINITY;
	heat->ranks = rows > 0;
	for (size_t row = 0; row < rows; row++) {
		double start = heat_number(heat, row, heat->at.start);
		bool next = is_next_rank(heat, row);
		heat->ranks += next;
		if (row && !next)
			heat->width = fmin(heat->width,
					   start - heat_number(heat, row - 1, heat->at.start));
		heat->start = fmin(heat->start, start);
		last = fmax(last, start);
	}
	if (!isfinite(heat->width)) /* one bucket */
		heat->width = rows ? fmax(heat_number(heat, 0, heat->at.dur), 1) : 1;
	heat->bands = heat->ranks < BANDS_MAX ? heat->ranks : BANDS_MAX;
	if (rows)
		heat->buckets = (size_t)lround((last - heat->start) / heat->width) + 1;
}

static void sum_row(struct heat *heat, size_t row, size_t rank)
{
	const struct heat_columns *at = &heat->at;
	double start = heat_number(heat, row, at->start) - heat->start;
	size_t bucket = (size_t)lround(start / heat->width),
	       band = rank * heat->bands / heat->ranks;
	struct heat_sums *sums = &heat->sums[bucket * heat->bands + band];
	double communication = heat_number(heat, row, at->communication);
	double exposed = communication - heat_number(heat, row, at->overlap);
	double wait = fmin(heat_number(heat, row, at->wait), fmax(exposed, 0));
	double idle = heat_number(heat, row, at->idle), recorded = heat_number(heat, row, at->dur);
	if (!sums->recorded || wait + idle > sums->worst * recorded) {
		sums->worst = recorded > 0 ? (wait + idle) / recorded : 0;
		sums->row = (uint32_t)row;
	}
	sums->state[COMPUTATION] += heat_number(heat, row, at->computation);
	sums->state[COMMUNICATION] += fmax(exposed, 0) - wait;
	sums->state[WAIT] += wait;
	sums->state[IDLE] += idle;
	sums->recorded += recorded;
}

static bool sum_rows(struct heat *heat)
{
	size_t rank = 0;
	for (size_t row = 0; row < heat->plot->table->rows; row++) {
		if (!plot_go_on(heat->plot, row))
			return false;
		rank += is_next_rank(heat, row);
		sum_row(heat, row, rank);
	}
	return true;
}

/* ---- the plot ---- */

/* Ranks are placed at their numbers if these are consecutive, otherwise at their position. */
static double first_place(const struct heat *heat, bool *numbered)
{
	size_t rows = heat->plot->table->rows;
	double first = heat_number(heat, 0, heat->at.rank),
	       last = heat_number(heat, rows - 1, heat->at.rank);
	*numbered = last - first + 1 == (double)heat->ranks;
	return *numbered ? first : 0;
}

static void add_series(const struct heat *heat, enum heat_state state, double first)
{
	double height = (double)heat->ranks / (double)heat->bands;
	struct plot_series *series = plot_add_series(heat->plot, 0, states[state].name, PLOT_CELLS,
						     states[state].role, states[state].glyphs);
	for (size_t i = 0; i < heat->buckets * heat->bands; i++) {
		const struct heat_sums *sums = &heat->sums[i];
		double share = 100 * sums->state[state] / sums->recorded;
		double band = (double)(i % heat->bands);
		plot_add_point(series,
			       (struct plot_point){
				       .x = heat->start + heat->width * (double)(i / heat->bands),
				       .y = first - 0.5 + (band + 0.5) * height,
				       .width = (float)heat->width,
				       .weight = sums->recorded > 0 ? (float)share : NAN,
				       .row = sums->recorded > 0 ? sums->row : NO_ROW,
			       });
	}
}

bool plot_heat_build(struct plot *plot)
{
	const struct table *table = plot->table;
	struct heat heat = {
		.plot = plot,
		.at = { table_need(table, "rank"), table_need(table, "start_ns"),
			table_need(table, "dur_ns"), table_need(table, "computation_ns"),
			table_need(table, "communication_ns"), table_need(table, "overlap_ns"),
			table_need(table, "sync_ns"), table_need(table, "idle_ns") }
	};
	bool numbered = false;
	plot->note = table->note;
	find_grid(&heat);
	double first = table->rows ? first_place(&heat, &numbered) : 0;
	plot->x = (struct plot_axis){ "Time", UNIT_NS, PLOT_LINEAR, heat.start,
				      heat.start + heat.width * (double)heat.buckets };
	plot_add_panel(plot, NULL,
		       (struct plot_axis){ numbered ? "Rank" : "Row", UNIT_ID, PLOT_LINEAR,
					   first - 0.5, first - 0.5 + (double)heat.ranks });
	if (!table->rows)
		return true;
	heat.sums = mem_zalloc(heat.buckets * heat.bands, sizeof *heat.sums);
	bool done = sum_rows(&heat);
	for (int state = 0; state < STATES && done; state++)
		add_series(&heat, (enum heat_state)state, first);
	plot->bands = heat.bands;
	mem_free(heat.sums);
	return done;
}

/* ---- experts ---- */

/* The points of STATE for RANKS in LAYERS, percent of MOST ns. Rows are by layer, then rank. */
static void add_experts(struct plot *plot, enum heat_state state, size_t ranks, size_t layers,
			double most)
{
	const struct table *table = plot->table;
	int layer = table_need(table, "expert_layer"), rank = table_need(table, "rank");
	int ns = table_need(table, "expert_ns"), cost = table_need(table, "imbalance_ns");
	struct plot_series *series = plot_add_series(plot, 0, states[state].name, PLOT_CELLS,
						     states[state].role, states[state].glyphs);
	for (size_t i = 0, row = 0; i < layers * ranks; i++) {
		double at = (double)(i / ranks + 1);
		bool here = row < table->rows && plot_cell(plot, row, layer) == at &&
			    plot_cell(plot, row, rank) == plot_cell(plot, i % ranks, rank);
		bool shown = here && (plot_cell(plot, row, cost) > 0) == (state == SLOWEST);
		double share = shown ? 100 * plot_cell(plot, row, ns) / most : here ? 0 : NAN;
		plot_add_point(series,
			       (struct plot_point){
				       .x = at,
				       .y = plot->panels[0].y.low + 0.5 + (double)(i % ranks),
				       .width = 1,
				       .weight = (float)share,
				       .row = here ? (uint32_t)row : NO_ROW,
			       });
		row += here;
	}
}

/* All ranks with experts have some in the first layer. */
bool plot_experts_build(struct plot *plot)
{
	const struct table *table = plot->table;
	int layer = table_need(table, "expert_layer"), rank = table_need(table, "rank");
	size_t ranks = 0, layers = 0;
	double most = 0;
	for (size_t row = 0; row < table->rows; row++) {
		layers = (size_t)plot_cell(plot, row, layer);
		ranks += layers == 1;
		most = fmax(most, plot_cell(plot, row, table_need(table, "expert_ns")));
	}
	double first = ranks ? plot_cell(plot, 0, rank) : 0;
	bool numbered = ranks && plot_cell(plot, ranks - 1, rank) - first + 1 == (double)ranks;
	first = (numbered ? first : 0) - 0.5;
	plot->note = table->note;
	plot->x = (struct plot_axis){ "MoE Layer", UNIT_ID, PLOT_LINEAR, 1,
				      (double)(layers ? layers : 1) + 1 };
	plot_add_panel(plot, NULL,
		       (struct plot_axis){ numbered ? "Rank" : "Row", UNIT_ID, PLOT_LINEAR, first,
					   first + (double)(ranks ? ranks : 1) });
	plot->bands = ranks;
	for (enum heat_state state = EXPERTS; state < ALL && ranks; state++)
		add_experts(plot, state, ranks, layers, most);
	return true;
}

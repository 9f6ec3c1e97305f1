/*
 * The history view: rows over the runs of a baseline, and since which run they take another time.
 */
#include "base/any_of.h"
#include "session/run_history.h"
#include "views/views.h"

#include "base/buffer.h"

#include <math.h>

enum { TREND_CELLS = 24 };

/* The mean of the runs FROM to END where the row is; NAN: it is in none. */
static double mean_of_runs(const struct history_row *row, size_t from, size_t end)
{
	double sum = 0, known = 0;
	for (size_t i = from; i < end; i++) {
		known += !isnan(row->ns[i]);
		sum += isnan(row->ns[i]) ? 0 : row->ns[i];
	}
	return known > 0 ? sum / known : NAN;
}

/* From the least to the most, in at most TREND_CELLS blocks. */
static struct value trend_of(struct table *table, const struct run_history *history,
			     const struct history_row *row)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	size_t cells = history->count < TREND_CELLS ? history->count : TREND_CELLS;
	double values[TREND_CELLS], low = INFINITY, high = -INFINITY;
	struct buffer text = { 0 };
	for (size_t i = 0; i < cells; i++) {
		values[i] = mean_of_runs(row, history->count * i / cells,
					 history->count * (i + 1) / cells);
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
	}
	for (size_t i = 0; i < cells; i++) {
		double level = high > low ? 7 * (values[i] - low) / (high - low) : 0;
		buffer_puts(&text, isnan(values[i]) ? " " : blocks[(int)level]);
	}
	return table_take_text(table, &text);
}

static size_t add_named_row(struct table *table, const struct history_row *row)
{
	const char *name = *row->name ? row->name : "median step";
	size_t at = table_add_row(table, NO_REF);
	table_set(table, at, "kind", value_text(run_history_kind_name(row->kind)));
	table_set(table, at, "name", table_copy_string(table, name));
	return at;
}

static void set_run(struct table *table, size_t at, const struct run_history *history, size_t run)
{
	const struct history_run *of = &history->runs[run];
	table_set(table, at, "run", value_int((int64_t)run + 1));
	table_set(table, at, "label", table_copy_string(table, of->label));
	if (of->start != NO_VALUE)
		table_set(table, at, "time", cell_date(table, of->start));
}

/* With the first run of the change. */
static void add_trend(struct table *table, const struct run_history *history,
		      const struct history_row *row)
{
	const struct change_point *change = &row->change;
	size_t at = add_named_row(table, row);
	table_set(table, at, "trend", trend_of(table, history, row));
	table_set(table, at, "before_ns", value_real(change->before));
	table_set(table, at, "verdict", value_text(change_name(change->change)));
	if (change->change == SAME)
		return;
	table_set(table, at, "after_ns", value_real(change->after));
	table_set(table, at, "ratio", value_real(change->after / change->before));
	set_run(table, at, history, change->first);
}

static void add_times(struct table *table, const struct run_history *history,
		      const struct history_row *row)
{
	for (size_t i = 0; i < history->count; i++) {
		size_t at = add_named_row(table, row);
		set_run(table, at, history, i);
		if (!isnan(row->ns[i]))
			table_set(table, at, "run_ns", value_real(row->ns[i]));
		if (row->change.change != SAME && row->change.first == i)
			table_set(table, at, "verdict",
				  value_text(change_name(row->change.change)));
	}
}

static void note_history(struct table *table, const struct run_history *history)
{
	const struct history_row *worst = run_history_worst(history);
	AUTO_BUFFER struct buffer text = { 0 };
	size_t unread = count_where(i, history->count, history->runs[i].unread);
	if (worst)
		buffer_printf(&text, "First bad run: %s (%s %s takes %.1f %% more time).",
			      history->runs[worst->change.first].label,
			      run_history_kind_name(worst->kind), worst->name,
			      100 * (worst->change.after / worst->change.before - 1));
	else
		buffer_printf(&text, "No run of %zu is slower than those before it.",
			      history->count);
	if (unread)
		buffer_printf(&text, " %zu run%s could not be read.", unread,
			      unread == 1 ? "" : "s");
	table_note(table, "%s", buffer_text(&text));
}

bool build_history(struct table *table, const struct view_query *query)
{
	bool runs = query->group && strcmp(query->group, "runs") == 0;
	if (!query->run->history) {
		table_note(table, "A history is that of a baseline: strata history NAME, or --base "
				  "NAME.");
		return true;
	}
	struct run_history *history =
		run_history_read(query->run->history, query->progress, query->error);
	for (size_t i = 0; history && i < history->row_count; i++)
		if (runs)
			add_times(table, history, &history->rows[i]);
		else
			add_trend(table, history, &history->rows[i]);
	if (history)
		note_history(table, history);
	if (runs)
		table->default_columns = "run,label,time,kind,name,run_ns,verdict";
	run_history_free(history);
	return history != NULL;
}

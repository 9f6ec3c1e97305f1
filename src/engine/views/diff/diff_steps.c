/*
 * The steps of two runs: medians, and pairs by step number.
 */
#include "analysis/step_change.h"
#include "base/any_of.h"
#include "base/hash.h"
#include "views/diff/diff.h"

#include "session/load.h"
#include <inttypes.h>
#include <math.h>

/* A row of the steps view. */
struct step_row {
	int64_t number, launches, device, dur;
	bool found;
};

static const struct step_row no_step = { .launches = NO_VALUE,
					 .device = NO_VALUE,
					 .dur = NO_VALUE };

static size_t step_count(const struct diff_side *side)
{
	return side->table ? side->table->rows : 0;
}

static int64_t diff_steps_cell(const struct table *table, size_t row, const char *id)
{
	return table_cell(table, row, id).integer;
}

static struct step_row read_step(const struct diff_side *side, size_t row)
{
	const struct table *table = side->table;
	if (row >= step_count(side))
		return no_step;
	return (struct step_row){
		.number = diff_steps_cell(table, row, "step"),
		.launches = diff_steps_cell(table, row, "launches"),
		.device = diff_steps_cell(table, row, "kernel_ns") +
			  diff_steps_cell(table, row, "memcpy_ns") +
			  diff_steps_cell(table, row, "memset_ns") +
			  diff_steps_cell(table, row, "communication_ns"),
		.dur = diff_steps_cell(table, row, "dur_ns"),
		.found = true,
	};
}

/* True if the runs have a step number in common; otherwise steps are paired by order. */
static bool share_numbers(const struct diff_side *base, const struct diff_side *new)
{
	AUTO_HASH struct hash *numbers = hash_new(step_count(base));
	for (size_t i = 0; i < step_count(base); i++)
		hash_add(numbers, (uint64_t)read_step(base, i).number, (uint32_t)i);
	return any_of(i, step_count(new),
		      hash_last(numbers, (uint64_t)read_step(new, i).number) != NO_ROW);
}

/* COMPARED: what the times are of. */
static void set_verdict(struct table *table, size_t row, struct difference evidence,
			const char *compared)
{
	enum change change = difference_judge(&evidence);
	if (evidence.base != evidence.new)
		table_set(table, row, "verdict",
			  value_text(evidence.known ? diff_change_name(
							      change, difference_is_same(&evidence))
						    : "not comparable"));
	if (change != SAME)
		table_set(table, row, "compared", value_text(compared));
	if (evidence.base > 0)
		table_set(table, row, "ratio", value_real(evidence.new / evidence.base));
}

/* Of the durations of steps, or of their GPU time; NAME says which. */
static void add_median(struct table *table, const struct step_change *change, const char *name,
		       bool device)
{
	const struct step_series *base = &change->base, *new = &change->new;
	size_t row = table_add_row(table, NO_REF);
	table_set(table, row, "kind", value_text("median"));
	table_set(table, row, "name", value_text(name));
	table_set(table, row, "base_calls", value_int(base->count));
	table_set(table, row, "new_calls", value_int(new->count));
	diff_set(table, row, device ? diff_gpu_columns : diff_cpu_columns, llround(base->median),
		 llround(new->median));
	table_set(table, row, "base_spread_ns", value_int(llround(base->spread)));
	table_set(table, row, "new_spread_ns", value_int(llround(new->spread)));
	set_verdict(table, row, step_change_evidence(change), device ? "GPU" : "step");
}

/* GPU times of the complete steps; their number. The caller frees VALUES. */
static uint32_t collect_device(const struct diff_side *side, double **values)
{
	uint32_t count = 0;
	*values = mem_alloc(step_count(side) * sizeof **values);
	for (size_t i = 0; i < step_count(side); i++)
		if (!table_cell(side->table, i, "partial").integer)
			(*values)[count++] = (double)read_step(side, i).device;
	return count;
}

/* Steps may wait for the host, so what their GPU work takes is judged apart. */
static void add_device_median(struct table *table, const struct diff_side *base,
			      const struct diff_side *new)
{
	double *before, *after;
	uint32_t base_count = collect_device(base, &before);
	uint32_t new_count = collect_device(new, &after);
	struct step_change change = step_change_between(before, base_count, after, new_count);
	if (base_count && new_count && change.base.median + change.new.median > 0)
		add_median(table, &change, "median GPU time", true);
	mem_free_all(before, after);
}

static struct value step_name(struct table *table, const struct step_row *base,
			      const struct step_row *new)
{
	if (base->found && new->found && base->number != new->number)
		return table_printf(table, "step %" PRId64 " to %" PRId64, base->number,
				    new->number);
	return table_printf(table, "step %" PRId64, new->found ? new->number : base->number);
}

static void diff_steps_add_step(struct table *table, const struct step_change *change,
				const struct step_row *base, const struct step_row *new,
				uint32_t new_index)
{
	size_t row = table_add_row(table,
				   new->found ? (struct ref){ REF_STEP, new_index, 0, 0 } : NO_REF);
	table_set(table, row, "kind", value_text("step"));
	table_set(table, row, "name", step_name(table, base, new));
	table_set(table, row, "base_calls", cell_int(base->launches));
	table_set(table, row, "new_calls", cell_int(new->launches));
	diff_set(table, row, diff_gpu_columns, base->device, new->device);
	diff_set(table, row, diff_cpu_columns, base->dur, new->dur);
	if (base->found && new->found)
		set_verdict(table, row,
			    step_change_single(change, (double)base->dur, (double)new->dur),
			    "step");
	else
		table_set(table, row, "verdict", value_text(new->found ? "new" : "gone"));
}

void diff_add_steps(struct table *table, const struct diff_side *base, const struct diff_side *new)
{
	struct step_change change = step_change_of(base->rank, new->rank, &new->scope);
	bool by_number = share_numbers(base, new);
	if (change.base.count && change.new.count)
		add_median(table, &change, "median step", false);
	add_device_median(table, base, new);
	for (size_t i = 0, k = 0; i < step_count(base) || k < step_count(new);) {
		struct step_row left = read_step(base, i), right = read_step(new, k);
		if (by_number && left.found && right.found && left.number != right.number)
			*(left.number < right.number ? &right : &left) = no_step;
		uint32_t index = right.found ? table_ref(new->table, k).a : 0;
		i += left.found;
		k += right.found;
		diff_steps_add_step(table, &change, &left, &right, index);
	}
}

void diff_add_phases(struct table *table, const struct diff_side *base, const struct diff_side *new)
{
	static const char *const names[PHASES] = { MEDIAN_STEP_ROWS };
	struct scope scope = new->scope; /* shares its texts */
	for (int phase = 0; phase < PHASES; phase++) {
		scope.phases = 1u << phase;
		struct step_change change = step_change_of(base->rank, new->rank, &scope);
		if ((!new->scope.phases || new->scope.phases &scope.phases) &&
		    (change.base.count || change.new.count))
			add_median(table, &change, names[phase], false);
	}
}

bool step_change_of_run(const struct run *run, const struct scope *scope,
			struct step_change *change, const struct progress *progress,
			struct error *error)
{
	AUTO_RANK const struct rank *new = run_acquire(run, scope->rank, progress, error);
	AUTO_RANK const struct rank *base =
		new ? run_acquire_base(run, scope->rank, progress, error) : NULL;
	if (base)
		*change = step_change_of(base, new, scope);
	return base != NULL;
}

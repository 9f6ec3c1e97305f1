/*
 * The gaps view: idle time of the devices, by its owner.
 */
#include "analysis/causes.h"
#include "analysis/advice/own_code.h"
#include "analysis/decode_cycle.h"
#include "base/buffer.h"
#include "base/compare.h"
#include "base/keyed.h"
#include "model/compile_log.h"
#include "views/views.h"
#include "view_columns.h"

#include <stdlib.h>

struct gaps_view_row {
	uint32_t device; /* index */
	uint32_t gap;
};

struct gap_rows {
	const struct profile *profile;
	const struct derived *derived;
	const struct causes *causes;
	struct causes own;
	struct gaps_view_row *rows;
	size_t count;
	int64_t idle;        /* sum of all gaps */
	struct value *names; /* by device index */
	struct value *layers;
	struct value kinds[CYCLE_CAUSES];
	struct value *compiled; /* by compilation of the log: why it was needed */
	uint8_t *words;         /* decode_cycle.h */
};

static void free_gaps(void *state)
{
	struct gap_rows *rows = state;
	causes_free(&rows->own);
	mem_free_all(rows->rows, rows->words);
}

static const struct gaps *gaps_of(const struct gap_rows *rows, size_t row)
{
	return &rows->causes->devices[rows->rows[row].device].gaps;
}

static const struct gap *gap_at(const struct gap_rows *rows, size_t row)
{
	return &gaps_of(rows, row)->items[rows->rows[row].gap];
}

static struct gap_owner owner_of(const struct gap_rows *rows, size_t row)
{
	const struct gap *gap = gap_at(rows, row);
	return gaps_owner(gaps_of(rows, row), gap->start, gap_end(gap), rows->rows[row].gap);
}

/* ---- cells ---- */

static int64_t length(const struct gap *gap)
{
	return gap_end(gap) - gap->start;
}

/* Name of the span that stands for what the host did; NO_ROW. */
static uint32_t work_name(const struct derived *derived, uint32_t span, enum time_cause cause)
{
	uint32_t shown = gap_work(derived, span, cause);
	return shown == NO_ROW ? NO_ROW : derived->profile->span_name[shown];
}

static struct value gap_source(const struct gap_rows *rows, uint32_t span)
{
	struct code_frame frame = own_frame_of(rows->profile, span);
	return frame.length ? value_bytes(frame.text, frame.length) : value_missing();
}

static struct value activity_name(const struct gap_rows *rows, uint32_t activity)
{
	return activity == NO_ROW
		       ? value_missing()
		       : cell_text(rows->profile, rows->profile->activity_name[activity]);
}

static struct value gap_reason(const struct gap_rows *rows, const struct gap *gap)
{
	const struct compile_item *item = compile_during(rows->profile, gap->start, gap_end(gap));
	return item ? rows->compiled[item - rows->profile->compile->items[OF_COMPILATION].at]
		    : value_missing();
}

/* Layer of the work that ends a gap, 0: none. */
static uint32_t layer_after(const struct derived *derived, const struct gap *gap)
{
	return gap->after == NO_ROW
		       ? 0
		       : layer_enclosing(derived, derived->layers.activity_node[gap->after]);
}

static struct value part_ns(const struct gap *gap, enum time_cause cause)
{
	int64_t ns = 0;
	for (size_t i = 0; i < gap->parts; i++) {
		const struct gap_part *part = gap_part(gap, i);
		ns += part->cause == cause ? gap_part_end(gap, i) - gap_part_start(gap, i) : 0;
	}
	return value_int(ns);
}

/* Of the step that a gap begins in. */
static enum phase phase_at(const struct derived *derived, int64_t time)
{
	uint32_t step = derived_step_at(derived, time);
	return step == NO_ROW ? PHASE_NONE : (enum phase)derived->steps[step].phase;
}

static struct value compute_gap(const struct table *table, size_t row, size_t column)
{
	const struct gap_rows *rows = table->state;
	const struct profile *profile = rows->profile;
	const struct derived *derived = rows->derived;
	const struct gap *gap = gap_at(rows, row);
	struct gap_owner owner;
	switch ((enum gaps_column)column) {
		GAPS_CELLS(LISTED_CASE)
	case GAPS_cpu_work:
		owner = owner_of(rows, row);
		return cell_text(profile, work_name(derived, owner.span, owner.cause));
	case GAPS_idle_launch_ns ... GAPS_idle_unknown_ns: /* in the order of the causes */
		return part_ns(gap, (enum time_cause)(CAUSE_LAUNCH + column - GAPS_idle_launch_ns));
	}
	return value_missing();
}

/* With the work that ends it; times are rounded down to microseconds. */
static struct ref time_of_gap(const struct gap_rows *rows, uint32_t device, const struct gap *gap)
{
	return ref_of_time(rows->causes->devices[device].device, gap->start, length(gap) + 1000);
}

static struct ref gap_ref(const struct table *table, size_t row)
{
	const struct gap_rows *rows = table->state;
	return time_of_gap(rows, rows->rows[row].device, gap_at(rows, row));
}

/* ---- rows ---- */

/* False when cancelled. */
static bool collect_rows(struct gap_rows *rows, const struct selection *selection,
			 const struct progress *progress)
{
	const struct scope *scope = selection->scope;
	for (uint32_t d = 0; d < rows->causes->device_count; d++) {
		const struct gaps *gaps = &rows->causes->devices[d].gaps;
		for (uint32_t i = 0; i < gaps->count; i++) {
			if (!progress_row(progress, "listing gaps", i, gaps->count))
				return false;
			const struct gap *gap = &gaps->items[i];
			if ((scope->phases &&
			     !selection_has_step(selection,
						 derived_step_at(rows->derived, gap->start))) ||
			    (scope->has_time &&
			     (gap->start >= scope->time_last || gap_end(gap) <= scope->time_first)))
				continue;
			*mem_push(rows->rows, rows->count) = (struct gaps_view_row){ d, i };
			rows->idle += length(gap);
		}
	}
	return true;
}

static void gaps_view_make_texts(struct gap_rows *rows, struct table *table)
{
	rows->names = table_values(table, rows->causes->device_count);
	for (size_t d = 0; d < rows->causes->device_count; d++)
		rows->names[d] = cell_device(table, rows->causes->devices[d].device);
	for (unsigned cause = 0; cause < CYCLE_CAUSES; cause++)
		rows->kinds[cause] = value_text(cycle_cause_name(cause));
	rows->layers = layer_path_cells(table, rows->derived);
	rows->words = mem_zalloc(rows->derived->names, 1);
	const struct compile_log *log = rows->profile->compile;
	size_t compilations = log ? log->items[OF_COMPILATION].count : 0;
	rows->compiled = table_values(table, compilations);
	for (size_t i = 0; i < compilations; i++) {
		AUTO_BUFFER struct buffer why = { 0 };
		compile_why(rows->profile, &log->items[OF_COMPILATION].at[i], &why);
		rows->compiled[i] = table_printf(table, "%s", buffer_text(&why));
	}
}

/* ---- grouped: by the owners of the parts, so that sums are exact ---- */

/* In the order of the view's groupings. */
enum gaps_view_grouping { BY_GAP, BY_CAUSE, BY_WORK, BY_LAYER, BY_PHASE };

struct gaps_view_group {
	int64_t ns, parts;
	uint32_t key;    /* cause, interned name or layer node */
	uint8_t cause;   /* by phase: of the cycle */
	int64_t longest; /* the longest gap, or by phase the longest part */
	uint32_t span;   /* of that part */
	struct gaps_view_row where;
};

COMPARE_MEMBERS(compare_groups, struct gaps_view_group, DOWN(ns) UP(key))

static uint32_t gaps_view_key_of(const struct gap_rows *rows, enum gaps_view_grouping by,
				 const struct gap *gap, const struct gap_part *part)
{
	if (by == BY_CAUSE)
		return part->cause;
	if (by == BY_PHASE)
		return phase_at(rows->derived, gap->start);
	if (by == BY_LAYER)
		return layer_after(rows->derived, gap);
	return work_name(rows->derived, part->span, (enum time_cause)part->cause);
}

static void add_to_group(struct gaps_view_group *group, int64_t ns, int64_t longest, uint32_t span,
			 struct gaps_view_row where)
{
	group->ns += ns;
	group->parts++;
	if (longest > group->longest) {
		group->longest = longest;
		group->span = span;
		group->where = where;
	}
}

static uint32_t cause_of_group(const struct gap_rows *rows, enum gaps_view_grouping by,
			       const struct gap *gap, const struct gap_part *part)
{
	return by == BY_PHASE  ? cycle_cause_of(rows->derived, rows->words, gap, part)
	       : by < BY_LAYER ? part->cause
			       : 0;
}

/* NULL when cancelled. */
static struct gaps_view_group *collect_groups(const struct gap_rows *rows,
					      enum gaps_view_grouping by, size_t *count,
					      const struct progress *progress)
{
	AUTO_KEYED struct keyed keys = { 0 };
	struct gaps_view_group *groups = mem_room_filled(NULL, 1, sizeof *groups, 0);
	bool ok = true;
	for_heavy_rows (ok, i, rows->count, progress, "adding up", 8) {
		const struct gap *gap = gap_at(rows, i);
		for (size_t p = 0; p < gap->parts; p++) {
			const struct gap_part *part = gap_part(gap, p);
			const uint32_t key[] = { gaps_view_key_of(rows, by, gap, part),
						 cause_of_group(rows, by, gap, part) };
			struct gaps_view_group *group = keyed_item(&keys, groups, &key);
			group->key = key[0];
			group->cause = (uint8_t)key[1];
			int64_t ns = gap_part_end(gap, p) - gap_part_start(gap, p);
			add_to_group(group, ns, by == BY_PHASE ? ns : length(gap), part->span,
				     rows->rows[i]);
		}
	}
	*count = keys.count;
	if (ok) {
		qsort(groups, *count, sizeof *groups, compare_groups);
		return groups;
	}
	mem_free(groups);
	return NULL;
}

static bool gaps_view_add_groups(struct table *table, const struct gap_rows *rows,
				 enum gaps_view_grouping by, const struct progress *progress)
{
	size_t count;
	AUTO_FREE struct gaps_view_group *groups = collect_groups(rows, by, &count, progress);
	if (by == BY_PHASE)
		table->default_columns = "phase,cause,dur_ns,share_pct,calls,cpu_work,source";
	for (size_t i = 0; groups && i < count; i++) {
		const struct gaps_view_group *group = &groups[i];
		const struct gaps *gaps = &rows->causes->devices[group->where.device].gaps;
		size_t row = table_add_row(table, time_of_gap(rows, group->where.device,
							      &gaps->items[group->where.gap]));
		table_set(table, row, "dur_ns", value_int(group->ns));
		table_set(table, row, "share_pct", cell_share(group->ns, rows->idle));
		table_set(table, row, "calls", value_int(group->parts));
		if (by != BY_LAYER)
			table_set(table, row, "cause", rows->kinds[group->cause]);
		if (by == BY_WORK)
			table_set(table, row, "cpu_work", cell_text(rows->profile, group->key));
		if (by == BY_PHASE) {
			table_set(table, row, "phase",
				  value_text(phase_name((enum phase)group->key)));
			table_set(table, row, "cpu_work",
				  cell_text(rows->profile,
					    work_name(rows->derived, group->span, group->cause)));
			table_set(table, row, "source", gap_source(rows, group->span));
		}
		if (by == BY_LAYER)
			table_set(table, row, "layer", rows->layers[group->key]);
	}
	return groups != NULL;
}

/* A GPU that works for one phase is not idle in another: gaps are those of all. */
static const struct causes *gaps_of_all_phases(const struct view_query *query, struct causes *own)
{
	struct scope scope = *query->scope; /* shares its texts */
	AUTO(selection_free) struct selection all = { 0 };
	if (!scope.phases)
		return derived_gaps(query->selection, own, query->progress);
	scope.phases = 0;
	if (!selection_make(&all, query->run, &scope, query->progress, query->error))
		return NULL;
	return derived_gaps(&all, own, query->progress);
}

bool build_gaps(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	enum gaps_view_grouping by =
		(enum gaps_view_grouping)view_grouping(table->view, query->group);
	struct gap_rows *rows = table_new_state(table, sizeof *rows, free_gaps);
	rows->profile = selection->profile;
	rows->derived = selection->derived;
	rows->causes = gaps_of_all_phases(query, &rows->own);
	if (!rows->causes || !collect_rows(rows, selection, query->progress))
		return false;
	gaps_view_make_texts(rows, table);
	if (by != BY_GAP) {
		if (!gaps_view_add_groups(table, rows, by, query->progress))
			return false;
	} else {
		table->rows = rows->count;
		table->compute = compute_gap;
		table->compute_ref = gap_ref;
	}
	if (selection->profile->activities && !table->rows)
		table_note(table, "No GPU is idle within the analysis window of this scope.");
	return true;
}

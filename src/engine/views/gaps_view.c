/*
 * The gaps view: idle time of the devices, by its owner.
 */
#include "analysis/causes.h"
#include "analysis/advice/own_code.h"
#include "base/hash.h"
#include "model/recording.h"
#include "views/views.h"

#include <stdlib.h>
#include <string.h>

/* The cells are computed by gap_<id>(). */
#define GAP_COLUMNS(_)                                                                             \
	_(device)                                                                                  \
	_(start_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(share_pct)                                                                               \
	_(cause)                                                                                   \
	_(cpu_work)                                                                                \
	_(source)                                                                                  \
	_(before)                                                                                  \
	_(after)                                                                                   \
	_(thread)                                                                                  \
	_(step)                                                                                    \
	_(layer)                                                                                   \
	_(calls)                                                                                   \
	_(idle_launch_ns)                                                                          \
	_(idle_sync_ns)                                                                            \
	_(idle_dataloader_ns)                                                                      \
	_(idle_allocator_ns)                                                                       \
	_(idle_compile_ns)                                                                         \
	_(idle_dependency_ns)                                                                      \
	_(idle_overhead_ns)                                                                        \
	_(idle_host_ns)                                                                            \
	_(idle_unknown_ns)

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
	struct value kinds[TIME_CAUSES];
};

static void gaps_view_free_rows(void *state)
{
	struct gap_rows *rows = state;
	causes_free(&rows->own);
	mem_free(rows->rows);
	mem_free(rows->names);
	mem_free(rows->layers);
	mem_free(rows);
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

static struct value gap_device(const struct gap_rows *rows, size_t row)
{
	return rows->names[rows->rows[row].device];
}

static struct value gap_start_ns(const struct gap_rows *rows, size_t row)
{
	return value_int(gap_at(rows, row)->start);
}

static int64_t length(const struct gap_rows *rows, size_t row)
{
	return gap_end(gap_at(rows, row)) - gap_at(rows, row)->start;
}

static struct value gap_dur_ns(const struct gap_rows *rows, size_t row)
{
	return value_int(length(rows, row));
}

static struct value gap_share_pct(const struct gap_rows *rows, size_t row)
{
	return cell_share(length(rows, row), rows->idle);
}

static struct value gap_cause(const struct gap_rows *rows, size_t row)
{
	return rows->kinds[owner_of(rows, row).cause];
}

/* Name of the span that stands for what the host did; NO_ROW. */
static uint32_t work_name(const struct derived *derived, uint32_t span, enum time_cause cause)
{
	uint32_t shown = gap_work(derived, span, cause);
	return shown == NO_ROW ? NO_ROW : derived->profile->span_name[shown];
}

static struct value gap_cpu_work(const struct gap_rows *rows, size_t row)
{
	struct gap_owner owner = owner_of(rows, row);
	return cell_text(rows->profile, work_name(rows->derived, owner.span, owner.cause));
}

static struct value gap_source(const struct gap_rows *rows, size_t row)
{
	uint32_t span = owner_of(rows, row).span;
	if (span == NO_ROW)
		return value_missing();
	const char *name = profile_string(rows->profile, rows->profile->span_name[span]);
	if (rows->profile->span_kind[span] == SPAN_PYTHON && is_own_code(name))
		return value_text(name);
	struct code_frame frame = own_frame_around(rows->profile, span);
	return frame.length ? value_bytes(frame.text, frame.length) : value_missing();
}

static struct value activity_name(const struct gap_rows *rows, uint32_t activity)
{
	return activity == NO_ROW
		       ? value_missing()
		       : cell_text(rows->profile, rows->profile->activity_name[activity]);
}

static struct value gap_before(const struct gap_rows *rows, size_t row)
{
	return activity_name(rows, gap_at(rows, row)->before);
}

static struct value gap_after(const struct gap_rows *rows, size_t row)
{
	return activity_name(rows, gap_at(rows, row)->after);
}

static struct value gap_thread(const struct gap_rows *rows, size_t row)
{
	uint32_t track = gap_at(rows, row)->track;
	return track == NO_ROW ? value_missing() : value_int(rows->profile->tracks[track].tid);
}

static struct value gap_step(const struct gap_rows *rows, size_t row)
{
	uint32_t step = derived_step_at(rows->derived, gap_at(rows, row)->start);
	return step == NO_ROW ? value_missing() : value_int(rows->derived->steps[step].number);
}

/* Layer of the work that ends a gap, 0: none. */
static uint32_t layer_after(const struct derived *derived, const struct gap *gap)
{
	return gap->after == NO_ROW
		       ? 0
		       : layer_enclosing(derived, derived->layers.activity_node[gap->after]);
}

static struct value gap_layer(const struct gap_rows *rows, size_t row)
{
	return rows->layers[layer_after(rows->derived, gap_at(rows, row))];
}

static struct value gap_calls(const struct gap_rows *rows, size_t row)
{
	(void)rows, (void)row;
	return value_int(1);
}

static struct value part_ns(const struct gap_rows *rows, size_t row, enum time_cause cause)
{
	const struct gap *gap = gap_at(rows, row);
	int64_t ns = 0;
	for (size_t i = 0; i < gap->parts; i++) {
		const struct gap_part *part = gap_part(gap, i);
		ns += part->cause == cause ? gap_part_end(gap, i) - gap_part_start(gap, i) : 0;
	}
	return value_int(ns);
}

#define PART(id, cause)                                                                            \
	static struct value gap_##id(const struct gap_rows *rows, size_t row)                      \
	{                                                                                          \
		return part_ns(rows, row, cause);                                                  \
	}
PART(idle_launch_ns, CAUSE_LAUNCH)
PART(idle_sync_ns, CAUSE_SYNC)
PART(idle_dataloader_ns, CAUSE_DATALOADER)
PART(idle_allocator_ns, CAUSE_ALLOCATOR)
PART(idle_compile_ns, CAUSE_COMPILE)
PART(idle_dependency_ns, CAUSE_DEPENDENCY)
PART(idle_overhead_ns, CAUSE_OVERHEAD)
PART(idle_host_ns, CAUSE_HOST)
PART(idle_unknown_ns, CAUSE_UNKNOWN)

static struct value compute_gap(const struct table *table, size_t row, size_t column)
{
	typedef struct value cell(const struct gap_rows *, size_t);
#define CELL(id) gap_##id,
	static cell *const cells[] = { GAP_COLUMNS(CELL) };
	return cells[column](table->state, row);
}

/* With the work that ends it; times are rounded down to microseconds. */
static struct ref time_of_gap(const struct gap_rows *rows, uint32_t device, const struct gap *gap)
{
	return ref_of_time(rows->causes->devices[device].device, gap->start,
			   gap_end(gap) - gap->start + 1000);
}

static struct ref gap_ref(const struct table *table, size_t row)
{
	const struct gap_rows *rows = table->state;
	return time_of_gap(rows, rows->rows[row].device, gap_at(rows, row));
}

/* ---- rows ---- */

static bool overlaps_scope(const struct scope *scope, const struct gap *gap)
{
	return !scope->has_time ||
	       (gap->start < scope->time_last && gap_end(gap) > scope->time_first);
}

/* False when cancelled. */
static bool collect_rows(struct gap_rows *rows, const struct scope *scope,
			 const struct progress *progress)
{
	size_t capacity = 0;
	for (uint32_t d = 0; d < rows->causes->device_count; d++) {
		const struct gaps *gaps = &rows->causes->devices[d].gaps;
		for (uint32_t i = 0; i < gaps->count; i++) {
			if (!progress_row(progress, "listing gaps", i, gaps->count))
				return false;
			if (!overlaps_scope(scope, &gaps->items[i]))
				continue;
			mem_grow(rows->rows, capacity, rows->count + 1);
			rows->rows[rows->count++] = (struct gaps_view_row){ d, i };
			rows->idle += gap_end(&gaps->items[i]) - gaps->items[i].start;
		}
	}
	return true;
}

static void gaps_view_make_texts(struct gap_rows *rows, struct table *table)
{
	rows->names = mem_alloc((rows->causes->device_count + 1) * sizeof *rows->names);
	for (size_t d = 0; d < rows->causes->device_count; d++)
		rows->names[d] = cell_device(table, rows->causes->devices[d].device);
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		rows->kinds[cause] = value_text(time_cause_name((enum time_cause)cause));
	rows->layers = layer_path_cells(table, rows->derived);
}

/* ---- grouped: by the owners of the parts, so that sums are exact ---- */

enum gaps_view_grouping { BY_GAP, BY_CAUSE, BY_WORK, BY_LAYER };

struct gaps_view_group {
	int64_t ns, parts;
	uint32_t key; /* cause, interned name or layer node */
	uint8_t cause;
	int64_t longest; /* the longest gap */
	struct gaps_view_row where;
};

static int compare_groups(const void *a, const void *b)
{
	const struct gaps_view_group *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static uint32_t gaps_view_key_of(const struct gap_rows *rows, enum gaps_view_grouping by,
				 const struct gap *gap, const struct gap_part *part)
{
	if (by == BY_CAUSE)
		return part->cause;
	if (by == BY_LAYER)
		return layer_after(rows->derived, gap);
	return work_name(rows->derived, part->span, (enum time_cause)part->cause);
}

static void add_to_group(struct gaps_view_group *group, int64_t ns, const struct gap *gap,
			 struct gaps_view_row where)
{
	group->ns += ns;
	group->parts++;
	if (gap_end(gap) - gap->start > group->longest) {
		group->longest = gap_end(gap) - gap->start;
		group->where = where;
	}
}

/* NULL when cancelled. */
static struct gaps_view_group *collect_groups(const struct gap_rows *rows,
					      enum gaps_view_grouping by, size_t *count,
					      const struct progress *progress)
{
	struct hash *by_key = hash_new(64);
	struct gaps_view_group *groups = NULL;
	size_t capacity = 0;
	bool ok = true;
	*count = 0;
	for (size_t i = 0; i < rows->count && ok; i++) {
		const struct gap *gap = gap_at(rows, i);
		ok = progress_row(progress, "adding up", i, rows->count);
		for (size_t p = 0; p < gap->parts; p++) {
			const struct gap_part *part = gap_part(gap, p);
			uint32_t key = gaps_view_key_of(rows, by, gap, part);
			uint8_t cause = by == BY_LAYER ? 0 : part->cause;
			uint32_t at = hash_last(by_key, (uint64_t)key << 8 | cause);
			if (at == NO_ROW) {
				at = (uint32_t)*count;
				hash_add(by_key, (uint64_t)key << 8 | cause, at);
				mem_grow(groups, capacity, *count + 1);
				groups[(*count)++] =
					(struct gaps_view_group){ .key = key, .cause = cause };
			}
			add_to_group(&groups[at], gap_part_end(gap, p) - gap_part_start(gap, p),
				     gap, rows->rows[i]);
		}
	}
	hash_free(by_key);
	if (!ok) {
		mem_free(groups);
		return NULL;
	}
	groups = mem_realloc(groups, *count + 1, sizeof *groups);
	qsort(groups, *count, sizeof *groups, compare_groups);
	return groups;
}

static bool gaps_view_add_groups(struct table *table, const struct gap_rows *rows,
				 enum gaps_view_grouping by, const struct progress *progress)
{
	size_t count;
	struct gaps_view_group *groups = collect_groups(rows, by, &count, progress);
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
		if (by == BY_LAYER)
			table_set(table, row, "layer", rows->layers[group->key]);
	}
	bool done = groups != NULL;
	mem_free(groups);
	return done;
}

static enum gaps_view_grouping grouping_of(const char *group)
{
	static const char *const names[] = { "gap", "cause", "work", "layer" };
	for (int i = BY_LAYER; group && i > BY_GAP; i--)
		if (strcmp(group, names[i]) == 0)
			return (enum gaps_view_grouping)i;
	return BY_GAP;
}

static bool build_gaps(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	enum gaps_view_grouping by = grouping_of(query->group);
	struct gap_rows *rows = mem_zalloc(1, sizeof *rows);
	table->state = rows;
	table->free_state = gaps_view_free_rows;
	if (profile_times_modeled(selection->profile)) {
		table_note(table, "The file has durations, not a timeline.");
		return true;
	}
	rows->profile = selection->profile;
	rows->derived = selection->derived;
	rows->causes = derived_gaps(selection, &rows->own, query->progress);
	if (!rows->causes || !collect_rows(rows, query->scope, query->progress))
		return false;
	gaps_view_make_texts(rows, table);
	if (by != BY_GAP) {
		if (!gaps_view_add_groups(table, rows, by, query->progress))
			return false;
	} else {
		table->rows = rows->count;
		table->compute = compute_gap;
		table->compute_ref = gap_ref;
		table->used = UINT64_MAX;
	}
	if (!selection->profile->activities)
		note_no_device_work(table, selection->profile);
	else if (!table->rows)
		table_note(table, "No GPU is idle within the analysis window of this scope.");
	return true;
}

const struct view view_gaps = {
	.name = "gaps",
	.rows_apart = true,
	.title = "Gaps",
	.row = "one idle interval of a device",
	.summary = "Idle time of each GPU between its first and last work, and what the CPU did.",
	.columns = COLUMN_LIST(GAP_COLUMNS),
	.default_columns = "device,start_ns,dur_ns,share_pct,cause,cpu_work,source,before,after,"
			   "step,layer,calls",
	.default_sort = "dur_ns:desc",
	.groups = { "gap", "cause", "work", "layer" },
	.build = build_gaps,
};

/*
 * The critical path view: the activities that determine the run time.
 */
#include "analysis/causes.h"
#include "analysis/critical_path.h"
#include "analysis/shared.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "views/views.h"

#include <stdlib.h>
#include <string.h>

/* The cells are computed by stretch_<id>(). */
#define PATH_COLUMNS(_)                                                                            \
	_(start_ns)                                                                                \
	_(dur_ns)                                                                                  \
	_(kind)                                                                                    \
	_(name)                                                                                    \
	_(track)                                                                                   \
	_(cause)                                                                                   \
	_(why)                                                                                     \
	_(calls)                                                                                   \
	_(share_pct)

struct path_rows {
	const struct profile *profile;
	struct critical_path path;
	int64_t window;      /* the time of all segments */
	struct value *names; /* by track */
	struct value kinds[PATH_KINDS], whys[PATH_WHY_UNKNOWN + 1], causes[TIME_CAUSES];
	uint8_t *cause; /* by segment: of the idle time of its device; TIME_CAUSES: it is busy */
};

static void free_rows(void *state)
{
	struct path_rows *rows = state;
	critical_path_free(&rows->path);
	mem_free(rows->names);
	mem_free(rows->cause);
	mem_free(rows);
}

static uint32_t track_of(const struct profile *profile, const struct path_stretch *stretch)
{
	uint32_t activity = path_activity(stretch), span = path_span(stretch);
	if (activity != NO_ROW)
		return profile->activity_track[activity];
	return span == NO_ROW ? NO_ROW : profile->span_track[span];
}

/* Interned name; NO_ROW: idle. */
static uint32_t name_of(const struct profile *profile, const struct path_stretch *stretch)
{
	uint32_t activity = path_activity(stretch), span = path_span(stretch);
	if (activity != NO_ROW)
		return profile->activity_name[activity];
	return span == NO_ROW ? NO_ROW : profile->span_name[span];
}

static struct ref stretch_ref(const struct table *table, size_t row)
{
	const struct path_rows *rows = table->state;
	const struct path_stretch *stretch = path_at(&rows->path, row);
	if (stretch->row != NO_ROW)
		return (struct ref){ path_span(stretch) == NO_ROW ? REF_LAUNCH : REF_CALL,
				     stretch->row, 0, 0 };
	return (struct ref){ REF_NONE, 0, 0, 0 };
}

static int64_t dur_of(const struct path_rows *rows, size_t row)
{
	return path_end(&rows->path, row) - path_at(&rows->path, row)->start;
}

static struct value stretch_start_ns(const struct path_rows *rows, size_t row)
{
	return value_int(path_at(&rows->path, row)->start);
}

static struct value stretch_dur_ns(const struct path_rows *rows, size_t row)
{
	return value_int(dur_of(rows, row));
}

static struct value stretch_kind(const struct path_rows *rows, size_t row)
{
	return rows->kinds[path_at(&rows->path, row)->kind];
}

static struct value stretch_name(const struct path_rows *rows, size_t row)
{
	return cell_text(rows->profile, name_of(rows->profile, path_at(&rows->path, row)));
}

static struct value stretch_track(const struct path_rows *rows, size_t row)
{
	uint32_t track = track_of(rows->profile, path_at(&rows->path, row));
	return track == NO_ROW ? value_missing() : rows->names[track];
}

static struct value stretch_why(const struct path_rows *rows, size_t row)
{
	return rows->whys[path_at(&rows->path, row)->why];
}

static struct value stretch_cause(const struct path_rows *rows, size_t row)
{
	return rows->cause[row] == TIME_CAUSES ? value_missing() : rows->causes[rows->cause[row]];
}

static struct value stretch_calls(const struct path_rows *rows, size_t row)
{
	(void)rows, (void)row;
	return value_int(1);
}

static struct value stretch_share_pct(const struct path_rows *rows, size_t row)
{
	return cell_share(dur_of(rows, row), rows->window);
}

static struct value compute_stretch(const struct table *table, size_t row, size_t column)
{
	typedef struct value cell(const struct path_rows *, size_t);
#define CELL(id) stretch_##id,
	static cell *const cells[] = { PATH_COLUMNS(CELL) };
	return cells[column](table->state, row);
}

/* The causes of the gaps that segments lie in, of the device whose work the path leads to next. */
static bool find_causes(struct path_rows *rows, const struct causes *causes,
			const struct progress *progress)
{
	const struct device_causes *device = critical_device(causes);
	size_t near = 0;
	rows->cause = mem_alloc(rows->path.count + 1);
	for (size_t i = rows->path.count; i-- > 0;) {
		const struct path_stretch *stretch = path_at(&rows->path, i);
		uint32_t activity = path_activity(stretch);
		rows->cause[i] = TIME_CAUSES;
		if (!progress_heavy_row(progress, "explaining the path", i, rows->path.count, 8))
			return false;
		if (activity != NO_ROW) {
			const struct device_causes *own = causes_of_device(
				causes, profile_activity_device(rows->profile, activity));
			device = own ? own : device;
		}
		near = near < device->gaps.count ? near : device->gaps.count;
		near = gaps_from(&device->gaps, stretch->start, near);
		struct gap_owner owner =
			gaps_owner(&device->gaps, stretch->start, path_end(&rows->path, i), near);
		if (owner.idle_ns)
			rows->cause[i] = (uint8_t)owner.cause;
	}
	return true;
}

/* What the segments are made from, in parallel. */
struct path_parts {
	const struct selection *selection;
	struct critical_path path;
	const struct causes *causes;
	struct causes own;
};

static bool make_part(void *context, size_t i, const struct progress *progress)
{
	struct path_parts *parts = context;
	if (i)
		return critical_path_find(&parts->path, parts->selection, progress);
	parts->causes = shared_causes(parts->selection, &parts->own, progress);
	return parts->causes != NULL;
}

static bool find_path(struct path_rows *rows, const struct view_query *query)
{
	struct path_parts parts = { .selection = query->selection };
	bool done = parallel_try(2, make_part, &parts, "finding the critical path", query->progress,
				 query->error);
	rows->path = parts.path;
	done = done && find_causes(rows, parts.causes, query->progress);
	causes_free(&parts.own);
	return done;
}

static void make_texts(struct path_rows *rows, struct table *table)
{
	struct buffer name = { 0 };
	rows->names = mem_alloc((rows->profile->track_count + 1) * sizeof *rows->names);
	for (uint32_t i = 0; i < rows->profile->track_count; i++) {
		buffer_clear(&name);
		track_name(rows->profile, i, &name);
		rows->names[i] = table_copy_text(table, buffer_text(&name), name.length);
	}
	buffer_free(&name);
	for (int kind = 0; kind < PATH_KINDS; kind++)
		rows->kinds[kind] = value_text(path_kind_name((enum path_kind)kind));
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		rows->causes[cause] = value_text(time_cause_name((enum time_cause)cause));
	for (int why = 0; why <= PATH_WHY_UNKNOWN; why++)
		rows->whys[why] = value_text(path_why_text((enum path_why)why));
}

/* ---- grouped ---- */

struct group {
	int64_t ns, stretches;
	uint32_t name;
	uint8_t kind;
};

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->kind != y->kind ? x->kind - y->kind : (x->name > y->name) - (x->name < y->name);
}

/* NULL when cancelled. */
static struct group *collect_groups(const struct path_rows *rows, bool by_name, size_t *count,
				    const struct progress *progress)
{
	struct hash *by_key = hash_new(64);
	struct group *groups = NULL;
	size_t capacity = 0;
	*count = 0;
	bool on = true;
	for (size_t i = 0; i < rows->path.count && on; i++) {
		const struct path_stretch *stretch = path_at(&rows->path, i);
		on = progress_row(progress, "adding up", i, rows->path.count);
		uint32_t name = by_name ? name_of(rows->profile, stretch) : NO_ROW;
		uint64_t key = (uint64_t)name << 8 | stretch->kind;
		uint32_t at = hash_last(by_key, key);
		if (at == NO_ROW) {
			at = (uint32_t)*count;
			hash_add(by_key, key, at);
			mem_grow(groups, capacity, *count + 1);
			groups[(*count)++] = (struct group){ 0, 0, name, stretch->kind };
		}
		groups[at].ns += dur_of(rows, i);
		groups[at].stretches++;
	}
	hash_free(by_key);
	if (!on) {
		mem_free(groups);
		return NULL;
	}
	groups = mem_realloc(groups, *count + 1, sizeof *groups);
	qsort(groups, *count, sizeof *groups, compare_groups);
	return groups;
}

static bool add_groups(struct table *table, const struct path_rows *rows, bool by_name,
		       const struct progress *progress)
{
	size_t count;
	struct group *groups = collect_groups(rows, by_name, &count, progress);
	table->default_columns =
		by_name ? "dur_ns,share_pct,kind,name,calls" : "dur_ns,share_pct,kind,calls";
	for (size_t i = 0; groups && i < count; i++) {
		size_t row = table_add_row(table, (struct ref){ REF_NONE, 0, 0, 0 });
		table_set(table, row, "dur_ns", value_int(groups[i].ns));
		table_set(table, row, "kind", rows->kinds[groups[i].kind]);
		table_set(table, row, "name", cell_text(rows->profile, groups[i].name));
		table_set(table, row, "calls", value_int(groups[i].stretches));
		table_set(table, row, "share_pct", cell_share(groups[i].ns, rows->window));
	}
	bool done = groups != NULL;
	mem_free(groups);
	return done;
}

static bool build_critical_path(struct table *table, const struct view_query *query)
{
	const char *group = query->group ? query->group : "stretch";
	struct path_rows *rows = mem_zalloc(1, sizeof *rows);
	table->state = rows;
	table->free_state = free_rows;
	rows->profile = query->selection->profile;
	if (!find_path(rows, query))
		return false;
	make_texts(rows, table);
	if (rows->path.count)
		rows->window = rows->path.end - path_at(&rows->path, 0)->start;
	if (strcmp(group, "stretch") != 0) {
		if (!add_groups(table, rows, strcmp(group, "name") == 0, query->progress))
			return false;
	} else {
		table->rows = rows->path.count;
		table->compute = compute_stretch;
		table->compute_ref = stretch_ref;
		table->used = UINT64_MAX;
	}
	if (!table->rows)
		table_note(table, "Nothing ran in this time range.");
	return true;
}

const struct view view_critical_path = {
	.name = "critical-path",
	.title = "Critical Path",
	.row = "one segment of the critical path",
	.summary =
		"Longest chain of dependent work and waits from start to end; only shortening it shortens the run.",
	.columns = COLUMN_LIST(PATH_COLUMNS),
	.default_columns = "start_ns,dur_ns,share_pct,kind,name,track,cause,why",
	.default_sort = "",
	.groups = { "stretch", "name", "kind" },
	.build = build_critical_path,
};

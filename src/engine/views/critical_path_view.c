/*
 * The critical path view: the activities that determine the run time.
 */
#include "analysis/causes.h"
#include "analysis/whatif/critical_path.h"
#include "analysis/whatif/whatif_scenario.h"
#include "base/compare.h"
#include "base/keyed.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "session/load.h"
#include "views/views.h"
#include "view_columns.h"

struct path_rows {
	const struct profile *profile;
	struct critical_path path;
	int64_t window;      /* the time of all segments */
	struct value *names; /* by track */
	struct value kinds[PATH_KINDS], whys[PATH_WHY_UNKNOWN + 1], causes[TIME_CAUSES];
	uint8_t *cause; /* by segment: of the idle time of its device; TIME_CAUSES: it is busy */
};

static void free_path(void *state)
{
	struct path_rows *rows = state;
	critical_path_free(&rows->path);
	mem_free(rows->cause);
}

/* The value in a column of activities or in that of spans; NO_ROW: idle. */
static uint32_t value_of_segment(const struct path_segment *segment, const uint32_t *of_activity,
				 const uint32_t *of_span)
{
	uint32_t activity = path_activity(segment), span = path_span(segment);
	if (activity != NO_ROW)
		return of_activity[activity];
	return span == NO_ROW ? NO_ROW : of_span[span];
}

static uint32_t critical_path_view_name_of(const struct profile *profile,
					   const struct path_segment *segment)
{
	return value_of_segment(segment, profile->activity_name, profile->span_name);
}

static struct ref segment_ref(const struct table *table, size_t row)
{
	const struct path_rows *rows = table->state;
	struct path_segment segment = path_at(&rows->path, row);
	if (segment.row != NO_ROW)
		return (struct ref){ path_span(&segment) == NO_ROW ? REF_LAUNCH : REF_CALL,
				     segment.row, 0, 0 };
	return NO_REF;
}

static int64_t dur_of(const struct path_rows *rows, size_t row)
{
	return path_end(&rows->path, row) - path_at(&rows->path, row).start;
}

static struct value compute_segment(const struct table *table, size_t row, size_t column)
{
	const struct path_rows *rows = table->state;
	struct path_segment segment = path_at(&rows->path, row);
	uint32_t track;
	switch ((enum critical_path_column)column) {
		CRITICAL_PATH_CELLS(LISTED_CASE)
	case CRITICAL_PATH_track:
		track = value_of_segment(&segment, rows->profile->activity_track,
					 rows->profile->span_track);
		return track == NO_ROW ? value_missing() : rows->names[track];
	}
	return value_missing();
}

/* ---- causes ---- */

struct explaining {
	struct path_rows *rows;
	const struct causes *causes;
};

/* The device whose work the path leads to from segment FIRST on; else the critical one. */
static const struct device_causes *device_from(const struct explaining *explaining, size_t first)
{
	const struct path_rows *rows = explaining->rows;
	for (size_t i = first; i < rows->path.count; i++) {
		struct path_segment segment = path_at(&rows->path, i);
		uint32_t activity = path_activity(&segment);
		const struct device_causes *device =
			activity == NO_ROW ? NULL
					   : causes_of_device(explaining->causes,
							      profile_activity_device(rows->profile,
										      activity));
		if (device)
			return device;
	}
	return critical_device(explaining->causes);
}

/* The causes of the gaps that segments lie in, of the device whose work the path leads to next. */
static void explain_range(void *context, size_t from, size_t to)
{
	const struct explaining *explaining = context;
	struct path_rows *rows = explaining->rows;
	const struct device_causes *device = device_from(explaining, to);
	size_t near = 0;
	for (size_t i = to; i-- > from;) {
		struct path_segment segment = path_at(&rows->path, i);
		uint32_t activity = path_activity(&segment);
		rows->cause[i] = TIME_CAUSES;
		if (activity != NO_ROW) {
			const struct device_causes *own =
				causes_of_device(explaining->causes,
						 profile_activity_device(rows->profile, activity));
			device = own ? own : device;
		}
		near = near < device->gaps.count ? near : device->gaps.count;
		near = gaps_from(&device->gaps, segment.start, near);
		struct gap_owner owner =
			gaps_owner(&device->gaps, segment.start, path_end(&rows->path, i), near);
		if (owner.idle_ns)
			rows->cause[i] = (uint8_t)owner.cause;
	}
}

static bool critical_path_view_explain(struct path_rows *rows, const struct causes *causes,
				       const struct progress *progress)
{
	struct explaining explaining = { rows, causes };
	rows->cause = mem_alloc(rows->path.count + 1);
	return parallel_ranges(rows->path.count, explain_range, &explaining, "explaining the path",
			       progress);
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
	parts->causes = derived_gaps(parts->selection, &parts->own, progress);
	return parts->causes != NULL;
}

static bool find_path(struct path_rows *rows, const struct view_query *query)
{
	struct path_parts parts = { .selection = query->selection };
	bool done = parallel_try_rows(profile_rows(query->selection->profile), 2, make_part, &parts,
				      "finding the critical path", query->progress, query->error);
	rows->path = parts.path;
	done = done && critical_path_view_explain(rows, parts.causes, query->progress);
	causes_free(&parts.own);
	return done;
}

static void critical_path_view_make_texts(struct path_rows *rows, struct table *table)
{
	rows->names = table_values(table, rows->profile->track_count);
	for (uint32_t i = 0; i < rows->profile->track_count; i++)
		rows->names[i] = cell_track(table, rows->profile, i);
	for (int kind = 0; kind < PATH_KINDS; kind++)
		rows->kinds[kind] = value_text(path_kind_name((enum path_kind)kind));
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		rows->causes[cause] = value_text(time_cause_name((enum time_cause)cause));
	for (int why = 0; why <= PATH_WHY_UNKNOWN; why++)
		rows->whys[why] = value_text(path_why_text((enum path_why)why));
}

/* ---- grouped ---- */

struct critical_path_view_group {
	int64_t ns, segments;
	uint32_t name;
	uint8_t kind;
};

COMPARE_MEMBERS(compare_groups, struct critical_path_view_group, DOWN(ns) UP(kind) UP(name))

enum { RECENT = 256 };

struct critical_path_view_grouping {
	const struct profile *profile;
	bool by_name;
	struct keyed keys;
	struct critical_path_view_group *groups; /* by key: name and kind */
	uint32_t recent[RECENT]; /* groups found last, by their key; checked for being the one */
	int64_t window;
};

static struct critical_path_view_group *
critical_path_view_group_of(struct critical_path_view_grouping *grouping, uint32_t name,
			    uint8_t kind)
{
	const uint32_t key[] = { name, kind };
	uint32_t *recent = &grouping->recent[(name * PATH_KINDS + kind) % RECENT];
	uint32_t at = *recent;
	if (at < grouping->keys.count && grouping->groups[at].name == name &&
	    grouping->groups[at].kind == kind)
		return &grouping->groups[at];
	struct critical_path_view_group *group =
		keyed_item(&grouping->keys, grouping->groups, &key);
	group->name = name;
	group->kind = kind;
	*recent = (uint32_t)(group - grouping->groups);
	return group;
}

static void add_to_groups(struct critical_path_view_grouping *grouping,
			  const struct critical_path *path)
{
	for (size_t i = path->count; i-- > 0;) {
		struct path_segment segment = path_at(path, i);
		int64_t ns = path_end(path, i) - segment.start;
		uint32_t name = grouping->by_name
					? critical_path_view_name_of(grouping->profile, &segment)
					: NO_ROW;
		struct critical_path_view_group *group =
			critical_path_view_group_of(grouping, name, segment.kind);
		group->ns += ns;
		group->segments++;
		grouping->window += ns;
	}
}

static void list_groups(struct table *table, const struct critical_path_view_grouping *grouping)
{
	table->default_columns = grouping->by_name ? "dur_ns,share_pct,kind,name,calls"
						   : "dur_ns,share_pct,kind,calls";
	sort_items(grouping->groups, grouping->keys.count, compare_groups);
	for_each (group, grouping->groups, grouping->keys.count) {
		size_t row = table_add_row(table, NO_REF);
		table_set(table, row, "dur_ns", value_int(group->ns));
		table_set(table, row, "kind",
			  value_text(path_kind_name((enum path_kind)group->kind)));
		const char *name =
			group->name == NO_ROW ? "" : profile_string(grouping->profile, group->name);
		if (*name) /* the run of the profile may end before the table does */
			table_set(table, row, "name", table_copy_text(table, name, strlen(name)));
		table_set(table, row, "calls", value_int(group->segments));
		table_set(table, row, "share_pct", cell_share(group->ns, grouping->window));
	}
}

static bool build_groups(struct table *table, const struct view_query *query,
			 const struct selection *selection, bool by_name)
{
	struct critical_path_view_grouping grouping = { .profile = selection->profile,
							.by_name = by_name };
	struct critical_path path;
	bool done = critical_path_find(&path, selection, query->progress);
	if (done) {
		add_to_groups(&grouping, &path);
		list_groups(table, &grouping);
		critical_path_free(&path);
	}
	keyed_clear(&grouping.keys);
	mem_free(grouping.groups);
	return done;
}

/* Of the run that what-if predicts, else as recorded. */
static bool build_predicted(struct table *table, const struct view_query *query)
{
	const struct run *base = query->run->base;
	AUTO(selection_free) struct selection selection = { 0 };
	AUTO_RANK struct rank *rank = base ? run_acquire_base(query->run, query->scope->rank,
							      query->progress, query->error)
					   : NULL;
	if (base && !rank)
		return false;
	if (!rank || !profile_metadata(rank->profile, WHATIF_SCENARIO)) {
		table_note(table, "As recorded: nothing is predicted (w predicts).");
		return build_groups(table, query, query->selection, true);
	}
	return selection_make(&selection, base, query->scope, query->progress, query->error) &&
	       build_groups(table, query, &selection, true);
}

/* ---- the view ---- */

static bool build_segments(struct table *table, const struct view_query *query)
{
	struct path_rows *rows = table_new_state(table, sizeof *rows, free_path);
	rows->profile = query->selection->profile;
	if (!find_path(rows, query))
		return false;
	critical_path_view_make_texts(rows, table);
	if (rows->path.count)
		rows->window = rows->path.end - path_at(&rows->path, 0).start;
	table->rows = rows->path.count;
	table->compute = compute_segment;
	table->compute_ref = segment_ref;
	return true;
}

bool build_critical_path(struct table *table, const struct view_query *query)
{
	const char *group = query->group ? query->group : "segment";
	const struct profile *profile = query->selection->profile;
	if (!profile->spans && !profile->activities)
		return true;
	bool done = strcmp(group, "segment") == 0     ? build_segments(table, query)
		    : strcmp(group, "predicted") == 0 ? build_predicted(table, query)
						      : build_groups(table, query, query->selection,
								     strcmp(group, "name") == 0);
	return done && table_note_none(table, "Nothing ran in this time range.");
}

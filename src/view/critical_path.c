/*
 * The critical path: what the run could not have been shorter without.
 */
#include "analysis/critical_path.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "view/views.h"

#include <stdlib.h>
#include <string.h>

struct build {
	struct table *table;
	const struct profile *profile;
	struct critical_path path;
	int64_t window;			/* sum of all stretches */
	struct value *tracks;		/* names by track, made when asked for */
};

static uint32_t track_of(const struct profile *profile, const struct path_stretch *stretch)
{
	if (stretch->activity != NO_ROW)
		return profile->activity_track[stretch->activity];
	return stretch->span == NO_ROW ? NO_ROW : profile->span_track[stretch->span];
}

static struct value name_of_track(struct build *build, uint32_t track)
{
	if (track == NO_ROW)
		return value_missing();
	if (build->tracks[track].kind == VALUE_MISSING) {
		struct buffer name = { 0 };
		track_name(build->profile, track, &name);
		build->tracks[track] =
			table_copy_text(build->table, buffer_text(&name), name.length);
		buffer_free(&name);
	}
	return build->tracks[track];
}

/* Interned; NO_ROW: nothing happened. */
static uint32_t name_of(const struct profile *profile, const struct path_stretch *stretch)
{
	if (stretch->activity != NO_ROW)
		return profile->activity_name[stretch->activity];
	return stretch->span == NO_ROW ? NO_ROW : profile->span_name[stretch->span];
}

static struct ref ref_of(const struct path_stretch *stretch)
{
	if (stretch->activity != NO_ROW)
		return (struct ref){ REF_LAUNCH, stretch->activity, 0, 0 };
	if (stretch->span != NO_ROW)
		return (struct ref){ REF_CALL, stretch->span, 0, 0 };
	return (struct ref){ REF_NONE, 0, 0, 0 };
}

static void add_stretch(struct build *build, const struct path_stretch *stretch)
{
	struct table *table = build->table;
	size_t row = table_add_row(table, ref_of(stretch));
	int64_t dur = stretch->end - stretch->start;
	table_set(table, row, "start_ns", value_int(stretch->start));
	table_set(table, row, "dur_ns", value_int(dur));
	table_set(table, row, "kind", value_text(path_kind_name(stretch->kind)));
	table_set(table, row, "name", cell_text(build->profile, name_of(build->profile, stretch)));
	table_set(table, row, "track", name_of_track(build, track_of(build->profile, stretch)));
	table_set(table, row, "why", value_text(path_why_text(stretch->why)));
	table_set(table, row, "calls", value_int(1));
	table_set(table, row, "share_pct", cell_share(dur, build->window));
}

/* ---- grouped ---- */

struct group { int64_t ns, stretches; uint32_t name; uint8_t kind; };

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->kind != y->kind ? x->kind - y->kind : (x->name > y->name) - (x->name < y->name);
}

static struct group *collect_groups(const struct build *build, bool by_name, size_t *count)
{
	struct hash *by_key = hash_new(64);
	struct group *groups = NULL;
	size_t capacity = 0;
	*count = 0;
	for (size_t i = 0; i < build->path.count; i++) {
		const struct path_stretch *stretch = &build->path.items[i];
		uint32_t name = by_name ? name_of(build->profile, stretch) : NO_ROW;
		uint64_t key = (uint64_t)name << 8 | stretch->kind;
		uint32_t at = hash_last(by_key, key);
		if (at == NO_ROW) {
			at = (uint32_t)*count;
			hash_add(by_key, key, at);
			mem_grow(groups, capacity, *count + 1);
			groups[(*count)++] = (struct group){ 0, 0, name, stretch->kind };
		}
		groups[at].ns += stretch->end - stretch->start;
		groups[at].stretches++;
	}
	hash_free(by_key);
	if (*count)
		qsort(groups, *count, sizeof *groups, compare_groups);
	return groups;
}

static void add_groups(struct build *build, bool by_name)
{
	struct table *table = build->table;
	size_t count;
	struct group *groups = collect_groups(build, by_name, &count);
	for (size_t i = 0; i < count; i++) {
		size_t row = table_add_row(table, (struct ref){ REF_NONE, 0, 0, 0 });
		table_set(table, row, "dur_ns", value_int(groups[i].ns));
		table_set(table, row, "kind", value_text(path_kind_name(groups[i].kind)));
		table_set(table, row, "name", cell_text(build->profile, groups[i].name));
		table_set(table, row, "calls", value_int(groups[i].stretches));
		table_set(table, row, "share_pct", cell_share(groups[i].ns, build->window));
	}
	mem_free(groups);
}

static bool build_critical_path(struct table *table, const struct view_query *query)
{
	const struct profile *profile = query->selection->profile;
	const char *group = query->group ? query->group : "stretch";
	struct build build = { .table = table, .profile = profile,
			       .path = critical_path_find(query->selection) };
	build.tracks = mem_zalloc(profile->track_count + 1, sizeof *build.tracks);
	for (size_t i = 0; i < build.path.count; i++)
		build.window += build.path.items[i].end - build.path.items[i].start;
	if (strcmp(group, "stretch") != 0)
		add_groups(&build, strcmp(group, "name") == 0);
	else
		for (size_t i = 0; i < build.path.count; i++)
			add_stretch(&build, &build.path.items[i]);
	if (!table->rows)
		table_note(table, "Nothing happened in this time.");
	critical_path_free(&build.path);
	mem_free(build.tracks);
	return true;
}

const struct view view_critical_path = {
	.name = "critical-path",
	.title = "Critical path",
	.row = "one stretch of the critical path",
	.summary = "The chain of work and waiting from the start to the end, of which nothing can be "
		   "longer without the run being longer.",
	.columns = "start_ns,dur_ns,kind,name,track,why,calls,share_pct",
	.default_columns = "start_ns,dur_ns,share_pct,kind,name,track,why",
	.default_sort = "",
	.groups = { "stretch", "name", "kind" },
	.build = build_critical_path,
};

/*
 * The counters view: device metrics and memory of processes over time.
 */
#include "base/keyed.h"
#include "views/views.h"

#include <math.h>

/* Values of one series on one lane. */
struct series {
	uint32_t track, name, series; /* its key */
	int64_t count, last_time;
	double sum, least, max, last;
};

struct counters_build {
	struct keyed keys;
	struct series *series; /* by key */
};

static bool is_in_scope(const struct selection *selection, const struct counter *counter)
{
	const struct scope *scope = selection->scope;
	const struct track *lane = &selection->profile->tracks[counter->track];
	if (counter->time == NO_VALUE || !scope_list_has(&scope->devices, lane->device) ||
	    (scope->track != NO_ROW && scope->track != counter->track))
		return false;
	if (lane->device < 0 && !scope_list_has(&scope->threads, lane->tid))
		return false;
	return !(scope->has_time || scope->has_steps) ||
	       (counter->time >= selection->window_start && counter->time < selection->window_end);
}

static struct series *counters_series_of(struct counters_build *build,
					 const struct counter *counter)
{
	const uint32_t key[] = { counter->track, counter->name, counter->series };
	struct series *series = keyed_item(&build->keys, build->series, &key);
	if (!series->count)
		*series = (struct series){ .track = counter->track,
					   .name = counter->name,
					   .series = counter->series,
					   .last_time = INT64_MIN,
					   .least = INFINITY,
					   .max = -INFINITY };
	return series;
}

static void counters_add_value(struct series *series, const struct counter *counter)
{
	double value = counter->value;
	series->count++;
	series->sum += value;
	series->least = value < series->least ? value : series->least;
	series->max = value > series->max ? value : series->max;
	if (counter->time >= series->last_time) {
		series->last_time = counter->time;
		series->last = value;
	}
}

static void counters_add_row(struct table *table, const struct profile *profile,
			     const struct series *series)
{
	size_t row = table_add_row(table, (struct ref){ REF_TRACK, series->track, 0, 0 });
	table_set(table, row, "track", cell_track(table, profile, series->track));
	table_set(table, row, "device", cell_device(table, profile->tracks[series->track].device));
	table_set(table, row, "name", cell_text(profile, series->name));
	if (series->series != series->name)
		table_set(table, row, "series", cell_text(profile, series->series));
	COUNTER_CELLS(table_set);
}

bool build_counters(struct table *table, const struct view_query *query)
{
	const struct profile *profile = query->selection->profile;
	struct counters_build build = { 0 };
	for_each (counter, profile->counters, profile->counter_count)
		if (isfinite(counter->value) && is_in_scope(query->selection, counter))
			counters_add_value(counters_series_of(&build, counter), counter);
	for (size_t i = 0; i < build.keys.count; i++)
		counters_add_row(table, profile, &build.series[i]);
	if (!profile->counter_count)
		table_note(table, "No counters in the profile.");
	note_telemetry(table, profile);
	keyed_clear(&build.keys);
	mem_free(build.series);
	return true;
}

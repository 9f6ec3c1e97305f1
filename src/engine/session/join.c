#include "session/join.h"

#include "base/any_of.h"
#include "base/compare.h"
#include "base/keyed.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/text_slice.h"

#include <inttypes.h>
#include <stdio.h>

static const char stage[] = "joining reports";

/* ---- names ---- */

/* Parts of a scope in brackets that are no template arguments. */
static size_t bracketed_scope(const char *at)
{
	return text_start(at, SIZE_MAX, "(anonymous namespace)|<unnamed>|(unnamed)");
}

const char *join_base_name(const char *name, size_t *length)
{
	const char *start = name, *at = name;
	for (size_t scope; *at && ((scope = bracketed_scope(at)) || !strchr("<([", *at));) {
		at += scope ? scope : 1;
		if (at[-1] == ':' || at[-1] == ' ')
			start = at;
	}
	*length = (size_t)(at - start);
	return start;
}

/* ---- results of the report ---- */

/* Results of one function and launch size. */
struct join_shape {
	uint32_t base; /* in NAMES of the join */
	int32_t grid[3], block[3];
};

struct join_result {
	struct join_shape shape;
	int64_t dur;
	uint32_t row;
	bool matched; /* of the result that stands for its shape */
};

/* Launches of one name and configuration in the timeline. */
struct join_place {
	uint32_t activity, result;
};

struct join_data {
	struct profile *timeline;
	const struct profile *report;
	const struct progress *progress;
	struct intern *names;
	struct join_result *results; /* one a shape */
	size_t result_count;
	struct keyed by_shape; /* the results */
	struct keyed by_place; /* (name, configuration) → place */
	struct join_place *places;
	uint64_t kernels, measured;
};

COMPARE_ITEMS(compare_results, struct join_result,
	      memcmp(&x->shape, &y->shape, sizeof x->shape)
		      ?: COMPARE(x->dur, y->dur)
		      ?: COMPARE(x->row, y->row))

/* False without launch sizes, by which a result is known. */
static bool shape_of(const struct profile *profile, uint32_t activity, struct join_shape *shape)
{
	const struct launch_config *config = profile_config(profile, activity);
	memset(shape, 0, sizeof *shape); /* compared bytewise */
	if (!config || config->grid[0] < 0 || config->block[0] < 0)
		return false;
	memcpy(shape->grid, config->grid, sizeof shape->grid);
	memcpy(shape->block, config->block, sizeof shape->block);
	return true;
}

/* Of the results of a shape, the one with the median duration stays. */
static void keep_medians(struct join_data *join, struct join_result *results, size_t count)
{
	size_t kept = 0;
	sort_items(results, count, compare_results);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1;
		     end < count &&
		     !memcmp(&results[end].shape, &results[first].shape, sizeof results->shape);)
			end++;
		results[kept] = results[(first + end - 1) / 2];
		keyed_add(&join->by_shape, &results[kept++].shape, sizeof results->shape);
	}
	join->results = results;
	join->result_count = kept;
}

static bool list_results(struct join_data *join)
{
	const struct profile *report = join->report;
	struct join_result *results = mem_alloc(((size_t)report->activities + 1) * sizeof *results);
	size_t count = 0;
	bool ok = true;
	for_rows (ok, i, report->activities, join->progress, stage) {
		struct join_result result = { .dur = report->activity_dur[i], .row = i };
		size_t length;
		if (!shape_of(report, i, &result.shape))
			continue;
		const char *base =
			join_base_name(profile_string(report, report->activity_name[i]), &length);
		result.shape.base = intern_add(join->names, base, length);
		results[count++] = result;
	}
	keep_medians(join, results, count);
	return ok;
}

/* ---- launches of the timeline ---- */

static uint32_t find_result(const struct join_data *join, uint32_t activity)
{
	const struct profile *timeline = join->timeline;
	struct join_shape shape;
	size_t length;
	if (!shape_of(timeline, activity, &shape))
		return NO_ROW;
	const char *base = join_base_name(
		profile_string(timeline, timeline->activity_name[activity]), &length);
	shape.base = intern_find(join->names, base, length);
	if (shape.base == NO_ROW)
		return NO_ROW;
	return keyed_find(&join->by_shape, &shape, sizeof shape);
}

/* The place of an activity's name and configuration, added; RESULT is NO_ROW without one. */
static struct join_place *join_place_of(struct join_data *join, uint32_t activity)
{
	const struct profile *timeline = join->timeline;
	const uint32_t key[] = { timeline->activity_name[activity],
				 timeline->activity_config[activity] };
	uint32_t known = join->by_place.count;
	struct join_place *place = keyed_item(&join->by_place, join->places, &key);
	if (join->by_place.count > known)
		*place = (struct join_place){ activity, find_result(join, activity) };
	return place;
}

static bool find_places(struct join_data *join)
{
	const struct profile *timeline = join->timeline;
	bool ok = true;
	for_rows (ok, i, timeline->activities, join->progress, stage) {
		if (timeline->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		const struct join_place *place = join_place_of(join, i);
		join->kernels++;
		if (place->result == NO_ROW)
			continue;
		join->measured++;
		join->results[place->result].matched = true;
	}
	return ok;
}

/* ---- metrics ---- */

uint32_t join_text(struct profile *timeline, const struct profile *other, uint32_t id)
{
	const struct intern *from = other->strings;
	return id ? intern_add(timeline->strings, INTERNED(from, id)) : 0;
}

static void copy_metric(struct join_data *join, struct metric metric, uint32_t activity)
{
	struct profile *timeline = join->timeline;
	uint32_t *const texts[] = { &metric.name,  &metric.unit,      &metric.section,
				    &metric.title, &metric.statistic, &metric.instance,
				    &metric.text };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = join_text(join->timeline, join->report, *texts[i]);
	metric.activity = activity;
	metric.of_kernel = 1;
	*mem_push(timeline->metrics, timeline->metric_count) = metric;
}

/* Values of parts, of which there may be thousands, stay in the report. */
static bool copy_metrics(struct join_data *join)
{
	const struct profile *report = join->report;
	for_each (place, join->places, join->by_place.count) {
		if (place->result == NO_ROW)
			continue;
		uint32_t row = join->results[place->result].row;
		for (size_t i = 0; i < report->metric_count; i++) {
			if (!progress_row(join->progress, stage, i, report->metric_count))
				return false;
			if (report->metrics[i].activity == row && !report->metrics[i].instance)
				copy_metric(join, report->metrics[i], place->activity);
		}
	}
	return true;
}

/* ---- rules ---- */

int join_compare_rows(const void *a, const void *b)
{
	const struct attribute *x = a, *y = b;
	return COMPARE(x->row, y->row);
}

static void copy_rules_of(struct join_data *join, uint32_t from, uint32_t to)
{
	struct profile *timeline = join->timeline;
	size_t count;
	const struct attribute *at = profile_activity_attributes(join->report, from, &count);
	for (size_t i = 0; i < count; i++) {
		if (strncmp(profile_string(join->report, at[i].key), METRIC_RULE,
			    strlen(METRIC_RULE)) != 0)
			continue;
		*mem_push(timeline->activity_attributes, timeline->activity_attribute_count) =
			(struct attribute){ to, join_text(join->timeline, join->report, at[i].key),
					    join_text(join->timeline, join->report, at[i].text) };
	}
}

/* What the profiler's rules say of the results that launches have. */
static bool copy_rules(struct join_data *join)
{
	struct profile *timeline = join->timeline;
	size_t before = timeline->activity_attribute_count;
	bool ok = true;
	for_rows (ok, p, join->by_place.count, join->progress, stage) {
		const struct join_place *place = &join->places[p];
		if (place->result != NO_ROW)
			copy_rules_of(join, join->results[place->result].row, place->activity);
	}
	return ok && (timeline->activity_attribute_count == before ||
		      sort_runs(timeline->activity_attributes, timeline->activity_attribute_count,
				sizeof *timeline->activity_attributes, join_compare_rows,
				join->progress));
}

/* ---- the whole ---- */

void join_note(struct profile *profile, const char *key, const char *text)
{
	*mem_push(profile->metadata, profile->metadata_count) =
		(struct metadata){ intern_add(profile->strings, key, strlen(key)),
				   intern_add(profile->strings, text, strlen(text)) };
}

static void note_matches(struct join_data *join)
{
	char text[96];
	size_t unmatched = count_where(i, join->result_count, !join->results[i].matched);
	join_note(join->timeline, "measured kernels are from", join->report->path);
	snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64, join->measured, join->kernels);
	join_note(join->timeline, "launches of measured kernels", text);
	snprintf(text, sizeof text, "%zu of %zu", unmatched, join->result_count);
	join_note(join->timeline, "measured kernels without a launch here", text);
}

bool join_report(struct profile *timeline, const struct profile *report,
		 const struct progress *progress)
{
	struct join_data join = {
		.timeline = timeline, .report = report, .progress = progress, .names = intern_new()
	};
	bool done = list_results(&join) && find_places(&join) && copy_metrics(&join) &&
		    copy_rules(&join);
	if (done)
		note_matches(&join);
	intern_free(join.names);
	keyed_clear(&join.by_shape);
	keyed_clear(&join.by_place);
	mem_free_all(join.results, join.places);
	return done;
}

void join_requests(struct profile *timeline, struct profile *report)
{
	if (timeline->requests)
		return;
	timeline->requests = report->requests;
	report->requests = NULL;
	join_note(timeline, "requests are from", text_file_name(report->path));
}

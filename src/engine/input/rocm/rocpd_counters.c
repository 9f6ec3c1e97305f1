/*
 * Hardware counters of a recording: of a kernel, or of a moment.
 */
#include "input/rocm/rocpd_private.h"

#include <math.h>

/* The lane of counters of a GPU, as a device lane of the first process. */
static uint32_t counter_track(struct rocpd *rocpd, const struct rocpd_sample *sample,
			      const struct rocpd_pmc *pmc)
{
	const struct rocpd_agent *agent = rocpd_agent(rocpd, pmc->agent);
	if (!agent || agent->device < 0)
		return sample->track;
	return builder_track(rocpd->builder, rocpd->profile->tracks[sample->track].process,
			     NO_VALUE, rocpd_intern(rocpd, "counters"), agent->device);
}

static void add_counter(struct rocpd *rocpd, struct rocpd_sample *sample,
			const struct rocpd_pmc *pmc, double value)
{
	struct counter counter = { .time = sample->time,
				   .track = counter_track(rocpd, sample, pmc),
				   .name = pmc->name,
				   .series = pmc->name,
				   .value = value };
	sample->counted = true;
	builder_counter(rocpd->builder, &counter);
}

static void rocpd_counters_add_metric(struct rocpd *rocpd, uint32_t activity,
				      const struct rocpd_pmc *pmc, double value)
{
	struct metric metric = {
		.value = value, .activity = activity, .name = pmc->name, .unit = pmc->unit
	};
	builder_metric(rocpd->builder, &metric);
}

/* The sample that a value belongs to: by its id, or by its event. */
static struct rocpd_sample *find_sample(struct rocpd *rocpd, int64_t id,
					const struct rocpd_event *event)
{
	size_t cursor;
	uint32_t at = id == NO_VALUE ? NO_ROW : hash_find(rocpd->sample_ids, (uint64_t)id, &cursor);
	if (at == NO_ROW && event)
		at = event->sample;
	return at == NO_ROW ? NULL : &rocpd->samples[at];
}

static void rocpd_counters_read_values(struct rocpd *rocpd)
{
	enum { EVENT, SAMPLE, PMC, VALUE, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[EVENT] = { "event_id", COLUMN_INT, false },
		[SAMPLE] = { "sample_id", COLUMN_INT, false },
		[PMC] = { "pmc_id", COLUMN_INT, true },
		[VALUE] = { "value", COLUMN_REAL, true },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "pmc_event", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		size_t cursor;
		int64_t id = sqlite_int(rows, PMC), of = sqlite_int(rows, SAMPLE);
		double value = sqlite_real(rows, VALUE);
		struct rocpd_event *event = rocpd_event(rocpd, sqlite_int(rows, EVENT));
		uint32_t at =
			id == NO_VALUE ? NO_ROW : hash_find(rocpd->pmc_ids, (uint64_t)id, &cursor);
		struct rocpd_sample *sample = find_sample(rocpd, of, event);
		if (at == NO_ROW || !isfinite(value))
			profile_damage(rocpd->profile, "counter without name or value", "skipped",
				       UINT64_MAX);
		else if (sample)
			add_counter(rocpd, sample, &rocpd->pmcs[at], value);
		else if (of == NO_VALUE && event && event->activity != NO_ROW)
			rocpd_counters_add_metric(rocpd, event->activity, &rocpd->pmcs[at], value);
	}
	sqlite_rows_close(rows);
}

/* Samples without counters are points in time. */
static void add_marks(struct rocpd *rocpd)
{
	for (size_t i = 0; i < rocpd->sample_count; i++) {
		const struct rocpd_sample *sample = &rocpd->samples[i];
		const struct rocpd_event *event =
			sample->event == NO_ROW ? NULL : &rocpd->events[sample->event];
		struct rocm_range mark = { .track = sample->track,
					   .name = sample->name,
					   .start = sample->time };
		if (sample->counted)
			continue;
		mark.category = event ? event->category : 0;
		mark.message = event ? event->message : 0;
		rocm_add_mark(rocpd->builder, &mark);
	}
}

void rocpd_read_counters(struct rocpd *rocpd)
{
	rocpd_counters_read_values(rocpd);
	add_marks(rocpd);
}

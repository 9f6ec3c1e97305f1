/*
 * Hardware counters of a recording: of a kernel, or of a moment.
 */
#include "input/rocm/rocpd_private.h"

#include <math.h>

/* The lane of counters of a GPU, as a device lane of the first process. */
static uint32_t counter_track(struct rocpd *rocpd, const struct rocpd_sample *sample,
			      const struct rocpd_pmc *pmc)
{
	const struct rocpd_agent *agent = id_table_find(&rocpd->agents, pmc->agent);
	if (!agent || agent->device < 0)
		return sample->track;
	return builder_track(rocpd->builder, rocpd->profile->tracks[sample->track].process,
			     NO_VALUE, profile_intern(rocpd->profile, "counters"), agent->device);
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
	struct rocpd_sample *sample = id_table_find(&rocpd->samples, id);
	if (sample || !event || event->sample == NO_ROW)
		return sample;
	return (struct rocpd_sample *)rocpd->samples.items + event->sample;
}

static void rocpd_counters_read_values(struct rocpd *rocpd)
{
	enum { EVENT, SAMPLE, PMC, VALUE, COLUMNS };
	rocpd_each (rows, rocpd, "pmc_event", "event_id sample_id pmc_id! value!", COLUMNS) {
		int64_t of = sqlite_int(rows, SAMPLE);
		double value = sqlite_real(rows, VALUE);
		struct rocpd_event *event = rocpd_event(rocpd, sqlite_int(rows, EVENT));
		const struct rocpd_pmc *pmc = id_table_find(&rocpd->pmcs, sqlite_int(rows, PMC));
		struct rocpd_sample *sample = find_sample(rocpd, of, event);
		if (!pmc || !isfinite(value))
			profile_skip(rocpd->profile, "counter without name or value");
		else if (sample)
			add_counter(rocpd, sample, pmc, value);
		else if (of == NO_VALUE && event && event->activity != NO_ROW)
			rocpd_counters_add_metric(rocpd, event->activity, pmc, value);
	}
}

/* Samples without counters are points in time. */
static void add_marks(struct rocpd *rocpd)
{
	const struct rocpd_sample *samples = rocpd->samples.items;
	for_each (sample, samples, rocpd->samples.count) {
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

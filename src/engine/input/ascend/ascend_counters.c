/*
 * Counters of an Ascend database: of devices over time, and of tasks (metrics).
 */
#include "base/buffer.h"
#include "input/ascend/ascend_private.h"

#include <math.h>

/*
 * A table of samples. A counter has a series for each PART, a number, and TYPE, a text; "-" stands
 * for a column that the table does not have.
 */
enum { TIME, DEVICE, VALUE, PART, TYPE, SAMPLE_COLUMNS };
#define TIME_AND_DEVICE "timestampNs! deviceId "
static const struct ascend_counters_samples {
	const char *table, *name, *columns;
} samples[] = { ASCEND_SAMPLE_ROWS };

static uint32_t ascend_counters_series_of(struct ascend *ascend,
					  const struct ascend_counters_samples *of, int64_t part,
					  int64_t type)
{
	struct buffer text = { 0 };
	const char *kind = type == NO_VALUE
				   ? ""
				   : profile_string(ascend->profile, ascend_string(ascend, type));
	buffer_puts(&text, of->name);
	if (*kind)
		buffer_printf(&text, " %s", kind);
	if (part != NO_VALUE)
		buffer_printf(&text, " %" PRId64, part);
	return profile_take(ascend->profile, &text);
}

static void read_samples(struct ascend *ascend, const struct ascend_counters_samples *of)
{
	uint32_t label = profile_intern(ascend->profile, "counters"),
		 name = profile_intern(ascend->profile, of->name);
	sqlite_each (rows, ascend->database, of->table, of->columns, SAMPLE_COLUMNS) {
		int64_t device = sqlite_int(rows, DEVICE);
		struct counter counter = { .time = sqlite_int(rows, TIME),
					   .value = sqlite_real(rows, VALUE),
					   .name = name };
		ascend->profile->events++;
		if (counter.time == NO_VALUE || !isfinite(counter.value)) {
			profile_skip(ascend->profile, "counter without time or value");
			continue;
		}
		counter.series = ascend_counters_series_of(ascend, of, sqlite_int(rows, PART),
							   sqlite_int(rows, TYPE));
		counter.track = builder_track(ascend->builder, ascend_process(ascend), NO_VALUE,
					      label, ascend_npu(device));
		builder_counter(ascend->builder, &counter);
	}
}

/* Hardware counters of tasks. */
static void read_metrics(struct ascend *ascend)
{
	sqlite_each (rows, ascend->database, "TASK_PMU_INFO", "globalTaskId! name! value!", 3) {
		struct metric metric = {
			.activity = id_find(ascend->tasks, sqlite_int(rows, 0)),
			.name = ascend_string(ascend, sqlite_int(rows, 1)),
			.value = sqlite_real(rows, 2),
		};
		if (metric.activity == NO_ROW || !metric.name || !isfinite(metric.value))
			profile_skip(ascend->profile, "metric without task, name or value");
		else
			builder_metric(ascend->builder, &metric);
	}
}

void ascend_read_counters(struct ascend *ascend)
{
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		read_samples(ascend, &samples[i]);
	read_metrics(ascend);
}

/*
 * Host rows of a recording: calls and ranges, points in time.
 */
#include "input/rocm/rocpd_private.h"

static void read_regions(struct rocpd *rocpd)
{
	enum { START = PLACE_COLUMNS, END, NAME, EVENT, COLUMNS };
	rocpd_each (rows, rocpd, "region", ROCPD_PLACE " start! end! name_id event_id", COLUMNS) {
		struct rocpd_lane place = rocpd_place(rocpd, rows);
		const struct rocpd_event *event = rocpd_event(rocpd, sqlite_int(rows, EVENT));
		struct rocm_range range = { .start = sqlite_int(rows, START) };
		if (!rocm_times(rocpd->profile, range.start, sqlite_int(rows, END), &range.dur))
			continue;
		range.track = rocpd_thread(rocpd, &place);
		range.name = rocpd_string(rocpd, sqlite_int(rows, NAME));
		range.category = event ? event->category : 0;
		range.message = event ? event->message : 0;
		range.correlation = event ? event->stack : NO_VALUE;
		rocm_add_range(rocpd->builder, rocpd->profile, rocpd->nvtx, &range);
	}
}

/* They are added to the profile when it is known which ones carry counters. */
static void read_samples(struct rocpd *rocpd)
{
	enum { ID = PLACE_COLUMNS, TIME, NAME, EVENT, COLUMNS };
	rocpd_each (rows, rocpd, "sample", ROCPD_PLACE " id timestamp! name_id event_id", COLUMNS) {
		int64_t dur, id = sqlite_int(rows, ID), time = sqlite_int(rows, TIME);
		if (!rocm_times(rocpd->profile, time, time, &dur))
			continue;
		struct rocpd_lane place = rocpd_place(rocpd, rows);
		struct rocpd_event *event = rocpd_event(rocpd, sqlite_int(rows, EVENT));
		uint32_t name = rocpd_string(rocpd, sqlite_int(rows, NAME));
		if (event)
			event->sample = (uint32_t)rocpd->samples.count;
		struct rocpd_sample *sample = id_table_add(&rocpd->samples, sizeof *sample, id);
		*sample = (struct rocpd_sample){
			.time = time,
			.event = event ? (uint32_t)(event - rocpd->events) : NO_ROW,
			.track = rocpd_thread(rocpd, &place),
			.name = name ? name : place.name,
		};
	}
}

void rocpd_read_host(struct rocpd *rocpd)
{
	read_regions(rocpd);
	read_samples(rocpd);
}

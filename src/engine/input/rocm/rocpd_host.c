/*
 * Host rows of a recording: calls and ranges, points in time.
 */
#include "input/rocm/rocpd_private.h"

static void read_regions(struct rocpd *rocpd)
{
	enum { START = PLACE_COLUMNS, END, NAME, EVENT, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		ROCPD_PLACE,
		[START] = { "start", COLUMN_INT, true },
		[END] = { "end", COLUMN_INT, true },
		[NAME] = { "name_id", COLUMN_INT, false },
		[EVENT] = { "event_id", COLUMN_INT, false },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "region", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		struct rocpd_lane place = rocpd_place(rocpd, rows, 0);
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
	sqlite_rows_close(rows);
}

/* They are added to the profile when it is known which ones carry counters. */
static void read_samples(struct rocpd *rocpd)
{
	enum { ID = PLACE_COLUMNS, TIME, NAME, EVENT, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		ROCPD_PLACE,
		[ID] = { "id", COLUMN_INT, false },
		[TIME] = { "timestamp", COLUMN_INT, true },
		[NAME] = { "name_id", COLUMN_INT, false },
		[EVENT] = { "event_id", COLUMN_INT, false },
	};
	struct sqlite_rows *rows = rocpd_open(rocpd, "sample", columns, COLUMNS);
	while (sqlite_rows_next(rows)) {
		int64_t dur, id = sqlite_int(rows, ID), time = sqlite_int(rows, TIME);
		if (!rocm_times(rocpd->profile, time, time, &dur))
			continue;
		struct rocpd_lane place = rocpd_place(rocpd, rows, 0);
		struct rocpd_event *event = rocpd_event(rocpd, sqlite_int(rows, EVENT));
		uint32_t name = rocpd_string(rocpd, sqlite_int(rows, NAME));
		mem_grow(rocpd->samples, rocpd->sample_cap, rocpd->sample_count + 1);
		rocpd->samples[rocpd->sample_count] = (struct rocpd_sample){
			.time = time,
			.event = event ? (uint32_t)(event - rocpd->events) : NO_ROW,
			.track = rocpd_thread(rocpd, &place),
			.name = name ? name : place.name,
		};
		if (event)
			event->sample = (uint32_t)rocpd->sample_count;
		if (id != NO_VALUE)
			hash_add(rocpd->sample_ids, (uint64_t)id, (uint32_t)rocpd->sample_count);
		rocpd->sample_count++;
	}
	sqlite_rows_close(rows);
}

void rocpd_read_host(struct rocpd *rocpd)
{
	read_regions(rocpd);
	read_samples(rocpd);
}

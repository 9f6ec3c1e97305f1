/*
 * Memory of an Ascend database: the allocator's totals by component, allocations of operators.
 */
#include "base/any_of.h"
#include "base/binary_search.h"
#include "base/compare.h"
#include "base/sort.h"
#include "input/ascend/ascend_private.h"

enum { DEVICE_TYPE_NPU = 20 }; /* PyTorch's PrivateUse1 */

static void read_totals(struct ascend *ascend)
{
	enum { COMPONENT, TIME, ALLOCATED, RESERVED, DEVICE, COLUMNS };
	uint32_t track = ascend_thread(ascend, NO_VALUE);
	sqlite_each (rows, ascend->database, "MEMORY_RECORD",
		     "component! timestamp|timestampNs! totalAllocated|totalAllocate! "
		     "totalReserved|totalReserve deviceId",
		     COLUMNS) {
		struct memory_event event = {
			.time = sqlite_int(rows, TIME),
			.address = NO_VALUE,
			.total_allocated = sqlite_int(rows, ALLOCATED),
			.total_reserved = sqlite_int(rows, RESERVED),
			.device_type = DEVICE_TYPE_NPU,
			.device_id = ascend_npu(sqlite_int(rows, DEVICE)),
			.track = track,
			.category = ascend_string(ascend, sqlite_int(rows, COMPONENT)),
		};
		ascend->profile->events++;
		if (event.time == NO_VALUE || !event.category)
			profile_skip(ascend->profile, "memory record without time or component");
		else
			builder_memory(ascend->builder, &event);
	}
}

/* ---- allocations ---- */

COMPARE_MEMBERS(compare_calls, struct ascend_call, UP(name) UP(start))

/* The thread whose operator NAME runs at TIME: the latest call that has begun, if it has not ended.
 */
static uint32_t thread_at(struct ascend *ascend, uint32_t name, int64_t time, uint32_t fallback)
{
	const struct ascend_call *calls = ascend->calls;
	size_t after = search_first(i, (size_t)0, ascend->call_count,
				    calls[i].name > name ||
					    (calls[i].name == name && calls[i].start > time));
	const struct ascend_call *call = after ? &calls[after - 1] : NULL;
	return call && call->name == name && time < call->end ? call->track : fallback;
}

/* Rows have no address; the number of the row pairs an allocation with its release. */
static void read_allocations(struct ascend *ascend)
{
	enum { NAME, SIZE, ALLOCATION, RELEASE, DEVICE, COLUMNS };
	int64_t number = 0;
	uint32_t elsewhere = ascend_thread(ascend, NO_VALUE);
	struct sqlite_rows *rows =
		sqlite_rows_open(ascend->database, "OP_MEMORY",
				 "name! size! allocationTime! releaseTime deviceId", COLUMNS);
	sort_items(ascend->calls, ascend->call_count, compare_calls);
	while (sqlite_rows_next(&rows)) {
		int64_t release = sqlite_int(rows, RELEASE);
		struct memory_event event = {
			.time = sqlite_int(rows, ALLOCATION),
			.address = number++,
			.bytes = sqlite_int(rows, SIZE),
			.total_allocated = NO_VALUE,
			.total_reserved = NO_VALUE,
			.device_type = DEVICE_TYPE_NPU,
			.device_id = ascend_npu(sqlite_int(rows, DEVICE)),
		};
		ascend->profile->events++;
		if (event.time == NO_VALUE || event.bytes <= 0) {
			profile_skip(ascend->profile, "allocation without time or size");
			continue;
		}
		event.track = thread_at(ascend, ascend_string(ascend, sqlite_int(rows, NAME)),
					event.time, elsewhere);
		builder_memory(ascend->builder, &event);
		event.time = release;
		event.bytes = -event.bytes;
		event.track = elsewhere;
		if (release != NO_VALUE)
			builder_memory(ascend->builder, &event);
	}
}

static bool is_sum(const struct profile *profile, const struct memory_event *event)
{
	return strchr(profile_string(profile, event->category), '+') != NULL;
}

void ascend_mark_parts(struct profile *profile)
{
	bool any = any_of(i, profile->memory_count, is_sum(profile, &profile->memory_events[i]));
	for (size_t i = 0; i < profile->memory_count && any; i++) {
		struct memory_event *event = &profile->memory_events[i];
		event->part = event->category && !is_sum(profile, event);
	}
}

void ascend_read_memory(struct ascend *ascend)
{
	read_totals(ascend);
	read_allocations(ascend);
	ascend_mark_parts(ascend->profile);
}

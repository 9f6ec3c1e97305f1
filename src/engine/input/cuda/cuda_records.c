#include "input/cuda/cuda_records.h"

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/mem.h"
#include "model/profile.h"

#include <stdlib.h>

enum { LOOK_BACK = 64 }; /* records of an event with other numbers that the search looks past */

COMPARE_ITEMS(compare_records, struct cuda_record,
	      COMPARE(x->process, y->process)
		      ?: COMPARE(x->event, y->event)
		      ?: COMPARE(x->correlation, y->correlation))

void cuda_records_read(struct cuda_records *records, struct sqlite_database *database)
{
	enum { PROCESS, EVENT, CORRELATION, SYNC, STREAM, COLUMNS };
	struct sqlite_rows *rows = sqlite_rows_open(
		database, "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
		"globalPid eventId! correlationId! eventSyncId streamId!", COLUMNS);
	*records = (struct cuda_records){ 0 };
	while (sqlite_rows_next(&rows)) {
		*mem_push(records->items, records->count, records->capacity) = (struct cuda_record){
			.process = sqlite_int(rows, PROCESS),
			.event = sqlite_int(rows, EVENT),
			.correlation = sqlite_int(rows, CORRELATION),
			.sync = sqlite_int(rows, SYNC),
			.stream = sqlite_int(rows, STREAM),
		};
	}
	if (records->count)
		qsort(records->items, records->count, sizeof *records->items, compare_records);
}

const struct cuda_record *cuda_records_find(const struct cuda_records *records,
					    const struct cuda_record *wait)
{
	bool known = wait->sync != NO_VALUE && wait->sync != 0;
	size_t low = search_first(i, (size_t)0, records->count,
				  compare_records(&records->items[i], wait) >= 0);
	for (int looked = 0; low-- > 0 && looked < LOOK_BACK; looked++) {
		const struct cuda_record *record = &records->items[low];
		if (record->process != wait->process || record->event != wait->event)
			break;
		if (!known || record->sync == NO_VALUE || record->sync == wait->sync)
			return record;
	}
	return NULL;
}

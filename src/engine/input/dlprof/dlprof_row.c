#include "input/dlprof/dlprof_private.h"

#include <math.h>

/* About a hundred days in ns: sums and differences of such numbers fit 64 bits. */
#define REAL_EXACT_MAX (INT64_C(1) << 53)

int64_t row_int(struct dlprof_reader *reader, int column)
{
	int64_t value = sqlite_int(reader->row, (size_t)column);
	if (value == NO_VALUE || (value >= -REAL_EXACT_MAX && value <= REAL_EXACT_MAX))
		return value == NO_VALUE ? 0 : value;
	profile_damage(reader->profile, "number out of range", "set to 0", UINT64_MAX);
	return 0;
}

double row_real(struct dlprof_reader *reader, int column)
{
	double value = sqlite_real(reader->row, (size_t)column);
	return isfinite(value) ? value : 0;
}

int64_t row_time(struct dlprof_reader *reader, int column)
{
	int64_t value = row_int(reader, column);
	if (value >= 0)
		return value;
	profile_damage(reader->profile, "negative time", "set to 0", UINT64_MAX);
	return 0;
}

int64_t row_end(struct dlprof_reader *reader, int column, int64_t start)
{
	int64_t end = row_time(reader, column);
	if (end >= start)
		return end;
	profile_damage(reader->profile, "end before start", "set to empty", UINT64_MAX);
	return start;
}

uint32_t row_text(struct dlprof_reader *reader, int column)
{
	size_t length;
	const char *text = sqlite_text(reader->row, (size_t)column, &length);
	return text ? intern_add(reader->profile->strings, text, length) : 0;
}

uint32_t row_string(struct dlprof_reader *reader, int column)
{
	uint32_t found = id_map_find(&reader->strings, row_int(reader, column));
	return found == NO_ROW ? 0 : found;
}

int32_t row_small(struct dlprof_reader *reader, int column)
{
	int64_t value = row_int(reader, column);
	return value >= 0 && value <= INT32_MAX ? (int32_t)value : 0;
}

int64_t row_id(struct dlprof_reader *reader)
{
	return row_int(reader, 0);
}

/*
 * Sorts rows by track, then time, enclosing rows first.
 */
#include "model/builder_private.h"

#include "base/parallel.h"

static const char stage[] = "ordering";

/* The columns that rows of a track are sorted by. */
struct order_lane {
	const int64_t *start, *dur;
	const struct progress *progress;
};

static bool order_check_cancelled(const struct order_lane *lane, size_t done, size_t total)
{
	return progress_row(lane->progress, stage, done, total);
}

/* By start, then longer first, then file order. */
static bool before(const struct order_lane *lane, uint32_t a, uint32_t b)
{
	if (lane->start[a] != lane->start[b])
		return lane->start[a] < lane->start[b];
	return lane->dur[a] != lane->dur[b] ? lane->dur[a] > lane->dur[b] : a < b;
}

static bool is_sorted(const struct order_lane *lane, const uint32_t *rows, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!order_check_cancelled(lane, i, count) || before(lane, rows[i], rows[i - 1]))
			return false;
	return true;
}

/* Merge sorted A and B into OUT. False when cancelled, as below. */
static bool order_merge(const struct order_lane *lane, const uint32_t *a, size_t a_count,
			const uint32_t *b, size_t b_count, uint32_t *out)
{
	size_t total = a_count + b_count;
	while (a_count && b_count) {
		if (!order_check_cancelled(lane, a_count + b_count, total))
			return false;
		if (before(lane, *b, *a)) {
			*out++ = *b++;
			b_count--;
		} else {
			*out++ = *a++;
			a_count--;
		}
	}
	memcpy(out, a, a_count * sizeof *out);
	memcpy(out + a_count, b, b_count * sizeof *out);
	return true;
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

struct order_key {
	uint64_t key;
	uint32_t row;
};

/* One stable radix pass over the digit above SHIFT. */
static void sort_digit(const struct order_key *from, struct order_key *to, size_t count,
		       unsigned shift)
{
	uint32_t place[DIGITS] = { 0 }, sum = 0;
	for (size_t i = 0; i < count; i++)
		place[from[i].key >> shift & (DIGITS - 1)]++;
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		uint32_t here = place[digit];
		place[digit] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* Stable radix sort by the keys, whose bitwise OR is USED. KEYS has room for twice COUNT. */
static const struct order_key *sort_keys(const struct order_lane *lane, struct order_key *keys,
					 size_t count, uint64_t used)
{
	struct order_key *scratch = keys + count;
	for (unsigned shift = 0;
	     shift < 64 && used >> shift && order_check_cancelled(lane, 0, count);
	     shift += DIGIT_BITS) {
		sort_digit(keys, scratch, count, shift);
		struct order_key *sorted = scratch;
		scratch = keys;
		keys = sorted;
	}
	return keys;
}

/* Rows in arbitrary order: radix sort by length, then, stably, by start. */
static bool sort_by_digits(const struct order_lane *lane, uint32_t *rows, size_t count)
{
	AUTO_FREE struct order_key *keys = mem_alloc(count * 2 * sizeof *keys);
	bool ok = true;
	for (int by_start = 0; by_start < 2 && ok; by_start++) {
		const int64_t *column = by_start ? lane->start : lane->dur;
		uint64_t used = 0;
		int64_t least = INT64_MAX, max = INT64_MIN;
		for (size_t i = 0; i < count; i++) {
			least = column[rows[i]] < least ? column[rows[i]] : least;
			max = column[rows[i]] > max ? column[rows[i]] : max;
		}
		for (size_t i = 0; i < count; i++) {
			uint64_t value = (uint64_t)column[rows[i]];
			keys[i].key = by_start ? value - (uint64_t)least : (uint64_t)max - value;
			keys[i].row = rows[i];
			used |= keys[i].key;
		}
		const struct order_key *sorted = sort_keys(lane, keys, count, used);
		for (size_t i = 0; i < count; i++)
			rows[i] = sorted[i].row;
		ok = order_check_cancelled(lane, 0, count);
	}
	return ok;
}

/*
 * Insertion-sort the rows that are at most a few places late into SORTED; the rest, *LATE_COUNT of
 * them, go to LATE in input order.
 */
static bool insert_near(const struct order_lane *lane, const uint32_t *rows, size_t count,
			uint32_t *sorted, uint32_t *late, size_t *late_count)
{
	enum { NEAR = 16 };
	size_t length = 0;
	*late_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!order_check_cancelled(lane, i, count))
			return false;
		size_t at = length, least = length > NEAR ? length - NEAR : 0;
		if (least && before(lane, rows[i], sorted[least - 1])) {
			late[(*late_count)++] = rows[i];
			continue;
		}
		while (at > least && before(lane, rows[i], sorted[at - 1]))
			at--;
		for (size_t to = length; to > at; to--)
			sorted[to] = sorted[to - 1];
		sorted[at] = rows[i];
		length++;
	}
	return true;
}

/*
 * Sort the rows of one track. Rows are usually nearly sorted: profilers write calls when they end,
 * so parents follow their children, and write kinds of calls one after another. Rows far too late
 * are sorted recursively and merged; anything else falls back to radix sort.
 */
static bool sort_lane(const struct order_lane *lane, uint32_t *rows, size_t count, int depth)
{
	enum { DEPTH_MAX = 4 };
	if (is_sorted(lane, rows, count))
		return true;
	if (depth == DEPTH_MAX)
		return sort_by_digits(lane, rows, count);
	AUTO_FREE uint32_t *sorted = mem_alloc(count * 2 * sizeof *sorted);
	uint32_t *late = sorted + count;
	size_t late_count;
	return insert_near(lane, rows, count, sorted, late, &late_count) &&
	       (!late_count || sort_lane(lane, late, late_count, depth + 1)) &&
	       order_merge(lane, sorted, count - late_count, late, late_count, rows);
}

struct order_sorting {
	const int64_t *start, *dur;
	uint32_t *order;
	const uint32_t *first, *number;
};

static bool sort_nth_lane(void *context, size_t t, const struct progress *progress)
{
	const struct order_sorting *sorting = context;
	const struct order_lane lane = { sorting->start, sorting->dur, progress };
	return sort_lane(&lane, sorting->order + sorting->first[t], sorting->number[t], 0);
}

uint32_t *lane_order(const int64_t *start, const int64_t *dur, const uint32_t *track,
		     const uint8_t *keep, uint32_t count, size_t tracks, uint32_t *first,
		     uint32_t *number, uint32_t *kept, const struct progress *progress)
{
	const struct order_lane all = { start, dur, progress };
	bool ok = true;
	memset(number, 0, tracks * sizeof *number);
	for (uint32_t i = 0; i < count && ok; i++) {
		ok = order_check_cancelled(&all, i, count);
		number[track[i]] += keep ? keep[i] : 1;
	}
	uint32_t at = 0;
	for (size_t t = 0; t < tracks; t++) {
		first[t] = at;
		at += number[t];
	}
	*kept = at;
	uint32_t *order = mem_alloc(((size_t)at + 1) * sizeof *order);
	AUTO_FREE uint32_t *fill = mem_alloc((tracks + 1) * sizeof *fill);
	memcpy(fill, first, tracks * sizeof *fill);
	for (uint32_t i = 0; i < count && ok; i++) {
		ok = order_check_cancelled(&all, i, count);
		if (!keep || keep[i])
			order[fill[track[i]]++] = i;
	}
	struct order_sorting sorting = { start, dur, order, first, number };
	return mem_if(ok && parallel_try_rows(count, tracks, sort_nth_lane, &sorting, stage,
					      progress, NULL),
		      order);
}

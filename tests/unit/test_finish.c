/*
 * Sorting of rows, compared with qsort, and the id index used for linking.
 */
#include "trace_case.h"

#include "base/id_index.h"
#include "model/builder.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 6000, LANES = 3 };

struct row {
	int64_t start, dur;
	uint32_t lane, number; /* NUMBER: position in the file */
};

static uint32_t random_state = 1;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(random_state >> 4) % below);
}

/* By lane, start, longest first, file order. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->dur != y->dur)
		return x->dur > y->dur ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static bool attributes_last; /* the second of rows, as readers of tables add them */

/* Spans and activities from rows; name and attributes are the row's number. */
static struct profile *build(const struct row *rows, size_t count)
{
	struct error error = { 0 };
	struct profile *profile = profile_new("");
	struct builder *builder = builder_new(profile);
	uint32_t process = builder_process(builder, 1, 0);
	uint32_t second = intern_add(profile->strings, "second", 6);
	uint32_t first = intern_add(profile->strings, "first", 5);
	for (size_t i = 0; i < count; i++) {
		char text[16];
		int length = snprintf(text, sizeof text, "%u", rows[i].number);
		uint32_t name = intern_add(profile->strings, text, (size_t)length);
		uint32_t thread = builder_track(builder, process, rows[i].lane, 0, -1);
		uint32_t stream = builder_track(builder, process, rows[i].lane, 0, 0);
		uint32_t span = builder_span(builder, SPAN_OTHER, thread, name, rows[i].start,
					     rows[i].dur, name);
		builder_span_attribute(builder, span, first, name);
		if (i % 3 == 0 && !attributes_last)
			builder_span_attribute(builder, span, second, name);
		struct activity activity = { .kind = ACTIVITY_KERNEL,
					     .track = stream,
					     .name = name,
					     .config = NO_ROW,
					     .start = rows[i].start,
					     .dur = rows[i].dur,
					     .correlation = rows[i].number,
					     .external = NO_VALUE,
					     .bytes = rows[i].dur };
		builder_activity(builder, &activity);
	}
	for (uint32_t i = 0; i < count && attributes_last; i += 3)
		builder_span_attribute(builder, i, second, profile->span_name[i]);
	assert_true(profile_finish(builder, NULL, &error));
	builder_free(builder);
	return profile;
}

static void assert_attributes(const struct profile *profile, uint32_t span, uint32_t number)
{
	size_t count;
	const struct attribute *attributes = profile_span_attributes(profile, span, &count);
	assert_int_equal(count, number % 3 == 0 ? 2 : 1);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(attributes[i].text, profile->span_name[span]);
	if (count == 2) /* sorted by key in interning order */
		assert_string_equal(profile_string(profile, attributes[0].key), "second");
}

static void assert_in_order(struct row *rows, size_t count)
{
	struct profile *profile = build(rows, count);
	qsort(rows, count, sizeof *rows, compare_rows);
	assert_int_equal(profile->spans, count);
	assert_int_equal(profile->activities, count);
	for (uint32_t i = 0; i < count; i++) {
		long number = rows[i].number;
		assert_int_equal(atol(profile_string(profile, profile->span_name[i])), number);
		assert_int_equal(profile->span_start[i], rows[i].start - profile->base_ns);
		assert_int_equal(profile->span_dur[i], rows[i].dur);
		assert_int_equal(profile->span_info[i], profile->span_name[i]);
		assert_int_equal(profile->tracks[profile->span_track[i]].tid, rows[i].lane);
		assert_attributes(profile, i, rows[i].number);
		assert_int_equal(profile->activity_correlation[i], number);
		assert_int_equal(profile->activity_bytes[i], rows[i].dur);
		assert_int_equal(profile->activity_start[i], profile->span_start[i]);
		assert_int_equal(profile->activity_order[i], number);
	}
	profile_free(profile);
}

/* Rows with start times from START, many equal, distributed over the lanes round-robin. */
static void check(int64_t (*start)(uint32_t number), size_t count, uint32_t lanes)
{
	struct row *rows = malloc(count * sizeof *rows);
	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct row){ start(i), draw(50), i % lanes, i };
	assert_in_order(rows, count);
	free(rows);
}

static int64_t in_order(uint32_t number)
{
	return (int64_t)number * 10;
}

static int64_t in_reverse(uint32_t number)
{
	return INT64_C(1) << 40 | (ROWS - number);
}

static int64_t all_equal(uint32_t number)
{
	return -7;
}

static int64_t strewn(uint32_t number)
{
	return (int64_t)draw(1 << 28) * 100 - (INT64_C(1) << 33);
}

/* Calls written when they end: groups of eight, outermost last. */
static int64_t ends_first(uint32_t number)
{
	return (int64_t)(number / 8) * 1000 + (7 - number % 8) * 10;
}

/* A sorted run, then a second one interleaved in time. */
static int64_t two_runs(uint32_t number)
{
	return number < ROWS / 4 ? (int64_t)number * 400 : (int64_t)(number - ROWS / 4) * 130;
}

TEST(rows_are_sorted)
{
	int64_t (*const starts[])(uint32_t) = { in_order, in_reverse, all_equal,
						strewn,   ends_first, two_runs };
	static const size_t counts[] = { 0, 1, 2, 900, ROWS };
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
			attributes_last = i % 2 == 0;
			check(starts[i], counts[j], j % 2 ? 1 : LANES);
		}
	attributes_last = false;
}

/* Columns keep no room for rows to come: half as much again was there while they grew. */
TEST(columns_fit_their_rows)
{
	struct row rows[900];
	enum { SLACK = 64 }; /* bytes that malloc rounds up to, and the row after the last */
	for (uint32_t i = 0; i < 900; i++)
		rows[i] = (struct row){ .start = i * 10, .dur = 5, .number = i };
	struct profile *profile = build(rows, 900);
#define ASSERT_FITS(type, column, ids)                                                             \
	assert_in_range(mem_size(profile->column), 900 * sizeof(type), 900 * sizeof(type) + SLACK);
	PROFILE_SPAN_COLUMNS(ASSERT_FITS)
	PROFILE_ACTIVITY_COLUMNS(ASSERT_FITS)
	profile_free(profile);
}

/* Rows that are set aside take their attributes along; others may be added to the rest. */
TEST(attributes_of_rows_outside)
{
	enum { DAYS = 3, NEAR = 60 };
	struct row rows[NEAR];
	for (uint32_t i = 0; i < NEAR; i++)
		rows[i] = (struct row){ i % 4 ? i * 10 : DAYS * 24 * 3600 * INT64_C(1000000000), 5,
					0, i };
	for (int last = 0; last < 2; last++) {
		attributes_last = last;
		struct profile *profile = build(rows, NEAR);
		assert_int_equal(profile->spans, NEAR - NEAR / 4);
		assert_int_equal(profile->span_attribute_count, NEAR - NEAR / 4 + NEAR / 4);
		for (uint32_t i = 0; i < profile->spans; i++)
			assert_attributes(
				profile, i,
				(uint32_t)atol(profile_string(profile, profile->span_name[i])));
		profile_free(profile);
	}
	attributes_last = false;
}

/* ---- rows by id ---- */

/* Walking an id yields all its rows in insertion order. */
static void assert_walk(const struct id_index *index, const int64_t *ids, size_t count,
			uint32_t space, int64_t id)
{
	struct id_walk walk;
	uint32_t row = id_index_first(index, space, id, &walk);
	for (size_t i = 0; i < count; i++) {
		if (ids[i] != id || i % 3 != space)
			continue;
		assert_int_equal(row, i);
		row = id_index_next(index, &walk);
	}
	assert_int_equal(row, UINT32_MAX);
}

static void assert_index(const int64_t *ids, size_t count, int64_t least, int64_t max)
{
	struct id_index *index = id_index_new(least, max, count);
	for (size_t i = 0; i < count; i++)
		id_index_add(index, i % 3, ids[i], (uint32_t)i);
	for (size_t i = 0; i < count; i++)
		assert_walk(index, ids, count, i % 4, ids[i]);
	assert_walk(index, ids, 0, 0, INT64_MIN);
	assert_walk(index, ids, 0, 0, INT64_MAX);
	id_index_free(index);
}

TEST(id_index_finds_rows)
{
	enum { COUNT = 500 };
	int64_t dense[COUNT], strewn_ids[COUNT];
	for (size_t i = 0; i < COUNT; i++) {
		dense[i] = 1000 + draw(300);
		strewn_ids[i] = (int64_t)draw(40) << 55;
	}
	assert_index(dense, COUNT, 1000, 1299);
	assert_index(dense, COUNT, 1100, 1150); /* some out of range */
	assert_index(strewn_ids, COUNT, 0, INT64_MAX);
	assert_index(strewn_ids, COUNT, INT64_MIN, INT64_MAX);
	assert_index(dense, 0, INT64_MAX, INT64_MIN);
}

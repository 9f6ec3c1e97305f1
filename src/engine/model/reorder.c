/*
 * Sorts the rows of a profile by track and time, enclosing rows first, with their attributes.
 */
#include "base/any_of.h"
#include "base/parallel.h"
#include "model/builder_private.h"

static const char ordering[] = "ordering";

/*
 * Columns are reordered one after another, each into the memory the previous one left: fresh pages
 * cost more than the copy.
 */
struct reordering {
	const uint32_t *order;
	uint32_t rows, kept;
	void *room; /* for rows of WIDTH bytes */
	size_t width;
	const struct progress *progress;
	bool stopped; /* cancelled: the columns are invalid */
};

#define gather(type)                                                                               \
	do {                                                                                       \
		const type *from_ = gathering->from;                                               \
		type *to_ = gathering->to;                                                         \
		for (size_t i_ = first; i_ < end; i_++)                                            \
			to_[i_] = from_[gathering->order[i_]];                                     \
	} while (0)

struct gathering {
	const uint32_t *order;
	const void *from;
	void *to;
	size_t width;
};

static void gather_range(void *context, size_t first, size_t end)
{
	const struct gathering *gathering = context;
	if (gathering->width == 8)
		gather(uint64_t);
	else if (gathering->width == 4)
		gather(uint32_t);
	else
		gather(uint8_t);
}

/* Reorder COLUMN, whose elements are WIDTH bytes. */
static void *reorder(struct reordering *reordering, void *column, size_t width)
{
	if (reordering->width != width) {
		mem_replace(reordering->room, mem_alloc(((size_t)reordering->rows + 1) * width));
		reordering->width = width;
	}
	struct gathering gathering = { reordering->order, column, reordering->room, width };
	if (!reordering->stopped)
		reordering->stopped = !parallel_ranges(reordering->kept, gather_range, &gathering,
						       ordering, reordering->progress);
	void *done = reordering->room;
	reordering->room = column;
	if (!column)
		reordering->width = 0;
	return done;
}

#define PUT_IN_ORDER(type, column, ids)                                                            \
	profile->column = reorder(reordering, profile->column, sizeof(type));

/* Is the order the identity, as for one track written in order? */
static bool is_in_order(const uint32_t *order, uint32_t kept, uint32_t rows)
{
	if (!rows)
		return false; /* empty columns are allocated too, not NULL */
	return !any_of(i, kept, order[i] != i) && kept == rows;
}

/* Sort by row, stably. */
static bool sort_by_row(struct attribute *attributes, size_t count, uint32_t rows,
			const struct progress *progress)
{
	AUTO_FREE struct attribute *from = mem_alloc((count + 1) * sizeof *from);
	AUTO_FREE uint32_t *offset = mem_zalloc((size_t)rows + 1, sizeof *offset);
	bool ok = true;
	memcpy(from, attributes, count * sizeof *from);
	for (size_t i = 0; i < count; i++)
		offset[from[i].row + 1]++;
	for_rows (ok, row, rows, progress, ordering)
		offset[row + 1] += offset[row];
	for_rows (ok, i, count, progress, ordering)
		attributes[offset[from[i].row]++] = from[i];
	return ok;
}

/*
 * Find the FIRST of each row and, in the last place, the end. False when they are not in the order
 * of their rows, as readers leave them that do not add them with their rows.
 */
static bool find_first(const struct attribute *attributes, size_t count, uint32_t *first,
		       uint32_t rows)
{
	size_t at = 0;
	for (uint32_t row = 0; row <= rows; row++) {
		first[row] = (uint32_t)at;
		while (at < count && attributes[at].row == row)
			at++;
	}
	return at == count;
}

/* Add one of ROW to those from FIRST to AT, by key; a row has few. */
static void insert_by_key(struct attribute *first, struct attribute *at,
			  const struct attribute *attribute, uint32_t row)
{
	for (; at > first && at[-1].key > attribute->key; at--)
		*at = at[-1];
	*at = *attribute;
	at->row = row;
}

/*
 * Move attributes with their rows after ROWS rows were reordered into ORDER (KEPT of them): by row,
 * then key, then file order.
 */
static bool move_attributes(struct attribute **attributes, size_t *count, const uint32_t *order,
			    uint32_t kept, uint32_t rows, const struct progress *progress)
{
	if (!*count)
		return true;
	struct attribute *from = *attributes, *moved = mem_alloc(*count * sizeof *moved);
	AUTO_FREE uint32_t *first = mem_alloc(((size_t)rows + 1) * sizeof *first);
	bool ok = find_first(from, *count, first, rows) ||
		  (sort_by_row(from, *count, rows, progress) &&
		   find_first(from, *count, first, rows));
	size_t out = 0;
	for_rows (ok, i, kept, progress, ordering) {
		uint32_t end = first[order[i] + 1];
		size_t start = out;
		for (uint32_t j = first[order[i]]; j < end; j++, out++)
			insert_by_key(moved + start, moved + out, &from[j], i);
	}
	mem_free(from);
	*attributes = moved;
	*count = out;
	return ok;
}

/*
 * 1 for rows inside the capture; others are counted as damage. NULL, the usual case, for all rows.
 */
static uint8_t *rows_to_keep(struct profile *profile, const int64_t *start, const int64_t *dur,
			     uint32_t count, int64_t typical, const struct progress *progress)
{
	uint32_t away = 0;
	/* cancellation here is noticed when the rows are sorted */
	for (uint32_t i = 0; i < count && progress_row(progress, ordering, i, count); i++)
		away += outside_capture(start[i], dur[i], typical);
	if (!away)
		return NULL;
	profile_damage_many(profile, "time more than a day outside the capture", "set aside",
			    UINT64_MAX, away);
	uint8_t *keep = mem_zalloc((size_t)count + 1, 1);
	for (uint32_t i = 0; i < count && progress_row(progress, ordering, i, count); i++)
		keep[i] = !outside_capture(start[i], dur[i], typical);
	return keep;
}

static bool reorder_spans(struct profile *profile, struct reordering *reordering)
{
	PROFILE_SPAN_RECORDED(PUT_IN_ORDER)
	if (profile->span_record)
		PUT_IN_ORDER(uint32_t, span_record, NUMBER)
	mem_free(reordering->room);
	return !reordering->stopped;
}

static bool is_twin(const struct profile *profile, uint32_t a, uint32_t b)
{
	return profile->span_start[a] == profile->span_start[b] &&
	       profile->span_dur[a] == profile->span_dur[b] &&
	       profile->span_track[a] == profile->span_track[b];
}

/* Move calls to the end, stably. ROOM holds COUNT rows. */
static void move_calls_last(const struct profile *profile, uint32_t *rows, uint32_t count,
			    uint32_t *room)
{
	uint32_t calls = 0, others = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (profile->span_kind[rows[i]] == SPAN_RUNTIME)
			room[calls++] = rows[i];
		else
			rows[others++] = rows[i];
	}
	for (uint32_t i = 0; i < calls; i++)
		rows[others + i] = room[i];
}

/*
 * Among spans of equal start and length the calls are innermost, in whichever order they were
 * written.
 */
static bool order_twins(const struct profile *profile, uint32_t *order, uint32_t kept,
			const struct progress *progress)
{
	AUTO_FREE uint32_t *room = NULL;
	bool ok = true;
	for (uint32_t first = 0, end; first < kept && ok; first = end) {
		ok = progress_row(progress, ordering, first, kept);
		for (end = first + 1; end < kept && is_twin(profile, order[first], order[end]);)
			end++;
		if (end - first < 2)
			continue;
		mem_grow(room, (size_t)end - first);
		move_calls_last(profile, order + first, end - first, room);
	}
	return ok;
}

struct moving {
	struct profile *profile;
	const uint32_t *order;
	uint32_t kept, rows;
};

static bool move_columns_or_attributes(void *context, size_t attributes,
				       const struct progress *progress)
{
	const struct moving *moving = context;
	struct profile *profile = moving->profile;
	struct reordering reordering = { .order = moving->order,
					 .rows = moving->rows,
					 .kept = moving->kept,
					 .progress = progress };
	if (attributes)
		return move_attributes(&profile->span_attributes, &profile->span_attribute_count,
				       moving->order, moving->kept, moving->rows, progress);
	return is_in_order(moving->order, moving->kept, moving->rows) ||
	       reorder_spans(profile, &reordering);
}

/* The order of the spans or activities, and the rows of each track; NULL when cancelled. */
static uint32_t *order_lanes(struct profile *profile, bool spans, const uint8_t *keep,
			     uint32_t *kept, const struct progress *progress)
{
	size_t tracks = profile->track_count;
	AUTO_FREE uint32_t *first = mem_alloc((tracks * 2 + 1) * sizeof *first);
	uint32_t *order = lane_order(spans ? profile->span_start : profile->activity_start,
				     spans ? profile->span_dur : profile->activity_dur,
				     spans ? profile->span_track : profile->activity_track, keep,
				     spans ? profile->spans : profile->activities, tracks, first,
				     first + tracks, kept, progress);
	for (size_t t = 0; t < tracks && order; t++) {
		struct track *track = &profile->tracks[t];
		*(spans ? &track->first_span : &track->first_activity) = first[t];
		*(spans ? &track->spans : &track->activities) = first[tracks + t];
	}
	return order;
}

static bool order_spans(struct profile *profile, const uint8_t *keep,
			const struct progress *progress)
{
	uint32_t kept, rows = profile->spans;
	AUTO_FREE uint32_t *order = order_lanes(profile, true, keep, &kept, progress);
	if (!order)
		return false;
	struct moving moving = { profile, order, kept, rows };
	bool ok = order_twins(profile, order, kept, progress) &&
		  parallel_try_rows(rows, 2, move_columns_or_attributes, &moving, ordering,
				    progress, NULL);
	profile->spans = kept;
	profile->span_records = profile->span_record ? kept : 0;
	return ok;
}

static bool reorder_activities(struct profile *profile, struct reordering *reordering)
{
	PROFILE_ACTIVITY_RECORDED(PUT_IN_ORDER)
	mem_free(reordering->room);
	return !reordering->stopped;
}

/* Likewise for metrics of activities. */
static bool move_metrics(struct profile *profile, const uint32_t *order, uint32_t kept,
			 uint32_t rows, const struct progress *progress)
{
	if (!profile->metric_count)
		return true;
	AUTO_FREE uint32_t *new_row = mem_no_rows((size_t)rows + 1);
	for (uint32_t i = 0; i < kept; i++)
		new_row[order[i]] = i;
	size_t out = 0;
	bool ok = true;
	for_rows (ok, i, profile->metric_count, progress, ordering) {
		struct metric metric = profile->metrics[i];
		metric.activity = new_row[metric.activity];
		if (metric.activity != NO_ROW)
			profile->metrics[out++] = metric;
	}
	profile->metric_count = out;
	return ok;
}

static bool order_activities(struct profile *profile, const uint8_t *keep,
			     const struct progress *progress)
{
	uint32_t kept, rows = profile->activities;
	uint32_t *order = order_lanes(profile, false, keep, &kept, progress);
	if (!order)
		return false;
	struct reordering reordering = {
		.order = order, .rows = rows, .kept = kept, .progress = progress
	};
	bool ok = is_in_order(order, kept, rows) || reorder_activities(profile, &reordering);
	profile->activities = kept;
	profile->activity_order = order;
	return ok && move_metrics(profile, order, kept, rows, progress) &&
	       move_attributes(&profile->activity_attributes, &profile->activity_attribute_count,
			       order, kept, rows, progress);
}

struct both {
	struct profile *profile;
	const uint8_t *spans, *activities; /* rows to keep; NULL: all */
};

static bool order_one(void *context, size_t activities, const struct progress *progress)
{
	const struct both *both = context;
	return activities ? order_activities(both->profile, both->activities, progress)
			  : order_spans(both->profile, both->spans, progress);
}

bool profile_order(struct profile *profile, int64_t typical, const struct progress *progress)
{
	AUTO_FREE uint8_t *spans = rows_to_keep(profile, profile->span_start, profile->span_dur,
						profile->spans, typical, progress);
	AUTO_FREE uint8_t *activities =
		rows_to_keep(profile, profile->activity_start, profile->activity_dur,
			     profile->activities, typical, progress);
	struct both both = { profile, spans, activities };
	return parallel_try_rows(profile_rows(profile), 2, order_one, &both, ordering, progress,
				 NULL);
}

/*
 * Work whose launch only an arrow tells, as in traces of Intel's tracers: the arrow starts
 * where a call does, and its id is that of the work.
 */
#include "input/kineto/kineto_rows_private.h"

void rows_add_called(struct rows *rows, const struct event *event, int64_t time)
{
	struct queued_end end = { .time = time, .start = true };
	rows->refused |= rows->is_part; /* the call may be in another part */
	if (event->phase != 's' || !event->has_id || !json_id(&event->id, &end.id))
		return;
	end.track = rows_host_track(rows, event);
	mem_grow(rows->called, rows->called_cap, rows->called_count + 1);
	rows->called[rows->called_count++] = end;
}

static uint64_t kineto_calls_place_key(uint32_t track, int64_t time)
{
	return hash_pair(track, (uint64_t)time);
}

/* The arrow that stands for all that start at one place: a call may launch several works. */
static uint32_t first_at(const struct rows *rows, const struct hash *places, uint32_t track,
			 int64_t time)
{
	size_t cursor;
	for (uint32_t i = hash_find(places, kineto_calls_place_key(track, time), &cursor);
	     i != NO_ROW; i = hash_next(places, &cursor))
		if (rows->called[i].track == track && rows->called[i].time == time)
			return i;
	return NO_ROW;
}

static void give_calls_their_id(struct rows *rows, const struct hash *places)
{
	struct profile *profile = rows->profile;
	for (uint32_t i = 0; i < profile->spans; i++) {
		uint32_t first =
			profile->span_kind[i] != SPAN_RUNTIME || profile->span_info[i] != NO_ROW
				? NO_ROW
				: first_at(rows, places, profile->span_track[i],
					   profile->span_start[i]);
		if (first != NO_ROW)
			profile->span_info[i] = builder_call_info(
				rows->builder,
				&(struct call_info){ rows->called[first].id, NO_VALUE });
	}
}

void rows_link_called(struct rows *rows)
{
	struct profile *profile = rows->profile;
	struct hash *places = hash_new(rows->called_count), *ids = hash_new(rows->called_count);
	for (uint32_t i = 0; i < rows->called_count; i++) {
		const struct queued_end *end = &rows->called[i];
		uint32_t first = first_at(rows, places, end->track, end->time);
		if (first == NO_ROW)
			hash_add(places, kineto_calls_place_key(end->track, end->time), first = i);
		hash_add(ids, (uint64_t)end->id, first);
	}
	if (rows->called_count)
		give_calls_their_id(rows, places);
	for (uint32_t i = 0; i < profile->activities && rows->called_count; i++) {
		int64_t *id = &profile->activity_correlation[i];
		uint32_t first = *id == NO_VALUE ? NO_ROW : hash_last(ids, (uint64_t)*id);
		if (first != NO_ROW)
			*id = rows->called[first].id;
	}
	hash_free(places);
	hash_free(ids);
}

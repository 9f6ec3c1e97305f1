/*
 * Work whose launch no correlation id tells: an arrow that starts where a call does has the id of
 * the work, as in traces of Intel's tracers; or call and work have one external id, as in those of
 * ROCm before it wrote both ids.
 */
#include "input/kineto/kineto_rows_private.h"

void rows_add_called(struct rows *rows, const struct event *event, int64_t time)
{
	struct queued_end end = { .time = time, .start = true };
	rows->refused |= rows->is_part; /* the call may be in another part */
	if (event->phase != 's' || !event->has_id || !json_id(&event->id, &end.id))
		return;
	end.track = rows_host_track(rows, event);
	*mem_push(rows->called, rows->called_count) = end;
}

/* The arrow that stands for all that start at one place: a call may launch several works. */
static uint32_t first_at(const struct rows *rows, const struct hash *places, uint32_t track,
			 int64_t time)
{
	return hash_where(i, places, rows_place_key(track, time),
			  rows->called[i].track == track && rows->called[i].time == time);
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
	AUTO_HASH struct hash *places = hash_new(rows->called_count),
			      *ids = hash_new(rows->called_count);
	for (uint32_t i = 0; i < rows->called_count; i++) {
		const struct queued_end *end = &rows->called[i];
		uint32_t first = first_at(rows, places, end->track, end->time);
		if (first == NO_ROW)
			hash_add(places, rows_place_key(end->track, end->time), first = i);
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
}

static bool any_correlation(const struct profile *profile)
{
	bool any = false;
	for (size_t i = 0; i < profile->call_info_count && !any; i++)
		any = profile->call_infos[i].correlation != NO_VALUE;
	for (uint32_t i = 0; i < profile->activities && !any; i++)
		any = profile->activity_correlation[i] != NO_VALUE;
	return any;
}

/* The external ids of calls; NULL where two calls have one, which is then that of an operator. */
static struct hash *external_ids_of_calls(const struct profile *profile)
{
	struct hash *ids = hash_new(profile->call_info_count);
	for (uint32_t i = 0; i < profile->call_info_count; i++) {
		uint64_t id = (uint64_t)profile->call_infos[i].external_id;
		if (profile->call_infos[i].external_id == NO_VALUE)
			continue;
		if (hash_first(ids, id) != NO_ROW) {
			hash_free(ids);
			return NULL;
		}
		hash_add(ids, id, i);
	}
	return ids;
}

void rows_link_external(struct rows *rows)
{
	struct profile *profile = rows->profile;
	AUTO_HASH struct hash *ids =
		any_correlation(profile) ? NULL : external_ids_of_calls(profile);
	for (uint32_t i = 0; ids && i < profile->activities; i++) {
		int64_t id = profile->activity_external[i];
		uint32_t call = id == NO_VALUE ? NO_ROW : hash_first(ids, (uint64_t)id);
		if (call == NO_ROW)
			continue;
		profile->call_infos[call].correlation = profile->activity_correlation[i] = id;
		profile->activity_external[i] = NO_VALUE;
	}
	for (size_t i = 0; ids && i < profile->call_info_count; i++)
		if (profile->call_infos[i].correlation != NO_VALUE)
			profile->call_infos[i].external_id = NO_VALUE;
}

#include "model/profile.h"

#include "base/any_of.h"
#include "base/binary_search.h"
#include "base/buffer.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/store.h"
#include "model/python_stats.h"
#include "model/compile_log.h"
#include "model/requests.h"
#include "model/flight.h"
#include "model/summary_tables.h"
#include "model/snapshot.h"
#include "model/totals.h"

#include <inttypes.h>
#include <stdio.h>

LISTED_NAMES(span_kind_name, enum span_kind, SPAN_KIND_ROWS)

LISTED_NAMES(activity_kind_name, enum activity_kind, ACTIVITY_KIND_ROWS)

struct profile *profile_new(const char *path)
{
	struct profile *profile = mem_zalloc(1, sizeof *profile);
	profile->arena = arena_new();
	profile->strings = intern_new();
	profile->path = mem_strdup(path);
	profile->format = "";
	profile->rank = profile->world_size = NO_VALUE;
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
#define COLUMN(type, column, ids) profile->column,
#define TABLE(type, rows, prefix, counter) profile->rows,
	void *const owned[] = { PROFILE_SPAN_COLUMNS(COLUMN) profile->span_record,
				PROFILE_ACTIVITY_COLUMNS(COLUMN) PROFILE_TABLES(TABLE)
					PROFILE_LISTS(TABLE) };
#undef COLUMN
#undef TABLE
	for (size_t i = 0; !profile->store && i < sizeof owned / sizeof *owned; i++)
		mem_free(owned[i]);
	mem_free_all(profile->damages, profile->path);
	if (profile->tool_data)
		profile->tool_data->free(profile->tool_data);
	python_stats_free(profile->python);
	snapshot_free(profile->snapshot);
	totals_free(profile->totals);
	flight_free(profile->flight);
	compile_log_free(profile->compile);
	if (profile->requests)
		mem_free_all(profile->requests->items, profile->requests->tokens);
	mem_free(profile->requests);
	summary_tables_free(profile->tables);
	intern_free(profile->strings);
	arena_free(profile->arena);
	store_close(profile->store);
	mem_free(profile);
}

const char *profile_string(const struct profile *profile, uint32_t id)
{
	return id == NO_ROW ? "" : intern_text(profile->strings, id);
}

const struct op_info *profile_arguments(const struct profile *profile, uint32_t span)
{
	static const struct op_info blank = { .forward_thread = NO_VALUE };
	const struct op_info *info = profile_op_info(profile, span);
	return info ? info : &blank;
}

uint32_t profile_find(const struct profile *profile, const char *text)
{
	return intern_find(profile->strings, text, strlen(text));
}

uint32_t profile_intern(struct profile *profile, const char *text)
{
	return text ? intern_add(profile->strings, text, strlen(text)) : 0;
}

uint32_t profile_take(struct profile *profile, struct buffer *text)
{
	uint32_t id = intern_add(profile->strings, BUFFERED(text));
	buffer_free(text);
	return id;
}

uint32_t profile_print(struct profile *profile, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return profile_intern(profile, text);
}

const struct call_info *profile_call_info(const struct profile *profile, uint32_t span)
{
	if (profile->span_kind[span] != SPAN_RUNTIME || profile->span_info[span] == NO_ROW)
		return NULL;
	return &profile->call_infos[profile->span_info[span]];
}

static const struct attribute *find_attributes(const struct attribute *attributes, size_t total,
					       uint32_t row, size_t *count)
{
	size_t first = search_first(i, 0, total, attributes[i].row >= row), end = first;
	while (end < total && attributes[end].row == row)
		end++;
	*count = end - first;
	return attributes + first;
}

static uint32_t attribute_text(const struct attribute *attributes, size_t total, uint32_t row,
			       uint32_t key)
{
	size_t count = 0;
	const struct attribute *at =
		key == NO_ROW ? NULL : find_attributes(attributes, total, row, &count);
	for (size_t i = 0; i < count; i++)
		if (at[i].key == key)
			return at[i].text;
	return NO_ROW;
}

#define PROFILE_ATTRIBUTES(of)                                                                     \
	const struct attribute *profile_##of##_attributes(const struct profile *profile,           \
							  uint32_t row, size_t *count)             \
	{                                                                                          \
		return find_attributes(profile->of##_attributes, profile->of##_attribute_count,    \
				       row, count);                                                \
	}                                                                                          \
	uint32_t profile_##of##_attribute(const struct profile *profile, uint32_t row,             \
					  uint32_t key)                                            \
	{                                                                                          \
		return attribute_text(profile->of##_attributes, profile->of##_attribute_count,     \
				      row, key);                                                   \
	}
PROFILE_ATTRIBUTES(span)
PROFILE_ATTRIBUTES(activity)

const struct device *profile_device(const struct profile *profile, int32_t id)
{
	return first_of(at, profile->devices, profile->device_count, at->work_id == id)
		       ?: first_of(at, profile->devices, profile->device_count, at->id == id);
}

const char *device_capability(const struct device *device, char out[CAPABILITY_MAX])
{
	if (device->compute_major == NO_VALUE || device->compute_minor == NO_VALUE)
		return NULL;
	snprintf(out, CAPABILITY_MAX, "%" PRId64 ".%" PRId64, device->compute_major,
		 device->compute_minor);
	return out;
}

bool profile_has_device(const struct profile *profile, int64_t id)
{
	bool found = id == -1;
	for (size_t i = 0; i < profile->device_count && !found; i++)
		found = profile->devices[i].id == id || profile->devices[i].work_id == id;
	for (size_t i = 0; i < profile->track_count && !found; i++)
		found = profile->tracks[i].device == id;
	for (size_t i = 0; i < profile->memory_count && !found; i++)
		found = profile->memory_events[i].device_id == id;
	return found;
}

uint32_t profile_id_space(const struct profile *profile, uint32_t track)
{
	uint32_t process = profile->tracks[track].process;
	return profile->ids_per_process ? process : profile->processes[process].group;
}

uint64_t profile_call_key(const struct profile *profile, uint32_t track, int64_t correlation)
{
	return hash_pair(profile_id_space(profile, track), (uint64_t)correlation);
}

struct hash *profile_index_calls(const struct profile *profile, const char *stage,
				 const struct progress *progress)
{
	struct hash *calls = hash_new(1024);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		const struct call_info *info = profile_call_info(profile, i);
		if (info && info->correlation != NO_VALUE)
			hash_add(calls,
				 profile_call_key(profile, profile->span_track[i],
						  info->correlation),
				 i);
	}
	return keep_if(ok, calls, hash_free);
}

int32_t *profile_devices_of(const struct profile *profile, const bool *tracks, size_t *count)
{
	int32_t *devices = mem_alloc((profile->track_count + 1) * sizeof *devices);
	size_t found = 0;
	*count = 0;
	for (size_t t = 0; t < profile->track_count; t++)
		if (tracks ? tracks[t] : profile->tracks[t].activities > 0)
			devices[found++] = profile->tracks[t].device;
	sort_items(devices, found, compare_int32);
	for (size_t i = 0; i < found; i++)
		if (!i || devices[i] != devices[*count - 1])
			devices[(*count)++] = devices[i];
	return devices;
}

bool profile_activity_timed(const struct profile *profile, uint32_t activity)
{
	if (profile->activity_dur[activity])
		return true;
	size_t count;
	const struct attribute *attributes = profile_activity_attributes(profile, activity, &count);
	return !any_of(i, count,
		       strcmp(profile_string(profile, attributes[i].key), ACTIVITY_UNTIMED) == 0);
}

bool profile_has_times(const struct profile *profile)
{
	return profile->spans || profile->sample_count ||
	       any_of(i, profile->activities, profile_activity_timed(profile, i));
}

bool profile_is_counters(const struct profile *profile)
{
	return profile->counter_count && !profile->spans && !profile->activities &&
	       !profile->memory_count && !profile->sample_count && !profile->python;
}

bool profile_lacks_events(const struct profile *profile)
{
	return !profile->activities && !profile->left_out.rows &&
	       !any_of(i, profile->spans, profile->span_kind[i] != SPAN_OVERHEAD);
}

const char *profile_metadata(const struct profile *profile, const char *key)
{
	uint32_t id = intern_find(profile->strings, key, strlen(key));
	for (size_t i = profile->metadata_count; id != NO_ROW && i-- > 0;)
		if (profile->metadata[i].key == id)
			return profile_string(profile, profile->metadata[i].value);
	return NULL;
}

void profile_damage_many(struct profile *profile, const char *cause, const char *action,
			 uint64_t offset, uint64_t count)
{
	for (size_t i = 0; i < profile->damage_count; i++) {
		if (strcmp(profile->damages[i].cause, cause) == 0) {
			profile->damages[i].count += count;
			return;
		}
	}
	*mem_push(profile->damages, profile->damage_count) = (struct damage){
		.cause = cause, .action = action, .count = count, .offset = offset
	};
}

void profile_damage(struct profile *profile, const char *cause, const char *action, uint64_t offset)
{
	profile_damage_many(profile, cause, action, offset, 1);
}

void profile_skip(struct profile *profile, const char *cause)
{
	profile_damage(profile, cause, "skipped", UINT64_MAX);
}

size_t profile_size(const struct profile *profile)
{
#define COLUMN(type, column, ids) +sizeof(type)
#define TABLE(type, rows, prefix, counter) +profile->prefix##_count * sizeof(type)
	size_t span = 0 PROFILE_SPAN_COLUMNS(COLUMN), activity = 0 PROFILE_ACTIVITY_COLUMNS(COLUMN);
	size_t tables = 0 PROFILE_TABLES(TABLE);
#undef COLUMN
#undef TABLE
	return profile->spans * span + profile->activities * activity + tables +
	       profile->span_records * sizeof *profile->span_record +
	       intern_size(profile->strings) + arena_size(profile->arena) +
	       (profile->tool_data ? profile->tool_data->size(profile->tool_data) : 0) +
	       python_stats_size(profile->python) + snapshot_size(profile->snapshot) +
	       totals_size(profile->totals) + flight_size(profile->flight) +
	       compile_log_size(profile->compile) + summary_tables_size(profile->tables);
}

void profile_leave_out(struct profile *profile, uint64_t rows, int64_t start, int64_t end)
{
	struct left_out *out = &profile->left_out;
	if (!rows)
		return;
	if (!out->rows || start < out->start)
		out->start = start;
	if (!out->rows || end > out->end)
		out->end = end;
	out->rows += rows;
}

uint64_t profile_rows(const struct profile *profile)
{
	return profile->filter ? (uint64_t)profile->spans + profile->activities +
					 profile->memory_count + profile->flow_count
			       : profile->events;
}

/* Operations of a communication library as a whole, beside their tasks. */
static uint64_t count_collectives(const struct profile *profile)
{
	const uint8_t *at = profile->activity_kind, *end = at + profile->activities;
	uint64_t count = 0;
	while (at < end && (at = memchr(at, ACTIVITY_COLLECTIVE, (size_t)(end - at)))) {
		count++;
		at++;
	}
	return count;
}

struct row_counts profile_all_rows(const struct profile *profile)
{
	struct row_counts counts = { profile->spans,
				     profile->activities - count_collectives(profile) };
	for (size_t t = 0; t < profile->track_count; t++) {
		counts.spans += profile->tracks[t].spans_out;
		counts.activities += profile->tracks[t].activities_out;
	}
	return counts;
}

uint64_t profile_all_spans(const struct profile *profile, enum span_kind kind)
{
	uint64_t count = profile->left_out.spans[kind];
	for (uint32_t i = 0; i < profile->spans; i++)
		count += profile->span_kind[i] == kind;
	return count;
}

#include "model/builder.h"

#include "base/number.h"
#include "model/builder_private.h"

#include <math.h>
#include <stdlib.h>

struct builder *builder_new(struct profile *profile)
{
	struct builder *builder = mem_zalloc(1, sizeof *builder);
	builder->profile = profile;
	return builder;
}

FREE_OBJECT(builder_free, struct builder,
	    OWN_IN(keyed_clear, processes) OWN_IN(keyed_clear, tracks) OWN_IN(keyed_clear, configs)
		    OWN_IN(keyed_clear, infos) OWN_IN(keyed_clear, metadata)
			    OWN_IN(keyed_clear, devices) OWN_IN(frames_clear, frames))

/* "[TP00-DP01] 83": the group in brackets, then possibly a pid. */
static void split_label(struct profile *profile, struct process *process)
{
	const char *label = profile_string(profile, process->label);
	const char *close = label[0] == '[' ? strchr(label, ']') : NULL;
	if (!close)
		return;
	process->group = intern_add(profile->strings, label, (size_t)(close + 1 - label));
	char *end;
	long long pid = strtoll(close + 1, &end, 10);
	if (end != close + 1 && *end == 0)
		process->pid = pid;
}

static uint32_t find_process(struct builder *builder, int64_t pid, uint32_t label)
{
	struct profile *profile = builder->profile;
	const int64_t key[] = { pid, label };
	uint32_t at = keyed_add(&builder->processes, key, sizeof key);
	if (at < profile->process_count)
		return at;
	struct process *added = mem_push(profile->processes, profile->process_count);
	*added = (struct process){ .label = label, .pid = pid, .rank = -1 };
	if (label)
		split_label(profile, added);
	return at;
}

uint32_t builder_process(struct builder *builder, int64_t pid, uint32_t label)
{
	const struct profile *profile = builder->profile;
	uint32_t recent = builder->recent_process;
	if (!label && recent < profile->process_count && !profile->processes[recent].label &&
	    profile->processes[recent].pid == pid)
		return recent;
	return builder->recent_process = find_process(builder, pid, label);
}

/* The ordinal for tracks of DEVICE: its own, up to the limit of devices. */
static int32_t count_device(struct builder *builder, int32_t device)
{
	if (device < 0 || keyed_find(&builder->devices, &device, sizeof device) != UINT32_MAX)
		return device;
	if (builder->devices.count == DEVICES_MAX) {
		profile_damage(builder->profile, "too many devices", "merged into one", UINT64_MAX);
		return builder->last_device;
	}
	keyed_add(&builder->devices, &device, sizeof device);
	return builder->last_device = device;
}

static bool is_track(const struct profile *profile, uint32_t at, const struct track *wanted)
{
	const struct track *track = &profile->tracks[at];
	return track->process == wanted->process && track->tid == wanted->tid &&
	       track->label == wanted->label && track->device == wanted->device;
}

/* Find or add a track; its device may be another where there are too many. */
static uint32_t find_track(struct builder *builder, const struct track *wanted)
{
	struct profile *profile = builder->profile;
	int32_t device = count_device(builder, wanted->device);
	const int64_t key[] = { wanted->process, device, wanted->tid, wanted->label };
	uint32_t at = keyed_add(&builder->tracks, key, sizeof key);
	if (at < profile->track_count)
		return at;
	*mem_push(profile->tracks, profile->track_count) = *wanted;
	profile->tracks[at].device = device;
	return at;
}

uint32_t builder_track(struct builder *builder, uint32_t process, int64_t tid, uint32_t label,
		       int32_t device)
{
	const struct track wanted = {
		.process = process,
		.tid = tid,
		.label = label,
		.device = device,
		.sort_index = NO_VALUE,
		.priority = NO_VALUE,
	};
	uint64_t place = (uint64_t)tid ^ label ^ (uint32_t)device ^ (uint64_t)process << 2;
	uint32_t *recent = &builder->recent_tracks[place % RECENT];
	if (*recent >= builder->profile->track_count ||
	    !is_track(builder->profile, *recent, &wanted))
		*recent = find_track(builder, &wanted);
	return *recent;
}

#define GROW(type, column, ids) profile->column = mem_realloc(profile->column, cap, sizeof(type));

void builder_reserve_spans(struct builder *builder, size_t count)
{
	struct profile *profile = builder->profile;
	size_t need = profile->spans + count;
	if (need <= builder->span_cap)
		return;
	size_t cap = mem_next_capacity(builder->span_cap, need);
	PROFILE_SPAN_RECORDED(GROW)
	if (profile->span_record) {
		GROW(uint32_t, span_record, NUMBER)
		memset(profile->span_record + builder->span_cap, 0,
		       (cap - builder->span_cap) * sizeof *profile->span_record);
	}
	builder->span_cap = cap;
}

void builder_reserve_activities(struct builder *builder, size_t count)
{
	struct profile *profile = builder->profile;
	size_t need = profile->activities + count;
	if (need <= builder->activity_cap)
		return;
	size_t cap = mem_next_capacity(builder->activity_cap, need);
	PROFILE_ACTIVITY_RECORDED(GROW)
	builder->activity_cap = cap;
}

void builder_fit(struct builder *builder)
{
	struct profile *profile = builder->profile;
	size_t cap = builder->span_cap = (size_t)profile->spans + 1;
	PROFILE_SPAN_RECORDED(GROW)
	cap = builder->activity_cap = (size_t)profile->activities + 1;
	PROFILE_ACTIVITY_RECORDED(GROW)
}

uint32_t builder_span(struct builder *builder, enum span_kind kind, uint32_t track, uint32_t name,
		      int64_t start, int64_t dur, uint32_t info)
{
	struct profile *profile = builder->profile;
	builder_reserve_spans(builder, 1);
	builder->begun |= dur == OPEN_DURATION;
	uint32_t row = profile->spans++;
	profile->span_start[row] = start;
	profile->span_dur[row] = dur;
	profile->span_name[row] = name;
	profile->span_track[row] = track;
	profile->span_info[row] = info;
	profile->span_kind[row] = (uint8_t)kind;
	return row;
}

void builder_span_move(struct builder *builder, uint32_t span, uint32_t track)
{
	builder->profile->span_track[span] = track;
}

void builder_span_end(struct builder *builder, uint32_t span, int64_t end)
{
	int64_t start = builder->profile->span_start[span], dur = 0;
	if (end > start && __builtin_sub_overflow(end, start, &dur))
		dur = INT64_MAX;
	builder->profile->span_dur[span] = dur;
}

void builder_span_record(struct builder *builder, uint32_t span, int64_t record)
{
	struct profile *profile = builder->profile;
	if (!profile->span_record)
		profile->span_record =
			mem_zalloc(builder->span_cap + 1, sizeof *profile->span_record);
	profile->span_record[span] = record > 0 && record < NO_ROW ? (uint32_t)record : 0;
}

/* More than a device moves or holds at once; beyond it sums would wrap. */

/* SIZE, or NO_VALUE if no device has it. */
static int64_t plausible_size(struct builder *builder, int64_t size, int64_t min)
{
	if (size == NO_VALUE || (size >= min && size <= SIZE_OF_MEMORY_MAX))
		return size;
	profile_damage(builder->profile, "size below 0 or above 16 TiB", "treated as missing",
		       UINT64_MAX);
	return NO_VALUE;
}

uint32_t builder_activity(struct builder *builder, const struct activity *activity)
{
	struct profile *profile = builder->profile;
	builder_reserve_activities(builder, 1);
	uint32_t row = profile->activities++;
	profile->activity_start[row] = activity->start;
	profile->activity_dur[row] = activity->dur;
	profile->activity_correlation[row] = activity->correlation;
	profile->activity_external[row] = activity->external;
	profile->activity_bytes[row] = plausible_size(builder, activity->bytes, 0);
	profile->activity_name[row] = activity->name;
	profile->activity_track[row] = activity->track;
	profile->activity_config[row] = activity->config;
	profile->activity_kind[row] = (uint8_t)activity->kind;
	return row;
}

/* Append a row to a table of the profile; its number. */
#define BUILDER_ADDS(name, type, rows, prefix)                                                     \
	uint32_t builder_##name(struct builder *builder, const struct type *row)                   \
	{                                                                                          \
		struct profile *profile = builder->profile;                                        \
		*mem_push(profile->rows, profile->prefix##_count) = *row;                          \
		return (uint32_t)profile->prefix##_count - 1;                                      \
	}
BUILDER_ADDS(call_info, call_info, call_infos, call_info)
BUILDER_ADDS(flow, flow, flows, flow)
BUILDER_ADDS(counter, counter, counters, counter)
BUILDER_ADDS(metric, metric, metrics, metric)
BUILDER_ADDS(sample, stack_sample, samples, sample)
BUILDER_ADDS(run, thread_run, runs, run)

/* Find or add a row equal to WANTED, by its KEYS. */
#define FIND_ROW(rows, prefix, keys, wanted)                                                       \
	({                                                                                         \
		struct profile *profile_ = builder->profile;                                       \
		uint32_t at_ = keyed_add(&builder->keys, wanted, sizeof *(wanted));                \
		if (at_ == profile_->prefix##_count)                                               \
			*mem_push(profile_->rows, profile_->prefix##_count) = *(wanted);           \
		at_;                                                                               \
	})

#define IS_ROW(rows, prefix, at, wanted)                                                           \
	((at) < builder->profile->prefix##_count &&                                                \
	 memcmp(&builder->profile->rows[at], wanted, sizeof *(wanted)) == 0)

uint32_t builder_op_info(struct builder *builder, const struct op_info *info)
{
	uint32_t place = info->shapes * 31 + info->concrete * 7 + info->stack + info->strides;
	uint32_t *recent = &builder->recent_infos[place % RECENT_INFOS];
	if (!IS_ROW(op_infos, op_info, *recent, info))
		*recent = FIND_ROW(op_infos, op_info, infos, info);
	return *recent;
}

uint32_t builder_op_ids(struct builder *builder, int64_t external_id, int64_t sequence,
			const struct op_info *info)
{
	struct profile *profile = builder->profile;
	const struct op_ids ids = { external_id, sequence, builder_op_info(builder, info) };
	*mem_push(profile->op_ids, profile->op_id_count) = ids;
	return (uint32_t)profile->op_id_count - 1;
}

static bool has_plausible_occupancy(const struct launch_config *config)
{
	return !(config->occupancy_pct < 0 || config->occupancy_pct > 100 ||
		 config->blocks_per_sm < 0 || config->warps_per_sm < 0);
}

/* CONFIG as read: what a device cannot have is unknown. */
static uint32_t damaged_config(struct builder *builder, const struct launch_config *config)
{
	struct launch_config without = *config;
	without.occupancy_pct = without.blocks_per_sm = without.warps_per_sm = NAN;
	profile_damage(builder->profile, "occupancy below 0 or above 100 %", "treated as missing",
		       UINT64_MAX);
	return builder_config(builder, &without);
}

/* A launch has a block and a thread at least: tools write zeros for what they do not know. */
static bool is_empty(const int32_t sizes[3])
{
	return sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0;
}

/* CONFIG without the sizes that are empty. */
static uint32_t sized_config(struct builder *builder, const struct launch_config *config)
{
	struct launch_config known = *config;
	for (int i = 0; i < 3; i++) {
		known.grid[i] = is_empty(config->grid) ? -1 : config->grid[i];
		known.block[i] = is_empty(config->block) ? -1 : config->block[i];
	}
	return builder_config(builder, &known);
}

uint32_t builder_config(struct builder *builder, const struct launch_config *config)
{
	uint32_t *recent = &builder->recent_configs[(uint32_t)config->grid[0] % RECENT];
	if (IS_ROW(configs, config, *recent, config))
		return *recent;
	if (!has_plausible_occupancy(config))
		return damaged_config(builder, config);
	if (is_empty(config->grid) || is_empty(config->block))
		return sized_config(builder, config);
	return *recent = FIND_ROW(configs, config, configs, config);
}

/* Attributes of spans and activities: of ids; of a text or a number with a constant as key. */
#define BUILDER_ATTRIBUTES(of)                                                                     \
	void builder_##of##_attribute(struct builder *builder, uint32_t row, uint32_t key,         \
				      uint32_t text)                                               \
	{                                                                                          \
		struct profile *profile = builder->profile;                                        \
		*mem_push(profile->of##_attributes, profile->of##_attribute_count) =               \
			(struct attribute){ row, key, text };                                      \
	}                                                                                          \
	void builder_##of##_text(struct builder *builder, uint32_t row, const char *key,           \
				 uint32_t text)                                                    \
	{                                                                                          \
		if (text)                                                                          \
			builder_##of##_attribute(builder, row, builder_key(builder, key), text);   \
	}                                                                                          \
	void builder_##of##_number(struct builder *builder, uint32_t row, const char *key,         \
				   int64_t number)                                                 \
	{                                                                                          \
		if (number != NO_VALUE)                                                            \
			builder_##of##_text(builder, row, key, builder_number(builder, number));   \
	}
BUILDER_ATTRIBUTES(span)
BUILDER_ATTRIBUTES(activity)

uint32_t builder_key(struct builder *builder, const char *key)
{
	struct recent_key *recent = &builder->keys[(uintptr_t)key % RECENT];
	if (recent->key != key) {
		recent->key = key;
		recent->text = intern_add(builder->profile->strings, key, strlen(key));
	}
	return recent->text;
}

uint32_t builder_number(struct builder *builder, int64_t number)
{
	char text[NUMBER_MAX];
	struct recent_number *recent = &builder->numbers[(uint64_t)number % RECENT];
	if (!recent->text || recent->number != number) {
		number_count(text, number);
		recent->number = number;
		recent->text = intern_add(builder->profile->strings, text, strlen(text));
	}
	return recent->text;
}

void builder_memory(struct builder *builder, const struct memory_event *event)
{
	struct profile *profile = builder->profile;
	struct memory_event plausible = *event;
	plausible.bytes =
		plausible_size(builder, event->bytes, -SIZE_OF_MEMORY_MAX); /* below 0: freed */
	plausible.total_allocated =
		plausible_size(builder, event->total_allocated, -SIZE_OF_MEMORY_MAX);
	plausible.total_reserved =
		plausible_size(builder, event->total_reserved, -SIZE_OF_MEMORY_MAX);
	if (plausible.bytes == NO_VALUE)
		plausible.bytes = 0;
	*mem_push(profile->memory_events, profile->memory_count) = plausible;
}

uint32_t builder_frame(struct builder *builder, uint32_t name, uint32_t caller)
{
	if (!builder->frames.by_pair)
		frames_init(&builder->frames);
	return frames_add(&builder->frames, name, caller);
}

void builder_metadata(struct builder *builder, uint32_t key, uint32_t value)
{
	struct profile *profile = builder->profile;
	uint32_t at = keyed_add(&builder->metadata, &key, sizeof key);
	if (at == profile->metadata_count) {
		mem_grow(profile->metadata, profile->metadata_count + 1);
		profile->metadata_count++;
	}
	profile->metadata[at] = (struct metadata){ .key = key, .value = value };
}

void builder_fact(struct builder *builder, const char *key, uint32_t value)
{
	if (value)
		builder_metadata(builder, profile_intern(builder->profile, key), value);
}

struct device *builder_device(struct builder *builder, int32_t id)
{
	return profile_add_device(builder->profile, id);
}

struct device *profile_add_device(struct profile *profile, int32_t id)
{
	for (size_t i = 0; i < profile->device_count; i++)
		if (profile->devices[i].id == id)
			return &profile->devices[i];
	if (profile->device_count == DEVICES_MAX)
		return NULL;
	struct device *device = mem_push(profile->devices, profile->device_count);
	device->id = device->work_id = id;
	SET_UNKNOWN(device, UNKNOWN(memory_bytes) UNKNOWN(compute_major) UNKNOWN(compute_minor)
				    UNKNOWN(sm_count) UNKNOWN(warp_size) UNKNOWN(max_threads_per_sm)
					    UNKNOWN(regs_per_sm) UNKNOWN(shared_mem_per_sm)
						    UNKNOWN(memory_bandwidth) UNKNOWN(clock_hz));
	return device;
}

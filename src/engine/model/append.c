#include "model/append.h"

#include "model/builder_private.h"

FREE_MEMBERS(append_map_free, struct append_map,
	     OWN(strings.to) OWN(processes.to) OWN(tracks.to) OWN(configs.to) OWN(infos.to)
		     OWN(frames.to))

static void map_next(struct append_ids *map, uint32_t to)
{
	*mem_push(map->to, map->count) = to;
}

#define TO_STRING(member) row.member = map->strings.to[row.member];

/* Map the ids the part added since it was last appended, in order. */
static void extend_map(struct builder *whole, const struct builder *builder, struct append_map *map)
{
	const struct profile *part = builder->profile;
	const struct frames *frames = &builder->frames;
	const struct append_ids *strings = &map->strings;
	for (uint32_t i = (uint32_t)strings->count; i < intern_count(part->strings); i++)
		map_next(&map->strings,
			 intern_add(whole->profile->strings, INTERNED(part->strings, i)));
	for (size_t i = map->processes.count; i < part->process_count; i++) {
		const struct process *process = &part->processes[i];
		/* The pid of a labelled process comes from its label. */
		int64_t pid = process->label ? NO_VALUE : process->pid;
		map_next(&map->processes, builder_process(whole, pid, strings->to[process->label]));
	}
	for (size_t i = map->tracks.count; i < part->track_count; i++) {
		const struct track *track = &part->tracks[i];
		map_next(&map->tracks,
			 builder_track(whole, map->processes.to[track->process], track->tid,
				       strings->to[track->label], track->device));
	}
	for (size_t i = map->configs.count; i < part->config_count; i++)
		map_next(&map->configs, builder_config(whole, &part->configs[i]));
	for (size_t i = map->infos.count; i < part->op_info_count; i++) {
		struct op_info row = part->op_infos[i];
		OP_INFO_TEXTS(TO_STRING)
		map_next(&map->infos, builder_op_info(whole, &row));
	}
	for (size_t i = map->frames.count; i < frames->count; i++) {
		uint32_t caller = frames->frames[i].caller;
		map_next(&map->frames,
			 builder_frame(whole, strings->to[frames->frames[i].name],
				       caller == NO_ROW ? NO_ROW : map->frames.to[caller]));
	}
}

static void copy_ids(uint32_t *to, const uint32_t *from, size_t count, const struct append_ids *map)
{
	for (size_t i = 0; i < count; i++)
		to[i] = from[i] == NO_ROW ? NO_ROW : map->to[from[i]];
}

/* What a span's info indexes depends on its kind. */
static void copy_infos(struct profile *whole, const struct profile *part,
		       const struct append_map *map)
{
	uint32_t *to = whole->span_info + whole->spans;
	for (uint32_t i = 0; i < part->spans; i++) {
		uint32_t info = part->span_info[i];
		switch (part->span_kind[i]) {
		case SPAN_OPERATOR:
		case SPAN_ANNOTATION:
			info += info == NO_ROW ? 0 : (uint32_t)whole->op_id_count;
			break;
		case SPAN_RUNTIME:
			info += info == NO_ROW ? 0 : (uint32_t)whole->call_info_count;
			break;
		case SPAN_OTHER:
		case SPAN_INSTANT: info = map->strings.to[info]; break;
		default: break;
		}
		to[i] = info;
	}
}

/* By what a column's values number, with the same name in both profiles. */
#define APPEND_NUMBER(column, at, count)                                                           \
	memcpy(whole->column + (at), part->column, (count) * sizeof *part->column)
#define APPEND_STRING(column, at, count) APPEND_IDS(column, at, count, strings)
#define APPEND_TRACK(column, at, count) APPEND_IDS(column, at, count, tracks)
#define APPEND_CONFIG(column, at, count) APPEND_IDS(column, at, count, configs)
#define APPEND_INFO(column, at, count) copy_infos(whole, part, map)
#define APPEND_IDS(column, at, count, ids)                                                         \
	copy_ids(whole->column + (at), part->column, count, &map->ids)

static void append_spans(struct builder *builder, const struct profile *part,
			 const struct append_map *map)
{
	struct profile *whole = builder->profile;
	if (!part->spans)
		return;
	builder_reserve_spans(builder, part->spans);
#define APPEND(type, column, ids) APPEND_##ids(column, whole->spans, part->spans);
	PROFILE_SPAN_RECORDED(APPEND)
#undef APPEND
}

static void append_activities(struct builder *builder, const struct profile *part,
			      const struct append_map *map)
{
	struct profile *whole = builder->profile;
	uint32_t at = whole->activities, count = part->activities;
	if (!count)
		return;
	builder_reserve_activities(builder, count);
#define APPEND(type, column, ids) APPEND_##ids(column, at, count);
	PROFILE_ACTIVITY_RECORDED(APPEND)
#undef APPEND
}

/* Append the ROWS of the part, each after MAPPING its ids. */
#define APPEND_ROWS(rows, prefix, mapping)                                                         \
	for (size_t i = 0; i < part->prefix##_count; i++) {                                        \
		__typeof__(*part->rows) row = part->rows[i];                                       \
		mapping;                                                                           \
		mem_grow(whole->rows, whole->prefix##_count + 1);                                  \
		whole->rows[whole->prefix##_count++] = row;                                        \
	}
#define TO_TRACK(member) row.member = map->tracks.to[row.member]

static void append_side_tables(struct profile *whole, const struct profile *part,
			       const struct append_map *map)
{
	APPEND_ROWS(op_ids, op_id, row.info = map->infos.to[row.info])
	APPEND_ROWS(call_infos, call_info, )
	APPEND_ROWS(span_attributes, span_attribute, row.row += whole->spans;
		    TO_STRING(key) TO_STRING(text))
	APPEND_ROWS(activity_attributes, activity_attribute, row.row += whole->activities;
		    TO_STRING(key) TO_STRING(text))
	APPEND_ROWS(memory_events, memory, TO_TRACK(track); TO_STRING(category))
	APPEND_ROWS(flows, flow, TO_TRACK(track))
	APPEND_ROWS(counters, counter, TO_TRACK(track); TO_STRING(name) TO_STRING(series))
	APPEND_ROWS(samples, sample, TO_TRACK(track);
		    if (row.frame != NO_ROW) row.frame = map->frames.to[row.frame])
}

static void append_left_out(struct profile *whole, const struct profile *part,
			    const struct append_map *map)
{
	for (size_t i = 0; part->filter && i < part->track_count; i++) {
		const struct track *from = &part->tracks[i];
		struct track *to = &whole->tracks[map->tracks.to[i]];
		MEMBERS(to, from,
			PLUS(spans_out) PLUS(spans_out_before) PLUS(activities_out)
				PLUS(activities_out_before));
	}
	for (int kind = 0; part->filter && kind < SPAN_KINDS; kind++)
		whole->left_out.spans[kind] += part->left_out.spans[kind];
	profile_leave_out(whole, part->left_out.rows, part->left_out.start, part->left_out.end);
}

static void empty(struct profile *part)
{
	for (size_t i = 0; part->filter && i < part->track_count; i++)
		part->tracks[i].spans_out = part->tracks[i].spans_out_before =
			part->tracks[i].activities_out = part->tracks[i].activities_out_before = 0;
	part->left_out = (struct left_out){ 0 };
	part->spans = part->activities = 0;
	part->op_id_count = part->call_info_count = 0;
	part->span_attribute_count = part->activity_attribute_count = 0;
	part->memory_count = part->flow_count = part->counter_count = part->sample_count = 0;
	part->damage_count = 0;
	part->events = 0;
}

void builder_append(struct builder *whole, struct builder *part, struct append_map *map)
{
	struct profile *to = whole->profile, *from = part->profile;
	extend_map(whole, part, map);
	append_spans(whole, from, map);
	append_activities(whole, from, map);
	append_side_tables(to, from, map);
	for_each (damage, from->damages, from->damage_count)
		profile_damage_many(to, damage->cause, damage->action, damage->offset,
				    damage->count);
	append_left_out(to, from, map);
	whole->begun |= part->begun;
	MEMBERS(to, from, PLUS(spans) PLUS(activities) PLUS(events));
	empty(from);
}

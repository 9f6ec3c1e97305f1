#include "model/processes.h"

#include "base/any_of.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/keyed.h"
#include "base/number.h"
#include "base/sort.h"
#include "model/frames.h"

/* ---- finding ranks ---- */

struct processes_member {
	uint32_t space;
	const char *label;
	int64_t pid;
	int32_t device;     /* the one with most activities */
	uint32_t work, max; /* activities in total, and of the busiest track */
};

COMPARE_ITEMS(compare_members, struct processes_member,
	      strverscmp(x->label, y->label) ?: COMPARE(x->device, y->device)
		      ?: COMPARE(x->pid, y->pid) ?: COMPARE(x->space, y->space))

uint32_t *processes_of_ranks(const struct profile *profile, size_t *count)
{
	AUTO_FREE struct processes_member *members = NULL;
	AUTO_KEYED struct keyed keys = { 0 };
	for (uint32_t t = 0; t < profile->track_count; t++) {
		const struct track *track = &profile->tracks[t];
		const struct process *process = &profile->processes[track->process];
		if (!any_of(i, track->activities,
			    profile->activity_kind[track->first_activity + i] == ACTIVITY_KERNEL))
			continue;
		uint32_t space = profile_id_space(profile, t);
		struct processes_member *member = keyed_item(&keys, members, &space);
		member->space = space;
		if (track->activities <= member->max)
			continue;
		member->max = track->activities;
		member->label = profile_string(profile, process->group);
		member->pid = process->pid;
		member->device = track->device;
	}
	uint32_t *spaces = NULL;
	*count = keys.count < 2 ? 0 : keys.count;
	if (*count)
		spaces = mem_alloc(*count * sizeof *spaces);
	sort_items(members, *count, compare_members);
	for (size_t i = 0; i < *count; i++)
		spaces[i] = members[i].space;
	return spaces;
}

/* ---- extracting a rank ---- */

struct extraction {
	const struct profile *whole;
	struct profile *part;
	uint32_t space;
	uint32_t *track, *process; /* new number by number in the whole; NO_ROW: dropped */
	const struct progress *progress;
};

static bool processes_check_cancelled(const struct extraction *extraction, uint64_t row,
				      uint64_t rows)
{
	return progress_row(extraction->progress, "splitting ranks", row, rows);
}

/* Tracks without a process hold device metrics; keep them for devices the rank uses. */
static bool is_metrics_of(const struct extraction *extraction, uint32_t lane)
{
	const struct profile *whole = extraction->whole;
	const struct track *track = &whole->tracks[lane];
	const struct process *process = &whole->processes[track->process];
	if (process->pid != NO_VALUE || process->label || track->device < 0)
		return false;
	return any_of(t, whole->track_count,
		      whole->tracks[t].device == track->device && whole->tracks[t].activities &&
			      profile_id_space(whole, t) == extraction->space);
}

static void extract_process(struct extraction *extraction, uint32_t process)
{
	struct profile *part = extraction->part;
	if (extraction->process[process] != NO_ROW)
		return;
	extraction->process[process] = (uint32_t)part->process_count;
	*mem_push(part->processes, part->process_count) = extraction->whole->processes[process];
}

/* Tracks keep their order, so columns sorted by track stay sorted. */
static void extract_tracks(struct extraction *extraction)
{
	const struct profile *whole = extraction->whole;
	struct profile *part = extraction->part;
	for (uint32_t t = 0; t < whole->track_count; t++) {
		if (profile_id_space(whole, t) != extraction->space &&
		    !is_metrics_of(extraction, t))
			continue;
		struct track track = whole->tracks[t];
		extract_process(extraction, track.process);
		track.process = extraction->process[track.process];
		track.first_span = part->spans;
		track.first_activity = part->activities;
		track.span_shift += whole->tracks[t].first_span - track.first_span;
		track.activity_shift += whole->tracks[t].first_activity - track.first_activity;
		part->spans += track.spans;
		part->activities += track.activities;
		extraction->track[t] = (uint32_t)part->track_count;
		*mem_push(part->tracks, part->track_count) = track;
	}
}

/* The kept rows of a span or activity COLUMN of WIDTH bytes. */
static void *extract_column(const struct extraction *extraction, const void *column, size_t width,
			    bool spans)
{
	const struct profile *whole = extraction->whole, *part = extraction->part;
	char *out = mem_alloc(((size_t)(spans ? part->spans : part->activities) + 1) * width);
	for (uint32_t t = 0; t < whole->track_count; t++) {
		const struct track *from = &whole->tracks[t];
		size_t first = spans ? from->first_span : from->first_activity;
		size_t rows = spans ? from->spans : from->activities;
		if (extraction->track[t] == NO_ROW || !rows)
			continue;
		const struct track *to = &part->tracks[extraction->track[t]];
		memcpy(out + (spans ? to->first_span : to->first_activity) * width,
		       (const char *)column + first * width, rows * width);
	}
	return out;
}

/* NO_ROW for a row outside its track, which a tampered index may contain. */
static uint32_t moved(const struct extraction *extraction, uint32_t row, uint32_t lane, bool spans)
{
	const struct track *from = &extraction->whole->tracks[lane];
	uint32_t first = spans ? from->first_span : from->first_activity;
	if (extraction->track[lane] == NO_ROW ||
	    row - first >= (spans ? from->spans : from->activities))
		return NO_ROW;
	const struct track *to = &extraction->part->tracks[extraction->track[lane]];
	return row - first + (spans ? to->first_span : to->first_activity);
}

static uint32_t moved_span(const struct extraction *extraction, uint32_t span)
{
	return span == NO_ROW ? NO_ROW
			      : moved(extraction, span, extraction->whole->span_track[span], true);
}

static uint32_t moved_activity(const struct extraction *extraction, uint32_t activity)
{
	return moved(extraction, activity, extraction->whole->activity_track[activity], false);
}

/* Copy the details of SPAN, by its kind. */
static uint32_t extract_info(struct extraction *extraction, uint32_t span)
{
	const struct profile *whole = extraction->whole;
	struct profile *part = extraction->part;
	const struct op_ids *op = profile_op_ids(whole, span);
	const struct call_info *call = profile_call_info(whole, span);
	if (op) {
		*mem_push(part->op_ids, part->op_id_count) = *op;
		return (uint32_t)part->op_id_count - 1;
	}
	if (call) {
		*mem_push(part->call_infos, part->call_info_count) = *call;
		return (uint32_t)part->call_info_count - 1;
	}
	return whole->span_info[span];
}

#define EXTRACT_SPANS(type, column, ids)                                                           \
	part->column = extract_column(extraction, whole->column, sizeof(type), true);
#define EXTRACT_ACTIVITIES(type, column, ids)                                                      \
	part->column = extract_column(extraction, whole->column, sizeof(type), false);

static bool extract_spans(struct extraction *extraction)
{
	const struct profile *whole = extraction->whole;
	struct profile *part = extraction->part;
	PROFILE_SPAN_COLUMNS(EXTRACT_SPANS)
	if (whole->span_records) {
		EXTRACT_SPANS(uint32_t, span_record, NUMBER)
		part->span_records = part->spans;
	}
	for (uint32_t t = 0; t < whole->track_count; t++) {
		const struct track *from = &whole->tracks[t];
		for (uint32_t i = 0; extraction->track[t] != NO_ROW && i < from->spans; i++) {
			uint32_t row = moved(extraction, from->first_span + i, t, true);
			uint32_t parent = moved_span(extraction, part->span_parent[row]);
			part->span_track[row] = extraction->track[t];
			part->span_parent[row] = parent < row ? parent : NO_ROW;
			part->span_info[row] = extract_info(extraction, from->first_span + i);
			lower_to(part->span_size[row], from->spans - i);
			if (!processes_check_cancelled(extraction, row, part->spans))
				return false;
		}
	}
	return true;
}

static bool extract_activities(struct extraction *extraction)
{
	const struct profile *whole = extraction->whole;
	struct profile *part = extraction->part;
	PROFILE_ACTIVITY_COLUMNS(EXTRACT_ACTIVITIES)
	for (uint32_t t = 0; t < part->track_count; t++) {
		const struct track *track = &part->tracks[t];
		for (uint32_t i = 0; i < track->activities; i++) {
			uint32_t row = track->first_activity + i;
			part->activity_track[row] = t;
			part->activity_launch[row] =
				moved_span(extraction, part->activity_launch[row]);
			if (!processes_check_cancelled(extraction, row, part->activities))
				return false;
		}
	}
	return true;
}

/* ---- records other than rows ---- */

/* Copy the whole array ROWS, with the count of this PREFIX. */
#define copy_rows(rows, prefix)                                                                    \
	do {                                                                                       \
		part->prefix##_count = whole->prefix##_count;                                      \
		part->rows = mem_alloc((whole->prefix##_count + 1) * sizeof *whole->rows);         \
		if (whole->prefix##_count)                                                         \
			memcpy(part->rows, whole->rows,                                            \
			       whole->prefix##_count * sizeof *whole->rows);                       \
	} while (0)

/*
 * Copy the rows of this rank: MOVED gives the new number of MEMBER, or NO_ROW. Leaves the function
 * with false when cancelled.
 */
#define extract_rows(rows, prefix, member, moved)                                                  \
	do {                                                                                       \
		size_t out_ = 0;                                                                   \
		copy_rows(rows, prefix);                                                           \
		for (size_t i_ = 0; i_ < whole->prefix##_count; i_++) {                            \
			uint32_t id_ = moved(extraction, whole->rows[i_].member);                  \
			if (!processes_check_cancelled(extraction, i_, whole->prefix##_count))     \
				return false;                                                      \
			if (id_ == NO_ROW)                                                         \
				continue;                                                          \
			part->rows[out_] = whole->rows[i_];                                        \
			part->rows[out_++].member = id_;                                           \
		}                                                                                  \
		part->prefix##_count = out_;                                                       \
	} while (0)

static uint32_t moved_track(const struct extraction *extraction, uint32_t track)
{
	return extraction->track[track];
}

static bool extract_records(struct extraction *extraction)
{
	const struct profile *whole = extraction->whole;
	struct profile *part = extraction->part;
	EXTRACTED_ROWS(extract_rows);
	copy_rows(configs, config);
	copy_rows(op_infos, op_info);
	copy_rows(frames, frame);
	copy_rows(metadata, metadata);
	return true;
}

static void extract_devices(struct extraction *extraction)
{
	const struct profile *whole = extraction->whole;
	struct profile *part = extraction->part;
	size_t out = 0;
	copy_rows(devices, device);
	for (size_t i = 0; i < whole->device_count; i++)
		if (any_of(t, part->track_count,
			   part->tracks[t].device == whole->devices[i].work_id))
			part->devices[out++] = whole->devices[i];
	part->device_count = out;
}

/* Damage texts may belong to the whole's store. */
static void copy_damages(struct extraction *extraction)
{
	const struct profile *whole = extraction->whole;
	struct profile *part = extraction->part;
	for_each (damage, whole->damages, whole->damage_count)
		profile_damage_many(
			part, arena_strndup(part->arena, damage->cause, strlen(damage->cause)),
			arena_strndup(part->arena, damage->action, strlen(damage->action)),
			damage->offset, damage->count);
}

static void copy_head(struct extraction *extraction)
{
	const struct profile *whole = extraction->whole;
	struct profile *part = extraction->part;
	part->format = arena_strndup(part->arena, whole->format, strlen(whole->format));
	MEMBERS(part, whole,
		TAKE(file_bytes) TAKE(text_bytes) TAKE(events) TAKE(epoch_ns) TAKE(base_ns)
			TAKE(end_ns) TAKE(truncated) TAKE(tool) TAKE(no_python)
				TAKE(ids_per_process) TAKE(sample_period));
}

/* ---- rank number ---- */

static int64_t processes_number_of(const struct profile *profile,
				   const struct attribute *attributes, size_t count, uint32_t key)
{
	int64_t number;
	for (size_t i = 0; key != NO_ROW && i < count; i++) {
		const char *text = profile_string(profile, attributes[i].text);
		if (attributes[i].key == key && number_parse_int(text, strlen(text), &number) &&
		    number >= 0)
			return number;
	}
	return NO_VALUE;
}

/* NCCL records rank and size of every communicator it initializes. */
static void read_nccl_rank(struct profile *profile)
{
	uint32_t members_key = intern_find(profile->strings, "No. of ranks", 12);
	uint32_t rank_key = intern_find(profile->strings, "Rank", 4);
	for (size_t i = 0; i < profile->span_attribute_count; i++) {
		size_t count;
		if (profile->span_attributes[i].key != members_key)
			continue;
		const struct attribute *attributes =
			profile_span_attributes(profile, profile->span_attributes[i].row, &count);
		int64_t members = processes_number_of(profile, attributes, count, members_key);
		int64_t rank = processes_number_of(profile, attributes, count, rank_key);
		if (rank == NO_VALUE || rank >= members || members > INT32_MAX ||
		    (profile->world_size != NO_VALUE && members <= profile->world_size))
			continue;
		profile->rank = rank;
		profile->world_size = members;
	}
}

static void find_number(struct profile *profile)
{
	read_nccl_rank(profile);
	for (size_t i = 0; i < profile->process_count; i++)
		if (profile->processes[i].rank >= 0)
			profile->rank = profile->processes[i].rank;
	if (profile->world_size != NO_VALUE && profile->rank >= profile->world_size)
		profile->world_size = NO_VALUE;
}

struct profile *processes_extract(const struct profile *whole, uint32_t rank,
				  const struct progress *progress, struct error *error)
{
	struct extraction extraction = {
		.whole = whole,
		.space = rank,
		.part = profile_new(whole->path),
		.progress = progress,
		.track = mem_no_rows(whole->track_count + 1),
		.process = mem_no_rows(whole->process_count + 1),
	};
	extract_tracks(&extraction);
	copy_head(&extraction);
	const struct intern *from = extraction.whole->strings; /* ids do not change */
	for (uint32_t i = 0; i < intern_count(from); i++)
		intern_add(extraction.part->strings, INTERNED(from, i));
	extract_devices(&extraction);
	copy_damages(&extraction);
	bool done = extract_spans(&extraction) && extract_activities(&extraction) &&
		    extract_records(&extraction);
	if (!done) {
		error_cancelled(error);
	} else if (!extraction.part->activities) {
		done = error_input(error, "no longer holds this rank");
	} else {
		find_number(extraction.part);
	}
	mem_free_all(extraction.track, extraction.process);
	return keep_if(done, extraction.part, profile_free);
}

/*
 * Lanes of processes known by name, as of TensorFlow 1, and launches that another thread makes for
 * an operator, as Ascend's profiler writes them.
 */
#include "base/any_of.h"
#include "base/keyed.h"
#include "input/kineto/kineto_rows_private.h"

#include "model/device_label.h"

#include <stdlib.h>

/*
 * Ascend's profiler packs the host process, the layer and the device into the pid of a layer:
 * host pid << 10 | layer << 5 | device.
 */
enum { LAYER_HOST_SHIFT = 10, LAYER_DEVICES = 32 };

/* ---- processes by name ---- */

void rows_name_lane(struct rows *rows, const struct lane_name *name)
{
	*mem_push(rows->names, rows->name_count) = *name;
	rows->lane_of_count = 0; /* may change what was looked up */
	const struct category *category =
		name->sort_index == NO_VALUE && name->tid == NO_VALUE && !name->tid_label
			? category_of_lane(profile_string(rows->profile, name->text), NULL)
			: NULL;
	rows->has_lanes |= category != NULL;
	if (category && category->of_op) /* as TensorFlow 1, which PyTorch's profiler does not */
		rows->profile->tool = 0;
}

/* The last name of a process (TID NO_VALUE) or thread, or NULL. */
static const char *name_in(const struct rows *rows, uint32_t process, int64_t tid)
{
	for (size_t i = rows->name_count; i-- > 0;) {
		const struct lane_name *name = &rows->names[i];
		if (name->process == process && name->tid == tid && !name->tid_label &&
		    name->sort_index == NO_VALUE)
			return profile_string(rows->profile, name->text);
	}
	return NULL;
}

static uint32_t find_process(const struct profile *profile, int64_t pid, uint32_t label)
{
	return row_where(i, 0, profile->process_count,
			 profile->processes[i].pid == pid && profile->processes[i].label == label);
}

/* Are there processes with what one of REPEATING repeats: the streams of DEVICE, or devices? */
static bool is_repeated(const struct rows *rows, const struct category *repeating, int64_t device)
{
	for (size_t i = 0; i < rows->name_count; i++) {
		const struct lane_name *name = &rows->names[i];
		const char *text = profile_string(rows->profile, name->text);
		if (name->tid != NO_VALUE || name->tid_label || name->sort_index != NO_VALUE)
			continue;
		const struct category *category = category_of_lane(text, NULL);
		if (!category || category->repeats)
			continue;
		if (repeating->of_operators
			    ? category->of_operators
			    : category->lane == LANE_ACTIVITY && category_device(text) == device)
			return true;
	}
	return false;
}

/* What the names say about a thread. */
static struct process_lane describe_lane(const struct rows *rows, int64_t pid, uint32_t pid_label,
					 int64_t tid)
{
	struct process_lane lane = {
		.pid = pid, .tid = tid, .host_pid = NO_VALUE, .pid_label = pid_label
	};
	uint32_t process = find_process(rows->profile, pid, pid_label);
	const char *name = process == NO_ROW ? NULL : name_in(rows, process, NO_VALUE);
	if (!name)
		return lane;
	lane.category =
		category_of_lane(name, tid == NO_VALUE ? NULL : name_in(rows, process, tid));
	int64_t number = category_device(name);
	if (lane.category && lane.category->repeats && is_repeated(rows, lane.category, number))
		lane.category =
			lane.category->of_operators ? &category_listed_again : &category_repeated;
	lane.device = device_of_kind(DEVICE_NPU, 0);
	if (number != NO_VALUE)
		lane.device = device_of_kind(DEVICE_GPU, (int32_t)(number % DEVICE_NUMBER_MAX));
	if (!lane.category || number != NO_VALUE || pid < 1 << LAYER_HOST_SHIFT)
		return lane;
	lane.device = device_of_kind(DEVICE_NPU, (int32_t)(pid % LAYER_DEVICES));
	if (lane.category->on_host &&
	    find_process(rows->profile, pid >> LAYER_HOST_SHIFT, 0) != NO_ROW)
		lane.host_pid = pid >> LAYER_HOST_SHIFT;
	return lane;
}

const struct process_lane *rows_named_lane(struct rows *rows, int64_t pid, uint32_t pid_label,
					   int64_t tid)
{
	for (size_t i = 0; i < rows->lane_of_count; i++)
		if (rows->lane_of[i].pid == pid && rows->lane_of[i].tid == tid &&
		    rows->lane_of[i].pid_label == pid_label)
			return rows->lane_of[i].category ? &rows->lane_of[i] : NULL;
	size_t slots = sizeof rows->lane_of / sizeof *rows->lane_of;
	struct process_lane *lane = &rows->lane_of[rows->lane_of_count % slots];
	if (rows->lane_of_count == slots)
		lane = &rows->lane_of[(size_t)tid % slots];
	else
		rows->lane_of_count++;
	*lane = describe_lane(rows, pid, pid_label, tid);
	return lane->category ? lane : NULL;
}

/* "DEVICE<host>0:41:0:0 #1.0", of Intel's tracers: the number, NO_VALUE without one. */
static int64_t number_of_device(const char *process)
{
	const char *at = strstr(process, "DEVICE<"), *hash = at ? strrchr(at, '#') : NULL;
	char *end;
	if (!hash)
		return NO_VALUE;
	long number = strtol(hash + 1, &end, 10);
	return end > hash + 1 && number >= 0 && number < DEVICE_NUMBER_MAX ? number : NO_VALUE;
}

static uint64_t lane_key(uint32_t process, int64_t tid, uint32_t label)
{
	return hash_pair(hash_pair(process, (uint64_t)tid), label);
}

/* The last name wins. */
static void name_track(const struct rows *rows, const struct hash *by_lane, struct track *track)
{
	size_t cursor;
	uint64_t key = lane_key(track->process, track->tid, track->label);
	for (uint32_t i = hash_find(by_lane, key, &cursor); i != NO_ROW;
	     i = hash_next(by_lane, &cursor)) {
		if (rows->names[i].sort_index != NO_VALUE)
			track->sort_index = rows->names[i].sort_index;
		else
			track->name = rows->names[i].text;
	}
}

static void apply_names(const struct rows *rows)
{
	struct profile *profile = rows->profile;
	AUTO_HASH struct hash *by_lane = hash_new(rows->name_count);
	for (size_t i = 0; i < rows->name_count; i++) {
		const struct lane_name *name = &rows->names[i];
		if (name->tid == NO_VALUE && !name->tid_label)
			profile->processes[name->process].name = name->text;
		else
			hash_add(by_lane, lane_key(name->process, name->tid, name->tid_label),
				 (uint32_t)i);
	}
	for (size_t t = 0; t < profile->track_count; t++)
		name_track(rows, by_lane, &profile->tracks[t]);
}

void rows_apply_names(struct rows *rows)
{
	struct profile *profile = rows->profile;
	apply_names(rows);
	for (size_t i = 0; i < profile->track_count; i++) {
		struct track *track = &profile->tracks[i];
		const struct process *process = &profile->processes[track->process];
		int64_t number = track->device < 0 || !process->name
					 ? NO_VALUE
					 : number_of_device(profile_string(profile, process->name));
		if (number != NO_VALUE)
			track->device = device_of_kind(DEVICE_GPU, (int32_t)number);
	}
}

/* The track of the process and stream of OWN on another device; NO_ROW: none. */
static uint32_t track_of_kernels(const struct profile *profile, const struct track *own)
{
	const struct track *found = first_of(at, profile->tracks, profile->track_count,
					     at->process == own->process && at->tid == own->tid &&
						     at->device >= 0 && at->device != own->device);
	return found ? (uint32_t)(found - profile->tracks) : NO_ROW;
}

/*
 * A merge of ranks moves the numbers of processes, which are the devices of annotations: those go
 * to the kernels of their stream, which name their device.
 */
void rows_place_annotations(struct rows *rows)
{
	struct profile *profile = rows->profile;
	AUTO_FREE uint32_t *place = mem_alloc((profile->track_count + 1) * sizeof *place);
	bool any = false;
	for (size_t i = 0; i < profile->track_count; i++) {
		const struct track *track = &profile->tracks[i];
		bool moved = track->device >= DEVICE_PIDS &&
			     track->device == profile->processes[track->process].pid;
		place[i] = moved ? track_of_kernels(profile, track) : NO_ROW;
		any |= place[i] != NO_ROW;
	}
	for (uint32_t i = 0; any && i < profile->spans; i++)
		if (place[profile->span_track[i]] != NO_ROW)
			builder_span_move(rows->builder, i, place[profile->span_track[i]]);
}

/* ---- launches by another thread ---- */

/*
 * An arrow leads from the start of an operator to the start of its device work. The call that
 * launched the work, on the thread that takes launches from a queue, gets the operator's id.
 */
void rows_add_queued(struct rows *rows, const struct event *event, int64_t time)
{
	struct queued_end end = {
		.time = time,
		.track = event->phase == 's' ? rows_host_track(rows, event)
					     : rows_device_track(rows, event),
		.start = event->phase == 's',
	};
	rows->refused |= rows->is_part; /* pairs with events of other parts */
	if (!event->has_id || !json_id(&event->id, &end.id))
		return;
	*mem_push(rows->queued, rows->queued_count) = end;
}

/* The external id of the arrow that starts at END: ids of readers are below -1. */
static int64_t id_of(uint32_t end)
{
	return -2 - (int64_t)end;
}

/* Give the operators at the tails of arrows their ids; returns the tails by place. */
static struct hash *identify_operators(struct rows *rows)
{
	struct profile *profile = rows->profile;
	struct hash *tails = hash_new(rows->queued_count);
	for (uint32_t i = 0; i < rows->queued_count; i++) {
		const struct queued_end *end = &rows->queued[i];
		uint64_t key = rows_place_key(end->track, end->time);
		if (end->start && hash_last(tails, key) == NO_ROW)
			hash_add(tails, key, i);
	}
	for (uint32_t i = 0; i < profile->spans; i++) {
		uint32_t tail = profile->span_kind[i] != SPAN_OPERATOR
					? NO_ROW
					: hash_last(tails, rows_place_key(profile->span_track[i],
									  profile->span_start[i]));
		if (tail == NO_ROW)
			continue;
		if (profile->span_info[i] == NO_ROW)
			profile->span_info[i] =
				builder_op_ids(rows->builder, NO_VALUE, NO_VALUE,
					       &(struct op_info){ .forward_thread = NO_VALUE });
		struct op_ids *ids = &profile->op_ids[profile->span_info[i]];
		if (ids->external_id == NO_VALUE)
			ids->external_id = id_of(tail);
	}
	return tails;
}

/*
 * By correlation id: the tail of the arrow to the work with this id. Work without one gets the id
 * of its operator. Of work that starts at one place, each has an arrow of its own, in their order.
 */
static struct hash *tails_of_calls(struct rows *rows, const struct hash *tails)
{
	const struct profile *profile = rows->profile;
	AUTO_HASH struct hash *by_id = hash_new(rows->queued_count),
			      *heads = hash_new(rows->queued_count);
	struct hash *by_correlation = hash_new(rows->queued_count);
	/* head at the same place */
	AUTO_FREE uint32_t *next = mem_alloc(rows->queued_count * sizeof *next);
	for_each (end, rows->queued, rows->queued_count) {
		uint64_t place = rows_place_key(end->track, end->time);
		if (end->start)
			hash_add(by_id, (uint64_t)end->id, hash_last(tails, place));
	}
	for (uint32_t i = (uint32_t)rows->queued_count; i-- > 0;) {
		const struct queued_end *end = &rows->queued[i];
		uint64_t place = rows_place_key(end->track, end->time);
		next[i] = hash_last(heads, place);
		if (!end->start)
			hash_add(heads, place, i);
	}
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint64_t place =
			rows_place_key(profile->activity_track[i], profile->activity_start[i]);
		uint32_t head = hash_last(heads, place);
		uint32_t tail =
			head == NO_ROW ? NO_ROW : hash_last(by_id, (uint64_t)rows->queued[head].id);
		if (head != NO_ROW && next[head] != NO_ROW)
			hash_add(heads, place, next[head]);
		if (tail == NO_ROW)
			continue;
		if (profile->activity_correlation[i] != NO_VALUE)
			hash_add(by_correlation, (uint64_t)profile->activity_correlation[i], tail);
		if (profile->activity_external[i] == NO_VALUE)
			profile->activity_external[i] = id_of(tail);
	}
	return by_correlation;
}

void rows_link_queued(struct rows *rows)
{
	struct profile *profile = rows->profile;
	if (!rows->queued_count)
		return;
	AUTO_HASH struct hash *tails = identify_operators(rows);
	AUTO_HASH struct hash *calls = tails_of_calls(rows, tails);
	for (size_t i = 0; i < profile->call_info_count; i++) {
		struct call_info *call = &profile->call_infos[i];
		uint32_t tail = call->correlation == NO_VALUE
					? NO_ROW
					: hash_last(calls, (uint64_t)call->correlation);
		if (tail != NO_ROW && call->external_id == NO_VALUE)
			call->external_id = id_of(tail);
	}
}

/* ---- processes that are listed again ---- */

/* A timeline of TensorFlow 1 may have an operation in several processes of one name: it ran once.
 */
void rows_tell_listed_again(struct rows *rows)
{
	struct profile *profile = rows->profile;
	AUTO_KEYED struct keyed listed = { 0 };
	AUTO_FREE uint32_t *processes = NULL; /* by key: that has it first, from 1 */
	for (uint32_t i = 0; i < profile->spans && rows->has_lanes; i++) {
		uint32_t process = profile->tracks[profile->span_track[i]].process;
		const int64_t key[] = { profile->processes[process].name, profile->span_name[i],
					profile->span_start[i], profile->span_dur[i] };
		if (profile->span_kind[i] != SPAN_OPERATOR)
			continue;
		uint32_t *first = keyed_item(&listed, processes, &key);
		if (*first && *first != process + 1) {
			profile->span_kind[i] = SPAN_OTHER;
			profile->span_info[i] = 0;
		} else {
			*first = process + 1;
		}
	}
}

#include "input/kineto/kineto_rows_private.h"

/* ---- text ---- */

/* Normalize each distinct text once. */
static uint32_t normalize(struct rows *rows, const struct json_slice *slice)
{
	uint32_t before = intern_count(rows->raw);
	uint32_t raw = intern_add(rows->raw, slice->text, slice->length);
	mem_grow(rows->normalized, (size_t)raw + 1);
	if (raw < before && raw != 0)
		return rows->normalized[raw];
	buffer_clear(&rows->scratch);
	if (slice->type == JSON_STRING)
		json_unescape(&rows->scratch, slice);
	else
		json_compact(&rows->scratch, slice);
	return rows->normalized[raw] = intern_add(rows->profile->strings, BUFFERED(&rows->scratch));
}

uint32_t rows_normalize(struct rows *rows, const struct json_slice *slice)
{
	if (!slice->kept)
		return normalize(rows, slice);
	struct kept_array *kept = &rows->kept_arrays[(uintptr_t)slice->text / 8 % ARRAYS_KEPT];
	if (kept->text != slice->text)
		*kept = (struct kept_array){ slice->text, normalize(rows, slice) };
	return kept->id;
}

/* Where the name is that last followed the same few: calls repeat in the same order. */
static uint32_t *guess_name(struct rows *rows)
{
	rows->names_before = (rows->names_before << 7) + rows->last_name * UINT32_C(0x9e3779b1);
	return &rows->name_after[rows->names_before >> (32 - NAME_BITS)];
}

uint32_t rows_event_name(struct rows *rows, const struct event *event, uint64_t offset)
{
	const struct json_slice *slice = &event->name;
	const struct intern *strings = rows->profile->strings;
	struct json_slice plain;
	if (!event->has_name)
		return 0;
	if (slice->length && slice->text[slice->length - 1] == ']') {
		plain = rows_plain_name(rows, event);
		slice = &plain;
	}
	uint32_t *guess = guess_name(rows);
	if (*guess && rows_is_plain(slice) &&
	    intern_is(strings, *guess, slice->text, slice->length))
		return rows->last_name = *guess;
	uint32_t before = intern_count(strings);
	uint32_t name = rows->last_name = *guess = rows_keep_text(rows, slice);
	if (name < before)
		return name;
	for (size_t i = 0; i < event->name.length; i++) {
		if ((unsigned char)event->name.text[i] < 0x20) {
			/* A part cannot know whether the name is new to the whole. */
			rows->refused |= rows->is_part;
			profile_damage(rows->profile, "control byte in a name", "kept", offset);
			break;
		}
	}
	return name;
}

/* ---- lanes ---- */

void rows_identity(struct rows *rows, const struct json_slice *slice, int64_t *number,
		   uint32_t *label)
{
	*number = NO_VALUE;
	*label = 0;
	if (!slice->text || json_id(slice, number))
		return;
	*number = NO_VALUE;
	*label = rows_keep_text(rows, slice);
}

/* "stream 7" */
static int64_t trailing_number(const char *text)
{
	const char *digits = text + strlen(text);
	while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	struct json_slice slice = { digits, strlen(digits), JSON_NUMBER, false };
	int64_t value;
	return json_id(&slice, &value) ? value : NO_VALUE;
}

/* Is this the text of the cached track? Long texts are not cached. */
static bool is_kept(const struct kept_text *kept, const struct json_slice *slice)
{
	return kept->length == slice->length && kept->type == slice->type &&
	       memcmp(kept->text, slice->text, slice->length) == 0;
}

static void kineto_values_keep(struct kept_text *kept, const struct json_slice *slice)
{
	kept->length = slice->length;
	kept->type = slice->type;
	memcpy(kept->text, slice->text, slice->length);
}

uint32_t rows_find_host_track(struct rows *rows, const struct event *event)
{
	int64_t pid, tid;
	uint32_t pid_label, tid_label;
	struct known_lane *known = &rows->lane_cache;
	bool keeps = event->pid.text && event->pid.length <= KEPT_MAX && event->tid.text &&
		     event->tid.length <= KEPT_MAX;
	if (keeps && known->used && is_kept(&known->pid, &event->pid) &&
	    is_kept(&known->tid, &event->tid))
		return known->track;
	rows_identity(rows, &event->pid, &pid, &pid_label);
	rows_identity(rows, &event->tid, &tid, &tid_label);
	const struct process_lane *lane = rows_lane(rows, event);
	if (lane && lane->host_pid != NO_VALUE)
		pid = lane->host_pid;
	uint32_t process = builder_process(rows->builder, pid, pid_label);
	uint32_t track = builder_track(rows->builder, process, tid, tid_label, -1);
	if (keeps) {
		kineto_values_keep(&known->pid, &event->pid);
		kineto_values_keep(&known->tid, &event->tid);
		known->track = track;
		known->used = true;
	}
	return track;
}

static uint32_t find_device_track(struct rows *rows, const struct event *event)
{
	int64_t pid, tid, device = argument_int(event, ARGUMENT_DEVICE);
	uint32_t pid_label, tid_label;
	rows_identity(rows, &event->pid, &pid, &pid_label);
	rows_identity(rows, &event->tid, &tid, &tid_label);
	const struct process_lane *lane = rows_lane(rows, event);
	const struct category *category = rows_category(rows, event);
	uint32_t process = builder_process(rows->builder, pid, pid_label);
	if (lane)
		device = lane->device;
	if (device == NO_VALUE && !event->has_cat)
		device = 0; /* the process is that of the host */
	if (device == NO_VALUE || device < INT32_MIN || device > INT32_MAX)
		device = rows->profile->processes[process].pid;
	if (category && category->stream_argument &&
	    argument_int(event, ARGUMENT_STREAM) != NO_VALUE)
		rows_identity(rows, event_argument(event, ARGUMENT_STREAM), &tid, &tid_label);
	if (device == NO_VALUE || device < -1 || device > INT32_MAX)
		device = 0;
	if (tid == NO_VALUE)
		tid = tid_label ? trailing_number(profile_string(rows->profile, tid_label))
				: argument_id(rows, event, ARGUMENT_STREAM);
	/* Device -1 means a host thread: map negative ordinals to 0. */
	return builder_track(rows->builder, process, tid, tid_label,
			     device < 0 ? 0 : (int32_t)device);
}

/* "GPU 3 Counters" */
static int64_t first_number(const char *text)
{
	const char *digits = text + strcspn(text, "0123456789");
	struct json_slice slice = { digits, strspn(digits, "0123456789"), JSON_NUMBER, false };
	int64_t value;
	return slice.length && json_int(&slice, &value) ? value : NO_VALUE;
}

uint32_t rows_counter_track(struct rows *rows, const struct event *event)
{
	int64_t pid, tid, device = argument_int(event, ARGUMENT_DEVICE);
	uint32_t pid_label, tid_label;
	const struct process_lane *lane = rows_lane(rows, event);
	rows_identity(rows, &event->pid, &pid, &pid_label);
	rows_identity(rows, &event->tid, &tid, &tid_label);
	if (lane)
		device = lane->device;
	else if (device == NO_VALUE)
		device = pid_label ? first_number(profile_string(rows->profile, pid_label)) : pid;
	if (device < 0 || (device >= DEVICE_PIDS && !lane))
		return rows_host_track(rows, event);
	uint32_t process = builder_process(rows->builder, pid, pid_label);
	return builder_track(rows->builder, process, tid, tid_label, (int32_t)device);
}

uint32_t rows_device_track(struct rows *rows, const struct event *event)
{
	struct event_memo *memo = event->memo;
	if (!memo)
		return find_device_track(rows, event);
	if (memo->device_track == NO_ROW)
		memo->device_track = find_device_track(rows, event);
	return memo->device_track;
}

/*
 * Frames and stacks of a snapshot, each stored once, and who owns an allocation.
 */
#include "base/buffer.h"
#include "base/hash.h"
#include "input/snapshot/snapshot_private.h"

#include <inttypes.h>
#include <stdio.h>

static uint32_t snapshot_frames_text_of(const struct snapshot_reading *reading, uint32_t dict,
					enum snapshot_word word)
{
	uint32_t text;
	struct plain value = plain_member(reading->pickle, dict, reading->word_id[word]);
	return plain_text(value, &text) ? text : 0;
}

uint32_t snapshot_frame_of(struct snapshot_reading *reading, uint32_t dict)
{
	struct snapshot *snapshot = reading->snapshot;
	struct snapshot_frame frame = { snapshot_frames_text_of(reading, dict, WORD_name),
					snapshot_frames_text_of(reading, dict, WORD_filename),
					NO_VALUE };
	struct plain line = plain_member(reading->pickle, dict, reading->word_id[WORD_line]);
	if (!plain_int(reading->pickle, line, &frame.line))
		frame.line = NO_VALUE;
	static_assert(sizeof frame == 16, "a key has no padding");
	uint32_t at = keyed_add(&reading->frame_keys, &frame, sizeof frame);
	if (at == snapshot->frame_count) {
		*mem_push(snapshot->frames, snapshot->frame_count) = frame;
	}
	return at;
}

/* ---- owners ---- */

static bool is_python(const char *file)
{
	size_t length = strlen(file);
	return length > 3 && strcmp(file + length - 3, ".py") == 0 && *file != '<';
}

static bool is_library(const char *file)
{
	return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") ||
	       strstr(file, "/lib/python3");
}

/* The innermost frame of the user's Python files, else of any Python file. */
static uint32_t owner_of(struct snapshot_reading *reading, const uint32_t *frames, size_t count)
{
	const struct snapshot *snapshot = reading->snapshot;
	const struct profile *profile = reading->profile;
	const struct snapshot_frame *owner = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct snapshot_frame *frame = &snapshot->frames[frames[i]];
		const char *file = profile_string(profile, frame->file);
		if (!is_python(file))
			continue;
		owner = owner ? owner : frame;
		if (!is_library(file)) {
			owner = frame;
			break;
		}
	}
	if (!owner)
		return profile_intern(reading->profile, count ? "(native only)" : "(no stack)");
	struct buffer text = { 0 };
	char line[32];
	snprintf(line, sizeof line, ":%" PRId64 " ", owner->line == NO_VALUE ? 0 : owner->line);
	buffer_puts(&text, profile_string(profile, owner->file));
	buffer_puts(&text, line);
	buffer_puts(&text, profile_string(profile, owner->name));
	return profile_take(reading->profile, &text);
}

/* ---- stacks ---- */

/* The stack of the last COUNT calls, which are dropped if it is known. */
static uint32_t stack_of_calls(struct snapshot_reading *reading, uint32_t count)
{
	struct snapshot *snapshot = reading->snapshot;
	size_t first = snapshot->call_count - count;
	const uint32_t *calls = snapshot->calls + first;
	uint64_t key = count;
	for (uint32_t i = 0; i < count; i++)
		key = hash_pair(key, calls[i]);
	uint32_t known = hash_where(at, reading->stack_by_key, key,
				    snapshot->stacks[at].count == count &&
					    !memcmp(snapshot->calls + snapshot->stacks[at].first,
						    calls, count * sizeof *calls));
	if (known != NO_ROW) {
		snapshot->call_count = first;
		return known;
	}
	hash_add(reading->stack_by_key, key, (uint32_t)snapshot->stack_count);
	*mem_push(snapshot->stacks, snapshot->stack_count) =
		(struct snapshot_stack){ first, count, owner_of(reading, calls, count) };
	return (uint32_t)snapshot->stack_count - 1;
}

uint32_t snapshot_stack_of(struct snapshot_reading *reading, uint32_t list)
{
	struct snapshot *snapshot = reading->snapshot;
	const struct container *frames = plain_at(reading->pickle, list);
	uint32_t count = 0, other = 0;
	mem_grow(snapshot->calls, snapshot->call_count + frames->count);
	for (uint32_t i = 0; i < frames->count; i++) {
		uint32_t frame;
		if (plain_container(reading->pickle, frames->items[i], CONTAINER_FRAME, &frame)) {
			snapshot->calls[snapshot->call_count++] =
				plain_at(reading->pickle, frame)->count;
			count++;
		} else {
			other++;
		}
	}
	if (other)
		profile_damage_many(reading->profile, "stack frame without a file", "skipped",
				    plain_pickle_bytes(reading->pickle), other);
	return count ? stack_of_calls(reading, count) : SNAPSHOT_NO_STACK;
}

uint32_t snapshot_member_stack(struct snapshot_reading *reading, struct plain value)
{
	uint32_t id;
	if (plain_container(reading->pickle, value, CONTAINER_STACK, &id))
		return plain_at(reading->pickle, id)->count;
	return SNAPSHOT_NO_STACK;
}

void snapshot_frames_begin(struct snapshot_reading *reading)
{
	struct snapshot *snapshot = reading->snapshot;
	static const char *const own[SNAPSHOT_STACKS_OWN] = {
		[SNAPSHOT_NO_STACK] = "(no stack)",
		[SNAPSHOT_EARLIER] = "(allocated before the trace)",
	};
	reading->stack_by_key = hash_new(1024);
	mem_grow(snapshot->stacks, SNAPSHOT_STACKS_OWN);
	for (int i = 0; i < SNAPSHOT_STACKS_OWN; i++)
		snapshot->stacks[snapshot->stack_count++] =
			(struct snapshot_stack){ .owner =
							 profile_intern(reading->profile, own[i]) };
}

FREE_MEMBERS(snapshot_frames_end, struct snapshot_reading,
	     OWN_IN(keyed_clear, frame_keys) OWN_BY(hash_free, stack_by_key))

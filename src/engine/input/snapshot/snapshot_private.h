/*
 * Shared by the parts of the snapshot reader.
 */
#pragma once

#include "base/keyed.h"
#include "input/pickle/plain_pickle.h"
#include "model/builder.h"
#include "model/snapshot.h"
#include "base/number.h"

#define SNAPSHOT_WORD(word) WORD_##word,
enum snapshot_word { SNAPSHOT_WORDS(SNAPSHOT_WORD) WORDS };

/* What containers are replaced by. */
enum { CONTAINER_ENTRY = CONTAINER_REPLACED, CONTAINER_FRAME, CONTAINER_STACK, CONTAINER_USED };

/* An entry of a trace. */
struct entry {
	int64_t address, size, time, stream; /* time in ns */
	int64_t device_free;                 /* of an oom */
	uint32_t stack;
	uint32_t action; /* a word; WORDS: unknown */
};

struct snapshot_reading {
	struct profile *profile;
	struct builder *builder;
	struct snapshot *snapshot;
	struct plain_pickle *pickle;
	const struct progress *progress;
	struct error *error;
	uint32_t word_id[WORDS];
	struct keyed frame_keys;
	struct hash *stack_by_key;
	GROWING(struct entry, entries, entry_count); /* of all devices, in file order */
	int64_t last;                                /* time seen, absolute; 0 without times */
};

/* Sizes at and above it are damage: no device has a pebibyte. */
#define SNAPSHOT_SIZE_LIMIT (INT64_C(1) << 50)

/* snapshot_frames.c: the number of a frame dict; of the stack of a list of frames. */
uint32_t snapshot_frame_of(struct snapshot_reading *reading, uint32_t dict);
uint32_t snapshot_stack_of(struct snapshot_reading *reading, uint32_t list);
void snapshot_frames_begin(struct snapshot_reading *reading);
void snapshot_frames_end(struct snapshot_reading *reading);
/* The stack under KEY ("frames") of a dict. */
uint32_t snapshot_member_stack(struct snapshot_reading *reading, struct plain value);

/* snapshot_reader.c: move the times of a finished profile to its zero. */
void snapshot_finish(struct profile *profile, const char *wrapping);

/*
 * snapshot_trace.c: pair the allocations of DEVICE whose trace is the COUNT containers at ENTRIES
 * with its blocks, and follow its totals. False when cancelled.
 */
bool snapshot_follow(struct snapshot_reading *reading, struct snapshot_device *device,
		     const struct plain *entries, size_t count);

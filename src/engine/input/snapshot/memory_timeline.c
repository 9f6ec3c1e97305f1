/*
 * Reads the raw memory timeline of PyTorch's memory profiler: a list of
 * [time, action, bytes, category], by time; -1 is before the recording.
 *
 * The file does not say which allocation is freed. One of its size and category is taken, which
 * gives the same sums; so a single allocation has no time of its free.
 */
#include "base/hash.h"
#include "input/json_stream.h"
#include "input/snapshot/snapshot_private.h"
#include "input/readers.h"

static const char *const categories[] = { TIMELINE_CATEGORY_ROWS };
enum { CATEGORIES = sizeof categories / sizeof *categories, UNKNOWN = CATEGORIES - 1 };

struct memory_timeline_timeline {
	struct profile *profile;
	struct snapshot *snapshot;
	struct hash *open;  /* size and category → last allocation that is live */
	uint32_t *previous; /* by allocation: the one of its size and category before it; NO_ROW */
	int64_t total, sums[CATEGORIES];
	int64_t entries;
	bool begun; /* an entry with a time was seen */
};

/* ---- entries ---- */

static void add_point(struct memory_timeline_timeline *timeline, int64_t bytes, uint32_t category)
{
	struct snapshot *snapshot = timeline->snapshot;
	*mem_push(snapshot->points, snapshot->point_count) = (struct snapshot_point){
		.time = NO_VALUE,
		.allocated = bytes,
		.active = NO_VALUE,
		.reserved = NO_VALUE,
		.entry = SNAPSHOT_BEFORE,
		.category = category,
	};
}

static uint32_t category_name(const struct memory_timeline_timeline *timeline, int64_t category)
{
	return timeline->snapshot->stacks[SNAPSHOT_STACKS_OWN + category].owner;
}

/* The state that the recording begins with. */
static void memory_timeline_begin(struct memory_timeline_timeline *timeline)
{
	if (timeline->begun)
		return;
	timeline->begun = true;
	timeline->snapshot->devices[0].before = timeline->total;
	timeline->snapshot->devices[0].peak = timeline->total;
	add_point(timeline, timeline->total, 0);
	for (int i = 0; i < CATEGORIES; i++)
		if (timeline->sums[i])
			add_point(timeline, timeline->sums[i], category_name(timeline, i));
}

static uint64_t memory_timeline_key_of(int64_t size, int64_t category)
{
	return hash_pair((uint64_t)size, (uint64_t)category);
}

static void memory_timeline_allocate(struct memory_timeline_timeline *timeline, int64_t entry,
				     int64_t time, int64_t size, int64_t category)
{
	struct snapshot *snapshot = timeline->snapshot;
	uint32_t number = (uint32_t)snapshot->allocation_count;
	mem_grow(snapshot->allocations, snapshot->allocation_count + 1);
	mem_grow(timeline->previous, snapshot->allocation_count + 1);
	snapshot->allocations[snapshot->allocation_count++] = (struct snapshot_allocation){
		.address = NO_VALUE,
		.size = size,
		.alloc_ns = time,
		.free_ns = NO_VALUE,
		.alloc_entry = time == NO_VALUE ? NO_VALUE : entry,
		.free_entry = NO_VALUE,
		.stack = (uint32_t)(SNAPSHOT_STACKS_OWN + category),
	};
	uint64_t key = memory_timeline_key_of(size, category);
	timeline->previous[number] = hash_last(timeline->open, key);
	hash_add(timeline->open, key, number);
}

/* False when nothing of this size and category is live. */
static bool memory_timeline_release(struct memory_timeline_timeline *timeline, int64_t entry,
				    int64_t size, int64_t category)
{
	uint64_t key = memory_timeline_key_of(size, category);
	uint32_t last = hash_last(timeline->open, key);
	if (last == NO_ROW)
		return false;
	timeline->snapshot->allocations[last].free_entry = entry;
	hash_add(timeline->open, key, timeline->previous[last]);
	return true;
}

static void memory_timeline_follow(struct memory_timeline_timeline *timeline, int64_t time,
				   int64_t bytes, int64_t category)
{
	struct snapshot *snapshot = timeline->snapshot;
	struct snapshot_device *device = &snapshot->devices[0];
	int64_t entry = timeline->entries;
	if (time != NO_VALUE)
		memory_timeline_begin(timeline);
	if (bytes > 0)
		memory_timeline_allocate(timeline, entry, time, bytes, category);
	else if (!memory_timeline_release(timeline, entry, -bytes, category))
		profile_damage(timeline->profile, "release of memory that was not allocated",
			       "counted", UINT64_MAX);
	timeline->total = number_add(timeline->total, bytes);
	timeline->sums[category] = number_add(timeline->sums[category], bytes);
	if (time == NO_VALUE)
		return;
	*mem_push(snapshot->steps, snapshot->step_count) =
		(struct snapshot_step){ .time = time,
					.total = timeline->total,
					.own = timeline->sums[category],
					.entry = entry,
					.category = category_name(timeline, category) };
	if (timeline->total > device->peak) {
		device->peak = timeline->total;
		device->peak_entry = entry;
	}
}

static void memory_timeline_parse_entry(void *context, struct stream *stream, const char *key)
{
	enum { TIME, ACTION, BYTES, CATEGORY, NUMBERS };
	struct memory_timeline_timeline *timeline = context;
	struct json_slice entry;
	int64_t number[NUMBERS] = { 0, 0, 0, UNKNOWN };
	size_t count = 0;
	bool good = true;
	if (!stream_record(stream, &entry))
		return;
	for (struct json_members at = json_members(&entry); count < NUMBERS && json_each(&at);
	     count++)
		good &= at.value.type == JSON_NUMBER && json_id(&at.value, &number[count]);
	int64_t size = number[BYTES] < 0 ? -number[BYTES] : number[BYTES];
	if (entry.type != JSON_ARRAY || !good || count < CATEGORY || size < 0 ||
	    size > INT64_MAX / 4) {
		profile_skip(timeline->profile, "entry without time, action or bytes");
	} else if (number[BYTES]) {
		if (number[CATEGORY] < 0 || number[CATEGORY] > UNKNOWN)
			number[CATEGORY] = UNKNOWN;
		memory_timeline_follow(timeline, number[TIME] < 0 ? NO_VALUE : number[TIME],
				       number[BYTES], number[CATEGORY]);
	}
	timeline->entries++;
}

/* ---- the reader ---- */

static void memory_timeline_prepare(struct memory_timeline_timeline *timeline)
{
	struct snapshot *snapshot = timeline->snapshot;
	snapshot->unpaired = true;
	mem_grow(snapshot->stacks, SNAPSHOT_STACKS_OWN + CATEGORIES);
	for (int i = 0; i < SNAPSHOT_STACKS_OWN + CATEGORIES; i++) {
		const char *name =
			i < SNAPSHOT_STACKS_OWN ? "" : categories[i - SNAPSHOT_STACKS_OWN];
		snapshot->stacks[snapshot->stack_count++] =
			(struct snapshot_stack){ .owner = profile_intern(timeline->profile, name) };
	}
	mem_grow(snapshot->devices, 1);
	snapshot->devices[snapshot->device_count++] = (struct snapshot_device){
		.peak_entry = SNAPSHOT_BEFORE,
		.reserved = NO_VALUE,
		.inactive = NO_VALUE,
		.largest = NO_VALUE,
		.peak_reserved = NO_VALUE,
	};
}

static bool read_timeline(struct input *input)
{
	struct stream stream = stream_of(input, "reading the timeline");
	struct memory_timeline_timeline timeline = { .profile = input->profile,
						     .snapshot = snapshot_new(),
						     .open = hash_new(1024) };
	input->profile->snapshot = timeline.snapshot;
	memory_timeline_prepare(&timeline);
	stream_walk(&stream, memory_timeline_parse_entry, &timeline);
	memory_timeline_begin(&timeline);
	struct snapshot_device *device = &timeline.snapshot->devices[0];
	device->entries = timeline.entries;
	device->end = device->requested = timeline.total;
	device->allocations = timeline.snapshot->allocation_count;
	device->points = snapshot_points(timeline.snapshot);
	input->profile->events = (uint64_t)timeline.entries;
	hash_free(timeline.open);
	mem_free(timeline.previous);
	return stream_finish(&stream, input->profile);
}

/* A list of lists of four integers, the second of which is an action. */
static bool memory_timeline_recognize(const char *head, size_t length)
{
	const char *at = json_after(head, "[[");
	for (int i = 0; at && i < 4; i++) {
		size_t sign = *at == '-', digits = strspn(at + sign, "0123456789");
		if (!digits || (i == 1 && (digits != 1 || *at < '1' || *at > '4')))
			return false;
		at += sign + digits;
		at += strspn(at, " \t\r\n");
		if (*at != (i == 3 ? ']' : ','))
			return false;
		at += 1 + strspn(at + 1, " \t\r\n");
	}
	return at != NULL;
}

const struct reader memory_timeline_reader = { .format = "PyTorch memory timeline (JSON)",
					       .recognize = memory_timeline_recognize,
					       .read = read_timeline,
					       .empty = "is a memory timeline without allocations",
					       .finish = snapshot_finish };

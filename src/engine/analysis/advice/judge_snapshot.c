/*
 * Checks of memory snapshots: what the allocator holds, frees and lacks, and who asked for it.
 */
#include "analysis/advice/judge_snapshot.h"
#include "analysis/memory_blocks.h"
#include "base/any_of.h"
#include "model/snapshot.h"

enum { SNAPSHOT_LIMIT_ROWS(_) };

/* The memory of one device over the trace. */
struct judge_snapshot_course {
	const struct snapshot_device *device;
	int64_t returned, bursts; /* bytes of freed segments; falls without a rise between them */
	int64_t freed, again;     /* segments; bytes reserved after the first of them */
	int64_t taken;            /* reserved while as many bytes were unused */
	int64_t reserved_at_peak; /* when most is in use */
	int64_t cycles, first, last; /* valleys: their number and the bytes in use there */
	int64_t first_entry;         /* of the first valley */
	int64_t most;                /* the highest rise from one to the next */
	bool rises;                  /* each valley is above the one before */
};

/* While following the points. */
struct judge_snapshot_state {
	struct snapshot_point before;
	bool falling;      /* segments are being freed */
	int64_t high, low; /* in use since the last valley; since the fall from HIGH */
	int64_t low_entry;
	bool below; /* fallen far enough */
};

static void follow_reserved(struct judge_snapshot_course *course,
			    struct judge_snapshot_state *state, const struct snapshot_point *point)
{
	int64_t change = point->reserved - state->before.reserved;
	if (change < 0) {
		course->returned -= change;
		course->freed++;
		course->bursts += !state->falling;
	} else if (course->freed) {
		course->again += change;
	}
	if (change > 0 && state->before.reserved - state->before.allocated >= change)
		course->taken += change;
	if (change)
		state->falling = change < 0;
}

static void end_cycle(struct judge_snapshot_course *course,
		      const struct judge_snapshot_state *state)
{
	if (course->cycles++ == 0) {
		course->first = state->low;
		course->first_entry = state->low_entry;
		course->rises = true;
	} else {
		int64_t rise = state->low - course->last;
		course->most = rise > course->most ? rise : course->most;
		course->rises &= rise > 0;
	}
	course->last = state->low;
}

static void follow_use(struct judge_snapshot_course *course, struct judge_snapshot_state *state,
		       const struct snapshot_point *point)
{
	int64_t drop = course->device->peak / 100 * DROP_PERCENT;
	if (!state->below && point->active > state->high)
		state->high = point->active;
	if (!state->below && state->high - point->active > drop) {
		state->below = true;
		state->low = point->active;
	}
	if (!state->below)
		return;
	if (point->active <= state->low) {
		state->low = point->active;
		state->low_entry = point->entry;
	} else if (point->active - state->low > drop) {
		end_cycle(course, state);
		state->below = false;
		state->high = point->active;
	}
}

static bool has_reserved(const struct snapshot_point *point)
{
	return point->reserved != NO_VALUE && point->allocated != NO_VALUE;
}

static struct judge_snapshot_course course_of(const struct diagnosis *diagnosis,
					      const struct snapshot_device *device)
{
	const struct snapshot *snapshot = diagnosis->profile->snapshot;
	struct judge_snapshot_course course = { .device = device, .reserved_at_peak = NO_VALUE };
	struct judge_snapshot_state state = { .high = INT64_MIN };
	bool followed = false;
	for (size_t i = 0; i < device->points && detect_row(diagnosis, i); i++) {
		struct snapshot_point point = snapshot_point(snapshot, device->first_point + i);
		if (point.category || point.active == NO_VALUE)
			continue;
		if (point.active == device->peak && course.reserved_at_peak == NO_VALUE)
			course.reserved_at_peak = point.reserved;
		if (followed && has_reserved(&point) && has_reserved(&state.before))
			follow_reserved(&course, &state, &point);
		follow_use(&course, &state, &point);
		state.before = point;
		followed = true;
	}
	if (state.below)
		end_cycle(&course, &state);
	return course;
}

/* ---- who ---- */

/* "; 12.3 GiB of it by model.py:174 forward": who holds most of what was allocated from FROM on. */
static void tell_holder(const struct diagnosis *diagnosis, struct finding *finding,
			const struct snapshot_device *device, int64_t from, int64_t entry)
{
	const struct snapshot *snapshot = diagnosis->profile->snapshot;
	AUTO_KEYED struct keyed owners = { 0 };
	AUTO_FREE int64_t *bytes = NULL;
	size_t most = 0;
	for (size_t i = 0; i < device->allocations && detect_row(diagnosis, i); i++) {
		const struct snapshot_allocation *at =
			&snapshot->allocations[device->first_allocation + i];
		if (at->stack < SNAPSHOT_STACKS_OWN || at->alloc_entry < from ||
		    !snapshot_is_live(at, entry))
			continue;
		uint32_t owner = snapshot->stacks[at->stack].owner;
		if (!owner)
			continue;
		int64_t *held = keyed_item(&owners, bytes, &owner);
		*held += at->size;
		if (*held > bytes[most])
			most = (size_t)(held - bytes);
	}
	if (owners.count) {
		uint32_t name = *(const uint32_t *)keyed_key(&owners, most);
		buffer_printf(&finding->evidence, "; most, %s, is held by ", BYTES(bytes[most]));
		add_name(&finding->evidence, profile_string(diagnosis->profile, name));
	}
}

/* ---- the checks ---- */

static bool returns_segments(const struct judge_snapshot_course *course)
{
	double share = percent_of((double)course->returned, (double)course->device->peak_reserved);
	return (course->bursts >= BURSTS_MIN && share >= RETURNED_MIN) ||
	       (course->freed >= FREED_MANY && course->again >= course->returned);
}

void judge_snapshot_allocation(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct snapshot *snapshot = diagnosis->profile->snapshot;
	for (size_t i = 0; i < snapshot->device_count; i++) {
		struct judge_snapshot_course course = course_of(diagnosis, &snapshot->devices[i]);
		if (!returns_segments(&course))
			continue;
		report_problem(
			finding,
			"%s segments (%s) on %s were freed in %s burst%s, and %s were allocated again: cudaFree and cudaMalloc wait for the GPU",
			COUNT(course.freed), BYTES(course.returned), DEVICE(course.device->id),
			COUNT(course.bursts), PLURAL(course.bursts), BYTES(course.again));
		return;
	}
	report_ok(finding, "The allocator keeps its segments.");
}

void judge_snapshot_fragmentation(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct snapshot *snapshot = diagnosis->profile->snapshot;
	for (size_t i = 0; i < snapshot->device_count; i++) {
		struct judge_snapshot_course course = course_of(diagnosis, &snapshot->devices[i]);
		const struct snapshot_device *device = course.device;
		int64_t unused = course.reserved_at_peak == NO_VALUE
					 ? 0
					 : course.reserved_at_peak - device->peak;
		if (percent_of((double)unused, (double)course.reserved_at_peak) < UNUSED_MIN ||
		    percent_of((double)course.taken, (double)device->peak_reserved) < TAKEN_MIN)
			continue;
		report_problem(
			finding,
			"At the peak of use on %s, %s (%s %%) of the %s reserved are unused; %s were reserved while as much was unused",
			DEVICE(device->id), BYTES(unused), PERCENT(unused, course.reserved_at_peak),
			BYTES(course.reserved_at_peak), BYTES(course.taken));
		tell_holder(diagnosis, finding, device, NO_VALUE, device->peak_entry);
		return;
	}
	report_ok(finding, "Reserved memory is in use.");
}

void judge_snapshot_growth(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct snapshot *snapshot = diagnosis->profile->snapshot;
	bool measured = false;
	for (size_t i = 0; i < snapshot->device_count; i++) {
		struct judge_snapshot_course course = course_of(diagnosis, &snapshot->devices[i]);
		int64_t growth = course.last - course.first;
		measured |= course.cycles >= CYCLES_MIN;
		if (course.cycles < CYCLES_MIN || !course.rises || 2 * course.most > growth ||
		    growth <= course.device->peak / 1000 * GROWTH_PERMILLE)
			continue;
		report_problem(
			finding,
			"Memory in use on %s falls %s times, each time to more than before: from %s to %s",
			DEVICE(course.device->id), COUNT(course.cycles), BYTES(course.first),
			BYTES(course.last));
		tell_holder(diagnosis, finding, course.device, course.first_entry, INT64_MAX - 1);
		return;
	}
	if (measured)
		report_ok(finding, "Memory in use does not grow from cycle to cycle.");
	else
		report_unknown(finding, "Record several steps.",
			       "Memory in use falls fewer than four times.");
}

void judge_snapshot_requests(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	const struct snapshot *snapshot = profile->snapshot;
	const struct snapshot_oom *largest = NULL;
	for (size_t i = 0; i < snapshot->oom_count; i++)
		if (!largest || snapshot->ooms[i].size > largest->size)
			largest = &snapshot->ooms[i];
	if (!largest) {
		report_ok(finding, "No request for memory failed.");
		return;
	}
	report_problem(finding, "%zu request%s for GPU memory failed", snapshot->oom_count,
		       PLURAL(snapshot->oom_count));
	if (largest->size != NO_VALUE)
		buffer_printf(&finding->evidence, ", the largest for %s", BYTES(largest->size));
	buffer_printf(&finding->evidence, " on %s", DEVICE(largest->device));
	if (largest->device_free != NO_VALUE)
		buffer_printf(&finding->evidence, " with %s free", BYTES(largest->device_free));
	uint32_t requester = snapshot->stacks[largest->stack].owner;
	if (requester) {
		buffer_puts(&finding->evidence, ", by ");
		add_name(&finding->evidence, profile_string(profile, requester));
	}
	const struct snapshot_device *device =
		first_of(at, snapshot->devices, snapshot->device_count, at->id == largest->device);
	if (device)
		tell_holder(diagnosis, finding, device, NO_VALUE, largest->entry);
}

/* What is in use at the peak of a device, by category; what is older than the trace has none. */
enum { CONTENTS_BEFORE = MEMORY_FRAGMENTATION + 1, CONTENTS };

static void sum_contents(const struct diagnosis *diagnosis, const struct snapshot_device *device,
			 int64_t bytes[CONTENTS])
{
	AUTO(memory_blocks_free) struct memory_blocks blocks = { 0 };
	if (!memory_blocks_find(&blocks, diagnosis->derived, diagnosis->progress))
		blocks.count = 0;
	for (size_t i = 0; i < blocks.count; i++) {
		const struct memory_block *block = &blocks.items[i];
		if (block->device == device->id && memory_block_is_alive(block, device->peak_entry))
			bytes[block->from == INT64_MIN ? CONTENTS_BEFORE : block->category] +=
				block->bytes;
	}
}

/* A headline: a snapshot is of memory, whether or not something is wrong. */
void judge_snapshot_contents(const struct diagnosis *diagnosis, struct finding *finding)
{
	static const char *const names[CONTENTS] = {
		MEMORY_CATEGORY_ROWS(LISTED_NAME)[CONTENTS_BEFORE] = "allocated before the capture"
	};
	static const char *const remedies[CONTENTS] = {
		MEMORY_CATEGORY_ROWS(LISTED_THIRD)[CONTENTS_BEFORE] =
			"Record from the start of the process to tell what these are."
	};
	enum { TOLD = 3, TOLD_PERCENT = 5 };
	const struct snapshot *snapshot = diagnosis->profile->snapshot;
	const struct snapshot_device *device = NULL;
	int64_t bytes[CONTENTS] = { 0 };
	for (size_t i = 0; i < snapshot->device_count; i++)
		if (snapshot->devices[i].peak > (device ? device->peak : 0))
			device = &snapshot->devices[i];
	if (!device) {
		report_ok(finding, "The snapshot has no memory in use.");
		return;
	}
	sum_contents(diagnosis, device, bytes);
	report_problem(finding, "%s holds %s at its peak", DEVICE(device->id), BYTES(device->peak));
	for (int i = 0; i < TOLD; i++) {
		int most = 0;
		for (int kind = 0; kind < CONTENTS; kind++)
			most = bytes[kind] > bytes[most] ? kind : most;
		finding->recommendation = i ? finding->recommendation : remedies[most];
		if (percent_of((double)bytes[most], (double)device->peak) < TOLD_PERCENT)
			break;
		buffer_printf(&finding->evidence, "%s %s %s", i ? "," : ":", BYTES(bytes[most]),
			      names[most]);
		bytes[most] = 0;
	}
	tell_holder(diagnosis, finding, device, NO_VALUE, device->peak_entry);
}

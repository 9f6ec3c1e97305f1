#include "input/cuda/cuda_memory.h"

#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"

#include <inttypes.h>

uint32_t cuda_memory_track(struct builder *builder, struct profile *profile, uint32_t process)
{
	return builder_track(builder, process, NO_VALUE, profile_intern(profile, "device memory"),
			     -1);
}

/* ---- allocations ---- */

bool cuda_memory_add(struct builder *builder, struct profile *profile,
		     const struct cuda_allocation *allocation)
{
	enum { CUDA = 1 };
	profile->events++;
	if (allocation->time == NO_VALUE || allocation->bytes < 0) {
		profile_skip(profile, "memory event without time or size");
		return false;
	}
	bool host = cuda_is_host_memory(allocation->kind, allocation->numbering);
	struct memory_event event = {
		.time = allocation->time,
		.address = allocation->address,
		.bytes = allocation->release ? -allocation->bytes : allocation->bytes,
		.total_allocated = NO_VALUE,
		.total_reserved = NO_VALUE,
		.device_type = host ? 0 : CUDA,
		.device_id = host                                  ? -1
			     : cuda_small(allocation->device) >= 0 ? (int32_t)allocation->device
								   : 0,
		.track = allocation->track,
	};
	builder_memory(builder, &event);
	return true;
}

COMPARE_MEMBERS(cuda_memory_compare_times, struct memory_event,
		UP(time) UP(bytes)) /* releases first */

void cuda_memory_finish(struct profile *profile)
{
	AUTO_HASH struct hash *totals = hash_new(16);
	AUTO_FREE int64_t *total = mem_alloc((profile->memory_count + 1) * sizeof *total);
	size_t count = 0;
	sort_items(profile->memory_events, profile->memory_count, cuda_memory_compare_times);
	for (size_t i = 0; i < profile->memory_count; i++) {
		struct memory_event *event = &profile->memory_events[i];
		uint64_t key = hash_pair((uint64_t)event->device_type, (uint64_t)event->device_id);
		uint32_t at = hash_first(totals, key);
		if (at == NO_ROW) {
			at = (uint32_t)count++;
			total[at] = 0;
			hash_add(totals, key, at);
		}
		if (__builtin_add_overflow(total[at], event->bytes, &total[at]))
			total[at] = event->bytes < 0 ? 0 : INT64_MAX;
		if (total[at] < 0) /* allocated before the capture */
			total[at] = 0;
		event->total_allocated = total[at];
	}
}

static uint64_t call_key(uint32_t process, int64_t correlation)
{
	return hash_pair(process, (uint64_t)correlation);
}

struct hash *cuda_call_tracks(const struct profile *profile)
{
	struct hash *tracks = hash_new(256);
	for (uint32_t i = 0; i < profile->spans; i++) {
		const struct call_info *info = profile_call_info(profile, i);
		uint32_t track = profile->span_track[i];
		if (info && info->correlation != NO_VALUE)
			hash_add(tracks,
				 call_key(profile->tracks[track].process, info->correlation),
				 track);
	}
	return tracks;
}

uint32_t cuda_call_track(const struct hash *tracks, uint32_t process, int64_t correlation,
			 uint32_t fallback)
{
	if (correlation == NO_VALUE || correlation == 0)
		return fallback;
	uint32_t track = hash_first(tracks, call_key(process, correlation));
	return track == NO_ROW ? fallback : track;
}

/* ---- unified memory ---- */

const char *cuda_access_name(int64_t access)
{
	static const char *const names[] = { NULL, "read", "write", "atomic", "prefetch" };
	return access >= 0 && (uint64_t)access < sizeof names / sizeof *names ? names[access]
									      : NULL;
}

static void add_fault(struct builder *builder, struct profile *profile, enum span_kind kind,
		      uint32_t track, const char *name, const struct page_fault *fault)
{
	uint32_t span =
		builder_span(builder, kind, track, profile_intern(profile, name), fault->start,
			     fault->dur, profile_intern(profile, CATEGORY_PAGE_FAULT));
	if (fault->address != NO_VALUE)
		builder_span_text(builder, span, MEMORY_ADDRESS,
				  profile_print(profile, "0x%" PRIx64, (uint64_t)fault->address));
	builder_span_number(builder, span, PAGE_FAULT_COUNT, fault->count);
	builder_span_text(builder, span, "access", profile_intern(profile, fault->access));
	builder_span_text(builder, span, PAGE_FAULT_FUNCTION, fault->function);
	builder_span_text(builder, span, PAGE_FAULT_FILE, fault->file);
	builder_span_number(builder, span, PAGE_FAULT_LINE, fault->line);
}

void cuda_page_fault_host(struct builder *builder, struct profile *profile, uint32_t process,
			  const struct page_fault *fault)
{
	struct page_fault point = *fault;
	uint32_t track = builder_track(builder, process, NO_VALUE,
				       profile_intern(profile, "page faults"), -1);
	point.dur = 0;
	add_fault(builder, profile, SPAN_INSTANT, track, "CPU page fault", &point);
}

/* On a device track, so that it does not count as host time. */
void cuda_page_fault_device(struct builder *builder, struct profile *profile, uint32_t process,
			    int64_t device, const struct page_fault *fault)
{
	uint32_t track =
		builder_track(builder, process, NO_VALUE, profile_intern(profile, "page faults"),
			      cuda_small(device) >= 0 ? (int32_t)device : 0);
	add_fault(builder, profile, SPAN_OTHER, track, "GPU page faults", fault);
}

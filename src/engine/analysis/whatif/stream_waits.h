/*
 * Recorded waits: of a stream for an event of another (cudaStreamWaitEvent), and of the host for an
 * event or a stream (cudaEventSynchronize, cudaStreamSynchronize).
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

/* Work launched on TRACK after CALLED waits for the work launched on OTHER before RECORDED. */
struct stream_wait {
	uint32_t track, other;
	int64_t called, recorded; /* starts of the calls that wait for and record the event */
};

/* The call SPAN waits for the work launched on TRACK before RECORDED. */
struct host_wait {
	uint32_t span, track;
	int64_t recorded;
};

struct stream_waits {
	struct stream_wait *items; /* by track, then by call */
	size_t count;
	struct host_wait *hosts; /* by span */
	size_t host_count;
};

/* The caller frees with stream_waits_free. False when cancelled, with nothing to free. */
bool stream_waits_find(struct stream_waits *waits, const struct profile *profile,
		       const struct progress *progress);
void stream_waits_free(struct stream_waits *waits);

/*
 * The work that ACTIVITY waited for by a recorded event since FROM, when work was launched before
 * on its stream (INT64_MIN: none was): of several the one that ends last, no
 * later than ACTIVITY starts. NO_ROW if none is recorded.
 */
uint32_t stream_waits_of(const struct stream_waits *waits, const struct profile *profile,
			 uint32_t activity, int64_t from);

/* Does the stream TRACK have recorded waits? Then it waits for other streams in these alone. */
bool stream_waits_recorded(const struct stream_waits *waits, uint32_t track);

/*
 * The work that the call SPAN waited for by a record of its synchronization; NO_ROW: none.
 */
uint32_t stream_waits_of_host(const struct stream_waits *waits, const struct profile *profile,
			      uint32_t span);

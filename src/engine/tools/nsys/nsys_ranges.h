/*
 * NVTX ranges as nsys stats nests them: by time alone, on the thread that began them. Ranges may
 * cross, so the nesting of the profile's spans does not tell it.
 */
#pragma once

#include "derived/selection.h"

struct nsys_interval {
	int64_t start, end; /* from the profile's zero */
	uint32_t thread;    /* track */
	uint32_t id;        /* the caller's */
};

struct nsys_range {
	struct nsys_interval time; /* id: row number that reports print */
	uint32_t span;
	uint32_t name;     /* full, in nsys_ranges.names */
	uint32_t parent;   /* the shortest range around it, NO_ROW */
	uint32_t level;    /* number of enclosing ranges, NO_ROW: on a ring of equal ranges */
	uint32_t children; /* ranges whose parent it is, and their time */
	int64_t children_ns;
	bool started; /* start/end, not push/pop */
};

struct nsys_ranges {
	struct nsys_range *range; /* by thread, start, then longest first */
	size_t count;
	struct intern *names;
};

enum nsys_styles { NSYS_PUSHED, NSYS_ALL_STYLES, NSYS_FLAT };

/*
 * The ranges in scope that ended on the thread where they began; one that never ended ends with the
 * last of the file. NSYS_FLAT: all ranges, and without their nesting. False when cancelled. The
 * caller frees.
 */
bool nsys_ranges_make(struct nsys_ranges *ranges, const struct selection *selection,
		      enum nsys_styles styles, const struct progress *progress);
void nsys_ranges_free(struct nsys_ranges *ranges);

const char *nsys_style_name(const struct nsys_range *range);

/*
 * Call TAKE for each range around each of the intervals, which are sorted here. False when
 * cancelled.
 */
typedef void nsys_take(void *context, const struct nsys_interval *inner, uint32_t range);
bool nsys_ranges_around(const struct nsys_ranges *ranges, struct nsys_interval *intervals,
			size_t count, nsys_take *take, void *context,
			const struct progress *progress);

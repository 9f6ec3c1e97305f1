/*
 * Rows of the lanes, by the room there is. They do not depend on the cursor, so that a move redraws
 * no lane.
 */
#include "tui/timeline/timeline_pane.h"

/* What grows together, most important first. */
enum height_class {
	HEIGHT_DEVICE, /* kernels and copies */
	HEIGHT_UNION,  /* busy time and efficiency of devices, which lanes of kernels tell; ranks */
	HEIGHT_HOST,   /* operators, calls, samples */
	HEIGHT_RANGE,  /* annotations, steps, waits */
	HEIGHT_PYTHON, /* modules and functions: many levels */
};

enum { UNION_MOST = 2 }; /* beside kernels */

static const int most[] = { [HEIGHT_DEVICE] = 6,
			    [HEIGHT_UNION] = 4,
			    [HEIGHT_HOST] = 3,
			    [HEIGHT_RANGE] = 1,
			    [HEIGHT_PYTHON] = 1 };

static enum height_class height_class_of(const struct timeline_pane *self, size_t line)
{
	const struct lane *lane = &self->box->timeline->lanes->lane[self->lines[line].lane];
	if (lane_is_union(lane))
		return HEIGHT_UNION;
	if (lane->kind == LANE_WORK && lane->device >= 0)
		return HEIGHT_DEVICE;
	if (lane->kind == LANE_PYTHON)
		return HEIGHT_PYTHON;
	return lane->kind == LANE_WORK || lane->kind == LANE_SAMPLES ? HEIGHT_HOST : HEIGHT_RANGE;
}

int timeline_height(const struct timeline_heights *heights, const struct timeline_pane *self,
		    size_t line)
{
	return 1 + heights->more[height_class_of(self, line)];
}

/* In turn, each class as a whole. */
void timeline_share_room(struct timeline_heights *heights, const struct timeline_pane *self,
			 int spare)
{
	int lines[TIMELINE_HEIGHTS] = { 0 };
	*heights = (struct timeline_heights){ 0 };
	if (spare <= 0)
		return;
	for (size_t i = 0; i < self->line_count; i++)
		lines[height_class_of(self, i)]++;
	for (bool grown = true; grown;) {
		grown = false;
		for (int i = 0; i < TIMELINE_HEIGHTS; i++) {
			bool told = i == HEIGHT_UNION && lines[HEIGHT_DEVICE];
			if (!lines[i] || lines[i] > spare ||
			    heights->more[i] + 1 >= (told ? UNION_MOST : most[i]))
				continue;
			heights->more[i]++;
			spare -= lines[i];
			grown = true;
		}
	}
}

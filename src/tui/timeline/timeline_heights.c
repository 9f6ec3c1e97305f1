/*
 * Rows of the lanes, by the room there is. They do not depend on the cursor, so that a move redraws
 * no lane.
 */
#include "tui/timeline/timeline_pane.h"

/* What grows together, most important first. */
enum height_class { HEIGHT_CLASS_ROWS(_) };

enum { UNION_MOST = 2 }; /* beside kernels */

/* At first, and if rows are left then; where not all lines fit, SCROLLED is for work of devices. */
static const int most[][TIMELINE_HEIGHTS] = { { 6, 4, 3, 1, 1 }, { 10, 4, 8, 1, 1 } };
static const int scrolled[TIMELINE_HEIGHTS] = { 2, 1, 1, 1, 1 };

static enum height_class height_class_of(const struct timeline_pane *self, size_t line)
{
	const struct lane *lane = &self->box->timeline->lanes->lane[self->lines[line].lane];
	if (lane_is_union(lane))
		return HEIGHT_UNION;
	if (lane->kind == LANE_WORK && lane->device >= 0 && !lane->level)
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

/* In turn, each class as a whole, as long as a line has fewer rows; the rows that are left. */
static int grow_classes(struct timeline_heights *heights, const int lines[TIMELINE_HEIGHTS],
			const int up_to[TIMELINE_HEIGHTS], int spare)
{
	for (bool grown = true; grown;) {
		grown = false;
		for (int i = 0; i < TIMELINE_HEIGHTS; i++) {
			bool told = i == HEIGHT_UNION && lines[HEIGHT_DEVICE];
			int end = told && up_to[i] > UNION_MOST ? UNION_MOST : up_to[i];
			if (!lines[i] || lines[i] > spare || heights->more[i] + 1 >= end)
				continue;
			heights->more[i]++;
			spare -= lines[i];
			grown = true;
		}
	}
	return spare;
}

void timeline_share_room(struct timeline_heights *heights, const struct timeline_pane *self,
			 int rows, int used)
{
	enum { PART = 3 }; /* of the rows is for devices, though lines are out of sight */
	int lines[TIMELINE_HEIGHTS] = { 0 };
	*heights = (struct timeline_heights){ 0 };
	for (size_t i = 0; i < self->line_count; i++)
		lines[height_class_of(self, i)]++;
	if (used > rows) {
		grow_classes(heights, lines, scrolled, rows / PART - lines[HEIGHT_UNION]);
	} else {
		int left = rows - used;
		for (size_t i = 0; i < sizeof most / sizeof *most; i++)
			left = grow_classes(heights, lines, most[i], left);
	}
}

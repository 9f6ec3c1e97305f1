/*
 * Rows of the lanes, by the room there is. They do not depend on the cursor, so that a move redraws
 * no lane.
 */
#include "tui/timeline/timeline_pane.h"

/* What grows together, most important first. */
enum height_class { HEIGHT_CLASS_ROWS(_) };

enum { UNION_MOST = 2 /* beside kernels */, ROWS_MOST = 10, FEW = 4 };
typedef int line_counts[TIMELINE_HEIGHTS][ROWS_MOST];

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

/* Rows beyond the first that the events of a line can fill: one more for twice as many of them;
 * what overlaps others on a stream is of less importance than they. */
static int filled(const struct timeline_pane *self, size_t line)
{
	const struct lane *lane = &self->box->timeline->lanes->lane[self->lines[line].lane];
	uint32_t events = lane->level && lane->device >= 0 ? lane->count / FEW : lane->count;
	int more = 0;
	while (more < ROWS_MOST && (!lane_is_prepared(lane) || events >> more))
		more++;
	return more;
}

int timeline_height(const struct timeline_heights *heights, const struct timeline_pane *self,
		    size_t line)
{
	int more = heights->more[height_class_of(self, line)], most_here = filled(self, line);
	return 1 + (more < most_here ? more : most_here);
}

/*
 * In turn, each class as a whole, as long as a line has fewer rows; the rows that are left. LINES
 * has, of each class and number of rows, the lines that can fill more.
 */
static int grow_classes(struct timeline_heights *heights, line_counts lines,
			const int up_to[TIMELINE_HEIGHTS], int spare)
{
	for (bool grown = true; grown;) {
		grown = false;
		for (int i = 0; i < TIMELINE_HEIGHTS; i++) {
			int *more = &heights->more[i];
			bool told = i == HEIGHT_UNION && lines[HEIGHT_DEVICE][0];
			int end = told && up_to[i] > UNION_MOST ? UNION_MOST : up_to[i];
			if (*more + 1 >= end || !lines[i][*more] || lines[i][*more] > spare)
				continue;
			spare -= lines[i][(*more)++];
			grown = true;
		}
	}
	return spare;
}

void timeline_share_room(struct timeline_heights *heights, const struct timeline_pane *self,
			 int rows, int used)
{
	enum { PART = 3 }; /* of the rows is for devices, though lines are out of sight */
	line_counts lines = { { 0 } };
	*heights = (struct timeline_heights){ 0 };
	for (size_t i = 0; i < self->line_count; i++)
		for (int more = filled(self, i); more-- > 0;)
			lines[height_class_of(self, i)][more]++;
	if (used > rows) {
		grow_classes(heights, lines, scrolled, rows / PART - lines[HEIGHT_UNION][0]);
	} else {
		int left = rows - used;
		for (size_t i = 0; i < sizeof most / sizeof *most; i++)
			left = grow_classes(heights, lines, most[i], left);
	}
}

/*
 * Sections of the timeline's lines, which begin with a rule: the other ranks of a host, the devices
 * and the CPU of a rank.
 */
#include "model/device_label.h"
#include "tui/timeline/timeline_pane.h"

static bool is_of_rank(const struct timeline_pane *self, size_t line)
{
	return self->box->timeline->lanes->lane[self->lines[line].lane].kind == LANE_RANK;
}

/* Lines of other ranks; of one device, or of the CPU, of one rank; of all devices. */
static bool in_one_section(const struct timeline_pane *self, size_t a, size_t b)
{
	const struct timeline *timeline = self->box->timeline;
	const struct timeline_line *one = &self->lines[a], *other = &self->lines[b];
	if (is_of_rank(self, a) || is_of_rank(self, b))
		return is_of_rank(self, a) && is_of_rank(self, b);
	if (one->track == NO_ROW || other->track == NO_ROW)
		return one->track == other->track;
	return timeline->lanes->lane[one->lane].device ==
		       timeline->lanes->lane[other->lane].device &&
	       timeline_rank_of(timeline, one->lane) == timeline_rank_of(timeline, other->lane);
}

/* Is the rank of this line on another host than those above it? */
static bool changes_host(const struct timeline_pane *self, size_t line)
{
	const struct timeline *timeline = self->box->timeline;
	const char *host = timeline_host_of(timeline, self->lines[line].lane), *above = NULL;
	while (host && !above && line-- > 0 && is_of_rank(self, line))
		above = timeline_host_of(timeline, self->lines[line].lane);
	return host && above && strcmp(host, above) != 0;
}

bool timeline_has_rule(const struct timeline_pane *self, size_t line, bool room)
{
	bool of_rank = is_of_rank(self, line);
	if (line == 0 || !in_one_section(self, line, line - 1))
		return of_rank || (line > 0 && room);
	return room && of_rank && changes_host(self, line);
}

/* The first of several also says how the clocks are aligned. */
static void name_ranks(const struct timeline_pane *self, size_t line, struct buffer *out)
{
	const struct timeline *timeline = self->box->timeline;
	const char *host = timeline_host_of(timeline, self->lines[line].lane);
	buffer_puts(out, " Other ranks");
	if (host)
		buffer_printf(out, " on %s", host);
	if (line == 0 || !is_of_rank(self, line - 1)) {
		buffer_puts(out, ": ");
		timeline_ranks_note(timeline, out);
	}
	buffer_putc(out, ' ');
}

static void name_device(const struct timeline_pane *self, size_t line, struct buffer *out)
{
	char device[DEVICE_LABEL_MAX];
	const struct timeline *timeline = self->box->timeline;
	uint32_t index = self->lines[line].lane;
	const struct lane *lane = &timeline->lanes->lane[index];
	int64_t rank = timeline_rank_of(timeline, index);
	if (rank == NO_VALUE && timeline->run->rank_count > 1 && timeline->rank->number >= 0)
		rank = timeline->rank->number;
	buffer_putc(out, ' ');
	if (rank != NO_VALUE)
		buffer_printf(out, "rank %" PRId64 " ", rank);
	buffer_printf(out, "%s ", lane->device >= 0 ? device_label(device, lane->device) : "CPU");
}

void timeline_name_section(const struct timeline_pane *self, size_t line, struct buffer *out)
{
	if (is_of_rank(self, line))
		name_ranks(self, line, out);
	else
		name_device(self, line, out);
}

/*
 * What happens in a range of time: busy and idle by cause, kernels, copied bytes.
 */
#include "base/compare.h"
#include "base/error.h"
#include "base/keyed.h"
#include "base/number.h"
#include "base/text.h"
#include "picture/timeline/timeline_private.h"

#include <stdlib.h>

struct name_time {
	int64_t ns;
	const char *name;
};

/* Times by name, that of THIS run or (BASE) one that the base run has alone. */
struct name_times {
	struct keyed keys;
	struct name_time *items;
};

COMPARE_ITEMS(by_time, struct name_time,
	      COMPARE(llabs(y->ns), llabs(x->ns)) ?: strcmp(x->name, y->name))

static void add_time(struct name_times *times, const struct profile *profile, uint32_t name,
		     uint32_t own_name, int64_t ns)
{
	int64_t key = own_name == NO_ROW ? -1 - (int64_t)name : own_name;
	struct name_time *item = keyed_item(&times->keys, times->items, &key);
	item->name = profile_string(profile, name);
	item->ns += ns;
}

static void add_part(const char *before, const char *name, int64_t ns, struct buffer *out)
{
	char text[NUMBER_MAX];
	buffer_printf(out, "%s%s %s", before, name, number_duration(text, ns));
}

/* Time that a device works on kernels, copies and sets. */
static int64_t busy_of(const struct profile *profile, int32_t device, int64_t from, int64_t to)
{
	AUTO_INTERVALS struct intervals busy = { 0 };
	for (uint32_t i = 0; i < profile->activities; i++) {
		int64_t start = profile->activity_start[i], end = profile_activity_end(profile, i);
		if (profile_is_work(profile, i) && profile_activity_device(profile, i) == device)
			intervals_add(&busy, start > from ? start : from, end < to ? end : to);
	}
	intervals_merge(&busy);
	return intervals_length(&busy);
}

/* What is idle in no step has no cause. */
static void measure_causes(const struct derived *derived, const struct device_causes *device,
			   int64_t from, int64_t to, int64_t ns[TIME_CAUSES])
{
	struct interval longest[TIME_CAUSES];
	AUTO_INTERVALS struct intervals within = { 0 };
	for_each (step, derived->steps, derived->step_count)
		intervals_add(&within, step->start > from ? step->start : from,
			      step->end < to ? step->end : to);
	intervals_merge(&within);
	causes_measure_in(device, &within, ns, longest);
}

/* Of the device whose time the steps show. */
static void add_causes(const struct derived *derived, const struct device_causes *device,
		       int64_t from, int64_t to, struct buffer *out)
{
	int64_t ns[TIME_CAUSES], busy = busy_of(derived->profile, device->device, from, to);
	char text[NUMBER_MAX], percent[NUMBER_MAX];
	measure_causes(derived, device, from, to, ns);
	number_percent(percent, 100.0 * (double)busy / (double)(to - from));
	buffer_printf(out, "GPU Busy\t%s %%, %s\nExposed Communication\t", percent,
		      number_duration(text, busy));
	buffer_printf(out, "%s\nIdle\t%s", number_duration(text, ns[CAUSE_COMMUNICATION]),
		      busy < to - from ? "" : "0 ns");
	const char *before = "";
	for (int cause = CAUSE_LAUNCH; cause < CAUSE_OUTSIDE; cause++) {
		if (ns[cause] <= 0)
			continue;
		add_part(before, time_cause_name((enum time_cause)cause), ns[cause], out);
		before = ", ";
		busy += ns[cause];
	}
	if (busy < to - from)
		add_part(before, time_cause_name(CAUSE_OUTSIDE), to - from - busy, out);
	buffer_putc(out, '\n');
}

/* Those with most time, SIGNED if they are changes, after BEFORE; frees TIMES. */
static void print_times(struct name_times *times, const char *before, bool is_signed,
			struct buffer *out)
{
	enum { TOP = 3, NAME_COLUMNS = 32 };
	char text[NUMBER_MAX];
	qsort(times->items, times->keys.count, sizeof *times->items, by_time);
	for (uint32_t i = 0; i < times->keys.count && i < TOP && times->items[i].ns; i++) {
		const struct name_time *item = &times->items[i];
		buffer_puts(out, i ? ", " : before);
		text_elide(out, item->name, strlen(item->name), NAME_COLUMNS, true);
		const char *sign = !is_signed ? "" : item->ns < 0 ? "-" : "+";
		buffer_printf(out, " %s%s", sign, number_duration(text, llabs(item->ns)));
	}
	keyed_clear(&times->keys);
	mem_free(times->items);
}

/* Of kernels and copies the parts within the range; copied bytes are spread over their time. */
static void add_work(const struct profile *profile, int64_t from, int64_t to, struct buffer *out)
{
	struct name_times times = { .items = mem_room_filled(NULL, 1, sizeof *times.items, 0) };
	double bytes = 0;
	char text[NUMBER_MAX], rate[NUMBER_MAX];
	for (uint32_t i = 0; i < profile->activities; i++) {
		int64_t start = profile->activity_start[i], dur = profile->activity_dur[i];
		int64_t in = (start + dur < to ? start + dur : to) - (start > from ? start : from);
		if (in <= 0 || !profile_is_work(profile, i))
			continue;
		if (profile->activity_kind[i] == ACTIVITY_MEMCPY && profile->activity_bytes[i] > 0)
			bytes += (double)profile->activity_bytes[i] * (double)in / (double)dur;
		add_time(&times, profile, profile->activity_name[i], profile->activity_name[i], in);
	}
	bool any = times.keys.count > 0;
	print_times(&times, "Top GPU Work\t", false, out);
	buffer_puts(out, any ? "\n" : "");
	if (bytes > 0)
		buffer_printf(out, "Copied\t%s, %s/s\n", number_bytes(text, bytes),
			      number_bytes(rate, bytes * 1e9 / (double)(to - from)));
}

/* Time of the host in what is innermost: operators, or else all that was recorded, but what is
 * alone on its track from FROM to TO: that is the recording. */
static bool add_host(const struct derived *derived, int64_t from, int64_t to,
		     const struct progress *progress, struct buffer *out)
{
	const struct profile *profile = derived->profile;
	const uint8_t *flags = derived->span_flags;
	struct name_times times = { .items = mem_room_filled(NULL, 1, sizeof *times.items, 0) };
	bool all = !profile_all_spans(profile, SPAN_OPERATOR), done = true;
	AUTO_FREE uint32_t *on_track = mem_zalloc(profile->track_count + 1, sizeof *on_track);
	for (uint32_t i = 0; i < profile->spans; i++)
		on_track[profile->span_track[i]]++;
	for (uint32_t i = 0; i < profile->spans && done; i++) {
		int64_t start = profile->span_start[i], end = start + profile->span_dur[i];
		int64_t in = (end < to ? end : to) - (start > from ? start : from);
		uint32_t above = profile->span_parent[i], name = profile->span_name[i];
		done = progress_row(progress, "reading the range", i, profile->spans);
		if (in <= 0 || !(all || flags[i] & SPAN_IS_OPERATOR) ||
		    (in == to - from && on_track[profile->span_track[i]] == 1))
			continue;
		add_time(&times, profile, name, name, in);
		while (above != NO_ROW && !(all || flags[above] & SPAN_IS_OPERATOR))
			above = derived->span_owner[above];
		if (above != NO_ROW)
			add_time(&times, profile, profile->span_name[above],
				 profile->span_name[above], -in);
	}
	bool any = times.keys.count > 0;
	print_times(&times, "Top CPU Time\t", false, out);
	buffer_puts(out, any ? "\n" : "");
	return done;
}

/* If the range is a step, how its time differs, and its idle time by causes. */
static void add_step_change(const struct timeline *timeline, const struct device_causes *device,
			    int64_t from, int64_t to, struct buffer *out)
{
	const struct step *step, *base = timeline_base_step(timeline, from, &step);
	const struct causes *causes = timeline->base->causes;
	struct name_times times = { .items = NULL };
	int64_t now[TIME_CAUSES], then[TIME_CAUSES];
	char text[NUMBER_MAX];
	if (!causes || !base || step->start != from || step->end != to)
		return;
	measure_causes(timeline->rank->derived, device, from, to, now);
	measure_causes(timeline->base->rank->derived, critical_device(causes), base->start,
		       base->end, then);
	for (int64_t cause = CAUSE_LAUNCH; cause < CAUSE_OUTSIDE; cause++) {
		struct name_time *item = keyed_item(&times.keys, times.items, &cause);
		*item = (struct name_time){ now[cause] - then[cause],
					    time_cause_name((enum time_cause)cause) };
	}
	int64_t change = to - from - (base->end - base->start);
	buffer_printf(out, "%s%s", change < 0 ? "-" : "+", number_duration(text, llabs(change)));
	print_times(&times, ": ", true, out);
	buffer_puts(out, "; work ");
}

/* How the work that begins in the range differs from that in its place in the base run. */
static void add_changes(const struct timeline *timeline, int64_t from, int64_t to,
			struct buffer *out)
{
	const struct profile *own = timeline->rank->profile, *base = timeline->base->rank->profile;
	struct name_times times = { .items = mem_room_filled(NULL, 1, sizeof *times.items, 0) };
	int64_t sum = 0, dur;
	uint32_t more = 0, gone = 0;
	char text[NUMBER_MAX];
	for (uint32_t i = 0; i < own->activities; i++) {
		dur = 0;
		if (own->activity_start[i] < from || own->activity_start[i] >= to ||
		    !profile_is_work(own, i))
			continue;
		more += !timeline_base_work(timeline, i, &dur);
		sum += dur = own->activity_dur[i] - dur;
		add_time(&times, own, own->activity_name[i], own->activity_name[i], dur);
	}
	for (uint32_t i = 0; i < base->activities; i++) {
		if (timeline->own_of[i] != NO_ROW || timeline->placed[i] < from ||
		    timeline->placed[i] >= to || !profile_is_work(base, i))
			continue;
		gone++;
		sum -= base->activity_dur[i];
		add_time(&times, base, base->activity_name[i], timeline_base_name(timeline, i),
			 -base->activity_dur[i]);
	}
	buffer_printf(out, "%s%s", sum < 0 ? "-" : "+", number_duration(text, llabs(sum)));
	print_times(&times, ": ", true, out);
	if (more || gone)
		buffer_printf(out, "; %u more, %u gone", more, gone);
	buffer_putc(out, '\n');
}

bool timeline_range_text(const struct timeline *timeline, const struct scope *scope, int64_t from,
			 int64_t to, const struct progress *progress, struct buffer *out,
			 struct error *error)
{
	AUTO(selection_free) struct selection selection = { 0 };
	AUTO(scope_clear) struct scope rows = { 0 };
	AUTO(causes_free) struct causes own = { 0 };
	char text[NUMBER_MAX];
	buffer_printf(out, "Range\t%s\n", number_duration(text, to - from));
	if (!add_host(timeline->rank->derived, from, to, progress, out))
		return error_cancelled(error);
	if (!timeline->causes)
		return true;
	bool good = timeline_select_all(timeline, scope, &rows, &selection, progress, error);
	const struct causes *causes = good ? derived_causes(&selection, &own, progress) : NULL;
	if (!causes)
		return good && error_cancelled(error);
	const struct device_causes *device = critical_device(causes);
	add_causes(timeline->rank->derived, device, from, to, out);
	add_work(timeline->rank->profile, from, to, out);
	if (!timeline->base_of)
		return true;
	buffer_puts(out, "Against Base\t");
	add_step_change(timeline, device, from, to, out);
	add_changes(timeline, from, to, out);
	return true;
}

/* The first event that starts at TIME or later. */
static uint32_t event_from(const struct lane *lane, int64_t time)
{
	uint32_t low = 0, high = lane->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (lane_start(lane, middle) < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of equals the innermost; what lasts as long as the lane does is no answer. */
void timeline_meanwhile(const struct timeline *timeline, const struct lane *idle, uint32_t next,
			struct buffer *out)
{
	int64_t from = lane_end(idle, next - 1), to = lane_start(idle, next);
	int64_t first = lane_start(idle, 0), last = lane_end(idle, idle->count - 1);
	const struct lanes *lanes = timeline->lanes;
	int64_t most = 0, shortest = 0;
	uint32_t name = NO_ROW, track = 0;
	char text[NUMBER_MAX];
	for (uint32_t i = 0; i < lanes->count; i++) {
		const struct lane *lane = &lanes->lane[i];
		if (lane->kind != LANE_WORK && lane->kind != LANE_PYTHON)
			continue;
		uint32_t event = event_from(lane, from);
		for (event -= event > 0; event < lane->count && lane_start(lane, event) < to;
		     event++) {
			int64_t start = lane_start(lane, event), end = lane_end(lane, event);
			int64_t in = (end < to ? end : to) - (start > from ? start : from);
			if (in < most || (in == most && end - start >= shortest) ||
			    (start <= first && end >= last))
				continue;
			most = in;
			shortest = end - start;
			name = lane_event_name(lanes, lane, event);
			track = i;
		}
	}
	const char *how = most > 0 || lanes->profile->snapshot
				  ? NULL
				  : profile_how_to_record(lanes->profile, RECORDED_STACKS);
	if (most > 0)
		buffer_printf(out, "Meanwhile\t%s %s, %s\n", profile_string(lanes->profile, name),
			      number_duration(text, most), timeline_track_of(timeline, track));
	else
		buffer_printf(out, "Meanwhile\tnothing was recorded%s%s\n", how ? ". " : "",
			      how ?: "");
}

/*
 * What happens in a range of time: busy and idle by cause, kernels, copied bytes.
 */
#include "base/error.h"
#include "base/keyed.h"
#include "base/number.h"
#include "base/text.h"
#include "derived/selection.h"
#include "picture/timeline/timeline_private.h"

#include <stdlib.h>
#include <string.h>

struct name_time {
	int64_t ns;
	uint32_t name;
};

static int by_time(const void *a, const void *b)
{
	const struct name_time *x = a, *y = b;
	return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns)
			      : (x->name > y->name) - (x->name < y->name);
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

/* Of the device whose time the steps show; what is idle in no step has no cause. */
static void add_causes(const struct derived *derived, const struct device_causes *device,
		       int64_t from, int64_t to, struct buffer *out)
{
	int64_t ns[TIME_CAUSES], busy = busy_of(derived->profile, device->device, from, to);
	struct interval longest[TIME_CAUSES];
	char text[NUMBER_MAX], percent[NUMBER_MAX];
	AUTO_INTERVALS struct intervals within = { 0 };
	for (uint32_t i = 0; i < derived->step_count; i++) {
		const struct step *step = &derived->steps[i];
		intervals_add(&within, step->start > from ? step->start : from,
			      step->end < to ? step->end : to);
	}
	intervals_merge(&within);
	causes_measure_in(device, &within, ns, longest);
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

/* Of kernels and copies the parts within the range; copied bytes are spread over their time. */
static void add_work(const struct profile *profile, int64_t from, int64_t to, struct buffer *out)
{
	enum { TOP = 3, NAME_COLUMNS = 32 };
	AUTO_KEYED struct keyed keys = { 0 };
	AUTO_FREE struct name_time *names = mem_alloc(0);
	double bytes = 0;
	char text[NUMBER_MAX], rate[NUMBER_MAX];
	for (uint32_t i = 0; i < profile->activities; i++) {
		int64_t start = profile->activity_start[i], dur = profile->activity_dur[i];
		int64_t in = (start + dur < to ? start + dur : to) - (start > from ? start : from);
		if (in <= 0 || !profile_is_work(profile, i))
			continue;
		if (profile->activity_kind[i] == ACTIVITY_MEMCPY && profile->activity_bytes[i] > 0)
			bytes += (double)profile->activity_bytes[i] * (double)in / (double)dur;
		if (profile->activity_kind[i] != ACTIVITY_KERNEL)
			continue;
		struct name_time *name = keyed_item(&keys, names, &profile->activity_name[i]);
		name->name = profile->activity_name[i];
		name->ns += in;
	}
	qsort(names, keys.count, sizeof *names, by_time);
	for (uint32_t i = 0; i < keys.count && i < TOP; i++) {
		AUTO_BUFFER struct buffer name = { 0 };
		const char *whole = profile_string(profile, names[i].name);
		text_elide(&name, whole, strlen(whole), NAME_COLUMNS, false);
		add_part(i ? ", " : "Top Kernels\t", buffer_text(&name), names[i].ns, out);
	}
	buffer_puts(out, keys.count ? "\n" : "");
	if (bytes > 0)
		buffer_printf(out, "Copied\t%s, %s/s\n", number_bytes(text, bytes),
			      number_bytes(rate, bytes * 1e9 / (double)(to - from)));
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
	if (!timeline->causes)
		return true;
	bool good = timeline_select_all(timeline, scope, &rows, &selection, progress, error);
	const struct causes *causes = good ? derived_causes(&selection, &own, progress) : NULL;
	if (causes) {
		add_causes(timeline->rank->derived, critical_device(causes), from, to, out);
		add_work(timeline->rank->profile, from, to, out);
	}
	return causes || (good && error_set(error, ERROR_CANCELLED, "cancelled"));
}

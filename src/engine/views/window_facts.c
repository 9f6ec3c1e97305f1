/*
 * Facts about the analysis window, and about the devices within it.
 */
#include "base/any_of.h"
#include "analysis/causes.h"
#include "analysis/host_walk.h"
#include "base/compare.h"
#include "base/number.h"
#include "views/fact_rows.h"
#include "views/views.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- startup and teardown ---- */

struct window_facts_work {
	const struct profile *profile;
	const struct work_window *window;
	int64_t *ns; /* by name: time of innermost spans on all threads */
};

/* Is this the recording itself, or a thread that waits all along? */
static bool lasts_throughout(const struct window_facts_work *work, uint32_t span)
{
	const struct profile *profile = work->profile;
	int64_t start = profile->span_start[span], end = start + profile->span_dur[span];
	bool calls = span + 1 < profile->spans && profile->span_parent[span + 1] == span;
	return !calls && start <= work->window->start && end >= work->window->end;
}

static void window_facts_add_work(void *context, uint32_t span, int64_t start, int64_t end)
{
	struct window_facts_work *work = context;
	if (work->profile->span_kind[span] != SPAN_GPU_ANNOTATION && !lasts_throughout(work, span))
		work->ns[work->profile->span_name[span]] += end - start;
}

/* What calls do outside of the workload. */
static const char *purpose_of(const char *name, uint16_t role, bool startup)
{
	static const struct {
		const char *part, *purpose;
	} purposes[] = { CALL_PURPOSE_ROWS };
	for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++)
		if (strstr(name, purposes[i].part))
			return purposes[i].purpose;
	if (role & NAME_COMPILE)
		return "compilation";
	return role & NAME_ALLOCATOR && startup ? "allocation, context creation" : NULL;
}

/* Add "STARTUP: ns" and the host work that takes most of it. False when cancelled. */
static bool add_outside(struct table *table, const char *section, const struct derived *derived,
			const struct work_window *window, bool startup,
			const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	size_t names = intern_count(profile->strings);
	struct window_facts_work work = { profile, window, NULL };
	AUTO_INTERVALS struct intervals within = { 0 };
	int64_t from = startup ? 0 : window->end, to = startup ? window->start : profile->end_ns;
	uint32_t best = 0;
	bool ok = true;
	if (from >= to)
		return true;
	work.ns = mem_zalloc(names + 1, sizeof *work.ns);
	intervals_add(&within, from, to);
	for (uint32_t t = 0; t < profile->track_count && ok; t++)
		if (profile->tracks[t].device < 0)
			ok = host_walk(derived, t, &within, window_facts_add_work, &work, progress);
	for (uint32_t i = 0; i < names; i++)
		best = work.ns[i] > work.ns[best] ? i : best;
	fact_add(table, section, startup ? "startup" : "teardown", value_int(to - from), "ns");
	if (ok && work.ns[best]) {
		char time[NUMBER_MAX];
		const char *name = profile_string(profile, best);
		const char *purpose =
			purpose_of(name, best < derived->names ? derived->role[best] : 0, startup);
		fact_add(table, section, startup ? "startup work" : "teardown work",
			 table_printf(table, "%s, %s%s%s%s", name,
				      number_duration(time, work.ns[best]), purpose ? " (" : "",
				      purpose ? purpose : "", purpose ? ")" : ""),
			 "");
	}
	mem_free(work.ns);
	return ok;
}

static void add_head(struct table *table, const char *section, const struct profile *profile,
		     const struct work_window *window)
{
	if (window->head_end == window->start)
		return;
	fact_add(table, section, "head without causes", value_int(window->head_end - window->start),
		 "ns");
	fact_add(table, section, "head",
		 window->unlinked
			 ? table_printf(table, "%" PRIu64 " GPU events queued before the capture",
					window->unlinked)
			 : table_printf(
				   table, "%s waits for work queued before the capture",
				   profile_string(profile, profile->span_name[window->blocked])),
		 "");
}

bool fact_add_window(struct table *table, const char *section, const struct selection *selection,
		     const struct progress *progress)
{
	const struct derived *derived = selection->derived;
	struct work_window window;
	if (!work_window(&window, derived, selection->scope, ANY_DEVICE, progress))
		return false;
	if (window.start == window.end)
		return true;
	fact_add(table, section, "analyzed", value_int(window.end - window.start), "ns");
	fact_add(table, section, "from",
		 value_text(window.from_steps ? "first to last step" : "first to last GPU event"),
		 "");
	add_head(table, section, derived->profile, &window);
	if (selection->scope->has_steps || selection->scope->has_time)
		return true;
	return add_outside(table, section, derived, &window, true, progress) &&
	       add_outside(table, section, derived, &window, false, progress);
}

/* ---- several devices ---- */

struct window_facts_share {
	double pct;
	int32_t device;
};

COMPARE_MEMBERS(compare_shares, struct window_facts_share, UP(pct))

static void add_spread(struct table *table, const char *section, const char *what,
		       struct window_facts_share *shares, size_t count)
{
	qsort(shares, count, sizeof *shares, compare_shares);
	double sum = sum_of(i, count, shares[i].pct);
	double median = (shares[(count - 1) / 2].pct + shares[count / 2].pct) / 2;
	const struct window_facts_share *worst = &shares[count - 1];
	fact_add(table, section, table_printf(table, "%s, worst", what).text,
		 value_real(worst->pct), "%");
	fact_add(table, section, table_printf(table, "%s, worst device", what).text,
		 cell_device(table, worst->device), "");
	fact_add(table, section, table_printf(table, "%s, median", what).text, value_real(median),
		 "%");
	fact_add(table, section, table_printf(table, "%s, mean", what).text,
		 value_real(sum / (double)count), "%");
}

void fact_add_spread(struct table *table, const char *section, const struct causes *causes)
{
	size_t count = causes->device_count, used = 0;
	AUTO_FREE struct window_facts_share *exposed = mem_alloc((count + 1) * sizeof *exposed);
	AUTO_FREE struct window_facts_share *idle = mem_alloc((count + 1) * sizeof *idle);
	for_each (device, causes->devices, count) {
		const struct analysis_window *time = &device->analysis_window;
		if (device->device == NO_DEVICE || !time->dur)
			continue;
		double percent = 100.0 / (double)time->dur;
		double busy = (double)causes_busy(time->cause_ns);
		exposed[used] = (struct window_facts_share){
			percent * (double)time->cause_ns[CAUSE_COMMUNICATION], device->device
		};
		idle[used++] = (struct window_facts_share){ 100 - percent * busy, device->device };
	}
	if (used > 1 && !table_lacks(table, "exposed_communication_ns"))
		add_spread(table, section, "exposed communication", exposed, used);
	if (used > 1)
		add_spread(table, section, "idle", idle, used);
}
